"""Which commit broke a citation: the newest one after which it fails although it held before."""

from collections.abc import Callable

from gitmem.git.objects import ObjectMissingError
from gitmem.git.repository import Repository
from gitmem.git.run import GitFailedError


def find_culprit(
    repository: Repository, path: str, since: str | None, holds: Callable[[str | None], bool]
) -> str | None:
    """Return the newest commit on the way to HEAD that turned a citation of `path` from true to false.

    `holds` says of a blob at the path (None: no file there) whether the citation stands. The search follows
    git's simplified history of the path, so merges count only where they changed the file themselves. None
    where no single commit did it, or where history is not here.
    """
    head = repository.head.oid
    if head is None:
        return None
    start = since if since is not None and _is_here(repository, since) else None
    verdicts: dict[str | None, bool] = {}

    def stands(commit: str) -> bool:
        blob = _blob(repository, commit, path)
        if blob not in verdicts:
            verdicts[blob] = holds(blob)
        return verdicts[blob]

    try:
        for step in repository.path_history(path, since=start, until=head):
            if step.parents and not stands(step.oid) and all(stands(parent) for parent in step.parents):
                return step.oid
    except (ObjectMissingError, GitFailedError):
        return None
    return None


def _is_here(repository: Repository, commit: str) -> bool:
    return repository.objects.kind(commit) is not None


def _blob(repository: Repository, commit: str, path: str) -> str | None:
    entry = repository.objects.find(commit, path)
    return entry.oid if entry is not None and entry.mode & 0o170000 == 0o100000 else None
