"""Which terms a text holds, and how well."""

from itertools import permutations

import pytest

from gitmem.search.match import is_there, passage, spans
from gitmem.search.query import parse_query

SPELLINGS = ("max retries", "maxRetries", "max_retries", "MAX-RETRIES", "MaxRetries", "max-retries")
OID = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"

CODE = (
    "parseHTTPRequest retries: see net/http_client.py: retry_count, error E1042 in v2.10.3, std::vector, foo.bar.baz. "
    "Retry lives in OvertimeService.getUserById; parseHTMLResponse, atomic_write_json, kebab-case-name, HCA060T, C++, "
    "c#, .NET, ::ns, E0308, #1466, 0xff, $HOME/.config, ECONNRESET 104, Ubuntu 20.04 and 🎉"
)
UNSPACED = "缓存失效策略 データベース接続プール 데이터베이스재시도 使用JWT令牌 ทดสอบไทยล้วน"


def holds(text: str, query: str) -> bool:
    """Whether every term of the query is in the text, of which there is at least one."""
    terms = parse_query([query]).terms
    assert terms
    held = passage(text)
    there = [is_there(term, held.postings) for term in terms]
    assert there == [bool(spans(term, held)) for term in terms]
    return all(there)


@pytest.mark.parametrize(("written", "typed"), list(permutations(SPELLINGS, 2)))
def test_spellings_of_an_identifier_find_each_other(written: str, typed: str) -> None:
    assert holds(f"The {written} of uploads", typed)


@pytest.mark.parametrize(
    "query",
    [
        "parseHTTPRequest", "parsehttprequest", "ParseHttpRequest", "http", "request", "retry_count", "retry",
        "net/http_client.py", "http_client.py", "http_client", "client.py", "NET/HttpClient.py", "E1042", "1042",
        "v2.10.3", "2.10.3", "2.10", "v2.10", "v2", "std::vector", "vector", "foo.bar.baz", "bar.baz", "Foo.Bar",
        "OvertimeService", "overtime", "getUserById", "getuserbyid", "user by id", "parseHTMLResponse", "html",
        "atomic_write_json", "write json", "kebab-case-name", "kebabCaseName", "HCA060T", "hca060t", "HCA60T", "060",
        "C++", "c++", "c#", ".net", "::ns", "E0308", "#1466", "1466", "0xff", "0xFF", "$HOME/.config", "ECONNRESET 104",
        "20.04", "🎉", "(retries)", '"error E1042"',
    ],
)  # fmt: skip
def test_code_words_are_found_whole_and_in_parts(query: str) -> None:
    assert holds(CODE, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("count the items, then retry", "retry_count"),
        ("released 04.20", "20.04"),
        ("20, 04", "20.04"),
        ("1.20.04", "20.04"),
        ("v2.10.3", "2.1"),
        ("v2.10.3", "v2.10.4"),
        ("the C library", "c++"),
        ("C++ only", "c#"),
        ("Baz.bar.foo", "foo.bar.baz"),
        ("src/network/http.py", "net/http.py"),
        ("バス停", "パス"),
        ("ハス", "バス"),
        ("パス", "ハス"),
        ("策略失效", "失效策略"),
        ("失地效果", "失效"),
        ("ลวน", "ล้วน"),
        ("permissions", "permission"),
        (OID, OID[:7] + "ffff"),
        ("10000000 bytes", "1000000"),
        ("", "anything"),
    ],
)
def test_what_is_not_there_is_not_found(text: str, query: str) -> None:
    assert not holds(text, query)


@pytest.mark.parametrize(
    "query",
    [
        "缓存",
        "失效策略",
        "略",
        "接続",
        "プール",
        "データベース接続プール",
        "데이터",
        "재시도",
        "도",
        "JWT",
        "用jwt令",
        "ล้วน",
    ],
)
def test_scripts_without_spaces_match_as_substrings(query: str) -> None:
    assert holds(UNSPACED, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Réglage de l'horloge d'été", "reglage"),
        ("Réglage de l'horloge d'été", "RÉGLAGE"),
        ("Réglage de l'horloge d'été", "re\u0301glage"),
        ("Réglage de l'horloge d'été", "d’été"),
        ("Réglage de l'horloge d'été", "été"),
        ("Réglage de l'horloge d'été", "ETE"),
        ("Réglage de l'horloge d'été", "l'été"),
        ("reglage", "réglage"),
        ("chef-d'œuvre", "oeuvre"),
        ("qu’il arrive jusqu'à midi", "il jusqu'à"),
        ("re\u0301seau fore\u0302t", "réseau forêt"),
        ("Straße İstanbul", "STRASSE istanbul"),
        ("Straße İstanbul", "strasse İSTANBUL"),
        ("Ｆｕｌｌｗｉｄｔｈ ｶﾅ", "fullwidth カナ"),
        ("йод", "иод"),
        ("иод", "йод"),
        ("Ελληνικά", "ελληνικα"),
        ("हिन्दी पाठ", "हिन्दी"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8어 감사", "한국어 감사"),
        ("złoty Đường", "zloty duong"),
        ("👨\u200d👩\u200d👧 ❤️", "👨\u200d👩\u200d👧 ❤"),
        ("👍🏽", "👍"),
        ("What's the plan?", "what's"),
        ("What’s the plan?", "what's plan"),
        ("whats up", "what's"),
        ("pre-edit hooks", '"pre-edit hooks"'),
        ("e-mail", "email"),
        ("007 and 20.4", "7 20.04"),
        (OID, OID[:7]),
        (OID, OID[:20].upper()),
        (f"as in {OID[:8]}", OID),
    ],
)
def test_words_meet_across_accents_forms_and_case(text: str, query: str) -> None:
    assert holds(text, query)


@pytest.mark.parametrize(
    ("text", "query", "places"),
    [
        ("max_retries, then max retries; max", "maxRetries", ["max_retries", "max retries"]),
        ("maxRetries", "max", ["max"]),
        ("parseHTTPRequest", "http", ["HTTP"]),
        ("retry the retry", "retry", ["retry", "retry"]),
        ("net/http.py and http.py", "http.py", ["http.py", "http.py"]),
        ("see net/http.py:42", "net/http.py", ["net/http.py"]),
        ("失效失效", "失效", ["失效", "失效"]),
        ("re\u0301seau", "reseau", ["re\u0301seau"]),
        ("le co\u00adop", "coop", ["co\u00adop"]),
        ("d'été", "été", ["été"]),
        ("v2.10.3 and 2.10", "v2.10", ["v2.10", "2.10"]),
        ("👍🏽 👍", "👍", ["👍🏽", "👍"]),
        ("nothing", "quux", []),
        ("", "quux", []),
    ],
)
def test_spans_are_the_places_of_the_whole_term(text: str, query: str, places: list[str]) -> None:
    (term,) = parse_query([query]).terms
    assert [text[start:end] for start, end in spans(term, passage(text))] == places
