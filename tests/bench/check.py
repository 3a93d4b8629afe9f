"""`make bench`: what `git mem check` costs, as ratios to what git costs for the same questions in the same run.

GITMEM_BENCH_REPO names another repository to measure on too (it is cloned, not touched); GITMEM_BENCH_COMMITS says how
long the generated history is. Times are the best of several runs; a ratio below 1 is faster than git.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.histories import commit_refs, file_refs, git, make_history, write_store

from gitmem.evidence.judge import judge
from gitmem.workspace import Workspace, open_workspace

REFS, ENTRIES, ROUNDS = 10_000, 1_000, 5


class Row(NamedTuple):
    """One line of the result: what was measured, in seconds, against what, and the budget of the ratio if any."""

    what: str
    seconds: float
    against: str
    base: float
    budget: str


def best(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """Return the shortest of several runs in seconds; `before` is done ahead of each and not counted."""
    times = []
    for _ in range(ROUNDS):
        before()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def opened(repo: Path) -> Workspace:
    """Return a workspace whose entries are read, so that judging alone can be measured."""
    workspace = open_workspace(repo, dict(os.environ))
    assert workspace.contents.entries
    return workspace


def judging(repo: Path, before: Callable[[], object] = lambda: None) -> float:
    """Return what judging all entries takes in process, their reading not counted."""
    times = []
    for _ in range(ROUNDS):
        before()
        workspace = opened(repo)
        start = time.perf_counter()
        judge(workspace.here, workspace.contents.entries)
        times.append(time.perf_counter() - start)
    return min(times)


def reading(repo: Path) -> float:
    """Return what reading the store takes in process."""
    return best(lambda: open_workspace(repo, dict(os.environ)).contents)


def program(repo: Path) -> Callable[[], object]:
    """Return a run of the whole program, its output thrown away."""
    command = [sys.executable, "-m", "gitmem", "check", "--fail-on", "never"]
    return lambda: subprocess.run(command, cwd=repo, stdout=subprocess.DEVNULL, check=True)


def forget(repo: Path) -> Callable[[], object]:
    """Return what takes away all that earlier checks kept."""
    return lambda: shutil.rmtree(repo / ".git" / "mem" / "history", ignore_errors=True)


def touch_ten(repo: Path) -> None:
    """Commit a change of ten files, below the lines that are cited."""
    paths = git(repo, "ls-files", "-z").decode().split("\0")[:10]
    for path in paths:
        with (repo / path).open("a", encoding="utf-8") as file:
            file.write("one more\n")
    git(repo, "commit", "-q", "-a", "-m", "Touch ten files")


def of_commits(repo: Path, name: str) -> list[Row]:
    """Measure 10,000 commit refs."""
    refs = commit_refs(repo, REFS)
    write_store(repo, refs, ENTRIES)
    ids = "".join(f"{ref['id']}\n" for ref in refs).encode()
    head = git(repo, "rev-parse", "HEAD")

    def reach() -> None:
        git(repo, "cat-file", "--buffer", "--batch-check", feed=ids)
        git(repo, "rev-list", "--stdin", feed=ids + b"^" + head)

    def reverts() -> None:
        git(repo, "log", "-F", "--grep=This reverts commit", "--format=%H%n%B", "HEAD")

    asked = best(reach)
    both = asked + best(reverts)
    cold = judging(repo, forget(repo))
    program(repo)()
    warm = judging(repo)
    whole_cold, whole = best(program(repo), forget(repo)), best(program(repo))
    moved = judging(repo, lambda: touch_ten(repo))
    told = f"{name}: {len(refs):,} commit refs"
    return [
        Row(f"{told}, judged, nothing kept", cold, "cat-file + rev-list", asked, "1"),
        Row(f"{told}, judged, nothing kept", cold, "the same + log --grep for reverts", both, ""),
        Row(f"{told}, whole program, nothing kept", whole_cold, "cat-file + rev-list", asked, ""),
        Row(f"{told}, judged again", warm, "cat-file + rev-list", asked, ""),
        Row(f"{told}, whole program again", whole, "cat-file + rev-list", asked, ""),
        Row(f"{told}, judged after a commit of ten files", moved, "judged, nothing kept", cold, "0.05"),
    ]


def of_files(repo: Path, name: str) -> list[Row]:
    """Measure 10,000 file refs."""
    refs = file_refs(repo, REFS)
    store = write_store(repo, refs, ENTRIES)
    listed = best(lambda: git(repo, "ls-tree", "-r", "-z", "HEAD"))
    raw = best(lambda: [file.read_bytes() for file in store.iterdir()])
    read = reading(repo)
    cold = judging(repo, forget(repo))
    whole = best(program(repo), forget(repo))
    moved = judging(repo, lambda: touch_ten(repo))
    told = f"{name}: {len(refs):,} file refs, nothing changed"
    return [
        Row(f"{told}, judged", cold, "ls-tree + parsing the entries", listed + read, "3"),
        Row(f"{told}, whole program", whole, "ls-tree + parsing the entries", listed + read, "3"),
        Row(f"{told}, whole program", whole, "ls-tree + reading the entries' bytes", listed + raw, ""),
        Row(f"{told}, judged after a commit of ten files", moved, "judged before", cold, "0.05"),
    ]


def measure(repo: Path, name: str) -> list[Row]:
    """Measure one repository with a commit-graph, and what a check costs without one."""
    git(repo, "commit-graph", "write", "--reachable")
    rows = of_commits(repo, name) + of_files(repo, name)
    shutil.rmtree(repo / ".git" / "objects" / "info" / "commit-graphs", ignore_errors=True)
    (repo / ".git" / "objects" / "info" / "commit-graph").unlink(missing_ok=True)
    return rows + of_commits(repo, f"{name}, no commit-graph")


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| what | ms | against | ms | ratio | budget |", "|---|---|---|---|---|---|"]
    for row in rows:
        times = f"{row.seconds * 1000:.0f} | {row.against} | {row.base * 1000:.0f} | {row.seconds / row.base:.2f}"
        lines.append(f"| {row.what} | {times} | {row.budget} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the table."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        generated = Path(scratch) / "generated"
        commits = int(os.environ.get("GITMEM_BENCH_COMMITS", "50000"))
        make_history(generated, commits)
        rows += measure(generated, f"{commits:,} commits")
        other = os.environ.get("GITMEM_BENCH_REPO")
        if other:
            clone = Path(scratch) / "clone"
            subprocess.run(["git", "clone", "-q", "--no-local", other, str(clone)], check=True)
            for key, value in (("user.name", "Bench"), ("user.email", "bench@example.com")):
                git(clone, "config", key, value)
            rows += measure(clone, Path(other).name)
    sys.stdout.write(table(rows) + "\n")


if __name__ == "__main__":
    main()
