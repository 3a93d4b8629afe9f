"""Where one stands: every layout as git itself sees it, and every refusal."""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from layouts import ODD_NAME, Standpoint, bare, dot_bare, separate, submodule, with_commit
from world import Repo, World, listing

from gitmem.git.layout import Layout, LayoutError, LayoutKind, RootUnknownError, locate, missing_root, resolve
from gitmem.git.run import Git, GitMissingError, GitTimeoutError


def find(directory: Path, environ: Mapping[str, str]) -> Layout:
    git = Git(environ)
    return resolve(git, locate(git, directory, environ))


def root_to_record(directory: Path, environ: Mapping[str, str]) -> Path | None:
    git = Git(environ)
    return missing_root(git, locate(git, directory, environ))


def test_every_layout_is_resolved_to_its_store_and_nothing_is_written(layout: Standpoint) -> None:
    before = listing(layout.repo.world.root)
    found = find(layout.directory, layout.environ)
    assert found.kind is layout.kind
    assert (found.worktree, found.main, found.root) == (layout.worktree, layout.main, layout.root)
    assert found.store == layout.store
    assert found.place.directory == Path(os.path.realpath(layout.directory))
    assert root_to_record(layout.directory, layout.environ) is None
    assert listing(layout.repo.world.root) == before


def test_every_layout_agrees_with_git(layout: Standpoint) -> None:
    found = find(layout.directory, layout.environ)

    def ask(question: str, cwd: Path) -> Path:
        answer = layout.repo.git("rev-parse", "--path-format=absolute", question, cwd=cwd)
        return Path(os.path.realpath(answer.line))

    assert found.worktree == ask("--show-toplevel", layout.directory)
    assert found.place.git_dir == ask("--absolute-git-dir", layout.directory)
    assert found.place.common_dir == ask("--git-common-dir", layout.directory)
    if found.main is not None:
        assert ask("--show-toplevel", found.main) == found.main
        assert ask("--git-common-dir", found.main) == found.place.common_dir
    own = found.place.own
    assert own.object_format.value == layout.repo.git("rev-parse", "--show-object-format").line
    assert own.partial == ("remote.origin.promisor" in layout.repo.git("config", "--local", "--list").out)


# What `git mem init` has to record


def _separate_unrecorded(world: World, git_dir: str = "elsewhere.git") -> Repo:
    repo = separate(world, git_dir)
    repo.git("config", "--unset", "mem.root")
    return repo


@pytest.mark.parametrize("git_dir", ["elsewhere.git", "meta/.git"])
def test_a_separate_git_dir_needs_its_checkout_recorded(world: World, git_dir: str) -> None:
    repo = _separate_unrecorded(world, git_dir)
    assert root_to_record(repo.path / "src", world.env) == repo.path
    found = find(repo.path, world.env)
    assert (found.kind, found.root) == (LayoutKind.SEPARATE_GIT_DIR, repo.path)


def test_a_bare_repository_needs_itself_recorded(world: World) -> None:
    repository = bare(world, "repo.git")
    linked = repository.worktree("feature")
    assert root_to_record(linked.path, world.env) == repository.path


def test_a_bare_repository_named_dot_bare_needs_the_directory_around_it_recorded(world: World) -> None:
    repository = dot_bare(world)
    linked = repository.worktree("project/feature")
    assert root_to_record(linked.path, world.env) == repository.path.parent


@pytest.mark.parametrize("git_dir", ["elsewhere.git", "meta/.git"])
def test_a_worktree_of_a_separate_git_dir_cannot_record_what_it_does_not_know(world: World, git_dir: str) -> None:
    linked = _separate_unrecorded(world, git_dir).worktree("feature")
    with pytest.raises(RootUnknownError, match="run `git mem init` there once"):
        root_to_record(linked.path, world.env)


# Refusals


@dataclass(frozen=True, slots=True)
class Refused:
    directory: Path
    extra: Mapping[str, str] = field(default_factory=dict)


def _linked(world: World) -> Repo:
    return with_commit(world.repo()).worktree("feature")


