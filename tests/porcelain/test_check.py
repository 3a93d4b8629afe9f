"""Counts and exit codes of a check."""

from itertools import product

import pytest
from program import entry

from gitmem.errors import ExitCode
from gitmem.evidence.target import TargetKind
from gitmem.evidence.verdict import EntryVerdict, Verdict
from gitmem.porcelain.check import Checked, FailOn, Summary, summarise
from gitmem.store.read import Unreadable

BAD = (Unreadable("x.md", "empty file"),)


def ended(summary: Summary, invalid: tuple[Unreadable, ...], fail_on: FailOn) -> int:
    return Checked(TargetKind.WORKTREE, None, None, False, summary, (), invalid).exit_code(fail_on)


@pytest.mark.parametrize(
    ("current", "stale", "unverified", "invalid"), list(product((0, 3), (0, 1), (0, 2), ((), BAD)))
)
def test_the_exit_code_tells_disagreement_from_ignorance(
    current: int, stale: int, unverified: int, invalid: tuple[Unreadable, ...]
) -> None:
    summary = Summary(current, stale, unverified)
    assert ended(summary, invalid, FailOn.NEVER) == ExitCode.DONE
    assert ended(summary, invalid, FailOn.STALE) == (ExitCode.NO if stale else ExitCode.DONE)
    unmeasured = ExitCode.UNMEASURED if unverified or invalid else ExitCode.DONE
    assert ended(summary, invalid, FailOn.UNVERIFIED) == (ExitCode.NO if stale else unmeasured)


@pytest.mark.parametrize("counts", [(0, 0, 0), (1, 0, 0), (2, 3, 4), (0, 1, 1)])
def test_every_verdict_is_counted_once(counts: tuple[int, int, int]) -> None:
    verdicts = [verdict for verdict, count in zip(Verdict, counts, strict=True) for _ in range(count)]
    found = [EntryVerdict(entry(f"e-{number}"), verdict, ()) for number, verdict in enumerate(verdicts)]
    assert summarise(found) == Summary(*counts)
    assert summarise(found[::-1]) == Summary(*counts)
