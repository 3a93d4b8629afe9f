"""Questions about commits: HEAD, names, what is reachable from where. Each for all ids together.

Git answers them, because it uses the commit-graph and knows where a shallow history is cut. Ids are full
lower-case hex; callers check that before git sees them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from gitmem.errors import GitMemError
from gitmem.git.run import LONG_LIMIT, Git

# Refs that hold a commit without anybody working on it, or that are derived: they keep nothing "alive".
_NOT_A_LINE_OF_WORK: Final = ("refs/stash", "refs/mem/*", "refs/notes/*", "refs/replace/*")


class RevisionError(GitMemError):
    """A name that git cannot resolve to a commit."""


@dataclass(frozen=True, slots=True)
class Head:
    """The commit that a worktree stands on, None while its branch is unborn, and whether history is cut short."""

    oid: str | None
    shallow: bool


class Step(NamedTuple):
    """A commit that changed a path, and the commits before it in the history of that path."""

    oid: str
    parents: tuple[str, ...]


def read_head(git: Git, worktree: Path) -> Head:
    """Return the HEAD of a worktree. Linked worktrees share the main one's shallow file, as git says."""
    shallow = git.ask("rev-parse", "--is-shallow-repository", cwd=worktree).line() == "true"
    # Not `HEAD^{commit}`: a branch whose commit is lost is damage, to be named by whoever reads it, and not unborn.
    answer = git.ask("rev-parse", "--verify", "--quiet", "HEAD", cwd=worktree, accept=(0, 1, 128))
    return Head(answer.line() or None, shallow)


def resolve_commit(git: Git, worktree: Path, revision: str) -> str:
    """Return the full id of the commit that a revision names, as git resolves it (gitrevisions).

    Raises RevisionError.
    """
    # In two steps: behind `:/words`, a `^{commit}` would be one more word. `^main` is a range for git.
    named = _verified(git, worktree, revision)
    commit = _verified(git, worktree, f"{named}^{{commit}}") if named and not named.startswith("^") else None
    if commit is None:
        raise RevisionError(f"no commit is named '{revision}': look with `git log`, or fetch it")
    return commit


def _verified(git: Git, worktree: Path, revision: str) -> str | None:
    ask = ("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
    answer = git.ask(*ask, cwd=worktree, accept=(0, 1, 128))
    return answer.line() if answer.returncode == 0 else None


def expand(git: Git, worktree: Path, prefix: str) -> list[str]:
    """Return the ids of all objects that begin with a prefix of at least 4 hex digits, sorted.

    The prefix is an object name only: a branch of the same name does not count.
    """
    answer = git.ask("rev-parse", f"--disambiguate={prefix}", cwd=worktree)
    return sorted(answer.line().split())


def unreachable(git: Git, worktree: Path, commits: Collection[str], tip: str) -> set[str]:
    """Return those of the commits that are not ancestors of the tip, nor the tip itself."""
    feed = "".join(f"{oid}\n" for oid in sorted(commits)) + f"^{tip}\n"
    return _listed(git, worktree, ["--stdin"], feed) & set(commits)


def in_no_ref(git: Git, worktree: Path, commits: Collection[str]) -> set[str]:
    """Return those of the commits that no branch, tag, remote branch or worktree's HEAD contains.

    The stash, notes and this program's own refs do not count: they hold what nobody works on.
    """
    feed = "".join(f"{oid}\n" for oid in sorted(commits))
    excluded = [f"--exclude={pattern}" for pattern in _NOT_A_LINE_OF_WORK]
    # `--not` behind `--stdin`, so that it cannot apply to what is fed, whatever the version of git.
    return _listed(git, worktree, ["--ignore-missing", "--stdin", "--not", *excluded, "--all"], feed) & set(commits)


def refs_that_contain(git: Git, worktree: Path, commit: str, limit: int = 5) -> list[str]:
    """Return the full names of up to `limit` refs that contain a commit, in git's order."""
    ask = ("for-each-ref", f"--contains={commit}", "--format=%(refname)")
    names = git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).line().split("\n")
    prefixes = tuple(pattern.removesuffix("*") for pattern in _NOT_A_LINE_OF_WORK)
    return [name for name in names if name and not name.startswith(prefixes)][:limit]


def path_history(git: Git, worktree: Path, path: str, *, since: str | None, until: str) -> list[Step]:
    """Return the commits reachable from `until` but not from `since` that changed a path, newest first.

    Parents are those of git's simplified history of the path (git-rev-list, "Parent Rewriting"): between a
    step and its parents nothing else touched it.
    """
    span = [until] if since is None else [until, f"^{since}"]
    ask = ("rev-list", "--topo-order", "--parents", *span, "--", path)
    lines = git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).line().split("\n")
    return [Step(oid, tuple(parents)) for oid, *parents in (line.split() for line in lines if line)]


def _listed(git: Git, worktree: Path, options: Sequence[str], feed: str) -> set[str]:
    answer = git.ask("rev-list", *options, cwd=worktree, feed=feed.encode("ascii"), limit=LONG_LIMIT)
    return set(answer.line().split())
