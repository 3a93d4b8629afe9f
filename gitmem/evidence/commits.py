"""The verdict on a commit sourceRef: from the objects alone, against the tip of the target.

All refs of a check are asked together: one look per id in the object database, one walk for what the tip does not
reach, one for what was reverted, one for what landed under another id, one for what no ref contains (CONTRACT
section 5, first table).
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gitmem.entry.model import SourceRef
from gitmem.evidence.citation import LENDER_GONE, lenders_are_gone
from gitmem.evidence.history import History
from gitmem.evidence.rewrites import Landing
from gitmem.evidence.target import Target
from gitmem.evidence.undone import Reverted, Undoing
from gitmem.evidence.verdict import Finding, Reason
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError
from gitmem.git.repository import Repository
from gitmem.git.run import GitFailedError

_HEX: Final = re.compile(r"[0-9a-f]{4,64}")
_CANDIDATES: Final = 5  # ids named at most when an abbreviation fits several


Names = Mapping[str, "str | Finding"]
"""What the ids of commit sourceRefs name: a commit's full id, or the finding that they name none."""


def name_commits(target: Target, idents: Collection[str]) -> Names:
    """Return what each id names. Of what the tip is known to reach, git is only asked whether it is still here."""
    digits = target.repository.object_format.digits
    full = {ident for ident in set(idents) if len(ident) == digits and _HEX.fullmatch(ident)}
    known = set() if target.history is None else target.history.reached(full)
    reached = target.repository.commits_here(known)
    return {
        ident: ident if ident in reached else name_commit(target.repository, ident) for ident in sorted(set(idents))
    }


def judge_commits(target: Target, refs: Sequence[SourceRef], names: Names) -> list[Finding]:
    """Return the finding for each commit sourceRef, in their order; `names` has the name of each ref's id."""
    commits = {name for name in names.values() if isinstance(name, str)}
    placed = _place(target, commits) if commits else {}
    found = [(ref.id, names[ref.id]) for ref in refs]
    return [name if isinstance(name, Finding) else _with_peeled(placed[name], ident, name) for ident, name in found]


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
    if lenders_are_gone(repository):
        return _lender_gone()
    if repository.head.shallow:
        return Finding(
            Reason.MISSING_SHALLOW, "not in this shallow clone: `git fetch --unshallow`, in CI fetch-depth: 0"
        )
    if repository.partial:
        return Finding(Reason.MISSING_PARTIAL, "not in this partial clone: `git fetch` the commit first")
    return Finding(Reason.MISSING, "no such commit in this repository: fetch the branch it was on, or cite another")


def _lender_gone() -> Finding:
    return Finding(Reason.ODB_ERROR, LENDER_GONE)


def _damaged(oid: str) -> Finding:
    return Finding(Reason.ODB_ERROR, f"object {oid[:12]} cannot be read: run `git fsck`")


def _place(target: Target, commits: set[str]) -> dict[str, Finding]:
    """Say of each existing commit where it stands in relation to the tip."""
    if target.history is None or target.tip is None:
        unborn = Finding(Reason.NO_HEAD, "the branch here has no commit yet, so nothing is reachable")
        return dict.fromkeys(commits, unborn)
    try:
        return _placed(target.repository, target.history, target.tip, commits)
    except GitFailedError:
        if len(commits) > 1:  # one broken history must not hide what can be said of the others
            return {oid: finding for commit in commits for oid, finding in _place(target, {commit}).items()}
        broken = Finding(Reason.ODB_ERROR, "history cannot be walked to its end here: run `git fsck`")
        return dict.fromkeys(commits, _lender_gone() if lenders_are_gone(target.repository) else broken)


def _placed(repository: Repository, history: History, tip: str, commits: set[str]) -> dict[str, Finding]:
    repository.progress("commits")
    outside = history.unreachable(commits)
    reverted = Reverted(repository, history.reverts())
    undone = reverted.among(commits)
    landings = history.landings(outside | undone.keys())
    landed = {oid for landing in landings.values() for oid in (*landing.same, *landing.squashes)}
    gone_again = reverted.among(landed)
    found = dict.fromkeys(commits - outside - undone.keys(), Finding(Reason.REACHABLE, "reachable from HEAD"))
    for oid, undoing in undone.items():
        found[oid] = _undone(repository, undoing, landings[oid], gone_again)
    strays = outside - undone.keys()
    found |= {oid: finding for oid in strays if (finding := _landed(landings[oid], gone_again)) is not None}
    return found | _strays(repository, tip, strays - found.keys(), landings)


def _undone(repository: Repository, undoing: Undoing, landing: Landing, gone_again: Mapping[str, Undoing]) -> Finding:
    """Say what undid a commit, unless the same change was taken in again after that, or beside a reverted merge."""
    for oid in landing.same:
        if oid in gone_again:
            continue
        if undoing.merge is not None or not repository.is_ancestor(oid, undoing.by):
            return Finding(Reason.REWRITTEN, f"reverted, but the same change is {oid[:7]} too", {"to": oid})
    return _reverted(undoing)


