"""`git mem explain`: why a query finds what it finds: its terms, the routes, the scores, what was filtered and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Final

from gitmem.entry.format import format_entry
from gitmem.evidence.judge import judge
from gitmem.evidence.verdict import Verdict
from gitmem.porcelain.search import MOST, Hit, Related, Request, Search, put
from gitmem.search.narrow import Filters, conditions_of, filters_as_conditions
from gitmem.search.query import Conditions, is_stop_word
from gitmem.search.rank import Ranked, Ranking
from gitmem.search.score import Parts
from gitmem.search.seek import Held
from gitmem.search.terms import Match
from gitmem.text import estimate_tokens
from gitmem.workspace import Workspace

_LOOKED_AT: Final = 100  # of what is filtered out, the best so many are told of


@dataclass(frozen=True, slots=True)
class ExplainedStem:
    """What words with one stem count: `documents` have one of the `forms`."""

    stem: str
    forms: tuple[str, ...]
    documents: int
    weight: float


@dataclass(frozen=True, slots=True)
class ExplainedTerm:
    """One term: how many entries can hold it letter for letter, whether it ranks, and by what."""

    term: str
    documents: int
    stop_word: bool
    stems: tuple[ExplainedStem, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """One way to an entry, and how many entries it leads to at most: a closer look can move some from `all` on."""

    match: Match
    entries: int


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """What a score consists of, each part as it counts."""

    words: float
    pairs: float
    pieces: float
    fields: float


@dataclass(frozen=True, slots=True)
class ExplainedHit:
    """One entry of the answer; `tokens` is what its file would take of a model's window, estimated."""

    id: str
    title: str
    match: Match
    score: float
    parts: ScoreParts
    matched_fields: tuple[str, ...]
    matched_terms: tuple[str, ...]
    missing_terms: tuple[str, ...]
    related_terms: tuple[Related, ...]
    verdict: Verdict
    tokens: int


@dataclass(frozen=True, slots=True)
class Filtered:
    """An entry that the query would find, and why it is not shown: its state, or the options that it does not meet."""

    id: str
    match: Match
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    """How a query was understood and answered. `entries` is how many are in the index."""

    query: str
    searchable: bool
    entries: int
    terms: tuple[ExplainedTerm, ...]
    routes: tuple[Route, ...]
    hits: tuple[ExplainedHit, ...]
    filtered: tuple[Filtered, ...]
    tokens: int


def explain(workspace: Workspace, words: Sequence[str], request: Request) -> Explained:
    """Explain what `search` does with the same words. Raises what it does."""
    return put(workspace, words, request, lambda one: _explained(one, " ".join(words)))


def _explained(one: Search, text: str) -> Explained:
    searchable = one.query.searchable
    hits = tuple(_hit(hit, one.ranked[hit.id].parts) for hit in (*one.hits, *one.nearest)) if searchable else ()
    return Explained(
        query=text,
        searchable=searchable,
        entries=one.ranking.index.postings.documents,
        terms=tuple(_term(one.ranking, held) for held in one.ranking.held),
        routes=_routes(one.ranking) if searchable else (),
        hits=hits,
        filtered=tuple(islice(_filtered(one), MOST)) if searchable else (),
        tokens=sum(hit.tokens for hit in hits),
    )


def _term(ranking: Ranking, held: Held) -> ExplainedTerm:
    scorer = ranking.scorer
    found = [scorer.sought[stem] for stem in scorer.stems_of(held.term.typed) if stem in scorer.sought]
    stems = tuple(ExplainedStem(one.stem, one.keys, one.documents, round(one.idf, 4)) for one in found)
    return ExplainedTerm(held.term.typed, len(held.documents), is_stop_word(held.term), stems)


def _routes(ranking: Ranking) -> tuple[Route, ...]:
    admitted = ranking.admission.of(ranking.first)
    counts = {
        Match.EXACT: len(ranking.named),
        Match.ALL: len(ranking.complete),
        Match.PARTIAL: len(admitted - ranking.named - ranking.complete),
    }
    return tuple(Route(match, count) for match, count in counts.items())


def _hit(hit: Hit, parts: Parts) -> ExplainedHit:
    return ExplainedHit(
        id=hit.id,
        title=hit.title,
        match=hit.match,
        score=hit.score,
        parts=ScoreParts(*(round(part, 4) for part in parts.counted)),
        matched_fields=hit.matched_fields,
        matched_terms=hit.matched_terms,
        missing_terms=hit.missing_terms,
        related_terms=hit.related_terms,
        verdict=hit.verdict,
        tokens=estimate_tokens(hit.title if hit.entry.future else format_entry(hit.entry)),
    )


def _filtered(one: Search) -> Iterator[Filtered]:
    """Yield what the query would find if nothing were filtered, best first, and is not let through."""
    query = replace(one.query, conditions=Conditions())
    if not query.terms:
        return
    ranking = Ranking(one.ranking.index, query, Filters(include_inactive=True))
    asked = (filters_as_conditions(one.request.filters), one.query.conditions)
    met = [pair for conditions in asked for pair in conditions_of(one.ranking.index, conditions).items()]
    for found in islice(chain(ranking.exact(), ranking.all(), ranking.partial()), _LOOKED_AT):
        reasons = tuple(_reasons(one, found, met))
        if reasons:
            yield Filtered(found.known.id, found.match, reasons)


def _reasons(one: Search, found: Ranked, met: Sequence[tuple[str, set[int]]]) -> Iterator[str]:
    """Yield why an entry is left out; `met` are the documents that meet each condition."""
    number = found.known.document
    if not one.request.filters.include_inactive and number in one.ranking.index.inactive:
        yield f"state {found.known.state}"
    yield from (f"{name} is another" for name, documents in met if number not in documents)
    if one.wanted != frozenset(Verdict):
        (judged,) = judge(one.target, [one.load(found.known)])
        if judged.verdict not in one.wanted:
            yield f"verdict {judged.verdict}"
