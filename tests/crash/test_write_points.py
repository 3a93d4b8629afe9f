"""Every durable operation, stopped at every write point, leaves the old state or the new one, and nothing between.

GITMEM_CRASH_POINTS=all tries every way at every point, which takes some minutes.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from layouts import with_commit
from program import several
from world import Repo, World

WIDE: Final = os.environ.get("GITMEM_CRASH_POINTS") == "all"
MEMORY: Final = Path("/dev/shm")
A, B, C, D = (f"2026-01-0{day}-0000-{title}" for day, title in enumerate("abcd", 1))
SECRET: Final = "xyzzy"
ADD: Final = ("add", "New", "--date", "2026-01-05", "--notes", "Some text that can be torn.")


def remembering(repo: Repo) -> Repo:
    """Give a repository four entries, of which two cite code that has moved since."""
    several(
        repo,
        ("add", "a", "--date", "2026-01-01"),
        ("add", "b", "--date", "2026-01-02", "--notes", SECRET),
        ("add", "c", "--date", "2026-01-03", "--file", "src/code.py:2"),
        ("add", "d", "--date", "2026-01-04", "--file", "src/code.py:2"),
    )
    repo.commit("Move", {"src/code.py": "zero\none\ntwo\nthree\n"})
    return repo


def edited_by_hand(repo: Repo) -> Repo:
    """Leave a change of an entry that no transaction has recorded."""
    path = remembering(repo).path / f".klide/memory/{A}.md"
    path.write_bytes(path.read_bytes() + b"\nBy hand.\n")
    return repo


def in_a_chain(repo: Repo) -> Repo:
    """Let the entry with the secret stand between two others."""
    several(remembering(repo), ("supersede", A, "--by", B), ("supersede", B, "--by", C))
    return repo


class Operation(NamedTuple):
    """A command, what it finds, how many of its points are tried, and which text it removes for good."""

    words: tuple[str, ...]
    prepare: Callable[[Repo], Repo] = remembering
    every: int = 7
    secret: str = ""


OPERATIONS: Final = {
    "add": Operation(ADD, every=5),
    "the first add": Operation(ADD, lambda repo: repo),
    "add after an edit by hand": Operation(ADD, edited_by_hand),
    "add --supersedes": Operation((*ADD, "--supersedes", A), every=5),
    "supersede": Operation(("supersede", A, "--by", B)),
    "confirm": Operation(("confirm", C, D)),
    "edit": Operation(("edit", A)),
    "forget": Operation(("forget", "--yes", B), in_a_chain, every=12, secret=SECRET),
}


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """A directory for many short-lived copies: in memory, where that is to be had."""
    there = MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
    with tempfile.TemporaryDirectory(dir=MEMORY if there else tmp_path, ignore_cleanup_errors=True) as directory:
        yield Path(directory)


@pytest.mark.parametrize("name", OPERATIONS)
def test_stopped_anywhere_it_leaves_the_old_or_the_new_state(world: World, scratch: Path, name: str) -> None:
    operation = OPERATIONS[name]
    repo = operation.prepare(with_commit(world.repo("main", "--template=")))
    found = stopped(repo, scratch, operation)
    assert found["points"] > 8
    assert found["broken"] == []


def stopped(repo: Repo, scratch: Path, operation: Operation) -> Any:
    """Stop an operation at its write points; return what was found."""
    job = {
        "template": str(repo.path),
        "scratch": str(scratch),
        "words": operation.words,
        "every": 1 if WIDE else operation.every,
        "wide": WIDE,
        "secret": operation.secret,
    }
    editor = """sh -c 'echo "More of it." >>"$1"' sh"""
    env = {**repo.world.env, "PYTHONPATH": str(Path(__file__).parent.parent), "GIT_EDITOR": editor}
    argv = [sys.executable, "-m", "crash.points", json.dumps(job)]
    done = subprocess.run(argv, cwd=repo.path, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done
    return json.loads(done.stdout)
