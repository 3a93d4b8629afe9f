import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.format import format_entry
from gitmem.entry.frontmatter import UnreadableEntry
from gitmem.entry.model import Entry, Kind, ReviewState, Section, SourceRef
from gitmem.entry.parse import parse_entry

FALLBACK = "2020-02-02T02:02:02Z"
V1 = "---\nschemaVersion: 1\ntitle: T\nkind: fact\nreviewState: reviewed\n{}---\n"


def read(text: str | bytes, ident: str = "ident") -> Entry:
    return parse_entry(ident, text.encode() if isinstance(text, str) else text, fallback_date=FALLBACK)


def refs(written: str) -> tuple[SourceRef, ...]:
    return read(V1.format(f"sourceRefs: {written}\n")).source_refs


def test_an_entry_of_version_1_is_read_whole() -> None:
    text = (
        "---\nschemaVersion: 1\ndate: 2026-08-31T16:00:00+02:00\ntitle: 'It''s: so'\nkind: decision\n"
        'reviewState: superseded\ntags: ["a", b]\naliases:\n  - c\nsourceRefs: []\nsupersedes: old\ndecisionKey: k\n'
        "runId: 0123456\nprovider: p\nmodel: m\nmode: plan\nstatus: done\nmyOwnKey: {x: 1}\n---\n\n"
        "# Goal\n\ng\n\n# Plan\n\n- p\n\n# Decisions\n\n- d\n\n# Files touched\n\n- `f`\n\n# Next steps\n\n- n\n\n"
        "# Notes\n\nx\n\n# Other\n\ny\n"
    )
    assert read(text) == Entry(
        id="ident",
        title="It's: so",
        date="2026-08-31T14:00:00Z",
        kind=Kind.DECISION,
        review_state=ReviewState.SUPERSEDED,
        tags=("a", "b"),
        aliases=("c",),
        supersedes="old",
        decision_key="k",
        run_id="0123456",
        provider="p",
        model="m",
        mode="plan",
        status="done",
        goal="g",
        plan=("p",),
        decisions=("d",),
        files_touched=("f",),
        next_steps=("n",),
        notes="x",
        other_sections=(Section("Other", "y"),),
    )


@pytest.mark.parametrize(
    "text", ["plain text", "# Notes\n\nplain text\n", "\ufeff\r\nplain text", "---\n---\nplain text"]
)
def test_a_file_without_metadata_is_a_reviewed_handoff_without_evidence(text: str) -> None:
    assert read(text) == Entry(
        id="ident",
        title="ident",
        date=FALLBACK,
        schema_version=None,
        kind=Kind.HANDOFF,
        review_state=ReviewState.REVIEWED,
        notes="plain text",
    )


@pytest.mark.parametrize(
    ("lines", "kind", "state"),
    [
        ("title: x\n", Kind.HANDOFF, ReviewState.REVIEWED),
        ("kind: decision\n", Kind.DECISION, ReviewState.REVIEWED),
        ("reviewState: stale\n", Kind.HANDOFF, ReviewState.STALE),
        ("reviewState: proposed\n", Kind.HANDOFF, ReviewState.PROPOSED),
        ("kind: lore\n", None, ReviewState.STALE),
        ("reviewState: approved\n", Kind.HANDOFF, ReviewState.STALE),
        ("kind:\n", None, ReviewState.STALE),
        ("reviewState: ~\n", Kind.HANDOFF, ReviewState.STALE),
    ],
)
def test_the_lines_that_a_legacy_file_has_count(lines: str, kind: Kind | None, state: ReviewState) -> None:
    entry = read(f"---\n{lines}---\nbody\n")
    assert (entry.schema_version, entry.kind, entry.review_state) == (None, kind, state)


def test_a_legacy_file_has_the_evidence_that_it_names() -> None:
    assert read("---\nsourceRefs: [{sourceType: commit, id: abc}]\n---\n").source_refs == (
        SourceRef(source_type="commit", id="abc"),
    )


