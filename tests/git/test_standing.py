"""What stands at paths by its kind: the same as where each file is opened, and nothing is."""

import os
from pathlib import Path

from layouts import with_commit
from world import Repo

from gitmem.git.checkout import FileKind, read_files
from gitmem.git.standing import standing_at


def build(repo: Repo) -> None:
    top = repo.path
    repo.write("a/b/c/file", "x\n")
    os.mkfifo(top / "pipe")
    for name, target in {"link": "a", "a/b/link": "c", "out": "../home", "dangling": "nowhere", "loop": "loop"}.items():
        (top / name).symlink_to(target)
    with_commit(repo.world.repo("main/inner"))
    repo.worktree("main/a/trees/linked")


PATHS = (
    *("a/b/c/file", "README.md", "a", "a/b", "pipe", "link", "a/b/link", "out", "dangling", "loop"),
    *(
        "link/b/c/file",
        "a/b/link/file",
        "out/x",
        "dangling/x",
        "loop/x",
        "pipe/x",
        "README.md/x",
        "nowhere",
        "no/where",
    ),
    *("inner", "inner/README.md", "inner/src/code.py", "a/trees/linked", "a/trees/linked/README.md", "inner/no/where"),
    *("x" * 300, f"{'x' * 300}/y", os.fsdecode(b"caf\xe9"), "nl\n"),
)


def test_each_path_has_the_kind_that_opening_it_would_show(repo: Repo) -> None:
    build(repo)
    kinds = standing_at(repo.path, PATHS)
    assert kinds == {path: state.kind for path, state in read_files(repo.path, PATHS).items()}
    assert set(kinds.values()) == set(FileKind) - {FileKind.TOO_BIG, FileKind.UNREADABLE, FileKind.LOST}


def test_a_pipe_and_a_large_file_are_not_opened(repo: Repo) -> None:
    build(repo)
    with (repo.path / "large").open("wb") as stream:
        stream.truncate(1 << 40)
    assert standing_at(repo.path, ["large", "pipe"]) == {"large": FileKind.REGULAR, "pipe": FileKind.OTHER}


def test_a_very_deep_path_is_looked_at_as_far_as_it_goes(repo: Repo) -> None:
    assert standing_at(repo.path, ["x/" * 2000 + "x"]) == {"x/" * 2000 + "x": FileKind.MISSING}
    assert standing_at(Path(repo.path), []) == {}
