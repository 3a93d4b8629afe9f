"""What `git mem doctor` looks at: everything there is, one function for each thing, and nothing is written."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from gitmem.entry.canonical import read_canonical
from gitmem.entry.frontmatter import Span, bare, decode, load, split
from gitmem.entry.model import Entry
from gitmem.entry.rules import SUFFIX
from gitmem.errors import GitMemError
from gitmem.git.exclude import Sharing
from gitmem.git.ignore import ignored
from gitmem.git.refs import STORE_REF, refs_below
from gitmem.git.salvage import what_is_lost
from gitmem.porcelain.status import look_at_history, what_was_done_by_hand
from gitmem.search.keep import IndexState
from gitmem.settings import SettingError
from gitmem.storage.directory import MOVE_AWAY, DirectoryRefusedError, opened_directory
from gitmem.storage.files import is_temporary
from gitmem.storage.holder import lock_holder
from gitmem.storage.journal import JournalDamagedError
from gitmem.store.history import StoreHistory
from gitmem.store.lost import find_lost
from gitmem.store.read import read_entry
from gitmem.store.salvage import kept_journals
from gitmem.store.view import read_view
from gitmem.text import counted, visible_line
from gitmem.workspace import Workspace

DAMAGED_REFS: Final = "refs/mem/damaged/"
"""Where histories are kept that cannot be read any more."""

REINDEX: Final = "git mem reindex"
FIX: Final = "git mem doctor --fix"
RESTORE: Final = "git mem restore"
_LOOK: Final = "look what it is, and at its permissions"


class CheckState(StrEnum):
    """What came of a check. Something to know is no fault."""

    OK = "ok"
    INFO = "info"
    WRONG = "wrong"
    MENDED = "mended"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and the command or the deed that mends it; `message` may have absolute paths."""

    name: str
    state: CheckState
    message: str
    remedy: str | None = None


Look: TypeAlias = Callable[[Workspace], Iterator[Check]]


def checkup(workspace: Workspace) -> tuple[Check, ...]:
    """Look at everything. What stands in the way of a check is what it tells of; a killed writer's work is finished."""
    found = [_layout(workspace), *_guarded("settings", _settings, workspace)]
    if found[-1].state is CheckState.WRONG:
        return tuple(found)  # the others would only say the same again
    refused = _refused(workspace)
    found += [] if refused is None else [refused]
    for name, (look, fine) in _CHECKS.items():
        if refused is None or name in _WITHOUT_STORE:
            found += _guarded(name, look, workspace) or [_ok(name, fine)]
    return tuple(found)


def _refused(workspace: Workspace) -> Check | None:
    """Return what keeps the store from being read, if anything does."""
    try:
        _ = workspace.contents
    except DirectoryRefusedError as error:
        message = error.message.removesuffix(f": {MOVE_AWAY}")
        return _wrong("store", message, MOVE_AWAY if message != error.message else _LOOK)
    except OSError as error:
        return _wrong("store", _told(error), _LOOK)
    return None


def _exists(workspace: Workspace) -> bool:
    with suppress(DirectoryRefusedError, OSError):
        return workspace.contents.exists
    return False


def _guarded(name: str, look: Look, workspace: Workspace) -> list[Check]:
    try:
        return list(look(workspace))
    except GitMemError as error:
        return [_wrong(name, error.message, None)]
    except OSError as error:
        return [_wrong(name, _told(error), _LOOK)]


def _told(error: OSError) -> str:
    return f"{error.filename}: {(error.strerror or str(error)).lower()}"


def _ok(name: str, message: str) -> Check:
    return Check(name, CheckState.OK, message)


def _info(name: str, message: str, remedy: str | None = None) -> Check:
    return Check(name, CheckState.INFO, message, remedy)


def _wrong(name: str, message: str, remedy: str | None) -> Check:
    return Check(name, CheckState.WRONG, message, remedy)


def _layout(workspace: Workspace) -> Check:
    layout = workspace.layout
    return _ok("layout", f"{layout.kind}: the worktree {layout.worktree} of {layout.place.common_dir}")


