from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.edit import remove_field, set_field, set_source_refs
from gitmem.entry.frontmatter import MAX_BYTES, UnreadableEntry, load, split
from gitmem.entry.model import ReviewState, SourceRef
from gitmem.entry.parse import parse_entry

REF = SourceRef(source_type="file", id="a", path="a", line_start=1, line_end=2)
REF_JSON = '[{"sourceType":"file","id":"a","path":"a","lineStart":1,"lineEnd":2}]'
BY_HAND = """---
# why: see the retro
title: "Rebuild the gate"   # keep quotes
x-team: core
tags: [b, a]
created: 2026-09-19
summary: 日本語の長い説明 that is much longer than eighty columns so that a dumper would like to fold it somewhere
reviewState: {}
myOwnKey: {{x: 1}}
---

# Notes

trailing   \n\n\nreviewState: reviewed
tail"""


def test_a_file_by_hand_keeps_every_other_byte() -> None:
    assert set_field(BY_HAND.format("reviewed").encode(), "reviewState", "stale") == BY_HAND.format("stale").encode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("reviewState: reviewed", "reviewState: stale"),
        ("reviewState:   reviewed  ", "reviewState:   stale  "),
        ("reviewState:\treviewed", "reviewState:\tstale"),
        ("reviewState : reviewed", "reviewState : stale"),
        ('"reviewState": reviewed', '"reviewState": stale'),
        ("'reviewState' :  reviewed", "'reviewState' :  stale"),
        ("reviewState: reviewed  # by hand", "reviewState: stale  # by hand"),
        ("reviewState: re#viewed", "reviewState: stale"),
        ('reviewState: "reviewed"', 'reviewState: "stale"'),
        ("reviewState: 'reviewed' # x", "reviewState: 'stale' # x"),
        ("reviewState:", "reviewState: stale"),
        ("reviewState: ", "reviewState: stale "),
        ("reviewState:  # to do", "reviewState: stale  # to do"),
        ("reviewState: ~", "reviewState: stale"),
        ("reviewState: [reviewed, x]", "reviewState: stale"),
        ("reviewState:\n  reviewed # x", "reviewState:\n  stale # x"),
        ("? reviewState\n: reviewed", "? reviewState\n: stale"),
        ("reviewState: >-\n  reviewed\n\n# c", "reviewState: stale\n\n# c"),
        ("reviewState: |\n  reviewed\n  x\nz: 1", "reviewState: stale\nz: 1"),
        ('reviewState: "re\n  viewed" # x', "reviewState: stale # x"),
        ("reviewState: re\n  viewed", "reviewState: stale"),
        ("reviewState: {a: b,\n  c: d}", "reviewState: stale"),
        ("nested:\n  reviewState: x\nreviewState: y", "nested:\n  reviewState: x\nreviewState: stale"),
        ("text: |\n  reviewState: x\nreviewState: y", "text: |\n  reviewState: x\nreviewState: stale"),
        ("{reviewState: reviewed, b: c}", "{reviewState: stale, b: c}"),
        ('{"reviewState":"reviewed","b":"c"}', '{"reviewState":"stale","b":"c"}'),
        ("  a: b\n  reviewState: x\n  c: d", "  a: b\n  reviewState: stale\n  c: d"),
        ("'é': ü # ö\nreviewState: x # ü", "'é': ü # ö\nreviewState: stale # ü"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("head", ["", "\ufeff", "\ufeff\n \n", "\n"])
def test_one_line_changes_and_no_other_byte(old: str, new: str, line_end: str, head: str) -> None:
    before, after = (
        f"{head}---\n{block}\n---\n# Notes\n\nreviewState: reviewed \n\n".replace("\n", line_end).encode()
        for block in (old, new)
    )
    assert set_field(before, "reviewState", "stale") == after


def test_a_file_of_frontmatter_alone_keeps_its_missing_final_newline() -> None:
    assert set_field(b"---\nreviewState: reviewed\n---", "reviewState", "stale") == b"---\nreviewState: stale\n---"


def test_a_change_that_would_make_the_file_too_large_is_refused() -> None:
    with pytest.raises(UnreadableEntry, match="over 1 MiB"):
        set_field(b"x" * MAX_BYTES, "reviewState", "stale")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ntitle: x\n---\nbody", "---\ntitle: x\nreviewState: stale\n---\nbody"),
        ("---\r\ntitle: x\r\n---\r\nbody\n", "---\r\ntitle: x\r\nreviewState: stale\r\n---\r\nbody\n"),
        ("\ufeff---\ntitle: x\n---", "\ufeff---\ntitle: x\nreviewState: stale\n---"),
        ("---\n---\n", "---\nreviewState: stale\n---\n"),
        ("---\n# only a comment\n---\n", "---\n# only a comment\nreviewState: stale\n---\n"),
        ("---\na:\n  reviewState: x\n---\n", "---\na:\n  reviewState: x\nreviewState: stale\n---\n"),
        ("---\na: |\n  reviewState: x\n---\n", "---\na: |\n  reviewState: x\nreviewState: stale\n---\n"),
        ("---\na: |+\n  x\n\n---\n", "---\na: |+\n  x\n\nreviewState: stale\n---\n"),
        ("---\na:\n- b\n---\n", "---\na:\n- b\nreviewState: stale\n---\n"),
        ("---\n  a: b\n---\n", "---\n  a: b\n  reviewState: stale\n---\n"),
    ],
)
def test_a_missing_line_becomes_the_last_of_the_frontmatter(before: str, after: str) -> None:
    assert set_field(before.encode(), "reviewState", "stale") == after.encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Notes\n\nx", "---\nreviewState: stale\n---\n# Notes\n\nx"),
        ("\ufeff# Notes\r\n\r\nx", "\ufeff---\r\nreviewState: stale\r\n---\r\n# Notes\r\n\r\nx"),
        ("x", "---\nreviewState: stale\n---\nx"),
        ("\n\n ---\nx\n", "---\nreviewState: stale\n---\n\n\n ---\nx\n"),
    ],
)
def test_a_file_without_frontmatter_gets_a_minimal_one_in_front(before: str, after: str) -> None:
    assert set_field(before.encode(), "reviewState", "stale") == after.encode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\n{a: b}\n---\n", "its frontmatter is one {...}: write one key a line"),
        ("---\nreview\u200bState: x\n---\n", "hidden characters in the line to change: take them out of the file"),
        ("---\nreviewState: x\u2028\n---\n", "hidden characters in the line to change: take them out of the file"),
        ("---\na: b\n...\n---\n", "its frontmatter has a form that cannot be changed line by line: edit the file"),
        ("---\nreviewState: a\nreviewState: b\n---\n", "duplicate key: reviewState"),
        ("---\nreviewState: a\n", "frontmatter is not closed"),
        (
            "---\n? reviewState\n: >\n  a\n---\n",
            "its frontmatter has a form that cannot be changed line by line: edit the file",
        ),
    ],
)
def test_what_cannot_be_changed_alone_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UnreadableEntry) as caught:
        set_field(text.encode(), "reviewState", "stale")
    assert caught.value.reason == reason


