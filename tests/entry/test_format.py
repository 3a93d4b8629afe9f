from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.body import one_line, trimmed
from gitmem.entry.format import UnwritableEntry, format_entry, format_source_ref
from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.entry.model import Entry, Kind, ReviewState, Section, SourceRef
from gitmem.entry.parse import parse_entry
from gitmem.text import HIDDEN, plain

DATE = "2026-08-31T14:00:00Z"
EXAMPLE = """---
schemaVersion: 1
date: 2026-08-31T14:00:00Z
title: Keep command trust in the core
kind: decision
reviewState: reviewed
tags: ["harness","trust"]
sourceRefs: [{"sourceType":"file","id":"src/trust.py","path":"src/trust.py","lineStart":40,"lineEnd":88,\
"commit":"<oid>","blob":"<oid>","textHash":"sha256:<hex>"}]
supersedes: 2026-07-01-0900-trust-lives-in-the-ui
decisionKey: command-trust
---

# Goal

Keep interface input from granting command trust.

# Decisions

- Only the approval store fills the allow list.

# Notes

Free Markdown.
"""

PIECE_LIST = [
    "# Goal", "# x", "#", "```", "~~~", "````", "\\", "\\# y", "`", "- ", "* ", "1. ", "---", ": ", " #",
    '"', "'", "[", "{", "\n", "\n\n", "\r\n", "\r", " ", "  ", "    ", "\t", "\x0b", "\x1c", "\x85",
    "\u2028", "\ufeff", "\u200d", "\xa0", "\0", "\ud800", "\ufffe", "\U0001f600", "é", "word", "null",
    "0123", "true", "2026-01-01", "~", "sha256:", ".", "..", ",",
]  # fmt: skip


PIECES = st.sampled_from(PIECE_LIST)
TEXT = st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=8)
PLAIN = TEXT.map(plain)
FILLED = PLAIN.filter(bool)
ITEMS = st.lists(TEXT.map(one_line).filter(bool), max_size=3).map(tuple)
FREE = TEXT.map(trimmed)
KNOWN = {"goal", "plan", "decisions", "files touched", "files", "next steps", "notes"}
HEADING = TEXT.map(one_line).filter(lambda text: " ".join(text.split()).casefold() not in KNOWN)
LINES = st.none() | st.tuples(st.integers(0, 999_999_999), st.integers(0, 999_999_999))


def source_ref(source_type: str, ident: str, lines: tuple[int, int] | None, **others: str | None) -> SourceRef:
    path = others.pop("path") or (ident if source_type == "file" else None)
    start, end = lines or (None, None)
    return SourceRef(source_type=source_type, id=ident, path=path, line_start=start, line_end=end, **others)


REFS = st.lists(
    st.builds(
        source_ref,
        st.sampled_from(["commit", "file", "run", "transcript", ""]) | PLAIN,
        FILLED,
        LINES,
        **{name: st.none() | FILLED for name in ("label", "path", "commit", "blob", "text_hash")},
    ),
    max_size=2,
).map(tuple)

ENTRIES = st.builds(
    Entry,
    id=st.just("ident"),
    title=FILLED,
    date=st.just(DATE),
    schema_version=st.sampled_from([1, None]),
    kind=st.sampled_from(list(Kind)),
    review_state=st.sampled_from(list(ReviewState)),
    tags=st.lists(FILLED, max_size=2).map(tuple),
    aliases=st.lists(FILLED, max_size=2).map(tuple),
    source_refs=REFS,
    **{
        name: st.none() | FILLED
        for name in ("supersedes", "decision_key", "run_id", "provider", "model", "mode", "status")
    },
    goal=TEXT.map(one_line),
    plan=ITEMS,
    decisions=ITEMS,
    files_touched=ITEMS,
    next_steps=ITEMS,
    notes=FREE,
    other_sections=st.lists(st.builds(Section, HEADING, FREE), max_size=2).map(tuple),
)


def read(data: bytes) -> Entry:
    return parse_entry("ident", data, fallback_date="2020-01-01T00:00:00Z")


def test_the_example_of_the_format_is_written_byte_for_byte() -> None:
    assert format_entry(read(EXAMPLE.encode())) == EXAMPLE.encode()


@given(ENTRIES)
@settings(max_examples=120, deadline=None)
def test_an_entry_is_read_back_as_it_was_written(entry: Entry) -> None:
    assert read(format_entry(entry)) == entry


