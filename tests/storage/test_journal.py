"""The journal: a record is there whole or not at all, and one state of it is told from every other."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.storage.journal import Journal, JournalDamagedError, Purge, Record, Step, digest_of

OID = "0123456789abcdef0123456789abcdef01234567"
RECORD = Record(
    steps=(Step("a.md", None, b"new\xff\r\n"), Step("b.md", digest_of(b"old"), b""), Step("c.md", None, None)),
    message="add a\n\nMem-Head: 1\n",
    tip=OID,
    commit=OID[::-1],
)
texts = st.text(max_size=12)
oids = st.none() | st.just(OID)
steps = st.builds(Step, texts, st.none() | texts, st.none() | st.binary(max_size=40))
purges = st.builds(Purge, texts, st.just(OID), oids, st.lists(st.just(OID)).map(tuple))
records = st.builds(
    Record,
    steps=st.lists(steps).map(tuple),
    message=texts,
    tip=oids,
    commit=oids,
    forget=st.lists(st.tuples(texts, st.none() | texts)).map(tuple),
    purges=st.none() | st.lists(purges).map(tuple),
)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path)


def path_of(journal: Journal) -> Path:
    return journal.directory / "journal"


def test_where_nothing_was_ever_written_nothing_is_pending(journal: Journal, tmp_path: Path) -> None:
    assert journal.pending() is None
    assert Journal(tmp_path / "not there").pending() is None
    assert list(tmp_path.iterdir()) == []


@given(record=records)
def test_a_record_is_read_as_it_was_written(tmp_path_factory: pytest.TempPathFactory, record: Record) -> None:
    journal = Journal(tmp_path_factory.mktemp("mem"))
    journal.decide(record)
    assert journal.pending() == record


def test_what_is_carried_out_is_pending_no_more_and_its_text_is_gone(journal: Journal) -> None:
    journal.decide(RECORD)
    assert journal.pending() == RECORD
    journal.finish()
    assert journal.pending() is None
    assert b"steps" not in path_of(journal).read_bytes()
    assert [path.name for path in journal.directory.iterdir()] == ["journal"]


def test_no_two_states_are_the_same(journal: Journal) -> None:
    states = [journal.state()]
    for _ in range(3):
        journal.decide(Record(RECORD.steps, RECORD.message))  # the same each time, but for its token
        states.append(journal.state())
        assert journal.state() == states[-1]
        journal.finish()
        states.append(journal.state())
    assert len(set(states)) == len(states) == 7


def test_any_damage_is_noticed(journal: Journal) -> None:
    journal.decide(RECORD)
    path = path_of(journal)
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(JournalDamagedError, match="git mem doctor"):
            journal.pending()


@pytest.mark.parametrize("length", [1, 63, 64, 65, -1])
def test_a_record_that_was_cut_short_is_noticed(journal: Journal, length: int) -> None:
    journal.decide(RECORD)
    path_of(journal).write_bytes(path_of(journal).read_bytes()[:length])
    with pytest.raises(JournalDamagedError):
        journal.pending()


@pytest.mark.parametrize(
    "value",
    [[], 1, None, {"pending": {}}, {"pending": {"steps": 1}}, {"pending": "text"}, {"token": "x", "pending": 1}],
)
def test_a_whole_record_of_another_form_is_damage_too(journal: Journal, value: Any) -> None:
    content = json.dumps(value).encode()
    path_of(journal).write_bytes(digest_of(content).encode() + content)
    with pytest.raises(JournalDamagedError):
        journal.pending()


@pytest.mark.parametrize("before", ["never written", "at rest", "pending"])
@pytest.mark.parametrize("call", ["write", "fsync", "rename"])
def test_a_record_that_cannot_be_written_decides_nothing(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, before: str, call: str
) -> None:
    if before != "never written":
        journal.decide(RECORD)
    if before == "at rest":
        journal.finish()
    state, pending = journal.state(), journal.pending()

    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen" if call == "write" else call, refuse)
        with pytest.raises(OSError, match="No space left on device"):
            journal.decide(Record((Step("other.md", None, b"x"),)))
    assert (journal.state(), journal.pending()) == (state, pending)
    assert [path.name for path in journal.directory.iterdir()] == [path.name for path in journal.directory.glob("j*")]
