"""A manifest against the disk: what is changed must be a file of this worktree, and nothing may lead out of it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from layouts import with_commit
from world import Repo, listing

from gitmem.manifest.check import check_on_disk
from gitmem.manifest.model import Manifest, ManifestError


def refused(repo: Repo, manifest: Manifest, known: tuple[str, ...] = ()) -> str | None:
    try:
        check_on_disk(repo.path, manifest, known)
    except ManifestError as error:
        return error.message.removeprefix("the manifest is refused: ").partition(": correct it")[0]
    return None


@pytest.fixture
def full(repo: Repo) -> Repo:
    """A worktree with one of everything; outside of it is a secret."""
    (repo.world.home / "secret").write_text("secret\n", encoding="ascii")
    os.mkfifo(repo.path / "pipe")
    for name, target in {
        "link": "README.md",
        "inside": "src",
        "out": str(repo.world.home),
        "up": "..",
        "round": "../main/src",
        "nowhere": "../gone",
        "loop": "loop",
    }.items():
        (repo.path / name).symlink_to(target)
    (repo.path / "src/escape").symlink_to(repo.world.home)
    with_commit(repo.world.repo("main/inner"))
    return repo


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("gone", "is said to be changed, and there is no such file"),
        ("no/where", "is said to be changed, and there is no such file"),
        ("README.md/x", "is said to be changed, and there is no such file"),
        ("src", "is a directory, where a file must be named"),
        ("inner", "is a directory, where a file must be named"),
        ("link", "is a symbolic link, and no file of the project"),
        ("pipe", "is no regular file"),
        ("inside/code.py", "leads through a symbolic link"),
        ("out/secret", "leads through a symbolic link"),
        ("inner/README.md", "lies in another repository"),
    ],
)
def test_a_changed_path_must_be_a_file_here(full: Repo, path: str, told: str) -> None:
    wrong = Manifest(("README.md", path, "src/code.py"))
    assert refused(full, wrong) == f"'{path}' {told}"
    assert refused(full, wrong, known=(path,)) == f"'{path}' {told}"


@pytest.mark.parametrize("path", ["out/secret", "out/deep/er", "up/home/secret", "nowhere/x"])
def test_a_deleted_path_must_not_lead_out_unless_it_is_known(full: Repo, path: str) -> None:
    assert (
        refused(full, Manifest(("README.md",), (path,)))
        == f"'{path}' leads through a symbolic link out of the worktree"
    )
    assert refused(full, Manifest(("README.md",), (path,)), known=(path,)) is None


@pytest.mark.parametrize(
    "path",
    [
        "gone",
        "no/where",
        "README.md",
        "src",
        "link",
        "pipe",
        "inside/code.py",
        "round/x",
        "loop/x",
        "inner/README.md",
        "inside/escape",
    ],
)
def test_a_deleted_path_may_be_anything_in_the_worktree(full: Repo, path: str) -> None:
    assert refused(full, Manifest((), (path,))) is None


def test_nothing_is_opened_or_written(full: Repo) -> None:
    before = listing(full.path)
    with (full.path / "huge").open("wb") as stream:
        stream.truncate(1 << 40)
    assert refused(full, Manifest(("README.md", "huge", "src/code.py"), ("pipe", "loop/x"))) is None
    (full.path / "huge").unlink()
    assert listing(full.path) == before


def directory_was_moved_out(repo: Repo) -> Path:
    (repo.path / "src").rename(repo.world.root / "src")
    (repo.path / "src").symlink_to("../src")
    return repo.path


def test_the_top_itself_may_be_reached_through_a_link(full: Repo) -> None:
    top = top_is_a_link(full)
    check_on_disk(top, Manifest(("README.md",), ("inside/code.py", "round/x")), ())
    with pytest.raises(ManifestError):
        check_on_disk(top, Manifest((), ("out/secret",)), ())


def top_is_a_link(repo: Repo) -> Path:
    (repo.world.root / "linked").symlink_to("main")
    return repo.world.root / "linked"


@pytest.mark.parametrize("make", [directory_was_moved_out, top_is_a_link])
def test_a_link_in_the_place_of_a_directory_takes_its_files_away(repo: Repo, make: Callable[[Repo], Path]) -> None:
    top = make(repo)
    check_on_disk(top, Manifest(("README.md",), ("src/code.py",)), {"src/code.py": None})
