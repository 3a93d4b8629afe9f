"""Forgets entries for good: their files, what is derived from them, and their history; a digest of each id stays.

What was decided cannot be taken back: whoever comes next carries it on.
"""

import os
import re
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from gitmem.entry.edit import remove_field, set_field
from gitmem.entry.frontmatter import MAX_BYTES, UnreadableEntry
from gitmem.entry.model import SCHEMA_VERSION
from gitmem.entry.parse import parse_entry
from gitmem.entry.rules import SUFFIX
from gitmem.errors import GitMemError
from gitmem.git.layout import list_worktrees
from gitmem.git.purge import HistoryFormatError, Pruned, candidates, prune, rewrite
from gitmem.git.record import read_blobs
from gitmem.git.refs import (
    STORE_REF,
    RefDamagedError,
    RefMovedError,
    delete_ref,
    forget_reflog,
    move_ref,
    read_ref,
    refs_below,
)
from gitmem.git.run import GitFailedError, GitTimeoutError
from gitmem.git.strays import Loose, empty_objects
from gitmem.storage.directory import FileRefusedError, opened_directory, read_bounded
from gitmem.storage.files import remove_file, remove_litter, write_temporary
from gitmem.storage.journal import Purge, Record, Step
from gitmem.store.apply import carry_on, under_construction
from gitmem.store.edits import remove_kept_edits
from gitmem.store.history import is_entry_file
from gitmem.store.place import StorePlace
from gitmem.store.recording import STORE_REFS, message_of, read_tip, record_hand_edits, record_state
from gitmem.store.salvage import kept_journals
from gitmem.store.snapshot import FORGOTTEN_TREE
from gitmem.store.transaction import Replacement, StoreGoneError, UnfinishedError, replacing, sweep
from gitmem.store.view import id_digest, write_forgotten

DRAFTS: Final = PurePosixPath(".klide/drafts")
"""Where drafts are, relative to the root."""


class NotAFileError(GitMemError):
    """Where the file of an entry should be stands something that cannot be removed as one. Nothing was removed."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became of the objects that held the text, and the refs whose history could not be read, with the reason."""

    pruned: Pruned
    failures: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Traces:
    """What still names forgotten ids: entries by their text, links by where they lead, other files by their names.

    `left` are paths from the root, the others ids.
    """

    mentioned: tuple[str, ...]
    links: tuple[str, ...]
    left: tuple[str, ...]


def forget_entries(
    place: StorePlace, pointers: Mapping[str, str | None], changes: Sequence[Replacement], head: str | None
) -> Forgotten:
    """Forget entries, whether they are in the store, in its history or among the drafts.

    `pointers` says what each of them superseded, so that the pointers of others close the gap; `changes` are those of
    the files that have such a pointer. The caller holds the writer's lock and has called `recover`. Raises, before
    anything is decided, DirectoryRefusedError, NotAFileError, StoreGoneError, EntryChangedError and OSError.
    """
    _refuse_obstacles(place, pointers)
    if _unreadable_tip(place) is None:
        record_hand_edits(place, pointers, head)  # what people did to other entries is not part of this
    steps = [Step(ident + SUFFIX, None, None) for ident in pointers]
    with opened_directory(place.root, place.path) as directory:
        steps += [] if directory is None else replacing(directory, changes)
    # Of a file that was never recorded nothing else tells the title, once it is removed.
    strays = _alike(place, _titles_on_disk(place, pointers))
    record = Record(tuple(steps), message_of("forget", [], head), forget=tuple(pointers.items()), strays=strays)
    _refuse_unwritable(place)
    place.journal.decide(record)
    try:
        return carry_forgetting_on(place, record)
    except (GitMemError, OSError) as error:
        told = error.message if isinstance(error, GitMemError) else (error.strerror or str(error)).lower()
        raise UnfinishedError(
            f"what was named is forgotten, but traces of it are left: {told}: the next command goes on, once it can"
        ) from error


def _refuse_unwritable(place: StorePlace) -> None:
    """Find out whether files can be removed, before that is decided. Raises OSError."""
    for below in (place.path, DRAFTS):
        with opened_directory(place.root, below) as directory:
            if directory is not None:
                remove_file(directory, write_temporary(directory, b""))


def carry_forgetting_on(place: StorePlace, record: Record) -> Forgotten:
    """Do what is left to do of entries that are to be forgotten, and put the journal to rest."""
    idents = [ident for ident, _ in record.forget]
    write_forgotten(place.state, [id_digest(ident) for ident in idents])
    _remove_files(place, record, idents)
    failures: dict[str, str] = {}
    if record.purges is None:
        purges = _purges(place, dict(record.forget), failures)
        strays = dict.fromkeys([*record.strays, *_strays(place, idents, purges)])
        record = replace(record, purges=purges, strays=tuple(strays))
        place.journal.decide(record)  # from here on only the record knows which objects are to go
    for purge in record.purges or ():
        _move(place, purge)
    damage = _unreadable_tip(place)
    if damage is not None:
        failures.setdefault(STORE_REF, damage)
    elif place.recorded:
        record_state(place, record.message)
    oids = [oid for purge in record.purges or () for oid in purge.objects]
    pruned = prune(place.git, place.worktree, place.common_dir, list(dict.fromkeys([*oids, *record.strays])))
    place.journal.finish()
    return Forgotten(_about(pruned, set(oids)), failures)


