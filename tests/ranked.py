"""Rankings of entries that stand in no directory, as a list to look at."""

from collections.abc import Sequence
from dataclasses import dataclass

from gitmem.entry.model import Entry
from gitmem.search.analysis import Analyser
from gitmem.search.fields import FieldName
from gitmem.search.keep import index_of
from gitmem.search.look import look
from gitmem.search.narrow import Filters
from gitmem.search.query import Query, parse_query
from gitmem.search.rank import Ranked, Ranking
from gitmem.search.suggest import suggestions
from gitmem.search.terms import Match


@dataclass(frozen=True, slots=True)
class Placed:
    """One result with what of the query stands in it."""

    entry: Entry
    score: float
    match: Match
    matched_fields: tuple[FieldName, ...]
    matched_terms: tuple[str, ...]
    missing_terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """All results of a query, best first: `hits` are named or have every term."""

    hits: tuple[Placed, ...]
    partial: tuple[Placed, ...]

    @property
    def titles(self) -> list[str]:
        """The titles of the hits."""
        return [one.entry.title for one in self.hits]


def ranked(entries: Sequence[Entry], *words: str, filters: Filters | None = None) -> Results:
    """Return what a query finds among entries."""
    return ranked_by(entries, parse_query(words), filters or Filters())


def ranked_by(entries: Sequence[Entry], query: Query, filters: Filters) -> Results:
    """Return what a parsed query finds among entries."""
    if not query.searchable:
        return Results((), ())
    known = {entry.id: entry for entry in entries}
    assert len(known) == len(entries), "the entries of a store have ids of their own"
    ranking = Ranking(index_of(entries, Analyser()), query, filters)
    near = suggestions(ranking.index.postings, ranking.unknown_terms, ranking.admission.inactive)
    hits = [*ranking.exact(), *ranking.all()]
    return Results(
        tuple(_placed(one, known[one.known.id], query) for one in hits),
        tuple(_placed(one, known[one.known.id], query) for one in ranking.partial(near)),
    )


def _placed(found: Ranked, entry: Entry, query: Query) -> Placed:
    seen = look(entry, query, named=found.match is Match.EXACT)
    return Placed(entry, found.score, found.match, seen.fields, seen.matched, seen.missing)
