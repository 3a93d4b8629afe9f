"""`git mem work`."""

import time
from contextlib import suppress

import click

from gitmem.cli.detached import WORKER
from gitmem.cli.options import json_option
from gitmem.cli.session import Session
from gitmem.errors import ExitCode, UsageError
from gitmem.porcelain.encode import encode
from gitmem.porcelain.work import Pace, Worked, spool_of, work
from gitmem.text import counted

_IDLE = 1.0  # seconds without a job, after which a worker that nobody waits for ends
_SETTLED = 0.5  # seconds
_LONGEST = 600.0  # seconds; then the next hook starts another one


@click.command("work", short_help="do what hooks asked for")
@click.option("--drain", type=float, metavar="SECONDS", help="Stop after so many seconds, done or not.")
@click.option("--detached", is_flag=True, help="In the background, as hooks start it: hold nothing, end when idle.")
@json_option()
@click.pass_obj
def command(session: Session, *, drain: float | None, detached: bool, as_json: bool) -> int:
    """Do the jobs that are waiting, of all worktrees: follow HEAD, relink rewritten commits. One worker at a time.

    What failed before is tried again. Exit code 1 if a job failed or is left.
    """
    if drain is not None and not 0 <= drain <= 86_400:
        raise UsageError(f"--drain is {drain:g}, but takes seconds from 0 to 86400")
    workspace = session.open()
    if detached:
        return _in_background(session)
    spool_of(workspace).retry()
    now = time.time()
    done = work(workspace, session.environ, Pace(time.time, time.sleep, now + (_LONGEST if drain is None else drain)))
    if as_json:
        session.write_json(encode(done))
    else:
        session.write(f"{_told(done)}\n")
    return ExitCode.NO if done.failed or done.waiting else ExitCode.DONE


def _in_background(session: Session) -> int:
    """Work until idle. A hook that makes a mark while this ends sees no worker any more, or this sees its mark."""
    workspace = session.open()
    spool, marker = spool_of(workspace), workspace.state / WORKER
    while True:
        pace = Pace(time.time, time.sleep, time.time() + _LONGEST, idle=_IDLE, settled=_SETTLED)
        done = work(workspace, session.environ, pace)
        if done.elsewhere:
            return ExitCode.DONE
        with suppress(OSError):
            marker.unlink(missing_ok=True)
        if not spool.waiting():
            return ExitCode.DONE


def _told(done: Worked) -> str:
    if done.elsewhere:
        return f"another worker is at it; {counted(done.waiting, 'job', 'jobs')} not done yet"
    failed = f", {done.failed} failed (see `git mem jobs`)" if done.failed else ""
    waiting = f", {done.waiting} left" if done.waiting else ""
    return f"{counted(done.done, 'job', 'jobs')} done{failed}{waiting}"
