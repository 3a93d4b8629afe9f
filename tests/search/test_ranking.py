"""What stands first: search must not get worse on the queries in `fixtures/retrieval`, nor fall behind FTS5 there."""

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest
from bench.ranking import Collected, Figures, Outcome, ask, figures, fts5, git_mem, read_sets

FIXTURES: Final = Path(__file__).parents[2] / "fixtures" / "retrieval"

# How many queries must have their answer among the first 1, 5 and 10, one less than they had when this was written.
# What changes the ranking on purpose may change a number, and says what it gained for it.
WANTED: Final = MappingProxyType(
    {
        "code": (31, 31, 31),
        "language": (17, 17, 17),
        "question": (19, 20, 20),
        "reference": (27, 36, 36),
        "title": (14, 21, 23),
        "typo": (16, 16, 16),
    }
)


@pytest.fixture(scope="module")
def collected() -> Collected:
    (only,) = read_sets(FIXTURES)
    return only


@pytest.fixture(scope="module")
def outcomes(collected: Collected) -> list[Outcome]:
    return ask(collected, git_mem)


def reached(outcomes: Sequence[Outcome], sort: str) -> tuple[int, ...]:
    places = [one.place for one in outcomes if one.question.sort == sort]
    return tuple(sum(0 < place <= depth for place in places) for depth in (1, 5, 10))


def of_sort(outcomes: Sequence[Outcome], *, titles: bool) -> Figures:
    return figures([one for one in outcomes if one.question.is_title is titles])


def test_every_query_has_one_answer_that_is_there(collected: Collected) -> None:
    ids = [record.id for record in collected.records]
    assert len(set(ids)) == len(ids)
    assert all(len(question.gold) == 1 and question.gold <= set(ids) for question in collected.questions)
    assert {question.sort for question in collected.questions} == set(WANTED)


@pytest.mark.parametrize("sort", WANTED)
def test_no_sort_of_query_finds_less_than_it_did(outcomes: list[Outcome], sort: str) -> None:
    now = reached(outcomes, sort)
    assert all(found >= wanted for found, wanted in zip(now, WANTED[sort], strict=True)), now


@pytest.mark.parametrize("titles", [False, True])
def test_fts5_puts_fewer_answers_first_and_among_the_first_ten(
    collected: Collected, outcomes: list[Outcome], titles: bool
) -> None:
    ours = of_sort(outcomes, titles=titles)
    theirs = of_sort(ask(collected, fts5), titles=titles)
    assert (ours.at[0] > theirs.at[0], ours.at[2] > theirs.at[2]) == (True, True), (ours, theirs)
