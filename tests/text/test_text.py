"""What is taken out of values, what a terminal is shown, and how a title becomes a slug."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.rules import is_id
from gitmem.text import SLUG_LIMIT, plain, slug, visible, visible_line

# From Unicode's own tables, so that the expressions under test are not asked about themselves.
BIDIRECTIONAL = [chr(code) for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))]
ZERO_WIDTH = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"]
CONTROLS = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cc"]
BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\t"]

TEXT = st.lists(st.characters() | st.sampled_from([*BIDIRECTIONAL, *ZERO_WIDTH, *CONTROLS, *BREAKS]), max_size=40).map(
    "".join
)


@pytest.mark.parametrize("hidden", [*BIDIRECTIONAL, *ZERO_WIDTH, "\xad", "\U000e0041", "\ud800"])
def test_a_value_holds_no_hidden_character(hidden: str) -> None:
    assert plain(f"pay{hidden}load") == "payload"


def test_a_value_holds_no_control_character() -> None:
    assert not [plain(f"a{control}b") for control in CONTROLS if control in plain(f"a{control}b")]


@pytest.mark.parametrize("end", BREAKS)
def test_a_line_break_becomes_one_space_so_that_words_stay_apart(end: str) -> None:
    assert plain(f"kind: fact{end}reviewState: reviewed") == "kind: fact reviewState: reviewed"


@pytest.mark.parametrize("text", ["", "a b", "Zażółć gęślą", "日本語", "a: b # c", "\U0001f600", "naïve\xa0text"])
def test_an_honest_value_is_left_as_it_is(text: str) -> None:
    assert plain(text) == text


@settings(max_examples=200)
@given(TEXT)
def test_a_value_is_one_line_for_every_reader(text: str) -> None:
    made = plain(text)
    assert len(made.splitlines()) <= 1
    assert made == made.strip() == plain(made)
    made.encode("utf-8")


@settings(max_examples=200)
@given(TEXT)
def test_nothing_that_can_be_seen_is_lost(text: str) -> None:
    def seen(value: str) -> list[str]:
        return [sign for sign in value if sign.isalnum()]

    assert seen(plain(text)) == seen(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\r", "\\x0d"),
        ("\x9b", "\\x9b"),
        ("\x7f", "\\x7f"),
        ("a\u202eb", "a\\u202eb"),
        ("\u2028", "\\u2028"),
        ("\ufeff", "\\ufeff"),
        ("\udce9", "\\udce9"),
        ("\U000e0041", "\\U000e0041"),
        ("日本 é \U0001f600", "日本 é \U0001f600"),
    ],
)
def test_a_terminal_is_shown_escapes(text: str, shown: str) -> None:
    assert visible(text) == shown


@settings(max_examples=200)
@given(TEXT)
def test_what_is_shown_can_neither_be_obeyed_nor_hide(text: str) -> None:
    shown = visible(text)
    assert not {*CONTROLS, *BIDIRECTIONAL, *ZERO_WIDTH} - {"\t", "\n"} & set(shown)
    assert visible(shown) == shown
    shown.encode("utf-8")


def test_a_line_of_a_report_stays_one_line() -> None:
    assert visible_line("a\nfatal: b\tc\x1b\u2028") == "a\\nfatal: b\\tc\\x1b\\u2028"


@settings(max_examples=100)
@given(TEXT)
def test_every_shown_line_is_one_line(text: str) -> None:
    assert len(visible_line(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("title", "made"),
    [
        ("Keep command trust in the core", "keep-command-trust-in-the-core"),
        ("Café", "cafe"),
        ("CAFE\u0301", "cafe"),
        ("Ångström, Đ and ø", "angstrom-and"),
        ("Straße", "strasse"),
        ("ﬁle", "file"),
        ("İstanbul", "istanbul"),
        ("１２ｘ", "12x"),
        ("v1.2.3 -- really?", "v1-2-3-really"),
        ("snake_case/and.path", "snake-case-and-path"),
        ("", "note"),
        ("   ", "note"),
        ("日本語", "note"),
        ("日本 v2", "v2"),
        ("../../etc/passwd", "etc-passwd"),
        ("\x00\u202e", "note"),
        ("a" * 70, "a" * 60),
        ("a" * 59 + " b", "a" * 59),
        ("й и", "note"),
    ],
)
def test_a_title_becomes_a_slug(title: str, made: str) -> None:
    assert slug(title) == made


@settings(max_examples=300)
@given(TEXT)
def test_a_slug_is_always_a_good_id(title: str) -> None:
    made = slug(title)
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", made)
    assert len(made) <= SLUG_LIMIT == 60
    assert is_id(made)
    assert slug(made) == made


@settings(max_examples=100)
@given(TEXT)
def test_the_unicode_form_of_a_title_does_not_change_its_slug(title: str) -> None:
    assert slug(unicodedata.normalize("NFD", title)) == slug(unicodedata.normalize("NFC", title)) == slug(title)
