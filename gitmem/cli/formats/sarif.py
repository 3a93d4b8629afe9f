"""SARIF 2.1.0, the format of code scanning: results that are known again from one run to the next.

Section numbers are those of the OASIS standard. One run, one result a problem, a rule for each reason that occurs.
Paths are percent-encoded references, relative to `%SRCROOT%`, the top of the checkout; where that lies on the machine
is not told, so the same findings give the same document everywhere.

`partialFingerprints` holds the problem's fingerprint as `gitMemRef/v1`. GitHub matches alerts by the member
`primaryLocationLineHash`, which its upload action computes from the line that a result points at, and it warns of
each value that is not its own. So that member is set only where a result has no line, and the action leaves it alone.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from gitmem import __version__
from gitmem.cli.formats.documents import json_document
from gitmem.cli.formats.problems import Level, Place, Problem, problems
from gitmem.cli.formats.rules import level_of, rule_of
from gitmem.porcelain.check import Checked

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_BASE: Final = "%SRCROOT%"
_MEANS: Final = {
    Level.ERROR: "The entry is stale: the project no longer shows what it cites.",
    Level.WARNING: "The entry is unverified: what it cites could not be measured.",
}


def render(checked: Checked, store: PurePosixPath) -> str:
    """Return the log, with an empty array of results where there is nothing to report, so that alerts are closed."""
    found = list(problems(checked, store))
    rules = list(dict.fromkeys(problem.rule for problem in found))
    run = {
        "tool": {"driver": {"name": "git-mem", "version": __version__, "rules": [_rule(name) for name in rules]}},
        "automationDetails": {"id": "git-mem/"},  # GitHub's category: what one upload replaces of the one before
        "originalUriBaseIds": {_BASE: {"description": _message("The top of the checkout.")}},
        "results": [_result(problem, rules) for problem in found],
        "properties": {name: getattr(checked, name) for name in ("target", "head", "since", "shallow")},
    }
    return json_document({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(name: str) -> dict[str, object]:
    rule, level = rule_of(name), level_of(name)
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.split("-")),
        "shortDescription": _message(f"{rule.says}."),
        "fullDescription": _message(f"{rule.says}. {_MEANS[level]}"),
        "help": _message(rule.remedy),
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["git-mem"], "precision": "very-high", "problem.severity": level},
    }


def _result(problem: Problem, rules: Sequence[str]) -> dict[str, object]:
    fingerprints = {"gitMemRef/v1": problem.fingerprint}
    if problem.place.lines is None:
        fingerprints["primaryLocationLineHash"] = problem.fingerprint
    return {
        "ruleId": problem.rule,
        "ruleIndex": rules.index(problem.rule),
        "level": problem.level,
        "message": _message(_text(problem)),
        "locations": [{"physicalLocation": _location(problem.place)}],
        **_related(problem),
        "partialFingerprints": fingerprints,
        **_properties(problem),
    }


def _text(problem: Problem) -> str:
    # "](" makes a link (3.11.6), and the only one that a message may have is the one to the entry.
    told = f"{problem.title}: {problem.told}".replace("](", "] (")
    name = problem.name.replace("](", "] (")
    return f"{told} ([{name}](1))" if _points_elsewhere(problem) else f"{told} ({name})"


def _points_elsewhere(problem: Problem) -> bool:
    return problem.place.path != problem.file


def _message(text: str) -> dict[str, str]:
    return {"text": text.replace("{", "{{").replace("}", "}}")}  # single braces hold a place for an argument (3.11.5)


def _location(place: Place) -> dict[str, object]:
    artifact = {"uri": quote(place.path, errors="backslashreplace"), "uriBaseId": _BASE}
    if place.lines is None:
        return {"artifactLocation": artifact}
    start, end = place.lines
    return {"artifactLocation": artifact, "region": {"startLine": start, "endLine": end}}


def _related(problem: Problem) -> dict[str, object]:
    if not _points_elsewhere(problem):
        return {}
    location = {"id": 1, "physicalLocation": _location(Place(problem.file)), "message": _message("The entry.")}
    return {"relatedLocations": [location]}


def _properties(problem: Problem) -> dict[str, object]:
    entry = problem.entry
    if entry is None:
        return {}
    return {"properties": {"entry": entry.id, "title": problem.title, "reviewState": entry.review_state}}
