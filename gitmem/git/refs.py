"""The refs below `refs/mem/`: read as they are, moved by compare-and-swap, never through a symbolic ref.

Where a ref is kept (a file, `packed-refs`, a reftable) is git's business. Only the lock file that a killed git leaves
behind has to be known here, since git never cures that itself.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitmem.errors import GitMemError
from gitmem.git.record import durable
from gitmem.git.run import SHORT_LIMIT, Git, GitFailedError

STORE_REF: Final = "refs/mem/store"
"""The history of the entries: a commit for every write transaction."""

_REASON: Final = "git mem"  # of a reflog's line: it must not name an entry, or forgetting would miss it

# One with the lock that was found, one with another that came meanwhile, one without.
_ATTEMPTS: Final = 3

_FORMAT: Final = "%(refname)%00%(objecttype)%00%(objectname)%00%(tree)"  # the tree makes git read the whole commit


class RefDamagedError(GitMemError):
    """A ref is there, but it names no commit that can be read."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f"the ref {name} is damaged: {detail}: `git mem doctor` tells what can be done")
        self.name = name


class RefMovedError(GitMemError):
    """A ref was not where it was expected: somebody moved, made or deleted it meanwhile. Nothing was changed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the ref {name} was moved by somebody else meanwhile: nothing was changed; try again")
        self.name = name


class RefLockedError(GitMemError):
    """A lock file keeps git from changing a ref. Nothing was changed."""

    def __init__(self, name: str, lock: Path) -> None:
        super().__init__(
            f"the ref {name} cannot be changed while {lock} is there: wait for the git that holds it; "
            "if none runs in this repository, remove the file"
        )
        self.name = name
        self.lock = lock


def read_ref(git: Git, worktree: Path, name: str) -> str | None:
    """Return the full id of the commit that a ref names, None if there is no such ref.

    Raises RefDamagedError where the ref names no commit that can be read; that is also an annotated tag, which no
    compare-and-swap would find again.
    """
    try:
        answer = git.ask("for-each-ref", f"--format={_FORMAT}", name, cwd=worktree)
    except GitFailedError as error:
        raise RefDamagedError(name, "its commit cannot be read") from error
    for line in answer.stdout.decode("utf-8", "surrogateescape").splitlines():
        found, kind, oid, _tree = line.split("\0")
        if found == name:  # and not a ref below a directory of that name
            return _commit(name, kind, oid)
    if any(line.startswith("warning: ") and name in line.split() for line in answer.stderr.splitlines()):
        raise RefDamagedError(name, "it holds no object id")  # git leaves a broken ref out and warns
    return None


def refs_below(git: Git, worktree: Path, prefix: str) -> list[str]:
    """Return the full names of the refs that a prefix names, or that lie below it."""
    return git.ask("for-each-ref", "--format=%(refname)", prefix, cwd=worktree).line().split()


def _commit(name: str, kind: str, oid: str) -> str:
    if kind != "commit":
        raise RefDamagedError(name, f"it names a {kind} instead of a commit")
    return oid


def move_ref(  # noqa: PLR0917 - what and where, from and to
    git: Git, worktree: Path, common_dir: Path, name: str, new: str, old: str | None, *, patience: float
) -> None:
    """Let a ref name the commit `new` if it names `old` now; None means that it must not exist yet.

    `patience` is the time in seconds to wait for a lock file of git's. Raises RefMovedError, RefLockedError,
    RefDamagedError, and GitFailedError for any other reason of git's, such as a hook that refuses.
    """
    _Change(git, worktree, common_dir, name, old, patience).make(name, new, old or "")


def delete_ref(git: Git, worktree: Path, common_dir: Path, name: str, old: str, *, patience: float) -> None:
    """Delete a ref with its reflog if it names `old` now. See move_ref for `patience` and what is raised."""
    _Change(git, worktree, common_dir, name, old, patience).make("-d", name, old)


def forget_reflog(git: Git, worktree: Path, name: str) -> None:
    """Remove all entries of a ref's reflog, which keep what it named before; most refs here have none."""
    if git.ask("reflog", "exists", name, cwd=worktree, accept=(0, 1)).returncode == 0:
        git.ask("reflog", "expire", "--expire=all", "--expire-unreachable=all", name, cwd=worktree)


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of one ref that is at `old`."""

    git: Git
    worktree: Path
    common_dir: Path
    name: str
    old: str | None
    patience: float

    def make(self, *words: str) -> None:
        """Make the change that the words tell `git update-ref`. See move_ref for what is raised."""
        lock = self.common_dir / f"{self.name}.lock"
        packed_lock = self.common_dir / "packed-refs.lock"
        seen = _identity(lock)
        refusal: GitFailedError | None = None
        for _ in range(_ATTEMPTS):
            refusal = self._refusal(words)
            if refusal is None:
                return
            if read_ref(self.git, self.worktree, self.name) != self.old:
                raise RefMovedError(self.name) from refusal
            if _identity(packed_lock) is not None:  # the lock of all refs: any git may hold it, and for long
                raise RefLockedError(self.name, packed_lock) from refusal
            seen = _cured(lock, seen)
        if refusal is not None and seen is None:
            raise refusal
        raise RefLockedError(self.name, lock) from refusal

    def _refusal(self, words: tuple[str, ...]) -> GitFailedError | None:
        """Ask git, which waits for locks itself. Return why it did not make the change, None if it did."""
        waiting = durable(self.git)
        for setting in ("core.filesRefLockTimeout", "core.packedRefsTimeout"):
            waiting = waiting.configured(f"{setting}={int(self.patience * 1000)}")
        ask = ("update-ref", "--no-deref", "-m", _REASON, *words)
        try:
            waiting.ask(*ask, cwd=self.worktree, limit=self.patience + SHORT_LIMIT)
        except GitFailedError as error:
            return error
        return None


def _cured(lock: Path, seen: tuple[int, int] | None) -> tuple[int, int] | None:
    """Remove a lock file that was there all the time; return the identity of one that is there now."""
    found = _identity(lock)
    if found is None or found != seen:
        return found
    # Git holds this lock for milliseconds, and only holders of the writer's lock move this ref: one that outlived
    # our patience was left by a git that was killed.
    with suppress(OSError):
        lock.unlink()
    return _identity(lock)


def _identity(lock: Path) -> tuple[int, int] | None:
    try:
        status = lock.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
