"""Which entries a query finds, in what order, and why. Offline, deterministic, the same in any order of entries.

There are three tiers: what the query names as a whole, what has every one of its terms letter for letter, and what has
part of them. Within a tier the score of `gitmem.search.score` decides, of equals the newest, then the id. A tier is
ordered in parts of forty: the best forty by the first stage of the score are put in order by the whole of it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Final

from gitmem.search.analysis import Document
from gitmem.search.entries import FIELD_CODES, EntryIndex, Known
from gitmem.search.fields import WEIGHTS
from gitmem.search.narrow import Admission, Filters, admission
from gitmem.search.query import Query
from gitmem.search.score import NO_PARTS, Parts
from gitmem.search.seek import named
from gitmem.search.suggest import Suggestion
from gitmem.search.terms import Match, Terms, best_first, in_lots

_LOOKED_INTO: Final = 20  # inactive entries
_FIELD_WEIGHTS: Final = MappingProxyType({FIELD_CODES[name]: weight / 10 for name, weight in WEIGHTS.items()})


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


class Ranking(Terms):
    """What a query finds among the documents of an index that the filters let through.

    A query of conditions alone finds every entry that meets them, the newest first, score 0. The condition `is:` is
    left to the caller.
    """

    def __init__(self, index: EntryIndex, query: Query, filters: Filters) -> None:
        super().__init__(index.postings, query, _FIELD_WEIGHTS)
        self.index = index
        self.filters = filters

    @cached_property
    def admission(self) -> Admission:
        """Which documents are let through."""
        return admission(self.index, self.filters, self.query.conditions)

    @property
    def hidden(self) -> frozenset[int]:
        """The documents that nothing may be told of."""
        return self.admission.inactive

    @cached_property
    def named(self) -> set[int]:
        """The documents that the query names."""
        return self.admission.of(named(self.index, self.query))

    @cached_property
    def complete(self) -> set[int]:
        """The documents that can have every term; where a term is not `certain`, each must be looked into."""
        return self.admission.of(self.having_all) - self.named

    @cached_property
    def inactive_with_all(self) -> int:
        """How many inactive entries have every term, and are left out for their state alone."""
        only = self.admission.only
        having = self.admission.inactive & self.having_all
        having = having if only is None else having & only
        certain, document = all(one.certain for one in self.held), self.index.postings.document
        return sum(1 for one in islice(sorted(having), _LOOKED_INTO) if certain or self.has_all(one, document(one)))

    def exact(self) -> Iterator[Ranked]:
        """Yield what the query names, best first."""
        return (found for found, _ in self._in_order(self.named, Match.EXACT))

    def all(self) -> Iterator[Ranked]:
        """Yield what has every term, best first."""
        if not self.query.terms:
            return self._by_conditions()
        ordered = self._in_order(self.complete, Match.ALL)
        return (found for found, kept in ordered if self.has_all(kept.number, kept.document))

    def partial(self, near: Sequence[Suggestion] = ()) -> Iterator[Ranked]:
        """Yield what has some of the terms, or other forms of them, or near spellings, best first."""
        self.adopt(near)
        ordered = self._in_order(self.admission.of(self.first) - self.named, Match.PARTIAL)
        return (
            found
            for found, kept in ordered
            if not self.has_all(kept.number, kept.document) and self.is_near(kept.number, kept.document)
        )

    def _by_conditions(self) -> Iterator[Ranked]:
        numbers = list(self.index.newest_first())
        admitted = self.admission.of(numbers)
        for some in in_lots([number for number in numbers if number in admitted]):
            known = self.index.known(some)
            yield from (Ranked(known[one], Match.ALL, NO_PARTS) for one in some)

    def _in_order(self, documents: Collection[int], match: Match) -> Iterator[tuple[Ranked, "_Kept"]]:
        scores = {document: self.first.get(document, 0.0) for document in documents}
        for known in best_first(scores, self._newest_first):
            lot = sorted(map(self._kept, self._newest_first([one.document for one in known])), key=_worst_last)
            for kept in lot:
                yield Ranked(kept.known, match, kept.parts), kept

    def _kept(self, known: Known) -> "_Kept":
        document = self.index.postings.document(known.document)
        return _Kept(known, document, self.scorer.parts(known.document, document, self.first.get(known.document, 0.0)))

    def _newest_first(self, documents: Collection[int], _limit: int | None = None) -> list[Known]:
        known = sorted(self.index.known(documents).values(), key=lambda one: one.id)
        known.sort(key=lambda one: one.date, reverse=True)
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


def _worst_last(kept: _Kept) -> float:
    return -kept.parts.total
