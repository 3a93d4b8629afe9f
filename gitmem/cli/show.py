"""`git mem show`."""

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.past import open_past
from gitmem.cli.session import Session
from gitmem.porcelain.encode import encode
from gitmem.porcelain.show import Shown, ShownVersion, show, show_version
from gitmem.porcelain.version import parse_name
from gitmem.text import visible


@click.command("show", short_help="print an entry")
@click.argument("ident", metavar="ID|ID@{N}")
@click.option("--include-inactive", is_flag=True, help="Show it even if it is superseded, stale or proposed.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, ident: str, include_inactive: bool, as_json: bool) -> None:
    """Print the Markdown of an entry exactly as it is on disk, or as it was recorded: ID@{0} is the newest version.

    An inactive entry needs --include-inactive and comes behind a line that says so. A version needs no flag, and comes
    behind such a line where it is not what holds now.
    """
    name = parse_name(ident)
    if name.number is None:
        shown = show(session.read(), ident, include_inactive=include_inactive)
        _write(session, encode(shown) if as_json else None, shown)
    else:
        version = show_version(open_past(session), name.ident, name.number)
        _write(session, encode(version.document) if as_json else None, version)


def _write(session: Session, document: str | None, shown: Shown | ShownVersion) -> None:
    head = b"" if shown.marker is None else f"{shown.marker}\n".encode()
    if document is not None:
        session.write_json(document)
    elif session.shows_on_terminal:
        session.show(visible((head + shown.markdown).decode("utf-8", "surrogateescape")))
    else:
        session.write(head + shown.markdown)
