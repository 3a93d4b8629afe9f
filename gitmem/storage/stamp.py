"""What tells, without reading a file, whether it is the one that was read before."""

import os
from typing import Final, NamedTuple

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
