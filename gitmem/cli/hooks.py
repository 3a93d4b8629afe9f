"""`git mem hooks`."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import click

from gitmem.cli.options import json_option
from gitmem.cli.session import Session
from gitmem.errors import GitMemError
from gitmem.git.hooks import HOOKS
from gitmem.git.layout import Place, locate, resolve
from gitmem.git.run import Git
from gitmem.porcelain.encode import encode
from gitmem.porcelain.hooks import Changes, Deed, Hook, HookState, install, status, uninstall
from gitmem.text import visible_line
from gitmem.workspace import Workspace

_COLORS: Final = {HookState.INSTALLED: "green", HookState.ABSENT: "cyan", HookState.BYPASSED: "red"}


@click.group("hooks", short_help="let memory follow what git does")
def command() -> None:
    """Let memory follow commits, checkouts, merges and rewrites, by git's hooks.

    Hooks only make things faster: without them every answer is the same.
    """


@command.command("install", short_help="put a section into each hook")
@json_option()
@click.pass_obj
def install_command(session: Session, *, as_json: bool) -> int:
    """Put a section into post-commit, post-checkout, post-merge and post-rewrite, where git looks for them.

    A script that is there runs behind the section as it did before. What a section cannot be put into is left alone,
    and the line to add is printed. Exit code 1 means that no hook could be installed.
    """
    git, place = _here(session)
    done = install(git, place)
    if as_json:
        session.write_json(encode(status(git, place)))
    else:
        session.write("".join(f"{line}\n" for line in told(done)))
    with suppress(GitMemError):  # where the memory belongs is not what was asked
        session.hint_where_nothing_is(Workspace(git, resolve(git, place)))
    return done.exit_code


@command.command("uninstall", short_help="take the sections out again")
@json_option()
@click.pass_obj
def uninstall_command(session: Session, *, as_json: bool) -> int:
    """Take the sections out of all hooks. Files that were made for them are removed.

    Any other file is what it was before, byte for byte. Exit code 1 means that something was left, and why is said.
    """
    git, place = _here(session)
    done = uninstall(git, place)
    if as_json:
        session.write_json(encode(status(git, place)))
    else:
        session.write("".join(f"{line}\n" for line in told(done)) or "Nothing to do: no hook has a section\n")
    return done.exit_code


@command.command("status", short_help="say which hooks run")
@json_option()
@click.pass_obj
def status_command(session: Session, *, as_json: bool) -> None:
    """Say of each hook whether git runs it here, and when it ran last."""
    found = status(*_here(session))
    if as_json:
        session.write_json(encode(found))
    else:
        session.write("".join(f"{_line(session, hook)}\n" for hook in found.hooks))


@command.command("run", short_help="do what a section does", context_settings={"ignore_unknown_options": True})
@click.argument("hook", type=click.Choice(HOOKS))
@click.argument("arguments", metavar="[ARG]...", nargs=-1, type=click.UNPROCESSED)
def run_command(hook: str, arguments: tuple[str, ...]) -> int:
    """Do in a hook what our section does, with the arguments and the input that git gave to it.

    For hooks that have no section: scripts in other languages, and those that another program owns. It never fails.
    """
    # A commit waits for it, and needs little of what else is here.
    from gitmem.cli.hook import main  # noqa: PLC0415 - see above

    return main([hook, *arguments])


def told(done: Changes) -> Iterator[str]:
    """Yield the lines that tell a person what was done about hooks, and what is left to do."""
    groups: dict[tuple[Deed, str | None], dict[str, None]] = {}
    for one in sorted(done.hooks, key=lambda one: list(Deed).index(one.deed)):
        groups.setdefault((one.deed, one.reason), {})[one.name] = None
    for (deed, reason), names in groups.items():
        yield f"{deed}: {', '.join(names)}" + ("" if reason is None else f" ({visible_line(reason)})")
    for advice in done.advice:
        yield f"{visible_line(advice.what)}:"
        yield from (f"    {visible_line(line)}" for line in advice.lines)


def _line(session: Session, hook: Hook) -> str:
    state = session.styled(f"{hook.state:<9}", fg=_COLORS[hook.state])
    ran = "never ran" if hook.last_run is None else f"last ran {hook.last_run}"
    reason = "" if hook.reason is None else f"  ({visible_line(hook.reason)})"
    return f"{hook.name:<14} {state}  {ran}{reason}"


def _here(session: Session) -> tuple[Git, Place]:
    git = Git(session.environ)
    return git, locate(git, session.directory, session.environ)
