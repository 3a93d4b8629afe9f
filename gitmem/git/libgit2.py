"""The object database through libgit2, in process: SHA-1 repositories with ordinary refs."""

import os
import zlib
from pathlib import Path
from typing import Final, cast

import pygit2
from pygit2.enums import ObjectType, Option

from gitmem.git.alternates import object_directories
from gitmem.git.objects import ObjectDamagedError, ObjectKind, ObjectMissingError, TreeEntry

_KINDS: Final = {
    ObjectType.COMMIT: ObjectKind.COMMIT,
    ObjectType.TREE: ObjectKind.TREE,
    ObjectType.BLOB: ObjectKind.BLOB,
    ObjectType.TAG: ObjectKind.TAG,
}


_AnyObject = pygit2.Commit | pygit2.Tree | pygit2.Blob | pygit2.Tag


class Libgit2Database:
    """An ObjectDatabase on a git directory that libgit2 can open."""

    def __init__(self, common_dir: Path) -> None:
        # Git itself has accepted the owner before anything is opened here; libgit2 knows fewer of its rules.
        pygit2.option(Option.SET_OWNER_VALIDATION, 0)
        self._repository = pygit2.Repository(str(common_dir))
        self._directories = object_directories(common_dir)

    def kind(self, oid: str) -> ObjectKind | None:
        """See ObjectDatabase."""
        header = self._header(oid)
        return None if header is None else _KINDS[ObjectType(header[0])]

    def size(self, oid: str) -> int:
        """See ObjectDatabase."""
        header = self._header(oid)
        if header is None:
            raise ObjectMissingError(oid)
        return header[1]

    def peel(self, oid: str) -> str | None:
        """See ObjectDatabase."""
        found = self._get(oid)
        while isinstance(found, pygit2.Tag):
            found = self._get(str(found.target))
        return str(found.id) if isinstance(found, pygit2.Commit) else None

    def blob(self, oid: str) -> bytes:
        """See ObjectDatabase."""
        found = self._get(oid)
        if not isinstance(found, pygit2.Blob):
            raise ObjectMissingError(oid)
        return found.data

    def find(self, commit: str, path: str) -> TreeEntry | None:
        """See ObjectDatabase."""
        found = self._get(commit)
        if not isinstance(found, pygit2.Commit):
            raise ObjectMissingError(commit)
        here = self._tree(str(found.tree_id))
        *parents, name = path.split("/")
        for parent in parents:
            entry = _entry(here, parent)
            if entry is None or entry.type != ObjectType.TREE:
                return None
            here = self._tree(str(entry.id))
        entry = _entry(here, name)
        return None if entry is None else TreeEntry(int(entry.filemode), str(entry.id))

    def _header(self, oid: str) -> tuple[int, int] | None:
        try:
            return self._repository.odb.read_header(pygit2.Oid(hex=oid))
        except KeyError:
            return None
        except pygit2.GitError as error:
            raise ObjectDamagedError(oid, str(error)) from error

    def _tree(self, oid: str) -> pygit2.Tree:
        found = self._get(oid)
        if not isinstance(found, pygit2.Tree):
            raise ObjectMissingError(oid)
        return found

    def _get(self, oid: str) -> _AnyObject:
        # Libgit2 (1.9) never comes back from a loose object whose compressed data end too soon.
        if any(_is_cut(directory / oid[:2] / oid[2:]) for directory in self._directories):
            raise ObjectDamagedError(oid, "its file is cut short")
        try:
            found = self._repository.get(pygit2.Oid(hex=oid))
        except pygit2.GitError as error:
            raise ObjectDamagedError(oid, str(error)) from error
        if found is None:
            raise ObjectMissingError(oid)
        return cast("_AnyObject", found)


def _is_cut(path: Path) -> bool:
    """Whether a loose object's file ends before its zlib stream does; other damage is libgit2's to name."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        inflate = zlib.decompressobj()
        try:
            while chunk := file.read(1 << 16):
                inflate.decompress(chunk)
        except zlib.error:
            return False
    return not inflate.eof


def _entry(tree: pygit2.Tree, name: str) -> pygit2.Object | None:
    # One component at a time: libgit2's own path look-up cannot tell a missing tree from a missing path.
    return tree[name] if name and name in tree else None
