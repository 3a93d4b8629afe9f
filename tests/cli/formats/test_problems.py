"""What is reported, where it is shown, and by what it is known again."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import pytest
from cli.formats.findings import (
    BROKEN,
    HOSTILE,
    RUN,
    RUN_FOUND,
    STORE,
    checked,
    commit_ref,
    file_ref,
    found,
    judged,
    one_of_each,
)

from gitmem.cli.formats.problems import Level, Place, Problem, problems
from gitmem.entry.model import SourceRef
from gitmem.evidence.verdict import EntryVerdict, Judgement, Reason, Verdict, verdict_of
from gitmem.text import HIDDEN

OWN = Place(".klide/memory/e.md")


def of(*judgements: Judgement, store: PurePosixPath = STORE) -> list[Problem]:
    return list(problems(checked(found("e", *judgements)), store))


def rules(*judgements: Judgement) -> list[str]:
    return [problem.rule for problem in of(*judgements)]


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason not in (Reason.EXTERNAL, Reason.NO_EVIDENCE)])
def test_what_is_stale_is_an_error_and_what_is_unverified_a_warning(reason: Reason) -> None:
    expected = {
        Verdict.CURRENT: [],
        Verdict.STALE: [(Level.ERROR, reason)],
        Verdict.UNVERIFIED: [(Level.WARNING, reason)],
    }[verdict_of(reason)]
    assert [(problem.level, problem.rule) for problem in of(judged(file_ref(), reason))] == expected


def test_every_stale_ref_of_an_entry_is_reported_in_order() -> None:
    stale = [judged(file_ref(), Reason.LINES_CHANGED), judged(commit_ref(), Reason.ORPHANED)]
    assert rules(*stale) == ["lines-changed", "orphaned"]
    assert rules(*stale[::-1]) == ["orphaned", "lines-changed"]


def test_what_a_verdict_does_not_rest_on_is_left_out() -> None:
    stale, unverified = judged(file_ref(), Reason.DELETED), judged(commit_ref(), Reason.MISSING)
    current = judged(file_ref(), Reason.UNCHANGED)
    unknown = judged(SourceRef(source_type="ticket", id="7"), Reason.UNKNOWN_TYPE)
    assert rules(unverified, stale, RUN_FOUND) == ["deleted"]
    assert rules(current, RUN_FOUND) == []
    assert rules(current, unverified, RUN_FOUND) == ["missing"]
    assert rules(current, unknown, RUN_FOUND) == ["unknown-type"]


def test_runs_count_where_there_is_nothing_else() -> None:
    transcript = judged(SourceRef(source_type="transcript", id="t"), Reason.EXTERNAL)
    assert rules(RUN_FOUND, transcript) == ["external", "external"]


def test_an_entry_without_evidence_is_one_warning_at_its_own_file() -> None:
    (problem,) = of()
    assert (problem.level, problem.rule, problem.place) == (Level.WARNING, "no-evidence", OWN)
    assert problem.text == "e: no evidence: nothing in git can confirm it [no-evidence] (e)"


def test_a_file_that_cannot_be_read_is_a_warning_at_that_file() -> None:
    (problem,) = problems(checked(invalid=(BROKEN,)), STORE)
    assert (problem.level, problem.rule) == (Level.WARNING, "unreadable")
    assert problem.place == Place(".klide/memory/broken.md")
    said = "not UTF-8: byte 1: correct the file, or move it away"
    assert problem.text == f"Unreadable entry: {said} [unreadable] (broken.md)"


def test_entries_keep_their_order_and_unreadable_files_come_last() -> None:
    names = [problem.name for problem in problems(one_of_each(), STORE)]
    assert names == ["e-stale", "e-stale", "e-unverified", "e-unverified", "e-run", "e-bare", "broken.md"]


def test_a_problem_says_what_is_cited_what_happened_why_and_in_which_entry() -> None:
    judgement = judged(file_ref(), Reason.LINES_CHANGED, "lines 2-3 changed in 1a2b3c4")
    (problem,) = problems(checked(found("the-id", judgement, title="The title")), STORE)
    said = "The title: src/a.py:2-3: lines 2-3 changed in 1a2b3c4 [lines-changed] (the-id)"
    assert problem.text.startswith(f"{said}; if it still holds: git mem confirm the-id; if not: ")


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        (commit_ref("0123456789abcdef"), "commit 0123456789ab"),
        (commit_ref("0123456789abcdef", path="b.py", line_start=4, line_end=4), "commit 0123456789ab and b.py:4"),
        (file_ref("b.py", None, None), "b.py"),
        (SourceRef(source_type="file", id="b.py"), "file b.py"),
        (RUN, "run run-7"),
        (SourceRef(source_type="", id="x"), "sourceRef x"),
    ],
)
def test_a_problem_names_what_is_cited_as_a_person_writes_it(ref: SourceRef, said: str) -> None:
    (problem,) = of(judged(ref, Reason.MISSING, "gone"))
    assert problem.told == f"{said}: gone [missing]"


@pytest.mark.parametrize(
    ("ref", "place"),
    [
        (file_ref("src/a.py", 2, 3), Place("src/a.py", (2, 3))),
        (file_ref("./src//a.py", 2, 2), Place("src/a.py", (2, 2))),
        (file_ref("a: b, c%20\n.py", None, None), Place("a: b, c%20\n.py")),
        (SourceRef(source_type="file", id="src/a.py", line_start=4), Place("src/a.py", (4, 4))),
        (commit_ref(), OWN),
        (commit_ref(path="src/a.py", line_start=4, line_end=5), Place("src/a.py", (4, 5))),
        (SourceRef(source_type="ticket", id="7", path="src/a.py"), OWN),
        (file_ref("/etc/passwd"), OWN),
        (file_ref("../a.py"), OWN),
        (file_ref(".git/config"), OWN),
        (file_ref(""), OWN),
        (file_ref("a\0b"), OWN),
        (file_ref("\ud800"), OWN),
    ],
)
def test_a_problem_is_shown_at_the_cited_file_or_at_the_entry(ref: SourceRef, place: Place) -> None:
    (problem,) = of(judged(ref, Reason.MISSING))
    assert problem.place == place


def test_a_file_that_was_renamed_and_changed_is_shown_where_it_is_now() -> None:
    (problem,) = of(judged(file_ref("a.py"), Reason.LINES_CHANGED, evidence={"to": "b.py"}))
    assert problem.place == Place("b.py", (2, 3))
    (problem,) = of(judged(commit_ref(path="a.py"), Reason.REWRITTEN_CHANGED, evidence={"to": "2" * 40}))
    assert problem.place == Place("a.py")


def test_the_entrys_file_lies_in_the_store() -> None:
    (problem,) = of(judged(commit_ref(), Reason.ORPHANED), store=PurePosixPath("docs/memory"))
    assert problem.place == Place("docs/memory/e.md")


@pytest.mark.parametrize(
    ("cited", "reason", "evidence", "lines"),
    [
        ((2, 3), Reason.LINES_CHANGED, {}, (2, 3)),
        ((2, 3), Reason.LINES_CHANGED, {"by": "1" * 40}, (2, 3)),
        ((2, 3), Reason.LINES_CHANGED, {"lineStart": 7, "lineEnd": 9}, (7, 9)),
        ((2, 3), Reason.LINES_CHANGED, {"lineStart": 7}, (7, 7)),
        ((2, 3), Reason.RANGE_INVALID, {}, None),
        ((0, 3), Reason.LINES_CHANGED, {}, None),
        ((-4, 3), Reason.LINES_CHANGED, {}, None),
        ((9, 3), Reason.LINES_CHANGED, {}, (9, 9)),
        ((2, 10**30), Reason.LINES_CHANGED, {}, (2, 2)),
        ((10**30, 10**30), Reason.LINES_CHANGED, {}, None),
        ((None, 3), Reason.CONTENT_CHANGED, {}, None),
    ],
)
def test_lines_are_those_of_now_else_the_cited_ones_and_always_possible(
    cited: tuple[int | None, int], reason: Reason, evidence: dict[str, object], lines: tuple[int, int] | None
) -> None:
    (problem,) = of(judged(file_ref("src/a.py", *cited), reason, evidence=evidence))
    assert problem.place == Place("src/a.py", lines)


def marks(*entries: EntryVerdict, head: str | None = None) -> list[str]:
    return [problem.fingerprint for problem in problems(checked(*entries, invalid=(BROKEN,), head=head), STORE)]


REFS = (
    file_ref("a.py", 1, 1, text_hash="sha256:00"),
    file_ref("a.py", 9, 9, text_hash="sha256:00"),  # the same text in another place
    file_ref("a.py", 1, 2),
    file_ref("a.py", 4, 5),
    file_ref("a.py", None, None),
    file_ref("a.py", None, None),  # the very same once more
    file_ref("b.py", 1, 1, text_hash="sha256:00"),
    commit_ref("1" * 40),
    commit_ref("1" * 40, path="a.py"),
    commit_ref("2" * 40),
)


def stale(ident: str, refs: Sequence[SourceRef] = REFS, **fields: object) -> EntryVerdict:
    return found(ident, *(judged(ref, Reason.ORPHANED) for ref in refs), **fields)


def test_no_two_problems_share_a_fingerprint() -> None:
    every = marks(stale("e-1"), stale("e-2"), found("e-3"), found("e-4"), found("e-5", RUN_FOUND))
    assert len(set(every)) == len(every) == 2 * len(REFS) + 4


def test_a_fingerprint_does_not_know_order_head_lines_message_reason_or_title() -> None:
    one = stale("e-1")
    other = found(
        "e-1",
        *(judged(ref, Reason.DELETED, "otherwise", {"lineStart": 77, "lineEnd": 78}) for ref in REFS),
        title="Another title",
    )
    backwards = replace(other, judgements=other.judgements[::-1])
    assert sorted(marks(stale("e-2"), backwards)) == sorted(marks(one, stale("e-2"), head="1" * 40))


def test_lines_that_an_entry_is_anchored_anew_to_keep_the_fingerprint_of_their_text() -> None:
    before, after = file_ref("a.py", 1, 1, text_hash="sha256:01"), file_ref("a.py", 5, 5, text_hash="sha256:01")
    assert marks(stale("e", [before])) == marks(stale("e", [after]))


def test_refs_without_a_hash_are_told_apart_by_their_lines_and_not_by_their_order() -> None:
    one, other = file_ref("a.py", 1, 2), file_ref("a.py", 4, 5)
    assert marks(stale("e", [one, other]))[:2] == marks(stale("e", [other, one]))[1::-1]


def test_what_turns_from_unverified_to_stale_is_a_new_problem() -> None:
    unverified, gone = (found("e", judged(commit_ref(), reason)) for reason in (Reason.OTHER_BRANCH, Reason.ORPHANED))
    assert set(marks(unverified)[:-1]).isdisjoint(marks(gone))


@pytest.mark.parametrize("text", HOSTILE)
def test_what_people_read_is_one_line_without_hidden_characters(text: str) -> None:
    judgement = judged(file_ref(text), Reason.LINES_CHANGED, text)
    bad = replace(BROKEN, file=f"{text}.md", reason=text)
    for problem in problems(checked(found("e", judgement, title=text), invalid=(bad,)), STORE):
        for line in (problem.text, problem.title, problem.told, problem.name):
            assert HIDDEN.search(line) is None