def moved_worktree(world: World) -> Refused:
    linked = _linked(world)
    return Refused(linked.path.rename(world.root / "moved"))


def moved_main(world: World) -> Refused:
    linked = _linked(world)
    (world.root / "main").rename(world.root / "moved")
    return Refused(linked.path)


def copied_worktree(world: World) -> Refused:
    linked = _linked(world)
    # Old versions of git rewrite a pointer that was not touched for a day.
    os.utime(world.root / "main" / ".git" / "worktrees" / "feature" / "gitdir", (0, 0))
    return Refused(Path(shutil.copytree(linked.path, world.root / "copy")))


def copied_worktree_of_a_removed_one(world: World) -> Refused:
    linked = _linked(world)
    copy = shutil.copytree(linked.path, world.root / "copy")
    shutil.rmtree(linked.path)
    return Refused(Path(copy))


def _forged(world: World, target: str) -> Refused:
    attacker = world.root / "attacker"
    attacker.mkdir()
    (attacker / ".git").write_text(f"gitdir: {target}\n", encoding="utf-8")
    return Refused(attacker)


def forged_against_a_worktree(world: World) -> Refused:
    _linked(world)
    return _forged(world, "../main/.git/worktrees/feature")


def forged_against_a_main_checkout(world: World) -> Refused:
    with_commit(world.repo())
    return _forged(world, "../main/.git")


def forged_against_a_submodule(world: World) -> Refused:
    submodule(world)
    return _forged(world, "../super/.git/modules/vendor/library")


def forged_against_a_separate_git_dir(world: World) -> Refused:
    separate(world, "elsewhere.git")
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
    linked = _linked(world)
    (world.root / "main" / ".git" / "worktrees" / "feature" / "gitdir").unlink()
    return Refused(linked.path)


def environment_of_another_repository(world: World) -> Refused:
    other = with_commit(world.repo("other"))
    return Refused(with_commit(world.repo()).path, {"GIT_DIR": str(other.path / ".git")})


def explicit_git_dir_of_the_main_checkout(world: World) -> Refused:
    return Refused(_linked(world).path, {"GIT_DIR": "../main/.git"})


def work_tree_elsewhere(world: World) -> Refused:
    other = with_commit(world.repo("other"))
    return Refused(with_commit(world.repo()).path, {"GIT_WORK_TREE": str(other.path)})


def common_dir_elsewhere(world: World) -> Refused:
    other = with_commit(world.repo("other"))
    return Refused(_linked(world).path, {"GIT_COMMON_DIR": str(other.path / ".git")})


def inside_the_git_dir(world: World) -> Refused:
    return Refused(with_commit(world.repo()).path / ".git")


def deep_inside_the_git_dir(world: World) -> Refused:
    return Refused(with_commit(world.repo()).path / ".git" / "objects")


def inside_the_git_dir_of_a_worktree(world: World) -> Refused:
    _linked(world)
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
    linked = main.worktree("feature")
    main.git("config", "mem.root", root)
    return Refused(linked.path)


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
    repository.git("config", "mem.root", "../seed")
    return Refused(repository.worktree("feature").path)


def bare_without_a_root(world: World) -> Refused:
    return Refused(bare(world, "repo.git").worktree("feature").path)


def linked_of_separate_without_a_root(world: World) -> Refused:
    return Refused(_separate_unrecorded(world).worktree("feature").path)


def linked_of_separate_named_git_without_a_root(world: World) -> Refused:
    return Refused(_separate_unrecorded(world, "meta/.git").worktree("feature").path)


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
        root = root_to_record(place.directory, environ)
    except LayoutError:
        return
    assert root is None


@pytest.mark.parametrize("path", ["/etc", "../up", "a/../../up", ".git/mem", "x/.GIT/y", "."])
def test_a_store_outside_the_checkout_or_inside_the_git_dir_is_refused(repo: Repo, path: str) -> None:
    repo.git("config", "mem.store", path)
    with pytest.raises(LayoutError, match=r"mem\.store is .*, but must be a path inside the main checkout"):
        find(repo.path, repo.world.env)


