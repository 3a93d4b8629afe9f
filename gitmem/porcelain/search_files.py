"""`git mem search --in files`: the sections of the project's files in which every term of a query occurs."""

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import chain, islice
from typing import Final, NamedTuple

from gitmem.evidence.anchor import inside
from gitmem.evidence.target import Found as Standing
from gitmem.evidence.target import look_at
from gitmem.porcelain.placing import as_on_disk, follow, is_behind
from gitmem.porcelain.search import MOST, Found, Related, Suggested
from gitmem.search.files import Place
from gitmem.search.match import passage, spans
from gitmem.search.passages import FileRanking, FoundSection
from gitmem.search.project import View
from gitmem.search.query import Query, parse_query
from gitmem.search.snippet import passage_of
from gitmem.search.suggest import suggestions
from gitmem.search.terms import Match
from gitmem.storage.db import DatabaseError
from gitmem.text.content import LeftOut, lines_of, read_text
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FileHit:
    """A section of a file: its path from the worktree's top, its lines, and the `line` that shows best why.

    `outdated` says that the file is not as it was read any more, so lines and excerpt are those of then. `score` has no
    unit and compares only within one query.
    """

    path: str
    line_start: int
    line_end: int
    line: int
    title: str
    score: float
    match: Match
    matched_terms: tuple[str, ...]
    missing_terms: tuple[str, ...]
    related_terms: tuple[Related, ...]
    excerpt: str
    outdated: bool


@dataclass(frozen=True, slots=True)
class FilesFound:
    """The answer to a query among files. `indexed` is False where none were read yet, so that nothing can be found."""

    query: str
    match: str
    hits: tuple[FileHit, ...]
    nearest: tuple[FileHit, ...]
    suggestions: tuple[Suggested, ...]
    searchable: bool
    indexed: bool


@dataclass(frozen=True, slots=True)
class FoundEverywhere(Found):
    """The answer to a query among entries, and beside it the one among files."""

    files: FilesFound


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesRequest:
    """How to search: `limit` is clamped to 1..20; `paths`, relative to the current directory, keep to what is below."""

    limit: int
    match_any: bool = False
    paths: tuple[str, ...] = ()


def search_files(workspace: Workspace, words: Sequence[str], request: FilesRequest) -> FilesFound:
    """Search the files that this worktree has, as they were read last; where HEAD has moved since, that is followed.

    Raises UsageError for a query that is too long, and CitationError for a path outside the worktree.
    """
    query = parse_query(words)
    place = workspace.layout.place
    below = [str(inside(place.worktree, place.directory, path)) for path in request.paths]
    try:
        answer = _answer(workspace, query, below, request.limit)
    except _DAMAGE:  # which shows only where it is read: it is made anew, like one that is not there
        workspace.files.discard()
        answer = _answer(workspace, query, below, request.limit)
    hits, nearest = ((*answer.hits, *answer.nearest), ()) if request.match_any else (answer.hits, answer.nearest)
    return FilesFound(
        query=" ".join(words),
        match="any" if request.match_any else "all",
        hits=hits,
        nearest=nearest,
        suggestions=answer.suggestions,
        searchable=query.searchable,
        indexed=answer.indexed,
    )


class _Answer(NamedTuple):
    hits: tuple[FileHit, ...] = ()
    nearest: tuple[FileHit, ...] = ()
    suggestions: tuple[Suggested, ...] = ()
    indexed: bool = True


_DAMAGE: Final = (DatabaseError, zlib.error, ValueError, IndexError)
"""What reading a damaged index can come to."""


def _answer(workspace: Workspace, query: Query, below: Sequence[str], limit: int) -> _Answer:
    with current(workspace) as view:
        if view is None or view.standing is None:
            return _Answer(indexed=False)
        if not query.searchable:
            return _Answer()
        return _search(workspace, view, FileRanking(view.postings, query, below), limit)


def beside(found: Found, files: FilesFound) -> FoundEverywhere:
    """Return two answers as one, in which neither is mixed up with the other."""
    return FoundEverywhere(**{one.name: getattr(found, one.name) for one in fields(Found)}, files=files)


@contextmanager
def current(workspace: Workspace) -> Iterator[View | None]:
    """See the file index for the body of the `with`, once it follows HEAD; None if there is none."""
    files, told = workspace.files, workspace.repository.progress
    if files.lost:
        with files.changed(lambda view: as_on_disk(workspace, view), told) as view:
            yield view
        return
    with files.reading() as found:
        if found is None or not is_behind(workspace, found):
            yield found
            return
    with files.changed(lambda view: follow(workspace, view), told) as view:
        yield view


def _search(workspace: Workspace, view: View, ranking: FileRanking, limit: int) -> _Answer:
    limit = min(max(limit, 1), MOST)
    exact = list(islice(ranking.exact(), limit))
    named = {found.place for found in exact}
    hits = [*exact, *islice((one for one in ranking.all() if one.place not in named), limit - len(exact))]
    complete = any(one.match is Match.ALL for one in hits)
    near = () if complete else suggestions(ranking.postings, ranking.unknown_terms, ranking.hidden)
    partial = (one for one in ranking.partial(near) if one.place not in named) if len(hits) < limit else iter(())
    nearest = list(islice(partial, limit - len(hits)))
    shown = _Shown(workspace, view, ranking, {one.place.path for one in chain(hits, nearest)})
    return _Answer(
        tuple(shown.hit(one) for one in hits),
        tuple(shown.hit(one) for one in nearest),
        tuple(Suggested(one.term, one.candidates) for one in near),
    )


class _Shown:
    """Shows sections: what stands in them, as they were read, and whether the files are so still."""

    def __init__(self, workspace: Workspace, view: View, ranking: FileRanking, paths: Collection[str]) -> None:
        self._workspace = workspace
        self._view = view
        self._ranking = ranking
        self._on_disk: Mapping[str, Standing] = look_at(workspace.here, paths) if paths else {}

    def hit(self, found: FoundSection) -> FileHit:
        """Return a section as it is shown."""
        place, query = found.place, self._ranking.query
        outdated = self._is_outdated(place)
        text = self._text(place)
        matched = self._matched(found, query, text)
        missing = tuple(term.typed for term in query.terms if term.typed not in matched)
        forms = {term: self._ranking.forms(term, place.document) for term in missing}
        best = passage_of(text, query, forms=forms)
        return FileHit(
            path=place.path,
            line_start=place.first,
            line_end=place.last,
            line=place.first + best.line,
            title=place.title,
            score=found.score,
            match=found.match,
            matched_terms=matched,
            missing_terms=missing,
            related_terms=tuple(Related(term, words) for term, words in forms.items() if words),
            excerpt=best.excerpt,
            outdated=outdated,
        )

    def _matched(self, found: FoundSection, query: Query, text: str) -> tuple[str, ...]:
        if found.match is not Match.PARTIAL:
            return tuple(term.typed for term in query.terms)
        held = [passage(text), passage(found.place.title), passage(found.place.path)]
        return tuple(term.typed for term in query.terms if any(spans(term, one) for one in held))

    def _is_outdated(self, place: Place) -> bool:
        standing = self._on_disk[place.path]
        return place.oid != (standing.committed if standing.skipped else standing.blob)

    def _text(self, place: Place) -> str:
        """Return the text of a section as it was read; nothing where nobody has that any more."""
        standing = self._on_disk[place.path]
        data = standing.data if standing.blob == place.oid else self._workspace.files.load(place.oid)
        text = None if data is None else read_text(data)
        if text is None or isinstance(text, LeftOut):
            return ""
        return "\n".join(lines_of(text)[place.first - 1 : place.last])
