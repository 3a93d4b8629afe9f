"""`git mem supersede`."""

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session, text_argument
from gitmem.porcelain.encode import encode
from gitmem.porcelain.supersede import supersede


@click.command("supersede", short_help="let one entry take the place of another")
@click.argument("old", metavar="OLD")
@click.option("--by", "new", metavar="NEW", required=True, help="The entry that holds from now on.")
@click.option("--decision-key", metavar="KEY", callback=text_argument, help="The key of NEW, where it has none yet.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, old: str, new: str, decision_key: str | None, as_json: bool) -> None:
    """Let the entry NEW take the place of OLD.

    OLD becomes superseded and NEW says so, in one transaction. Both must hold now. If OLD has a decision key, NEW must
    have the same.
    """
    session.require_output()
    workspace = session.glance()
    done = supersede(workspace, old, by=new, decision_key=decision_key, at_terminal=session.at_terminal)
    session.tell_after_writing(workspace)
    session.write(f"{encode(done)}\n" if as_json else f"{done.old} is superseded by {done.new}\n")
