"""From an entry's text over the index to a query's tier: what is written can be found, and nothing else is."""

import unicodedata
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gitmem.entry.model import Entry
from gitmem.search.analysis import Analyser
from gitmem.search.keep import index_of
from gitmem.search.look import look
from gitmem.search.narrow import Filters
from gitmem.search.query import Conditions, parse_query
from gitmem.search.rank import Ranking
from gitmem.search.terms import Match

ANALYSER: Final = Analyser()
ALL, PARTIAL, NOT = Match.ALL, Match.PARTIAL, None

OID: Final = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"


def tier(text: str, query: str) -> Match | None:
    """Return the tier of an entry with this text, None if the query does not find it."""
    entry = Entry(id="x", title="", date="", notes=text)
    asked = parse_query([query])
    assert asked.terms
    ranking = Ranking(index_of([Entry(id="other", title="", date=""), entry], ANALYSER), asked, Filters())
    found = [one.match for one in (*ranking.exact(), *ranking.all(), *ranking.partial()) if one.known.id == "x"]
    assert len(found) <= 1
    match = found[0] if found else None
    missing = look(entry, asked, named=False).missing
    assert (match is ALL) is not bool(missing), f"what is shown as missing ({missing}) contradicts the tier"
    return match


IDENTIFIERS = [
    ("getUserById", "getuserbyid", ALL),
    ("getUserById", "user by id", ALL),
    ("getUserById", "userById", ALL),
    ("getUserById", "user_by", ALL),
    ("getUserById", "getId", PARTIAL),
    ("get user by id", "getUserById", ALL),
    ("get-user-by-id", "get_user_by_id", ALL),
    ("GETUSERBYID", "getUserById", ALL),
    ("getUserById", "GETUSERBYID", ALL),
    ("XMLHttpRequest", "xml http request", ALL),
    ("XMLHttpRequest", "xmlhttp", NOT),
    ("SCREAMING_SNAKE", "screamingSnake", ALL),
    ("_private __dunder__", "private", ALL),
    ("__dunder__", "__dunder__", ALL),
    ("foo.bar.Baz", "bar.baz", ALL),
    ("foo.bar.Baz", "foo.baz", PARTIAL),
    ("a.b.c", "b", ALL),
    ("utf8", "utf 8", ALL),
    ("utf8", "utf-8", ALL),
    ("UTF-8", "utf8", ALL),
    ("sha256sum", "sha256", ALL),
    ("sha256sum", "256", ALL),
    ("sha256sum", "25", NOT),
    ("x86_64", "x86-64", ALL),
    ("x86_64", "x8664", ALL),
    ("HTTP2Server", "http2", ALL),
    ("URLs", "url", PARTIAL),
    ("userIDs", "ids", ALL),
    ("C++", "c++", ALL),
    ("C++", "c", ALL),
    ("C++17", "c++ 17", ALL),
    ("C", "c++", PARTIAL),
    ("C#", "c#", ALL),
    ("F# and C#", "c++", PARTIAL),
    ("std::vector<int>", "std::vector", ALL),
    ("std::vector<int>", "vector<int>", ALL),
    ("std::vector", "std.vector", ALL),
    ("vector of std", "std::vector", PARTIAL),
    ("::ns", "::ns", ALL),
    ("Option<T>", "option<t>", ALL),
    ("--dry-run", "dry-run", ALL),
    ("--dry-run", "--dryrun", ALL),
    ("@scope/package", "scope/package", ALL),
    ("user@example.org", "example.org", ALL),
    ("key=value", "key value", ALL),
    ("$HOME/.config", "$HOME/.config", ALL),
    ("$HOME/.config", "home/.config", ALL),
    ("${HOME}/.config", "$HOME/.config", PARTIAL),
    ("ECONNRESET 104", "econnreset 104", ALL),
    ("#1466", "#1466", ALL),
    ("1466", "#1466", ALL),
    ("#14660", "#1466", NOT),
    ("E0308", "E0308", ALL),
    ("E0308", "E308", ALL),
    ("E0308", "E0309", None),
]

