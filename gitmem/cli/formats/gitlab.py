"""The Code Quality report of GitLab: what a merge request makes worse, beside the changed lines.

A JSON array of issues, each with the members that GitLab documents. GitLab compares the fingerprints of two reports
and shows only one issue of those that share one; `Problem` tells what a fingerprint is made of.
"""

from pathlib import PurePosixPath
from typing import Final

from gitmem.cli.formats.documents import json_document
from gitmem.cli.formats.problems import Level, Problem, problems
from gitmem.porcelain.check import Checked

_SEVERITY: Final = {Level.ERROR: "major", Level.WARNING: "minor"}


def render(checked: Checked, store: PurePosixPath) -> str:
    """Return the report; an empty array where there is nothing to report, so that problems that are gone count."""
    return json_document([_issue(problem) for problem in problems(checked, store)])


def _issue(problem: Problem) -> dict[str, object]:
    start, end = problem.place.lines or (1, 1)  # GitLab links to a line; a whole file is shown from its first one on
    return {
        "description": problem.text,
        "check_name": f"git-mem/{problem.rule}",
        "fingerprint": problem.fingerprint,
        "severity": _SEVERITY[problem.level],
        "location": {"path": problem.place.path, "lines": {"begin": start, "end": end}},
    }
