"""What a commit costs with hooks installed that touches no cited path, as a ratio to the same commit without them.

On a generated repository of 5,000 files; medians of many commits that take turns. The worker is a process that sleeps,
so that what it does in the background is not measured; in the last row it is the program itself, started by each
commit anew. GITMEM_BENCH_ROUNDS says how many commits of each sort there are.
"""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from bench.check import Row, table
from bench.histories import git, make_history

ROUNDS: Final = int(os.environ.get("GITMEM_BENCH_ROUNDS", "150"))
BUDGET: Final = "1.3"
_HISTORY: Final = 200  # commits
_STUB: Final = '#!/bin/sh\n[ "$1" = work ] && exec sleep 3600\nexit 0\n'


class Committer:
    """Commits to one worktree with `git-mem` first on PATH as a directory has it; `after` is not counted."""

    def __init__(self, worktree: Path, program: Path, after: Callable[[], object] = lambda: None) -> None:
        self.worktree = worktree
        self.after = after
        self.times: list[float] = []
        # Git finds where it is from the directory; what the caller has of it does not count.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.environ = {**kept, "PATH": f"{program}:{os.environ['PATH']}"}

    def commit(self, number: int) -> None:
        """Change a file that nothing cites, and commit it."""
        with (self.worktree / "d1/f1.txt").open("a", encoding="utf-8") as file:
            file.write(f"{number}\n")
        git(self.worktree, "add", "d1/f1.txt")
        start = time.perf_counter()
        subprocess.run(["git", "commit", "-q", "-m", "x"], cwd=self.worktree, env=self.environ, check=True)
        self.times.append(time.perf_counter() - start)
        self.after()


def alternate(committers: Sequence[Committer]) -> list[float]:
    """Let all commit in turn, forwards and backwards, and return the median of each in seconds."""
    for number in range(ROUNDS):
        for committer in committers if number % 2 else reversed(committers):
            committer.commit(number)
    return [statistics.median(committer.times) for committer in committers]


def make(scratch: Path, name: str, cited: int | None) -> Path:
    """Make a repository; with hooks and so many cited paths, or without hooks."""
    repo = scratch / name
    make_history(repo, _HISTORY)
    if cited is not None:
        subprocess.run([_program() / "git-mem", "init", "--hooks"], cwd=repo, stdout=subprocess.DEVNULL, check=True)
        lines = (f"d{number % 50}/cited_{number}.txt\n" for number in range(cited))
        (repo / ".git/mem/cited").write_text("".join(lines), encoding="utf-8")
    return repo


def end_worker(repo: Path) -> None:
    """End the process that a hook left behind."""
    marker = repo / ".git/mem/worker"
    with suppress(FileNotFoundError, ProcessLookupError):
        os.kill(int(marker.read_text("ascii")), signal.SIGKILL)
    marker.unlink(missing_ok=True)


def measure(scratch: Path) -> list[Row]:
    """Measure commits without hooks, with a few and with many cited paths, and in a linked worktree."""
    stub = scratch / "bin"
    stub.mkdir()
    (stub / "git-mem").write_text(_STUB, encoding="utf-8")
    (stub / "git-mem").chmod(0o755)
    plain, few, many, started = (
        make(scratch, name, cited)
        for name, cited in (("plain", None), ("few", 10), ("many", 10_000), ("started", 10_000))
    )
    git(plain, "worktree", "add", "-q", str(scratch / "plain-linked"))
    git(many, "worktree", "add", "-q", str(scratch / "many-linked"))
    committers = [
        Committer(plain, stub),
        Committer(scratch / "plain-linked", stub),
        Committer(few, stub),
        Committer(many, stub),
        Committer(scratch / "many-linked", stub),
        Committer(started, _program(), lambda: end_worker(started)),
    ]
    without, without_linked, *found = alternate(committers)
    for repo in (few, many, started):
        end_worker(repo)
    base = ("the same without hooks", without, BUDGET)
    return [
        Row("commit, 10 cited paths, none touched", found[0], *base),
        Row("commit, 10,000 cited paths, none touched", found[1], *base),
        Row("the same in a linked worktree", found[2], "the same without hooks", without_linked, BUDGET),
        Row("commit, 10,000 cited paths, a worker is started", found[3], *base),
    ]


def _program() -> Path:
    return Path(sys.executable).parent


def main() -> None:
    """Measure, and print the table."""
    with tempfile.TemporaryDirectory() as scratch:
        rows = measure(Path(scratch))
    sys.stdout.write(table(rows) + "\n")


if __name__ == "__main__":
    main()