PATHS = [
    ("src/net/http_client.py", "src/net/http_client.py", ALL),
    ("src/net/http_client.py", "net/http_client.py", ALL),
    ("src/net/http_client.py", "src/net", ALL),
    ("src/net/http_client.py", "net/", ALL),
    ("src/net/http_client.py", "http_client.py", ALL),
    ("src/net/http_client.py", "http_client", ALL),
    ("src/net/http_client.py", "httpClient.py", ALL),
    ("src/net/http_client.py", "client", ALL),
    ("src/net/http_client.py", ".py", ALL),
    ("src/net/http_client.py:42", "http_client.py:42", ALL),
    ("src/net/http_client.py", "src/http_client.py", PARTIAL),
    ("src/net/http_client.py", "net/http", ALL),
    ("src/network/http.py", "net/http.py", PARTIAL),
    (r"src\net\http.py", "src/net", PARTIAL),
    (r"src\net\http.py", r"net\http.py", ALL),
    ("./a/b.c", "a/b.c", ALL),
    ("~/.ssh/id_rsa", ".ssh/id_rsa", ALL),
    ("(see src/a.py, src/b.py)", "src/b.py", ALL),
    ("https://example.org/a/b?c=d", "example.org/a/b", ALL),
    ("https://example.org/a/b?c=d", "https://example.org/a/b?c=d", ALL),
    ("réseau/été.txt", "reseau/ete.txt", ALL),
]

NUMBERS = [
    (OID, OID[:7], ALL),
    (OID, OID[:6], NOT),
    (OID, OID.upper(), ALL),
    (OID, OID[:12].upper(), ALL),
    (OID[:7], OID, ALL),
    (OID[:12], OID[:11] + "0", PARTIAL),
    (f"{OID}^", OID[:7], ALL),
    (f"{OID[:9]}..{'f0' * 5}", "f0f0f0f", ALL),
    ("defaced", "defaced", ALL),
    ("facade", "facade", ALL),
    ("12345678", "12345678", ALL),
    ("12345678", "12345679", PARTIAL),
    ("12345678", "123456789", PARTIAL),
    ("20250131", "2025013", PARTIAL),
    ("10000000 bytes", "1000000", PARTIAL),
    ("1.2.3", "1.2.3", ALL),
    ("v1.2.3", "1.2.3", ALL),
    ("1.2.3", "v1.2.3", ALL),
    ("V1.2.3", "v1.2.3", ALL),
    ("v1.2.3", "v1.2", ALL),
    ("v1.2.3", "1.2", ALL),
    ("v1.2.3", "1", ALL),
    ("v1.2.3", "2.3", PARTIAL),
    ("v1.2.3", "v1.3", PARTIAL),
    ("v1.2", "v1.2.3", PARTIAL),
    ("v12.3", "2.3", None),
    ("1.2.3-rc1+build.5", "1.2.3-rc1", ALL),
    ("python3.11", "3.11", ALL),
    ("python3.11", "python 3.11", ALL),
    ("python3.11", "python3", ALL),
    ("Python 3.1", "python3.11", PARTIAL),
    ("20.04", "20.04", ALL),
    ("04.20", "20.04", PARTIAL),
    ("20.4", "20.04", ALL),
    ("20.040", "20.04", None),
    ("2004", "20.04", NOT),
    ("007", "7", ALL),
    ("7", "007", ALL),
    ("700", "7", NOT),
    ("0", "000", ALL),
    ("0.10", "0.1", None),
    ("2026-01-05", "2026-1-5", ALL),
    ("2026-01-05", "2026-01", ALL),
    ("0xff", "0xFF", ALL),
    ("0xff", "ff", NOT),
    ("0xff", "0xf", NOT),
    ("0x00ff", "0xff", NOT),
    ("127.0.0.1:8080", "127.0.0.1", ALL),
    ("127.0.0.1:8080", "8080", ALL),
    ("127.0.0.1", "127.0.0.2", PARTIAL),
    ("1,000,000", "1,000,000", ALL),
    ("50%", "50%", ALL),
    ("3.5x", "3.5", ALL),
    ("3x", "3", ALL),
]

LETTERS = [
    ("Réglage", "reglage", ALL),
    ("reglage", "réglage", ALL),
    ("réglage", "RE\u0301GLAGE", ALL),
    ("re\u0301glage", "réglage", ALL),
    ("réglage", "règlage", ALL),
    ("réglages", "réglage", PARTIAL),
    ("d'été", "d’été", ALL),
    ("d’été", "été", ALL),
    ("d'été", "d\u02bcété", ALL),
    ("été", "l'été", ALL),
    ("qu'il", "il", ALL),
    ("aujourd'hui", "hui", ALL),
    ("L'HORLOGE", "horloge", ALL),
    ("l'horloge", "lhorloge", NOT),
    ("don't", "dont", ALL),
    ("Ελληνικά", "ελληνικα", ALL),
    ("ελληνικα", "ΕΛΛΗΝΙΚΆ", ALL),
    ("σίσυφος", "ΣΙΣΥΦΟΣ", ALL),
    ("йод", "иод", ALL),
    ("иод", "йод", ALL),
    ("ёлка", "ЕЛКА", ALL),
    ("їжак", "іжак", ALL),
    ("йод", "ио", NOT),
    ("バス停", "バス", ALL),
    ("バス停", "パス", NOT),
    ("パス", "バス", NOT),
    ("ハス", "パス", NOT),
    ("ﾊﾞｽ", "バス", ALL),
    ("バス", "ハ\u3099ス", ALL),
    ("ば", "は", NOT),
    ("Straße", "STRASSE", ALL),
    ("strasse", "straße", ALL),
    ("GROẞ", "groß", ALL),
    ("İstanbul", "istanbul", ALL),
    ("istanbul", "İSTANBUL", ALL),
    ("ısı", "ISI", ALL),
    ("złoty", "zloty", ALL),
    ("Ærø", "aero", ALL),
    ("ﬁle", "file", ALL),
    ("Ｆｕｌｌ－ｗｉｄｔｈ", "full-width", ALL),
    ("１２３", "123", ALL),
    ("co\u00adoperate", "cooperate", ALL),
    ("a\u200bb", "ab", ALL),
    ("हिन्दी पाठ", "हिन्दी", ALL),
    ("हिन्दी", "हिन्द", NOT),
    ("हिन्दी", "हन्दी", NOT),
    ("क्षेत्र", "क्षेत्र", ALL),
    ("தமிழ்", "தமிழ்", ALL),
    ("שָׁלוֹם", "שָׁלוֹם", ALL),
    ("مرحبًا", "مرحبًا", ALL),
]

