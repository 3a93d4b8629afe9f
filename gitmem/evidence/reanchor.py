"""SourceRefs anchored anew: those whose evidence only moved, and those that a person says are still true."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gitmem.entry.model import SourceRef, SourceType
from gitmem.evidence.anchor import CitationError, Spec, anchor_spec
from gitmem.evidence.citation import citation_of, range_of
from gitmem.evidence.commits import Names, judge_commits, name_commits
from gitmem.evidence.files import file_part, judge_files
from gitmem.evidence.lines import follow, split_lines
from gitmem.evidence.paths import normalise
from gitmem.evidence.target import Found, Target, look_at
from gitmem.evidence.verdict import Finding, Reason, Verdict
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError

_REWRITTEN: Final = frozenset({Reason.REWRITTEN, Reason.SQUASHED})
_MOVED: Final = frozenset({Reason.RENAMED, Reason.CASE_RENAMED, Reason.LINES_MOVED})
_CHANGED: Final = frozenset(
    {Reason.LINES_CHANGED, Reason.WHITESPACE_CHANGED, Reason.CONTENT_CHANGED, Reason.BINARY_CHANGED}
)
_TO_BE_ANCHORED: Final = frozenset({Reason.EOL_ONLY, Reason.NO_BASELINE, Reason.BASELINE_MISSING}) | _MOVED | _CHANGED


def can_be_relinked(findings: Iterable[Finding]) -> bool:
    """Tell whether evidence only moved, in at least one of the findings."""
    return any(finding.reason in _REWRITTEN or _only_moved(finding) for finding in findings)


def _only_moved(finding: Finding) -> bool:
    """Tell whether a file's evidence is elsewhere, in one place; a rename that is not committed may never be."""
    renamed = finding.reason in (Reason.RENAMED, Reason.CASE_RENAMED)
    uncertain = "ranges" in finding.evidence or (renamed and "dirty" in finding.evidence)
    return finding.reason in _MOVED and not uncertain


def can_be_anchored(findings: Iterable[Finding]) -> bool:
    """Tell whether evidence has no anchor yet, in at least one of the findings."""
    return any(finding.reason is Reason.NO_BASELINE for finding in findings)


def can_be_confirmed(findings: Iterable[Finding]) -> bool:
    """Tell whether all that is stale among the findings can be anchored to the present code."""
    possible = _TO_BE_ANCHORED | {Reason.REWRITTEN_CHANGED}
    return all(finding.reason in possible for finding in findings if finding.verdict is Verdict.STALE)


@dataclass(frozen=True, slots=True)
class Part:
    """One half of what a sourceRef cites, a commit or a file, as a ref of its own, and what was found about it."""

    place: int
    ref: SourceRef
    finding: Finding
    is_commit: bool


@dataclass(frozen=True, slots=True)
class Reanchored:
    """A sourceRef as it should be now; `obstacle` says why it cannot be made to hold, `left` what stays unverified."""

    ref: SourceRef
    obstacle: str | None = None
    left: str | None = None


def relinked(target: Target, refs: Sequence[SourceRef]) -> list[SourceRef]:
    """Return the sourceRefs, those whose evidence only moved anchored where it is now."""
    found = list(refs)
    for part in _parts(target, refs):
        reason = part.finding.reason
        if part.is_commit and reason in _REWRITTEN:
            found[part.place] = _with_commit(found[part.place], part.finding)
        elif not part.is_commit and _only_moved(part.finding):
            moved = _anchored(target, found[part.place], part, _where_it_is)
            found[part.place] = moved if isinstance(moved, SourceRef) else found[part.place]
    return found


def confirmed(target: Target, refs: Sequence[SourceRef]) -> list[Reanchored]:
    """Return the sourceRefs anchored to the present code, whatever changed: a person looked, and it is still true."""
    found = [
        Reanchored(ref, left=None if ref.source_type in set(SourceType) else "its type is unknown") for ref in refs
    ]
    for part in _parts(target, refs):
        found[part.place] = _confirm(target, found[part.place], part)
    return found


