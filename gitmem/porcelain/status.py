"""`git mem status`: the store at a glance."""

from collections.abc import Mapping
from dataclasses import dataclass

from gitmem.entry.model import ReviewState
from gitmem.evidence.judge import judge
from gitmem.git.exclude import Sharing
from gitmem.git.layout import LayoutKind
from gitmem.porcelain.check import CHECKED_STATES, Summary, summarise
from gitmem.store.read import Unreadable
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Status:
    """Counts by state and by verdict, and what cannot be read. `store` is relative to the main checkout."""

    layout: LayoutKind
    store: str
    exists: bool
    sharing: Sharing
    endangered: bool
    states: Mapping[str, int]
    verdicts: Summary
    invalid: tuple[Unreadable, ...]


def status(workspace: Workspace) -> Status:
    """Return the state of the store. Verdicts are counted for the entries that `check` looks at."""
    contents = workspace.contents
    checked = [entry for entry in contents.entries if entry.review_state in CHECKED_STATES]
    return Status(
        layout=workspace.layout.kind,
        store=str(workspace.layout.store_path),
        exists=contents.exists,
        sharing=workspace.sharing(),
        endangered=workspace.endangered,
        states={state: sum(entry.review_state is state for entry in contents.entries) for state in ReviewState},
        verdicts=summarise(judge(workspace.here, checked)),
        invalid=contents.unreadable,
    )
