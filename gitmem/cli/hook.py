"""What `git mem hooks run` does in a hook of git's: the same as the sections in sh, and the notice behind them.

A hook must not fail, hang or hold anything, so everything here ends in silence and within a second, but for one line
about what became stale. Little is loaded until there is something to do.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

from gitmem.cli.detached import DETACHED, WORKER, let_go

if TYPE_CHECKING:
    from gitmem.porcelain.notice import Notice

_DEADLINE: Final = 1.0  # seconds
_HOOKS: Final = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
_NOTICED: Final = {"post-commit": "HEAD^", "post-merge": "ORIG_HEAD"}
_BRANCH_CHECKOUT: Final = "1"
_SQUASH: Final = "1"
_REWRITE: Final = "post-rewrite"
_AMEND: Final = "amend"
_REBASES: Final = ("rebase-merge", "rebase-apply")


class _DeadlineError(BaseException):
    """The time is up. Nothing on the way may take it for an error of its own."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The git dir of the worktree that a hook runs for, and the directory of the common dir that is ours."""

    git_dir: Path
    state: Path

    @property
    def suffix(self) -> str:
        """What stands behind the name of a mark: which linked worktree it is for."""
        return "" if self.git_dir == self.state.parent else f"@{self.git_dir.name}"

    @property
    def rebasing(self) -> bool:
        """Whether a rebase is under way: its commits come and go."""
        return any((self.git_dir / name).exists() for name in _REBASES)


def main(arguments: Sequence[str]) -> int:
    """Run one hook, by its name and with git's arguments; the exit code is always 0.

    What goes wrong is told only where `GITMEM_DEBUG` is set.
    """
    signal.signal(signal.SIGALRM, _end)
    signal.setitimer(signal.ITIMER_REAL, _DEADLINE)
    try:
        _run(arguments[0] if arguments else "", arguments[1:], os.environ)
    except (_DeadlineError, KeyboardInterrupt):
        return 0
    except Exception:
        if os.environ.get("GITMEM_DEBUG"):
            raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return 0


def _end(_number: int, _frame: FrameType | None) -> None:
    raise _DeadlineError


def _run(hook: str, arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    place = _find(environ)
    if hook not in _HOOKS or place is None or not place.state.is_dir():
        return
    for name in ("spool", "ran"):
        (place.state / name).mkdir(exist_ok=True)
    (place.state / "ran" / hook).touch()
    if hook == "post-checkout" and arguments[2:3] != [_BRANCH_CHECKOUT]:
        return
    (place.state / "spool" / f"follow{place.suffix}").touch()
    if hook == _REWRITE:
        _record(place)
    _start_worker(place)
    if hook == _REWRITE and arguments[:1] == [_AMEND]:
        _tell_of_amendment(place, environ)
    squashed = hook == "post-merge" and arguments[:1] == [_SQUASH]
    if hook in _NOTICED and not place.rebasing and not squashed:
        _tell(hook, place, environ)


def _find(environ: Mapping[str, str]) -> _Place | None:
    """Find the git dir as git names it to hooks, which run at the top of the worktree; None if there is none."""
    git_dir = Path(environ.get("GIT_DIR") or ".git")
    if git_dir.is_file():
        git_dir = git_dir.parent / os.fsdecode(git_dir.read_bytes()).removeprefix("gitdir: ").removesuffix("\n")
    if not git_dir.is_dir():
        return None
    git_dir = git_dir.resolve()
    common = git_dir
    with suppress(FileNotFoundError):
        common = (git_dir / os.fsdecode((git_dir / "commondir").read_bytes().removesuffix(b"\n"))).resolve()
    return _Place(git_dir, common / "mem")


def _record(place: _Place) -> None:
    """Keep what git says of rewritten commits: it says so once, and to whoever reads first."""
    pairs = sys.stdin.buffer.read()
    with (place.state / "rewritten").open("ab") as stream:
        stream.write(pairs)
    (place.state / "spool" / f"relink{place.suffix}").touch()


def _start_worker(place: _Place) -> None:
    """Leave a worker behind, unless there is one."""
    marker = place.state / WORKER
    with suppress(OSError, ValueError):
        os.kill(int(marker.read_text("ascii")), 0)
        return
    child = os.fork()
    if child == 0:
        try:
            let_go()
            os.execv(sys.executable, [sys.executable, "-m", "gitmem", "work", DETACHED])  # noqa: S606 - itself
        finally:
            os._exit(0)
    marker.write_text(f"{child}\n", "ascii")


def _tell(hook: str, place: _Place, environ: Mapping[str, str]) -> None:
    # Only a commit that touches what is cited is worth loading all this.
    from gitmem.cli.touched import touches_cited  # noqa: PLC0415 - see above

    if not touches_cited(place.state / "cited", Path.cwd(), _NOTICED[hook], environ):
        return
    from gitmem.porcelain.notice import notice, parent_of  # noqa: PLC0415 - see above
    from gitmem.workspace import open_workspace  # noqa: PLC0415 - see above

    workspace = open_workspace(Path.cwd(), environ)
    old = parent_of(workspace, "HEAD") if hook == "post-commit" else _NOTICED[hook]
    _say(notice(workspace, old, "HEAD"))


def _tell_of_amendment(place: _Place, environ: Mapping[str, str]) -> None:
    """Say what the last commit that was amended leaves stale."""
    from gitmem.cli.touched import cites_commit  # noqa: PLC0415 - as above

    old = (place.state / "rewritten").read_bytes().rstrip(b"\n").rpartition(b"\n")[2].partition(b" ")[0].decode("ascii")
    if not cites_commit(place.state / "cited", old):
        return
    from gitmem.porcelain.notice import notice_of_amendment  # noqa: PLC0415 - as above
    from gitmem.workspace import open_workspace  # noqa: PLC0415 - as above

    _say(notice_of_amendment(open_workspace(Path.cwd(), environ), old))


def _say(found: "Notice") -> None:
    line = found.line()
    if line:
        sys.stderr.write(f"{line}\n")
