"""`git mem diff`: what differs between two states of the store or of one entry, recorded or on disk."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.errors import UsageError
from gitmem.git.objects import TreeEntry
from gitmem.git.run import Git
from gitmem.git.unified import unified_diff
from gitmem.porcelain.show import DamagedEntryError
from gitmem.porcelain.version import NOTHING_RECORDED, Name, Past, find_version, parse_name
from gitmem.storage.directory import opened_directory, read_bounded
from gitmem.store.history import Version, is_entry_file
from gitmem.store.place import StorePlace
from gitmem.store.read import unknown_entry
from gitmem.store.recording import look_at_files
from gitmem.store.view import View, read_settled

Contents = Mapping[str, bytes]
Form = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Patch:
    """What differs in one entry: `status` is `A`, `M` or `D`, `patch` git's unified diff."""

    id: str
    status: str
    patch: str


@dataclass(frozen=True, slots=True)
class Differences:
    """The entries that differ, by id."""

    changes: tuple[Patch, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """Two states to compare, as contents by file name; `note` says which they are where nobody named them."""

    before: Contents
    after: Contents
    note: str | None = None


def sides(past: Past, names: Sequence[str]) -> Sides:
    """Return what `git mem diff` compares when it is called with these names, `ID` or `ID@{n}`, at most two.

    Without a name, and for an `ID` alone, these are the last recorded state and the files now; where they are equal,
    the last recorded state and the one before it. Raises UsageError for versions of two entries, what find_version
    raises, and DamagedEntryError where a file cannot be read.
    """
    if past.workspace is not None:
        past.workspace.settle()  # what a killed writer left is no edit by hand
    if not names:
        return read_settled(past.state, lambda view: _store(past, view))
    first, *others = [parse_name(name) for name in names]
    if any(other.ident != first.ident for other in others):
        raise UsageError(f"{first.ident} and {others[0].ident} are two entries: name two versions of one")
    if first.number is None and not others:
        return _entry(past, first.ident)
    second = others[0] if others else Name(first.ident, None)
    return Sides(_named(past, first), _named(past, second))


def diff(git: Git, compared: Sides, *, color: bool = False, form: Form = bytes) -> Differences:
    """Return git's own diff of two states; `form` is what contents go through before git sees them."""
    before, after = ({name: form(data) for name, data in side.items()} for side in (compared.before, compared.after))
    found = unified_diff(git, before, after, color=color)
    return Differences(
        tuple(
            Patch(name.removesuffix(".md"), _status(name, compared), patch.decode("utf-8", "surrogateescape"))
            for name, patch in found.items()
        )
    )


def _status(name: str, compared: Sides) -> str:
    if name not in compared.before:
        return "A"
    return "M" if name in compared.after else "D"


def _store(past: Past, view: View) -> Sides:
    history = past.history
    if history.tip is None:
        return Sides({}, {}, NOTHING_RECORDED)
    tree = history.tree(history.tip)
    recorded = {name: entry for name, entry in tree.items() if not view.is_forgotten(name.removesuffix(".md"))}
    if past.workspace is not None:
        place = past.workspace.place
        found = _files_now(place, recorded)
        changed = _differing(recorded, found)
        if changed:
            return Sides(history.files_at(history.tip, changed), _contents_now(place, changed & found.keys()))
    earlier = history.before(history.tip)
    changed = _differing({} if earlier is None else history.tree(earlier), recorded)
    before = {} if earlier is None else history.files_at(earlier, changed)
    return Sides(before, history.files_at(history.tip, changed), _note("the files are as they were recorded last"))


def _entry(past: Past, ident: str) -> Sides:
    states = past.states(ident)
    if not states and not past.is_stored(ident):
        raise unknown_entry(ident)
    if past.history.tip is None:
        return Sides({}, {}, NOTHING_RECORDED)
    now = _now(past, ident)
    last, before = (_recorded(past, states[at : at + 1]) for at in (0, 1))
    if now != last:
        return Sides(last, now)
    return Sides(before, last, _note(f"{ident} is as it was recorded last"))


def _note(what: str) -> str:
    return f"{what}: this is what that changed"


def _named(past: Past, name: Name) -> Contents:
    if name.number is not None:
        return _recorded(past, [find_version(past, name.ident, name.number)])
    if not past.is_stored(name.ident) and not past.states(name.ident):
        raise unknown_entry(name.ident)
    return _now(past, name.ident)


def _recorded(past: Past, states: Sequence[Version]) -> Contents:
    return {f"{state.ident}.md": past.history.read(state) for state in states if state.blob is not None}


def _now(past: Past, ident: str) -> Contents:
    if past.workspace is None:  # where there are no files, the newest recorded state is what there is
        return _recorded(past, past.states(ident)[:1])
    data = past.file_now(ident)
    if data is None and past.is_stored(ident):
        raise DamagedEntryError(f"{ident}.md cannot be read: correct the file, or move it away")
    return {} if data is None else {f"{ident}.md": data}


def _files_now(place: StorePlace, recorded: Mapping[str, TreeEntry]) -> dict[str, TreeEntry]:
    """Return the entry files as a tree would hold them; one that cannot be read is as it was recorded."""
    with opened_directory(place.root, place.path) as directory:
        if directory is None:
            return {}
        found = look_at_files(place, directory)
    return {name: entry for name, entry in found.as_recorded(recorded).items() if is_entry_file(name)}


def _contents_now(place: StorePlace, names: set[str]) -> Contents:
    with opened_directory(place.root, place.path) as directory:
        return {} if directory is None else {name: read_bounded(directory, name, MAX_BYTES)[0] for name in names}


def _differing(one: Mapping[str, TreeEntry], other: Mapping[str, TreeEntry]) -> set[str]:
    return {name for name in {*one, *other} if one.get(name) != other.get(name)}
