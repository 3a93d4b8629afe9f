"""Whether anything happened in a directory, for a process that lives on: so that it need not look at each file again.

The kernel notes an event before the call returns that caused it, so what was written before a question is known to it.
"""

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inotify_simple import INotify  # type: ignore[import-untyped]

# What the kernel does not tell (a file on a network drive that another machine writes, one with a second name in
# another directory, one mapped into memory) is found by looking again after so long.
_TRUSTED: Final = 10.0  # seconds


class DirectoryWatch:
    """Watches one directory. Where the system has no such thing, nothing is ever quiet."""

    def __init__(self) -> None:
        self._notes: INotify | None = None
        self._watched: tuple[int, int] | None = None  # device and inode of the directory
        self._since = 0.0

    def is_quiet(self, directory: int) -> bool:
        """Whether nothing happened in an open directory since this was asked last, and that was not long ago.

        After every other answer than yes the caller looks at the files: what happens from now on is noted.
        """
        status = os.fstat(directory)
        now = time.monotonic()
        if self._watched != (status.st_dev, status.st_ino):
            self._begin(directory, (status.st_dev, status.st_ino))
            self._since = now
            return False
        happened = self._notes is None or bool(self._notes.read(timeout=0))
        if happened or now - self._since > _TRUSTED:
            self._since = now
            return False
        return True

    def _begin(self, directory: int, watched: tuple[int, int]) -> None:
        self.close()
        with suppress(ImportError, OSError, AttributeError):
            # Loads the C library, which a process that asks once need not pay for; Linux only.
            from inotify_simple import INotify, flags  # noqa: PLC0415  loaded late: see above

            notes = INotify(nonblocking=True)
            wanted = (
                flags.MODIFY
                | flags.ATTRIB
                | flags.CLOSE_WRITE
                | flags.MOVED_FROM
                | flags.MOVED_TO
                | flags.CREATE
                | flags.DELETE
                | flags.DELETE_SELF
                | flags.MOVE_SELF
            )
            notes.add_watch(f"/proc/self/fd/{directory}", wanted)
            self._notes, self._watched = notes, watched

    def close(self) -> None:
        """Stop watching."""
        if self._notes is not None:
            self._notes.close()
        self._notes = self._watched = None
