"""Puts questions to the index of a store that others may write to meanwhile: every answer is of one moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias, TypeVar

from gitmem.entry.model import Entry
from gitmem.entry.rules import SUFFIX
from gitmem.errors import GitMemError
from gitmem.search.entries import EntryIndex, Known, digest_of
from gitmem.search.keep import IndexState, Keeper, index_of
from gitmem.storage.directory import opened_directory
from gitmem.storage.journal import Journal
from gitmem.storage.lock import no_writer
from gitmem.store.place import INDEX
from gitmem.store.read import Unreadable, read_listed
from gitmem.store.view import View, read_settled

_PATIENCE: Final = 10.0  # seconds, for a writer to come to an end
_ATTEMPTS: Final = 8  # readings of a store in which files change all the time

Load: TypeAlias = Callable[[Known], Entry]
Answer = TypeVar("Answer")


class StoreChangingError(GitMemError):
    """Files of the store changed under every attempt to read them."""


class _ChangedError(Exception):
    """An entry is no longer what was indexed a moment ago."""


@dataclass(frozen=True)
class StoreIndex:
    """The index of the store at `root/path`, kept in `state`, the directory of the journal and the lock."""

    state: Path
    root: Path
    path: PurePosixPath

    @cached_property
    def keeper(self) -> Keeper:
        """What keeps the index."""
        return Keeper(self.state / INDEX)

    def ask(self, question: Callable[[EntryIndex, Load], Answer]) -> Answer:
        """Return what a question makes of the index, and of the entries that it loads.

        Entries are loaded in the state that counts. The question may be put several times, where the store changes
        under it. Raises DirectoryRefusedError and StoreChangingError.
        """
        for _ in range(_ATTEMPTS):
            with suppress(_ChangedError):
                return read_settled(self.state, lambda view: self._ask(question, view, strict=True))
        try:  # with what the files hold now, as long as they hold entries
            return read_settled(self.state, lambda view: self._ask(question, view, strict=False))
        except _ChangedError:
            raise StoreChangingError("the entries change faster than they can be read: try again") from None

    def look(self) -> IndexState:
        """Return what is kept of the index. Raises DirectoryRefusedError."""
        return read_settled(self.state, self._look)

    def _look(self, view: View) -> IndexState:
        with opened_directory(self.root, self.path) as directory:
            return IndexState.MISSING if directory is None else self.keeper.state(directory, view)

    def renew(self) -> EntryIndex:
        """Make the index anew, whatever is kept, and return it. Raises DirectoryRefusedError."""
        return read_settled(self.state, self._renew)

    def _renew(self, view: View) -> EntryIndex:
        with opened_directory(self.root, self.path) as directory, self._publishing(_PATIENCE):
            if directory is None:
                return index_of((), self.keeper.analyser)
            return self.keeper.renewed(directory, view)

    def _ask(self, question: Callable[[EntryIndex, Load], Answer], view: View, *, strict: bool) -> Answer:
        with opened_directory(self.root, self.path) as directory, self._publishing():
            if directory is None:
                return question(index_of((), self.keeper.analyser), _nothing)
            index = self.keeper.current(directory, view)
            return question(index, lambda known: _load(directory, known, view, strict=strict))

    @contextmanager
    def _publishing(self, patience: float = 0.0) -> Iterator[None]:
        journal = Journal(self.state)
        before = journal.state()

        @contextmanager
        def unchanged() -> Iterator[bool]:
            # Whoever forgets an entry holds this lock: no index that still has it takes its place behind their back.
            with no_writer(self.state / "lock", patience) as alone:
                yield alone and journal.state() == before

        self.keeper.allowed = unchanged
        yield


def _load(directory: int, known: Known, view: View, *, strict: bool) -> Entry:
    found = read_listed(directory, known.id + SUFFIX, view)
    if found is None or isinstance(found, Unreadable) or (strict and digest_of(*found) != known.digest):
        raise _ChangedError
    return replace(found[0], review_state=known.state)


def _nothing(known: Known) -> Entry:
    raise KeyError(known.id)
