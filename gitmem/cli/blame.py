"""`git mem blame`."""

from collections.abc import Iterator

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.past import moment, open_past, why_empty
from gitmem.cli.session import Session
from gitmem.porcelain.blame import Blamed, blame, differs_now
from gitmem.porcelain.encode import encode
from gitmem.text import visible, visible_line


@click.command("blame", short_help="say who recorded which line of an entry")
@click.argument("ident", metavar="ID")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, ident: str, as_json: bool) -> None:
    """Say for each line of an entry who recorded it, and when."""
    past = open_past(session)
    blamed = blame(past, ident)
    if as_json:
        session.write_json(encode(blamed))
    else:
        text = "".join(f"{line}\n" for line in _lines(blamed))
        session.show(visible(text) if session.shows_on_terminal else text)
    if not blamed.lines:
        session.hint(why_empty(past, ident))
    elif differs_now(past, blamed):
        session.hint(f"the file of {ident} is another one now: `git mem diff {ident}` shows how")


def _lines(blamed: Blamed) -> Iterator[str]:
    author = max((len(visible_line(line.author)) for line in blamed.lines), default=0)
    digits = len(str(len(blamed.lines)))
    for line in blamed.lines:
        told = f"{visible_line(line.author):<{author}} {moment(line.date)} {line.line:>{digits}}"
        yield f"{line.commit[:7]} ({told}) {line.text}"
