"""The passage of an entry, or of a section of a file, that shows why it was found, and what in it to mark."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from types import MappingProxyType
from typing import Final, TypeAlias

from gitmem.entry.model import Entry
from gitmem.search.fields import Field, FieldName, fields
from gitmem.search.match import passage, spans
from gitmem.search.query import Query, is_stop_word
from gitmem.text import plain
from gitmem.text.characters import UNSPACED, bare, fold
from gitmem.text.content import lines_of
from gitmem.text.tokens import Slot, Term, key_of

EXCERPT_LIMIT: Final = 240

_CUT: Final = "…"
_BETWEEN: Final = " · "

# By a term as it was typed, the words that stand for it.
Forms: TypeAlias = Mapping[str, Sequence[str]]
_NO_FORMS: Final[Forms] = MappingProxyType({})

_UNSPACED: Final = re.compile(f"[{UNSPACED}]")

# Fields whose text tells something by itself; a tag or a path only says that it is there.
_PROSE: Final = frozenset({FieldName.GOAL, FieldName.DECISIONS, FieldName.NOTES})

# A word that takes more than this share of an excerpt is cut inside: a long URL, a line of Base64.
_LONG_WORD: Final = 4

# Characters of a line of a file that are looked into together; some files are one line.
_LONG_LINE: Final = 4000

# Characters; in less room there is no part of another line beside one.
_ROOM: Final = 40

# What a key begins with that stands in every text with a term of this key: of a version the first number, as others
# lose their zeros in the key.
_STEM: Final = re.compile(r"[^\W_]+")
_CONNECTORS: Final = re.compile("[_'-]")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line has a term: its range, and the term's number in the query."""

    start: int
    end: int
    term: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A line of an entry and where it has terms of the query."""

    field: Field
    line: str
    places: tuple[_Place, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """What to show of a text: its best line, counted from 0, and an excerpt around it."""

    line: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a file, or a part of a long one: its number, the text as it is shown, the terms that it could have."""

    number: int
    text: str
    possible: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Held:
    """Where a line has which terms of those that are asked for."""

    line: _Line
    places: tuple[_Place, ...]
    terms: frozenset[int]


def passage_of(text: str, query: Query, limit: int = EXCERPT_LIMIT, forms: Forms = _NO_FORMS) -> Passage:
    """Return the line of a text that has the most terms of the query, the first of equals, with an excerpt.

    Stop words count where there are no other terms only. The excerpt is one line of at most `limit` characters, as for
    an entry; other lines that add terms stand behind the line where they fit. Without a term in the text it is the
    first line that is not blank. `forms` are the other forms in which the text has terms.
    """
    wanted = _telling(query)
    stems = {number: _stems(query.terms[number], forms) for number in wanted}
    lines = [line for number, written in enumerate(lines_of(text)) for line in _lines(number, written, stems)]
    best = _most(lines, wanted, query, forms)
    if best is None:
        first = next((line for line in lines if line.text), _Line(0, ""))
        return Passage(first.number, _window(first.text, (), limit))
    shown = _window(best.line.text, best.places, limit)
    further = _further(lines, wanted - best.terms, query, forms, limit - len(shown))
    return Passage(best.line.number, _BETWEEN.join([shown, *further]))


def excerpt(entry: Entry, query: Query, limit: int = EXCERPT_LIMIT, forms: Forms = _NO_FORMS) -> str:
    """Return one line of at most `limit` characters from the entry, around as many of the query's terms as fit.

    The title stands beside it anyway, so any other field goes first; of these the one with the most terms, stop words
    last, and rather prose than a list. A tag, a path or the like has prose behind it, being short. Without a term in
    them the excerpt is the beginning of the prose. `forms` are the other forms in which the entry has terms. Words are
    whole, `…` stands where something was cut, control and invisible characters are gone.
    """
    found = [_candidate(field, value, query, forms) for field in fields(entry) for value in field.values]
    lines = [one for one in found if one.line]
    best = max(lines, key=lambda one: _worth(one, query), default=None)
    if best is None:
        return ""
    prose = max((one for one in lines if one.field.name in _PROSE), key=lambda one: _worth(one, query), default=None)
    if prose is None or best.field.name in _PROSE or best.field.name is FieldName.TITLE or len(best.line) > limit // 2:
        return _window(best.line, best.places, limit)
    rest = limit - len(best.line) - len(_BETWEEN)
    return f"{best.line}{_BETWEEN}{_window(prose.line, prose.places, rest)}"


def highlight_spans(text: str, query: Query, forms: Forms = _NO_FORMS) -> list[tuple[int, int]]:
    """Return the ranges of characters in the text that match terms of the query, in order, none touching another."""
    merged: list[tuple[int, int]] = []
    for place in _places(text, query, forms):
        if merged and place.start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], place.end))
        else:
            merged.append((place.start, place.end))
    return merged


def _candidate(field: Field, value: str, query: Query, forms: Forms) -> _Candidate:
    line = _on_one_line(value)
    return _Candidate(field, line, _places(line, query, forms))


def _on_one_line(value: str) -> str:
    return " ".join(plain(value).split())


def _places(text: str, query: Query, forms: Forms) -> tuple[_Place, ...]:
    held = passage(text)
    found = [_Place(*span, number) for number, term in enumerate(query.terms) for span in spans(term, held)]
    for number, term in enumerate(query.terms):
        tokens = [token for form in forms.get(term.typed, ()) for token in held.postings.get(key_of(form), ())]
        found += [_Place(token.start, token.end, number) for token in tokens]
    return tuple(sorted(found, key=lambda place: (place.start, place.end, place.term)))


