"""All formats on what a check finds in a real repository: they agree, and they repeat themselves."""

import json
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from cli.formats.findings import STORE, one_of_each
from world import Repo, World

from gitmem.cli.formats import github, gitlab, junit, sarif
from gitmem.entry.model import ReviewState
from gitmem.porcelain.check import Checked, check
from gitmem.workspace import open_workspace

Render = Callable[[Checked, PurePosixPath], str]
RENDERERS: tuple[Render, ...] = (github.render, gitlab.render, sarif.render, junit.render)
ODD = "odd, 100%: é[1] \u202e.py"


def add(repo: Repo, title: str, *args: str) -> str:
    done = repo.mem("add", title, *args)
    assert done.code == 0, done
    return done.line


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, dict[str, str]]:
    """A tracked store with an entry that is current, two that are stale, and two that are unverified."""
    repo = World(tmp_path_factory.mktemp("formats")).repo()
    repo.commit("Start", {"a.py": "one\ntwo\nthree\n", "b.py": "1\n", ODD: "odd\n"})
    assert repo.mem("init", "--track").code == 0
    idents = {
        "lines": add(repo, "About line two", "--file", "a.py:2"),
        "odd": add(repo, "About the odd one", "--file", ODD, "--run", "run-7"),
        "current": add(repo, "About b", "--file", "b.py", "--run", "run-7"),
        "bare": add(repo, "Without evidence"),
        "run": add(repo, "Only a run", "--run", "run-7"),
    }
    repo.commit("Break", {"a.py": "one\nTWO\nthree\n", ODD: "even\n"})
    return repo, idents


def result(repo: Repo) -> tuple[Checked, PurePosixPath]:
    workspace = open_workspace(repo.path, repo.world.env)
    return check(workspace, [], states=list(ReviewState)), workspace.layout.store_path


def test_every_format_points_at_the_same_files_and_lines(broken: tuple[Repo, dict[str, str]]) -> None:
    repo, idents = broken
    checked, store = result(repo)
    bare, run = (f".klide/memory/{idents[name]}.md" for name in ("bare", "run"))
    expected = {("error", "a.py", 2), ("error", ODD, None), ("warning", bare, None), ("warning", run, None)}

    issues = json.loads(gitlab.render(checked, store))
    levels = {"major": "error", "minor": "warning"}
    assert {
        (levels[one["severity"]], one["location"]["path"], one["location"]["lines"]["begin"]) for one in issues
    } == {(level, path, line or 1) for level, path, line in expected}
    assert {_sarif_place(one) for one in json.loads(sarif.render(checked, store))["runs"][0]["results"]} == expected
    assert {line.split(" ")[0] for line in github.render(checked, store).splitlines()} == {"::error", "::warning"}


def _sarif_place(one: dict[str, Any]) -> tuple[str, str, int | None]:
    location = one["locations"][0]["physicalLocation"]
    return one["level"], unquote(location["artifactLocation"]["uri"]), location.get("region", {}).get("startLine")


def test_a_path_in_sarif_is_the_path_that_git_has(broken: tuple[Repo, dict[str, str]]) -> None:
    repo, _ = broken
    tracked = repo.git("ls-files", "-z").out.split("\0")
    places = [_sarif_place(one) for one in json.loads(sarif.render(*result(repo)))["runs"][0]["results"]]
    assert {path for level, path, _ in places if level == "error"} <= set(tracked)


def test_in_a_linked_worktree_an_entry_is_named_by_its_path_in_the_main_checkout(
    broken: tuple[Repo, dict[str, str]],
) -> None:
    repo, idents = broken
    linked = repo.worktree("linked")
    output = github.render(*result(linked))
    assert f"file=.klide/memory/{idents['bare']}.md," in output


def test_junit_has_a_case_for_each_entry(broken: tuple[Repo, dict[str, str]]) -> None:
    repo, idents = broken
    root = ET.fromstring(junit.render(*result(repo)))  # noqa: S314 - what was just written
    cases = {
        re.sub(r".*\((.*)\)", r"\1", str(case.get("name"))): [child.tag for child in case]
        for case in root.iter("testcase")
    }
    outcomes = {"lines": ["failure"], "odd": ["failure"], "current": [], "bare": ["skipped"], "run": ["skipped"]}
    assert cases == {idents[name]: outcome for name, outcome in outcomes.items()}


def test_fingerprints_stay_when_lines_move_and_head_does(broken: tuple[Repo, dict[str, str]], world: World) -> None:
    repo, _ = broken
    clone = world.clone(repo, "clone")
    for ident in (repo.path / ".klide/memory").glob("*.md"):
        clone.write(f".klide/memory/{ident.name}", ident.read_bytes())
    before = {one["fingerprint"] for one in json.loads(gitlab.render(*result(clone)))}
    clone.commit("Move and change more", {"a.py": "zero\none\nTWO!\nthree\n", "c.py": ""})
    assert {one["fingerprint"] for one in json.loads(gitlab.render(*result(clone)))} == before


@pytest.mark.parametrize("render", RENDERERS)
def test_the_same_findings_give_the_same_bytes(render: Render) -> None:
    assert render(one_of_each(), STORE) == render(one_of_each(), STORE)
