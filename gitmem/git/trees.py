"""What commits have at paths, and how paths went from commit to commit: always for all paths together."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gitmem.git.checkout import RENAMES
from gitmem.git.history import Step
from gitmem.git.objects import TreeEntry
from gitmem.git.patches import Change, compare
from gitmem.git.run import LONG_LIMIT, Git, GitFailedError, pathspecs


def tree_entries(git: Git, worktree: Path, commit: str, paths: Collection[str]) -> dict[str, TreeEntry]:
    """Return what a commit has at the given paths: files, links, directories and submodules.

    Raises GitFailedError where a tree is missing.
    """
    wanted = set(paths)
    listing = list_tree(git, worktree, commit, pathspecs(wanted)) if wanted else {}
    return {path: entry for path, entry in listing.items() if path in wanted}


def list_tree(git: Git, worktree: Path, commit: str, paths: Sequence[str] = ()) -> dict[str, TreeEntry]:
    """Return all that a commit has, directories too, or what it has at the paths.

    Raises GitFailedError where a tree is missing.
    """
    deep = () if paths else ("-r", "-t")
    answer = git.ask("ls-tree", "-z", "--full-tree", *deep, commit, "--", *paths, cwd=worktree, limit=LONG_LIMIT)
    found: dict[str, TreeEntry] = {}
    for item in answer.stdout.split(b"\0"):
        if item:
            head, _, path = item.partition(b"\t")
            mode, _kind, oid = head.decode("ascii").split(" ")
            found[os.fsdecode(path)] = TreeEntry(int(mode, 8), oid)
    return found


class Passage(NamedTuple):
    """A commit in the history of a path, the blob that it has there, and its parents, each with theirs."""

    oid: str
    blob: str | None
    parents: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class PathHistory:
    """The history of some paths, as git simplifies it: a commit that touched none of them is left out.

    `steps` are newest first, children before their parents; `changes` are what happened from a parent to a commit.
    """

    steps: Sequence[Step]
    changes: Mapping[tuple[str, str], Mapping[str, Change]]

    def walk(self, path: str, at_tip: str | None) -> Iterator[Passage]:
        """Yield each step with the blobs that it and its parents have at a path, newest first.

        `at_tip` is the blob at the tip that the history was asked for; None stands for no regular file.
        """
        blobs: dict[str, str | None] = {step.oid: at_tip for step in self.steps[:1]}
        for step in self.steps:
            here = blobs.setdefault(step.oid, None)
            for parent in step.parents:
                change = self.changes.get((step.oid, parent), {}).get(path)
                blobs[parent] = here if change is None else change.blob_before
            yield Passage(step.oid, here, tuple((parent, blobs[parent]) for parent in step.parents))


def path_history(git: Git, worktree: Path, tip: str, excluded: Sequence[str], paths: Collection[str]) -> PathHistory:
    """Return the history of paths from the tip back to the excluded commits.

    Parents are those of git's simplified history (git-rev-list, "Parent Rewriting"): between a step and its parents
    nothing else touched any of the paths. Raises GitFailedError where commits or trees are missing.
    """
    span = [tip, *(f"^{commit}" for commit in excluded)]
    ask = ("rev-list", "--topo-order", "--parents", *span, "--", *pathspecs(paths))
    lines = git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).line().split("\n")
    steps = [Step(oid, tuple(parents)) for oid, *parents in (line.split() for line in lines if line)]
    edges = [(step.oid, parent) for step in steps for parent in step.parents]
    return PathHistory(steps, dict(zip(edges, compare(git, worktree, edges, paths), strict=True)))


class Renames(NamedTuple):
    """The files that a commit renamed, {old path: new path}, and whether that is all that it may have renamed."""

    pairs: Mapping[str, str]
    complete: bool


def renamed_by(git: Git, worktree: Path, pairs: Sequence[tuple[str, str]]) -> list[Renames]:
    """Return for each (commit, parent) the files that the commit renamed, as git pairs them.

    Where contents are missing that git would have to compare, only files that kept theirs are paired. Raises
    GitFailedError where trees are missing.
    """
    return [_renamed_by(git, worktree, commit, parent) for commit, parent in pairs]


def _renamed_by(git: Git, worktree: Path, commit: str, parent: str) -> Renames:
    try:
        # With -B a file that was rewritten counts as gone too: another one may have taken its place.
        return Renames(_paired(git, worktree, commit, parent, ["-B", *RENAMES]), complete=True)
    except GitFailedError:
        exact = _paired(git, worktree, commit, parent, [*RENAMES, "-M100%"])
        ask = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", parent, commit, "--")
        added = git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).items()
        return Renames(exact, complete=set(added) <= set(exact.values()))


def _paired(git: Git, worktree: Path, commit: str, parent: str, options: Sequence[str]) -> dict[str, str]:
    ask = ("diff-tree", "-r", "-z", "--name-status", "--diff-filter=BCMR", *options, parent, commit, "--")
    pairs: dict[str, str] = {}
    copies: dict[str, str] = {}
    rewritten: set[str] = set()
    items = iter(git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).items())
    for status in items:
        path = next(items)
        if status.startswith("R"):
            pairs[path] = next(items)
        elif status.startswith("C"):
            copies[path] = next(items)
        elif status != "M":  # with a score: the file was rewritten
            rewritten.add(path)
    # A file that went elsewhere while another took its place is a copy to git, since the path is still there.
    return {path: new for path, new in copies.items() if path in rewritten} | pairs
