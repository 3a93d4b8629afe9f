"""Directories opened step by step from a trusted root, so that no symbolic link on the way is followed."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final

from gitmem.errors import GitMemError

MOVE_AWAY: Final = (
    "check out a commit without it, or move it away, then run `git mem restore`, or `git mem init` for a new store"
)
"""What to do about something that stands in the place of a store."""

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# More than nearly every file has, and so little that room for it costs nothing.
_CHUNK: Final = 1 << 16


class DirectoryRefusedError(GitMemError):
    """A component of a path is a symbolic link, or is no directory."""


class FileRefusedError(GitMemError):
    """A file is not read: not regular, too large, not permitted. `reason` is a few words."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} cannot be read: {reason}")
        self.reason = reason


@contextmanager
def opened_directory(root: Path, below: PurePosixPath) -> Iterator[int | None]:
    """Open `root/below` and yield its descriptor, None if a component does not exist.

    Raises DirectoryRefusedError where a component below the root is a symbolic link or not a directory.
    """
    descriptor: int | None = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    walked = PurePosixPath()
    try:
        for part in below.parts:
            walked /= part
            if descriptor is None:
                break
            parent, descriptor = descriptor, None
            try:
                descriptor = _step(parent, part, walked)
            finally:
                os.close(parent)
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Open a directory that is there and yield its descriptor."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def exists(directory: int, name: str) -> bool:
    """Whether an open directory has something of this name, whatever it is."""
    return _mode(directory, name) is not None


def make_directories(root: Path, below: PurePosixPath) -> bool:
    """Make `root/below` and its missing parents, durably; return whether anything was made.

    Raises DirectoryRefusedError as opened_directory does.
    """
    made = False
    for count in range(1, len(below.parts) + 1):
        path = PurePosixPath(*below.parts[:count])
        with opened_directory(root, path.parent) as parent:
            if parent is None:  # removed again by somebody else in this instant
                raise DirectoryRefusedError(f"{path.parent} vanished while it was being made: try again")
            if _mode(parent, path.name) is None:
                made = _make(parent, path.name) or made
    with opened_directory(root, below):
        return made


def read_bounded(directory: int, name: str, limit: int) -> tuple[bytes, os.stat_result]:
    """Return the content and status of a regular file of at most `limit` bytes in an open directory.

    A symbolic link is followed only to another plain name in the same directory. Raises FileRefusedError.
    """
    try:
        descriptor = _opened(directory, name)
    except OSError as error:
        raise FileRefusedError(name, os.strerror(error.errno or 0).lower()) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileRefusedError(name, "not a regular file")
        data = _content(descriptor, limit)
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise FileRefusedError(name, f"larger than {limit >> 10} KiB")
    return data, status


def resolve_name(directory: int, name: str) -> str:
    """Return the name of the file that is meant: a link to another plain name in the same directory is followed.

    Raises FileRefusedError for any other link.
    """
    return _link_target(directory, name)


def _opened(directory: int, name: str) -> int:
    try:
        return os.open(name, _FILE, dir_fd=directory)
    except OSError:
        # Perhaps because it is a link: systems differ in the error that says so.
        return os.open(_link_target(directory, name), _FILE, dir_fd=directory)


def _content(descriptor: int, limit: int) -> bytes:
    """Return the rest of an open file; where it has more than `limit` bytes, at least one more than that."""
    data = b""
    while len(data) <= limit and (more := os.read(descriptor, _CHUNK)):
        data += more
    return data


def _link_target(directory: int, name: str) -> str:
    mode = _mode(directory, name)
    if mode is None or not stat.S_ISLNK(mode):
        return name
    target = os.readlink(name, dir_fd=directory)
    inside = "/" not in target and target not in (".", "..")
    if not inside:
        raise FileRefusedError(name, "a symbolic link that leaves the store")
    target_mode = _mode(directory, target)
    if target_mode is None or not stat.S_ISREG(target_mode):
        raise FileRefusedError(name, "a symbolic link to no regular file")
    return target


def _make(parent: int, name: str) -> bool:
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:  # somebody else made it in this instant
        return False
    os.fsync(parent)
    return True


def _step(parent: int, part: str, walked: PurePosixPath) -> int | None:
    try:
        mode = _mode(parent, part)
        if mode is not None and stat.S_ISDIR(mode):
            return os.open(part, _DIRECTORY, dir_fd=parent)
    except OSError as error:
        raise DirectoryRefusedError(f"{walked} cannot be opened: {os.strerror(error.errno or 0).lower()}") from error
    if mode is None:
        return None
    if stat.S_ISLNK(mode):
        raise DirectoryRefusedError(f"{walked} is a symbolic link: {MOVE_AWAY}")
    raise DirectoryRefusedError(f"{walked} is not a directory: {MOVE_AWAY}")


def _mode(directory: int, name: str) -> int | None:
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
