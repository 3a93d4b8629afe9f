"""`git mem init`: creates the store, and says once and for all whether git tracks it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gitmem.git import exclude
from gitmem.git.config import write_root
from gitmem.git.exclude import Sharing
from gitmem.git.layout import Place, locate, missing_root, resolve
from gitmem.git.refs import RefDamagedError
from gitmem.git.run import Git, GitFailedError
from gitmem.storage.directory import make_directories
from gitmem.store.recording import read_tip
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `init` did: `store` is absolute; `created` and `changed` are both False when all was there already.

    `recorded` is how many entries the history has of a store whose directory was made anew.
    """

    store: str
    sharing: Sharing
    created: bool
    changed: bool
    recorded: int = 0


def init(directory: Path, environ: Mapping[str, str], *, track: bool) -> tuple[Workspace, Initialised]:
    """Create the store of the worktree around a directory; return its workspace and what was done.

    Where git does not record the main checkout, `mem.root` is written first. Raises LayoutError and LockedError.
    """
    git = Git(environ)
    place = locate(git, directory, environ)
    rooted = _record_root(git, place)
    if rooted:
        place = locate(git, directory, environ)
    workspace = Workspace(git, resolve(git, place))
    with workspace.locked():
        done = create_store(workspace, track=track)
    recorded = _recorded(workspace) if done.created else 0
    return workspace, replace(done, changed=done.changed or rooted, recorded=recorded)


def create_store(workspace: Workspace, *, track: bool) -> Initialised:
    """Create the directories and the mark in `info/exclude`; without `track` an existing decision stands.

    The caller holds the writer's lock.
    """
    layout = workspace.layout
    common_dir = layout.place.common_dir
    rooted = _record_root(workspace.git, layout.place)
    before = workspace.sharing()
    # The mark comes first: there is no moment at which `git add -A` could pick the store up.
    if track:
        marked = exclude.make_tracked(common_dir, layout.store_path)
    else:
        marked = before is not Sharing.TRACKED and exclude.make_private(common_dir, layout.store_path)
    created = make_directories(layout.root, layout.store_path)
    return Initialised(str(layout.store), workspace.sharing(), created, created or marked or rooted)


def _recorded(workspace: Workspace) -> int:
    try:
        return len(read_tip(workspace.place).files)
    except (RefDamagedError, GitFailedError):
        return 0  # `git mem doctor` tells of that


def _record_root(git: Git, place: Place) -> bool:
    root = missing_root(git, place)
    if root is None:
        return False
    write_root(git, place.worktree, os.path.relpath(root, place.common_dir))
    return True
