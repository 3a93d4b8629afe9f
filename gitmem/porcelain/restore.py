"""`git mem restore`: entry files that were lost come back from what is recorded of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gitmem.entry.frontmatter import UnreadableEntry
from gitmem.entry.parse import parse_entry
from gitmem.entry.rules import SUFFIX, successor
from gitmem.errors import GitMemError
from gitmem.git.objects import TreeEntry
from gitmem.porcelain.add import require_person
from gitmem.porcelain.edit import EditRefusedError, replace_text
from gitmem.porcelain.init import create_store
from gitmem.porcelain.succession import SuccessionRefusedError, refuse_circle
from gitmem.porcelain.version import Past, find_version, parse_name, past_of
from gitmem.store.history import StoreHistory
from gitmem.store.lost import find_lost, links_in_place, make_again, read_recorded
from gitmem.store.read import Unreadable, check_id
from gitmem.store.recovery import recover
from gitmem.store.snapshot import file_entry
from gitmem.store.transaction import Deed, Revival
from gitmem.store.view import read_view
from gitmem.text import visible_line
from gitmem.workspace import EndangeredStoreError, Workspace

_REMOVED: Final = "D"


class NeverRecordedError(GitMemError):
    """No recorded state of the store has anything of this id."""


class ForgottenEntryError(GitMemError):
    """The entry was forgotten, and nothing of it may come back."""


class UnrecoverableError(GitMemError):
    """The entry was recorded, and what it held cannot be read any more."""


@dataclass(frozen=True, slots=True)
class RestoredEntry:
    """An entry whose file came back, and the recorded commit that has it; None if only the journal had it."""

    id: str
    commit: str | None


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back, or with `dry_run` would.

    `tip` is the newest recorded commit, None where nothing is recorded. `present` are the named entries whose files
    are there. `removed` are those that were removed by hand and recorded so, the last one first; they are looked for
    where nothing was named and nothing is lost. `unreadable` are lost files whose recorded content is lost too.
    """

    dry_run: bool
    tip: str | None
    entries: tuple[RestoredEntry, ...]
    present: tuple[str, ...]
    removed: tuple[str, ...]
    unreadable: tuple[Unreadable, ...]


@dataclass(slots=True)
class _Found:
    """What is to come back, by file name: what is lost, and what was removed and is named; the rest as in Restored."""

    tip: str | None
    gone: bool
    lost: dict[str, Revival] = field(default_factory=dict)
    removed: dict[str, Revival] = field(default_factory=dict)
    commits: dict[str, str | None] = field(default_factory=dict)
    present: list[str] = field(default_factory=list)
    unreadable: tuple[Unreadable, ...] = ()


def restore(workspace: Workspace, idents: Sequence[str], *, dry_run: bool, everything: bool = False) -> Restored:
    """Bring back what is recorded and not there: the named entries, or all; no file that is there is touched.

    A named entry, and with `everything` any, may also have been removed by hand before that was recorded. Where the
    directory of the store is gone, all comes back, whatever is named: what stayed away would be taken for removed. With
    `dry_run` nothing is written. Raises EndangeredStoreError, BadIdError, ForgottenEntryError, NeverRecordedError,
    UnrecoverableError.
    """
    _refuse_endangered(workspace)
    if everything:
        lost = [name.removesuffix(SUFFIX) for name in find_lost(workspace.place).files]
        idents = list(dict.fromkeys([*idents, *lost, *_removed_by_hand(workspace)]))
    found = _look(workspace, idents, everything=everything)
    if not dry_run and (found.lost or found.removed):
        with workspace.locked():
            found = _bring_back(workspace, idents, everything=everything)
    names = sorted({**found.lost, **found.removed})
    nothing = not (idents or names or found.unreadable)
    return Restored(
        dry_run=dry_run,
        tip=found.tip,
        entries=tuple(RestoredEntry(name.removesuffix(SUFFIX), found.commits[name]) for name in names),
        present=tuple(found.present),
        removed=_removed_by_hand(workspace) if nothing else (),
        unreadable=found.unreadable,
    )


def _refuse_endangered(workspace: Workspace) -> None:
    if workspace.endangered:
        raise EndangeredStoreError(
            f"{workspace.layout.store_path} is private, but HEAD tracks .klide, so the next checkout could overwrite "
            "what comes back: check out a commit that does not track it, or run `git rm -r --cached .klide` and commit"
        )


def _look(workspace: Workspace, idents: Sequence[str], *, everything: bool) -> _Found:
    """Find what is to come back, and read it; with `everything` what cannot come back is left out and told."""
    place = workspace.place
    lost = find_lost(place)
    found = _Found(StoreHistory(workspace.git, workspace.layout.worktree).tip, lost.gone)
    wanted = dict(lost.files) if lost.gone or not idents else {}
    found.commits = dict(lost.commits)
    removed: dict[str, TreeEntry] = {}
    for ident in dict.fromkeys(idents):
        name = _name_of(workspace, ident)
        if name in lost.there:
            found.present.append(ident)
        elif name in lost.files:
            wanted[name] = lost.files[name]
        else:
            found.commits[name], removed[name] = _last_recorded(workspace, ident)
    found.lost, found.unreadable = read_recorded(place, wanted)
    found.removed, unreadable = read_recorded(place, removed)
    if everything:
        found.unreadable += unreadable
    else:
        _refuse_unreadable([*found.unreadable, *unreadable], idents)
    _refuse_second_winners(workspace, found, everything=everything)
    return found


