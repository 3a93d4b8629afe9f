"""`git mem hooks`: what is told of what was done, and the same as JSON."""

import os
from pathlib import Path

import pytest
from inprocess import Cli
from program import document, faults, is_one_error
from world import Repo, listing

from gitmem.git.hooks import HOOKS

ALL = ", ".join(HOOKS)
NO_MEMORY = "there is no memory in .klide/memory yet: `git mem init` creates it\n"


@pytest.fixture
def initialised(cli: Cli, repo: Repo) -> Repo:
    """An ordinary repository with a store, and nothing in it."""
    assert cli(repo, "init").code == 0
    return repo


def put(repo: Repo, hook: str, text: str, mode: int = 0o755) -> Path:
    path = repo.write(f".git/hooks/{hook}", text)
    path.chmod(mode)
    return path


def run(cli: Cli, repo: Repo, *args: str, code: int = 0) -> str:
    result = cli(repo, *args)
    assert (result.code, result.err) == (code, ""), result
    return result.out


def test_what_was_done_is_told_in_a_line(cli: Cli, initialised: Repo) -> None:
    before = listing(initialised.path / ".git/hooks")
    assert run(cli, initialised, "hooks", "install") == f"installed: {ALL}\n"
    assert run(cli, initialised, "hooks", "install") == f"unchanged: {ALL}\n"
    assert run(cli, initialised, "hooks", "uninstall") == f"removed: {ALL}\n"
    assert run(cli, initialised, "hooks", "uninstall") == "Nothing to do: no hook has a section\n"
    assert listing(initialised.path / ".git/hooks") == before


def test_what_was_left_alone_is_told_with_the_reason_and_the_line_to_add(cli: Cli, initialised: Repo) -> None:
    put(initialised, "post-merge", "#!/usr/bin/env python3\n")
    put(initialised, "post-rewrite", "#!/bin/sh\n# >>> git mem >>>\n")
    text = run(cli, initialised, "hooks", "install")
    remedy = "take the rest out by hand, then install again"
    broken = f"its git mem section is broken: its last line is missing: {remedy}"
    assert text.splitlines() == [
        "installed: post-commit, post-checkout",
        "left alone: post-merge (it is a script for python3, not for sh)",
        f"left alone: post-rewrite ({broken})",
        "have post-merge run:",
        '    git mem hooks run post-merge "$@"',
    ]
    assert run(cli, initialised, "hooks", "uninstall", code=1).startswith(
        "removed: post-commit, post-checkout\nleft alone"
    )


