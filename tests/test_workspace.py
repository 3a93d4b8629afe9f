"""What a verb works on: opened late, read once, and never created by a reader."""

import os
import subprocess
from pathlib import Path

import pytest
from layouts import Standpoint
from world import Repo, World, listing

from gitmem.entry.format import format_entry
from gitmem.entry.model import Entry, ReviewState
from gitmem.git.exclude import Sharing, make_private
from gitmem.git.layout import LayoutError
from gitmem.settings import ReviewBoundary, SettingError
from gitmem.storage.lock import LockedError
from gitmem.store.read import BadIdError, NoSuchEntryError
from gitmem.workspace import EndangeredStoreError, Workspace, open_workspace


def workspace(repo: Repo) -> Workspace:
    return open_workspace(repo.path, repo.world.env)


def put(store: Path, entry: Entry) -> None:
    store.mkdir(parents=True, exist_ok=True)
    (store / f"{entry.id}.md").write_bytes(format_entry(entry))


def entry(ident: str, *, day: int = 1, supersedes: str | None = None) -> Entry:
    return Entry(id=ident, title=ident, date=f"2026-01-{day:02}T00:00:00Z", supersedes=supersedes)


def test_reading_a_store_creates_nothing_in_any_layout(layout: Standpoint) -> None:
    before = listing(layout.repo.world.root)
    opened = open_workspace(layout.directory, layout.environ)
    assert (opened.layout.store, opened.store_exists) == (layout.store, False)
    assert (opened.contents.exists, opened.contents.entries) == (False, ())
    assert opened.sharing() is Sharing.UNDECIDED
    assert not opened.endangered
    assert opened.settings.lock_timeout == 10
    with pytest.raises(NoSuchEntryError):
        opened.entry("2026-01-01-0000-none")
    assert listing(layout.repo.world.root) == before
    put(layout.store, entry("one"))
    later = open_workspace(layout.directory, layout.environ)
    assert later.store_exists
    assert [found.id for found in later.contents.entries] == ["one"]


def test_all_worktrees_share_one_store(repo: Repo) -> None:
    linked = repo.worktree("feature")
    put(repo.path / ".klide/memory", entry("one"))
    for place in (repo, linked):
        assert [found.id for found in workspace(place).contents.entries] == ["one"]
        assert workspace(place).layout.worktree == place.path


def test_the_repository_is_seen_from_the_worktree_that_asks(repo: Repo) -> None:
    linked = repo.worktree("feature")
    linked.commit("Later", {"x": "1\n"})
    for place in (repo, linked):
        assert workspace(place).repository.head.oid == place.rev()


def test_what_is_no_repository_is_refused(world: World) -> None:
    with pytest.raises(LayoutError, match="not a git repository"):
        open_workspace(world.root, world.env)


def test_entries_come_newest_first(repo: Repo) -> None:
    store = repo.path / ".klide/memory"
    for ident, day in (("b", 2), ("a", 1), ("c", 2)):
        put(store, entry(ident, day=day))
    assert [found.id for found in workspace(repo).contents.entries] == ["b", "c", "a"]


def test_a_pointer_supersedes_whatever_the_old_file_says(repo: Repo) -> None:
    store = repo.path / ".klide/memory"
    put(store, entry("old"))
    put(store, entry("new", supersedes="old"))
    opened = workspace(repo)
    assert {found.id: found.review_state for found in opened.contents.entries} == {
        "old": ReviewState.SUPERSEDED,
        "new": ReviewState.REVIEWED,
    }
    found, data = opened.entry("old")
    assert found.review_state is ReviewState.SUPERSEDED
    assert data == (store / "old.md").read_bytes()
    assert b"reviewState: reviewed" in data


def test_the_store_is_read_once(repo: Repo) -> None:
    store = repo.path / ".klide/memory"
    put(store, entry("one"))
    opened = workspace(repo)
    first = opened.contents
    put(store, entry("two"))
    assert opened.contents is first
    assert len(workspace(repo).contents.entries) == 2


def test_an_id_is_checked_before_the_store_is_looked_at(repo: Repo) -> None:
    with pytest.raises(BadIdError):
        workspace(repo).entry("../x")


def test_settings_are_those_of_git_in_this_worktree(repo: Repo) -> None:
    linked = repo.worktree("feature")
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "mem.lockTimeout", "3")
    repo.git("config", "mem.reviewBoundary", "terminal")
    linked.git("config", "--worktree", "mem.lockTimeout", "4")
    repo.world.configure("[mem]\n\tlockTimeout = 5\n\tofTheFuture = 1\n")
    assert [workspace(place).settings.lock_timeout for place in (repo, linked)] == [3, 4]
    assert workspace(linked).settings.review_boundary is ReviewBoundary.TERMINAL
    repo.git("config", "mem.lockTimeout", "soon")
    with pytest.raises(SettingError):
        _ = workspace(repo).settings


def test_settings_of_the_calling_command_count(repo: Repo) -> None:
    env = {
        **repo.world.env,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "mem.lockTimeout",
        "GIT_CONFIG_VALUE_0": "7",
    }
    assert open_workspace(repo.path, env).settings.lock_timeout == 7


def test_all_worktrees_share_one_lock(repo: Repo) -> None:
    linked = repo.worktree("feature")
    repo.git("config", "mem.lockTimeout", "0")
    with (
        workspace(linked).writing(),
        pytest.raises(LockedError, match=f"process {os.getpid()}"),
        workspace(repo).writing(),
    ):
        pass
    with workspace(repo).writing():
        assert (repo.path / ".git/mem/lock").is_file()


def endanger(repo: Repo) -> None:
    make_private(repo.path / ".git", workspace(repo).layout.store_path)
    repo.commit("Store", {".klide/memory/one.md": "one\n"})


def test_a_private_store_that_head_tracks_can_be_read_and_not_written(repo: Repo) -> None:
    endanger(repo)
    linked = repo.worktree("feature")
    before = listing(repo.world.root)
    for place in (repo, linked):
        opened = workspace(place)
        assert opened.endangered
        assert [found.id for found in opened.contents.entries] == ["one"]
        with pytest.raises(EndangeredStoreError, match="git mem init --track"), opened.writing():
            pass
    assert listing(repo.world.root) == before


def test_the_advice_for_an_endangered_store_helps(repo: Repo) -> None:
    endanger(repo)
    subprocess.run(["git", "rm", "-q", "-r", "--cached", ".klide"], cwd=repo.path, env=repo.world.env, check=True)
    repo.git("commit", "-q", "-m", "Untrack the memory")
    with workspace(repo).writing():
        assert (repo.path / ".klide/memory/one.md").exists()
