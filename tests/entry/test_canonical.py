"""There are two readers of a metadata block and one answer: what the quick one takes, YAML reads just so."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from rich import rich
from world import World

from gitmem.entry.canonical import read_canonical
from gitmem.entry.format import format_entry
from gitmem.entry.frontmatter import UnreadableEntry, decode, read_block, split
from gitmem.entry.model import Entry, Kind, ReviewState, SourceRef
from gitmem.text import HIDDEN

DATE = "2026-08-31T14:00:00Z"
OWN_MEMORY = Path(__file__).parents[2] / ".klide" / "memory"

# What YAML gives a meaning to, what JSON does, what only one of them does, and what neither shows.
FRAGMENT_LIST = [
    "a", "b c", "title", "0", "7", "12345678901", "0123", "1_000", "0x10", "1e3", "1.5", "-1", ".inf", ".NaN", "NaN",
    "null", "Null", "NULL", "~", "true", "yes", "=", "<<", "2026-01-01", "12:30", "&a", "*a", "!!str", "!x", "|", ">",
    "|-", "%", "@", "`", "?", "? ", "-", "- ", "---", "...", ":", ": ", " :", "::", "#", " #", "# ", ",", ", ", "[",
    "]", "{", "}", "[]", "{}", "[[]]", '""', '"', "'", "''", "\\", "\\\\", '\\"', "\\/", "\\n", "\\u2028", "\\u0061",
    "\\ud83d\\ude00", "\\ud800", "\\x41", "\\U0001f600", '"a"', '"a: b #c"', '["a","b"]', '["a", "b"]', '[" a "]',
    '{"a":"b"}', '[{"a":"b"}]', '[{"a":1,"b":"c"}]', '[{"a":1,"a":"c"}]', '{"a":{"b":1}}', '[{"a" : 1}]',
    '[{"<<":"b"}]', '[{"id":"\\u200b"}]', '[{"null":"null"}]', '["a",]', "[a]", "{a: b}", " ", "  ", "\t", "\n",
    "\r\n", "\r", "\n\n", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\xa0", "\xad", "\u2028", "\u2029", "\u200b",
    "\u202e", "\ufeff", "\ufffe", "\uffff", "\ufdd0", "\U0001f600", "\U0001ffff", "\U000e0041", "\U000e0100", "é",
    "日本", "²", "٣", "_", "a" * 1100, f'[{{"{"k" * 1100}":1}}]',
]  # fmt: skip

FRAGMENTS = st.sampled_from(FRAGMENT_LIST)
WRITTEN = st.lists(FRAGMENTS, min_size=1, max_size=4).map("".join)
KEYS = st.sampled_from(["title", "kind", "tags", "a1", "null", "Null", "1", "a b", "é", "_", '"a"']) | WRITTEN
GAPS = st.sampled_from([": "] * 6 + [":", ":  ", " : ", ":\t", ": \n "])
ENDS = st.sampled_from(["\n"] * 6 + ["\r\n", "\r", "", " \n", " # c\n", "\n\n", "\n  ", "\n# c\n", "\x85", "\u2028"])
HOSTILE = st.lists(st.tuples(KEYS, GAPS, WRITTEN, ENDS).map("".join), max_size=4).map("".join)

TEXTS = st.sampled_from(FRAGMENT_LIST) | st.text(max_size=12)
ENTRIES = st.builds(
    Entry,
    id=st.just("ident"),
    title=TEXTS,
    date=st.sampled_from([DATE, "soon", ""]),
    schema_version=st.sampled_from([1, None]),
    kind=st.sampled_from(list(Kind)),
    review_state=st.sampled_from(list(ReviewState)),
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    aliases=st.lists(TEXTS, max_size=2).map(tuple),
    source_refs=st.lists(
        st.builds(
            SourceRef,
            source_type=st.sampled_from(["commit", "file"]) | TEXTS,
            id=TEXTS,
            line_start=st.none() | st.integers(0, 999_999_999),
            **{name: st.none() | TEXTS for name in ("label", "path", "commit", "blob", "text_hash")},
        ),
        max_size=3,
    ).map(tuple),
    **{name: st.none() | TEXTS for name in ("supersedes", "decision_key", "run_id", "status")},
)


def block_of(entry: Entry) -> str:
    return split(format_entry(entry).decode()).block


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Draw a block of our own with a few characters exchanged for something else."""
    block = block_of(draw(ENTRIES))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(block)))
        end = start + draw(st.integers(0, 3))
        block = block[:start] + draw(FRAGMENTS) + block[end:]
    return block


