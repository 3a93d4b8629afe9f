"""What the postings tell of a query's terms, whatever the documents are: entries, or sections of files."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from heapq import nlargest
from typing import Final, Protocol, TypeVar

from gitmem.search.analysis import Document
from gitmem.search.postings import Postings
from gitmem.search.query import Query, is_stop_word
from gitmem.search.score import Scorer
from gitmem.search.seek import Held, held, holds
from gitmem.search.suggest import Suggestion
from gitmem.text.tokens import Term

_TOGETHER: Final = 40
_TELLING: Final = 4  # letters; shorter parts of identifiers are extensions, prefixes and numbers


class Numbered(Protocol):
    """What stands for a document of the postings."""

    @property
    def document(self) -> int:
        """The document's number."""
        ...


Item = TypeVar("Item", bound=Numbered)
Anything = TypeVar("Anything")


class Match(StrEnum):
    """The tier of a result, best first."""

    EXACT = "exact"
    ALL = "all"
    PARTIAL = "partial"


class Terms:
    """The terms of a query, and the documents that have them."""

    def __init__(self, postings: Postings, query: Query, weights: Mapping[str, float]) -> None:
        self.postings = postings
        self.query = query
        self._weights = weights

    @property
    def hidden(self) -> frozenset[int]:
        """The documents that nothing may be told of."""
        return frozenset()

    @cached_property
    def scorer(self) -> Scorer:
        """Scores documents for the query."""
        return Scorer(self.postings, self.query.text, self._weights)

    @cached_property
    def first(self) -> dict[int, float]:
        """The documents of which something can be told, with the score of the first stage."""
        return self.scorer.first()

    @cached_property
    def held(self) -> tuple[Held, ...]:
        """Which documents can hold each term."""
        return tuple(held(self.postings, term) for term in self.query.terms)

    @cached_property
    def having_all(self) -> set[int]:
        """The documents that can have every term; where a term is not `certain`, each must be looked into."""
        if not self.held:
            return set()
        smallest_first = sorted((one.documents for one in self.held), key=len)
        return set(frozenset(smallest_first[0]).intersection(*smallest_first[1:]))

    @cached_property
    def unknown_terms(self) -> tuple[Term, ...]:
        """The terms that no document has which may be shown, stop words left out unless there are only such."""
        return tuple(one.term for one in self.telling if not one.documents - self.hidden)

    @cached_property
    def telling(self) -> tuple[Held, ...]:
        """The terms but for stop words, unless there are only such."""
        return tuple(one for one in self.held if not is_stop_word(one.term)) or self.held

    def forms(self, term: str, document: int) -> tuple[str, ...]:
        """Return in what other forms a document has a term, as it was typed.

        These are words with the same stem, near spellings, all parts of an identifier, or some of them that tell
        something by themselves.
        """
        found = self.scorer.forms(term, document)
        if self.scorer.has_parts(term, document):
            return found
        return tuple(form for form in found if len(form) >= _TELLING or "." in form or not form.isascii())

    def adopt(self, near: Sequence[Suggestion]) -> None:
        """Let near spellings stand in for words that no document has, where such a word is likely to be a slip."""
        # In a long text that is otherwise known, a word that no document has is hardly ever a slip.
        slips = [one for one in near if one.likely and 3 * len(self.unknown_terms) >= len(self.telling)]
        for one in slips:
            self.scorer.adopt(one.term, one.likely)
        if slips:
            self.first = self.scorer.first()

    def holds(self, one: Held, number: int, document: Document) -> bool:
        """Whether a document that can hold a term does so."""
        return number in one.documents and (one.certain or holds(document, one.term))

    def has_all(self, number: int, document: Document) -> bool:
        """Whether a document has every term."""
        return all(self.holds(one, number, document) for one in self.held)

    def is_near(self, number: int, document: Document) -> bool:
        """Whether a document has a term, or another form of one; the extension of a file name brings nothing near."""
        return any(self.forms(one.term.typed, number) or self.holds(one, number, document) for one in self.telling)


def best_first(
    scores: Mapping[int, float], ordered: Callable[[Collection[int], int | None], list[Item]]
) -> Iterator[list[Item]]:
    """Yield documents in lots of forty, the best scores first; of equals those first that stand first when `ordered`.

    Of very many documents only the best forty need be put in order, unless more of them are asked for. `ordered` may
    leave out what stands behind so many.
    """
    best = nlargest(_TOGETHER, scores.values())
    if not best:
        return
    better = [document for document, score in scores.items() if score > best[-1]]
    tied = [document for document, score in scores.items() if score == best[-1]]
    first = sorted(ordered(better, None), key=lambda one: -scores[one.document])
    room = _TOGETHER - len(first)
    first += ordered(tied, room)[:room]
    yield first
    rest = scores.keys() - {one.document for one in first}
    if rest:
        yield from in_lots(sorted(ordered(rest, None), key=lambda one: -scores[one.document]))


def in_lots(items: Sequence[Anything]) -> Iterator[list[Anything]]:
    """Yield items by forties."""
    return (list(items[start : start + _TOGETHER]) for start in range(0, len(items), _TOGETHER))
