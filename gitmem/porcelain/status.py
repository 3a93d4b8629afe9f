"""`git mem status`: the store at a glance."""

from collections.abc import Mapping
from dataclasses import dataclass

from gitmem.entry.model import ReviewState
from gitmem.evidence.judge import judge
from gitmem.git.exclude import Sharing
from gitmem.git.layout import LayoutKind
from gitmem.git.refs import RefDamagedError
from gitmem.git.run import GitFailedError
from gitmem.porcelain.check import CHECKED_STATES, Summary, summarise
from gitmem.search.keep import IndexState
from gitmem.storage.journal import JournalDamagedError
from gitmem.store.history import committed_at, iso_date
from gitmem.store.lost import ByHand, edits_by_hand
from gitmem.store.place import StorePlace
from gitmem.store.read import Unreadable
from gitmem.store.recording import Tip, read_tip
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class History:
    """What is recorded: `kept` says whether writing records anything, `damaged` that the history cannot be read.

    `tip` is the newest commit, `date` when it was made, `entries` how many it has.
    """

    kept: bool
    damaged: bool = False
    tip: str | None = None
    date: str | None = None
    entries: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """Counts by state and by verdict, and what cannot be read. `store` is relative to the main checkout.

    `vanished`: the directory is gone although entries are recorded. `pending`: a transaction is decided and could not
    be carried out yet. `index` is what there is of the index for searches. `by_hand` is what the history does not have
    yet.
    """

    layout: LayoutKind
    store: str
    exists: bool
    vanished: bool
    sharing: Sharing
    endangered: bool
    states: Mapping[str, int]
    verdicts: Summary
    invalid: tuple[Unreadable, ...]
    pending: bool
    index: IndexState
    history: History
    by_hand: ByHand


def status(workspace: Workspace) -> Status:
    """Return the state of the store. Verdicts are counted for the entries that `check` looks at."""
    contents = workspace.contents
    checked = [entry for entry in contents.entries if entry.review_state in CHECKED_STATES]
    tip, history = look_at_history(workspace.place)
    return Status(
        layout=workspace.layout.kind,
        store=str(workspace.layout.store_path),
        exists=contents.exists,
        vanished=not contents.exists and history.entries > 0 and workspace.place.recorded_here,
        sharing=workspace.sharing(),
        endangered=workspace.endangered,
        states={state: sum(entry.review_state is state for entry in contents.entries) for state in ReviewState},
        verdicts=summarise(judge(workspace.here, checked)),
        invalid=contents.unreadable,
        pending=_is_pending(workspace.place),
        index=workspace.index.look(),
        history=history,
        by_hand=what_was_done_by_hand(workspace.place, tip),
    )


def look_at_history(place: StorePlace) -> tuple[Tip | None, History]:
    """Return the newest recorded state, None where it cannot be read, and what there is to say of it."""
    try:
        tip = read_tip(place)
        date = None if tip.commit is None else iso_date(committed_at(place.git, place.worktree, tip.commit))
    except (RefDamagedError, GitFailedError):
        return None, History(kept=place.recorded, damaged=True)
    return tip, History(place.recorded, damaged=False, tip=tip.commit, date=date, entries=len(tip.files))


def what_was_done_by_hand(place: StorePlace, tip: Tip | None) -> ByHand:
    """Return what people did to the files since the newest recorded state; nothing where nothing is recorded."""
    if tip is None or tip.commit is None or not place.recorded:
        return ByHand()
    return edits_by_hand(place, tip)


def _is_pending(place: StorePlace) -> bool:
    try:
        return place.journal.pending() is not None
    except JournalDamagedError:
        return True
