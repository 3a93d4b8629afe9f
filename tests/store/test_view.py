"""What a reader sees while a transaction is under way: all of it or nothing, and never what was forgotten."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final

import pytest
from program import entry
from world import listing

from gitmem.entry.format import format_entry
from gitmem.storage.directory import FileRefusedError
from gitmem.storage.journal import Journal, Record, Step, digest_of
from gitmem.storage.lock import LockedError, writer_lock
from gitmem.store.read import NoSuchEntryError, read_entry, read_store
from gitmem.store.view import PLAIN, View, id_digest, read_forgotten, read_settled, read_view, write_forgotten

STORE: Final = PurePosixPath(".klide/memory")
OLD: Final = format_entry(entry("old"))
NEW: Final = format_entry(entry("old", title="Another title"))
ADDED: Final = format_entry(entry("added", supersedes="old"))
STEPS: Final = (Step("old.md", digest_of(OLD), NEW), Step("added.md", None, ADDED), Step("gone.md", None, None))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store of two entries, and beside it the directory of the journal."""
    (tmp_path / STORE).mkdir(parents=True)
    (tmp_path / "mem").mkdir()
    put(tmp_path, "old", OLD)
    put(tmp_path, "gone", format_entry(entry("gone")))
    return tmp_path


def put(root: Path, ident: str, data: bytes) -> None:
    (root / STORE / f"{ident}.md").write_bytes(data)


def seen(root: Path) -> dict[str, bytes]:
    """Return what a reader finds, whichever way it asks."""

    def read(view: View) -> dict[str, bytes]:
        contents = read_store(root, STORE, view)
        assert contents.unreadable == ()
        found = {one.id: read_entry(root, STORE, one.id, view) for one in contents.entries}
        assert {ident: parsed for ident, (parsed, _) in found.items()} == {one.id: one for one in contents.entries}
        return {ident: data for ident, (_, data) in found.items()}

    return read_settled(root / "mem", read)


def decide(root: Path, *steps: Step) -> None:
    Journal(root / "mem").decide(Record(steps or STEPS))


def test_where_nothing_is_under_way_the_files_are_what_they_are(root: Path) -> None:
    assert read_view(root / "mem") == PLAIN
    assert read_view(root / "nowhere") == PLAIN
    assert seen(root) == {"gone": format_entry(entry("gone")), "old": OLD}


@pytest.mark.parametrize("placed", range(4))
def test_a_decided_transaction_is_seen_whole_however_far_it_came(root: Path, placed: int) -> None:
    decide(root)
    for step in STEPS[:placed]:
        if step.after is None:
            (root / STORE / step.name).unlink()
        else:
            (root / STORE / step.name).write_bytes(step.after)
    before = listing(root)
    assert seen(root) == {"added": ADDED, "old": NEW}
    with pytest.raises(NoSuchEntryError):
        read_entry(root, STORE, "gone", read_view(root / "mem"))
    assert listing(root) == before


def test_when_the_journal_rests_only_the_files_count(root: Path) -> None:
    decide(root)
    Journal(root / "mem").finish()
    assert seen(root) == {"gone": format_entry(entry("gone")), "old": OLD}


def test_what_a_person_changed_since_counts_more_than_a_step(root: Path) -> None:
    decide(root)
    by_hand = format_entry(entry("old", title="By hand"))
    put(root, "old", by_hand)
    put(root, "added", by_hand)
    assert seen(root) == {"added": by_hand, "old": by_hand}
    (root / STORE / "old.md").unlink()
    assert seen(root) == {"added": by_hand}


def test_a_link_shows_what_the_file_behind_it_becomes(root: Path) -> None:
    (root / STORE / "link.md").symlink_to("old.md")
    decide(root)
    assert seen(root) == {"added": ADDED, "link": NEW, "old": NEW}


def test_a_damaged_journal_decides_nothing(root: Path) -> None:
    decide(root)
    path = root / "mem/journal"
    path.write_bytes(path.read_bytes()[:-1])
    assert seen(root) == {"gone": format_entry(entry("gone")), "old": OLD}


def test_a_file_that_cannot_be_read_does_not_hide_the_others(root: Path) -> None:
    (root / STORE / "added.md").mkdir()
    decide(root)
    contents = read_store(root, STORE, read_view(root / "mem"))
    assert [one.id for one in contents.entries] == ["old"]
    assert [one.file for one in contents.unreadable] == ["added.md"]


def test_who_reads_while_a_transaction_begins_or_ends_reads_again(root: Path) -> None:
    journal, rounds = Journal(root / "mem"), 0

    def read(view: View) -> tuple[str, ...]:
        nonlocal rounds
        rounds += 1
        if rounds == 1:
            decide(root)
        if rounds == 2:
            journal.finish()
        return tuple(one.id for one in read_store(root, STORE, view).entries)

    assert read_settled(root / "mem", read) == ("gone", "old")
    assert rounds == 3


def test_who_reads_in_peace_reads_once(root: Path) -> None:
    preparations: list[Callable[[], object]] = [list, lambda: decide(root), Journal(root / "mem").finish]
    for prepare in preparations:
        prepare()
        views: list[View] = []
        read_settled(root / "mem", views.append)
        assert len(views) == 1


def test_a_forgotten_entry_does_not_come_back(root: Path) -> None:
    write_forgotten(root / "mem", [id_digest("old")])
    contents = read_store(root, STORE, read_view(root / "mem"))
    assert [one.id for one in contents.entries] == ["gone"]
    assert [(one.file, "forgotten" in one.reason) for one in contents.unreadable] == [("old.md", True)]
    with pytest.raises(FileRefusedError, match="it was forgotten"):
        read_entry(root, STORE, "old", read_view(root / "mem"))


def test_what_is_about_to_be_forgotten_is_gone_already(root: Path) -> None:
    Journal(root / "mem").decide(Record((Step("old.md", None, None),), forget=(("old", None),)))
    assert read_view(root / "mem").is_forgotten("old")
    assert list(seen(root)) == ["gone"]


def test_digests_are_added_to_those_that_are_there(root: Path) -> None:
    state = root / "mem"
    assert read_forgotten(state) == read_forgotten(root / "nowhere") == frozenset()
    write_forgotten(state, [id_digest("b"), id_digest("a")])
    write_forgotten(state, [id_digest("c"), id_digest("a")])
    assert read_forgotten(state) == {id_digest(ident) for ident in "abc"}
    kept = (state / "forgotten").stat()
    write_forgotten(state, [id_digest("a")])
    assert (state / "forgotten").stat() == kept


def test_lines_that_are_no_digests_are_passed_over(root: Path) -> None:
    (root / "mem/forgotten").write_bytes(b"\xff\n\nold\n" + id_digest("a").encode() + b"0\n" + id_digest("b").encode())
    assert read_forgotten(root / "mem") == {id_digest("b")}


def test_who_finds_writers_at_work_all_the_time_makes_them_wait_for_once(root: Path) -> None:
    """A reader of a large store would never be done otherwise, or see a half."""
    journal = Journal(root / "mem")
    with writer_lock(root / "mem/lock", 0):
        pass
    free: list[bool] = []

    def read(_view: View) -> None:
        try:
            with writer_lock(root / "mem/lock", 0):
                journal.finish()
        except LockedError:
            free.append(False)
        else:
            free.append(True)

    read_settled(root / "mem", read)
    assert free == [True] * 8 + [False]
