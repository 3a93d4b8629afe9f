"""`git mem show`: one entry, exactly as it is on disk, or as it was recorded."""

from dataclasses import dataclass

from gitmem.entry.frontmatter import UnreadableEntry
from gitmem.entry.model import Entry
from gitmem.entry.rules import successor
from gitmem.errors import ExitCode, GitMemError
from gitmem.porcelain.version import Past, VersionLine, find_version, line_of
from gitmem.store.read import parse_contents
from gitmem.workspace import Workspace


class InactiveEntryError(GitMemError):
    """The entry is not what holds now; seeing it takes a flag. Exit code 1."""

    exit_code = ExitCode.NO
    label = "error"


class DamagedEntryError(GitMemError):
    """The file of the entry is there, and is no entry."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry and its Markdown. `marker` is the line to put in front of an inactive one."""

    entry: Entry
    markdown: bytes
    marker: str | None


def show(workspace: Workspace, ident: str, *, include_inactive: bool) -> Shown:
    """Return an entry's Markdown.

    Raises InactiveEntryError without `include_inactive`, DamagedEntryError, and what reading the store raises.
    """
    try:
        entry, data = workspace.entry(ident)
    except UnreadableEntry as error:
        message = f"{ident}.md cannot be read: {error.reason}: correct the file, or move it away"
        raise DamagedEntryError(message) from error
    if entry.active:
        return Shown(entry, data, None)
    if not include_inactive:
        raise InactiveEntryError(_refusal(workspace, entry))
    return Shown(entry, data, f"[historical evidence: {entry.review_state}]")


@dataclass(frozen=True, slots=True)
class VersionDocument:
    """A version of an entry as it was recorded."""

    entry: Entry
    version: VersionLine


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A version and its bytes. `entry` is None where they are no entry, `damage` says why.

    `marker` is the line to put in front of what is not what holds now.
    """

    version: VersionLine
    markdown: bytes
    marker: str | None
    entry: Entry | None
    damage: str

    @property
    def document(self) -> VersionDocument:
        """The version as a document. Raises DamagedEntryError where it is no entry."""
        if self.entry is None:
            raise DamagedEntryError(f"that version is no entry: {self.damage}: read it without --json")
        return VersionDocument(self.entry, self.version)


def show_version(past: Past, ident: str, number: int) -> ShownVersion:
    """Return the recorded version `ID@{n}`; it needs no flag, whatever its state. Raises what find_version raises."""
    version = find_version(past, ident, number)
    line = line_of(version)
    data = past.history.read(version)
    parsed = parse_contents({f"{ident}.md": data})
    entry = parsed.entries[0] if parsed.entries else None
    marker = f"version @{{{number}}} of {line.date}"
    present = _present(past, ident, data)
    if present is not None:
        entry, marker = present, str(present.review_state)
    shown = None if present is not None and present.active else f"[historical evidence: {marker}]"
    return ShownVersion(line, data, shown, entry, "".join(bad.reason for bad in parsed.unreadable))


def _present(past: Past, ident: str, data: bytes) -> Entry | None:
    """Return the entry as it is now, if these are the bytes of its file."""
    if past.workspace is None or past.file_now(ident) != data:
        return None
    return next((entry for entry in past.workspace.contents.entries if entry.id == ident), None)


def _refusal(workspace: Workspace, entry: Entry) -> str:
    replaced_by = successor(workspace.contents.entries).get(entry.id)
    by = f" by {replaced_by}" if replaced_by else ""
    why = "of a newer schema version" if entry.future else f"{entry.review_state}{by}"
    return f"{entry.id} is {why}: add --include-inactive to see it all the same"
