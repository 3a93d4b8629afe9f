"""The kept index under whatever people do to a store by hand: it answers as one that is made from scratch.

GITMEM_PROPERTY_EXAMPLES is the number of stories that are told.
"""

import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from program import entry

from gitmem.entry.format import format_entry
from gitmem.entry.model import Kind, ReviewState
from gitmem.search.analysis import Analyser
from gitmem.search.entries import EntryIndex
from gitmem.search.keep import Keeper, index_of
from gitmem.search.narrow import Filters
from gitmem.search.query import parse_query
from gitmem.search.rank import Ranking
from gitmem.search.suggest import suggestions
from gitmem.storage.directory import opened_directory
from gitmem.storage.journal import Step, digest_of
from gitmem.storage.watch import DirectoryWatch
from gitmem.store.read import read_store
from gitmem.store.view import PLAIN, View, id_digest

EXAMPLES: Final = int(os.environ.get("GITMEM_PROPERTY_EXAMPLES", "8"))
STEPS: Final = 20
STORE: Final = PurePosixPath("memory")
ANALYSER: Final = Analyser()
IDS: Final = [f"e{number}" for number in range(6)]
QUERIES: Final = (
    *("retry the policy of the café", "cafe", "日本", "src/net.py", "max_retries", "retrx"),
    *("kind:decision", "tag:net path:src", "e1"),
)
FILTERS: Final = (Filters(), Filters(kinds=(Kind.DECISION, Kind.FACT), include_inactive=True))

idents = st.sampled_from(IDS)
texts = st.lists(
    st.sampled_from(["retry", "retries", "retrying", "policy", "café", "cafe", "the", "of", "日本語", "max_retries"]),
    max_size=6,
).map(" ".join)
files = st.builds(
    lambda ident, **fields: (ident, format_entry(entry(ident, **fields))),
    idents,
    title=texts,
    notes=texts,
    kind=st.sampled_from(Kind),
    review_state=st.sampled_from(ReviewState),
    tags=st.sampled_from([(), ("net",)]),
    files_touched=st.sampled_from([(), ("src/net.py",)]),
    supersedes=st.none() | idents,
    date=st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]),
)
odd = st.sampled_from(
    [b"", b"a\0b", b"# retry\n", b"---\ntitle: [\n---\n", b"---\nschemaVersion: 9\ntitle: retry\n---\n"]
)


