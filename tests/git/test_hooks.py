"""Our section in other people's scripts, and where git looks for hooks."""

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from layouts import Standpoint
from world import Repo, World

from gitmem.git.hooks import (
    HOOKS,
    SectionBrokenError,
    find_hooks,
    find_section,
    hooks_path_is_relative,
    read_script,
    what_speaks_against,
    with_section,
    without_section,
)
from gitmem.git.run import Git

SHELLS = [name for name in ("sh", "dash", "bash", "busybox", "zsh", "ksh", "mksh", "yash") if shutil.which(name)]
BEGIN, END = b"# >>> git mem >>>", b"# <<< git mem <<<"


@pytest.mark.parametrize("hook", HOOKS)
def test_a_script_is_one_section_of_sh_behind_its_first_line(hook: str, world: World) -> None:
    script = read_script(hook)
    section = find_section(script)
    assert section is not None
    assert (section.alone, section.is_of(hook)) == (True, True)
    assert script == b"#!/bin/sh\n" + section.text
    assert script.isascii()
    for shell in SHELLS:
        words = ("busybox", "sh") if shell == "busybox" else (shell,)
        assert world.run(*words, "-n", "/dev/stdin", cwd=world.root, feed=script).err == ""


def test_what_the_scripts_have_in_common_is_the_same_in_each() -> None:
    paragraphs = [set(re.split(rb"\n\n+", read_script(hook))) for hook in HOOKS]
    shared = set.intersection(*paragraphs)
    assert len(shared) >= 3  # how a file is read, where the memory is, and whether there is anything to do
    ends = {read_script(hook).partition(b"# Who does it")[2].partition(b"fi\n")[0] for hook in HOOKS}
    assert len(ends) == 1


def test_the_scripts_can_be_executed_where_they_are_kept() -> None:
    kept = Path(__file__).parents[2] / "hooks"
    assert sorted(path.name for path in kept.iterdir()) == sorted(HOOKS)
    assert all(path.stat().st_mode & 0o777 == 0o755 for path in kept.iterdir())
    assert all((kept / hook).read_bytes() == read_script(hook) for hook in HOOKS)


scripts = st.builds(
    lambda first, rest: b"#!/bin/sh" + first + rest,
    st.sampled_from([b"", b" -e", b"\n"]),
    st.one_of(st.just(b""), st.binary().map(lambda data: b"\n" + data)),
)


@given(scripts, st.sampled_from(HOOKS))
@example(b"#!/bin/sh", "post-commit")
@example(b"#!/bin/sh\n", "post-commit")
@example(b"#!/bin/sh\n\n\n", "post-commit")
@example(b"#!/bin/sh\r\necho\r\n", "post-commit")
@example(b"#!/bin/sh\necho", "post-commit")
def test_putting_a_section_in_and_taking_it_out_gives_back_every_byte(script: bytes, hook: str) -> None:
    made = with_section(script, hook)
    section = find_section(made)
    assert section is not None
    assert without_section(made, section) == script
    assert with_section(made, hook) == made
    assert section.is_of(hook)
    assert not section.alone
    assert made.startswith(script.partition(b"\n")[0] + b"\n" + BEGIN)


def test_only_a_file_with_nothing_else_in_it_goes_with_its_section() -> None:
    script = read_script("post-merge")
    section = find_section(script)
    assert section is not None
    assert without_section(script, section) is None
    assert without_section(script + b"echo mine\n", section) == b"#!/bin/sh\necho mine\n"
    assert without_section(b"#!/bin/bash\n" + section.text, find_section(b"#!/bin/bash\n" + section.text) or section)


@pytest.mark.parametrize("script", [read_script("post-commit"), with_section(b"#!/bin/sh\necho mine\n", "post-commit")])
def test_an_older_section_is_replaced_where_it_stands(script: bytes) -> None:
    older = script.replace(b"set +Cemux", b"set +e") + b"echo behind\n"
    section = find_section(older)
    assert section is not None
    assert not section.is_of("post-commit")
    assert with_section(older, "post-commit") == script + b"echo behind\n"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (BEGIN + b"\n", "its last line is missing"),
        (END + b"\n", "its first line is missing"),
        (END + b"\n" + BEGIN + b"\n", "its end stands before its beginning"),
        (BEGIN + b"\n" + END + b"\n" + BEGIN + b"\n" + END + b"\n", "more than once"),
        (BEGIN + b"\n" + BEGIN + b"\n" + END + b"\n", "more than once"),
        (BEGIN + b"\n" + END + b"\n" + END + b"\n", "more than once"),
    ],
)
def test_half_a_section_is_refused(script: bytes, told: str) -> None:
    for work in (find_section, lambda data: with_section(data, "post-commit")):
        with pytest.raises(SectionBrokenError, match=told):
            work(b"#!/bin/sh\n" + script)


