"""`git mem restore`."""

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.errors import ExitCode
from gitmem.porcelain.encode import encode
from gitmem.porcelain.restore import Restored, restore
from gitmem.text import visible_line
from gitmem.workspace import Workspace


@click.command("restore", short_help="bring lost entry files back")
@click.argument("idents", metavar="[ID]...", nargs=-1)
@click.option("--dry-run", "-n", is_flag=True, help="Say what would come back, and write nothing.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, idents: tuple[str, ...], dry_run: bool, as_json: bool) -> int:
    """Bring back entry files that are recorded in refs/mem/store and not there.

    Without an ID all come back that the newest recorded state has. An ID may also name an entry that was removed by
    hand earlier. No file that is there is touched. Exit code 1 means that something is lost for good.
    """
    session.require_output()
    workspace = session.open()
    restored = restore(workspace, idents, dry_run=dry_run)
    for bad in restored.unreadable:
        session.warn(f"{bad.file} cannot be restored: {bad.reason}: fetch it, or restore a backup")
    if restored.entries and not dry_run:
        session.hint_where_written(workspace)
    if as_json:
        session.write_json(encode(restored))
    else:
        verb = "would restore" if dry_run else "restored"
        session.show("".join(f"{verb} {visible_line(entry.id)}\n" for entry in restored.entries))
        for line in _hints(workspace, restored):
            session.hint(line)
    return ExitCode.NO if restored.unreadable else ExitCode.DONE


def _hints(workspace: Workspace, restored: Restored) -> list[str]:
    there = [f"{ident} is there already" for ident in restored.present]
    if restored.entries or there or restored.unreadable:
        return there
    if restored.tip is None:
        off = "" if workspace.settings.history else ": mem.history is false"
        return [f"nothing is recorded{off}, so nothing can be restored"]
    hints = ["nothing is lost: all that is recorded is there"]
    if restored.removed:
        hints.append(f"removed by hand, and back when named: {', '.join(restored.removed)}")
    if not workspace.settings.history:
        hints.append("mem.history is false, so nothing that was written since then is recorded")
    return hints
