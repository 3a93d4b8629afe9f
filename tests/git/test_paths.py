"""What a path from outside must be, whatever it is for."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.git.paths import PathFault, plain_path


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a.py", "a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/./a.py/", "src/a.py"),
        (".gitignore", ".gitignore"),
        (".github/x", ".github/x"),
        ("a.git/x", "a.git/x"),
        ("...", "..."),
        ("-x", "-x"),
        (":(top)a", ":(top)a"),
        ("nl\nx\u2028.txt", "nl\nx\u2028.txt"),
        ("a\\b", "a\\b"),
        ("C:x", "C:x"),
        ("日本/é", "日本/é"),
        ("caf\udce9", "caf\udce9"),
        ("caf\udcc3\udca9", "café"),  # two escaped bytes that are a character of UTF-8: one file, one spelling
        ("a" * 4096, "a" * 4096),
    ],
)
def test_a_path_inside_the_worktree_is_brought_into_its_plain_form(path: str, plain: str) -> None:
    assert plain_path(path) == plain


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        *((path, PathFault.MALFORMED) for path in ("", ".", "./", "a\0b", "\0", "\ud800", "\udc00", "x\udcff\udc7f")),
        *((path, PathFault.MALFORMED) for path in ("a" * 4097, "é" * 2049)),
        *((path, PathFault.ABSOLUTE) for path in ("/", "/etc/passwd", "//a", "/.git")),
        *((path, PathFault.ESCAPES) for path in ("..", "../a", "a/..", "a/../b", "./../a", "..//a")),
        *((path, PathFault.IN_GITDIR) for path in (".git", ".git/config", "./.git/x", ".GIT", "sub/.Git/config")),
    ],
)
def test_any_other_path_is_refused_with_its_fault(path: str, fault: PathFault) -> None:
    assert plain_path(path) is fault


@settings(max_examples=300)
@given(st.binary(min_size=1, max_size=30) | st.text("./gitGIT\udcff\udcc3\udca9", min_size=1).map(os.fsencode))
def test_the_plain_form_names_the_same_file_and_stays_as_it_is(name: bytes) -> None:
    found = plain_path(os.fsdecode(name))
    if isinstance(found, PathFault):
        assert name[:1] == b"/" or b"\0" in name or {b"", b".", b"..", b".git"} & set(name.lower().split(b"/"))
    else:
        assert os.path.normpath(os.fsencode(found)) == os.path.normpath(name)
        assert plain_path(found) == found
