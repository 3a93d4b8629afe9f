"""The composition root: one worktree, its store and everything about them, each opened when first needed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gitmem.entry.frontmatter import UnreadableEntry
from gitmem.entry.model import Entry
from gitmem.entry.parse import parse_entry
from gitmem.entry.rules import SUFFIX
from gitmem.errors import GitMemError
from gitmem.evidence.history import VERSION
from gitmem.evidence.target import Target, worktree_of
from gitmem.git import exclude
from gitmem.git.config import read_mem_config
from gitmem.git.layout import Layout, given_index, locate, resolve
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError
from gitmem.git.repository import Repository
from gitmem.git.run import Git
from gitmem.search.cited import add_cited, write_cited
from gitmem.search.consult import StoreIndex
from gitmem.settings import Settings, parse_settings
from gitmem.storage.cache import FileCache
from gitmem.storage.directory import opened_directory
from gitmem.storage.lock import writer_lock
from gitmem.store.place import StorePlace
from gitmem.store.read import StoreContents, counting, read_entry, read_store
from gitmem.store.recording import read_tip
from gitmem.store.view import read_settled
from gitmem.text import counted
from gitmem.text.content import HUGE

if TYPE_CHECKING:
    from gitmem.search.project import ProjectFiles
    from gitmem.store.transaction import Deed

_KEPT: Final = 16  # commits whose history is kept: a few worktrees, and where each of them stood before


class EndangeredStoreError(GitMemError):
    """The store is private, yet HEAD tracks its path: the next checkout could overwrite entries."""


class VanishedStoreError(GitMemError):
    """The directory of the store is gone, and what it held is recorded: writing now would make the loss look meant."""


class Workspace:
    """What a verb works on. Reading it never creates anything."""

    def __init__(self, git: Git, layout: Layout) -> None:
        self.git = git
        self.layout = layout
        self.removed_by_hand: tuple[str, ...] = ()  # what the last transaction found so: names of files

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
        return FileCache(self.state / "history", VERSION, _KEPT)

    @cached_property
    def settings(self) -> Settings:
        """The settings that hold here. Raises SettingError."""
        return parse_settings(read_mem_config(self.git, self.layout.worktree))

    @cached_property
    def place(self) -> StorePlace:
        """Where the store is, and what stands beside it."""
        layout = self.layout
        return StorePlace(
            git=self.git,
            worktree=layout.worktree,
            common_dir=layout.place.common_dir,
            object_format=layout.place.own.object_format,
            root=layout.root,
            path=layout.store_path,
            recorded=self.settings.history,
            patience=self.settings.lock_timeout,
        )

    @property
    def state(self) -> Path:
        """The directory of the lock and the journal; a reader needs no settings to know it."""
        return self.layout.place.common_dir / "mem"

    @cached_property
    def contents(self) -> StoreContents:
        """The store, read once. Each entry's state is the one that counts: supersedes pointers are honoured."""
        self.settle()
        root, path = self.layout.root, self.layout.store_path
        return counting(read_settled(self.state, lambda view: read_store(root, path, view)))

    @cached_property
    def index(self) -> StoreIndex:
        """The index of the store: derived, shared by all worktrees, and never needed."""
        return StoreIndex(self.state, self.layout.root, self.layout.store_path)

    @cached_property
    def files(self) -> "ProjectFiles":
        """The index of the project's files: derived, shared by all worktrees, and never needed."""
        # A search for entries, the most frequent command, need not load what cuts files.
        from gitmem.search.project import ProjectFiles  # noqa: PLC0415  loaded late: see above

        place = self.layout.place
        return ProjectFiles(self.state, place.git_dir, place.common_dir, self.settings.lock_timeout, self._load)

    def _load(self, oid: str) -> bytes | None:
        """Return the content of a blob, of a huge one just too much; None if it is not in the repository."""
        objects = self.repository.objects
        try:
            return bytes(HUGE + 1) if objects.size(oid) > HUGE else objects.blob(oid)
        except (ObjectMissingError, ObjectDamagedError):
            return None

    def reread(self) -> None:
        """Read the store anew when it is asked for next: what was read before a lock was taken does not count."""
        self.__dict__.pop("contents", None)

    @cached_property
    def store_exists(self) -> bool:
        """Whether the store is there; its entries are not read for it. Raises DirectoryRefusedError."""
        return self._directory_exists()

    def _directory_exists(self) -> bool:
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
        self.settle()
        root, path = self.layout.root, self.layout.store_path
        entry, data = read_settled(self.state, lambda view: read_entry(root, path, ident, view))
        known = {other.id: other.review_state for other in self.contents.entries}
        return replace(entry, review_state=known.get(ident, entry.review_state)), data

    def sharing(self) -> exclude.Sharing:
        """Return whether the store is private or tracked."""
        layout = self.layout
        return exclude.read_sharing(self.git, layout.main, layout.place.common_dir, layout.store_path)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock, nothing unfinished behind one; what was read before it is read anew.

        Raises LockedError, and EndangeredStoreError and VanishedStoreError before anything is written.
        """
        self._refuse_endangered()
        with self.locked():
            self.refuse_vanished()
            self._recover()
            self.reread()
            yield

    def _refuse_endangered(self) -> None:
        if self.endangered:
            raise EndangeredStoreError(
                f"{self.layout.store_path} is private, but HEAD tracks .klide, so a checkout could overwrite it: "
                "run `git mem init --track`, or `git rm -r --cached .klide` and commit"
            )

    def transact(self, deed: "Deed") -> tuple[str, ...]:
        """Carry a deed out and return the ids of its new entries; to be called within `writing`.

        Raises what store.transaction.transact raises.
        """
        # A command that only reads, a search before all, need not load what writes.
        from gitmem.store.transaction import transact  # noqa: PLC0415  loaded late: see above

        self._recover()  # what waited for the directory of the store, if that was made only now
        head = self.repository.head.oid
        written = transact(self.place, replace(deed, head=head, tell_removed=self._note_removed))
        add_cited(self.place.cited, _written_entries(deed))
        self.reread()
        return written

    def note_cited(self) -> None:
        """Write down what entries cite, for the hooks. Raises what asking the index raises."""
        write_cited(self.place.cited, self.index.ask(lambda index, _load: index.cited()))

    def _note_removed(self, names: Sequence[str]) -> None:
        self.removed_by_hand = tuple(names)

    def lost(self) -> int:
        """Return how many entries are recorded of a store whose directory is gone. Raises RefDamagedError."""
        if self._directory_exists():
            return 0
        place = self.place
        if not place.recorded or not place.recorded_here or self._is_elsewhere():
            return 0
        return len(read_tip(place).files)

    def _is_elsewhere(self) -> bool:
        """Whether the commit that is checked out has no store, where git tracks it: another commit has it."""
        main = self.layout.main
        tracked = main is not None and self.sharing() is exclude.Sharing.TRACKED
        return tracked and main is not None and not exclude.head_tracks(self.git, main, self.layout.store_path)

    def refuse_vanished(self) -> None:
        """Raise VanishedStoreError where the directory of the store is gone and entries of it are recorded."""
        lost = self.lost()
        if lost:
            raise VanishedStoreError(
                f"{self.layout.store_path} is gone, and with it {counted(lost, 'recorded entry', 'recorded entries')}: "
                "run `git mem restore` to bring them back, or `git mem init` to begin anew"
            )

    def settle(self) -> None:
        """Carry a killed writer's transaction to its end, if nobody else is at it and the disk can be written to.

        Otherwise the readers lay it over the files: the answer is the same.
        """
        with suppress(GitMemError, OSError):
            if self.place.journal.pending() is not None:
                with writer_lock(self.place.state / "lock", 0):
                    self._recover()

    @contextmanager
    def mending(self) -> Iterator[None]:
        """Hold the writer's lock as `writing` does, for what works without the directory of the store too."""
        self._refuse_endangered()
        with self.locked():
            self._recover()
            self.reread()
            yield

    def _recover(self) -> None:
        from gitmem.store.recovery import recover  # noqa: PLC0415  loaded late, as transactions are

        recover(self.place)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the writer's lock, whatever the state of the store: what mends it needs the lock too."""
        with writer_lock(self.place.state / "lock", self.settings.lock_timeout):
            yield


def _written_entries(deed: "Deed") -> Iterator[Entry]:
    yield from (creation.entry for creation in deed.creations)
    contents = {one.ident: one.new for one in deed.replacements}
    contents |= {name.removesuffix(SUFFIX): one.data for name, one in deed.revived.items()}
    for ident, data in contents.items():
        with suppress(UnreadableEntry):
            yield parse_entry(ident, data, fallback_date="")


def open_workspace(directory: Path, environ: Mapping[str, str]) -> Workspace:
    """Return the workspace of a directory. Raises LayoutError."""
    git = Git(environ)
    place = locate(git, directory, environ)
    git = replace(git, index=given_index(environ, place))
    return Workspace(git, resolve(git, place))
