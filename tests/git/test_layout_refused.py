"""Where one must not stand: every place whose parts do not agree is refused, with a remedy, and left as it was."""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from layouts import bare, dot_bare, linked, record_root, recorded, separate, submodule, with_commit
from world import Repo, World, listing

from gitmem.git.layout import LayoutError, RootUnknownError, locate, missing_root, resolve
from gitmem.git.run import Git


def find(directory: Path, environ: Mapping[str, str]) -> None:
    git = Git(environ)
    resolve(git, locate(git, directory, environ))


@dataclass(frozen=True, slots=True)
class Refused:
    directory: Path
    extra: Mapping[str, str] = field(default_factory=dict)


def moved_worktree(world: World) -> Refused:
    feature = linked(world)
    return Refused(feature.path.rename(world.root / "moved"))


def moved_main(world: World) -> Refused:
    feature = linked(world)
    (world.root / "main").rename(world.root / "moved")
    return Refused(feature.path)


def copied_worktree(world: World) -> Refused:
    feature = linked(world)
    # Old versions of git rewrite a pointer that was not touched for a day.
    os.utime(world.root / "main" / ".git" / "worktrees" / "feature" / "gitdir", (0, 0))
    return Refused(Path(shutil.copytree(feature.path, world.root / "copy")))


def copied_worktree_of_a_removed_one(world: World) -> Refused:
    feature = linked(world)
    copy = shutil.copytree(feature.path, world.root / "copy")
    shutil.rmtree(feature.path)
    return Refused(Path(copy))


def _forged(world: World, target: str) -> Refused:
    attacker = world.root / "attacker"
    attacker.mkdir()
    (attacker / ".git").write_text(f"gitdir: {target}\n", encoding="utf-8")
    return Refused(attacker)


def forged_against_a_worktree(world: World) -> Refused:
    linked(world)
    return _forged(world, "../main/.git/worktrees/feature")


def forged_against_a_main_checkout(world: World) -> Refused:
    with_commit(world.repo())
    return _forged(world, "../main/.git")


def forged_against_a_submodule(world: World) -> Refused:
    submodule(world)
    return _forged(world, "../super/.git/modules/vendor/library")


def forged_against_a_separate_git_dir(world: World) -> Refused:
    recorded(separate(world, "elsewhere.git"))
    return _forged(world, "../elsewhere.git")


def forged_against_a_bare_repository(world: World) -> Refused:
    bare(world, "repo.git")
    return _forged(world, "../repo.git")


