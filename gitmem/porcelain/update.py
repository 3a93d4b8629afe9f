"""`git mem update`: applies a changed set to the file index, and names the entries whose evidence it touches."""

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from gitmem.git.ignore import left_out
from gitmem.manifest.check import check_on_disk
from gitmem.manifest.make import is_memory, of_worktree, to_worktree
from gitmem.manifest.model import Manifest, parse_manifest
from gitmem.porcelain.placing import as_on_disk, catch_up, subset
from gitmem.search.filing import Change, Placed
from gitmem.search.project import View
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update did. `changed` and `deleted` are the changed set, `ignored` what of it, or because of it, is out.

    `reindexed` is how many files were read into the index, `recheck` the ids of the entries that cite any of the paths.
    """

    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    ignored: tuple[str, ...]
    reindexed: int
    recheck: tuple[str, ...]


def update(workspace: Workspace, *, manifest: bytes | None = None, since: str | None = None) -> Updated:
    """Apply a manifest, or what differs in the working tree: from a revision, else from what the index has.

    It is applied whole or not at all. Raises ManifestError, RevisionError, FilesNotKeptError and LockedError.
    """
    if manifest is not None:
        return _apply(workspace, parse_manifest(manifest), named=True)
    if since is not None:
        commit = workspace.repository.resolve_commit(since)
        return _apply(workspace, to_worktree(workspace.repository, commit), named=False)
    with workspace.files.reading() as view:
        mined = view is not None and view.mined
    return _bring_up_to_date(workspace) if mined else _apply(workspace, of_worktree(workspace.repository), named=False)


def _apply(workspace: Workspace, manifest: Manifest, *, named: bool) -> Updated:
    """Apply a changed set; one that was `named`, and not made here, is held against what is on disk first."""
    worktree = workspace.layout.worktree
    memory = {path for path in manifest.changed if is_memory(workspace.repository, path)}
    ignored = memory | left_out(workspace.git, worktree, set(manifest.changed) - memory)
    newly: list[str] = []

    def plan(view: View) -> Change:
        if named:
            check_on_disk(worktree, manifest, {*view.listed, *_committed(workspace, manifest.deleted)})
        change, now_ignored = subset(workspace, view, manifest, ignored)
        newly[:] = now_ignored
        return change

    catch_up(workspace)  # what a commit changed must not come over what is read from disk now
    reindexed = workspace.files.change(plan, workspace.repository.progress)
    out = sorted({*ignored, *newly}, key=os.fsencode)
    recheck = entries_citing(workspace, (*manifest.changed, *manifest.deleted, *newly))
    return Updated(manifest.changed, manifest.deleted, tuple(out), reindexed, recheck)


def _committed(workspace: Workspace, paths: Collection[str]) -> Collection[str]:
    """Return those of the paths that HEAD has: they stood there, whatever leads to them now."""
    head = workspace.repository.head.oid
    return workspace.repository.tree_entries(head, paths) if head is not None else ()


def _bring_up_to_date(workspace: Workspace) -> Updated:
    """Let the index have what the working tree has, however long ago it was compared with it."""
    changed: list[str] = []
    gone: list[str] = []

    def plan(view: View) -> Change:
        change = as_on_disk(workspace, view)
        gone[:] = change.gone
        return replace(change, placed=_noted(change.placed, changed))

    reindexed = workspace.files.change(plan, workspace.repository.progress)
    standing, deleted = _sorted(changed), _sorted(gone)
    return Updated(standing, deleted, (), reindexed, entries_citing(workspace, (*standing, *deleted)))


def _noted(placed: Iterable[Placed], paths: list[str]) -> Iterator[Placed]:
    for one in placed:
        paths.append(one.path)
        yield one


def _sorted(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(paths, key=os.fsencode))


def entries_citing(workspace: Workspace, paths: Collection[str]) -> tuple[str, ...]:
    """Return the ids of the active entries that cite any of the paths as evidence; no entry is read for it."""
    return workspace.index.ask(lambda index, _load: tuple(one.id for one in index.citing(paths))) if paths else ()
