"""The file index of a repository as one worktree sees it: where it is kept, and how it is asked and changed."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

from gitmem.errors import GitMemError
from gitmem.progress import Progress, silent
from gitmem.search.analysis import Analyser
from gitmem.search.files import (
    APPLICATION,
    SCHEMA,
    Counts,
    FilePostings,
    Standing,
    counts,
    is_mined,
    listed,
    standing_of,
    uncommitted,
)
from gitmem.search.filing import Change, Load, change, forget_worktrees, worktree_of
from gitmem.storage.db import Connection, DatabaseError, is_damage
from gitmem.storage.live import LiveDatabase
from gitmem.storage.lock import LockedError, LockRefusedError

FILES: Final = "files.sqlite"
"""The name of the file index beside that of the entries: derived, and never needed."""

_MINED: Final = "mined"
_TOKEN: Final = "worktree"  # noqa: S105 - the name of a file
_MAIN: Final = "."


class FilesNotKeptError(GitMemError):
    """The file index cannot be written. What it was is as it was."""


@dataclass(frozen=True)
class View:
    """The file index at one moment, for one worktree; `standing` is None where nothing is known of that.

    `mined` says whether all files of some worktree were read.
    """

    connection: Connection
    analyser: Analyser
    standing: Standing | None
    mined: bool

    @cached_property
    def listed(self) -> dict[str, str | None]:
        """The blob of each path that is known, None for one that is left out and has none."""
        return {} if self.standing is None else listed(self.connection, self.standing.number)

    @property
    def uncommitted(self) -> set[str]:
        """The paths whose content was read from disk and is not that of the commit."""
        return set() if self.standing is None else uncommitted(self.connection, self.standing.number)

    @cached_property
    def postings(self) -> FilePostings:
        """The postings of what this worktree has."""
        number = -1 if self.standing is None else self.standing.number
        return FilePostings(self.connection, self.analyser, number)

    @property
    def counts(self) -> Counts:
        """How many files are searched, and how many are left out."""
        return Counts(0, 0, {}) if self.standing is None else counts(self.connection, self.standing.number)


Plan: TypeAlias = Callable[[View], Change | None]
"""What is to be changed, from what is there; None for nothing."""


@dataclass(frozen=True)
class ProjectFiles:
    """The file index kept in `state`, for the worktree of a git dir; `patience` is in seconds.

    `load` returns the content of a blob of the repository, None where it is missing.
    """

    state: Path
    git_dir: Path
    common_dir: Path
    patience: float
    load: Load

    @cached_property
    def analyser(self) -> Analyser:
        """Cuts texts into words."""
        return Analyser()

    @property
    def _database(self) -> LiveDatabase:
        return LiveDatabase(self.state / FILES, APPLICATION, SCHEMA)

    @property
    def _name(self) -> str:
        return _MAIN if self.git_dir == self.common_dir else self.git_dir.name

    @property
    def lost(self) -> bool:
        """Whether all files were read once, and there is no index of them that can be believed."""
        if not (self.state / _MINED).exists():
            return False
        with self.reading() as view:
            return view is None or not view.mined

    @contextmanager
    def reading(self) -> Iterator[View | None]:
        """See the index as it is for the body of the `with`; None if there is none that can be believed."""
        with self._database.reading() as connection:
            view = None
            with suppress(DatabaseError):  # whoever changes it next begins anew
                view = None if connection is None else self._view(connection, self._token())
            yield view

    def change(self, plan: Plan, told: Progress = silent, *, patience: float | None = None) -> int:
        """Change the index as planned, whole or not at all; return how many placed files can be searched.

        Raises LockedError after `patience` seconds, FilesNotKeptError, and what the plan raises.
        """
        patience = self.patience if patience is None else patience
        try:
            try:
                return self._change(plan, told, patience)
            except DatabaseError as error:
                if not is_damage(error):
                    raise
                self._database.discard(patience)
                return self._change(plan, told, patience)
        except (OSError, DatabaseError) as error:
            told_why = error.strerror if isinstance(error, OSError) else str(error)
            message = f"the file index in {self.state} cannot be written: {(told_why or str(error)).lower()}"
            raise FilesNotKeptError(f"{message}: make room for it, or look at its permissions") from error

    def _change(self, plan: Plan, told: Progress, patience: float) -> int:
        token = self._made_token()
        with self._database.writing(patience) as connection:
            return self._carry_out(connection, token, plan, told)

    def discard(self) -> None:
        """Remove an index that turned out to be damaged. Raises LockedError, and OSError where the disk refuses."""
        self._database.discard(self.patience)

    @contextmanager
    def changed(self, plan: Plan, told: Progress = silent) -> Iterator[View]:
        """See the index for the body of the `with` as it is when changed.

        In memory only, if no disk takes it, or if somebody else is at work on it: a reader waits for nobody.
        """
        try:
            self.change(plan, told, patience=0.0)
        except (LockedError, LockRefusedError, FilesNotKeptError):
            with self._database.imagining() as connection:
                token = self._token() or _new_token()
                self._carry_out(connection, token, plan, told)
                yield self._view(connection, token)
            return
        with self.reading() as view:
            if view is None:  # removed in this instant
                raise FilesNotKeptError(f"the file index in {self.state} vanished: try again")
            yield view

    def _carry_out(self, connection: Connection, token: str, plan: Plan, told: Progress) -> int:
        forget_worktrees(connection, self._worktrees())
        what = plan(self._view(connection, token))
        if what is None:
            return 0
        if what.whole:
            with suppress(OSError):
                (self.state / _MINED).touch()
        number = worktree_of(connection, self._name, token)
        return change(connection, self.analyser, number, what, self.load, told)

    def _view(self, connection: Connection, token: str | None) -> View:
        standing = None if token is None else standing_of(connection, self._name, token)
        return View(connection, self.analyser, standing, is_mined(connection))

    def _worktrees(self) -> list[str]:
        linked = self.common_dir / "worktrees"
        return [_MAIN, *(sorted(path.name for path in linked.iterdir()) if linked.is_dir() else [])]

    @property
    def _token_path(self) -> Path:
        return self.git_dir / "mem" / _TOKEN

    def _token(self) -> str | None:
        """Return what tells this worktree from another one that had its name."""
        try:
            return self._token_path.read_text("ascii")
        except (OSError, ValueError):
            return None

    def _made_token(self) -> str:
        known = self._token()
        if known:
            return known
        self._token_path.parent.mkdir(exist_ok=True)
        token = _new_token()
        self._token_path.write_text(token, "ascii")
        return token


def _new_token() -> str:
    return secrets.token_hex(8)
