"""One repository as seen from one worktree: what was asked once is remembered for the life of a command."""

from collections.abc import Collection
from functools import cached_property

from gitmem.git import checkout, convert, history
from gitmem.git.database import open_database
from gitmem.git.layout import Place
from gitmem.git.objects import ObjectDatabase, ObjectFormat
from gitmem.git.run import Git


class Repository:
    """The questions that a verdict needs answered, bound to the worktree that asks.

    HEAD is read once, so that all verdicts of a command are about the same commit.
    """

    def __init__(self, git: Git, place: Place) -> None:
        self.git = git
        self.place = place

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
    def objects(self) -> ObjectDatabase:
        """The object database, opened when an object is asked for the first time."""
        return open_database(self.place.common_dir, self.object_format)

    def resolve_commit(self, revision: str) -> str:
        """See history.resolve_commit."""
        return history.resolve_commit(self.git, self.place.worktree, revision)

    def expand(self, prefix: str) -> list[str]:
        """See history.expand."""
        return history.expand(self.git, self.place.worktree, prefix)

    def unreachable(self, commits: Collection[str], tip: str) -> set[str]:
        """See history.unreachable."""
        return history.unreachable(self.git, self.place.worktree, commits, tip)

    def in_no_ref(self, commits: Collection[str]) -> set[str]:
        """See history.in_no_ref."""
        return history.in_no_ref(self.git, self.place.worktree, commits)

    def refs_that_contain(self, commit: str) -> list[str]:
        """See history.refs_that_contain."""
        return history.refs_that_contain(self.git, self.place.worktree, commit)

    def path_history(self, path: str, *, since: str | None, until: str) -> list[history.Step]:
        """See history.path_history."""
        return history.path_history(self.git, self.place.worktree, path, since=since, until=until)

    def read_file(self, path: str) -> checkout.FileState:
        """See checkout.read_file."""
        return checkout.read_file(self.place.worktree, path)

    def index_entries(self, paths: Collection[str]) -> dict[str, checkout.IndexEntry]:
        """See checkout.index_entries."""
        return checkout.index_entries(self.git, self.place.worktree, paths)

    def is_clean(self, path: str) -> bool:
        """See checkout.is_clean."""
        return checkout.is_clean(self.git, self.place.worktree, path)

    def ignored(self, paths: Collection[str]) -> set[str]:
        """See checkout.ignored."""
        return checkout.ignored(self.git, self.place.worktree, paths)

    def attributes(self, paths: Collection[str]) -> dict[str, convert.Attributes]:
        """See convert.read_attributes."""
        return convert.read_attributes(self.git, self.place.worktree, paths)
