"""The composition root: one worktree, its store and everything about them, each opened when first needed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from gitmem.entry.model import Entry
from gitmem.entry.rules import effective_states, newest_first
from gitmem.errors import GitMemError
from gitmem.evidence.history import VERSION
from gitmem.evidence.target import Target, worktree_of
from gitmem.git import exclude
from gitmem.git.config import read_mem_config
from gitmem.git.layout import Layout, locate, resolve
from gitmem.git.repository import Repository
from gitmem.git.run import Git
from gitmem.settings import Settings, parse_settings
from gitmem.storage.cache import FileCache
from gitmem.storage.directory import opened_directory
from gitmem.storage.lock import writer_lock
from gitmem.store.read import StoreContents, read_entry, read_store

_KEPT: Final = 16  # commits whose history is kept: a few worktrees, and where each of them stood before


class EndangeredStoreError(GitMemError):
    """The store is private, yet HEAD tracks its path: the next checkout could overwrite entries."""


class Workspace:
    """What a verb works on. Reading it never creates anything."""

    def __init__(self, git: Git, layout: Layout) -> None:
        self.git = git
        self.layout = layout

    @cached_property
    def repository(self) -> Repository:
        """The repository as this worktree sees it."""
        return Repository(self.git, self.layout.place)

    @cached_property
    def here(self) -> Target:
        """The working tree as what evidence is judged against."""
        return worktree_of(self.repository, self.history_cache)

    @cached_property
    def history_cache(self) -> FileCache:
        """What is kept about histories: derived, shared by all worktrees, and never needed."""
        return FileCache(self.layout.place.common_dir / "mem" / "history", VERSION, _KEPT)

    @cached_property
    def settings(self) -> Settings:
        """The settings that hold here. Raises SettingError."""
        return parse_settings(read_mem_config(self.git, self.layout.worktree))

    @cached_property
    def contents(self) -> StoreContents:
        """The store, read once. Each entry's state is the one that counts: supersedes pointers are honoured."""
        contents = read_store(self.layout.root, self.layout.store_path)
        states = effective_states(contents.entries)
        entries = [replace(entry, review_state=states[entry.id]) for entry in contents.entries]
        return replace(contents, entries=tuple(newest_first(entries)))

    def reread(self) -> None:
        """Read the store anew when it is asked for next: what was read before a lock was taken does not count."""
        self.__dict__.pop("contents", None)

    @cached_property
    def store_exists(self) -> bool:
        """Whether the store is there; its entries are not read for it. Raises DirectoryRefusedError."""
        with opened_directory(self.layout.root, self.layout.store_path) as directory:
            return directory is not None

    @cached_property
    def endangered(self) -> bool:
        """Whether a checkout could overwrite the store: it is private, yet tracked by HEAD of the main checkout."""
        layout = self.layout
        return exclude.is_endangered(self.git, layout.main, layout.place.common_dir, layout.store_path)

    def entry(self, ident: str) -> tuple[Entry, bytes]:
        """Return one entry, with the state that counts, and the bytes of its file.

        Raises what store.read.read_entry raises.
        """
        entry, data = read_entry(self.layout.root, self.layout.store_path, ident)
        known = {other.id: other.review_state for other in self.contents.entries}
        return replace(entry, review_state=known.get(ident, entry.review_state)), data

    def sharing(self) -> exclude.Sharing:
        """Return whether the store is private or tracked."""
        layout = self.layout
        return exclude.read_sharing(self.git, layout.main, layout.place.common_dir, layout.store_path)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock. Raises LockedError, and EndangeredStoreError before anything is written."""
        if self.endangered:
            raise EndangeredStoreError(
                f"{self.layout.store_path} is private, but HEAD tracks .klide, so a checkout could overwrite it: "
                "run `git mem init --track`, or `git rm -r --cached .klide` and commit"
            )
        with self.locked():
            yield

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the writer's lock, whatever the state of the store: what mends it needs the lock too."""
        lock = self.layout.place.common_dir / "mem" / "lock"
        with writer_lock(lock, self.settings.lock_timeout):
            yield


def open_workspace(directory: Path, environ: Mapping[str, str]) -> Workspace:
    """Return the workspace of a directory. Raises LayoutError."""
    git = Git(environ)
    return Workspace(git, resolve(git, locate(git, directory, environ)))
