"""Which files a store has, and what tells without reading them whether they are those that were read before."""

import os
import stat
from typing import Final, NamedTuple

from gitmem.entry.rules import SUFFIX

_RACY: Final = 2 * 10**9  # nanoseconds: the coarsest time stamps of a file system (see git's "racy git")


class Stamp(NamedTuple):
    """The file system's own record of a file; times in nanoseconds."""

    size: int
    mtime: int
    ctime: int
    inode: int

    def is_settled(self, now: int) -> bool:
        """Whether the next change of the file cannot leave the stamp as it is."""
        return max(self.mtime, self.ctime) < now - _RACY


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a file."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def is_listed(name: str) -> bool:
    """Whether a name is that of an entry file: a hidden one is under construction, or a person's editor's."""
    return name.endswith(SUFFIX) and name[0] != "."


def list_stamps(directory: int) -> dict[str, Stamp | None]:
    """Return the entry files of an open directory by name. The stamp of a link, which tells nothing, is None."""
    found: dict[str, Stamp | None] = {}
    with os.scandir(directory) as files:
        for file in files:
            if is_listed(file.name):
                status = _status(file)
                if status is not None:
                    found[file.name] = stamp_of(status) if stat.S_ISREG(status.st_mode) else None
    return found


def _status(file: "os.DirEntry[str]") -> os.stat_result | None:
    try:
        return file.stat(follow_symlinks=False)
    except FileNotFoundError:  # removed in this instant
        return None
