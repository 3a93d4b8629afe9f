"""Git's commit-graph file (gitformat-commit-graph), read and walked in process.

A graph holds commits as they were when `git commit-graph write` last ran. What git knows beyond that is the
caller's to heed: newer commits are not in it, a commit in it may have been pruned since, and where history is
shallow git does not use it at all. Positions are numbers from 0 over all layers; only a graph's own have a meaning.
"""

import hashlib
import os
import re
import struct
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final, NamedTuple

from gitmem.git.objects import ObjectFormat

_HEADER: Final = struct.Struct(">4s4B")  # signature, version, hash version, number of chunks, number of bases
_CHUNK: Final = struct.Struct(">4sQ")  # id, offset in the file
_LAST_CHUNK: Final = b"\0\0\0\0"
_NO_CHUNK: Final = slice(0, 0)
_HASH_VERSIONS: Final = {ObjectFormat.SHA1: 1, ObjectFormat.SHA256: 2}

_NO_PARENT: Final = 0x70000000
_MARK: Final = 0x80000000  # on a second parent: an offset in EDGE; in EDGE: the last parent of its commit
_MAXIMAL_LEVEL: Final = 0x3FFFFFFF
_DATE_BITS: Final = 2  # the level's word ends with the two highest bits of the commit's date
_UNKNOWN_LEVEL: Final = (1 << _DATE_BITS) - 1  # no word of a known level is so low
_ROOT_LEVEL: Final = 1

_SEEN: Final = 1
_WANTED: Final = 2


class _UnusableError(ValueError):
    """A file is no commit-graph that can be used here. ValueError is what mmap says of an empty file."""


class _Layer(NamedTuple):
    """One file: its checksum, and of each commit the id, two words of parents and the word of the level."""

    checksum: bytes
    ids: bytes
    prefixes: "array[int]"  # the first four bytes of the ids, which a bisection reads faster than the ids themselves
    first: "array[int]"
    second: "array[int]"
    levels: "array[int]"
    edges: "array[int]"


