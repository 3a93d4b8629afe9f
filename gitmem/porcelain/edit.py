"""`git mem edit`: a person changes the text of an entry, which is validated before it replaces anything."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gitmem.entry.dates import normalise_date
from gitmem.entry.fields import text_of
from gitmem.entry.frontmatter import UnreadableEntry, Value, decode, load, split
from gitmem.entry.model import SCHEMA_VERSION, Entry, Kind, ReviewState, SourceType
from gitmem.entry.parse import parse_entry
from gitmem.entry.rules import effective_states, successor
from gitmem.errors import ExitCode, GitMemError
from gitmem.git.editor import EditorInterruptedError, choose_editor, run_editor
from gitmem.porcelain.add import require_person
from gitmem.porcelain.succession import demoted, refuse_circle
from gitmem.storage.directory import FileRefusedError
from gitmem.store.edits import holds_work, is_blank, kept_edits, new_edit, read_as_it_is, read_edit, remove_edit
from gitmem.store.read import NoSuchEntryError, UnknownEntryError, unknown_entry
from gitmem.store.transaction import Deed, EntryChangedError, Replacement
from gitmem.store.view import read_view
from gitmem.workspace import Workspace

_TEXTS: Final = ("schemaVersion", "title", "date", "kind", "reviewState", "supersedes", "decisionKey")
"""The keys that hold one text each and on which other entries, or other people's trust, depend."""

_LISTS: Final = ("tags", "aliases")

_REQUIRED: Final = ("schemaVersion", "title", "date")
"""What stays once it is there."""

_FENCE_LINE: Final = re.compile("^---[ \t]*\r?$", re.MULTILINE)
_VERSION_LINE: Final = re.compile("^schemaVersion[ \t]*:[ \t]*([^\r\n#]*)", re.MULTILINE)


class EditRefusedError(GitMemError):
    """The entry cannot be edited, or the text cannot take its place. Nothing was written."""


class EditInterruptedError(EditRefusedError):
    """A person broke the edit off. Exit code 130."""

    exit_code = ExitCode.INTERRUPTED


@dataclass(frozen=True, slots=True)
class Edited:
    """What became of an edit: whether the entry changed, and whose place it took by that.

    `released` is the entry whose place it gave up, and which stays superseded until somebody says otherwise.
    """

    id: str
    changed: bool
    supersedes: str | None = None
    released: str | None = None


@dataclass(frozen=True, slots=True)
class _Subject:
    """An entry as it is before the edit. `entry` is None, and `values` are empty, where its file cannot be read.

    `heir` is the entry that has its place.
    """

    id: str
    data: bytes
    entry: Entry | None = None
    values: Mapping[str, Value] = field(default_factory=dict)
    heir: str | None = None

    @property
    def version(self) -> Value:
        """What its file says, or seems to say, of its version; None for a legacy file."""
        if self.entry is not None:
            return self.values.get("schemaVersion")
        found = _VERSION_LINE.search("".join(_FENCE_LINE.split(self.data.decode("utf-8"))[:2]))
        return None if found is None else found[1].strip(" \t\"'")


def edit(workspace: Workspace, ident: str, *, at_terminal: bool, tell_kept: Callable[[Sequence[Path]], None]) -> Edited:
    """Let a person edit the text of an entry in git's editor, and put it in the place of the entry, or nothing.

    The lock is not held meanwhile. `tell_kept` gets the texts that earlier edits of the entry left, before the editor
    opens. Raises ReviewBoundaryError, EditorMissingError, and what reading an entry and beginning to write raises,
    before it opens, and EditRefusedError afterwards: what the person wrote is kept then, and the message says where.
    """
    require_person(workspace, "edit an entry", at_terminal=at_terminal)
    _read(workspace, ident)  # refuses before it waits for anybody
    editor = choose_editor(workspace.git, workspace.layout.place.directory)
    state = workspace.place.state
    with workspace.writing():  # what could not be written is refused before anybody types
        before = _read(workspace, ident)
        kept = [left for left in kept_edits(state, ident) if holds_work(left, before.data)]
        path = new_edit(state, ident, before.data)
    with _keeping(state, before, path):
        if kept:
            tell_kept(kept)
        run_editor(workspace.git, editor, workspace.layout.place.directory, path)
        afterwards = Workspace(workspace.git, workspace.layout)
        edited = _finished(afterwards, before, path)
        workspace.removed_by_hand = afterwards.removed_by_hand
    remove_edit(path)
    return edited


