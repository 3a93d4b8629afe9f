"""`git mem confirm`: a person looked, and it is still true."""

from collections.abc import Sequence
from dataclasses import dataclass

from gitmem.entry.model import ReviewState
from gitmem.entry.rules import holder, successor
from gitmem.errors import GitMemError
from gitmem.evidence.reanchor import confirmed
from gitmem.porcelain.add import require_person
from gitmem.porcelain.reanchor import ChangedRef, Rewrite, read_for_rewrite, with_state, write_all
from gitmem.workspace import Workspace


class NotConfirmableError(GitMemError):
    """The entry is one that nobody can confirm, or its evidence is gone. Nothing was written."""


@dataclass(frozen=True, slots=True)
class ConfirmedEntry:
    """An entry that was confirmed, its sourceRefs that were anchored anew, and what stays unverified."""

    id: str
    title: str
    changed: tuple[ChangedRef, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What was confirmed, in the order in which it was named."""

    entries: tuple[ConfirmedEntry, ...]


def confirm(workspace: Workspace, idents: Sequence[str], *, at_terminal: bool) -> Confirmed:
    """Anchor the sourceRefs of entries to the present code and set them reviewed; all of them or none.

    Raises ReviewBoundaryError, NotConfirmableError, and what reading and writing an entry raises.
    """
    require_person(workspace, "confirm an entry", at_terminal=at_terminal)
    found = [_confirmed(workspace, ident) for ident in dict.fromkeys(idents)]  # refuses before it waits for anybody
    if any(rewrite.would_change for rewrite, _ in found):
        with workspace.writing():
            found = [_confirmed(workspace, ident) for ident in dict.fromkeys(idents)]
            write_all(workspace, "confirm", [rewrite for rewrite, _ in found])
    return Confirmed(tuple(ConfirmedEntry(r.entry.id, r.entry.title, r.changes, left) for r, left in found))


def _confirmed(workspace: Workspace, ident: str) -> tuple[Rewrite, tuple[str, ...]]:
    rewrite = read_for_rewrite(workspace, ident)
    _refuse_inactive(workspace, rewrite)
    refs = confirmed(workspace.here, rewrite.entry.source_refs)
    obstacles = [one.obstacle for one in refs if one.obstacle is not None]
    if obstacles:
        raise NotConfirmableError(f"{ident} cannot be confirmed: {obstacles[0]}")
    left = tuple(one.left for one in refs if one.left is not None)
    return with_state(rewrite, ReviewState.REVIEWED, [one.ref for one in refs]), left


def _refuse_inactive(workspace: Workspace, rewrite: Rewrite) -> None:
    entry = rewrite.entry
    if entry.future:
        raise NotConfirmableError(f"{entry.id} was written by another version of git mem: confirm it with that one")
    if entry.kind is None:
        raise NotConfirmableError(f"{entry.id} is of an unknown kind: correct its `kind` first")
    if entry.review_state is ReviewState.SUPERSEDED:
        now = holder(entry.id, successor(workspace.contents.entries))
        holds = f": {now} holds now" if now != entry.id else ""
        raise NotConfirmableError(f"{entry.id} is superseded and cannot be confirmed{holds or ': add a new entry'}")
