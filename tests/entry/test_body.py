from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gitmem.entry.body import _sections, format_body, one_line, parse_body, trimmed
from gitmem.entry.model import Entry, Section

INDENTS = st.sampled_from(["", " ", "  ", "   ", "    ", "\t", " \t"])
TOKEN_LIST = [
    "", "#", "# X", "#\tX", "#X", "## X", "# a #", "# a#", "\\# x", "\\\\# x", "\\```", "\\~~~", "text",
    "text  ", "=", "`a`", "```", "````", "```py", "``` a`b", "``` ", "```\t", "~~~", "~~~~", "~~~ a`b",
    "~~~ ~", "~~", "``", "# # #", "#  ",
]  # fmt: skip


TOKENS = st.sampled_from(TOKEN_LIST)
LINES = st.builds("".join, st.tuples(INDENTS, TOKENS))
MARKDOWN = st.lists(LINES, max_size=15).map("\n".join)


def entry(**fields: object) -> Entry:
    return Entry(id="x", title="x", date="2026-01-01T00:00:00Z", **fields)  # type: ignore[arg-type]


def test_each_section_fills_its_field() -> None:
    body = parse_body(
        "# Goal\n\nShip\nit.\n\n# Plan\n\n- one\n- two\n\n# Decisions\n* d\n# Files touched\n\n- `a.py`\n"
        "# Next steps\n\n1. n\n\n# Notes\n\nFree.\n\n# Alternatives\n\nNone.\n"
    )
    assert (body.goal, body.plan, body.decisions) == ("Ship it.", ("one", "two"), ("d",))
    assert (body.files_touched, body.next_steps, body.notes) == (("a.py",), ("n",), "Free.")
    assert body.other_sections == (Section("Alternatives", "None."),)


@pytest.mark.parametrize("heading", ["# next STEPS", "#   Next   steps  ", "   # Next steps #", "#\tNext\tsteps ####"])
def test_headings_are_matched_by_folded_case_and_blanks(heading: str) -> None:
    assert parse_body(f"{heading}\n- x\n").next_steps == ("x",)


def test_files_is_another_name_for_files_touched() -> None:
    assert parse_body("# Files\n- a\n# files touched\n- b\n").files_touched == ("a", "b")


def test_a_known_section_that_comes_twice_is_joined() -> None:
    body = parse_body("# Goal\na\n# Notes\nn\n# Plan\n- p\n# goal\nb\n# Plan\n- q\n# Notes\nm\n")
    assert (body.goal, body.plan, body.notes) == ("a b", ("p", "q"), "n\n\nm")


def test_text_before_the_first_heading_counts_as_notes() -> None:
    assert parse_body("\nintro\n\n# Notes\n\nmore\n").notes == "intro\n\nmore"
    assert parse_body("all of it").notes == "all of it"


def test_other_sections_stay_apart_and_may_be_empty() -> None:
    assert parse_body("# A\n# B\nx\n# A\ny\n#\nz").other_sections == (
        Section("A", ""),
        Section("B", "x"),
        Section("A", "y"),
        Section("", "z"),
    )


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- a\n* b\n+ c\n1. d\n2) e\n", ("a", "b", "c", "d", "e")),
        ("- a\n  goes on\nlazily\n- b\n", ("a goes on lazily", "b")),
        (
            "- a\n\n  second paragraph\n\nplain\nparagraph\n\nother\n",
            ("a second paragraph", "plain paragraph", "other"),
        ),
        ("- a\n\n\n- b\n", ("a", "b")),
        ("-\n-   \n- a\n", ("a",)),
        ("- a\n  - nested\n", ("a", "nested")),
        ("- a\n  ```yaml\n  - no item\n  ```\n- b\n", ("a ```yaml - no item ```", "b")),
        ("-no bullet\n", ("-no bullet",)),
        ("**bold** start\n", ("**bold** start",)),
        ("- [ ] task\n- - twice\n", ("[ ] task", "- twice")),
        ("- a\u2028b\x0bc\n", ("a b c",)),
    ],
)
def test_bullets_and_paragraphs_are_items(text: str, items: tuple[str, ...]) -> None:
    assert parse_body(f"# Plan\n\n{text}").plan == items


@pytest.mark.parametrize(
    ("item", "path"),
    [
        ("`a.py`", "a.py"),
        ("a.py", "a.py"),
        ("``a`b``", "a`b"),
        ("`` `a` ``", "`a`"),
        ("`a.py` (new)", "a.py (new)"),
        ("`a` and `b`", "a and b"),
        ("`a.py", "a.py"),
        ("``", None),
        ("``a```", "a"),
    ],
)
def test_paths_lose_their_backticks(item: str, path: str | None) -> None:
    assert parse_body(f"# Files\n- {item}\n").files_touched == ((path,) if path else ())


