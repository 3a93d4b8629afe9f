"""Workflow commands of GitHub Actions: annotations on the files of a pull request.

One `::error` or `::warning` a problem. GitHub shows ten of each level a step; the others stand in the log. Data and
properties are escaped as the runner undoes it (`ActionCommand` in actions/runner, `command.ts` in actions/toolkit).
"""

from pathlib import PurePosixPath

from gitmem.cli.formats.problems import Problem, problems
from gitmem.porcelain.check import Checked
from gitmem.text import visible


def render(checked: Checked, store: PurePosixPath) -> str:
    """Return one line for each problem, nothing where there is none."""
    return "".join(f"{_command(problem)}\n" for problem in problems(checked, store))


def _command(problem: Problem) -> str:
    properties = {"file": problem.place.path, **_lines(problem), "title": f"git mem: {problem.rule}"}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{problem.level} {listed}::{_data(problem.text)}"


def _lines(problem: Problem) -> dict[str, str]:
    if problem.place.lines is None:
        return {}
    start, end = problem.place.lines
    return {"line": str(start), "endLine": str(end)}


def _data(text: str) -> str:
    # What is left after the line breaks could still be obeyed by the terminal or the log that it is read in.
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