def _settings(workspace: Workspace) -> Iterator[Check]:
    try:
        _ = workspace.settings
    except SettingError as error:
        yield _wrong("settings", error.message, "correct it with `git config`")
    else:
        yield _ok("settings", "all mem.* keys that are set mean something")


def _store(workspace: Workspace) -> Iterator[Check]:
    store = workspace.layout.store
    _, history = look_at_history(workspace.place)
    if workspace.contents.exists:
        yield _ok("store", f"{store}")
    elif history.entries and workspace.place.recorded_here:
        yield _wrong("store", f"{store} is gone, and with it {_counted(history.entries, 'recorded ')}", RESTORE)
    else:
        yield _info("store", f"{store} is not there yet", "git mem init")


def _sharing(workspace: Workspace) -> Iterator[Check]:
    sharing, main = workspace.sharing(), workspace.layout.main
    if workspace.endangered:
        message = "the store is private, but HEAD tracks .klide: a checkout could overwrite it"
        yield _wrong("sharing", message, "git mem init --track, or git rm -r --cached .klide and commit")
    elif main is None or not _exists(workspace):
        yield _ok("sharing", _SHARED[sharing])
    elif sharing is Sharing.UNDECIDED:
        message = "neither private nor tracked: `git add -A` would take the entries up, `git clean -fd` remove them"
        yield _wrong("sharing", message, "git mem init, or git mem init --track")
    elif sharing is Sharing.PRIVATE and not _is_ignored(workspace, main):
        message = "the store is private, but git does not ignore it: `git add -A` would take the entries up"
        yield _wrong("sharing", message, "git mem init, or take the rule out of .gitignore that includes it again")
    elif sharing is Sharing.TRACKED and _is_ignored(workspace, main):
        message = "the store is tracked, but git ignores it: `git add` leaves new entries out"
        yield _wrong("sharing", message, "take the rule out of .gitignore that names it")
    else:
        yield _ok("sharing", _SHARED[sharing])


def _is_ignored(workspace: Workspace, main: Path) -> bool:
    probe = str(workspace.layout.store_path / f"probe{SUFFIX}")
    return bool(ignored(workspace.git, main, [probe]))


def _entries(workspace: Workspace) -> Iterator[Check]:
    contents = workspace.contents
    view = read_view(workspace.place.state)
    for bad in contents.unreadable:
        if view.is_forgotten(bad.file.removesuffix(SUFFIX)):
            message = f"{bad.file}: an entry of this id was forgotten"
            yield _wrong("entries", message, "remove the file, or give it another name")
        else:
            yield _wrong("entries", f"{bad.file}: {bad.reason}", "correct the file, or move it away")
    if not contents.unreadable:
        yield _ok("entries", f"{_counted(len(contents.entries))}, all of them readable")


def _titles(workspace: Workspace) -> Iterator[Check]:
    layout, view = workspace.layout, read_view(workspace.place.state)
    for entry in sorted(workspace.contents.entries, key=lambda entry: entry.id):
        cut = None
        with suppress(GitMemError):  # removed or damaged in this instant
            cut = _cut_off(read_entry(layout.root, layout.store_path, entry.id, view)[1])
        if cut is not None:
            message = f"{entry.id}: the title reads '{entry.title}', since '{cut}' is a comment to YAML"
            # Behind a blank it looks as if it was meant to be one.
            state = CheckState.INFO if cut[1:2] in {"", " "} else CheckState.WRONG
            yield Check("titles", state, message, f"put the title into quotes with `git mem edit {entry.id}`")


def _cut_off(data: bytes) -> str | None:
    """Return the comment behind an unquoted title. Raises UnreadableEntry."""
    document = split(decode(data))
    if read_canonical(document.block) is not None:
        return None  # the form that has no comments
    span = load(document).spans.get("title")
    return None if span is None else _comment(bare(document.block.replace("\r\n", "\n")).split("\n"), span)


