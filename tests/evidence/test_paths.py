"""What a cited path must be before anything is read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.evidence.paths import normalise
from gitmem.evidence.verdict import Finding, Reason


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a.py", "a.py"),
        ("src/a.py", "src/a.py"),
        ("./a.py", "a.py"),
        ("src//a.py", "src/a.py"),
        ("src/./a.py", "src/a.py"),
        ("src/a.py/", "src/a.py"),
        (".gitignore", ".gitignore"),
        (".github/x", ".github/x"),
        ("a.git/x", "a.git/x"),
        ("...", "..."),
        ("a..b", "a..b"),
        ("-x", "-x"),
        (":(top)a.py", ":(top)a.py"),
        ("nl\nx\ttab\u2028.txt", "nl\nx\ttab\u2028.txt"),
        ("a\\b", "a\\b"),
        ("日本/é.txt", "日本/é.txt"),
        (" a ", " a "),
    ],
)
def test_a_path_inside_the_worktree_is_brought_into_its_plain_form(path: str, plain: str) -> None:
    assert normalise(path) == plain


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", Reason.PATH_MALFORMED),
        (".", Reason.PATH_MALFORMED),
        ("./", Reason.PATH_MALFORMED),
        ("a\0b", Reason.PATH_MALFORMED),
        ("\0", Reason.PATH_MALFORMED),
        ("\ud800", Reason.PATH_MALFORMED),
        ("caf\udce9", Reason.PATH_MALFORMED),
        ("x/" * 3000 + "x", Reason.PATH_MALFORMED),
        ("/etc/passwd", Reason.PATH_ABSOLUTE),
        ("//a", Reason.PATH_ABSOLUTE),
        ("/", Reason.PATH_ABSOLUTE),
        ("..", Reason.PATH_ESCAPES),
        ("../a.py", Reason.PATH_ESCAPES),
        ("x/../../a.py", Reason.PATH_ESCAPES),
        ("x/../a.py", Reason.PATH_ESCAPES),
        ("a/..", Reason.PATH_ESCAPES),
        (".git", Reason.PATH_IN_GITDIR),
        (".git/config", Reason.PATH_IN_GITDIR),
        ("./.git/config", Reason.PATH_IN_GITDIR),
        (".GIT/config", Reason.PATH_IN_GITDIR),
        (".Git", Reason.PATH_IN_GITDIR),
        ("sub/.git/config", Reason.PATH_IN_GITDIR),
    ],
)
def test_any_other_path_is_refused_with_its_reason(path: str, reason: Reason) -> None:
    found = normalise(path)
    assert isinstance(found, Finding)
    assert found.reason is reason


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["", ".", "..", ".git", "a", "b c", "é", "\n"]), max_size=6).map("/".join))
def test_a_plain_path_never_leaves_the_worktree(path: str) -> None:
    found = normalise(path)
    if isinstance(found, str):
        parts = found.split("/")
        assert parts == [part for part in path.split("/") if part not in ("", ".")]
        assert not {"", ".", "..", ".git"} & set(parts)
        assert normalise(found) == found
    else:
        assert found.reason in (
            Reason.PATH_MALFORMED,
            Reason.PATH_ABSOLUTE,
            Reason.PATH_ESCAPES,
            Reason.PATH_IN_GITDIR,
        )
