"""Where a store is, and what stands beside it: everything that a transaction has to know."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from gitmem.git.objects import ObjectFormat
from gitmem.git.run import Git
from gitmem.storage.cache import FileCache
from gitmem.storage.directory import opened
from gitmem.storage.files import remove_file, replace_file
from gitmem.storage.journal import Journal

_VERSION: Final = "snapshot 1"
_WHERE: Final = "place"

INDEX: Final = "index.sqlite"
"""The name, in the directory of the lock, under which the index for searches is kept: derived, and never needed."""


CITED: Final = "cited"


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlace:
    """A store at `root/path`, and the repository that it belongs to.

    `worktree` is the one that writes, `state` the directory `<common>/mem`. `recorded` says whether every transaction
    becomes a commit; `patience` is in seconds.
    """

    git: Git
    worktree: Path
    common_dir: Path
    object_format: ObjectFormat
    root: Path
    path: PurePosixPath
    recorded: bool = True
    patience: float = 10.0

    @property
    def state(self) -> Path:
        """The directory of the lock, the journal and what is derived."""
        return self.common_dir / "mem"

    @property
    def recorded_here(self) -> bool:
        """Whether what is recorded was recorded of this place, as far as is known: mem.store can be set to another."""
        try:
            return (self.state / _WHERE).read_bytes() == os.fsencode(self.path)
        except FileNotFoundError:
            return True

    def note_place(self) -> None:
        """Keep in mind that this is the place of which the history tells. The caller holds the writer's lock."""
        if not self.recorded_here or not (self.state / _WHERE).exists():
            replace_file(self.state / _WHERE, os.fsencode(self.path))

    @property
    def journal(self) -> Journal:
        """The journal of the store's transactions."""
        return Journal(self.state)

    def clear_derived(self) -> None:
        """Remove what was derived from entries and could still hold their words. The caller holds the writer's lock."""
        self.snapshots.clear()
        with opened(self.state) as state:
            for name in (INDEX, CITED):
                with suppress(IsADirectoryError):  # which is none of ours
                    remove_file(state, name)

    @property
    def cited(self) -> Path:
        """The plain list of what entries cite, which hooks read: derived, and never needed."""
        return self.state / CITED

    @property
    def snapshots(self) -> FileCache:
        """What is kept about the files of the store: derived, and never needed."""
        return FileCache(self.state / "snapshot", _VERSION, 1)
