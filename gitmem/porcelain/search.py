"""`git mem search`: the entries in which every term of a query occurs, and beside them the nearest ones."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain, islice
from typing import Final, TypeVar

from gitmem.entry.model import Entry, Kind
from gitmem.evidence.anchor import inside
from gitmem.evidence.judge import judge
from gitmem.evidence.target import Target, commit_of
from gitmem.evidence.verdict import EntryVerdict, Judgement, Verdict
from gitmem.porcelain.version import as_of
from gitmem.search.consult import Load
from gitmem.search.keep import index_of
from gitmem.search.look import look
from gitmem.search.narrow import Filters
from gitmem.search.query import Query, parse_query
from gitmem.search.rank import Ranked, Ranking
from gitmem.search.snippet import excerpt
from gitmem.search.suggest import Suggestion, suggestions
from gitmem.search.terms import Match
from gitmem.workspace import Workspace

Answer = TypeVar("Answer")

DEFAULT_LIMIT: Final = 5
MOST: Final = 20
_ANY_VERDICT: Final = frozenset(Verdict)
_BATCH: Final = 50  # entries judged at first while a filter by verdict looks for enough of them


@dataclass(frozen=True, slots=True)
class Related:
    """A term, and the words in which an entry has it in another form."""

    term: str
    forms: tuple[str, ...]


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
    related_terms: tuple[Related, ...]
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
    """The answer to a query. `searchable` is False for a query without any word.

    `inactive` is how many entries have every term and are left out because they do not hold any more.
    """

    query: str
    match: str
    hits: tuple[Hit, ...]
    nearest: tuple[Hit, ...]
    suggestions: tuple[Suggested, ...]
    searchable: bool
    inactive: int


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
    current directory. Raises UsageError for a query that is too long, CitationError for a path outside the worktree,
    RevisionError.
    """
    return put(workspace, words, request, lambda one: _at(one, _found(one, " ".join(words))))


def put(workspace: Workspace, words: Sequence[str], request: Request, question: Callable[["Search"], Answer]) -> Answer:
    """Return what a question makes of a search: in the store, or as of a commit.

    It may be put several times, where the store changes under it. Raises what `search` does.
    """
    query = parse_query(words)
    asked = replace(request, filters=replace(request.filters, paths=_below(workspace, request.filters.paths)))
    if request.at is None:
        workspace.settle()
        return workspace.index.ask(
            lambda index, load: question(Search(Ranking(index, query, asked.filters), asked, load, workspace.here))
        )
    target = commit_of(workspace.repository, request.at, workspace.history_cache)
    known = {entry.id: entry for entry in as_of(workspace, target.tip or "").entries}
    index = index_of(known.values(), workspace.index.keeper.analyser)
    return question(Search(Ranking(index, query, asked.filters), asked, lambda one: known[one.id], target))


@dataclass(frozen=True)
class Search:
    """One search: the ranking, what was asked for, where entries come from, and what they are judged against."""

    ranking: Ranking
    request: Request
    load: Load
    target: Target
    ranked: dict[str, Ranked] = field(default_factory=dict)  # of the hits, by id

    @property
    def query(self) -> Query:
        """The query."""
        return self.ranking.query

    @property
    def limit(self) -> int:
        """How many entries are shown at most."""
        return min(max(self.request.limit, 1), MOST)

    @property
    def wanted(self) -> frozenset[Verdict]:
        """The verdicts that are let through."""
        asked = frozenset(Verdict(name) for name in self.query.conditions.verdicts)
        return (self.request.only or _ANY_VERDICT) & (asked or _ANY_VERDICT)

    @cached_property
    def hits(self) -> list[Hit]:
        """What the query names, and what has every term."""
        return self._judged(chain(self.ranking.exact(), self.ranking.all()), self.limit)

    @cached_property
    def near_spellings(self) -> tuple[Suggestion, ...]:
        """What was perhaps meant by terms that no entry has; an entry with every term knows every term."""
        if any(hit.match is Match.ALL for hit in self.hits):
            return ()
        return suggestions(self.ranking.index.postings, self.ranking.unknown_terms, self.ranking.admission.inactive)

    @cached_property
    def nearest(self) -> list[Hit]:
        """What has some of the terms, or other forms of them, as many as fill the page up."""
        rest = self.limit - len(self.hits)
        return self._judged(self.ranking.partial(self.near_spellings), rest) if rest else []

    def _judged(self, ranked: Iterator[Ranked], limit: int) -> list[Hit]:
        size = limit if self.wanted == _ANY_VERDICT else _BATCH
        hits: list[Hit] = []
        while len(hits) < limit and (batch := list(islice(ranked, size))):
            size *= 4  # many together cost little more than a few
            entries = [self.load(found.known) for found in batch]
            judged = zip(batch, entries, judge(self.target, entries), strict=True)
            hits += [self._hit(*found) for found in judged if found[2].verdict in self.wanted]
        return hits[:limit]

    def _hit(self, found: Ranked, entry: Entry, verdict: EntryVerdict) -> Hit:
        self.ranked[entry.id] = found
        seen = look(entry, self.query, named=found.match is Match.EXACT)
        forms = {term: self.ranking.forms(term, found.known.document) for term in seen.missing}
        return Hit(
            id=entry.id,
            title=entry.title,
            kind=entry.kind,
            score=found.score,
            match=found.match,
            matched_fields=_names(seen.fields),
            matched_terms=seen.matched,
            missing_terms=seen.missing,
            related_terms=tuple(Related(term, words) for term, words in forms.items() if words),
            excerpt=excerpt(entry, self.query, forms=forms),
            verdict=verdict.verdict,
            entry=entry,
            source_refs=verdict.judgements,
        )


def _found(one: Search, text: str) -> Found:
    hits, nearest = (one.hits, one.nearest) if one.query.searchable else ([], [])
    near = one.near_spellings if one.query.searchable else ()
    if one.request.match_any:
        hits, nearest = [*hits, *nearest], []
    return Found(
        query=text,
        match="any" if one.request.match_any else "all",
        hits=tuple(hits),
        nearest=tuple(nearest),
        suggestions=tuple(Suggested(suggestion.term, suggestion.candidates) for suggestion in near),
        searchable=one.query.searchable,
        inactive=one.ranking.inactive_with_all if one.query.searchable else 0,
    )


def _at(one: Search, found: Found) -> Found:
    if one.request.at is None:
        return found
    return FoundAt(**{name.name: getattr(found, name.name) for name in fields(found)}, at=one.target.tip or "")


def without_nearest(found: Found) -> tuple[Found, int]:
    """Return an answer without its nearest entries, and how many those were."""
    return replace(found, nearest=()), len(found.nearest)


def _below(workspace: Workspace, paths: Sequence[str]) -> tuple[str, ...]:
    place = workspace.layout.place
    return tuple(str(inside(place.worktree, place.directory, path)) for path in paths)


def _names(fields: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(field) for field in fields)
