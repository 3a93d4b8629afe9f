"""Writes entries into a store: one writer at a time, each file whole or not at all."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.entry.model import Entry
from gitmem.entry.rules import new_id
from gitmem.errors import GitMemError
from gitmem.storage.directory import FileRefusedError, opened_directory, read_bounded, resolve_name
from gitmem.storage.files import create_file, remove_litter, replace_files


class StoreGoneError(GitMemError):
    """The store vanished between two steps of one write."""


def write_new_entry(root: Path, store: PurePosixPath, entry: Entry, data: bytes) -> str:
    """Write a new entry under the first free id that its date and title give; return that id.

    `data` is the entry's file. The caller holds the writer's lock.
    """
    with opened_directory(root, store) as directory:
        if directory is None:
            raise StoreGoneError(f"{store} vanished while it was written to: run `git mem init`, then try again")
        remove_litter(directory)
        refused: set[str] = set()
        while True:
            with os.scandir(directory) as found:
                taken = refused | {file.name.removesuffix(".md") for file in found}
            ident = new_id(entry.date, entry.title, taken)
            if _created(directory, ident, data):
                return ident
            refused.add(ident)  # appeared between the listing and the link


class EntryChangedError(GitMemError):
    """An entry changed between the moment it was read and the moment it was to be written."""


class Replacement(NamedTuple):
    """An entry whose file is to be replaced: its id, what the file holds, and what it shall hold."""

    ident: str
    old: bytes
    new: bytes


def replace_entries(root: Path, store: PurePosixPath, replacements: Sequence[Replacement]) -> None:
    """Replace the files of entries, each whole; none where one of them is not what it was any more.

    The caller holds the writer's lock. Raises EntryChangedError.
    """
    with opened_directory(root, store) as directory:
        if directory is None:
            raise StoreGoneError(f"{store} vanished while it was written to: run `git mem init`, then try again")
        remove_litter(directory)
        files: dict[str, bytes] = {}  # an entry with two names is one file
        for ident, old, new in replacements:
            try:
                name = resolve_name(directory, f"{ident}.md")
                same = read_bounded(directory, name, MAX_BYTES)[0] == old and files.get(name, new) == new
            except (FileRefusedError, OSError):
                same = False
            if not same:
                raise EntryChangedError(f"{ident} changed meanwhile, so nothing was written: run it again")
            files[name] = new
        replace_files(directory, files)


def _created(directory: int, ident: str, data: bytes) -> bool:
    try:
        return create_file(directory, f"{ident}.md", data)
    except OSError as error:
        # The file under construction is nothing that a person knows of; the entry is.
        raise OSError(error.errno, error.strerror, f"{ident}.md") from error