def mended(data: bytes, forget: Mapping[str, str | None]) -> bytes:
    """Return an entry file whose `supersedes` names no forgotten entry, but what that one superseded itself."""
    if not any(ident.encode("ascii") in data for ident in forget):
        return data
    with suppress(UnreadableEntry):  # what cannot be changed line by line still names it, and is told
        target = parse_entry("", data, fallback_date="").supersedes
        if target is not None and target in forget:
            heir = _heir(target, forget)
            return remove_field(data, "supersedes") if heir is None else set_field(data, "supersedes", heir)
    return data


def _heir(ident: str, forget: Mapping[str, str | None]) -> str | None:
    """Return what stands at the end of a chain of forgotten entries; None where it ends with one, or goes round."""
    seen: set[str] = set()
    following: str | None = ident
    while following is not None and following in forget:
        if following in seen:
            return None
        seen.add(following)
        following = forget[following]
    return following


def _refuse_obstacles(place: StorePlace, idents: Collection[str]) -> None:
    """Refuse what would stop everything after it was decided, since no other writer could go on then either."""
    if place.journal.pending() is not None:
        raise StoreGoneError(
            f"{place.path} is gone, and a transaction waits for it: run `git mem restore` first, then forget it again"
        )
    for below in (place.path, DRAFTS):
        with opened_directory(place.root, below) as directory:
            names = [] if directory is None else [ident + SUFFIX for ident in idents]
            for name in names:
                if _is_directory(directory, name):
                    raise NotAFileError(f"{below / name} is a directory: move it away, then forget it again")


