"""What a cited path must be before anything is read: relative, inside the worktree, outside `.git`."""

from typing import Final

from gitmem.evidence.verdict import Finding, Reason

_LONGEST: Final = 4096  # PATH_MAX: no file has a longer path, and git could not be asked about it


def normalise(path: str) -> str | Finding:
    """Return a POSIX path relative to the worktree root in its plain form, or the finding that refuses it."""
    if not path or "\0" in path or not _is_name(path):
        return Finding(Reason.PATH_MALFORMED, "the path is empty or cannot name a file: correct the sourceRef")
    if path.startswith("/"):
        return Finding(Reason.PATH_ABSOLUTE, "the path is absolute: cite it relative to the worktree's top")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        return Finding(Reason.PATH_ESCAPES, "the path holds '..': cite it relative to the worktree's top")
    if ".git" in (part.lower() for part in parts):
        return Finding(Reason.PATH_IN_GITDIR, "the path lies in .git, which is no part of the project")
    if not parts:
        return Finding(Reason.PATH_MALFORMED, "the path names no file: correct the sourceRef")
    return "/".join(parts)


def _is_name(path: str) -> bool:
    try:
        return len(path.encode("utf-8")) <= _LONGEST
    except UnicodeEncodeError:
        return False