@pytest.mark.parametrize("value", ["it's", "a: b", "null", "0123", 'say "x"', "x\u2028reviewState: y", "\u202e", ""])
@pytest.mark.parametrize("old", ["x", "'x'", '"x"'])
def test_any_value_is_read_back_in_any_style(value: str, old: str) -> None:
    changed = set_field(f"---\nrunId: {old} # c\n---\n".encode(), "runId", value)
    assert changed.decode().endswith(" # c\n---\n")
    read = load(split(changed.decode())).values["runId"]
    assert read == value.replace("\u2028", " ").replace("\u202e", "")


def test_setting_a_field_twice_is_setting_it_once() -> None:
    once = set_field(b"x\n", "reviewState", "stale")
    assert set_field(once, "reviewState", "stale") == once


PIECE_LIST = [
    "reviewState", "title", ": ", ":", " ", "  ", "\n", "\r\n", "- ", "a", "ü", "'", '"', "# c", "|", ">",
    "{", "}", "[", "]", ",", "~", "\u200b", "\u2028", "\t", "? ", "...", "reviewState: reviewed\n",
    "tags: [a]\n", "\\", "---\n", "\ufeff",
]  # fmt: skip


PIECES = st.lists(
    st.sampled_from(PIECE_LIST),
    max_size=14,
).map("".join)


