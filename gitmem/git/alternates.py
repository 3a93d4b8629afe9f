"""Where a repository's objects are: its own directory, and those it borrows from."""

import os
from pathlib import Path


def object_directories(common_dir: Path) -> list[Path]:
    """Return the objects directory of a repository and all its alternates, in the order in which git looks.

    Rules: gitrepository-layout, `objects/info/alternates`: one path a line, `#` begins a comment, a relative path
    counts from the objects directory that names it. A directory that is gone is listed all the same.
    """
    found: list[Path] = []
    waiting = [common_dir / "objects"]
    while waiting:
        directory = waiting.pop(0)
        if directory not in found:
            found.append(directory)
            # Git goes into each one before it goes on to the next.
            waiting = [Path(os.path.normpath(directory / line)) for line in _lines(directory)] + waiting
    return found


def _lines(directory: Path) -> list[str]:
    try:
        data = (directory / "info" / "alternates").read_bytes()
    except OSError:
        return []
    return [os.fsdecode(_unquoted(line)) for line in data.split(b"\n") if line and not line.startswith(b"#")]


def _unquoted(line: bytes) -> bytes:
    """Return a path without the quotes and escapes of C in which git may write it."""
    if len(line) < 2 or not (line.startswith(b'"') and line.endswith(b'"')):
        return line
    return line[1:-1].decode("unicode_escape").encode("latin-1")
