"""Manifests of a worktree, its index and its history: only what is the project's own text, and nothing ignored."""

import os
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import Standpoint, submodule, with_commit
from world import Repo, World, listing

from gitmem.git.history import RevisionError
from gitmem.git.layout import locate
from gitmem.git.repository import Repository
from gitmem.git.run import Git
from gitmem.manifest.check import check_on_disk
from gitmem.manifest.make import between, everything, is_memory, of_index, of_worktree, to_worktree
from gitmem.manifest.model import Manifest, make_manifest


def repository_of(repo: Repo) -> Repository:
    git = Git(repo.world.env)
    return Repository(git, locate(git, repo.path, repo.world.env))


def manifest(changed: str = "", deleted: str = "") -> Manifest:
    return make_manifest(changed.split(), deleted.split())


# What each compares


@pytest.fixture
def edited(repo: Repo) -> Repo:
    """A repository in which the commit before, HEAD, the index and the working tree all differ."""
    repo.commit("Before", {"old": "1\n", "kept": "1\n", "moved": "1\n2\n3\n"})
    repo.git("mv", "moved", "renamed")
    repo.commit("Now", {"old": None, "kept": "2\n", "made": "1\n"})
    repo.write("README.md", "staged\n")
    repo.git("mv", "renamed", "again")
    repo.git("add", "README.md")
    repo.write("kept", "3\n")
    repo.write("untracked", "1\n")
    (repo.path / "src/code.py").unlink()
    return repo


def test_the_working_tree_is_compared_with_head(edited: Repo) -> None:
    assert of_worktree(repository_of(edited)) == manifest("README.md again kept untracked", "renamed src/code.py")


def test_the_index_is_compared_with_head(edited: Repo) -> None:
    assert of_index(repository_of(edited)) == manifest("README.md again", "renamed")


def test_head_is_compared_with_a_commit(edited: Repo) -> None:
    assert between(repository_of(edited), "HEAD~1") == manifest("kept made renamed", "moved old")
    assert between(repository_of(edited), "HEAD") == Manifest()
    assert between(repository_of(edited), f":/{'Before'}") == manifest("kept made renamed", "moved old")


def test_the_working_tree_is_compared_with_a_commit(edited: Repo) -> None:
    found = to_worktree(repository_of(edited), "HEAD~1")
    assert found == manifest("README.md again kept made untracked", "moved old src/code.py")


def test_everything_is_as_if_nothing_had_been_known(edited: Repo) -> None:
    assert everything(repository_of(edited), cached=False) == manifest("README.md again kept made untracked")
    assert everything(repository_of(edited), cached=True) == manifest("README.md again kept made src/code.py")


def test_before_the_first_commit_everything_is_new(world: World) -> None:
    unborn = world.repo()
    unborn.write("staged", "x\n")
    unborn.git("add", "-A")
    unborn.write("new", "x\n")
    repository = repository_of(unborn)
    assert of_worktree(repository) == everything(repository, cached=False) == manifest("new staged")
    assert of_index(repository) == everything(repository, cached=True) == manifest("staged")


def test_a_branch_without_a_commit_has_lost_what_another_has(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "fresh")
    assert between(repository_of(repo), "main") == manifest("", "README.md src/code.py")
    assert to_worktree(repository_of(repo), "main") == Manifest()


def test_what_is_no_commit_is_refused(repo: Repo) -> None:
    for revision in ("nowhere", "", "-x", "HEAD^{tree}", "^main"):
        with pytest.raises(RevisionError):
            between(repository_of(repo), revision)
        with pytest.raises(RevisionError):
            to_worktree(repository_of(repo), revision)


# What is left out


