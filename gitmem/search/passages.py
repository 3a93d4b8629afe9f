"""Which sections of a worktree's files a query finds, and in what order. Offline and deterministic, as for entries.

The tiers are those of entries: files that the query names by their path, sections in which every term stands, letter
for letter, be it in the text or in the file's path, and sections with some of them. Of equal scores the path decides.
"""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import log
from typing import Final

from gitmem.search.analysis import Document
from gitmem.search.files import WEIGHTS, FilePostings, Place
from gitmem.search.match import passage, spans
from gitmem.search.names import components, named_path
from gitmem.search.query import Conditions, Query
from gitmem.search.score import NO_PARTS, Parts
from gitmem.search.seek import Held, held
from gitmem.search.suggest import Suggestion
from gitmem.search.terms import Match, Terms, best_first
from gitmem.text.characters import bare, fold
from gitmem.text.tokens import ID_KEY_LENGTH, Slot, Term

_PATH_WEIGHT: Final = 0.5
"""What a term counts, of its idf, that stands in the path of a section's file."""

_MANY: Final = 2000  # sections from which on looking for the first is faster than putting all in order

# Between parts of a path that stand side by side: separators, and zeros that a key does not have.
_BETWEEN: Final = "[^a-z0-9]*0*"


@dataclass(frozen=True, slots=True)
class FoundSection:
    """A section that a query finds, its tier and its score, which has no unit and compares only within one query."""

    place: Place
    match: Match
    score: float


