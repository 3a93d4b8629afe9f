"""Keeps the index of a store on disk, up to date by what differs, and does without where it cannot be kept."""

import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

from gitmem.entry.model import Entry
from gitmem.entry.rules import SUFFIX, is_id
from gitmem.progress import Progress, silent
from gitmem.search.analysis import Analyser
from gitmem.search.entries import APPLICATION, EntryIndex, create, digest_of, update, write_listing
from gitmem.storage.db import Connection, DatabaseError, Unpublished, in_memory, open_published
from gitmem.storage.stamp import UNSETTLED, Stamp, is_settled
from gitmem.storage.watch import DirectoryWatch
from gitmem.store.listing import is_listed, look_for_changes
from gitmem.store.read import Unreadable, read_listed
from gitmem.store.view import PLAIN, View

Allowed: TypeAlias = Callable[[], AbstractContextManager[bool]]

# How many files may be read again and again, because their stamps could not be trusted when they were indexed, before
# it is worth writing the index anew.
_WORTH_WRITING: Final = 64

_FORGOTTEN: Final = "forgotten"
_TOLD: Final = 100  # files, between two words about progress


class IndexState(StrEnum):
    """What there is of an index. All but the first is mended by the next search."""

    CURRENT = "current"
    OUTDATED = "outdated"
    MISSING = "missing"
    UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True)
class _Difference:
    """How a store differs from its index: names of files to read, ids that are gone.

    `settled` are the stamps that can be trusted from now on.
    """

    changed: list[str]
    gone: list[str]
    settled: Mapping[str, Stamp]


class Keeper:
    """Keeps the index in `path`, and what was read of it for as long as the object lives.

    `allowed` is asked before a new index takes the place of the old one: what was read may be outdated by then.
    """

    def __init__(self, path: Path, allowed: Allowed = lambda: nullcontext(enter_result=True)) -> None:
        self.path = path
        self.analyser = Analyser()
        self.allowed = allowed
        self.progress: Progress = silent
        self.watch: DirectoryWatch | None = None  # in a process that lives on
        self.refusal = ""  # why the last index that was made could not be kept
        self.published_last = True  # whether the last index that was made could be kept
        self._kept: EntryIndex | None = None
        self._settled = False  # whether it was looked at last while no transaction was pending

    def published(self) -> EntryIndex | None:
        """Return the index in the file, None if there is none that can be believed."""
        connection = open_published(self.path, APPLICATION)
        return None if connection is None else EntryIndex(connection, self.analyser)

    def current(self, directory: int, view: View = PLAIN) -> EntryIndex:
        """Return the index of the store in an open directory as it is now.

        What is kept is brought up to date first: in a copy beside it, which then takes its place. Where the disk takes
        no copy the answer comes from memory.
        """
        quiet = self.watch is not None and self.watch.is_quiet(directory)
        settled = self._settled and not view.pending
        self._settled = not view.pending
        if quiet and settled and self._kept is not None and _knows_forgotten(self._kept, view):
            return self._kept
        if self._kept is not None and _is_current(self._kept, directory, view):
            return self._kept
        self._keep(self.published())  # by now somebody else may have brought it up to date
        if self._kept is not None and _is_current(self._kept, directory, view):
            return self._kept
        return self._renew(self._kept, directory, view)

    def _keep(self, index: EntryIndex | None) -> None:
        if self._kept is not None:
            self._kept.connection.close()
        self._kept = index

    def state(self, directory: int, view: View = PLAIN) -> IndexState:
        """Return what there is of the index; no more is written than that it was found sound."""
        if not os.path.lexists(self.path):
            return IndexState.MISSING
        published = self.published()
        if published is None:
            return IndexState.UNUSABLE
        with closing(published.connection):
            return IndexState.CURRENT if _is_current(published, directory, view) else IndexState.OUTDATED

    def renewed(self, directory: int, view: View = PLAIN) -> EntryIndex:
        """Return the index of the store in an open directory, made anew whatever is kept."""
        return self._renew(None, directory, view)

    def _renew(self, old: EntryIndex | None, directory: int, view: View) -> EntryIndex:
        found = _difference(old, directory, view)
        known = {} if old is None else old.listing
        source = None if old is None else old.connection
        made = self._published(source, known, found, directory, view)
        self.published_last = made is not None
        if made is None:
            made = EntryIndex(self._changed(in_memory(source), known, found, directory, view), self.analyser)
        self._keep(made)
        return made

    def _published(
        self, source: Connection | None, known: Mapping[str, Stamp], found: _Difference, directory: int, view: View
    ) -> EntryIndex | None:
        """Make the index beside the kept one, and put it in its place; None where disk or writers are against it."""
        unpublished = self._construction(source)
        if unpublished is None:
            return None
        try:
            self._changed(unpublished.connection, known, found, directory, view)
            if any(name in known for name in found.changed) or found.gone:
                unpublished.compact()
            if unpublished.publish(self.allowed):
                return EntryIndex(unpublished.connection, self.analyser)
            self.refusal = f"{self.path.name} is a directory" if self.path.is_dir() else self.refusal
        except (OSError, DatabaseError) as error:
            self.refusal = str(error)  # the disk is full, before all: memory is not
        finally:
            unpublished.discard()
        unpublished.connection.close()
        return None

    def _changed(
        self, connection: Connection, known: Mapping[str, Stamp], found: _Difference, directory: int, view: View
    ) -> Connection:
        """Bring a copy of an index up to date, or an empty database; return it."""
        if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,):
            create(connection)
        unread = self._bring_up_to_date(connection, found, directory, view)
        write_listing(connection, _new_listing(known, found, unread))
        connection.commit()
        return connection

    def _bring_up_to_date(self, connection: Connection, found: _Difference, directory: int, view: View) -> list[str]:
        """Index what differs; return the names of files that turn out to hold no entry."""
        unread: list[str] = []
        update(connection, self.analyser, self._entries(found, directory, view, unread), found.gone, unread)
        connection.execute("INSERT OR REPLACE INTO numbers VALUES (?, ?)", (_FORGOTTEN, _fingerprint(view)))
        return unread

    def _construction(self, source: Connection | None) -> Unpublished | None:
        # A copy holds what the old index held. Whoever forgets an entry sweeps it up, if it was begun before; after
        # that none is begun.
        self.refusal = "another command writes at the moment"
        try:
            with self.allowed() as may:
                return Unpublished(self.path, APPLICATION, source) if may else None
        except (OSError, DatabaseError) as error:
            self.refusal = error.strerror or "" if isinstance(error, OSError) else str(error)
            return None

    def _entries(
        self, found: _Difference, directory: int, view: View, unread: list[str]
    ) -> Iterator[tuple[Entry, bytes]]:
        """Yield the entries of the files that differ, with their digests; note the files that hold none any more."""
        for count, name in enumerate(found.changed):
            if count % _TOLD == 0:
                self.progress("new entries", count, len(found.changed))
            read = read_listed(directory, name, view)
            if read is None or isinstance(read, Unreadable):
                unread.append(name)
            else:
                yield read[0], digest_of(*read)


