"""Terms, prefixes, and everything that is neither."""

import re

import pytest

from gitmem.entry.model import Kind
from gitmem.errors import UsageError
from gitmem.search.query import Conditions, VerdictName, is_stop_word, parse_query


def typed(*words: str) -> list[str]:
    return [term.typed for term in parse_query(words).terms]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("max retries", ["max", "retries"]),
        ("  max\t\nretries\u3000 ", ["max", "retries"]),
        ('"pre-edit hooks"', ["pre-edit", "hooks"]),
        ("what's the plan?", ["what's", "the", "plan"]),
        ("net/http_client.py", ["net/http_client.py"]),
        ("OR NOT AND", ["OR", "NOT", "AND"]),
        ("NEAR(a b)", ["NEAR", "a", "b"]),
        ("x' OR 1=1 --", ["x", "OR", "1"]),
        ("the the The", ["the"]),
        ("été ete", ["été", "ete"]),
        ("c++", ["c++"]),
        ("zebra,walrus", ["zebra", "walrus"]),
        ("https://zebra", ["https", "zebra"]),
        ("error:zebra", ["error", "zebra"]),
        ("東、京", ["東", "京"]),
        ("std::vector", ["std::vector"]),
        ("ａ＝ｂ", ["ａ", "ｂ"]),
        ("１００％達成", ["１００", "達成"]),
        ("ﬁle＆re\u0301seau", ["ﬁle", "re\u0301seau"]),
        ("one\u037etwo", ["one", "two"]),
        ("\u3131\u314f＝two", ["\uac00", "two"]),
    ],
)
def test_a_query_is_what_a_person_sees_between_spaces(query: str, terms: list[str]) -> None:
    assert typed(query) == terms
    assert typed(*query.split(" ")) == terms


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "\t\n",
        "...",
        "!!!",
        "、。",
        "\u200b",
        "\u3000",
        '"',
        "'",
        "*",
        "%",
        "_",
        "\\",
        "-",
        "^",
        "[-",
        "(",
        "\x1b",
    ],
)
def test_a_query_of_punctuation_asks_for_nothing(query: str) -> None:
    assert not parse_query([query]).searchable
    assert parse_query([query]).terms == ()


@pytest.mark.parametrize("query", ["🎉", "the", "of the and", "缓", "_x", "a:b", "C"])
def test_anything_with_a_word_in_it_asks_for_something(query: str) -> None:
    assert parse_query([query]).searchable


def test_documented_prefixes_are_conditions() -> None:
    query = parse_query(
        ["retry kind:failure kind:pattern tag:Net", "path:src/net file:http.py commit:1A2B run:r-1 is:current"]
    )
    assert [term.typed for term in query.terms] == ["retry"]
    assert query.text == "retry"
    assert query.conditions == Conditions(
        kinds=(Kind.FAILURE, Kind.PATTERN),
        tags=("Net",),
        paths=("src/net",),
        files=("http.py",),
        commits=("1a2b",),
        runs=("r-1",),
        verdicts=(VerdictName.CURRENT,),
    )


def test_conditions_alone_are_worth_searching_for() -> None:
    assert parse_query(["kind:decision", "..."]).searchable


@pytest.mark.parametrize(
    "chunk",
    [
        "a:b", "Kind:failure", "KIND:failure", "kind:", 'tag:""', "xkind:failure", "(kind:failure)", "is:", "author:me",
        "commit:abc", "commit:message", "std::vector", "http://x.example", "kind:nonsense", "kind:Decision", "is:true",
    ],
)  # fmt: skip
def test_every_other_colon_belongs_to_a_term(chunk: str) -> None:
    query = parse_query([chunk])
    assert query.conditions == Conditions()
    assert [term.typed for term in query.terms] == re.findall(r"\w+(?:::\w+|\.\w+)?", chunk)


def test_a_very_long_query_is_refused() -> None:
    assert parse_query(["x" * 10_000]).searchable
    with pytest.raises(UsageError, match="10,000"):
        parse_query(["x" * 9_999, "yy"])


def test_stop_words_are_english_ones_only() -> None:
    words = parse_query(["how", "does", "architecture", "permission", "le", "für"]).terms
    assert [is_stop_word(term) for term in words] == [True, True, False, False, False, False]
