"""`git mem reindex`: makes anew what is derived from the entries."""

from dataclasses import dataclass

from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Reindexed:
    """How many entries were indexed, and whether the index could be kept: where not, every search makes its own."""

    entries: int
    kept: bool


def reindex(workspace: Workspace) -> Reindexed:
    """Make the index anew, whatever is there. Raises DirectoryRefusedError."""
    workspace.settle()
    made = workspace.index.renew()
    return Reindexed(made.postings.documents, workspace.index.keeper.published_last)
