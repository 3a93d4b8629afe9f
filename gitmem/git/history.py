"""Questions about commits: HEAD, names, what is reachable from where. Each for all ids together.

Git answers them, because it uses the commit-graph and knows where a shallow history is cut. Ids are full
lower-case hex; callers check that before git sees them.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from gitmem.errors import GitMemError
from gitmem.git.run import LONG_LIMIT, Git

# Refs that hold a commit without anybody working on it, or that are derived: they keep nothing "alive".
_NOT_A_LINE_OF_WORK: Final = ("refs/stash", "refs/mem/*", "refs/notes/*", "refs/replace/*")

_FEW: Final = 16  # commits that are asked about one by one rather than all together
_FORKS: Final = 1000  # places at most from which an octopus merge base is worth its price

_REVERT: Final = re.compile(
    r"^[ \t]*This reverts commit\s+(?P<target>[0-9a-fA-F]{7,64})\b"
    r"(?:\s+\(.*\))?(?:,?\s+reversing\s+changes\s+made\s+to\s+(?P<mainline>[0-9a-fA-F]{7,64})\b)?",
    re.MULTILINE,
)


class RevisionError(GitMemError):
    """A name that git cannot resolve to a commit."""


@dataclass(frozen=True, slots=True)
class Head:
    """The commit that a worktree stands on, None while its branch is unborn, and whether history is cut short."""

    oid: str | None
    shallow: bool


@dataclass(frozen=True, slots=True)
class Revert:
    """A commit whose message says that it reverts another, by full or abbreviated id.

    `mainline` is the parent that was kept, where a merge was reverted. `named` is the id in the message, where the
    target is known by another one now.
    """

    oid: str
    target: str
    mainline: str | None
    named: str | None = None


@dataclass(frozen=True, slots=True)
class CommitLine:
    """A commit as a person names it: its id, subject, author and author date (ISO 8601)."""

    oid: str
    subject: str
    author: str
    date: str


class Between(NamedTuple):
    """The commits that one of two tips reaches and the other does not."""

    lost: frozenset[str]
    gained: frozenset[str]


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


def read_cut(git: Git, worktree: Path) -> frozenset[str]:
    """Return the commits behind which a shallow history ends (gitrepository-layout, `shallow`)."""
    path = git.ask("rev-parse", "--path-format=absolute", "--git-path", "shallow", cwd=worktree).line()
    try:
        return frozenset(Path(path).read_text(encoding="ascii").split())
    except OSError:
        return frozenset()


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
    apart = _listed(git, worktree, ["--stdin"], feed) & set(commits)
    # Where clocks went wrong, git gives up on `^<tip>` too early (its "slop") and lists ancestors of it too.
    if len(apart) > _FEW:
        return apart - _listed(git, worktree, [tip], "")
    return {oid for oid in apart if not is_ancestor(git, worktree, oid, tip)}


def in_no_ref(git: Git, worktree: Path, commits: Collection[str]) -> set[str]:
    """Return those of the commits that no branch, tag, remote branch or worktree's HEAD contains.

    The stash, notes and this program's own refs do not count: they hold what nobody works on.
    """
    feed = "".join(f"{oid}\n" for oid in sorted(commits))
    excluded = [f"--exclude={pattern}" for pattern in _NOT_A_LINE_OF_WORK]
    # `--not` behind `--stdin`, so that it cannot apply to what is fed, whatever the version of git.
    found = _listed(git, worktree, ["--ignore-missing", "--stdin", "--not", *excluded, "--all"], feed) & set(commits)
    return {oid for oid in found if not _contained(git, worktree, oid)}  # see unreachable


def _contained(git: Git, worktree: Path, commit: str) -> bool:
    names = git.ask("for-each-ref", f"--contains={commit}", "--format=%(refname)", cwd=worktree, limit=LONG_LIMIT)
    prefixes = tuple(pattern.removesuffix("*") for pattern in _NOT_A_LINE_OF_WORK)
    return any(name and not name.startswith(prefixes) for name in names.line().split("\n"))


def refs_that_contain(
    git: Git, worktree: Path, commits: Collection[str], tip: str, limit: int = 5
) -> dict[str, list[str]]:
    """Return for each commit that a ref contains the full names of up to `limit` such refs, in git's order.

    The commits are not reachable from the tip, so only what lies outside its history is walked: once for all refs.
    """
    names: dict[str, list[str]] = {}
    for name, commit in _tips(git, worktree):
        names.setdefault(commit, []).append(name)
    feed = "".join(f"{oid}\n" for oid in names) + f"^{tip}\n"
    ask = ("rev-list", "--ignore-missing", "--topo-order", "--parents", "--stdin")
    answer = git.ask(*ask, cwd=worktree, feed=feed.encode("ascii"), limit=LONG_LIMIT)
    for oid, *parents in (line.split() for line in answer.line().split("\n") if line):
        # Children come before their parents, so all that contains a commit is known when its turn comes.
        names[oid] = sorted(set(names.get(oid, ())))[:limit]
        for parent in parents:
            names.setdefault(parent, []).extend(names[oid])
    return {oid: names[oid] for oid in commits if oid in names}


def _tips(git: Git, worktree: Path) -> Iterator[tuple[str, str]]:
    """Yield each ref that is a line of work, and its commit."""
    fields = "%(refname) %(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    prefixes = tuple(pattern.removesuffix("*") for pattern in _NOT_A_LINE_OF_WORK)
    for line in git.ask("for-each-ref", f"--format={fields}", cwd=worktree).line().split("\n"):
        name, *rest = line.split(" ")
        named = [oid for kind, oid in zip(rest[::2], rest[1::2], strict=False) if kind == "commit"]
        if named and not name.startswith(prefixes):
            yield name, named[0]


def reverts(git: Git, worktree: Path, tip: str, excluded: Sequence[str] = ()) -> list[Revert]:
    """Return all that the messages of commits reachable from the tip say to revert, newest commit first.

    What an excluded commit reaches is left out.
    Git writes `This reverts commit <oid>.`, for a merge `..., reversing changes made to <oid>.` (git-revert).
    """
    # One line feed could stand in the middle of a wrapped sentence, so git looks for its beginning only.
    ask = ("log", "--topo-order", "--fixed-strings", "--grep=This reverts commit", "--encoding=UTF-8", "--no-decorate")
    answer = git.ask(
        *ask,
        "--no-patch",
        "--format=tformat:%H%x00%B%x00",
        tip,
        *(f"^{oid}" for oid in excluded),
        cwd=worktree,
        limit=LONG_LIMIT,
    )
    items = answer.stdout.decode("utf-8", "replace").split("\0")
    return [
        Revert(oid.strip(), found["target"].lower(), found["mainline"] and found["mainline"].lower())
        for oid, message in zip(items[::2], items[1::2], strict=False)
        for found in _REVERT.finditer(message)
    ]


def commits_here(git: Git, worktree: Path, oids: Collection[str]) -> set[str]:
    """Return those of the full ids that are commits of this repository, by their headers. For whole clones only."""
    feed = "".join(f"{oid}\n" for oid in sorted(oids)).encode("ascii")
    ask = ("cat-file", "--buffer", "--batch-check=%(objectname) %(objecttype)")
    answer = git.ask(*ask, cwd=worktree, feed=feed) if oids else None
    lines = [] if answer is None else answer.stdout.decode("ascii", "replace").split("\n")
    return {line[: -len(" commit")] for line in lines if line.endswith(" commit")}


def parents(git: Git, worktree: Path, commits: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the parents of those of the commits that are here."""
    feed = "".join(f"{oid}\n" for oid in sorted(commits)).encode("ascii")
    ask = ("rev-list", "--no-walk=unsorted", "--ignore-missing", "--parents", "--stdin")
    lines = git.ask(*ask, cwd=worktree, feed=feed).line().split("\n") if commits else []
    return {oid: tuple(before) for oid, *before in (line.split() for line in lines if line)}