def test_notes_keep_everything_but_outer_blank_lines() -> None:
    notes = "    code\n\n\ntrailing  \n\t- tabs\nlast   "
    assert parse_body(f"# Notes\n\n \n{notes}\n\n \n").notes == notes


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_of_a_body_become_lf(line_end: str) -> None:
    body = parse_body(line_end.join(["# Notes", "", "a", "b", "# Plan", "- x"]))
    assert (body.notes, body.plan) == ("a\nb", ("x",))


@pytest.mark.parametrize(
    "fenced",
    [
        "```\n# no\n```",
        "~~~\n# no\n```\n~~~",
        "````\n# no\n```\n# no\n`````",
        "   ```sh\n# no\n ```",
        "```\n# no\n``` x\n```",
    ],
)
def test_a_heading_in_a_code_fence_is_none(fenced: str) -> None:
    body = parse_body(f"# Notes\n\n{fenced}\n\n# Seen\n")
    assert body.notes == fenced
    assert body.other_sections == (Section("Seen", ""),)


@given(MARKDOWN)
@settings(max_examples=200, deadline=None)
def test_the_h1_headings_are_those_of_commonmark(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (token.map[0], content.content)
        for token, content in pairwise(tokens)
        if token.type == "heading_open" and token.markup == "#" and token.map
    ]
    (_, before), *sections = _sections(text)
    places = accumulate((1 + len(lines) for _, lines in sections), initial=len(before))
    assert [(place, heading) for place, (heading, _) in zip(places, sections, strict=False)] == expected


@given(MARKDOWN)
@settings(max_examples=200, deadline=None)
def test_reading_what_was_written_from_a_reading_changes_nothing(text: str) -> None:
    read = parse_body(text)
    fields = {name: getattr(read, name) for name in read.__slots__}
    assert parse_body(format_body(entry(**fields))) == read


@given(MARKDOWN.map(trimmed), st.lists(st.builds(Section, st.just("Other"), MARKDOWN.map(trimmed)), max_size=2))
@settings(max_examples=200, deadline=None)
def test_free_text_survives_and_swallows_no_section(notes: str, others: list[Section]) -> None:
    read = parse_body(format_body(entry(goal="g", notes=notes, other_sections=tuple(others))))
    assert (read.goal, read.notes, read.other_sections) == ("g", notes, tuple(others))


def test_a_line_like_a_heading_is_written_behind_a_backslash() -> None:
    notes = "# a\n## b\n\\# c\n#d\n    # e\n```\n# f\n```"
    written = format_body(entry(notes=notes))
    assert written == "# Notes\n\n\\# a\n## b\n\\\\# c\n#d\n    # e\n```\n# f\n```"


def test_an_open_fence_stays_as_it_is_at_the_end_and_is_escaped_before_a_section() -> None:
    assert format_body(entry(notes="```\n# x")) == "# Notes\n\n```\n# x"
    followed = entry(notes="```\n# x", other_sections=(Section("More", "y"),))
    assert format_body(followed) == "# Notes\n\n\\```\n\\# x\n\n# More\n\ny"


@pytest.mark.parametrize("goal", ["# Notes", "```", "~~~ x", "\\# x", "- x", "> y"])
def test_a_goal_that_looks_like_markup_comes_back(goal: str) -> None:
    read = parse_body(format_body(entry(goal=goal, notes="n")))
    assert (read.goal, read.notes) == (goal, "n")


@pytest.mark.parametrize("heading", ["#", "C #", "C#", "# x", "a ## #", "##", "\\#"])
def test_headings_of_hashes_come_back(heading: str) -> None:
    assert parse_body(format_body(entry(other_sections=(Section(heading, "t"),)))).other_sections[0].heading == heading


def test_items_and_goal_are_written_on_one_line() -> None:
    written = format_body(entry(goal=" a\nb\u2028c ", plan=("x\r\n# y", " "), files_touched=("a`b", "`", " ")))
    assert written == "# Goal\n\na b c\n\n# Plan\n\n- x # y\n\n# Files touched\n\n- ``a`b``\n- `` ` ``"


def test_what_no_file_can_hold_becomes_a_replacement_character() -> None:
    written = format_body(entry(goal="a\udcffb\0c", notes="\ud800\r\nx"))
    assert written == "# Goal\n\na\ufffdb\ufffdc\n\n# Notes\n\n\ufffd\nx"


def test_many_open_fences_take_no_longer_than_their_length() -> None:
    notes = "\n".join(["````x", "```"] * 30_000 + ["~~~~"] * 30_000)
    written = format_body(entry(notes=notes, other_sections=(Section("More", ""),)))
    assert parse_body(written).notes == notes


@given(st.text())
@settings(deadline=None)
def test_one_line_is_one_line_for_every_reader_and_stays_so(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert one_line(line) == line
