"""Wherever one stands: reads make nothing, writes land in the one store, hooks and aliases see the same."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from layouts import Standpoint, submodule, with_commit
from program import document, entry, git_mem_on_path, is_one_error, put, several
from world import Repo, World, listing

from gitmem.entry.model import Entry, ReviewState, SourceRef

READS = (["where"], ["list"], ["show", "x"], ["search", "x"], ["check"], ["about", "README.md"], ["status"])


def test_reads_make_nothing_in_any_layout(layout: Standpoint) -> None:
    before = listing(layout.repo.world.root)
    several(layout.repo, *READS, cwd=layout.directory, env=layout.extra)
    assert listing(layout.repo.world.root) == before


def test_one_store_is_made_and_written_to_in_any_layout(layout: Standpoint) -> None:
    commands = (["init"], ["init"], ["add", "Zebra rule", "--json"], ["search", "zebra", "--json"])
    done = several(layout.repo, *commands, cwd=layout.directory, env=layout.extra)
    assert done.err == ""
    lines = done.out.splitlines()
    assert [line for line in lines if line.startswith("Nothing to do: ")] == [lines[-3]]
    ident = json.loads(lines[-2])["id"]
    assert [hit["id"] for hit in json.loads(lines[-1])["hits"]] == [ident]
    assert (layout.store / f"{ident}.md").is_file()
    stores = list(layout.repo.world.root.rglob(".klide"))
    assert stores == [layout.root / ".klide"]
    for place in {layout.worktree, layout.main or layout.worktree}:
        status = Repo(layout.repo.world, place).git("status", "--porcelain", "--untracked-files=all")
        assert ".klide" not in status.out


def test_a_private_store_is_swept_up_by_nothing(repo: Repo) -> None:
    ident = repo.mem("add", "Keep me").line
    linked = repo.worktree("linked")
    repo.git("add", "-A")
    assert repo.git("diff", "--cached", "--name-only").out == ""
    assert repo.git("status", "--porcelain").out == ""
    repo.git("clean", "-fdq")
    repo.git("stash", "--include-untracked")
    repo.git("checkout", "-q", "-b", "other")
    assert linked.git("status", "--porcelain").out == ""
    assert document(repo.mem("search", "keep", "--json"))["hits"][0]["id"] == ident
    assert not (repo.path / ".gitignore").exists()


def hook(repo: Repo, name: str, out: Path) -> None:
    """Install a hook that searches, and writes where it stands, what it finds and how that ended."""
    path = Path(repo.git("rev-parse", "--path-format=absolute", "--git-path", f"hooks/{name}").line)
    path.parent.mkdir(exist_ok=True)
    commands = "git-mem where --json; git-mem search zebra --json; echo $?; git-mem check --json >/dev/null; echo $?"
    path.write_text(f'#!/bin/sh\n{{ {commands}; }} >"{out}" 2>&1\n', encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize("place", ["main", "linked", "submodule", "linked of a submodule"])
def test_a_hook_sees_the_store_of_the_worktree_that_it_runs_in(world: World, place: str) -> None:
    main = submodule(world) if "submodule" in place else with_commit(world.repo())
    repo = main.worktree("linked") if "linked" in place else main
    put(main.path / ".klide/memory", entry("here", title="Zebra"))
    if "submodule" in place:
        put(world.root / "super/.klide/memory", entry("not-here", title="Zebra"))
    out = world.root / "hook.out"
    hook(repo, "post-commit", out)
    repo.git("commit", "-q", "--allow-empty", "-m", "Run it", env=git_mem_on_path(world))
    where, found, code, checked = out.read_text(encoding="utf-8").splitlines()
    assert json.loads(where)["worktree"] == str(repo.path)
    assert json.loads(where)["store"] == str(main.path / ".klide/memory")
    assert [hit["id"] for hit in json.loads(found)["hits"]] == ["here"]
    assert (code, checked) == ("0", "0")


def test_a_hook_of_a_rebase_and_of_a_new_worktree_sees_the_store_too(repo: Repo) -> None:
    put(repo.path / ".klide/memory", entry("here", title="Zebra"))
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("On the branch", {"b.txt": "x\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("On main", {"a.txt": "x\n"})
    out = repo.world.root / "hook.out"
    for name, command in (("post-checkout", ("worktree", "add", "-q", repo.world.root / "w")), ("post-rewrite", ())):
        hook(repo, name, out)
        if command:
            repo.git(*command, env=git_mem_on_path(repo.world))
        else:
            repo.git("rebase", "-q", "main", "topic", env=git_mem_on_path(repo.world))
        assert '"id": "here"' in out.read_text(encoding="utf-8"), name
        out.unlink()


@pytest.mark.parametrize(
    "env", [{"GIT_INDEX_FILE": ".git/index"}, {"GIT_INDEX_FILE": "/nowhere"}, {"GIT_OBJECT_DIRECTORY": "/nowhere"}]
)
def test_what_git_hands_to_its_children_misleads_nobody(repo: Repo, env: Mapping[str, str]) -> None:
    put(repo.path / ".klide/memory", entry("c", source_refs=(SourceRef(source_type="commit", id=repo.rev()),)))
    linked = repo.worktree("linked")
    found = document(linked.mem("check", "--json", cwd=linked.path / "src", env=env))
    assert found["summary"] == {"current": 1, "stale": 0, "unverified": 0}


def test_an_alias_keeps_paths_relative_to_where_one_stood(repo: Repo) -> None:
    linked = repo.worktree("linked")
    path = git_mem_on_path(repo.world)
    alias = ("-c", "alias.mm=!git-mem")
    for place in (repo, linked):
        answer = place.git(
            *alias, "mm", "add", "Zebra", "--file", "code.py:2", "--json", cwd=place.path / "src", env=path
        )
        shown = document(place.mem("show", document(answer)["id"], "--json"))["entry"]
        assert shown["filesTouched"] == ["src/code.py"]
        about = place.git(*alias, "mm", "about", "code.py", "--json", cwd=place.path / "src", env=path)
        assert document(about)["entries"]
    assert len(list((repo.path / ".klide/memory").glob("*.md"))) == 2


def test_another_repositorys_git_dir_is_refused_and_ones_own_is_not(repo: Repo) -> None:
    put(repo.path / ".klide/memory", entry("here", title="Zebra"))
    other = with_commit(repo.world.repo("other"))
    put(other.path / ".klide/memory", entry("there", title="Zebra"))
    path = git_mem_on_path(repo.world)
    before = listing(repo.world.root)
    for args in (("search", "zebra", "--json"), ("add", "planted")):
        refused = repo.git(f"--git-dir={other.path / '.git'}", "mem", *args, env=path, accept=(128,))
        assert is_one_error(refused)
        assert "GIT_DIR" in refused.err
    assert listing(repo.world.root) == before
    own = repo.git("--git-dir=.git", "mem", "search", "zebra", "--json", env=path)
    assert [hit["id"] for hit in document(own)["hits"]] == ["here"]


def test_each_worktree_has_its_own_truth(repo: Repo) -> None:
    linked = repo.worktree("feature")
    linked.commit("A tool", {"tool.sh": "new\n"})
    ident = linked.mem("add", "Use the tool", "--file", "tool.sh", "--commit", "HEAD").line
    for _ in range(2):
        assert document(linked.mem("check", ident, "--json"))["entries"][0]["verdict"] == "current"
        assert document(repo.mem("check", ident, "--json"))["entries"][0]["verdict"] != "current"
    hit = document(repo.mem("search", "tool", "--json"))["hits"][0]
    assert (hit["id"], hit["verdict"] == "current") == (ident, False)


def test_a_moved_main_checkout_is_named_with_its_remedy(repo: Repo) -> None:
    linked = repo.worktree("linked")
    put(repo.path / ".klide/memory", entry("here", title="Zebra"))
    moved = Repo(repo.world, repo.world.root / "moved")
    repo.path.rename(moved.path)
    before = listing(linked.path)
    result = linked.mem("add", "x")
    assert result.code == 128
    assert is_one_error(result)
    assert "git worktree repair" in result.err
    assert listing(linked.path) == before
    moved.git("worktree", "repair", linked.path)
    assert linked.mem("search", "zebra").code == 0


def test_a_forged_or_copied_worktree_reads_and_writes_nothing(repo: Repo) -> None:
    put(repo.path / ".klide/memory", entry("secret", title="Zebra"))
    linked = repo.worktree("linked")
    forged = repo.world.root / "forged"
    forged.mkdir()
    (forged / ".git").write_bytes((linked.path / ".git").read_bytes())
    before = listing(repo.world.root)
    for args in (("search", "zebra", "--json"), ("show", "secret"), ("add", "planted"), ("init",)):
        result = Repo(repo.world, forged).mem(*args)
        assert result.code == 128
        assert is_one_error(result)
    assert listing(repo.world.root) == before


OLD, NEW = "tokens-live-a-day", "tokens-live-an-hour"


def retired(sort: str) -> tuple[Entry, Entry]:
    """Return an old entry and a new one that replaces it, or does not, in one of several ways."""
    ref = (SourceRef(source_type="file", id="README.md", path="README.md"),)
    old = entry(OLD, title="Tokens live 24h", tags=("auth", "all"), source_refs=ref)
    new = entry(
        NEW, title="Tokens live 1h", tags=("auth",), supersedes=OLD, source_refs=ref, date="2026-02-01T00:00:00Z"
    )
    states = {
        "by pointer": ReviewState.REVIEWED,
        "by a stale one": ReviewState.STALE,
        "by a draft": ReviewState.PROPOSED,
    }
    return old, Entry(**{**{name: getattr(new, name) for name in Entry.__slots__}, "review_state": states[sort]})


@pytest.mark.parametrize(("sort", "active"), [("by pointer", False), ("by a stale one", False), ("by a draft", True)])
def test_all_readers_agree_on_what_is_superseded(repo: Repo, sort: str, active: bool) -> None:
    put(repo.path / ".klide/memory", *retired(sort))
    commands = (
        ["search", "24h", "--json"],
        ["search", "tokens", "--tag", "all", "--json"],
        ["search", "tokens", "--kind", "fact", "-n", "20", "--json"],
        ["search", "README.md", "--json"],
        ["list", "--json"],
        ["check", "--json"],
        ["about", "README.md", "--json"],
    )
    for words, line in zip(commands, several(repo, *commands).out.splitlines(), strict=True):
        assert (f'"{OLD}"' in re.sub(r'"supersedes": "[^"]*"', "", line)) is active, words
    assert repo.mem("show", OLD).code == (0 if active else 1)
    found = document(repo.mem("search", "24h", "--include-inactive", "--json"))["hits"]
    state = "reviewed" if active else "superseded"
    assert [(hit["id"], hit["entry"]["reviewState"]) for hit in found] == [(OLD, state)]
    counts = document(repo.mem("status", "--json"))["states"]
    assert counts["superseded"] == (0 if active else 1)


def test_without_evidence_in_git_nothing_is_current(repo: Repo) -> None:
    head = SourceRef(source_type="commit", id=repo.rev())
    missing = SourceRef(source_type="file", id="README.md", path="README.md", blob="1" * 40, text_hash="sha256:00")
    store = repo.path / ".klide/memory"
    put(
        store,
        entry("none"),
        entry("run", source_refs=(SourceRef(source_type="run", id="r"), SourceRef(source_type="transcript", id="t"))),
        entry("ticket", source_refs=(head, SourceRef(source_type="ticket", id="T-1"))),
        entry("both", source_refs=(head, missing)),
        entry("with-run", source_refs=(head, SourceRef(source_type="run", id="r"))),
    )
    (store / "legacy.md").write_text("# Notes\n\nx\n", encoding="utf-8")
    found = json.loads(repo.mem("check", "--json").out)["entries"]
    assert {one["id"]: one["verdict"] for one in found} == {
        "none": "unverified",
        "run": "unverified",
        "ticket": "unverified",
        "legacy": "unverified",
        "both": "stale",
        "with-run": "current",
    }


def test_titles_by_hand_are_read_or_reported(repo: Repo) -> None:
    titles = [
        "Use cache: no",
        "[WIP] tidy",
        "@scope/pkg",
        "`foo` is gone",
        "*star",
        "%d",
        "- dash",
        "!x y",
        "C:\\new",
        "null",
    ]
    for number, title in enumerate(titles):
        repo.write(f".klide/memory/h{number}.md", f"---\ntitle: {title}\nreviewState: reviewed\n---\nx\n")
    answers = several(repo, ["list", "--state", "all", "--json"], ["status", "--json"]).out.splitlines()
    listed = {one["id"] for one in json.loads(answers[0])["entries"]}
    invalid = {Path(one["file"]).stem for one in json.loads(answers[1])["invalid"]}
    assert listed | invalid == {f"h{number}" for number in range(len(titles))}
    assert not listed & invalid
