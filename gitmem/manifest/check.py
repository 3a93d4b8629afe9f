"""Holds a manifest against what is on disk, before anything that it names is read."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

from gitmem.git.checkout import FileKind
from gitmem.git.standing import standing_at
from gitmem.manifest.model import Manifest, at_path

_NO_FILE: Final = {
    FileKind.MISSING: "is said to be changed, and there is no such file",
    FileKind.SYMLINK: "is a symbolic link, and no file of the project",
    FileKind.DIRECTORY: "is a directory, where a file must be named",
    FileKind.OTHER: "is no regular file",
    FileKind.VIA_SYMLINK: "leads through a symbolic link",
    FileKind.IN_REPOSITORY: "lies in another repository",
    FileKind.UNREADABLE: "cannot be looked at, for want of permission",
}


def check_on_disk(worktree: Path, manifest: Manifest, known: Collection[str]) -> None:
    """Refuse a manifest with a changed path that is no regular file, or with a path that leads out of the worktree.

    Of deleted paths those in `known` may lead anywhere: a link can stand where their directory was. Nothing is opened.
    Raises ManifestError.
    """
    for path, kind in standing_at(worktree, manifest.changed).items():
        if kind in _NO_FILE:
            raise at_path(path, _NO_FILE[kind])
    unknown = [path for path in manifest.deleted if path not in known]
    for path, kind in standing_at(worktree, unknown).items():
        if kind is FileKind.VIA_SYMLINK and _leads_out(worktree, path):
            raise at_path(path, "leads through a symbolic link out of the worktree")


def _leads_out(worktree: Path, path: str) -> bool:
    return not Path(os.path.realpath((worktree / path).parent)).is_relative_to(os.path.realpath(worktree))
