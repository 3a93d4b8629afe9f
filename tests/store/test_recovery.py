"""What a killed writer decided is carried to its end by whoever comes next, however far it had come."""

import os
from collections.abc import Mapping
from typing import Final

import pytest
from program import is_one_error
from store.written import (
    REF,
    STORE,
    add,
    assert_at_rest,
    change,
    creation,
    files,
    history,
    initialised,
    journal,
    names,
    opened,
    path_of,
    recorded,
)
from world import Repo, listing

from gitmem.storage.journal import Journal, JournalDamagedError, Record
from gitmem.storage.lock import writer_lock
from gitmem.store.recovery import recover
from gitmem.store.transaction import Deed, Replacement
from gitmem.store.transaction import transact as carry_deed_out

OLD: Final = "2026-01-01-0000-old"
NEW: Final = "2026-01-01-0000-new"
NEXT: Final = "2026-01-01-0000-next"


class KilledError(Exception):
    """Stands for the end of a writer before its record was in place."""


@pytest.fixture
def store(repo: Repo) -> Repo:
    """A repository with one entry."""
    add(initialised(repo), "Old")
    return repo


def record_of(repo: Repo, monkeypatch: pytest.MonkeyPatch, *changes: Replacement) -> Record:
    """Return what a writer of a new entry decides, and how it left the repository the moment before."""
    found: list[Record] = []

    def stop(_journal: Journal, record: Record) -> None:
        found.append(record)
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "decide", stop)
        place = opened(repo).place
        deed = Deed(verb="add", creations=[creation("New")], replacements=changes, head=repo.rev())
        with opened(repo).writing(), pytest.raises(KilledError):
            carry_deed_out(place, deed)
    (record,) = found
    return record


@pytest.fixture
def pending(store: Repo, monkeypatch: pytest.MonkeyPatch) -> Record:
    """A decided transaction of which nothing was carried out: a new entry, and a change of the old one."""
    record = record_of(store, monkeypatch, change(store, OLD))
    journal(store).decide(record)
    return record


def wanted(record: Record) -> dict[str, bytes]:
    return {step.name: step.after for step in record.steps if step.after is not None}


def finish(repo: Repo) -> bool:
    """Recover as a writer does."""
    with opened(repo).locked():
        return recover(opened(repo).place)


def seen(repo: Repo) -> Mapping[str, bytes]:
    """Return the files as a command sees them."""
    workspace = opened(repo)
    return {f"{entry.id}.md": workspace.entry(entry.id)[1] for entry in workspace.contents.entries}


def test_where_nothing_is_pending_nothing_is_done(store: Repo) -> None:
    before = listing(store.path / ".klide"), store.rev(REF), journal(store).state()
    assert not finish(store)
    assert (listing(store.path / ".klide"), store.rev(REF), journal(store).state()) == before


@pytest.mark.parametrize("placed", range(3))
@pytest.mark.parametrize("moved", [False, True])
def test_it_goes_on_from_wherever_it_stopped(store: Repo, pending: Record, placed: int, *, moved: bool) -> None:
    for step in pending.steps[:placed]:
        store.write(f"{STORE}/{step.name}", step.after or b"")
    if moved:
        assert pending.commit is not None
        store.git("update-ref", REF, pending.commit)
    assert finish(store)
    assert files(store) == wanted(pending)
    assert history(store) == [f"add {OLD}", f"add {NEW}"]
    assert_at_rest(store)
    assert not finish(store)


def test_the_next_reader_finishes_it_and_says_nothing_of_it(store: Repo, pending: Record) -> None:
    assert seen(store) == wanted(pending)
    assert files(store) == wanted(pending)
    assert_at_rest(store)


def test_a_reader_beside_a_writer_waits_for_nobody_and_sees_the_same(store: Repo, pending: Record) -> None:
    before = listing(store.path / ".klide")
    with writer_lock(store.path / ".git/mem/lock", 0):
        assert seen(store) == wanted(pending)
        assert listing(store.path / ".klide") == before
    assert journal(store).pending() == pending


def test_the_next_writer_finishes_it_first(store: Repo, pending: Record) -> None:
    add(store, "Next")
    assert files(store) == {**wanted(pending), f"{NEXT}.md": creation("Next").data}
    assert history(store) == [f"add {OLD}", f"add {NEW}", f"add {NEXT}"]
    assert_at_rest(store)


def test_a_writer_in_another_worktree_finishes_it_too(store: Repo, pending: Record) -> None:
    linked = store.worktree("linked")
    assert opened(linked).contents.entries
    assert files(store) == wanted(pending)
    assert_at_rest(store)


def test_what_a_person_wrote_meanwhile_stays_and_is_recorded_as_theirs(store: Repo, pending: Record) -> None:
    path_of(store, OLD).write_bytes(b"By hand.\n")
    store.write(f"{STORE}/other.md", b"Also by hand.\n")
    assert finish(store)
    assert files(store) == {**wanted(pending), f"{OLD}.md": b"By hand.\n", "other.md": b"Also by hand.\n"}
    assert history(store) == [f"add {OLD}", f"add {NEW}", "edit 2 entries by hand"]
    assert recorded(store, f"{REF}~") == wanted(pending)
    assert_at_rest(store)


