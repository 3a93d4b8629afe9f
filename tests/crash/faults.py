"""Stops a command at one of its write points: killed, torn, refused by the disk, or left by the git that it started.

The system calls that change a disk, and every start of git, are counted, and the one that was chosen goes wrong. Runs
are forks of one process that has the program imported, each in a fresh copy of a prepared repository.
"""

import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from gitmem.cli.commands import COMMANDS
from gitmem.cli.main import git_mem, run

QUESTIONS: Final = frozenset(
    {"cat-file", "config", "diff-tree", "for-each-ref", "log", "ls-tree", "reflog", "rev-list", "rev-parse", "var"}
)
"""Commands of git that change nothing here."""

_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Mode(StrEnum):
    """What happens at the chosen call."""

    KILL = "killed before"
    KILL_AFTER = "killed after"
    TEAR = "killed in the middle of"
    DEATH = "dead from"  # in this very process: neither it nor anything after it happens
    REFUSE = "refused"
    REFUSE_HALF = "refused in the middle of"
    REFUSE_ALL = "refused from"
    INTERRUPT = "interrupted at"
    GIT_DIES = "without git at"
    GIT_DIES_AFTER = "not told of success by"


class DeadError(BaseException):
    """Ends what a killed process would not have done any more."""


@dataclass(frozen=True, slots=True)
class Call:
    """One counted call: the function, and on what; for git the word that names its command."""

    function: str
    detail: str

    @property
    def is_git(self) -> bool:
        """Whether it starts git."""
        return self.function == "git"

    @property
    def is_question(self) -> bool:
        """Whether it asks git something and changes nothing."""
        return self.is_git and self.detail in QUESTIONS


