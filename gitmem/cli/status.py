"""`git mem status`."""

from collections.abc import Iterator
from typing import Final

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.porcelain.encode import encode
from gitmem.porcelain.status import History, Status, status
from gitmem.search.keep import IndexState
from gitmem.store.lost import ByHand
from gitmem.text import counted, visible_line


@click.command("status", short_help="show the state of the store")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, as_json: bool) -> None:
    """Show the store, how many entries are in which state, their verdicts here, and what cannot be read.

    Also what is recorded of it, and what people did to the files that the history does not have yet.
    """
    found = status(session.glance())
    if as_json:
        session.write_json(encode(found))
    else:
        session.show("".join(f"{line}\n" for line in _lines(found)))


def _lines(found: Status) -> Iterator[str]:
    store = visible_line(found.store)
    if found.vanished:
        lost = counted(found.history.entries, "recorded entry", "recorded entries")
        yield f"store:    {store} is gone, and with it {lost}: `git mem restore` brings back what it held"
    elif not found.exists:
        yield f"No memory yet in {store}: `git mem init` creates it"
    else:
        yield f"store:    {store} ({found.sharing}, {found.layout} layout)"
        yield "entries:  " + ", ".join(f"{count} {state}" for state, count in found.states.items())
        verdicts = found.verdicts
        yield f"verdicts: {verdicts.current} current, {verdicts.stale} stale, {verdicts.unverified} unverified"
    if found.exists:
        yield f"index:    {_INDEX[found.index]}"
    if found.exists or found.history != History(kept=True):
        yield from _history(found)
    for bad in found.invalid:
        yield f"unread:   {visible_line(bad.file)}: {bad.reason}"


_INDEX: Final = {
    IndexState.CURRENT: "up to date",
    IndexState.OUTDATED: "outdated: the next search brings it up to date",
    IndexState.MISSING: "none yet: the next search makes it",
    IndexState.UNUSABLE: "not believed, being damaged or of another version: the next search makes it anew",
}


def _history(found: Status) -> Iterator[str]:
    history, by_hand = found.history, found.by_hand
    if history.damaged:
        yield "history:  damaged: `git mem doctor` says what can be done"
    elif history.tip is not None:
        yield f"history:  {history.tip[:12]} of {history.date}, with {counted(history.entries)}"
    elif history.kept:
        yield "history:  nothing is recorded yet"
    if not history.kept:
        yield "history:  not kept: mem.history is false"
    if by_hand != ByHand():
        counts = f"{by_hand.changed} changed, {by_hand.added} added, {by_hand.missing} missing"
        yield f"by hand:  {counts}: {_what_next(by_hand)}"
    if found.pending:
        yield "pending:  the last write is not finished: `git mem doctor` says why"


def _what_next(by_hand: ByHand) -> str:
    records = "the next write records it"
    return f"{records}, `git mem restore` brings back what is missing" if by_hand.missing else records
