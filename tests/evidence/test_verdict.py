"""Reasons, verdicts, and how those of several refs add up."""

import itertools

import pytest

from gitmem.entry.model import SourceRef
from gitmem.evidence.verdict import Finding, Judgement, Reason, Verdict, add_up, verdict_of, worse

CURRENT, STALE, UNVERIFIED = Verdict.CURRENT, Verdict.STALE, Verdict.UNVERIFIED

# CONTRACT section 5, both tables.
VERDICTS = {
    CURRENT: "reachable rewritten squashed unchanged lines-moved lines-ambiguous eol-only renamed case-renamed",
    STALE: "reverted reverted-merge rewritten-changed orphaned lines-changed whitespace-changed content-changed "
    "deleted deleted-in-worktree type-changed binary-changed",
    UNVERIFIED: "other-branch shallow-history missing missing-shallow missing-partial no-head not-a-commit "
    "sha-ambiguous sha-null sha-malformed odb-error untracked ignored no-baseline no-such-path baseline-missing "
    "range-invalid in-submodule submodule path-absolute path-escapes path-in-gitdir via-symlink path-malformed too-big "
    "external no-evidence unknown-type",
}


def judged(source_type: str, reason: str) -> Judgement:
    return Judgement(SourceRef(source_type=source_type, id="x"), Finding(Reason(reason), "message"))


def test_each_reason_has_the_verdict_of_the_contract() -> None:
    expected = {reason: verdict for verdict, reasons in VERDICTS.items() for reason in reasons.split()}
    assert {reason.value: verdict_of(reason) for reason in Reason} == expected


@pytest.mark.parametrize(
    ("refs", "verdict"),
    [
        ([], UNVERIFIED),
        ([("commit", "reachable")], CURRENT),
        ([("file", "unchanged")], CURRENT),
        ([("file", "lines-moved"), ("commit", "reachable")], CURRENT),
        ([("file", "unchanged"), ("file", "content-changed")], STALE),
        ([("file", "content-changed"), ("commit", "missing")], STALE),
        ([("file", "unchanged"), ("commit", "missing")], UNVERIFIED),
        ([("commit", "other-branch")], UNVERIFIED),
        ([("run", "external")], UNVERIFIED),
        ([("transcript", "external"), ("run", "external")], UNVERIFIED),
        ([("file", "unchanged"), ("run", "external"), ("transcript", "external")], CURRENT),
        ([("file", "deleted"), ("run", "external")], STALE),
        ([("commit", "missing"), ("run", "external")], UNVERIFIED),
        ([("", "unknown-type")], UNVERIFIED),
        ([("of-the-future", "unknown-type"), ("file", "unchanged")], UNVERIFIED),
        ([("of-the-future", "unknown-type"), ("file", "deleted")], STALE),
    ],
)
def test_the_verdicts_of_refs_add_up(refs: list[tuple[str, str]], verdict: Verdict) -> None:
    for order in itertools.permutations(refs):
        assert add_up([judged(*ref) for ref in order]) is verdict


@pytest.mark.parametrize(
    ("one", "other", "counts"),
    [
        ("reachable", "unchanged", "reachable"),
        ("reachable", "lines-changed", "lines-changed"),
        ("reachable", "no-baseline", "no-baseline"),
        ("missing", "unchanged", "missing"),
        ("missing", "no-baseline", "missing"),
        ("missing", "deleted", "deleted"),
        ("orphaned", "unchanged", "orphaned"),
        ("orphaned", "deleted", "orphaned"),
    ],
)
def test_of_two_findings_that_must_both_hold_the_worse_counts(one: str, other: str, counts: str) -> None:
    assert worse(Finding(Reason(one), ""), Finding(Reason(other), "")).reason.value == counts