def halfway(git: Git, worktree: Path, tip: str) -> str | None:
    """Return the commit in the middle of the tip's first-parent history, None of a history of one commit."""
    ask = ("rev-list", "--first-parent")
    count = int(git.ask(*ask, "--count", tip, "--", cwd=worktree, limit=LONG_LIMIT).line())
    span = (f"--skip={count // 2}", "--max-count=1")
    return git.ask(*ask, *span, tip, "--", cwd=worktree, limit=LONG_LIMIT).line() or None if count > 1 else None


def describe(git: Git, worktree: Path, commit: str) -> CommitLine:
    """Return what a person wants to know of a commit."""
    ask = ("log", "-1", "--no-patch", "--no-decorate", "--encoding=UTF-8", "--format=%H%x00%s%x00%an%x00%aI", commit)
    answer = git.ask(*ask, cwd=worktree).stdout.decode("utf-8", "replace")
    return CommitLine(*answer.rstrip("\n").split("\0"))


def oldest_first(git: Git, worktree: Path, commits: Collection[str], tip: str) -> list[str]:
    """Return those of the commits that the tip reaches, ancestors before their descendants."""
    wanted = set(commits)
    listed = git.ask("rev-list", "--topo-order", "--reverse", tip, "--", cwd=worktree, limit=LONG_LIMIT).line()
    return [oid for oid in listed.split() if oid in wanted]


