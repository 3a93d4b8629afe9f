"""Which commit broke a citation: the newest one after which it fails although it held before."""

from collections.abc import Callable, Sequence

from gitmem.git.history import Step
from gitmem.git.objects import ObjectDamagedError, ObjectKind, ObjectMissingError, file_at
from gitmem.git.repository import Repository
from gitmem.git.run import GitFailedError


def find_culprit(
    repository: Repository, path: str, since: str | None, holds: Callable[[str | None], bool]
) -> str | None:
    """Return the newest commit that turned a citation of `path` from true to false, for good.

    `holds` says of a blob at the path (None: no file there) whether the citation stands; it may raise
    ObjectMissingError where it cannot tell. The search goes back from HEAD over commits in which the citation
    fails, along git's simplified history of the path, so merges count only where they changed the file
    themselves. None where no single commit did it, or where history is not here.
    """
    head = repository.head.oid
    if head is None:
        return None
    verdicts: dict[str | None, bool] = {}

    def stands(commit: str) -> bool:
        blob = file_at(repository.objects, commit, path)
        if blob not in verdicts:
            verdicts[blob] = holds(blob)
        return verdicts[blob]

    try:
        steps = repository.path_history(path, since=_known(repository, since), until=head)
        return _last_break(steps, stands)
    except (ObjectMissingError, ObjectDamagedError, GitFailedError):
        return None


def _last_break(steps: Sequence[Step], stands: Callable[[str], bool]) -> str | None:
    failing = {steps[0].oid} if steps else set()
    for step in steps:  # a commit comes before its parents
        if step.oid in failing and not stands(step.oid):
            broken = {parent for parent in step.parents if not stands(parent)}
            if step.parents and not broken:
                return step.oid
            failing |= broken
    return None


def _known(repository: Repository, commit: str | None) -> str | None:
    return commit if commit is not None and repository.objects.kind(commit) is ObjectKind.COMMIT else None
