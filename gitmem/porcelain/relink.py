"""`git mem relink`: sourceRefs follow evidence that only moved."""

from collections.abc import Sequence
from dataclasses import dataclass

from gitmem.evidence.reanchor import relinked
from gitmem.porcelain.check import CHECKED_STATES, choose
from gitmem.porcelain.reanchor import ChangedRef, Rewrite, read_for_rewrite, with_state, write_all
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RelinkedEntry:
    """An entry, and its sourceRefs that follow their evidence now."""

    id: str
    title: str
    changed: tuple[ChangedRef, ...]


@dataclass(frozen=True, slots=True)
class Relinked:
    """The entries that were relinked, or with `dry_run` would be."""

    dry_run: bool
    entries: tuple[RelinkedEntry, ...]


def relink(workspace: Workspace, idents: Sequence[str], *, dry_run: bool) -> Relinked:
    """Rewrite the sourceRefs of the named entries, or of all that count, whose evidence only moved.

    That is: commits that were rewritten, files that were renamed, lines that shifted. With `dry_run` nothing is
    written. Raises what reading and writing an entry raises.
    """
    for ident in idents:
        read_for_rewrite(workspace, ident)  # raises for what cannot be read, which is nothing to be passed over
    rewrites = _rewrites(workspace, idents)
    if rewrites and not dry_run:
        with workspace.writing():
            rewrites = _rewrites(workspace, idents)
            write_all(workspace, "relink", rewrites)
    return Relinked(dry_run, tuple(RelinkedEntry(r.entry.id, r.entry.title, r.changes) for r in rewrites))


def _rewrites(workspace: Workspace, idents: Sequence[str]) -> list[Rewrite]:
    chosen = choose(workspace.contents, idents, CHECKED_STATES)
    refs = relinked(workspace.here, [ref for entry in chosen for ref in entry.source_refs])
    found: list[Rewrite] = []
    for entry in chosen:
        now, refs = refs[: len(entry.source_refs)], refs[len(entry.source_refs) :]
        if tuple(now) != entry.source_refs:
            rewrite = read_for_rewrite(workspace, entry.id)
            if rewrite.entry.source_refs == entry.source_refs:
                found.append(with_state(rewrite, rewrite.state, now))
    return found
