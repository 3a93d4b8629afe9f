"""Derived databases of SQLite: published whole, never changed in place, believed only when undamaged.

A published file is read without locks and without a journal, by any number of processes, on a read-only disk too,
because nobody ever writes to it: a change is made to a copy beside it, which then takes its place. The file carries a
checksum of itself where SQLite keeps the user version, so what is torn, overwritten or foreign is not there.
"""

import hashlib
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias
from urllib.parse import quote_from_bytes

from gitmem.storage.files import is_temporary, temporary_name
from gitmem.storage.stamp import Stamp, is_settled, stamp_of

Connection: TypeAlias = sqlite3.Connection
DatabaseError: TypeAlias = sqlite3.Error

# Where the header of a database has its user version and its application id, each four bytes, big-endian. See
# "The Database Header" in SQLite's description of its file format.
_USER_VERSION: Final = slice(60, 64)
_APPLICATION: Final = slice(68, 72)
_MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100
_CHUNK: Final = 1 << 20
_NOTE_LIMIT: Final = 200  # bytes
_LARGE: Final = 1 << 27  # bytes
_ABANDONED: Final = 3600.0  # seconds

# Nobody else sees a database while it is made, and after a power cut its checksum tells.
_MAKING: Final = """
    PRAGMA page_size = 8192;
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -65536;
"""


def open_published(path: Path, application: int) -> Connection | None:
    """Return a read-only connection to a published database, None if there is none that can be believed.

    That a file was found sound is noted beside it, so that not every reader has to read all of it.
    """
    try:
        if not (_is_known_sound(path, application) or _is_sound(path, application)):
            return None
        return sqlite3.connect(f"{uri_of(path)}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    except (OSError, DatabaseError):
        return None


def application_of(*form: str) -> int:
    """Return the number of 31 bits that names a form of contents, which depends on the machine's byte order too."""
    return int.from_bytes(hashlib.sha256(" ".join((*form, sys.byteorder)).encode()).digest()[:4], "big") >> 1


def is_damage(error: Exception) -> bool:
    """Whether an error says that a file is no database, or a damaged one. See "Result and Error Codes" of SQLite."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def in_memory(source: Connection | None = None) -> Connection:
    """Return a database that no disk holds, a copy of another one if that is given."""
    return _made(":memory:", source)


class Unpublished:
    """A database under construction beside the place of the published one, a copy of another one if that is given.

    Raises OSError and DatabaseError where the disk takes none.
    """

    def __init__(self, path: Path, application: int, source: Connection | None) -> None:
        self._path = path
        self._application = application
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_old_litter(path.parent)
        self._temporary = _new_file(path.parent)
        try:
            self.connection = _made(self._temporary, source)
        except BaseException:
            self.discard()
            raise

    def compact(self) -> None:
        """Write the database anew, without the space that nothing uses.

        `secure_delete` overwrites what is deleted, but not what it leaves behind where it moves rows from page to page.
        """
        self.connection.commit()
        (pages,), (size,) = (
            self.connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
        )
        # On the way there are two of it. The second one is in memory, or in a file without a name.
        self.connection.execute(f"PRAGMA temp_store = {'MEMORY' if pages * size < _LARGE else 'FILE'}")
        self.connection.execute("VACUUM")

    def publish(self, allowed: Callable[[], AbstractContextManager[bool]]) -> bool:
        """Put the database in the place of the published one, if that is allowed; return whether it was.

        It happens within what `allowed` returns. The connection can be read from afterwards, whatever becomes of the
        file.
        """
        self.connection.execute(f"PRAGMA application_id = {self._application}")
        self.connection.commit()
        try:
            _seal(self._temporary)
            with allowed() as may:
                if may:
                    self._temporary.replace(self._path)
                return may
        except OSError:
            return False
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove what is left of the construction."""
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)


def _new_file(directory: Path) -> Path:
    path = directory / temporary_name()
    path.touch(exist_ok=False)
    return path


def _remove_old_litter(directory: Path) -> None:
    """Remove what killed processes left under construction, long enough ago that nobody can be at work on it."""
    long_ago = time.time() - _ABANDONED
    with os.scandir(directory) as found:
        for file in found:
            with suppress(OSError):  # somebody else does the same
                if is_temporary(file.name) and file.stat(follow_symlinks=False).st_mtime < long_ago:
                    Path(file.path).unlink()


def _made(place: Path | str, source: Connection | None) -> Connection:
    connection = sqlite3.connect(place, check_same_thread=False)
    connection.executescript(_MAKING)
    if source is not None:
        source.backup(connection)
    return connection


def _is_known_sound(path: Path, application: int) -> bool:
    """Whether the very file, as the file system's record of it tells, was found sound before."""
    try:
        with open(_note(path), "rb", opener=_without_links) as note:
            return note.read(_NOTE_LIMIT) == _described(stamp_of(os.lstat(path)), application)
    except OSError:
        return False


def _note(path: Path) -> Path:
    return path.with_name(path.name + "-sound")


def _described(stamp: Stamp, application: int) -> bytes:
    return f"{application} {' '.join(map(str, stamp))}".encode("ascii")


def _is_sound(path: Path, application: int) -> bool:
    """Whether a file has the checksum that it tells of. A link is not followed."""
    began = time.time_ns()
    with open(path, "rb", opener=_without_links) as stream:
        stamp = stamp_of(os.fstat(stream.fileno()))
        header = stream.read(_HEADER)
        if header[: len(_MAGIC)] != _MAGIC or header[_APPLICATION] != application.to_bytes(4, "big"):
            return False
        sound = header[_USER_VERSION] == _checksum(header, stream)
    if sound and is_settled(stamp, began):
        with suppress(OSError), open(_note(path), "wb", opener=_without_links) as note:
            note.write(_described(stamp, application))
    return sound


def _without_links(path: str, flags: int) -> int:
    # Nor does a FIFO or a device make anybody wait.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)


def _seal(path: Path) -> None:
    with path.open("r+b") as stream:
        checksum = _checksum(stream.read(_HEADER), stream)
        stream.seek(_USER_VERSION.start)
        stream.write(checksum)


def _checksum(header: bytes, rest: BinaryIO) -> bytes:
    """Return the CRC-32 of a file without its user version; the stream stands behind the header."""
    found = zlib.crc32(header[: _USER_VERSION.start] + bytes(4) + header[_USER_VERSION.stop :])
    while chunk := rest.read(_CHUNK):
        found = zlib.crc32(chunk, found)
    return found.to_bytes(4, "big")


def uri_of(path: Path) -> str:
    """Return the address by which SQLite opens a file with options."""
    return f"file://{quote_from_bytes(os.fsencode(path.absolute()))}"
