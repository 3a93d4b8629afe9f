"""Makes manifests: what changed in a worktree, in its index or since a commit, and is text of the project."""

import os
from collections.abc import Collection

from gitmem.git.changes import between_trees, empty_tree, in_index, in_worktree
from gitmem.git.checkout import FileKind
from gitmem.git.exclude import HOME
from gitmem.git.ignore import left_out
from gitmem.git.layout import DEFAULT_STORE
from gitmem.git.patches import Changes
from gitmem.git.repository import Repository
from gitmem.git.standing import standing_at
from gitmem.manifest.model import Manifest, make_manifest


def of_worktree(repository: Repository) -> Manifest:
    """Return what differs from HEAD to the working tree, untracked files too."""
    return _on_disk(repository, _head(repository))


def to_worktree(repository: Repository, revision: str) -> Manifest:
    """Return what differs from a commit to the working tree, untracked files too. Raises RevisionError."""
    return _on_disk(repository, repository.resolve_commit(revision))


def of_index(repository: Repository) -> Manifest:
    """Return what differs from HEAD to the index."""
    return _in_index(repository, _head(repository))


def between(repository: Repository, revision: str) -> Manifest:
    """Return what differs from a commit to HEAD. Raises RevisionError."""
    old = repository.resolve_commit(revision)
    changes = between_trees(repository.git, repository.place.worktree, old, _head(repository))
    return _manifest(repository, changes)


def everything(repository: Repository, *, cached: bool) -> Manifest:
    """Return every file of the working tree, or of the index, as if nothing had been known."""
    nothing = empty_tree(repository.object_format)
    return _in_index(repository, nothing) if cached else _on_disk(repository, nothing)


def is_memory(repository: Repository, path: str) -> bool:
    """Whether a path belongs to the memory, which is no text of the project."""
    store = os.path.normpath(repository.place.own.store or DEFAULT_STORE)
    return any(path == directory or path.startswith(f"{directory}/") for directory in (HOME, store))


def _head(repository: Repository) -> str:
    return repository.head.oid or empty_tree(repository.object_format)


def _in_index(repository: Repository, base: str) -> Manifest:
    return _manifest(repository, in_index(repository.git, repository.place.worktree, base))


def _on_disk(repository: Repository, base: str) -> Manifest:
    changes = in_worktree(repository, base)
    manifest = _manifest(repository, changes)
    # What the index has and a sparse checkout leaves out is not on disk, and not gone. A pipe is a file to git.
    kinds = standing_at(repository.place.worktree, manifest.changed)
    there = [path for path, kind in kinds.items() if kind is FileKind.REGULAR]
    gone = [path for path, kind in kinds.items() if kind is FileKind.OTHER and changes[path].blob_before is not None]
    return make_manifest(there, [*manifest.deleted, *gone])


def _manifest(repository: Repository, changes: Changes) -> Manifest:
    changed = {path for path, change in changes.items() if change.puts_file}
    deleted = {path for path, change in changes.items() if change.blob_before is not None} - changed
    ours = _of_the_project(repository, changed | deleted)
    return make_manifest(changed & ours, deleted & ours)


def _of_the_project(repository: Repository, paths: Collection[str]) -> set[str]:
    own = {path for path in paths if not is_memory(repository, path)}
    return own - left_out(repository.git, repository.place.worktree, own)
