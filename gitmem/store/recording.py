"""Every transaction as a commit on refs/mem/store: the tree is the store, the message says what happened to it.

The commits touch no branch, no index and no work tree.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitmem.entry.rules import SUFFIX
from gitmem.errors import GitMemError
from gitmem.git.objects import TREE_MODE, TreeEntry
from gitmem.git.record import list_files, write_blob, write_blobs, write_commit, write_tree
from gitmem.git.refs import STORE_REF, RefMovedError, move_ref, read_ref
from gitmem.storage.directory import opened_directory
from gitmem.store.place import StorePlace
from gitmem.store.snapshot import FILE_MODE, FORGOTTEN_TREE, Snapshot, take_snapshot
from gitmem.store.view import id_digest, read_forgotten
from gitmem.text import visible_line

_ATTEMPTS: Final = 5
STORE_REFS: Final = "refs/mem/"
"""Below this name all refs hold histories of entries."""

_BUSY: Final = "files in {} change while they are recorded: try again when that is over"

_NAMED: Final = 1  # entries that the subject names; more are counted there and named below it


class StoreBusyError(GitMemError):
    """Files of the store, or its history, changed while they were being recorded."""


@dataclass(frozen=True, slots=True)
class Tip:
    """The newest recorded state: its commit, None before the first one, and what stands at the top of its tree."""

    commit: str | None
    listing: Mapping[str, TreeEntry]

    @property
    def files(self) -> dict[str, TreeEntry]:
        """The entry files."""
        return {name: entry for name, entry in self.listing.items() if name.endswith(SUFFIX)}


def read_tip(place: StorePlace) -> Tip:
    """Return the newest recorded state. Raises RefDamagedError."""
    commit = read_ref(place.git, place.worktree, STORE_REF)
    return Tip(commit, {} if commit is None else list_files(place.git, place.worktree, commit))


def message_of(deed: str, idents: Sequence[str], head: str | None, *, by_hand: bool = False) -> str:
    """Return the message of a commit: what happened to which entries, and where HEAD stood when it did."""
    hand = " by hand" if by_hand else ""
    few = len(idents) <= _NAMED
    subject = f"{deed}{hand} {' '.join(idents)}".rstrip() if few else f"{deed} {len(idents)} entries{hand}"
    parts = [subject]
    if not few:
        parts.append("\n".join(idents))
    if head is not None:
        parts.append(f"Mem-Head: {head}")
    return "\n\n".join(parts) + "\n"


def look_at_files(place: StorePlace, directory: int) -> Snapshot:
    """Return the files of the store, less those of forgotten entries."""
    forgotten = read_forgotten(place.state)

    def skipped(name: str) -> bool:
        return bool(forgotten) and id_digest(name.removesuffix(SUFFIX)) in forgotten

    return take_snapshot(directory, place.object_format, place.snapshots, skipped)


def commit_state(
    place: StorePlace, parent: Tip, files: Mapping[str, TreeEntry], message: str, at: Mapping[str, str]
) -> Tip:
    """Make a commit of the files on top of a recorded state; no ref moves. Return the new state.

    `at` tells under which name in the store's directory the content of a file stands, where that is not its own.
    Raises StoreBusyError where a file is not what it was.
    """
    new = {name: entry for name, entry in files.items() if parent.listing.get(name) != entry}
    _store_blobs(place, {at.get(name, name): entry.oid for name, entry in new.items() if entry.is_file})
    _store_links(place, {name: entry.oid for name, entry in new.items() if not entry.is_file})
    listing = {**files, **_forgotten_tree(place, parent)}
    tree = write_tree(place.git, place.worktree, listing)
    parents = [] if parent.commit is None else [parent.commit]
    return Tip(write_commit(place.git, place.worktree, tree, parents, message), listing)


def take_in_hand_edits(place: StorePlace, tip: Tip, found: Snapshot, head: str | None) -> Tip:
    """Return the state in which what people did to the files themselves is recorded: a commit of its own, if any."""
    files = found.as_recorded(tip.listing)
    if files == tip.files:
        return tip
    return commit_state(place, tip, files, message_by_hand(tip.files, files, head), {})


def message_by_hand(before: Mapping[str, TreeEntry], after: Mapping[str, TreeEntry], head: str | None) -> str:
    """Return the message of a commit of what people did to files, whatever these are called."""
    names = _differing(before, after)
    verb = "edit"
    if not any(name in before for name in names):
        verb = "add"
    elif not any(name in after for name in names):
        verb = "remove"
    idents = [name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for name in names]
    return message_of(verb, [visible_line(ident.removesuffix(SUFFIX)) for ident in idents], head, by_hand=True)


def record_hand_edits(place: StorePlace, left_out: Collection[str], head: str | None) -> None:
    """Record what people did to the files themselves, but for the entries of these ids."""
    with opened_directory(place.root, place.path) as directory:
        if directory is None or not place.recorded:
            return
        tip = read_tip(place)
        found = look_at_files(place, directory)
    names = {ident + SUFFIX for ident in left_out}
    kept = {name: entry for name, entry in found.files.items() if name not in names}
    new = take_in_hand_edits(place, tip, Snapshot(kept, found.unread | names), head)
    if new.commit is not None and new != tip:
        _move(place, new.commit, tip.commit)


def record_state(place: StorePlace, message: str, commit: str | None = None, before: str | None = None) -> None:
    """See to it that the newest recorded state is what the store holds now.

    Where the ref still stands at `before`, or has come to `commit`, that is taken for what happened, and what differs
    from it was done by hand. Elsewhere what differs becomes a commit with `message`. Raises StoreBusyError.
    """
    told = commit is not None and publish(place, commit, before)
    for _ in range(_ATTEMPTS):
        with opened_directory(place.root, place.path) as directory:
            if directory is None:
                return
            tip = read_tip(place)
            files = look_at_files(place, directory).as_recorded(tip.listing)
            if files == tip.files and _forgotten_tree(place, tip).items() <= dict(tip.listing).items():
                return
            by_hand = message_by_hand(tip.files, files, None)
            new = commit_state(place, tip, files, by_hand if told else message, {})
        try:
            _move(place, new.commit or "", tip.commit)
        except RefMovedError:
            continue
        return
    raise StoreBusyError(f"{STORE_REF} is moved by others all the time: try again when they are done")


def publish(place: StorePlace, commit: str, before: str | None) -> bool:
    """Move the ref if it stands where it stood; return whether it is at the commit now."""
    try:
        _move(place, commit, before)
    except RefMovedError:  # by an earlier attempt, or by somebody who knows nothing of our lock
        return read_ref(place.git, place.worktree, STORE_REF) == commit
    return True


def _differing(one: Mapping[str, TreeEntry], other: Mapping[str, TreeEntry]) -> list[str]:
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def _move(place: StorePlace, new: str, old: str | None) -> None:
    move_ref(place.git, place.worktree, place.common_dir, STORE_REF, new, old, patience=place.patience)


def _store_blobs(place: StorePlace, contents: Mapping[str, str]) -> None:
    written = write_blobs(place.git, place.worktree, place.root / place.path, list(contents))
    if written != list(contents.values()):
        raise StoreBusyError(_BUSY.format(place.path))


def _store_links(place: StorePlace, links: Mapping[str, str]) -> None:
    for name, oid in links.items():  # git would follow them
        target = os.fsencode((place.root / place.path / name).readlink())
        if write_blob(place.git, place.worktree, target) != oid:
            raise StoreBusyError(_BUSY.format(place.path))


def _forgotten_tree(place: StorePlace, parent: Tip) -> dict[str, TreeEntry]:
    digests = read_forgotten(place.state)
    if not digests:
        return {}
    kept = parent.listing.get(FORGOTTEN_TREE)
    if kept is not None and set(list_files(place.git, place.worktree, kept.oid)) == digests:
        return {FORGOTTEN_TREE: kept}
    empty = TreeEntry(FILE_MODE, write_blob(place.git, place.worktree, b""))
    return {FORGOTTEN_TREE: TreeEntry(TREE_MODE, write_tree(place.git, place.worktree, dict.fromkeys(digests, empty)))}
