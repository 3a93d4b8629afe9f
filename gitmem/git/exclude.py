"""Whether the store is private or tracked: the mark in `info/exclude`, and what HEAD tracks.

The mark is git's own ignore line, so that there is no second truth about it: `/.klide/` makes a store private,
`/.klide/drafts/` alone says that the entries are to be tracked and only the drafts stay private.
"""

import os
import re
import stat
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final

from gitmem.git.run import Git

HOME: Final = ".klide"
_PRIVATE: Final = f"/{HOME}/"
_DRAFTS: Final = f"/{HOME}/drafts/"


class Sharing(StrEnum):
    """How git treats the store's files."""

    PRIVATE = "private"
    TRACKED = "tracked"
    UNDECIDED = "undecided"


def read_sharing(git: Git, main: Path | None, common_dir: Path, store: PurePosixPath) -> Sharing:
    """Return how the store is shared: what `info/exclude` says, else whether HEAD of the main checkout tracks it."""
    lines = _lines(common_dir)
    if _PRIVATE in lines:
        return Sharing.PRIVATE
    if _DRAFTS in lines or (main is not None and head_tracks(git, main, store)):
        return Sharing.TRACKED
    return Sharing.UNDECIDED


def is_endangered(git: Git, main: Path | None, common_dir: Path, store: PurePosixPath) -> bool:
    """Whether the store is private and yet tracked by HEAD of the main checkout: a checkout could overwrite it."""
    return main is not None and _PRIVATE in _lines(common_dir) and head_tracks(git, main, store)


def head_tracks(git: Git, main: Path, store: PurePosixPath) -> bool:
    """Whether the tree of HEAD has anything at `.klide` or at the store's path."""
    names = sorted({HOME, str(store)})
    answer = git.ask("ls-tree", "-z", "--name-only", "HEAD", "--", *names, cwd=main, accept=(0, 128))
    return bool(answer.stdout)


def make_private(common_dir: Path, store: PurePosixPath) -> bool:
    """Write the lines that keep the store out of every commit; return whether any was missing."""
    wanted = [_PRIVATE]
    if store.parts[0] != HOME:
        wanted.append(f"/{_escaped(str(store))}/")
    return _append(common_dir, wanted)


def make_tracked(common_dir: Path, store: PurePosixPath) -> bool:
    """Take the private lines out and keep only the drafts ignored; return whether anything changed."""
    private = {_PRIVATE, f"/{_escaped(str(store))}/"}
    path = _path(common_dir)
    before = path.read_bytes() if path.is_file() else b""
    kept = [line for line in before.split(b"\n") if _trimmed(line) not in private]
    after = b"\n".join(kept)
    if after != before:
        real = path.resolve()
        temporary = real.with_name(f"{real.name}.mem-{os.getpid()}")
        temporary.write_bytes(after)
        temporary.chmod(stat.S_IMODE(real.stat().st_mode))
        temporary.replace(real)
    return _append(common_dir, [_DRAFTS]) or after != before


def _append(common_dir: Path, wanted: Sequence[str]) -> bool:
    present = _lines(common_dir)
    missing = [line for line in wanted if line not in present]
    if not missing:
        return False
    path = _path(common_dir)
    path.parent.mkdir(exist_ok=True)
    # Appended in one write, in place: the file may be a symbolic link to one that a person shares.
    with path.open("ab+") as stream:
        stream.seek(0)
        before = stream.read()
        lead = "" if not before or before.endswith(b"\n") else "\n"
        stream.write((lead + "".join(f"{line}\n" for line in missing)).encode("utf-8"))
    return True


def _lines(common_dir: Path) -> list[str]:
    try:
        data = _path(common_dir).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [_trimmed(line) for line in data.split(b"\n")]


def _trimmed(line: bytes) -> str:
    # What git takes off the end of a pattern: one CR and blanks, no other white space.
    return line.decode("utf-8", "replace").removesuffix("\r").rstrip(" ")


def _path(common_dir: Path) -> Path:
    return common_dir / "info" / "exclude"


def _escaped(path: str) -> str:
    # gitignore(5): these characters mean something in a pattern.
    return re.sub(r"([\\*?\[\]!#])", r"\\\1", path)
