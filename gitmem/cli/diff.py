"""`git mem diff`."""

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.past import colored, open_past
from gitmem.cli.session import Session
from gitmem.errors import UsageError
from gitmem.porcelain.diff import diff, sides
from gitmem.porcelain.encode import encode
from gitmem.text import visible


@click.command("diff", short_help="show what changed in the store or an entry")
@click.argument("names", metavar="[ID|ID@{N}] [ID@{M}]", nargs=-1)
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, names: tuple[str, ...], as_json: bool) -> None:
    """Show what differs between the last recorded state and the files now; if nothing does, what was recorded last.

    With an ID the same for that entry, with ID@{N} between that version and the file now, with two between them.
    """
    if len(names) > 2:
        raise UsageError(f"{len(names)} names are too many: name at most two versions of one entry")
    past = open_past(session)
    git = past.history.git
    compared = sides(past, names)
    if as_json:
        session.write_json(encode(diff(git, compared)))
    else:
        form = _shown if session.shows_on_terminal else bytes
        found = diff(git, compared, color=colored(session), form=form)
        session.show("".join(change.patch for change in found.changes))
    if compared.note is not None:
        session.hint(compared.note)


def _shown(data: bytes) -> bytes:
    return visible(data.decode("utf-8", "surrogateescape")).encode("utf-8")
