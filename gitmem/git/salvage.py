"""Refs whose history is damaged: how far it can be read, and how they make room for another one.

Git refuses to move or delete some of them, so this goes other ways than `gitmem.git.refs`.
"""

from dataclasses import dataclass
from pathlib import Path

from gitmem.git.record import durable
from gitmem.git.refs import refs_below
from gitmem.git.run import LONG_LIMIT, Git, GitFailedError

_NOWHERE = "refs/mem/nowhere"


@dataclass(frozen=True, slots=True)
class SetAside:
    """What a ref named, None if no object id, and the ref that names it now, None if git knows no such commit."""

    oid: str | None
    kept_as: str | None


def what_is_lost(git: Git, worktree: Path, commit: str, *, partial: bool) -> str | None:
    """Return what of a history cannot be read, in a few words, None if nothing: its commits, and all of the newest.

    Objects are looked for and not verified, so that it takes no longer than a log. In a `partial` repository a remote
    promises contents, which are not missed then.
    """
    try:
        git.ask("rev-list", "--count", commit, cwd=worktree, limit=LONG_LIMIT)
        ask = ("rev-list", "--objects", "--no-walk", "--missing=print", commit)
        told = git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).line().split("\n")
    except GitFailedError:
        return "commits are lost or damaged"
    missing = [line[1:] for line in told if line.startswith("?")]
    return f"objects of it are lost: {len(missing)}" if missing and not partial else None


def set_aside(git: Git, worktree: Path, name: str, below: str) -> SetAside:
    """Remove a ref whatever it holds; a commit that it names is named by a new ref `<below><n>`, n from 1, from now on.

    The caller sees to it that nobody else moves the ref. Raises GitFailedError.
    """
    oid = git.ask("rev-parse", "--verify", "--quiet", name, cwd=worktree, accept=(0, 1)).line() or None
    kept_as = None if oid is None else _keep(git, worktree, oid, below)
    # A symbolic ref may take the place of one that holds no object id; without this git would not delete that.
    durable(git).ask("symbolic-ref", name, _NOWHERE, cwd=worktree)
    durable(git).ask("update-ref", "--no-deref", "-d", name, cwd=worktree)
    return SetAside(oid, kept_as)


def _keep(git: Git, worktree: Path, oid: str, below: str) -> str | None:
    taken = set(refs_below(git, worktree, below))
    name = next(name for number in range(1, len(taken) + 2) if (name := f"{below}{number}") not in taken)
    try:
        durable(git).ask("update-ref", "--no-deref", name, oid, "", cwd=worktree)
    except GitFailedError:
        return None  # git lets no ref name what is not there
    return name
