"""Where am I: from a directory to a repository, its main checkout and its store.

Git says where things are. Its answer is then gone round in a circle before it is believed: a `.git` file is
a few bytes that anybody can write, and a copied or moved worktree still carries the old one.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final

from gitmem.errors import GitMemError
from gitmem.git.config import OwnConfig, read_own_config
from gitmem.git.run import Answer, Git, complaint

DEFAULT_STORE: Final = ".klide/memory"
_QUESTIONS: Final = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")


class LayoutError(GitMemError):
    """The place is refused: no repository, or one whose parts do not agree. Nothing was read or written."""


class RootUnknownError(LayoutError):
    """Git does not record where this repository's memory belongs, and `mem.root` does not say so yet."""


class LayoutKind(StrEnum):
    """Which row of CONTRACT section 2, "Which store", applies to the worktree one stands in."""

    MAIN = "main"
    LINKED = "linked"
    BARE = "bare"
    SEPARATE_GIT_DIR = "separate-git-dir"
    SUBMODULE = "submodule"


@dataclass(frozen=True, slots=True)
class Place:
    """A worktree whose repository points back at it. All paths are absolute and real.

    `directory` is where the caller's relative paths start: the current directory, or where a git alias was
    called from.
    """

    directory: Path
    worktree: Path
    git_dir: Path
    common_dir: Path
    own: OwnConfig

    @property
    def linked(self) -> bool:
        """Whether this is a linked worktree, made by `git worktree add`."""
        return self.git_dir != self.common_dir


@dataclass(frozen=True, slots=True)
class Layout:
    """A place and the store that belongs to it.

    `main` is the main checkout, None where the repository is bare. `root` is the directory that the store
    lies in: the main checkout, or what `mem.root` names. `store_path` is the store relative to it.
    """

    kind: LayoutKind
    place: Place
    main: Path | None
    root: Path
    store_path: PurePosixPath

    @property
    def worktree(self) -> Path:
        """The top of the worktree one stands in, whose truth counts."""
        return self.place.worktree

    @property
    def store(self) -> Path:
        """The directory of entries; whether it exists is another question."""
        return self.root / self.store_path


def locate(git: Git, directory: Path, environ: Mapping[str, str]) -> Place:
    """Find the worktree around a directory and prove that its repository knows it.

    `environ` is the caller's environment: `GIT_DIR` and its kin, as hooks set them, must agree with the
    directory. Raises LayoutError with the reason and the remedy.
    """
    worktree, git_dir, common_dir = _ask_where(git, directory)
    here = _real(directory)
    if not here.is_relative_to(worktree):
        raise LayoutError(
            f"the worktree of this repository is {worktree} (core.worktree), not the current directory: go there"
        )
    if git_dir != common_dir:
        _check_back_pointer(worktree, git_dir, common_dir)
    _check_environment(environ, here, worktree, git_dir, common_dir)
    own = read_own_config(git, worktree, common_dir)
    return Place(_called_from(environ, here, worktree), worktree, git_dir, common_dir, own)


def given_index(environ: Mapping[str, str], place: Place) -> Path | None:
    """Return the index that `GIT_INDEX_FILE` names, if it is one that git made for this worktree.

    For `git commit -a` and `git commit PATH` git makes one beside the worktree's own, and tells its hooks of it; what
    is about to be committed stands there.
    """
    value = environ.get("GIT_INDEX_FILE")
    if not value:
        return None
    index = Path(os.path.normpath(place.worktree / value))
    is_ours = _real(index.parent) == place.git_dir and index.name != "index"
    return index if is_ours and index.is_file() else None


def resolve(git: Git, place: Place) -> Layout:
    """Find the store of a place.

    Raises RootUnknownError where `git mem init` has to say first where the memory belongs, and LayoutError
    where the main checkout does not answer with the same common dir.
    """
    store_path = _store_path(place.own)
    root = _configured_root(place) or _main_checkout(git, place)
    if root is None:
        raise _root_unknown(place)
    if place.linked:
        _check_root(git, root, place)
    elif root != place.worktree:
        raise _other_root(root, place)
    return Layout(_kind(git, place), place, None if place.own.bare else root, root, store_path)


