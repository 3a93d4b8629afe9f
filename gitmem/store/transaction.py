"""Transactions: what is written to a store is written whole, recorded, and carried on by whoever comes next.

In this order: the new contents are written beside their places and the commit is made, which is what can be refused;
the journal's record decides; the files are put in their places; the ref is moved; the journal is put to rest. Before
the record is in place nothing has happened, from then on everything has.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.entry.model import Entry
from gitmem.entry.rules import SUFFIX, new_id
from gitmem.errors import GitMemError
from gitmem.git.objects import TreeEntry
from gitmem.storage.directory import FileRefusedError, opened, opened_directory, read_bounded, resolve_name
from gitmem.storage.files import remove_litter
from gitmem.storage.journal import Record, Step, digest_of
from gitmem.store.apply import OvertakenError, carry_out, under_construction, undo
from gitmem.store.place import StorePlace
from gitmem.store.recording import (
    commit_state,
    look_at_files,
    message_of,
    publish,
    read_tip,
    record_state,
    take_in_hand_edits,
)
from gitmem.store.snapshot import Snapshot, file_entry
from gitmem.store.view import id_digest, read_forgotten


class StoreGoneError(GitMemError):
    """There is no store to write to."""


class UnfinishedError(GitMemError):
    """A transaction is decided, and can be neither finished nor taken back now. Whoever comes next finishes it."""


class EntryChangedError(GitMemError):
    """An entry changed between the moment it was read and the moment it was to be written."""


class Creation(NamedTuple):
    """A new entry and its file. The id is found when it is written."""

    entry: Entry
    data: bytes


class Replacement(NamedTuple):
    """An entry whose file is to be replaced: its id, what the file holds, and what it shall hold."""

    ident: str
    old: bytes
    new: bytes


class Revival(NamedTuple):
    """A file that comes back as it was recorded: what the tree has of it, and its content.

    A link stands in its place already when the transaction begins.
    """

    entry: TreeEntry
    data: bytes


def _tell_nobody(_names: Sequence[str]) -> None:
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What one transaction does, and what it is called: one word, as `git mem log` shows it.

    `revived` are files that come back, by name. `head` is where HEAD of the writing worktree stands. `idents` are what
    the deed is told to be about, by default the new entries, or else all that it replaces. `tell_removed` gets the
    names of the files that people removed by hand since the last transaction, which is recorded now.
    """

    verb: str
    creations: Sequence[Creation] = ()
    replacements: Sequence[Replacement] = ()
    revived: Mapping[str, Revival] = field(default_factory=dict)
    head: str | None = None
    idents: Sequence[str] = ()
    tell_removed: Callable[[Sequence[str]], None] = _tell_nobody


@dataclass(slots=True)
class _Plan:
    """The steps of a deed, the ids of its new entries, and the contents that it replaces, by their digests."""

    steps: list[Step] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    old: dict[str, bytes] = field(default_factory=dict)


def transact(place: StorePlace, deed: Deed) -> tuple[str, ...]:
    """Carry a deed out and return the ids of the new entries; all of it happens or nothing.

    The caller holds the writer's lock and has called `recover`. Raises StoreGoneError, EntryChangedError, and OSError
    where the disk refuses.
    """
    with opened_directory(place.root, place.path) as directory:
        if directory is None:
            raise StoreGoneError(f"{place.path} vanished while it was written to: run `git mem init`, then try again")
        sweep(place, directory)
        plan = _plan(place, directory, deed)
        idents = list(deed.idents or plan.created or [change.ident for change in deed.replacements])
        message = message_of(deed.verb, idents, deed.head)
        with under_construction(directory, plan.steps) as temporaries:
            record = Record(tuple(plan.steps), message)
            if place.recorded:
                record = _with_commit(place, directory, record, temporaries, deed)
            placed: dict[str, str] = {}
            try:
                place.journal.decide(record)
                carry_out(directory, record.steps, temporaries, placed=placed, taken=_is_taken(place, directory))
                _record(place, record, placed)
            except BaseException as error:
                _take_back(place, directory, plan, placed)
                if isinstance(error, OvertakenError):
                    raise _changed(error.ident) from error
                raise
    with suppress(OSError):  # all is done, and whoever comes next finds it so
        place.journal.finish()
        place.note_place()
    return tuple(placed[ident + SUFFIX].removesuffix(SUFFIX) for ident in plan.created)


def sweep(place: StorePlace, directory: int | None) -> None:
    """Remove what killed writers left under construction, among the entries, if any, and beside the journal."""
    if directory is not None:
        remove_litter(directory)
    with opened(place.state) as state:
        remove_litter(state)


