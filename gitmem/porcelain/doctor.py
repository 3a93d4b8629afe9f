"""`git mem doctor`: says what is wrong and what mends it, and mends what needs nobody's decision."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from gitmem.entry.rules import SUFFIX
from gitmem.errors import ExitCode
from gitmem.git.record import write_blobs
from gitmem.git.refs import STORE_REF
from gitmem.git.run import GitFailedError
from gitmem.git.salvage import set_aside, what_is_lost
from gitmem.porcelain.checkup import DAMAGED_REFS, FIX, REINDEX, RESTORE, Check, CheckState, checkup, places_of_litter
from gitmem.porcelain.reindex import reindex
from gitmem.porcelain.restore import restore
from gitmem.porcelain.status import look_at_history
from gitmem.storage.directory import opened_directory
from gitmem.storage.files import remove_litter
from gitmem.storage.journal import JournalDamagedError, Record
from gitmem.store.place import StorePlace
from gitmem.store.recording import look_at_files, message_of, record_state
from gitmem.store.recovery import recover
from gitmem.store.salvage import set_journal_aside
from gitmem.text import counted
from gitmem.workspace import EndangeredStoreError, Workspace


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What came of all checks."""

    checks: tuple[Check, ...]

    @property
    def exit_code(self) -> ExitCode:
        """0 where nothing is wrong, 1 where something is, after what could be mended was."""
        return ExitCode.NO if any(check.state is CheckState.WRONG for check in self.checks) else ExitCode.DONE


def doctor(workspace: Workspace, *, fix: bool) -> Diagnosis:
    """Check everything. With `fix` mend what can be mended without a person's decision, and check again.

    No file that is there is changed or removed for it, but what killed writers left behind.
    """
    found = checkup(workspace)
    if not fix or not any(_mendable(check) for check in found):
        return Diagnosis(found)
    mended = list(_mend(workspace, {check.name for check in found if _mendable(check)}))
    workspace.reread()
    return Diagnosis(tuple(_merged(checkup(workspace), mended)))


def _mendable(check: Check) -> bool:
    wrong = check.state is CheckState.WRONG
    if check.name in {"journal", "history"}:
        return wrong and check.remedy == FIX
    if check.name in {"store", "hand-edits"}:
        return wrong and check.remedy == RESTORE
    return (check.name == "litter" or check.remedy == REINDEX) and check.state is CheckState.INFO


def _mend(workspace: Workspace, names: set[str]) -> Iterator[Check]:
    """Mend what was found, in the order in which one thing needs another. Raises LockedError and OSError."""
    with workspace.locked():
        for name, mend in _MENDERS.items():
            if name in names:
                yield from (Check(name, CheckState.MENDED, message) for message in mend(workspace))
    for name in sorted({"store", "hand-edits"} & names):
        yield from (Check(name, CheckState.MENDED, message) for message in _bring_all_back(workspace))
    if "index" in names:
        yield Check("index", CheckState.MENDED, f"it was made anew, of {counted(reindex(workspace).entries)}")


def _merged(checks: Iterable[Check], mended: Iterable[Check]) -> Iterator[Check]:
    """Yield the checks, and what was mended before what is left to say of the same thing."""
    done: dict[str, list[Check]] = {}
    for check in mended:
        done.setdefault(check.name, []).append(check)
    for check in checks:
        told = done.pop(check.name, [])
        yield from told
        if not told or check.state is not CheckState.OK:
            yield check


def _mend_journal(workspace: Workspace) -> Iterator[str]:
    place = workspace.place
    try:
        record = place.journal.pending()
    except JournalDamagedError:
        kept = set_journal_aside(place)
        became = "held nothing that is not in the store: removed" if kept is None else f"holds texts: it is {kept} now"
        yield f"it was damaged and {became}"
        return
    if record is not None and _finish(place, record):
        yield "the last write is finished"


def _finish(place: StorePlace, record: Record) -> bool:
    try:
        return recover(place)
    except GitFailedError:
        if record.forget or record.commit is None:
            raise
    # The commit that was made for it is no more: what is in the store then is recorded anew.
    place.journal.decide(replace(record, commit=None))
    return recover(place)


def _mend_history(workspace: Workspace) -> Iterator[str]:
    place = workspace.place
    with opened_directory(place.root, place.path) as directory:
        if directory is None:
            return
        files = look_at_files(place, directory).files
    if _heal(place, [name for name, entry in files.items() if entry.is_file], partial=workspace.repository.partial):
        yield "what was lost of it was still in the store"
        return
    aside = set_aside(place.git, place.worktree, STORE_REF, DAMAGED_REFS)
    if place.recorded:
        recover(place)
        idents = sorted(name.removesuffix(SUFFIX) for name in files)
        record_state(place, message_of("record", idents, workspace.repository.head.oid))
    named = "named no commit" if aside.oid is None else f"named {aside.oid}, which is lost"
    yield f"it was damaged, and begins anew; the old one {f'is {aside.kept_as} now' if aside.kept_as else named}"


def _heal(place: StorePlace, names: Sequence[str], *, partial: bool) -> bool:
    """Store the contents of the store once more: perhaps nothing else of the history is lost."""
    tip, _ = look_at_history(place)
    if tip is None or tip.commit is None:
        return False
    write_blobs(place.git, place.worktree, place.root / place.path, names)
    return what_is_lost(place.git, place.worktree, tip.commit, partial=partial) is None


def _remove_litter(workspace: Workspace) -> Iterator[str]:
    for root, path in places_of_litter(workspace):
        with opened_directory(root, path) as directory:
            if directory is not None:
                remove_litter(directory)
    yield "what a killed writer left behind is removed"


def _bring_all_back(workspace: Workspace) -> Iterator[str]:
    with suppress(EndangeredStoreError):  # which has a check of its own
        restored = restore(workspace, (), dry_run=False)
        if restored.entries:
            yield f"restored {len(restored.entries)} of {len(restored.entries) + len(restored.unreadable)} entries"


_MENDERS: Final[Mapping[str, Callable[[Workspace], Iterator[str]]]] = {
    "journal": _mend_journal,
    "history": _mend_history,
    "litter": _remove_litter,
}
