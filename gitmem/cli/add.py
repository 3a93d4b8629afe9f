"""`git mem add`."""

import click

from gitmem.cli.options import color_option, json_option, one_of
from gitmem.cli.session import OutputError, Session, read_input, text_argument
from gitmem.entry.model import Kind
from gitmem.errors import UsageError
from gitmem.porcelain.add import Proposal, add
from gitmem.porcelain.encode import encode


@click.command("add", short_help="write a reviewed entry")
@click.argument("title", callback=text_argument)
@click.option("--kind", type=one_of(Kind), default=Kind.FACT.value, show_default=True, help="What it is.")
@click.option("--goal", default="", metavar="TEXT", callback=text_argument, help="What it serves, in one line.")
@click.option("--plan", multiple=True, metavar="TEXT", callback=text_argument, help="A step of the plan; repeatable.")
@click.option("--decision", "decisions", multiple=True, metavar="TEXT", callback=text_argument, help="A decision.")
@click.option("--next", "next_steps", multiple=True, metavar="TEXT", callback=text_argument, help="A next step.")
@click.option("--notes", default="", metavar="TEXT|-", callback=text_argument, help="Markdown; `-` reads stdin.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", callback=text_argument, help="A tag; repeatable.")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", callback=text_argument, help="Another name.")
@click.option("--file", "files", multiple=True, metavar="PATH[:START[-END]]", help="Evidence: a file, or lines of it.")
@click.option("--commit", "commits", multiple=True, metavar="REV", help="Evidence: a commit.")
@click.option("--run", metavar="ID", callback=text_argument, help="The run that it comes from.")
@click.option("--transcript", metavar="ID", callback=text_argument, help="The transcript that it comes from.")
@click.option("--supersedes", metavar="ID", help="The entry whose place it takes.")
@click.option("--decision-key", metavar="KEY", callback=text_argument, help="The decision's name in all its versions.")
@click.option("--date", metavar="ISO", callback=text_argument, help="When it was learnt.  [default: now]")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, /, *, as_json: bool, kind: str, notes: str, **fields: object) -> None:
    """Write a reviewed entry with the title TITLE and print its id.

    Evidence is resolved at once: the commit's full id, the file's blob and the hash of the cited lines are recorded.
    A path, a line or a revision that is not there is an error, and nothing is written. Of PATH:START-END the lines
    count if no file has that very name.
    """
    proposal = Proposal(kind=Kind(kind), notes=_notes(notes), **fields)  # type: ignore[arg-type]  # click gives each its type
    session.require_output()
    workspace = session.open()
    added = add(workspace, proposal, now=session.now, at_terminal=session.at_terminal)
    session.tell_after_writing(workspace)
    try:
        session.write(f"{encode(added) if as_json else added.id}\n")
    except OutputError as error:
        raise OutputError(f"the entry {added.id} was written, but {error.message}") from error


def _notes(value: str) -> str:
    if value != "-":
        return value
    try:
        return read_input().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"the notes on standard input are not UTF-8 (byte {error.start}): convert them") from error