def taken(block: str) -> bool:
    """Tell whether the quick reader takes a block. If so, it must have read what YAML does, order of keys included."""
    values = read_canonical(block)
    if values is None:
        return False
    for loader in (yaml.CBaseLoader, yaml.BaseLoader):
        assert json.dumps(values) == json.dumps(read_block(block, first_line=2, loader=loader).values)
    return True


@given(HOSTILE)
@settings(max_examples=1000, deadline=None)
def test_a_hostile_block_is_read_as_yaml_reads_it_or_left_to_yaml(block: str) -> None:
    taken(block)


@given(KEYS, WRITTEN)
@settings(max_examples=1000, deadline=None)
def test_a_hostile_line_is_read_as_yaml_reads_it_or_left_to_yaml(key: str, written: str) -> None:
    for value in (written, f'"{written}"', f'["{written}"]', f"[{written}]", f'[{{"id":"{written}"}}]', f"x{written}x"):
        taken(f"kind: fact\n{key}: {value}\n")
        taken(f"title: {value}\nkind: fact\n")


@given(damaged())
@settings(max_examples=500, deadline=None)
def test_a_damaged_block_is_read_as_yaml_reads_it_or_left_to_yaml(block: str) -> None:
    taken(block)


@given(ENTRIES)
@settings(max_examples=200, deadline=None)
def test_what_the_writer_writes_is_taken_unless_it_needs_a_rare_escape(entry: Entry) -> None:
    block = block_of(entry)
    exact = "".join(f"{ref.id}{ref.path}" for ref in entry.source_refs)
    assert taken(block) or HIDDEN.search(exact) or "\\u" in block
    assert taken(block.replace("\n", "\r\n")) == taken(block)


TAKEN = [
    "",
    "a: b\n",
    "a: b c\r\nd: e\n",
    "title: C# in [a], {b} & 'c' | \"d\" :e f:g - ? ! * % @ ` ~\n",
    "runId: 0123456\ndate: 2026-08-31T14:00:00Z\na: 1_000\nb: 0x10\nc: yes\nd: 1.5\ne: nullable\n",
    "title: é 日本 \xa0 \U0001f600\n",
    'title: "a: b #c"\n',
    'title: ""\n',
    'title: "say \\"hi\\" to C:\\\\new\\\\"\n',
    "tags: []\n",
    'tags: ["a"," b ","null","\\"","\\\\"]\n',
    'refs: [{"id":"a","lineStart":0,"lineEnd":999999999},{},"x"]\n',
    f"{'k' * 100}: b\n",
]


@pytest.mark.parametrize("block", TAKEN)
def test_a_block_in_our_own_form_is_taken(block: str) -> None:
    assert taken(block)


