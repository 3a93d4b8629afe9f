"""Entry files that are recorded and not there: which they are, and how they come back.

While a transaction waits for its store, both become one: the record in the journal gets what was lost as further
steps, so that whoever carries it on finds the store that it was meant for.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from gitmem.entry.rules import SUFFIX
from gitmem.git.objects import TreeEntry, blob_id, is_link
from gitmem.git.record import list_files, read_blobs
from gitmem.git.run import GitFailedError
from gitmem.storage.cache import FileCache
from gitmem.storage.directory import opened_directory
from gitmem.storage.files import remove_file
from gitmem.storage.journal import Record
from gitmem.store.place import StorePlace
from gitmem.store.read import Unreadable
from gitmem.store.recording import Tip, message_of, read_tip
from gitmem.store.recovery import recover
from gitmem.store.snapshot import file_entry, take_snapshot
from gitmem.store.transaction import Revival, reviving
from gitmem.store.view import read_view
from gitmem.text import visible_line


class Lost(NamedTuple):
    """The recorded files that are not there, by name, and the commit that has each, None if only the journal has it.

    `there` are the names in the directory of the store; `gone` says that there is none.
    """

    files: Mapping[str, TreeEntry]
    commits: Mapping[str, str | None]
    there: frozenset[str]
    gone: bool


@dataclass(frozen=True, slots=True)
class ByHand:
    """How many files people changed, added and removed since the last transaction: the history has it not yet."""

    changed: int = 0
    added: int = 0
    missing: int = 0


def find_lost(place: StorePlace) -> Lost:
    """Return what a store should have, and has not. Entries that were forgotten are not lost.

    Raises JournalDamagedError, RefDamagedError and DirectoryRefusedError.
    """
    tip, unrecorded = _settled_tip(place)
    view = read_view(place.state)
    with opened_directory(place.root, place.path) as directory:
        there = frozenset() if directory is None else _names(directory)
    files = {
        name: entry
        for name, entry in tip.files.items()
        if _can_be_there(name) and name not in there and not view.is_forgotten(name.removesuffix(SUFFIX))
    }
    commits = {name: None if name in unrecorded else tip.commit for name in files}
    return Lost(files, commits, there, gone=directory is None)


def _names(directory: int) -> frozenset[str]:
    return frozenset(os.listdir(directory))


def read_recorded(
    place: StorePlace, files: Mapping[str, TreeEntry]
) -> tuple[dict[str, Revival], tuple[Unreadable, ...]]:
    """Return what recorded files held, and which of them cannot be read any more, with the reason."""
    blobs = read_blobs(place.git, place.worktree, {entry.oid for entry in files.values()})
    contents = {**_pending_contents(place), **blobs}
    found: dict[str, Revival] = {}
    refused: list[Unreadable] = []
    for name, entry in sorted(files.items()):
        data = contents.get(entry.oid)
        reason = _why_not(entry, data)
        if data is None or reason is not None:
            refused.append(Unreadable(visible_line(name), reason or "lost"))
        else:
            found[name] = Revival(entry, data)
    return found, tuple(refused)


def make_again(place: StorePlace, revived: Mapping[str, Revival], head: str | None, make: Callable[[], object]) -> None:
    """Let files come back to a directory that `make` makes again, together with a transaction that waits for it.

    It is decided before there is a directory: from then on whoever finds it empty knows what is missing. The caller
    holds the writer's lock.
    """
    idents = [name.removesuffix(SUFFIX) for name in revived]
    record = place.journal.pending() or Record(message=message_of("restore", idents, head))
    back = {step.name: step for step in reviving(revived)}
    steps = [back.pop(step.name, step) for step in record.steps]
    place.journal.decide(replace(record, steps=(*steps, *back.values())))
    make()
    with links_in_place(place, revived):
        recover(place)


@contextmanager
def links_in_place(place: StorePlace, revived: Mapping[str, Revival]) -> Iterator[None]:
    """Put the links among some files in their places, for good if the body of the `with` comes to its end.

    A link needs no record of its own: while it leads nowhere it counts as it is recorded.
    """
    made: list[str] = []
    with opened_directory(place.root, place.path) as directory:
        if directory is None:
            yield
            return
        try:
            for name, revival in revived.items():
                if is_link(revival.entry.mode):
                    os.symlink(revival.data, name, dir_fd=directory)
                    made.append(name)
            yield
        except BaseException:
            for name in made:
                remove_file(directory, name)
            raise
        os.fsync(directory)


def edits_by_hand(place: StorePlace, tip: Tip) -> ByHand:
    """Return what people did to the files themselves since `tip` was recorded; a transaction that waits is not theirs.

    Nothing is kept of what was read for it. Raises DirectoryRefusedError.
    """
    view = read_view(place.state)
    kept = place.snapshots
    cache = _ReadOnlyCache(kept.directory, kept.version, kept.keep)
    with opened_directory(place.root, place.path) as directory:
        if directory is None:
            return ByHand()
        found = take_snapshot(
            directory, place.object_format, cache, lambda name: view.is_forgotten(name.removesuffix(SUFFIX))
        )
    now = {name: entry for name, entry in found.as_recorded(tip.listing).items() if name not in view.pending}
    then = {name: entry for name, entry in tip.files.items() if name not in view.pending}
    return ByHand(
        changed=sum(now[name] != then[name] for name in now.keys() & then.keys()),
        added=len(now.keys() - then.keys()),
        missing=len(then.keys() - now.keys()),
    )


class _ReadOnlyCache(FileCache):
    """A cache that a reader looks into and leaves as it is."""

    def write(self, name: str, content: bytes) -> None:
        """Keep nothing."""


def _settled_tip(place: StorePlace) -> tuple[Tip, Collection[str]]:
    """Return the newest recorded state as it is when the pending transaction is carried out.

    Beside it come the names of the files of which it has what nothing but the journal has.
    """
    tip = read_tip(place)
    record = place.journal.pending()
    if record is None:
        return tip, ()
    if record.commit is not None and record.tip == tip.commit:
        with suppress(GitFailedError):  # pruned, since no ref names it yet
            listing = list_files(place.git, place.worktree, record.commit)
            return Tip(record.commit, {name: listing[name] for name in listing.keys() - _removed(record)}), ()
    new = {step.name: file_entry(step.after, place.object_format) for step in record.steps if step.after is not None}
    kept = {name: tip.listing[name] for name in tip.listing.keys() - _removed(record)}
    return Tip(tip.commit, {**kept, **new}), new.keys()


def _removed(record: Record) -> set[str]:
    return {step.name for step in record.steps if step.after is None}


def _pending_contents(place: StorePlace) -> dict[str, bytes]:
    record = place.journal.pending()
    contents = [step.after for step in record.steps if step.after is not None] if record is not None else []
    return {blob_id(data, place.object_format): data for data in contents}


def _can_be_there(name: str) -> bool:
    # What others put into a tree need not be the name of a file, nor of one that would be an entry.
    return "/" not in name and not name.startswith(".")


def _why_not(entry: TreeEntry, data: bytes | None) -> str | None:
    if not entry.is_file and not is_link(entry.mode):
        return "it is recorded as no regular file"
    if data is None:
        return "its recorded content is lost or damaged: fetch it, or restore a backup"
    if is_link(entry.mode) and (b"/" in data or data in {b"", b".", b".."}):
        return "it is recorded as a symbolic link that leaves the store"
    return None
