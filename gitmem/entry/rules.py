"""Rules over entries: ids, order, and what supersedes what."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import count
from typing import Final

from gitmem.entry.dates import normalise_date
from gitmem.entry.model import Entry, ReviewState
from gitmem.text import slug

SUFFIX: Final = ".md"
"""What stands behind an entry's id in the name of its file."""

_ID: Final = re.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def is_id(text: str) -> bool:
    """Tell whether a text is an entry's id: one plain path component (CONTRACT section 3)."""
    return _ID.fullmatch(text) is not None and ".." not in text


def new_id(date_iso: str, title: str, taken: Callable[[str], bool] | Container[str]) -> str:
    """Return a free id `YYYY-MM-DD-HHMM-<slug of the title>`, in UTC, with `-2`, `-3`, ... where it is taken.

    Raises ValueError for a date that `normalise_date` does not know.
    """
    date = normalise_date(date_iso)
    if date is None:
        raise ValueError(f"not an ISO 8601 date: {date_iso}")
    stem = f"{date[:10]}-{date[11:13]}{date[14:16]}-{slug(title)}"
    is_taken = taken if callable(taken) else taken.__contains__
    candidates = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(candidate for candidate in candidates if not is_taken(candidate))


def newest_first(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries by date, newest first, those of one moment by id."""
    return sorted(sorted(entries, key=lambda entry: entry.id), key=lambda entry: entry.date, reverse=True)


def successor(entries: Iterable[Entry]) -> dict[str, str]:
    """Return which entry replaced which, as {old id: new id}: never a circle.

    The `supersedes` pointers decide, whatever the old entry says of itself. The pointer of an entry that nobody
    reviewed (proposed, of a future version, of unknown kind) counts for nothing, nor does one that names nothing
    or the entry itself. Of several successors the newest counts. In a circle of pointers the newest member stays.
    """
    known = {entry.id: entry for entry in newest_first(entries)}
    pointers = {
        entry.id: entry.supersedes
        for entry in known.values()
        if entry.supersedes and entry.supersedes in known and entry.supersedes != entry.id and _may_supersede(entry)
    }
    for circle in list(_circles(pointers)):
        newest = newest_first(known[ident] for ident in circle)[0].id
        del pointers[next(ident for ident in circle if pointers[ident] == newest)]
    replaced: dict[str, str] = {}
    for new, old in pointers.items():
        replaced.setdefault(old, new)
    return replaced


def _may_supersede(entry: Entry) -> bool:
    # A file of unknown kind is stale by rule and not by anybody's word.
    return not entry.future and entry.kind is not None and entry.review_state is not ReviewState.PROPOSED


def _circles(pointers: Mapping[str, str]) -> Iterator[frozenset[str]]:
    """Yield the circles of a graph in which each node points at most once."""
    walk_of: dict[str, str] = {}
    for start in pointers:
        path: list[str] = []
        node = start
        while node in pointers and node not in walk_of:
            walk_of[node] = start
            path.append(node)
            node = pointers[node]
        if walk_of.get(node) == start and node in path:
            yield frozenset(path[path.index(node) :])


def holder(ident: str, replaced: Mapping[str, str]) -> str:
    """Return the id that holds now in place of `ident`: the end of its chain of successors, or `ident` itself.

    `replaced` is what `successor` returns.
    """
    while ident in replaced:
        ident = replaced[ident]
    return ident


def effective_states(entries: Iterable[Entry]) -> dict[str, ReviewState]:
    """Return the state in which each entry counts, by id.

    It is the entry's own, but a reviewed entry that another one replaced is superseded, even where its file says
    reviewed again.
    """
    ordered = list(entries)
    replaced = successor(ordered)
    return {
        entry.id: ReviewState.SUPERSEDED
        if entry.id in replaced and entry.review_state is ReviewState.REVIEWED
        else entry.review_state
        for entry in ordered
    }
