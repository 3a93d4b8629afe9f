"""The plain list of what entries cite, which a hook compares with a commit before any program is started.

One line each: a path as git prints it, or the line with which git reverts a cited commit. It may have more than is
cited, which costs the start of a program; what writes entries adds to it, and who has the index writes it anew.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from gitmem.entry.model import Entry
from gitmem.git.quote import quoted
from gitmem.search.fields import evidence
from gitmem.storage.files import replace_file

_FULL_ID: Final = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


def write_cited(path: Path, cited: Iterable[str]) -> None:
    """Write the list anew, if it is another one; where it cannot be written a hook does without."""
    with suppress(OSError):
        new = _text(cited)
        if not path.exists() or path.read_bytes() != new:
            replace_file(path, new)


def add_cited(path: Path, entries: Iterable[Entry]) -> None:
    """Add what entries cite to a list that is there."""
    with suppress(OSError), os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC), "wb") as stream:
        stream.write(_text(what for entry in entries for what in evidence(entry)))


def _text(cited: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in _lines(cited)).encode("utf-8", "surrogateescape")


def _lines(cited: Iterable[str]) -> Iterator[str]:
    for what in cited:
        if _FULL_ID.fullmatch(what):
            # How git-revert says it, of a merge with more behind it on the next line.
            yield from (f"This reverts commit {what}.", f"This reverts commit {what}, reversing")
        else:
            yield quoted(what)
