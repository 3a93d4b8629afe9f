"""`git mem blame`: who recorded which line of an entry, and when."""

from dataclasses import dataclass

from gitmem.porcelain.version import Past
from gitmem.store.history import BlamedLine
from gitmem.store.read import unknown_entry


@dataclass(frozen=True, slots=True)
class Blamed:
    """The lines of the newest recorded content of an entry; none where it is not recorded yet."""

    id: str
    lines: tuple[BlamedLine, ...]


def blame(past: Past, ident: str) -> Blamed:
    """Return the lines of an entry as it was recorded last. Raises BadIdError and UnknownEntryError."""
    newest = next((state for state in past.states(ident) if state.number is not None), None)
    if newest is None:
        if not past.is_stored(ident):
            raise unknown_entry(ident)
        return Blamed(ident, ())
    return Blamed(ident, tuple(past.history.blame(newest.recorded.oid, ident)))


def differs_now(past: Past, blamed: Blamed) -> bool:
    """Whether the entry's file holds something else now than what was blamed."""
    recorded = "\n".join(line.text for line in blamed.lines).encode("utf-8", "surrogateescape")
    now = past.file_now(blamed.id)
    # Blame does not tell whether the last line has its end.
    return past.workspace is not None and (now is None or now.removesuffix(b"\n") != recorded)
