"""The index of a store's entries: their postings, and what ranking and filters need to know of each without its file.

Where it is kept and when it is brought up to date is told in `gitmem.search.keep`; an index of entries that stand in no
directory is made in memory by the same code.
"""

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from gitmem.entry.model import Entry, Kind, ReviewState
from gitmem.entry.rules import SUFFIX, effective_states
from gitmem.search.analysis import FORM, Analyser
from gitmem.search.fields import FieldName, cited_commits, cited_paths, cited_runs, evidence, fields
from gitmem.search.names import comparable, components
from gitmem.search.postings import BLOCK, FACET, SCHEMA, Postings, Writer
from gitmem.storage.db import Connection, application_of
from gitmem.storage.stamp import UNSETTLED, Stamp
from gitmem.text.characters import fold

_SCHEMA: Final = (
    SCHEMA
    + """
CREATE TABLE entries (
    document INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest BLOB NOT NULL, date TEXT NOT NULL, kind TEXT,
    state TEXT NOT NULL, own_state TEXT NOT NULL, supersedes TEXT, future INTEGER NOT NULL
);
CREATE INDEX entries_by_date ON entries (date DESC, id);
CREATE INDEX entries_by_state ON entries (document) WHERE state != 'reviewed';
CREATE INDEX entries_by_target ON entries (supersedes) WHERE supersedes IS NOT NULL;
CREATE TABLE cited (what TEXT, document INTEGER, PRIMARY KEY (what, document)) WITHOUT ROWID;
CREATE INDEX cited_by_document ON cited (document);
CREATE TABLE listing (names TEXT NOT NULL, times BLOB NOT NULL, inodes BLOB NOT NULL);
"""
)

_REVISION: Final = "3"  # of what is written below from the same entry
APPLICATION: Final = application_of(_REVISION, FORM, _SCHEMA)
"""Names the form of the index: a database that was made by other rules is another application's."""

FIELD_CODES: Final = dict(zip(FieldName, "itagdkpsrn", strict=True))
"""One character for each field."""

TITLES: Final = FIELD_CODES[FieldName.TITLE] + FIELD_CODES[FieldName.ALIASES] + FIELD_CODES[FieldName.TAGS]
"""The fields that make the channel of titles."""

_DIGEST_SIZE: Final = 16
_DEPTH: Final = 32  # components of a path by which it can be filtered; what is written by hand may have any number
_FACET_LIMIT: Final = 200  # characters


class Known(NamedTuple):
    """What the index knows of an entry besides its words. `state` is the one that counts."""

    document: int
    id: str
    digest: bytes
    date: str
    state: ReviewState


class EntryIndex:
    """Reads the index of a store."""

    def __init__(self, connection: Connection, analyser: Analyser) -> None:
        self.postings = Postings(connection, analyser)
        self.connection = connection

    @cached_property
    def inactive(self) -> frozenset[int]:
        """The documents that normal search leaves out."""
        rows = self.connection.execute("SELECT document FROM entries WHERE state != 'reviewed'")
        return frozenset(document for (document,) in rows)

    def newest_first(self) -> Iterator[int]:
        """Yield all documents, the newest first, those of one moment by id."""
        rows = self.connection.execute("SELECT document FROM entries ORDER BY date DESC, id")
        return (document for (document,) in rows)

    def known(self, documents: Iterable[int]) -> dict[int, Known]:
        """Return what is known of documents."""
        rows = self.connection.execute(
            "SELECT document, id, digest, date, state FROM entries WHERE document IN (SELECT value FROM json_each(?))",
            (json.dumps(list(documents)),),
        )
        return {row[0]: Known(row[0], row[1], row[2], row[3], ReviewState(row[4])) for row in rows}

    @cached_property
    def listing(self) -> dict[str, Stamp]:
        """The stamp with which each file was read, by name; UNSETTLED where none was to be trusted."""
        row = self.connection.execute("SELECT names, times, inodes FROM listing").fetchone()
        if row is None or not row[0]:
            return {}
        times, inodes = array("q"), array("Q")
        times.frombytes(row[1])
        inodes.frombytes(row[2])
        ordered = iter(times)
        return dict(zip(row[0].split("\n"), zip(ordered, ordered, ordered, inodes, strict=True), strict=True))

    def cited(self) -> list[str]:
        """Return the paths and the full ids of commits that active entries cite as evidence, in order."""
        rows = self.connection.execute(
            "SELECT DISTINCT what FROM cited JOIN entries USING (document) WHERE state = 'reviewed' ORDER BY what"
        )
        return [what for (what,) in rows]

    def citing(self, cited: Iterable[str]) -> list[Known]:
        """Return the active entries whose evidence is any of these paths and commits, by id."""
        rows = self.connection.execute(
            "SELECT DISTINCT document FROM cited JOIN entries USING (document) "
            "WHERE state = 'reviewed' AND what IN (SELECT value FROM json_each(?))",
            (json.dumps([what for what in cited if _is_text(what)]),),
        )
        return sorted(self.known(document for (document,) in rows).values(), key=lambda known: known.id)

    def digest(self, ident: str) -> bytes | None:
        """Return the digest of an entry, None if there is none of this id."""
        row = self.connection.execute("SELECT digest FROM entries WHERE id = ?", (ident,)).fetchone()
        return None if row is None else bytes(row[0])


