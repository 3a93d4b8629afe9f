"""What of a query stands in an entry that is shown."""

import pytest

from gitmem.entry.model import Entry, Section, SourceRef
from gitmem.search.fields import FieldName
from gitmem.search.look import Seen, look
from gitmem.search.query import parse_query

OID = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"

ENTRY = Entry(
    id="2026-01-01-0000-gateway",
    title="Gateway timeouts",
    date="",
    aliases=("Slow gateway",),
    goal="Retry the uploads",
    decisions=("Retry twice",),
    tags=("max", "retries"),
    files_touched=("src/gateway.py",),
    source_refs=(SourceRef(source_type="commit", id=OID, label="Teach the gateway to wait"),),
    run_id="run-gateway",
    notes="Réglage of the gateway",
    other_sections=(Section("Costs", "walrus"),),
)


def seen(query: str, *, named: bool = False, entry: Entry = ENTRY) -> Seen:
    return look(entry, parse_query([query]), named=named)


def test_the_fields_that_have_a_term_stand_most_telling_first() -> None:
    assert seen("gateway").fields == (
        FieldName.TITLE,
        FieldName.ALIASES,
        FieldName.PATHS,
        FieldName.SOURCE_REFS,
        FieldName.RUN_ID,
        FieldName.NOTES,
    )
    assert seen("walrus twice timeouts").fields == (FieldName.TITLE, FieldName.DECISIONS, FieldName.NOTES)


@pytest.mark.parametrize(
    ("query", "matched", "missing"),
    [
        ("gateway", ("gateway",), ()),
        ("GATEWAY, quux (timeouts)!", ("GATEWAY", "timeouts"), ("quux",)),
        ("quux the zebra", ("the",), ("quux", "zebra")),
        ("reglage", ("reglage",), ()),
        ("timeout retrying", (), ("timeout", "retrying")),
        ("maxRetries", (), ("maxRetries",)),
        ("max retries", ("max", "retries"), ()),
        ("gateway.py", ("gateway.py",), ()),
        (OID[:7], (OID[:7],), ()),
        ("kind:failure gateway", ("gateway",), ()),
    ],
)
def test_terms_are_told_as_typed_in_the_order_of_the_query(
    query: str, matched: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    assert (seen(query).matched, seen(query).missing) == (matched, missing)


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("2026-01-01-0000-gateway", (FieldName.ID,)),
        ("gateway.py", (FieldName.PATHS,)),
        ("src/gateway.py:12", (FieldName.PATHS,)),
        (OID + "00", (FieldName.SOURCE_REFS,)),
        ("gateway timeouts?", seen("gateway").fields),
    ],
)
def test_what_the_query_names_misses_nothing_and_says_by_what(query: str, fields: tuple[FieldName, ...]) -> None:
    found = seen(query, named=True)
    assert found.fields == fields
    assert found.matched == tuple(term.typed for term in parse_query([query]).terms)
    assert found.missing == ()


def test_a_name_counts_only_where_the_query_names_the_entry() -> None:
    assert seen("2026-01-01-0000-gateway").fields == ()


def test_an_entry_from_the_future_shows_its_title_only() -> None:
    stub = Entry(id="x", title="Gateway", date="", notes="walrus", future=True)
    assert seen("gateway walrus", entry=stub) == Seen((FieldName.TITLE,), ("gateway",), ("walrus",))


def test_of_a_query_without_terms_nothing_is_seen() -> None:
    assert seen("kind:failure") == Seen((), (), ())
