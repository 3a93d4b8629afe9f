"""Which entries options and prefixes let through."""

from dataclasses import replace

import pytest

from gitmem.entry.model import Entry, Kind, ReviewState, SourceRef
from gitmem.search.analysis import Analyser
from gitmem.search.keep import index_of
from gitmem.search.narrow import Filters, admission
from gitmem.search.query import Conditions, parse_query

OID = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"

ENTRY = Entry(
    id="x",
    title="Title",
    date="2026-01-01T00:00:00Z",
    kind=Kind.FAILURE,
    tags=("Net", "réseau"),
    files_touched=("src/net/http.py",),
    source_refs=(
        SourceRef(source_type="commit", id=OID),
        SourceRef(source_type="file", id="docs/a.md", path="docs/a.md", commit="f" * 40),
        SourceRef(source_type="run", id="run-7"),
    ),
    run_id="run-1",
)


def meets(entry: Entry, conditions: Conditions) -> bool:
    index = index_of([entry], Analyser())
    return admission(index, Filters(include_inactive=True), conditions).of([0]) == {0}


def passes(entry: Entry, filters: Filters) -> bool:
    return admission(index_of([entry], Analyser()), filters, Conditions()).of([0]) == {0}


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("kind:failure", True),
        ("kind:decision", False),
        ("kind:decision kind:failure", True),
        ("tag:net", True),
        ("tag:NET", True),
        ("tag:re\u0301seau", True),
        ("tag:ne", False),
        ("tag:net kind:decision", False),
        ("path:src/net", True),
        ("path:src/net/", True),
        ("path:./src", True),
        ("path:src/net/http.py", True),
        ("path:.", True),
        ("path:src/ne", False),
        ("path:net", False),
        ("path:src/net/http.py/x", False),
        ("path:docs path:lib", True),
        ("file:http.py", True),
        ("file:net/http.py", True),
        ("file:src/net/http.py", True),
        ("file:tp.py", False),
        ("file:net", False),
        ("file:/", False),
        (f"commit:{OID}", True),
        ("commit:1A2B", True),
        ("commit:ffff", False),
        ("run:run-1", True),
        ("run:run-7", True),
        ("run:run", False),
        ("run:\udce9", False),
        ("tag:\udce9", False),
        ("is:stale", True),
    ],
)
def test_a_condition_is_met_by_any_of_its_values_and_each_must_be(condition: str, *, met: bool) -> None:
    assert meets(ENTRY, parse_query([condition]).conditions) is met


@pytest.mark.parametrize(
    ("filters", "through"),
    [
        (Filters(), True),
        (Filters(kinds=(Kind.FAILURE, Kind.PATTERN)), True),
        (Filters(kinds=(Kind.DECISION,)), False),
        (Filters(tags=("net",)), True),
        (Filters(tags=("other",)), False),
        (Filters(paths=("src",)), True),
        (Filters(paths=("lib",)), False),
        (Filters(kinds=(Kind.FAILURE,), tags=("net",), paths=("lib",)), False),
    ],
)
def test_options_narrow_as_prefixes_do(filters: Filters, *, through: bool) -> None:
    assert passes(ENTRY, filters) is through


@pytest.mark.parametrize(("written", "asked", "met"), [(40, 40, True), (40, 3, True), (3, 4, False)])
def test_a_path_may_be_deep(written: int, asked: int, *, met: bool) -> None:
    deep = replace(ENTRY, files_touched=("/".join("abcdefgh"[place % 8] for place in range(written)),))
    path = "/".join("abcdefgh"[place % 8] for place in range(asked))
    assert passes(deep, Filters(paths=(path,))) is met


def test_values_may_be_long_and_are_told_apart() -> None:
    long = replace(ENTRY, tags=("x" * 500,), run_id="y" * 500)
    assert meets(long, parse_query([f"tag:{'x' * 500} run:{'y' * 500}"]).conditions)
    assert not meets(long, parse_query([f"tag:{'x' * 501}"]).conditions)
    assert not meets(long, parse_query([f"run:{'y' * 499}"]).conditions)


@pytest.mark.parametrize("state", [ReviewState.PROPOSED, ReviewState.SUPERSEDED, ReviewState.STALE])
def test_inactive_entries_pass_only_when_asked_for(state: ReviewState) -> None:
    inactive = replace(ENTRY, review_state=state)
    assert not passes(inactive, Filters())
    assert passes(inactive, Filters(include_inactive=True))


def test_a_future_entry_is_inactive_whatever_its_state() -> None:
    stub = Entry(id="x", title="t", date="", future=True, review_state=ReviewState.STALE)
    assert not passes(stub, Filters())
    assert passes(stub, Filters(include_inactive=True))
