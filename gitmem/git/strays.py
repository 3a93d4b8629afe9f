"""Finds what git still has of certain files where no history of ours tells of it: leftovers and other people's copies.

A killed process leaves objects that were written for a commit that never came to be; branches, stashes and reflogs may
hold the same files.
"""

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from gitmem.git.objects import ObjectFormat
from gitmem.git.record import read_blobs
from gitmem.git.run import LONG_LIMIT, Git

_FANOUT: Final = re.compile("[0-9a-f]{2}")
_REST: Final = re.compile("[0-9a-f]{38}|[0-9a-f]{62}")
_TREE_ENTRY: Final = re.compile(rb"\d+ ([^\0]+)\0", re.DOTALL)

_BATCH: Final = 1 << 26  # bytes of contents that are held at once


class _Sized(NamedTuple):
    """An object and its size in bytes."""

    oid: str
    size: int


@dataclass(frozen=True, slots=True)
class Loose:
    """The objects of a repository that lie in files of their own, by kind."""

    git: Git
    worktree: Path
    by_kind: dict[str, list[_Sized]]

    @classmethod
    def of(cls, git: Git, worktree: Path, common_dir: Path) -> "Loose":
        """List them. Raises GitFailedError where one of them is damaged."""
        found: dict[str, list[_Sized]] = {"blob": [], "tree": [], "commit": [], "tag": []}
        oids = list(_loose_oids(common_dir / "objects"))
        if oids:
            ask = ("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", "--buffer")
            feed = "".join(f"{oid}\n" for oid in sorted(oids)).encode("ascii")
            for line in git.ask(*ask, cwd=worktree, feed=feed, limit=LONG_LIMIT).line().split("\n"):
                oid, kind, *size = line.split(" ")
                if size:
                    found[kind].append(_Sized(oid, int(size[0])))
        return cls(git, worktree, found)

    def named(self, names: Collection[str]) -> list[str]:
        """Return the objects that name one of the files, contents before trees before commits.

        These are trees that have one of the names at their top, what they have there, and commits of such trees. Many
        are no strays at all: what is reachable is for the caller to find out.
        """
        wanted = {os.fsencode(name) for name in names}
        blobs: dict[str, None] = {}
        trees: list[str] = []
        for oid, data in self._contents(self.by_kind["tree"]):
            below = [entry for name, entry in _entries(data, len(oid)) if name in wanted]
            blobs.update(dict.fromkeys(below))
            trees += [oid] if below else []
        heads = tuple(f"tree {oid}\n".encode("ascii") for oid in trees)
        commits = [oid for oid, data in self._contents(self.by_kind["commit"]) if heads and data.startswith(heads)]
        return [*blobs, *trees, *commits]

    def telling(self, of_it: Callable[[bytes], bool], ours: Callable[[str], bool]) -> list[str]:
        """Return the commits that tell of it, if what stands at the top of their trees is ours and nothing else."""
        told = [(oid, data) for oid, data in self._contents(self.by_kind["commit"]) if of_it(data)]
        trees = {oid: data[len("tree ") : data.index(b"\n")].decode("ascii") for oid, data in told}
        contents = read_blobs(self.git, self.worktree, set(trees.values()))
        return [oid for oid, tree in trees.items() if tree in contents and _has_only(contents[tree], len(tree), ours)]

    def alike(self, wanted: Callable[[bytes], bool], limit: int) -> list[str]:
        """Return the blobs of at most `limit` bytes whose content is wanted."""
        small = [blob for blob in self.by_kind["blob"] if blob.size <= limit]
        return [oid for oid, data in self._contents(small) if wanted(data)]

    def _contents(self, objects: Sequence[_Sized]) -> Iterator[tuple[str, bytes]]:
        for batch in _batches(objects):
            yield from read_blobs(self.git, self.worktree, batch).items()  # which reads objects of every kind


def find_copies(git: Git, worktree: Path, paths: Collection[str]) -> list[str]:
    """Return the contents that paths have in the history of any ref or reflog, or in the index of any worktree.

    Only what is here counts, and nothing is fetched.
    """
    everything = ("--all", "--reflog", "--indexed-objects", "--full-history", "--missing=allow-any")
    ask = ("rev-list", "--objects", *everything, "--", *paths)
    pairs = (line.partition(b" ") for line in git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).stdout.splitlines())
    return list(dict.fromkeys(oid.decode("ascii") for oid, _, path in pairs if os.fsdecode(path) in paths))


def names_of(git: Git, worktree: Path, commit: str, oids: Collection[str]) -> set[str]:
    """Return under which paths, one each, the history of a commit has some of the contents."""
    ask = ("rev-list", "--objects", "--missing=allow-any", commit)
    pairs = (line.partition(b" ") for line in git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).stdout.splitlines())
    return {os.fsdecode(path) for oid, _, path in pairs if oid.decode("ascii") in oids}


def empty_objects(object_format: ObjectFormat) -> frozenset[str]:
    """Return the ids of the blob and the tree that hold nothing: anybody may have them, and git has the tree always."""
    heads = (b"blob 0\0", b"tree 0\0")
    return frozenset(hashlib.new(object_format.value, head, usedforsecurity=False).hexdigest() for head in heads)


def _loose_oids(objects: Path) -> Iterator[str]:
    for directory in objects.iterdir():
        if _FANOUT.fullmatch(directory.name):
            yield from (directory.name + file.name for file in directory.iterdir() if _REST.fullmatch(file.name))


def _batches(objects: Sequence[_Sized]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for one in objects:
        if batch and size + one.size > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(one.oid)
        size += one.size
    if batch:
        yield batch


def _has_only(tree: bytes, digits: int, ours: Callable[[str], bool]) -> bool:
    return all(ours(os.fsdecode(name)) for name, _ in _entries(tree, digits))


def _entries(tree: bytes, digits: int) -> Iterator[tuple[bytes, str]]:
    """Yield what stands in a tree: names, and object ids of so many hex digits."""
    at = 0
    while (entry := _TREE_ENTRY.match(tree, at)) is not None:
        at = entry.end() + digits // 2
        yield entry[1], tree[entry.end() : at].hex()
