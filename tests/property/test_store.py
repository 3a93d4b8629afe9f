"""A store under everything that can happen to it, in any order: nothing is lost, and the history is the store.

GITMEM_PROPERTY_EXAMPLES is the number of stories that are told; a few hundred take some minutes.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from crash.faults import DeadError, Faults, Mode, watched
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from layouts import with_commit
from world import World

from gitmem.entry.format import format_entry
from gitmem.entry.model import Entry, ReviewState
from gitmem.errors import GitMemError
from gitmem.git.objects import ObjectFormat, blob_id
from gitmem.porcelain.add import Proposal, add
from gitmem.porcelain.confirm import confirm
from gitmem.porcelain.edit import edit
from gitmem.porcelain.forget import forget
from gitmem.porcelain.init import init
from gitmem.porcelain.supersede import supersede
from gitmem.storage.journal import Journal
from gitmem.workspace import Workspace, open_workspace

EXAMPLES: Final = int(os.environ.get("GITMEM_PROPERTY_EXAMPLES", "8"))
STEPS: Final = 20
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
STORE: Final = ".klide/memory"
REF: Final = "refs/mem/store"
MARK: Final = re.compile(rb"mark-\d+-end")

Files = dict[str, bytes]
Act = Callable[[Workspace], object]

numbers = st.integers(min_value=0, max_value=1000)
titles = st.sampled_from(["One", "Two"])
places = st.sampled_from(["main", "linked"])
turns = st.integers(min_value=1, max_value=45)


class StoreMachine(RuleBasedStateMachine):
    """Two worktrees of one repository; `marks` says of each text that was written in which entry it stands."""

    def __init__(self) -> None:
        super().__init__()
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        world = World(Path(self.scratch.name))
        self.repo = with_commit(world.repo("main", "--template="))
        init(self.repo.path, world.env, track=False)
        self.typed = world.root / "typed"
        env = {**world.env, "GIT_EDITOR": f'cat "{self.typed}" >>'}
        standing = {"main": self.repo, "linked": self.repo.worktree("linked")}
        self.workspaces = {name: open_workspace(place.path, env) for name, place in standing.items()}
        self.marks: dict[bytes, str] = {}
        self.recorded: set[bytes] = set()
        self.forgotten: set[bytes] = set()
        self.written = 0

    def teardown(self) -> None:
        try:
            self.nothing_is_lost()
        finally:
            self.scratch.cleanup()

    # What there is.

    def files(self) -> Files:
        return {path.name: path.read_bytes() for path in (self.repo.path / STORE).iterdir() if path.name[0] != "."}

    def entries(self) -> list[Entry]:
        workspace = self.workspaces["main"]
        workspace.reread()
        assert workspace.contents.unreadable == ()
        return sorted(workspace.contents.entries, key=lambda entry: entry.id)

    def chosen(self, number: int) -> Entry:
        entries = self.entries()
        return entries[number % len(entries)]

    def path_of(self, ident: str) -> Path:
        return self.repo.path / STORE / f"{ident}.md"

    def new_mark(self) -> bytes:
        self.written += 1
        return b"mark-%d-end" % self.written

    # Doing something, whole or stopped in the middle.

    def do(self, where: str, act: Act, done: Callable[[Files, Files], None], turn: int | None) -> None:
        """Do something in a worktree; `done` asserts that it happened. With a turn, the process dies at that call."""
        workspace, before = self.workspaces[where], self.files()
        workspace.reread()
        self.entries()  # so that nothing is carried on for others
        refused = None
        with dying(turn) as died:
            try:
                act(workspace)
            except GitMemError as error:
                refused = error
        if refused is None and not died:
            done(before, self.files())
            if self.files() != before:
                self.history_is_the_store()
            return
        if refused is not None and not died:
            assert self.files() == before, refused
            return
        self.entries()  # the next one who looks brings it to its end
        assert Journal(self.repo.path / ".git/mem").pending() is None
        if self.files() != before:
            done(before, self.files())

    def history_is_the_store(self) -> None:
        listed = [line.split("\t") for line in self.repo.git("ls-tree", REF).out.splitlines()]
        recorded = {name: what for what, name in listed if name.endswith(".md")}
        files = self.files()
        assert recorded == {name: f"100644 blob {blob_id(data, ObjectFormat.SHA1)}" for name, data in files.items()}
        self.recorded |= marks_in(files)

    # What the tool does.

    def add_one(self, where: str, proposal: Proposal, turn: int | None) -> None:
        mark = self.new_mark()
        proposal = replace(proposal, notes=mark.decode())

        def done(before: Files, after: Files) -> None:
            (name,) = after.keys() - before.keys()
            assert mark in after[name]
            old = f"{proposal.supersedes}.md"
            assert {other: after[other] for other in before if other != old} == without(before, old)
            if proposal.supersedes is not None:
                assert after[old] == demoted(before[old])
            self.marks[mark] = name.removesuffix(".md")

        self.do(where, lambda workspace: add(workspace, proposal, now=NOW, at_terminal=False), done, turn)

    @initialize()
    def begin(self) -> None:
        for title in ("One", "Two", "Two"):
            self.add_one("main", Proposal(title=title), None)

    @rule(where=places, title=titles, turn=st.none() | turns)
    def add(self, where: str, title: str, turn: int | None) -> None:
        self.add_one(where, Proposal(title=title), turn)

    @precondition(lambda self: self.files())
    @rule(where=places, title=titles, number=numbers, turn=st.none() | turns)
    def add_instead_of_another(self, where: str, title: str, number: int, turn: int | None) -> None:
        self.add_one(where, Proposal(title=title, supersedes=self.chosen(number).id), turn)

    @precondition(lambda self: self.files())
    @rule(where=places, number=numbers, by=numbers, turn=st.none() | turns)
    def supersede(self, where: str, number: int, by: int, turn: int | None) -> None:
        old, new = self.chosen(number).id, self.chosen(by).id

        def done(before: Files, after: Files) -> None:
            assert after[f"{old}.md"] == demoted(before[f"{old}.md"])
            assert b"supersedes: " + old.encode() in after[f"{new}.md"]
            assert without(after, f"{old}.md", f"{new}.md") == without(before, f"{old}.md", f"{new}.md")

        def act(workspace: Workspace) -> object:
            return supersede(workspace, old, by=new, decision_key=None, at_terminal=False)

        self.do(where, act, done, turn)

    @precondition(lambda self: self.files())
    @rule(where=places, numbers=st.lists(numbers, min_size=1, max_size=3), turn=st.none() | turns)
    def confirm(self, where: str, numbers: list[int], turn: int | None) -> None:
        idents = list({self.chosen(number).id for number in numbers})

        def done(before: Files, after: Files) -> None:
            names = {f"{ident}.md" for ident in idents}
            assert after == {name: reviewed(data) if name in names else data for name, data in before.items()}

        self.do(where, lambda workspace: confirm(workspace, idents, at_terminal=False), done, turn)

    @precondition(lambda self: self.files())
    @rule(where=places, number=numbers, turn=st.none() | turns)
    def edit(self, where: str, number: int, turn: int | None) -> None:
        ident, mark = self.chosen(number).id, self.new_mark()
        self.typed.write_bytes(b"\n" + mark + b"\n")

        def done(before: Files, after: Files) -> None:
            assert mark in after[f"{ident}.md"]
            assert without(after, f"{ident}.md") == without(before, f"{ident}.md")
            self.marks[mark] = ident

        self.do(where, lambda one: edit(one, ident, at_terminal=False, tell_kept=lambda _: None), done, turn)

    @precondition(lambda self: self.files())
    @rule(where=places, number=numbers, turn=st.none() | turns)
    def forget(self, where: str, number: int, turn: int | None) -> None:
        ident = self.chosen(number).id

        def done(before: Files, after: Files) -> None:
            pointing = {name for name, data in before.items() if b"supersedes: " + ident.encode() + b"\n" in data}
            assert f"{ident}.md" not in after
            assert without(after, *pointing) == without(before, f"{ident}.md", *pointing)
            gone = {mark for mark, holder in self.marks.items() if holder == ident}
            self.forgotten |= gone
            for mark in gone:
                del self.marks[mark]

        self.do(where, lambda workspace: forget(workspace, [ident]), done, turn)

    # What people do with their own hands; none of it is ever reverted, which every `done` sees.

    @precondition(lambda self: self.files())
    @rule(number=numbers)
    def write_by_hand(self, number: int) -> None:
        ident, mark = self.chosen(number).id, self.new_mark()
        path = self.path_of(ident)
        path.write_bytes(path.read_bytes() + b"\n" + mark + b"\n")
        self.marks[mark] = ident

    @rule()
    def add_by_hand(self) -> None:
        mark = self.new_mark()
        ident = f"by-hand-{self.written}"
        entry = Entry(id=ident, title=ident, date="2026-01-01T00:00:00Z", notes=mark.decode())
        self.path_of(ident).write_bytes(format_entry(entry))
        self.marks[mark] = ident

    @precondition(lambda self: self.files())
    @rule(number=numbers)
    def remove_by_hand(self, number: int) -> None:
        path = self.path_of(self.chosen(number).id)
        for mark in marks_in({path.name: path.read_bytes()}) - self.recorded:
            self.marks.pop(mark, None)  # nobody ever saw it
        path.unlink()

    @precondition(lambda self: self.files())
    @rule(number=numbers, state=st.sampled_from([b"reviewed", b"stale"]))
    def set_state_by_hand(self, number: int, state: bytes) -> None:
        path = self.path_of(self.chosen(number).id)
        path.write_bytes(re.sub(rb"^reviewState: .*$", b"reviewState: " + state, path.read_bytes(), flags=re.MULTILINE))

    # What always holds.

    @invariant()
    def every_place_has_one_holder(self) -> None:
        entries = {entry.id: entry for entry in self.entries()}
        taken = [entry.supersedes for entry in entries.values() if entry.supersedes in entries]
        assert len(taken) == len(set(taken))
        for ident in taken:
            assert ident is not None
            assert entries[ident].review_state is not ReviewState.REVIEWED

    @invariant()
    def nothing_goes_round_in_a_circle(self) -> None:
        pointers = {entry.id: entry.supersedes for entry in self.entries()}
        for ident in pointers:
            walked: set[str] = set()
            at: str | None = ident
            while at is not None and at in pointers:
                assert at not in walked
                walked.add(at)
                at = pointers[at]

    def nothing_is_lost(self) -> None:
        there = marks_in(self.files())
        known = MARK.findall(self.repo.git("log", "-p", "--format=", REF).stdout)
        assert self.marks.keys() <= {*there, *known}
        objects = self.repo.git("cat-file", "--batch", "--batch-all-objects").stdout
        kept = [path.read_bytes() for path in self.repo.path.rglob("*") if path.is_file()]
        assert not self.forgotten & {*MARK.findall(objects), *MARK.findall(b"\n".join(kept))}
        self.repo.git("fsck", "--strict", "--no-dangling")


@contextmanager
def dying(turn: int | None) -> Iterator[list[DeadError]]:
    """Let everything end at a call that changes the disk, as if the process were killed; yield what ended so."""
    died: list[DeadError] = []
    if turn is None:
        yield died
        return
    try:
        with watched(Faults(turn, Mode.DEATH)):
            yield died
    except DeadError as error:
        died.append(error)


def marks_in(files: Mapping[str, bytes]) -> set[bytes]:
    return {mark for data in files.values() for mark in MARK.findall(data)}


def without(files: Files, *names: str) -> Files:
    return {name: data for name, data in files.items() if name not in names}


def demoted(data: bytes) -> bytes:
    return re.sub(rb"^reviewState: .*$", b"reviewState: superseded", data, count=1, flags=re.MULTILINE)


def reviewed(data: bytes) -> bytes:
    return re.sub(rb"^reviewState: .*$", b"reviewState: reviewed", data, count=1, flags=re.MULTILINE)


@pytest.mark.usefixtures("_clean_process")
def test_a_store_keeps_its_promises_whatever_happens_to_it() -> None:
    run_state_machine_as_test(
        StoreMachine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
