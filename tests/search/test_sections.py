"""Cutting files into sections: each line once, by what the file says, neither too short nor too long."""

from itertools import pairwise
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.search.sections import Section, cut, manner_of
from gitmem.text.content import lines_of

PATHS = (
    *("a.md", "a.rst", "a.adoc", "a.org", "a.html", "a.tex", "a.txt", "README", "a.py", "a.c", "a.js", "a.rb", "a.sh"),
    *(
        "Makefile",
        "a.toml",
        "a.yaml",
        "a.css",
        "a.sql",
        "a.el",
        "a.tf",
        "a.proto",
        "a.hs",
        "a.pas",
        "a.json",
        "a.b",
        "",
    ),
)
FRAGMENTS = (
    *(
        "# A\n",
        "## B\n",
        "===\n",
        "---\n",
        "```\n",
        "<!--\n",
        "* A\n",
        "== A\n",
        "----\n",
        "<h1>A</h1>\n",
        "\\section{A}\n",
    ),
    *(
        "def f(a):\n",
        "    def g(self):\n",
        "class A:\n",
        "@a(\n",
        ")\n",
        "/*\n",
        " */\n",
        "// a\n",
        "int f(int a)\n",
        "{\n",
    ),
    *(
        "}\n",
        "[a]\n",
        "a:\n",
        "  b: c\n",
        "a: b\n",
        "f() {\n",
        "(defun a\n",
        "#!/bin/sh\n",
        "text\n" * 9,
        "text\n" * 70,
    ),
    *(
        "\n",
        "\n" * 40,
        "   \n",
        "\r",
        "\u2028",
        "\x0b",
        "\x1c",
        "\x85",
        "\0",
        "é缓",
        "\ud800",
        "x",
        '"',
        "(",
        "{",
        "\t",
    ),
)


def body(count: int, indent: str = "") -> str:
    return "".join(f"{indent}line {number}\n" for number in range(count))


def titles(text: str, path: str) -> list[str]:
    return [section.title for section in cut(text, path)]


def sizes(text: str, path: str) -> list[int]:
    return [section.end - section.start + 1 for section in cut(text, path)]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join), st.sampled_from(PATHS))
@settings(max_examples=300)
def test_every_line_is_in_one_section_and_none_is_too_short_or_too_long(text: str, path: str) -> None:
    sections = cut(text, path)
    covered = [line for start, end, _ in sections for line in range(start, end + 1)]
    assert covered == list(range(1, len(lines_of(text)) + 1))
    lengths = [end - start + 1 for start, end, _ in sections]
    assert all(length <= 90 for length in lengths)
    assert not any(one < 10 and other < 10 for one, other in pairwise(lengths))
    assert sections == cut(text, path)


@given(st.text(), st.sampled_from(PATHS))
def test_any_text_can_be_cut(text: str, path: str) -> None:
    assert sum(section.end - section.start + 1 for section in cut(text, path)) == len(lines_of(text))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", 0),
        ("\n", 1),
        ("a", 1),
        ("a\u2028b\x0bc\x0cd\x1ce\x85f\rg\n", 1),
        ("a" * (1 << 20), 1),
        ("\n" * 100_000, 100_000),
        ("```\n" * 10_001, 10_001),
        ("def f(\n" * 1000, 1000),
        ("(" * (1 << 18), 1),
        ("a(b(=>" * (1 << 14), 1),
        ("# " + " " * (1 << 18), 1),
        ("- " * (1 << 18), 1),
        ("---\n" * 10_000, 10_000),
    ],
)
def test_odd_texts_are_cut_too(text: str, lines: int) -> None:
    for path in PATHS:
        assert sum(sizes(text, path)) == lines


def test_a_document_is_cut_at_its_headings() -> None:
    text = f"# Guide\n{body(12)}## Hooks\n### Install\n{body(12)}### Remove\n{body(12)}# End\n{body(12)}"
    assert cut(text, "guide.md") == [
        Section(1, 13, "Guide"),
        Section(14, 27, "Guide > Hooks > Install"),
        Section(28, 40, "Guide > Hooks > Remove"),
        Section(41, 53, "End"),
    ]


def test_front_matter_belongs_to_the_first_section() -> None:
    assert cut(f"---\ntitle: A\n---\n# Guide\n{body(12)}", "a.md") == [Section(1, 16, "Guide")]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rst", f"AA\n==\n{body(12)}\nBB\n==\n{body(12)}"),
        ("a.adoc", f"== A\n{body(12)}== B\n{body(12)}"),
        ("a.org", f"* A\n{body(12)}* B\n{body(12)}"),
        ("a.HTML", f"<h1>A</h1>\n{body(12)}<h1>B</h1>\n{body(12)}"),
        ("a.tex", f"\\section{{A}}\n{body(12)}\\section{{B}}\n{body(12)}"),
        ("a.txt", f"A\n--\n{body(12)}\nB\n--\n{body(12)}"),
        ("NEWS", f"A\n--\n{body(12)}\nB\n--\n{body(12)}"),
    ],
)
def test_other_documents_are_cut_at_their_headings(path: str, text: str) -> None:
    assert [title[0] for title in titles(text, path)] == ["A", "B"]


