"""Where definitions begin in code: as git finds them for the headers of hunks, and with what stands above them."""

import re
from pathlib import Path
from typing import Final

import pytest
from world import Repo

from gitmem.search.definitions import LANGUAGES, definitions
from gitmem.search.outline import Mark
from gitmem.search.sections import manner_of

SAMPLES: Final = Path(__file__).parents[2] / "fixtures" / "sections"
HUNK: Final = re.compile(
    r"^(?:diff --git a/(?P<path>\S+) .*|@@ -(?P<line>\d+)\S* \+\S+ @@ ?(?P<title>.*))$", re.MULTILINE
)


def marks(text: str, path: str) -> list[Mark]:
    return definitions(text, text.split("\n"), LANGUAGES[manner_of(path)])


def titles(text: str, path: str = "x.py") -> list[tuple[int, str]]:
    return [(mark.line, " > ".join(mark.path)) for mark in marks(text, path)]


def hunk_titles(repo: Repo, texts: dict[str, str]) -> dict[tuple[str, int], str]:
    """Ask git under what header it shows a change of each line that has OLD in it, by the path and the line."""
    drivers = "".join(f"{path} diff={path.partition('.')[0]}\n" for path in texts)
    repo.commit("Samples", {**texts, ".gitattributes": drivers})
    for path, text in texts.items():
        repo.write(path, text.replace("OLD", "NEW"))
    found, path = {}, ""
    for hunk in HUNK.finditer(repo.git("diff", "-U0").out):
        path = hunk["path"] or path
        if hunk["line"]:
            found[path, int(hunk["line"])] = hunk["title"].strip()
    return found


def test_definitions_are_those_that_git_names_in_hunks(repo: Repo) -> None:
    texts = {sample.stem: sample.read_text("utf-8") for sample in sorted(SAMPLES.glob("*.txt"))}
    asked = hunk_titles(repo, texts)
    around = {place: [mark for mark in marks(texts[place[0]], place[0]) if mark.line < place[1]][-1] for place in asked}
    # Git knows no methods that are indented in a class of C++.
    assert {
        place: (mark.path, asked[place])
        for place, mark in around.items()
        if not any(asked[place].startswith(name) for name in mark.path)
    } == {}
    assert len(asked) > 40


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("x.py", "def f():\n    def inner():\n        pass\n", [(0, "def f()")]),
        (
            "x.py",
            "class A:\n    x = 1\n\n    def f(self):\n        pass\n",
            [(0, "class A"), (3, "class A > def f(self)")],
        ),
        ("x.py", 'def f():\n    """Do.\n\n    class of its own\n    """\n', [(0, "def f()")]),
        ("x.py", "class A:\n    pass\n\nif B:\n    def f(): pass\n", [(0, "class A"), (4, "def f(): pass")]),
        ("x.py", "if __name__ == '__main__':\n    main()\n", [(0, "if __name__ == '__main__'")]),
        ("x.go", "func f() {\n\tgo func() {\n\t}()\n}\n", [(0, "func f()")]),
        ("x.c", "int f(int a);\nstruct a;\n#define F(a) {\nint f(int a)\n{\nif (a) {\n}\n", [(3, "int f(int a)")]),
        ("x.c", "static int\nf (int a,\n   int b)\n{\n", [(0, "f (int a")]),
        ("x.m", "@implementation Keeper\n- (void)f {\n}\n", [(0, "@implementation Keeper"), (1, "- (void)f")]),
        ("x.js", "const f = async (a) => {\n  const g = () => 1;\n};\n", [(0, "const f = async (a)")]),
        ("x.js", "export default {\n  data() {\n  },\n};\n", [(0, "export default"), (1, "export default > data()")]),
        ("x.js", "module.exports = function (a) {\n};\n", [(0, "module.exports = function (a)")]),
        (
            "x.js",
            "$(function () {\n  function f() {\n  }\n});\n",
            [(0, "$(function ()"), (1, "$(function () > function f()")],
        ),
        (
            "x.ts",
            "export abstract class A<T> {\n  get x(): T {\n",
            [(0, "export abstract class A<T>"), (1, "export abstract class A<T> > get x(): T")],
        ),
        (
            "x.test.ts",
            "describe('a', () => {\n  it('b', () => {\n",
            [(0, "describe('a', ()"), (1, "describe('a', () > it('b', ()")],
        ),
        ("x.ts", "interface A {\n  f(): void;\n}\nif (a) {\n}\nfor (;;) {\n}\nreturn f(a) {\n", [(0, "interface A")]),
        (
            "x.lua",
            "local function f(a)\nend\nM.g = function(b)\nend\n",
            [(0, "local function f(a)"), (2, "M.g = function(b)")],
        ),
        (
            "x.swift",
            "extension A: B {\n    init(a: Int) {\n",
            [(0, "extension A: B"), (1, "extension A: B > init(a: Int)")],
        ),
        (
            "x.scala",
            "case class A(b: Int)\nobject B {\n  def f = 1\n",
            [(0, "case class A(b: Int)"), (1, "object B"), (2, "object B > def f = 1")],
        ),
        (
            "x.sql",
            "CREATE TABLE a (\n  b int\n);\n-- name: Get\nselect 1\n",
            [(0, "CREATE TABLE a"), (3, "-- name: Get"), (4, "select 1")],
        ),
        ("x.toml", "a = 1\n[b]\nc = [\n  1,\n]\n[[d.e]] # x\n", [(1, "[b]"), (5, "[[d.e]] # x")]),
        ("x.ini", "; a\n[b c]\n", [(0, "[b c]")]),
        ("Makefile", "A := 1\n.PHONY: all\nall: b\n\tc: d\nifeq (a,b)\n", [(1, "all: b")]),
        ("x.yaml", "a: 1\njobs:\n  b:\n    c: 1\n- d: 1\n", [(0, "a: 1"), (1, "jobs"), (2, "jobs > b"), (4, "- d: 1")]),
        ("x.css", "@media print {\n  a {\n    b: c;\n  }\n}\n", [(0, "@media print"), (1, "@media print > a")]),
        ("x.tf", 'resource "a" "b" {\n  c {\n  }\n}\n', [(0, 'resource "a" "b"')]),
        ("x.proto", "message A {\n  enum B {\n", [(0, "message A"), (1, "message A > enum B")]),
        ("x.hs", "data A = B\nf :: Int -> Int\nf x = x\n", [(0, "data A = B"), (1, "f :: Int -> Int")]),
        ("x.el", "(setq a 1)\n(defun f (a)\n  (b))\n", [(1, "(defun f (a)")]),
    ],
)
def test_definitions_have_their_own_line_as_title(path: str, text: str, found: list[tuple[int, str]]) -> None:
    assert titles(text, path) == found


