"""Whether a commit touches anything that entries cite, as far as the plain list of that tells."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gitmem.git.run import Git

_UNKNOWN: Final = 128  # there is no such commit: a root commit has no parent
_PATHS: Final = ("diff-tree", "-r", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv")
_REVERTS: Final = ("log", "--fixed-strings", "--grep=This reverts commit", "--no-patch", "--format=%B")


def touches_cited(cited: Path, worktree: Path, old: str, environ: Mapping[str, str]) -> bool:
    """Whether the list has a path that differs between an older commit and HEAD, or a revert that is in between.

    True where there is no list, for then nobody knows.
    """
    known = _known(cited)
    if known is None:
        return True
    if not known:
        return False
    git = Git(environ).configured("core.quotePath=true")
    paths = git.ask(*_PATHS, old, "HEAD", "--", cwd=worktree, accept=(0, _UNKNOWN))
    if paths.returncode == _UNKNOWN:
        return not known.isdisjoint(git.ask(*_PATHS, "--root", "HEAD", "--", cwd=worktree).stdout.split(b"\n"))
    reverts = git.ask(*_REVERTS, f"{old}..HEAD", "--", cwd=worktree)
    return not known.isdisjoint([*paths.stdout.split(b"\n"), *reverts.stdout.split(b"\n")])


def cites_commit(cited: Path, commit: str) -> bool:
    """Whether the list has a commit, by its full id; True where there is no list."""
    known = _known(cited)
    return known is None or b"This reverts commit %s." % commit.encode("ascii") in known


def _known(cited: Path) -> set[bytes] | None:
    try:
        return set(cited.read_bytes().split(b"\n")) - {b""}
    except FileNotFoundError:
        return None
