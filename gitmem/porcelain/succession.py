"""Who may take whose place: the rules by which one entry supersedes another, and the change that it makes."""

from collections.abc import Iterable

from gitmem.entry.edit import set_field
from gitmem.entry.frontmatter import UnreadableEntry
from gitmem.entry.model import Entry, ReviewState
from gitmem.entry.rules import holder, successor
from gitmem.errors import GitMemError
from gitmem.porcelain.reanchor import read_for_rewrite
from gitmem.porcelain.show import DamagedEntryError
from gitmem.store.transaction import Replacement
from gitmem.workspace import Workspace


class SuccessionRefusedError(GitMemError):
    """One entry cannot take the place of the other. Nothing was written."""


def demoted(workspace: Workspace, ident: str, key: str | None) -> Replacement:
    """Return the change by which an entry makes room for a new one with a decision key, or none.

    Raises BadIdError, UnknownEntryError, DamagedEntryError, and SuccessionRefusedError for an entry that does not
    hold now or is known by another key.
    """
    rewrite = read_for_rewrite(workspace, ident)
    entry = rewrite.entry
    _refuse_inactive(workspace, entry)
    _refuse_key(entry, key)
    return Replacement(ident, rewrite.data, changed_field(ident, rewrite.data, "reviewState", ReviewState.SUPERSEDED))


def promoted(workspace: Workspace, ident: str, old: str, key: str | None) -> tuple[Replacement, str | None]:
    """Return the change by which an entry that is there takes the place of another, and its decision key then.

    `key` is given to an entry that has none. Raises as `demoted` does, and SuccessionRefusedError for an entry that
    has a place already.
    """
    rewrite = read_for_rewrite(workspace, ident)
    entry = rewrite.entry
    refuse_circle(workspace.contents.entries, ident, old)
    _refuse_one_file(workspace, ident, old)
    _refuse_inactive(workspace, entry)
    if entry.supersedes is not None and entry.supersedes != old:
        raise SuccessionRefusedError(
            f"{ident} supersedes {entry.supersedes} already, and an entry takes one place only: add a new one"
        )
    if key is not None and entry.decision_key not in (None, key):
        raise SuccessionRefusedError(
            f"{ident} has the decisionKey '{entry.decision_key}', not '{key}': leave --decision-key out"
        )
    data = changed_field(ident, rewrite.data, "supersedes", old)
    if key is not None and entry.decision_key is None:
        data = changed_field(ident, data, "decisionKey", key)
    return Replacement(ident, rewrite.data, data), entry.decision_key or key


def changed_field(ident: str, data: bytes, field: str, value: str) -> bytes:
    """Return the file of an entry with one field set. Raises DamagedEntryError where its form does not allow that."""
    try:
        return set_field(data, field, value)
    except UnreadableEntry as error:
        raise DamagedEntryError(f"{ident}.md cannot be changed: {error.reason}") from error


def refuse_circle(entries: Iterable[Entry], ident: str, old: str) -> None:
    """Raise SuccessionRefusedError where an entry would take, directly or by others, its own place.

    What counts is the supersedes of the entries as their files have it.
    """
    pointers = {entry.id: entry.supersedes for entry in entries if entry.supersedes}
    if ident == old:
        raise SuccessionRefusedError(f"{ident} cannot supersede itself: name another entry")
    seen: set[str] = set()
    on_the_way = old
    while on_the_way in pointers and on_the_way not in seen:
        seen.add(on_the_way)
        on_the_way = pointers[on_the_way]
        if on_the_way == ident:
            raise SuccessionRefusedError(
                f"{ident} was superseded itself on the way to that entry: a circle: add a new one that supersedes {old}"
            )


def _refuse_one_file(workspace: Workspace, ident: str, old: str) -> None:
    one, other = (workspace.layout.store / f"{name}.md" for name in (ident, old))
    if one.resolve() == other.resolve():
        raise SuccessionRefusedError(f"{ident} and {old} are one file with two names: name another entry")


def _refuse_inactive(workspace: Workspace, entry: Entry) -> None:
    ident = entry.id
    if entry.future:
        raise SuccessionRefusedError(f"{ident} was written by another version of git mem: use that one")
    if entry.kind is None:
        raise SuccessionRefusedError(f"{ident} is of an unknown kind: correct its `kind` first")
    if entry.review_state is ReviewState.SUPERSEDED:
        now = holder(ident, successor(workspace.contents.entries))
        holds = f": {now} holds now" if now != ident else ": add a new entry that supersedes nothing"
        raise SuccessionRefusedError(f"{ident} is superseded already{holds}")
    if not entry.active:
        raise SuccessionRefusedError(
            f"{ident} is {entry.review_state}, not reviewed: say first that it holds, with `git mem confirm {ident}`"
        )


def _refuse_key(old: Entry, key: str | None) -> None:
    if (key or None) == (old.decision_key or None):
        return
    if old.decision_key:
        given = f"not '{key}'" if key else "and the new entry has none"
        raise SuccessionRefusedError(
            f"{old.id} has the decisionKey '{old.decision_key}', {given}: give the same one with --decision-key"
        )
    raise SuccessionRefusedError(
        f"{old.id} has no decisionKey, but the new entry has '{key}': leave it out, or give {old.id} the same first, "
        f"with `git mem edit {old.id}`"
    )
