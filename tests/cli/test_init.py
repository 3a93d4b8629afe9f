"""`git mem init`: the store, the mark that keeps it out of commits, and the same again."""

import os
from pathlib import Path

import pytest
from inprocess import Cli
from program import document, entry, is_one_error, put
from world import Repo, World, listing

MARK = "/.klide/"
DRAFTS = "/.klide/drafts/"


def exclude(repo: Repo) -> Path:
    return repo.path / ".git/info/exclude"


def marks(repo: Repo) -> list[str]:
    return [line for line in exclude(repo).read_text(encoding="utf-8").splitlines() if "klide" in line]


def init(cli: Cli, repo: Repo, *args: str) -> str:
    result = cli(repo, "init", *args)
    assert (result.code, result.err) == (0, ""), result
    return result.out


def test_the_store_is_made_private_and_what_comes_next_is_told(cli: Cli, repo: Repo) -> None:
    told = init(cli, repo)
    assert (repo.path / ".klide/memory").is_dir()
    assert marks(repo) == [MARK]
    assert str(repo.path / ".klide/memory") in told
    assert [line.split()[2] for line in told.splitlines()[-3:]] == ["add", "search", "check"]
    assert repo.git("status", "--porcelain", "--untracked-files=all").out == ""


@pytest.mark.parametrize("track", [[], ["--track"]])
def test_once_more_changes_nothing_and_says_so(cli: Cli, repo: Repo, track: list[str]) -> None:
    init(cli, repo, *track)
    before = listing(repo.path)
    assert init(cli, repo, *track).startswith("Nothing to do: ")
    assert listing(repo.path) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "/.klide/\n"),
        ("", "/.klide/\n"),
        ("*.log\n", "*.log\n/.klide/\n"),
        ("*.log", "*.log\n/.klide/\n"),
        ("*.log\r\n", "*.log\r\n/.klide/\n"),
        ("/.klide/\n*.log\n", "/.klide/\n*.log\n"),
        ("/.klide/", "/.klide/"),
        ("*.log\r\n/.klide/\r\n", "*.log\r\n/.klide/\r\n"),
        ("# /.klide/ is mine\n", "# /.klide/ is mine\n/.klide/\n"),
    ],
)
def test_the_mark_is_added_once_and_no_other_byte_changes(cli: Cli, repo: Repo, before: str | None, after: str) -> None:
    if before is None:
        exclude(repo).unlink()
        exclude(repo).parent.rmdir()
    else:
        exclude(repo).write_bytes(before.encode())
    init(cli, repo)
    assert exclude(repo).read_bytes() == after.encode()
    put(repo.path / ".klide/memory", entry("x"))
    assert repo.git("status", "--porcelain", "--untracked-files=all").out == ""


def test_a_linked_exclude_file_stays_a_link(cli: Cli, repo: Repo) -> None:
    shared = repo.world.root / "shared-exclude"
    shared.write_text("*.log\n", encoding="utf-8")
    exclude(repo).unlink()
    exclude(repo).symlink_to(shared)
    init(cli, repo)
    assert exclude(repo).is_symlink()
    assert shared.read_text(encoding="utf-8") == f"*.log\n{MARK}\n"
    init(cli, repo, "--track")
    assert exclude(repo).is_symlink()
    assert shared.read_text(encoding="utf-8") == f"*.log\n{DRAFTS}\n"


def test_a_tracked_store_has_only_its_drafts_ignored(cli: Cli, repo: Repo) -> None:
    assert "tracked" in init(cli, repo, "--track")
    assert marks(repo) == [DRAFTS]
    put(repo.path / ".klide/memory", entry("x"))
    repo.write(".klide/drafts/y.md", "x\n")
    assert repo.git("status", "--porcelain", "--untracked-files=all").out == "?? .klide/memory/x.md\n"


def test_a_private_store_becomes_tracked_when_that_is_asked_for(cli: Cli, repo: Repo) -> None:
    init(cli, repo)
    assert init(cli, repo, "--track").startswith("Changed ")
    assert marks(repo) == [DRAFTS]


def test_a_tracked_store_stays_tracked_until_a_person_undoes_it(cli: Cli, repo: Repo) -> None:
    init(cli, repo, "--track")
    repo.commit("Memory", {".klide/memory/x.md": "# Notes\n\nx\n"})
    assert init(cli, repo).startswith("Nothing to do: the tracked ")
    exclude(repo).write_text("", encoding="utf-8")
    assert init(cli, repo).startswith("Nothing to do: the tracked ")
    repo.git("rm", "-q", "-r", "--cached", ".klide")
    repo.git("commit", "-q", "-m", "Untrack")
    init(cli, repo)
    assert marks(repo) == [MARK]
    assert repo.git("status", "--porcelain").out == ""


def test_a_clone_of_a_tracked_store_needs_no_init_and_stays_tracked(cli: Cli, repo: Repo) -> None:
    init(cli, repo, "--track")
    repo.commit("Memory", {".klide/memory/x.md": "# Notes\n\nzebra\n"})
    clone = repo.world.clone(repo, "clone")
    assert cli(clone, "search", "zebra").code == 0
    assert document(cli(clone, "status", "--json"))["sharing"] == "tracked"
    assert cli(clone, "add", "Added in the clone").code == 0
    assert "?? .klide/memory/" in clone.git("status", "--porcelain").out
    init(cli, clone)
    assert document(cli(clone, "status", "--json"))["sharing"] == "tracked"
    assert not any(line == MARK for line in exclude(clone).read_text(encoding="utf-8").splitlines())


