"""The one way to start git: scrubbed environment, bytes in and out, no stdin, a time limit, no surprises.

Repository configuration can run programs, a hook's environment can point git at another repository, a
promised object can start a download. Nothing of that may happen because somebody asked for a verdict, so
every git process of this package is started here.
"""

import os
import signal
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gitmem.errors import GitMemError

# What `git rev-parse --local-env-vars` lists, less GIT_CONFIG_PARAMETERS and GIT_CONFIG_COUNT, which carry
# the `-c name=value` of the person who called us, and what changes the meaning of paths. A test asks the
# installed git for its list.
LOCATION_VARIABLES: Final = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_DIR",
        "GIT_GLOB_PATHSPECS",
        "GIT_GRAFT_FILE",
        "GIT_ICASE_PATHSPECS",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)

_FIXED: Final = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
}

_ARGUMENTS: Final = 500  # an argument list has its limits

_NO_COLOR: Final = ("-c", "color.ui=false")

_CONFIG: Final = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "log.showSignature=false"),
)

SHORT_LIMIT: Final = 20.0
"""Seconds for a question about places and names; a FIFO in the place of HEAD hangs git for ever."""

LONG_LIMIT: Final = 600.0
"""Seconds for a walk over history, which on a large repository without a commit-graph takes its time."""


class GitMissingError(GitMemError):
    """The git executable is not there."""


class GitDirectoryError(GitMemError):
    """The directory that git was to run in cannot be entered."""


class GitTimeoutError(GitMemError):
    """Git did not answer within its time limit; it was killed with all its children."""


class GitFailedError(GitMemError):
    """Git ended with an exit code that the question does not provide for.

    `returncode` is git's, `stderr` its own words, which can hold absolute paths.
    """

    def __init__(self, args: Sequence[str], returncode: int, stderr: str) -> None:
        told = complaint(stderr) or f"exit code {returncode}"
        super().__init__(f"git {args[0]} failed: {told}: `git status` or `git fsck` may tell more")
        self.returncode = returncode
        self.stderr = stderr


@dataclass(frozen=True, slots=True)
class Answer:
    """What git wrote, and how it ended."""

    returncode: int
    stdout: bytes
    stderr: str

    def line(self) -> str:
        """Return the answer as one path or name: git's line end is taken off, nothing else."""
        return os.fsdecode(self.stdout.removesuffix(b"\n"))

    def items(self) -> list[str]:
        """Return the parts of a NUL-separated answer."""
        return [os.fsdecode(item) for item in self.stdout.split(b"\0") if item]


@dataclass(frozen=True, slots=True)
class Git:
    """Starts git for one caller's environment.

    `environ` is the caller's whole environment; what would point git elsewhere is taken out of it here. `limit` is
    the time in seconds for a command that is given no other, `config` what git is told by `-c` besides. `index` is the
    index that counts instead of the worktree's own.
    """

    environ: Mapping[str, str]
    limit: float = SHORT_LIMIT
    config: tuple[str, ...] = ()
    index: Path | None = None

    def configured(self, setting: str) -> "Git":
        """Return one that starts git with one more `<name>=<value>`."""
        return replace(self, config=(*self.config, setting))

    def ask(
        self,
        *args: str,
        cwd: Path,
        feed: bytes | None = None,
        accept: Sequence[int] = (0,),
        limit: float | None = None,
        globs: bool = False,
        colors: bool = False,
    ) -> Answer:
        """Run one git command to its end and return its answer.

        `feed` is its standard input (none by default), `accept` the exit codes that are answers, `limit` seconds.
        Paths are literal, unless `globs` is set for the one command, check-ignore, that does not take it. Colour is
        off, unless `colors` asks what the person's configuration says of it.

        Raises GitFailedError for any other exit code, GitTimeoutError, GitMissingError and GitDirectoryError.
        """
        environment = self.environment()
        if globs:
            del environment["GIT_LITERAL_PATHSPECS"]
        answer = self._run(
            ["git", *_CONFIG, *(() if colors else _NO_COLOR), *self._own_config(), *args],
            environment,
            cwd=cwd,
            feed=feed,
            limit=limit or self.limit,
        )
        if answer.returncode not in accept:
            raise GitFailedError(args, answer.returncode, answer.stderr)
        return answer

    def _own_config(self) -> list[str]:
        return [word for setting in self.config for word in ("-c", setting)]

    def environment(self) -> dict[str, str]:
        """Return the environment that git's processes get."""
        kept = {name: value for name, value in self.environ.items() if name not in LOCATION_VARIABLES}
        index = {} if self.index is None else {"GIT_INDEX_FILE": str(self.index)}
        return kept | _FIXED | index

    @staticmethod
    def _run(command: list[str], environment: dict[str, str], *, cwd: Path, feed: bytes | None, limit: float) -> Answer:
        try:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL if feed is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # so that a time-out ends grandchildren too
            )
        except OSError as error:
            raise _not_started(error, cwd) from error
        with process:
            try:
                stdout, stderr = process.communicate(feed, timeout=limit)
            except subprocess.TimeoutExpired as error:
                _kill_group(process.pid)
                message = f"git did not answer within {limit:.0f} s: look for a lock, a FIFO or a dead file system"
                raise GitTimeoutError(message) from error
            except BaseException:
                _kill_group(process.pid)
                raise
        return Answer(process.returncode, stdout, stderr.decode("utf-8", "replace"))


def pathspecs(paths: Collection[str]) -> list[str]:
    """Return the paths to name in one command line, none where they are too many: then git tells of all there are."""
    return sorted(paths) if len(paths) <= _ARGUMENTS else []


def _not_started(error: OSError, cwd: Path) -> GitMemError:
    if str(error.filename) == str(cwd):
        return GitDirectoryError(f"cannot go to {cwd}: {error.strerror}: name a directory that is there")
    if isinstance(error, FileNotFoundError):
        return GitMissingError("git cannot be started: install git, or put it on PATH")
    return GitMissingError(f"git cannot be started: {error.strerror}: look at the git that is on PATH")


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def complaint(stderr: str) -> str:
    """Return the line of git's words that says what is wrong, without its label; empty if there is none.

    Trace output and hints may stand before and after it.
    """
    for line in stderr.splitlines():
        for label in ("fatal: ", "error: "):
            if line.startswith(label):
                return line.removeprefix(label)
    return ""
