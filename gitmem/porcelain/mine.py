"""`git mem mine`: reads all files of the project into the file index, for the first time or anew."""

from collections.abc import Mapping
from dataclasses import dataclass

from gitmem.porcelain.placing import as_on_disk
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Mined:
    """How many files are searched, in how many sections, and how many are left out, by the reason."""

    files: int
    sections: int
    left_out: Mapping[str, int]


def mine(workspace: Workspace) -> Mined:
    """Read every file of the working tree that is not ignored; what is known of a content is not read again.

    From then on the other worktrees have theirs too, when they are searched, and a search follows HEAD. Raises
    FilesNotKeptError and LockedError.
    """
    workspace.files.change(lambda view: as_on_disk(workspace, view), workspace.repository.progress)
    return counted_files(workspace)


def counted_files(workspace: Workspace) -> Mined:
    """Count what the file index has of this worktree."""
    with workspace.files.reading() as view:
        if view is None:
            return Mined(0, 0, {})
        found = view.counts
        return Mined(found.files, found.sections, found.left_out)
