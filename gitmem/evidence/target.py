"""What evidence is judged against: the working tree, the index or a commit, and what it has at cited paths."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from gitmem.evidence.history import History
from gitmem.git.checkout import MAX_BYTES, FileKind, IndexEntry
from gitmem.git.convert import Attributes, to_blob
from gitmem.git.objects import ObjectDamagedError, ObjectDatabase, ObjectMissingError, TreeEntry, blob_id, is_link
from gitmem.git.repository import Repository
from gitmem.git.run import GitFailedError
from gitmem.storage.cache import FileCache

_BATCH: Final = 1000  # files whose contents are held in memory at a time


class TargetKind(StrEnum):
    """The three places that a check can look at."""

    WORKTREE = "worktree"
    INDEX = "index"
    COMMIT = "commit"


class Target:
    """One place to judge against, in one repository.

    `tip` is the commit whose history counts: that of `--at`, else HEAD; None while the branch is unborn. `cache` keeps
    what is found out about that history.
    """

    def __init__(
        self, repository: Repository, kind: TargetKind, tip: str | None, cache: FileCache | None = None
    ) -> None:
        self.repository = repository
        self.kind = kind
        self.tip = tip
        self.history = None if tip is None else History(repository, tip, cache)

    @cached_property
    def listing(self) -> Mapping[str, TreeEntry]:
        """All that git knows here, by path. Raises GitFailedError where trees are missing."""
        if self.kind is not TargetKind.COMMIT:
            return {path: TreeEntry(entry.mode, entry.oid) for path, entry in self.repository.list_index().items()}
        return {} if self.tip is None else self.repository.list_tree(self.tip)

    @cached_property
    def by_folded_path(self) -> Mapping[str, list[str]]:
        """The files of the listing by their paths without regard to case."""
        found: dict[str, list[str]] = {}
        for path, entry in self.listing.items():
            if entry.is_file:
                found.setdefault(path.casefold(), []).append(path)
        return found

    def same_file_tracked(self, path: str) -> str | None:
        """Return the path by which git knows a file on disk, where only the case of letters differs from the one given.

        A disk that does not tell cases apart has the file at both.
        """
        top = self.repository.place.worktree
        others = [other for other in self.by_folded_path.get(path.casefold(), []) if other != path]
        same = [other for other in others if (top / other).exists() and (top / other).samefile(top / path)]
        return same[0] if self.kind is TargetKind.WORKTREE and same else None

    def committed(self, paths: Collection[str]) -> Mapping[str, TreeEntry | None]:
        """Return what the tip has at each path; a path is left out where that is not known, for lack of objects."""
        if self.tip is None:
            return dict.fromkeys(paths)
        try:
            found = self.repository.tree_entries(self.tip, paths)
        except GitFailedError:
            return dict(_one_by_one(self.repository.objects, self.tip, paths))
        return {path: found.get(path) for path in paths}


def _one_by_one(objects: ObjectDatabase, commit: str, paths: Collection[str]) -> Iterator[tuple[str, TreeEntry | None]]:
    for path in paths:
        try:
            yield path, objects.find(commit, path)
        except (ObjectMissingError, ObjectDamagedError):
            continue


def worktree_of(repository: Repository, cache: FileCache | None = None) -> Target:
    """Return the working tree of the worktree that asks, with its HEAD."""
    return Target(repository, TargetKind.WORKTREE, repository.head.oid, cache)


def index_of(repository: Repository, cache: FileCache | None = None) -> Target:
    """Return the index of the worktree that asks, with its HEAD."""
    return Target(repository, TargetKind.INDEX, repository.head.oid, cache)


def commit_of(repository: Repository, revision: str, cache: FileCache | None = None) -> Target:
    """Return a commit, by any name that git knows. Raises RevisionError."""
    return Target(repository, TargetKind.COMMIT, repository.resolve_commit(revision), cache)


@dataclass(frozen=True, slots=True)
class Found:
    """What the target has at a path.

    `data` is the content of a regular file in the form that git would store, `blob` its id in that form.
    `unfiltered` names the clean filter that would have to run to know the stored form of a changed file; the
    index's blob stands in for it. `committed` is the blob of the regular file that the tip has at the path, None if
    it has none, `uncertain` that this is not known. `skipped` says that git does not look at the path on disk
    (sparse checkout), `ignored` that an ignore rule names an untracked one, `unmerged` that a conflict is not resolved.
    """

    kind: FileKind
    data: bytes = b""
    blob: str = ""
    committed: str | None = None
    uncertain: bool = False
    tracked: bool = False
    ignored: bool = False
    skipped: bool = False
    submodule: bool = False
    unmerged: bool = False
    unfiltered: str | None = None

    @property
    def dirty(self) -> bool:
        """Whether the content is another one than the tip's: changed, and not committed."""
        return self.tracked and not self.uncertain and self.blob != (self.committed or "")


