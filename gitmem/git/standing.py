"""What stands at paths in a worktree, by its kind alone: nothing is opened, and no symbolic link is followed."""

import errno
import os
import stat
from collections.abc import Collection
from pathlib import Path
from typing import Final

from gitmem.git.checkout import FileKind

_KINDS: Final = {stat.S_IFREG: FileKind.REGULAR, stat.S_IFLNK: FileKind.SYMLINK, stat.S_IFDIR: FileKind.DIRECTORY}
_NOTHING: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})
# What a path is when this stands in the place of one of its directories; with anything else it is missing.
_NO_WAY: Final = {FileKind.SYMLINK: FileKind.VIA_SYMLINK, FileKind.UNREADABLE: FileKind.UNREADABLE}
# What a directory is, by what its `.git` is.
_INSIDE: Final = {FileKind.MISSING: FileKind.DIRECTORY, FileKind.UNREADABLE: FileKind.UNREADABLE}


def standing_at(worktree: Path, paths: Collection[str]) -> dict[str, FileKind]:
    """Return what stands at each plain path below a worktree; each directory on the way is looked at once.

    A path below a directory that has its own `.git` is IN_REPOSITORY: another repository's business.
    """
    top = os.fspath(worktree)
    ways: dict[str, FileKind] = {}
    return {path: _standing(top, path, ways) for path in paths}


def _standing(top: str, path: str, ways: dict[str, FileKind]) -> FileKind:
    for at, character in enumerate(path):
        if character == "/":
            directory = path[:at]
            if directory not in ways:
                ways[directory] = _way(f"{top}/{directory}")
            if ways[directory] is not FileKind.DIRECTORY:
                return ways[directory]
    return _kind(f"{top}/{path}")


def _way(directory: str) -> FileKind:
    kind = _kind(directory)
    if kind is not FileKind.DIRECTORY:
        return _NO_WAY.get(kind, FileKind.MISSING)
    return _INSIDE.get(_kind(f"{directory}/.git"), FileKind.IN_REPOSITORY)


def _kind(path: str) -> FileKind:
    try:
        mode = os.lstat(path).st_mode
    except OSError as error:
        return FileKind.MISSING if error.errno in _NOTHING else FileKind.UNREADABLE
    return _KINDS.get(stat.S_IFMT(mode), FileKind.OTHER)