class CommitGraph:
    """The commits of one graph and their parents. Nothing stays open; the files may be rewritten meanwhile.

    Ids are full lower-case hex. Where the answer is None for damage, git is to be asked instead.
    """

    def __init__(self, layers: Sequence[_Layer]) -> None:
        self._width = len(layers[0].checksum)
        self._starts = [0, *accumulate(len(layer.first) for layer in layers)][:-1]
        self._ids = [(start, layer.prefixes, layer.ids) for start, layer in zip(self._starts, layers, strict=True)]
        self._edges = [layer.edges for layer in layers]
        # Parents count over all layers, so that the columns can be laid end to end.
        self._first, self._second, self._levels = array("I"), array("I"), array("I")
        for layer in layers:
            self._first += layer.first
            self._second += layer.second
            self._levels += layer.levels

    def __len__(self) -> int:
        return len(self._first)

    def position(self, oid: str) -> int | None:
        """Return the position of a commit, None if it is not in the graph."""
        target = bytes.fromhex(oid)
        prefix = int.from_bytes(target[:4], "big")
        width = self._width
        for start, prefixes, ids in self._ids:
            at = bisect_left(prefixes, prefix)
            while at < len(prefixes) and prefixes[at] == prefix:
                if ids[at * width : at * width + width] == target:
                    return start + at
                at += 1
        return None

    def oid(self, position: int) -> str:
        """Return the id of the commit at a position."""
        start, _prefixes, ids = self._ids[self._layer_of(position)]
        at = (position - start) * self._width
        return ids[at : at + self._width].hex()

    def parents(self, position: int) -> tuple[int, ...] | None:
        """Return the positions of a commit's parents in their order, None if the graph is damaged there."""
        first, second = self._first[position], self._second[position]
        if first == _NO_PARENT:
            return ()
        if second == _NO_PARENT:
            found = [first]
        else:
            found = [first, *(self._extra_parents(position) if second >= _MARK else [second])]
        return tuple(found) if max(found) < len(self._first) else None

    def reachable(self, tips: Iterable[int], wanted: Collection[int]) -> set[int] | None:
        """Return those of the wanted commits that are ancestors of a tip, or a tip; None if the graph is damaged.

        Commits below the lowest level of the wanted ones are not visited: a commit's level (generation number v1)
        is above those of all its ancestors.
        """
        waiting = frozenset(wanted)
        if not waiting:
            return set()
        seen = bytearray(len(self._first))
        for position in waiting:
            seen[position] = _WANTED
        lowest = min(map(self._levels.__getitem__, waiting)) >> _DATE_BITS
        # A maximal level stands for all above it too. From a commit of level 1 nothing leads on, whatever is wanted.
        floor = lowest if _ROOT_LEVEL < lowest < _MAXIMAL_LEVEL else _ROOT_LEVEL
        try:
            self._walk([*tips], seen, len(waiting), (floor << _DATE_BITS) + _UNKNOWN_LEVEL)
        except IndexError:
            return None
        return {position for position in waiting if seen[position] == _SEEN}

    def _walk(self, queue: list[int], seen: bytearray, missing: int, floor: int) -> None:
        """Mark what is reachable from the queue as seen, until none of the wanted is missing.

        `floor` is the highest word of the level that nothing wanted is below. Raises IndexError where a position
        leads out of the graph. The body runs once for each commit: it calls nothing but for merges.
        """
        first, second, levels, push = self._first, self._second, self._levels, queue.append
        for queued in queue:  # which grows meanwhile: a list's iterator comes to what is appended
            if queued < 0:
                queue += self._extra_parents(~queued)
                continue
            position = queued
            while (mark := seen[position]) != _SEEN:
                seen[position] = _SEEN
                if mark:
                    missing -= 1
                    if not missing:
                        return
                if (level := levels[position]) <= floor and (level > _UNKNOWN_LEVEL or first[position] == _NO_PARENT):
                    break
                if (other := second[position]) != _NO_PARENT:
                    push(other if other < _MARK else ~position)
                position = first[position]

    def _extra_parents(self, position: int) -> list[int]:
        """Return all but the first parent of an octopus merge, with _NO_PARENT at the end where their list is cut."""
        edges = self._edges[self._layer_of(position)]
        found = []
        for at in range(self._second[position] - _MARK, len(edges)):
            found.append(edges[at] & ~_MARK)
            if edges[at] >= _MARK:
                return found
        return [*found, _NO_PARENT]

    def _layer_of(self, position: int) -> int:
        return bisect_right(self._starts, position) - 1


def open_commit_graph(directories: Sequence[Path], object_format: ObjectFormat) -> CommitGraph | None:
    """Return the commit-graph of a repository, None if it has none that can be used whole.

    `directories` are its objects directories in git's order (alternates.object_directories); the first that has
    a usable graph counts, a single file before a chain, as in git. Damage is not an error: other versions and
    hashes, a wrong checksum, chunks that do not fit and chains with a gap are no graph.
    """
    for directory in directories:
        with suppress(OSError, ValueError):
            return CommitGraph([_read_layer(directory / "info" / "commit-graph", object_format, ())])
        with suppress(OSError, ValueError):
            return CommitGraph(_read_chain(directory, directories, object_format))
    return None


def has_commit_graph(directories: Sequence[Path]) -> bool:
    """Tell whether there is a commit-graph, usable or not: git would use it without a look at its checksum."""
    names = (Path("info", "commit-graph"), Path("info", "commit-graphs", "commit-graph-chain"))
    return any((directory / name).exists() for directory in directories for name in names)


def _read_chain(directory: Path, directories: Sequence[Path], object_format: ObjectFormat) -> list[_Layer]:
    """Return the layers that a directory's chain names, the base first. Raises OSError and ValueError."""
    with _mapped(directory / "info" / "commit-graphs" / "commit-graph-chain") as data:
        text = data[:]
    _demand(re.fullmatch(rb"(?:[0-9a-f]{%d}\n)+" % object_format.digits, text) is not None)
    layers: list[_Layer] = []
    for name in text.decode("ascii").split():
        layers.append(_find_layer(name, directories, object_format, [layer.checksum for layer in layers]))
    return layers


