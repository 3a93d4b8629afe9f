"""`git mem update`."""

import click

from gitmem.cli.options import json_option
from gitmem.cli.session import Session, read_input
from gitmem.errors import ExitCode, UsageError
from gitmem.porcelain.encode import encode
from gitmem.porcelain.update import Updated, update
from gitmem.text import counted, visible_line


@click.command("update", short_help="apply a changed set to the file index")
@click.option("--manifest", "source", metavar="FILE|-", help="The changed set, as `git mem manifest` prints it.")
@click.option("--since", metavar="REV", help="What differs between a commit and the working tree.")
@json_option()
@click.pass_obj
def command(session: Session, *, source: str | None, since: str | None, as_json: bool) -> int:
    """Re-read changed files into the file index, remove deleted and ignored ones, and name the entries to look at.

    Without options it brings the index up to date with the working tree. A manifest is applied whole or not at all,
    and nothing that it does not name is touched.
    """
    if source is not None and since is not None:
        raise UsageError("--manifest and --since both say what changed: choose one")
    manifest = None if source is None else _read(session, source)
    workspace = session.glance()
    with session.progress("Reading") as workspace.repository.progress:
        done = update(workspace, manifest=manifest, since=since)
    if as_json:
        session.write_json(encode(done))
    else:
        session.write("".join(f"{line}\n" for line in _lines(done)))
    return ExitCode.DONE


def _read(session: Session, source: str) -> bytes:
    return read_input() if source == "-" else (session.directory / source).read_bytes()


def _lines(done: Updated) -> list[str]:
    gone = [f"{len(done.deleted)} deleted"] if done.deleted else []
    ignored = [f"{len(done.ignored)} ignored"] if done.ignored else []
    told = [f"{counted(done.reindexed, 'file', 'files')} read", *gone, *ignored]
    look = ["Entries to look at, with `git mem check`:"] if done.recheck else []
    return [", ".join(told), *look, *(f"  {visible_line(ident)}" for ident in done.recheck)]
