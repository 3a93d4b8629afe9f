"""What stands in a worktree at a cited path, and what the index says of it.

Files are read by us, one directory at a time without following symbolic links, and never through git:
a checkout's configuration can name programs that git would run for it.
"""

import errno
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final

from gitmem.git.objects import is_file, is_submodule
from gitmem.git.run import LONG_LIMIT, Git, pathspecs

MAX_BYTES: Final = 5 << 20
"""Files over 5 MiB are no evidence that lines could be cited from."""

RENAMES: Final = ("-M", "-l1000", "--no-ext-diff", "--no-textconv")
"""How renames are looked for: git's own similarity, among at most a thousand files."""
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FileKind(StrEnum):
    """What is found at a path; LOST is a file of the index or a commit whose content is not in the repository."""

    REGULAR = "regular"
    MISSING = "missing"
    SYMLINK = "symlink"
    DIRECTORY = "directory"
    OTHER = "other"
    VIA_SYMLINK = "via-symlink"
    TOO_BIG = "too-big"
    UNREADABLE = "unreadable"
    IN_REPOSITORY = "in-repository"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class FileState:
    """A path in a worktree as it is on disk; `data` is the content of a regular file."""

    kind: FileKind
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What the index says of a path: git's mode, the blob, whether the checkout leaves it out, or a merge is open."""

    mode: int
    oid: str
    skip_worktree: bool
    unmerged: bool = False

    @property
    def is_submodule(self) -> bool:
        """Whether the path is a submodule's."""
        return is_submodule(self.mode)

    @property
    def is_file(self) -> bool:
        """Whether the path is a regular file, executable or not."""
        return is_file(self.mode)


# What a path is when this stands in the place of one of its directories; with anything else it is missing.
_NO_WAY: Final = {FileKind.SYMLINK: FileKind.VIA_SYMLINK, FileKind.UNREADABLE: FileKind.UNREADABLE}


