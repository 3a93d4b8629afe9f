"""`git mem check`."""

from collections.abc import Iterator
from typing import Final

import click

from gitmem.cli.options import chosen_states, color_option, json_option, one_of, states_option
from gitmem.cli.session import Session
from gitmem.entry.model import SourceRef, SourceType
from gitmem.evidence.verdict import EntryVerdict, Judgement, Verdict
from gitmem.porcelain.check import Checked, FailOn, check
from gitmem.porcelain.encode import encode
from gitmem.text import visible_line

COLORS: Final = {Verdict.STALE: "red", Verdict.UNVERIFIED: "yellow", Verdict.CURRENT: "green"}


@click.command("check", short_help="say what is still true here")
@click.argument("idents", metavar="[ID]...", nargs=-1)
@click.option(
    "--fail-on",
    type=one_of(FailOn),
    default=FailOn.STALE.value,
    show_default=True,
    help="Exit with 1 when something is stale; with 2 when something is unverified; or with 0 in any case.",
)
@states_option("reviewed and proposed")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, idents: tuple[str, ...], fail_on: str, states: tuple[str, ...], as_json: bool) -> int:
    """Judge the evidence of entries against the working tree in which you stand.

    Without an ID all entries that still count are checked. Exit code 1 means that something is stale.
    """
    checked = check(session.read(), idents, states=chosen_states(states) or None)
    for bad in checked.invalid:
        session.warn(f"{bad.file} cannot be read: {bad.reason}: correct the file, or move it away")
    if as_json:
        session.write_json(encode(checked))
    else:
        session.show("".join(f"{line}\n" for line in _lines(session, checked)))
    return checked.exit_code(FailOn(fail_on))


def _lines(session: Session, checked: Checked) -> Iterator[str]:
    for verdict, color in COLORS.items():
        group = [found for found in checked.entries if found.verdict is verdict]
        if group:
            yield session.styled(verdict, fg=color, bold=True)
            for found in group:
                yield from _entry(found)
            yield ""
    summary = checked.summary
    unread = f", {len(checked.invalid)} unreadable" if checked.invalid else ""
    yield f"{summary.current} current, {summary.stale} stale, {summary.unverified} unverified{unread}"


def _entry(found: EntryVerdict) -> Iterator[str]:
    yield f"  {visible_line(found.entry.title)}"
    yield f"    {found.entry.id}"
    if not found.judgements:
        yield "    no evidence: nothing in git can confirm it"
    for judgement in found.judgements:
        yield f"    {visible_line(cited(judgement.ref))}: {_told(judgement)}"


def _told(judgement: Judgement) -> str:
    finding = judgement.finding
    mark = "" if finding.verdict is Verdict.CURRENT else f" [{finding.reason}]"
    return f"{visible_line(finding.message)}{mark}"


def cited(ref: SourceRef) -> str:
    """Return what a sourceRef cites, in the form in which a person writes it."""
    if ref.source_type == SourceType.COMMIT:
        return f"commit {ref.id[:12]}" + (
            "" if ref.path is None else f" and {place(ref.path, ref.line_start, ref.line_end)}"
        )
    if ref.path is None:
        return f"{ref.source_type or 'sourceRef'} {ref.id}"
    return place(ref.path, ref.line_start, ref.line_end)


def place(path: str, start: int | None, end: int | None) -> str:
    """Return a path with its lines as `add --file` takes them: `PATH[:START[-END]]`."""
    if start is None:
        return path
    return f"{path}:{start}" + ("" if end in (None, start) else f"-{end}")
