"""Which entries a query finds, in what order, and why. Offline, deterministic, the same in any order of entries.

There are three tiers: what the query names as a whole, what has every one of its terms letter for letter, and what has
part of them. Within a tier the score of `gitmem.search.score` decides, of equals the newest, then the id. A tier is
ordered in parts of forty: the best forty by the first stage of the score are put in order by the whole of it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from heapq import nlargest
from itertools import islice
from types import MappingProxyType
from typing import Final, TypeVar

from gitmem.search.analysis import Document
from gitmem.search.entries import FIELD_CODES, EntryIndex, Known
from gitmem.search.fields import WEIGHTS
from gitmem.search.narrow import Admission, Filters, admission
from gitmem.search.query import Query, is_stop_word
from gitmem.search.score import NO_PARTS, Parts, Scorer
from gitmem.search.seek import Held, held, holds, named
from gitmem.search.suggest import Suggestion
from gitmem.text.tokens import Term

_TOGETHER: Final = 40
_TELLING: Final = 4  # letters; shorter parts of identifiers are extensions, prefixes and numbers
_LOOKED_INTO: Final = 20  # inactive entries
_FIELD_WEIGHTS: Final = MappingProxyType({FIELD_CODES[name]: weight / 10 for name, weight in WEIGHTS.items()})


Item = TypeVar("Item")


class Match(StrEnum):
    """The tier of a result, best first."""

    EXACT = "exact"
    ALL = "all"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry that a query finds: what the index knows of it, its tier, and its score."""

    known: Known
    match: Match
    parts: Parts

    @property
    def score(self) -> float:
        """The score, which has no unit and compares only within one query."""
        return self.parts.total


