"""What `git mem manifest` answers, and the two forms in which it is printed."""

import json
import os
from pathlib import Path

import pytest
from program import faults
from world import Repo

from gitmem.errors import UsageError
from gitmem.manifest.model import Manifest, make_manifest, parse_manifest
from gitmem.porcelain.manifest import manifest, manifest_json, name_status
from gitmem.workspace import Workspace, open_workspace

ODD = make_manifest(
    ["a", "日本/é", "nl\n", "\u202eevil", "sep\u2028", '"q"', "caf\udce9", "\U000e0041"], ["b\x7f", "z"]
)


def workspace_of(repo: Repo) -> Workspace:
    return open_workspace(repo.path, repo.world.env)


def test_each_option_asks_its_own_question(repo: Repo) -> None:
    repo.commit("Second", {"second": "1\n"})
    repo.write("staged", "1\n")
    repo.git("add", "staged")
    repo.write("untracked", "1\n")
    workspace = workspace_of(repo)
    assert manifest(workspace) == Manifest(("staged", "untracked"))
    assert manifest(workspace, cached=True) == Manifest(("staged",))
    assert manifest(workspace, since="HEAD~1") == Manifest(("second",))
    tracked = ("README.md", "second", "src/code.py", "staged")
    assert manifest(workspace, whole=True) == Manifest((*tracked, "untracked"))
    assert manifest(workspace, whole=True, cached=True) == Manifest(tracked)


@pytest.mark.parametrize(("options", "named"), [({"cached": True}, "--cached"), ({"whole": True}, "--all")])
def test_a_range_is_asked_for_alone(repo: Repo, options: dict[str, bool], named: str) -> None:
    with pytest.raises(UsageError, match=f"--since compares HEAD with a commit, and {named} does not: choose one"):
        manifest(workspace_of(repo), since="HEAD", **options)


def test_it_is_json_on_one_line_in_which_nothing_is_hidden() -> None:
    text = manifest_json(ODD)
    assert text == (
        r'{"changed": ["\"q\"", "a", "caf\udce9", "nl\n", "sep\u2028", "\u202eevil", "日本/é", "\udb40\udc41"], '
        r'"deleted": ["b\u007f", "z"]}'
    )
    assert json.loads(text).keys() == {"changed", "deleted"}
    assert parse_manifest(text.encode("utf-8")) == ODD
    assert faults("manifest", json.loads(text)) == []
    assert manifest_json(Manifest()) == '{"changed": [], "deleted": []}'


@pytest.mark.parametrize(
    "wrong",
    [
        {"changed": []},
        {"schemaVersion": 1, "changed": [], "deleted": []},
        {"changed": ["/a"], "deleted": []},
        {"changed": ["a", "a"], "deleted": []},
        {"changed": [1], "deleted": []},
    ],
)
def test_the_schema_finds_out_what_is_no_manifest(wrong: object) -> None:
    assert faults("manifest", wrong)


def test_the_raw_form_is_in_the_order_of_paths_with_nothing_escaped() -> None:
    made = make_manifest(["b", "caf\udce9", "nl\n"], ["a/x", "c", "\u202e"])
    rows = [b"D\0a/x", b"M\0b", b"D\0c", b"M\0caf\xe9", b"M\0nl\n", b"D\0\xe2\x80\xae"]
    assert name_status(made) == b"".join(row + b"\0" for row in rows)
    assert name_status(Manifest()) == b""


def test_the_raw_form_is_that_of_git(repo: Repo) -> None:
    repo.commit("Files", dict.fromkeys(("a/x", "a-x", "gone", "é", os.fsdecode(b"\xff"), "a.x", "nl\n"), "1\n"))
    for path in Path(repo.path).iterdir():
        if path.is_file():
            path.write_text("2\n", encoding="ascii")
    (repo.path / "gone").unlink()
    (repo.path / "a/x").unlink()
    expected = repo.git("diff", "--name-status", "--no-renames", "-z", "HEAD").stdout
    assert name_status(manifest(workspace_of(repo))) == expected