def test_reads_warn_of_a_private_store_that_head_tracks(cli: Cli, repo: Repo) -> None:
    init(cli, repo)
    repo.commit("By mistake", {".klide/memory/x.md": "# Notes\n\nzebra\n"})
    linked = repo.worktree("linked")
    for args in (("list",), ("search", "zebra"), ("check",), ("show", "x"), ("status",), ("where",), ("about", "x")):
        for place in (repo, linked):
            result = cli(place, *args)
            assert result.err.startswith("warning: this store is private, but HEAD tracks .klide"), args
            assert result.err.count("\n") == (2 if args == ("about", "x") else 1)
            assert result.code in (0, 1)
    assert is_one_error(cli(linked, "add", "x"))
    init(cli, repo, "--track")
    assert cli(repo, "list").err == ""
    assert cli(linked, "add", "x").code == 0


def test_the_store_can_be_moved_inside_the_checkout(cli: Cli, repo: Repo) -> None:
    repo.git("config", "mem.store", "docs/known [facts]")
    init(cli, repo)
    assert marks(repo) == [MARK]
    assert cli(repo, "add", "Elsewhere").code == 0
    assert len(list((repo.path / "docs/known [facts]").glob("*.md"))) == 1
    assert not (repo.path / ".klide").exists()
    assert repo.git("status", "--porcelain", "--untracked-files=all").out == ""
    assert document(cli(repo, "status", "--json"))["store"] == "docs/known [facts]"
    init(cli, repo, "--track")
    assert repo.git("status", "--porcelain", "--untracked-files=all").out.startswith('?? "docs/known [facts]/')


@pytest.mark.parametrize("scope", ["global", "command line"])
def test_the_place_of_the_store_counts_from_the_repositorys_own_config_only(
    cli: Cli, repo: Repo, scope: str, tmp_path: Path
) -> None:
    if scope == "global":
        home = tmp_path / "other-home"
        home.mkdir()
        (home / ".gitconfig").write_text("[mem]\n\tstore = elsewhere\n\troot = /\n", encoding="utf-8")
        env = {"HOME": os.fspath(home)}
    else:
        env = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "mem.store", "GIT_CONFIG_VALUE_0": "elsewhere"}
    assert cli(repo, "init", env=env).code == 0
    assert (repo.path / ".klide/memory").is_dir()
    assert not (repo.path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["repo.git", ".bare"])
def test_in_a_bare_repository_the_root_is_recorded_relative_to_the_common_dir(
    cli: Cli, world: World, name: str
) -> None:
    seed = world.repo("seed")
    seed.commit("Start", {"a": "1\n"})
    (world.root / "hub").mkdir()
    bare = Repo(world, world.root / "hub" / name)
    world.git("clone", "-q", "--bare", seed.path, bare.path, cwd=world.root)
    one, two = bare.worktree("one"), bare.worktree("two")
    for args in (("list",), ("add", "x"), ("where",)):
        result = cli(one, *args)
        assert result.code == 128
        assert "git mem init" in result.err
    assert "git mem init" not in init(cli, one).splitlines()[0]
    assert one.git("config", "--local", "mem.root").line == (".." if name == ".bare" else ".")
    root = bare.path.parent if name == ".bare" else bare.path
    assert cli(two, "add", "Shared").code == 0
    assert len(list((root / ".klide/memory").glob("*.md"))) == 1
    assert cli(one, "search", "shared").code == 0
    assert not (one.path / ".klide").exists()
    assert init(cli, two).startswith("Nothing to do: ")


def test_a_separate_git_dir_gets_its_root_recorded_relative_to_it(cli: Cli, world: World) -> None:
    repo = world.repo("work", f"--separate-git-dir={world.root / 'elsewhere.git'}")
    repo.commit("Start", {"a": "1\n"})
    linked = repo.worktree("linked")
    before = listing(world.root)
    result = cli(linked, "init")
    assert result.code == 128
    assert "git mem init" in result.err
    assert listing(world.root) == before
    init(cli, repo)
    assert repo.git("config", "--local", "mem.root").line == "../work"
    assert cli(linked, "add", "From the linked worktree").code == 0
    assert len(list((repo.path / ".klide/memory").glob("*.md"))) == 1


def test_adding_first_in_a_separate_git_dir_records_the_root_too(cli: Cli, world: World) -> None:
    repo = world.repo("work", f"--separate-git-dir={world.root / 'elsewhere.git'}")
    repo.commit("Start", {"a": "1\n"})
    assert cli(repo, "add", "First").code == 0
    assert repo.git("config", "--local", "mem.root").line == "../work"
    assert cli(repo.worktree("linked"), "search", "first").code == 0


def test_in_an_ordinary_repository_no_root_is_recorded(cli: Cli, repo: Repo) -> None:
    init(cli, repo)
    assert repo.git("config", "--local", "mem.root", accept=(1,)).out == ""


def test_from_a_linked_worktree_the_store_is_made_in_the_main_checkout(cli: Cli, repo: Repo) -> None:
    linked = repo.worktree("linked")
    init(cli, linked)
    assert (repo.path / ".klide/memory").is_dir()
    assert not (linked.path / ".klide").exists()
    assert marks(repo) == [MARK]
    assert linked.git("status", "--porcelain").out == ""


def test_a_name_on_disk_cannot_reach_the_terminal(cli: Cli, world: World) -> None:
    repo = world.repo("red \x1b[31m\nfatal: forged")
    for args in (("init",), ("where",)):
        result = cli(repo, *args)
        assert result.code == 0
        assert "\x1b" not in result.out
        assert not any(line.startswith("fatal: ") for line in result.out.splitlines())