def create(connection: Connection) -> None:
    """Make an empty index in a new database."""
    connection.executescript(_SCHEMA)


def digest_of(entry: Entry, data: bytes) -> bytes:
    """Return what the index of an entry depends on: the file, and the date, which may come from elsewhere."""
    return hashlib.blake2b(data + b"\0" + entry.date.encode(), digest_size=_DIGEST_SIZE).digest()


def update(
    connection: Connection,
    analyser: Analyser,
    found: Iterable[tuple[Entry, bytes]],
    gone: Sequence[str],
    unread: Sequence[str] = (),
) -> None:
    """Bring an index up to date: entries, with their digests, that are new or different, and ids that are gone.

    `unread` are names of files that turn out to hold no entry while `found` is read. Writes in whole blocks, so that
    memory does not grow with the store.
    """
    writer = Writer(connection, analyser)
    free: list[int] = []
    for ident in gone:
        free += _remove(connection, writer, ident)
    numbers = _free_numbers(connection, free)
    for count, (entry, digest) in enumerate(found, 1):
        replaced = _remove(connection, writer, entry.id)
        number = replaced[0] if replaced else next(numbers)
        writer.add(number, texts(entry), TITLES, facets(entry))
        _insert(connection, number, entry, digest)
        connection.executemany("INSERT OR IGNORE INTO cited VALUES (?, ?)", [(one, number) for one in evidence(entry)])
        if count % BLOCK == 0:
            writer.flush()
    writer.flush()
    for name in unread:
        _remove(connection, writer, name.removesuffix(SUFFIX))
    writer.flush()
    _settle_states(connection)


def _is_text(path: str) -> bool:
    """Whether an entry, which is UTF-8, could cite a path."""
    return not any("\ud800" <= character <= "\udfff" for character in path)


def write_listing(connection: Connection, stamps: Mapping[str, Stamp]) -> None:
    """Replace the stamps of the files."""
    held = {name: stamp if _fits(stamp) else UNSETTLED for name, stamp in stamps.items()}
    times = array("q", (number for stamp in held.values() for number in stamp[:3]))
    inodes = array("Q", (stamp[3] for stamp in held.values()))
    connection.execute("DELETE FROM listing")
    connection.execute("INSERT INTO listing VALUES (?, ?, ?)", ("\n".join(held), times.tobytes(), inodes.tobytes()))


def _fits(stamp: Stamp) -> bool:
    """Whether 64 bits hold each number: not so the nanoseconds of a time before 1678 or after 2262."""
    return all(-(1 << 63) <= number < 1 << 63 for number in stamp[:3])


def texts(entry: Entry) -> list[tuple[str, str]]:
    """Return an entry's texts, each with the character of its field."""
    return [(FIELD_CODES[field.name], value) for field in fields(entry) for value in field.values]


