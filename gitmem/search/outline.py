"""What is known of a file's outline before it is cut: the lines at which something with a name of its own begins."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from gitmem.text import plain

_TITLE_LIMIT: Final = 80  # characters, of one part of a path
_LOOKED_AT: Final = 400  # characters of a line, which may be all of a file
_DEPTH: Final = 6  # parts of a path; what is nested deeper has lost its outermost


class Mark(NamedTuple):
    """A line, counted from 0, at which a heading, a function or the like begins.

    `level` grows with nesting and has no other meaning; `path` names what it stands in, outermost first, and itself, as
    the file has it.
    """

    line: int
    level: int
    path: tuple[str, ...]


class Heading(NamedTuple):
    """A heading by itself: where its line begins in the text, its level and what it says."""

    offset: int
    level: int
    title: str


def outlined(text: str, headings: Iterable[Heading]) -> list[Mark]:
    """Return headings, which come in their order, as marks with what stands above them."""
    return list(_outlined(text, headings))


def _outlined(text: str, headings: Iterable[Heading]) -> Iterator[Mark]:
    above: list[Mark] = []
    line = before = 0
    for heading in headings:
        line += text.count("\n", before, heading.offset)
        before = heading.offset
        while above and above[-1].level >= heading.level:
            above.pop()
        mark = Mark(line, heading.level, nested(above[-1].path if above else (), heading.title))
        above.append(mark)
        yield mark


def nested(above: tuple[str, ...], title: str) -> tuple[str, ...]:
    """Return the path of a title below another path."""
    return (*above, title)[-_DEPTH:]


def written(path: Iterable[str]) -> str:
    """Return a path as people read it, on one line, without hidden characters, each of its parts bounded."""
    return " > ".join(filter(None, map(_shortened, path)))


def _shortened(title: str) -> str:
    shown = " ".join(plain(title[:_LOOKED_AT]).split())
    return shown if len(shown) <= _TITLE_LIMIT else shown[: _TITLE_LIMIT - 1].rstrip() + "…"
