"""`git mem mine`."""

import click

from gitmem.cli.options import json_option
from gitmem.cli.session import Session
from gitmem.errors import ExitCode
from gitmem.porcelain.encode import encode
from gitmem.porcelain.mine import Mined, mine
from gitmem.text import counted


@click.command("mine", short_help="read the project's files into the file index")
@json_option()
@click.pass_obj
def command(session: Session, *, as_json: bool) -> int:
    """Read the project's text files, in sections, so that `git mem search --in files` finds them.

    What git or a .gitmemignore file ignores is left out, and so is what is binary, huge or vendored. `git mem update`
    and the hooks keep the index up to date from then on.
    """
    workspace = session.open()
    with session.progress("Reading") as workspace.repository.progress:
        found = mine(workspace)
    if as_json:
        session.write_json(encode(found))
    else:
        session.write(f"{told(found)}\n")
    return ExitCode.DONE


def told(found: Mined) -> str:
    """Return in one line what the file index has."""
    what = f"{counted(found.files, 'file', 'files')} in {counted(found.sections, 'section', 'sections')}"
    reasons = ", ".join(f"{count} {reason}" for reason, count in found.left_out.items())
    return f"{what}; left out: {reasons}" if reasons else what