def _find_layer(name: str, directories: Sequence[Path], object_format: ObjectFormat, bases: Sequence[bytes]) -> _Layer:
    for directory in directories:
        with suppress(OSError, ValueError):
            layer = _read_layer(directory / "info" / "commit-graphs" / f"graph-{name}.graph", object_format, bases)
            _demand(layer.checksum.hex() == name)
            return layer
    raise _UnusableError


@contextmanager
def _mapped(path: Path) -> Iterator[mmap]:
    """Lend a file's content. Raises OSError, also for what is no regular file, and ValueError for an empty one."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        with mmap(descriptor, 0, access=ACCESS_READ) as data:
            yield data
    finally:
        os.close(descriptor)


def _read_layer(path: Path, object_format: ObjectFormat, bases: Sequence[bytes]) -> _Layer:
    """Return what one file holds; `bases` are the checksums of the layers below. Raises OSError and ValueError."""
    with _mapped(path) as data:
        width = object_format.digits // 2
        end = len(data) - width
        _demand(end >= _HEADER.size)
        signature, version, hash_version, chunks, base_count = _HEADER.unpack_from(data)
        _demand((signature, version, hash_version) == (b"CGPH", 1, _HASH_VERSIONS[object_format]))
        _demand(base_count == len(bases))
        with memoryview(data) as whole, whole[:end] as body:
            checksum = hashlib.new(object_format.value, body, usedforsecurity=False).digest()
        _demand(data[end:] == checksum)
        return _parse(data, _read_table(data, chunks, end), checksum, bases)


def _read_table(data: mmap, number: int, end: int) -> dict[bytes, slice]:
    """Return where each chunk stands (gitformat-chunk): it ends where the next one begins, the last before `end`."""
    table_end = _HEADER.size + (number + 1) * _CHUNK.size
    _demand(table_end <= end)
    ids, offsets = zip(*_CHUNK.iter_unpack(data[_HEADER.size : table_end]), strict=True)
    bounds = [*offsets, end]
    _demand(bounds == sorted(bounds))
    found = {name: slice(*span) for name, *span in zip(ids, offsets, offsets[1:], strict=False)}
    _demand(len(found) == number and _LAST_CHUNK not in found and ids[-1] == _LAST_CHUNK)
    return found


def _parse(data: mmap, table: dict[bytes, slice], checksum: bytes, bases: Sequence[bytes]) -> _Layer:
    width, tree = len(checksum), len(checksum) // 4  # in bytes, and in words
    fanout, edges, base_ids = (data[table.get(name, _NO_CHUNK)] for name in (b"OIDF", b"EDGE", b"BASE"))
    count = int.from_bytes(fanout[-4:], "big")
    sizes = {name: span.stop - span.start for name, span in table.items()}
    expected = {b"OIDF": 4 * 256, b"OIDL": count * width, b"CDAT": count * (width + 16)}
    _demand(count > 0 and expected.items() <= sizes.items())
    _demand(not bases or base_ids == b"".join(bases))
    ids, commits = table[b"OIDL"], table[b"CDAT"]
    return _Layer(
        checksum=checksum,
        ids=data[ids],
        prefixes=_column(data, ids, 0, tree),
        first=_column(data, commits, tree, tree + 4),
        second=_column(data, commits, tree + 1, tree + 4),
        levels=_column(data, commits, tree + 2, tree + 4),
        edges=_words(edges),
    )


def _column(data: mmap, span: slice, start: int, step: int) -> "array[int]":
    """Return every `step`-th word of a chunk, which is not empty, without touching more memory than that takes."""
    with memoryview(data) as whole, whole[span] as chunk, chunk.cast("I") as words, words[start::step] as column:
        return _words(column.tobytes())


def _words(data: bytes) -> "array[int]":
    """Return numbers that are in network byte order. Raises ValueError if the last one is not whole."""
    words = array("I", data)
    if sys.byteorder == "little":
        words.byteswap()
    return words


def _demand(held: bool) -> None:  # noqa: FBT001 - it is nothing but this condition
    if not held:
        raise _UnusableError
