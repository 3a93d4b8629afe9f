"""Stops `git mem restore` at every write point: whoever comes next loses nothing, and it can be run again.

`python -m crash.lost TEMPLATE SCRATCH` prints the number of points, and each broken promise on a line of its own.
"""

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from crash.faults import Call, Faults, Mode, calls_of, command, copied, forked, load_everything
from crash.points import NEXT, files_in, git, unclean

RESTORE = ("restore",)


def main() -> None:
    """Try all points."""
    template, scratch = Path(sys.argv[1]), Path(sys.argv[2])
    load_everything()
    with copied(template, scratch) as repo:
        calls = calls_of(repo, RESTORE, scratch)
        whole = files_in(repo)
    points = [point for number, call in enumerate(calls, 1) for point in _ways(number, call)]
    points = points[:: 1 if os.environ.get("GITMEM_CRASH_POINTS") == "all" else 4]
    sys.stdout.write(f"{len(points)}\n")
    for number, mode, code in points:
        with copied(template, scratch) as repo:
            forked(command(repo, RESTORE, Faults(number, mode, code)), scratch)
            for line in _broken(repo, scratch, whole):
                sys.stdout.write(f"{mode} {number} {calls[number - 1]}: {line}\n")


def _ways(number: int, call: Call) -> Iterator[tuple[int, Mode, int]]:
    if not call.is_question:
        yield number, Mode.TEAR if call.function == "write" else Mode.KILL, 0
        if number % 2:
            yield (number, Mode.KILL_AFTER, 0) if number % 4 == 1 else (number, Mode.REFUSE, errno.ENOSPC)


def _broken(repo: Path, scratch: Path, whole: dict[str, bytes]) -> Iterator[str]:
    """Yield what is wrong after somebody has written, refused while the store is gone, and after another try."""
    gone = not (repo / ".klide/memory").exists()
    following = forked(command(repo, NEXT), scratch)
    if gone != (following.code == 128) or (gone and "git mem restore" not in following.err):
        yield f"the next write ended with {following}"
    again = forked(command(repo, (*RESTORE, *_recorded(repo, whole))), scratch)
    if again.code != 0:
        yield f"it cannot be run again: {again}"
    if {name: data for name, data in files_in(repo).items() if name in whole} != whole:
        yield f"there is only {sorted(files_in(repo))}"
    mended = forked(command(repo, ("doctor", "--fix")), scratch)
    if mended.code != 0:
        yield f"the doctor finds {mended}"
    yield from unclean(repo)


def _recorded(repo: Path, whole: dict[str, bytes]) -> list[str]:
    """Return what has to be named: what was removed by hand before the command, and was taken for that."""
    at_tip = set(git(repo, "ls-tree", "--name-only", "refs/mem/store").splitlines())
    return [name.removesuffix(".md") for name in sorted(whole.keys() - at_tip)]


if __name__ == "__main__":
    main()
