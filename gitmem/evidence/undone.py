"""What was undone: commits that later ones say to revert, unless those were reverted themselves.

Git writes the reverted commit's id into the message (git-revert). A revert counts while no later one reverts it;
a reverted merge takes along all commits that it had brought in.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gitmem.git.history import Revert
from gitmem.git.repository import Repository


@dataclass(frozen=True, slots=True)
class Undoing:
    """The commit that undid another one, and the merge that it reverted if it reverted a merge around that."""

    by: str
    merge: str | None = None


class Reverted:
    """What is reverted in a history. `reverts` are newest first."""

    def __init__(self, reverts: Sequence[Revert]) -> None:
        self.full: dict[str, Revert] = {}
        for revert in reverts:  # what reverts a revert is newer, and has been met before it
            if revert.oid not in self.full:
                self.full.setdefault(revert.target, revert)
                self.full.setdefault(revert.named or revert.target, revert)

    def by(self, oid: str) -> Revert | None:
        """Return the newest revert of a commit that counts."""
        return self.full.get(oid)


def find_undone(repository: Repository, reverted: Reverted, commits: Collection[str]) -> dict[str, Undoing]:
    """Return those of the commits that were undone in the history that `reverted` is of. Raises GitFailedError."""
    direct = {oid: revert for oid in commits if (revert := reverted.by(oid)) is not None}
    found = {oid: Undoing(revert.oid) for oid, revert in direct.items()}
    rest = set(commits) - found.keys()
    for merge, kept, revert in _merges(repository, reverted) if rest else ():
        for oid in rest & repository.outside(merge, kept):
            found.setdefault(oid, Undoing(revert.oid, merge))
    return found


def _merges(repository: Repository, reverted: Reverted) -> Iterator[tuple[str, str, Revert]]:
    """Yield each reverted merge, the parent that was kept, and the revert."""
    parents: Mapping[str, tuple[str, ...]] = repository.parents(reverted.full) if reverted.full else {}
    for merge, before in parents.items():
        if len(before) > 1:
            revert = reverted.full[merge]
            named = [parent for parent in before if revert.mainline and parent.startswith(revert.mainline)]
            yield merge, named[0] if named else before[0], revert
