"""`git mem add`: writes a reviewed entry whose evidence is anchored at once."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gitmem.entry.dates import normalise_date
from gitmem.entry.format import format_entry
from gitmem.entry.model import Entry, Kind, ReviewState, SourceRef, SourceType
from gitmem.errors import GitMemError, UsageError
from gitmem.evidence.anchor import anchor_commits, anchor_files
from gitmem.porcelain.init import create_store
from gitmem.porcelain.succession import demoted
from gitmem.settings import ReviewBoundary
from gitmem.store.transaction import Creation, Deed
from gitmem.text import plain
from gitmem.workspace import Workspace


class ReviewBoundaryError(GitMemError):
    """Only a person at a terminal may turn a text into memory here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a person says an entry should hold. Paths in `files` are relative to the current directory."""

    title: str
    kind: Kind = Kind.FACT
    goal: str = ""
    plan: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    notes: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    run: str | None = None
    transcript: str | None = None
    decision_key: str | None = None
    supersedes: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """The id of the new entry."""

    id: str


def add(workspace: Workspace, proposal: Proposal, *, now: datetime, at_terminal: bool) -> Added:
    """Write a new entry, reviewed, and return its id. The store is created as `init` would if it is missing.

    An entry that it supersedes is demoted in the same transaction. `now` stamps an entry whose proposal has no date.
    Raises UsageError for a title or a date that is none, the errors of its evidence, and SuccessionRefusedError; then
    nothing was written.
    """
    require_person(workspace, "add an entry", at_terminal=at_terminal)
    entry = compose(workspace, proposal, now=now)
    data = format_entry(entry)
    if entry.supersedes is not None:
        demoted(workspace, entry.supersedes, entry.decision_key)  # refuses before it waits for anybody
    exists = workspace.store_exists
    with workspace.writing():
        if not exists:
            create_store(workspace, track=False)
        old = [] if entry.supersedes is None else [demoted(workspace, entry.supersedes, entry.decision_key)]
        (ident,) = workspace.transact(Deed(verb="add", creations=[Creation(entry, data)], replacements=old))
        return Added(ident)


def require_person(workspace: Workspace, deed: str, *, at_terminal: bool) -> None:
    """Raise ReviewBoundaryError where the settings leave a deed to people at a terminal, and this is none."""
    if workspace.settings.review_boundary is ReviewBoundary.TERMINAL and not at_terminal:
        raise ReviewBoundaryError(
            f"mem.reviewBoundary is 'terminal', so only a person at a terminal may {deed}: run this there"
        )


def compose(workspace: Workspace, proposal: Proposal, *, now: datetime) -> Entry:
    """Return the entry that a proposal describes, its evidence resolved and anchored; it has no id yet."""
    title = plain(proposal.title)
    if not title:
        raise UsageError("an entry needs a title of at least one visible character")
    refs = _source_refs(workspace, workspace.layout.place.directory, proposal)
    return Entry(
        id="",
        title=title,
        date=_date(proposal.date, now),
        kind=proposal.kind,
        review_state=ReviewState.REVIEWED,
        tags=_distinct(proposal.tags),
        aliases=_distinct(proposal.aliases),
        source_refs=tuple(refs),
        supersedes=proposal.supersedes,
        decision_key=_optional(proposal.decision_key),
        run_id=_optional(proposal.run),
        goal=plain(proposal.goal),
        plan=_lines(proposal.plan),
        decisions=_lines(proposal.decisions),
        files_touched=tuple(dict.fromkeys(ref.path for ref in refs if ref.path is not None)),
        next_steps=_lines(proposal.next_steps),
        notes=proposal.notes,
    )


def _source_refs(workspace: Workspace, directory: Path, proposal: Proposal) -> list[SourceRef]:
    refs: list[SourceRef] = []
    if proposal.files:
        refs += anchor_files(workspace.repository, directory, proposal.files)
    refs += anchor_commits(workspace.repository, proposal.commits)
    outside = {SourceType.RUN: proposal.run, SourceType.TRANSCRIPT: proposal.transcript}
    for source_type, ident in outside.items():
        if ident is not None and plain(ident):
            refs.append(SourceRef(source_type=source_type, id=plain(ident)))
    return refs


def _date(text: str | None, now: datetime) -> str:
    if text is None:
        return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    date = normalise_date(text)
    if date is None:
        raise UsageError(f"'{plain(text)}' is no date: write it like 2026-08-31T14:00:00Z")
    return date


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_lines(values)))


def _lines(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(line for line in map(plain, values) if line)


def _optional(value: str | None) -> str | None:
    return plain(value or "") or None