def read_files(worktree: Path, paths: Iterable[str]) -> dict[str, FileState]:
    """Read POSIX paths below a worktree without following any symbolic link; each directory is opened once.

    A path below a directory that has its own `.git` is IN_REPOSITORY: another repository's business. Nothing is at
    a path that is empty, absolute or has `..` in it.
    """
    found: dict[str, FileState] = {}
    names: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for path in paths:
        *parents, name = PurePosixPath(path).parts or ("/",)
        if name == "/" or parents[:1] == ["/"] or ".." in (*parents, name):
            found[path] = FileState(FileKind.MISSING)
        else:
            names.setdefault(tuple(parents), []).append((name, path))
    with _opened(os.open(worktree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as top:
        for directory, below in names.items():
            found |= _descend(top, directory, below)
    return found


def _descend(directory: int, parents: Sequence[str], names: list[tuple[str, str]]) -> dict[str, FileState]:
    if not parents:
        return {path: _read_at(directory, name) for name, path in names}
    kind = _kind_at(directory, parents[0])
    if kind is not FileKind.DIRECTORY:
        return _all(names, _NO_WAY.get(kind, FileKind.MISSING))
    try:
        child = os.open(parents[0], _OPEN | os.O_DIRECTORY, dir_fd=directory)
    except OSError:
        return _all(names, FileKind.UNREADABLE)
    with _opened(child) as below:
        if _kind_at(below, ".git") is not FileKind.MISSING:
            return _all(names, FileKind.IN_REPOSITORY)
        return _descend(below, parents[1:], names)


def _all(names: list[tuple[str, str]], kind: FileKind) -> dict[str, FileState]:
    return {path: FileState(kind) for _, path in names}


def _read_at(directory: int, name: str) -> FileState:
    try:
        file = os.open(name, _OPEN, dir_fd=directory)
    except OSError:
        kind = _kind_at(directory, name)
        return FileState(FileKind.UNREADABLE if kind is FileKind.REGULAR else kind)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            return FileState(FileKind.DIRECTORY if stat.S_ISDIR(status.st_mode) else FileKind.OTHER)
        if status.st_size > MAX_BYTES:
            return FileState(FileKind.TOO_BIG)
        return _bounded(file, status.st_size)
    except OSError:
        return FileState(FileKind.UNREADABLE)
    finally:
        os.close(file)


def _bounded(file: int, size: int) -> FileState:
    data = os.read(file, size + 1)
    while len(data) > size and len(data) <= MAX_BYTES:  # it grew in this instant
        more = os.read(file, MAX_BYTES)
        if not more:
            break
        data += more
    return FileState(FileKind.TOO_BIG) if len(data) > MAX_BYTES else FileState(FileKind.REGULAR, data)


def _kind_at(directory: int, name: str) -> FileKind:
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return FileKind.MISSING
    except OSError as error:
        return FileKind.MISSING if error.errno == errno.ENAMETOOLONG else FileKind.UNREADABLE
    if stat.S_ISREG(mode):
        return FileKind.REGULAR
    if stat.S_ISLNK(mode):
        return FileKind.SYMLINK
    return FileKind.DIRECTORY if stat.S_ISDIR(mode) else FileKind.OTHER


@contextmanager
def _opened(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def index_entries(git: Git, worktree: Path, paths: Collection[str]) -> dict[str, IndexEntry]:
    """Return what the index of a worktree says of the given paths; those it does not know are left out.

    During a conflict a path has several stages; the last listed one counts.
    """
    wanted = set(paths)
    listing = list_index(git, worktree, pathspecs(wanted))
    return {path: entry for path, entry in listing.items() if path in wanted}  # a directory lists what is below it


def list_index(git: Git, worktree: Path, paths: Sequence[str] = ()) -> dict[str, IndexEntry]:
    """Return the whole index of a worktree, or what it has at and below the paths."""
    answer = git.ask("ls-files", "-z", "-t", "--stage", "--", *paths, cwd=worktree)
    found: dict[str, IndexEntry] = {}
    for item in answer.items():
        head, _, path = item.partition("\t")
        tag, mode, oid, stage = head.split(" ")
        found[path] = IndexEntry(int(mode, 8), oid, skip_worktree=tag == "S", unmerged=stage != "0")
    return found


def index_renames(git: Git, worktree: Path, commit: str) -> dict[str, str]:
    """Return the files that the index has elsewhere than the commit, {old path: new path}, as git pairs them."""
    ask = ("diff-index", "--cached", "-z", "--name-status", "--diff-filter=R", *RENAMES, commit, "--")
    return renames(git.ask(*ask, cwd=worktree).items())


def renames(items: Sequence[str]) -> dict[str, str]:
    """Return the pairs of a `--name-status -z` listing that holds renames only."""
    return dict(zip(items[1::3], items[2::3], strict=True))


def unchanged_by_stat(git: Git, worktree: Path, paths: Collection[str]) -> set[str]:
    """Return those of the paths whose files have the size, times and inode that the index recorded with their blobs.

    For files behind a clean filter only, whose content cannot be compared without running it.
    """
    if not paths:
        return set()
    answer = git.ask("ls-files", "--debug", "-z", "--", *pathspecs(paths), cwd=worktree, limit=LONG_LIMIT)
    recorded = _recorded(answer.stdout)
    return {path for path in paths if path in recorded and _stat_data(worktree / path) == recorded[path]}


def _recorded(stream: bytes) -> dict[str, tuple[int, ...]]:
    """Read `ls-files --debug -z`: a path, NUL, and lines about it, behind which the next path begins."""
    path, *rest = stream.split(b"\0")
    found: dict[str, tuple[int, ...]] = {}
    for item in rest:
        told = _DEBUG.match(item)
        if told is None:
            break
        changed, changed_ns, seconds, nanoseconds, inode, size = map(int, told.groups())
        found[os.fsdecode(path)] = (changed * 10**9 + changed_ns, seconds * 10**9 + nanoseconds, inode, size)
        path = item[told.end() :]
    return found


_DEBUG: Final = re.compile(
    rb"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: (\d+)\n.*\n  size: (\d+)\t.*\n"
)


def _stat_data(path: Path) -> tuple[int, ...]:
    try:
        status = path.lstat()
    except OSError:
        return ()
    # The index keeps 32 bits of an inode and of a size.
    return (status.st_ctime_ns, status.st_mtime_ns, status.st_ino & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