def index_of(entries: Iterable[Entry], analyser: Analyser) -> EntryIndex:
    """Return an index of entries that stand in no directory."""
    connection = in_memory()
    create(connection)
    update(connection, analyser, ((entry, digest_of(entry, b"")) for entry in entries), ())
    connection.commit()
    return EntryIndex(connection, analyser)


def _is_current(kept: EntryIndex, directory: int, view: View) -> bool:
    found = _difference(kept, directory, view)
    # What holds no entry is read again each time, and is no reason to write.
    if found.gone or len(found.settled.keys() & kept.listing.keys()) >= _WORTH_WRITING:
        return False
    return not any(_differs(kept, directory, name, view) for name in found.changed)


def _difference(kept: EntryIndex | None, directory: int, view: View) -> _Difference:
    began = time.time_ns()
    known = {} if kept is None else kept.listing
    changes = look_for_changes(directory, known)
    pending = {name for name in view.pending if is_listed(name)}
    changed = {name for name in (*changes.stamps, *pending) if is_id(name.removesuffix(SUFFIX))}
    if kept is not None and not _knows_forgotten(kept, view):
        changed.update(name for name in known if view.is_forgotten(name.removesuffix(SUFFIX)))
    gone = sorted(name.removesuffix(SUFFIX) for name in changes.gone - pending)
    settled = {
        name: stamp for name, stamp in changes.stamps.items() if name not in view.pending and is_settled(stamp, began)
    }
    return _Difference(sorted(changed - {ident + SUFFIX for ident in gone}), gone, settled)


def _new_listing(known: Mapping[str, Stamp], found: _Difference, unread: Iterable[str]) -> dict[str, Stamp]:
    """Return the stamps of all files that hold an entry, as far as they can be trusted."""
    new = {name: found.settled.get(name, UNSETTLED) for name in found.changed}
    without = {*unread, *(ident + SUFFIX for ident in found.gone)}
    return {name: stamp for name, stamp in {**known, **new}.items() if name not in without}


def _knows_forgotten(kept: EntryIndex, view: View) -> bool:
    return kept.postings.numbers.get(_FORGOTTEN) == _fingerprint(view)


def _differs(kept: EntryIndex, directory: int, name: str, view: View) -> bool:
    """Whether a file holds something else than what was indexed, be its stamp what it may."""
    known = kept.digest(name.removesuffix(SUFFIX))
    found = read_listed(directory, name, view)
    if found is None or isinstance(found, Unreadable):
        return known is not None
    return known != digest_of(*found)


def _fingerprint(view: View) -> int:
    return zlib.crc32("\n".join(sorted(view.forgotten)).encode())