@contextmanager
def _keeping(state: Path, before: _Subject, path: Path) -> Iterator[None]:
    """Turn whatever ends the body of the `with` early into an error that says where the person's text is kept."""
    try:
        yield
    except (GitMemError, OSError, KeyboardInterrupt) as error:
        forgotten = read_view(state).is_forgotten(before.id)  # then no text of it may stay, this one neither
        if forgotten or not holds_work(path, before.data):
            remove_edit(path)
            raise
        told = f"{_told(error)}; your text is kept in {path}: take it from there when you edit {before.id} again"
        interrupted = isinstance(error, KeyboardInterrupt | EditorInterruptedError)
        raise EditInterruptedError(told) if interrupted else EditRefusedError(told) from error


def _told(error: BaseException) -> str:
    if isinstance(error, GitMemError):
        return error.message
    if isinstance(error, OSError):
        name = f": {error.filename}" if error.filename else ""
        return f"{(error.strerror or str(error)).lower()}{name}"
    return "interrupted"


def _read(workspace: Workspace, ident: str) -> _Subject:
    """Return an entry that can be edited; one whose file only has to be mended too."""
    try:
        entry, data = workspace.entry(ident)
    except NoSuchEntryError as error:
        workspace.refuse_vanished()
        raise unknown_entry(ident) from error
    except FileRefusedError as error:
        raise _uneditable(ident, error.reason) from error
    except UnreadableEntry:
        found = _broken(workspace, ident)
    else:
        heir = successor(workspace.contents.entries).get(ident)
        found = _Subject(ident, data, entry, {} if entry.future else _values(data), heir)
    if (found.entry is not None and found.entry.future) or found.version not in (None, str(SCHEMA_VERSION)):
        raise EditRefusedError(f"{ident} was written by another version of git mem: edit it with that one")
    return found


def _broken(workspace: Workspace, ident: str) -> _Subject:
    try:
        data = read_as_it_is(workspace.place, ident)
        data.decode("utf-8")
    except FileRefusedError as error:
        raise _uneditable(ident, error.reason) from error
    except UnicodeDecodeError as error:
        raise _uneditable(ident, f"not UTF-8: byte {error.start + 1}") from error
    return _Subject(ident, data)


def _uneditable(ident: str, reason: str) -> EditRefusedError:
    return EditRefusedError(f"{ident}.md cannot be edited: {reason}: correct the file, or move it away")


def _values(data: bytes) -> Mapping[str, Value]:
    return load(split(decode(data))).values


def _finished(workspace: Workspace, before: _Subject, path: Path) -> Edited:
    """Write what the editor left, if it is other than before; nothing decided before the lock counts."""
    try:
        data = read_edit(path)
    except FileRefusedError as error:
        raise EditRefusedError(f"the text cannot be read: {error.reason}: correct it") from error
    return _replaced(workspace, before, data, "edit")


def replace_text(workspace: Workspace, ident: str, data: bytes, verb: str) -> Edited:
    """Put a text in the place of an entry's as an edit would, by the same rules; `verb` is what that is called.

    Raises what `edit` raises.
    """
    return _replaced(workspace, _read(workspace, ident), data, verb)


def _replaced(workspace: Workspace, before: _Subject, data: bytes, verb: str) -> Edited:
    if data == before.data:
        return Edited(before.id, changed=False)
    after = _validated(before, data)
    with workspace.writing():
        _refuse_changed(workspace, before)
        demotions = _demotions(workspace, before, after)
        changes = [Replacement(before.id, before.data, data), *demotions]
        workspace.transact(Deed(verb=verb, replacements=changes, idents=[before.id]))
    had = None if before.entry is None else before.entry.supersedes
    released = had if had != after.supersedes else None
    taken = after.supersedes if demotions else None
    return Edited(before.id, changed=True, supersedes=taken, released=released)