def test_an_entry_that_a_person_removed_meanwhile_stays_removed(store: Repo, pending: Record) -> None:
    path_of(store, OLD).unlink()
    assert finish(store)
    assert names(store) == [f"{NEW}.md"]
    assert_at_rest(store)


def test_a_new_entry_that_was_edited_before_anybody_finished_is_not_doubled(store: Repo, pending: Record) -> None:
    for name, data in wanted(pending).items():
        store.write(f"{STORE}/{name}", data)
    edited = wanted(pending)[f"{NEW}.md"] + b"By hand.\n"
    path_of(store, NEW).write_bytes(edited)
    before = seen(store)
    assert finish(store) or journal(store).pending() is None
    assert files(store) == before == {**wanted(pending), f"{NEW}.md": edited}
    assert_at_rest(store)


def test_litter_is_swept_and_what_nobody_owns_stays(store: Repo, pending: Record) -> None:
    store.write(f"{STORE}/.tmp-{'0a' * 8}", "half a text")
    store.write(f"{STORE}/.tmp-mine", "a person's")
    store.write(f".git/mem/.tmp-{'0a' * 8}", "half a record")
    assert finish(store)
    assert [name for name in names(store) if name.startswith(".")] == [".tmp-mine"]
    path_of(store, "").with_name(".tmp-mine").unlink()
    assert files(store) == wanted(pending)
    assert_at_rest(store)


def test_without_the_store_the_record_waits(store: Repo, pending: Record) -> None:
    directory = store.path / STORE
    directory.rename(store.path / "away")
    assert not finish(store)
    assert journal(store).pending() == pending
    (store.path / "away").rename(directory)
    assert finish(store)
    assert files(store) == wanted(pending)
    assert_at_rest(store)


def test_a_record_that_waits_is_never_written_over(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    journal(initialised(repo)).decide(record_of(repo, monkeypatch))
    (repo.path / STORE).rmdir()
    added = repo.mem("add", "Next", "--date", "2026-01-01")
    assert added.code == 0, added
    assert set(files(repo)) == {f"{NEW}.md", f"{NEXT}.md"}
    assert history(repo) == [f"add {NEW}", f"add {NEXT}"]
    assert_at_rest(repo)


def test_a_ref_that_moved_on_meanwhile_is_built_upon(store: Repo, pending: Record) -> None:
    theirs = store.git("commit-tree", store.rev(f"{REF}^{{tree}}"), "-p", REF, "-m", "theirs").line
    store.git("update-ref", REF, theirs)
    assert finish(store)
    assert history(store) == [f"add {OLD}", "theirs", f"add {NEW}"]
    assert files(store) == wanted(pending)
    assert_at_rest(store)


def test_a_history_that_was_switched_off_or_on_meanwhile_is_no_obstacle(
    store: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal(store).decide(record_of(store, monkeypatch))
    store.git("config", "mem.history", "false")
    assert finish(store)
    assert set(files(store)) == {f"{OLD}.md", f"{NEW}.md"}
    assert history(store) == [f"add {OLD}"]
    journal(store).decide(record_of(store, monkeypatch))
    store.git("config", "mem.history", "true")
    assert finish(store)
    assert set(files(store)) == {f"{OLD}.md", f"{NEW}.md", f"{NEW}-2.md"}
    assert_at_rest(store)


def test_a_damaged_journal_stops_writers_and_no_readers(store: Repo, pending: Record) -> None:
    path = store.path / ".git/mem/journal"
    path.write_bytes(path.read_bytes()[:-1])
    before = listing(store.path)
    with pytest.raises(JournalDamagedError, match="git mem doctor"):
        finish(store)
    assert seen(store) == files(store)
    refused = store.mem("add", "Next")
    assert (refused.code, is_one_error(refused)) == (128, True)
    after = listing(store.path)
    after.pop(".git/mem/lock"), before.pop(".git/mem/lock")
    assert after == before


@pytest.mark.parametrize("obstacle", ["a lock of git's", "a damaged ref", "a setting that means nothing"])
def test_what_stops_a_writer_stops_no_reader(store: Repo, pending: Record, obstacle: str) -> None:
    if obstacle == "a lock of git's":
        store.git("config", "mem.lockTimeout", "0")
        store.write(f".git/{REF}.lock/file", "")
    elif obstacle == "a damaged ref":
        store.write(f".git/{REF}", f"{'0123' * 10}\n")
    else:
        store.git("config", "mem.lockTimeout", "soon")
    assert seen(store) == wanted(pending)
    refused = store.mem("add", "Next")
    assert (refused.code, is_one_error(refused)) == (128, True), refused
    assert seen(store) == wanted(pending)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_reader_that_may_not_write_sees_the_same(store: Repo, pending: Record) -> None:
    for directory in (store.path / STORE, store.path / ".git/mem"):
        directory.chmod(0o555)
    assert seen(store) == wanted(pending)
    assert journal(store).pending() == pending
