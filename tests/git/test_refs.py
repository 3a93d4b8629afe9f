"""The refs below refs/mem/: what is read is what git says, and nobody's move is overwritten."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from layouts import Standpoint
from world import Repo, World, listing

from gitmem.git.refs import (
    STORE_REF,
    RefDamagedError,
    RefLockedError,
    RefMovedError,
    delete_ref,
    forget_reflog,
    move_ref,
    read_ref,
)
from gitmem.git.run import Git, GitFailedError


def common_dir_of(repo: Repo) -> Path:
    return Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").line)


def read(repo: Repo, name: str = STORE_REF) -> str | None:
    return read_ref(Git(repo.world.env), repo.path, name)


def move(repo: Repo, new: str, old: str | None, patience: float = 1.0) -> None:
    move_ref(Git(repo.world.env), repo.path, common_dir_of(repo), STORE_REF, new, old, patience=patience)


def delete(repo: Repo, old: str, patience: float = 1.0) -> None:
    delete_ref(Git(repo.world.env), repo.path, common_dir_of(repo), STORE_REF, old, patience=patience)


def commit(repo: Repo, message: str) -> str:
    """Make a commit that no branch knows."""
    tree = repo.git("mktree").line
    return repo.git("commit-tree", tree, feed=message.encode()).line


def broken(repo: Repo, content: str) -> None:
    """Write the file of the store's ref by hand."""
    path = common_dir_of(repo) / STORE_REF
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


# Reading


def test_a_ref_is_read_moved_and_deleted_in_every_layout(layout: Standpoint) -> None:
    repo, git = layout.repo, Git(layout.environ)
    common_dir = common_dir_of(repo)
    one, two = commit(repo, "one"), commit(repo, "two")
    assert read_ref(git, repo.path, STORE_REF) is None
    move_ref(git, repo.path, common_dir, STORE_REF, one, None, patience=1.0)
    move_ref(git, repo.path, common_dir, STORE_REF, two, one, patience=1.0)
    assert read_ref(git, repo.path, STORE_REF) == repo.rev(STORE_REF) == two
    delete_ref(git, repo.path, common_dir, STORE_REF, two, patience=1.0)
    assert read_ref(git, repo.path, STORE_REF) is None
    assert repo.git("for-each-ref", "refs/mem").out == ""


def test_a_packed_ref_is_like_any_other(repo: Repo) -> None:
    one, two = commit(repo, "one"), commit(repo, "two")
    move(repo, one, None)
    repo.git("pack-refs", "--all")
    assert read(repo) == one
    move(repo, two, one)
    repo.git("pack-refs", "--all")
    delete(repo, two)
    assert read(repo) is None


def test_names_that_git_would_find_elsewhere_are_not_the_ref(repo: Repo) -> None:
    repo.git("tag", STORE_REF)
    repo.git("branch", STORE_REF)
    repo.git("update-ref", f"{STORE_REF}/below", "HEAD")
    assert read(repo) is None


@pytest.mark.parametrize("content", ["garbage\n", "", "0" * 40 + "\n", "1234567890" * 4 + "\n"])
def test_a_ref_that_holds_no_readable_commit_is_damaged(repo: Repo, content: str) -> None:
    broken(repo, content)
    with pytest.raises(RefDamagedError, match=rf"{STORE_REF} is damaged.*git mem doctor"):
        read(repo)


@pytest.mark.parametrize("kind", ["tree", "blob", "tag"])
def test_a_ref_that_names_no_commit_is_damaged(repo: Repo, kind: str) -> None:
    repo.git("tag", "-a", "-m", "A tag", "tag")
    repo.git("update-ref", STORE_REF, {"tree": "HEAD^{tree}", "blob": "HEAD:README.md", "tag": "tag"}[kind])
    with pytest.raises(RefDamagedError, match=f"names a {kind} instead"):
        read(repo)


def test_a_ref_whose_commit_is_no_longer_whole_is_damaged(repo: Repo) -> None:
    one = commit(repo, "one")
    move(repo, one, None)
    loose = common_dir_of(repo) / "objects" / one[:2] / one[2:]
    loose.chmod(0o644)
    os.truncate(loose, 20)
    with pytest.raises(RefDamagedError, match="cannot be read"):
        read(repo)


def test_what_git_says_about_itself_is_no_damage(repo: Repo) -> None:
    chatty = {"GIT_TRACE": "1", "GIT_TRACE2": "1", "GIT_TRACE_REFS": "1"}
    assert read_ref(Git({**repo.world.env, **chatty}), repo.path, STORE_REF) is None
    repo.git("update-ref", "refs/mem/other", "HEAD")
    broken(repo, "garbage\n")
    assert read(repo, "refs/mem/other") == repo.rev()


