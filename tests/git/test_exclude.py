"""Private or tracked: the mark in `info/exclude` against what git itself then ignores, stages and tracks."""

import os
import stat
from pathlib import Path, PurePosixPath

import pytest
from layouts import Standpoint, with_commit
from world import Repo, World, listing

from gitmem.git.exclude import Sharing, head_tracks, is_endangered, make_private, make_tracked, read_sharing
from gitmem.git.run import Git

STORE = PurePosixPath(".klide/memory")


def common_dir(repo: Repo) -> Path:
    return Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").line)


def exclude_file(repo: Repo) -> Path:
    return common_dir(repo) / "info" / "exclude"


def sharing(repo: Repo, store: PurePosixPath = STORE) -> Sharing:
    return read_sharing(Git(repo.world.env), repo.path, common_dir(repo), store)


def ignored(repo: Repo, path: str) -> bool:
    return repo.git("check-ignore", "-q", "--no-index", path, accept=(0, 1)).code == 0


def test_a_private_store_is_never_staged_and_survives_a_clean(repo: Repo) -> None:
    repo.write(".klide/memory/a.md", "a\n")
    assert sharing(repo) is Sharing.UNDECIDED
    assert make_private(common_dir(repo), STORE)
    assert sharing(repo) is Sharing.PRIVATE
    assert repo.git("status", "--porcelain").out == ""
    repo.git("add", "-A")
    repo.git("clean", "-fdq")
    assert repo.git("diff", "--cached", "--name-only").out == ""
    assert (repo.path / ".klide/memory/a.md").exists()


def test_every_worktree_ignores_a_private_store(layout: Standpoint) -> None:
    make_private(common_dir(layout.repo), STORE)
    layout.repo.write(".klide/memory/a.md", "a\n")
    assert ignored(layout.repo, ".klide/memory/a.md")
    assert ".klide" not in layout.repo.git("status", "--porcelain").out


def test_a_tracked_store_keeps_only_its_drafts_private(repo: Repo) -> None:
    make_private(common_dir(repo), STORE)
    assert make_tracked(common_dir(repo), STORE)
    assert sharing(repo) is Sharing.TRACKED
    repo.write(".klide/memory/a.md", "a\n")
    repo.write(".klide/drafts/b.md", "b\n")
    assert not ignored(repo, ".klide/memory/a.md")
    assert ignored(repo, ".klide/drafts/b.md")


@pytest.mark.parametrize("store", [".klide/memory", "docs/memory", "a b/[x]*?!#\\y", "日本"])
def test_a_store_elsewhere_is_ignored_there_and_nowhere_else(repo: Repo, store: str) -> None:
    path = PurePosixPath(store)
    make_private(common_dir(repo), path)
    assert ignored(repo, f"{store}/a.md")
    assert ignored(repo, ".klide/drafts/a.md")
    assert not ignored(repo, f"deeper/{store}/a.md")
    assert not ignored(repo, f"{path.parts[0]}-other/a.md")
    assert make_tracked(common_dir(repo), path)
    assert not ignored(repo, f"{store}/a.md")
    assert ignored(repo, ".klide/drafts/a.md")


@pytest.mark.parametrize("before", [b"", b"*.log\n", b"*.log", b"# a\r\n*.log\r\n", b"caf\xe9\n", None])
def test_marking_twice_changes_nothing_and_other_lines_stay(repo: Repo, before: bytes | None) -> None:
    path = exclude_file(repo)
    if before is None:
        path.unlink()
        path.parent.rmdir()
    else:
        path.write_bytes(before)
    assert make_private(common_dir(repo), STORE)
    once = path.read_bytes()
    assert once.startswith(before or b"")
    assert once.split(b"\n").count(b"/.klide/") == 1
    assert not make_private(common_dir(repo), STORE)
    assert path.read_bytes() == once
    assert make_tracked(common_dir(repo), STORE)
    tracked = path.read_bytes()
    assert tracked.startswith(before or b"")
    assert not make_tracked(common_dir(repo), STORE)
    assert path.read_bytes() == tracked