def test_the_store_can_be_moved_inside_the_checkout(repo: Repo) -> None:
    repo.git("config", "mem.store", "docs/memory")
    assert find(repo.path / "src", repo.world.env).store == repo.path / "docs" / "memory"


def test_only_the_repositorys_own_configuration_moves_the_store(repo: Repo) -> None:
    with_commit(repo.world.repo("other"))
    repo.world.configure(f"[mem]\n\troot = {repo.world.root}/other\n\tstore = other\n")
    (repo.world.root / "included").write_text("[mem]\n\tstore = included\n", encoding="utf-8")
    repo.git("config", "include.path", repo.world.root / "included")
    command_line = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "mem.store",
        "GIT_CONFIG_VALUE_0": "given",
    }
    found = find(repo.path, {**repo.world.env, **command_line})
    assert (found.root, found.store) == (repo.path, repo.path / ".klide" / "memory")


# Places that look odd and are right


def test_both_pointers_of_a_worktree_may_be_relative(world: World) -> None:
    linked = _linked(world)
    back = world.root / "main" / ".git" / "worktrees" / "feature"
    (linked.path / ".git").write_text("gitdir: ../main/.git/worktrees/feature\n", encoding="utf-8")
    (back / "gitdir").write_text("../../../../feature/.git\n", encoding="utf-8")
    assert find(linked.path, world.env).root == world.root / "main"


def test_a_worktree_that_was_moved_and_repaired_is_found_again(world: World) -> None:
    place = moved_worktree(world)
    world.git("worktree", "repair", cwd=place.directory)
    assert find(place.directory, world.env).root == world.root / "main"


def test_a_main_checkout_that_was_moved_and_repaired_is_found_again(world: World) -> None:
    place = moved_main(world)
    world.git("worktree", "repair", place.directory, cwd=world.root / "moved")
    assert find(place.directory, world.env).root == world.root / "moved"


def test_two_worktrees_of_a_bare_repository_share_one_store(world: World) -> None:
    repository = bare(world, "repo.git")
    repository.git("config", "mem.root", ".")
    stores = {find(repository.worktree(name).path, world.env).store for name in ("one", "two")}
    assert stores == {repository.path / ".klide" / "memory"}


def test_a_repository_inside_another_one_is_its_own(repo: Repo) -> None:
    inner = with_commit(repo.world.repo("main/inner"))
    assert find(inner.path, repo.world.env).root == inner.path


def test_the_superproject_of_a_submodule_has_its_own_store(world: World) -> None:
    submodule(world)
    found = find(world.root / "super" / "vendor", world.env)
    assert (found.kind, found.root) == (LayoutKind.MAIN, world.root / "super")


def test_a_submodule_that_keeps_its_git_dir_is_a_main_checkout(world: World) -> None:
    superproject = with_commit(world.repo("super"))
    inner = with_commit(world.repo("super/inner"))
    superproject.git("add", "inner")
    superproject.git("commit", "-q", "-m", "Add a repository as it is")
    found = find(inner.path, world.env)
    assert (found.kind, found.root) == (LayoutKind.MAIN, inner.path)


def test_the_main_checkout_may_have_a_configured_work_tree(world: World) -> None:
    repo = with_commit(world.repo())
    linked = repo.worktree("feature")
    repo.git("config", "core.worktree", "..")
    assert find(repo.path, world.env).kind is LayoutKind.MAIN
    assert find(linked.path, world.env).root == repo.path


def test_worktree_configuration_of_the_main_checkout_is_seen_from_linked_ones(world: World) -> None:
    repository = bare(world, "repo.git")
    linked = repository.worktree("feature")
    repository.git("config", "extensions.worktreeConfig", "true")
    repository.git("config", "--unset", "core.bare")
    repository.git("config", "--worktree", "core.bare", "true")
    repository.git("config", "mem.root", ".")
    assert find(linked.path, world.env).kind is LayoutKind.BARE


def test_a_main_checkout_with_no_files_is_still_one(world: World) -> None:
    repo = world.repo()
    repo.commit("Nothing yet")
    linked = repo.worktree("feature")
    assert find(linked.path, world.env).root == repo.path