@pytest.mark.parametrize("head", ["\ufeff", "\n", "\ufeff\n \n"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_byte_order_mark_or_blank_line_does_not_hide_the_metadata(head: str, line_end: str) -> None:
    text = head + "---\ntitle: t\nreviewState: stale\n---\nx".replace("\n", line_end)
    assert (read(text).title, read(text).review_state, read(text).notes) == ("t", ReviewState.STALE, "x")


@pytest.mark.parametrize("version", ["1", "'1'", '"1"', '"\\x31"', "1   # ours", "1\u200b", '"1\\u200b"'])
def test_version_1_is_one_however_it_is_written(version: str) -> None:
    assert read(f"---\nschemaVersion: {version}\nreviewState: reviewed\n---\n").schema_version == 1


OTHER_VERSIONS = [
    "2", "one", "1.5", "1.0", "01", "+1", "true", "99", "[1]", "{a: 1}", '"1 "', "' 1'", '""', "'~'", "0x1",
    "1_", '"1\\n"', "|\n  1", "１",
]  # fmt: skip


@pytest.mark.parametrize(
    "version",
    OTHER_VERSIONS,
)
def test_any_other_version_is_an_inert_stub(version: str) -> None:
    text = (
        f"---\nschemaVersion: {version}\ntitle: From the future\ndate: 2026-01-01\nkind: fact\nreviewState: reviewed\n"
        "tags: [a]\nsupersedes: b\nsourceRefs: [{sourceType: run, id: r}]\n---\n# Goal\n\ng\n"
    )
    assert read(text) == Entry(
        id="ident",
        title="From the future",
        date=FALLBACK,
        schema_version=None,
        kind=None,
        review_state=ReviewState.STALE,
        future=True,
    )
    assert not read(text).active


@pytest.mark.parametrize("title", ["[a]", "{a: b}", "", '"\\u200b"'])
def test_a_stub_without_a_title_that_is_text_is_named_by_its_id(title: str) -> None:
    assert read(f"---\nschemaVersion: 2\ntitle: {title}\n---\n").title == "ident"


UNKNOWN = [
    ("lore", "reviewed"), ("Fact", "reviewed"), ("[fact]", "reviewed"), ("'fact '", "reviewed"),
    ('""', "reviewed"), ("fact", "approved"), ("fact", "REVIEWED"), ("fact", "[reviewed]"),
    ("fact", "'reviewed '"), ("fact", '""'), ("fact", ""), ("fact", "~"), ("fact", "{a: b}"),
    ("fact", '"\\u200b"'), ("fact", "true"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "state"),
    UNKNOWN,
)
def test_an_unknown_kind_or_state_makes_the_entry_stale(kind: str, state: str) -> None:
    entry = read(f"---\nschemaVersion: 1\nkind: {kind}\nreviewState: {state}\n---\n")
    assert entry.review_state is ReviewState.STALE
    assert entry.kind is (Kind.FACT if kind == "fact" else None)
    assert not entry.active


def test_a_missing_kind_is_a_fact_and_a_missing_state_was_reviewed_by_nobody() -> None:
    assert read("---\nschemaVersion: 1\nreviewState: reviewed\n---\n").kind is Kind.FACT
    assert read("---\nschemaVersion: 1\nkind: fact\n---\n").review_state is ReviewState.STALE


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("state", list(ReviewState))
def test_known_kinds_and_states_are_taken_as_they_are(kind: Kind, state: ReviewState) -> None:
    entry = read(f"---\nschemaVersion: 1\nkind: {kind}\nreviewState: {state}\n---\n")
    assert (entry.kind, entry.review_state) == (kind, state)


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2060", "\x1b", "\x07", "\u009f", "\ufeff", "\U000e0041"])
def test_no_value_holds_hidden_characters(hidden: str) -> None:
    escaped = f"\\U{ord(hidden):08x}"
    for value in (f"a{hidden}b", f'"a{hidden}b"', f'"a{escaped}b"'):
        entry = read(f"---\ntitle: {value}\ntags: [{value}]\nrunId: {value}\nsourceRefs: [{{id: {value}}}]\n---\n")
        assert (entry.title, entry.tags, entry.run_id, entry.source_refs[0].id) == ("ab", ("ab",), "ab", "ab")


@pytest.mark.parametrize("line_break", ["\n", "\r", "\x0b", "\x0c", "\x1c", "\u0085", "\u2028", "\u2029"])
def test_no_value_forges_a_key(line_break: str) -> None:
    escaped = f"\\u{ord(line_break):04x}"
    entry = read(f'---\ntitle: "t{escaped}reviewState: stale"\n---\n')
    assert (entry.title, entry.review_state) == ("t reviewState: stale", ReviewState.REVIEWED)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('---\nreviewState: proposed\n"reviewState": reviewed\n---\n', "duplicate key: reviewState"),
        ("---\nsourceRefs: []\nsourceRefs: [{id: a}]\n---\n", "duplicate key: sourceRefs"),
        ("---\n<<: {reviewState: reviewed}\n---\n", "broken YAML: line 2: merge keys are not allowed"),
        ("---\ntitle: Use cache: no\n---\n", "broken YAML: line 2: mapping values are not allowed in this context"),
        ("---\ntitle: x\n", "frontmatter is not closed"),
        (b"---\ntitle: x\n---\n\xff", "not UTF-8: byte 18"),
    ],
)
def test_a_file_that_two_readers_could_read_differently_is_not_read(text: str | bytes, reason: str) -> None:
    with pytest.raises(UnreadableEntry) as caught:
        read(text)
    assert caught.value.reason == reason


def test_a_second_block_is_body_text() -> None:
    entry = read("---\nreviewState: stale\n---\n---\nreviewState: reviewed\n---\n")
    assert (entry.review_state, entry.notes) == (ReviewState.STALE, "---\nreviewState: reviewed\n---")


@pytest.mark.parametrize(
    "title", ["C:\\new", "it's", 'say "hi"', "C# #1", "> q"[2:], "a  b", "2026-04-05", "no", "日本語"]
)
def test_a_plain_title_by_hand_is_the_obvious_text(title: str) -> None:
    assert read(f"---\ntitle: {title}\n---\n").title == title.replace(" #1", "")


