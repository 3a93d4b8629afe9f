"""What a command gets from outside: where it stands, its environment, and its terminal."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TextIO

import click

from gitmem.cli.progress import Meter
from gitmem.errors import GitMemError, UsageError
from gitmem.git.exclude import Sharing
from gitmem.git.pager import page, wants_color
from gitmem.git.run import Git
from gitmem.text import counted, visible_line
from gitmem.workspace import Workspace, open_workspace

COLORS: Final = ("auto", "always", "never")


class DirectoryError(GitMemError):
    """The directory that a command should run in is not there."""


class OutputError(GitMemError):
    """Standard output is closed, or what it leads to takes no more."""


@dataclass(slots=True)
class Session:
    """One call of the program: the only place that knows the process's surroundings."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    changes: tuple[str, ...] = ()
    color: str = "auto"
    git_colors: bool | None = None  # git's answer, once it was asked

    @property
    def directory(self) -> Path:
        """The directory that the command runs in, after all `-C`. Raises DirectoryError."""
        try:
            directory = Path.cwd()
        except FileNotFoundError:
            raise DirectoryError("the current directory is gone: change to one that exists") from None
        for change in self.changes:
            directory /= change
            if not directory.is_dir():
                raise DirectoryError(f"cannot change to '{change}': there is no such directory")
        return directory

    @property
    def now(self) -> datetime:
        """The present moment."""
        return datetime.now(UTC)

    @property
    def at_terminal(self) -> bool:
        """Whether a person sits in front of this call: both its input and its output are a terminal."""
        return _is_terminal(sys.stdin) and self.shows_on_terminal

    @property
    def shows_on_terminal(self) -> bool:
        """Whether standard output is a terminal."""
        return _is_terminal(sys.stdout)

    def open(self) -> Workspace:
        """Open the workspace of the directory. Raises LayoutError."""
        return open_workspace(self.directory, self.environ)

    def glance(self) -> Workspace:
        """Open the workspace for a verb that only reads, and warn where a checkout could overwrite the store."""
        workspace = self.open()
        self.warn_if_endangered(workspace)
        return workspace

    def read(self) -> Workspace:
        """Do as glance does, for a verb that looks into the store: say where there is none to look into."""
        workspace = self.glance()
        lost = workspace.lost()
        if lost:
            store = workspace.layout.store_path
            self.hint(f"{store} is gone, and with it {counted(lost)}: `git mem restore` brings back what is recorded")
        else:
            self.hint_where_nothing_is(workspace)
        return workspace

    def hint_where_nothing_is(self, workspace: Workspace) -> None:
        """Say where there is no store to look into."""
        if not workspace.store_exists:
            self.hint(f"there is no memory in {workspace.layout.store_path} yet: `git mem init` creates it")

    def warn_if_endangered(self, workspace: Workspace) -> None:
        """Warn where the store is private and a checkout could overwrite it all the same."""
        if workspace.store_exists and workspace.endangered:
            self.warn(
                "this store is private, but HEAD tracks .klide, so a checkout could overwrite it: "
                "run `git mem init --track`, or untrack .klide"
            )

    def tell_after_writing(self, workspace: Workspace) -> None:
        """Say what a person should know of a write.

        That is: what was found removed by hand, and where a change of a tracked store is to be committed, if that is
        another checkout than this one.
        """
        removed = workspace.removed_by_hand
        if removed:
            what = visible_line(removed[0].removesuffix(".md")) if len(removed) == 1 else f"{len(removed)} entries"
            back = f"`git mem restore {what}` brings it" if len(removed) == 1 else "`git mem restore --all` brings them"
            self.warn(f"{what} had been removed by hand, and that is recorded now: {back} back")
        layout = workspace.layout
        elsewhere = layout.main != layout.worktree and workspace.sharing() is Sharing.TRACKED
        if elsewhere:
            self.hint(f"written in the main checkout, so commit it there: {layout.main}")

    def styled(self, text: str, **style: str | bool) -> str:
        """Return the text in a style if colour is wanted on standard output."""
        return click.style(text, **style) if self._colored() else text  # type: ignore[arg-type]  # **style is checked by click

    def write(self, text: str | bytes) -> None:
        """Write data to standard output as it is, as UTF-8. Raises OutputError, and BrokenPipeError."""
        self.require_output()
        data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        descriptor = sys.stdout.fileno()
        # Not through Python's buffer: what a full disk refuses would be tried again when the process ends.
        while data:
            data = data[_written(descriptor, data) :]

    def require_output(self) -> None:
        """Raise OutputError where standard output is closed: before anything is done whose result it would show."""
        if _closed(sys.stdout):
            raise OutputError("standard output is closed, so there is nowhere to write to: redirect it")

    def write_json(self, document: str) -> None:
        """Write one JSON document."""
        self.write(document + "\n")

    def show(self, text: str) -> None:
        """Write text for people: through the pager where it is longer than the terminal."""
        long = self.shows_on_terminal and text.count("\n") >= shutil.get_terminal_size().lines
        if not (long and page(self.environ, self.directory, text)):
            self.write(text)

    def warn(self, message: str) -> None:
        """Write one line to standard error."""
        click.echo(f"warning: {visible_line(message)}", err=True)

    def hint(self, message: str) -> None:
        """Write a line of advice to standard error."""
        click.echo(visible_line(message), err=True)

    def ask(self, question: str) -> bool:
        """Ask the person at the terminal something, no being the answer of silence. Raises click.Abort."""
        return click.confirm(visible_line(question), default=False, err=True)

    def progress(self, title: str) -> Meter:
        """Return what shows the progress of long work: on standard error, where that is a terminal."""
        return Meter(title, sys.stderr if _is_terminal(sys.stderr) else None)

    def _colored(self) -> bool:
        if self.color != "auto":
            return self.color == "always"
        if not self.shows_on_terminal or self.environ.get("NO_COLOR"):
            return False
        if self.git_colors is None:
            self.git_colors = wants_color(Git(self.environ), self.directory)
        return self.git_colors


def read_input() -> bytes:
    """Return all of standard input. Raises UsageError where it is closed."""
    if _closed(sys.stdin):
        raise UsageError("standard input is closed, so there is nothing to read: redirect it")
    return sys.stdin.buffer.read()


def _written(descriptor: int, data: bytes) -> int:
    try:
        return os.write(descriptor, data)
    except BrokenPipeError:
        raise
    except OSError as error:
        told = (error.strerror or str(error)).lower()
        raise OutputError(f"standard output cannot be written: {told}: redirect it elsewhere") from error


def _closed(stream: TextIO | None) -> bool:
    # Python has no object for a descriptor that was closed when the process began.
    return stream is None


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def text_argument(_context: click.Context, parameter: click.Parameter, value: object) -> object:
    """Refuse arguments that are not UTF-8: an entry could not hold them."""
    values = value if isinstance(value, tuple) else (value,)
    for item in values:
        if isinstance(item, str) and any("\ud800" <= character <= "\udfff" for character in item):
            raise UsageError(f"{parameter.human_readable_name.rstrip('.')} is not UTF-8: write it in UTF-8")
    return value