def _refuse_second_winners(workspace: Workspace, found: _Found, *, everything: bool) -> None:
    """Keep entries away that were removed, and whose place as a successor another one has taken since."""
    for name in sorted(found.removed):
        try:
            refuse_second_winner(workspace, name.removesuffix(SUFFIX), found.removed[name].data)
        except SuccessionRefusedError as error:
            if not everything:
                raise
            del found.removed[name]
            found.unreadable += (Unreadable(visible_line(name), error.message),)


def refuse_second_winner(workspace: Workspace, ident: str, data: bytes) -> None:
    """Raise SuccessionRefusedError where a text that comes back would take a place that another entry has by now."""
    try:
        target = parse_entry(ident, data, fallback_date="").supersedes
    except UnreadableEntry:
        return
    others = [entry for entry in workspace.contents.entries if entry.id != ident]
    if target is None:
        return
    refuse_circle(others, ident, target)
    rival = successor(others).get(target)
    if rival is not None:
        raise SuccessionRefusedError(
            f"{ident} superseded {target}, whose place {rival} has now: look at it with `git mem show {ident}@{{0}}`, "
            "and add what holds"
        )


def _name_of(workspace: Workspace, ident: str) -> str:
    check_id(ident)
    if read_view(workspace.place.state).is_forgotten(ident):
        raise ForgottenEntryError(f"{ident} was forgotten, and nothing of it was kept: add it anew if you know it")
    return ident + SUFFIX


def _last_recorded(workspace: Workspace, ident: str) -> tuple[str, TreeEntry]:
    history = StoreHistory(workspace.git, workspace.layout.worktree)
    versions = history.versions(ident)
    if not versions:
        why = "" if workspace.settings.history else ", and mem.history is false"
        raise NeverRecordedError(
            f"nothing is recorded of '{ident}'{why}: `git mem list --state all` shows what is there"
        )
    commit = versions[0].recorded.oid
    return commit, history.tree(commit)[ident + SUFFIX]


def _refuse_unreadable(unreadable: Sequence[Unreadable], idents: Collection[str]) -> None:
    for bad in unreadable:
        if bad.file.removesuffix(SUFFIX) in idents:
            raise UnrecoverableError(f"{bad.file} cannot be restored: {bad.reason}")


def _bring_back(workspace: Workspace, idents: Sequence[str], *, everything: bool) -> _Found:
    """Do it, with all that was found before the lock was taken found anew."""
    place = workspace.place
    record = place.journal.pending()
    if record is not None and record.forget:
        recover(place)  # which needs no directory, and takes out of the history what must not come back
        record = None
    workspace.reread()
    found = _look(workspace, idents, everything=everything)
    rest = {**found.lost, **found.removed}
    if found.gone or record is not None:

        def make() -> None:
            if found.gone:
                create_store(workspace, track=False)

        make_again(place, found.lost, workspace.repository.head.oid, make)
        rest = found.removed
    if rest:
        _transact(workspace, rest)
    workspace.reread()
    return found


def _transact(workspace: Workspace, revived: Mapping[str, Revival]) -> None:
    idents = [name.removesuffix(SUFFIX) for name in revived]
    with links_in_place(workspace.place, revived):
        workspace.transact(Deed(verb="restore", revived=revived, idents=idents))


def _removed_by_hand(workspace: Workspace) -> tuple[str, ...]:
    """Return the entries that were recorded once and are not there, those that went last first."""
    there = find_lost(workspace.place).there
    view = read_view(workspace.place.state)
    recorded = StoreHistory(workspace.git, workspace.layout.worktree).commits()
    gone = [change.id for one in recorded for change in one.changes if change.status == _REMOVED]
    return tuple(ident for ident in dict.fromkeys(gone) if ident + SUFFIX not in there and not view.is_forgotten(ident))


def restore_version(workspace: Workspace, name: str, *, dry_run: bool, at_terminal: bool) -> Restored:
    """Bring back a version of an entry, `ID@{n}`, in the place of its present text, by the rules of an edit.

    Raises UsageError for a name of no version, NoSuchVersionError, what `edit` raises, and what `restore` does.
    """
    require_person(workspace, "bring back an older text", at_terminal=at_terminal)
    _refuse_endangered(workspace)
    past, parsed = past_of(workspace), parse_name(name)
    version = find_version(past, parsed.ident, parsed.number or 0)
    data = past.history.read(version)
    there = past.is_stored(parsed.ident)
    changed = data != past.file_now(parsed.ident)
    if changed and not dry_run:
        if there:
            _replace(workspace, past, parsed.ident, data)
        else:
            with workspace.writing():
                refuse_second_winner(workspace, parsed.ident, data)
                entry = file_entry(data, workspace.place.object_format)
                _transact(workspace, {parsed.ident + SUFFIX: Revival(entry, data)})
    back = RestoredEntry(parsed.ident, version.recorded.oid)
    return Restored(
        dry_run=dry_run,
        tip=past.history.tip,
        entries=(back,) if changed else (),
        present=() if changed else (parsed.ident,),
        removed=(),
        unreadable=(),
    )


def _is_recorded(workspace: Workspace, past: Past, ident: str) -> bool:
    now = past.file_now(ident)
    blob = None if now is None else file_entry(now, workspace.place.object_format).oid
    return any(version.blob == blob for version in past.history.versions(ident))


def _replace(workspace: Workspace, past: Past, ident: str, data: bytes) -> None:
    if not workspace.settings.history and not _is_recorded(workspace, past, ident):
        raise EditRefusedError(
            f"the present text of {ident} is recorded nowhere, since mem.history is false: move {ident}.md away first"
        )
    try:
        replace_text(workspace, ident, data, "restore")
    except EditRefusedError as error:
        raise EditRefusedError(f"{error.message}; or move {ident}.md away, then restore it") from error
