"""Which documents the postings say hold a term, and which a query names."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.model import Entry, SourceRef
from gitmem.search.analysis import Analyser, Document, value_of
from gitmem.search.entries import EntryIndex
from gitmem.search.keep import index_of
from gitmem.search.match import passage, spans
from gitmem.search.names import naming_fields
from gitmem.search.query import Query, parse_query
from gitmem.search.seek import held, holds, named
from gitmem.text.tokens import Term

ANALYSER = Analyser()
OID = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"


def index(*texts: str) -> EntryIndex:
    """Index entries whose notes are the texts; document 0 is the first."""
    return index_of(
        [Entry(id=f"e{number}", title="x", date="", notes=text) for number, text in enumerate(texts)], ANALYSER
    )


def term(text: str) -> Term:
    (only,) = parse_query([text]).terms
    return only


def candidates(query: str, *texts: str) -> tuple[set[int], bool]:
    found = held(index(*texts).postings, term(query))
    return set(found.documents), found.certain


def document(*texts: str) -> Document:
    return Document(tuple(value_of("n", ANALYSER.fragments(text)) for text in texts))


@pytest.mark.parametrize(
    ("query", "texts", "documents"),
    [
        ("retry", ["retry it", "max_retry", "Retry!", "retries", "retrying"], {0, 1, 2}),
        ("réseau", ["réseau", "reseau", "RESEAU", "reseaux"], {0, 1, 2}),
        ("reseau", ["réseau", "reseau", "rèseau", "rseau"], {0, 1, 2}),
        ("2.10", ["v2.10.3", "2.10", "2.1", "10.2"], {0, 1}),
        ("7", ["007", "7", "70"], {0, 1}),
        ("🎉", ["🎉", "x🎉y", "🎊"], {0, 1}),
        ("失", ["缓存失效", "失", "缓存"], {0, 1}),
    ],
)
def test_a_single_word_is_known_from_the_postings_alone(query: str, texts: Sequence[str], documents: set[int]) -> None:
    assert candidates(query, *texts) == (documents, True)


@pytest.mark.parametrize(
    ("query", "texts", "documents"),
    [
        ("max_retry", ["max_retry", "retry max", "max", "maxretry", "max, retry"], {0, 1, 3, 4}),
        ("失效", ["失效", "失地效", "效失", "失", "失 效"], {0}),
        ("a失", ["a失", "失a", "失"], {0, 1}),
        ("net/http.py", ["net/http.py", "http/py/net", "net.py"], {0, 1}),
        (OID[:9], [OID, OID[:7], OID[:7] + "ff", "1a2b3c"], {0, 1, 2}),
        ("007", ["007", "7", "70"], {0, 1}),
    ],
)
def test_several_words_leave_documents_that_must_be_looked_into(
    query: str, texts: Sequence[str], documents: set[int]
) -> None:
    assert candidates(query, *texts) == (documents, False)


@pytest.mark.parametrize("query", ["quux", "maxRetrx", "失效", "1.2.3"])
def test_what_no_document_has_is_held_by_none(query: str) -> None:
    found = held(index("retry", "").postings, term(query))
    assert not found.documents


def test_a_number_of_seven_digits_is_no_longer_number() -> None:
    """Long numbers stand under the key of an object id, but are equal or not."""
    found = held(index("10000000 bytes", "1000000 bytes", "1000000f").postings, term("1000000"))
    texts = index("10000000 bytes", "1000000 bytes", "1000000f").postings
    holding = {one for one in found.documents if found.certain or holds(texts.document(one), found.term)}
    assert holding == {1, 2}


@pytest.mark.parametrize(
    ("texts", "query", "is_held"),
    [
        (["max retries"], "maxRetries", True),
        (["max", "retries"], "maxRetries", False),
        (["retries max"], "maxRetries", False),
        (["nothing", "of max_retries"], "max-retries", True),
        (["失效"], "失效", True),
        (["失", "效"], "失效", False),
        ([OID], OID[:12].upper(), True),
        ([OID], OID[:7] + "ffff", False),
        ([OID[:9]], OID, True),
        (["10000000"], "1000000", False),
        (["é" * 80], "e" * 80, True),
        (["e" * 81], "e" * 80, False),
        ([], "anything", False),
    ],
)
def test_a_term_is_held_where_its_words_stand_side_by_side_in_one_value(
    texts: Sequence[str], query: str, *, is_held: bool
) -> None:
    assert holds(document(*texts), term(query)) is is_held


WORDS = st.sampled_from(
    ["max", "retries", "max_retries", "max,", "réseau", "reseau", "2.10", "2", "10", "007", "7", "失", "效", "失效",
     "失,效", "a失", "ล้วน", "C++", "c", OID, OID[:7], OID[:8], "1234567", "12345678", "d'été", "été", "👍🏽", "👍",
     "バス", "パス", "h" * 70]
)  # fmt: skip
LINES = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


@given(st.lists(LINES, min_size=1, max_size=3), LINES)
@settings(max_examples=100)
def test_the_postings_and_the_kept_text_tell_what_the_text_itself_tells(texts: list[str], query: str) -> None:
    postings = index(*texts).postings
    for one in parse_query([query]).terms:
        found = held(postings, one)
        told = {number for number in found.documents if found.certain or holds(postings.document(number), one)}
        assert told == {number for number, text in enumerate(texts) if spans(one, passage(text))}, one.typed


NAMED = Entry(
    id="2026-08-31-1400-retry-policy",
    title="Rétry policy, for uploads",
    date="",
    aliases=("Backoff rules", "ADR-7", "c++"),
    files_touched=("src/net/http_client.py", "./Makefile", "docs/ÉTÉ notes.md"),
    source_refs=(SourceRef(source_type="commit", id=OID), SourceRef(source_type="commit", id="abcdef12")),
)
FUTURE = Entry(id="future", title="Of tomorrow", date="", aliases=("dawn",), files_touched=("a.py",), future=True)


@pytest.mark.parametrize(
    "query",
    [
        NAMED.id, NAMED.id.upper(), NAMED.title, "retry POLICY,  for uploads.", "rétry policy for uploads", "adr-7",
        "ADR 7", "C++", "backoff rules", "(backoff rules)", "backoff", "src/net/http_client.py",
        "./SRC//net/http_client.py:3", "http_client.py", "http_client.py:40-88", "net/http_client.py", "makefile",
        "src", "client.py", "été notes.md", "ete notes.md", OID, OID.upper(), OID[:7], OID[:6], OID + "00",
        OID[:7] + "f", "abcdef1", "abcdef12", "abcdef123456", "abcdef", "of tomorrow", "dawn", "a.py", "future",
        "quux", "", "...", "kind:decision", "/", ":12",
    ],
)  # fmt: skip
def test_the_postings_name_the_entries_that_their_fields_do(query: str) -> None:
    entries = [NAMED, FUTURE]
    asked = parse_query([query])
    by_fields = {number for number, one in enumerate(entries) if asked.terms and naming_fields(one, asked.text)}
    assert named(index_of(entries, ANALYSER), asked) == by_fields


def test_conditions_and_punctuation_name_nothing() -> None:
    unnamed = Entry(id="x", title="...", date="", aliases=("!",))
    for query in ("...", "!", "", "kind:fact", "tag:x ..."):
        assert named(index_of([unnamed], ANALYSER), parse_query([query])) == set()


def test_conditions_beside_a_name_are_no_part_of_it() -> None:
    asked: Query = parse_query(["adr-7", "kind:decision"])
    assert named(index_of([NAMED], ANALYSER), asked) == {0}
