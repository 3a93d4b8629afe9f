"""The spool: one job however often it is asked for, and none lost."""

import os
from pathlib import Path

import pytest

from gitmem.storage.spool import Job, JobState, Spool


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path)


def test_a_job_that_is_asked_for_often_is_one(spool: Spool) -> None:
    for _ in range(36):
        spool.ask("follow@w")
    assert spool.jobs() == [Job("follow@w", JobState.QUEUED)]
    assert spool.waiting() == ["follow@w"]


def test_what_is_asked_for_while_it_runs_is_done_again(spool: Spool) -> None:
    spool.ask("follow")
    spool.take("follow")
    assert spool.jobs() == [Job("follow", JobState.RUNNING)]
    spool.ask("follow")
    spool.finish("follow")
    assert spool.waiting() == ["follow"]
    assert spool.done == 1


def test_what_a_killed_worker_left_is_taken_again(spool: Spool) -> None:
    spool.ask("relink")
    spool.take("relink")
    assert spool.waiting() == ["relink"]
    spool.take("relink")
    spool.finish("relink")
    assert (spool.waiting(), spool.done) == ([], 1)


def test_a_job_that_failed_waits_until_it_is_asked_for(spool: Spool) -> None:
    spool.ask("follow")
    for attempt in (1, 2):
        spool.take("follow")
        spool.fail("follow", "OSError")
        assert spool.jobs() == [Job("follow", JobState.FAILED, attempt, "OSError")]
        assert spool.waiting() == []
        spool.retry()
        assert spool.jobs() == [Job("follow", JobState.QUEUED, attempt, "OSError")]
    spool.take("follow")
    spool.finish("follow")
    assert (spool.jobs(), spool.done) == ([], 1)


def test_a_mark_that_was_just_made_can_be_left_for_later(spool: Spool) -> None:
    spool.ask("follow")
    os.utime(spool.directory / "follow", (1000.0, 1000.0))
    assert spool.waiting(quiet_since=999.0) == []
    assert spool.waiting(quiet_since=1000.0) == ["follow"]


def test_a_spool_that_is_not_there_has_no_jobs(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "none")
    assert (spool.jobs(), spool.waiting(), spool.done) == ([], [], 0)


@pytest.mark.parametrize("record", [b"", b"12", b"{", b"[" * 900, b'{"attempts": "x", "errorClass": 1}', b"\xff\x00"])
def test_a_damaged_record_of_a_failure_tells_nothing(spool: Spool, record: bytes) -> None:
    (spool.directory / ".failed-follow").write_bytes(record)
    (spool.directory / ".done").write_bytes(record)
    assert spool.jobs() == [Job("follow", JobState.FAILED)]
    assert spool.done == (12 if record == b"12" else 0)