MAKERS: Mapping[str, Callable[[Repository], Manifest]] = {
    "worktree": of_worktree,
    "index": of_index,
    "range": lambda repository: between(repository, "HEAD~1"),
    "worktree since": lambda repository: to_worktree(repository, "HEAD~1"),
    "everything": lambda repository: everything(repository, cached=False),
    "everything staged": lambda repository: everything(repository, cached=True),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_what_a_rule_names_is_left_out_tracked_or_not(repo: Repo, maker: str) -> None:
    names = ("a.log", "sub/keep.log", "vendor/x", "sub/b.gen", "secret", "own", "src/new")
    rules = {".gitignore": "*.log\n", "sub/.gitignore": "!keep.log\n", "sub/.gitmemignore": "*.gen\n"}
    repo.world.configure(f"[core]\n\texcludesFile = {repo.world.root}/excludes\n")
    (repo.world.root / "excludes").write_text("secret\n", encoding="ascii")
    (repo.path / ".git/info/exclude").write_text("/own\n", encoding="ascii")
    repo.commit(
        "Files", {**dict.fromkeys((*names, "gone.log", "vendor/gone"), "1\n"), **rules, ".gitmemignore": "vendor/\n"}
    )
    repo.commit("Changed", {**dict.fromkeys(names, "2\n"), "gone.log": None})
    for name in names:
        repo.write(name, "3\n")
    repo.git("add", "-A")
    for name in names:
        repo.write(name, "4\n")
    (repo.path / "vendor/gone").unlink()
    found = MAKERS[maker](repository_of(repo))
    rest = set(found.changed) - {*rules, ".gitmemignore", "README.md", "src/code.py"}
    assert (rest, found.deleted) == ({"sub/keep.log", "src/new"}, ())


@pytest.mark.parametrize("maker", MAKERS)
def test_the_memory_itself_is_left_out(repo: Repo, maker: str) -> None:
    repo.git("config", "mem.store", "docs/./memory/")
    memory = (".klide/memory/a.md", ".klide/drafts/b.md", "docs/memory/c.md", "docs/memory/sub/d.md")
    near = (".klide2/a", "docs/memory2/a", "docs/a", "sub/.klide/a")
    repo.commit("Files", dict.fromkeys((*memory, *near, ".klide/gone"), "1\n"))
    repo.commit("Changed", {**dict.fromkeys((*memory, *near), "2\n"), ".klide/gone": None})
    for name in (*memory, *near):
        repo.write(name, "3\n")
    repo.git("add", "-A")
    for name in (*memory, *near):
        repo.write(name, "4\n")
    repository = repository_of(repo)
    found = MAKERS[maker](repository)
    assert set(found.changed) - {"README.md", "src/code.py"} == set(near)
    assert found.deleted == ()
    assert [path for path in (*memory, *near, ".klide", "docs/memory") if is_memory(repository, path)] == [
        *(*memory, ".klide", "docs/memory"),
    ]


@pytest.mark.parametrize("maker", MAKERS)
def test_links_submodules_and_other_repositories_are_no_files(world: World, maker: str) -> None:
    submodule(world)
    top = Repo(world, world.root / "super")
    top.commit("Files", {"was-file": "x\n", "was-dir/a": "x\n", "to-file": "x\n", "kept": "1\n"})
    (top.path / "link").symlink_to("kept")
    for name in ("was-file", "was-dir/a"):
        (top.path / name).unlink()
    (top.path / "was-dir").rmdir()
    (top.path / "was-file").symlink_to("kept")
    (top.path / "was-dir").symlink_to("kept")
    inner = Repo(world, top.path / "vendor/library")
    inner.commit("Ahead", {"README.md": "y\n"})
    top.git("add", "-A")
    if maker in ("range", "worktree since"):
        top.git("commit", "-qm", "Links")
    with_commit(world.repo("super/inner"))
    found = MAKERS[maker](repository_of(top))
    assert found.deleted == (() if maker.startswith("everything") else ("was-dir/a", "was-file"))
    assert not {"link", "was-file", "was-dir", "vendor/library", "inner", "inner/README.md"} & set(found.changed)


def test_a_file_in_whose_place_something_else_stands_is_deleted(repo: Repo) -> None:
    repo.commit("Files", dict.fromkeys(("file", "dir/a", "pipe", "out/b", "repo/c"), "x\n"))
    for name in ("file", "dir/a", "pipe", "out/b", "repo/c"):
        (repo.path / name).unlink()
    (repo.path / "dir").rmdir()
    (repo.path / "out").rmdir()
    repo.write("file/inside", "x\n")
    repo.write("dir", "x\n")
    os.mkfifo(repo.path / "pipe")
    (repo.path / "out").symlink_to("../home")
    with_commit(repo.world.repo("main/repo"))
    found = of_worktree(repository_of(repo))
    assert found == manifest("dir file/inside", "dir/a file out/b pipe repo/c")
    check_on_disk(repo.path, found, {"out/b"})


def test_what_a_sparse_checkout_leaves_out_is_neither_changed_nor_gone(repo: Repo) -> None:
    repo.commit("More", {"docs/x.md": "x\n", "src/deep/y.py": "y\n"})
    repo.git("sparse-checkout", "set", "--cone", "docs")
    repo.git("update-index", "--cacheinfo", f"100644,{repo.rev('HEAD:README.md')},src/code.py")
    repo.git("update-index", "--skip-worktree", "src/code.py")
    repository = repository_of(repo)
    assert of_worktree(repository) == Manifest()
    assert of_index(repository) == manifest("src/code.py")
    assert everything(repository, cached=False) == manifest("README.md docs/x.md")
    assert everything(repository, cached=True) == manifest("README.md docs/x.md src/code.py src/deep/y.py")


def test_a_conflict_is_a_change_to_what_stands_there(repo: Repo) -> None:
    files = ("both", "theirs", "ours", "gone")
    repo.commit("Files", dict.fromkeys(files, "1\n"))
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {**dict.fromkeys(files, "side\n"), "ours": None})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {**dict.fromkeys(files, "main\n"), "theirs": None})
    repo.git("merge", "-q", "side", accept=(1,))
    (repo.path / "gone").unlink()
    repository = repository_of(repo)
    assert of_worktree(repository) == manifest("both theirs", "gone")  # ours is as in HEAD
    assert of_index(repository) == manifest("both gone ours theirs")


