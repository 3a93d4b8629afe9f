"""Under which id a commit is in history now: rebased, cherry-picked, squashed, or amended.

The same stable patch-id means the same change. A squash is one commit in which all that another did landed too:
each run of lines that it took out or put in, in the same file.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitmem.evidence.lines import Run, changed_runs, framed, joined, split_lines, stands_in
from gitmem.git.objects import ObjectDamagedError, ObjectKind, ObjectMissingError, is_file, is_submodule
from gitmem.git.patches import Change, Changes
from gitmem.git.repository import Repository
from gitmem.git.run import GitFailedError
from gitmem.text.content import is_binary

_NOTHING: Final = "0"


@dataclass(frozen=True, slots=True)
class Landing:
    """The commits of the tip's history in which another one's change is, the oldest first.

    `same` have its very patch, `squashes` more than that. `unknown` says that objects are missing to tell.
    """

    same: tuple[str, ...] = ()
    squashes: tuple[str, ...] = ()
    unknown: bool = False


def find_landings(
    repository: Repository, tip: str, commits: Collection[str], excluded: Sequence[str] | None = None
) -> dict[str, Landing]:
    """Say for each commit that the tip does not reach, or that was undone there, where its change is. One walk for all.

    Merges, and commits that changed nothing, are in no other commit. What the `excluded` commits reach is not looked
    at: by default what the tip and all the commits have in common.
    """
    ordered = sorted(commits)
    try:
        changes = {oid: found for oid, found in _own_changes(repository, ordered).items() if found}
        if excluded is None:
            excluded = repository.common_ancestors(list(changes), tip) if changes else []
        paths = {path for found in changes.values() for path in found}
        near = (
            [oid for oid in repository.touching(paths, tip, excluded) if oid not in repository.cut] if changes else []
        )
        candidates = dict(reversed(repository.changes(near).items()))
    except GitFailedError:
        return dict.fromkeys(ordered, Landing(unknown=True))
    by_path: dict[str, set[str]] = {}
    for oid, found in candidates.items():
        for path in found:
            by_path.setdefault(path, set()).add(oid)
    wide = {oid: _touching_all(found, by_path) - {oid} for oid, found in changes.items()}
    order = {oid: place for place, oid in enumerate(candidates)}
    considered = {oid: sorted(found, key=order.__getitem__) for oid, found in wide.items() if found}
    twins = _twins(repository, changes, candidates, considered)
    contents = _Contents(repository)
    return {
        oid: _landing(contents, oid, changes[oid], candidates, considered.get(oid, ()), twins.get(oid, ()))
        if oid in changes
        else Landing()
        for oid in ordered
    }


def _own_changes(repository: Repository, commits: Sequence[str]) -> Mapping[str, Changes]:
    """Return what each commit changed; one whose parents are cut off by a shallow clone cannot be compared."""
    parents = repository.parents(commits)
    whole = [oid for oid in commits if oid in parents and len(parents[oid]) < 2]
    return repository.changes([oid for oid in whole if oid not in repository.cut])


def _touching_all(changes: Changes, by_path: Mapping[str, set[str]]) -> set[str]:
    """Return the candidates that touched each path of a change."""
    sets = sorted((by_path.get(path, set()) for path in changes), key=len)
    found = set(sets[0])
    for other in sets[1:]:
        found &= other
    return found


def _twins(
    repository: Repository,
    changes: Mapping[str, Changes],
    candidates: Mapping[str, Changes],
    considered: Mapping[str, Sequence[str]],
) -> dict[str, list[str]]:
    """Return the candidates with the same patch as each commit: by their blobs, or by their patch-ids."""
    alike = {
        oid: [other for other in others if candidates[other].keys() == changes[oid].keys()]
        for oid, others in considered.items()
    }
    compared = {oid for oid, others in alike.items() for _ in others} | {o for others in alike.values() for o in others}
    patches = _patch_ids(repository, {oid: changes.get(oid) or candidates[oid] for oid in compared})
    return {
        oid: [other for other in others if _same(changes[oid], candidates[other], patches.get(oid), patches.get(other))]
        for oid, others in alike.items()
    }


def _same(one: Changes, other: Changes, patch: str | None, other_patch: str | None) -> bool:
    return one == other or (patch is not None and patch == other_patch)


def _patch_ids(repository: Repository, changes: Mapping[str, Changes]) -> Mapping[str, str]:
    readable = [oid for oid, found in changes.items() if all(_is_here(repository, change) for change in found.values())]
    try:
        return repository.patch_ids(readable)
    except GitFailedError:
        return {}


def _is_here(repository: Repository, change: Change) -> bool:
    try:
        return all(not oid.strip(_NOTHING) or repository.objects.kind(oid) is not None for oid in _blobs(change))
    except ObjectDamagedError:
        return False


def _blobs(change: Change) -> Iterator[str]:
    for mode, oid in ((change.old_mode, change.old), (change.new_mode, change.new)):
        if not is_submodule(mode):  # a submodule's commit is in another repository
            yield oid


def _landing(  # noqa: PLR0917 - private, called once
    contents: "_Contents",
    commit: str,
    changes: Changes,
    candidates: Mapping[str, Changes],
    considered: Sequence[str],
    same: Sequence[str],
) -> Landing:
    is_ancestor = contents.repository.is_ancestor
    # What a commit was built upon is not where it landed.
    twins = tuple(oid for oid in same if not is_ancestor(oid, commit))
    if twins or not considered:
        return Landing(twins)
    if not all(_is_here(contents.repository, change) for change in changes.values()):
        return Landing(unknown=True)
    found = (oid for oid in considered if oid not in same and _contains(contents, candidates[oid], changes))
    return Landing((), tuple(oid for oid in found if not is_ancestor(oid, commit)))


def _contains(contents: "_Contents", whole: Changes, part: Changes) -> bool:
    try:
        found = [_landed(contents, change, whole[path]) for path, change in part.items()]
    except (ObjectMissingError, ObjectDamagedError):
        return False
    return all(landed is not None for landed in found) and any(found)


def _landed(contents: "_Contents", part: Change, whole: Change) -> bool | None:
    """Tell whether what happened to one path happened in another commit too: None if not, False if it says little.

    Blank lines and lone brackets are put in and taken out everywhere; they say nothing by themselves.
    """
    if part.new_mode not in {part.old_mode, whole.new_mode} or not _are_files(part, whole):
        return True if part == whole else None
    if part.new == whole.new:
        return True
    if part.old == part.new:  # executable now, or not any more
        return True
    runs = contents.runs(part.old, part.new)
    before, now = contents.lines(whole.old), contents.lines(whole.new)
    if whole.puts_file != part.puts_file or runs is None or before is None or now is None:
        return None  # binary: only the same content is the same
    old_text, new_text = joined(framed(before)), joined(framed(now))
    if not all(_is_put(run, old_text, new_text) for run in runs) or not _are_taken(runs, before, now):
        return None
    return any(_tells(line) for run in runs for line in (*run.taken, *run.put))


def _is_put(run: Run, before: bytes, now: bytes) -> bool:
    """Tell whether the lines of a run stand beside the same line above or below, now and not before.

    The ends of a file are lines too here.
    """
    above, below = run.around
    windows = [[above, *run.put], [*run.put, below]] if run.put else [[above, below]]
    return any(stands_in(window, now) and not stands_in(window, before) for window in windows)


def _are_taken(runs: Sequence[Run], before: list[bytes], now: list[bytes]) -> bool:
    """Tell whether all that the runs took out was taken out between two contents."""
    wanted = [run.taken for run in runs if run.taken]
    taken = [joined(run.taken) for run in changed_runs(before, now)] if wanted else []
    return all(any(stands_in(block, out) for out in taken) for block in wanted)


class _Contents:
    """Blobs as lines, and what two of them differ by: one change is compared with many."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._runs: dict[tuple[str, str], list[Run] | None] = {}

    def lines(self, blob: str) -> list[bytes] | None:
        """Return the lines of a blob, none of no blob, None of a binary one. Raises ObjectMissingError."""
        if not blob.strip(_NOTHING):
            return []
        if self.repository.objects.kind(blob) is not ObjectKind.BLOB:
            raise ObjectMissingError(blob)
        data = self.repository.objects.blob(blob)
        return None if is_binary(data) else split_lines(data)

    def runs(self, old: str, new: str) -> list[Run] | None:
        """Return the runs by which two blobs differ, None where one is binary. Raises ObjectMissingError."""
        if (old, new) not in self._runs:
            before, now = self.lines(old), self.lines(new)
            self._runs[old, new] = None if before is None or now is None else changed_runs(before, now)
        return self._runs[old, new]


def _are_files(part: Change, whole: Change) -> bool:
    modes = (part.old_mode, part.new_mode, whole.old_mode, whole.new_mode)
    return all(mode == 0 or is_file(mode) for mode in modes)


def _tells(line: bytes) -> bool:
    return any(byte in _WORD for byte in line) or any(byte > 0x7F for byte in line)


_WORD: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