def test_a_git_dir_behind_a_symbolic_link_is_separate(world: World) -> None:
    repo = with_commit(world.repo())
    (repo.path / ".git").rename(world.root / "elsewhere")
    (repo.path / ".git").symlink_to(world.root / "elsewhere")
    assert root_to_record(repo.path, world.env) == repo.path
    assert find(repo.path, world.env).kind is LayoutKind.SEPARATE_GIT_DIR


# The caller's environment


@pytest.mark.parametrize(("prefix", "expected"), [("src/", "src"), ("", ""), ("nowhere/", ""), ("../", ""), ("/", "")])
def test_an_alias_tells_where_the_person_stood(repo: Repo, prefix: str, expected: str) -> None:
    environ = {**repo.world.env, "GIT_PREFIX": prefix}
    place = locate(Git(environ), repo.path, environ)
    assert place.directory == repo.path / expected


def test_a_prefix_counts_at_the_top_only(repo: Repo) -> None:
    environ = {**repo.world.env, "GIT_PREFIX": "src/"}
    (repo.path / "src" / "src").mkdir()
    assert locate(Git(environ), repo.path / "src", environ).directory == repo.path / "src"


def test_what_git_gives_an_alias_in_a_linked_worktree_is_accepted(world: World) -> None:
    linked = _linked(world)
    printed = linked.git("-c", "alias.show-env=!env -0", "show-env", cwd=linked.path / "src")
    environ = dict(line.split("=", 1) for line in printed.out.split("\0") if line)
    assert environ["GIT_PREFIX"] == "src/"
    found = find(linked.path, environ)
    assert found.root == world.root / "main"
    assert found.place.directory == linked.path / "src"


def test_environment_that_agrees_is_accepted(repo: Repo) -> None:
    extra = {"GIT_DIR": str(repo.path / ".git"), "GIT_WORK_TREE": ".", "GIT_COMMON_DIR": ".git"}
    assert find(repo.path, {**repo.world.env, **extra}).root == repo.path


@pytest.mark.parametrize("names", [("GIT_OBJECT_DIRECTORY",), ("GIT_INDEX_FILE",), ("GIT_NAMESPACE", "GIT_CONFIG")])
def test_other_location_variables_do_not_reach_git(repo: Repo, names: tuple[str, ...]) -> None:
    extra = dict.fromkeys(names, "nowhere/at/all")
    assert find(repo.path, {**repo.world.env, **extra}).root == repo.path


def test_a_users_configuration_of_output_changes_nothing(layout: Standpoint) -> None:
    world = layout.repo.world
    plain = find(layout.directory, layout.environ)
    world.configure(
        "[log]\n\tshowSignature = true\n\tdate = relative\n[color]\n\tui = always\n[core]\n\tquotePath = true\n"
        "\tpager = false\n[diff]\n\tnoprefix = true\n\trelative = true\n[status]\n\tshowUntrackedFiles = no\n"
        "[alias]\n\trev-parse = !false\n\tconfig = !false\n\tls-files = !false\n"
    )
    assert find(layout.directory, {**layout.environ, "LANG": "tr_TR.UTF-8", "LC_ALL": "ja_JP.UTF-8"}) == plain


# Git itself


def test_a_fifo_in_the_place_of_head_does_not_hang_for_ever(repo: Repo) -> None:
    head = repo.path / ".git" / "HEAD"
    head.unlink()
    os.mkfifo(head)
    git = Git(repo.world.env, limit=0.2)
    with pytest.raises(GitTimeoutError, match=r"git did not answer within .*: look for a lock, a FIFO"):
        locate(git, repo.path, repo.world.env)


def test_git_that_is_not_installed_is_named(repo: Repo) -> None:
    with pytest.raises(GitMissingError, match="install git, or put it on PATH"):
        find(repo.path, {**repo.world.env, "PATH": str(repo.world.home)})


def test_a_name_with_every_odd_character_stays_whole(world: World) -> None:
    repo = with_commit(world.repo(f"{ODD_NAME}\n"))
    assert find(repo.path / "src", world.env).worktree == repo.path