def forged_common_dir(world: World) -> Refused:
    with_commit(world.repo())
    own = world.root / "attacker" / "own"
    found = _forged(world, "own")
    own.mkdir()
    (own / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (own / "commondir").write_text("../../main/.git\n", encoding="utf-8")
    (own / "gitdir").write_text(f"{found.directory}/.git\n", encoding="utf-8")
    return found


def worktree_without_a_back_pointer(world: World) -> Refused:
    feature = linked(world)
    (world.root / "main" / ".git" / "worktrees" / "feature" / "gitdir").unlink()
    return Refused(feature.path)


def back_pointer_to_something_else(world: World) -> Refused:
    feature = linked(world)
    pointer = world.root / "main" / ".git" / "worktrees" / "feature" / "gitdir"
    pointer.write_text(f"{feature.path}/README.md\n", encoding="utf-8")
    return Refused(feature.path)


def environment_of_another_repository(world: World) -> Refused:
    other = with_commit(world.repo("other"))
    return Refused(with_commit(world.repo()).path, {"GIT_DIR": str(other.path / ".git")})


def explicit_git_dir_of_the_main_checkout(world: World) -> Refused:
    return Refused(linked(world).path, {"GIT_DIR": "../main/.git"})


def work_tree_elsewhere(world: World) -> Refused:
    other = with_commit(world.repo("other"))
    return Refused(with_commit(world.repo()).path, {"GIT_WORK_TREE": str(other.path)})


def common_dir_elsewhere(world: World) -> Refused:
    other = with_commit(world.repo("other"))
    return Refused(linked(world).path, {"GIT_COMMON_DIR": str(other.path / ".git")})


def inside_the_git_dir(world: World) -> Refused:
    return Refused(with_commit(world.repo()).path / ".git")


def deep_inside_the_git_dir(world: World) -> Refused:
    return Refused(with_commit(world.repo()).path / ".git" / "objects")


def inside_the_git_dir_of_a_worktree(world: World) -> Refused:
    linked(world)
    return Refused(world.root / "main" / ".git" / "worktrees" / "feature")


def inside_a_bare_repository(world: World) -> Refused:
    return Refused(bare(world, "repo.git").path)


def beside_dot_bare(world: World) -> Refused:
    return Refused(dot_bare(world).path.parent)


def no_repository(world: World) -> Refused:
    return Refused(world.home)


def dubious_owner(world: World) -> Refused:
    return Refused(with_commit(world.repo()).path, {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})


def work_tree_configured_elsewhere(world: World) -> Refused:
    repo = with_commit(world.repo())
    (world.root / "elsewhere").mkdir()
    repo.git("config", "core.worktree", "../../elsewhere")
    return Refused(repo.path)


def broken_configuration(world: World) -> Refused:
    repo = with_commit(world.repo())
    (repo.path / ".git" / "config").write_text("[core\n", encoding="utf-8")
    return Refused(repo.path)


def _with_root(world: World, root: str) -> Refused:
    main = with_commit(world.repo())
    feature = main.worktree("feature")
    main.git("config", "mem.root", root)
    return Refused(feature.path)


def root_that_is_missing(world: World) -> Refused:
    return _with_root(world, "../nowhere")


def root_that_is_a_file(world: World) -> Refused:
    return _with_root(world, "../README.md")


def root_that_is_a_subdirectory(world: World) -> Refused:
    return _with_root(world, "../src")


def root_of_another_repository(world: World) -> Refused:
    with_commit(world.repo("other"))
    return _with_root(world, "../../other")


def root_outside_any_repository(world: World) -> Refused:
    return _with_root(world, "../../home")


def root_that_is_the_git_dir(world: World) -> Refused:
    return _with_root(world, ".")


def root_that_is_this_linked_worktree(world: World) -> Refused:
    return _with_root(world, "../../feature")


def root_elsewhere_seen_from_the_main_checkout(world: World) -> Refused:
    _with_root(world, "../../feature")
    return Refused(world.root / "main")


def root_of_a_bare_repository_elsewhere(world: World) -> Refused:
    repository = bare(world, "repo.git")
    record_root(repository, world.root / "seed")
    return Refused(repository.worktree("feature").path)


def bare_without_a_root(world: World) -> Refused:
    return Refused(bare(world, "repo.git").worktree("feature").path)


def linked_of_separate_without_a_root(world: World) -> Refused:
    return Refused(separate(world, "elsewhere.git").worktree("feature").path)


def linked_of_separate_named_git_without_a_root(world: World) -> Refused:
    return Refused(separate(world, "meta/.git").worktree("feature").path)


BROKEN: tuple[tuple[Callable[[World], Refused], str], ...] = (
    (moved_worktree, "was moved from .*/feature by hand: run `git worktree repair` here"),
    (moved_main, "points at .*/main/.git/worktrees/feature, which is gone: run `git worktree repair`"),
    (copied_worktree, "is a copy: its .git file belongs to .*/feature: make one with `git worktree add`"),
    (copied_worktree_of_a_removed_one, "run `git worktree repair`"),
    (forged_against_a_worktree, "is a copy: .* `git worktree add`"),
    (forged_against_a_main_checkout, "does not point back: nothing was read there; .*`git config mem.root`"),
    (forged_against_a_submodule, "worktree of this repository is .*/vendor/library .*: go there"),
    (forged_against_a_separate_git_dir, "does not point back: nothing was read there"),
    (forged_against_a_bare_repository, "go to one of its worktrees"),
    (forged_common_dir, "does not point back: nothing was read there; .*`git worktree add`"),
    (worktree_without_a_back_pointer, "does not point back: .* run `git worktree repair` here"),
    (back_pointer_to_something_else, "`git worktree add`"),
    (environment_of_another_repository, "GIT_DIR is .*/other/.git, but .*: unset GIT_DIR, or go there"),
    (explicit_git_dir_of_the_main_checkout, "GIT_DIR is ../main/.git, but .*: unset GIT_DIR, or go there"),
    (work_tree_elsewhere, "GIT_WORK_TREE is .*/other, but .*: unset GIT_WORK_TREE"),
    (common_dir_elsewhere, "GIT_COMMON_DIR is .*/other/.git, but .*: unset GIT_COMMON_DIR"),
    (inside_the_git_dir, "go to one of its worktrees"),
    (deep_inside_the_git_dir, "go to one of its worktrees"),
    (inside_the_git_dir_of_a_worktree, "go to one of its worktrees"),
    (inside_a_bare_repository, "go to one of its worktrees"),
    (beside_dot_bare, "go to one of its worktrees"),
    (no_repository, r"not a git repository \(nor any parent directory\): go to one, or run `git init`"),
    (dubious_owner, "dubious ownership .* safe.directory in your global git config"),
    (work_tree_configured_elsewhere, r"is .*/elsewhere \(core.worktree\), not the current directory: go there"),
    (broken_configuration, "git does not accept this repository: bad config line 1"),
    (root_that_is_missing, "mem.root names .*/nowhere, which is no directory: correct it with `git config mem.root`"),
    (root_that_is_a_file, "mem.root names .*/README.md, which is no directory: correct it"),
    (root_that_is_a_subdirectory, "/main/src should be the main checkout .* correct mem.root"),
    (root_of_another_repository, "/other should be the main checkout .* correct mem.root"),
    (root_outside_any_repository, "/home should be the main checkout .* not a git repository .* correct mem.root"),
    (root_that_is_the_git_dir, "/main/.git should be the main checkout .* correct mem.root"),
    (root_that_is_this_linked_worktree, "/feature should be the main checkout .* correct mem.root"),
    (
        root_elsewhere_seen_from_the_main_checkout,
        "mem.root names .*/feature, not the main checkout .*/main: correct it",
    ),
    (root_of_a_bare_repository_elsewhere, "/seed should be the main checkout .* correct mem.root"),
)

UNKNOWN: tuple[tuple[Callable[[World], Refused], str], ...] = (
    (bare_without_a_root, "bare repository .*: run `git mem init` here once"),
    (linked_of_separate_without_a_root, "git does not record .*: run `git mem init` there once"),
    (linked_of_separate_named_git_without_a_root, "git does not record .*: run `git mem init` there once"),
)


def _cases(table: Iterable[tuple[Callable[[World], Refused], str]]) -> list[ParameterSet]:
    return [pytest.param(build, words, id=build.__name__.replace("_", "-")) for build, words in table]


@pytest.mark.parametrize(("build", "words"), _cases([*BROKEN, *UNKNOWN]))
def test_a_place_that_does_not_add_up_is_refused_with_a_remedy_and_nothing_is_written(
    world: World, build: Callable[[World], Refused], words: str
) -> None:
    place = build(world)
    before = listing(world.root)
    with pytest.raises(LayoutError, match=words) as refused:
        find(place.directory, {**world.env, **place.extra})
    assert "\n" not in refused.value.message
    assert listing(world.root) == before
    assert isinstance(refused.value, RootUnknownError) == (build in dict(UNKNOWN))


@pytest.mark.parametrize(("build", "words"), _cases(BROKEN))
def test_init_has_nothing_to_record_in_a_place_that_does_not_add_up(
    world: World, build: Callable[[World], Refused], words: str
) -> None:
    place = build(world)
    environ = {**world.env, **place.extra}
    try:
        root = missing_root(Git(environ), locate(Git(environ), place.directory, environ))
    except LayoutError:
        return
    assert root is None


@pytest.mark.parametrize("path", ["/etc", "../up", "a/../../up", ".git/mem", "x/.GIT/y", "."])
def test_a_store_outside_the_checkout_or_inside_the_git_dir_is_refused(repo: Repo, path: str) -> None:
    repo.git("config", "mem.store", path)
    with pytest.raises(LayoutError, match=r"mem\.store is .*, but must be a path inside the main checkout"):
        find(repo.path, repo.world.env)
