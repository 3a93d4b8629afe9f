"""Which files a store has, and the stamp of each."""

import os
import stat

from gitmem.entry.rules import SUFFIX
from gitmem.storage.stamp import UNSETTLED, Stamp, stamp_of


def is_listed(name: str) -> bool:
    """Whether a name is that of an entry file: a hidden one is under construction, or a person's editor's."""
    return name.endswith(SUFFIX) and name[0] != "."


def list_stamps(directory: int) -> dict[str, Stamp]:
    """Return the entry files of an open directory by name; the stamp of a link, which tells nothing, is UNSETTLED."""
    found: dict[str, Stamp] = {}
    for name in os.listdir(directory):
        if is_listed(name):
            try:
                status = os.stat(name, dir_fd=directory, follow_symlinks=False)
            except FileNotFoundError:  # removed in this instant
                continue
            found[name] = stamp_of(status) if stat.S_ISREG(status.st_mode) else UNSETTLED
    return found
