"""The texts of `git mem edit`: each in a directory of its own in the common git directory, where it is no entry.

`state` is `<common>/mem`. The directory of one edit is `<state>/edit/<id>-<16 hex digits>`; beside the text it holds
whatever the editor keeps there, so it is always removed whole.
"""

import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.entry.rules import SUFFIX
from gitmem.storage.directory import FileRefusedError, opened, opened_directory, read_bounded
from gitmem.store.place import StorePlace

_EDITS: Final = "edit"
_NAME: Final = re.compile("(.+)-[0-9a-f]{16}")


def read_as_it_is(place: StorePlace, ident: str) -> bytes:
    """Return the bytes of an entry's file, also where they are no entry. Raises FileRefusedError."""
    with opened_directory(place.root, place.path) as directory:
        if directory is None:
            raise FileRefusedError(f"{ident}{SUFFIX}", "the store is gone")
        return read_bounded(directory, f"{ident}{SUFFIX}", MAX_BYTES)[0]


def new_edit(state: Path, ident: str, data: bytes) -> Path:
    """Lay the text of an entry out to be edited, readable for nobody else; return its path. Raises OSError."""
    # Open to others as `state` itself is: in a shared repository each of them keeps texts in there.
    (state / _EDITS).mkdir(parents=True, exist_ok=True)
    directory = state / _EDITS / f"{ident}-{secrets.token_hex(8)}"
    directory.mkdir(mode=0o700)
    path = directory / f"{ident}{SUFFIX}"
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as stream:
            stream.write(data)
    except BaseException:
        remove_edit(path)
        raise
    return path


def read_edit(path: Path) -> bytes:
    """Return a text as the editor left it; empty where it is gone.

    Raises FileRefusedError for what is no regular file of at most MAX_BYTES.
    """
    try:
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    try:
        return read_bounded(directory, path.name, MAX_BYTES)[0]
    except FileRefusedError:
        if os.path.lexists(path):
            raise
        return b""
    finally:
        os.close(directory)


def holds_work(path: Path, data: bytes) -> bool:
    """Whether something of an edit is worth keeping: another text than `data`, or what the editor left beside it."""
    try:
        text = read_edit(path)
    except FileRefusedError:
        return True
    changed = text != data and not is_blank(text)
    return changed or any(name != path.name for name in _listed(path.parent))


def is_blank(text: bytes) -> bool:
    """Whether there is nothing in a text: at most a byte order mark, blanks and line ends."""
    return not text.strip(b"\xef\xbb\xbf \t\r\n")


def remove_edit(path: Path) -> None:
    """Remove a text and everything beside it; what cannot be removed stays, and `kept_edits` tells of it."""
    shutil.rmtree(path.parent, ignore_errors=True)


def kept_edits(state: Path, ident: str) -> list[Path]:
    """Return the texts of edits of an entry that did not end well, or did not end yet.

    Where the text itself is gone and something else is there, the directory stands for it.
    """
    found: list[Path] = []
    for directory in _directories(state, ident):
        names = _listed(directory)
        text = f"{ident}{SUFFIX}"
        found += [directory / text if text in names else directory] if names else []
    return found


def remove_kept_edits(state: Path, ident: str) -> None:
    """Remove everything that edits of an entry left, durably. Raises OSError."""
    directories = _directories(state, ident)
    for directory in directories:
        while directory.exists():
            with suppress(FileNotFoundError):  # an edit that ends in this instant removes it too
                shutil.rmtree(directory)
    if directories:
        with opened(state / _EDITS) as descriptor:
            os.fsync(descriptor)


def _directories(state: Path, ident: str) -> list[Path]:
    names = ((name, _NAME.fullmatch(name)) for name in _listed(state / _EDITS))
    return [state / _EDITS / name for name, found in names if found is not None and found[1] == ident]


def _listed(directory: Path) -> list[str]:
    try:
        return sorted(path.name for path in directory.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
