"""Postings: for each key the documents that have it, in a database that is made anew or changed by difference.

A posting list is cut into blocks of 4,096 documents, so that a change writes little. Each posting is one number of 32
bits: the document's place in its block, how often the key stands in it, how often in its title. All statistics are
whole numbers over the documents that are there, so no score depends on what was there before, or in what order it came.
"""

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from gitmem.search.analysis import VALUES, Analyser, Document, Fragment, found_keys, parse_document, written_value
from gitmem.storage.db import Connection
from gitmem.text.tokens import key_of

Numbers: TypeAlias = "array[int]"

BLOCK: Final = 4096
PLACE_SHIFT: Final = 20
COUNT_SHIFT: Final = 8
COUNTS: Final = (1 << PLACE_SHIFT) - 1
MOST_COUNTED: Final = 4095
MOST_TITLED: Final = 255
_TITLED_CAP: Final = 15  # so that the counts of several keys can be added

# Facets are keys too, but no words: nothing that was written begins so.
FACET: Final = "\x01"

SCHEMA: Final = """
CREATE TABLE numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE words (key TEXT PRIMARY KEY, stem TEXT, plain TEXT) WITHOUT ROWID;
CREATE INDEX words_by_stem ON words (stem) WHERE stem IS NOT NULL;
CREATE INDEX words_by_plain ON words (plain) WHERE plain IS NOT NULL;
CREATE TABLE postings (key TEXT, block INTEGER, places BLOB NOT NULL, PRIMARY KEY (key, block)) WITHOUT ROWID;
CREATE TABLE lengths (block INTEGER PRIMARY KEY, whole BLOB NOT NULL, titles BLOB NOT NULL);
CREATE TABLE texts (document INTEGER PRIMARY KEY, content TEXT NOT NULL, facets TEXT NOT NULL);
"""


class Posting(NamedTuple):
    """How often a key stands in a document, and how often of that in its title."""

    document: int
    times: int
    titled: int


@dataclass(frozen=True, slots=True)
class Channel:
    """Statistics of one channel: how many documents have anything in it, and the sum of their lengths in keys."""

    documents: int
    length: int

    @property
    def average(self) -> float:
        """The average length of a document that is not empty, 1 where there is none."""
        return self.length / self.documents if self.length else 1.0


class Postings:
    """Reads postings. What was asked is kept for as long as the object lives."""

    def __init__(self, connection: Connection, analyser: Analyser) -> None:
        self.connection = connection
        self.analyser = analyser

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The statistics, by name."""
        return dict(self.connection.execute("SELECT name, value FROM numbers"))

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return self.numbers.get("documents", 0)

    @property
    def whole(self) -> Channel:
        """The channel of everything that a document says."""
        return Channel(self.numbers.get("whole", 0), self.numbers.get("whole length", 0))

    @property
    def titles(self) -> Channel:
        """The channel of titles, aliases and tags."""
        return Channel(self.numbers.get("titled", 0), self.numbers.get("titles length", 0))

    @cached_property
    def lengths(self) -> tuple[Numbers, Numbers]:
        """The lengths of the documents, by document, in all and in the title; 0 where there is no document."""
        whole, titles = array("I"), array("I")
        for block, one, other in self.connection.execute("SELECT * FROM lengths ORDER BY block"):
            missing = bytes(4 * (block * BLOCK - len(whole)))
            whole.frombytes(missing + one)
            titles.frombytes(missing + other)
        return whole, titles

    def blocks(self, key: str) -> list[tuple[int, Numbers]]:
        """Return the posting list of a key: the first document of each block, and the block's packed postings."""
        rows = self.connection.execute("SELECT block, places FROM postings WHERE key = ? ORDER BY block", (key,))
        return [(block * BLOCK, _unpacked(places)) for block, places in rows]

    def postings(self, key: str) -> Iterator[Posting]:
        """Yield the postings of a key, by document."""
        for first, packed in self.blocks(key):
            for one in packed:
                yield Posting(first + (one >> PLACE_SHIFT), (one >> COUNT_SHIFT) & MOST_COUNTED, one & MOST_TITLED)

    def having(self, key: str) -> set[int]:
        """Return the documents that have a key."""
        return {first + (one >> PLACE_SHIFT) for first, packed in self.blocks(key) for one in packed}

    def with_stem(self, stem: str) -> tuple[str, ...]:
        """Return the keys that have a stem, in order."""
        rows = self.connection.execute(
            "SELECT key FROM words WHERE key = :stem AND stem IS NULL UNION SELECT key FROM words WHERE stem = :stem "
            "ORDER BY key",
            {"stem": stem},
        )
        return tuple(key for (key,) in rows)

    def beginning(self, prefix: str) -> tuple[str, ...]:
        """Return the keys that begin so, in order."""
        rows = self.connection.execute(
            "SELECT DISTINCT key FROM postings WHERE key >= ? AND key < ? ORDER BY key", (prefix, prefix + "\U0010ffff")
        )
        return tuple(key for (key,) in rows)

    @cached_property
    def vocabulary(self) -> list[str]:
        """Every key that is a word without accents, in order."""
        return [key for (key,) in self.connection.execute("SELECT key FROM words WHERE plain IS NULL ORDER BY key")]

    def spellings(self, key: str) -> tuple[str, ...]:
        """Return how a word is spelled where that is not its key: with accents, or zeros in front; in order."""
        return tuple(
            row[0] for row in self.connection.execute("SELECT key FROM words WHERE plain = ? ORDER BY key", (key,))
        )

    def document(self, number: int) -> Document:
        """Return what was kept of a document."""
        row = self.connection.execute("SELECT content FROM texts WHERE document = ?", (number,)).fetchone()
        return parse_document(row[0] if row else "")


