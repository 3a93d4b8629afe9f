"""`git mem bisect`: the first commit at which an entry was no longer true."""

from dataclasses import dataclass

from gitmem.entry.model import Entry
from gitmem.evidence.judge import judge
from gitmem.evidence.target import Target, TargetKind, commit_of
from gitmem.evidence.verdict import EntryVerdict, Judgement, Verdict
from gitmem.git.history import CommitLine
from gitmem.porcelain.reanchor import read_for_rewrite
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Bisected:
    """The verdict on an entry at a commit, and the first commit in its history that made it stale.

    `culprit` is None where the entry is not stale, or where history does not tell; `refs` are what is stale, each with
    the commit that made it so.
    """

    id: str
    title: str
    head: str
    verdict: Verdict
    culprit: CommitLine | None
    refs: tuple[Judgement, ...]


def bisect(workspace: Workspace, ident: str, *, revision: str) -> Bisected:
    """Return the first commit, on the way to the one that `revision` names, at which an entry was no longer true.

    Only objects are read: nothing is checked out. Raises RevisionError, and what reading an entry raises.
    """
    entry = read_for_rewrite(workspace, ident).entry
    target = commit_of(workspace.repository, revision)
    (found,) = judge(target, [entry])
    stale = tuple(one for one in found.judgements if one.finding.verdict is Verdict.STALE)
    culprit = _first(target, entry, found)
    line = None if culprit is None else workspace.repository.describe(culprit)
    return Bisected(entry.id, entry.title, target.tip or "", found.verdict, line, stale)


def _first(target: Target, entry: Entry, found: EntryVerdict) -> str | None:
    """Return the commit that made the entry stale and before which it was not, going back as far as it was stale.

    Each sourceRef has a commit that made it stale; before the first of them another one may have been, that was
    mended since.
    """
    repository = target.repository
    culprit: str | None = None
    while found.verdict is Verdict.STALE:
        known = [oid for one in found.judgements if isinstance(oid := one.finding.evidence.get("by"), str)]
        here = [oid for oid in repository.oldest_first(known, target.tip or "") if oid != culprit] if known else []
        stale = (oid for oid in here if _judged(target, entry, oid).verdict is Verdict.STALE)
        culprit = next(stale, None) or culprit
        if culprit is None:
            return None
        before = [_judged(target, entry, parent) for parent in repository.parents([culprit]).get(culprit, ())]
        worse = [one for one in before if one.verdict is Verdict.STALE]
        if not worse or not here:
            return culprit
        found = worse[0]
    return culprit


def _judged(target: Target, entry: Entry, commit: str) -> EntryVerdict:
    (found,) = judge(Target(target.repository, TargetKind.COMMIT, commit), [entry])
    return found
