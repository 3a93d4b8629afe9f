"""`git mem restore`."""

from typing import Final

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.errors import ExitCode, UsageError
from gitmem.porcelain.encode import encode
from gitmem.porcelain.restore import Restored, restore, restore_version
from gitmem.text import visible_line
from gitmem.workspace import Workspace

_NAMED: Final = 5  # entries that are named where there may be many


@click.command("restore", short_help="bring lost entry files back")
@click.argument("idents", metavar="[ID|ID@{n}]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Bring back what was removed by hand too.")
@click.option("--dry-run", "-n", is_flag=True, help="Say what would come back, and write nothing.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, idents: tuple[str, ...], everything: bool, dry_run: bool, as_json: bool) -> int:
    """Bring back entry files that are recorded in refs/mem/store and not there.

    Without an ID all come back that the newest recorded state has. An ID may also name an entry that was removed by
    hand earlier. No file that is there is touched, but that of a version: ID@{1} brings back the text before the newest
    one, by the rules of `git mem edit`. Exit code 1 means that something is lost for good.
    """
    session.require_output()
    workspace = session.open()
    versions = [ident for ident in idents if "@{" in ident]
    if versions and (len(idents) > 1 or everything):
        raise UsageError(f"{visible_line(versions[0])} is a version: bring back one at a time, and nothing beside it")
    if versions:
        restored = restore_version(workspace, versions[0], dry_run=dry_run, at_terminal=session.at_terminal)
    else:
        restored = restore(workspace, idents, dry_run=dry_run, everything=everything)
    for bad in restored.unreadable:
        session.warn(f"{bad.file} cannot be restored: {bad.reason}")
    if restored.entries and not dry_run:
        session.tell_after_writing(workspace)
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
        named, more = restored.removed[:_NAMED], len(restored.removed) - _NAMED
        rest = f", and {more} more: `git mem restore --all` brings all of them back" if more > 0 else ""
        hints.append(f"removed by hand, and back when named: {', '.join(named)}{rest}")
    if not workspace.settings.history:
        hints.append("mem.history is false, so nothing that was written since then is recorded")
    return hints
