"""Every layout that a repository can have, built one at a time: where one stands in it, and what is expected there.

The rows are those of CONTRACT section 2, "Which store", and of STYLE, "Tests". Where git does not record the
place of the memory, `mem.root` is set as `git mem init` sets it.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from world import Repo, World

from gitmem.git.layout import LayoutKind

ODD_NAME: Final = "arbre é 木\n 'two' \"lines\""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standpoint:
    """Where one stands, and what must be found from there. All paths are real and absolute.

    `repo` is the worktree one stands in, `directory` the current directory, `extra` what a hook adds to the
    environment. `main` is the main checkout, None for a bare repository; `root` is what the store lies in.
    """

    repo: Repo
    kind: LayoutKind
    main: Path | None
    root: Path
    directory: Path
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def worktree(self) -> Path:
        """The top of the worktree."""
        return self.repo.path

    @property
    def store(self) -> Path:
        """Where the entries are, when there are some."""
        return self.root / ".klide" / "memory"

    @property
    def environ(self) -> dict[str, str]:
        """The caller's whole environment."""
        return {**self.repo.world.env, **self.extra}


def _at(repo: Repo, kind: LayoutKind, root: Path | None = None) -> Standpoint:
    home = root or repo.path
    return Standpoint(
        repo=repo, kind=kind, main=None if kind is LayoutKind.BARE else home, root=home, directory=repo.path
    )


def with_commit(repo: Repo) -> Repo:
    """Give a repository its first commit: a file at the top and one in a directory."""
    repo.commit("Start", {"README.md": "hello\n", "src/code.py": "one\ntwo\nthree\n"})
    return repo


def linked(world: World) -> Repo:
    """Make an ordinary repository `main`, and return a linked worktree `feature` beside it."""
    return with_commit(world.repo()).worktree("feature")


def record_root(repo: Repo, root: Path) -> None:
    """Set `mem.root` as `git mem init` sets it: relative to the common dir, in the common config."""
    common_dir = repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").line
    repo.git("config", "mem.root", os.path.relpath(root, common_dir))


def submodule(world: World) -> Repo:
    """Make a superproject `super` with a submodule, and return the submodule's checkout."""
    library = with_commit(world.repo("library"))
    superproject = with_commit(world.repo("super"))
    superproject.git("submodule", "--quiet", "add", library.path.as_uri(), "vendor/library")
    superproject.git("commit", "-q", "-m", "Add the library")
    return Repo(world, superproject.path / "vendor" / "library")


def separate(world: World, git_dir: str) -> Repo:
    """Make a checkout `work` whose git dir is elsewhere; its memory's place is not recorded."""
    (world.root / git_dir).parent.mkdir(exist_ok=True)
    return with_commit(world.repo("work", f"--separate-git-dir={world.root / git_dir}"))


def recorded(repo: Repo) -> Repo:
    """Record a checkout as the root of its own memory."""
    record_root(repo, repo.path)
    return repo


def bare(world: World, name: str) -> Repo:
    """Make a bare repository with one commit; its memory's place is not recorded."""
    world.git("clone", "-q", "--bare", with_commit(world.repo("seed")).path, name, cwd=world.root)
    return Repo(world, world.root / name)