def test_code_is_cut_at_functions_with_their_class_before_them() -> None:
    inside, deeper = body(12, "    "), body(12, "        ")
    text = f"import os\n\nclass Keeper:\n{inside}\n    @cached\n    def current(self, view):\n{deeper}"
    text += f"\n# Counts.\ndef count(entries):\n{inside}"
    assert cut(text, "keeper.py") == [
        Section(1, 16, "class Keeper"),
        Section(17, 31, "class Keeper > def current(self, view)"),
        Section(32, 45, "def count(entries)"),
    ]


def test_a_class_of_many_small_methods_is_a_few_sections() -> None:
    text = "class Keeper:\n" + "".join(f"    def f{number}(self):\n{body(3, '        ')}\n" for number in range(30))
    assert all(20 < size < 45 for size in sizes(text, "a.py"))
    assert set(titles(text, "a.py")) == {"class Keeper"}


def test_the_last_small_method_stays_with_its_class() -> None:
    text = f"class A:\n{body(12, '    ')}    def f(self):\n        pass\n\n"
    text += f"class B:\n    def g(self):\n{body(12, '        ')}"
    assert cut(text, "a.py") == [Section(1, 16, "class A"), Section(17, 30, "class B > def g(self)")]


def test_a_short_method_behind_a_long_one_stays_with_its_class_too() -> None:
    text = f"class A:\n    def f(self):\n{body(40, '        ')}    def g(self):\n        pass\n\n"
    assert cut(text, "a.py") == [Section(1, 45, "class A")]
    text += f"class B:\n    def h(self):\n{body(12, '        ')}"
    assert cut(text, "a.py") == [Section(1, 45, "class A"), Section(46, 59, "class B > def h(self)")]


def test_a_short_function_behind_a_class_goes_to_the_function_below() -> None:
    text = f"class A:\n{body(12, '    ')}    def f(self):\n{body(12, '        ')}"
    text += f"def g():\n{body(4, '    ')}def h():\n{body(12, '    ')}"
    assert cut(text, "a.py") == [
        Section(1, 13, "class A"),
        Section(14, 26, "class A > def f(self)"),
        Section(27, 44, "def g()"),
    ]


def test_what_is_joined_is_named_by_what_it_has_in_common() -> None:
    text = f"# A\n{body(40)}## B\n{body(4)}## C\n{body(4)}# D\n{body(40)}"
    assert titles(text, "a.md") == ["A", "A", "D"]
    assert titles(f"def f():\n{body(3)}def g():\n{body(3)}", "a.py") == ["def f()"]


def test_a_heading_with_nothing_below_it_gives_its_section_no_name() -> None:
    assert titles(f"## Hooks\n\n### Install\n{body(12)}", "a.md") == ["Hooks > Install"]


def test_other_texts_are_cut_about_every_sixty_lines_at_a_blank_one() -> None:
    assert sizes(body(300), "a.json") == [60, 60, 60, 60, 60]
    assert sizes(body(91), "a.json") == [60, 31]
    assert sizes(body(90), "a.json") == [90]
    assert sizes(f"{body(49)}\n{body(70)}", "a.csv") == [50, 70]
    assert sizes(f"{body(30)}\n{body(70)}", "a.csv") == [60, 41]
    assert sizes(f"{body(58)}\n{body(11)}\n\n\n{body(60)}", "a.log") == [59, 74]
    assert set(titles(body(300), "a.json")) == {""}


def test_a_long_function_is_cut_and_keeps_its_name() -> None:
    text = f"def f():\n{body(50, '    ')}\n{body(60, '    ')}\ndef g():\n{body(20, '    ')}"
    assert cut(text, "a.py") == [Section(1, 52, "def f()"), Section(53, 113, "def f()"), Section(114, 134, "def g()")]


@pytest.mark.parametrize(
    ("first", "definition", "title"),
    [
        ("#!/usr/bin/env python3.11", "if __name__ == '__main__':", "if __name__ == '__main__'"),
        ("#!/bin/sh", "f() {", "f()"),
        ("#!/usr/bin/env -S bash -e", "f () {", "f ()"),
        ("#!/usr/bin/node", "const f = () => {", "const f = ()"),
        ("#!/usr/bin/perl5.36 -w", "sub f {", "sub f"),
        ("#!", "def f", "def f"),
        ("no script", "def f(a):", ""),
    ],
)
def test_a_file_without_suffix_is_read_as_its_first_line_says(first: str, definition: str, title: str) -> None:
    assert titles(f"{first}\n{body(20)}{definition}\n{body(20)}", "bin/tool")[-1] == title


@pytest.mark.parametrize(
    ("path", "manner"),
    [
        ("a.md", "markdown"),
        ("docs/A.MD", "markdown"),
        ("a.b.tsx", "script"),
        ("Makefile", "make"),
        (".bashrc", "shell"),
        ("a/.gitconfig", "settings"),
        ("tool", "unnamed"),
        ("", "unnamed"),
        ("a.zig", "code"),
        ("a.json", "lines"),
        ("a\nb.é", "code"),
    ],
)
def test_how_a_file_is_cut_depends_on_its_suffix_or_its_name(path: str, manner: str) -> None:
    assert manner_of(path) == manner
    assert manner_of(PurePosixPath(path).name) == manner