class Ranking:
    """What a query finds among the documents of an index that the filters let through.

    A query of conditions alone finds every entry that meets them, the newest first, score 0. The condition `is:` is
    left to the caller.
    """

    def __init__(self, index: EntryIndex, query: Query, filters: Filters) -> None:
        self.index = index
        self.query = query
        self.filters = filters

    @cached_property
    def admission(self) -> Admission:
        """Which documents are let through."""
        return admission(self.index, self.filters, self.query.conditions)

    @cached_property
    def scorer(self) -> Scorer:
        """Scores documents for the query."""
        return Scorer(self.index.postings, self.query.text, _FIELD_WEIGHTS)

    @cached_property
    def first(self) -> dict[int, float]:
        """The documents of which something can be told, with the score of the first stage."""
        return self.scorer.first()

    @cached_property
    def held(self) -> tuple[Held, ...]:
        """Which documents can hold each term."""
        return tuple(held(self.index.postings, term) for term in self.query.terms)

    @cached_property
    def named(self) -> set[int]:
        """The documents that the query names."""
        return self.admission.of(named(self.index, self.query))

    @cached_property
    def complete(self) -> set[int]:
        """The documents that can have every term; where a term is not `certain`, each must be looked into."""
        if not self.held:
            return set()
        smallest_first = sorted((one.documents for one in self.held), key=len)
        return self.admission.of(frozenset(smallest_first[0]).intersection(*smallest_first[1:])) - self.named

    @cached_property
    def unknown_terms(self) -> tuple[Term, ...]:
        """The terms that no document has which may be shown, stop words left out unless there are only such."""
        return tuple(one.term for one in self._telling if not one.documents - self.admission.inactive)

    def forms(self, term: str, document: int) -> tuple[str, ...]:
        """Return in what other forms a document has a term, as it was typed.

        These are words with the same stem, near spellings, all parts of an identifier, or some of them that tell
        something by themselves.
        """
        found = self.scorer.forms(term, document)
        if self.scorer.has_parts(term, document):
            return found
        return tuple(form for form in found if len(form) >= _TELLING or "." in form or not form.isascii())

    @cached_property
    def inactive_with_all(self) -> int:
        """How many inactive entries have every term, and are left out for their state alone."""
        if not self.held:
            return 0
        only = self.admission.only
        having = self.admission.inactive.intersection(*(one.documents for one in self.held))
        having = having if only is None else having & only
        certain, document = all(one.certain for one in self.held), self.index.postings.document
        return sum(1 for one in islice(sorted(having), _LOOKED_INTO) if certain or self._has_all(document(one)))

    def exact(self) -> Iterator[Ranked]:
        """Yield what the query names, best first."""
        return (found for found, _ in self._in_order(self.named, Match.EXACT))

    def all(self) -> Iterator[Ranked]:
        """Yield what has every term, best first."""
        if not self.query.terms:
            return self._by_conditions()
        ordered = self._in_order(self.complete, Match.ALL)
        return (found for found, kept in ordered if self._has_all(kept.document))

    def partial(self, near: Sequence[Suggestion] = ()) -> Iterator[Ranked]:
        """Yield what has some of the terms, or other forms of them, or near spellings, best first."""
        # In a long text that is otherwise known, a word that no entry has is hardly ever a slip.
        slips = [one for one in near if one.likely and 3 * len(self.unknown_terms) >= len(self._telling)]
        for one in slips:
            self.scorer.adopt(one.term, one.likely)
        if slips:
            self.first = self.scorer.first()
        ordered = self._in_order(self.admission.of(self.first) - self.named, Match.PARTIAL)
        complete = self.complete
        return (
            one
            for one, kept in ordered
            if (kept.number not in complete or not self._has_all(kept.document)) and self._is_near(kept)
        )

    def _is_near(self, kept: "_Kept") -> bool:
        """Whether a document has a term, or another form of one; the extension of a file name brings nothing near."""
        return any(
            self.forms(one.term.typed, kept.number)
            or (kept.number in one.documents and (one.certain or holds(kept.document, one.term)))
            for one in self._telling
        )

    @cached_property
    def _telling(self) -> tuple[Held, ...]:
        """The terms but for stop words, unless there are only such."""
        return tuple(one for one in self.held if not is_stop_word(one.term)) or self.held

    def _by_conditions(self) -> Iterator[Ranked]:
        numbers = list(self.index.newest_first())
        admitted = self.admission.of(numbers)
        for some in _in_lots([number for number in numbers if number in admitted]):
            known = self.index.known(some)
            yield from (Ranked(known[one], Match.ALL, NO_PARTS) for one in some)

    def _has_all(self, document: Document) -> bool:
        return all(one.certain or holds(document, one.term) for one in self.held)

    def _in_order(self, documents: Collection[int], match: Match) -> Iterator[tuple[Ranked, "_Kept"]]:
        for known in self._lots(documents):
            lot = [self._kept(one) for one in known]
            lot.sort(key=lambda kept: kept.known.id)
            lot.sort(key=lambda kept: kept.known.date, reverse=True)
            lot.sort(key=lambda kept: -kept.parts.total)
            for kept in lot:
                yield Ranked(kept.known, match, kept.parts), kept

    def _kept(self, known: Known) -> "_Kept":
        document = self.index.postings.document(known.document)
        return _Kept(known, document, self.scorer.parts(known.document, document, self.first.get(known.document, 0.0)))

    def _lots(self, documents: Collection[int]) -> Iterator[list[Known]]:
        """Yield the documents by forties, by the first stage of their scores, then the newest first, then by id."""
        scores = {document: self.first.get(document, 0.0) for document in documents}
        best = nlargest(_TOGETHER, scores.values())
        if not best:
            return
        tied = [document for document, score in scores.items() if score >= best[-1]]
        known = self._ordered(tied, scores)
        yield known[:_TOGETHER]
        rest = scores.keys() - {one.document for one in known[:_TOGETHER]}
        if rest:
            yield from _in_lots(self._ordered(rest, scores))

    def _ordered(self, documents: Collection[int], scores: Mapping[int, float]) -> list[Known]:
        known = sorted(self.index.known(documents).values(), key=lambda one: one.id)
        known.sort(key=lambda one: one.date, reverse=True)
        known.sort(key=lambda one: -scores[one.document])
        return known


@dataclass(frozen=True, slots=True)
class _Kept:
    """A document and what the index keeps of it, scored."""

    known: Known
    document: Document
    parts: Parts

    @property
    def number(self) -> int:
        return self.known.document


def _in_lots(items: Sequence[Item]) -> Iterator[list[Item]]:
    return (list(items[start : start + _TOGETHER]) for start in range(0, len(items), _TOGETHER))
