"""`git mem jobs`: what hooks asked for and is not done yet."""

from dataclasses import dataclass

from gitmem.porcelain.work import spool_of
from gitmem.storage.spool import JobState
from gitmem.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job: what it does, where it stands, how often it was tried in vain, and the class of the last error."""

    id: str
    kind: str
    state: JobState
    attempts: int
    error_class: str | None


@dataclass(frozen=True, slots=True)
class Jobs:
    """The jobs that are not done, by id, and how many were done, ever."""

    jobs: tuple[ListedJob, ...]
    done: int


def jobs(workspace: Workspace) -> Jobs:
    """Return the jobs of all worktrees."""
    spool = spool_of(workspace)
    found = (
        ListedJob(job.name, job.name.partition("@")[0], job.state, job.attempts, job.error_class)
        for job in spool.jobs()
    )
    return Jobs(tuple(found), spool.done)
