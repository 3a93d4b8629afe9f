"""One repository as seen from one worktree: what was asked once is remembered for the life of a command."""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Final

from gitmem.git import checkout, convert, history, ignore, patches, rewritten, trees
from gitmem.git.alternates import object_directories
from gitmem.git.commit_graph import CommitGraph, has_commit_graph, open_commit_graph
from gitmem.git.database import open_database
from gitmem.git.layout import Place
from gitmem.git.objects import ObjectDamagedError, ObjectDatabase, ObjectFormat, ObjectKind, TreeEntry
from gitmem.git.reach import reached_in_graph
from gitmem.git.run import Git
from gitmem.progress import Progress, silent

_LONG: Final = 20_000  # commits from which it pays to start two processes


class Repository:
    """The questions that a verdict needs answered, bound to the worktree that asks.

    HEAD is read once, so that all verdicts of a command are about the same commit.
    """

    def __init__(self, git: Git, place: Place) -> None:
        self.git = git
        self.place = place
        self.progress: Progress = silent

    @property
    def object_format(self) -> ObjectFormat:
        """The hash that names objects here."""
        return self.place.own.object_format

    @property
    def partial(self) -> bool:
        """Whether objects may be promised by a remote instead of being here."""
        return self.place.own.partial

    @cached_property
    def head(self) -> history.Head:
        """The commit that this worktree stands on."""
        return history.read_head(self.git, self.place.worktree)

    @cached_property
    def cut(self) -> frozenset[str]:
        """The commits behind which a shallow history ends: their parents are not here."""
        return history.read_cut(self.git, self.place.worktree) if self.head.shallow else frozenset()

    @cached_property
    def objects(self) -> ObjectDatabase:
        """The object database, opened when an object is asked for the first time."""
        return open_database(self.place.common_dir, self.object_format)

    def resolve_commit(self, revision: str) -> str:
        """See history.resolve_commit."""
        return history.resolve_commit(self.git, self.place.worktree, revision)

    def expand(self, prefix: str) -> list[str]:
        """See history.expand."""
        return history.expand(self.git, self.place.worktree, prefix)

    @cached_property
    def graph(self) -> CommitGraph | None:
        """The commit-graph, where there is one that holds here: git too lays it aside where history is cut short."""
        if self.head.shallow or not self.place.own.commit_graph:
            return None
        directories = object_directories(self.place.common_dir)
        found = open_commit_graph(directories, self.object_format)
        if found is None and has_commit_graph(directories):
            self.git = self.git.configured("core.commitGraph=false")  # git would believe the damaged one
        return found

    @property
    def _walking(self) -> Git:
        """Git for questions about history: it is told to lay a damaged commit-graph aside."""
        _ = self.graph
        return self.git

    def reached(self, commits: Collection[str], tip: str) -> set[str] | None:
        """Return those of the commits, here or not, that the tip reaches; None where only git can tell."""
        if self.graph is None:
            return None
        return reached_in_graph(self.git, self.place.worktree, self.graph, commits, tip)

    def unreachable(self, commits: Collection[str], tip: str) -> set[str]:
        """Return those of the commits, all of them here, that the tip does not reach."""
        reached = self.reached(commits, tip)
        if reached is not None:
            return set(commits) - reached
        return history.unreachable(self._walking, self.place.worktree, commits, tip)

    def in_no_ref(self, commits: Collection[str]) -> set[str]:
        """See history.in_no_ref."""
        return history.in_no_ref(self._walking, self.place.worktree, commits)

    def refs_that_contain(self, commits: Collection[str], tip: str) -> dict[str, list[str]]:
        """See history.refs_that_contain."""
        return history.refs_that_contain(self._walking, self.place.worktree, commits, tip)

    def reverts(self, tip: str, excluded: Sequence[str] = ()) -> list[history.Revert]:
        """See history.reverts."""
        return history.reverts(self._walking, self.place.worktree, tip, excluded)

    def halves(self, tip: str) -> list[tuple[str, list[str]]]:
        """Return the history of a tip as parts that two processes can look through at once, the newer one first.

        Each is a tip and what its part leaves out. A short history, or one that git has to read to split it, is one.
        """
        if self.graph is None or len(self.graph) < _LONG:
            return [(tip, [])]
        middle = history.halfway(self._walking, self.place.worktree, tip)
        return [(tip, [])] if middle is None else [(tip, [middle]), (middle, [])]

    def between(self, old: str, new: str, limit: int) -> history.Between | None:
        """See history.between."""
        return history.between(self._walking, self.place.worktree, old, new, limit)

    def paths_touched(self, old: str, new: str) -> set[str]:
        """See history.paths_touched."""
        return history.paths_touched(self._walking, self.place.worktree, old, new)

    def commits_here(self, oids: Collection[str]) -> set[str]:
        """Return those of the full ids that are commits of this repository."""
        if self.partial:  # git would give up at the first one that is not here
            return {oid for oid in oids if self._is_commit(oid)}
        return history.commits_here(self.git, self.place.worktree, oids)

    def _is_commit(self, oid: str) -> bool:
        try:
            return self.objects.kind(oid) is ObjectKind.COMMIT
        except ObjectDamagedError:
            return False

    def parents(self, commits: Collection[str]) -> dict[str, tuple[str, ...]]:
        """See history.parents."""
        return history.parents(self._walking, self.place.worktree, commits)

    def describe(self, commit: str) -> history.CommitLine:
        """See history.describe."""
        return history.describe(self.git, self.place.worktree, commit)

    def oldest_first(self, commits: Collection[str], tip: str) -> list[str]:
        """See history.oldest_first."""
        return history.oldest_first(self._walking, self.place.worktree, commits, tip)

    def outside(self, included: str, excluded: str) -> set[str]:
        """See history.outside."""
        return history.outside(self._walking, self.place.worktree, included, excluded)

    def is_ancestor(self, commit: str, descendant: str) -> bool:
        """See history.is_ancestor."""
        return history.is_ancestor(self._walking, self.place.worktree, commit, descendant)

    def common_ancestors(self, commits: Collection[str], tip: str) -> list[str]:
        """See history.common_ancestors."""
        return history.common_ancestors(self._walking, self.place.worktree, commits, tip)

    def merge_base(self, one: str, other: str) -> str | None:
        """See history.merge_base."""
        return history.merge_base(self._walking, self.place.worktree, one, other)

    def rewritten(self) -> dict[str, list[str]]:
        """See rewritten.read_rewritten."""
        return rewritten.read_rewritten(self.place.common_dir)

    def changes(self, commits: Sequence[str]) -> dict[str, patches.Changes]:
        """See patches.read_changes."""
        return patches.read_changes(self._walking, self.place.worktree, commits)

    def compare(self, pairs: Sequence[tuple[str, ...]]) -> list[dict[str, patches.Change]]:
        """See patches.compare."""
        return patches.compare(self._walking, self.place.worktree, pairs)

    def touching(self, paths: Collection[str], tip: str, excluded: Sequence[str]) -> list[str]:
        """See patches.touching."""
        return patches.touching(self._walking, self.place.worktree, tip, excluded, paths)

    def patch_ids(self, commits: Collection[str]) -> dict[str, str]:
        """See patches.patch_ids."""
        return patches.patch_ids(self._walking, self.place.worktree, commits)

    def tree_entries(self, commit: str, paths: Collection[str]) -> dict[str, TreeEntry]:
        """See trees.tree_entries."""
        return trees.tree_entries(self.git, self.place.worktree, commit, paths)

    def list_tree(self, commit: str) -> dict[str, TreeEntry]:
        """See trees.list_tree."""
        return trees.list_tree(self.git, self.place.worktree, commit)

    def path_history(self, paths: Collection[str], tip: str, excluded: Sequence[str]) -> trees.PathHistory:
        """See trees.path_history."""
        return trees.path_history(self._walking, self.place.worktree, tip, excluded, paths)

    def renamed_by(self, pairs: Sequence[tuple[str, str]]) -> list[trees.Renames]:
        """See trees.renamed_by."""
        return trees.renamed_by(self._walking, self.place.worktree, pairs)

    def list_index(self) -> dict[str, checkout.IndexEntry]:
        """See checkout.list_index."""
        return checkout.list_index(self.git, self.place.worktree)

    def index_renames(self, commit: str) -> dict[str, str]:
        """See checkout.index_renames."""
        return checkout.index_renames(self.git, self.place.worktree, commit)

    def read_files(self, paths: Iterable[str]) -> dict[str, checkout.FileState]:
        """See checkout.read_files."""
        return checkout.read_files(self.place.worktree, paths)

    def index_entries(self, paths: Collection[str]) -> dict[str, checkout.IndexEntry]:
        """See checkout.index_entries."""
        return checkout.index_entries(self.git, self.place.worktree, paths)

    def is_clean(self, path: str) -> bool:
        """Whether the index recorded a file as it is; see checkout.unchanged_by_stat."""
        return bool(checkout.unchanged_by_stat(self.git, self.place.worktree, [path]))

    def ignored(self, paths: Collection[str]) -> set[str]:
        """See ignore.ignored."""
        return ignore.ignored(self.git, self.place.worktree, paths)

    def attributes(self, paths: Collection[str]) -> dict[str, convert.Attributes]:
        """See convert.read_attributes."""
        return convert.read_attributes(self.git, self.place.worktree, paths)
