"""What the file index costs: reading all of it, an update of ten files, a checkout, a search, beside git's own answers.

On a clone of this repository, or of the one that GITMEM_BENCH_REPO names. A search is a whole process, and so is the
`git grep` that it is compared with.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from bench.check import Row, best, table
from bench.histories import git
from bench.search import timed

CHANGED: Final = 10
PROJECT: Final = Path(__file__).parents[2]


def measure(repo: Path) -> list[Row]:
    """Measure one clone."""
    files = git(repo, "ls-files", "-z").decode("utf-8", "surrogateescape").split("\0")[:-1]
    name = f"{len(files):,} files"
    reading = best(lambda: [(repo / path).read_bytes() for path in files if (repo / path).is_file()])
    first = timed(lambda: mem(repo, "mine"))
    again = best(lambda: mem(repo, "mine"))
    updating = best(lambda: _update(repo, [path for path in files if path.endswith((".py", ".c", ".md"))]))
    manifest = best(lambda: mem(repo, "manifest"))
    status = best(lambda: git(repo, "status", "--porcelain"))
    searching = best(lambda: mem(repo, "search", "--in", "files", "return", "index"))
    grepping = best(lambda: git(repo, "grep", "-l", "-w", "-e", "return", "--and", "-e", "index"))
    starting = best(lambda: mem(repo, "--version"))
    return [
        Row(f"{name}: mine, nothing read before", first, "reading their bytes", reading, ""),
        Row(f"{name}: mine again, nothing changed", again, "mine, nothing read before", first, ""),
        Row(f"{name}: update of {CHANGED} files", updating, "mine, nothing read before", first, "0.05"),
        Row(f"{name}: manifest of the working tree", manifest, "git status", status, ""),
        Row(f"{name}: search for two words", searching, "git grep -l for both", grepping, ""),
        Row(f"{name}: search for two words", searching, "git mem --version", starting, ""),
    ]


def mem(repo: Path, *words: str, feed: str | None = None) -> str:
    """Run the program and return what it prints."""
    ask = [sys.executable, "-P", "-m", "gitmem", *words]  # not the one of the clone
    return subprocess.run(ask, cwd=repo, input=feed, capture_output=True, text=True, check=False).stdout


def _update(repo: Path, paths: list[str]) -> None:
    changed = paths[:: max(len(paths) // CHANGED, 1)][:CHANGED]
    for path in changed:
        with (repo / path).open("a", encoding="utf-8") as file:
            file.write(f"\nchanged {time.time_ns()}\n")
    mem(repo, "update", "--manifest", "-", feed=json.dumps({"changed": sorted(changed), "deleted": []}))


def main() -> None:
    """Print the table."""
    source = Path(os.environ.get("GITMEM_BENCH_REPO", PROJECT))
    with tempfile.TemporaryDirectory() as scratch:
        repo = Path(scratch) / "clone"
        subprocess.run(["git", "clone", "-q", "--no-local", source, repo], check=True)
        sys.stdout.write(table(measure(repo)))


if __name__ == "__main__":
    main()