LEFT = [
    "a: b", "a: b\nc: d", "\n", "a: b\n\n", "a:\n", "a: \n", "a:b\n", "a:  b\n", "a : b\n", " a: b\n", "a: b\n  c\n",
    "# a: b\n", "a: b # c\n", "a: b: c\n", "a: b:\n", "a: b \n", "a: 'b'\n", "'a': b\n", '"a": b\n', "a: - b\n",
    "- a: b\n", "? a: b\n", "a: &b c\n", "a: *b\n", "a: !!str b\n", "a: |\n", "a: >\n", "a: %b\n", "a: @b\n",
    "a: `b`\n", "a: ~\n", "a: null\n", "a: Null\n", "NULL: a\n", "<<: a\n", "a: .inf\n", "a: -1\n", "a: _\n",
    "a: b\n---\nc: d\n", "a: b\n...\n", "%YAML 1.1\n", "a: b\na: b\n", "a: b\rc: d\n", "a:\tb\n", "a: b\tc\n",
    "a: b\x85c: d\n", "a: b\u2028c: d\n", "a: \ufeffb\n", "\ufeffa: b\n", "a: b\u200b\n", "a: \x1b\n", "a: b\x7f\n",
    "a: b\U000e0100\n", "a: b\ufffe\n", "a: b\uffff\n", "a: b\ud800\n", "a: b\x00\n", "é: a\n", f"{'k' * 101}: b\n",
    'a: "b\n', 'a: "b" # c\n', 'a: "b"c\n', 'a: "b" \n', 'a: "\\n"\n', 'a: "\\/"\n', 'a: "\\u0061"\n',
    'a: "\\x61"\n', 'a: "\\ud83d\\ude00"\n', 'a: "\x7f"\n', 'a: "b\u2028c"\n', 'a: "b\tc"\n', "a: [b]\n",
    'a: ["b", "c"]\n', 'a: ["b",]\n', 'a: ["b"]]\n', 'a: [["b"]]\n', "a: ['b']\n", 'a: ["b"\n', "a: [1]\n",
    "a: [null]\n", "a: [true]\n", "a: {}\n", 'a: {"b":"c"}\n', 'a: [{"b": "c"}]\n', 'a: [{"b":-1}]\n',
    'a: [{"b":01}]\n', 'a: [{"b":1.0}]\n', 'a: [{"b":1e3}]\n', 'a: [{"b":NaN}]\n', 'a: [{"b":null}]\n',
    'a: [{"b":false}]\n', 'a: [{"b":1234567890}]\n', 'a: [{"b":["c"]}]\n', 'a: [{"b":{"c":1}}]\n',
    'a: [{"b":1,"b":2}]\n', 'a: [{"<<":"b"}]\n', 'a: [{"":"b"}]\n', 'a: [{"b c":"d"}]\n',
    f'a: [{{"{"k" * 101}":1}}]\n', 'a: [{"\\u0061":1}]\n',
]  # fmt: skip


@pytest.mark.parametrize("block", LEFT)
def test_whatever_could_mean_something_else_is_left_to_yaml(block: str) -> None:
    assert read_canonical(block) is None


@pytest.mark.parametrize("end", [r"]", r",", r"", r"\\", "\n"])
def test_a_block_as_large_as_a_file_can_be_is_read_in_one_go(end: str) -> None:
    many = ",".join(['{"id":"a"}'] * 90_000)
    assert (read_canonical(f"a: [{many}{end}\n") is None) == (end != "]")
    assert read_canonical(f"a: {'b: c ' * 200_000}{end}\n") is None
    assert read_canonical("a" * 1_000_000 + end) is None


def test_every_file_of_a_store_of_all_sorts_is_read_as_yaml_reads_it(world: World) -> None:
    store = rich(world).path / ".klide" / "memory"
    files = [file for file in sorted(store.iterdir()) if file.is_file() and not file.is_symlink()]
    quick = {file.stem for file in files if _is_quick(file)}
    assert {"full", "no-evidence", "future", "lore", "legacy"} <= quick
    assert "broken-yaml" not in quick


@pytest.mark.parametrize("file", sorted(OWN_MEMORY.glob("*.md")), ids=lambda file: file.stem)
def test_the_entries_of_this_project_need_no_yaml(file: Path) -> None:
    assert _is_quick(file)


def _is_quick(file: Path) -> bool:
    try:
        return taken(split(decode(file.read_bytes())).block)
    except UnreadableEntry:
        return False
