"""`git mem search`."""

import click

from gitmem.cli.found import advise, entry_lines, find_entries, say_what_was_dropped
from gitmem.cli.options import color_option, json_option
from gitmem.cli.query import query_options, request_of
from gitmem.cli.session import Session
from gitmem.errors import ExitCode
from gitmem.porcelain.encode import encode
from gitmem.porcelain.search import without_nearest


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
    if where != "memory":
        # Entries are what most searches are for, and they are to begin at once.
        from gitmem.cli.files import find  # noqa: PLC0415 - see above

        return find(session, words, request, entries=where == "all", strict=strict, as_json=as_json)
    workspace = session.read()
    found = find_entries(session, workspace, words, request)
    if strict:
        found, dropped = without_nearest(found)
        say_what_was_dropped(session, dropped)
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(f"{line}\n" for line in entry_lines(session, found)))
    if not found.hits:
        advise(session, found)
    return ExitCode.DONE if found.hits else ExitCode.NO
