"""Git's editor, chosen and started as git does it."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, TypeAlias

from gitmem.errors import ExitCode, GitMemError
from gitmem.git.run import Git, complaint

_NO_EDITING: Final = ":"
_KEYS: Final = (signal.SIGINT, signal.SIGQUIT)
"""What a terminal sends to everybody in front of it when a person presses Ctrl-C or Ctrl-backslash."""

_Handler: TypeAlias = "Callable[[int, FrameType | None], object] | int | None"


class EditorMissingError(GitMemError):
    """There is no editor that git would start."""


class EditorFailedError(GitMemError):
    """The editor did not start, or did not end well."""


class EditorInterruptedError(EditorFailedError):
    """A person ended the editor from the keyboard. Exit code 130."""

    exit_code = ExitCode.INTERRUPTED


def choose_editor(git: Git, directory: Path) -> str:
    """Return the editor that git would start in a directory, as a line of sh.

    From GIT_EDITOR, core.editor, VISUAL or EDITOR, else git's own; none on a dumb terminal (git-var, GIT_EDITOR).
    Raises EditorMissingError.
    """
    answer = git.ask("var", "GIT_EDITOR", cwd=directory, accept=(0, 1, 128))
    editor = answer.line()
    if answer.returncode or not editor.strip():
        silent = "terminal is dumb, but EDITOR unset" if answer.returncode else "it is empty"
        why = complaint(answer.stderr) or silent
        raise EditorMissingError(f"git has no editor to start here: {why}: set GIT_EDITOR or core.editor")
    return editor


def run_editor(git: Git, editor: str, directory: Path, path: Path) -> None:
    """Let a person edit a file: on this process's own terminal, in their own environment; return when they are done.

    To be called from the main thread. Ctrl-C goes to the editor, as with git. Raises EditorFailedError.
    """
    if editor == _NO_EDITING:
        return
    with _left_to_the_child(_KEYS):
        try:
            # Not `Git.ask`: the person's environment is handed on as it is, and there is no time limit.
            code = subprocess.call(
                ["/bin/sh", "-c", f'{editor} "$@"', editor, os.fspath(path)], cwd=directory, env=dict(git.environ)
            )
        except OSError as error:
            told = (error.strerror or str(error)).lower()
            raise EditorFailedError(f"the editor '{editor}' cannot be started: {told}: set GIT_EDITOR") from error
    if code:
        raise _failure(editor, code)


def _failure(editor: str, code: int) -> EditorFailedError:
    # sh tells of a signal by 128 and its number; where it gave its place to the editor, the system tells it itself.
    if code in {*(-one for one in _KEYS), *(128 + one for one in _KEYS)}:
        return EditorInterruptedError(f"the editor '{editor}' was interrupted, so nothing was written")
    ended = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return EditorFailedError(f"the editor '{editor}' {ended}, so nothing was written: try again, or set GIT_EDITOR")


@contextmanager
def _left_to_the_child(signals: tuple[signal.Signals, ...]) -> Iterator[None]:
    """Do nothing about signals for the body of the `with`.

    By a handler of our own: a child begins with the signal's default then, where it would inherit being told to ignore
    it. What is ignored already stays so, for the child too.
    """
    before: dict[signal.Signals, _Handler] = {one: signal.getsignal(one) for one in signals}
    taken = [one for one, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    try:
        for one in taken:
            signal.signal(one, lambda _number, _frame: None)
        yield
    finally:
        for one in taken:
            signal.signal(one, before[one])
