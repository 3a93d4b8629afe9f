"""`git mem search`: the entries in which every term of a query occurs, and beside them the nearest ones."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import Final

from gitmem.entry.model import Entry, Kind
from gitmem.evidence.anchor import inside
from gitmem.evidence.judge import judge
from gitmem.evidence.target import Target, commit_of
from gitmem.evidence.verdict import EntryVerdict, Judgement, Verdict
from gitmem.porcelain.version import as_of
from gitmem.search.narrow import Filters
from gitmem.search.query import Query, parse_query
from gitmem.search.rank import Match, Ranked, Ranking, rank
from gitmem.search.snippet import excerpt
from gitmem.search.suggest import Suggestion, suggestions
from gitmem.workspace import Workspace

DEFAULT_LIMIT: Final = 5
MOST: Final = 20
_ANY_VERDICT: Final = frozenset(Verdict)
_BATCH: Final = 50  # entries judged at once while a filter by verdict looks for enough of them


@dataclass(frozen=True, slots=True)
class Hit:
    """One entry of an answer. `score` has no unit and compares only within one query."""

    id: str
    title: str
    kind: Kind | None
    score: float
    match: Match
    matched_fields: tuple[str, ...]
    matched_terms: tuple[str, ...]
    missing_terms: tuple[str, ...]
    excerpt: str
    verdict: Verdict
    entry: Entry
    source_refs: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a query. `searchable` is False for a query without any word."""

    query: str
    match: str
    hits: tuple[Hit, ...]
    nearest: tuple[Hit, ...]
    suggestions: tuple[Suggestion, ...]
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
    target = None if request.at is None else commit_of(workspace.repository, request.at, workspace.history_cache)
    entries = (workspace.contents if target is None else as_of(workspace, target.tip or "")).entries
    filters = replace(request.filters, paths=_below(workspace, request.filters.paths))
    ranking = rank(entries, query, filters)
    limit = min(max(request.limit, 1), MOST)
    first, second = ((*ranking.hits, *ranking.partial), ()) if request.match_any else (ranking.hits, ranking.partial)
    wanted = _wanted(request, query)
    where = target or workspace.here
    hits = _judged(where, query, first, wanted, limit)
    nearest = _judged(where, query, second, wanted, limit - len(hits))
    found = Found(
        query=" ".join(words),
        match="any" if request.match_any else "all",
        hits=tuple(hits),
        nearest=tuple(nearest),
        suggestions=_suggestions(query, ranking, [e for e in entries if e.active or filters.include_inactive]),
        searchable=query.searchable,
    )
    return found if target is None else _at(found, target.tip or "")


def _at(found: Found, commit: str) -> FoundAt:
    return FoundAt(**{name.name: getattr(found, name.name) for name in fields(found)}, at=commit)


def _suggestions(query: Query, ranking: Ranking, visible: Sequence[Entry]) -> tuple[Suggestion, ...]:
    # An entry with every term knows every term: there is nothing to correct.
    return () if any(hit.match is Match.ALL for hit in ranking.hits) else suggestions(query, visible)


def without_nearest(found: Found) -> tuple[Found, int]:
    """Return an answer without its nearest entries, and how many those were."""
    return replace(found, nearest=()), len(found.nearest)


def _below(workspace: Workspace, paths: Sequence[str]) -> tuple[str, ...]:
    place = workspace.layout.place
    return tuple(str(inside(place.worktree, place.directory, path)) for path in paths)


def _wanted(request: Request, query: Query) -> frozenset[Verdict]:
    asked = frozenset(Verdict(name) for name in query.conditions.verdicts)
    return (request.only or _ANY_VERDICT) & (asked or _ANY_VERDICT)


def _judged(
    target: Target, query: Query, ranked: Sequence[Ranked], wanted: frozenset[Verdict], limit: int
) -> list[Hit]:
    if wanted == _ANY_VERDICT:
        ranked = ranked[:limit]
    verdicts = _verdicts(target, ranked)
    hits = (_hit(query, found, verdict) for found, verdict in verdicts if verdict.verdict in wanted)
    return list(islice(hits, limit))


def _verdicts(target: Target, ranked: Sequence[Ranked]) -> Iterator[tuple[Ranked, EntryVerdict]]:
    for start in range(0, len(ranked), _BATCH):
        batch = ranked[start : start + _BATCH]
        yield from zip(batch, judge(target, [found.entry for found in batch]), strict=True)


def _hit(query: Query, found: Ranked, verdict: EntryVerdict) -> Hit:
    return Hit(
        id=found.entry.id,
        title=found.entry.title,
        kind=found.entry.kind,
        score=found.score,
        match=found.match,
        matched_fields=_names(found.matched_fields),
        matched_terms=found.matched_terms,
        missing_terms=found.missing_terms,
        excerpt=excerpt(found.entry, query),
        verdict=verdict.verdict,
        entry=found.entry,
        source_refs=verdict.judgements,
    )


def _names(fields: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(field) for field in fields)
