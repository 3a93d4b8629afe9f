"""Files that appear whole or not at all, and stay after a power cut."""

import errno
import os
import re
import secrets
import stat
from pathlib import Path
from typing import Final

TEMPORARY_PREFIX: Final = ".tmp-"
"""How the name of a file under construction begins; no reader takes such a file for an entry."""

# Exactly our own: a person's file that happens to begin so is not ours to remove.
_TEMPORARY: Final = re.compile(re.escape(TEMPORARY_PREFIX) + "[0-9a-f]{16}")

_NO_HARD_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def write_temporary(directory: int, data: bytes, mode: int | None = None) -> str:
    """Write a file under construction into an open directory, durably; return its name.

    It gets the permissions `mode`, or those of any new file. What the disk refuses, it refuses here, before anything
    that counts has changed.
    """
    name = temporary_name()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(name, flags, 0o666, dir_fd=directory), "wb") as stream:
            stream.write(data)
            stream.flush()
            if mode is not None:
                os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
    except BaseException:
        remove_file(directory, name)
        raise
    return name


def place_new(directory: int, temporary: str, name: str) -> bool:
    """Give a file under construction its name; return False, and change nothing, if the name is taken.

    By a link, which fails where something has appeared meanwhile; a rename would replace it without a word.
    """
    try:
        os.link(temporary, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return _renamed(directory, temporary, name)
    remove_file(directory, temporary)
    return True


def place_over(directory: int, temporary: str, name: str) -> None:
    """Put a file under construction in the place of another; readers see the old or the new one, whole."""
    os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)


def remove_file(directory: int, name: str) -> bool:
    """Remove a file from an open directory; return whether it was there."""
    try:
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        return False
    return True


def mode_of(directory: int, name: str) -> int:
    """Return the permissions of a file in an open directory."""
    return stat.S_IMODE(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file, durably, whether it is there or not; readers see the old or the new content, whole."""
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        temporary = write_temporary(directory, data)
        try:
            place_over(directory, temporary, path.name)
        except BaseException:
            remove_file(directory, temporary)
            raise
        os.fsync(directory)
    finally:
        os.close(directory)


def temporary_name() -> str:
    """Return a name for a file under construction that no other file has."""
    return f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"


def is_temporary(name: str) -> bool:
    """Whether a name is one that this program gives to files under construction."""
    return _TEMPORARY.fullmatch(name) is not None


def remove_litter(directory: int) -> None:
    """Remove what killed writers left under construction. The caller holds the lock that all of them take."""
    with os.scandir(directory) as found:
        litter = [file.name for file in found if is_temporary(file.name) and not file.is_dir()]
    for name in litter:
        remove_file(directory, name)


def _renamed(directory: int, temporary: str, name: str) -> bool:
    # A file system without hard links: the writer's lock keeps others of our kind away meanwhile.
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        return True
    return False
