"""What search keeps of a text, and under which keys the text is found."""

import re
from collections import Counter
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.search.analysis import (
    GAP,
    STOP_WORDS,
    VALUES,
    Analyser,
    Document,
    Value,
    found_keys,
    grams_of,
    parse_document,
    runs,
    telling_keys,
    telling_runs,
    tokens_of,
    value_of,
    word_keys,
    written_value,
)
from gitmem.text.tokens import tokenise

ANALYSER = Analyser()
OID = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"

# Every sort of character that the rules of the tokeniser name, often enough that they meet, and what ends a word.
CHARACTERS = st.sampled_from(list("aBcDE019_-./:,()'+#’éÉжЙλ\u0301\u200b\u00ad失バｶﾞ한ไ้ខहि🎉🏽🇫´ßİ \n\x1e\x1f\x85"))
TEXTS = st.text(CHARACTERS | st.characters(exclude_categories=["Cs"]), max_size=24)
SIMPLE = st.from_regex(r"[A-Za-z][a-z]{0,8}[.,;:!?)]{0,3}", fullmatch=True)


def value(text: str, field: str = "n") -> Value:
    return value_of(field, ANALYSER.fragments(text))


def found(text: str) -> list[str]:
    return sorted(found_keys(value(text)))


def telling(text: str) -> list[str]:
    return sorted(telling_keys(value(text)))


def held(field: str, text: str) -> Value:
    """Return the value as `parse_document` has it: where there is no word, it has one gap."""
    kept = value(text, field)
    return kept if kept.words else Value(field, (GAP,))


@pytest.mark.parametrize(
    ("text", "words", "joined"),
    [
        ("plain words", ["plain", "words"], []),
        ("one, two (three)", ["one", GAP, "two", GAP, "three", GAP], []),
        ("max_retries now", ["max", "retries", "now"], [("maxretries", 0, 2)]),
        ("of v2.10", ["of", "2", "10"], [("v", 1, 0), ("2.10", 1, 2)]),
        ("l'été", ["été"], [("l", 0, 0)]),
        ("C++ too", ["c", "too"], [("c++", 0, 1)]),
        ("a/b, c", ["a", "b", GAP, "c"], []),
        ("失效 策", [GAP, "失", "效", GAP, GAP, "策", GAP], []),
        ("用JWT令", [GAP, "用", "jwt", "令", GAP], []),
        ("\u200b x \u200b", ["x"], []),
    ],
)
def test_a_value_has_a_word_for_each_position(text: str, words: list[str], joined: list[tuple[str, int, int]]) -> None:
    assert value(text) == Value("n", tuple(words), tuple(joined))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("the retry", ["retry", "the"]),
        ("retry, retry", ["retry", "retry"]),
        ("réseau", ["reseau", "réseau"]),
        ("20.04", ["04", "20", "20.04", "20.4", "4"]),
        (OID, [OID[:7], OID]),
        ("maxRetries", ["max", "maxretries", "retries"]),
        ("v2.10", ["10", "2", "2.10", "v"]),
        ("d'été", ["d", "ete", "été"]),
        ("失效策", ["失", "失效", "效", "效策", "策"]),
        ("バス", ["ス", "バ", "バス"]),
        ("ล้วน", sorted([*"ล้วน", "ล้", "้ว", "วน", "ล้ว", "้วน"])),
        ("失 效", ["失", "效"]),
        ("👍🏽", ["👍", "👍🏽"]),
        ("... ()", []),
    ],
)
def test_a_text_is_found_under_its_words_their_spellings_and_runs(text: str, keys: list[str]) -> None:
    assert found(text) == sorted(keys)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("the retry of it", ["retry"]),
        ("the", []),
        ("v2.10", ["10", "2", "2.10"]),
        ("d'été", ["ete", "été"]),
        ("失效策", ["失效", "效策"]),
        ("失 a", ["失"]),
        ("ล้วน", ["ล้ว", "้วน"]),
        ("C++", ["c", "c++"]),
    ],
)
def test_stop_words_and_single_characters_of_a_run_tell_nothing(text: str, keys: list[str]) -> None:
    assert telling(text) == sorted(keys)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["失", "效", "策"], ["失效", "效策"]),
        (["失", GAP, "效"], []),
        (["失", "jwt", "效"], []),
        (["ไ", "ท", "ย"], ["ไท", "ทย"]),
        (["ไ", "失"], ["ไ失"]),
        (["한", "국", "어"], ["한국", "국어"]),
        (["バ", "ス", GAP, "停", "車"], ["バス", "停車"]),
        (["retry", "policy"], []),
        ([], []),
    ],
)
def test_runs_are_neighbours_of_a_script_without_spaces(words: list[str], expected: list[str]) -> None:
    assert runs(words) == expected


