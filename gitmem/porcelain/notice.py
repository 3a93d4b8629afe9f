"""What a commit made stale, in one line: for the hook that runs while the person still looks."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Final

from gitmem.entry.model import Entry
from gitmem.evidence.judge import judge
from gitmem.evidence.target import commit_of
from gitmem.evidence.verdict import Verdict
from gitmem.git.history import RevisionError
from gitmem.git.patches import compare
from gitmem.text import counted, visible_line
from gitmem.workspace import Workspace

_NAMED: Final = 3  # entries
_TITLE: Final = 60  # characters


@dataclass(frozen=True, slots=True)
class Notice:
    """The entries that became stale, by id."""

    entries: tuple[Entry, ...]

    def line(self) -> str:
        """Return what is said of them; an empty string where nothing is to be said."""
        if not self.entries:
            return ""
        titles = [shorten(visible_line(entry.title), _TITLE, placeholder="…") for entry in self.entries[:_NAMED]]
        more = [f"and {len(self.entries) - _NAMED} more"] if len(self.entries) > _NAMED else []
        told = "; ".join([*titles, *more])
        return f"git mem: {counted(len(self.entries))} became stale: {told} (see `git mem check`)"


def notice(workspace: Workspace, old: str | None, new: str) -> Notice:
    """Return the active entries that are stale at a commit and were not at an older one; None stands for no commit.

    Only those are looked at whose evidence the commits in between touch. What the working tree holds does not count.
    Raises RevisionError.
    """
    if not workspace.settings.hook_notice:
        return Notice(())
    repository = workspace.repository
    tip = repository.resolve_commit(new)
    base = None if old is None else repository.resolve_commit(old)
    changes = compare(workspace.git, workspace.layout.worktree, [(tip,) if base is None else (tip, base)])[0]
    undone = [revert.target for revert in repository.reverts(tip, [] if base is None else [base])]
    return _became_stale(workspace, [*changes, *undone], base, tip)


def notice_of_amendment(workspace: Workspace, old: str) -> Notice:
    """Return the active entries that cite a commit, and that its amendment made stale. Raises RevisionError."""
    if not workspace.settings.hook_notice:
        return Notice(())
    return _became_stale(workspace, [old], old, workspace.repository.resolve_commit("HEAD"))


def parent_of(workspace: Workspace, commit: str) -> str | None:
    """Return the first parent of a commit, None if it has none that is here."""
    try:
        return workspace.repository.resolve_commit(f"{commit}^")
    except RevisionError:
        return None


def _became_stale(workspace: Workspace, cited: Sequence[str], base: str | None, tip: str) -> Notice:
    fresh = _stale_at(workspace, tip, _citing(workspace, cited))
    before = {entry.id for entry in _stale_at(workspace, base, fresh)} if base is not None else set()
    return Notice(tuple(entry for entry in fresh if entry.id not in before))


def _citing(workspace: Workspace, cited: Sequence[str]) -> list[Entry]:
    workspace.settle()
    return workspace.index.ask(lambda index, load: [load(known) for known in index.citing(cited)])


def _stale_at(workspace: Workspace, commit: str, entries: Sequence[Entry]) -> list[Entry]:
    if not entries:
        return []
    target = commit_of(workspace.repository, commit, workspace.history_cache)
    return [found.entry for found in judge(target, entries) if found.verdict is Verdict.STALE]
