"""How what a search found is shown: words in bold, what is missing, and sections of files."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Final

from gitmem.cli.session import Session
from gitmem.errors import UsageError
from gitmem.porcelain.encode import encode
from gitmem.porcelain.search import Found, Hit, Related, Request, Suggested
from gitmem.porcelain.search_files import FileHit, FilesFound, FilesRequest, search_files
from gitmem.search.analysis import STOP_WORDS
from gitmem.search.narrow import Filters
from gitmem.search.query import Query, parse_query
from gitmem.search.snippet import highlight_spans
from gitmem.search.terms import Match
from gitmem.text import visible_line
from gitmem.workspace import Workspace

_ROOM: Final = 240  # characters, for what is said of a hit's terms


def find_in_files(session: Session, workspace: Workspace, words: Sequence[str], request: Request) -> FilesFound:
    """Search the project's files. Raises UsageError for what can be asked of entries only."""
    filters = request.filters
    if request.at is not None or request.only or replace(filters, paths=()) != Filters():
        raise UsageError("--at, --only, --kind, --tag and --include-inactive ask for entries: leave them out for files")
    asked = FilesRequest(limit=request.limit, match_any=request.match_any, paths=filters.paths)
    with session.progress("Reading") as workspace.repository.progress:
        return search_files(workspace, words, asked)


def shown_files(session: Session, found: FilesFound, *, strict: bool, as_json: bool) -> FilesFound:
    """Write an answer among files, and what helps where nothing was found; return what of it was shown."""
    dropped = len(found.nearest) if strict else 0
    found = replace(found, nearest=()) if strict else found
    if dropped:
        session.hint(f"{dropped} nearest not shown: they match only some of the words")
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(f"{line}\n" for line in file_lines(session, found)))
    if not found.hits:
        _advise(session, found)
    return found


def file_lines(session: Session, found: FilesFound) -> Iterator[str]:
    """Yield the lines that show sections of files."""
    query = parse_query([found.query])
    for hit in found.hits:
        yield from _section(session, query, hit)
    if found.nearest:
        yield session.styled("Nearest files, with only some of the words:", bold=True)
        for hit in found.nearest:
            yield from _section(session, query, hit)


def _section(session: Session, query: Query, hit: FileHit) -> Iterator[str]:
    place = f"{visible_line(hit.path)}:{hit.line_start}-{hit.line_end}"
    outdated = session.styled("  changed since it was read", fg="yellow") if hit.outdated else ""
    title = f"  {highlighted(session, query, hit.title, hit.related_terms)}" if hit.title else ""
    yield f"{session.styled(place, fg='magenta')}{title}{outdated}"
    if hit.excerpt:
        yield f"    {hit.line}: {highlighted(session, query, hit.excerpt, hit.related_terms)}"
    yield from partial_lines(hit)


def _advise(session: Session, found: FilesFound) -> None:
    if found.searchable and not found.indexed:
        session.hint("no files were read here yet: `git mem mine` reads them")
    else:
        say_why_nothing(session, found, "section")
    suggest(session, found.suggestions)


def say_why_nothing(session: Session, found: Found | FilesFound, what: str) -> None:
    """Say why there is no hit among things of a sort."""
    if not found.searchable:
        session.hint("the query has no word to search for")
    else:
        session.hint(f"no {what} has every word" if found.nearest else "nothing matches")


def suggest(session: Session, suggestions: Sequence[Suggested]) -> None:
    """Say what was perhaps meant."""
    for suggestion in suggestions:
        session.hint(f"did you mean {' or '.join(suggestion.candidates)} instead of {suggestion.term}?")


def partial_lines(hit: Hit | FileHit) -> Iterator[str]:
    """Yield a line that says what a result lacks that has only some of the words."""
    told = what_is_different(hit.missing_terms, hit.related_terms) if hit.match is Match.PARTIAL else ()
    line = "; ".join(told)
    if line:
        yield f"    {visible_line(line)}"


def what_is_different(missing: Sequence[str], related: Sequence[Related]) -> Iterator[str]:
    """Say what an entry lacks, stop words not counted, and what it has instead of what was typed."""
    instead = {one.term: one.forms for one in related}
    lacking = [term for term in missing if term not in instead and term.lower() not in STOP_WORDS]
    if lacking:
        yield f"lacks: {shorten(' '.join(lacking), _ROOM, placeholder='…')}"
    for term, forms in instead.items():
        yield f"has {shorten(', '.join(forms), _ROOM, placeholder='…')} for {shorten(term, _ROOM, placeholder='…')}"


def highlighted(session: Session, query: Query, text: str, related: Sequence[Related]) -> str:
    """Return a text as a terminal may show it, with what matches the query in bold."""
    shown = visible_line(text)
    pieces, at = [], 0
    for start, end in highlight_spans(shown, query, {one.term: one.forms for one in related}):
        pieces += [shown[at:start], session.styled(shown[start:end], bold=True)]
        at = end
    return "".join([*pieces, shown[at:]])
