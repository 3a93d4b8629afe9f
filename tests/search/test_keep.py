"""The kept index: after every change it answers as one made from scratch, and nothing is written without need."""

import os
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path, PurePosixPath
from subprocess import PIPE, Popen
from typing import Any, Final

import pytest
from program import entry, put
from world import listing

from gitmem.entry.format import format_entry
from gitmem.search.analysis import Analyser
from gitmem.search.entries import EntryIndex, create, write_listing
from gitmem.search.keep import IndexState, Keeper, index_of
from gitmem.search.narrow import Filters
from gitmem.search.query import parse_query
from gitmem.search.rank import Ranking
from gitmem.storage.db import Unpublished, in_memory
from gitmem.storage.directory import opened_directory
from gitmem.storage.journal import Step, digest_of
from gitmem.storage.stamp import UNSETTLED
from gitmem.storage.watch import DirectoryWatch
from gitmem.store.read import read_listed, read_store
from gitmem.store.view import PLAIN, View, id_digest

STORE: Final = PurePosixPath("memory")
ANALYSER: Final = Analyser()
QUERIES: Final = ("retry", "retries policy", "one", "café", "kind:fact", "tag:net", "日本", "rety", "two apple", "x")
OTHERS: Final = (Filters(), Filters(include_inactive=True))
LATER: Final = 3 * 10**9  # nanoseconds: from then on the stamp of a file is trusted

Answers = dict[tuple[str, bool], list[tuple[str, str, str, float]]]


