"""`git mem manifest`: two arrays and nothing else, wherever one stands."""

import json
import os
from pathlib import Path

import pytest
from inprocess import Cli
from layouts import Standpoint
from world import Repo, listing

EMPTY = '{"changed": [], "deleted": []}\n'


@pytest.fixture
def changed(repo: Repo) -> Repo:
    """A repository in which a file was edited, one is new, and one is gone."""
    repo.write("README.md", "edited\n")
    repo.write("deep/new", "1\n")
    (repo.path / "src/code.py").unlink()
    return repo


CHANGED = '{"changed": ["README.md", "deep/new"], "deleted": ["src/code.py"]}\n'


def test_the_working_tree_is_compared_with_head(cli: Cli, changed: Repo) -> None:
    before = listing(changed.path)
    result = cli(changed, "manifest")
    assert (result.code, result.out, result.err) == (0, CHANGED, "")
    assert listing(changed.path) == before


@pytest.mark.parametrize("options", [["--json"], ["--color", "always"], ["--color=never", "--json"]])
def test_the_form_is_the_same_whatever_is_asked(cli: Cli, changed: Repo, options: list[str]) -> None:
    assert cli(changed, "manifest", *options).out == CHANGED


def test_paths_are_relative_to_the_top_from_anywhere(cli: Cli, changed: Repo) -> None:
    assert cli(changed, "manifest", cwd=changed.path / "deep").out == CHANGED
    assert cli(changed, "-C", "src/..", "manifest").out == CHANGED
    linked = changed.worktree("feature")
    assert cli(linked, "manifest").out == EMPTY
    linked.write("src/x", "1\n")
    assert cli(linked, "manifest", cwd=linked.path / "src").out == '{"changed": ["src/x"], "deleted": []}\n'


def test_each_option_is_handed_on(cli: Cli, changed: Repo) -> None:
    changed.git("add", "README.md")
    assert json.loads(cli(changed, "manifest", "--cached").out) == {"changed": ["README.md"], "deleted": []}
    changed.commit("Second")
    assert json.loads(cli(changed, "manifest", "--since", "HEAD~1").out) == {"changed": ["README.md"], "deleted": []}
    everything = {"changed": ["README.md", "deep/new"], "deleted": []}
    assert json.loads(cli(changed, "manifest", "--all").out) == everything
    cached = {"changed": ["README.md", "src/code.py"], "deleted": []}
    assert json.loads(cli(changed, "manifest", "--all", "--cached").out) == cached


def test_the_raw_form_is_for_scripts(cli: Cli, changed: Repo) -> None:
    changed.write(os.fsdecode(b"caf\xe9\n"), "1\n")
    result = cli(changed, "manifest", "-z")
    assert result.stdout == b"M\0README.md\0M\0caf\xe9\n\0M\0deep/new\0D\0src/code.py\0"
    assert cli(changed, "manifest").stdout.startswith(rb'{"changed": ["README.md", "caf\udce9\n", "deep/new"]')
    changed.git("add", "-A")
    changed.commit("All")
    assert cli(changed, "manifest", "-z").stdout == b""


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--since", "nowhere"], 128, "fatal: no commit is named 'nowhere': look with `git log`, or fetch it\n"),
        (["--since", ""], 128, "fatal: no commit is named '': "),
        (["--since", "--cached"], 128, "fatal: no commit is named '--cached': "),
        (["--since", "HEAD", "--cached"], 129, "error: --since compares HEAD with a commit, and --cached does not: "),
        (["--since", "HEAD", "--all"], 129, "error: --since compares HEAD with a commit, and --all does not: "),
        (["-z", "--json"], 129, "error: -z and --json ask for two forms: choose one\n"),
        (["README.md"], 129, "error: "),
        (["--since"], 129, "error: "),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    cli: Cli, shared: Repo, arguments: list[str], code: int, told: str
) -> None:
    result = cli(shared, "manifest", *arguments)
    assert (result.code, result.out) == (code, "")
    assert result.err.startswith(told)
    assert result.err.count("\n") == 1


def test_it_needs_no_memory_and_makes_none(layout: Standpoint, cli: Cli) -> None:
    made = layout.repo.world.run("git", "ls-files", cwd=layout.worktree).out.splitlines()
    unborn = layout.repo.world.run("git", "rev-parse", "-q", "--verify", "HEAD", cwd=layout.worktree).code != 0
    result = cli(layout.repo, "manifest", cwd=layout.directory, env=layout.environ)
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out) == {"changed": made if unborn else [], "deleted": []}
    assert not layout.store.exists()


def test_a_memory_is_no_text_of_the_project(cli: Cli, repo: Repo) -> None:
    assert repo.mem("add", "Note", "--file", "README.md").code == 0
    assert cli(repo, "manifest").out == EMPTY
    tracked = repo.worktree("tracked")
    tracked.commit("Memory", {".klide/memory/a.md": "# x\n"})
    tracked.write(".klide/memory/a.md", "# y\n")
    assert cli(tracked, "manifest").out == EMPTY


CONFIG = """
[core]
    quotePath = true
    fsmonitor = /bin/false
    pager = false
[color]
    ui = always
[diff]
    noprefix = true
    relative = true
    renames = copies
    external = /bin/false
    ignoreSubmodules = none
    orderFile = /nowhere
    noIndex = true
[status]
    showUntrackedFiles = no
    relativePaths = true
[alias]
    diff-index = !false
    ls-files = !false
    check-ignore = !false
"""


def test_no_configuration_changes_the_answer(cli: Cli, changed: Repo) -> None:
    changed.write("é\n", "1\n")
    plain = cli(changed, "manifest", cwd=changed.path / "deep").stdout
    home = changed.world.root / "configured"
    home.mkdir()
    (home / ".gitconfig").write_text(CONFIG, encoding="ascii")
    asked = {"HOME": str(home), "LC_ALL": "tr_TR.UTF-8", "GIT_DIFF_OPTS": "-u0", "GIT_LITERAL_PATHSPECS": "1"}
    assert cli(changed, "manifest", cwd=changed.path / "deep", env=asked).stdout == plain


def test_outside_of_a_repository_there_is_nothing_to_compare(cli: Cli, repo: Repo) -> None:
    result = cli(repo, "manifest", cwd=Path(repo.world.root))
    assert (result.code, result.out) == (128, "")
    assert result.err.startswith("fatal: ")
