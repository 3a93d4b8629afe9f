"""Workflow commands: what the runner makes of them."""

from dataclasses import dataclass, replace

import pytest
from cli.formats.findings import BROKEN, HOSTILE, STORE, checked, commit_ref, file_ref, found, judged, one_of_each
from hypothesis import given
from hypothesis import strategies as st

from gitmem.cli.formats.github import render
from gitmem.evidence.verdict import Reason
from gitmem.text import HIDDEN


@dataclass(frozen=True, slots=True)
class Command:
    """A workflow command as the runner takes it apart."""

    name: str
    properties: dict[str, str]
    data: str


def obey(line: str) -> Command:
    """Take a command apart by the runner's rules: up to the second `::` its name and properties, then the data."""
    assert line.startswith("::")
    head, separator, data = line[2:].partition("::")
    assert separator
    name, _, listed = head.partition(" ")
    properties = dict(pair.split("=", 1) for pair in listed.split(","))
    return Command(name, {key: unescape(value) for key, value in properties.items()}, unescape(data))


def unescape(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def commands(text: str) -> list[Command]:
    # The runner reads lines as .NET does: CR, LF and both together end one.
    assert text == "" or text.endswith("\n")
    return [obey(line) for line in text.replace("\r", "\n").split("\n")[:-1]]


def test_each_problem_is_one_command() -> None:
    found_commands = commands(render(one_of_each(), STORE))
    assert [(one.name, one.properties["file"], one.properties["title"]) for one in found_commands] == [
        ("error", "src/a.py", "git mem: lines-changed"),
        ("error", ".klide/memory/e-stale.md", "git mem: orphaned"),
        ("warning", ".klide/memory/e-unverified.md", "git mem: missing"),
        ("warning", "new.py", "git mem: untracked"),
        ("warning", ".klide/memory/e-run.md", "git mem: external"),
        ("warning", ".klide/memory/e-bare.md", "git mem: no-evidence"),
        ("warning", ".klide/memory/broken.md", "git mem: unreadable"),
    ]
    assert found_commands[0].data.startswith("e-stale: src/a.py:2-3: something happened [lines-changed] (e-stale)")


def test_lines_are_told_where_there_are_any() -> None:
    first, second, *_ = commands(render(one_of_each(), STORE))
    assert (first.properties["line"], first.properties["endLine"]) == ("2", "3")
    assert second.properties.keys() == {"file", "title"}


def test_nothing_to_report_is_no_output() -> None:
    assert render(checked(found("e", judged(file_ref(), Reason.UNCHANGED))), STORE) == ""
    assert render(checked(), STORE) == ""


def test_all_are_printed_although_github_shows_ten() -> None:
    refs = [judged(file_ref(f"f-{number}.py"), Reason.DELETED) for number in range(25)]
    assert len(commands(render(checked(found("e", *refs)), STORE))) == 25


@pytest.mark.parametrize(
    "path", ["a,b.py", "a:b::c.py", "100%.py", "%0A.py", "a=b.py", "line\nfeed.py", "a\rb", "é ü.py", "a\tb"]
)
def test_a_path_arrives_as_it_is(path: str) -> None:
    (command,) = commands(render(checked(found("e", judged(file_ref(path), Reason.DELETED))), STORE))
    assert command.properties["file"] == path
    assert command.properties["line"] == "2"


@pytest.mark.parametrize("text", HOSTILE)
def test_text_cannot_become_a_command_or_a_property(text: str) -> None:
    judgement = judged(file_ref(text), Reason.LINES_CHANGED, text)
    check = checked(found("e", judgement, title=text), invalid=(replace(BROKEN, file=f"{text}.md", reason=text),))
    output = render(check, STORE)
    found_commands = commands(output)
    assert [one.name for one in found_commands] == ["error", "warning"]
    assert all(one.properties.keys() <= {"file", "line", "endLine", "title"} for one in found_commands)
    assert HIDDEN.search(output.replace("\n", "").replace("\t", "")) is None


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_gives_one_line_for_each_problem(title: str, message: str) -> None:
    judgements = (judged(file_ref(title), Reason.DELETED, message), judged(commit_ref(message), Reason.ORPHANED, title))
    output = render(checked(found("e", *judgements, title=title)), STORE)
    assert [one.name for one in commands(output)] == ["error", "error"]
    assert output.encode("utf-8")
