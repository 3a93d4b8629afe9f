"""Changes the index of files: reads what is new, moves what is elsewhere, and drops what nobody has any more."""

import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from gitmem.progress import Progress
from gitmem.search.analysis import Analyser
from gitmem.search.files import BODY, TITLE, admitted_to
from gitmem.search.postings import BLOCK, Writer
from gitmem.search.sections import cut, manner_of
from gitmem.storage.db import Connection
from gitmem.text.content import LeftOut, lines_of, read_text

MISSING: Final = "missing"
"""Why a file is left out whose content is not in the repository."""

_SPARE: Final = 1000  # blobs that no worktree has any more may be kept beside as many as there are
_TOLD: Final = 50  # files, between two words about progress

Load: TypeAlias = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Placed:
    """A file as it is to be found: its path, the blob of its content, and the content where that is at hand.

    `committed` says that this is the commit's content. `left_out` is the reason why the file is counted and not
    searched; then nothing else is asked.
    """

    path: str
    oid: str
    data: bytes | None = None
    committed: bool = True
    left_out: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What becomes of a worktree's listing: files to place, as many as `total`, and paths that are gone from it.

    `base` is the commit that it follows then, `whole` whether it has all files then.
    """

    placed: Iterable[Placed] = ()
    gone: Iterable[str] = ()
    base: str | None = None
    whole: bool = False
    total: int = 0


def change(  # noqa: PLR0917 - what is changed, with what, and how
    connection: Connection, analyser: Analyser, worktree: int, what: Change, load: Load, told: Progress
) -> int:
    """Change the listing of one worktree; read what no worktree had, and drop what none has any more.

    `load` returns the content of a blob of the repository, None where it is missing. Return how many of the placed
    files can be searched.
    """
    update = _Update(connection, analyser, worktree, load)
    for path in what.gone:
        update.drop(path)
    for count, placed in enumerate(what.placed):
        if count % _TOLD == 0:
            told("files", count, what.total)
        update.place(placed)
    update.finish()
    connection.execute("UPDATE worktrees SET base = ?, whole = ? WHERE number = ?", (what.base, what.whole, worktree))
    return update.searchable


def forget_worktrees(connection: Connection, names: Iterable[str]) -> None:
    """Forget the worktrees that are not among these names any more."""
    kept = set(names)
    for number, name in connection.execute("SELECT number, name FROM worktrees ORDER BY number").fetchall():
        if name not in kept:
            _forget(connection, number)


def _forget(connection: Connection, number: int) -> None:
    connection.execute("DELETE FROM listing WHERE worktree = ?", (number,))
    connection.execute("DELETE FROM worktrees WHERE number = ?", (number,))


def worktree_of(connection: Connection, name: str, token: str) -> int:
    """Return the number of a worktree, which is made known if it is not yet."""
    row = connection.execute("SELECT number, token FROM worktrees WHERE name = ?", (name,)).fetchone()
    if row is not None and row[1] == token:
        return int(row[0])
    if row is not None:
        _forget(connection, row[0])
    nothing = zlib.compress(b"")
    made = connection.execute("INSERT INTO worktrees VALUES (NULL, ?, ?, NULL, 0, ?)", (name, token, nothing))
    return int(made.lastrowid or 0)


class _Update:
    """One change of a worktree's listing."""

    def __init__(self, connection: Connection, analyser: Analyser, worktree: int, load: Load) -> None:
        self._connection = connection
        self._writer = Writer(connection, analyser)
        self._worktree = worktree
        self._load = load
        self._numbers = _free_numbers(connection)
        self._added = 0  # documents since the last flush
        self.searchable = 0
        self._on: set[int] = set()  # blobs that the listing got
        self._off: set[int] = set()  # blobs that it lost a place of

    def drop(self, path: str) -> None:
        """Take a path out of the listing."""
        key = (self._worktree, os.fsencode(path))
        row = self._connection.execute("SELECT blob FROM listing WHERE worktree = ? AND path = ?", key).fetchone()
        self._connection.execute("DELETE FROM listing WHERE worktree = ? AND path = ?", key)
        if row is not None and row[0] is not None:
            self._off.add(row[0])

    def place(self, placed: Placed) -> None:
        """Put a file in its place."""
        self.drop(placed.path)
        blob, left_out = (None, placed.left_out) if placed.left_out is not None else self._blob(placed)
        self.searchable += left_out is None
        # Why a blob is left out stands with the blob.
        reason = left_out if blob is None else None
        row = (self._worktree, os.fsencode(placed.path), blob, reason, not placed.committed)
        self._connection.execute("INSERT INTO listing VALUES (?, ?, ?, ?, ?)", row)
        if blob is not None:
            self._on.add(blob)

    def _blob(self, placed: Placed) -> tuple[int | None, str | None]:
        """Return the number of a file's blob, and why it is left out; read it if nobody did so before."""
        key = (placed.oid, manner_of(placed.path))
        ask = "SELECT number, left_out, committed FROM blobs WHERE oid = ? AND manner = ?"
        row = self._connection.execute(ask, key).fetchone()
        if row is not None:
            if placed.committed and not row[2]:
                self._connection.execute("UPDATE blobs SET committed = 1 WHERE number = ?", (row[0],))
            return row[0], row[1]
        data = self._load(placed.oid) if placed.data is None else placed.data
        return (None, MISSING) if data is None else self._read(placed, data)

    def _read(self, placed: Placed, data: bytes) -> tuple[int, str | None]:
        text = read_text(data)
        left_out = str(text) if isinstance(text, LeftOut) else None
        made = self._connection.execute(
            "INSERT INTO blobs VALUES (NULL, ?, ?, ?, ?)",
            (placed.oid, manner_of(placed.path), left_out, placed.committed),
        )
        number = int(made.lastrowid or 0)
        if not isinstance(text, LeftOut):
            self._index(number, placed.path, text)
        return number, left_out

    def _index(self, blob: int, path: str, text: str) -> None:
        lines = lines_of(text)
        for section in cut(text, path):
            document = next(self._numbers)
            body = "\n".join(lines[section.start - 1 : section.end])
            self._writer.add(document, [(TITLE, section.title), (BODY, body)], TITLE, ())
            row = (document, blob, section.start, section.end, section.title)
            self._connection.execute("INSERT INTO sections VALUES (?, ?, ?, ?, ?)", row)
            self._added += 1
        if self._added >= BLOCK:
            self._flush()

    def _flush(self) -> None:
        self._writer.flush()
        self._added = 0

    def finish(self) -> None:
        """Write down what was read, which sections the worktree has now, and drop what nobody has."""
        self._flush()
        admitted = bytearray(admitted_to(self._connection, self._worktree))
        (size,) = self._connection.execute("SELECT coalesce(max(document), -1) + 1 FROM sections").fetchone()
        admitted.extend(bytes(max(size - len(admitted), 0)))
        for blobs, mark in ((self._off, 0), (self._on, 1)):
            for document in _documents(self._connection, blobs if mark else self._lost(blobs)):
                admitted[document] = mark
        self._connection.execute(
            "UPDATE worktrees SET admitted = ? WHERE number = ?", (zlib.compress(admitted, 1), self._worktree)
        )
        if self._off:
            self._sweep()

    def _lost(self, blobs: Iterable[int]) -> list[int]:
        ask = "SELECT 1 FROM listing WHERE blob = ? AND worktree = ?"
        return [blob for blob in blobs if not self._connection.execute(ask, (blob, self._worktree)).fetchone()]

    def _sweep(self) -> None:
        """Drop blobs that no worktree has: at once what was never committed, the others when there are many."""
        ask = "SELECT number FROM blobs WHERE NOT EXISTS (SELECT 1 FROM listing WHERE blob = number)"
        unlisted = [number for (number,) in self._connection.execute(f"{ask} AND NOT committed")]
        (known,) = self._connection.execute("SELECT count(*) FROM blobs").fetchone()
        (used,) = self._connection.execute("SELECT count(DISTINCT blob) FROM listing").fetchone()
        if known > 2 * used + _SPARE:
            unlisted = [number for (number,) in self._connection.execute(ask)]
        documents = _documents(self._connection, unlisted)
        for document in documents:
            self._writer.remove(document)
        self._writer.flush()
        run = self._connection.executemany
        run("INSERT INTO holes VALUES (?)", [(document,) for document in documents])
        run("DELETE FROM sections WHERE blob = ?", [(number,) for number in unlisted])
        run("DELETE FROM blobs WHERE number = ?", [(number,) for number in unlisted])


def _documents(connection: Connection, blobs: Iterable[int]) -> list[int]:
    ask = "SELECT document FROM sections WHERE blob = ? ORDER BY document"
    return [row[0] for blob in sorted(blobs) for row in connection.execute(ask, (blob,))]


def _free_numbers(connection: Connection) -> Iterator[int]:
    """Yield numbers for new sections: such as became free first."""
    holes = [number for (number,) in connection.execute("SELECT document FROM holes ORDER BY document")]
    (following,) = connection.execute("SELECT coalesce(max(document), -1) + 1 FROM sections").fetchone()
    following = max(following, *(hole + 1 for hole in holes[-1:]), 0)
    for hole in holes:
        connection.execute("DELETE FROM holes WHERE document = ?", (hole,))
        yield hole
    while True:
        yield following
        following += 1
