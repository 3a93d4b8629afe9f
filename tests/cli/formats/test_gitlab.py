"""The Code Quality report: what GitLab documents of it, and what it is read for."""

import json
from dataclasses import replace
from typing import Any

import pytest
from cli.formats.findings import BROKEN, HOSTILE, STORE, checked, commit_ref, file_ref, found, judged, one_of_each

from gitmem.cli.formats.gitlab import render
from gitmem.evidence.verdict import Reason
from gitmem.porcelain.check import Checked
from gitmem.text import HIDDEN

MEMBERS = {"description", "check_name", "fingerprint", "severity", "location"}
SEVERITIES = {"info", "minor", "major", "critical", "blocker"}


def issues(check: Checked) -> list[dict[str, Any]]:
    """Return the issues of the report, each checked against what GitLab documents."""
    text = render(check, STORE)
    assert text.endswith("\n")
    read = json.loads(text)
    assert isinstance(read, list)
    for issue in read:
        assert issue.keys() == MEMBERS
        assert all(isinstance(issue[name], str) for name in MEMBERS - {"location"})
        assert issue["severity"] in SEVERITIES
        path, lines = issue["location"]["path"], issue["location"]["lines"]
        assert not path.startswith(("/", "./"))
        assert 1 <= lines["begin"] <= lines["end"]
    marks = [issue["fingerprint"] for issue in read]
    assert len(set(marks)) == len(marks)
    return read


def test_each_problem_is_an_issue_with_its_severity_and_place() -> None:
    found_issues = issues(one_of_each())
    assert [(one["severity"], one["check_name"], one["location"]["path"]) for one in found_issues] == [
        ("major", "git-mem/lines-changed", "src/a.py"),
        ("major", "git-mem/orphaned", ".klide/memory/e-stale.md"),
        ("minor", "git-mem/missing", ".klide/memory/e-unverified.md"),
        ("minor", "git-mem/untracked", "new.py"),
        ("minor", "git-mem/external", ".klide/memory/e-run.md"),
        ("minor", "git-mem/no-evidence", ".klide/memory/e-bare.md"),
        ("minor", "git-mem/unreadable", ".klide/memory/broken.md"),
    ]
    assert found_issues[0]["location"]["lines"] == {"begin": 2, "end": 3}
    assert found_issues[1]["location"]["lines"] == {"begin": 1, "end": 1}
    assert found_issues[0]["description"].startswith(
        "e-stale: src/a.py:2-3: something happened [lines-changed] (e-stale)"
    )


def test_nothing_to_report_is_an_empty_report() -> None:
    assert render(checked(found("e", judged(file_ref(), Reason.UNCHANGED))), STORE) == "[]\n"


@pytest.mark.parametrize("text", HOSTILE)
def test_text_stays_text_and_a_path_stays_itself(text: str) -> None:
    path = text.replace("\0", "").replace("::", ":").encode("utf-8", "ignore").decode("utf-8").replace("//", "/")
    judgements = judged(file_ref(path), Reason.LINES_CHANGED, text), judged(commit_ref(text), Reason.ORPHANED, text)
    check = checked(found("e", *judgements, title=text), invalid=(replace(BROKEN, reason=text),))
    read = issues(check)
    assert [one["location"]["path"] for one in read] == [path, ".klide/memory/e.md", ".klide/memory/broken.md"]
    assert all(HIDDEN.search(one["description"]) is None for one in read)
    assert HIDDEN.search(render(check, STORE).replace("\n", "")) is None
