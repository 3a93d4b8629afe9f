"""`git mem list`: entries, newest first."""

from collections.abc import Collection
from dataclasses import dataclass

from gitmem.entry.model import Entry, Kind, ReviewState
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Listed:
    """The entries of a listing, in the order newest first, then by id."""

    entries: tuple[Entry, ...]


def list_entries(workspace: Workspace, *, kinds: Collection[Kind], states: Collection[ReviewState]) -> Listed:
    """Return the entries of the given kinds (all if none is given) and review states."""
    return Listed(
        tuple(
            entry
            for entry in workspace.contents.entries
            if entry.review_state in states and (not kinds or entry.kind in kinds)
        )
    )
