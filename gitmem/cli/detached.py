"""How a process that a hook left behind lets go of everything that it was given. Only what takes no time to load."""

import os
from contextlib import suppress
from typing import Final

DETACHED: Final = "--detached"
WORKER: Final = "worker"
"""The name, beside the spool, of the file that has the number of the process that is at work or about to be."""

_NICE: Final = 10
_FIRST: Final = 3


def let_go() -> None:
    """Hold no descriptor, no terminal and no directory of the caller's: git waits for those who read its pipes.

    The caller is the leader of no process group when a shell started it in the background.
    """
    os.closerange(_FIRST, os.sysconf("SC_OPEN_MAX"))
    devnull = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(_FIRST):
        os.dup2(devnull, descriptor)
    with suppress(OSError):
        os.setsid()
    with suppress(OSError):
        os.nice(_NICE)