@given(ENTRIES, TEXT, TEXT, TEXT)
@settings(max_examples=80, deadline=None)
def test_any_text_at_all_can_be_written_and_forges_nothing(entry: Entry, one: str, two: str, three: str) -> None:
    wild = replace(
        entry,
        title=one,
        tags=(two, three),
        run_id=three,
        source_refs=(SourceRef(source_type=one, id=two, label=three, line_start=-5),),
        goal=three,
        plan=(one, two),
        notes=two,
    )
    again = read(format_entry(wild))
    assert again.title == (plain(one) or "ident")
    assert (again.kind, again.review_state, again.date) == (entry.kind, entry.review_state, entry.date)
    assert again.other_sections == entry.other_sections
    assert read(format_entry(again)) == again


@given(ENTRIES)
@settings(max_examples=40, deadline=None)
def test_the_frontmatter_is_one_key_a_line_for_every_reader(entry: Entry) -> None:
    block = format_entry(entry).decode().split("---\n")[1]
    keys = [line.partition(": ")[0] for line in block.splitlines()]
    order = "schemaVersion date title kind reviewState tags aliases sourceRefs supersedes decisionKey runId provider"
    assert keys == [key for key in [*order.split(), "model", "mode", "status"] if key in keys]
    assert {"date", "title", "kind", "reviewState", "tags", "sourceRefs"} <= set(keys)


def test_all_sections_are_written_in_order_and_empty_ones_left_out() -> None:
    entry = Entry(
        id="i",
        title="T",
        date=DATE,
        goal="g",
        plan=("p",),
        decisions=("d", " "),
        files_touched=("a.py", "b`c"),
        next_steps=("n",),
        notes="\n\nx  \r\ny\n\n",
        other_sections=(Section("Other", "z"), Section("Empty", "")),
    )
    assert format_entry(entry).decode().partition("---\n\n")[2] == (
        "# Goal\n\ng\n\n# Plan\n\n- p\n\n# Decisions\n\n- d\n\n# Files touched\n\n- `a.py`\n- ``b`c``\n\n"
        "# Next steps\n\n- n\n\n# Notes\n\nx  \ny\n\n# Other\n\nz\n\n# Empty\n"
    )


def test_an_entry_without_a_body_ends_with_its_frontmatter() -> None:
    assert format_entry(Entry(id="i", title="T", date=DATE)).decode() == (
        f"---\nschemaVersion: 1\ndate: {DATE}\ntitle: T\nkind: fact\nreviewState: reviewed\n"
        "tags: []\nsourceRefs: []\n---\n"
    )


def test_what_a_ref_lacks_is_left_out() -> None:
    ref = SourceRef(source_type="commit", id="0123\u202e456", label="\u200b", commit="12e4567")
    assert format_source_ref(ref) == {"sourceType": "commit", "id": "0123456", "commit": "12e4567"}


@pytest.mark.parametrize("fields", [{"future": True}, {"kind": None}])
def test_an_entry_that_is_known_in_part_only_is_never_rewritten(fields: dict[str, object]) -> None:
    entry = Entry(id="i", title="T", date=DATE, **fields)  # type: ignore[arg-type]
    with pytest.raises(UnwritableEntry, match="i was written by another version and is not rewritten"):
        format_entry(entry)


def test_an_entry_that_could_not_be_read_again_is_not_written() -> None:
    entry = Entry(id="i", title="T", date=DATE)
    room = MAX_BYTES - len(format_entry(replace(entry, notes="x"))) + 1
    assert len(format_entry(replace(entry, notes="x" * room))) == MAX_BYTES
    with pytest.raises(UnwritableEntry, match="shorten it"):
        format_entry(replace(entry, notes="x" * (room + 1)))


@pytest.mark.parametrize(
    "path",
    [
        "nl\nx.txt",
        "tab\there",
        "sep\u2028two",
        "nel\x85",
        "\u202egpj.exe",
        " outer ",
        '"q"',
        "back\\slash",
        "\u200bzero",
    ],
)
def test_a_cited_path_survives_exactly_and_hides_nothing(path: str) -> None:
    entry = Entry(
        id="x",
        title="t",
        date="2026-01-02T03:04:00Z",
        source_refs=(SourceRef(source_type="file", id=path, path=path), SourceRef(source_type="run", id="r")),
    )
    data = format_entry(entry)
    assert parse_entry("x", data, fallback_date=entry.date) == entry
    assert HIDDEN.search(data.decode("utf-8").replace("\n", "")) is None
    assert len(data.splitlines()) == len(data.decode("utf-8").splitlines())
