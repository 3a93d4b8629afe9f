"""What `confirm` and `relink` share: entries whose sourceRefs are rewritten, each file whole or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitmem.entry.edit import set_field, set_source_refs
from gitmem.entry.frontmatter import UnreadableEntry
from gitmem.entry.model import Entry, ReviewState, SourceRef
from gitmem.porcelain.show import DamagedEntryError
from gitmem.store.read import NoSuchEntryError, unknown_entry
from gitmem.store.transaction import Deed, Replacement
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ChangedRef:
    """A sourceRef as it was, and as it is now."""

    before: SourceRef
    after: SourceRef


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An entry, its file as it was read, and the changes to its sourceRefs and state."""

    entry: Entry
    data: bytes
    refs: tuple[SourceRef, ...]
    state: ReviewState

    @property
    def would_change(self) -> bool:
        """Whether writing it would change the file."""
        return bool(self.changes) or self.state is not self.entry.review_state

    @property
    def changes(self) -> tuple[ChangedRef, ...]:
        """The sourceRefs that differ."""
        pairs = zip(self.entry.source_refs, self.refs, strict=True)
        return tuple(ChangedRef(before, after) for before, after in pairs if before != after)


def read_for_rewrite(workspace: Workspace, ident: str) -> Rewrite:
    """Return an entry, its state being that which counts, as a rewrite that changes nothing yet.

    Raises BadIdError, UnknownEntryError and DamagedEntryError.
    """
    try:
        entry, data = workspace.entry(ident)
    except NoSuchEntryError as error:
        workspace.refuse_vanished()
        raise unknown_entry(ident) from error
    except UnreadableEntry as error:
        raise DamagedEntryError(f"{ident}.md cannot be read: {error.reason}: correct the file") from error
    return Rewrite(entry, data, entry.source_refs, entry.review_state)


def write_all(workspace: Workspace, verb: str, rewrites: Sequence[Rewrite]) -> None:
    """Write the changed entries in one transaction of that name; the caller holds the lock.

    Raises DamagedEntryError, and EntryChangedError for an entry that is not what was judged any more.
    """
    changed = [Replacement(r.entry.id, r.data, data) for r in rewrites if (data := _rewritten(r)) != r.data]
    if changed:
        workspace.transact(Deed(verb=verb, replacements=changed))


def _rewritten(rewrite: Rewrite) -> bytes:
    data = rewrite.data
    try:
        if rewrite.changes:
            data = set_source_refs(data, rewrite.refs)
        if rewrite.state is not rewrite.entry.review_state:
            data = set_field(data, "reviewState", rewrite.state)
    except UnreadableEntry as error:
        raise DamagedEntryError(f"{rewrite.entry.id}.md cannot be changed: {error.reason}") from error
    return data


def with_state(rewrite: Rewrite, state: ReviewState, refs: Sequence[SourceRef]) -> Rewrite:
    """Return the rewrite with another state and other sourceRefs."""
    return replace(rewrite, state=state, refs=tuple(refs))
