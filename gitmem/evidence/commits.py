"""The verdict on a commit sourceRef: from the objects alone, against HEAD of the worktree that asks.

All refs of a check are asked together: one look per id in the object database, one walk for what is not
reachable from HEAD, one for what no ref contains (CONTRACT section 5, first table).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gitmem.entry.model import SourceRef
from gitmem.evidence.verdict import Finding, Reason
from gitmem.git.alternates import object_directories
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError
from gitmem.git.repository import Repository
from gitmem.git.run import GitFailedError

_HEX: Final = re.compile(r"[0-9a-f]{4,64}")
_CANDIDATES: Final = 5  # ids named at most when an abbreviation fits several


def judge_commits(repository: Repository, refs: Sequence[SourceRef]) -> list[Finding]:
    """Return the finding for each commit sourceRef, in their order."""
    named = [name_commit(repository, ref.id) for ref in refs]
    commits = {name for name in named if isinstance(name, str)}
    placed = _place(repository, commits) if commits else {}
    return [
        name if isinstance(name, Finding) else _with_peeled(placed[name], ref.id, name)
        for ref, name in zip(refs, named, strict=True)
    ]


def name_commit(repository: Repository, ident: str) -> str | Finding:
    """Return the full id of the commit that a sourceRef's id names, or the finding that it names none.

    The id is an object name only, abbreviated and in any case of letters: a branch that is called `1a2b3c4`
    does not count.
    """
    digits = repository.object_format.digits
    lower = ident.lower()
    if not _HEX.fullmatch(lower) or len(lower) > digits:
        return Finding(Reason.SHA_MALFORMED, f"this is no object id: use 4 to {digits} hex digits")
    if not lower.strip("0"):
        return Finding(Reason.SHA_NULL, "the null id names no commit: correct the sourceRef")
    full = lower if len(lower) == digits else _expand(repository, lower)
    if isinstance(full, Finding):
        return full
    try:
        return _peel(repository, full)
    except ObjectMissingError:
        return _missing(repository)
    except ObjectDamagedError:
        return _damaged(lower)


def _expand(repository: Repository, prefix: str) -> str | Finding:
    candidates = repository.expand(prefix)
    if not candidates:
        return _missing(repository)
    if len(candidates) == 1:
        return candidates[0]
    return Finding(
        Reason.SHA_AMBIGUOUS,
        f"{len(candidates)} objects begin with {prefix}: write the full id",
        {"candidates": candidates[:_CANDIDATES]},
    )


def _peel(repository: Repository, oid: str) -> str | Finding:
    commit = repository.objects.peel(oid)
    if commit is not None:
        return commit
    kind = repository.objects.kind(oid)
    return Finding(Reason.NOT_A_COMMIT, f"this is a {kind}, not a commit: cite a commit", {"type": str(kind)})


def _with_peeled(finding: Finding, ident: str, commit: str) -> Finding:
    if commit.startswith(ident.lower()):
        return finding
    return replace(finding, evidence={**finding.evidence, "peeled": commit})  # the id is a tag's


def _missing(repository: Repository) -> Finding:
    if _lenders_are_gone(repository):
        return _lender_gone()
    if repository.head.shallow:
        return Finding(
            Reason.MISSING_SHALLOW, "not in this shallow clone: `git fetch --unshallow`, in CI fetch-depth: 0"
        )
    if repository.partial:
        return Finding(Reason.MISSING_PARTIAL, "not in this partial clone: `git fetch` the commit first")
    return Finding(Reason.MISSING, "no such commit in this repository: fetch the branch it was on, or cite another")


def _lenders_are_gone(repository: Repository) -> bool:
    return not all(directory.is_dir() for directory in object_directories(repository.place.common_dir))


def _lender_gone() -> Finding:
    return Finding(
        Reason.ODB_ERROR, "objects are borrowed from a repository that is gone: see objects/info/alternates in .git"
    )


def _damaged(oid: str) -> Finding:
    return Finding(Reason.ODB_ERROR, f"object {oid[:12]} cannot be read: run `git fsck`")


def _place(repository: Repository, commits: set[str]) -> dict[str, Finding]:
    """Say of each existing commit where it stands in relation to HEAD."""
    head = repository.head
    if head.oid is None:
        unborn = Finding(Reason.NO_HEAD, "the branch here has no commit yet, so nothing is reachable")
        return dict.fromkeys(commits, unborn)
    try:
        outside = repository.unreachable(commits, head.oid)
        lost = repository.in_no_ref(outside) if outside else set()
    except GitFailedError:
        if len(commits) > 1:  # one broken history must not hide what can be said of the others
            return {oid: finding for commit in commits for oid, finding in _place(repository, {commit}).items()}
        broken = Finding(Reason.ODB_ERROR, "history cannot be walked to its end here: run `git fsck`")
        return dict.fromkeys(commits, broken)
    reachable = Finding(Reason.REACHABLE, "reachable from HEAD")
    return {oid: _outside(repository, oid, oid in lost) if oid in outside else reachable for oid in commits}


def _outside(repository: Repository, oid: str, lost: bool) -> Finding:  # noqa: FBT001 - private, a fact about oid
    if not lost:
        refs = repository.refs_that_contain(oid)
        where = f"in {refs[0]}" if refs else "in another worktree"
        return Finding(Reason.OTHER_BRANCH, f"not in HEAD's history, but {where}", {"refs": refs})
    if repository.head.shallow:
        return Finding(
            Reason.SHALLOW_HISTORY, "history is cut short here: `git fetch --unshallow`, in CI fetch-depth: 0"
        )
    if _lenders_are_gone(repository):
        return _lender_gone()
    return Finding(Reason.ORPHANED, "in no branch or tag any more: cite the commit that took its place")