def _confirm(target: Target, so_far: Reanchored, part: Part) -> Reanchored:
    finding = part.finding
    if part.is_commit and finding.reason in _REWRITTEN | {Reason.REWRITTEN_CHANGED}:
        return replace(so_far, ref=_with_commit(so_far.ref, finding))
    if not part.is_commit and finding.reason in _TO_BE_ANCHORED:
        anchored = _anchored(target, so_far.ref, part, _where_it_was)
        return replace(so_far, ref=anchored) if isinstance(anchored, SourceRef) else replace(so_far, obstacle=anchored)
    if finding.verdict is Verdict.STALE:
        why, _, _ = finding.message.partition(": ")
        return replace(so_far, obstacle=f"{why}: add a new entry with what holds now")
    return replace(so_far, left=finding.message) if finding.verdict is Verdict.UNVERIFIED else so_far


def _parts(target: Target, refs: Sequence[SourceRef]) -> Iterator[Part]:
    commits = [at for at, ref in enumerate(refs) if ref.source_type == SourceType.COMMIT]
    names: Names = name_commits(target, {refs[at].id for at in commits})
    found = judge_commits(target, [refs[at] for at in commits], names)
    for at, finding in zip(commits, found, strict=True):
        yield Part(at, refs[at], finding, is_commit=True)
    files = {at: part for at, ref in enumerate(refs) if (part := file_part(ref, names)) is not None}
    for at, finding in zip(files, judge_files(target, list(files.values())), strict=True):
        yield Part(at, files[at], finding, is_commit=False)


def _with_commit(ref: SourceRef, finding: Finding) -> SourceRef:
    return replace(ref, id=str(finding.evidence["to"]))


Locate = Callable[[Target, SourceRef, Finding, str, Found], "tuple[int, int] | None"]


def _anchored(target: Target, ref: SourceRef, part: Part, locate: Locate) -> SourceRef | str:
    """Return the ref with the anchor of what stands now where `locate` says, or why there is none."""
    old_path = ref.path if ref.path is not None else ref.id
    path = str(part.finding.evidence.get("to", normalise(old_path)))
    found = look_at(target, [path])[path]
    try:
        lines = None if range_of(ref) is None else locate(target, part.ref, part.finding, path, found)
        anchor = anchor_spec(target.repository, Spec(path, lines), found)
    except CitationError as error:
        return error.message
    is_file = ref.source_type == SourceType.FILE
    return replace(
        ref,
        id=path if is_file and ref.id == old_path else ref.id,
        path=path if ref.path is not None or path != old_path else None,
        line_start=anchor.line_start,
        line_end=anchor.line_end,
        commit=anchor.commit if is_file else ref.commit,
        blob=anchor.blob,
        text_hash=anchor.text_hash,
    )


def _where_it_is(
    _target: Target, ref: SourceRef, finding: Finding, _path: str, _found: Found
) -> tuple[int, int] | None:
    start, end = finding.evidence.get("lineStart"), finding.evidence.get("lineEnd")
    return (start, end) if isinstance(start, int) and isinstance(end, int) else range_of(ref)


def _where_it_was(target: Target, ref: SourceRef, finding: Finding, path: str, found: Found) -> tuple[int, int] | None:
    """Return the lines in whose place others stand now. Raises CitationError where nothing stands there."""
    lines = _where_it_is(target, ref, finding, path, found)
    if finding.reason not in _CHANGED | {Reason.BASELINE_MISSING} or lines is None:
        return lines
    old = _cited_content(target, ref)
    if old is None or lines[1] > len(split_lines(old)):
        told = f"what {path}:{lines[0]}-{lines[1]} was is not here, so nobody can tell which lines stand for it now"
        raise CitationError(f"{told}: cite them in a new entry")
    place = follow(*lines, old, found.data)
    if place is None:
        raise CitationError(f"{path}:{lines[0]}-{lines[1]} is gone: add a new entry with what holds now")
    return place


def _cited_content(target: Target, ref: SourceRef) -> bytes | None:
    path = normalise(ref.path if ref.path is not None else ref.id)
    try:
        citation = citation_of(target.repository, ref, path if isinstance(path, str) else "", range_of(ref))
        return None if citation.blob is None else target.repository.objects.blob(citation.blob)
    except (ObjectMissingError, ObjectDamagedError):
        return None
