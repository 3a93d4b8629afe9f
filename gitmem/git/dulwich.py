"""The object database through dulwich: what libgit2 cannot open, SHA-256 and reftable repositories."""

import weakref
import zlib
from pathlib import Path
from typing import Final

from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException
from dulwich.object_format import SHA1, SHA256
from dulwich.object_store import BaseObjectStore, DiskObjectStore
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tag, Tree

from gitmem.git.alternates import object_directories
from gitmem.git.objects import ObjectDamagedError, ObjectFormat, ObjectKind, ObjectMissingError, TreeEntry

_FORMATS: Final = {ObjectFormat.SHA1: SHA1, ObjectFormat.SHA256: SHA256}
_DAMAGE: Final = (
    *(ApplyDeltaError, ChecksumMismatch, FileFormatException),
    *(zlib.error, OSError, ValueError, AssertionError),
)


class _Directory(DiskObjectStore):
    """One directory of objects; its alternates are opened by us, because dulwich takes all of them for SHA-1."""

    @property
    def alternates(self) -> list[BaseObjectStore]:
        return []


class DulwichDatabase:
    """An ObjectDatabase on an objects directory; refs and configuration do not matter to it."""

    def __init__(self, common_dir: Path, object_format: ObjectFormat) -> None:
        known = _FORMATS[object_format]
        self._stores = [_Directory(path, object_format=known) for path in object_directories(common_dir)]
        for store in self._stores:
            weakref.finalize(self, store.close)  # open packs are the database's own business, not its user's

    def kind(self, oid: str) -> ObjectKind | None:
        """See ObjectDatabase."""
        try:
            return ObjectKind(self._get(oid).type_name.decode("ascii"))
        except ObjectMissingError:
            return None

    def size(self, oid: str) -> int:
        """See ObjectDatabase."""
        return self._get(oid).raw_length()

    def peel(self, oid: str) -> str | None:
        """See ObjectDatabase."""
        found = self._get(oid)
        while isinstance(found, Tag):
            found = self._get(found.object[1].decode("ascii"))
        return found.id.decode("ascii") if isinstance(found, Commit) else None

    def blob(self, oid: str) -> bytes:
        """See ObjectDatabase."""
        found = self._get(oid)
        if not isinstance(found, Blob):
            raise ObjectMissingError(oid)
        return bytes(found.data)

    def find(self, commit: str, path: str) -> TreeEntry | None:
        """See ObjectDatabase."""
        found = self._get(commit)
        if not isinstance(found, Commit):
            raise ObjectMissingError(commit)
        entry: TreeEntry | None = TreeEntry(0o40000, found.tree.decode("ascii"))
        for name in path.split("/"):
            if entry is None or entry.mode != 0o40000:
                return None
            entry = self._entry(entry.oid, name)
        return entry

    def _entry(self, tree: str, name: str) -> TreeEntry | None:
        found = self._get(tree)
        if not isinstance(found, Tree):
            raise ObjectMissingError(tree)
        try:
            mode, oid = found[name.encode("utf-8", "surrogateescape")]
        except KeyError:
            return None
        return TreeEntry(mode, oid.decode("ascii"))

    def _get(self, oid: str) -> ShaFile:
        for store in self._stores:
            try:
                return store[ObjectID(oid.encode("ascii"))]
            except KeyError:
                continue
            except _DAMAGE as error:
                raise ObjectDamagedError(oid, str(error)) from error
        raise ObjectMissingError(oid)