class Kept:
    """A store in a directory, and the index that is kept of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = root / STORE
        self.state = root / "mem"
        self.path = self.state / "index.sqlite"
        self.keeper = Keeper(self.path)
        self.view = PLAIN

    def write(self, ident: str, title: str = "", **fields: Any) -> Path:
        put(self.store, entry(ident, title=title or ident, **fields))
        return self.store / f"{ident}.md"

    def current(self) -> EntryIndex:
        with opened_directory(self.root, STORE) as directory:
            assert directory is not None
            return self.keeper.current(directory, self.view)

    def index_state(self) -> IndexState:
        with opened_directory(self.root, STORE) as directory:
            assert directory is not None
            return Keeper(self.path).state(directory, self.view)

    def scratch(self) -> Answers:
        """Return the answers of an index that is made of the files as they are."""
        return answers(index_of(read_store(self.root, STORE, self.view).entries, ANALYSER))

    def assert_right(self) -> None:
        """Assert that a process that goes on and one that begins now answer as they should, and then change nothing."""
        expected = self.scratch()
        assert answers(self.current()) == expected
        self.keeper = Keeper(self.path)
        first = self.current()
        before = trace(self.path)
        assert answers(first) == expected
        assert self.current() is first
        assert trace(self.path) == before
        assert [name for name in listing(self.state) if ".tmp" in name] == []


def answers(index: EntryIndex) -> Answers:
    """Return for each query what it finds, best first."""
    return {(query, one.include_inactive): _found(index, query, one) for query in QUERIES for one in OTHERS}


def _found(index: EntryIndex, query: str, filters: Filters) -> list[tuple[str, str, str, float]]:
    ranking = Ranking(index, parse_query([query]), filters)
    ranked = [*ranking.exact(), *ranking.all(), *ranking.partial()]
    return [(str(one.match), one.known.id, one.known.date + one.known.state, one.score) for one in ranked]


def trace(path: Path) -> tuple[int, int, int, bytes] | None:
    """Return what tells whether a file was written."""
    if not path.is_file():
        return None
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns, path.read_bytes()


@contextmanager
def later() -> Iterator[None]:
    """Let time go on, so that the stamps of files can be trusted."""
    clock = time.time_ns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gitmem.search.keep.time.time_ns", lambda: clock() + LATER)
        yield


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """A store of some entries, none of them indexed."""
    made = Kept(tmp_path)
    made.write("one", "Retry policy", notes="retries twice, café", tags=("net",))
    made.write("two", "Apple", notes="retry one 日本語")
    made.write("three", "Other", supersedes="two", date="2026-01-03T00:00:00Z")
    return made


@pytest.fixture(params=["at once", "later"])
def timed(request: pytest.FixtureRequest, kept: Kept) -> Iterator[Kept]:
    """The same store indexed, while the stamps of its files cannot be trusted yet, and when they can."""
    with later() if request.param == "later" else nullcontext():
        kept.current()
        yield kept


# Kept


def test_the_first_question_makes_the_index(kept: Kept) -> None:
    assert kept.index_state() is IndexState.MISSING
    kept.assert_right()
    assert kept.index_state() is IndexState.CURRENT
    assert list(listing(kept.state)) == ["index.sqlite"]


def test_what_did_not_change_is_not_read_again(kept: Kept) -> None:
    with later():
        first = kept.current()
        before = trace(kept.path)
        atime = [(kept.store / f"{name}.md").stat().st_atime_ns for name in ("one", "two", "three")]
        assert kept.current() is first
        assert answers(Kept(kept.root).current()) == answers(first)
        assert trace(kept.path) == before
        assert [(kept.store / f"{name}.md").stat().st_atime_ns for name in ("one", "two", "three")] == atime
        assert first.listing.keys() == {"one.md", "two.md", "three.md"}
        assert UNSETTLED not in first.listing.values()


def test_stamps_of_files_that_were_just_written_are_not_trusted(kept: Kept) -> None:
    assert set(kept.current().listing.values()) == {UNSETTLED}


def test_an_empty_store_has_an_index_too(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.store.mkdir()
    kept.assert_right()
    kept.write("first")
    kept.assert_right()
    (kept.store / "first.md").unlink()
    kept.assert_right()
    assert kept.current().postings.documents == 0


def same_size(kept: Kept) -> None:
    path = kept.store / "one.md"
    path.write_bytes(path.read_bytes().replace(b"Retry policy", b"Apple policy"))


def same_size_and_time(kept: Kept) -> None:
    times = (kept.store / "one.md").stat()
    same_size(kept)
    os.utime(kept.store / "one.md", ns=(times.st_atime_ns, times.st_mtime_ns))


def undated(kept: Kept) -> None:
    """A file that has no date is as old as the file system says."""
    path = kept.store / "one.md"
    path.write_text("# Retry\n", encoding="utf-8")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    kept.current()
    os.utime(path, (1_100_000_000, 1_100_000_000))


def into_a_directory(kept: Kept) -> None:
    (kept.store / "one.md").unlink()
    (kept.store / "one.md").mkdir()


def swap(kept: Kept) -> None:
    (kept.store / "one.md").rename(kept.store / ".other")
    (kept.store / "two.md").rename(kept.store / "one.md")
    (kept.store / ".other").rename(kept.store / "two.md")


def away_and_back(kept: Kept) -> None:
    kept.store.rename(kept.root / "away")
    kept.store.mkdir()
    kept.write("x")
    kept.current()
    shutil.rmtree(kept.store)
    (kept.root / "away").rename(kept.store)


def nothing(kept: Kept) -> None:
    """Leave the store as it is."""


def remove_all(kept: Kept) -> None:
    for path in kept.store.iterdir():
        path.unlink()


CHANGES: Final[dict[str, Callable[[Kept], object]]] = {
    "none": nothing,
    "edited": lambda kept: kept.write("one", "Other title", notes="x"),
    "edited, of the same size": same_size,
    "edited, of the same size and time": same_size_and_time,
    "touched": lambda kept: os.utime(kept.store / "one.md", (1, 1)),
    "touched, in the future": lambda kept: os.utime(kept.store / "one.md", (20_000_000_000, 20_000_000_000)),
    "touched, before 1970": lambda kept: os.utime(kept.store / "one.md", (-100, -100)),
    "touched, without a date": undated,
    "other permissions": lambda kept: (kept.store / "one.md").chmod(0o600),
    "added": lambda kept: kept.write("four", "Retry again", notes="apple"),
    "removed": lambda kept: (kept.store / "one.md").unlink(),
    "removed, which superseded": lambda kept: (kept.store / "three.md").unlink(),
    "renamed": lambda kept: (kept.store / "one.md").rename(kept.store / "0.md"),
    "swapped": swap,
    "replaced by a directory": into_a_directory,
    "made unreadable": lambda kept: (kept.store / "one.md").write_bytes(b"a\0b"),
    "emptied": lambda kept: (kept.store / "one.md").write_bytes(b""),
    "superseded": lambda kept: kept.write("four", supersedes="one", date="2026-01-02T00:00:00Z"),
    "superseded in a circle": lambda kept: kept.write("two", supersedes="three", date="2026-01-02T00:00:00Z"),
    "all removed": remove_all,
    "another directory": away_and_back,
}


@pytest.mark.parametrize("change", CHANGES)
def test_after_a_change_the_index_answers_as_one_made_from_scratch(timed: Kept, change: str) -> None:
    CHANGES[change](timed)
    timed.assert_right()


@pytest.mark.parametrize("change", CHANGES)
def test_a_process_that_watches_sees_the_change_too(kept: Kept, change: str) -> None:
    kept.keeper.watch = DirectoryWatch()
    try:
        kept.current()
        first = kept.current()
        assert kept.current() is first
        CHANGES[change](kept)
        assert answers(kept.current()) == kept.scratch()
    finally:
        kept.keeper.watch.close()


@pytest.mark.parametrize("change", ["none", "touched", "other permissions"])
def test_what_changes_nothing_that_is_indexed_writes_nothing(timed: Kept, change: str) -> None:
    first, before = timed.current(), trace(timed.path)
    CHANGES[change](timed)
    assert timed.current() is first
    assert trace(timed.path) == before


@pytest.mark.parametrize("name", ["a b", "100%25", "a?b#c", "木", "\udcff", "a'b\"c", "file:x"])
def test_a_store_below_a_directory_of_any_name_is_indexed_like_any_other(tmp_path: Path, name: str) -> None:
    kept = Kept(tmp_path / name)
    for title in ("Retry", "Apple", "Retry policy"):
        kept.write("one", title)
        kept.write(title.lower().replace(" ", "-"))
        kept.assert_right()
    (kept.store / "one.md").unlink()
    kept.assert_right()
    assert kept.keeper.published_last
    assert kept.index_state() is IndexState.CURRENT


def test_a_change_and_its_opposite_leave_the_answers_as_they_were(timed: Kept) -> None:
    before = answers(timed.current())
    data = (timed.store / "two.md").read_bytes()
    (timed.store / "two.md").unlink()
    timed.assert_right()
    (timed.store / "two.md").write_bytes(data)
    timed.assert_right()
    assert answers(timed.current()) == before


def test_of_many_files_each_is_right_after_each_of_many_changes(tmp_path: Path) -> None:
    kept, dice = Kept(tmp_path), random.Random(5)
    for number in range(150):
        kept.write(f"e{number}", dice.choice(["Retry", "Apple", "One café"]), notes=f"policy {number % 7}")
    with later():
        for _ in range(4):
            for number in dice.sample(range(150), 20):
                kept.write(f"e{number}", dice.choice(["Retry", "Apple"]), notes="two 日本")
            for number in dice.sample(range(200), 20):
                (kept.store / f"e{number}.md").unlink(missing_ok=True)
            kept.assert_right()


def test_stamps_that_can_be_trusted_at_last_are_written_once_where_they_are_many(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    for number in range(80):
        kept.write(f"e{number}")
    kept.current()
    before = trace(kept.path)
    with later():
        kept.assert_right()
    assert trace(kept.path) != before
    assert UNSETTLED not in kept.current().listing.values()


BAD: Final[dict[str, Callable[[Path], object]]] = {
    "no entries": lambda path: path.write_bytes(b"a\0b"),
    "no ids": lambda path: path.with_name(f"-{path.name}").write_bytes(b"x\n"),
    "directories": Path.mkdir,
    "links out of it": lambda path: path.symlink_to("/etc/hostname"),
}


@pytest.mark.parametrize("bad", BAD)
def test_many_files_that_nobody_can_index_are_no_reason_to_write_again_and_again(kept: Kept, bad: str) -> None:
    for number in range(80):
        BAD[bad](kept.store / f"bad{number}.md")
    with later():
        kept.assert_right()


# What lies in a store


def test_links_within_the_store_are_followed_and_others_are_not(timed: Kept) -> None:
    (timed.root / "outside.md").write_text("# retry\n", encoding="utf-8")
    (timed.store / "link.md").symlink_to("one.md")
    (timed.store / "out.md").symlink_to("../outside.md")
    timed.assert_right()
    assert {found[1] for found in answers(timed.current())["retry", False]} == {"one", "link"}
    timed.write("one", "Apple", notes="x")
    timed.assert_right()
    (timed.store / "link.md").unlink()
    (timed.store / "link.md").symlink_to("two.md")
    timed.assert_right()
    assert {found[1] for found in answers(timed.current())["retry", True]} == {"two", "link"}
    (timed.store / "two.md").unlink()
    timed.assert_right()


def test_names_of_all_sorts_harm_nothing(timed: Kept) -> None:
    names = ("bad id.md", "\udcff.md", "-rf.md", "a..b.md", "\n.md", "木.md", "x" * 129 + ".md", ".hidden.md", "a.txt")
    for name in names:
        (timed.store / name).write_text("# retry\n", encoding="utf-8")
    (timed.store / "pipe.md").unlink(missing_ok=True)
    os.mkfifo(timed.store / "pipe.md")
    for good in ("A.md", "a.b.md", "x" * 125 + ".md"):
        (timed.store / good).write_text("# retry\n", encoding="utf-8")
    timed.assert_right()
    assert len(answers(timed.current())["retry", False]) == 4


ODD: Final = {
    "lone surrogate": b'---\ntitle: "retry \\ud800 x"\ntags: ["\\udfff"]\n---\n',
    "controls": b'---\ntitle: "retry \\x1e\\x1f\\x01 x"\naliases: ["a\\nb"]\n---\nretry \x1e one\x1ftwo\x01\n',
    "another kind": b"---\ntitle: retry\nkind: unheard\n---\n",
    "another version": b"---\nschemaVersion: 7\ntitle: retry\nsupersedes: one\n---\n",
    "another state": b"---\ntitle: retry\nreviewState: unheard\n---\n",
    "pointing at itself": b"---\ntitle: retry\nsupersedes: odd\n---\n",
    "pointing nowhere": b'---\ntitle: retry\nsupersedes: "\\ud800"\n---\n',
    "long": b"retry " * 20_000,
    "one long word": b"x" * 300_000 + b" retry",
    "no title": b"---\ntitle: ''\n---\n",
    "a date far away": b"---\ntitle: retry\ndate: 9999-12-31T23:59:59Z\n---\n",
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_entry_is_indexed_like_any_other(timed: Kept, odd: str) -> None:
    (timed.store / "odd.md").write_bytes(ODD[odd])
    timed.assert_right()
    (timed.store / "odd.md").write_bytes(b"# Plain\n")
    timed.assert_right()
    assert "odd" not in {found[1] for found in answers(timed.current())["retry", True]}


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_what_may_not_be_read_is_not_indexed(timed: Kept) -> None:
    (timed.store / "one.md").chmod(0)
    timed.assert_right()
    (timed.store / "one.md").chmod(0o600)
    timed.assert_right()


def test_an_inode_may_have_any_number_that_fits_into_64_bits() -> None:
    connection = in_memory()
    create(connection)
    stamps = {"a.md": (1, -1, 2, (1 << 64) - 1), "b.md": UNSETTLED}
    write_listing(connection, stamps)
    with closing(connection):
        assert EntryIndex(connection, ANALYSER).listing == stamps


# What counts beside the files


def test_a_pending_transaction_counts_and_stops_to_count(timed: Kept) -> None:
    old = (timed.store / "one.md").read_bytes()
    new = format_entry(entry("one", title="Apple", notes="café"))
    added = format_entry(entry("four", title="Retry", supersedes="one", date="2026-02-01T00:00:00Z"))
    steps = (Step("one.md", digest_of(old), new), Step("four.md", None, added), Step("two.md", None, None))
    timed.view = View({step.name: step for step in steps})
    timed.assert_right()
    assert {found[1] for found in answers(timed.current())["retry", True]} == {"four"}
    timed.view = PLAIN  # it never happened
    timed.assert_right()
    timed.view = View({step.name: step for step in steps})
    (timed.store / "one.md").write_bytes(new)
    (timed.store / "two.md").unlink()
    timed.assert_right()
    (timed.store / "four.md").write_bytes(added)
    timed.view = PLAIN  # it is carried out
    timed.assert_right()


def test_a_process_that_watches_sees_that_a_transaction_counts_no_more(timed: Kept) -> None:
    timed.keeper.watch = DirectoryWatch()
    try:
        timed.current()
        for view in (View({"one.md": Step("one.md", None, None)}), PLAIN):  # as when the journal is damaged then
            timed.view = view
            assert answers(timed.current()) == timed.scratch()
    finally:
        timed.keeper.watch.close()


def test_a_file_that_is_written_by_hand_under_a_pending_transaction_counts(timed: Kept) -> None:
    step = Step("one.md", digest_of((timed.store / "one.md").read_bytes()), format_entry(entry("one", title="Apple")))
    timed.view = View({"one.md": step})
    timed.assert_right()
    timed.write("one", "Café by hand")
    timed.assert_right()
    assert [found[1] for found in answers(timed.current())["café", False]] == ["one"]


def test_a_link_to_a_file_of_a_pending_transaction_shows_what_that_will_hold(timed: Kept) -> None:
    (timed.store / "link.md").symlink_to("one.md")
    timed.assert_right()
    step = Step("one.md", digest_of((timed.store / "one.md").read_bytes()), format_entry(entry("one", title="Apple")))
    timed.view = View({"one.md": step})
    timed.assert_right()


def test_what_was_forgotten_is_not_found_though_its_file_came_back(timed: Kept) -> None:
    timed.view = View(forgotten=frozenset({id_digest("one"), id_digest("never")}))
    timed.assert_right()
    assert "one" not in {found[1] for found in answers(timed.current())["retry", True]}
    timed.view = View(forgotten=frozenset({id_digest("one"), id_digest("three")}))
    timed.assert_right()
    timed.view = PLAIN  # only by a hand that edits the list of what was forgotten
    timed.assert_right()


# What is not ours, or no more


def copied(kept: Kept) -> None:
    """Put the index of another store in its place."""
    other = Kept(kept.root / "other")
    other.write("one", "Foreign retry")
    other.write("foreign", "Retry policy")
    other.current()
    shutil.copy(other.path, kept.path)


def older(kept: Kept) -> None:
    """Put an index of another form in its place."""
    made = Unpublished(kept.path, 17, None)
    made.connection.execute("CREATE TABLE entries (x)")
    assert made.publish(lambda: nullcontext(enter_result=True))
    made.connection.close()


UNUSABLE: Final[dict[str, Callable[[Kept], object]]] = {
    "nothing": lambda kept: kept.path.write_bytes(b""),
    "random bytes": lambda kept: kept.path.write_bytes(random.Random(1).randbytes(9000)),
    "half": lambda kept: os.truncate(kept.path, kept.path.stat().st_size // 2),
    "of an older form": older,
}


@pytest.mark.parametrize("damage", UNUSABLE)
def test_an_index_that_cannot_be_used_is_made_anew(timed: Kept, damage: str) -> None:
    UNUSABLE[damage](timed)
    assert timed.index_state() is IndexState.UNUSABLE
    timed.keeper = Keeper(timed.path)
    timed.assert_right()
    assert timed.index_state() is IndexState.CURRENT


def test_the_index_of_another_store_is_brought_up_to_date(timed: Kept) -> None:
    copied(timed)
    assert timed.index_state() is IndexState.OUTDATED
    timed.keeper = Keeper(timed.path)
    timed.assert_right()
    assert timed.index_state() is IndexState.CURRENT


def test_a_copy_of_everything_has_an_index_that_still_counts(timed: Kept) -> None:
    other = Kept(timed.root / "copy")
    shutil.copytree(timed.store, other.store)
    shutil.copytree(timed.state, other.state)
    before = trace(other.path)
    assert other.index_state() is IndexState.CURRENT
    other.assert_right()
    assert trace(other.path) == before
    other.write("one", "Changed in the copy")
    other.assert_right()
    timed.assert_right()


def test_to_look_at_the_state_notes_no_more_than_that_the_index_is_sound(kept: Kept) -> None:
    kept.current()
    kept.write("four")
    before = listing(kept.root)
    with later():
        assert kept.index_state() is IndexState.OUTDATED
    after = listing(kept.root)
    assert {name for name in after if after[name] != before.get(name)} <= {"mem/index.sqlite-sound"}
    assert before.keys() <= after.keys()


def test_what_is_made_anew_has_the_bytes_of_what_is_made_first(kept: Kept) -> None:
    kept.current()
    data = kept.path.read_bytes()
    with opened_directory(kept.root, STORE) as directory:
        assert directory is not None
        kept.keeper.renewed(directory)
    assert kept.path.read_bytes() == data


# Where it cannot be kept


def directory_in_its_place(kept: Kept) -> None:
    kept.path.mkdir(parents=True)


def file_in_the_way(kept: Kept) -> None:
    kept.state.write_bytes(b"in the way")


def refused(kept: Kept) -> None:
    kept.keeper.allowed = lambda: nullcontext(enter_result=False)


@pytest.mark.parametrize("hinder", [directory_in_its_place, file_in_the_way, refused])
def test_where_the_index_cannot_be_kept_the_answers_are_the_same(kept: Kept, hinder: Callable[[Kept], object]) -> None:
    hinder(kept)
    before = listing(kept.state) if kept.state.is_dir() else {}
    for change in ("edited", "added", "edited, of the same size and time", "superseded", "removed", "all removed"):
        CHANGES[change](kept)
        assert answers(kept.current()) == kept.scratch()
        assert not kept.keeper.published_last
    assert (listing(kept.state) if kept.state.is_dir() else {}) == before


def test_what_could_not_be_kept_is_kept_in_the_process_all_the_same(kept: Kept) -> None:
    directory_in_its_place(kept)
    first = kept.current()
    assert kept.current() is first


_FULL: Final = """
import resource, sys
from pathlib import Path
sys.path[:0] = sys.argv[2].split(":")
from search.test_keep import Kept, answers
kept = Kept(Path(sys.argv[1]))
expected = kept.scratch()
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
assert answers(kept.current()) == expected
assert not kept.keeper.published_last
"""


@pytest.mark.parametrize("room", [0, 8192, 50_000])
def test_on_a_disk_that_is_full_the_answers_are_the_same(kept: Kept, room: int) -> None:
    for number in range(30):
        kept.write(f"e{number}", notes=f"retry {number} " + "apple " * 900)
    argv = [sys.executable, "-c", _FULL, os.fspath(kept.root), os.fspath(Path(__file__).parents[1]), str(room)]
    with Popen(argv, stderr=PIPE) as child:
        _, err = child.communicate(timeout=60)
    assert (child.returncode, err.decode()) == (0, "")
    assert listing(kept.state) == {}


# Several at once

_ASKING: Final = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2].split(":")
from search.test_keep import Kept, answers
kept = Kept(Path(sys.argv[1]))
for line in sys.stdin:
    print(sorted({found[1] for found in answers(kept.current())["retry", True]}), flush=True)
"""


