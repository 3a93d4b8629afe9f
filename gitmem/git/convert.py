"""From a file in the worktree to the blob that git would store for it, without running any program.

Git converts on the way in: line ends (`text`, `eol`, `core.autocrlf`), `$Id$` (`ident`), encodings
(`working-tree-encoding`) and clean filters. A filter is a program of the repository's choice and is never
run here; Git LFS's is computed, since its pointer is a published format.
Rules: gitattributes(5), "Effects"; their order: filter, then encoding, then line ends, then ident (git's
convert.c works the same way round). The tests hold every case against what `git add` stores.
"""

import codecs
import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitmem.git.run import LONG_LIMIT, Git

_NAMES: Final = ("text", "crlf", "eol", "ident", "filter", "working-tree-encoding")
_UNSET: Final = frozenset({"unspecified", "unset"})
_LINE_ENDS: Final = {"set": "text", "input": "text", "auto": "auto", "unset": "binary"}
_DRIVERS: Final = r"^filter\..*\.(clean|process)$"
_IDENT: Final = re.compile(rb"\$Id:[^$\n]*\$")


@dataclass(frozen=True, slots=True)
class Attributes:
    """The attributes of one path that change its bytes, and `core.autocrlf`, which stands in for them."""

    values: Mapping[str, str]
    autocrlf: str = "false"

    @property
    def filter(self) -> str | None:
        """The name of the clean filter, None if there is none."""
        name = self.values.get("filter", "unspecified")
        return None if name in _UNSET or name == "set" else name

    @property
    def line_ends(self) -> str:
        """How line ends are treated: `text` (CRLF becomes LF), `auto` (if it looks like text) or `binary`."""
        for name in ("text", "crlf"):  # `crlf` is the older name, and counts where `text` says nothing
            found = _LINE_ENDS.get(self.values.get(name, "unspecified"))
            if found is not None:
                return found
        if self.values.get("eol") in ("lf", "crlf"):
            return "text"
        return "auto" if self.autocrlf in ("true", "input") else "binary"


def read_attributes(git: Git, worktree: Path, paths: Collection[str]) -> dict[str, Attributes]:
    """Return the attributes of all paths, from one look at the configuration and one at the attribute files."""
    if not paths:
        return {}
    ask = ("config", "--type=bool-or-str", "--get", "core.autocrlf")
    autocrlf = git.ask(*ask, cwd=worktree, accept=(0, 1)).line().lower() or "false"
    values: dict[str, dict[str, str]] = {path: {} for path in paths}
    for path, name, value in attribute_values(git, worktree, _NAMES, paths):
        values[path][name] = value
    _leave_out_filters_without_a_program(git, worktree, values)
    return {path: Attributes(found, autocrlf) for path, found in values.items()}


def attribute_values(
    git: Git, worktree: Path, names: Sequence[str], paths: Collection[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield path, name and value for each of some attributes of each path, from one look at the attribute files."""
    if not paths:
        return
    feed = b"".join(os.fsencode(path) + b"\0" for path in sorted(paths))
    answer = git.ask("check-attr", "-z", "--stdin", *names, cwd=worktree, feed=feed, limit=LONG_LIMIT)
    items = [os.fsdecode(item) for item in answer.stdout.split(b"\0")[:-1]]  # a value can be empty
    yield from zip(items[::3], items[1::3], items[2::3], strict=True)


def _leave_out_filters_without_a_program(git: Git, worktree: Path, values: Mapping[str, dict[str, str]]) -> None:
    # Git ignores a filter that the configuration does not define, and takes Git LFS for any other.
    named = [found for found in values.values() if found.get("filter") not in (None, "lfs", *_UNSET)]
    if not named:
        return
    answer = git.ask("config", "--null", "--get-regexp", _DRIVERS, cwd=worktree, accept=(0, 1))
    programs = dict(item.partition("\n")[::2] for item in answer.items())
    for found in named:
        name = found["filter"]
        if not programs.get(f"filter.{name}.clean") and not programs.get(f"filter.{name}.process"):
            found["filter"] = "unspecified"


def to_blob(data: bytes, attributes: Attributes, *, stored: bytes | None = None) -> bytes | None:
    """Return the content that git would store for a file's bytes; None where only a program could tell.

    `stored` is the blob that the index holds for the path now: git leaves CRLF alone under automatic
    conversion when it is stored that way already.
    """
    if attributes.filter not in (None, "lfs"):
        return None
    cleaned = data if attributes.filter is None else lfs_pointer(data)
    converted = _from_encoding(cleaned, attributes.values.get("working-tree-encoding", "unspecified"))
    if _folds_line_ends(converted, attributes.line_ends, stored):
        converted = converted.replace(b"\r\n", b"\n")
    if attributes.values.get("ident") == "set":
        converted = _IDENT.sub(b"$Id$", converted)
    return converted


def lfs_pointer(data: bytes) -> bytes:
    """Return the Git LFS pointer of a content (git-lfs specification, version 1); a pointer is left as it is."""
    first = b"version https://git-lfs.github.com/spec/v1\n"
    if data.startswith(first.rstrip()) or not data:  # its line ends may have been converted
        return data
    return first + f"oid sha256:{hashlib.sha256(data).hexdigest()}\nsize {len(data)}\n".encode("ascii")


def _from_encoding(data: bytes, encoding: str) -> bytes:
    stem = encoding.upper().replace("UTF-", "UTF", 1)
    if not data or encoding in _UNSET or stem == "UTF8" or _has_wrong_mark(data, stem):
        return data
    try:
        # UTF-16LE-BOM is git's own name, for what is written with a mark and read like UTF-16.
        return data.decode("utf-16" if stem == "UTF16LE-BOM" else encoding).encode("utf-8")
    except (LookupError, UnicodeError):
        return data  # git refuses to store it then; as it stands it agrees with no blob


def _has_wrong_mark(data: bytes, stem: str) -> bool:
    """Whether git refuses the content: with LE or BE in the name a byte order mark is wrong, else it is needed."""
    width = stem.removeprefix("UTF")[:2]
    if width not in _MARKS:
        return False
    marked = data.startswith(_MARKS[width])
    return (stem == f"UTF{width}" and not marked) or (stem in (f"UTF{width}LE", f"UTF{width}BE") and marked)


_MARKS: Final = {
    "16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
}


def _folds_line_ends(data: bytes, line_ends: str, stored: bytes | None) -> bool:
    if line_ends == "text":
        return True
    if line_ends == "binary" or _looks_binary(data):
        return False
    return stored is None or b"\r\n" not in stored or _looks_binary(stored)


def _looks_binary(data: bytes) -> bool:
    """Whether git's automatic conversion takes a content for binary (gather_stats in git's convert.c).

    A NUL or a lone CR decide; otherwise more than one control character in 128 printable ones.
    """
    if b"\0" in data or b"\r" in data.replace(b"\r\n", b""):
        return True
    body = data.removesuffix(b"\x1a")
    controls = len(body) - len(body.translate(None, _CONTROLS))
    printable = len(body) - controls - body.count(b"\n") - body.count(b"\r")
    return (printable >> 7) < controls


# Git counts backspace, tab, escape and form feed as printable.
_CONTROLS: Final = bytes(code for code in (*range(0x20), 0x7F) if code not in (0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x1B))
