import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.frontmatter import (
    MAX_BYTES,
    MAX_DEPTH,
    Metadata,
    UnreadableEntry,
    bare,
    decode,
    load,
    read_block,
    split,
)

LOADERS = [yaml.CBaseLoader, yaml.BaseLoader]

# What fences, keys and YAML's own syntax are made of, and what hides between them.
PIECE_LIST = [
    "---", "...", "\n", "\r\n", "\r", "\u2028", "\u0085", "\ufeff", "\u200b", "\x0b", " ", "  ", "\t", ":",
    ": ", "- ", "#", " #", "a", "é", "title", "reviewState", "1", "~", "null", "[", "]", "{", "}", ",", '"',
    "'", "\\", "\\u2028", "\\ud800", "\\UFFFFFFFF", "|", ">", "&a", "*a", "!", "!!int", "<<", "? ", "%",
    "@", "`", "\ufffe", "\U0001f600",
]  # fmt: skip


PIECES = st.sampled_from(PIECE_LIST)
NASTY = st.lists(PIECES, max_size=30).map("".join)


def values(block: str) -> object:
    return load(split(f"---\n{block}---\n")).values


def reason(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(UnreadableEntry) as caught:
        load(split(decode(data)))
    return caught.value.reason


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"---\ntitle: Krak\xf3w\n---\n", "not UTF-8: byte 16"),
        (b"\xc3", "not UTF-8: byte 1"),
        (b"\xed\xa0\x80", "not UTF-8: byte 1"),
        ("---\ntitle: x\n---\n".encode("utf-16"), "not UTF-8 but UTF-16"),
        ("\ufeff---\ntitle: x\n---\n".encode("utf-16-be"), "not UTF-8 but UTF-16"),
        ("---\ntitle: x\n---\n".encode("utf-16-le"), "not UTF-8 text: it holds NUL characters"),
        (b"a\0b", "not UTF-8 text: it holds NUL characters"),
        (b"", "empty file"),
        (b"\xef\xbb\xbf \r\n\t\n", "empty file"),
        (b"a" * (MAX_BYTES + 1), "over 1 MiB"),
    ],
)
def test_what_is_no_utf8_text_is_refused_with_the_reason(data: bytes, expected: str) -> None:
    with pytest.raises(UnreadableEntry) as caught:
        decode(data)
    assert caught.value.reason == expected
    assert caught.value.message == f"the entry cannot be read: {expected}"


def test_a_file_of_just_one_mebibyte_is_read() -> None:
    assert len(decode(b"a" * MAX_BYTES)) == MAX_BYTES


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("---\na: b\n---\nbody\n", ("---\n", "a: b\n", "---\n", "body\n")),
        ("---\r\na: b\r\n---\r\nbody", ("---\r\n", "a: b\r\n", "---\r\n", "body")),
        ("\ufeff---\na: b\n---\n", ("\ufeff---\n", "a: b\n", "---\n", "")),
        ("\ufeff\n \t\r\n--- \t\na: b\n---\t\n", ("\ufeff\n \t\r\n--- \t\n", "a: b\n", "---\t\n", "")),
        ("---\n---", ("---\n", "", "---", "")),
        ("---\na: b\n---\n---\nc: d\n---\n", ("---\n", "a: b\n", "---\n", "---\nc: d\n---\n")),
        ("---\na: |\n  ---\n----\n--- x\n---\n", ("---\n", "a: |\n  ---\n----\n--- x\n", "---\n", "")),
        ("no fence\n---\na: b\n---\n", ("", "", "", "no fence\n---\na: b\n---\n")),
        ("\ufeff\nno fence", ("\ufeff", "", "", "\nno fence")),
        ("----\na: b\n----\n", ("", "", "", "----\na: b\n----\n")),
        (" ---\na: b\n---\n", ("", "", "", " ---\na: b\n---\n")),
    ],
)
def test_a_text_is_split_at_its_fences(text: str, parts: tuple[str, str, str, str]) -> None:
    document = split(text)
    assert (document.head, document.block, document.fence, document.body) == parts


@given(NASTY)
@settings(max_examples=200, deadline=None)
def test_the_parts_of_a_text_are_the_text(text: str) -> None:
    for opened in (text, f"---\n{text}"):
        try:
            document = split(opened)
        except UnreadableEntry:
            continue
        assert document.text == opened
        assert bool(document.fence) == document.head.endswith("\n")


