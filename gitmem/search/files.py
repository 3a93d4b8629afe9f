"""The index of a project's files: the sections of each blob once, and which blobs stand where in each worktree.

Branches and worktrees share what is read of a blob, so a checkout costs a listing. What a search may find is decided by
the listing of the worktree that asks alone: statistics too are those of its sections, so that no score depends on what
other worktrees have, or on what was there before.
"""

import json
import os
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Final, NamedTuple

from gitmem.progress import Progress
from gitmem.search.analysis import FORM, Analyser
from gitmem.search.postings import BLOCK, PLACE_SHIFT, Numbers, Postings, Writer
from gitmem.search.postings import SCHEMA as POSTINGS
from gitmem.search.sections import FORM as SECTIONS
from gitmem.search.sections import cut, manner_of
from gitmem.storage.db import Connection, application_of
from gitmem.text.content import LeftOut, lines_of, read_text

SCHEMA: Final = (
    POSTINGS
    + """
CREATE TABLE blobs (
    number INTEGER PRIMARY KEY, oid TEXT NOT NULL, manner TEXT NOT NULL, left_out TEXT, committed INTEGER NOT NULL,
    UNIQUE (oid, manner)
);
CREATE INDEX blobs_of_no_commit ON blobs (number) WHERE NOT committed;
CREATE TABLE sections (
    document INTEGER PRIMARY KEY, blob INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    title TEXT NOT NULL
);
CREATE INDEX sections_by_blob ON sections (blob);
CREATE TABLE holes (document INTEGER PRIMARY KEY);
CREATE TABLE worktrees (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token TEXT NOT NULL, base TEXT, whole INTEGER NOT NULL,
    admitted BLOB NOT NULL
);
CREATE TABLE listing (
    worktree INTEGER, path BLOB, blob INTEGER, left_out TEXT, dirty INTEGER NOT NULL, PRIMARY KEY (worktree, path)
) WITHOUT ROWID;
CREATE INDEX listing_by_blob ON listing (blob, worktree) WHERE blob IS NOT NULL;
"""
)

_REVISION: Final = "1"  # of what is written below from the same files
APPLICATION: Final = application_of("files", _REVISION, FORM, SECTIONS, SCHEMA)
"""Names the form of the index, as `gitmem.search.entries.APPLICATION` does."""

TITLE: Final = "t"
BODY: Final = "b"
WEIGHTS: Final = {TITLE: 1.0, BODY: 0.4}
"""What a word counts by the field of a section that it stands in."""

MISSING: Final = "missing"
"""Why a file is left out whose content is not in the repository."""

