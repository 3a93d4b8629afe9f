"""The sections at work: real git fires them, and a program of ours that writes down how it was called stands on PATH."""

import os
import select
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from layouts import ODD_NAME, Standpoint, submodule
from world import Repo, Result, World, listing

from gitmem.git.hooks import HOOKS, read_script
from gitmem.git.layout import locate
from gitmem.git.quote import quoted
from gitmem.git.rewritten import read_rewritten
from gitmem.git.run import Git
from gitmem.porcelain.hooks import HookState, install, status, uninstall

SHELLS = [
    name for name in ("sh", "dash", "bash", "busybox", "zsh", "ksh", "ksh93", "mksh", "yash") if shutil.which(name)
]
NOTICE = "git mem: 1 entry became stale"


@dataclass(frozen=True, slots=True)
class Hooked:
    """A repository with hooks installed, and the program that they find."""

    repo: Repo
    calls: Path

    @property
    def mem(self) -> Path:
        """Where marks are made."""
        return self.common / "mem"

    @property
    def common(self) -> Path:
        """The directory that all worktrees share."""
        return Path(self.repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").line)

    def cite(self, *paths: str, reverts: Sequence[str] = ()) -> None:
        """Write the list of what is cited, as the program does."""
        lines = [*map(quoted, paths), *(f"This reverts commit {oid}." for oid in reverts)]
        self.mem.joinpath("cited").write_bytes(b"".join(os.fsencode(line) + b"\n" for line in lines))

    def marks(self) -> list[str]:
        """Return the marks that were made since the last time."""
        found = sorted(path.name for path in (self.mem / "spool").iterdir())
        for name in found:
            (self.mem / "spool" / name).unlink()
        return found

    def ran(self) -> set[str]:
        """Return the hooks that ran since the last time."""
        found = {path.name for path in (self.mem / "ran").iterdir()}
        for name in found:
            (self.mem / "ran" / name).unlink()
        return found

    def notices(self) -> list[str]:
        """Return how the program was called in the foreground since the last time."""
        found = self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []
        self.calls.unlink(missing_ok=True)
        return found


def put_on_path(world: World) -> Path:
    """Put a program on PATH that notes its calls in the foreground, and says one line on both outputs."""
    directory = world.root / "bin"
    directory.mkdir()
    calls = world.root / "calls"
    script = directory / "git-mem"
    script.write_text(
        f'#!/bin/sh\n[ "$1" = work ] && exit\necho "$*" >>"{calls}"\necho out\necho "{NOTICE}" >&2\ncat >>"{calls}"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    world.env["PATH"] = f"{directory}:{world.env['PATH']}"
    return calls


def hook_up(repo: Repo) -> Hooked:
    calls = put_on_path(repo.world)
    git = Git(repo.world.env)
    done = install(git, locate(git, repo.path, {}))
    assert not done.advice
    return Hooked(repo, calls)


@pytest.fixture
def hooked(repo: Repo) -> Hooked:
    """An ordinary repository with hooks, and nothing cited."""
    return hook_up(repo)


def write_hook(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


# What hooks do for their git command, in the main checkout and in a linked worktree.


@pytest.mark.parametrize("where", ["main", "linked"])
def test_what_git_does_leaves_one_mark_for_its_worktree_and_not_a_word(hooked: Hooked, where: str) -> None:
    repo = hooked.repo if where == "main" else hooked.repo.worktree("linked")
    assert hooked.marks() == ([] if where == "main" else ["follow@linked"])  # `worktree add` is a checkout
    at = "" if where == "main" else "@linked"
    start = repo.rev()

    def does(*args: str | Path, runs: str = "", marks: Sequence[str] = ("follow",)) -> None:
        hooked.ran()
        done = repo.git(*args)
        assert (done.out, done.err) == ("", ""), args
        assert hooked.ran() == set(runs.split()), args
        assert hooked.marks() == [f"{mark}{at}" for mark in marks], args

    repo.write("a.txt", "a\n")
    repo.git("add", "a.txt")
    does("commit", "-q", "-m", "One", runs="post-commit")
    does("commit", "-q", "--amend", "-m", "Two", runs="post-commit post-rewrite", marks=("follow", "relink"))
    does("checkout", "-q", "-b", "side", start, runs="post-checkout")
    does("commit", "-q", "--allow-empty", "-m", "Aside", runs="post-commit")
    does("merge", "-q", "--no-ff", "-m", "Merge", "-" if where == "main" else "linked", runs="post-merge")
    does("checkout", "-q", start, "--", "README.md", runs="post-checkout", marks=())
    repo.write("README.md", "dirty\n")
    does("stash", "-q", runs="", marks=())
    does("stash", "pop", "-q", runs="", marks=())
    does("checkout", "-q", "--", "README.md", runs="post-checkout", marks=())
    does("cherry-pick", "--keep-redundant-commits", "--allow-empty", "HEAD^1", runs="post-commit") if False else None
    extra = repo.world.root / f"extra {where}"
    hooked.ran()
    assert repo.git("worktree", "add", "-q", "--detach", extra).err == ""
    assert hooked.ran() == {"post-checkout"}
    assert hooked.marks() == [f"follow@extra-{where}"]
    assert repo.git("status", "--porcelain").out == ""
    assert not (Path(repo.git("rev-parse", "--absolute-git-dir").line) / "index.lock").exists()
