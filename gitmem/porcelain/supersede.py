"""`git mem supersede`: one entry takes the place of another."""

from dataclasses import dataclass

from gitmem.porcelain.add import require_person
from gitmem.porcelain.succession import demoted, promoted
from gitmem.store.transaction import Deed, Replacement
from gitmem.text import plain
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Superseded:
    """Which entry took the place of which."""

    old: str
    new: str


def supersede(workspace: Workspace, old: str, *, by: str, decision_key: str | None, at_terminal: bool) -> Superseded:
    """Let an entry that is there take the place of another: both files change in one line each, or neither.

    `decision_key` is given to an entry that has none. Raises ReviewBoundaryError, SuccessionRefusedError, and what
    reading and writing an entry raises.
    """
    require_person(workspace, "supersede an entry", at_terminal=at_terminal)
    key = plain(decision_key or "") or None
    _changes(workspace, old, by, key)  # refuses before it waits for anybody
    with workspace.writing():
        changes = _changes(workspace, old, by, key)
        workspace.transact(Deed(verb="supersede", replacements=changes, idents=[old]))
    return Superseded(old, by)


def _changes(workspace: Workspace, old: str, by: str, decision_key: str | None) -> list[Replacement]:
    new, key = promoted(workspace, by, old, decision_key)
    return [new, demoted(workspace, old, key)]
