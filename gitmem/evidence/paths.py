"""What a cited path must be before anything is read, told as a finding on the sourceRef."""

from typing import Final

from gitmem.evidence.verdict import Finding, Reason
from gitmem.git.paths import PathFault, plain_path

_FINDINGS: Final = {
    PathFault.MALFORMED: Finding(
        Reason.PATH_MALFORMED, "the path is empty or cannot name a file: correct the sourceRef"
    ),
    PathFault.ABSOLUTE: Finding(Reason.PATH_ABSOLUTE, "the path is absolute: cite it relative to the worktree's top"),
    PathFault.ESCAPES: Finding(Reason.PATH_ESCAPES, "the path holds '..': cite it relative to the worktree's top"),
    PathFault.IN_GITDIR: Finding(Reason.PATH_IN_GITDIR, "the path lies in .git, which is no part of the project"),
}


def normalise(path: str) -> str | Finding:
    """Return a POSIX path relative to the worktree root in its plain form, or the finding that refuses it.

    An entry is UTF-8, so that a path in it is too.
    """
    found = plain_path(path) if _is_text(path) else PathFault.MALFORMED
    return _FINDINGS[found] if isinstance(found, PathFault) else found


def _is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
