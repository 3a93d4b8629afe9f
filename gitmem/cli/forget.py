"""`git mem forget`."""

from collections.abc import Iterator, Sequence

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import OutputError, Session
from gitmem.errors import ExitCode, UsageError
from gitmem.porcelain.encode import encode
from gitmem.porcelain.forget import Forgotten, forget, require_known


@click.command("forget", short_help="remove entries for good")
@click.argument("idents", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, idents: tuple[str, ...], yes: bool, as_json: bool) -> int:
    """Remove entries and drafts for good: their files, their history, and all that is derived from them.

    Only a digest of each id stays, so that copies elsewhere cannot bring them back. What cannot be reached is said.
    """
    session.require_output()
    workspace = session.glance()
    require_known(workspace, idents)
    if not yes and not _agreed(session, idents):
        session.hint("nothing was forgotten")
        return ExitCode.NO
    with session.progress("Forgetting") as workspace.repository.progress:
        forgotten = forget(workspace, idents)
    session.tell_after_writing(workspace)
    try:
        session.write(f"{encode(forgotten)}\n" if as_json else "".join(f"forgot {ident}\n" for ident in forgotten.ids))
    except OutputError as error:
        raise OutputError(f"what was named is forgotten, but {error.message}") from error
    for line in _out_of_reach(forgotten):
        session.warn(line)
    return ExitCode.DONE


def _agreed(session: Session, idents: Sequence[str]) -> bool:
    if not session.at_terminal:
        raise UsageError("forgetting cannot be undone, and there is nobody to ask here: say it with --yes")
    if len(idents) > 1:
        for ident in idents:
            session.hint(f"  {ident}")
    what = (
        f"{idents[0]} for good, with its" if len(idents) == 1 else f"these {len(idents)} entries for good, with their"
    )
    return session.ask(f"Forget {what} history?")


def _out_of_reach(forgotten: Forgotten) -> Iterator[str]:
    yield from _beside_it(forgotten)
    for reason in forgotten.unread:
        yield f"a history could not be read, so it may still be there: {reason}: mend that, then forget it again"
    if forgotten.unpruned is not None:
        yield (
            f"objects with its text could not be removed: {forgotten.unpruned}: mend that, then run "
            "`git gc --prune=now`"
        )
    if forgotten.reachable:
        yield (
            f"{_objects(forgotten.reachable)} held by something else, such as a branch, a stash, a reflog or an index: "
            "take it out there, then run `git gc --prune=now`"
        )
    if forgotten.packed:
        yield f"{_objects(forgotten.packed)} in packs: run `git gc --prune=now`"
    if forgotten.remotes:
        yield f"what was pushed or cloned is out of reach: copies may be in {', '.join(forgotten.remotes)}"


def _beside_it(forgotten: Forgotten) -> Iterator[str]:
    for ident in forgotten.copies:
        yield f"{ident} is, or was, the same text: if that is to go too, run `git mem forget {ident}`"
    for ident in forgotten.mentioned:
        yield f"{ident} still names it in its text: `git mem edit {ident}` takes it out, though not out of the history"
    for path in forgotten.left:
        yield f"a file is named after it: remove {path}"


def _objects(count: int) -> str:
    return "1 object of it is" if count == 1 else f"{count} objects of it are"
