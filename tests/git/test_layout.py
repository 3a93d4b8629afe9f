"""Where one stands: every layout as git itself sees it."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from layouts import ODD_NAME, Standpoint, bare, dot_bare, linked, record_root, separate, submodule, with_commit
from world import Repo, World, listing

from gitmem.git.layout import Layout, LayoutKind, RootUnknownError, given_index, locate, missing_root, resolve
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


@pytest.mark.parametrize("git_dir", ["elsewhere.git", "meta/.git"])
def test_a_separate_git_dir_needs_its_checkout_recorded(world: World, git_dir: str) -> None:
    repo = separate(world, git_dir)
    assert root_to_record(repo.path / "src", world.env) == repo.path
    found = find(repo.path, world.env)
    assert (found.kind, found.root) == (LayoutKind.SEPARATE_GIT_DIR, repo.path)


def test_a_bare_repository_needs_itself_recorded(world: World) -> None:
    repository = bare(world, "repo.git")
    feature = repository.worktree("feature")
    assert root_to_record(feature.path, world.env) == repository.path


def test_a_bare_repository_named_dot_bare_needs_the_directory_around_it_recorded(world: World) -> None:
    repository = dot_bare(world)
    feature = repository.worktree("project/feature")
    assert root_to_record(feature.path, world.env) == repository.path.parent


@pytest.mark.parametrize("git_dir", ["elsewhere.git", "meta/.git"])
def test_a_worktree_of_a_separate_git_dir_cannot_record_what_it_does_not_know(world: World, git_dir: str) -> None:
    feature = separate(world, git_dir).worktree("feature")
    with pytest.raises(RootUnknownError, match="run `git mem init` there once"):
        root_to_record(feature.path, world.env)


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
    feature = linked(world)
    back = world.root / "main" / ".git" / "worktrees" / "feature"
    (feature.path / ".git").write_text("gitdir: ../main/.git/worktrees/feature\n", encoding="utf-8")
    (back / "gitdir").write_text("../../../../feature/.git\n", encoding="utf-8")
    assert find(feature.path, world.env).root == world.root / "main"


def test_a_worktree_that_was_moved_and_repaired_is_found_again(world: World) -> None:
    moved = linked(world).path.rename(world.root / "moved")
    world.git("worktree", "repair", cwd=moved)
    assert find(moved, world.env).root == world.root / "main"


def test_a_main_checkout_that_was_moved_and_repaired_is_found_again(world: World) -> None:
    feature = linked(world)
    moved = (world.root / "main").rename(world.root / "moved")
    world.git("worktree", "repair", feature.path, cwd=moved)
    assert find(feature.path, world.env).root == moved


def test_two_worktrees_of_a_bare_repository_share_one_store(world: World) -> None:
    repository = bare(world, "repo.git")
    record_root(repository, repository.path)
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
    feature = repo.worktree("feature")
    repo.git("config", "core.worktree", "..")
    assert find(repo.path, world.env).kind is LayoutKind.MAIN
    assert find(feature.path, world.env).root == repo.path


def test_worktree_configuration_of_the_main_checkout_is_seen_from_linked_ones(world: World) -> None:
    repository = bare(world, "repo.git")
    feature = repository.worktree("feature")
    repository.git("config", "extensions.worktreeConfig", "true")
    repository.git("config", "--unset", "core.bare")
    repository.git("config", "--worktree", "core.bare", "true")
    record_root(repository, repository.path)
    assert find(feature.path, world.env).kind is LayoutKind.BARE


def test_a_main_checkout_with_no_files_is_still_one(world: World) -> None:
    repo = world.repo()
    repo.commit("Nothing yet")
    feature = repo.worktree("feature")
    assert find(feature.path, world.env).root == repo.path


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
    feature = linked(world)
    printed = feature.git("-c", "alias.show-env=!env -0", "show-env", cwd=feature.path / "src")
    environ = dict(line.split("=", 1) for line in printed.out.split("\0") if line)
    assert environ["GIT_PREFIX"] == "src/"
    found = find(feature.path, environ)
    assert found.root == world.root / "main"
    assert found.place.directory == feature.path / "src"


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


@pytest.mark.parametrize(
    "value", [".git/index", "../elsewhere/index.lock", ".git/no-such.lock", ".git/sub/x.lock", "x"]
)
def test_an_index_that_git_did_not_make_for_this_worktree_does_not_count(repo: Repo, value: str) -> None:
    for name in ("../elsewhere/index.lock", ".git/sub/x.lock", "x"):
        repo.write(name, "")
    environ = {**repo.world.env, "GIT_INDEX_FILE": value}
    assert given_index(environ, locate(Git(environ), repo.path, environ)) is None


def test_an_index_that_git_made_beside_the_worktrees_own_counts(repo: Repo) -> None:
    linked = repo.worktree("linked")
    for worktree in (repo, linked):
        made = Path(worktree.git("rev-parse", "--absolute-git-dir").line) / "next-index-7.lock"
        made.write_bytes(b"")
        for value in (str(made), os.path.relpath(made, worktree.path)):
            environ = {**repo.world.env, "GIT_INDEX_FILE": value}
            assert given_index(environ, locate(Git(environ), worktree.path, environ)) == made
