"""Near spellings of what no entry has."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitmem.entry.model import Entry
from gitmem.search.fields import fields
from gitmem.search.match import Passage, passage, quality
from gitmem.search.query import Query
from gitmem.text.characters import fold
from gitmem.text.tokens import Slot, Term

CANDIDATE_LIMIT: Final = 3

# Shorter words are near to everything.
_SHORTEST: Final = 3

# From this length on a word may have two slips instead of one.
_LONG: Final = 6


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A term as typed and the words that it may be meant for, nearest first, then in alphabetical order."""

    term: str
    candidates: tuple[str, ...]


def suggestions(query: Query, entries: Iterable[Entry]) -> tuple[Suggestion, ...]:
    """Return near spellings, out of the entries, for the terms that none of these entries has, in the query's order.

    `entries` are those that the search may show. Terms without a near spelling are left out.
    """
    held: list[Passage] = []
    unknown: Sequence[Term] = query.terms
    for text in _passages(entries):
        unknown = [term for term in unknown if not quality(term, text)]
        if not unknown:
            return ()
        held.append(text)
    spellings = _vocabulary(held)
    found = (Suggestion(term.typed, _candidates(term, spellings)) for term in unknown)
    return tuple(suggestion for suggestion in found if suggestion.candidates)


def _passages(entries: Iterable[Entry]) -> Iterator[Passage]:
    return (passage(value) for entry in entries for field in fields(entry) for value in field.values)


def _vocabulary(held: Iterable[Passage]) -> dict[str, str]:
    """Return every word worth suggesting by its key, spelled as it stands in a text, in the order of keys."""
    spellings: dict[str, str] = {}
    for text in held:
        for key, tokens in text.postings.items():
            if _is_word(key):
                written = min(fold(text.text[token.start : token.end]) for token in tokens)
                spellings[key] = min(spellings.get(key, written), written)
    return dict(sorted(spellings.items()))


def _is_word(key: str) -> bool:
    return len(key) >= _SHORTEST and any(character.isalpha() for character in key)


def _candidates(term: Term, spellings: Mapping[str, str]) -> tuple[str, ...]:
    """Return the spellings that are nearest to those of the term's words that occur nowhere."""
    unknown = [slot for slot in term.slots if slot.key not in spellings and _is_word(slot.key)]
    near = sorted({pair for slot in unknown for pair in _near(slot, spellings)})
    return tuple(dict.fromkeys(word for _, word in near))[:CANDIDATE_LIMIT]


def _near(slot: Slot, spellings: Mapping[str, str]) -> Sequence[tuple[int, str]]:
    """Return the number of slips and the spelling for each word that is near enough."""
    # Loading it takes longer than most searches, and most searches know their words.
    from rapidfuzz import process  # noqa: PLC0415  loaded late: see above
    from rapidfuzz.distance import OSA  # noqa: PLC0415  loaded late: see above

    slips = 1 if len(slot.key) < _LONG else 2
    found = process.extract(slot.key, list(spellings), scorer=OSA.distance, score_cutoff=slips, limit=None)
    return [(int(distance), spellings[key]) for key, distance, _ in found]
