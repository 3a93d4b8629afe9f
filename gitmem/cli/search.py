"""`git mem search`."""

from collections.abc import Iterator
from typing import Final

import click

from gitmem.cli.cite import VERDICT_COLORS
from gitmem.cli.found import (
    file_lines,
    find_in_files,
    highlighted,
    partial_lines,
    say_why_nothing,
    shown_files,
    suggest,
)
from gitmem.cli.options import color_option, json_option
from gitmem.cli.query import query_options, request_of
from gitmem.cli.session import Session
from gitmem.errors import ExitCode
from gitmem.porcelain.encode import encode
from gitmem.porcelain.search import Found, Hit, search, without_nearest
from gitmem.porcelain.search_files import FoundEverywhere, beside
from gitmem.search.query import KNOWN_VALUES, Query, parse_query
from gitmem.text import counted

_ROOM: Final = 240  # characters, for what is said of a hit's terms


@click.command("search", short_help="find entries")
@query_options
@click.option(
    "--match", type=click.Choice(["all", "any"]), default="all", help="Whether all terms must match.", show_default=True
)
@click.option("--strict", is_flag=True, help="Leave the nearest entries out.")
@click.option(
    "--in",
    "where",
    type=click.Choice(["memory", "files", "all"]),
    default="memory",
    help="Search the entries, the project's files, or both.",
    show_default=True,
)
@color_option()
@json_option()
@click.pass_obj
def command(
    session: Session,
    /,
    *,
    words: tuple[str, ...],
    match: str,
    strict: bool,
    where: str,
    as_json: bool,
    **options: object,
) -> int:
    """Find the entries in which every word of QUERY occurs; those that it names come first.

    Words match whole, in any case of letters and with or without accents, identifiers in their parts too. `kind:`,
    `tag:`, `path:`, `file:`, `commit:`, `run:` and `is:` in front of a word narrow the search; nothing else is syntax.
    Entries with only some of the words, or other forms of them, follow as the nearest. Exit code 1 if there is no hit.
    """
    request = request_of(options, match_any=match == "any")
    if where == "files":
        files = find_in_files(session, session.open(), words, request)
        answer = shown_files(session, files, strict=strict, as_json=as_json)
        return ExitCode.DONE if answer.hits else ExitCode.NO
    workspace = session.read()
    with session.progress("Searching") as workspace.repository.progress:
        workspace.index.keeper.progress = workspace.repository.progress
        found = search(workspace, words, request)
    if where == "all":
        found = beside(found, find_in_files(session, workspace, words, request))
    if strict:
        found, dropped = without_nearest(found)
        if dropped:
            session.hint(f"{dropped} nearest not shown: they match only some of the words")
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(f"{line}\n" for line in _lines(session, found)))
    if not found.hits:
        _advise(session, found)
    return ExitCode.DONE if found.hits or (isinstance(found, FoundEverywhere) and found.files.hits) else ExitCode.NO


def _lines(session: Session, found: Found) -> Iterator[str]:
    query = parse_query([found.query])
    for hit in found.hits:
        yield from _hit(session, query, hit)
    if found.nearest:
        yield session.styled("Nearest, with only some of the words:", bold=True)
        for hit in found.nearest:
            yield from _hit(session, query, hit)
    if isinstance(found, FoundEverywhere):
        if found.files.hits or found.files.nearest:
            yield session.styled("Files:", bold=True)
        yield from file_lines(session, found.files)


def _hit(session: Session, query: Query, hit: Hit) -> Iterator[str]:
    state = "" if hit.entry.active else f" ({hit.entry.review_state})"
    verdict = session.styled(hit.verdict, fg=VERDICT_COLORS[hit.verdict])
    yield f"{session.styled(hit.id, fg='yellow')}  {hit.kind or 'unknown'}{state}  {verdict}"
    yield f"    {highlighted(session, query, hit.title, hit.related_terms)}"
    if hit.excerpt and hit.excerpt != hit.title:
        yield f"    {highlighted(session, query, hit.excerpt, hit.related_terms)}"
    yield from partial_lines(hit)


def _advise(session: Session, found: Found) -> None:
    say_why_nothing(session, found, "entry")
    if found.inactive:
        verb = "has" if found.inactive == 1 else "have"
        what = counted(found.inactive, "entry that does not hold any more", "entries that do not hold any more")
        session.hint(f"{what} {verb} every word: --include-inactive shows them")
    for word in found.query.split():
        prefix, _, value = word.partition(":")
        if prefix in KNOWN_VALUES and value and value not in KNOWN_VALUES[prefix]:
            session.hint(f"{word} is searched for as words: {prefix}: takes {', '.join(sorted(KNOWN_VALUES[prefix]))}")
    suggest(session, found.suggestions)
