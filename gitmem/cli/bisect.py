"""`git mem bisect`."""

from collections.abc import Iterator

import click

from gitmem.cli.cite import cited
from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.errors import ExitCode
from gitmem.evidence.verdict import Verdict
from gitmem.porcelain.bisect import Bisected, bisect
from gitmem.porcelain.encode import encode
from gitmem.text import visible_line


@click.command("bisect", short_help="name the commit that made an entry stale")
@click.argument("ident", metavar="ID")
@click.option("--at", metavar="REV", default="HEAD", show_default=True, help="The commit at which it is not true.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, ident: str, at: str, as_json: bool) -> int:
    """Name the first commit at which an entry was no longer true.

    Only objects are read: nothing is checked out. Exit code 1 if it is still true at REV; 2 if history does not tell.
    """
    workspace = session.glance()
    with session.progress("Bisecting") as workspace.repository.progress:
        found = bisect(workspace, ident, revision=at)
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(f"{line}\n" for line in _lines(found)))
    if found.culprit is None:
        session.hint(_why(found, at))
    return _exit_code(found)


def _exit_code(found: Bisected) -> ExitCode:
    if found.culprit is not None:
        return ExitCode.DONE
    return ExitCode.NO if found.verdict is Verdict.CURRENT else ExitCode.UNMEASURED


def _lines(found: Bisected) -> Iterator[str]:
    if found.culprit is not None:
        yield f"{found.culprit.oid} is the first commit at which it was no longer true"
        yield f"    {visible_line(found.culprit.subject)}"
        yield f"    {visible_line(found.culprit.author)}, {found.culprit.date}"
        yield ""
    culprit = None if found.culprit is None else found.culprit.oid
    for judgement in sorted(found.refs, key=lambda one: one.finding.evidence.get("by") != culprit):
        yield f"{visible_line(cited(judgement.ref))}: {visible_line(judgement.finding.message)}"


def _why(found: Bisected, at: str) -> str:
    if found.verdict is Verdict.CURRENT:
        return f"it is still true at {at}: `git mem check` looks at the working tree too"
    if found.verdict is Verdict.UNVERIFIED:
        return f"its evidence cannot be measured at {at}: `git mem check --at {at}` says why"
    return "no single commit of the history that is here made it stale"
