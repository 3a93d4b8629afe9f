"""Headings of documents: those of Markdown as a parser of CommonMark finds them."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gitmem.search import headings
from gitmem.search.outline import Heading, outlined, written

# Some have what looks like a heading and is none.
BLOCKS: Final = (
    *(
        "# One",
        "## Two ##",
        "###### Six #",
        "####### seven",
        "#none",
        "#",
        "  ## Indented",
        "    # code",
        "\t# code",
        "# a#",
    ),
    *(
        "One\n===",
        "Two\n---",
        "a\n=",
        "b\n-  ",
        "   c\n   --",
        "- item\n---",
        "> quote\n---",
        "# One\n---",
        "---",
        "***",
        "===",
    ),
    *(
        "```\n# code\n```",
        "```\n``` a\n# code\n```",
        "~~~ sh\n# code\n```\n~~~",
        "````\n```\n# code\n````",
        "```a`b\n# One",
        "  ```\n# code\n  ```",
    ),
    *("<!-- a\n\n# comment\n-->", "<pre>\n# code\n\n# code\n</pre>", "<script>\n\n# code\n</script>", "<em># a</em>"),
    *(
        "- item\n\n  ```\n  # code\n  ```",
        "> # in quote",
        "a\n# One",
        "a\nb\n\n---",
        "| a |\n|---|",
    ),
    *("text", "two\nlines", "   ", "`a` *b* \\# c\n---", "# ` a ` é 缓存", "#\ttab", "## \t spaces \t ##  "),
)
PARSER: Final = MarkdownIt("commonmark")


def parsed(text: str) -> list[tuple[int, int, str]]:
    """Return line, level and text of the headings that stand in nothing else, as CommonMark has them."""
    tokens = PARSER.parse(text)
    return [
        ((token.map or [0])[0], int(token.tag[1]), following.content)
        for token, following in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


def found(read: Callable[[str], Iterator[Heading]], text: str) -> list[tuple[int, int, str]]:
    return [(text.count("\n", 0, one.offset), one.level, one.title.strip()) for one in read(text)]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_markdown_has_the_headings_that_it_has_in_common_mark(block: str) -> None:
    assert found(headings.markdown, block) == parsed(block)


@given(st.lists(st.sampled_from(BLOCKS), max_size=8))
@settings(max_examples=200)
def test_markdown_has_the_headings_that_it_has_in_common_mark(blocks: list[str]) -> None:
    text = "\n\ntext\n\n".join(["", *blocks])  # the text ends lists
    assert found(headings.markdown, text) == parsed(text)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("---\ntitle: a\n---\n# A\n", 3),
        ("---\ntitle: a\n\n# comment\n...\n# A\n", 5),
        ("+++\ntitle = 1\n+++\n# A\n", 3),
        ("---\n---\n# A\n", 2),
        ("---\n# A\n", 1),
        ("---\n\n# A\n\n---\n", 2),
        ("---\n# comment\ntitle: a\n---\n# A\n", 4),
        ("```\n# a\n", None),
        ("<!--\n# a\n", None),
        ("two\nlines\n---\n# A\n", 3),
        ("two\nlines\n===\n", 1),
    ],
)
def test_front_matter_and_what_is_not_closed(text: str, first: int | None) -> None:
    lines = [line for line, _, _ in found(headings.markdown, text)]
    assert lines[:1] == ([] if first is None else [first])


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (headings.restructured, "A\n=\n\nBC\n==\n", [(0, 1, "A"), (3, 1, "BC")]),
        (
            headings.restructured,
            "Title\n=====\n\nOne\n---\n\n  a\n  ===\n\nTwo\n---\n",
            [(0, 1, "Title"), (3, 2, "One"), (9, 2, "Two")],
        ),
        (
            headings.restructured,
            "=====\n Top\n=====\n\nTitle\n=====\n\nA\n~~~\n",
            [(0, 1, "Top"), (4, 2, "Title"), (7, 3, "A")],
        ),
        (headings.restructured, "a\nb\n----\n\n----\n\n.. note::\n\nLonger\n---\n", []),
        (headings.restructured, "====  ====\nA     B\n====  ====\n", []),
        (headings.restructured, "Too short, docutils warns\n------\n", [(0, 1, "Too short, docutils warns")]),
        (headings.restructured, "A\n==\nB\n==\n", [(0, 1, "A"), (2, 1, "B")]),
        (headings.asciidoc, "---\n== A\n---\n== B\n", [(1, 2, "A"), (3, 2, "B")]),
        (headings.asciidoc, "= T\n\n== A\n\n----\n== code\n----\n\n=== B\n", [(0, 1, "T"), (2, 2, "A"), (8, 3, "B")]),
        (
            headings.asciidoc,
            "git-am(1)\n=========\n\nNAME\n----\ntext\n\n[[a]]\nB\n---\n",
            [(0, 1, "git-am(1)"), (3, 2, "NAME"), (8, 2, "B")],
        ),
        (
            headings.asciidoc,
            "[source,c]\n----\n== a\n----\n.Name\n-----\n== b\n-----\n....\n----\n....\n== C\n",
            [(11, 2, "C")],
        ),
        (headings.org, "* A\ntext\n** TODO B :tag:\n*bold*\n", [(0, 1, "A"), (2, 2, "TODO B :tag:")]),
        (headings.html, "<p>\n  <h2 id='a'>A <em>b</em></h2> c\n<header>\n", [(1, 2, "A  b")]),
        (headings.tex, "\\section*{A}\n  \\subsection[b]{B}\\label{x}\n%\\section{C}\n", [(0, 2, "A"), (1, 3, "B")]),
        (
            headings.underlined,
            "NEWS\n====\n\nOne\n---\n\na list:\n--\n\ntwo\nlines\n-----\n",
            [(0, 1, "NEWS"), (3, 2, "One")],
        ),
        (headings.underlined, "# comment\n\nfar too long\n----\n-----\n-----\n", []),
    ],
)
def test_headings_of_other_documents(
    read: Callable[[str], Iterator[Heading]], text: str, expected: list[tuple[int, int, str]]
) -> None:
    assert found(read, text) == expected


def test_a_heading_is_named_with_those_above_it() -> None:
    text = "# Top\n## A\n#### Deep\n## B\n# End \u202e\x1b[31m" + "x" * 100 + "\n"
    names = [written(mark.path) for mark in outlined(text, headings.markdown(text))]
    assert names[:4] == ["Top", "Top > A", "Top > A > Deep", "Top > B"]
    assert names[4].startswith("End [31mxxx")
    assert names[4].endswith("x…")
    assert len(names[4]) == 80


def test_of_very_deep_headings_the_outermost_are_left_out() -> None:
    text = "".join(f"{'*' * level} {level}\n" for level in range(1, 10))
    assert outlined(text, headings.org(text))[-1].path == ("4", "5", "6", "7", "8", "9")