_SPARE: Final = 1000  # blobs that no worktree has any more may be kept beside as many as there are
_TOLD: Final = 50  # files, between two words about progress


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a worktree: the commit that its listing follows, and whether it has all files or just some."""

    number: int
    base: str | None
    whole: bool


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


class Place(NamedTuple):
    """A section of a file: where it stands, and the blob that it is from."""

    document: int
    path: str
    oid: str
    first: int
    last: int
    title: str


def standing_of(connection: Connection, name: str, token: str) -> Standing | None:
    """Return what is known of a worktree, None if nothing is: another one may have had the name."""
    row = connection.execute(
        "SELECT number, base, whole FROM worktrees WHERE name = ? AND token = ?", (name, token)
    ).fetchone()
    return None if row is None else Standing(row[0], row[1], bool(row[2]))


def is_mined(connection: Connection) -> bool:
    """Whether all files of some worktree were read: then those of the others are, when they are asked for."""
    return connection.execute("SELECT 1 FROM worktrees WHERE whole").fetchone() is not None


def listed(connection: Connection, worktree: int) -> dict[str, str | None]:
    """Return the blob of each path of a worktree, None for one that is left out and has none."""
    rows = connection.execute(
        "SELECT path, oid FROM listing LEFT JOIN blobs ON number = blob WHERE worktree = ?", (worktree,)
    )
    return {os.fsdecode(path): oid for path, oid in rows}


def uncommitted(connection: Connection, worktree: int) -> set[str]:
    """Return the paths of a worktree whose content was read from disk and is not that of the commit."""
    rows = connection.execute("SELECT path FROM listing WHERE worktree = ? AND dirty", (worktree,))
    return {os.fsdecode(path) for (path,) in rows}


@dataclass(frozen=True, slots=True)
class Counts:
    """How many files of a worktree are searched, in how many sections, and how many are left out, by the reason."""

    files: int
    sections: int
    left_out: Mapping[str, int]


def counts(connection: Connection, worktree: int) -> Counts:
    """Count what a worktree has."""
    reasons = "coalesce(listing.left_out, blobs.left_out)"
    rows = connection.execute(
        f"SELECT {reasons}, count(*) FROM listing LEFT JOIN blobs ON number = blob "  # noqa: S608 - all of it is ours
        f"WHERE worktree = ? GROUP BY {reasons} ORDER BY 1",
        (worktree,),
    ).fetchall()
    sections = sum(_admitted(connection, worktree))
    by_reason = {reason: count for reason, count in rows if reason is not None}
    return Counts(sum(count for reason, count in rows if reason is None), sections, by_reason)


class FilePostings(Postings):
    """The postings of the sections that one worktree has."""

    def __init__(self, connection: Connection, analyser: Analyser, worktree: int) -> None:
        super().__init__(connection, analyser)
        self.worktree = worktree
        self.admitted = _admitted(connection, worktree)
        (sections,) = connection.execute("SELECT count(*) FROM sections").fetchone()
        self._all = sum(self.admitted) == sections

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The statistics, by name, of the sections that the worktree has."""
        whole, titles = (list(compress(lengths, self.admitted)) for lengths in self.lengths)
        return {
            "documents": sum(self.admitted),
            "whole": len(whole) - whole.count(0),
            "whole length": sum(whole),
            "titled": len(titles) - titles.count(0),
            "titles length": sum(titles),
        }

    def blocks(self, key: str) -> list[tuple[int, Numbers]]:
        """Return the posting list of a key, as Postings does, without what other worktrees have."""
        found = super().blocks(key)
        return found if self._all else [(first, self._of_ours(first, packed)) for first, packed in found]

    def _of_ours(self, first: int, packed: Numbers) -> Numbers:
        admitted = self.admitted
        return array("I", [one for one in packed if admitted[first + (one >> PLACE_SHIFT)]])

    def places(self, documents: Iterable[int]) -> dict[int, list[Place]]:
        """Return where the worktree has each of some sections, by path; equal files have them in several places."""
        found: dict[int, list[Place]] = {document: [] for document in documents}
        rows = self.connection.execute(
            "SELECT document, listing.path, oid, first, last, title FROM json_each(?) "
            "JOIN sections ON document = json_each.value JOIN blobs ON blobs.number = sections.blob "
            "JOIN listing ON listing.blob = sections.blob AND worktree = ? ORDER BY listing.path",
            (json.dumps(list(found)), self.worktree),
        )
        for document, path, *rest in rows:
            found[document].append(Place(document, os.fsdecode(path), *rest))
        return found

    @cached_property
    def paths(self) -> list[str]:
        """The paths that have sections, in order."""
        rows = self.connection.execute(
            "SELECT path FROM listing JOIN blobs ON number = blob "
            "WHERE worktree = ? AND blobs.left_out IS NULL AND listing.left_out IS NULL ORDER BY path",
            (self.worktree,),
        )
        return [os.fsdecode(path) for (path,) in rows]

    def sections_at(self, paths: Iterable[str]) -> dict[str, list[int]]:
        """Return the sections of files, from the first to the last."""
        ask = (
            "SELECT document FROM listing JOIN sections ON sections.blob = listing.blob "
            "WHERE worktree = ? AND path = ? ORDER BY sections.first"
        )
        return {
            path: [row[0] for row in self.connection.execute(ask, (self.worktree, os.fsencode(path)))] for path in paths
        }


Load = Callable[[str], bytes | None]


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
        admitted = bytearray(_admitted(self._connection, self._worktree))
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


def _admitted(connection: Connection, worktree: int) -> bytes:
    """Return for each section, by its number, whether the worktree has it: 1 or 0."""
    row = connection.execute("SELECT admitted FROM worktrees WHERE number = ?", (worktree,)).fetchone()
    found = b"" if row is None else zlib.decompress(row[0])
    (size,) = connection.execute("SELECT coalesce(max(document), -1) + 1 FROM sections").fetchone()
    return found[:size] + bytes(max(size - len(found), 0))


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