@given(PIECES)
@settings(max_examples=300, deadline=None)
def test_any_file_is_changed_in_this_field_alone_or_refused(text: str) -> None:
    for opened in (f"---\n{text}\n---\nbody", f"---\nreviewState: {text}\nz: 1\n---\n", text):
        before = opened.encode()
        try:
            after = set_field(before, "reviewState", "stale")
        except UnreadableEntry:
            continue
        old, new = (parse_entry("i", data, fallback_date="d") for data in (before, after))
        assert new == replace(old, review_state=ReviewState.STALE)
        assert split(after.decode()).body == split(before.decode()).body


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sourceRefs: []", f"sourceRefs: {REF_JSON}"),
        ("sourceRefs:  [{id: x}]  # c", f"sourceRefs:  {REF_JSON}  # c"),
        ("sourceRefs:", f"sourceRefs: {REF_JSON}"),
        ("sourceRefs: abc # c", f"sourceRefs: {REF_JSON} # c"),
        ("sourceRefs:\n  - sourceType: file\n    id: x  # c\n\n# d\nz: 1", f"sourceRefs: {REF_JSON}  # c\n\n# d\nz: 1"),
        ("sourceRefs:\n- x\n- y\nz: 1", f"sourceRefs: {REF_JSON}\nz: 1"),
        ("sourceRefs:\n- id: |\n    x\n\n\nz: 1", f"sourceRefs: {REF_JSON}\n\n\nz: 1"),
        ("sourceRefs: [\n  {id: x},\n  {id: y}\n ] # c\nz: 1", f"sourceRefs: {REF_JSON} # c\nz: 1"),
        ("sourceRefs:\n  [{id: x}]\nz: 1", f"sourceRefs:\n  {REF_JSON}\nz: 1"),
        ("z: 1", f"z: 1\nsourceRefs: {REF_JSON}"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_source_refs_are_replaced_as_json_on_their_line(old: str, new: str, line_end: str) -> None:
    before, after = (f"---\ntitle: t\n{block}\n---\nbody".replace("\n", line_end).encode() for block in (old, new))
    assert set_source_refs(before, [REF]) == after
    assert parse_entry("i", after, fallback_date="d").source_refs == (REF,)


def test_source_refs_of_a_file_without_frontmatter_are_put_in_front() -> None:
    assert set_source_refs(b"x", [REF]) == f"---\nsourceRefs: {REF_JSON}\n---\nx".encode()
    assert set_source_refs(b"x", []) == b"---\nsourceRefs: []\n---\nx"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('[{"id":"x","x-new":1.50,"n":null}]', '[{"sourceType":"file","id":"a","path":"a","x-new":1.5,"n":null}]'),
        (
            '[{"x-deep":{"k":[1,"1",true]},"id":"x"}]',
            '[{"sourceType":"file","id":"a","path":"a","x-deep":{"k":[1,"1",true]}}]',
        ),
        ("[{id: x, x-new: 007}]", '[{"sourceType":"file","id":"a","path":"a","x-new":"007"}]'),
        ("{id: x, x-new: y}", '[{"sourceType":"file","id":"a","path":"a","x-new":"y"}]'),
        ("x", '[{"sourceType":"file","id":"a","path":"a"}]'),
    ],
)
def test_keys_of_a_source_ref_that_are_not_known_stay(old: str, new: str) -> None:
    ref = SourceRef(source_type="file", id="a", path="a")
    before = f"---\nsourceRefs: {old}\nz: 1\n---\nx\n".encode()
    assert set_source_refs(before, [ref]) == f"---\nsourceRefs: {new}\nz: 1\n---\nx\n".encode()


