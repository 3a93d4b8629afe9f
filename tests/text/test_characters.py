"""Normal forms, the way back, and character classes."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.text.characters import bare, fold, normalise, shape


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Straße", "strasse"),
        ("\uff26\uff35\uff2c\uff2c", "full"),
        ("re\u0301seau", "réseau"),
        ("What’s", "what's"),
        ("a\u200b\u202eb\x07", "ab"),
        ("❤️", "❤"),
        ("ΌΣΟΣ", "όσοσ"),
    ],
)
def test_folding_makes_forms_of_one_word_equal(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("folded", "stripped"),
    [
        ("réglage", "reglage"),
        ("tiếng việt đường", "tieng viet duong"),
        ("ά ώ ϊ", "α ω ι"),
        ("й ё ї ў", "и е і у"),
        ("バパハ", "バパハ"),
        ("한국어", "한국어"),
        ("ล้วน", "ล้วน"),
        ("हिन्दी", "हिन्दी"),
        ("שָׁלוֹם", "שָׁלוֹם"),
    ],
)
def test_only_latin_greek_and_cyrillic_lose_their_accents(folded: str, stripped: str) -> None:
    assert bare(unicodedata.normalize("NFC", folded)) == unicodedata.normalize("NFC", stripped)


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        ("plain_ASCII-1", "plain_ASCII-1"),
        ("éÉж", "zZz"),
        ("l’a‐b", "l'a-b"),
        ("٣→", "9 "),
        ("हि", "zz"),
        ("失バ", "失バ"),
        ("🎉", "🎉"),
        (" \u0301e", "  e"),
    ],
)
def test_the_outline_shows_what_stands_where(text: str, outline: str) -> None:
    assert shape(text) == outline


def test_text_that_composes_across_its_clusters_keeps_one_range_for_all() -> None:
    # A consonant and a vowel of the keyboard: letters by themselves, one syllable in NFKC.
    normal = normalise("x\u3131\u314f")
    assert normal.text == "x\uac00"
    assert [normal.source(0, 1), normal.source(1, 2)] == [(0, 3), (0, 3)]


@given(st.text(max_size=30))
@settings(max_examples=150)
def test_every_normalised_character_has_a_range_in_the_text(text: str) -> None:
    normal = normalise(text)
    ranges = [normal.source(place, place + 1) for place in range(len(normal.text))]
    assert all(0 <= start < end <= len(text) for start, end in ranges)
    assert ranges == sorted(ranges)


@given(st.text(max_size=30))
@settings(max_examples=150)
def test_folding_what_is_folded_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert len(shape(normalise(text).text)) == len(normalise(text).text)
