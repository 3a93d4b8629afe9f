"""`git mem search --in files`, and `--in all`: the project's files, and the entries beside them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gitmem.cli.found import (
    advise,
    entry_lines,
    find_entries,
    highlighted,
    partial_lines,
    say_what_was_dropped,
    say_why_nothing,
    suggest,
)
from gitmem.cli.session import Session
from gitmem.errors import ExitCode, UsageError
from gitmem.porcelain.encode import encode
from gitmem.porcelain.search import Request, without_nearest
from gitmem.porcelain.search_files import FileHit, FilesFound, FilesRequest, beside, search_files
from gitmem.search.narrow import Filters
from gitmem.search.query import Query, parse_query
from gitmem.text import visible_line
from gitmem.workspace import Workspace


def find(
    session: Session, words: Sequence[str], request: Request, *, entries: bool, strict: bool, as_json: bool
) -> ExitCode:
    """Search the files, with `entries` beside them, and write what was found. The code is 1 if there is no hit."""
    workspace = session.read() if entries else session.open()
    files = _find(session, workspace, words, request)
    dropped = len(files.nearest) if strict else 0
    files = replace(files, nearest=()) if strict else files
    if not entries:
        say_what_was_dropped(session, dropped)
        _write(session, files, list(_lines(session, files)), as_json=as_json)
        _advise(session, files)
        return ExitCode.DONE if files.hits else ExitCode.NO
    found = find_entries(session, workspace, words, request)
    if strict:
        found, more = without_nearest(found)
        say_what_was_dropped(session, dropped + more)
    shown = [*entry_lines(session, found), *_under_heading(session, files)]
    _write(session, beside(found, files), shown, as_json=as_json)
    if not found.hits and not files.hits:
        advise(session, found)
    if not files.indexed:
        _advise(session, files)
    return ExitCode.DONE if found.hits or files.hits else ExitCode.NO


def _write(session: Session, found: object, lines: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(f"{line}\n" for line in lines))


def _under_heading(session: Session, found: FilesFound) -> Iterator[str]:
    if found.hits or found.nearest:
        yield session.styled("Files:", bold=True)
    yield from _lines(session, found)


def _find(session: Session, workspace: Workspace, words: Sequence[str], request: Request) -> FilesFound:
    """Search the project's files. Raises UsageError for what can be asked of entries only."""
    filters = request.filters
    if request.at is not None or request.only or replace(filters, paths=()) != Filters():
        raise UsageError("--at, --only, --kind, --tag and --include-inactive ask for entries: leave them out for files")
    asked = FilesRequest(limit=request.limit, match_any=request.match_any, paths=filters.paths)
    with session.progress("Reading") as workspace.repository.progress:
        return search_files(workspace, words, asked)


def _lines(session: Session, found: FilesFound) -> Iterator[str]:
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
    if found.hits:
        return
    if found.searchable and not found.indexed:
        session.hint("no files were read here yet: `git mem mine` reads them")
    else:
        say_why_nothing(session, found, "section")
    suggest(session, found.suggestions)
