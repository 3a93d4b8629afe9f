"""`git mem check`."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

import click

from gitmem.cli.cite import VERDICT_COLORS, cited
from gitmem.cli.mend import how_to_mend
from gitmem.cli.options import chosen_states, color_option, json_option, one_of, states_option
from gitmem.cli.session import Session
from gitmem.errors import UsageError
from gitmem.evidence.verdict import EntryVerdict, Judgement, Verdict
from gitmem.porcelain.check import Aim, Checked, FailOn, check
from gitmem.porcelain.encode import encode
from gitmem.text import visible_line

_REPORTS: Final = ("github", "gitlab", "sarif", "junit")
_FORMATS: Final = ("text", "json", *_REPORTS)


@click.command("check", short_help="say what is still true here")
@click.argument("idents", metavar="[ID]...", nargs=-1)
@click.option("--at", metavar="REV", help="Answer as of a commit: what was known and true then.")
@click.option("--cached", is_flag=True, help="Judge against the index instead of the working tree.")
@click.option("--since", metavar="REV", help="Only entries whose evidence was touched after the merge base with REV.")
@click.option("--format", "form", type=click.Choice(_FORMATS), help="How to print the answer.  [default: text]")
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
def command(
    session: Session,
    /,
    *,
    idents: tuple[str, ...],
    form: str | None,
    fail_on: str,
    states: tuple[str, ...],
    as_json: bool,
    **aim: object,
) -> int:
    """Judge the evidence of entries against the working tree in which you stand.

    Without an ID all entries that still count are checked. Exit code 1 means that something is stale.
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} ask for two forms: choose one")
    workspace = session.glance()
    workspace.refuse_vanished()
    session.hint_where_nothing_is(workspace)
    with session.progress("Checking") as workspace.repository.progress:
        checked = check(workspace, idents, states=chosen_states(states) or None, aim=Aim(**aim))  # type: ignore[arg-type]  # click gives each its type
    for bad in checked.invalid:
        session.warn(f"{bad.file} cannot be read: {bad.reason}: correct the file, or move it away")
    if as_json or form == "json":
        session.write_json(encode(checked))
    elif form in _REPORTS:
        session.write(_report(form, checked, workspace.layout.store_path))
    else:
        session.show("".join(f"{line}\n" for line in _lines(session, checked)))
    return checked.exit_code(FailOn(fail_on))


def _report(form: str, checked: Checked, store: PurePosixPath) -> str:
    # Loaded only when asked for: none of them is needed on a terminal.
    from gitmem.cli.formats import github, gitlab, junit, sarif  # noqa: PLC0415 - see above

    render = {"github": github.render, "gitlab": gitlab.render, "sarif": sarif.render, "junit": junit.render}[form]
    return render(checked, store)


def _lines(session: Session, checked: Checked) -> Iterator[str]:
    for verdict, color in VERDICT_COLORS.items():
        group = [found for found in checked.entries if found.verdict is verdict]
        if group:
            yield session.styled(verdict, fg=color, bold=True)
            for found in group:
                yield from _entry(found)
            yield ""
    if checked.since is not None and not checked.entries:
        yield f"nothing that an entry cites was touched since {checked.since[:12]}"
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
    yield from (f"    {line}" for line in how_to_mend(found))


def _told(judgement: Judgement) -> str:
    finding = judgement.finding
    mark = "" if finding.verdict is Verdict.CURRENT else f" [{finding.reason}]"
    return f"{visible_line(finding.message)}{mark}"