class FileRanking(Terms):
    """What a query finds among the sections of one worktree, at the paths or below the directories of `below`."""

    def __init__(self, postings: FilePostings, query: Query, below: Sequence[str] = ()) -> None:
        super().__init__(postings, query, WEIGHTS)
        self.files = postings
        self._below = below

    @cached_property
    def held(self) -> tuple[Held, ...]:
        """Which documents can hold each term, in their text or in their file's path."""
        return tuple(Held(one.term, one.documents | self._at_path(one.term), one.certain) for one in self._in_text)

    @cached_property
    def _in_text(self) -> tuple[Held, ...]:
        """Which documents can hold each term in their text."""
        return tuple(held(self.postings, term) for term in self.query.terms)

    def holds(self, one: Held, number: int, document: Document) -> bool:
        """Whether a section that can hold a term does so, or its file's path does."""
        return number in self._at_path(one.term) or super().holds(one, number, document)

    @cached_property
    def admitted(self) -> set[int] | None:
        """The sections that the filters let through, None for all."""
        if self._asks_for_entries:
            return set()
        asked = self.query.conditions
        if not (self._below or asked.paths or asked.files):
            return None
        return set(chain.from_iterable(self.files.sections_at(self._filtered).values()))

    @cached_property
    def _filtered(self) -> list[str]:
        """The paths that the filters let through."""
        asked = self.query.conditions
        paths = [path for path in self.files.paths if _is_below(path, self._below)] if self._below else self.files.paths
        for conditions, test in ((asked.paths, _begins), (asked.files, _ends)):
            wanted = [components(one) for one in conditions]
            if wanted:
                paths = [path for path in paths if any(test(components(path), one) for one in wanted)]
        return paths

    @property
    def _asks_for_entries(self) -> bool:
        """Whether the query has a condition that no file can meet."""
        asked = self.query.conditions
        return asked != Conditions(paths=asked.paths, files=asked.files)

    def exact(self) -> Iterator[FoundSection]:
        """Yield the beginning of each file that the query names."""
        return (FoundSection(place, Match.EXACT, 0.0) for place in self._beginnings(self._named))

    def all(self) -> Iterator[FoundSection]:
        """Yield the sections that have every term, best first; of conditions alone the beginning of each file."""
        if not self.query.terms:
            paths = [] if self._asks_for_entries else self._filtered
            return (FoundSection(place, Match.ALL, 0.0) for place in self._beginnings(paths))
        return (
            FoundSection(place, Match.ALL, parts.total)
            for place, document, parts in self._in_order(self.having_all)
            if self.has_all(place.document, document) and self._tells(place, document)
        )

    def _tells(self, place: Place, document: Document) -> bool:
        """Whether a section has anything of the query itself; for what only its path has, the first one stands."""
        holds = super().holds
        return place.first == 1 or any(holds(one, place.document, document) for one in self._in_text)

    def partial(self, near: Sequence[Suggestion] = ()) -> Iterator[FoundSection]:
        """Yield what has some of the terms, or other forms of them, or near spellings, best first."""
        self.adopt(near)
        candidates = set(self.first).union(*(self._at_path(one.term) for one in self.telling))
        return (
            FoundSection(place, Match.PARTIAL, parts.total)
            for place, document, parts in self._in_order(candidates)
            if not self.has_all(place.document, document)
            and self.is_near(place.document, document)
            and (self.first.get(place.document) or place.first == 1)
        )

    def _in_order(self, documents: Collection[int]) -> Iterator[tuple[Place, Document, Parts]]:
        admitted = documents if self.admitted is None else self.admitted.intersection(documents)
        scores = {document: self._first(document) for document in admitted}
        for lot in best_first(scores, self._by_path):
            kept = [(one, *self._scored(one.document)) for one in self._by_path([one.document for one in lot])]
            kept.sort(key=lambda one: -one[2].total)
            for first, document, parts in kept:
                for place in self._shown([first.document])[first.document]:
                    yield place, document, parts

    def _first(self, document: int) -> float:
        by_path = [self._path_idf[term] for term, having in self._by_term.items() if document in having]
        return self.first.get(document, 0.0) + _PATH_WEIGHT * sum(by_path)

    def _scored(self, number: int) -> tuple[Document, Parts]:
        document = self.postings.document(number)
        parts = self.scorer.parts(number, document, self._first(number)) if self.query.terms else NO_PARTS
        return document, parts

    def _shown(self, documents: Collection[int]) -> dict[int, list[Place]]:
        """Return the places of sections that the filters let through."""
        places = self.files.places(documents)
        if self.admitted is None:
            return places
        shown = set(self._filtered)
        return {document: [place for place in found if place.path in shown] for document, found in places.items()}

    def _by_path(self, documents: Collection[int], limit: int | None = None) -> list[Place]:
        """Return one place of each document, in the order of paths and lines; of very many the first so many only."""
        if limit is not None and len(documents) > _MANY:
            wanted = set(documents)
            documents = dict.fromkeys(islice((one for one in self.files.in_order() if one in wanted), limit))
        places = [found[0] for found in self._shown(documents).values()]
        return sorted(places, key=lambda place: (os.fsencode(place.path), place.first))

    def _beginnings(self, paths: Sequence[str]) -> Iterator[Place]:
        for path in paths:
            for document in self.files.sections_at([path])[path][:1]:
                yield from (place for place in self.files.places([document])[document] if place.path == path)

    @cached_property
    def _named(self) -> list[str]:
        """The paths that the query names: whole, or by their last components."""
        asked = named_path(self.query.text)
        if not asked or not self.query.terms or self._asks_for_entries:
            return []
        ending = "/".join(asked)
        near = {path for path, folded in self._folded if folded.endswith(ending) or not path.isascii()}
        return [path for path in self._filtered if path in near and _ends(components(path), asked)]

    @cached_property
    def _by_term(self) -> dict[Term, frozenset[int]]:
        return {term: self._with_path(term) for term in self.query.terms}

    @cached_property
    def _path_idf(self) -> dict[Term, float]:
        count = self.postings.documents
        return {term: log(1 + (count - len(n) + 0.5) / (len(n) + 0.5)) for term, n in self._by_term.items()}

    def _at_path(self, term: Term) -> frozenset[int]:
        return self._by_term[term]

    def _with_path(self, term: Term) -> frozenset[int]:
        """Return the sections of files in whose path a term stands."""
        near = re.compile(_BETWEEN.join(_leaves(term.slots)))
        holding = [path for path, folded in self._folded if near.search(folded) and spans(term, passage(path))]
        return frozenset(chain.from_iterable(self.files.sections_at(holding).values()))

    @cached_property
    def _folded(self) -> list[tuple[str, str]]:
        return [(path, path.lower() if path.isascii() else bare(fold(path))) for path in self.files.paths]


def _leaves(slots: Sequence[Slot]) -> Iterator[str]:
    """Yield what must stand in a text that holds slots side by side: the keys of their parts."""
    for slot in slots:
        if slot.parts:
            yield from _leaves(slot.parts)
        else:
            # Of a long number and of an object id the key is the beginning.
            yield re.escape(slot.key) + (".*?" if len(slot.key) >= ID_KEY_LENGTH else "")


def _is_below(path: str, directories: Sequence[str]) -> bool:
    return any(one in (path, ".") or path.startswith(f"{one}/") for one in directories)


def _begins(path: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    return path[: len(asked)] == asked


def _ends(path: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    return path[-len(asked) :] == asked if asked else True
