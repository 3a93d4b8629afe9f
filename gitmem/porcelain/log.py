"""`git mem log`: what was recorded, of the store or of one entry."""

from dataclasses import dataclass

from gitmem.porcelain.version import Past
from gitmem.store.history import EntryChange, Recorded
from gitmem.store.read import unknown_entry


@dataclass(frozen=True, slots=True)
class LogLine:
    """A recorded transaction.

    `version` is the n of `ID@{n}` where the log is one entry's; None where the entry was removed, and in a log of all.
    """

    version: int | None
    oid: str
    date: str
    author: str
    subject: str
    head: str | None
    changes: tuple[EntryChange, ...]


@dataclass(frozen=True, slots=True)
class Logged:
    """The log of an entry, or of the whole store where `id` is None: newest first, empty where nothing is recorded."""

    id: str | None
    commits: tuple[LogLine, ...]


def log(past: Past, ident: str | None, *, limit: int | None = None) -> Logged:
    """Return what was recorded, at most `limit` of it.

    Raises BadIdError, and UnknownEntryError for an id that neither the history nor the store knows.
    """
    if ident is None:
        return Logged(None, tuple(_line(found, None) for found in past.history.commits(limit=limit)))
    states = past.states(ident)
    if not states and not past.is_stored(ident):
        raise unknown_entry(ident)
    return Logged(ident, tuple(_line(state.recorded, state.number) for state in states[:limit]))


def _line(found: Recorded, version: int | None) -> LogLine:
    return LogLine(version, found.oid, found.date, found.author, found.subject, found.head, found.changes)