@given(NASTY, st.sampled_from(["\n---\n", "\n---", "\n--- \n", "\n---\r\n", ""]), NASTY)
@settings(max_examples=300, deadline=None)
def test_a_blank_line_before_the_frontmatter_changes_nothing_in_how_it_is_split(
    block: str, fence: str, body: str
) -> None:
    def parts(text: str) -> tuple[str, ...]:
        try:
            document = split(text)
        except UnreadableEntry as error:
            return (error.reason,)
        return (document.head.removeprefix("\n"), document.block, document.fence, document.body)

    text = f"---\n{block}{fence}{body}"
    assert parts(text) == parts("\n" + text)


@pytest.mark.parametrize(
    "text", ["---", "---\n", "---\ntitle: x\n", "---\ntitle: x\n ---\n", "---\na: b\n----\nbody\n"]
)
def test_a_fence_that_is_not_closed_is_never_a_legacy_body(text: str) -> None:
    assert reason(text) == "frontmatter is not closed"


@pytest.mark.parametrize(
    "text",
    [
        "\u200b---\nreviewState: stale\n---\n",
        "---\u200b\nreviewState: stale\n---\n",
        "---\rreviewState: stale\r---\r",
        "---\u2028reviewState: stale\u2028---\u2028",
        "-\u2060--\nreviewState: stale\n---\n",
        "\n\ufeff---\nreviewState: stale\n---\n",
    ],
)
def test_a_fence_that_only_some_readers_see_is_refused(text: str) -> None:
    assert reason(text) == "frontmatter fence with hidden characters or odd line ends"


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("a: [x\n", "broken YAML: line 3:"),
        ("ok: 1\nb: a: b\n", "broken YAML: line 3: mapping values are not allowed"),
        ("a: @x\n", "broken YAML: line 2:"),
        ("a: `x`\n", "broken YAML: line 2:"),
        ("a: b\n\t- c\n: d\n", "broken YAML: line "),
        ('a: "\\q"\n', "broken YAML: line 2:"),
        ('a: "\\UFFFFFFFF"\n', "broken YAML: "),
        ("a: \ufffe\n", "broken YAML: a character that YAML does not allow"),
        ("a: 1\na: 2\n", "duplicate key: a"),
        ('reviewState: proposed\n"reviewState": reviewed\n', "duplicate key: reviewState"),
        ("reviewState: proposed\n'review\u200bState': reviewed\n", "duplicate key: reviewState"),
        ('a: 1\n"\\x61": 2\n', "duplicate key: a"),
        ('a: 1\n"a\\u200b": 2\n', "duplicate key: a"),
        ("a:\na: 2\n", "duplicate key: a"),
        ("a: [{b: {c: 1, c: 2}}]\n", "duplicate key: c"),
        ("a: [{b: {c: 1, c: [2]}}]\n", "duplicate key: c"),
        ("<<: {reviewState: reviewed}\n", "broken YAML: line 2: merge keys are not allowed"),
        ("x:\n  <<: {a: b}\n", "broken YAML: line 3: merge keys are not allowed"),
        ("a: &x 1\nb: *x\n", "broken YAML: line 2: anchors and aliases are not allowed, quote the value"),
        ("a: &x [1]\n", "broken YAML: line 2: anchors and aliases are not allowed, quote the value"),
        ("a: *star\n", "broken YAML: line 2: anchors and aliases are not allowed, quote the value"),
        ("a: !x y\n", "broken YAML: line 2: YAML tags are not allowed, quote the value"),
        ("a: !!python/object:os.system [x]\n", "broken YAML: line 2: YAML tags are not allowed, quote the value"),
        ("a: 1\n--\u200b-\nb: 2\n", "broken YAML: line 3: more than one document"),
        ("a: 1\n...\nb: 2\n", "broken YAML: line "),
        ("%YAML 1.1\n--- #\na: 1\n", "broken YAML: line 2: more than one document"),
        ("just words\n", "frontmatter is not a mapping of keys to values"),
        ("- a\n- b\n", "frontmatter is not a mapping of keys to values"),
        ("? [a]\n: b\n", "broken YAML: line 2: a key that is not text"),
        ("? {a: b}\n: b\n", "broken YAML: line 2: a key that is not text"),
        ("~: b\n", "broken YAML: line 2: a key that is not text"),
        (": b\n", "broken YAML: line 2: "),
        ("a: " + "[" * 30 + "]" * 30 + "\n", f"broken YAML: line 2: nested deeper than {MAX_DEPTH} levels"),
    ],
)
def test_ambiguous_and_broken_yaml_is_refused(block: str, expected: str, loader: type) -> None:
    with pytest.raises(UnreadableEntry) as caught:
        read_block(block, first_line=2, loader=loader)
    assert caught.value.reason.startswith(expected)
    assert "\n" not in caught.value.reason


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("deep", ["[" * 400_000, "{a: " * 200_000, "- " * 400_000, "? " * 400_000])
def test_deep_nesting_ends_in_a_reason_and_not_in_a_crash(deep: str, loader: type) -> None:
    with pytest.raises(UnreadableEntry):
        read_block(f"a:\n  {deep}\n", first_line=2, loader=loader)


