"""Files that appear whole or not at all, and stay after a power cut."""

import errno
import os
import re
import secrets
import stat
from collections.abc import Mapping
from typing import Final

TEMPORARY_PREFIX: Final = ".tmp-"
"""How the name of a file under construction begins; no reader takes such a file for an entry."""

# Exactly our own: a person's file that happens to begin so is not ours to remove.
_TEMPORARY: Final = re.compile(re.escape(TEMPORARY_PREFIX) + "[0-9a-f]{16}")

_NO_HARD_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def create_file(directory: int, name: str, data: bytes) -> bool:
    """Create a file in an open directory, durably; return False, and change nothing, if the name is taken.

    Written beside its place, synced, then linked: the link fails where something has appeared meanwhile, which
    a rename would replace without a word.
    """
    temporary = f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
    try:
        _write_new(directory, temporary, data)
        created = _linked(directory, temporary, name)
    finally:
        _unlink(directory, temporary)
    os.fsync(directory)
    return created


def replace_files(directory: int, contents: Mapping[str, bytes]) -> None:
    """Replace regular files in an open directory by ones with other contents, durably and with their permissions.

    All are written beside their places before the first is put in its own: what the disk refuses, it refuses before
    anything has changed. Readers see each file old or new, whole.
    """
    temporaries = {name: f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}" for name in contents}
    try:
        for name, temporary in temporaries.items():
            mode = stat.S_IMODE(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)
            _write_new(directory, temporary, contents[name])
            os.chmod(temporary, mode, dir_fd=directory)
        for name, temporary in temporaries.items():
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
    finally:
        for temporary in temporaries.values():
            _unlink(directory, temporary)
    os.fsync(directory)


def remove_litter(directory: int) -> None:
    """Remove what killed writers left under construction. The caller holds the lock that all of them take."""
    with os.scandir(directory) as found:
        litter = [file.name for file in found if _TEMPORARY.fullmatch(file.name) and not file.is_dir()]
    for name in litter:
        _unlink(directory, name)


def _write_new(directory: int, name: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o666, dir_fd=directory), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _linked(directory: int, temporary: str, name: str) -> bool:
    try:
        os.link(temporary, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return _renamed(directory, temporary, name)
    return True


def _renamed(directory: int, temporary: str, name: str) -> bool:
    # A file system without hard links: the writer's lock keeps others of our kind away meanwhile.
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        return True
    return False


def _unlink(directory: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        return
