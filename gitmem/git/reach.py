"""Which commits a tip reaches, answered in process where the repository has a commit-graph, else by git.

A commit-graph is closed: the parents of its commits are in it. So of the commits that it lacks only the newest
ones, those between the tip and the graph, can be ancestors of the tip, and git lists those.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from gitmem.git.commit_graph import CommitGraph
from gitmem.git.run import LONG_LIMIT, Git

_NEWEST: Final = 4096  # commits that may be newer than the graph; with more of them git is as fast


def reached_in_graph(
    git: Git, worktree: Path, graph: CommitGraph, commits: Collection[str], tip: str
) -> set[str] | None:
    """Return those of the commits that the tip reaches; None where the graph does not tell."""
    newest: set[str] = set()
    entries = [position for position in [graph.position(tip)] if position is not None]
    if not entries:
        found = _newer_than_graph(git, worktree, graph, tip)
        if found is None:
            return None
        newest, entries = found
    positions = {position: oid for oid in commits if (position := graph.position(oid)) is not None}
    reached = graph.reachable(entries, positions)
    return None if reached is None else {positions[at] for at in reached} | (newest & set(commits))


def _newer_than_graph(git: Git, worktree: Path, graph: CommitGraph, tip: str) -> tuple[set[str], list[int]] | None:
    """Return the tip's ancestors that are not in the graph, and where they lead into it; None if they are too many."""
    ask = ("rev-list", "--parents", f"--max-count={_NEWEST}", tip, "--")
    lines = git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).line().split("\n")
    parents = {oid: before for oid, *before in (line.split() for line in lines if line)}
    newest: set[str] = set()
    entries: list[int] = []
    waiting = [tip]
    while waiting:
        oid = waiting.pop()
        position = graph.position(oid)
        if position is not None:
            entries.append(position)
        elif oid not in parents:
            return None
        elif oid not in newest:
            newest.add(oid)
            waiting += parents[oid]
    return newest, entries
