"""From a worktree to its listing in the file index: which files it has, what they hold, and what is left out.

What is committed is taken from the repository by its blob, so that a checkout costs a listing; only what differs from
the commit is read from disk.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import PurePosixPath
from typing import Final

from gitmem.evidence.target import Found, look
from gitmem.git.checkout import FileKind
from gitmem.git.ignore import RULE_FILES, left_out
from gitmem.git.patches import compare
from gitmem.git.run import GitFailedError
from gitmem.git.vendored import vendored
from gitmem.manifest.make import everything, is_memory, of_worktree
from gitmem.manifest.model import Manifest
from gitmem.search.filing import Change, Placed
from gitmem.search.project import View
from gitmem.text.content import LeftOut
from gitmem.workspace import Workspace

VENDORED: Final = "vendored"
"""Why a file is left out that belongs to another project."""

_UNREADABLE: Final = "unreadable"
_ATTRIBUTES: Final = ".gitattributes"


def change_rules(manifest: Manifest) -> bool:
    """Whether files are among the changed set that say what belongs to the project."""
    named = {PurePosixPath(path).name for path in (*manifest.changed, *manifest.deleted)}
    return not named.isdisjoint({*RULE_FILES, _ATTRIBUTES})


def as_on_disk(workspace: Workspace, view: View) -> Change:
    """Return the change after which a listing has every file of the working tree as it is."""
    manifest = of_worktree(workspace.repository)
    changed = set(manifest.changed)
    committed = _committed(workspace)
    kept = {path: oid for path, oid in committed.items() if path not in changed and path not in manifest.deleted}
    gone = view.listed.keys() - kept.keys() - changed
    return _towards(workspace, view, kept, changed, gone)


def _as_committed(workspace: Workspace, view: View, touched: Collection[str] = ()) -> Change:
    """Return the change after which a listing has every file of HEAD.

    What was read from disk and differs from the commit stays, but for the paths that a checkout `touched`.
    """
    stay = view.uncommitted.difference(touched)
    stay -= left_out(workspace.git, workspace.layout.worktree, stay)
    committed = {path: oid for path, oid in _committed(workspace).items() if path not in stay}
    return _towards(workspace, view, committed, (), view.listed.keys() - committed.keys() - stay)


def _towards(
    workspace: Workspace,
    view: View,
    committed: Mapping[str, str],
    changed: Collection[str],
    gone: Collection[str],
) -> Change:
    """Return the change to a listing of committed files, and of changed ones, which are read from disk."""
    foreign = vendored(workspace.git, workspace.layout.worktree, {*committed, *changed})
    found = _mark(chain(_of_blobs(committed), read_from_disk(workspace, sorted(changed))), foreign)
    return Change(
        placed=(one for one in found if view.listed.get(one.path, "") != (one.oid or None)),
        gone=sorted(gone),
        base=workspace.repository.head.oid,
        whole=True,
        total=len(committed) + len(changed),
    )


def _committed(workspace: Workspace) -> dict[str, str]:
    """Return the files of HEAD, with their blobs, but for what is ignored."""
    repository = workspace.repository
    if repository.head.oid is None:
        return {}
    entries = repository.list_tree(repository.head.oid)
    files = {path: entry.oid for path, entry in entries.items() if entry.is_file}
    return _of_the_project(workspace, files)


def _of_the_project(workspace: Workspace, files: Mapping[str, str]) -> dict[str, str]:
    own = {path: oid for path, oid in files.items() if not is_memory(workspace.repository, path)}
    ignored = left_out(workspace.git, workspace.layout.worktree, own)
    return {path: oid for path, oid in own.items() if path not in ignored}


def follow(workspace: Workspace, view: View) -> Change | None:
    """Return the change after which a listing follows HEAD: a checkout or a commit costs what it changed.

    None where it does, or where all files were never read. Files that differ from the commit stay as they were read.
    """
    standing, head = view.standing, workspace.repository.head.oid
    if head is None or not is_behind(workspace, view):
        return None
    if standing is None or not standing.whole or standing.base is None:
        return _as_committed(workspace, view)
    return _moved(workspace, view, standing.base, head)


def catch_up(workspace: Workspace) -> None:
    """Let the listing follow HEAD, if it does not yet. Raises FilesNotKeptError and LockedError."""
    with workspace.files.reading() as view:
        behind = view is not None and is_behind(workspace, view)
    if behind:
        workspace.files.change(lambda view: follow(workspace, view), workspace.repository.progress)


def is_behind(workspace: Workspace, view: View) -> bool:
    """Whether HEAD is not where the listing was when it was made, in a repository whose files are read."""
    standing, head = view.standing, workspace.repository.head.oid
    return view.mined and head is not None and (standing is None or not standing.whole or standing.base != head)


def _moved(workspace: Workspace, view: View, base: str, head: str) -> Change:
    git, worktree = workspace.git, workspace.layout.worktree
    try:
        changes = compare(git, worktree, [(head, base)])[0]
    except GitFailedError:  # the commit it stood on is gone
        return _as_committed(workspace, view)
    if change_rules(Manifest(tuple(changes), ())):
        return _as_committed(workspace, view, changes)
    kept = _of_the_project(workspace, {path: change.new for path, change in changes.items() if change.puts_file})
    return Change(
        placed=_mark(_of_blobs(kept), vendored(git, worktree, kept)),
        gone=[path for path in changes if path not in kept],
        base=head,
        whole=True,
        total=len(kept),
    )


def _of_blobs(files: Mapping[str, str]) -> Iterator[Placed]:
    return (Placed(path, oid) for path, oid in files.items())


def read_from_disk(workspace: Workspace, paths: Collection[str]) -> Iterator[Placed]:
    """Read files of the working tree, in the form in which git would store them."""
    for batch in look(workspace.here, paths) if paths else ():
        for path, found in batch.items():
            yield _on_disk(path, found)


def _on_disk(path: str, found: Found) -> Placed:
    if found.kind is FileKind.TOO_BIG:
        return Placed(path, "", left_out=LeftOut.HUGE)
    if found.kind is not FileKind.REGULAR:  # removed in this instant
        return Placed(path, "", left_out=_UNREADABLE)
    return Placed(path, found.blob, found.data, committed=found.blob == found.committed)


def _mark(placed: Iterable[Placed], foreign: Collection[str]) -> Iterator[Placed]:
    """Mark what belongs to other projects."""
    return (Placed(one.path, "", left_out=VENDORED) if one.path in foreign else one for one in placed)


def subset(
    workspace: Workspace, view: View, manifest: Manifest, ignored: Collection[str]
) -> tuple[Change, Collection[str]]:
    """Return what a changed set makes of a listing, and which files of this are ignored from now on.

    Nothing that the changed set does not name is touched. A file that says what belongs to the project names all that
    it decides of.
    """
    git, worktree = workspace.git, workspace.layout.worktree
    standing = view.standing
    changed = [path for path in manifest.changed if path not in ignored]
    gone = [*manifest.deleted, *ignored]
    more: Collection[str] = ()
    now_ignored: Collection[str] = ()
    if change_rules(manifest):
        listed = view.listed.keys() - set(manifest.deleted) - set(changed)
        now_ignored = left_out(git, worktree, listed)
        gone += sorted(now_ignored)
        more = _regarded_otherwise(workspace, view, listed - now_ignored)
    placed = sorted({*changed, *more})
    made = Change(
        placed=_mark(read_from_disk(workspace, placed), vendored(git, worktree, placed)),
        gone=gone,
        base=None if standing is None else standing.base,
        whole=standing is not None and standing.whole,
        total=len(placed),
    )
    return made, now_ignored


def _regarded_otherwise(workspace: Workspace, view: View, listed: Collection[str]) -> set[str]:
    """Return the files that the rules let in now, and those that other attributes make vendored, or not any more."""
    oids = view.listed
    foreign = vendored(workspace.git, workspace.layout.worktree, listed)
    other = {path for path in listed if (oids[path] is None) != (path in foreign)}
    if view.standing is None or not view.standing.whole:
        return other
    return other | {path for path in everything(workspace.repository, cached=False).changed if path not in oids}
