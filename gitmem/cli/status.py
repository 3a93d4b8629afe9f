"""`git mem status`."""

from collections.abc import Iterator

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.porcelain.encode import encode
from gitmem.porcelain.status import Status, status
from gitmem.text import visible_line


@click.command("status", short_help="show the state of the store")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, as_json: bool) -> None:
    """Show the store, how many entries are in which state, their verdicts here, and what cannot be read."""
    found = status(session.glance())
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(f"{line}\n" for line in _lines(found)))


def _lines(found: Status) -> Iterator[str]:
    if not found.exists:
        yield f"No memory yet in {visible_line(found.store)}: `git mem init` creates it"
        return
    yield f"store:    {visible_line(found.store)} ({found.sharing}, {found.layout} layout)"
    yield "entries:  " + ", ".join(f"{count} {state}" for state, count in found.states.items())
    verdicts = found.verdicts
    yield f"verdicts: {verdicts.current} current, {verdicts.stale} stale, {verdicts.unverified} unverified"
    for bad in found.invalid:
        yield f"unread:   {visible_line(bad.file)}: {bad.reason}"