def _comment(lines: Sequence[str], span: Span) -> str | None:
    (first, begin), (last, end) = span.start, span.end
    quoted = lines[first][begin : begin + 1] in {'"', "'"}
    rest = lines[last][end:].strip() if last < len(lines) else ""
    return rest if rest.startswith("#") and not quoted else None


def _supersedes(workspace: Workspace) -> Iterator[Check]:
    entries = workspace.contents.entries
    known = {entry.id for entry in entries}
    for entry in sorted(entries, key=lambda entry: entry.id):
        if entry.supersedes is not None and entry.supersedes not in known:
            message = f"{entry.id} supersedes {entry.supersedes}, which is not there"
            yield _wrong("supersedes", message, _remedy_of_pointer(workspace, entry, entry.supersedes))


def _remedy_of_pointer(workspace: Workspace, entry: Entry, old: str) -> str:
    unread = any(bad.file == old + SUFFIX for bad in workspace.contents.unreadable)
    if unread:
        return f"mend {old}{SUFFIX}"
    with suppress(GitMemError):
        forgotten = read_view(workspace.place.state).is_forgotten(old)
        if not forgotten and StoreHistory(workspace.git, workspace.layout.worktree).versions(old):
            return f"{RESTORE} {old}"
    return f"take the line out with `git mem edit {entry.id}`"


def _journal(workspace: Workspace) -> Iterator[Check]:
    place = workspace.place
    try:
        pending = place.journal.pending() is not None
    except JournalDamagedError:
        yield _wrong("journal", "it is damaged, so the last write may be incomplete", FIX)
        pending = False
    if pending and not _exists(workspace):
        yield _wrong("journal", "the last write waits for the store to be there again", RESTORE)
    elif pending and lock_holder(place.state / "lock") is not None:
        yield _info("journal", "a write is going on")
    elif pending:
        yield _wrong("journal", "the last write is decided and could not be finished", FIX)
    for path in kept_journals(place):
        yield _info("journal", f"{path} is damaged, and has texts that are not in the store", "look, then remove it")


def _history(workspace: Workspace) -> Iterator[Check]:
    place, partial = workspace.place, workspace.repository.partial
    tip, history = look_at_history(place)
    if history.damaged or tip is None:
        yield _wrong("history", f"what {STORE_REF} names cannot be read", _remedy_of_history(workspace))
    elif tip.commit is None:
        yield _ok("history", "nothing is recorded yet")
    elif (lost := what_is_lost(place.git, place.worktree, tip.commit, partial=partial)) is not None:
        yield _wrong("history", f"{STORE_REF} is damaged: {lost}", _remedy_of_history(workspace))
    else:
        yield _ok("history", f"{tip.commit[:12]} of {history.date}, with {_counted(history.entries)}")
    if not history.kept:
        yield _info(
            "history", "mem.history is false: what is written now cannot be restored", "git config mem.history true"
        )
    for ref in (*refs_below(place.git, place.worktree, f"{STORE_REF}/"), *_refs_above(workspace)):
        message = f"{ref} is in the way: git cannot make {STORE_REF} beside it"
        yield _wrong("history", message, f"git update-ref -d {ref}")
    for ref in refs_below(place.git, place.worktree, DAMAGED_REFS):
        remedy = f"git update-ref -d {ref}, when nothing of it is missed"
        yield _info("history", f"{ref} keeps a damaged history; `git gc` may refuse to work until it is gone", remedy)


def _refs_above(workspace: Workspace) -> list[str]:
    above = str(PurePosixPath(STORE_REF).parent)
    return [ref for ref in refs_below(workspace.git, workspace.layout.worktree, above) if ref == above]


def _remedy_of_history(workspace: Workspace) -> str:
    return FIX if _exists(workspace) else f"fetch {STORE_REF} from another clone, or restore a backup"


