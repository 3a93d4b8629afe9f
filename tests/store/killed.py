"""Runs a command of the program and kills it at a certain point: before or after one of its own functions.

`python -m store.killed POINT WORDS`, both as JSON, is that process.
"""

import json
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from world import Repo

from gitmem.cli.main import run


class Point(NamedTuple):
    """A call of a function, `module:name` or `module:class.name`: its number from 1, and whether it is still made."""

    function: str
    after: bool = False
    number: int = 1


def kill(repo: Repo, point: Point, *words: str) -> None:
    """Run a command in a repository until it is killed, which it must be."""
    argv = (sys.executable, "-m", "store.killed", json.dumps(point), json.dumps(words))
    env = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    done = repo.world.run(*argv, cwd=repo.path, env=env)
    assert done.code == -signal.SIGKILL, done


def main() -> None:
    """Run the command that the arguments tell."""
    _arm(Point(*json.loads(sys.argv[1])))
    sys.exit(run(json.loads(sys.argv[2])))


def _arm(point: Point) -> None:
    module, _, path = point.function.partition(":")
    owner: Any = import_module(module)
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    real = getattr(owner, name)
    calls = 0

    def armed(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        due = calls == point.number
        if due and not point.after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*arguments, **options)
        if due:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, armed)


if __name__ == "__main__":
    main()