def test_two_processes_bring_it_up_to_date_at_once(kept: Kept) -> None:
    argv = [sys.executable, "-c", _ASKING, os.fspath(kept.root), os.fspath(Path(__file__).parents[1])]
    with Popen(argv, stdin=PIPE, stdout=PIPE) as one, Popen(argv, stdin=PIPE, stdout=PIPE) as other:
        for number in range(15):
            kept.write(f"e{number}", "Retry")
            (kept.store / f"e{number - 5}.md").unlink(missing_ok=True)
            there = sorted({"one", "two", *(f"e{before}" for before in range(max(number - 4, 0), number + 1))})
            for child in (one, other):
                assert child.stdin is not None
                child.stdin.write(b"ask\n")
                child.stdin.flush()
            for child in (one, other):
                assert child.stdout is not None
                assert child.stdout.readline().decode() == f"{there}\n"
        for child in (one, other):
            child.communicate(timeout=60)
    kept.assert_right()


def test_a_document_may_come_and_go_while_it_is_indexed(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    def removing(directory: int, name: str, view: View) -> Any:
        (kept.store / "two.md").unlink(missing_ok=True)
        return read_listed(directory, name, view)

    monkeypatch.setattr("gitmem.search.keep.read_listed", removing)
    kept.current()
    monkeypatch.undo()
    kept.assert_right()
