"""`git mem where`: how the place was resolved."""

from dataclasses import dataclass

from gitmem.git.layout import LayoutKind, is_submodule
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Where:
    """The layout and its directories, as absolute paths; `main_worktree` is None where the repository is bare."""

    layout: LayoutKind
    worktree: str
    main_worktree: str | None
    git_dir: str
    common_dir: str
    store: str
    exists: bool


def where(workspace: Workspace) -> Where:
    """Return where the store of this worktree is, and whether it exists yet."""
    layout = workspace.layout
    kind = layout.kind
    # An old-style submodule keeps its own .git directory and looks like any main checkout until git is asked.
    if kind is LayoutKind.MAIN and is_submodule(workspace.git, layout.place):
        kind = LayoutKind.SUBMODULE
    return Where(
        layout=kind,
        worktree=str(layout.worktree),
        main_worktree=None if layout.main is None else str(layout.main),
        git_dir=str(layout.place.git_dir),
        common_dir=str(layout.place.common_dir),
        store=str(layout.store),
        exists=workspace.store_exists,
    )
