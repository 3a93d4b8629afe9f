"""The index of a project's files: the sections of each blob once, and which blobs stand where in each worktree.

Branches and worktrees share what is read of a blob, so a checkout costs a listing. What a search may find is decided by
the listing of the worktree that asks alone: statistics too are those of its sections, so that no score depends on what
other worktrees have, or on what was there before.
"""

import json
import os
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Final, NamedTuple

from gitmem.search.analysis import FORM, Analyser
from gitmem.search.postings import PLACE_SHIFT, Numbers, Postings
from gitmem.search.postings import SCHEMA as POSTINGS
from gitmem.search.sections import FORM as SECTIONS
from gitmem.storage.db import Connection, application_of

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
CREATE INDEX sections_by_blob ON sections (blob, first);
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


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a worktree: the commit that its listing follows, and whether it has all files or just some."""

    number: int
    base: str | None
    whole: bool


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
    sections = sum(admitted_to(connection, worktree))
    by_reason = {reason: count for reason, count in rows if reason is not None}
    return Counts(sum(count for reason, count in rows if reason is None), sections, by_reason)


class FilePostings(Postings):
    """The postings of the sections that one worktree has."""

    def __init__(self, connection: Connection, analyser: Analyser, worktree: int) -> None:
        super().__init__(connection, analyser)
        self.worktree = worktree
        self.admitted = admitted_to(connection, worktree)
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
            # In this order: SQLite would rather walk through the whole listing, for the sake of its order.
            "SELECT document, listing.path, oid, first, last, title FROM json_each(?) "
            "CROSS JOIN sections ON document = json_each.value CROSS JOIN blobs ON blobs.number = sections.blob "
            "CROSS JOIN listing ON listing.blob = sections.blob AND worktree = ? ORDER BY +listing.path",
            (json.dumps(list(found)), self.worktree),
        )
        for document, path, *rest in rows:
            found[document].append(Place(document, os.fsdecode(path), *rest))
        return found

    def in_order(self) -> Iterator[int]:
        """Yield the sections by path and line; a section that stands in several places comes several times."""
        rows = self.connection.execute(
            "SELECT document FROM listing CROSS JOIN sections ON sections.blob = listing.blob "
            "WHERE worktree = ? ORDER BY path, first",
            (self.worktree,),
        )
        return (document for (document,) in rows)

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
        # The same statement for each is faster than one for all that has to be told non-UTF-8 names.
        ask = (
            "SELECT document FROM listing CROSS JOIN sections ON sections.blob = listing.blob "
            "WHERE worktree = ? AND path = ? ORDER BY sections.first"
        )
        run = self.connection.execute
        return {path: [row[0] for row in run(ask, (self.worktree, os.fsencode(path)))] for path in paths}


def admitted_to(connection: Connection, worktree: int) -> bytes:
    """Return for each section, by its number, whether the worktree has it: 1 or 0."""
    row = connection.execute("SELECT admitted FROM worktrees WHERE number = ?", (worktree,)).fetchone()
    found = b"" if row is None else zlib.decompress(row[0])
    (size,) = connection.execute("SELECT coalesce(max(document), -1) + 1 FROM sections").fetchone()
    return found[:size] + bytes(max(size - len(found), 0))