@pytest.mark.parametrize(
    ("path", "above", "belongs"),
    [
        ("x.py", "# comment\n# more\n", 2),
        ("x.py", "# comment\n\n", 0),
        ("x.py", "    # the end of what is before\n", 0),
        ("x.py", "@cache\n# why\n@other(1)\n", 3),
        ("x.py", "@mark(\n    [\n        1,\n\n    ],\n)\n", 6),
        ("x.py", "call(\n    1,\n)\n", 0),
        ("x.py", ")\n", 0),
        ("x.py", "x = 1\n", 0),
        ("x.rs", "/// Says.\n#[test]\n#[cfg(\n    any(a)\n)]\n", 5),
        ("x.js", "/**\n * Says.\n */\n", 3),
        ("x.c", "/*\nSays\n\nmore.\n*/\n", 5),
        ("x.c", "*/\n", 0),
        ("x.c", "#include <a>\n", 0),
        ("x.c", "static inline int\n", 1),
        ("x.c", "}\n", 0),
        ("x.cpp", "template <class T>\n", 1),
        ("x.cs", "[Serializable]\n", 1),
        ("x.java", "@A(b)\n", 1),
        ("x.lua", "-- Says.\n", 1),
    ],
)
def test_comments_and_decorators_belong_to_the_definition_below(path: str, above: str, belongs: int) -> None:
    first = {"py": "def f(a):", "rs": "fn f() {", "lua": "function f()"}.get(path.partition(".")[2], "int f(int a) {")
    count = above.count("\n")
    assert [line for line, _ in titles(f"{above}{first}\n", path)] == [count - belongs]


def test_the_comment_above_a_definition_is_not_taken_twice() -> None:
    assert titles("def f(): pass\n# of g\ndef g(): pass\ndef h(): pass\n") == [
        (0, "def f(): pass"),
        (1, "def g(): pass"),
        (3, "def h(): pass"),
    ]
