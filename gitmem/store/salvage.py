"""A damaged journal: what can still be read of it, and where it is kept until a person has looked."""

import base64
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.entry.rules import SUFFIX
from gitmem.storage.directory import FileRefusedError, opened, opened_directory, read_bounded
from gitmem.store.place import StorePlace

_JOURNAL: Final = "journal"
_ASIDE: Final = re.compile(r"journal\.damaged-([0-9]+)")
_ENCODED: Final = re.compile(rb"[A-Za-z0-9+/]{8,}={0,2}")


def set_journal_aside(place: StorePlace) -> Path | None:
    """Take a damaged journal out of the way; return where it is now, None if it held nothing that is not in the store.

    The caller holds the writer's lock.
    """
    path = place.state / _JOURNAL
    known = _files(place)
    if all(any(text in file for file in known) for text in texts_in(path.read_bytes())):
        path.unlink()
        kept = None
    else:
        numbers = {int(found[1]) for one in kept_journals(place) if (found := _ASIDE.fullmatch(one.name))}
        kept = place.state / f"{_JOURNAL}.damaged-{max(numbers, default=0) + 1}"
        path.rename(kept)
    with opened(place.state) as state:
        os.fsync(state)
    return kept


def kept_journals(place: StorePlace) -> list[Path]:
    """Return the damaged journals that were taken out of the way and kept."""
    try:
        return sorted(path for path in place.state.iterdir() if _ASIDE.fullmatch(path.name))
    except (FileNotFoundError, NotADirectoryError):
        return []


def texts_in(data: bytes) -> Iterator[bytes]:
    """Yield the texts of entries, or of parts of them, that can still be read in a damaged journal."""
    for run in _ENCODED.findall(data):
        whole = run.rstrip(b"=")
        text = base64.b64decode(run if len(run) % 4 == 0 else whole[: len(whole) // 4 * 4])
        if b"\n" in text and _is_text(text):
            yield text


def _is_text(data: bytes) -> bool:
    # Cut off anywhere, also within a character.
    text = data.decode("utf-8", "ignore")
    return len(data) - len(text.encode("utf-8")) <= 3 and all(c.isprintable() or c in "\t\r\n" for c in text)


def _files(place: StorePlace) -> list[bytes]:
    with opened_directory(place.root, place.path) as directory:
        return [] if directory is None else list(_contents(directory))


def _contents(directory: int) -> Iterator[bytes]:
    for name in sorted(os.listdir(directory)):
        if name.endswith(SUFFIX):
            with suppress(FileRefusedError):
                yield read_bounded(directory, name, MAX_BYTES)[0]
