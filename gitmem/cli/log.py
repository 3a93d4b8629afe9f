"""`git mem log`."""

from collections.abc import Iterator

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.past import moment, open_past, why_empty
from gitmem.cli.session import Session
from gitmem.porcelain.encode import encode
from gitmem.porcelain.log import Logged, log
from gitmem.text import visible_line


@click.command("log", short_help="show what was recorded")
@click.argument("ident", metavar="[ID]", required=False)
@click.option("-n", "limit", type=click.IntRange(min=1), metavar="N", help="At most N lines.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, ident: str | None, limit: int | None, as_json: bool) -> None:
    """Show what was recorded of the store, or of one entry, newest first.

    Of an entry each content has its number: `git mem show ID@{1}` prints the one before the newest.
    """
    past = open_past(session)
    logged = log(past, ident, limit=limit)
    if as_json:
        session.write_json(encode(logged))
    else:
        session.show("".join(f"{line}\n" for line in _lines(session, logged)))
    if not logged.commits:
        session.hint(why_empty(past, ident))


def _lines(session: Session, logged: Logged) -> Iterator[str]:
    names = [_name(line.version) for line in logged.commits]
    width = max(map(len, names), default=0)
    for name, line in zip(names, logged.commits, strict=True):
        first = "" if logged.id is None else f"{name:<{width}}  "
        oid = session.styled(line.oid[:7], fg="yellow")
        said = f"{visible_line(line.subject)} ({visible_line(line.author)})"
        yield f"{first}{oid}  {moment(line.date)}  {said}"


def _name(version: int | None) -> str:
    return "gone" if version is None else f"@{{{version}}}"
