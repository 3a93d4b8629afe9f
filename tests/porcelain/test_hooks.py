"""What installing changes, what taking out restores, and what status says of it."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from layouts import bare
from program import faults
from world import Repo, World, listing

from gitmem.errors import ExitCode
from gitmem.git.hooks import HOOKS, read_script, with_section
from gitmem.git.layout import Place, locate
from gitmem.git.run import Git
from gitmem.porcelain import hooks
from gitmem.porcelain.encode import encode
from gitmem.porcelain.hooks import Changes, Deed, HookDirectoryError, HookState

SCRIPT = b'#!/bin/sh\necho "mine: $*"\n'
BEGIN = b"# >>> git mem >>>\n"


def here(repo: Repo) -> tuple[Git, Place]:
    git = Git(repo.world.env)
    return git, locate(git, repo.path, {})


def install(repo: Repo) -> Changes:
    return hooks.install(*here(repo))


def uninstall(repo: Repo) -> Changes:
    return hooks.uninstall(*here(repo))


def states(repo: Repo) -> dict[str, tuple[HookState, str | None]]:
    return {hook.name: (hook.state, hook.reason) for hook in hooks.status(*here(repo)).hooks}


def all_are(state: HookState, reason: str | None = None) -> dict[str, tuple[HookState, str | None]]:
    return dict.fromkeys(HOOKS, (state, reason))


def deeds(done: Changes) -> dict[str, Deed]:
    return {one.name: one.deed for one in done.hooks}


def put(directory: Path, name: str, content: bytes, mode: int = 0o755) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_bytes(content)
    path.chmod(mode)
    return path


def looks(directory: Path) -> dict[str, tuple[int, int]]:
    """Return what tells whether a file was written: its mode and its moment."""
    found = {path.name: path.lstat() for path in directory.iterdir()}
    return {name: (status.st_mode, status.st_mtime_ns) for name, status in found.items()}


def test_hooks_are_the_files_that_people_can_read(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    shutil.rmtree(directory, ignore_errors=True)
    umask = os.umask(0o027)
    try:
        done = install(repo)
    finally:
        os.umask(umask)
    assert (deeds(done), done.advice, done.exit_code) == (dict.fromkeys(HOOKS, Deed.INSTALLED), (), ExitCode.DONE)
    assert listing(directory) == {hook: read_script(hook) for hook in HOOKS}
    assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o750}
    assert listing(repo.path / ".git/mem") == {"spool": b"directory", "ran": b"directory", "cited": b""}


def test_a_second_time_writes_nothing(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    put(directory, "post-merge", SCRIPT)
    install(repo)
    before = looks(directory)
    again = install(repo)
    assert (deeds(again), again.exit_code) == (dict.fromkeys(HOOKS, Deed.UNCHANGED), ExitCode.DONE)
    assert looks(directory) == before


SMALL = {
    "post-commit": (b"#!/bin/sh\n", 0o755),
    "post-checkout": (b"#!/bin/sh", 0o700),
    "post-merge": (b"#!/usr/bin/env bash\n\xff\xfe echo\r\nexit 3", 0o754),
}


def test_what_was_there_comes_back_with_every_byte_and_its_mode(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    for name, (content, mode) in SMALL.items():
        put(directory, name, content, mode)
    put(directory, "pre-commit", SCRIPT)
    before = {name: (content, looks(directory)[name][0]) for name, content in listing(directory).items()}
    install(repo)
    for name, (content, mode) in SMALL.items():
        path = directory / name
        assert path.read_bytes() == with_section(content, name)
        assert stat.S_IMODE(path.stat().st_mode) == mode
    done = uninstall(repo)
    assert (deeds(done), done.exit_code) == (dict.fromkeys(HOOKS, Deed.REMOVED), ExitCode.DONE)
    assert {name: (content, looks(directory)[name][0]) for name, content in listing(directory).items()} == before
    assert (uninstall(repo).hooks, uninstall(repo).exit_code) == ((), ExitCode.DONE)


def test_what_a_person_wrote_into_our_file_stays(repo: Repo) -> None:
    install(repo)
    path = repo.path / ".git/hooks/post-commit"
    with path.open("ab") as file:
        file.write(b"echo mine\n")
    uninstall(repo)
    assert path.read_bytes() == b"#!/bin/sh\necho mine\n"


def test_an_older_section_is_told_and_renewed(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    put(directory, "post-merge", SCRIPT)
    install(repo)
    now = listing(directory)
    for hook in ("post-commit", "post-merge"):
        put(directory, hook, now[hook].replace(b"set +Cemux", b"set +e"))
    told = (HookState.INSTALLED, "an older section: `git mem hooks install` renews it")
    assert states(repo) == {**all_are(HookState.INSTALLED), "post-commit": told, "post-merge": told}
    done = install(repo)
    assert deeds(done) == {
        "post-commit": Deed.RENEWED,
        "post-checkout": Deed.UNCHANGED,
        "post-merge": Deed.RENEWED,
        "post-rewrite": Deed.UNCHANGED,
    }
    assert listing(directory) == now
    uninstall(repo)
    assert (directory / "post-merge").read_bytes() == SCRIPT


OBSTACLES = {
    "python": (b"#!/usr/bin/env python3\nprint()\n", 0o755, "it is a script for python3, not for sh"),
    "program": (b"\x7fELF\0\0", 0o755, "it has no #! line"),
    "no #!": (b"echo mine\n", 0o755, "it has no #! line"),
    "CR LF": (b"#!/bin/sh\r\necho mine\r\n", 0o755, "its first line ends with CR LF"),
    "empty": (b"", 0o755, "it has no #! line"),
    "turned off": (SCRIPT, 0o644, "it is not executable, so git does not run it"),
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_what_takes_no_section_is_left_alone_and_the_line_to_add_is_told(repo: Repo, name: str) -> None:
    content, mode, reason = OBSTACLES[name]
    directory = repo.path / ".git/hooks"
    put(directory, "post-commit", content, mode)
    before = looks(directory)["post-commit"]
    assert states(repo)["post-commit"] == (HookState.ABSENT, reason)
    done = install(repo)
    assert (done.hooks[0].deed, done.hooks[0].reason, done.exit_code) == (Deed.LEFT_ALONE, reason, ExitCode.DONE)
    assert [(advice.what, advice.lines) for advice in done.advice] == [
        ("have post-commit run", ('git mem hooks run post-commit "$@"',))
    ]
    uninstall(repo)
    assert looks(directory)["post-commit"] == before
    assert (directory / "post-commit").read_bytes() == content


def test_links_and_directories_are_left_alone(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    elsewhere = put(repo.world.root / "elsewhere", "script", SCRIPT)
    (directory / "post-commit").symlink_to(elsewhere)
    (directory / "post-checkout").symlink_to("nowhere")
    (directory / "post-merge").mkdir()
    os.mkfifo(directory / "post-rewrite")
    before = listing(directory)
    reasons = ("it is a symbolic link", "it is a symbolic link to no file", *["it is no regular file"] * 2)
    done = install(repo)
    assert [(one.deed, one.reason) for one in done.hooks] == [(Deed.LEFT_ALONE, reason) for reason in reasons]
    assert done.exit_code == ExitCode.NO
    assert not (repo.path / ".git/mem").exists()
    assert [reason for _, reason in states(repo).values()] == list(reasons)
    assert uninstall(repo).hooks == ()
    assert (listing(directory), elsewhere.read_bytes()) == (before, SCRIPT)


def test_a_link_to_a_script_that_has_the_section_is_installed_by_hand_and_taken_out_by_hand(repo: Repo) -> None:
    install(repo)
    path = repo.path / ".git/hooks/post-commit"
    moved = path.rename(repo.path / "post-commit")
    path.symlink_to(moved)
    assert states(repo) == all_are(HookState.INSTALLED)
    assert deeds(install(repo)) == dict.fromkeys(HOOKS, Deed.UNCHANGED)
    done = uninstall(repo)
    assert (done.hooks[0].deed, done.hooks[0].reason, done.exit_code) == (
        Deed.LEFT_ALONE,
        "it is a symbolic link",
        ExitCode.NO,
    )
    assert moved.read_bytes() == read_script("post-commit")


def test_a_script_that_calls_us_needs_no_section(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    put(directory, "post-commit", b"#!/usr/bin/env python3\nrun('git mem hooks run post-commit', *args)\n")
    put(directory, "post-merge", b'#!/bin/sh\nexec git-mem hooks run post-merge "$@"\n')
    put(directory, "post-checkout", b'#!/bin/sh\n# git mem hooks run post-checkout "$@"\n')
    put(directory, "post-rewrite", b'#!/bin/sh\ngit mem hooks run post-rewrite-not "$@"\n')
    done = install(repo)
    called = "called by the script that is there"
    assert [(one.deed, one.reason) for one in done.hooks] == [
        (Deed.UNCHANGED, called),
        (Deed.INSTALLED, None),
        (Deed.UNCHANGED, called),
        (Deed.INSTALLED, None),
    ]
    assert states(repo)["post-merge"] == (HookState.INSTALLED, called)
    (directory / "post-merge").chmod(0o644)
    assert states(repo)["post-merge"] == (
        HookState.BYPASSED,
        "it is not executable, so git does not run it: chmod +x",
    )
    assert deeds(install(repo))["post-merge"] is Deed.LEFT_ALONE


@pytest.mark.parametrize("script", [SCRIPT + BEGIN, read_script("post-commit") * 2])
def test_half_a_section_is_told_of_and_left_as_it_is(repo: Repo, script: bytes) -> None:
    path = put(repo.path / ".git/hooks", "post-commit", script)
    for done in (install(repo), uninstall(repo)):
        assert done.hooks[0].deed is Deed.LEFT_ALONE
        assert (done.hooks[0].reason or "").startswith("its git mem section is broken: ")
        assert done.advice == ()
    state, reason = states(repo)["post-commit"]
    assert (state, reason) == (HookState.BYPASSED, install(repo).hooks[0].reason)
    assert path.read_bytes() == script
    assert uninstall(repo).exit_code == ExitCode.NO


def test_a_section_that_git_does_not_run_is_told(repo: Repo) -> None:
    install(repo)
    (repo.path / ".git/hooks/post-merge").chmod(0o644)
    told = (HookState.BYPASSED, "it is not executable, so git does not run it: chmod +x")
    assert states(repo) == {**all_are(HookState.INSTALLED), "post-merge": told}
    done = install(repo)
    assert deeds(done)["post-merge"] is Deed.LEFT_ALONE
    shutil.rmtree(repo.path / ".git/mem")
    assert states(repo)["post-commit"] == (
        HookState.INSTALLED,
        "it does nothing until `git mem hooks install` is run",
    )


def test_the_directory_is_the_one_that_git_names(repo: Repo) -> None:
    team = repo.world.root / "team hooks"
    repo.git("config", "core.hooksPath", os.fspath(team))
    linked = repo.worktree("linked")
    install(linked)
    assert sorted(path.name for path in team.iterdir()) == sorted(HOOKS)
    assert states(linked) == states(repo) == all_are(HookState.INSTALLED)
    repo.git("config", "--unset", "core.hooksPath")
    assert states(repo) == all_are(HookState.ABSENT)
    install(repo)
    repo.git("config", "core.hooksPath", os.fspath(repo.world.root / "other"))
    told = "core.hooksPath names another directory: install there too"
    assert states(repo) == states(linked) == all_are(HookState.BYPASSED, told)


@pytest.mark.parametrize("value", ["/dev/null", "file", ""])
def test_where_hooks_are_turned_off_nothing_is_installed_and_status_says_so(repo: Repo, value: str) -> None:
    install(repo)
    repo.write("file", "not a directory\n")
    repo.git("config", "core.hooksPath", value)
    before = listing(repo.path)
    with pytest.raises(HookDirectoryError, match="hooksPath names no directory"):
        install(repo)
    told = "core.hooksPath names no directory, so git runs no hooks"
    assert states(repo) == all_are(HookState.BYPASSED, told)
    assert listing(repo.path) == before
    assert deeds(uninstall(repo)) == dict.fromkeys(HOOKS, Deed.REMOVED)
    assert states(repo) == all_are(HookState.ABSENT)


def test_a_linked_worktree_takes_out_what_is_anywhere_in_the_repository(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    before = listing(directory)
    install(repo)
    # What pre-commit and lefthook do with a hook that is there before theirs.
    (directory / "post-commit").rename(directory / "post-commit.legacy")
    (directory / "post-merge").rename(directory / "post-merge.old")
    repo.write(".git/info/exclude", "hk/\n")
    repo.git("config", "core.hooksPath", "hk")
    put(repo.path / "hk", "post-commit", SCRIPT)
    install(repo)
    linked = repo.worktree("linked")
    install(linked)
    assert deeds(uninstall(linked)) == dict.fromkeys(HOOKS, Deed.REMOVED)
    assert listing(directory) == before
    assert listing(repo.path / "hk") == {"post-commit": SCRIPT}
    assert listing(linked.path / "hk") == {}


def test_a_relative_path_that_a_linked_worktree_has_too_is_looked_into(repo: Repo) -> None:
    repo.git("config", "core.hooksPath", "hk")
    put(repo.path / "hk", "post-commit", SCRIPT)
    repo.git("add", "hk")
    repo.commit("Hooks")
    install(repo)
    linked = repo.worktree("linked")
    told = "core.hooksPath is relative, and this linked worktree has another directory"
    assert states(linked) == all_are(HookState.BYPASSED, f"{told}: make it absolute, or install here too")


def test_a_worktree_of_a_bare_repository_has_hooks_before_it_has_memory(world: World) -> None:
    one = bare(world, "repo.git").worktree("one")
    assert install(one).exit_code == ExitCode.DONE
    assert states(one) == all_are(HookState.INSTALLED)
    assert (world.root / "repo.git/mem/spool").is_dir()
    assert deeds(uninstall(one)) == dict.fromkeys(HOOKS, Deed.REMOVED)


def test_the_directory_of_hooks_may_be_a_link(repo: Repo) -> None:
    directory = repo.path / ".git/hooks"
    moved = directory.rename(repo.world.root / "shared hooks")
    directory.symlink_to(moved)
    install(repo)
    assert directory.is_symlink()
    assert (moved / "post-commit").read_bytes() == read_script("post-commit")
    assert states(repo) == all_are(HookState.INSTALLED)


def test_status_tells_when_each_hook_ran_and_has_its_form(repo: Repo) -> None:
    install(repo)
    ran = repo.path / ".git/mem/ran/post-merge"
    ran.touch()
    os.utime(ran, (1_700_000_000, 1_700_000_000))
    found = hooks.status(*here(repo))
    assert [hook.last_run for hook in found.hooks] == [None, None, "2023-11-14T22:13:20Z", None]
    before = listing(repo.path)
    for value in (os.fspath(repo.world.root / "elsewhere"), "/dev/null", "relative"):
        repo.git("config", "core.hooksPath", value)
        text = encode(hooks.status(*here(repo)))
        assert os.fspath(repo.world.root) not in text
        assert faults("hooks", json.loads(text)) == []
    repo.git("config", "--unset", "core.hooksPath")
    assert listing(repo.path) == before


def test_what_is_cited_is_written_down_for_the_hooks(repo: Repo) -> None:
    assert repo.mem("add", "About the code", "--file", "src/code.py").code == 0
    (repo.path / ".git/mem/cited").unlink(missing_ok=True)
    install(repo)
    assert (repo.path / ".git/mem/cited").read_bytes() == b"src/code.py\n"