def _validated(before: _Subject, data: bytes) -> Entry:
    """Return the entry that a text is. Raises EditRefusedError with all that is wrong with it."""
    if is_blank(data):
        raise EditRefusedError(f"the text is empty, so {before.id} stays as it was: `git mem forget` removes an entry")
    try:
        values = _values(data)
    except UnreadableEntry as error:
        raise EditRefusedError(f"the text is no entry: {error.reason}: correct it") from error
    faults = [
        *_faults_of_form(before, values),
        *_faults_of_value(values),
        *_faults_of_lists(before, values),
        *_faults_of_state(before, values),
    ]
    if faults:
        raise EditRefusedError("; ".join(faults))
    return parse_entry(before.id, data, fallback_date="" if before.entry is None else before.entry.date)


def _faults_of_form(before: _Subject, values: Mapping[str, Value]) -> Iterator[str]:
    """Yield what is missing that was there, and what has a form that no value of these keys has."""
    version = values.get("schemaVersion")
    if "schemaVersion" in values and version != str(SCHEMA_VERSION):
        yield f"`schemaVersion` is {_shown(version)}, not {SCHEMA_VERSION}: leave it as it was"
    had = {*before.values, *(() if before.version is None else ("schemaVersion",))}
    for key in _TEXTS:
        if isinstance(values.get(key), list | dict):
            yield f"`{key}` is not one text: write it on one line"
        if key in _REQUIRED and key in had and key not in values:
            yield f"`{key}` is missing: put its line back"


def _faults_of_value(values: Mapping[str, Value]) -> Iterator[str]:
    """Yield what the values of the keys that are there cannot be."""
    if "title" in values and text_of(values["title"]) is None:
        yield "`title` is empty: give the entry one"
    if "date" in values and normalise_date(text_of(values["date"]) or "") is None:
        yield f"`date` is {_shown(values['date'])}, which is no date: write it like 2026-08-31T14:00:00Z"
    if "kind" in values and values["kind"] not in list(Kind):
        yield f"`kind` is {_shown(values['kind'])}: it must be one of {', '.join(Kind)}"


def _faults_of_lists(before: _Subject, values: Mapping[str, Value]) -> Iterator[str]:
    """Yield what is wrong with lists that were changed; what was odd before is not this person's doing."""
    changed = {key: value for key, value in values.items() if value != before.values.get(key)}
    for key in _LISTS:
        if key in changed and not _is_list_of_texts(changed[key]):
            yield f'`{key}` is no list of texts: write it like ["one","two"]'
    if "sourceRefs" in changed and not _are_source_refs(changed["sourceRefs"]):
        yield (
            "`sourceRefs` is no list of references: each needs an `id` and a `sourceType`, which is one of "
            f"{', '.join(SourceType)}"
        )


def _is_list_of_texts(value: Value) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _are_source_refs(value: Value) -> bool:
    return value is None or (isinstance(value, list) and all(map(_is_source_ref, value)))


def _is_source_ref(value: Value) -> bool:
    return isinstance(value, dict) and value.get("sourceType") in list(SourceType) and bool(text_of(value.get("id")))


def _faults_of_state(before: _Subject, values: Mapping[str, Value]) -> Iterator[str]:
    """Yield what is wrong with the reviewState.

    Of what the tool sets, a person may turn reviewed into stale, and superseded into reviewed where nothing supersedes.
    """
    now, written = _own_state(values), values.get("reviewState")
    if before.entry is None:
        if now is None and written is not None:
            yield f"`reviewState` is {_shown(written)}: it must be one of {', '.join(ReviewState)}"
        return
    then = _own_state(before.values)
    same = (now or ReviewState.STALE) is (then or ReviewState.STALE)
    known = now is not None or written in (None, before.values.get("reviewState"))
    if same and known:
        return
    if (then, now) == (ReviewState.REVIEWED, ReviewState.STALE):
        return
    if (then, now) == (ReviewState.SUPERSEDED, ReviewState.REVIEWED) and before.heir is None:
        return  # no entry has its place any more
    told = "is missing" if written is None else f"cannot become {_shown(written)} by editing"
    yield f"`reviewState` {told}: {_verb_for(before.id, then, now)}"


