"""The reference is complete: what the code can say stands on a page."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from gitmem.cli.commands import COMMANDS
from gitmem.cli.main import git_mem
from gitmem.entry.model import Kind, ReviewState
from gitmem.errors import ExitCode
from gitmem.evidence.verdict import Reason, Verdict, verdict_of
from gitmem.git.layout import LayoutKind
from gitmem.search.fields import WEIGHTS
from gitmem.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_stands_on_the_page_with_its_verdict(reason: Reason) -> None:
    rows = [line.split("|") for line in page("reference/verdicts.md").splitlines() if line.startswith("| `")]
    told = [row[2].strip() for row in rows if f"`{reason}`" in row[1]]
    assert told == [verdict_of(reason)]


def test_the_page_has_no_reason_that_the_code_lacks() -> None:
    rows = re.findall(
        r"^\| (`[a-z`, -]+`) \| (?:current|stale|unverified) \|", page("reference/verdicts.md"), re.MULTILINE
    )
    named = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}
    assert named == {str(reason) for reason in Reason}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_stands_in_the_reference_and_in_the_readme(name: str) -> None:
    assert f"`git mem {name}" in page("reference/commands.md")
    assert f"git mem {name}" in page("../README.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_told(name: str) -> None:
    command = git_mem.get_command(None, name)  # type: ignore[arg-type]  # the table needs no context
    assert command is not None
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("-") and option != "--color":
                assert option in page("reference/commands.md"), option


@pytest.mark.parametrize("code", list(ExitCode))
def test_every_exit_code_is_told(code: ExitCode) -> None:
    assert re.search(rf"^\| `{int(code)}` \|", page("reference/commands.md"), re.MULTILINE)


def test_every_setting_is_told_with_its_default() -> None:
    settings = Settings()
    told = page("reference/commands.md")
    for field in fields(settings):
        first, *rest = field.name.split("_")
        key = "mem." + first + "".join(word.capitalize() for word in rest)
        row = next(line for line in told.splitlines() if f"`{key}`" in line)
        value = getattr(settings, field.name)
        told_as = f"{value:g}" if isinstance(value, float) else str(value)
        assert f"`{told_as.lower()}`" in row


def test_every_kind_and_state_is_told() -> None:
    told = page("reference/entry-format.md")
    assert all(f"`{value}`" in told for value in (*Kind, *ReviewState))
    assert all(f"`{verdict}`" in page("reference/verdicts.md") for verdict in Verdict)


def test_every_layout_is_told() -> None:
    told = page("reference/commands.md")
    assert all(f"`{kind}`" in told for kind in LayoutKind)


def test_the_fields_are_told_in_the_order_of_their_weights() -> None:
    told = " ".join(page("reference/commands.md").split())
    order = re.search(r"a little for the field: ([^.]+), in this order\.", told)
    assert order is not None
    names = [name.replace(" ", "").lower() for name in re.split(", | and ", order[1])]
    assert names == [name.lower() for name in sorted(WEIGHTS, key=WEIGHTS.__getitem__, reverse=True)]
