"""What tells, without reading a file, whether it is the one that was read before."""

import os
from typing import Final, TypeAlias

Stamp: TypeAlias = tuple[int, int, int, int]
"""The file system's own record of a file: size, time of change and of the change of status in nanoseconds, inode.

A plain tuple: of a large store a hundred thousand are made for every search.
"""

UNSETTLED: Final[Stamp] = (-1, -1, -1, 0)
"""Stands for a stamp that cannot be trusted; no file has it."""

_RACY: Final = 2 * 10**9  # nanoseconds: the coarsest time stamps of a file system (see git's "racy git")


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a file."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def is_settled(stamp: Stamp, now: int) -> bool:
    """Whether the next change of the file cannot leave the stamp as it is."""
    return stamp != UNSETTLED and max(stamp[1], stamp[2]) < now - _RACY
