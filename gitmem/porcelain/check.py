"""`git mem check`: what the object database says of the evidence, from where you stand."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gitmem.entry.model import Entry, ReviewState
from gitmem.errors import ExitCode
from gitmem.evidence.judge import judge
from gitmem.evidence.verdict import EntryVerdict, Verdict
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


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdicts on a store. `head` is None while the branch is unborn."""

    target: str
    head: str | None
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


def check(workspace: Workspace, idents: Sequence[str], *, states: Collection[ReviewState] | None) -> Checked:
    """Judge the named entries, or all in the given states, against the working tree.

    A named entry is judged whatever its state; one whose file cannot be read is `invalid`. Raises BadIdError,
    UnknownEntryError.
    """
    contents = workspace.contents
    chosen = _named(contents, idents) if idents else _in_states(contents.entries, states or CHECKED_STATES)
    verdicts = judge(workspace.repository, chosen)
    head = workspace.repository.head
    named = {_file(ident) for ident in idents}
    invalid = tuple(bad for bad in contents.unreadable if not idents or bad.file in named)
    return Checked("worktree", head.oid, head.shallow, summarise(verdicts), tuple(verdicts), invalid)


def summarise(verdicts: Sequence[EntryVerdict]) -> Summary:
    """Count the verdicts."""
    counts = {verdict: sum(found.verdict is verdict for found in verdicts) for verdict in Verdict}
    return Summary(counts[Verdict.CURRENT], counts[Verdict.STALE], counts[Verdict.UNVERIFIED])


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


def _in_states(entries: Sequence[Entry], states: Collection[ReviewState]) -> list[Entry]:
    return [entry for entry in entries if entry.review_state in states]