def _reverted(undoing: Undoing, landed: str | None = None) -> Finding:
    """Say what undid a commit, or the one under whose id it had landed."""
    by = undoing.by
    to = {} if landed is None else {"to": landed}
    what = "" if landed is None else f"landed as {landed[:7]}, "
    if undoing.merge is not None:
        told = f"{what}the merge {undoing.merge[:7]} that brought it was reverted in {by[:7]}"
        return Finding(Reason.REVERTED_MERGE, told, {"by": by, "merge": undoing.merge, **to})
    return Finding(Reason.REVERTED, f"{what}reverted in {by[:7]}", {"by": by, **to})


def _landed(landing: Landing, gone_again: Mapping[str, Undoing]) -> Finding | None:
    """Say under which other id a commit's change is in history, None if it is not."""
    for oid in landing.same:
        if oid not in gone_again:
            return Finding(Reason.REWRITTEN, f"rewritten: the same change is {oid[:7]} now", {"to": oid})
    for oid in landing.squashes:
        if oid not in gone_again:
            return Finding(Reason.SQUASHED, f"squashed: all it did is in {oid[:7]}", {"to": oid})
    landed = next(iter((*landing.same, *landing.squashes)), None)
    return None if landed is None else _reverted(gone_again[landed], landed)


def _strays(
    repository: Repository, tip: str, commits: Collection[str], landings: Mapping[str, Landing]
) -> dict[str, Finding]:
    """Say of each commit whose change is not in the tip's history where it is."""
    if not commits:
        return {}
    heirs = _recorded(repository, commits)
    amended = _amended(repository, tip, heirs)
    rest = set(commits) - amended.keys()
    asked = rest | {heir for oid in rest for heir in heirs.get(oid, ())}
    lost = repository.in_no_ref(asked) if asked else set()
    refs = repository.refs_that_contain(asked - lost, tip) if asked - lost else {}
    found = dict(amended)
    for oid in rest:
        heir = next((heir for heir in heirs.get(oid, ()) if heir not in lost), None) if oid in lost else None
        if heir is None:
            found[oid] = _stray(repository, oid in lost, refs.get(oid, []), landings[oid])
        else:
            elsewhere = _elsewhere(refs.get(heir, []))
            told = f"rewritten as {heir[:7]}, which is {elsewhere} and not in HEAD's history"
            found[oid] = Finding(Reason.OTHER_BRANCH, told, {"refs": refs.get(heir, []), "to": heir})
    return found


def _elsewhere(refs: Sequence[str]) -> str:
    return f"in {refs[0]}" if refs else "in another worktree"


def _recorded(repository: Repository, commits: Collection[str]) -> dict[str, list[str]]:
    """Return what git told the post-rewrite hook that commits became, as far as it is here, the latest first."""
    rewritten = repository.rewritten()
    heirs = {oid: _heirs(rewritten, oid) for oid in commits if oid in rewritten}
    return {oid: [heir for heir in found if _exists(repository, heir)] for oid, found in heirs.items()}


def _amended(repository: Repository, tip: str, heirs: Mapping[str, Sequence[str]]) -> dict[str, Finding]:
    """Say which commits were rewritten into others of the tip's history whose patch is not the same."""
    here = {heir for found in heirs.values() for heir in found}
    reached = here - repository.unreachable(here, tip) if here else set()
    latest = {oid: heir for oid, found in heirs.items() for heir in [next(filter(reached.__contains__, found), None)]}
    pairs = {oid: heir for oid, heir in latest.items() if heir is not None}
    return {oid: _heir(repository, oid, heir) for oid, heir in pairs.items()}


def _heir(repository: Repository, oid: str, heir: str) -> Finding:
    # A merge, and a commit that changes nothing, have no patch by which they could be known again.
    parents = repository.parents([oid, heir])
    if len(parents.get(oid, ())) == len(parents.get(heir, ())) and not any(repository.changes([oid, heir]).values()):
        return Finding(Reason.REWRITTEN, f"rewritten: it is {heir[:7]} now", {"to": heir})
    return Finding(Reason.REWRITTEN_CHANGED, f"amended: it is {heir[:7]} now, with another change", {"to": heir})


def _heirs(rewritten: Mapping[str, Sequence[str]], oid: str) -> list[str]:
    """Return all that a commit became, the last in each line of descent first."""
    found: list[str] = []
    waiting = [oid]
    while waiting:
        for new in rewritten.get(waiting.pop(), ()):
            if new not in found and new != oid:
                found.append(new)
                waiting.append(new)
    return found[::-1]


def _exists(repository: Repository, oid: str) -> bool:
    try:
        return repository.objects.peel(oid) == oid
    except (ObjectMissingError, ObjectDamagedError):
        return False


def _stray(repository: Repository, lost: bool, refs: list[str], landing: Landing) -> Finding:  # noqa: FBT001 - private, a fact about the commit
    if not lost:
        return Finding(Reason.OTHER_BRANCH, f"not in HEAD's history, but {_elsewhere(refs)}", {"refs": refs})
    if repository.head.shallow:
        return Finding(
            Reason.SHALLOW_HISTORY, "history is cut short here: `git fetch --unshallow`, in CI fetch-depth: 0"
        )
    if lenders_are_gone(repository):
        return _lender_gone()
    if landing.unknown and repository.partial:
        told = "cannot be compared in this partial clone: fetch the commit's files, or clone without a filter"
        return Finding(Reason.MISSING_PARTIAL, told)
    return Finding(Reason.ORPHANED, "in no branch or tag any more: cite the commit that took its place")
