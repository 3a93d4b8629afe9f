"""`git mem confirm`."""

import click

from gitmem.cli.cite import became
from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.porcelain.confirm import ConfirmedEntry, confirm
from gitmem.porcelain.encode import encode


@click.command("confirm", short_help="say that an entry is still true")
@click.argument("idents", metavar="ID...", nargs=-1, required=True)
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, idents: tuple[str, ...], as_json: bool) -> None:
    """Say that you looked, and the entries are still true.

    Their sourceRefs are anchored to the present code, and they are set reviewed. An entry whose evidence is gone, or
    that is superseded, is refused; then nothing is written.
    """
    session.require_output()
    workspace = session.glance()
    with session.progress("Confirming") as workspace.repository.progress:
        confirmed = confirm(workspace, idents, at_terminal=session.at_terminal)
    if any(entry.changed for entry in confirmed.entries):
        session.tell_after_writing(workspace)
    for entry in confirmed.entries:
        for message in entry.left:
            session.warn(f"{entry.id}: left unverified: {message}")
    if as_json:
        session.write_json(encode(confirmed))
    else:
        session.show("".join(_lines(entry) for entry in confirmed.entries))


def _lines(entry: ConfirmedEntry) -> str:
    changed = "".join(f"    {became(one.before, one.after)}\n" for one in entry.changed)
    return f"confirmed {entry.id}\n{changed}"
