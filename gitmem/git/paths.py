"""What a path from outside must be before anything is read: relative, inside the worktree, outside `.git`."""

from enum import StrEnum
from typing import Final

_LONGEST: Final = 4096  # PATH_MAX: no file has a longer path, and git could not be asked about it


class PathFault(StrEnum):
    """Why a path cannot name a file of a worktree."""

    MALFORMED = "malformed"
    ABSOLUTE = "absolute"
    ESCAPES = "escapes"
    IN_GITDIR = "in-gitdir"


def plain_path(path: str) -> str | PathFault:
    """Return a POSIX path below a worktree in its plain form: without `.`, without doubled slashes.

    Bytes that are not UTF-8 are lone surrogates, as everywhere (PEP 383); those that together are UTF-8 become the
    character. A PathFault is also a str: ask for it first.
    """
    name = _as_named(path)
    if not name or "\0" in name:
        return PathFault.MALFORMED
    if name.startswith("/"):
        return PathFault.ABSOLUTE
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        return PathFault.ESCAPES
    if ".git" in (part.lower() for part in parts):
        return PathFault.IN_GITDIR
    return "/".join(parts) or PathFault.MALFORMED


def _as_named(path: str) -> str:
    """Return the one spelling of a path, empty if no file can have it."""
    try:
        data = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return ""
    return data.decode("utf-8", "surrogateescape") if len(data) <= _LONGEST else ""
