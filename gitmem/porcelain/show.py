"""`git mem show`: one entry, exactly as it is on disk."""

from dataclasses import dataclass

from gitmem.entry.frontmatter import UnreadableEntry
from gitmem.entry.model import Entry
from gitmem.entry.rules import successor
from gitmem.errors import ExitCode, GitMemError
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


def _refusal(workspace: Workspace, entry: Entry) -> str:
    replaced_by = successor(workspace.contents.entries).get(entry.id)
    by = f" by {replaced_by}" if replaced_by else ""
    why = "of a newer schema version" if entry.future else f"{entry.review_state}{by}"
    return f"{entry.id} is {why}: add --include-inactive to see it all the same"
