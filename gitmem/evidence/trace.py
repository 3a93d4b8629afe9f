"""What became of evidence that does not stand as it was cited: which commit changed it, where it went.

History is asked for all such citations together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from gitmem.evidence.citation import Citation, Comparisons, blob_at, objects_missing, told
from gitmem.evidence.culprit import Question, find_culprits
from gitmem.evidence.elsewhere import stands_elsewhere
from gitmem.evidence.follow import Hop, Lost, Moved, Trail, follow_all, is_file
from gitmem.evidence.lines import Comparison
from gitmem.evidence.target import Found, Target, TargetKind
from gitmem.evidence.verdict import Finding, Reason
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError
from gitmem.git.run import GitFailedError
from gitmem.text import visible_line

_COLD: Final = "it may be elsewhere now, but history is cut short here: `git fetch --unshallow`, in CI fetch-depth: 0"


@dataclass(frozen=True, slots=True)
class Case:
    """A citation that does not stand as it was made: what is at its path, and how that compares, None for no file."""

    citation: Citation
    found: Found
    comparison: Comparison | None


def trace(target: Target, comparisons: Comparisons, cases: Sequence[Case]) -> list[Finding]:
    """Return the finding for each case, in their order."""
    if not cases:
        return []
    target.repository.progress("history of files")
    breaks = _breaks(target, comparisons, cases)
    trail = follow_all(target, comparisons, {at: _lost(case, breaks.get(at)) for at, case in enumerate(cases)})
    moved = dict(trail.moved) | _broken_on_the_way(target, comparisons, cases, trail)
    commits = breaks | dict(trail.deleted) | _broken_elsewhere(target, comparisons, cases, trail)
    return [
        _objects_missing(target)
        if at in trail.unknown and at not in moved and target.repository.partial
        else _removed_here(target, trail.removed[at])
        if at in trail.removed
        else _finding(target, case, moved.get(at), commits.get(at))
        for at, case in enumerate(cases)
    ]


def _finding(target: Target, case: Case, moved: Moved | None, broke: str | None) -> Finding:
    if case.comparison is None:
        return _gone(target, case, moved, broke)
    if moved is not None and moved.intact:
        return _renamed(case.citation, moved)
    return _changed(case, case.comparison, broke)


def _lost(case: Case, broke: str | None) -> Lost:
    gone = case.comparison is None
    return Lost(case.citation, broke, gone=gone, staged=gone and case.found.committed is not None)


def _breaks(target: Target, comparisons: Comparisons, cases: Sequence[Case]) -> dict[int, str]:
    """Return the commit that broke each case, where one did: what is only on disk or staged, none did."""
    asked = {at: _question(comparisons, case) for at, case in enumerate(cases)}
    questions = {at: question for at, question in asked.items() if question is not None}
    if target.history is None or not questions:
        return {}
    answers = target.history.culprits(list(questions.values()))
    return {at: found for at, found in zip(questions, answers, strict=True) if found is not None}


def _question(comparisons: Comparisons, case: Case) -> Question | None:
    citation, at_tip = case.citation, case.found.committed
    if case.comparison is None:
        return None if at_tip is not None else Question(citation.path, None, citation.commit, is_file)
    if at_tip is None:
        return None
    try:
        if comparisons.holds(citation, at_tip):
            return None
    except (ObjectMissingError, ObjectDamagedError):
        return None
    about = (citation.blob, citation.text_hash, citation.lines)
    return Question(citation.path, at_tip, citation.commit, lambda blob: comparisons.holds(citation, blob), about)


def _broken_on_the_way(
    target: Target, comparisons: Comparisons, cases: Sequence[Case], trail: Trail
) -> dict[int, Moved]:
    """Find the commits that changed what was cited: after its file had been renamed, by renaming it, or before that."""
    there = {at: one for at, one in trail.moved.items() if not one.intact}
    later = [
        Case(replace(cases[at].citation, path=one.path, commit=one.by), one.found, one.comparison)
        for at, one in there.items()
    ]
    breaks = _breaks(target, comparisons, later)
    found = {at: breaks[place] for place, at in enumerate(there) if place in breaks}
    for at in there.keys() - found.keys():
        by = _broken_before(target, comparisons, cases[at].citation, trail.hops.get(at, ()))
        if by is not None:
            found[at] = by
    return {at: replace(there[at], by=by) for at, by in found.items()}


def _broken_elsewhere(target: Target, comparisons: Comparisons, cases: Sequence[Case], trail: Trail) -> dict[int, str]:
    """Find the commits that changed what was cited while its file, which is back, had another name."""
    back = {at: hops for at, hops in trail.hops.items() if cases[at].comparison is not None and at not in trail.moved}
    found = {at: _broken_before(target, comparisons, cases[at].citation, hops) for at, hops in back.items()}
    return {at: commit for at, commit in found.items() if commit is not None}


def _broken_before(target: Target, comparisons: Comparisons, citation: Citation, hops: Sequence[Hop]) -> str | None:
    """Return the commit that changed what was cited at one of the paths that its file had, the newest first."""
    about = (citation.blob, citation.text_hash, citation.lines)
    for number in reversed(range(len(hops))):
        hop, since = hops[number], hops[number - 1].commit if number else citation.commit
        here = replace(citation, path=hop.path)
        before = blob_at(target.repository, hop.parent, hop.path)
        try:
            if comparisons.holds(here, before):
                return hop.commit
        except (ObjectMissingError, ObjectDamagedError):
            return None
        question = Question(hop.path, before, since, partial(comparisons.holds, here), about)
        (found,) = find_culprits(target.repository, hop.parent, [question])
        if found is not None:
            return found
    return None


# What is said


def _changed(case: Case, comparison: Comparison, broke: str | None) -> Finding:
    found = case.found
    dirty = {"dirty": True} if found.dirty and not found.skipped else {}
    sparse = {"sparse": True} if found.skipped else {}
    where = _in(broke) or (" here, not yet committed" if dirty else "")
    where += _kept(case.citation, comparison)
    hidden = ", as HEAD says (not checked out here)" if sparse else ""
    evidence = {**comparison.evidence, **_by(broke), **dirty, **sparse}
    return Finding(
        comparison.reason,
        f"{told(case.citation, comparison)}{where}{hidden}",
        evidence,
    )


def _kept(citation: Citation, comparison: Comparison) -> str:
    kept = comparison.evidence.get("kept")
    if not kept or citation.lines is None:
        return ""
    start, end = citation.lines
    return ", others put in between" if kept == end - start + 1 else f", {kept} of them still there"


def _gone(target: Target, case: Case, moved: Moved | None, broke: str | None) -> Finding:
    if _in_submodule(target, case.citation.path):
        return Finding(Reason.IN_SUBMODULE, "the path lies in another repository: check it there")
    if moved is not None:
        return _renamed(case.citation, moved)
    if case.found.committed is not None or case.found.tracked:
        return _removed_here(target)
    if broke is None and target.repository.partial and not _has_history(target, case.citation.path):
        return _objects_missing(target)
    if broke is None and not _was_here(target, case.citation):
        return Finding(Reason.NO_SUCH_PATH, _never(target, case.citation))
    if broke is None and stands_elsewhere(target, case.citation):
        return Finding(
            Reason.BASELINE_MISSING, "gone from here, and what is here of its history does not tell where to"
        )
    return Finding(Reason.DELETED, f"the file was deleted{_in(broke)}", _by(broke))


def _objects_missing(target: Target) -> Finding:
    return Finding(Reason.BASELINE_MISSING, objects_missing(target.repository))


def _has_history(target: Target, path: str) -> bool:
    """Whether the history of a path can be read: a partial clone may lack the trees."""
    try:
        return target.tip is None or target.repository.path_history({path}, target.tip, []) is not None
    except GitFailedError:
        return False


def _never(target: Target, citation: Citation) -> str:
    """Say that a path never was in this history, and where it was cited if it was cited in another one."""
    if citation.commit is not None and blob_at(target.repository, citation.commit, citation.path) is not None:
        return f"the file is not in this history: it was cited at {citation.commit[:7]}, on another branch"
    cut = ", nor in what is here of its history" if target.repository.head.shallow else " and never was"
    return f"there is no such file in this repository{cut}: correct the sourceRef"


def _removed_here(target: Target, to: str | None = None) -> Finding:
    """Say that a file is gone from the disk or the index only, and the path that it has been renamed to before."""
    what = "the file" if to is None else f"the file was renamed to {visible_line(to)}, which"
    renamed = {} if to is None else {"to": to}
    if target.kind is TargetKind.WORKTREE:
        return Finding(Reason.DELETED_IN_WORKTREE, f"{what} was deleted here, not yet committed", renamed)
    return Finding(Reason.DELETED, f"{what} is deleted in the index, not yet committed", {"dirty": True, **renamed})


def _renamed(citation: Citation, moved: Moved) -> Finding:
    comparison = moved.comparison
    dirty = {"dirty": True} if moved.found.dirty else {}
    where = _in(moved.by) or (" here, not yet committed" if dirty else "")
    evidence = {**comparison.evidence, "to": moved.path, **_by(moved.by), **dirty}
    path = visible_line(moved.path)
    if not moved.intact:
        changed = f"{told(citation, comparison)}{where}{_kept(citation, comparison)}"
        return Finding(comparison.reason, f"renamed to {path}, and {changed}", evidence)
    only_case = citation.path.casefold() == moved.path.casefold()
    reason = Reason.CASE_RENAMED if only_case else Reason.RENAMED
    suffix = f", {told(citation, comparison)}" if comparison.reason is not Reason.UNCHANGED else ""
    return Finding(reason, f"renamed to {path}{where}{suffix}", evidence)


def _in_submodule(target: Target, path: str) -> bool:
    """Whether a path lies in a submodule of the tip; one that is not checked out has no `.git` to be seen on disk."""
    entries = target.committed(list(_parents(path))).values()
    return any(entry is not None and entry.is_submodule for entry in entries)


def _parents(path: str) -> Iterator[str]:
    parts = path.split("/")
    for count in range(1, len(parts)):
        yield "/".join(parts[:count])


def _was_here(target: Target, citation: Citation) -> bool:
    """Whether the file of a citation was ever in the history of the target, or there before it was committed."""
    repository = target.repository
    if citation.blob is not None and repository.objects.kind(citation.blob) is None:
        return True  # cited before it was ever committed, so no history knows it
    try:
        if target.tip is not None and repository.path_history({citation.path}, target.tip, []).steps:
            return True
    except GitFailedError:  # trees are missing or damaged
        return citation.anchored
    return repository.head.shallow and citation.anchored  # where history is not all here, the anchor's word counts


def _in(commit: str | None) -> str:
    return f" in {commit[:7]}" if commit else ""


def _by(commit: str | None) -> dict[str, object]:
    return {"by": commit} if commit else {}