def test_what_only_looks_like_a_mark_is_none() -> None:
    for text in (b"echo '" + BEGIN + b"'\n", b" " + BEGIN + b"\n", b"# >>> git me >>>\n", END + b" x\n"):
        assert find_section(b"#!/bin/sh\n" + text) is None


@pytest.mark.parametrize(
    "first",
    [
        *("#!/bin/sh", "#! /bin/sh", "#!/bin/sh -eu", "#!/bin/dash", "#!/usr/bin/env sh", "#!/usr/bin/env bash"),
        *("#!/bin/bash -e", "#!/usr/bin/ksh", "#!/bin/zsh -f", "#!/bin/busybox sh", "#!/usr/bin/env -S bash -eu"),
        *("#!/usr/bin/env -i A=1 sh", "#!/usr/bin/env -u A sh", "#!/usr/bin/env busybox ash", "#!/opt/bin/ksh93"),
    ],
)
def test_a_section_can_be_put_into_a_script_for_any_sh(first: str) -> None:
    assert what_speaks_against(f"{first}\necho mine\n".encode()) is None
    assert what_speaks_against(first.encode()) is None


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (b"", "it has no #! line"),
        (b"echo mine\n", "it has no #! line"),
        (b"#!\n", "it has no #! line"),
        (b"\xef\xbb\xbf#!/bin/sh\n", "it has no #! line"),
        (b"\x7fELF\x02\x01\x01\0", "it has no #! line"),
        (b"#!/bin/sh\ncat <<X\n\0\n", "it is a binary file"),
        (b"#!/bin/sh\r\necho mine\r\n", "its first line ends with CR LF"),
        (b"#!/usr/bin/python3\n", "it is a script for python3, not for sh"),
        (b"#!/usr/bin/env -S python3 -u\n", "it is a script for python3, not for sh"),
        (b"#!/usr/bin/env node\n", "it is a script for node, not for sh"),
        (b"#!/usr/bin/env\n", "it is a script for env, not for sh"),
        (b"#!/bin/busybox awk -f\n", "it is a script for awk, not for sh"),
        (b"#!/usr/bin/fish\n", "it is a script for fish, not for sh"),
        (b'#!/bin/sh\n# \\\nexec tclsh "$0" "$@"\n', "it has another program read it (exec with $0)"),
        (b"#!/bin/sh\n'''exec' python3 \"$0\" \"$@\"\n' '''\n", "it has another program read it (exec with $0)"),
        (b'#!/bin/bash\nexec ruby -x "${BASH_SOURCE[0]}"\n', "it has another program read it (exec with $0)"),
    ],
)
def test_what_speaks_against_a_section_is_told(script: bytes, told: str) -> None:
    assert what_speaks_against(script) == told


def test_a_comment_about_exec_speaks_against_nothing() -> None:
    assert what_speaks_against(b'#!/bin/sh\n# exec "$0" would run it again\nexec true\n') is None


def test_the_directory_of_hooks_is_gits_own_answer_in_every_layout(layout: Standpoint) -> None:
    git = Git(layout.environ)
    asked = layout.repo.git("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    assert find_hooks(git, layout.worktree) == Path(asked.line)
    layout.repo.git("config", "core.hooksPath", "some hooks")
    assert find_hooks(git, layout.worktree) == layout.worktree / "some hooks"


def test_a_hooks_path_that_is_no_directory_is_none_and_git_runs_nothing(repo: Repo) -> None:
    git = Git(repo.world.env)
    hook = repo.write(".git/hooks/post-commit", "#!/bin/sh\necho ran >&2\n")
    hook.chmod(0o755)
    repo.write("file", "not a directory\n")
    assert "ran" in repo.git("commit", "-q", "--allow-empty", "-m", "x").err
    for value in ("/dev/null", "file", ""):
        repo.git("config", "core.hooksPath", value)
        assert find_hooks(git, repo.path) is None, value
        assert repo.git("commit", "-q", "--allow-empty", "-m", "x").err == ""


def test_a_relative_hooks_path_is_another_directory_in_each_worktree(repo: Repo) -> None:
    git = Git(repo.world.env)
    linked = repo.worktree("linked")
    assert not hooks_path_is_relative(git, linked.path)
    for value, relative in (("hooks", True), ("./hooks", True), (str(repo.path / "hooks"), False), ("~/hooks", False)):
        repo.git("config", "core.hooksPath", value)
        assert hooks_path_is_relative(git, linked.path) is relative
        assert (find_hooks(git, linked.path) != find_hooks(git, repo.path)) is relative
