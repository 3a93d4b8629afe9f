"""What `search` and `explain` take: the words of a query, and the options that narrow it."""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Final, TypeVar

import click

from gitmem.cli.options import kinds_option
from gitmem.cli.session import text_argument
from gitmem.entry.model import Kind
from gitmem.errors import UsageError
from gitmem.evidence.verdict import Verdict
from gitmem.porcelain.search import DEFAULT_LIMIT, Request
from gitmem.search.narrow import Filters

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    click.argument("words", metavar="QUERY...", nargs=-1, required=True, callback=text_argument),
    kinds_option(),
    click.option("--tag", "tags", multiple=True, metavar="TAG", callback=text_argument, help="Only with this tag."),
    click.option(
        "--path", "paths", multiple=True, metavar="PATH", callback=text_argument, help="Only citing this path or below."
    ),
    click.option(
        "-n",
        "limit",
        type=int,
        default=DEFAULT_LIMIT,
        metavar="N",
        help="At most N entries (1..20).",
        show_default=True,
    ),
    click.option("--include-inactive", is_flag=True, help="Search superseded, stale and proposed entries too."),
    click.option("--at", metavar="REV", help="Answer as of a commit: what was known and true then."),
    click.option("--only", metavar="VERDICT[,VERDICT]", help="Only entries with one of these verdicts."),
)


def query_options(command: Command) -> Command:
    """Give a command the words and options of a query."""
    return reduce(lambda given, option: option(given), reversed(_OPTIONS), command)


def request_of(options: Mapping[str, Any], *, match_any: bool = False) -> Request:
    """Return what the options ask for. Raises UsageError."""
    return Request(
        limit=options["limit"],
        match_any=match_any,
        only=_verdicts(options["only"]),
        filters=Filters(
            kinds=tuple(Kind(kind) for kind in options["kinds"]),
            tags=options["tags"],
            paths=options["paths"],
            include_inactive=options["include_inactive"],
        ),
        at=options["at"],
    )


def _verdicts(text: str | None) -> frozenset[Verdict]:
    try:
        return frozenset(Verdict(word.strip()) for word in text.split(",")) if text is not None else frozenset()
    except ValueError:
        raise UsageError(f"--only is '{text}', but takes {', '.join(Verdict)}, with commas between them") from None