def test_no_hook_that_could_be_installed_is_a_no(cli: Cli, initialised: Repo) -> None:
    initialised.git("config", "core.hooksPath", ".husky/_")
    text = run(cli, initialised, "hooks", "install", code=1)
    assert text.splitlines() == [
        f"left alone: {ALL} (owned by husky)",
        "husky owns the hooks here: add to each of these files its line, and make those that are not there:",
        *(
            f'    .husky/{hook}:  ! command -v git-mem >/dev/null || git mem hooks run {hook} "$@"'
            for hook in HOOKS
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("value", ["/dev/null", "README.md"])
def test_hooks_that_are_turned_off_are_one_error_and_nothing_is_written(
    cli: Cli, initialised: Repo, value: str
) -> None:
    initialised.git("config", "core.hooksPath", value)
    before = listing(initialised.path)
    result = cli(initialised, "hooks", "install")
    assert (result.code, is_one_error(result)) == (128, True)
    assert "core.hooksPath" in result.err
    assert listing(initialised.path) == before
    assert run(cli, initialised, "hooks", "status").count("absent") == len(HOOKS)


def test_status_is_a_line_for_each_hook(cli: Cli, initialised: Repo) -> None:
    put(initialised, "post-rewrite", "#!/usr/bin/env python3\n")
    run(cli, initialised, "hooks", "install")
    put(initialised, "post-checkout", "#!/bin/sh\n")
    (initialised.path / ".git/hooks/post-merge").chmod(0o644)
    ran = initialised.write(".git/mem/ran/post-commit", "")
    os.utime(ran, (1_700_000_000, 1_700_000_000))
    assert run(cli, initialised, "hooks", "status").splitlines() == [
        "post-commit    installed  last ran 2023-11-14T22:13:20Z",
        "post-checkout  absent     never ran",
        "post-merge     bypassed   never ran  (it is not executable, so git does not run it: chmod +x)",
        "post-rewrite   absent     never ran  (it is a script for python3, not for sh)",
    ]


def test_json_is_the_state_of_all_hooks_after_each_verb(cli: Cli, initialised: Repo) -> None:
    for verb, state in (
        ("status", "absent"),
        ("install", "installed"),
        ("status", "installed"),
        ("uninstall", "absent"),
    ):
        found = document(cli(initialised, "hooks", verb, "--json"))
        assert faults("hooks", found) == []
        assert found == {
            "schemaVersion": 1,
            "hooks": [{"name": hook, "state": state, "reason": None, "lastRun": None} for hook in HOOKS],
        }


def test_status_writes_nothing_and_names_no_absolute_path(cli: Cli, initialised: Repo) -> None:
    elsewhere = initialised.world.root / "elsewhere"
    initialised.git("config", "core.hooksPath", os.fspath(elsewhere))
    before = listing(initialised.world.root)
    for args in (("hooks", "status"), ("hooks", "status", "--json")):
        assert os.fspath(initialised.world.root) not in run(cli, initialised, *args)
    assert listing(initialised.world.root) == before
    assert not elsewhere.exists()


def test_hooks_can_be_installed_before_there_is_memory_and_taken_out_without(cli: Cli, repo: Repo) -> None:
    result = cli(repo, "hooks", "install")
    assert (result.code, result.out, result.err) == (0, f"installed: {ALL}\n", NO_MEMORY)
    assert not (repo.path / ".klide").exists()
    assert run(cli, repo, "hooks", "uninstall") == f"removed: {ALL}\n"


def test_from_a_linked_worktree_it_is_the_same(cli: Cli, initialised: Repo) -> None:
    linked = initialised.worktree("linked")
    (linked.path / "src").mkdir(exist_ok=True)
    result = cli(linked, "hooks", "install", cwd=linked.path / "src")
    assert (result.code, result.out) == (0, f"installed: {ALL}\n")
    assert run(cli, initialised, "hooks", "status").count("installed") == len(HOOKS)
    assert run(cli, linked, "hooks", "uninstall") == f"removed: {ALL}\n"


def test_outside_a_repository_there_are_no_hooks(cli: Cli, repo: Repo) -> None:
    for verb in ("install", "uninstall", "status"):
        result = cli(repo, "hooks", verb, cwd=repo.world.root)
        assert (result.code, is_one_error(result)) == (128, True)


def test_run_takes_what_git_gives_to_a_hook_and_never_fails(cli: Cli, repo: Repo) -> None:
    for args in (
        ["post-commit"],
        ["post-checkout", "-x", "--json", "1"],
        ["post-merge", "0"],
        ["post-rewrite", "amend"],
    ):
        assert run(cli, repo, "hooks", "run", *args) == ""
    result = repo.mem("hooks", "run", "post-checkout", "a", "b", "1")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert not (repo.path / ".git/mem").exists()


@pytest.mark.parametrize(
    "args", [[], ["nonsense"], ["run"], ["run", "pre-commit"], ["install", "x"], ["status", "--x"]]
)
def test_wrong_usage_is_told(cli: Cli, repo: Repo, args: list[str]) -> None:
    result = cli(repo, "hooks", *args)
    assert (result.code, is_one_error(result)) == (129, True)


# git mem init --hooks


def test_init_installs_them_too(cli: Cli, repo: Repo) -> None:
    text = run(cli, repo, "init", "--hooks")
    assert text.startswith("Created the memory store")
    assert f"Hooks:\n  installed: {ALL}\n" in text
    assert (repo.path / ".klide/memory").is_dir()
    before = listing(repo.path)
    assert run(cli, repo, "init", "--hooks").endswith(f"Hooks:\n  unchanged: {ALL}\n")
    assert listing(repo.path) == before


def test_an_obstacle_to_hooks_is_told_and_does_not_undo_the_init(cli: Cli, repo: Repo) -> None:
    repo.git("config", "core.hooksPath", "/dev/null")
    result = cli(repo, "init", "--hooks")
    assert result.code == 1
    assert result.err.startswith("warning: core.hooksPath names no directory")
    assert result.err.count("\n") == 1
    assert (repo.path / ".klide/memory").is_dir()
    repo.git("config", "core.hooksPath", ".husky/_")
    assert "left alone: " in run(cli, repo, "init", "--hooks", code=1)


def test_without_the_option_init_leaves_hooks_alone(cli: Cli, repo: Repo) -> None:
    before = listing(repo.path / ".git/hooks")
    run(cli, repo, "init")
    assert listing(repo.path / ".git/hooks") == before
