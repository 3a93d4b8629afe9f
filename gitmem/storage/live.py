"""Live databases of SQLite: changed in place by short transactions, and read meanwhile.

They hold what is derived and would be dear to copy for every change, so they keep a write-ahead log. A power cut can
take the last changes away, but tears none. What is damaged, foreign or of another form is not there, and begun anew.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitmem.storage.db import Connection, DatabaseError, in_memory, uri_of
from gitmem.storage.lock import writer_lock

# Where the header of a database has the size of a page, and how many pages there are, big-endian. See "The Database
# Header" in SQLite's description of its file format.
_MAGIC: Final = b"SQLite format 3\0"
_PAGE_SIZE: Final = slice(16, 18)
_PAGES: Final = slice(28, 32)
_APPLICATION: Final = slice(68, 72)
_HEADER: Final = 100
_LARGEST_PAGE: Final = 1 << 16  # bytes; 16 bits hold it as 1

_BESIDE: Final = ("-wal", "-shm", "-journal")
_LOCK: Final = ".lock"

_SETTINGS: Final = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA secure_delete = ON;
    PRAGMA cache_size = -65536;
"""

_WAYS: Final = ("mode=ro", "mode=ro&immutable=1")  # the second one where no file can be made beside the database


@dataclass(frozen=True, slots=True)
class LiveDatabase:
    """A database in `path`. `application` is a number of 31 bits that names the form, `schema` makes an empty one."""

    path: Path
    application: int
    schema: str

    @contextmanager
    def reading(self) -> Iterator[Connection | None]:
        """Open the database for the body of the `with`, which sees one state of it; None if there is none."""
        connection = self._opened()
        if connection is None:
            yield None
            return
        with closing(connection):
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self, patience: float) -> Iterator[Connection]:
        """Open the database for one change, which happens whole or not at all; make it if it is not there.

        Raises LockedError after `patience` seconds, OSError and DatabaseError where the disk refuses.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked(patience):
            if not self._is_sound():
                self.remove()
            with closing(sqlite3.connect(self.path, timeout=patience, isolation_level=None)) as connection:
                connection.executescript(_SETTINGS)
                self._prepare(connection)
                try:
                    yield connection
                except BaseException:
                    with suppress(DatabaseError):
                        connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")

    @contextmanager
    def imagining(self) -> Iterator[Connection]:
        """Open a copy in memory, for a change that no disk takes; an empty database if there is none to copy."""
        with self.reading() as source:
            connection = in_memory(source)
        with closing(connection):
            if source is None:
                connection.executescript(self.schema)
            yield connection

    def discard(self, patience: float) -> None:
        """Remove a database that turned out to be damaged. Raises LockedError, and OSError where the disk refuses."""
        with self._locked(patience):
            self.remove()

    def _locked(self, patience: float) -> AbstractContextManager[None]:
        # Not SQLite's own lock alone: what is damaged is removed, and nobody may be at work on it then.
        return writer_lock(self.path.with_name(self.path.name + _LOCK), patience)

    def remove(self) -> None:
        """Remove the database: what was there is not of this form, or cannot be read."""
        for name in (self.path.name, *(self.path.name + beside for beside in _BESIDE)):
            self.path.with_name(name).unlink(missing_ok=True)

    def _opened(self) -> Connection | None:
        for way in _WAYS if self._is_sound() else ():
            with suppress(DatabaseError):
                connection = sqlite3.connect(f"{uri_of(self.path)}?{way}", uri=True, timeout=1.0, isolation_level=None)
                if self._is_ours(connection):
                    return connection
                connection.close()
        return None

    def _is_ours(self, connection: Connection) -> bool:
        try:
            return bool(connection.execute("PRAGMA application_id").fetchone() == (self.application,))
        except DatabaseError:
            connection.close()
            raise

    def _prepare(self, connection: Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        if not self._is_ours(connection):
            connection.execute("ROLLBACK")
            made = f"{self.schema};PRAGMA application_id = {self.application}"
            connection.executescript(f"BEGIN IMMEDIATE;{made};COMMIT;BEGIN IMMEDIATE")

    def _is_sound(self) -> bool:
        """Whether the file is a database of ours, or one that is just being made, and as long as it says itself."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            header, size = os.read(descriptor, _HEADER), os.fstat(descriptor).st_size
        except OSError:  # a directory
            return False
        finally:
            os.close(descriptor)
        if header[: len(_MAGIC)] != _MAGIC:
            return False
        # A database that is being made has its number in the log only.
        known = header[_APPLICATION] in {self.application.to_bytes(4, "big"), bytes(4)}
        page = int.from_bytes(header[_PAGE_SIZE], "big")
        pages = int.from_bytes(header[_PAGES], "big")
        return known and size >= pages * (_LARGEST_PAGE if page == 1 else page)
