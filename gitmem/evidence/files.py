"""The verdict on a file sourceRef: by content, never by time stamps (CONTRACT section 5, second table)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gitmem.entry.model import SourceRef, SourceType
from gitmem.evidence.citation import Citation, Comparisons, citation_of, objects_missing, range_of, told
from gitmem.evidence.commits import Names
from gitmem.evidence.lines import Comparison
from gitmem.evidence.paths import normalise
from gitmem.evidence.target import Found, Target, TargetKind, look
from gitmem.evidence.trace import Case, trace
from gitmem.evidence.verdict import Finding, Reason, Verdict, verdict_of
from gitmem.git.checkout import FileKind
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError
from gitmem.text import visible_line

_NOT_A_FILE: Final = {
    FileKind.VIA_SYMLINK: Finding(Reason.VIA_SYMLINK, "the path leads through a symbolic link: cite the real path"),
    FileKind.TOO_BIG: Finding(Reason.TOO_BIG, "the file is over 5 MiB, too big to be compared"),
    FileKind.IN_REPOSITORY: Finding(Reason.IN_SUBMODULE, "the path lies in another repository: check it there"),
    FileKind.UNREADABLE: Finding(Reason.ODB_ERROR, "the file on disk cannot be read: look at its permissions"),
}


def file_part(ref: SourceRef, names: Names) -> SourceRef | None:
    """Return the file side of a sourceRef, None if it has none; of a commit with a path it is the file since then."""
    if ref.source_type == SourceType.FILE:
        return ref
    if ref.source_type != SourceType.COMMIT or ref.path is None:
        return None
    commit = names[ref.id]
    return replace(ref, commit=commit if isinstance(commit, str) else None)


def judge_files(target: Target, refs: Sequence[SourceRef]) -> list[Finding]:
    """Return the finding for each file sourceRef, in their order.

    Contents are compared first, a batch of files at a time; history is asked once for all that broke or went.
    """
    comparisons = Comparisons(target.repository)
    paths = [normalise(ref.path if ref.path is not None else ref.id) for ref in refs]
    found: list[Finding | Case] = [path if isinstance(path, Finding) else _UNKNOWN for path in paths]
    refs_at: dict[str, list[int]] = {}
    for at, path in enumerate(paths):
        if isinstance(path, str):
            refs_at.setdefault(path, []).append(at)
    for batch in look(target, refs_at):
        for path, state in batch.items():
            for at in refs_at[path]:
                found[at] = _judge(target, comparisons, refs[at], path, state)
    cases = [case for case in found if isinstance(case, Case)]
    traced = iter(trace(target, comparisons, cases))
    return [next(traced) if isinstance(case, Case) else case for case in found]


_UNKNOWN: Final = Finding(Reason.NO_SUCH_PATH, "the path was not looked at")


def _judge(target: Target, comparisons: Comparisons, ref: SourceRef, path: str, found: Found) -> Finding | Case:
    lines = range_of(ref)
    if lines is not None and not 1 <= lines[0] <= lines[1]:
        return Finding(Reason.RANGE_INVALID, f"lines {lines[0]}-{lines[1]} are no range: correct the sourceRef")
    try:
        citation = citation_of(target.repository, ref, path, lines)
        if found.skipped and target.kind is TargetKind.WORKTREE:
            return _judge_hidden(target, comparisons, citation, found)
        return _judge_citation(target, comparisons, citation, found)
    except ObjectMissingError:
        return Finding(Reason.BASELINE_MISSING, objects_missing(target.repository))
    except ObjectDamagedError as error:
        return Finding(Reason.ODB_ERROR, f"object {error.oid} cannot be read: run `git fsck`")


def _judge_citation(target: Target, comparisons: Comparisons, citation: Citation, found: Found) -> Finding | Case:
    if found.submodule and not citation.anchored:
        return Finding(Reason.SUBMODULE, "the path is a submodule: cite its commit in the submodule itself")
    if found.kind in _NOT_A_FILE:
        return _NOT_A_FILE[found.kind]
    if found.kind is FileKind.MISSING and not found.submodule:
        if found.uncertain:
            raise ObjectMissingError(target.tip or "")
        return Case(citation, found, None)
    if not citation.anchored:
        return _unanchored(target, citation)
    if found.kind is FileKind.LOST:
        return _judge_lost(comparisons, citation, found)
    if found.kind is not FileKind.REGULAR:
        dirty = {"dirty": True} if found.committed is not None else {}
        return Finding(Reason.TYPE_CHANGED, "this is no regular file any more", dirty)
    return _judge_content(target, comparisons, citation, found)


def _judge_content(target: Target, comparisons: Comparisons, citation: Citation, found: Found) -> Finding | Case:
    if found.unfiltered is not None and found.tracked and not target.repository.is_clean(citation.path):
        told_how = (
            f"only its clean filter '{found.unfiltered}' could tell whether it changed here: `git add` it, then check"
        )
        return Finding(Reason.BASELINE_MISSING, told_how)
    comparison = comparisons.with_content(citation, found.data, found.blob)
    if verdict_of(comparison.reason) is Verdict.STALE:
        return Case(citation, replace(found, data=b""), comparison)
    if verdict_of(comparison.reason) is Verdict.CURRENT and not found.tracked:
        return _untracked(target, citation, found)
    return _current(citation, found, comparison)


def _judge_lost(comparisons: Comparisons, citation: Citation, found: Found) -> Finding:
    """Judge a file whose blob the target names, but whose content is not here."""
    comparison = comparisons.with_blob(citation, found.blob)
    if found.blob == citation.blob:
        comparison = Comparison(Reason.UNCHANGED)
    return Finding(comparison.reason, told(citation, comparison), comparison.evidence)


def _judge_hidden(target: Target, comparisons: Comparisons, citation: Citation, found: Found) -> Finding | Case:
    """Judge what git does not look at on disk (sparse checkout, skip-worktree) by the blob at HEAD."""
    if found.committed is None:
        return _judge_citation(target, comparisons, citation, found)
    if not citation.anchored:
        return _unanchored(target, citation)
    comparison = comparisons.with_blob(citation, found.committed)
    hidden = Found(FileKind.REGULAR, blob=found.committed, committed=found.committed, tracked=True, skipped=True)
    if verdict_of(comparison.reason) is Verdict.STALE:
        return Case(citation, hidden, comparison)
    return _current(citation, hidden, comparison)


def _unanchored(target: Target, citation: Citation) -> Finding:
    if citation.commit is not None:
        # Raises where the commit, or its trees, are missing: then there is a baseline, but not here.
        target.repository.objects.find(citation.commit, citation.path)
    return Finding(Reason.NO_BASELINE, "no anchor is recorded: `git mem confirm` records what stands there now")


def _current(citation: Citation, found: Found, comparison: Comparison) -> Finding:
    message = told(citation, comparison)
    if found.unfiltered is not None:
        message += f", as committed: the clean filter '{found.unfiltered}' is not run"
    if found.skipped:
        return Finding(
            comparison.reason,
            f"{message}, as HEAD says (not checked out here)",
            {**comparison.evidence, "sparse": True},
        )
    dirty = {"dirty": True} if found.dirty else {}
    return Finding(comparison.reason, message, {**comparison.evidence, **dirty})


def _untracked(target: Target, citation: Citation, found: Found) -> Finding:
    tracked = target.same_file_tracked(citation.path)
    if tracked is not None:
        return Finding(
            Reason.CASE_RENAMED, f"renamed to {visible_line(tracked)}: only the case differs", {"to": tracked}
        )
    if found.ignored:
        return Finding(Reason.IGNORED, "as recorded, but git ignores the file: others do not have it")
    return Finding(Reason.UNTRACKED, "as recorded, but the file is untracked: `git add` and commit it")