@dataclass(slots=True)
class Faults:
    """Counts calls and lets one of them go wrong; number 0 is none."""

    number: int = 0
    mode: Mode = Mode.KILL
    code: int = 0
    calls: list[Call] = field(default_factory=list)

    def strike(self, function: str, detail: object) -> bool:
        """Count a call; end it here if its turn has come. Return whether it is to go wrong later on."""
        self.calls.append(Call(function, _shown(detail)))
        if self._reached():
            self._end()
        return len(self.calls) == self.number

    def _reached(self) -> bool:
        if self.mode is Mode.DEATH:
            return 0 < self.number <= len(self.calls)
        if self.mode is Mode.REFUSE_ALL:
            return 0 < self.number <= len(self.calls) and not self.calls[-1].is_question
        return len(self.calls) == self.number

    def _end(self) -> None:
        if self.mode is Mode.KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.mode is Mode.DEATH:
            raise DeadError
        if self.mode is Mode.INTERRUPT:
            raise KeyboardInterrupt
        if self.mode in (Mode.REFUSE, Mode.REFUSE_ALL):
            self._refuse()

    def _refuse(self) -> None:
        raise OSError(self.code, os.strerror(self.code))

    def done(self) -> None:
        """Tell that the call whose turn it was has ended."""
        if self.mode is Mode.KILL_AFTER:
            os.kill(os.getpid(), signal.SIGKILL)

    def half(self, write: Callable[[bytes], Any], data: bytes) -> None:
        """Write one half of the bytes, and go wrong."""
        if self.mode in (Mode.TEAR, Mode.REFUSE_HALF):
            write(data[: len(data) // 2])
        if self.mode is Mode.TEAR:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.mode is Mode.REFUSE_HALF:
            self._refuse()

    def counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is counted."""

        def call(*arguments: Any, **options: Any) -> Any:
            struck = self.strike(name, arguments[-1] if isinstance(arguments[-1], str | os.PathLike) else "")
            result = real(*arguments, **options)
            if struck:
                self.done()
            return result

        return call

    def written(self, name: str, write: Callable[[bytes], int], data: bytes) -> int:
        """Write bytes, which is counted."""
        struck = self.strike(name, f"{len(data)} bytes")
        if struck:
            self.half(write, data)
        count = write(data)
        if struck:
            self.done()
        return count


def _shown(detail: object) -> str:
    text = str(detail)
    return ".tmp" if ".tmp-" in text else text.rpartition("/")[2]


class _CountedFile(io.FileIO):
    """A file whose writes are counted."""

    def __init__(self, faults: Faults, file: Any, mode: str) -> None:
        super().__init__(file, mode)
        self._faults = faults

    def write(self, data: Any, /) -> int:
        return self._faults.written("write", super().write, bytes(data))


@contextmanager
def watched(faults: Faults) -> Iterator[None]:
    """Let the calls of this process go through the faults."""
    names = ("rename", "replace", "link", "unlink", "mkdir", "rmdir", "fsync", "ftruncate")
    calls = {name: faults.counted(name, getattr(os, name)) for name in names}
    instead = [(os, name, call) for name, call in {**calls, **_writes(faults), **_opens(faults)}.items()]
    instead += [(io, "open", _opened(faults)), (subprocess, "Popen", _started(faults))]
    real = [(module, name, getattr(module, name)) for module, name, _ in instead]
    try:
        for module, name, call in instead:
            setattr(module, name, call)
        yield
    finally:
        for module, name, call in real:
            setattr(module, name, call)


def _writes(faults: Faults) -> dict[str, Any]:
    real_write, real_pwrite = os.write, os.pwrite

    def write(descriptor: int, data: bytes, /) -> int:
        if descriptor in (1, 2):
            return real_write(descriptor, data)
        return faults.written("write", lambda some: real_write(descriptor, some), bytes(data))

    def pwrite(descriptor: int, data: bytes, offset: int, /) -> int:
        return faults.written("pwrite", lambda some: real_pwrite(descriptor, some, offset), data)

    return {"write": write, "pwrite": pwrite}


def _opens(faults: Faults) -> dict[str, Any]:
    real_open, real_fdopen = os.open, os.fdopen

    def opened(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        if not flags & _WRITING or path == os.devnull:
            return real_open(path, flags, *arguments, **options)
        struck = faults.strike("open", path)
        descriptor = real_open(path, flags, *arguments, **options)
        if struck:
            faults.done()
        return descriptor

    def fdopened(descriptor: int, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if mode == "wb":
            return io.BufferedWriter(_CountedFile(faults, descriptor, mode))
        return real_fdopen(descriptor, mode, *arguments, **options)

    return {"open": opened, "fdopen": fdopened}


def _opened(faults: Faults) -> Callable[..., Any]:
    real = io.open

    def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if mode not in ("wb", "ab+") or isinstance(file, int):
            return real(file, mode, *arguments, **options)
        faults.strike("open", file)
        raw = _CountedFile(faults, file, mode)
        return io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)

    return opened


def _started(faults: Faults) -> Callable[..., Any]:
    real = subprocess.Popen

    def started(command: list[str], **options: Any) -> Any:
        struck = faults.strike("git", verb_of(command))
        if struck and faults.mode is Mode.GIT_DIES:
            command = ["sh", "-c", "kill -9 $$"]
        elif struck and faults.mode is Mode.GIT_DIES_AFTER:
            command = ["sh", "-c", '"$@"; kill -9 $$', "sh", *command]
        process = real(command, **options)
        if struck:
            faults.done()
        return process

    return started


def verb_of(command: Sequence[str]) -> str:
    """Return the command of git that an argument list names."""
    words = iter(command[1:])
    for word in words:
        if word == "-c":
            next(words)
        elif not word.startswith("-"):
            return word
    return ""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a fork ended: by an exit code, or by a signal as its negative number; what it wrote."""

    code: int
    out: bytes
    err: str


def forked(work: Callable[[], int], scratch: Path) -> Ended:
    """Do something in a fork of this process, and return how that ended."""
    paths = [scratch / "out", scratch / "err"]
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            for number, path in enumerate(paths, 1):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
            code = work()
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent tells it
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return Ended(os.waitstatus_to_exitcode(status), paths[0].read_bytes(), paths[1].read_text("utf-8", "replace"))


def command(repo: Path, words: Sequence[str], faults: Faults | None = None) -> Callable[[], int]:
    """Return what runs a command of the program in a repository, and lets it go wrong."""

    def work() -> int:
        os.chdir(repo)
        if faults is None:
            return run(words)
        with watched(faults):
            return run(words)

    return work


def calls_of(repo: Path, words: Sequence[str], scratch: Path) -> list[Call]:
    """Run a command and return the calls that it makes."""
    trace = scratch / "trace"

    def work() -> int:
        os.chdir(repo)
        faults = Faults()
        with watched(faults):
            code = run(words)
        trace.write_text("".join(f"{call.function}\t{call.detail}\n" for call in faults.calls), encoding="utf-8")
        return code

    ended = forked(work, scratch)
    assert ended.code == 0, ended
    return [Call(*line.split("\t", 1)) for line in trace.read_text(encoding="utf-8").splitlines()]


def load_everything() -> None:
    """Import what the commands import when they are first used."""
    context = git_mem.make_context("git mem", ["list"])
    for name in COMMANDS:
        git_mem.get_command(context, name)


@contextmanager
def copied(template: Path, scratch: Path) -> Iterator[Path]:
    """Make a fresh copy of a repository, to be thrown away."""
    copy = scratch / "repo"
    shutil.copytree(template, copy, symlinks=True)
    try:
        yield copy
    finally:
        shutil.rmtree(copy, ignore_errors=True)