RUNS = [
    ("ทดสอบไทยล้วน", "ไทย", ALL),
    ("ทดสอบไทยล้วน", "ล้วน", ALL),
    ("ทดสอบไทยล้วน", "ลวน", NOT),
    ("ทดสอบไทยล้วน", "ไทยทดสอบ", PARTIAL),
    ("น้ำ", "น\u0e49\u0e4d\u0e32", ALL),
    ("缓存失效策略", "失效", ALL),
    ("缓存失效策略", "存失", ALL),
    ("缓存失效策略", "策", ALL),
    ("缓存失效策略", "缓存策略", PARTIAL),
    ("缓存失效策略", "失效 缓存", ALL),
    ("策略失效", "失效策略", PARTIAL),
    ("失 效", "失效", NOT),
    ("失，效", "失效", NOT),
    ("使用JWT令牌", "jwt", ALL),
    ("使用JWT令牌", "用JWT", ALL),
    ("使用 JWT 令牌", "JWT令牌", PARTIAL),
    ("データベース接続", "ベース", ALL),
    ("データベース接続", "データ接続", PARTIAL),
    ("ﾃﾞｰﾀ", "データ", ALL),
    ("時々", "々", ALL),
    ("데이터베이스", "베이스", ALL),
    ("데이터베이스를", "데이터베이스", ALL),
    ("데이터 베이스", "데이터베이스", PARTIAL),
    (unicodedata.normalize("NFD", "한국어"), "한국", ALL),
    ("한국어", unicodedata.normalize("NFD", "국어"), ALL),
    ("ខ្មែរ", "ខ្មែរ", ALL),
    ("မြန်မာ", "မြန်", ALL),
]

SYMBOLS = [
    ("done 🎉", "🎉", ALL),
    ("done 🎉", "🎊", NOT),
    ("done🎉🎉", "done 🎉", ALL),
    ("👍🏽", "👍", ALL),
    ("👍", "👍🏽", ALL),
    ("👍🏽", "👍🏿", ALL),
    ("👍🏽", "🏽", NOT),
    ("❤️", "❤", ALL),
    ("👨\u200d👩\u200d👧", "👩", ALL),
    ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧", ALL),
    ("🇫🇷🇩🇪", "🇩🇪", ALL),
    ("🇫🇷🇩🇪", "🇷🇩", NOT),
    ("🇫🇷", "🇫🇮", NOT),
    ("✔ passed", "✔", ALL),
    ("a → b", "a b", ALL),
]

SEPARATED = [
    ("one,two", "one,two", ALL),
    ("one,two", "one_two", PARTIAL),
    ("one. Two", "one.two", PARTIAL),
    ("one two", "one.two", ALL),
    ("f(x)", "f(x)", ALL),
    ("`code`", "**code**", ALL),
    ("[link](a.md)", "a.md", ALL),
    ("key: value", "key:value", ALL),
    ("東、京", "東、京", ALL),
    ("「東京」", "東京", ALL),
    ("one；two", "one；two", ALL),
    ("name＝value", "name＝value", ALL),
    ("name＝value", "name=value", ALL),
    ("name=value", "name＝value", ALL),
    ("１００％達成", "１００％達成", ALL),
    ("名前＜型＞", "名前＜型＞", ALL),
    ("範囲～終", "範囲～終", ALL),
]


@pytest.mark.parametrize(("text", "query", "expected"), IDENTIFIERS)
def test_identifiers_are_found_whole_in_parts_and_in_other_spellings(
    text: str, query: str, expected: Match | None
) -> None:
    assert tier(text, query) is expected


