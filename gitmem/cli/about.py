"""`git mem about`."""

import click

from gitmem.cli.cite import VERDICT_COLORS, place
from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.errors import ExitCode
from gitmem.porcelain.about import Mention, about
from gitmem.porcelain.encode import encode
from gitmem.text import visible_line


@click.command("about", short_help="say which entries cite a file")
@click.argument("paths", metavar="PATH[:START[-END]]...", nargs=-1, required=True)
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, paths: tuple[str, ...], as_json: bool) -> int:
    """Say which entries cite these files, lines, or files below a directory: what to know before editing.

    Exit code 1 if there are none.
    """
    found = about(session.read(), paths)
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(_lines(session, mention) for mention in found.entries))
    if not found.entries:
        missing = f", and there is no such path here: {', '.join(found.missing)}" if found.missing else ""
        session.hint(f"no entry cites this{missing}")
    return ExitCode.DONE if found.entries else ExitCode.NO


def _lines(session: Session, mention: Mention) -> str:
    cited = visible_line(place(mention.path, mention.line_start, mention.line_end))
    verdict = session.styled(mention.verdict, fg=VERDICT_COLORS[mention.verdict])
    return f"{cited}  {verdict}  {visible_line(mention.title)}\n    {mention.id}\n"
