"""`git mem doctor`."""

from collections.abc import Iterator
from typing import Final

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.porcelain.checkup import Check, CheckState
from gitmem.porcelain.doctor import Diagnosis, doctor
from gitmem.porcelain.encode import encode
from gitmem.text import visible_line

_COLORS: Final = {
    CheckState.OK: "green",
    CheckState.INFO: "cyan",
    CheckState.WRONG: "red",
    CheckState.MENDED: "yellow",
}


@click.command("doctor", short_help="say what is wrong, and mend it")
@click.option("--fix", is_flag=True, help="Mend what needs nobody's decision, then check again.")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, fix: bool, as_json: bool) -> int:
    """Check everything: the store, its entries, its history, and what killed writers left behind.

    Each thing that is wrong is told with what mends it. Exit code 1 means that something is wrong; with --fix, that
    something still is. Objects are not verified: `git fsck` does that.
    """
    session.require_output()
    found = doctor(session.open(), fix=fix)
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(f"{line}\n" for line in _lines(session, found)))
    return found.exit_code


def _lines(session: Session, found: Diagnosis) -> Iterator[str]:
    for check in found.checks:
        state = session.styled(f"{check.state:<7}", fg=_COLORS[check.state])
        yield f"{state} {check.name + ':':<12}{visible_line(_told(check))}"
    wrong = sum(check.state is CheckState.WRONG for check in found.checks)
    yield "nothing is wrong" if not wrong else f"wrong: {wrong}"


def _told(check: Check) -> str:
    return check.message if check.remedy is None else f"{check.message}: {check.remedy}"
