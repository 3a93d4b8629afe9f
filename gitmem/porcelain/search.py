"""`git mem search`: the entries in which every term of a query occurs, and beside them the nearest ones."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain, islice
from typing import Final

from gitmem.entry.model import Entry, Kind
from gitmem.evidence.anchor import inside
from gitmem.evidence.judge import judge
from gitmem.evidence.target import Target, commit_of
from gitmem.evidence.verdict import EntryVerdict, Judgement, Verdict
from gitmem.porcelain.version import as_of
from gitmem.search.consult import Load
from gitmem.search.entries import EntryIndex
from gitmem.search.keep import index_of
from gitmem.search.look import look
from gitmem.search.narrow import Filters
from gitmem.search.query import Query, parse_query
from gitmem.search.rank import Match, Ranked, Ranking
from gitmem.search.snippet import excerpt
from gitmem.search.suggest import Suggestion, suggestions
from gitmem.workspace import Workspace

DEFAULT_LIMIT: Final = 5
MOST: Final = 20
_ANY_VERDICT: Final = frozenset(Verdict)
_BATCH: Final = 50  # entries judged at once while a filter by verdict looks for enough of them


@dataclass(frozen=True, slots=True)
class Hit:
    """One entry of an answer. `score` has no unit and compares only within one query.

    Terms that it has letter for letter are matched, all others missing; of these the related it has in another form.
    """

    id: str
    title: str
    kind: Kind | None
    score: float
    match: Match
    matched_fields: tuple[str, ...]
    matched_terms: tuple[str, ...]
    missing_terms: tuple[str, ...]
    related_terms: tuple[str, ...]
    excerpt: str
    verdict: Verdict
    entry: Entry
    source_refs: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True)
class Suggested:
    """A term that no entry has, and the words that it may be meant for."""

    term: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a query. `searchable` is False for a query without any word."""

    query: str
    match: str
    hits: tuple[Hit, ...]
    nearest: tuple[Hit, ...]
    suggestions: tuple[Suggested, ...]
    searchable: bool


@dataclass(frozen=True, slots=True)
class FoundAt(Found):
    """The answer as of a commit, whose full id is `at`."""

    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How to search: `limit` is clamped to 1..20; `only` keeps to entries with one of these verdicts.

    `at` is a revision: then what was known there is searched, and judged there.
    """

    limit: int = DEFAULT_LIMIT
    match_any: bool = False
    only: frozenset[Verdict] = frozenset()
    filters: Filters = field(default_factory=Filters)
    at: str | None = None


def search(workspace: Workspace, words: Sequence[str], request: Request) -> Found:
    """Search the store. Verdicts are computed for what is shown only, unless they decide what is shown.

    `nearest` fills the page up behind the hits, also where there are hits. Paths to filter by are relative to the
    current directory. Raises UsageError for a condition with an unknown value and for a query that is too long,
    CitationError for a path outside the worktree, RevisionError.
    """
    query = parse_query(words)
    filters = replace(request.filters, paths=_below(workspace, request.filters.paths))
    asked = replace(request, filters=filters)
    if request.at is None:
        workspace.settle()
        return workspace.index.ask(
            lambda index, load: _found(_Search(query, asked, index, load, workspace.here), " ".join(words))
        )
    target = commit_of(workspace.repository, request.at, workspace.history_cache)
    known = {entry.id: entry for entry in as_of(workspace, target.tip or "").entries}
    index = index_of(known.values(), workspace.index.keeper.analyser)
    found = _found(_Search(query, asked, index, lambda one: known[one.id], target), " ".join(words))
    return FoundAt(**{name.name: getattr(found, name.name) for name in fields(found)}, at=target.tip or "")


@dataclass(frozen=True, slots=True)
class _Search:
    """One search: what is asked for, of which index, and what the entries are judged against."""

    query: Query
    request: Request
    index: EntryIndex
    load: Load
    target: Target


def _found(one: _Search, text: str) -> Found:
    ranking = Ranking(one.index, one.query, one.request.filters)
    limit = min(max(one.request.limit, 1), MOST)
    searchable = one.query.searchable
    hits = _judged(one, ranking, chain(ranking.exact(), ranking.all()), limit) if searchable else []
    near = _near_spellings(one, ranking, hits) if searchable else ()
    rest = limit - len(hits)
    nearest = _judged(one, ranking, ranking.partial(near), rest) if searchable and rest else []
    if one.request.match_any:
        hits, nearest = [*hits, *nearest], []
    return Found(
        query=text,
        match="any" if one.request.match_any else "all",
        hits=tuple(hits),
        nearest=tuple(nearest),
        suggestions=tuple(Suggested(suggestion.term, suggestion.candidates) for suggestion in near),
        searchable=searchable,
    )


def _near_spellings(one: _Search, ranking: Ranking, hits: Sequence[Hit]) -> tuple[Suggestion, ...]:
    # An entry with every term knows every term: there is nothing to correct.
    if any(hit.match is Match.ALL for hit in hits):
        return ()
    return suggestions(one.index.postings, ranking.unknown_terms, ranking.admission.inactive)


def without_nearest(found: Found) -> tuple[Found, int]:
    """Return an answer without its nearest entries, and how many those were."""
    return replace(found, nearest=()), len(found.nearest)


def _below(workspace: Workspace, paths: Sequence[str]) -> tuple[str, ...]:
    place = workspace.layout.place
    return tuple(str(inside(place.worktree, place.directory, path)) for path in paths)


def _judged(one: _Search, ranking: Ranking, ranked: Iterator[Ranked], limit: int) -> list[Hit]:
    wanted = _wanted(one)
    size = limit if wanted == _ANY_VERDICT else _BATCH
    hits: list[Hit] = []
    while len(hits) < limit and (batch := list(islice(ranked, size))):
        entries = [one.load(found.known) for found in batch]
        judged = zip(batch, entries, judge(one.target, entries), strict=True)
        hits += [_hit(one, ranking, *found) for found in judged if found[2].verdict in wanted]
    return hits[:limit]


def _wanted(one: _Search) -> frozenset[Verdict]:
    asked = frozenset(Verdict(name) for name in one.query.conditions.verdicts)
    return (one.request.only or _ANY_VERDICT) & (asked or _ANY_VERDICT)


def _hit(one: _Search, ranking: Ranking, found: Ranked, entry: Entry, verdict: EntryVerdict) -> Hit:
    seen = look(entry, one.query, named=found.match is Match.EXACT)
    return Hit(
        id=entry.id,
        title=entry.title,
        kind=entry.kind,
        score=found.score,
        match=found.match,
        matched_fields=_names(seen.fields),
        matched_terms=seen.matched,
        missing_terms=seen.missing,
        related_terms=tuple(term for term in seen.missing if ranking.related(term, found.known.document)),
        excerpt=excerpt(entry, one.query),
        verdict=verdict.verdict,
        entry=entry,
        source_refs=verdict.judgements,
    )


def _names(fields: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(field) for field in fields)
