"""`git mem jobs`."""

import click

from gitmem.cli.options import json_option
from gitmem.cli.session import Session
from gitmem.errors import ExitCode
from gitmem.porcelain.encode import encode
from gitmem.porcelain.jobs import jobs
from gitmem.text import visible_line


@click.command("jobs", short_help="list what hooks asked for and is not done yet")
@json_option()
@click.pass_obj
def command(session: Session, *, as_json: bool) -> int:
    """List the jobs of all worktrees that wait, run or failed. What is done is counted.

    `git mem work` does them at once; a hook starts it in the background.
    """
    found = jobs(session.open())
    if as_json:
        session.write_json(encode(found))
        return ExitCode.DONE
    for job in found.jobs:
        failed = f"  {job.attempts} times in vain: {job.error_class}" if job.attempts else ""
        session.write(f"{job.state:<8} {visible_line(job.id)}{failed}\n")
    if not found.jobs:
        session.hint(f"nothing is waiting; {found.done} done so far")
    return ExitCode.DONE
