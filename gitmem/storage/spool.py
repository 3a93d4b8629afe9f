"""The spool: what is to be done later, as files that hooks make. The same thing asked for twice is one job.

A hook has only sh, and makes a mark: an empty file whose name says what is to be done, and for which worktree. A mark
is taken by renaming it, so what is asked for meanwhile makes another one; what a killed worker left is taken again.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

SPOOL: Final = "spool"
"""The name of the directory beside the lock."""

_RUNNING: Final = ".running-"
_FAILED: Final = ".failed-"
_DONE: Final = ".done"
_FAILURE_LIMIT: Final = 1000  # bytes


class JobState(StrEnum):
    """Where a job stands. What is done is counted only."""

    QUEUED = "queued"
    RUNNING = "running"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Job:
    """One job: its name, how often it was tried in vain, and the class of the last error."""

    name: str
    state: JobState
    attempts: int = 0
    error_class: str | None = None


@dataclass(frozen=True, slots=True)
class Spool:
    """The jobs in a directory. Marks are made by anybody, all else is done by the one worker."""

    directory: Path

    def ask(self, name: str) -> None:
        """Ask for a job. Raises OSError."""
        (self.directory / name).touch()

    def jobs(self) -> list[Job]:
        """Return all jobs, by name; one that failed and was asked for again is queued."""
        names = self._names()
        found = {name: Job(name, JobState.QUEUED, *self._failure(name)) for name in names if not name.startswith(".")}
        for name in self._behind(names, _FAILED):
            found.setdefault(name, Job(name, JobState.FAILED, *self._failure(name)))
        for name in self._behind(names, _RUNNING):
            found[name] = Job(name, JobState.RUNNING, *self._failure(name))
        return [found[name] for name in sorted(found)]

    @property
    def done(self) -> int:
        """How many jobs were done, ever."""
        try:
            return int((self.directory / _DONE).read_text("ascii"))
        except (OSError, ValueError):
            return 0

    def waiting(self, *, quiet_since: float | None = None) -> list[str]:
        """Return the names of what can be done now, in order; what a killed worker left among it.

        A mark that was made after `quiet_since`, in Unix seconds, may be one of many that come, and waits.
        """
        names = self._names()
        marks = [name for name in names if not name.startswith(".") and self._is_quiet(name, quiet_since)]
        return sorted({*marks, *self._behind(names, _RUNNING)})

    def retry(self) -> None:
        """Ask again for what failed."""
        for name in self._behind(self._names(), _FAILED):
            self.ask(name)

    def take(self, name: str) -> None:
        """Begin a job. What is asked for from now on is another one."""
        with suppress(FileNotFoundError):  # a killed worker took it
            (self.directory / name).rename(self.directory / (_RUNNING + name))

    def finish(self, name: str) -> None:
        """Count a job as done."""
        (self.directory / _DONE).write_text(str(self.done + 1), "ascii")
        for prefix in (_RUNNING, _FAILED):
            (self.directory / (prefix + name)).unlink(missing_ok=True)

    def fail(self, name: str, error_class: str) -> None:
        """Note that a job failed. It is tried again when it is asked for again."""
        attempts, _ = self._failure(name)
        record = {"attempts": attempts + 1, "errorClass": error_class}
        (self.directory / (_FAILED + name)).write_text(json.dumps(record), "ascii")
        (self.directory / (_RUNNING + name)).unlink(missing_ok=True)

    def _names(self) -> list[str]:
        try:
            return [path.name for path in self.directory.iterdir()]
        except OSError:
            return []

    @staticmethod
    def _behind(names: Sequence[str], prefix: str) -> list[str]:
        return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]

    def _is_quiet(self, name: str, since: float | None) -> bool:
        try:
            return since is None or (self.directory / name).stat().st_mtime <= since
        except FileNotFoundError:
            return False

    def _failure(self, name: str) -> tuple[int, str | None]:
        try:
            record = json.loads((self.directory / (_FAILED + name)).read_bytes()[:_FAILURE_LIMIT])
            return int(record["attempts"]), str(record["errorClass"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return 0, None
