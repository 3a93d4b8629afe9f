"""`git mem show`."""

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.porcelain.encode import encode
from gitmem.porcelain.show import show
from gitmem.text import visible


@click.command("show", short_help="print an entry")
@click.argument("ident", metavar="ID")
@click.option("--include-inactive", is_flag=True, help="Show it even if it is superseded, stale or proposed.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, ident: str, include_inactive: bool, as_json: bool) -> None:
    """Print the Markdown of an entry exactly as it is on disk.

    An inactive entry needs --include-inactive and comes behind a line that says so.
    """
    shown = show(session.read(), ident, include_inactive=include_inactive)
    if as_json:
        session.write_json(encode(shown))
        return
    head = b"" if shown.marker is None else f"{shown.marker}\n".encode()
    if session.shows_on_terminal:
        session.show(visible((head + shown.markdown).decode("utf-8")))
    else:
        session.write(head + shown.markdown)
