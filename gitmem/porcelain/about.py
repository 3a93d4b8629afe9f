"""`git mem about`: what is known of files or lines, before they are edited."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.evidence.anchor import Spec, parse_place
from gitmem.evidence.judge import judge
from gitmem.evidence.paths import normalise
from gitmem.evidence.verdict import EntryVerdict, Judgement, Verdict
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Mention:
    """An entry that cites a path, and the lines that it cites as they stand now; None for the whole file."""

    id: str
    title: str
    verdict: Verdict
    path: str
    line_start: int | None
    line_end: int | None


@dataclass(frozen=True, slots=True)
class Mentions:
    """All entries that cite what was asked about, newest first; `missing` are the paths that are not here."""

    entries: tuple[Mention, ...]
    missing: tuple[str, ...]


def about(workspace: Workspace, citations: Sequence[str]) -> Mentions:
    """Return the active entries that cite one of the `PATH[:START[-END]]`, with their verdicts here.

    A directory stands for all files below it. A citation of the whole file concerns all of its lines. Lines that
    moved count where they stand now, files that were renamed under both names. A path need not exist any more.
    Raises CitationError.
    """
    place = workspace.layout.place
    specs = [parse_place(place.worktree, place.directory, citation) for citation in citations]
    entries = [
        entry for entry in workspace.contents.entries if entry.active and _may_concern(place.worktree, specs, entry)
    ]
    mentions = tuple(mention for found in judge(workspace.here, entries) for mention in _mentions(found, specs))
    paths = dict.fromkeys(spec.path for spec in specs)
    return Mentions(mentions, tuple(path for path in paths if not os.path.lexists(place.worktree / path)))


def _may_concern(worktree: Path, specs: Sequence[Spec], entry: Entry) -> bool:
    paths = {path for ref in entry.source_refs if (path := _cited(ref)) is not None}
    # What is not where it was cited may have gone to a place that is asked about.
    return any(not os.path.lexists(worktree / path) or any(_concerns(spec, path) for spec in specs) for path in paths)


def _mentions(found: EntryVerdict, specs: Sequence[Spec]) -> Iterator[Mention]:
    for judgement in found.judgements:
        cited = _cited(judgement.ref)
        if cited is None:
            continue
        path, start, end = _stands(judgement, cited)
        as_cited = (judgement.ref.line_start, judgement.ref.line_end)
        if any(
            (_concerns(spec, path) and _overlap(spec, start, end))
            or (path != cited and _concerns(spec, cited) and _overlap(spec, *as_cited))
            for spec in specs
        ):
            yield Mention(found.entry.id, found.entry.title, found.verdict, path, start, end)


def _concerns(spec: Spec, path: str | None) -> bool:
    """Whether a path is the one asked about, or lies below it; `.` is the worktree's top."""
    if path is None:
        return False
    return spec.path in (path, ".") or path.startswith(f"{spec.path}/")


def _cited(ref: SourceRef) -> str | None:
    """Return the path that a ref cites, in its plain form; None where it cites none, or none that could be read."""
    path = None if ref.path is None else normalise(ref.path)
    return path if isinstance(path, str) else None


def _stands(judgement: Judgement, cited: str) -> tuple[str, int | None, int | None]:
    """Return where it is now what a sourceRef cites: the path, and the lines if it cites any."""
    evidence, ref = judgement.finding.evidence, judgement.ref
    to = evidence.get("to" if ref.source_type == SourceType.FILE else "toPath")
    start, end = evidence.get("lineStart", ref.line_start), evidence.get("lineEnd", ref.line_end)
    path = to if isinstance(to, str) else cited
    return (path, start, end) if isinstance(start, int) and isinstance(end, int) else (path, None, None)


def _overlap(spec: Spec, start: int | None, end: int | None) -> bool:
    if spec.lines is None or start is None or end is None:
        return True
    return start <= spec.lines[1] and spec.lines[0] <= end