def test_each_source_ref_keeps_its_own_unknown_keys() -> None:
    before = b'---\nsourceRefs: [{"id":"x","k":1},{"id":"y"},{"id":"z","k":3}]\n---\n'
    refs = [SourceRef(source_type="run", id=name) for name in "abc"]
    assert set_source_refs(before, refs) == (
        b'---\nsourceRefs: [{"sourceType":"run","id":"a","k":1},{"sourceType":"run","id":"b"},'
        b'{"sourceType":"run","id":"c","k":3}]\n---\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("title: x\nsupersedes: old\nz: 1\n", "title: x\nz: 1\n"),
        ("supersedes: old  # until then\n", ""),
        ('"supersedes" :  "old"\nz: 1\n', "z: 1\n"),
        ("? supersedes\n: old\nz: 1\n", "z: 1\n"),
        ("supersedes:\nz: 1\n", "z: 1\n"),
        ("supersedes: ~\nz: 1\n", "z: 1\n"),
        ("supersedes:\n  old\nz: 1\n", "z: 1\n"),
        ('a: b\nsupersedes: "o\n  ld" # c\nz: 1\n', "a: b\nz: 1\n"),
        ("supersedes: |\n  old\n\n\n# kept\nz: 1\n", "\n\n# kept\nz: 1\n"),
        ("a: b\nsupersedes: >-\n  old\n", "a: b\n"),
        ("supersedes: [a,\n b]\nz: 1\n", "z: 1\n"),
        ("supersedes:\n- a\n- b\nz: 1\n", "z: 1\n"),
        ("# about it\nsupersedes: old\n\n# next\nz: 1\n", "# about it\n\n# next\nz: 1\n"),
        ("  a: b\n  supersedes: x\n  z: 1\n", "  a: b\n  z: 1\n"),
        ("nested:\n  supersedes: x\nsupersedes: y\n", "nested:\n  supersedes: x\n"),
        ("text: |\n  supersedes: x\nsupersedes: y\n", "text: |\n  supersedes: x\n"),
        ("z: ü\u200b\nsupersedes: y\u2028\n", "z: ü\u200b\n"),
        ("nested:\n  supersedes: x\n", "nested:\n  supersedes: x\n"),
        ("title: x\n", "title: x\n"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("head", ["", "\ufeff", "\n"])
def test_a_field_is_removed_and_no_other_byte(before: str, after: str, line_end: str, head: str) -> None:
    old, new = (
        f"{head}---\n{block}---\n# Notes\n\nsupersedes: old \n\n".replace("\n", line_end).encode()
        for block in (before, after)
    )
    assert remove_field(old, "supersedes") == new


@pytest.mark.parametrize("text", ["# Notes\n\nsupersedes: old", "x", "\n\n ---\nsupersedes: x\n---\n", "---\n---"])
def test_where_there_is_no_such_field_nothing_is_removed(text: str) -> None:
    assert remove_field(text.encode(), "supersedes") == text.encode()


def test_the_last_field_of_a_file_without_a_final_line_end_is_removed() -> None:
    assert remove_field(b"---\nsupersedes: old\n---", "supersedes") == b"---\n---"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\n{supersedes: b}\n---\n", "its frontmatter is one {...}: write one key a line"),
        ("---\nsupersedes: a\nsupersedes: b\n---\n", "duplicate key: supersedes"),
        ("---\nsupersedes: a\n", "frontmatter is not closed"),
        (
            "---\n? |-\n  supersedes\n: a\n---\n",
            "its frontmatter has a form that cannot be changed line by line: edit the file",
        ),
    ],
)
def test_what_cannot_be_removed_alone_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UnreadableEntry) as caught:
        remove_field(text.encode(), "supersedes")
    assert caught.value.reason == reason


@given(PIECES, PIECES)
@settings(max_examples=300, deadline=None)
def test_any_file_loses_this_field_alone_or_is_refused(text: str, above: str) -> None:
    for opened in (
        f"---\n{text}\n---\nbody",
        f"---\nsupersedes: {text}\nz: 1\n---\n",
        f"---\r\n{above}\r\nsupersedes: a\r\n{text}\r\n---\r\n",
        text,
    ):
        before = opened.encode()
        try:
            after = remove_field(before, "supersedes")
        except UnreadableEntry:
            continue
        old, new = (parse_entry("i", data, fallback_date="d") for data in (before, after))
        assert new == replace(old, supersedes=None)
        assert split(after.decode()).body == split(before.decode()).body
        rest = iter(before.split(b"\n"))
        assert all(line in rest for line in after.split(b"\n"))  # lines are taken out, and none is changed
        assert remove_field(after, "supersedes") == after


@given(PIECES, st.sampled_from(["old", "2026-01-01-0000-a", "a: b", "null"]))
@settings(max_examples=200, deadline=None)
def test_a_field_that_was_not_there_is_set_and_removed_again(text: str, value: str) -> None:
    before = f"---\n{text}\nz: 1\n---\nbody".encode()
    try:
        with_it = set_field(before, "supersedes", value)
    except UnreadableEntry:
        return
    if "supersedes" not in load(split(before.decode())).values:
        assert remove_field(with_it, "supersedes") == before