def _hand_edits(workspace: Workspace) -> Iterator[Check]:
    place = workspace.place
    tip, history = look_at_history(place)
    found = what_was_done_by_hand(place, tip)
    if found.missing and found.missing == history.entries:
        yield _wrong("hand-edits", f"the store is there, but all of its {_counted(history.entries)} are gone", RESTORE)
    elif found.missing:
        missing = f"{', '.join(_few_missing(workspace))}: recorded and not there; the next write takes this for meant"
        yield _info("hand-edits", missing, RESTORE)
    if found.changed or found.added:
        yield _info("hand-edits", f"{found.changed} changed, {found.added} added: the next write records it")


def _few_missing(workspace: Workspace) -> list[str]:
    with suppress(GitMemError):
        names = sorted(find_lost(workspace.place).files)
        more = [f"and {len(names) - 5} more"] if len(names) > 5 else []
        return [visible_line(name.removesuffix(SUFFIX)) for name in names[:5]] + more
    return ["entries"]


def _texts(workspace: Workspace) -> Iterator[Check]:
    edits = workspace.place.state / "edit"
    for path in sorted(edits.iterdir()) if edits.is_dir() else ():
        yield _info("texts", f"{path} was kept of an edit that did not end well", "look, then remove it")


def _litter(workspace: Workspace) -> Iterator[Check]:
    place = workspace.place
    if lock_holder(place.state / "lock") is not None:
        return  # it may be at work on them
    names = [name for root, path in places_of_litter(workspace) for name in _litter_in(root, path)]
    if names:
        yield _info("litter", f"files that a killed writer left behind: {len(names)}", FIX)


def places_of_litter(workspace: Workspace) -> Iterator[tuple[Path, PurePosixPath]]:
    """Yield the directories in which writers build files, each as a root and a path below it."""
    place = workspace.place
    yield place.root, place.path
    yield place.common_dir, PurePosixPath(place.state.name)


def _litter_in(root: Path, path: PurePosixPath) -> list[str]:
    with opened_directory(root, path) as directory:
        return [] if directory is None else _temporary_files(directory)


def _temporary_files(directory: int) -> list[str]:
    with os.scandir(directory) as found:
        return [file.name for file in found if is_temporary(file.name) and not file.is_dir()]


def _index(workspace: Workspace) -> Iterator[Check]:
    path = workspace.index.keeper.path
    if os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
        yield _wrong("index", f"{path} is no regular file, so every search makes its own index", "move it away")
    elif workspace.index.look() is IndexState.UNUSABLE:
        yield _info("index", f"{path} is damaged or of another version, and not believed", REINDEX)
    elif path.parent.exists() and not os.access(path.parent, os.W_OK):
        yield _info("index", f"{path.parent} cannot be written, so each search indexes anew what changed")


def _lock(workspace: Workspace) -> Iterator[Check]:
    path = workspace.place.state / "lock"
    if os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
        yield _wrong("lock", f"{path} is no regular file, so nothing can be written", "move it away")
        return
    holder = lock_holder(path)
    if holder is not None:
        yield _info("lock", f"{path} is held by {holder}")


def _counted(entries: int, which: str = "") -> str:
    return counted(entries, f"{which}entry", f"{which}entries")


_SHARED: Final = {
    Sharing.PRIVATE: "private: git ignores it",
    Sharing.TRACKED: "tracked: its entries are committed like other files",
    Sharing.UNDECIDED: "nothing is decided",
}
_WITHOUT_STORE: Final = ("sharing", "journal", "history", "texts", "lock")
_CHECKS: Final[Mapping[str, tuple[Look, str]]] = {
    "store": (_store, ""),
    "sharing": (_sharing, ""),
    "entries": (_entries, ""),
    "titles": (_titles, "no title is cut off by a comment"),
    "supersedes": (_supersedes, "all that is superseded is there"),
    "journal": (_journal, "nothing is unfinished"),
    "history": (_history, ""),
    "hand-edits": (_hand_edits, "the history has everything"),
    "texts": (_texts, "no text of an edit is left"),
    "litter": (_litter, "nothing was left behind"),
    "index": (_index, "nothing stands in its way"),
    "lock": (_lock, "nobody holds it"),
}
