"""Where cited content went that is not at its path any more.

A file that is gone, or was rewritten, is followed from rename to rename as git pairs them. Code moves without its file
too: lines of a file that a commit deleted are looked for in the other files that it changed. Where there is no history
to look at, the content itself is looked for.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from gitmem.evidence.citation import Citation, Comparisons, blob_at
from gitmem.evidence.culprit import Question
from gitmem.evidence.elsewhere import find_elsewhere, find_folded, tells
from gitmem.evidence.lines import Comparison
from gitmem.evidence.target import Found, Target, TargetKind, look_at
from gitmem.evidence.verdict import Verdict, verdict_of
from gitmem.git.checkout import FileKind
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError
from gitmem.git.patches import Change
from gitmem.git.run import GitFailedError

_RENAMES: Final = 20  # renames one after the other that are followed
_CANDIDATES: Final = 100  # files of one commit at most that are searched for content which left another


@dataclass(frozen=True, slots=True)
class Lost:
    """A citation whose content is not at its path.

    `broke` is the commit that took it away, None where none is known. `gone` says that there is no file at the path,
    `staged` that only the index or the disk has none.
    """

    citation: Citation
    broke: str | None
    gone: bool
    staged: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """Where what was cited is now, which commit brought it there, and how it compares with what was cited."""

    path: str
    by: str | None
    comparison: Comparison
    found: Found

    @property
    def intact(self) -> bool:
        """Whether what was cited stands there."""
        return verdict_of(self.comparison.reason) is Verdict.CURRENT


class Hop(NamedTuple):
    """A rename: the old path, the commit that renamed the file, and the parent of it that had the file there.

    A rename that is only staged has no commit yet; its parent is the tip.
    """

    path: str
    commit: str | None
    parent: str


@dataclass(frozen=True, slots=True)
class Trail:
    """What following the lost citations came to, by their places among those that were asked for.

    `moved` is where they are, `deleted` the commits that deleted those that are nowhere, `hops` the renames on the way.
    `unknown` are those that could not be followed, because objects are missing; `removed` are the paths of those that
    the tip has under another path, and only the disk or the index has not.
    """

    moved: Mapping[int, Moved]
    deleted: Mapping[int, str]
    hops: Mapping[int, Sequence[Hop]]
    unknown: Collection[int]
    removed: Mapping[int, str]


def follow_all(target: Target, comparisons: Comparisons, lost: Mapping[int, Lost]) -> Trail:
    """Follow the lost citations together: each rename of the way costs one look at history for all."""
    return _Follower(target, comparisons, lost).run()


class _Follower:
    def __init__(self, target: Target, comparisons: Comparisons, lost: Mapping[int, Lost]) -> None:
        self._target = target
        self._repository = target.repository
        self._comparisons = comparisons
        self._lost = lost
        self._moved: dict[int, Moved] = {}
        self._deleted: dict[int, str] = {}
        self._hops: dict[int, list[Hop]] = {}
        self._unknown: set[int] = set()
        self._removed: dict[int, str] = {}
        self._standing: set[tuple[int, str]] = set()  # citations and the paths under which their files are there

    def run(self) -> Trail:
        self._land(self._only_case(), only_intact=True)
        self._land(self._staged({at: one.citation.path for at, one in self._open() if one.staged}))
        waiting = {at: (one.citation.path, one.broke) for at, one in self._open() if one.broke is not None}
        for _round in range(_RENAMES):
            if not waiting:
                break
            waiting = self._follow_once(waiting)
        if self._repository.head.shallow:  # what history cannot tell here, the content has to
            rest = {at: one.citation for at, one in self._open() if one.gone and not one.broke and not one.staged}
            self._land({at: (path, None) for at, path in find_elsewhere(self._target, rest).items()} if rest else {})
        return Trail(self._moved, self._deleted, self._hops, self._unknown, self._removed)

    def _open(self) -> list[tuple[int, Lost]]:
        return [(at, one) for at, one in self._lost.items() if at not in self._moved]

    def _only_case(self) -> dict[int, tuple[str, str | None]]:
        """Return the files whose path differs in the case of letters only."""
        return {
            at: (path, one.broke)
            for at, one in self._open()
            if one.gone
            for path in find_folded(self._target, one.citation.path)
        }

    def _staged(self, paths: Mapping[int, str]) -> dict[int, tuple[str, str | None]]:
        """Return where the index has files that the tip has at the given paths."""
        if not paths or self._target.tip is None or self._target.kind is TargetKind.COMMIT:
            return {}
        try:
            renames = self._repository.index_renames(self._target.tip)
        except GitFailedError:
            return {}
        found = {at: path for at, path in paths.items() if path in renames}
        for at, path in found.items():
            self._hops.setdefault(at, []).append(Hop(path, None, self._target.tip))
        return {at: (renames[path], None) for at, path in found.items()}

    def _follow_once(self, waiting: Mapping[int, tuple[str, str]]) -> dict[int, tuple[str, str]]:
        """Follow one rename of each citation that waits at a path; return those that went on from there."""
        try:
            edges = self._edges(waiting)
            asked = sorted(set(edges.values()))
            renames = dict(zip(asked, self._repository.renamed_by(asked), strict=True))
        except GitFailedError:
            self._unknown |= {at for at in waiting if self._lost[at].gone}
            return {}
        to = {at: renames[edges[at]].pairs.get(path) for at, (path, _) in waiting.items()}
        paired = {at: (path, waiting[at][1]) for at, path in to.items() if path is not None}
        self._land({at: place for at, place in paired.items() if self._lost[at].gone})
        self._land({at: place for at, place in paired.items() if not self._lost[at].gone}, only_intact=True)
        for at, (path, commit) in waiting.items():
            if at in paired:
                self._hops.setdefault(at, []).append(Hop(path, commit, edges[at][1]))
            elif self._lost[at].gone and renames[edges[at]].complete:
                self._deleted[at] = commit
            elif self._lost[at].gone:
                self._unknown.add(at)
        gone = {at: edges[at] for at in waiting if self._lost[at].gone and not self._is_found(at)}
        self._land_scattered({at: edge for at, edge in gone.items() if tells(self._lost[at].citation)})
        onward = {at: place for at, place in paired.items() if (at, place[0]) not in self._standing}
        return self._onward({at: place for at, place in onward.items() if at not in self._moved})

    def _is_found(self, at: int) -> bool:
        return at in self._moved and self._moved[at].intact

    def _edges(self, waiting: Mapping[int, tuple[str, str]]) -> dict[int, tuple[str, str]]:
        """Return for each citation the commit that took it away, and the parent of it that still had its file."""
        parents = self._repository.parents({commit for _, commit in waiting.values()})
        return {
            at: (commit, self._with_file(parents.get(commit, ()), path) or commit)
            for at, (path, commit) in waiting.items()
        }

    def _with_file(self, parents: tuple[str, ...], path: str) -> str | None:
        if len(parents) < 2:
            return next(iter(parents), None)
        return next((parent for parent in parents if blob_at(self._repository, parent, path) is not None), parents[0])

    def _onward(self, paths: Mapping[int, tuple[str, str]]) -> dict[int, tuple[str, str]]:
        """Return which of the new paths lost their file too, and by which commit; renames may be staged only."""
        if not paths or self._target.history is None:
            return {}
        committed = self._target.committed({path for path, _ in paths.values()})
        here = {at: path for at, (path, _) in paths.items() if committed.get(path) is not None}
        self._land(self._staged(here))
        self._removed |= {at: path for at, path in here.items() if at not in self._moved}
        rest = {at: place for at, place in paths.items() if at not in here}
        questions = [Question(path, None, since, is_file) for path, since in rest.values()]
        answers = self._target.history.culprits(questions) if questions else []
        return {
            at: (path, commit)
            for (at, (path, _)), commit in zip(rest.items(), answers, strict=True)
            if commit is not None
        }

    def _land(self, places: Mapping[int, tuple[str, str | None]], *, only_intact: bool = False) -> None:
        """Compare each citation with the file that the target has at its new place, if it has one there."""
        found = look_at(self._target, {path for path, _ in places.values()}) if places else {}
        for at, (path, by) in places.items():
            there = found[path]
            citation = self._lost[at].citation
            if there.kind is FileKind.REGULAR and there.tracked:
                self._standing.add((at, path))
            if there.kind is FileKind.REGULAR and there.tracked and citation.anchored:
                comparison = self._compare(replace(citation, path=path), there)
                moved = None if comparison is None else Moved(path, by, comparison, replace(there, data=b""))
                if moved is not None and (moved.intact or not only_intact):
                    self._moved[at] = moved

    def _compare(self, citation: Citation, found: Found) -> Comparison | None:
        try:
            comparison = self._comparisons.with_content(citation, found.data, found.blob)
        except ObjectDamagedError:
            return None
        return None if verdict_of(comparison.reason) is Verdict.UNVERIFIED else comparison

    def _land_scattered(self, edges: Mapping[int, tuple[str, str]]) -> None:
        """Look for content in the other files of the commit that took it away from its own.

        One place has to have it that did not have it before; a line or two stand in many files by chance.
        """
        asked = sorted(set(edges.values()))
        try:
            changes = dict(zip(asked, self._repository.compare(asked), strict=True))
        except GitFailedError:
            return
        places: dict[int, tuple[str, str | None]] = {}
        for at, edge in edges.items():
            if len(changes[edge]) > _CANDIDATES:
                continue
            citation = self._lost[at].citation
            others = {path: change for path, change in changes[edge].items() if path != citation.path}
            fresh = [path for path, change in others.items() if change.puts_file and self._is_new(citation, change)]
            if len(fresh) == 1:
                places[at] = (fresh[0], edge[0])
        self._land(places, only_intact=True)

    def _is_new(self, citation: Citation, change: Change) -> bool:
        holds = self._comparisons.holds
        try:
            return holds(citation, change.new) and not holds(citation, change.blob_before)
        except (ObjectMissingError, ObjectDamagedError):
            return False


def is_file(blob: str | None) -> bool:
    """Tell whether there is a file, whatever is in it: what a citation holds that only asks for its path."""
    return blob is not None