def test_reading_writes_nothing(repo: Repo) -> None:
    before = listing(repo.path)
    assert read(repo) is None
    assert listing(repo.path) == before


# Moving


@pytest.mark.parametrize("expected", ["one", "nothing"])
def test_a_ref_that_somebody_moved_stays_where_it_is(repo: Repo, expected: str) -> None:
    one, two, three = (commit(repo, message) for message in ("one", "two", "three"))
    move(repo, two, None)
    with pytest.raises(RefMovedError, match="try again"):
        move(repo, three, one if expected == "one" else None)
    assert read(repo) == two


def test_a_ref_that_is_gone_is_not_made_again(repo: Repo) -> None:
    one, two = commit(repo, "one"), commit(repo, "two")
    with pytest.raises(RefMovedError):
        move(repo, two, one)
    with pytest.raises(RefMovedError):
        delete(repo, one)
    assert read(repo) is None


def test_a_symbolic_ref_is_replaced_and_not_followed(repo: Repo) -> None:
    head, one = repo.rev(), commit(repo, "one")
    repo.git("symbolic-ref", STORE_REF, "refs/heads/main")
    move(repo, one, head)
    assert repo.rev("main") == head
    assert repo.git("symbolic-ref", "-q", STORE_REF, accept=(1,)).out == ""
    assert read(repo) == one


def test_what_git_refuses_for_another_reason_is_told_in_its_words(repo: Repo) -> None:
    with pytest.raises(GitFailedError, match="nonexistent object"):
        move(repo, "1234567890" * 4, None)
    repo.git("update-ref", f"{STORE_REF}/below", "HEAD")
    with pytest.raises(GitFailedError, match="exists"):
        move(repo, repo.rev(), None)


# Locks


def test_a_lock_that_a_killed_git_left_is_removed(repo: Repo) -> None:
    one, two = commit(repo, "one"), commit(repo, "two")
    changes: list[Callable[[], None]] = [
        lambda: move(repo, one, None, 0.05),
        lambda: move(repo, two, one, 0.05),
        lambda: delete(repo, two, 0.05),
    ]
    lock = common_dir_of(repo) / f"{STORE_REF}.lock"
    for change in changes:
        lock.parent.mkdir(exist_ok=True)
        lock.write_text(f"{one}\n", encoding="utf-8")
        change()
        assert not lock.exists()
    assert read(repo) is None


def test_a_lock_does_not_hide_that_somebody_moved_the_ref(repo: Repo) -> None:
    one, two = commit(repo, "one"), commit(repo, "two")
    move(repo, two, None)
    lock = common_dir_of(repo) / f"{STORE_REF}.lock"
    lock.touch()
    with pytest.raises(RefMovedError):
        move(repo, one, None, 0.05)
    assert lock.exists()


def test_a_lock_that_cannot_be_removed_is_named(repo: Repo) -> None:
    one = commit(repo, "one")
    lock = common_dir_of(repo) / f"{STORE_REF}.lock"
    lock.mkdir(parents=True)
    with pytest.raises(RefLockedError, match=r"refs/mem/store\.lock.*remove the file"):
        move(repo, one, None, 0.05)
    assert read(repo) is None


def test_the_lock_of_all_refs_is_named_and_left(repo: Repo) -> None:
    one = commit(repo, "one")
    move(repo, one, None)
    repo.git("pack-refs", "--all")
    lock = common_dir_of(repo) / "packed-refs.lock"
    lock.touch()
    with pytest.raises(RefLockedError, match=r"packed-refs\.lock.*remove the file"):
        delete(repo, one, 0.05)
    assert lock.exists()
    assert read(repo) == one


# Reflogs


@pytest.mark.parametrize("packed", [False, True])
def test_a_reflog_names_no_entry_and_is_forgotten(world: World, packed: bool) -> None:
    repo = world.repo()
    repo.git("config", "core.logAllRefUpdates", "always")
    one, two = commit(repo, "add a-secret"), commit(repo, "two")
    move(repo, one, None)
    move(repo, two, one)
    assert repo.git("log", "-g", "--format=%H %gs", STORE_REF).out == f"{two} git mem\n{one} git mem\n"
    if packed:
        repo.git("pack-refs", "--all")
    forget_reflog(Git(world.env), repo.path, STORE_REF)
    assert repo.git("log", "-g", "--format=%H", STORE_REF).out == ""
    assert read(repo) == two
    assert one not in repo.git("rev-list", "--all", "--reflog").out


def test_there_need_not_be_a_reflog(repo: Repo) -> None:
    forget_reflog(Git(repo.world.env), repo.path, STORE_REF)
    move(repo, repo.rev(), None)
    forget_reflog(Git(repo.world.env), repo.path, STORE_REF)
    assert read(repo) == repo.rev()
