"""`git mem reindex`: makes anew what is derived from the entries."""

from dataclasses import dataclass

from gitmem.errors import GitMemError
from gitmem.workspace import Workspace


class NotKeptError(GitMemError):
    """The index was made, and there is no place to keep it."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """How many entries were indexed, and whether the index is kept: not so where there is none."""

    entries: int
    kept: bool


def reindex(workspace: Workspace) -> Reindexed:
    """Make the index anew, whatever is there. Raises DirectoryRefusedError and NotKeptError."""
    workspace.settle()
    made = workspace.index.renew()
    keeper = workspace.index.keeper
    if made.postings.documents and not keeper.published_last:
        raise NotKeptError(
            f"the index cannot be kept in {keeper.path.parent}, so each search makes its own as far as it needs: "
            f"{keeper.refusal.lower() or keeper.path.name + ' cannot be replaced'}: make room for it, then try again"
        )
    return Reindexed(made.postings.documents, keeper.published_last)
