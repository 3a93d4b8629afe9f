"""Reads the entries of a store. Never creates anything, never follows a link out, never stops at a bad file."""

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from gitmem.entry.dates import normalise_date
from gitmem.entry.frontmatter import MAX_BYTES, UnreadableEntry
from gitmem.entry.model import Entry
from gitmem.entry.parse import parse_entry
from gitmem.entry.rules import SUFFIX, effective_states, is_id, newest_first
from gitmem.errors import ExitCode, GitMemError
from gitmem.storage.directory import FileRefusedError, exists, opened_directory, read_bounded, resolve_name
from gitmem.store.listing import is_listed
from gitmem.store.view import PLAIN, View
from gitmem.text import visible_line

_DATED_ID: Final = re.compile(r"(\d{4}-\d\d-\d\d)-(\d\d)(\d\d)-")
_LAST_SECOND: Final = 253_402_300_799  # of the year 9999; a time stamp can lie far behind it


class NoSuchEntryError(GitMemError):
    """No entry has this id. Exit code 1: the answer is no."""

    exit_code = ExitCode.NO
    label = "error"


class BadIdError(GitMemError):
    """A text that cannot be the id of an entry."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file of the store that is left out of every result: its name, made printable, and the reason."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class StoreContents:
    """Everything in a store: entries ordered by id, unreadable files by name."""

    exists: bool
    entries: tuple[Entry, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


def read_store(root: Path, store: PurePosixPath, view: View = PLAIN) -> StoreContents:
    """Read all entries of the store at `root/store` as the view says. Raises DirectoryRefusedError."""
    entries: list[Entry] = []
    unreadable: list[Unreadable] = []
    with opened_directory(root, store) as directory:
        if directory is None:
            return StoreContents(exists=False)
        for name in _listed(directory, view):
            found = read_listed(directory, name, view)
            if isinstance(found, Unreadable):
                unreadable.append(found)
            elif found is not None:
                entries.append(found[0])
    return StoreContents(exists=True, entries=tuple(entries), unreadable=tuple(unreadable))


def read_entry(root: Path, store: PurePosixPath, ident: str, view: View = PLAIN) -> tuple[Entry, bytes]:
    """Return one entry and the bytes of its file.

    Raises BadIdError, NoSuchEntryError, FileRefusedError, UnreadableEntry and DirectoryRefusedError.
    """
    check_id(ident)
    with opened_directory(root, store) as directory:
        found = None if directory is None else _read(directory, ident, view)
    if found is None:
        raise no_such_entry(ident)
    return found


def read_listed(directory: int, name: str, view: View = PLAIN) -> tuple[Entry, bytes] | Unreadable | None:
    """Return the entry in a file of an open store and its bytes, or why nobody can read it; None: it is gone."""
    ident = name.removesuffix(SUFFIX)
    try:
        return _read(directory, ident, view)
    except (FileRefusedError, UnreadableEntry) as error:
        return Unreadable(_printable(ident + SUFFIX), error.reason)


def parse_contents(files: Mapping[str, bytes]) -> StoreContents:
    """Return the entries of files that stand in no directory, by their names: a store as it once was."""
    entries: list[Entry] = []
    unreadable: list[Unreadable] = []
    for name in sorted(files):
        try:
            entries.append(_parsed(_checked(name.removesuffix(SUFFIX)), files[name], 0.0))
        except (FileRefusedError, UnreadableEntry) as error:
            unreadable.append(Unreadable(_printable(name), error.reason))
    return StoreContents(exists=True, entries=tuple(entries), unreadable=tuple(unreadable))


def counting(contents: StoreContents) -> StoreContents:
    """Return the contents with the entries in the states that count, supersedes pointers honoured, newest first."""
    states = effective_states(contents.entries)
    entries = [replace(entry, review_state=states[entry.id]) for entry in contents.entries]
    return replace(contents, entries=tuple(newest_first(entries)))


def file_exists(root: Path, store: PurePosixPath, ident: str) -> bool:
    """Whether a directory of entries has a file of this id, readable or not. Raises DirectoryRefusedError."""
    with opened_directory(root, store) as directory:
        return directory is not None and exists(directory, ident + SUFFIX)


def check_id(ident: str) -> None:
    """Raise BadIdError unless the text can be an entry's id. Stands before any access to a file."""
    if not is_id(ident):
        raise BadIdError(f"'{visible_line(ident)}' is not the id of an entry: `git mem list` shows the ids")


class UnknownEntryError(GitMemError):
    """An entry that was named is not there, so the question about it cannot be answered."""


def unknown_entry(ident: str) -> UnknownEntryError:
    """Return the error for an id that names nothing, where `no` would be an answer to another question."""
    return UnknownEntryError(no_such_entry(ident).message)


def no_such_entry(ident: str) -> NoSuchEntryError:
    """Return the error for an id that names nothing."""
    return NoSuchEntryError(f"no entry has the id '{ident}': `git mem list --state all` shows them all")


def _read(directory: int, ident: str, view: View) -> tuple[Entry, bytes] | None:
    name = _checked(ident) + SUFFIX
    on_disk, mtime = None, 0.0
    there = exists(directory, name) and not view.removes(name)
    if there and view.is_forgotten(ident):
        raise FileRefusedError(name, "it was forgotten: remove the file, or give it another name")
    if there:
        on_disk, status = read_bounded(directory, name, MAX_BYTES)
        mtime = status.st_mtime
    # The steps of a transaction name files, and an entry may be a link to one.
    real = resolve_name(directory, name) if view.pending and there else name
    data = view.content(real, on_disk)
    return None if data is None else (_parsed(ident, data, mtime), data)


def _checked(ident: str) -> str:
    if not is_id(ident):
        raise FileRefusedError(_printable(ident + SUFFIX), "its name is not the id of an entry")
    return ident


def _parsed(ident: str, data: bytes, mtime: float) -> Entry:
    # Few entries lack a date, so it is looked for elsewhere only when it is missed.
    entry = parse_entry(ident, data, fallback_date="")
    return entry if entry.date else replace(entry, date=_fallback_date(ident, mtime))


def _listed(directory: int, view: View) -> list[str]:
    names = {*os.listdir(directory), *view.pending}
    # By id: `a.md` stands before `a-b.md`.
    return sorted((name for name in names if is_listed(name)), key=lambda name: name.removesuffix(SUFFIX))


def _fallback_date(ident: str, mtime: float) -> str:
    dated = _DATED_ID.match(ident)
    if dated:
        day, hour, minute = dated.groups()
        date = normalise_date(f"{day}T{hour}:{minute}:00Z")
        if date is not None:
            return date
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(max(mtime, 0), _LAST_SECOND)))


def _printable(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
