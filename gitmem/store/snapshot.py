"""The files of a store as a tree of git would hold them: which names, and the blob of each."""

import json
import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.git.objects import ObjectFormat, TreeEntry, blob_id
from gitmem.storage.cache import FileCache
from gitmem.storage.directory import FileRefusedError, read_bounded, resolve_name
from gitmem.storage.stamp import Stamp, is_settled, stamp_of
from gitmem.store.listing import is_listed

FILE_MODE: Final = 0o100644
LINK_MODE: Final = 0o120000
FORGOTTEN_TREE: Final = ".forgotten"
"""The name, at the top of a recorded tree, under which the digests of forgotten ids stand."""

_NAME: Final = "snapshot"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The entry files of a store as a tree would hold them, by name, and the names of those that nobody can read."""

    files: Mapping[str, TreeEntry]
    unread: frozenset[str]

    def as_recorded(self, listing: Mapping[str, TreeEntry]) -> dict[str, TreeEntry]:
        """Return the files, each that cannot be read as a recorded tree has it: nobody took it out."""
        return {**{name: entry for name, entry in listing.items() if name in self.unread}, **self.files}


def take_snapshot(
    directory: int, object_format: ObjectFormat, cache: FileCache, skipped: Callable[[str], bool]
) -> Snapshot:
    """Return what the entry files in an open directory would be in a tree, by name.

    Everything that could be an entry is there, also what cannot be parsed as one: a person wrote it. Hidden files are
    not, nor those that `skipped` says yes to by their names.
    """
    began = time.time_ns()
    known = _read_cache(cache, object_format)
    found: dict[str, TreeEntry] = {}
    stamps: dict[str, tuple[Stamp, str]] = {}
    unread: set[str] = set()
    for name in _names(directory, skipped):
        try:
            status = os.stat(name, dir_fd=directory, follow_symlinks=False)
            stamp = stamp_of(status)
            kept = known.get(name)
            if kept is not None and kept[0] == stamp:
                found[name] = TreeEntry(FILE_MODE, kept[1])
            else:
                found[name] = _entry(directory, name, status.st_mode, object_format)
        except FileNotFoundError:
            continue  # removed in this instant
        except FileRefusedError:
            unread.add(name)
            continue
        if found[name].is_file and is_settled(stamp, began):
            stamps[name] = (stamp, found[name].oid)
    if stamps != known:
        _write_cache(cache, object_format, stamps)
    return Snapshot(found, frozenset(unread))


def _names(directory: int, skipped: Callable[[str], bool]) -> list[str]:
    names = os.listdir(directory)
    return sorted(name for name in names if is_listed(name) and not skipped(name))


def file_entry(data: bytes, object_format: ObjectFormat) -> TreeEntry:
    """Return what a tree says of an entry file with a content."""
    return TreeEntry(FILE_MODE, blob_id(data, object_format))


def _entry(directory: int, name: str, mode: int, object_format: ObjectFormat) -> TreeEntry:
    if stat.S_ISLNK(mode):
        return TreeEntry(LINK_MODE, blob_id(os.fsencode(resolve_name(directory, name)), object_format))
    return file_entry(read_bounded(directory, name, MAX_BYTES)[0], object_format)


def _read_cache(cache: FileCache, object_format: ObjectFormat) -> Mapping[str, tuple[Stamp, str]]:
    content = cache.read(_NAME)
    if content is None:
        return {}
    value = json.loads(content)
    if value["format"] != object_format:
        return {}
    return {
        name: ((size, mtime, ctime, inode), oid) for name, (size, mtime, ctime, inode, oid) in value["files"].items()
    }


def _write_cache(cache: FileCache, object_format: ObjectFormat, stamps: Mapping[str, tuple[Stamp, str]]) -> None:
    files = {name: [*s, oid] for name, (s, oid) in stamps.items()}
    cache.write(_NAME, json.dumps({"format": object_format, "files": files}).encode("ascii"))