def _worth(candidate: _Candidate, query: Query) -> tuple[bool, int, int, bool, int]:
    """Return what makes one line a better excerpt than another; of equals the first in the entry is taken."""
    matched = {place.term for place in candidate.places}
    telling = sum(not is_stop_word(query.terms[number]) for number in matched)
    is_prose = candidate.field.name in _PROSE
    shows = candidate.field.name is not FieldName.TITLE and (is_prose or bool(matched))
    return shows, telling, len(matched), is_prose, candidate.field.weight


def _telling(query: Query) -> frozenset[int]:
    """Return the numbers of the terms that are no stop words, of all terms if there are only such."""
    numbers = range(len(query.terms))
    return frozenset(number for number in numbers if not is_stop_word(query.terms[number])) or frozenset(numbers)


# By the number of a term, what must all stand in a line that has it, or else one of its other forms.
_Stems: TypeAlias = Mapping[int, Sequence[Sequence[str]]]


def _stems(term: Term, forms: Forms) -> list[list[str]]:
    parts = [part for slot in term.slots for part in _leaves(slot)]
    return [[_stem(part.key) for part in parts], *([_stem(key_of(form))] for form in forms.get(term.typed, ()))]


def _leaves(slot: Slot) -> Iterator[Slot]:
    if not slot.parts:
        yield slot
    for part in slot.parts:
        yield from _leaves(part)


def _stem(key: str) -> str:
    found = _STEM.match(key)
    return found.group() if found else key


def _lines(number: int, written: str, stems: _Stems) -> Iterator[_Line]:
    """Yield a line as it is shown, in parts where it is long."""
    text = _on_one_line(written)
    start = 0
    while len(text) - start > _LONG_LINE:
        end = text.rfind(" ", start, start + _LONG_LINE) + 1 or start + _LONG_LINE
        part = f"{_CUT if start else ''}{text[start:end].strip()}{_CUT}"
        yield _Line(number, part, _possible(part, stems))
        start = end
    rest = f"{_CUT}{text[start:]}" if start else text
    yield _Line(number, rest, _possible(rest, stems))


def _possible(line: str, stems: _Stems) -> frozenset[int]:
    """Return the terms that a line could have, which is told in a fraction of the time that it takes to find them."""
    folded = _CONNECTORS.sub("", line.lower() if line.isascii() else bare(fold(line)))
    return frozenset(
        number for number, either in stems.items() if any(all(stem in folded for stem in one) for one in either)
    )


def _most(lines: Sequence[_Line], wanted: frozenset[int], query: Query, forms: Forms) -> _Held | None:
    """Return the line with the most of the wanted terms, the first of equals, None if none has any."""
    numbered = [(len(line.possible & wanted), -order, line) for order, line in enumerate(lines)]
    best: _Held | None = None
    most = (0, 1)  # no line has less
    for possible, order, line in sorted(numbered, key=lambda one: one[:2], reverse=True):
        if (possible, order) <= most or not possible:
            break  # those to come have no chance either
        places = tuple(place for place in _places(line.text, query, forms) if place.term in wanted)
        terms = frozenset(place.term for place in places)
        if terms and (len(terms), order) > most:
            best, most = _Held(line, places, terms), (len(terms), order)
    return best


def _further(lines: Sequence[_Line], wanted: frozenset[int], query: Query, forms: Forms, room: int) -> Iterator[str]:
    """Yield excerpts of lines that have terms which are still wanted, as long as there is room."""
    room -= len(_BETWEEN)
    while room > 0 and (held := _most(lines, wanted, query, forms)):
        if len(held.line.text) > room and room < _ROOM:
            return
        shown = _window(held.line.text, held.places, room)
        yield shown
        room -= len(shown) + len(_BETWEEN)
        wanted -= held.terms


def _window(line: str, places: Sequence[_Place], limit: int) -> str:
    """Return the part of the line with the most terms, filled up on both sides."""
    if len(line) <= limit:
        return line
    room = max(limit - 2 * len(_CUT), 1)
    first, last = _cluster([_whole_word(line, place, room) for place in places], room)
    start = max(min(first - (room - (last - first)) // 2, len(line) - room), 0)
    end = min(start + room, len(line))
    while start < first and not _is_border(line, start):
        start += 1
    while end > last and not _is_border(line, end):
        end -= 1
    text = line[start:end].strip() or line[start : start + room]  # the beginning of one overlong word
    return f"{_CUT if start else ''}{text}{_CUT if end < len(line) else ''}"


def _whole_word(line: str, place: _Place, room: int) -> _Place:
    """Return the place with the rest of its word, where that is not overlong."""
    start = line.rfind(" ", 0, place.start) + 1
    end = line.find(" ", place.end)
    end = len(line) if end < 0 else end
    return _Place(start, end, place.term) if end - start <= room // _LONG_WORD else place


def _cluster(places: Sequence[_Place], room: int) -> tuple[int, int]:
    """Return the range within `room` characters that has the most different terms, the first of equals."""
    best, best_count = (0, 0), -1
    for number, first in enumerate(places):
        inside = _within(places, number, first.start + room)
        count = len({place.term for place in inside})
        if count > best_count:
            best = (first.start, max((place.end for place in inside), default=first.start + room))
            best_count = count
    return best


def _within(places: Sequence[_Place], number: int, end: int) -> list[_Place]:
    """Return the places from this one on that end before `end`; there are few, however long the text."""
    following = (places[index] for index in range(number, len(places)))
    return [place for place in takewhile(lambda place: place.start < end, following) if place.end <= end]


def _is_border(line: str, place: int) -> bool:
    """Whether a cut here leaves words whole: beside white space, or in a script that has none."""
    if place in {0, len(line)}:
        return True
    beside = line[place - 1], line[place]
    return " " in beside or all(_UNSPACED.match(character) for character in beside)
