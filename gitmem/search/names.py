"""By what a query names a whole entry: id, title, alias, path, commit (CONTRACT section 6, `exact`)."""

import re
from typing import Final

from gitmem.entry.model import Entry
from gitmem.search.fields import FieldName, cited_commits, cited_paths
from gitmem.text.characters import bare, fold

# As an editor or a traceback writes a place in a file.
_LINES: Final = re.compile(r":[0-9]+(?:[-:][0-9]+)?$")

# `git log --oneline` shows seven digits: shorter ones name no commit here.
NAMING_LENGTH: Final = 7
_NAMING_COMMIT: Final = re.compile("[0-9a-f]{7,64}")

_OUTER: Final = " \"'`.,;:!?()[]{}<>"


def comparable(text: str) -> str:
    """Return a title as it is compared: folded, no accents, single spaces, no punctuation around it."""
    return " ".join(bare(fold(text)).split()).strip(_OUTER)


def components(path: str) -> tuple[str, ...]:
    """Return the folded components of a path, without `.` and empty ones."""
    return tuple(part for part in fold(path).split("/") if part not in {"", "."})


def named_path(text: str) -> tuple[str, ...]:
    """Return the components of the path that a text could name, the place in the file left out."""
    return components(_LINES.sub("", text))


def named_commit(text: str) -> str:
    """Return the commit that a text could name, an empty string if it is no object id or too short a one."""
    asked = text.lower()
    return asked if _NAMING_COMMIT.fullmatch(asked) else ""


def naming_fields(entry: Entry, text: str) -> frozenset[FieldName]:
    """Return the fields by which a text names an entry."""
    if not text:
        return frozenset()
    asked = comparable(text)
    named = {
        FieldName.ID: fold(text) == fold(entry.id),
        FieldName.TITLE: asked == comparable(entry.title),
        FieldName.ALIASES: not entry.future and asked in {comparable(alias) for alias in entry.aliases},
        FieldName.PATHS: not entry.future and _names_path(text, entry),
        FieldName.SOURCE_REFS: not entry.future and _names_commit(text, entry),
    }
    return frozenset(name for name, is_named in named.items() if is_named)


def _names_path(text: str, entry: Entry) -> bool:
    asked = named_path(text)
    if not asked:
        return False
    return any(asked in {path, path[-1:]} for path in map(components, cited_paths(entry)))


def _names_commit(text: str, entry: Entry) -> bool:
    """Whether the text is the id of a cited commit, or one of the two begins with the other."""
    asked = named_commit(text)
    if not asked:
        return False
    return any(
        commit.startswith(asked) or (len(commit) >= NAMING_LENGTH and asked.startswith(commit))
        for commit in cited_commits(entry)
    )