class Writer:
    """Changes the postings of a database. Nothing is written before `flush`; a number may come once until then."""

    def __init__(self, connection: Connection, analyser: Analyser) -> None:
        self._connection = connection
        self._analyser = analyser
        self._start()

    def _start(self) -> None:
        self._added: dict[int, defaultdict[str, list[int]]] = {}
        self._removed: dict[int, dict[str, set[int]]] = {}
        self._lengths: dict[int, tuple[int, int]] = {}
        self._texts: list[tuple[int, str, str]] = []
        self._numbers: Counter[str] = Counter()

    def add(self, number: int, values: Iterable[tuple[str, str]], titles: str, facets: Sequence[str]) -> None:
        """Add a document under a free number.

        `values` are its texts, each with the character of its field; `titles` the fields that are its title.
        """
        whole, titled = _Collected(), _Collected()
        written = []
        for field, text in values:
            fragments = self._analyser.fragments(text)
            (titled if field in titles else whole).collect(fragments)
            written.append(written_value(field, fragments))
        lengths = whole.length + titled.length, titled.length
        block, place = divmod(number, BLOCK)
        added = self._added.setdefault(block, defaultdict(list))
        _append(added, place << PLACE_SHIFT, Counter(whole.keys + titled.keys), Counter(titled.keys))
        for facet in facets:
            added[FACET + facet].append(place << PLACE_SHIFT)
        self._lengths[number] = lengths
        self._texts.append((number, VALUES.join(written), "\n".join(facets)))
        self._count(lengths, 1)

    def remove(self, number: int) -> None:
        """Remove a document."""
        written, facets = self._connection.execute(
            "SELECT content, facets FROM texts WHERE document = ?", (number,)
        ).fetchone()
        keys = {key for value in parse_document(written).values for key in found_keys(value)}
        block, place = divmod(number, BLOCK)
        removed = self._removed.setdefault(block, {})
        for key in (*keys, *(FACET + facet for facet in facets.split("\n"))):
            removed.setdefault(key, set()).add(place)
        row = self._connection.execute("SELECT whole, titles FROM lengths WHERE block = ?", (block,)).fetchone()
        lengths = _unpacked(row[0])[place], _unpacked(row[1])[place]
        self._lengths[number] = 0, 0
        self._connection.execute("DELETE FROM texts WHERE document = ?", (number,))
        self._count(lengths, -1)

    def flush(self) -> None:
        """Write down what was added and removed."""
        run = self._connection.executemany
        gone: set[str] = set()
        for block in sorted(self._added.keys() | self._removed.keys()):
            gone |= self._write_block(block, self._added.get(block, {}), self._removed.get(block, {}))
        self._drop_words(gone)
        for block, rows in self._length_blocks():
            run("INSERT OR REPLACE INTO lengths VALUES (?, ?, ?)", [(block, *rows)])
        run("INSERT INTO texts VALUES (?, ?, ?)", self._texts)
        run(
            "INSERT INTO numbers VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = value + ?2",
            self._numbers.items(),
        )
        self._start()

    def _count(self, lengths: tuple[int, int], sign: int) -> None:
        whole, titled = lengths
        self._numbers["documents"] += sign
        self._numbers["whole"] += sign * bool(whole)
        self._numbers["whole length"] += sign * whole
        self._numbers["titled"] += sign * bool(titled)
        self._numbers["titles length"] += sign * titled

    def _write_block(self, block: int, added: Mapping[str, list[int]], removed: Mapping[str, set[int]]) -> set[str]:
        """Write a block; return the keys of which it has no posting any more."""
        if self._connection.execute("SELECT 1 FROM lengths WHERE block = ?", (block,)).fetchone() is None:
            self._write_rows([(key, block, _packed(added[key])) for key in sorted(added)])
            self._write_words([key for key in added if not key.startswith(FACET)])
            return set()
        rows, words, gone = [], [], []
        for key in sorted(added.keys() | removed.keys()):
            before = self._places(key, block)
            places = [one for one in before or () if one >> PLACE_SHIFT not in removed.get(key, ())]
            places += added.get(key, ())
            if not places:
                gone.append((key, block))
                continue
            rows.append((key, block, _packed(places)))
            if before is None and not key.startswith(FACET):
                words.append(key)
        self._write_rows(rows)
        self._write_words(words)
        self._connection.executemany("DELETE FROM postings WHERE key = ? AND block = ?", gone)
        return {key for key, _ in gone}

    def _write_rows(self, rows: Iterable[tuple[str, int, bytes]]) -> None:
        self._connection.executemany("INSERT OR REPLACE INTO postings VALUES (?, ?, ?)", rows)

    def _write_words(self, keys: Sequence[str]) -> None:
        stems = self._analyser.stems(keys)
        rows = sorted((key, _other(stem, key), _other(key_of(key), key)) for key, stem in zip(keys, stems, strict=True))
        self._connection.executemany("INSERT OR IGNORE INTO words VALUES (?, ?, ?)", rows)

    def _places(self, key: str, block: int) -> "Numbers | None":
        row = self._connection.execute(
            "SELECT places FROM postings WHERE key = ? AND block = ?", (key, block)
        ).fetchone()
        return None if row is None else _unpacked(row[0])

    def _drop_words(self, keys: Iterable[str]) -> None:
        self._connection.executemany(
            "DELETE FROM words WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM postings WHERE key = ?1)",
            [(key,) for key in sorted(keys)],
        )

    def _length_blocks(self) -> Iterator[tuple[int, tuple[bytes, bytes]]]:
        for block in sorted({number // BLOCK for number in self._lengths}):
            row = self._connection.execute("SELECT whole, titles FROM lengths WHERE block = ?", (block,)).fetchone()
            whole, titles = map(_unpacked, row or (bytes(4 * BLOCK), bytes(4 * BLOCK)))
            for number, (one, other) in self._lengths.items():
                if number // BLOCK == block:
                    whole[number % BLOCK], titles[number % BLOCK] = one, other
            yield block, (whole.tobytes(), titles.tobytes())


class _Collected:
    """The keys of some fields of a document."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.length = 0

    def collect(self, fragments: Sequence[Fragment]) -> None:
        self.keys += chain.from_iterable([fragment.keys for fragment in fragments])
        self.length += sum([fragment.telling for fragment in fragments])


def _append(
    added: defaultdict[str, list[int]], packed: int, counts: Mapping[str, int], titled: Mapping[str, int]
) -> None:
    """Append one document's postings; `packed` is its place alone."""
    if max(counts.values(), default=0) > MOST_COUNTED or max(titled.values(), default=0) > _TITLED_CAP:
        counts = {key: min(count, MOST_COUNTED) for key, count in counts.items()}
        titled = {key: min(count, _TITLED_CAP) for key, count in titled.items()}
    for key, count in counts.items():
        added[key].append(packed | count << COUNT_SHIFT)
    for key, count in titled.items():
        added[key][-1] |= count


def _other(one: str, key: str) -> str | None:
    return None if one == key else one


def _packed(places: Sequence[int]) -> bytes:
    return places[0].to_bytes(4, sys.byteorder) if len(places) == 1 else array("I", sorted(places)).tobytes()


def _unpacked(places: bytes) -> Numbers:
    unpacked = array("I")
    unpacked.frombytes(places)
    return unpacked
