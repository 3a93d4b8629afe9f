"""`git mem check`: what the object database says of the evidence, from where you stand."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gitmem.entry.model import Entry, ReviewState
from gitmem.errors import ExitCode, UsageError
from gitmem.evidence.judge import judge
from gitmem.evidence.risk import base_of, judge_touched
from gitmem.evidence.target import Target, TargetKind, commit_of, index_of
from gitmem.evidence.verdict import EntryVerdict, Verdict
from gitmem.porcelain.version import as_of, with_present
from gitmem.store.read import StoreContents, Unreadable, check_id, unknown_entry
from gitmem.workspace import Workspace

CHECKED_STATES = (ReviewState.REVIEWED, ReviewState.PROPOSED)
"""What is checked unless other states are asked for: what a person may still rely on."""


class FailOn(StrEnum):
    """From which verdict on a check fails."""

    STALE = "stale"
    UNVERIFIED = "unverified"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Summary:
    """How many entries got which verdict."""

    current: int
    stale: int
    unverified: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What to judge against: the working tree, or the index (`cached`), or the commit named `at`.

    `since` keeps to entries whose evidence was touched after the merge base with the revision that it names.
    """

    at: str | None = None
    cached: bool = False
    since: str | None = None


_HERE: Final = Aim()


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdicts on a store. `head` is the commit whose history counts, None while the branch is unborn.

    `since` is the commit after which evidence was touched, where that was asked for.
    """

    target: TargetKind
    head: str | None
    since: str | None
    shallow: bool
    summary: Summary
    entries: tuple[EntryVerdict, ...]
    invalid: tuple[Unreadable, ...]

    def exit_code(self, fail_on: FailOn) -> ExitCode:
        """Return 1 when something is stale, 2 when that is asked for and something could not be measured."""
        if fail_on is FailOn.NEVER:
            return ExitCode.DONE
        if self.summary.stale:
            return ExitCode.NO
        unmeasured = self.summary.unverified or self.invalid
        return ExitCode.UNMEASURED if fail_on is FailOn.UNVERIFIED and unmeasured else ExitCode.DONE


def check(
    workspace: Workspace, idents: Sequence[str], *, states: Collection[ReviewState] | None = None, aim: Aim = _HERE
) -> Checked:
    """Judge the named entries, or all in the given states, as the aim says.

    A named entry is judged whatever its state; one whose file cannot be read is `invalid`. At a commit the entries
    count that were known then; a named one that was not is judged as it is now. Raises BadIdError, UnknownEntryError,
    RevisionError, NoMergeBaseError, and UsageError for an aim at two things.
    """
    workspace.repository.progress("entries")
    workspace.refuse_vanished()  # of what is gone nobody can say that nothing is stale
    target = aim_at(workspace, aim)
    contents = workspace.contents if aim.at is None else _known_at(workspace, target, idents)
    chosen = choose(contents, idents, states or CHECKED_STATES)
    base = None if aim.since is None else base_of(target, aim.since)
    verdicts = judge(target, chosen) if base is None else judge_touched(target, chosen, base)
    named = {_file(ident) for ident in idents}
    return Checked(
        target=target.kind,
        head=target.tip,
        since=base,
        shallow=workspace.repository.head.shallow,
        summary=summarise(verdicts),
        entries=tuple(verdicts),
        invalid=tuple(bad for bad in contents.unreadable if not idents or bad.file in named),
    )


def _known_at(workspace: Workspace, target: Target, idents: Sequence[str]) -> StoreContents:
    return with_present(as_of(workspace, target.tip or ""), workspace.contents, idents)


def aim_at(workspace: Workspace, aim: Aim) -> Target:
    """Return what the aim names. Raises RevisionError, and UsageError where it names two things."""
    if aim.cached and aim.at is not None:
        raise UsageError("--cached looks at the index, --at at a commit: choose one")
    if aim.at is not None:
        return commit_of(workspace.repository, aim.at, workspace.history_cache)
    return index_of(workspace.repository, workspace.history_cache) if aim.cached else workspace.here


def summarise(verdicts: Sequence[EntryVerdict]) -> Summary:
    """Count the verdicts."""
    counts = {verdict: sum(found.verdict is verdict for found in verdicts) for verdict in Verdict}
    return Summary(counts[Verdict.CURRENT], counts[Verdict.STALE], counts[Verdict.UNVERIFIED])


def choose(contents: StoreContents, idents: Sequence[str], states: Collection[ReviewState]) -> list[Entry]:
    """Return the named entries, in their order, or all in the given states. Raises BadIdError, UnknownEntryError."""
    if idents:
        return _named(contents, idents)
    return [entry for entry in contents.entries if entry.review_state in states]


def _named(contents: StoreContents, idents: Sequence[str]) -> list[Entry]:
    by_id = {entry.id: entry for entry in contents.entries}
    unreadable = {bad.file for bad in contents.unreadable}
    for ident in idents:
        check_id(ident)
        if ident not in by_id and _file(ident) not in unreadable:
            raise unknown_entry(ident)
    return [by_id[ident] for ident in dict.fromkeys(idents) if ident in by_id]


def _file(ident: str) -> str:
    return f"{ident}.md"
