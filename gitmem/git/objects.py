"""What the rest of the program may ask of an object database, and how an answer can fail.

Object ids are str of lower-case hex digits, 40 for SHA-1 and 64 for SHA-256; contents are bytes.
"""

import hashlib
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from gitmem.errors import GitMemError


class ObjectKind(StrEnum):
    """Git's four kinds of objects."""

    COMMIT = "commit"
    TREE = "tree"
    BLOB = "blob"
    TAG = "tag"


class ObjectFormat(StrEnum):
    """The hash that names a repository's objects; its value is hashlib's name for it."""

    SHA1 = "sha1"
    SHA256 = "sha256"

    @property
    def digits(self) -> int:
        """The length of a full object id in hex digits."""
        return hashlib.new(self.value, usedforsecurity=False).digest_size * 2


_KIND: Final = 0o170000  # the bits of git's mode that tell the kinds apart
_FILE: Final = 0o100000
TREE_MODE: Final = 0o40000
"""Git's mode of a directory."""

_LINK: Final = 0o120000
_SUBMODULE: Final = 0o160000


def is_file(mode: int) -> bool:
    """Whether git's mode is that of a regular file, executable or not."""
    return mode & _KIND == _FILE


def is_link(mode: int) -> bool:
    """Whether git's mode is that of a symbolic link."""
    return mode & _KIND == _LINK


def is_submodule(mode: int) -> bool:
    """Whether git's mode is that of a submodule."""
    return mode & _KIND == _SUBMODULE


class TreeEntry(NamedTuple):
    """What a tree says of a path: git's mode, and the object's id."""

    mode: int
    oid: str

    @property
    def is_file(self) -> bool:
        """Whether the path is a regular file, executable or not."""
        return is_file(self.mode)

    @property
    def is_submodule(self) -> bool:
        """Whether the path is a submodule's."""
        return is_submodule(self.mode)


def file_at(objects: "ObjectDatabase", commit: str, path: str) -> str | None:
    """Return the blob of the regular file that a commit has at a path, None if it has none there.

    Raises what ObjectDatabase.find raises.
    """
    entry = objects.find(commit, path)
    return entry.oid if entry is not None and entry.is_file else None


class ObjectMissingError(GitMemError):
    """An object is not in this database: never fetched, promised by a remote, or pruned."""

    def __init__(self, oid: str) -> None:
        super().__init__(f"object {oid} is not in this repository: fetch it, or the history that holds it")
        self.oid = oid


class ObjectDamagedError(GitMemError):
    """The database cannot be read at an object. `detail` is the library's own line, which can hold paths."""

    def __init__(self, oid: str, detail: str) -> None:
        super().__init__(f"object {oid} cannot be read: run `git fsck`: {detail}")
        self.oid = oid
        self.detail = detail


class ObjectDatabase(Protocol):
    """Reads objects by full id. Nothing is ever fetched, and replace refs do not count."""

    def kind(self, oid: str) -> ObjectKind | None:
        """Return the kind of an object, None if it is not here. Raises ObjectDamagedError."""
        ...

    def size(self, oid: str) -> int:
        """Return the size of an object's content in bytes. Raises ObjectMissingError and ObjectDamagedError."""
        ...

    def peel(self, oid: str) -> str | None:
        """Return the id of the commit that a commit or a chain of annotated tags names; None for other kinds.

        Raises ObjectMissingError and ObjectDamagedError.
        """
        ...

    def blob(self, oid: str) -> bytes:
        """Return a blob's content. Raises ObjectMissingError (also for another kind) and ObjectDamagedError."""
        ...

    def find(self, commit: str, path: str) -> TreeEntry | None:
        """Return what a commit's tree has at a POSIX path, None if it has nothing there.

        Raises ObjectMissingError (the commit or a tree on the way) and ObjectDamagedError.
        """
        ...


def blob_id(data: bytes, object_format: ObjectFormat) -> str:
    """Return the id that git gives a blob of this content (gitformat-loose: kind, size, NUL, content)."""
    digest = hashlib.new(object_format.value, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()
