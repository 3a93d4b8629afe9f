"""Who holds a lock, asked without taking it and without writing anything."""

import errno
import fcntl
import json
import os
from pathlib import Path


def lock_holder(path: Path) -> str | None:
    """Return who holds a lock of `gitmem.storage.lock`, in a few words; None if nobody does.

    Raises OSError where that cannot be found out.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP):
            return None
        raise
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _told(os.pread(descriptor, 4096, 0))
    finally:
        os.close(descriptor)
    return None


def _told(record: bytes) -> str:
    try:
        owner = json.loads(record)
        return f"process {owner['pid']} on {owner['host']}"
    except (ValueError, KeyError, TypeError, RecursionError):
        return "a process that left no name"
