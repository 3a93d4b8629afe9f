"""`git mem edit`."""

from collections.abc import Sequence
from pathlib import Path

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.porcelain.edit import edit
from gitmem.porcelain.encode import encode


@click.command("edit", short_help="change an entry in your editor")
@click.argument("ident", metavar="ID")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, ident: str, as_json: bool) -> None:
    """Change an entry in the editor that git would start.

    The text is validated before it replaces anything. What is refused is kept, and the message says where. A file that
    cannot be read as an entry is mended so too.
    """
    session.require_output()
    workspace = session.glance()

    def tell_kept(paths: Sequence[Path]) -> None:
        more = f", and {len(paths) - 1} more beside it" if len(paths) > 1 else ""
        session.hint(f"a text of another edit of {ident} is kept in {paths[0]}{more}")

    edited = edit(workspace, ident, at_terminal=session.at_terminal, tell_kept=tell_kept)
    if edited.changed:
        session.tell_after_writing(workspace)
    if edited.released is not None:
        old = edited.released
        session.hint(f"{old} stays superseded: if it holds again, make it reviewed with `git mem edit {old}`")
    if as_json:
        session.write_json(encode(edited))
    elif not edited.changed:
        session.hint(f"{ident} is unchanged: nothing was written")
    else:
        by = "" if edited.supersedes is None else f"{edited.supersedes} is superseded by {ident}\n"
        session.write(f"edited {ident}\n{by}")