def missing_root(git: Git, place: Place) -> Path | None:
    """Return the directory that `git mem init` must record as `mem.root`; None where git itself knows it.

    Raises RootUnknownError in a linked worktree whose main checkout nobody can name.
    """
    own = place.own
    if own.root is not None:
        return None
    if own.bare:
        return place.common_dir.parent if place.common_dir.name == ".bare" else place.common_dir
    if place.linked:
        resolve(git, place)
        return None
    if own.worktree is None and place.common_dir != place.worktree / ".git":
        resolve(git, place)  # refuses a .git file that points into somebody else's checkout
        return place.worktree
    return None


def list_worktrees(git: Git, worktree: Path) -> list[Path]:
    """Return the tops of all worktrees of the repository, the main one first, as git names them."""
    items = git.ask("worktree", "list", "--porcelain", "-z", cwd=worktree).items()
    return [Path(item.removeprefix("worktree ")) for item in items if item.startswith("worktree ")]


def is_submodule(git: Git, place: Place) -> bool:
    """Whether the place is the checkout of a submodule; asks git for the superproject."""
    answer = git.ask("rev-parse", "--show-superproject-working-tree", cwd=place.worktree)
    return bool(answer.stdout.strip())


def _ask_where(git: Git, directory: Path) -> list[Path]:
    """Return the worktree, its git dir and the common dir, as git names them."""
    base = ("rev-parse", "--path-format=absolute")
    answer = git.ask(*base, *_QUESTIONS, cwd=directory, accept=(0, 1, 128))
    if answer.returncode != 0:
        raise _refusal(answer)
    lines = answer.line().split("\n")
    if len(lines) != len(_QUESTIONS):
        # A line feed in a path: one question at a time leaves no doubt where an answer ends.
        lines = [git.ask(*base, question, cwd=directory).line() for question in _QUESTIONS]
    return [_real(line) for line in lines]


def _refusal(answer: Answer) -> LayoutError:
    said = complaint(answer.stderr)
    if "dubious ownership" in said:
        return LayoutError(
            f"git refuses this repository: {said}: if you trust it, add it to safe.directory in your global git config"
        )
    if "cannot use bare repository" in said or "must be run in a work tree" in said:
        return LayoutError("not in a worktree but in a git directory or a bare repository: go to one of its worktrees")
    if said.startswith("not a git repository: "):
        return LayoutError(
            f"the .git file here points at {said.removeprefix('not a git repository: ')}, which is gone: "
            "run `git worktree repair` in the main checkout"
        )
    if said.startswith("not a git repository"):
        return LayoutError("not a git repository (nor any parent directory): go to one, or run `git init`")
    return LayoutError(f"git does not accept this repository: {said or 'it gave no reason'}: mend that first")


def _check_back_pointer(worktree: Path, git_dir: Path, common_dir: Path) -> None:
    if git_dir.parent != common_dir / "worktrees":
        raise _not_pointing_back(worktree, common_dir, "make worktrees with `git worktree add`")
    try:
        pointer = (git_dir / "gitdir").read_bytes().removesuffix(b"\n")
    except OSError as error:
        raise _not_pointing_back(worktree, common_dir, "run `git worktree repair` here") from error
    # Git 2.48 and newer can write it relative to the git dir.
    named = Path(os.path.normpath(git_dir / os.fsdecode(pointer)))
    if named.name == ".git" and _same_directory(named.parent, worktree):
        return
    if named.exists():
        raise LayoutError(
            f"this worktree is a copy: its .git file belongs to {named.parent}: make one with `git worktree add`"
        )
    raise LayoutError(f"this worktree was moved from {named.parent} by hand: run `git worktree repair` here")


def _other_root(root: Path, place: Place) -> LayoutError:
    if place.common_dir == place.worktree / ".git":
        return LayoutError(
            f"mem.root names {root}, not the main checkout {place.worktree}: correct it with `git config mem.root`"
        )
    remedy = "if this is its checkout, run `git config mem.root` with its path from there"
    return _not_pointing_back(place.worktree, place.common_dir, remedy)