def _own_state(values: Mapping[str, Value]) -> ReviewState | None:
    """Return what a file says of itself, None for what is unknown and so reads as stale. The kind is another matter."""
    legacy = "schemaVersion" not in values
    value = values.get("reviewState", ReviewState.REVIEWED.value if legacy else None)
    return ReviewState(value) if isinstance(value, str) and value in list(ReviewState) else None


def _verb_for(ident: str, then: ReviewState | None, now: ReviewState | None) -> str:
    leave = f"leave it {then or 'as it was'}"
    if now is ReviewState.SUPERSEDED:
        return f"{leave}, and let another entry take its place with `git mem supersede {ident} --by NEW`"
    if now is ReviewState.REVIEWED and then is not ReviewState.SUPERSEDED:
        return f"{leave}, and say that it holds with `git mem confirm {ident}`"
    return leave


def _shown(value: Value) -> str:
    return f"'{value}'" if isinstance(value, str) and value else "empty" if not value else "a list"


def _refuse_changed(workspace: Workspace, before: _Subject) -> None:
    """Raise EntryChangedError where the entry is not what the person began with any more."""
    ident = before.id
    try:
        now = _read(workspace, ident)
    except UnknownEntryError as error:
        raise EntryChangedError(f"{ident} was removed meanwhile, so nothing was written") from error
    if now.data == before.data:
        return
    by = successor(workspace.contents.entries).get(ident)
    was_replaced = before.entry is not None and before.entry.review_state is ReviewState.SUPERSEDED
    told = f"was superseded by {by}" if by is not None and not was_replaced else "changed"
    raise EntryChangedError(f"{ident} {told} meanwhile, so nothing was written")


def _demotions(workspace: Workspace, before: _Subject, after: Entry) -> list[Replacement]:
    """Return the change to the entry whose place the edited one takes by its new text, if there is such a one.

    Raises what the rules of succession refuse.
    """
    target = after.supersedes
    if target is None:
        return []
    others = {entry.id: entry for entry in workspace.contents.entries if entry.id != after.id}
    replaced = others.get(target)
    new = before.entry is None or target != before.entry.supersedes
    if new:
        refuse_circle(others.values(), after.id, target)
    if not new or _was_replaced_by_a_broken_one(before, replaced, others):
        _refuse_key_that_departs(before, after, replaced)
        return []
    if replaced is not None:
        _refuse_other_key(replaced, after)
    _refuse_inactive(after, others)
    return [demoted(workspace, target, after.decision_key)]


def _was_replaced_by_a_broken_one(before: _Subject, replaced: Entry | None, others: Mapping[str, Entry]) -> bool:
    """Whether a file that could not be read may have named this entry all the time: nobody else took its place."""
    if before.entry is not None or replaced is None:
        return False
    return replaced.review_state is ReviewState.SUPERSEDED and replaced.id not in successor(others.values())


def _refuse_key_that_departs(before: _Subject, after: Entry, replaced: Entry | None) -> None:
    had = None if before.entry is None else before.entry.decision_key
    if replaced is not None and replaced.decision_key and after.decision_key != had:
        _refuse_other_key(replaced, after)


def _refuse_other_key(old: Entry, new: Entry) -> None:
    if (old.decision_key or None) == (new.decision_key or None):
        return
    have = {entry.id: f"'{entry.decision_key}'" if entry.decision_key else "none" for entry in (old, new)}
    raise EditRefusedError(
        f"`decisionKey` is {have[new.id]}, but {old.id}, which it supersedes, has {have[old.id]}: write the same"
    )


def _refuse_inactive(after: Entry, others: Mapping[str, Entry]) -> None:
    state = effective_states([*others.values(), after])[after.id]
    if state is not ReviewState.REVIEWED:
        raise EditRefusedError(
            f"{after.id} is {state}, and only an entry that is reviewed takes another's place: leave `supersedes` out"
        )
