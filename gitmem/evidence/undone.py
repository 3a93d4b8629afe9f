"""What was undone: commits that later ones say to revert, unless those were undone themselves.

Git writes the reverted commit's id into the message (git-revert). A revert counts while no later one reverts it, or
a merge that brought it; a reverted merge takes along all commits that it had brought in.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gitmem.git.history import Revert
from gitmem.git.repository import Repository


@dataclass(frozen=True, slots=True)
class Undoing:
    """The commit that undid another one, and the merge that it reverted if it reverted a merge around that."""

    by: str
    merge: str | None = None


class _Merged(NamedTuple):
    """The commits that a reverted merge had brought, the parent that was kept, and what undid them."""

    brought: set[str]
    kept: str
    undoing: Undoing


class Reverted:
    """What is undone in a history. `reverts` are newest first. Raises GitFailedError where history is not here."""

    def __init__(self, repository: Repository, reverts: Sequence[Revert]) -> None:
        self._direct: dict[str, Undoing] = {}
        self._repository = repository
        self._merged: list[_Merged] = []
        parents = repository.parents({revert.target for revert in reverts})
        for revert in reverts:  # what undoes a revert is newer, and has been met before it
            if self.by(revert.oid) is None:
                self._add(repository, revert, parents)

    def _add(self, repository: Repository, revert: Revert, parents: Mapping[str, tuple[str, ...]]) -> None:
        undoing = Undoing(revert.oid)
        self._direct.setdefault(revert.target, undoing)
        self._direct.setdefault(revert.named or revert.target, undoing)
        before = parents.get(revert.target, ())
        if len(before) > 1:
            named = [parent for parent in before if revert.mainline and parent.startswith(revert.mainline)]
            kept = named[0] if named else before[0]
            brought = repository.outside(revert.target, kept)
            self._merged.append(_Merged(brought, kept, Undoing(revert.oid, revert.target)))

    def by(self, oid: str) -> Undoing | None:
        """Return what undid a commit and counts, the newest; None if nothing did."""
        if oid in self._direct:
            return self._direct[oid]
        return next((merged.undoing for merged in self._merged if self._brought(merged, oid)), None)

    def _brought(self, merged: "_Merged", oid: str) -> bool:
        # Where clocks went wrong, git lists some of what was kept too (see history.unreachable).
        return oid in merged.brought and not self._repository.is_ancestor(oid, merged.kept)

    def among(self, commits: Collection[str]) -> dict[str, Undoing]:
        """Return those of the commits that were undone."""
        return {oid: undoing for oid in commits if (undoing := self.by(oid)) is not None}
