"""`git mem relink`."""

import click

from gitmem.cli.cite import became
from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.porcelain.encode import encode
from gitmem.porcelain.relink import RelinkedEntry, relink


@click.command("relink", short_help="follow evidence that only moved")
@click.argument("idents", metavar="[ID]...", nargs=-1)
@click.option("--dry-run", "-n", is_flag=True, help="Say what would be written, and write nothing.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, idents: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Rewrite sourceRefs whose evidence only moved: rewritten commits, renamed files, shifted lines.

    Without an ID all entries that still count are looked at. What is stale stays as it is.
    """
    session.require_output()
    workspace = session.read()
    with session.progress("Relinking") as workspace.repository.progress:
        relinked = relink(workspace, idents, dry_run=dry_run)
    if relinked.entries and not dry_run:
        session.tell_after_writing(workspace)
    if as_json:
        session.write_json(encode(relinked))
        return
    verb = "would relink" if dry_run else "relinked"
    session.show("".join(_lines(verb, entry) for entry in relinked.entries))
    if not relinked.entries:
        session.hint("nothing moved: all sourceRefs are where they were cited, or are stale")


def _lines(verb: str, entry: RelinkedEntry) -> str:
    changed = "".join(f"    {became(one.before, one.after)}\n" for one in entry.changed)
    return f"{verb} {entry.id}\n{changed}"