def look(target: Target, paths: Collection[str]) -> Iterator[dict[str, Found]]:
    """Yield what stands at the paths, a batch at a time: contents are held no longer than needed.

    In the working tree the cited files are read whole, whatever their time stamps say.
    """
    ordered = sorted(paths)
    committed = target.committed(ordered)
    index = target.repository.index_entries(ordered) if target.kind is not TargetKind.COMMIT and ordered else {}
    for start in range(0, len(ordered), _BATCH):
        batch = ordered[start : start + _BATCH]
        target.repository.progress("files", start, len(ordered))
        if target.kind is TargetKind.WORKTREE:
            found = _on_disk(target.repository, batch, index)
        else:
            entries = index if target.kind is TargetKind.INDEX else committed
            found = {path: _stored_at(target, path, entries.get(path)) for path in batch}
        yield {path: _with_committed(state, path, committed) for path, state in found.items()}


def look_at(target: Target, paths: Collection[str]) -> dict[str, Found]:
    """Return what stands at a few paths; see look."""
    return {path: found for batch in look(target, paths) for path, found in batch.items()}


def _with_committed(found: Found, path: str, committed: Mapping[str, TreeEntry | None]) -> Found:
    entry = committed.get(path)
    blob = entry.oid if entry is not None and entry.is_file else None
    return replace(found, committed=blob, uncertain=path not in committed)


def _stored_at(target: Target, path: str, entry: IndexEntry | TreeEntry | None) -> Found:
    """Return what a tree or the index has at a path."""
    if entry is None:
        return Found(_missing_at(target, path))
    if entry.is_submodule:
        return Found(FileKind.DIRECTORY, tracked=True, submodule=True)
    if not entry.is_file:
        return Found(_kind_of(entry.mode), tracked=True)
    try:
        if target.repository.objects.size(entry.oid) > MAX_BYTES:
            return Found(FileKind.TOO_BIG, tracked=True)
        data = target.repository.objects.blob(entry.oid)
    except (ObjectMissingError, ObjectDamagedError):
        return Found(FileKind.LOST, blob=entry.oid, tracked=True)
    return Found(FileKind.REGULAR, data, entry.oid, tracked=True)


def _kind_of(mode: int) -> FileKind:
    return FileKind.SYMLINK if is_link(mode) else FileKind.DIRECTORY


def _missing_at(target: Target, path: str) -> FileKind:
    """Say why there is nothing at a path: a parent of it may be a link or a submodule."""
    for parent in PurePosixPath(path).parents:
        entry = target.listing.get(str(parent))
        if entry is not None and entry.is_submodule:
            return FileKind.IN_REPOSITORY
        if entry is not None and _kind_of(entry.mode) is FileKind.SYMLINK:
            return FileKind.VIA_SYMLINK
    below = f"{path}/"
    return FileKind.DIRECTORY if any(other.startswith(below) for other in target.listing) else FileKind.MISSING


def _on_disk(repository: Repository, paths: Collection[str], index: Mapping[str, IndexEntry]) -> dict[str, Found]:
    states = repository.read_files(paths)
    regular = {path: state for path, state in states.items() if state.kind is FileKind.REGULAR}
    raw = {path: blob_id(state.data, repository.object_format) for path, state in regular.items()}
    differing = [path for path in regular if path not in index or index[path].oid != raw[path]]
    attributes = repository.attributes(differing)
    untracked = [path for path in regular if path not in index]
    ignored = repository.ignored(untracked)
    return {
        path: _as_stored(
            repository,
            Found(
                state.kind,
                state.data,
                raw.get(path, ""),
                tracked=path in index,
                ignored=path in ignored,
                skipped=path in index and index[path].skip_worktree,
                submodule=path in index and index[path].is_submodule,
                unmerged=path in index and index[path].unmerged,
            ),
            index.get(path),
            attributes.get(path),
        )
        for path, state in states.items()
    }


def _as_stored(repository: Repository, found: Found, entry: IndexEntry | None, attributes: Attributes | None) -> Found:
    """Turn the bytes on disk into the content that git would store for them."""
    if attributes is None:
        return found
    stored = _stored(repository, entry)
    converted = to_blob(found.data, attributes, stored=stored)
    if converted is not None:
        return replace(found, data=converted, blob=blob_id(converted, repository.object_format))
    if stored is None or entry is None:
        return replace(found, unfiltered=attributes.filter)
    return replace(found, data=stored, blob=entry.oid, unfiltered=attributes.filter)


def _stored(repository: Repository, entry: IndexEntry | None) -> bytes | None:
    if entry is None or entry.is_submodule:
        return None
    try:
        return repository.objects.blob(entry.oid)
    except ObjectMissingError:
        return None
