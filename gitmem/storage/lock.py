"""The writer's lock: one writer at a time, over all processes and worktrees.

A kernel lock on an open file, so that it is gone with the process that held it, however that ended. The file
is never removed: a waiter could lock the removed one while a newcomer locks its successor.
"""

import errno
import fcntl
import json
import os
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from gitmem.errors import GitMemError

_POLL: Final = 0.02  # seconds between two attempts; the kernel offers no waiting with a time limit
_BUSY: Final = (errno.EAGAIN, errno.EACCES)


class LockedError(GitMemError):
    """Another writer holds the lock and did not release it in time. Nothing was written."""


class LockRefusedError(GitMemError):
    """Something else stands where the lock file belongs. Nothing was written."""


@contextmanager
def writer_lock(path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock for the body of the `with`; wait for it at most `timeout` seconds.

    While it is held the file has one line of JSON about its owner, for messages only: pid, host, since (Unix seconds).
    Raises LockedError.
    """
    path.parent.mkdir(mode=0o777, exist_ok=True)
    descriptor = _opened(path)
    try:
        _acquire(descriptor, path, timeout)
        _sign(descriptor)
        try:
            yield
        finally:
            with suppress(OSError):  # nobody holds it now; a killed owner's record stays until the next one signs
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)  # which releases the lock


@contextmanager
def no_writer(path: Path, timeout: float) -> Iterator[bool]:
    """Keep writers away for the body of the `with`, as far as that can be had in `timeout` seconds.

    For readers: nothing is written, and others may read at the same time.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        yield True
        return
    deadline = time.monotonic() + timeout
    try:
        while not (taken := _taken(descriptor, fcntl.LOCK_SH)) and time.monotonic() < deadline:
            time.sleep(_POLL)
        yield taken
    finally:
        os.close(descriptor)


def _taken(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _BUSY:
            raise
        return False
    return True


def _opened(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno in (errno.EISDIR, errno.ELOOP, errno.ENXIO):
            raise _no_lock(path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _no_lock(path)
    return descriptor


def _no_lock(path: Path) -> LockRefusedError:
    return LockRefusedError(f"{path} is no regular file, so it cannot be locked: move it away, then try again")


def _acquire(descriptor: int, path: Path, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while not _taken(descriptor, fcntl.LOCK_EX):
        if time.monotonic() >= deadline:
            raise LockedError(
                f"another writer holds {path}: {_owner(descriptor)}: nothing was written; try again, "
                "or give it more time with mem.lockTimeout"
            )
        time.sleep(_POLL)


def _sign(descriptor: int) -> None:
    owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": int(time.time())}
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps(owner).encode("utf-8") + b"\n", 0)


def _owner(descriptor: int) -> str:
    try:
        owner = json.loads(os.pread(descriptor, 4096, 0))
        since = time.strftime("%H:%M:%S UTC", time.gmtime(owner["since"]))
        return f"process {owner['pid']} on {owner['host']}, since {since}"
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return "it left no name"