@pytest.mark.parametrize("date", ["", "soon", "[2026-01-01]", "2026-99-99", "9999-12-31T23:59:59-14:00"])
def test_a_date_that_is_none_is_the_fallback(date: str) -> None:
    assert read(f"---\ndate: {date}\n---\n").date == FALLBACK


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ('["a,b","c: d"]', ("a,b", "c: d")),
        ("[no, on, 3.10, 12:30, 0123456]", ("no", "on", "3.10", "12:30", "0123456")),
        ("one, two", ("one, two",)),
        ("[a, [b], {c: d}, ~, '', ' e ']", ("a", "e")),
        ("{a: b}", ()),
        ("", ()),
        ("\n- a\n- b", ("a", "b")),
    ],
)
def test_tags_are_texts(written: str, tags: tuple[str, ...]) -> None:
    entry = read(f"---\ntags: {written}\naliases: {written}\n---\n")
    assert entry.tags == entry.aliases == tags


@pytest.mark.parametrize("ident", ["0123456", "1234567", "12e4567", "1234567890" * 4, "0o17", "1_000"])
def test_ids_that_look_like_numbers_stay_exact(ident: str) -> None:
    written = f"[{{sourceType: commit, id: {ident}, commit: {ident}, blob: {ident}, textHash: {ident}}}]"
    (ref,) = refs(written)
    assert {ref.id, ref.commit, ref.blob, ref.text_hash} == {ident}


@pytest.mark.parametrize(
    "written",
    [
        '[{"sourceType":"file","id":"a","path":"a","lineStart":3,"lineEnd":5}]',
        "{sourceType: file, id: a, lineStart: 3, lineEnd: '5'}",
        "\n  - sourceType: file\n    path: a\n    lineStart: 3\n    lineEnd: 5",
        "\n- {path: a, sourceType: file, lineEnd: 5, lineStart: 3, unknown: [1]}",
    ],
)
def test_source_refs_are_read_in_every_style(written: str) -> None:
    assert refs(written) == (SourceRef(source_type="file", id="a", path="a", line_start=3, line_end=5),)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("lineStart: 7", (7, 7)),
        ("lineStart: 7, lineEnd: 9", (7, 9)),
        ("lineStart: 9, lineEnd: 7", (9, 7)),
        ("lineStart: 0", (0, 0)),
        ("lineStart: -1", (0, 0)),
        ("lineStart: x, lineEnd: 9", (0, 9)),
        ("lineStart: 7, lineEnd: 1.5", (7, 0)),
        ("lineStart: 010", (0, 0)),
        ("lineStart: [7]", (0, 0)),
        ("lineEnd: 9", (0, 9)),
        ("lineStart: ~", (None, None)),
        ("lineStart: " + "9" * 5000, (0, 0)),
        ("lineStart: ٧", (0, 0)),
    ],
)
def test_a_line_number_that_cannot_be_read_is_not_the_whole_file(lines: str, expected: tuple[int, int]) -> None:
    (ref,) = refs(f"[{{sourceType: file, id: a, {lines}}}]")
    assert (ref.line_start, ref.line_end) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[{sourceType: oracle, id: x}]", (SourceRef(source_type="oracle", id="x"),)),
        ("[{sourceType: commit, commit: abc}]", (SourceRef(source_type="commit", id="abc", commit="abc"),)),
        ("[{sourceType: run}]", (SourceRef(source_type="run", id=""),)),
        ("[{path: a.txt}]", (SourceRef(source_type="", id="", path="a.txt"),)),
        ("[src/a.py, {id: x}]", (SourceRef(source_type="", id="src/a.py"), SourceRef(source_type="", id="x"))),
        ("abc", (SourceRef(source_type="", id="abc"),)),
        ("[{}, {unknown: x}, [a], ~, '', {id: {a: b}}]", ()),
        ("{a: b}", ()),
        ("", ()),
    ],
)
def test_what_a_ref_says_is_kept_and_nothing_fails(written: str, expected: tuple[SourceRef, ...]) -> None:
    assert refs(written) == expected


NASTY_PIECES = [
    "---\n", "\n", "\r\n", "title: ", "kind: fact", "reviewState: reviewed", "schemaVersion: 1", "tags: [",
    "]", "{", "}", "sourceRefs:", "  - ", "sourceType: file", "path: a", ", ", '"', "'", "\\u2028",
    "\u2028", "\ufeff", "\u200b", "#", "# Goal\n", "# Notes\n", "# X\n", "```\n", "~~~\n", "\\", "- a\n",
    "`", "words ", "0123", "~", "date: 2026-01-01",
]  # fmt: skip


NASTY = st.lists(
    st.sampled_from(NASTY_PIECES),
    max_size=25,
).map("".join)


@given(NASTY)
@settings(max_examples=250, deadline=None)
def test_any_file_is_read_or_refused_and_what_is_read_can_be_written_and_read_again(text: str) -> None:
    for data in (text.encode(), f"---\n{text}".encode(), V1.format("").encode() + text.encode()):
        try:
            entry = read(data)
        except UnreadableEntry:
            continue
        if entry.kind is not None:
            assert read(format_entry(entry)) == entry
