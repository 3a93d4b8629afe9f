"""`git mem list`."""

import click

from gitmem.cli.options import chosen_states, color_option, json_option, kinds_option, states_option
from gitmem.cli.session import Session
from gitmem.entry.model import Entry, Kind, ReviewState
from gitmem.porcelain.encode import encode
from gitmem.porcelain.list import list_entries
from gitmem.text import visible_line


@click.command("list", short_help="list entries")
@kinds_option()
@states_option("reviewed")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, kinds: tuple[str, ...], states: tuple[str, ...], as_json: bool) -> None:
    """List entries, newest first."""
    wanted = chosen_states(states) or (ReviewState.REVIEWED,)
    listed = list_entries(session.read(), kinds={Kind(kind) for kind in kinds}, states=wanted)
    if as_json:
        session.write_json(encode(listed))
    else:
        session.show("".join(_line(session, entry) for entry in listed.entries))


def _line(session: Session, entry: Entry) -> str:
    state = "" if entry.active else f" ({entry.review_state})"
    ident = session.styled(entry.id, fg="yellow")
    return f"{ident}  {entry.kind or 'unknown'}{state}  {visible_line(entry.title)}\n"