def _is_directory(directory: int | None, name: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _unreadable_tip(place: StorePlace) -> str | None:
    """Return why the newest recorded state cannot be read, None if it can."""
    try:
        read_tip(place)
    except (RefDamagedError, GitFailedError) as error:
        return error.message
    return None


def find_traces(place: StorePlace, idents: Collection[str]) -> Traces:
    """Return what names one of the ids in the directories of the entries and the drafts."""
    with opened_directory(place.root, place.path) as directory:
        found = Traces((), (), ()) if directory is None else _traces(directory, place.path, idents)
    with opened_directory(place.root, DRAFTS) as directory:
        more = () if directory is None else _named_after(directory, DRAFTS, idents)
    return replace(found, left=(*found.left, *more))


def copies_in_worktrees(place: StorePlace, idents: Collection[str]) -> tuple[str, ...]:
    """Return the files of a tracked store that other worktrees have checked out, as paths from the root."""
    names = [ident + SUFFIX for ident in idents]
    found = (worktree / place.path / name for worktree in list_worktrees(place.git, place.worktree) for name in names)
    return tuple(os.path.relpath(path, place.root) for path in found if os.path.lexists(path))


def _traces(directory: int, path: PurePosixPath, idents: Collection[str]) -> Traces:
    entries = [name for name in sorted(os.listdir(directory)) if is_entry_file(name)]
    links = [name for name in entries if _leads_to(directory, name, idents)]
    mentioned = [name for name in entries if name not in links and _names_one(directory, name, idents)]
    return Traces(_stems(mentioned), _stems(links), _named_after(directory, path, idents))


def _stems(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.removesuffix(SUFFIX) for name in names)


def _named_after(directory: int, path: PurePosixPath, idents: Collection[str]) -> tuple[str, ...]:
    """Return what editors and people keep beside a file: backups, swap files, copies."""
    pattern = re.compile(rf"(?<![A-Za-z0-9_-]){_any_of(idents)}(?![A-Za-z0-9_-])")
    names = (name for name in sorted(os.listdir(directory)) if not is_entry_file(name))
    return tuple(str(path / name) for name in names if pattern.search(name))


def _any_of(idents: Collection[str]) -> str:
    return f"(?:{'|'.join(re.escape(ident) for ident in sorted(idents))})"


def _leads_to(directory: int, name: str, idents: Collection[str]) -> bool:
    try:
        target = os.readlink(name, dir_fd=directory)
    except OSError:
        return False
    return re.fullmatch(rf"(?:.*/)?{_any_of(idents)}{re.escape(SUFFIX)}", target, re.DOTALL) is not None


def _names_one(directory: int, name: str, idents: Collection[str]) -> bool:
    with suppress(FileRefusedError):
        return _name_in(read_bounded(directory, name, MAX_BYTES)[0], idents)
    return False


def _name_in(data: bytes, idents: Collection[str]) -> bool:
    # An id goes on behind a dot only where a letter follows; `.md` is no part of it.
    pattern = rf"(?<![A-Za-z0-9_-])(?<![A-Za-z0-9_-]\.){_any_of(idents)}(?:\.md)?(?!\.*[A-Za-z0-9_-])"
    return re.search(pattern.encode("ascii"), data) is not None


def _is_recorded_name(name: str) -> bool:
    return name.endswith(SUFFIX) or name == FORGOTTEN_TREE


def _remove_files(place: StorePlace, record: Record, idents: Sequence[str]) -> None:
    with opened_directory(place.root, place.path) as directory:
        sweep(place, directory)
        if directory is not None:
            with under_construction(directory, record.steps) as temporaries:
                carry_on(directory, record.steps, temporaries)
    with opened_directory(place.root, DRAFTS) as directory:
        if directory is not None:
            remove_litter(directory)
            for ident in idents:
                remove_file(directory, ident + SUFFIX)
    place.clear_derived()
    for ident in idents:
        remove_kept_edits(place.state, ident)
    for journal in kept_journals(place):
        if _name_in(journal.read_bytes(), idents):
            journal.unlink()


def _purges(place: StorePlace, forget: Mapping[str, str | None], failures: dict[str, str]) -> tuple[Purge, ...]:
    """Make the histories without the entries, beside those that the refs name; no ref moves.

    A ref whose history cannot be read is put among the failures, with the reason.
    """
    found: list[Purge] = []
    for ref in refs_below(place.git, place.worktree, STORE_REFS):
        try:
            found += _purge(place, ref, forget)
        except (RefDamagedError, GitFailedError, GitTimeoutError, HistoryFormatError) as error:
            failures[ref] = error.message
    return tuple(found)


def _purge(place: StorePlace, ref: str, forget: Mapping[str, str | None]) -> list[Purge]:
    old = read_ref(place.git, place.worktree, ref)
    if old is None:
        return []
    new = rewrite(place.git, place.worktree, old, list(forget), lambda data: mended(data, forget))
    if new == old:
        return []
    nothing = empty_objects(place.object_format)
    objects = candidates(place.git, place.worktree, old, new)
    return [Purge(ref, old, new, tuple(oid for oid in objects if oid not in nothing))]


def _strays(place: StorePlace, idents: Collection[str], purges: Collection[Purge]) -> tuple[str, ...]:
    """Return what killed writers may have left of the entries: objects that no history knows.

    A blob alone tells no id, but the title of an entry: one that is like a forgotten one is taken for it. What anything
    reaches stays all the same.
    """
    try:
        loose = Loose.of(place.git, place.worktree, place.common_dir)
        named = loose.named([ident + SUFFIX for ident in idents])
        named += loose.telling(lambda data: _name_in(data, idents), _is_recorded_name)
        known = [*named, *(oid for purge in purges for oid in purge.objects)]
        texts = read_blobs(place.git, place.worktree, known).values()
        titles = {title for data in texts if (title := _title(data))}
        alike = loose.alike(lambda data: _title(data) in titles, MAX_BYTES) if titles else []
    except (GitFailedError, OSError):
        return ()  # a damaged object among them: `prune` will say so
    return tuple(dict.fromkeys([*alike, *named]))


def _titles_on_disk(place: StorePlace, idents: Collection[str]) -> set[str]:
    titles: set[str] = set()
    with opened_directory(place.root, place.path) as directory:
        if directory is None:
            return titles
        for ident in idents:
            with suppress(FileRefusedError):
                titles.add(_title(read_bounded(directory, ident + SUFFIX, MAX_BYTES)[0]))
    return titles - {""}


def _alike(place: StorePlace, titles: Collection[str]) -> tuple[str, ...]:
    """Return the loose blobs that are entries with one of the titles."""
    if not titles:
        return ()
    try:
        loose = Loose.of(place.git, place.worktree, place.common_dir)
        return tuple(loose.alike(lambda data: _title(data) in titles, MAX_BYTES))
    except (GitFailedError, OSError):
        return ()  # a damaged object among them: `prune` will say so


def _title(data: bytes) -> str:
    """Return the title of an entry that the tool wrote, else nothing: other people's pages have titles too."""
    if not data.startswith((b"---", b"\xef\xbb\xbf---")):
        return ""
    try:
        entry = parse_entry("", data, fallback_date="")
    except UnreadableEntry:
        return ""
    return entry.title if entry.schema_version == SCHEMA_VERSION else ""


def _about(pruned: Pruned, oids: Collection[str]) -> Pruned:
    """Return what became of those objects only that were in the history: of the others nobody knows what they were."""
    packed = tuple(oid for oid in pruned.packed if oid in oids)
    return replace(pruned, packed=packed, reachable=tuple(oid for oid in pruned.reachable if oid in oids))


def _move(place: StorePlace, purge: Purge) -> None:
    where = (place.git, place.worktree, place.common_dir, purge.ref)
    with suppress(RefMovedError):  # by an earlier attempt
        if purge.new is None:
            delete_ref(*where, purge.old, patience=place.patience)
        else:
            move_ref(*where, purge.new, purge.old, patience=place.patience)
    forget_reflog(place.git, place.worktree, purge.ref)