def test_twenty_levels_are_read() -> None:
    assert values("a: " + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1) + "\n")


def test_the_line_of_an_error_is_the_line_of_the_file() -> None:
    assert reason("\ufeff\n\n---\ntitle: x\nkind: a: b\n---\n").startswith("broken YAML: line 5: ")


@pytest.mark.parametrize(
    "written",
    [
        "0123456",
        "1234567",
        "12e4567",
        "0o17",
        "1_000",
        "1.0",
        "12:30",
        "no",
        "on",
        "true",
        "2026-04-05",
        "0x1f",
        ".inf",
        "=",
    ],
)
def test_every_scalar_stays_the_text_that_the_file_holds(written: str) -> None:
    assert values(f"a: {written}\nb: [{written}]\nc: {{d: {written}}}\n") == {
        "a": written,
        "b": [written],
        "c": {"d": written},
    }


@pytest.mark.parametrize("null", ["", "~", "null", "Null", "NULL"])
def test_a_yaml_null_is_none_and_the_same_word_in_quotes_is_text(null: str) -> None:
    assert values(f"a: {null}\nb: '{null}'\n") == {"a": None, "b": null}


@pytest.mark.parametrize("block", ["", "\n", "# a comment\n", "~\n"])
def test_an_empty_block_says_nothing(block: str) -> None:
    assert load(split(f"---\n{block}---\n")) == Metadata({}, {})


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2066", "\ufeff", "\x1b", "\x7f", "\xad", "\u0090"])
def test_hidden_characters_are_taken_out_before_and_after_yaml_reads(hidden: str) -> None:
    assert values(f"ti{hidden}tle: a{hidden}b\n") == {"title": "ab"}
    assert values(f'title: "a\\u{ord(hidden):04x}b"\n') == {"title": "ab"}


@pytest.mark.parametrize("line_break", ["\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"])
def test_no_odd_line_break_forges_a_key(line_break: str) -> None:
    assert values(f"title: a #{line_break}reviewState: stale\n") == {"title": "a"}
    assert values(f"title: 'a{line_break}reviewState: stale'\n") == {"title": "a reviewState: stale"}
    assert values(f'title: "a\\u{ord(line_break):04x}reviewState: stale"\n') == {"title": "a reviewState: stale"}
    assert "line 2" in reason(f"---\ntitle: a{line_break}reviewState: stale\n---\n")


def test_outer_blanks_of_a_quoted_value_are_kept() -> None:
    assert values("a: '1 '\nb: \" 1\"\n") == {"a": "1 ", "b": " 1"}


def test_crlf_and_lf_blocks_say_the_same() -> None:
    block = "a: b\nc:\n  - d\n  - e # f\ng: |\n  h\n"
    assert values(block.replace("\n", "\r\n")) == values(block)


@given(NASTY)
@settings(max_examples=300, deadline=None)
def test_any_block_is_read_or_refused_by_both_loaders(block: str) -> None:
    for loader in LOADERS:
        try:
            read = read_block(block, first_line=2, loader=loader)
        except UnreadableEntry:
            continue
        assert read.spans.keys() == read.values.keys()


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
@settings(deadline=None)
def test_bare_text_keeps_its_lines_and_is_bare_for_good(text: str) -> None:
    once = bare(text)
    assert once.count("\n") == text.count("\n")
    assert bare(once) == once
    assert len(once.splitlines()) <= text.count("\n") + 1


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_any_bytes_are_decoded_or_refused(data: bytes) -> None:
    try:
        text = decode(data)
    except UnreadableEntry:
        return
    assert text.encode() == data