class IndexMachine(RuleBasedStateMachine):
    """A store in a directory, a process that keeps its index, and one that begins anew each time."""

    def __init__(self) -> None:
        super().__init__()
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.root = Path(self.scratch.name)
        self.store = self.root / STORE
        self.store.mkdir()
        self.path = self.root / "mem" / "index.sqlite"
        self.kept = Keeper(self.path)
        self.watching = Keeper(self.path)
        self.watching.watch = DirectoryWatch()
        self.view = PLAIN
        self.past: dict[str, bytes] = {}
        self.clock, self.now = time.time_ns, 0
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr("gitmem.search.keep.time.time_ns", lambda: self.clock() + self.now)

    def teardown(self) -> None:
        self.patch.undo()
        assert self.watching.watch is not None
        self.watching.watch.close()
        self.scratch.cleanup()

    def there(self) -> list[Path]:
        return sorted(path for path in self.store.iterdir() if path.is_file())

    def chosen(self, number: int) -> Path:
        there = self.there()
        return there[number % len(there)]

    def keep_past(self, path: Path) -> None:
        if path.is_file() and not path.is_symlink():
            self.past[path.name] = path.read_bytes()

    # What people do to the files.

    @rule(file=files)
    def write(self, file: tuple[str, bytes]) -> None:
        path = self.store / f"{file[0]}.md"
        self.keep_past(path)
        path.unlink(missing_ok=True)
        path.write_bytes(file[1])

    @rule(ident=idents, data=odd)
    def write_something_odd(self, ident: str, data: bytes) -> None:
        (self.store / f"{ident}.md").unlink(missing_ok=True)
        (self.store / f"{ident}.md").write_bytes(data)

    @precondition(lambda self: self.there())
    @rule(number=st.integers(0, 9))
    def edit_in_place_keeping_size_and_time(self, number: int) -> None:
        path = self.chosen(number)
        times, data = path.stat(), path.read_bytes()
        for one, other in ((b"retry", b"cafes"), (b"policy", b"retrys"), (b"the", b"off")):
            data = data.replace(one, other) if one in data else data
        with path.open("r+b") as stream:
            stream.write(data)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    @precondition(lambda self: self.there())
    @rule(number=st.integers(0, 9), ident=idents)
    def rename(self, number: int, ident: str) -> None:
        self.keep_past(self.store / f"{ident}.md")
        self.chosen(number).rename(self.store / f"{ident}.md")

    @precondition(lambda self: self.there())
    @rule(number=st.integers(0, 9), ident=idents)
    def link(self, number: int, ident: str) -> None:
        target = self.chosen(number).name
        (self.store / f"{ident}.md").unlink(missing_ok=True)
        (self.store / f"{ident}.md").symlink_to(target)

    @precondition(lambda self: self.there())
    @rule(number=st.integers(0, 9))
    def delete(self, number: int) -> None:
        path = self.chosen(number)
        self.keep_past(path)
        path.unlink()

    @precondition(lambda self: self.there())
    @rule(number=st.integers(0, 9), ident=idents)
    def supersede_by_hand(self, number: int, ident: str) -> None:
        path = self.chosen(number)
        path.write_bytes(path.read_bytes().replace(b"---\n", f"---\nsupersedes: {ident}\n".encode(), 1))

    @precondition(lambda self: self.past)
    @rule(number=st.integers(0, 9))
    def restore(self, number: int) -> None:
        name = sorted(self.past)[number % len(self.past)]
        (self.store / name).unlink(missing_ok=True)
        (self.store / name).write_bytes(self.past[name])

    @precondition(lambda self: self.there())
    @rule(number=st.integers(0, 9), moment=st.sampled_from([1, 10**9, 2 * 10**10]))
    def touch(self, number: int, moment: int) -> None:
        os.utime(self.chosen(number), (moment, moment))

    # What counts beside them, and what becomes of the index.

    @rule(file=files, removed=st.none() | idents, knows=st.booleans())
    def decide(self, file: tuple[str, bytes], removed: str | None, knows: bool) -> None:
        path = self.store / f"{file[0]}.md"
        before = digest_of(path.read_bytes()) if knows and path.is_file() else None
        steps = [Step(path.name, before, file[1]), *([] if removed is None else [Step(f"{removed}.md", None, None)])]
        self.view = View({step.name: step for step in steps}, self.view.forgotten)

    @rule()
    def carry_out(self) -> None:
        for name in self.view.pending:
            path = self.store / name
            data = self.view.content(name, path.read_bytes() if path.is_file() else None)
            path.unlink(missing_ok=True)
            if data is not None:
                path.write_bytes(data)
        self.view = View(forgotten=self.view.forgotten)

    @rule(forgotten=st.frozensets(idents, max_size=1))
    def forget(self, forgotten: frozenset[str]) -> None:
        self.view = View(self.view.pending, frozenset(map(id_digest, forgotten)))

    @rule()
    def wait(self) -> None:
        self.now += 3 * 10**9

    @rule(size=st.sampled_from([0, 5000]))
    def damage(self, size: int) -> None:
        if self.path.exists():
            data = self.path.read_bytes()
            self.path.unlink()
            self.path.write_bytes(data[:size])

    # What always holds.

    @invariant()
    def every_index_answers_as_one_from_scratch(self) -> None:
        expected = answers(index_of(read_store(self.root, STORE, self.view).entries, ANALYSER))
        with opened_directory(self.root, STORE) as directory:
            assert directory is not None
            for keeper in (self.kept, self.watching, Keeper(self.path)):
                assert answers(keeper.current(directory, self.view)) == expected


def answers(index: EntryIndex) -> Mapping[tuple[str, Filters], object]:
    """Return what a process would print for each query: tiers, ids, states, scores, near spellings."""
    return {(text, one): answer(Ranking(index, parse_query([text]), one)) for text in QUERIES for one in FILTERS}


def answer(ranking: Ranking) -> object:
    near = suggestions(ranking.index.postings, ranking.unknown_terms, ranking.admission.inactive)
    ranked = [*ranking.exact(), *ranking.all(), *ranking.partial(near)]
    return near, [(str(one.match), one.known.id, one.known.date, str(one.known.state), one.parts) for one in ranked]


@pytest.mark.usefixtures("_clean_process")
def test_the_kept_index_answers_as_one_made_from_scratch_whatever_happens_to_the_store() -> None:
    run_state_machine_as_test(
        IndexMachine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
