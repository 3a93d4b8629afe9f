"""What changed in a worktree, in its index, or between two trees: git's own answer, by content and not by time stamps.

Git is asked without running any program of the repository's choice (no clean filter, no fsmonitor, nothing in a
submodule) and without writing: `git status` and `git diff` would refresh the index. Files that git could only tell
apart by their stat data are read here, and compared in the form in which git would store them.
"""

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from gitmem.git.checkout import FileKind, IndexEntry, index_entries, unchanged_by_stat
from gitmem.git.convert import Attributes, to_blob
from gitmem.git.objects import ObjectFormat, ObjectMissingError, blob_id, is_file
from gitmem.git.patches import Change, Changes
from gitmem.git.repository import Repository
from gitmem.git.run import LONG_LIMIT, Git
from gitmem.git.standing import standing_at

_BATCH: Final = 1000  # files whose contents are held in memory at a time
_RAW: Final = (
    *("--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"),
    *("--ignore-submodules=all", "--ita-invisible-in-index"),
)
_NOTHING: Final = Change(0, 0, "", "")
_UNMERGED: Final = "U"
_DRIVERS: Final = r"^filter\."
_MODES: Final = {FileKind.REGULAR: 0o100644, FileKind.SYMLINK: 0o120000}


def empty_tree(object_format: ObjectFormat) -> str:
    """Return the id of the tree that has nothing: what a branch without a commit is compared with."""
    return hashlib.new(object_format.value, b"tree 0\0", usedforsecurity=False).hexdigest()


def between_trees(git: Git, worktree: Path, old: str, new: str) -> Changes:
    """Return what differs from one tree or commit to another. Raises GitFailedError where trees are missing."""
    answer = git.ask("diff-tree", "-r", *_RAW, old, new, "--", cwd=worktree, limit=LONG_LIMIT)
    return {record.path: record.change for record in _records(answer.stdout)}


def in_index(git: Git, worktree: Path, base: str) -> Changes:
    """Return what differs from a tree or commit to the index of a worktree.

    A path whose conflict is not resolved always does; what is only intended to be added does not.

    Raises GitFailedError.
    """
    answer = git.ask("diff-index", "--cached", *_RAW, base, "--", cwd=worktree, limit=LONG_LIMIT)
    records = list(_records(answer.stdout))
    unmerged = {record.path for record in records if record.status == _UNMERGED}
    stages = index_entries(git, worktree, unmerged) if unmerged else {}
    found = {record.path: record.change for record in records}
    for path, entry in stages.items():
        found[path] = found[path]._replace(new_mode=entry.mode, new=entry.oid)
    return found


def in_worktree(repository: Repository, base: str) -> Changes:
    """Return what differs from a tree or commit to the files of a worktree, untracked ones that are not ignored too.

    That is what `git diff --name-only` names, and what `git ls-files --others` adds; the ids of what is on disk are not
    told. Of a file that git does not look at on disk (skip-worktree) the index counts, as it does for git. A file of
    over 5 MiB, or one behind a clean filter, is different as soon as its stat data are. Raises GitFailedError.
    """
    git, worktree = repository.git, repository.place.worktree
    answer = _without_filters(git, worktree).ask("diff-index", *_RAW, base, "--", cwd=worktree, limit=LONG_LIMIT)
    found = {record.path: record.change for record in _records(answer.stdout)}
    same = _same_on_disk(repository, {path: one.old for path, one in found.items() if _is_doubtful(one)})
    found |= _untracked(git, worktree, found)
    return {path: change for path, change in found.items() if path not in same}


def _is_doubtful(change: Change) -> bool:
    """Whether git saw by stat data that a file is another one than the index has, and not what it holds."""
    return is_file(change.new_mode) and change.old_mode == change.new_mode and not change.new.strip("0")


def _untracked(git: Git, worktree: Path, found: Changes) -> dict[str, Change]:
    """Return the files that the index does not have; other repositories, whose names end with a slash, are none."""
    answer = git.ask("ls-files", "--others", "--exclude-standard", "-z", cwd=worktree, limit=LONG_LIMIT)
    kinds = standing_at(worktree, [path for path in answer.items() if not path.endswith("/")])
    return {
        path: found.get(path, _NOTHING)._replace(new_mode=_MODES.get(kind, 0), new="") for path, kind in kinds.items()
    }


class _Record(NamedTuple):
    """One line of git's raw format (git-diff, "Raw output format")."""

    path: str
    change: Change
    status: str


def _records(stream: bytes) -> Iterator[_Record]:
    items = iter(stream.split(b"\0"))
    for item in items:
        if item:
            old_mode, new_mode, old, new, status = item[1:].decode("ascii").split(" ")
            yield _Record(os.fsdecode(next(items)), Change(int(old_mode, 8), int(new_mode, 8), old, new), status)


def _without_filters(git: Git, worktree: Path) -> Git:
    """Return one that starts git without the clean filters of its configuration.

    Their names can hold anything, a `=` too, so that `-c` could not take each of them out.
    """
    answer = git.ask("config", "--null", "--name-only", "--get-regexp", _DRIVERS, cwd=worktree, accept=(0, 1))
    names = sorted({key.removeprefix("filter.").rpartition(".")[0] for key in answer.items()})
    keys = [f"filter.{name}.{key}" for name in names for key in ("clean", "process", "required")]
    first = int(git.environ.get("GIT_CONFIG_COUNT") or 0)
    emptied = {f"GIT_CONFIG_KEY_{number}": key for number, key in enumerate(keys, first)}
    emptied |= {f"GIT_CONFIG_VALUE_{number}": "" for number, _ in enumerate(keys, first)}
    return replace(git, environ={**git.environ, **emptied, "GIT_CONFIG_COUNT": str(first + len(keys))})


# Comparing by content


def _same_on_disk(repository: Repository, befores: Mapping[str, str]) -> set[str]:
    """Return the paths whose files on disk git would store as the blob that was there before."""
    ordered = sorted(befores)
    same: set[str] = set()
    added = repository.index_entries(ordered) if ordered else {}
    for start in range(0, len(ordered), _BATCH):
        batch = ordered[start : start + _BATCH]
        blobs = dict(_blobs(repository, batch, added))
        same |= {path for path, blob in blobs.items() if blob == befores[path]}
        unknown = {path for path, blob in blobs.items() if blob is None and added[path].oid == befores[path]}
        same |= unchanged_by_stat(repository.git, repository.place.worktree, unknown)
    return same


def _blobs(
    repository: Repository, paths: Collection[str], added: Mapping[str, IndexEntry]
) -> Iterator[tuple[str, str | None]]:
    """Yield the blobs as which git would store files on disk, None where only a program could tell."""
    states = repository.read_files(paths)
    regular = [path for path in paths if states[path].kind is FileKind.REGULAR and path in added]
    for path, how in repository.attributes(regular).items():
        stored = _stored(repository, states[path].data, how, added[path].oid)
        yield path, None if stored is None else blob_id(stored, repository.object_format)


def _stored(repository: Repository, data: bytes, how: Attributes, oid: str) -> bytes | None:
    """Return what git would store for a file whose blob in the index is known; None where only a program could tell."""
    automatic = how.line_ends == "auto" and b"\r\n" in data
    try:
        index = repository.objects.blob(oid) if automatic else None
    except ObjectMissingError:
        index = None
    return to_blob(data, how, stored=index)
