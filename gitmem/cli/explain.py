"""`git mem explain`."""

from collections.abc import Iterator

import click

from gitmem.cli.cite import VERDICT_COLORS
from gitmem.cli.found import what_is_different
from gitmem.cli.options import color_option, json_option
from gitmem.cli.query import query_options, request_of
from gitmem.cli.session import Session
from gitmem.errors import ExitCode
from gitmem.porcelain.encode import encode
from gitmem.porcelain.explain import Explained, ExplainedHit, ExplainedTerm, explain
from gitmem.text import counted, visible_line


@click.command("explain", short_help="say why a query finds what it finds")
@query_options
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, /, *, words: tuple[str, ...], as_json: bool, **options: object) -> int:
    """Say how a query is understood, and why each entry is found, stands where it stands, or is left out.

    Takes the words and filters of `git mem search`. Exit code 1 if the search has no hit.
    """
    request = request_of(options)
    workspace = session.read()
    with session.progress("Searching") as workspace.repository.progress:
        workspace.index.keeper.progress = workspace.repository.progress
        found = explain(workspace, words, request)
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(f"{line}\n" for line in _lines(session, found)))
    if not found.searchable:
        session.hint("the query has no word to search for")
    return ExitCode.DONE if any(hit.match != "partial" for hit in found.hits) else ExitCode.NO


def _lines(session: Session, found: Explained) -> Iterator[str]:
    parts = {
        f"Terms, in {counted(found.entries)}:": [visible_line(_term(term)) for term in found.terms],
        "Routes:": [f"{route.match:8} {counted(route.entries)}" for route in found.routes],
        f"Shown, about {found.tokens:,} tokens:": [line for hit in found.hits for line in _hit(session, hit)],
        "Left out:": [f"{left.id}  {left.match}: {'; '.join(left.reasons)}" for left in found.filtered],
    }
    for heading, lines in parts.items():
        if lines:
            yield session.styled(heading, bold=True)
            yield from (f"  {line}" for line in lines)


def _term(term: ExplainedTerm) -> str:
    where = f"{term.term}: letter for letter in {counted(term.documents)}"
    if term.stop_word:
        return f"{where}; a stop word, which does not rank"
    stems = [
        f"{', '.join(stem.forms)} in {counted(stem.documents)}, weight {stem.weight:.2f}"
        for stem in term.stems
        if stem.forms
    ]
    return "; ".join([where, *stems])


def _hit(session: Session, hit: ExplainedHit) -> Iterator[str]:
    verdict = session.styled(hit.verdict, fg=VERDICT_COLORS[hit.verdict])
    yield f"{session.styled(hit.id, fg='yellow')}  {hit.match}  {verdict}  about {hit.tokens:,} tokens"
    parts = hit.parts
    yield (
        f"    score {hit.score:.2f} = words {parts.words:.2f} + pairs {parts.pairs:.2f} "
        f"+ pieces {parts.pieces:.2f} + fields {parts.fields:.2f}"
    )
    yield f"    in {', '.join(hit.matched_fields) or 'no field letter for letter'}"
    if hit.matched_terms:
        yield f"    has: {visible_line(' '.join(hit.matched_terms))}"
    for told in what_is_different(hit.missing_terms, hit.related_terms):
        yield f"    {visible_line(told)}"