@pytest.mark.parametrize("text", ["失效策", "バスは", "한국어", "ไทย", "ລາວ", "ကခဂ", "ខគឃ"])
def test_runs_of_letters_are_ranked_by_threes_and_of_ideographs_by_pairs(text: str) -> None:
    assert telling_runs(list(text)) == ([text] if text[0] in "ไລကខ" else [text[:2], text[1:]])
    assert telling_runs(list(text[:2])) == [text[:2]]


@given(SIMPLE | TEXTS)
@settings(max_examples=150)
def test_what_is_kept_are_the_tokens_of_the_text(text: str) -> None:
    kept = Counter((token.text, token.key, token.position, token.length) for token in tokens_of(value(text)))
    assert kept == Counter((token.text, token.key, token.position, token.length) for token in tokenise(text))


@given(TEXTS)
@settings(max_examples=150)
def test_a_text_has_the_keys_of_its_fragments_wherever_they_stand(text: str) -> None:
    fragments = ANALYSER.fragments(text)
    assert Counter(found(text)) == Counter(chain.from_iterable(fragment.keys for fragment in fragments))
    assert len(telling(text)) == sum(fragment.telling for fragment in fragments)
    assert set(telling(text)) <= set(found(text))


@given(st.lists(st.tuples(st.sampled_from("itagdkpsrn"), TEXTS), min_size=1, max_size=4))
@settings(max_examples=150)
def test_what_is_written_down_is_read_again(texts: list[tuple[str, str]]) -> None:
    written = VALUES.join(written_value(field, ANALYSER.fragments(text)) for field, text in texts)
    assert parse_document(written) == Document(tuple(held(field, text) for field, text in texts))


def test_no_text_is_no_value() -> None:
    assert parse_document("") == Document(())


@given(TEXTS)
@settings(max_examples=50)
def test_an_analyser_that_remembers_answers_as_a_new_one(text: str) -> None:
    assert ANALYSER.fragments(text) == ANALYSER.fragments(text) == Analyser().fragments(text)


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.search.analysis._REMEMBERED", 2)
    small = Analyser()
    text = "max_retries of v2.10 in réseau and max_retries"
    assert small.fragments(text) == ANALYSER.fragments(text)
    assert [small.pieces(word) for word in text.split()] == [ANALYSER.pieces(word) for word in text.split()]
    assert len(small._fragments) <= 2
    assert len(small._pieces) <= 2


def test_stems_are_of_words_of_latin_letters_only() -> None:
    keys = ["retries", "retrying", "reseaux", "été", "バス", "v2", "1466s", "maxretries", "the"]
    assert ANALYSER.stems(keys) == ["retri", "retri", "reseaux", "été", "バス", "v2", "1466s", "maxretri", "the"]
    assert ANALYSER.stems([]) == []


@pytest.mark.parametrize(
    ("key", "grams"),
    [("c", [" c "]), ("ab", [" ab "]), ("abc", [" abc", "abc "]), ("retry", [" ret", "retr", "etry", "try "])],
)
def test_a_word_is_cut_into_pieces_of_four_with_its_borders(key: str, grams: list[str]) -> None:
    assert grams_of(key) == grams
    assert ANALYSER.pieces(key) == (key, frozenset(grams))


def test_pieces_are_of_a_word_without_accents() -> None:
    assert ANALYSER.pieces("ÉTÉ".lower()) == ("ete", frozenset([" ete", "ete "]))


def test_long_words_are_told_apart_by_more_than_their_beginning() -> None:
    one, other = word_keys("a" * 70), word_keys("a" * 71)
    assert one != other
    assert all(len(key) <= 64 for key in (*one, *other))
    assert word_keys("a" * 64) == ("a" * 64,)


def test_a_long_word_with_accents_has_two_keys_that_are_short() -> None:
    plain, spelled = word_keys("é" * 70)
    assert (plain,) == word_keys("e" * 70)
    assert spelled != plain
    assert len(spelled) <= 64


def test_stop_words_are_lower_case_words_of_english() -> None:
    assert all(re.fullmatch("[a-z]+", word) for word in STOP_WORDS)
    assert {"the", "how", "what"} <= STOP_WORDS
    assert not {"retry", "new", "always", "never"} & STOP_WORDS
