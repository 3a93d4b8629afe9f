"""Near spellings of what no entry has."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from gitmem.search.analysis import word_keys
from gitmem.search.postings import Postings
from gitmem.text.characters import UNSPACED
from gitmem.text.tokens import Slot, Term

CANDIDATE_LIMIT: Final = 3
_TERM_LIMIT: Final = 10

# Shorter words are near to everything.
_SHORTEST: Final = 4

_LIKELY: Final = 5

# From this length on a word may have two slips instead of one.
_LONG: Final = 8

# Neighbours in a run of characters are no words, nor is what was cut because of its length.
_NO_WORD: Final = re.compile(f"[{UNSPACED}\x1f]")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A term as typed and the words that it may be meant for, nearest first, then in alphabetical order.

    `keys` are what the words are found under.
    """

    term: str
    candidates: tuple[str, ...]
    keys: tuple[str, ...] = ()

    @property
    def likely(self) -> tuple[str, ...]:
        """The keys that are long enough for a near spelling to be hardly ever another word."""
        return tuple(key for key in self.keys if len(key) >= _LIKELY)


def suggestions(postings: Postings, terms: Sequence[Term], hidden: frozenset[int]) -> tuple[Suggestion, ...]:
    """Return near spellings for terms that no document has, in the order of the query.

    What stands only in `hidden` documents is not suggested. Terms without a near spelling are left out; of a query of
    very many unknown terms, which is a text in another language and no slip, only the first are looked at.
    """
    found = (_suggestion(postings, term, hidden) for term in terms[:_TERM_LIMIT])
    return tuple(suggestion for suggestion in found if suggestion.candidates)


def _suggestion(postings: Postings, term: Term, hidden: frozenset[int]) -> Suggestion:
    words = [slot for slot in _leaves(term.slots) if _is_word(slot.key)]
    unknown = [slot for slot in words if not postings.having(word_keys(slot.text)[0]) - hidden]
    keys = _shown(postings, [key for slot in unknown for key in _other_forms(slot, postings)], hidden)
    if not keys:
        near = sorted({pair for slot in unknown for pair in _near(slot, postings.vocabulary)})
        keys = _shown(postings, [key for _, key in near], hidden)
    return Suggestion(term.typed, tuple(dict.fromkeys(_spelled(postings, key, hidden) for key in keys)), keys)


def _shown(postings: Postings, keys: Sequence[str], hidden: frozenset[int]) -> tuple[str, ...]:
    """Return the first of the keys that stand in a document which may be shown."""
    shown = (key for key in dict.fromkeys(keys) if postings.having(key) - hidden)
    return tuple(islice(shown, CANDIDATE_LIMIT))


def _spelled(postings: Postings, key: str, hidden: frozenset[int]) -> str:
    """Return how a word is spelled: with accents where it is somewhere, of several spellings the first."""
    return next((other for other in postings.spellings(key) if postings.having(other) - hidden), key)


def _other_forms(slot: Slot, postings: Postings) -> tuple[str, ...]:
    """Return the words with the same stem: where there are some, the word was meant and not mistyped."""
    return postings.with_stem(postings.analyser.stems([slot.key])[0])


def _leaves(slots: Sequence[Slot]) -> list[Slot]:
    """Return the words that a term consists of, and the whole, where its parts can be written as one word."""
    return [leaf for slot in slots for leaf in (slot, *_leaves(slot.parts))]


def _is_word(key: str) -> bool:
    return len(key) >= _SHORTEST and any(map(str.isalpha, key)) and not _NO_WORD.search(key)


def _near(slot: Slot, vocabulary: Sequence[str]) -> Sequence[tuple[int, str]]:
    """Return the number of slips and the key for each word that is near enough."""
    # Loading it takes longer than most searches, and most searches know their words.
    from rapidfuzz import process  # noqa: PLC0415  loaded late: see above
    from rapidfuzz.distance import OSA  # noqa: PLC0415  loaded late: see above

    slips = 1 if len(slot.key) < _LONG else 2
    found = process.extract(slot.key, vocabulary, scorer=OSA.distance, score_cutoff=slips, limit=None)
    return [(int(distance), key) for key, distance, _ in found if _is_word(key)]
