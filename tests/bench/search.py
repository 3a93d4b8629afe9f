"""What `git mem search` costs on stores of several sizes: cold against ripgrep, warm, the first index, an update.

GITMEM_BENCH_STORES lists the sizes, by default 1000,10000,100000. A cold search is a whole process, compared with
one `rg -l` over the same files for each word of its query; ripgrep must be there. Verdicts are not part of it: the
entries cite nothing.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench.check import Row, best, table
from bench.histories import git
from bench.stores import queries, write_store

from gitmem.porcelain.search import Request, search
from gitmem.storage.watch import DirectoryWatch
from gitmem.store.read import read_store
from gitmem.workspace import Workspace, open_workspace

WARM, COLD, CHANGED = 200, 12, 10


def measure(repo: Path, number: int) -> list[Row]:
    """Measure one store, which is made first."""
    store = repo / ".klide/memory"
    git(repo, "init", "-q")
    write_store(store, number)
    long_ago = time.time_ns() - 3600 * 10**9
    for path in store.iterdir():
        os.utime(path, ns=(long_ago, long_ago))
    time.sleep(3)  # until the stamps of the files can be trusted
    name = f"{number:,} entries"
    workspace = opened(repo)
    reading = best(lambda: read_store(workspace.layout.root, workspace.layout.store_path))
    first = timed(workspace.index.renew)
    changing = _update(repo, store)
    return [
        Row(f"{name}: first index", first, "reading and parsing them", reading, "2"),
        Row(f"{name}: update after {CHANGED} changed", changing, "first index", first, "0.05"),
        *_cold(repo, store, name, 1 if number < 100_000 else 0.3),
        *_warm(repo, name),
    ]


def opened(repo: Path) -> Workspace:
    """Return a workspace of a repository."""
    return open_workspace(repo, dict(os.environ))


def timed(work: Callable[[], object]) -> float:
    """Return what one run takes, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _update(repo: Path, store: Path) -> float:
    workspace = opened(repo)
    search(workspace, ["nothing"], Request())
    for path in sorted(store.iterdir())[:CHANGED]:
        with path.open("a", encoding="utf-8") as stream:
            stream.write("\nchanged by hand\n")
    return timed(lambda: search(workspace, ["nothing"], Request()))


def _cold(repo: Path, store: Path, name: str, budget: float) -> list[Row]:
    program = str(Path(sys.executable).with_name("git-mem"))
    ours, theirs, words = 0.0, 0.0, 0
    for query in queries(COLD, seed=7):
        asked = query.split()
        words += len(asked)
        ours += best(partial(_run, repo, [program, "search", "--", *asked]))
        theirs += sum(best(partial(_run, store, ["rg", "-l", "-F", "-i", "--", word])) for word in asked)
    what = f"{name}: cold, {words / COLD:.1f} words a query"
    return [Row(what, ours / COLD, "rg -l for its words", theirs / COLD, str(budget))]


def _run(directory: Path, command: Sequence[str]) -> None:
    subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def _warm(repo: Path, name: str) -> list[Row]:
    workspace = opened(repo)
    workspace.index.keeper.watch = DirectoryWatch()
    asked = queries(WARM, seed=1)
    search(workspace, asked[:1], Request())
    times = sorted(timed(partial(search, workspace, [query], Request())) for query in asked)
    middle, slow = times[WARM // 2], times[WARM * 95 // 100]
    return [
        Row(f"{name}: warm, median", middle, "a millisecond", 0.001, "10 at 10,000; 60 at 100,000"),
        Row(f"{name}: warm, 95th percentile", slow, "a millisecond", 0.001, "25 at 10,000; 150 at 100,000"),
    ]


def main() -> None:
    """Measure, and print the table."""
    if shutil.which("rg") is None:
        sys.exit("ripgrep is needed: the budget is told in its terms")
    rows: list[Row] = []
    for number in os.environ.get("GITMEM_BENCH_STORES", "1000,10000,100000").split(","):
        with tempfile.TemporaryDirectory() as scratch:
            rows += measure(Path(scratch), int(number))
    sys.stdout.write(table(rows) + "\n")


if __name__ == "__main__":
    main()