def outside(git: Git, worktree: Path, included: str, excluded: str) -> set[str]:
    """Return the commits reachable from one commit but not from another."""
    return _listed(git, worktree, [included, f"^{excluded}"], "")


def between(git: Git, worktree: Path, old: str, new: str, limit: int) -> Between | None:
    """Return what a tip loses and gains on its way from one commit to another; None if that is more than `limit`."""
    ask = ("rev-list", "--left-right", f"--max-count={limit + 1}", f"{old}...{new}", "--")
    listed = git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).line().split()
    if len(listed) > limit:
        return None
    sides = {side: frozenset(oid[1:] for oid in listed if oid[0] == side) for side in "<>"}
    return Between(lost=sides["<"], gained=sides[">"])


def paths_touched(git: Git, worktree: Path, old: str, new: str) -> set[str]:
    """Return the paths that a commit which only one of two tips reaches changed, against any of its parents."""
    ask = ("log", "-m", "--name-only", "-z", "--no-renames", "--format=", "--no-ext-diff", f"{old}...{new}", "--")
    return set(git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).items())


def is_ancestor(git: Git, worktree: Path, commit: str, descendant: str) -> bool:
    """Tell whether a commit is reachable from another one, or is it."""
    ask = ("merge-base", "--is-ancestor", commit, descendant)
    return git.ask(*ask, cwd=worktree, accept=(0, 1), limit=LONG_LIMIT).returncode == 0


def common_ancestors(git: Git, worktree: Path, commits: Collection[str], tip: str) -> list[str]:
    """Return the best commits that the tip and all the commits have in common, none where there is none.

    Many commits fork from a few places: those places are compared, not the commits themselves.
    """
    feed = "".join(f"{oid}\n" for oid in sorted(commits)) + f"^{tip}\n"
    ask = ("rev-list", "--stdin", "--boundary", "--parents")
    listed = git.ask(*ask, cwd=worktree, feed=feed.encode("ascii"), limit=LONG_LIMIT).line().split("\n")
    parents = {oid: before for oid, *before in (line.split() for line in listed if line)}
    forks = sorted({oid[1:] for oid in parents if oid.startswith("-")} | (set(commits) - parents.keys()))
    has_own_root = any(not before for oid, before in parents.items() if not oid.startswith("-"))
    if not forks or len(forks) > _FORKS or has_own_root:
        return []
    found = git.ask("merge-base", "--octopus", tip, *forks, cwd=worktree, accept=(0, 1), limit=LONG_LIMIT)
    return found.line().split()


def merge_base(git: Git, worktree: Path, one: str, other: str) -> str | None:
    """Return the best common ancestor of two commits, None where they have none (that is here)."""
    answer = git.ask("merge-base", one, other, cwd=worktree, accept=(0, 1), limit=LONG_LIMIT)
    return answer.line() or None


def _listed(git: Git, worktree: Path, options: Sequence[str], feed: str) -> set[str]:
    answer = git.ask("rev-list", *options, cwd=worktree, feed=feed.encode("ascii"), limit=LONG_LIMIT)
    return set(answer.line().split())
