"""The entry of the command line: finds the command, runs it, turns every end into an exit code and one line."""

import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

import click

from gitmem import __version__
from gitmem.cli.commands import COMMANDS
from gitmem.cli.session import COLORS, Session
from gitmem.errors import ExitCode, GitMemError
from gitmem.text import visible

# What to do when the operating system refuses, by errno.
_REMEDIES: Final = {
    errno.EACCES: "look at its permissions",
    errno.EPERM: "look at its permissions",
    errno.EROFS: "nothing can be written there; reading works",
    errno.ENOSPC: "nothing was kept half done; free some space",
    errno.EDQUOT: "nothing was kept half done; free some space",
}


class CommandTable(click.Group):
    """The commands, listed in the order of the table and loaded one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"gitmem.cli.{cmd_name}").command
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="git-mem", message="%(prog)s version %(version)s")
@click.option("-C", "changes", metavar="DIR", multiple=True, help="Run as if started in DIR.")
@click.option("--color", type=click.Choice(COLORS), default="auto", help="When to use colour.", show_default=True)
@click.pass_context
def git_mem(context: click.Context, changes: tuple[str, ...], color: str) -> None:
    """Project memory that lives with git: remember, find, and know what is still true."""
    context.obj = Session(changes=changes, color=color)


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code. Every error ends as one line on standard error."""
    try:
        result = git_mem.main(list(arguments), prog_name="git mem", standalone_mode=False)
        return int(result) if isinstance(result, int) else ExitCode.DONE
    except (BrokenPipeError, SystemExit):  # click exits where a pipe is broken, and nowhere else here
        return _die_of_broken_pipe()
    except (click.Abort, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    except (GitMemError, click.ClickException, OSError) as error:
        return _fail(*_expected(error))
    except Exception as error:
        if os.environ.get("GITMEM_DEBUG"):
            raise
        told = f"{type(error).__name__}: {error}"
        return _fail(f"fatal: a fault in git mem itself: {told}: run it again with GITMEM_DEBUG=1", ExitCode.FATAL)


def _expected(error: GitMemError | click.ClickException | OSError) -> tuple[str, ExitCode]:
    if isinstance(error, GitMemError):
        return f"{error.label}: {error.message}", error.exit_code
    if isinstance(error, click.UsageError):
        return _usage(error), ExitCode.USAGE
    if isinstance(error, click.ClickException):
        return f"error: {error.format_message()}", ExitCode.USAGE
    where = f": {error.filename!s}" if error.filename else ""
    remedy = _REMEDIES.get(error.errno or 0, "look at it, then try again")
    return f"fatal: {(error.strerror or str(error)).lower()}{where}: {remedy}", ExitCode.FATAL


def _fail(line: str, code: ExitCode) -> int:
    click.echo(visible(" ".join(line.split())), err=True)
    return code


def _usage(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx is not None else "git mem"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return f"error: a command is missing: see `{path} -h`"
    message = error.format_message().rstrip(".")
    link = " See" if message.endswith("?") else ": see"
    return f"error: {message[:1].lower()}{message[1:]}{link} `{path} -h`"


def _die_of_broken_pipe() -> int:
    """End as every Unix filter does when its reader has gone: silently, by SIGPIPE."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)
    return ExitCode.FATAL