def facets(entry: Entry) -> tuple[str, ...]:
    """Return by what an entry can be filtered, and what names it, each as one line of text."""
    named = [_facet("id", fold(entry.id)), _facet("named", comparable(entry.title))]
    if entry.kind is not None:
        named.append(_facet("kind", entry.kind))
    if not entry.future:
        named += [_facet("named", comparable(alias)) for alias in entry.aliases]
        named += [_facet("tag", fold(tag)) for tag in entry.tags]
        named += [_facet("commit", commit) for commit in cited_commits(entry)]
        named += [_facet("run", run) for run in cited_runs(entry)]
        named += [facet for path in cited_paths(entry) for facet in _path_facets(components(path))]
    return tuple(dict.fromkeys(named))


def _path_facets(parts: tuple[str, ...]) -> Iterator[str]:
    for count in range(min(len(parts), _DEPTH) + 1):
        yield _facet("below", below(parts[:count]))
    for count in range(max(len(parts) - _DEPTH, 0), len(parts)):
        yield _facet("file", ending(parts[count:]))
    yield _facet("path", "/".join(parts))


def below(parts: tuple[str, ...]) -> str:
    """Return the value of the facet `below` for a directory: of a very deep one its beginning."""
    return "/".join(parts[:_DEPTH])


def ending(parts: tuple[str, ...]) -> str:
    """Return the value of the facet `file` for the end of a path: of a very deep one its last components."""
    return "/".join(parts[-_DEPTH:])


def facet_key(name: str, value: str) -> str:
    """Return the key of a facet."""
    return FACET + _facet(name, value)


def _facet(name: str, value: str) -> str:
    """Return a facet as one line of bounded length."""
    line = " ".join(value.encode("utf-8", "replace").decode().split("\n"))  # a query may hold what no text can
    if len(line) > _FACET_LIMIT:
        line = f"{line[:_FACET_LIMIT]}\x1f{hashlib.sha256(line.encode()).hexdigest()[:16]}"
    return f"{name}:{line}"


def _remove(connection: Connection, writer: Writer, ident: str) -> list[int]:
    """Remove an entry; return its number, if it was there."""
    row = connection.execute("SELECT document FROM entries WHERE id = ?", (ident,)).fetchone()
    if row is None:
        return []
    writer.remove(row[0])
    connection.execute("DELETE FROM entries WHERE document = ?", row)
    connection.execute("DELETE FROM cited WHERE document = ?", row)
    return [row[0]]


def _free_numbers(connection: Connection, freed: Sequence[int]) -> Iterator[int]:
    """Yield numbers for new documents, such as were freed first."""
    used = [document for (document,) in connection.execute("SELECT document FROM entries ORDER BY document")]
    taken = set(freed)
    yield from freed
    for before, after in pairwise([-1, *used]):
        yield from (number for number in range(before + 1, after) if number not in taken)
    following = max([*used, *freed], default=-1) + 1
    while True:
        yield following
        following += 1


def _insert(connection: Connection, number: int, entry: Entry, digest: bytes) -> None:
    state = ReviewState.STALE if entry.future else entry.review_state
    connection.execute(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (number, entry.id, digest, entry.date, entry.kind, state, state, entry.supersedes, entry.future),
    )


def _settle_states(connection: Connection) -> None:
    """Let each entry have the state that counts, supersedes pointers honoured."""
    connection.execute("UPDATE entries SET state = own_state WHERE state != own_state")
    rows = connection.execute(
        "SELECT id, date, kind, own_state, supersedes, future FROM entries WHERE supersedes IS NOT NULL "
        "UNION SELECT t.id, t.date, t.kind, t.own_state, t.supersedes, t.future "
        "FROM entries AS t JOIN entries AS s ON s.supersedes = t.id"
    )
    linked = [
        Entry(
            id=ident,
            title="",
            date=date,
            kind=None if kind is None else Kind(kind),
            review_state=ReviewState(state),
            supersedes=target,
            future=bool(future),
        )
        for ident, date, kind, state, target, future in rows
    ]
    connection.executemany(
        "UPDATE entries SET state = ?2 WHERE id = ?1 AND state != ?2", [*effective_states(linked).items()]
    )
