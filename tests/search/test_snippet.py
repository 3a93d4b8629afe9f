"""Excerpts and what is marked in them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.model import Entry
from gitmem.search.query import parse_query
from gitmem.search.snippet import Passage, excerpt, highlight_spans, passage_of
from gitmem.text import plain

FILLER = "lorem ipsum dolor sit amet consectetur " * 20


def entry(title: str, notes: str = "", goal: str = "", tags: tuple[str, ...] = ()) -> Entry:
    return Entry(id="x", title=title, date="2026-01-01T00:00:00Z", notes=notes, goal=goal, tags=tags)


def shown(found: Entry, query: str, limit: int = 240) -> str:
    return excerpt(found, parse_query([query]), limit)


def test_the_excerpt_comes_from_another_field_than_the_title() -> None:
    assert shown(entry("Permission architecture", "trust boundary"), "permission boundary") == "trust boundary"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (entry("Gateway", "gateway in notes", goal="another goal"), "gateway in notes"),
        (entry("Gateway", "gateway in notes", goal="gateway as a goal"), "gateway as a goal"),
        (entry("Gateway", "nothing of it"), "nothing of it"),
        (entry("Gateway", "\n \n"), "Gateway"),
        (entry("Gateway", tags=("gateway-team",)), "gateway-team"),
        (entry("Gateway", tags=("other",)), "Gateway"),
        (entry("x", "the how does", goal="a gateway"), "a gateway"),
        (entry("x", "nothing of it", goal="two gateways"), "two gateways"),
    ],
)
def test_the_field_with_the_most_telling_terms_is_shown(found: Entry, expected: str) -> None:
    assert shown(found, "how does the gateway") == expected


def test_the_passage_with_most_terms_is_shown_in_whole_words() -> None:
    text = f"retry {FILLER} the retry policy of uploads {FILLER} policy"
    found = shown(entry("x", text), "retry policy", 80)
    assert "retry policy" in found
    assert len(found) <= 80
    assert found.startswith("…")
    assert found.endswith("…")
    assert set(found.strip("…").split()) <= set(text.split())


def test_nothing_is_cut_where_nothing_is_left_out() -> None:
    assert shown(entry("x", "short and retry"), "retry") == "short and retry"
    assert shown(entry("x", f"retry first {FILLER}"), "retry", 60).startswith("retry first")
    assert shown(entry("x", f"as retry first {FILLER}"), "retry", 60).startswith("as retry first")
    assert shown(entry("x", f"{FILLER} at last retry"), "retry", 60).endswith("at last retry")
    assert shown(entry("x", f"{FILLER} retry at last"), "retry", 60).endswith("retry at last")


def test_a_match_inside_a_word_shows_the_word() -> None:
    found = shown(entry("x", f"{FILLER} parseHTTPRequest {FILLER}"), "http", 60)
    assert "parseHTTPRequest" in found


def test_scripts_without_spaces_are_cut_between_characters() -> None:
    found = shown(entry("x", "完全无关的条目" * 30 + "缓存失效策略" + "完全无关的条目" * 30), "失效策略", 40)
    assert "失效策略" in found
    assert len(found) <= 40


def test_a_term_longer_than_the_excerpt_still_has_its_beginning() -> None:
    long = "缓存失效策略" * 20
    found = shown(entry("x", f"{FILLER}{long}"), long, 30)
    assert found.startswith("…缓存失效")
    assert len(found) <= 30


def test_the_excerpt_is_one_line_without_hidden_characters() -> None:
    assert shown(entry("x", "# Head\n\n\x1b[31mretry\u202e\there\r\n"), "retry") == "# Head [31mretry here"


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
    st.text(st.sampled_from("ab 失Éé-_."), max_size=10),
    st.integers(10, 80),
)
@settings(max_examples=150)
def test_an_excerpt_is_bounded_plain_and_from_the_entry(notes: str, words: str, limit: int) -> None:
    found = shown(entry("title", notes), words, limit)
    assert len(found) <= limit
    assert found == plain(found)
    assert found.strip("…").strip() in " ".join(plain(notes).split()) or found == "title"


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Retry the retry policy", "retry policy", ["Retry", "retry", "policy"]),
        ("max_retries and maxRetries", "max-retries", ["max_retries", "maxRetries"]),
        ("parseHTTPRequest", "http", ["HTTP"]),
        ("Réglage d'été", "reglage ete", ["Réglage", "été"]),
        ("缓存失效策略", "缓存 失效", ["缓存失效"]),
        ("maxRetries", "max retries maxRetries", ["maxRetries"]),
        ("nothing", "quux", []),
        ("decide, decides", "decide", ["decide"]),
        ("they then", "them", []),
        ("max retrying", "maxRetries", []),
        ("re\u0301seau ﾊﾞｽ", "réseau バス", ["re\u0301seau", "ﾊﾞｽ"]),
    ],
)
def test_every_match_is_marked_once(text: str, query: str, marked: list[str]) -> None:
    assert [text[start:end] for start, end in highlight_spans(text, parse_query([query]))] == marked


def test_other_forms_are_marked_too() -> None:
    text, query = "We decides and Deciding, retries and Réglage", parse_query(["decided retries reglagge"])
    forms = {"decided": ("decides", "deciding"), "reglagge": ("reglage",)}
    marked = [text[start:end] for start, end in highlight_spans(text, query, forms)]
    assert marked == ["decides", "Deciding", "retries", "Réglage"]


def test_the_excerpt_is_around_another_form_where_the_word_is_missing() -> None:
    found = Entry(id="a", title="Title", date="", notes=f"{'filler ' * 60}it is cached {'filler ' * 60}")
    assert "cached" in excerpt(found, parse_query(["caching"]), forms={"caching": ("cached",)})


def test_behind_a_tag_or_a_path_comes_prose() -> None:
    found = Entry(id="a", title="Title", date="", tags=("database",), notes="Connections leak under load.")
    assert excerpt(found, parse_query(["database"])) == "database · Connections leak under load."
    assert excerpt(replace(found, notes=""), parse_query(["database"])) == "database"
    assert len(excerpt(replace(found, notes="word " * 200), parse_query(["database"]))) <= 240


# Passages of a section of a file


def passage(text: str, query: str, limit: int = 240) -> Passage:
    return passage_of(text, parse_query([query]), limit)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("one\ntwo retry\nretry policy\npolicy retry\n", "retry policy", Passage(2, "retry policy")),
        ("\n  \n\tfirst here\nsecond\n", "quux", Passage(2, "first here")),
        ("\n  \n", "quux", Passage(0, "")),
        ("", "quux", Passage(0, "")),
        ("the how does\na gateway\n", "how does the gateway", Passage(1, "a gateway")),
        ("first\nhow does\n", "how does the", Passage(1, "how does")),
        ("a\u2028b\x0bc\nretry", "retry", Passage(1, "retry")),
        ("def f(\u202emax_retries\x1b[31m):\t# go\r\n", "max retries", Passage(0, "def f(max_retries[31m): # go")),
        ("retry\nretry xpolicyx\n", "retry policy", Passage(0, "retry")),
        ("first\nMaxRetries = 3\n", "max_retries", Passage(1, "MaxRetries = 3")),
        ("first\nmax_retries = 3\n", "maxretries", Passage(1, "max_retries = 3")),
        ("first\nR\u00e9glage d\u2019\u00e9t\u00e9\n", "reglage", Passage(1, "R\u00e9glage d\u2019\u00e9t\u00e9")),
        ("first\nversion v02.010.3\n", "2.10", Passage(1, "version v02.010.3")),
        ("first\n缓存失效\n", "失效", Passage(1, "缓存失效")),
        ("first\nwe cached\n", "caching", Passage(0, "first")),
    ],
)
def test_the_line_with_the_most_terms_is_shown(text: str, query: str, expected: Passage) -> None:
    assert passage(text, query) == expected


def test_a_line_with_another_form_of_a_term_is_shown() -> None:
    found = passage_of("first\nIt is R\u00e9-cached\n", parse_query(["caching"]), forms={"caching": ("cached",)})
    assert found == Passage(1, "It is R\u00e9-cached")


def test_lines_with_further_terms_stand_behind_the_best_one() -> None:
    text = "retry here\nretry the policy\nand a backoff\nbackoff, jitter\nretry\n"
    assert passage(text, "retry policy jitter backoff") == Passage(1, "retry the policy · backoff, jitter")
    assert passage(text, "retry policy jitter backoff", 33) == Passage(1, "retry the policy")
    assert passage(text, "policy retry") == Passage(1, "retry the policy")
    assert passage(text, "retry policy jitter backoff", 34).excerpt == "retry the policy · backoff, jitter"
    long = f"retry the policy\n{FILLER} backoff {FILLER}\n"
    assert passage(long, "retry policy backoff", 100).excerpt.startswith("retry the policy · …")
    assert "backoff" in passage(long, "retry policy backoff", 100).excerpt
    assert passage(long, "retry policy backoff", 50).excerpt == "retry the policy"


def test_a_long_line_is_shown_around_its_terms() -> None:
    found = passage(f"first\n{FILLER * 20}retry policy {FILLER * 20}", "retry policy", 60)
    assert found.line == 1
    assert "retry policy" in found.excerpt
    assert found.excerpt.startswith("…")
    assert found.excerpt.endswith("…")
    assert len(found.excerpt) <= 60
    assert passage("x" * 10_000, "quux", 60).excerpt == "x" * 58 + "…"


WRITTEN = (
    *("retry", "max_retries", "maxRetries", "Max-Retries", "v2.10.3", "002.010", "Réglage", "d\u2019été"),
    *("缓存失效", "ﾊﾞｽ", "parseHTTPRequest", "0x1f", "deadbeef01", "c++", "👍🏽", "don't"),
    *("ß", "\ufb01x", "007", "\x1b", "…", "the", "a/b.c_d", "don\u2019t"),
)
ASKED = (
    *("retry", "retries", "max_retries", "max-retries", "maxretries", "2.10", "2.010", "reglage"),
    *("été", "失效", "バス", "バ", "http", "parsehttprequest", "0X1F", "deadbeef"),
    *("deadbee", "C++", "👍", "dont", "don't", "ss", "fix", "7"),
    *("the", "b.c", "a/b/c"),
)
LINES = st.lists(st.lists(st.sampled_from([*WRITTEN, "x" * 70]), max_size=4).map(" ".join), max_size=8)
WORDS = st.lists(st.sampled_from(ASKED), min_size=1, max_size=4)


@given(LINES, WORDS, st.integers(10, 120))
@settings(max_examples=300)
def test_no_other_line_has_more_terms(lines: list[str], words: list[str], limit: int) -> None:
    query = parse_query(words)
    telling = [term.typed for term in query.terms if term.typed != "the"] or ["the"]
    counts = [sum(bool(highlight_spans(line, parse_query([term]))) for term in telling) for line in lines]
    found = passage_of("\n".join(lines), query, limit)
    if any(counts):
        assert found.line == counts.index(max(counts))
    assert len(found.excerpt) <= limit
    assert found.excerpt == plain(found.excerpt)
