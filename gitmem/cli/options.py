"""Options that several commands share."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import click

from gitmem.cli.session import COLORS
from gitmem.entry.model import Kind, ReviewState

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def one_of(values: type[StrEnum], *more: str) -> click.Choice[str]:
    """Return the parameter type of a closed set, by its values; `more` are other words that are allowed."""
    return click.Choice([*(str(value) for value in values), *more])


def json_option() -> Decorator:
    """`--json`: one JSON document instead of text."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def color_option() -> Decorator:
    """`--color` behind the command, where git's own commands take it."""

    def choose(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            context.obj.color = value

    return click.option(
        "--color", type=click.Choice(COLORS), callback=choose, expose_value=False, help="When to use colour."
    )


def kinds_option() -> Decorator:
    """`--kind`, repeatable."""
    return click.option("--kind", "kinds", type=one_of(Kind), multiple=True, help="Only this kind; may be repeated.")


def states_option(default: str) -> Decorator:
    """`--state`, repeatable; `all` stands for every state. `default` is told in the help."""
    return click.option(
        "--state",
        "states",
        type=one_of(ReviewState, "all"),
        multiple=True,
        help=f"Only this review state, or `all`; may be repeated.  [default: {default}]",
    )


def chosen_states(values: tuple[str, ...]) -> tuple[ReviewState, ...]:
    """Return the states that `--state` names, empty if it was not given."""
    if "all" in values:
        return tuple(ReviewState)
    return tuple(ReviewState(value) for value in values)
