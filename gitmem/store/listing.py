"""Which files a store has, and the stamp of each."""

import json
import os
import stat
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitmem.entry.rules import SUFFIX
from gitmem.storage.stamp import UNSETTLED, Stamp, stamp_of

# From so many files on looking at them in two processes takes less time than in one.
_MANY: Final = 20_000


@dataclass(frozen=True, slots=True)
class Changes:
    """How the files of a store differ from a listing: the stamps of those that are new or others, and who is gone."""

    stamps: Mapping[str, Stamp]
    gone: frozenset[str]


def is_listed(name: str) -> bool:
    """Whether a name is that of an entry file: a hidden one is under construction, or a person's editor's."""
    return name.endswith(SUFFIX) and name[0] != "."


def look_for_changes(directory: int, known: Mapping[str, Stamp]) -> Changes:
    """Return how the entry files of an open directory differ from what is known of them, by name.

    The stamp of a link, which tells nothing, is UNSETTLED, which no known file has.
    """
    names = [name for name in os.listdir(directory) if is_listed(name)]
    gone = frozenset(known.keys() - set(names))
    if len(names) < _MANY or threading.active_count() > 1 or (os.cpu_count() or 1) < 2:
        return Changes(_differing(directory, names, known), gone)
    half = len(names) // 2
    return Changes(_in_two(directory, names[:half], names[half:], known), gone)


def _differing(directory: int, names: Iterable[str], known: Mapping[str, Stamp]) -> dict[str, Stamp]:
    found: dict[str, Stamp] = {}
    for name in names:
        try:
            status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:  # removed in this instant
            continue
        stamp = stamp_of(status)
        if known.get(name) != stamp:
            found[name] = stamp if stat.S_ISREG(status.st_mode) else UNSETTLED
    return found


def _in_two(directory: int, ours: Sequence[str], theirs: Sequence[str], known: Mapping[str, Stamp]) -> dict[str, Stamp]:
    """Look at two parts of the files at the same time, the second one in a child process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            with os.fdopen(writing, "wb") as stream:
                stream.write(json.dumps(_differing(directory, theirs, known)).encode("ascii"))
        finally:
            os._exit(0)  # nothing of the parent's is to be ended or written twice
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as stream:
            found = _differing(directory, ours, known)
            answer = stream.read()
    finally:
        os.waitpid(child, 0)
    try:
        return {**found, **{name: tuple(stamp) for name, stamp in json.loads(answer).items()}}
    except ValueError:  # it was killed
        return {**found, **_differing(directory, theirs, known)}
