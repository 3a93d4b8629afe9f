"""Writes entries into a store: one writer at a time, each file whole or not at all."""

import os
from pathlib import Path, PurePosixPath

from gitmem.entry.model import Entry
from gitmem.entry.rules import new_id
from gitmem.errors import GitMemError
from gitmem.storage.directory import opened_directory
from gitmem.storage.files import create_file, remove_litter


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


def _created(directory: int, ident: str, data: bytes) -> bool:
    try:
        return create_file(directory, f"{ident}.md", data)
    except OSError as error:
        # The file under construction is nothing that a person knows of; the entry is.
        raise OSError(error.errno, error.strerror, f"{ident}.md") from error