def test_only_the_executable_bit_is_a_change_too(repo: Repo) -> None:
    (repo.path / "README.md").chmod(0o755)
    assert of_worktree(repository_of(repo)) == manifest("README.md")


def test_names_are_the_bytes_that_git_has(repo: Repo) -> None:
    names = [
        "日本/é.txt",
        "sep\u2028two",
        "tab\there",
        "nl\nx",
        '"q"',
        ":(top)x",
        "*",
        "a b/ c",
        os.fsdecode(b"caf\xe9"),
    ]
    half = len(names) // 2
    repo.commit("Names", dict.fromkeys(names[:half], "1\n"))
    for name in names[half:]:
        repo.write(name, "1\n")
    for name in names[:half]:
        (repo.path / name).unlink()
    found = of_worktree(repository_of(repo))
    assert found == make_manifest(names[half:], names[:half])
    assert list(map(os.fsencode, found.changed)) == sorted(map(os.fsencode, names[half:]))


def test_it_works_in_every_layout_and_writes_nothing(layout: Standpoint) -> None:
    layout.repo.write("new", "x\n")
    git = Git(layout.environ)
    repository = Repository(git, locate(git, layout.directory, layout.environ))
    before = listing(layout.worktree)
    tracked = set() if repository.head.oid else set(everything(repository, cached=True).changed)
    assert of_worktree(repository) == make_manifest({"new"} | tracked, [])
    assert "new" in everything(repository, cached=False).changed
    assert listing(layout.worktree) == before


# Incremental and whole agree


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with a few files, brought back to its commit before each example."""
    repo = with_commit(World(tmp_path_factory.mktemp("manifests")).repo())
    repo.commit("Files", {"a": "1\n", "d/a": "1\n", "d/n": "1\n", "e/a": "1\n"})
    return repo


DEEDS: Mapping[str, tuple[str, ...]] = {
    "change": ("sh", "-c", 'echo 2 >"$1"', "sh"),
    "remove": ("rm", "-rf"),
    "make a directory": ("sh", "-c", 'rm -rf "$1"; mkdir "$1" && echo 1 >"$1/a"', "sh"),
    "link inside": ("ln", "-sfT", "d"),
    "link outside": ("ln", "-sfT", "../../home"),
    "move": ("sh", "-c", 'mv "$1" n', "sh"),
    "stage": ("git", "add", "-A", "-f"),
    "unstage": ("git", "rm", "-r", "-q", "--cached"),
    "ignore": ("sh", "-c", 'echo "/$1" >>.gitignore', "sh"),
    "leave out": ("sh", "-c", 'echo "$1" >>d/.gitmemignore', "sh"),
}


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(sorted(DEEDS)), st.sampled_from(["a", "d", "d/a", "e", "n"])), max_size=7))
def test_what_is_known_and_a_manifest_make_what_is_there(shared: Repo, deeds: list[tuple[str, str]]) -> None:
    shared.git("reset", "-q", "--hard")
    shared.git("clean", "-qffdx")
    for deed, name in deeds:
        shared.world.run(*DEEDS[deed], name, cwd=shared.path)
    repository = repository_of(shared)
    before = set(shared.git("ls-tree", "-r", "--name-only", "HEAD").out.splitlines())
    found = of_worktree(repository)
    check_on_disk(shared.path, found, before)
    assert before >= set(found.deleted)
    now = everything(repository, cached=False)
    known = before - set(found.deleted) | set(found.changed)
    assert known - ignored(shared, known) == set(now.changed)
    assert now.deleted == ()


def ignored(repo: Repo, paths: set[str]) -> set[str]:
    """Return what both sorts of rules name: ours are given to git as its own, in a directory beside."""
    beside = repo.world.root / "beside"
    repo.world.run("rm", "-rf", str(beside), cwd=repo.world.root)
    other = repo.world.repo("beside")
    for rules in (".gitignore", "d/.gitmemignore"):
        if (repo.path / rules).is_file() and not (repo.path / rules).parent.is_symlink():
            other.write(rules.replace("gitmemignore", "gitignore"), (repo.path / rules).read_bytes())
    feed = "\0".join(sorted(paths)).encode()
    return set(other.git("check-ignore", "--no-index", "--stdin", "-z", feed=feed, accept=(0, 1)).out.split("\0"))