def _record(place: StorePlace, record: Record, placed: Mapping[str, str]) -> None:
    as_planned = all(name == on_disk for name, on_disk in placed.items())
    told = as_planned and record.commit is not None and publish(place, record.commit, record.tip)
    if place.recorded and not told:
        record_state(place, record.message)


def _take_back(place: StorePlace, directory: int, plan: _Plan, placed: Mapping[str, str]) -> None:
    """Undo what was done of a transaction that failed. Raises UnfinishedError where the disk refuses that too."""
    try:
        undo(directory, plan.steps, plan.old, placed)
        if place.journal.pending() is not None:  # otherwise it was the decision that the disk refused
            place.journal.finish()
    except OSError as error:
        if place.journal.pending() is None:  # it was never decided, or is taken back all the same
            return
        told = (error.strerror or str(error)).lower()
        raise UnfinishedError(
            f"what was decided could be neither finished nor taken back: {told}: the next command finishes it, once "
            "the disk allows that"
        ) from error


def _with_commit(
    place: StorePlace, directory: int, record: Record, temporaries: Mapping[str, str], deed: Deed
) -> Record:
    """Return the record with the commit that the transaction becomes; its objects are stored, and no ref moved.

    What only comes back to where it is recorded leaves no commit.
    """
    tip = read_tip(place)
    found = look_at_files(place, directory)
    kept = {name: entry for name, entry in found.files.items() if name not in deed.revived}
    before = take_in_hand_edits(place, tip, Snapshot(kept, found.unread | set(deed.revived)), deed.head)
    deed.tell_removed(sorted(tip.files.keys() - before.files.keys()))
    back = {name: revival.entry for name, revival in deed.revived.items()}
    new = {s.name: file_entry(s.after, place.object_format) for s in record.steps if s.after is not None}
    files = {**before.files, **back, **new}
    after = before if files == before.files else commit_state(place, before, files, record.message, temporaries)
    return Record(record.steps, record.message, tip.commit, None if after is tip else after.commit)


def _plan(place: StorePlace, directory: int, deed: Deed) -> _Plan:
    plan = _Plan()
    plan.steps += replacing(directory, deed.replacements)
    plan.old |= {digest_of(change.old): change.old for change in deed.replacements}
    plan.steps += _reviving(directory, deed.revived)
    taken = _is_taken(place, directory)
    for creation in deed.creations:
        ident = new_id(creation.entry.date, creation.entry.title, lambda one: one in plan.created or taken(one))
        plan.created.append(ident)
        plan.steps.append(Step(ident + SUFFIX, None, creation.data))
    return plan


def replacing(directory: int, replacements: Sequence[Replacement]) -> list[Step]:
    """Return the steps that replace the files of entries. Raises EntryChangedError for one that is another one now."""
    steps: dict[str, Step] = {}  # an entry with two names is one file
    for change in replacements:
        name = _replaceable(directory, change)
        step = Step(name, digest_of(change.old), change.new)
        if steps.setdefault(name, step) != step:
            raise _changed(change.ident)
    return list(steps.values())


def reviving(revived: Mapping[str, Revival]) -> list[Step]:
    """Return the steps that put files back where there are none; a link needs no step."""
    return [Step(name, None, revival.data) for name, revival in revived.items() if revival.entry.is_file]


def _reviving(directory: int, revived: Mapping[str, Revival]) -> list[Step]:
    steps = reviving(revived)
    for name in {step.name for step in steps} & set(os.listdir(directory)):
        raise _changed(name.removesuffix(SUFFIX))
    return steps


def _replaceable(directory: int, change: Replacement) -> str:
    try:
        name = resolve_name(directory, change.ident + SUFFIX)
        same = read_bounded(directory, name, MAX_BYTES)[0] == change.old
    except (FileRefusedError, OSError):
        same = False
    if not same:
        raise _changed(change.ident)
    return name


def _changed(ident: str) -> EntryChangedError:
    return EntryChangedError(f"{ident} changed meanwhile, so nothing was written: run it again")


def _is_taken(place: StorePlace, directory: int) -> Callable[[str], bool]:
    """Return what tells whether an id is in use.

    By a file, by an entry that must not come back, or by one that is gone and that another file says to supersede: a
    new entry of its name would be superseded from the start.
    """
    names = {name.removesuffix(SUFFIX) for name in os.listdir(directory)}
    forgotten = read_forgotten(place.state)
    return lambda one: one in names or id_digest(one) in forgotten or _is_superseded(directory, names, one)


def _is_superseded(directory: int, names: Iterable[str], ident: str) -> bool:
    pointer = re.compile(rb"^[ \t\"']*supersedes\b.*" + re.escape(ident.encode("ascii")) + rb"\b", re.MULTILINE)
    for name in names:
        with suppress(FileRefusedError):
            if pointer.search(read_bounded(directory, name + SUFFIX, MAX_BYTES)[0]):
                return True
    return False
