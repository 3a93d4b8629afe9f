"""`git mem work`: does what hooks asked for, once for each worktree, however often it was asked for."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitmem.entry.model import SourceType
from gitmem.errors import GitMemError
from gitmem.git.exclude import Sharing
from gitmem.git.rewritten import read_rewritten
from gitmem.git.run import LOCATION_VARIABLES
from gitmem.porcelain.placing import catch_up
from gitmem.porcelain.relink import relink
from gitmem.storage.lock import LockedError, writer_lock
from gitmem.storage.spool import SPOOL, Spool
from gitmem.workspace import Workspace, open_workspace

LOCK: Final = "worker.lock"
"""The name of the worker's lock beside the writer's: one worker at a time."""

_SETTLED: Final = 0.5  # seconds without another mark of the same name; a rebase makes one for each commit
_AT: Final = "@"


@dataclass(frozen=True, slots=True)
class Worked:
    """How many jobs were done and failed, and how many wait still; `elsewhere` says that another worker is at them."""

    done: int = 0
    failed: int = 0
    waiting: int = 0
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Pace:
    """The clock that a worker goes by, in Unix seconds, and how it waits.

    It ends at `deadline`, or when there was nothing to do for `idle` seconds. A mark must be `settled` seconds old.
    """

    now: Callable[[], float]
    wait: Callable[[float], None]
    deadline: float
    idle: float = 0.0
    settled: float = 0.0


def spool_of(workspace: Workspace) -> Spool:
    """Return the spool of a repository."""
    return Spool(workspace.state / SPOOL)


def work(workspace: Workspace, environ: Mapping[str, str], pace: Pace) -> Worked:
    """Do what is waiting, of all worktrees, until there is nothing, or no more time.

    A job that fails is noted and tried again when it is asked for again. `environ` is the caller's environment.
    """
    spool = spool_of(workspace)
    if not spool.directory.is_dir():
        return Worked()
    try:
        with writer_lock(workspace.state / LOCK, max(pace.deadline - pace.now(), 0.0) if pace.idle == 0 else 0.0):
            return _Worker(workspace, spool, environ, pace).run()
    except LockedError:
        return Worked(waiting=len(spool.jobs()), elsewhere=True)


class _Worker:
    """The one worker of a repository."""

    def __init__(self, workspace: Workspace, spool: Spool, environ: Mapping[str, str], pace: Pace) -> None:
        self._workspace = workspace
        self._spool = spool
        self._environ = {name: value for name, value in environ.items() if name not in LOCATION_VARIABLES}
        self._pace = pace
        self._done = self._failed = 0

    def run(self) -> Worked:
        """Work until nothing has been asked for in a while."""
        pace, last = self._pace, self._pace.now()
        while pace.now() <= pace.deadline:
            since = pace.now() - pace.settled if pace.settled else None
            names = self._spool.waiting(quiet_since=since)
            for name in names:
                if pace.now() <= pace.deadline:
                    self._do(name)
            if names or self._spool.waiting():
                last = pace.now()
            elif pace.now() - last >= pace.idle:
                break
            if pace.settled:
                pace.wait(pace.settled)
        return Worked(self._done, self._failed, len(self._spool.waiting()))

    def _do(self, name: str) -> None:
        self._spool.take(name)
        try:
            kind, _, worktree = name.partition(_AT)
            job, place = _JOBS.get(kind), self._worktree(worktree)
            if job is not None and place is not None:
                job(open_workspace(place, self._environ))
        except (GitMemError, OSError) as error:
            self._spool.fail(name, type(error).__name__)
            self._failed += 1
        else:
            self._spool.finish(name)
            self._done += 1

    def _worktree(self, name: str) -> Path | None:
        """Return the top of a worktree: of the main one, or of the linked one of this name. None if it is gone."""
        layout = self._workspace.layout
        if not name:
            return layout.main
        git_dir = layout.place.common_dir / "worktrees" / Path(name).name
        try:
            pointer = os.fsdecode((git_dir / "gitdir").read_bytes().removesuffix(b"\n"))
        except OSError:
            return None
        top = Path(os.path.normpath(git_dir / pointer)).parent
        return top if top.is_dir() else None


def _follow(workspace: Workspace) -> None:
    """Bring what is derived up to date with the store and with HEAD."""
    workspace.note_cited()
    catch_up(workspace)


def _relink(workspace: Workspace) -> None:
    """Let entries follow the commits that were rewritten.

    The files of a tracked store are a checkout's, and a rebase may be at work on that: they are left alone, and judged
    by the record of the rewrite all the same.
    """
    if workspace.sharing() is not Sharing.PRIVATE:
        return
    rewritten = read_rewritten(workspace.layout.place.common_dir)
    for entry in workspace.contents.entries:
        cited = {ref.id.lower() for ref in entry.source_refs if ref.source_type == SourceType.COMMIT}
        if entry.active and not cited.isdisjoint(rewritten):
            with suppress(LockedError):
                relink(workspace, [entry.id], dry_run=False)


_JOBS: Final[Mapping[str, Callable[[Workspace], None]]] = {"follow": _follow, "relink": _relink}
