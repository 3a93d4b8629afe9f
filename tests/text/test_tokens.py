"""One tokeniser for entries and queries: parts, wholes, keys, and the way back into the text."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.search.match import passage, spans
from gitmem.text.tokens import agree, key_of, read_term, tokenise

OID = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"


def texts(text: str) -> list[str]:
    return [token.text for token in tokenise(text)]


def asked(chunk: str) -> list[str]:
    term = read_term(chunk)
    return [slot.text for slot in term.slots] if term else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words, here.", ["plain", "words", "here"]),
        ("parseHTTPRequest", ["parse", "http", "request", "parsehttprequest"]),
        ("URLs and getIDs", ["urls", "and", "get", "ids", "getids"]),
        ("max_retries", ["max", "retries", "maxretries"]),
        ("MAX-RETRIES", ["max", "retries", "maxretries"]),
        ("__init__", ["init"]),
        ("foo.bar.baz", ["foo", "bar", "baz"]),
        ("std::vector", ["std", "vector"]),
        ("net/http_client.py", ["net", "http", "client", "httpclient", "py"]),
        ("HCA060T", ["hca", "060", "t", "hca060t"]),
        ("x86_64", ["x", "86", "x86", "64", "x8664"]),
        ("v2.10.3", ["v", "2", "10", "2.10", "3", "2.10.3"]),
        ("20.04", ["20", "04", "20.04"]),
        ("python3.11", ["python", "3", "11", "3.11"]),
        ("0xFF", ["0xff"]),
        ("C++ c# C", ["c", "c++", "c", "c#", "c"]),
        ("#1466 $HOME/.config", ["1466", "home", "config"]),
        ("what's", ["what", "s", "whats"]),
        ("d'été l’horloge", ["d", "été", "l", "horloge"]),
        ("qu'est-ce", ["qu", "est", "ce", "estce"]),
        ("aujourd'hui", ["aujourd", "hui", "aujourdhui"]),
        ("使用JWT令牌", ["使", "用", "jwt", "令", "牌"]),
        ("हिन्दी पाठ", ["हिन्दी", "पाठ"]),
        ("한국", ["한", "국"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("🎉👍🏽❤️", ["🎉", "👍🏽", "❤"]),
        ("🇫🇷🇩🇪", ["🇫🇷", "🇩🇪"]),
        ("„Straße“", ["strasse"]),
        ("réseauLocal", ["réseau", "local", "réseaulocal"]),
        ("ПарсерЗапроса", ["парсер", "запроса", "парсерзапроса"]),
        (OID, [OID]),
        ("... --- ()", []),
        ("、。！", []),
        ("", []),
    ],
)
def test_a_text_is_cut_into_parts_and_wholes(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("réseau", "reseau"),
        ("œuvre", "oeuvre"),
        ("złoty", "zloty"),
        ("ελληνικά", "ελληνικα"),
        ("йод", "иод"),
        ("ёлка", "елка"),
        ("バス", "バス"),
        ("パス", "パス"),
        ("한국", "한국"),
        ("น้ำ", "น้ำ"),
        ("हिन्दी", "हिन्दी"),
        ("👍🏽", "👍"),
        ("007", "7"),
        ("000", "0"),
        ("20.04", "20.4"),
        ("12345678", "1234567"),
        (OID, OID[:7]),
        ("defaced", "defaced"),
        ("effaceable", "effaceable"),
    ],
)
def test_the_key_drops_what_may_differ_and_nothing_else(text: str, key: str) -> None:
    assert key_of(text) == unicodedata.normalize("NFC", key)


@pytest.mark.parametrize(
    ("asked_text", "written", "same"),
    [
        (OID[:7], OID, True),
        (OID[:12], OID, True),
        (OID, OID[:9], True),
        (OID[:7] + "ff", OID, False),
        ("10000000", "1000000", False),
        ("12345678", "12345678", True),
        ("0012345678", "12345678", True),
        ("1234567", "1234567abc", True),
        ("reseaux", "réseaux", True),
    ],
)
def test_object_ids_agree_where_one_begins_the_other(asked_text: str, written: str, *, same: bool) -> None:
    assert agree(asked_text, written) is same


@pytest.mark.parametrize(
    ("chunk", "expected"),
    [
        ("plan?", ["plan"]),
        ("v2.10.3", ["2.10.3"]),
        ("C++17", ["c++", "17"]),
        ("d'été", ["été"]),
        ("net/http_client.py", ["net", "httpclient", "py"]),
        ("失效", ["失", "效"]),
        ("...", []),
        ("\u200b", []),
        ("_", []),
        ("'", []),
    ],
)
def test_a_query_asks_for_the_way_through_a_chunk(chunk: str, expected: list[str]) -> None:
    assert asked(chunk) == expected


@pytest.mark.parametrize(
    ("chunk", "typed", "text"),
    [
        ('"pre-edit', "pre-edit", "pre-edit"),
        ("Plan?", "Plan", "plan"),
        ("C++,", "C++", "c++"),
        ("d’Été", "d’Été", "été"),
        ("**Ｆｕｌｌ**", "Ｆｕｌｌ", "full"),
    ],
)
def test_a_term_is_known_by_what_was_typed(chunk: str, typed: str, text: str) -> None:
    term = read_term(chunk)
    assert term
    assert (term.typed, term.text) == (typed, text)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("re\u0301seau", "réseau"),
        ("ｶﾅ", "カナ"),
        ("ﾊﾞｽ", "バス"),
        ("Ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국"),
        ("zero\u200bwidth", "zerowidth"),
        ("co\u00adoperate", "cooperate"),
        ("\u200e\u202eabc", "abc"),
        ("İSTANBUL", "i\u0307stanbul"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("👨\u200d👩\u200d👧", "👨👩👧"),
    ],
)
def test_forms_of_the_same_text_give_the_same_words(written: str, meant: str) -> None:
    assert texts(written) == texts(meant)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see net/http_client.py:42", ["see", "net", "http", "client", "http_client", "py", "42"]),
        ("re\u0301seau d'e\u0301te\u0301", ["re\u0301seau", "d", "e\u0301te\u0301"]),
        ("ﾊﾞｽ停", ["ﾊﾞ", "ｽ", "停"]),
        ("a\u200bb ☎️x", ["a\u200bb", "☎️", "x"]),
        ("ﬁn", ["ﬁn"]),
    ],
)
def test_offsets_lead_back_into_the_text_as_written(text: str, found: list[str]) -> None:
    assert [text[token.start : token.end] for token in tokenise(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "1." * 9_000,
        "a_" * 9_000,
        "aB" * 9_000,
        "A" * 9_000,
        "a'" * 9_000,
        "f" * 9_000,
        "失" * 9_000,
        "a" + "." * 9_000,
    ],
)
def test_a_hostile_chunk_is_only_long(text: str) -> None:
    tokens = tokenise(text)
    assert tokens[0].start == 0
    assert len(tokens) <= 2 * len(text)


# Every sort of character that the rules name, often enough that they meet.
MIXED = st.text(
    st.one_of(
        st.sampled_from(list("aBcDE019_-./:'+#’éÉжЙλ\u0301\u200b\u00ad 失バｶﾞ한ไ้हि🎉🏽🇫´ßİ")),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=24,
)


@given(MIXED)
@settings(max_examples=150)
def test_positions_and_offsets_never_leave_the_text(text: str) -> None:
    for token in tokenise(text):
        assert 0 <= token.start < token.end <= len(text)
        assert token.key
        assert token.position >= 0
        assert token.length >= 0


@given(MIXED)
@settings(max_examples=150)
def test_a_chunk_is_cut_the_same_wherever_it_stands(text: str) -> None:
    alone = [texts(chunk) for chunk in text.split()]
    assert texts(text) == [token for chunk in alone for token in chunk]


@given(MIXED)
@settings(max_examples=150)
def test_normal_forms_and_case_make_no_difference_to_keys(text: str) -> None:
    keys = [token.key for token in tokenise(text)]
    for form in ("NFC", "NFD"):
        assert [token.key for token in tokenise(unicodedata.normalize(form, text))] == keys


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("東、京", "東京"),
        ("東 京", "東京"),
        ("東\n\n京", "東京"),
        ("バ ス", "バス"),
        ("call get; user gone", "getUser"),
        ("one foo, bar two", "foo.bar"),
        ("saw a snake. Case closed", "snake_case"),
        ("(a) foo (bar)", "foo.bar"),
    ],
)
def test_no_term_goes_across_what_separates_words(text: str, query: str) -> None:
    term = read_term(query)
    assert term is not None
    assert spans(term, passage(text)) == []