@pytest.mark.parametrize(("text", "query", "expected"), PATHS)
def test_paths_are_found_by_directory_name_and_stem(text: str, query: str, expected: Match | None) -> None:
    assert tier(text, query) is expected


@pytest.mark.parametrize(("text", "query", "expected"), NUMBERS)
def test_ids_versions_and_numbers_are_what_they_say(text: str, query: str, expected: Match | None) -> None:
    assert tier(text, query) is expected


@pytest.mark.parametrize(("text", "query", "expected"), LETTERS)
def test_words_meet_across_forms_and_no_letter_is_lost(text: str, query: str, expected: Match | None) -> None:
    assert tier(text, query) is expected


@pytest.mark.parametrize(("text", "query", "expected"), RUNS)
def test_runs_of_a_script_without_spaces_are_found_by_what_stands_in_them(
    text: str, query: str, expected: Match | None
) -> None:
    assert tier(text, query) is expected


@pytest.mark.parametrize(("text", "query", "expected"), SYMBOLS)
def test_symbols_are_words(text: str, query: str, expected: Match | None) -> None:
    assert tier(text, query) is expected


@pytest.mark.parametrize(("text", "query", "expected"), SEPARATED)
def test_punctuation_separates_a_text_and_a_query_alike(text: str, query: str, expected: Match | None) -> None:
    assert tier(text, query) is expected


# Letters of several scripts with their marks, each mark on a letter; punctuation of programs and of prose.
LETTER: Final = st.one_of(
    st.sampled_from("abcdefgsvxABCDEFSVX0123456789"),
    st.sampled_from(
        ["é", "E\u0301", "ç", "œ", "ß", "ẞ", "İ", "ı", "ł", "Ø", "ﬁ", "ŉ", "Ǆ", "ά", "Ϋ", "ΐ", "ς", "Σ", "ᾳ"]
    ),
    st.sampled_from(
        ["й", "и\u0306", "Ё", "ж", "ї", "バ", "ハ\u3099", "ﾊﾟ", "ー", "か", "한", "\u1112\u1161\u11ab", "ㄱ"]
    ),
    st.sampled_from(["缓", "存", "々", "ไ", "ท", "ล\u0e49", "น\u0e49\u0e33", "हि", "न्", "क\u093c", "שָׁ", "م", "ً"]),
    st.sampled_from(["🎉", "👍🏽", "🇫🇷", "❤\ufe0f", "👨\u200d👩", "Ａ", "１", "²", "Ⅷ", "٣", "½"]),
)
SIGN: Final = st.sampled_from(
    [*"_-./:'’#+@,;()[]{}<>=!?\"`*&%$\\^|~", "::", "://", "\u200b", "\u00ad", "、", "。", "…"]
)
WORD: Final = st.lists(st.one_of(LETTER, LETTER, LETTER, SIGN), min_size=1, max_size=8).map("".join)
ANY: Final = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=6)


FORMS: Final = ("NFC", "NFD", "NFKC", "NFKD")


def is_asked(query: str) -> bool:
    parsed = parse_query([query])
    return bool(parsed.terms) and parsed.conditions == Conditions()


@given(st.lists(st.one_of(WORD, WORD, WORD, ANY), min_size=1, max_size=6))
@settings(max_examples=100)
def test_every_word_of_an_entry_finds_it_alone_and_with_its_neighbour(words: list[str]) -> None:
    text = " ".join(words)
    words = text.split()
    index = index_of([Entry(id="other", title="", date=""), Entry(id="x", title="", date="", notes=text)], ANALYSER)
    queries = [query for query in (*words, *map(" ".join, pairwise(words))) if is_asked(query)]
    assume(queries)
    for query in queries:
        for asked in (query, query.upper(), query.casefold(), *(unicodedata.normalize(form, query) for form in FORMS)):
            ranking = Ranking(index, parse_query([asked]), Filters())
            assert [one.known.id for one in (*ranking.exact(), *ranking.all())] == ["x"], (query, asked)


@pytest.mark.parametrize(
    "chunk",
    [":\u0320b", "{\u0328z", '"\u0301a', "`\u0301b", "(\u0301a", "\u3237\u030fR", "AT＆T", "東京｡大阪", "x＝1", "⑴"],
)
def test_what_stands_behind_punctuation_finds_its_own_text(chunk: str) -> None:
    assert tier(f"the {chunk} zz", chunk) is Match.ALL


def test_a_word_that_stands_a_thousand_times_in_a_query_is_one_word() -> None:
    assert tier("a b", "a/" * 2000) is None
    assert tier("a/a a", "a/a") is Match.ALL
