"""The JUnit report: the structure that the strictest reader wants, and what the others show of it."""

from collections.abc import Mapping
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from cli.formats.findings import BROKEN, HOSTILE, RUN_FOUND, STORE, checked, file_ref, found, judged, one_of_each
from hypothesis import given
from hypothesis import strategies as st

from gitmem.cli.formats.junit import render
from gitmem.evidence.verdict import Reason
from gitmem.porcelain.check import Checked
from gitmem.text import HIDDEN

# What junit-10.xsd of Jenkins' xUnit plugin allows of what is written here: the children and the attributes.
OUTCOMES = {"failure", "error", "skipped"}
CHILDREN: Mapping[str, set[str]] = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": OUTCOMES}
ATTRIBUTES: Mapping[str, set[str]] = {
    "testsuites": {"name", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testcase": {"classname", "name", "time"},
    **{outcome: {"type", "message"} for outcome in OUTCOMES},
}


def cases(check: Checked) -> list[ET.Element]:
    """Return the test cases of the report, whose structure and counts are right."""
    text = render(check, STORE)
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ')
    assert text.endswith("</testsuites>\n")
    root = ET.fromstring(text.encode("utf-8"))  # noqa: S314 - what was just written
    for element in root.iter():
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        assert set(element.keys()) <= ATTRIBUTES[element.tag]
        assert element.tag in OUTCOMES or element.get("name")
    (suite,) = root
    found_cases = list(suite)
    assert all(len(case) <= 1 for case in found_cases)
    names = [case.get("name") for case in found_cases]
    assert len(set(names)) == len(names)
    counts = {outcome: sum(case.find(outcome) is not None for case in found_cases) for outcome in OUTCOMES}
    for element in (root, suite):
        assert element.get("tests") == str(len(found_cases))
        assert (element.get("failures"), element.get("errors")) == (str(counts["failure"]), str(counts["error"]))
    assert suite.get("skipped") == str(counts["skipped"])
    return found_cases


def outcome(case: ET.Element) -> ET.Element:
    (child,) = case
    return child


def test_each_entry_is_a_case_and_each_file_that_cannot_be_read_an_error() -> None:
    told = [(case.get("name"), *(child.tag for child in case)) for case in cases(one_of_each())]
    assert told == [
        ("e-stale (e-stale)", "failure"),
        ("e-current (e-current)",),
        ("e-unverified (e-unverified)", "skipped"),
        ("e-run (e-run)", "skipped"),
        ("e-bare (e-bare)", "skipped"),
        ("broken.md", "error"),
    ]


def test_an_outcome_tells_the_first_problem_in_its_message_and_all_in_its_text() -> None:
    failure = outcome(cases(one_of_each())[0])
    assert failure.get("type") == "lines-changed"
    assert failure.get("message") == "src/a.py:2-3: something happened [lines-changed] (and 1 more)"
    assert [line.partition("; ")[0] for line in (failure.text or "").split("\n")] == [
        "e-stale: src/a.py:2-3: something happened [lines-changed] (e-stale)",
        "e-stale: commit 111111111111: something happened [orphaned] (e-stale)",
    ]


def test_one_problem_is_told_alone() -> None:
    skipped = outcome(cases(checked(found("e", RUN_FOUND)))[0])
    assert skipped.get("message") == "run run-7: a run is outside git and cannot be checked [external]"
    assert skipped.text == f"e: {skipped.get('message')} (e)"


def test_an_unreadable_file_says_what_is_wrong_with_it() -> None:
    error = outcome(cases(checked(invalid=(BROKEN,)))[0])
    assert "not UTF-8: byte 1" in str(error.get("message"))
    assert "broken.md" in str(error.text)


def test_entries_of_one_title_stay_apart() -> None:
    assert len(cases(checked(*(found(f"e-{number}", title="The same") for number in range(3))))) == 3


def test_nothing_checked_is_a_suite_without_cases() -> None:
    assert cases(checked()) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_text_stays_text(text: str) -> None:
    judgement = judged(file_ref(text), Reason.LINES_CHANGED, text)
    check = checked(found("e", judgement, title=text), invalid=(replace(BROKEN, file=f"{text}.md", reason=text),))
    assert [outcome(case).tag for case in cases(check)] == ["failure", "error"]
    assert HIDDEN.search(render(check, STORE).replace("\n", "")) is None


def test_what_xml_cannot_hold_is_shown() -> None:
    (case,) = cases(checked(found("e", title="a\ufffeb\x1bc\x00d\ud800")))
    assert case.get("name") == r"a\ufffeb\x1bc\x00d\ud800 (e)"


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_gives_a_document_that_can_be_read(title: str, message: str) -> None:
    assert len(cases(checked(found("e", judged(file_ref(title), Reason.DELETED, message), title=title)))) == 1