def _not_pointing_back(worktree: Path, common_dir: Path, remedy: str) -> LayoutError:
    return LayoutError(
        f"the .git file in {worktree} points into {common_dir}, which does not point back: "
        f"nothing was read there; {remedy}"
    )


def _check_environment(environ: Mapping[str, str], here: Path, worktree: Path, git_dir: Path, common_dir: Path) -> None:
    found = {
        "GIT_DIR": (git_dir, worktree / ".git"),
        "GIT_WORK_TREE": (worktree,),
        "GIT_COMMON_DIR": (common_dir,),
    }
    for name, right in found.items():
        value = environ.get(name)
        if value and _real(here / value) not in right:
            raise LayoutError(
                f"{name} is {value}, but the current directory belongs to {right[0]}: unset {name}, or go there"
            )


def _called_from(environ: Mapping[str, str], here: Path, worktree: Path) -> Path:
    # `!alias` runs at the top of the worktree and tells in GIT_PREFIX where the person stood.
    prefix = environ.get("GIT_PREFIX")
    if prefix and here == worktree:
        stood = _real(here / prefix)
        if stood.is_relative_to(worktree) and stood.is_dir():
            return stood
    return here


def _root_unknown(place: Place) -> RootUnknownError:
    if place.own.bare:
        return RootUnknownError(
            "a bare repository has no main checkout to keep memory in: run `git mem init` here once"
        )
    return RootUnknownError(
        "git does not record where the main checkout of this repository is: run `git mem init` there once"
    )


def _main_checkout(git: Git, place: Place) -> Path | None:
    """Return where git's data say that the main checkout is; None where they do not say it."""
    own, common_dir = place.own, place.common_dir
    if own.bare:
        return None
    if own.worktree is not None:
        return _real(common_dir / own.worktree)
    if common_dir == place.worktree / ".git":
        return place.worktree
    if common_dir.name == ".git" and _is_checkout(git, place):
        return common_dir.parent
    return None if place.linked else place.worktree


def _is_checkout(git: Git, place: Place) -> bool:
    # `git init --separate-git-dir=meta/.git` leaves nothing else in meta, although its index has files; git
    # itself takes meta for the checkout then.
    parent = place.common_dir.parent
    if any(child.name != ".git" for child in parent.iterdir()):
        return True
    return place.linked and not git.ask("ls-files", "-z", cwd=parent).stdout


def _configured_root(place: Place) -> Path | None:
    if place.own.root is None:
        return None
    root = _real(place.common_dir / place.own.root)
    if not root.is_dir():
        raise LayoutError(f"mem.root names {root}, which is no directory: correct it with `git config mem.root`")
    return root


def _check_root(git: Git, root: Path, place: Place) -> None:
    """Ask git in the root itself: it must be the top of the main checkout, of the same repository."""
    if place.own.bare and root in (place.common_dir, place.common_dir.parent):
        return  # the directory around `.bare` need not have a .git file of its own
    try:
        top, git_dir, common_dir = _ask_where(git, root)
    except LayoutError as error:
        said = error.message
    else:
        if (top, common_dir) == (root, place.common_dir) and (place.own.bare or git_dir == common_dir):
            return
        said = f"it answers with the worktree {top} of {git_dir}"
    raise LayoutError(
        f"{root} should be the main checkout of {place.common_dir}, but git does not agree there: {said}; "
        "run `git worktree repair` in the main checkout, or correct mem.root"
    )


def _kind(git: Git, place: Place) -> LayoutKind:
    if place.own.bare:
        return LayoutKind.BARE
    if place.linked:
        return LayoutKind.LINKED
    if place.common_dir == place.worktree / ".git":
        return LayoutKind.MAIN
    if place.own.worktree is not None and is_submodule(git, place):
        return LayoutKind.SUBMODULE
    return LayoutKind.SEPARATE_GIT_DIR


def _store_path(own: OwnConfig) -> PurePosixPath:
    path = PurePosixPath(own.store or DEFAULT_STORE)
    if path.is_absolute() or not path.parts or ".." in path.parts or ".git" in (part.lower() for part in path.parts):
        raise LayoutError(f"mem.store is {own.store}, but must be a path inside the main checkout: correct it")
    return path


def _same_directory(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path))