def dot_bare(world: World) -> Repo:
    """Make `project/.bare` with a `.git` file beside it, and return the bare repository."""
    (world.root / "project").mkdir()
    repo = bare(world, "project/.bare")
    (world.root / "project" / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
    return repo


def _main(world: World) -> Standpoint:
    return _at(with_commit(world.repo()), LayoutKind.MAIN)


def _subdirectory(world: World) -> Standpoint:
    found = _main(world)
    return replace(found, directory=found.worktree / "src")


def _linked(world: World) -> Standpoint:
    return _at(linked(world), LayoutKind.LINKED, world.root / "main")


def _linked_relative(world: World) -> Standpoint:
    found = _linked(world)
    pointer = found.worktree / ".git"
    git_dir = pointer.read_text(encoding="utf-8").removeprefix("gitdir: ").strip()
    pointer.write_text(f"gitdir: {os.path.relpath(git_dir, found.worktree)}\n", encoding="utf-8")
    return found


def _linked_nested(world: World) -> Standpoint:
    main = with_commit(world.repo())
    return _at(main.worktree("main/trees/feature"), LayoutKind.LINKED, main.path)


def _linked_locked(world: World) -> Standpoint:
    found = _linked(world)
    found.repo.git("worktree", "lock", "--reason", "on a stick", found.worktree)
    return found


def _bare(world: World) -> Standpoint:
    repository = bare(world, "repo.git")
    record_root(repository, repository.path)
    return _at(repository.worktree("feature"), LayoutKind.BARE, repository.path)


def _dot_bare(world: World) -> Standpoint:
    repository = dot_bare(world)
    record_root(repository, repository.path.parent)
    return _at(repository.worktree("project/feature"), LayoutKind.BARE, repository.path.parent)


def _separate(world: World) -> Standpoint:
    return _at(recorded(separate(world, "elsewhere.git")), LayoutKind.SEPARATE_GIT_DIR)


def _separate_named_git(world: World) -> Standpoint:
    return _at(recorded(separate(world, "meta/.git")), LayoutKind.SEPARATE_GIT_DIR)


def _linked_of_separate(world: World) -> Standpoint:
    repo = recorded(separate(world, "elsewhere.git"))
    return _at(repo.worktree("feature"), LayoutKind.LINKED, repo.path)


def _submodule(world: World) -> Standpoint:
    return _at(submodule(world), LayoutKind.SUBMODULE)


def _linked_of_submodule(world: World) -> Standpoint:
    repo = submodule(world)
    return _at(repo.worktree("feature"), LayoutKind.LINKED, repo.path)


def _detached(world: World) -> Standpoint:
    found = _main(world)
    found.repo.git("checkout", "-q", "--detach")
    return found


def _unborn(world: World) -> Standpoint:
    return _at(world.repo(), LayoutKind.MAIN)


def _shallow(world: World) -> Standpoint:
    origin = with_commit(world.repo("origin"))
    origin.commit("Second", {"README.md": "hello again\n"})
    return _at(world.clone(origin, "main", "--depth=1"), LayoutKind.MAIN)


def _partial(world: World) -> Standpoint:
    origin = with_commit(world.repo("origin"))
    origin.commit("Second", {"README.md": "hello again\n"})
    origin.git("config", "uploadpack.allowFilter", "true")
    return _at(world.clone(origin, "main", "--filter=blob:none"), LayoutKind.MAIN)


def _sha256(world: World) -> Standpoint:
    return _at(with_commit(world.repo("main", "--object-format=sha256")), LayoutKind.MAIN)


def _through_a_link(world: World) -> Standpoint:
    found = _main(world)
    link = world.root / "link"
    link.symlink_to(found.worktree, target_is_directory=True)
    return replace(found, directory=link / "src")


def _odd_names(world: World) -> Standpoint:
    main = with_commit(world.repo(ODD_NAME))
    return _at(main.worktree(f"{ODD_NAME} too\n", "-b", "feature"), LayoutKind.LINKED, main.path)


def _hook_in_main(world: World) -> Standpoint:
    return replace(_main(world), extra={"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": ""})


def _hook_in_linked(world: World) -> Standpoint:
    found = _linked(world)
    git_dir = found.repo.git("rev-parse", "--absolute-git-dir").line
    return replace(found, extra={"GIT_DIR": git_dir, "GIT_INDEX_FILE": f"{git_dir}/index", "GIT_PREFIX": ""})


LAYOUTS: Final[Mapping[str, Callable[[World], Standpoint]]] = {
    "main": _main,
    "subdirectory": _subdirectory,
    "linked": _linked,
    "linked-relative": _linked_relative,
    "linked-nested": _linked_nested,
    "linked-locked": _linked_locked,
    "bare": _bare,
    "dot-bare": _dot_bare,
    "separate": _separate,
    "separate-named-git": _separate_named_git,
    "linked-of-separate": _linked_of_separate,
    "submodule": _submodule,
    "linked-of-submodule": _linked_of_submodule,
    "detached": _detached,
    "unborn": _unborn,
    "shallow": _shallow,
    "partial": _partial,
    "sha256": _sha256,
    "through-a-link": _through_a_link,
    "odd-names": _odd_names,
    "hook-in-main": _hook_in_main,
    "hook-in-linked": _hook_in_linked,
}
