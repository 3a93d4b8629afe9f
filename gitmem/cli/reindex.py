"""`git mem reindex`."""

import click

from gitmem.cli.options import json_option
from gitmem.cli.session import Session
from gitmem.errors import ExitCode
from gitmem.porcelain.encode import encode
from gitmem.porcelain.reindex import reindex
from gitmem.text import counted


@click.command("reindex", short_help="make anew what is derived from the entries")
@json_option()
@click.pass_obj
def command(session: Session, *, as_json: bool) -> int:
    """Make the index for searches anew from the entries.

    It is never needed: an index that is missing, damaged or outdated is mended by the next search.
    """
    workspace = session.read()
    with session.progress("Indexing") as workspace.index.keeper.progress:
        found = reindex(workspace)
    if as_json:
        session.write_json(encode(found))
    else:
        session.write(f"{counted(found.entries)} indexed\n")
    return ExitCode.DONE
