"""`git mem forget`: entries and drafts are gone, with their history and all that is derived from them."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from gitmem.entry.rules import SUFFIX
from gitmem.errors import GitMemError
from gitmem.git.config import read_remotes
from gitmem.git.refs import STORE_REF, RefDamagedError, read_ref
from gitmem.git.run import GitFailedError
from gitmem.git.strays import empty_objects, find_copies, names_of
from gitmem.storage.spool import SPOOL
from gitmem.store.edits import kept_edits
from gitmem.store.forgetting import DRAFTS, copies_in_worktrees, find_traces, forget_entries, mended
from gitmem.store.history import StoreHistory
from gitmem.store.read import check_id, file_exists, unknown_entry
from gitmem.store.transaction import Replacement
from gitmem.store.view import read_view
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The ids of which only a digest stays, and what could not be reached.

    `packed` counts the objects with something of the entries that stay readable in packs or in alternates, `reachable`
    those that something else than the memory's history holds. `mentioned` are the entries whose text names one of the
    ids, `left` the paths of files that are named after one, `copies` other ids under which the same text is recorded
    or that lead to it as links. `unread` says which histories could not be read and why, `unpruned` why objects could
    not be removed. `remotes` are where copies may be.
    """

    ids: tuple[str, ...]
    removed: int
    packed: int
    reachable: int
    mentioned: tuple[str, ...]
    left: tuple[str, ...]
    copies: tuple[str, ...]
    unread: tuple[str, ...]
    unpruned: str | None
    remotes: tuple[str, ...]


def forget(workspace: Workspace, idents: Sequence[str]) -> Forgotten:
    """Remove entries and drafts for good, whether they are on disk or in the history only.

    What superseded one of them supersedes from now on what that one did. Raises BadIdError, UnknownEntryError, and
    what writing raises; then nothing was removed.
    """
    chosen = tuple(dict.fromkeys(idents))
    require_known(workspace, chosen)
    with workspace.mending():
        require_known(workspace, chosen)
        texts = _recorded_texts(workspace, chosen)
        pointers = {ident: _superseded_by(workspace, ident) for ident in chosen}
        changes = list(_closing(workspace, pointers))
        done = forget_entries(workspace.place, pointers, changes, workspace.repository.head.oid)
        workspace.reread()
    if (workspace.state / SPOOL).is_dir():  # hooks look into the list, which went with what was derived
        with suppress(GitMemError, OSError):
            workspace.note_cited()
    traces = find_traces(workspace.place, chosen)
    held, unread = _held_elsewhere(workspace, chosen)
    return Forgotten(
        ids=chosen,
        removed=done.pruned.removed,
        packed=len(done.pruned.packed),
        reachable=len({*done.pruned.reachable, *held}),
        mentioned=traces.mentioned,
        left=(*traces.left, *copies_in_worktrees(workspace.place, chosen)),
        copies=tuple(sorted({*traces.links, *_copies(workspace, texts)}.difference(chosen))),
        unread=(*(f"{ref}: {reason}" for ref, reason in done.failures.items()), *unread),
        unpruned=done.pruned.failed,
        remotes=read_remotes(workspace.git, workspace.layout.worktree),
    )


def _recorded_texts(workspace: Workspace, idents: Sequence[str]) -> set[str]:
    """Return the contents that entries were recorded with; of a damaged history none."""
    history = StoreHistory(workspace.git, workspace.layout.worktree)
    try:
        found = {state.blob for ident in idents for state in history.states(ident) if state.blob is not None}
    except (RefDamagedError, GitFailedError):
        return set()
    return found - empty_objects(workspace.place.object_format)


def _copies(workspace: Workspace, texts: Collection[str]) -> list[str]:
    """Return the ids of other entries whose history has one of the contents: a person gave the file another name."""
    worktree = workspace.layout.worktree
    try:
        tip = read_ref(workspace.git, worktree, STORE_REF)
        names = names_of(workspace.git, worktree, tip, texts) if tip is not None and texts else set()
    except (RefDamagedError, GitFailedError):
        return []  # which is told as such
    return [name.removesuffix(SUFFIX) for name in names]


def _held_elsewhere(workspace: Workspace, idents: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the contents that branches, stashes, reflogs and indexes have of the files; or why nobody knows.

    In a copy of the history of entries, such as a backup of it, they stand at the top.
    """
    where = (workspace.layout.store_path, DRAFTS, PurePosixPath())
    paths = [str(below / f"{ident}{SUFFIX}") for below in where for ident in idents]
    try:
        return find_copies(workspace.git, workspace.layout.worktree, paths), ()
    except GitFailedError as error:
        return [], (f"the other refs: {error.message}",)


def require_known(workspace: Workspace, idents: Sequence[str]) -> None:
    """Raise BadIdError or UnknownEntryError for an id of which there is nothing to forget."""
    history = StoreHistory(workspace.git, workspace.layout.worktree)
    view = read_view(workspace.place.state)
    root = workspace.layout.root
    for ident in idents:
        check_id(ident)
        on_disk = file_exists(root, workspace.layout.store_path, ident) or file_exists(root, DRAFTS, ident)
        kept = view.is_forgotten(ident) or kept_edits(workspace.place.state, ident)
        if not on_disk and not kept and not history.states(ident):
            raise unknown_entry(ident)


def _superseded_by(workspace: Workspace, ident: str) -> str | None:
    return next((entry.supersedes for entry in workspace.contents.entries if entry.id == ident), None)


def _closing(workspace: Workspace, pointers: dict[str, str | None]) -> Iterator[Replacement]:
    for entry in workspace.contents.entries:
        if entry.supersedes in pointers and entry.id not in pointers:
            _, data = workspace.entry(entry.id)
            yield Replacement(entry.id, data, mended(data, pointers))
