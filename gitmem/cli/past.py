"""What the commands that look into the history of a store share."""

from gitmem.cli.session import Session
from gitmem.git.layout import LayoutError
from gitmem.git.run import Git
from gitmem.porcelain.version import NOTHING_RECORDED, Past, past_in_bare, past_of


def open_past(session: Session) -> Past:
    """Open the history of the store, in a bare repository too: it can be read there, though no store is there."""
    try:
        return past_of(session.glance())
    except LayoutError:
        past = past_in_bare(Git(session.environ), session.directory, session.environ)
        if past is None:
            raise
        return past


def why_empty(past: Past, ident: str | None) -> str:
    """Return why there is nothing to show of the store's history, or of an entry's."""
    if ident is None or past.history.tip is None:
        return NOTHING_RECORDED
    return f"{ident} is not recorded yet: the next write records it"


def moment(date: str) -> str:
    """Return a date as a log shows it: to the minute, in UTC as ids are."""
    return f"{date[:10]} {date[11:16]}"


def colored(session: Session) -> bool:
    """Whether colour is wanted on standard output."""
    return session.styled("-", bold=True) != "-"