@pytest.mark.parametrize(
    "line", ["/.klide/", "/.klide/\r", "/.klide/ ", "/.klide/\t", "/.klide/\xa0", "#/.klide/", " /.klide/", "!/.klide/"]
)
def test_a_line_counts_as_the_mark_only_if_git_reads_it_so(repo: Repo, line: str) -> None:
    exclude_file(repo).write_bytes(f"{line}\n".encode())
    repo.write(".klide/memory/a.md", "a\n")
    assert (sharing(repo) is Sharing.PRIVATE) == ignored(repo, ".klide/memory/a.md")


def test_an_exclude_file_that_people_share_through_a_link_stays_one(repo: Repo) -> None:
    shared = repo.world.root / "shared-exclude"
    shared.write_bytes(b"*.log\n")
    exclude_file(repo).unlink()
    exclude_file(repo).symlink_to(shared)
    make_private(common_dir(repo), STORE)
    make_tracked(common_dir(repo), STORE)
    assert exclude_file(repo).is_symlink()
    assert shared.read_bytes() == b"*.log\n/.klide/drafts/\n"


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_the_exclude_file_keeps_its_mode(repo: Repo, mode: int) -> None:
    make_private(common_dir(repo), STORE)
    exclude_file(repo).chmod(mode)
    make_tracked(common_dir(repo), STORE)
    assert stat.S_IMODE(exclude_file(repo).stat().st_mode) == mode
    assert sorted(os.listdir(exclude_file(repo).parent)) == ["exclude"]  # noqa: PTH208 - only names are compared


def test_git_tells_whether_head_tracks_the_store(repo: Repo) -> None:
    git = Git(repo.world.env)
    assert not head_tracks(git, repo.path, STORE)
    repo.commit("Store", {".klide/memory/a.md": "a\n"})
    assert head_tracks(git, repo.path, STORE)
    assert sharing(repo) is Sharing.TRACKED
    repo.git("rm", "-q", "--cached", "-r", ".klide")
    assert head_tracks(git, repo.path, STORE)
    repo.git("commit", "-q", "-m", "Untrack")
    assert not head_tracks(git, repo.path, STORE)


@pytest.mark.parametrize("name", [".klide/drafts/a.md", "notes/memory/a.md", ".klide"])
def test_anything_tracked_at_the_place_counts(repo: Repo, name: str) -> None:
    repo.commit("Store", {name: "a\n"})
    assert head_tracks(Git(repo.world.env), repo.path, PurePosixPath("notes/memory"))


@pytest.mark.parametrize("name", ["klide/a.md", "deeper/.klide/memory/a.md", "notes/other.md", ".klide2/a.md"])
def test_nothing_else_counts(repo: Repo, name: str) -> None:
    repo.commit("Other", {name: "a\n"})
    assert not head_tracks(Git(repo.world.env), repo.path, PurePosixPath("notes/memory"))


def test_an_unborn_branch_tracks_nothing(world: World) -> None:
    repo = world.repo()
    assert not head_tracks(Git(world.env), repo.path, STORE)
    assert sharing(repo) is Sharing.UNDECIDED


def test_a_store_is_endangered_when_it_is_private_and_yet_tracked_by_the_main_checkout(repo: Repo) -> None:
    git, common = Git(repo.world.env), common_dir(repo)
    linked = repo.worktree("feature")
    assert not is_endangered(git, repo.path, common, STORE)
    make_private(common, STORE)
    linked.commit("Store", {".klide/memory/a.md": "a\n"})
    assert not is_endangered(git, repo.path, common, STORE)
    repo.git("merge", "-q", "feature")
    assert is_endangered(git, repo.path, common, STORE)
    make_tracked(common, STORE)
    assert not is_endangered(git, repo.path, common, STORE)


def test_a_bare_repository_has_no_checkout_that_could_overwrite_the_store(world: World) -> None:
    repo = with_commit(world.repo())
    repo.commit("Store", {".klide/memory/a.md": "a\n"})
    make_private(common_dir(repo), STORE)
    assert not is_endangered(Git(world.env), None, common_dir(repo), STORE)


def test_asking_writes_nothing(repo: Repo) -> None:
    make_private(common_dir(repo), STORE)
    before = listing(repo.world.root)
    sharing(repo)
    is_endangered(Git(repo.world.env), repo.path, common_dir(repo), STORE)
    assert listing(repo.world.root) == before
