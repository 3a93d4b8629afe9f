"""What changed: the paths that `git diff` and `git ls-files --others` name, and no program of the repository runs."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import Standpoint, submodule, with_commit
from world import Repo, World, listing

from gitmem.git.changes import between_trees, empty_tree, in_index, in_worktree
from gitmem.git.checkout import unchanged_by_stat
from gitmem.git.layout import locate
from gitmem.git.objects import ObjectFormat
from gitmem.git.repository import Repository
from gitmem.git.run import Git, GitFailedError

NAMES = (
    *(
        "日本/é.txt",
        "sep\u2028two.txt",
        "tab\there.txt",
        "nl\nx.txt",
        '"q".txt',
        "back\\slash",
        " lead",
        "-n",
        "trail ",
    ),
    *(":(top)x", "*.txt", "a b/ c.txt", os.fsdecode(b"caf\xe9"), "M", "e\u0301", "x\u0085y"),
)


def git_of(repo: Repo) -> Git:
    return Git(repo.world.env)


def repository_of(repo: Repo) -> Repository:
    git = git_of(repo)
    return Repository(git, locate(git, repo.path, repo.world.env))


def found(repo: Repo, base: str | None = None) -> set[str]:
    repository = repository_of(repo)
    return set(in_worktree(repository, base or repository.head.oid or empty_tree(repository.object_format)))


def named(repo: Repo, *ask: str) -> set[str]:
    return {os.fsdecode(path) for path in repo.git(*ask).stdout.split(b"\0") if path}


def gits_answer(repo: Repo, base: str = "HEAD") -> set[str]:
    """Return what git names; it may refresh the index, so that it is to be asked last."""
    changed = named(repo, "diff", "--name-only", "--no-renames", "--ignore-submodules=all", "-z", base)
    untracked = named(repo, "ls-files", "--others", "--exclude-standard", "-z")
    return changed | {path for path in untracked if not path.endswith("/")}


def later(repo: Repo, *names: str) -> None:
    """Give files another time than the index knows, and keep their content."""
    for name in names:
        os.utime(repo.path / name, (1_600_000_000, 1_600_000_000))


# In the working tree


def nothing(repo: Repo) -> None:
    later(repo, "README.md")


def edits(repo: Repo) -> None:
    repo.write("README.md", "HELLO\n")  # of the same size
    (repo.path / "src/code.py").unlink()
    repo.write("new/deep/file", "x\n")
    repo.write(".gitignore", "*.log\n")
    repo.write("a.log", "x\n")


def staged_edits(repo: Repo) -> None:
    edits(repo)
    repo.git("add", "-A")
    repo.git("mv", "README.md", "READ.md")


def edits_after_staging(repo: Repo) -> None:
    repo.commit("More", {"back": "1\n", "other": "1\n", "gone": "1\n", "again": "1\n"})
    for name in ("back", "other", "gone"):
        repo.write(name, "2\n")
        repo.git("add", name)
    repo.write("back", "1\n")
    repo.write("other", "3\n")
    (repo.path / "gone").unlink()
    repo.git("rm", "-q", "again")
    repo.write("again", "1\n")
    repo.write("added", "1\n")
    repo.git("add", "added")
    (repo.path / "added").unlink()


def modes(repo: Repo) -> None:
    (repo.path / "README.md").chmod(0o755)
    later(repo, "src/code.py")


def modes_that_do_not_count(repo: Repo) -> None:
    repo.git("config", "core.fileMode", "false")
    modes(repo)


def other_types(repo: Repo) -> None:
    repo.commit("More", {"file": "x\n", "dir/a": "x\n", "dir/b": "x\n", "way/a": "x\n"})
    (repo.path / "link").symlink_to("file")
    (repo.path / "link2").symlink_to("file")
    repo.commit("Links", {})
    repo.git("add", "link", "link2")
    repo.git("commit", "-qm", "Links")
    for name in ("file", "link", "link2", "dir/a", "dir/b", "way/a"):
        (repo.path / name).unlink()
    (repo.path / "dir").rmdir()
    (repo.path / "way").rmdir()
    (repo.path / "file").symlink_to("README.md")
    repo.write("link", "file")
    (repo.path / "link2").symlink_to("elsewhere")
    repo.write("dir", "x\n")
    (repo.path / "way").symlink_to("src")
    repo.write("README.md", "x\n")
    (repo.path / "README.md").unlink()
    repo.write("README.md/inside", "x\n")
    os.mkfifo(repo.path / "pipe")


def no_longer_tracked(repo: Repo) -> None:
    repo.git("rm", "-q", "--cached", "README.md", "src/code.py")
    repo.write(".gitignore", "*.py\n")


def intended(repo: Repo) -> None:
    repo.write("new", "x\n")
    repo.write("empty", "")
    repo.git("rm", "-q", "--cached", "README.md")
    repo.git("add", "-N", "new", "empty", "README.md")


def conflicts(repo: Repo) -> None:
    files = ("both", "resolved", "theirs", "ours", "gone", "same")
    repo.commit("Files", dict.fromkeys(files, "1\n"))
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {**dict.fromkeys(files, "side\n"), "ours": None, "new": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {**dict.fromkeys(files, "main\n"), "theirs": None, "new": "main\n"})
    repo.git("merge", "-q", "side", accept=(1,))
    repo.write("resolved", "side\n")
    repo.write("same", "main\n")
    (repo.path / "gone").unlink()


def left_out_by_sparse_checkout(repo: Repo) -> None:
    repo.commit("More", {"docs/x.md": "x\n", "src/deep/y.py": "y\n"})
    repo.git("sparse-checkout", "set", "--cone", "docs")
    repo.write("docs/x.md", "y\n")
    repo.git("update-index", "--cacheinfo", f"100644,{repo.rev('HEAD:README.md')},src/code.py")
    repo.git("update-index", "--skip-worktree", "src/code.py")


def left_out_by_hand(repo: Repo) -> None:
    repo.commit("More", {"a": "x\n", "b": "x\n"})
    repo.git("update-index", "--skip-worktree", "README.md", "a")
    repo.git("update-index", "--assume-unchanged", "src/code.py")
    (repo.path / "README.md").unlink()
    repo.write("a", "other\n")
    repo.write("src/code.py", "other\n")


def line_ends(repo: Repo) -> None:
    contents = {"lf": b"a\nb\n", "crlf": b"a\r\nb\r\n", "mixed": b"a\r\nb\n", "bin": b"a\r\n\0"}
    repo.commit("Files", contents)
    repo.git("config", "core.autocrlf", "true")
    for name in ("lf", "crlf", "mixed"):
        repo.write(name, b"a\r\nb\r\n")
    later(repo, *contents, "README.md")


def attributes(repo: Repo) -> None:
    rules = "i ident\nc text eol=crlf\nu working-tree-encoding=UTF-16LE-BOM text\nl filter=lfs\nn filter=nowhere\n"
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 4\n"
    stored = {"i": "$Id$\n", "c": "a\n", "u": "é\n", "l": pointer, "n": "x\n", "real": "$Id$\n"}
    repo.commit("Files", {**stored, ".gitattributes": ""})
    repo.commit("Attributes", {".gitattributes": rules})
    repo.write("i", "$Id: 1234 $\n")
    repo.write("c", b"a\r\n")
    repo.write("u", b"\xff\xfe" + "é\r\n".encode("utf-16-le"))
    repo.write("real", "$Id: 1234 $\n")
    later(repo, "i", "c", "u", "l", "n")


def odd_names(repo: Repo) -> None:
    half = len(NAMES) // 2
    repo.commit("Names", dict.fromkeys(NAMES[:half], "x\n"))
    for name in NAMES:
        repo.write(name, "y\n")
    later(repo, "README.md")


def other_repositories(repo: Repo) -> None:
    with_commit(repo.world.repo("main/inner"))
    repo.worktree("main/linked")
    repo.write("plain/file", "x\n")


STATES: Mapping[str, Callable[[Repo], None]] = {
    made.__name__: made
    for made in (
        *(nothing, edits, staged_edits, edits_after_staging, modes, modes_that_do_not_count, other_types),
        *(no_longer_tracked, intended, conflicts, left_out_by_sparse_checkout, left_out_by_hand, line_ends),
        *(attributes, odd_names, other_repositories),
    )
}


UNCHANGED = ("nothing", "modes_that_do_not_count", "left_out_by_hand")


@pytest.mark.parametrize("state", STATES)
def test_the_working_tree_differs_where_git_says_so(repo: Repo, state: str) -> None:
    first = repo.rev()
    STATES[state](repo)
    before = listing(repo.path)
    answers = {base: found(repo, repo.rev(base)) for base in ("HEAD", first)}
    assert listing(repo.path) == before
    for base, answer in answers.items():
        assert answer == gits_answer(repo, base)
    assert (answers["HEAD"] == set()) == (state in UNCHANGED)


def test_what_was_before_and_what_is_now_are_told(repo: Repo) -> None:
    other_types(repo)
    changes = in_worktree(repository_of(repo), repo.rev())
    modes_told = {path: (f"{one.old_mode:o}", f"{one.new_mode:o}") for path, one in changes.items()}
    file, link, none = "100644", "120000", "0"
    assert modes_told == {
        "file": (file, link),
        "link": (link, file),
        "link2": (link, link),
        **dict.fromkeys(("dir/a", "dir/b", "way/a", "README.md"), (file, none)),
        "dir": (none, file),
        "way": (none, link),
        "README.md/inside": (none, file),
    }
    assert changes["README.md"].blob_before == repo.rev("HEAD:README.md")


def test_before_the_first_commit_everything_is_new(world: World) -> None:
    unborn = world.repo()
    unborn.write("staged", "x\n")
    unborn.write("dropped", "x\n")
    unborn.git("add", "-A")
    (unborn.path / "dropped").unlink()
    unborn.write("new", "x\n")
    assert found(unborn) == {"staged", "new"}


def test_a_large_file_counts_as_different_once_it_is_touched(repo: Repo) -> None:
    repo.commit("Large", {"large": bytes(6 << 20)})
    assert found(repo) == set()
    later(repo, "large")
    assert found(repo) == {"large"}


def test_more_files_than_are_held_in_memory_are_compared(repo: Repo) -> None:
    names = [f"many/{number}" for number in range(1100)]
    repo.commit("Many", dict.fromkeys(names, "x\n"))
    later(repo, *names)
    repo.write("many/7", "y\n")
    repo.write("many/1077", "y\n")
    assert found(repo) == {"many/7", "many/1077"}


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_any_hash_names_contents(world: World, object_format: str) -> None:
    repo = with_commit(world.repo("hashed", f"--object-format={object_format}"))
    later(repo, "README.md")
    repo.write("src/code.py", "y\n")
    assert found(repo) == {"src/code.py"}
    nothing_there = repo.git("hash-object", "-t", "tree", "--stdin").line
    assert empty_tree(ObjectFormat(object_format)) == nothing_there


def test_a_submodule_is_another_repositorys_business(world: World) -> None:
    submodule(world)
    top = Repo(world, world.root / "super")
    inner = Repo(world, top.path / "vendor/library")
    ran = world.root / "ran"
    inner.commit("Ahead", {"README.md": "y\n"})
    inner.git("config", "core.fsmonitor", f"touch {ran}; false")
    inner.write("untracked", "x\n")
    top.write("README.md", "y\n")
    assert found(top) == {"README.md"}
    assert in_index(git_of(top), top.path, "HEAD") == {}
    assert not ran.exists()


def test_it_works_in_every_layout(layout: Standpoint) -> None:
    layout.repo.write("new", "x\n")
    git = Git(layout.environ)
    repository = Repository(git, locate(git, layout.directory, layout.environ))
    base = repository.head.oid or empty_tree(repository.object_format)
    assert set(in_worktree(repository, base)) == {"new"} | (
        set() if repository.head.oid else named(layout.repo, "ls-files", "-z")
    )


# No program runs


@pytest.fixture
def trapped(repo: Repo) -> Repo:
    """A repository whose every program leaves a trace, and fails."""
    trap = repo.world.root / "trap"
    trap.write_text(f"#!/bin/sh\necho $0 >>'{repo.world.root}/ran'\nexit 1\n", encoding="ascii")
    trap.chmod(0o755)
    drivers = ("spy", "a=b", "with space", 'quo"te', "a.b", "lfs")
    rules = "a filter=spy\nb filter=a=b\nc filter=a.b\nd filter=lfs\n* diff=spy\n"
    repo.commit("Files", {**dict.fromkeys(("a", "b", "c", "d", "e"), "x\n"), ".gitattributes": rules})
    for name in drivers:
        for key in ("clean", "smudge", "process"):
            repo.git("config", f"filter.{name}.{key}", str(trap))
        repo.git("config", f"filter.{name}.required", "true")
    for key in (
        "core.fsmonitor",
        "diff.external",
        "diff.spy.textconv",
        "diff.spy.command",
        "core.editor",
        "core.pager",
    ):
        repo.git("config", key, str(trap))
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / hook).symlink_to(trap)
    return repo


def ran(repo: Repo) -> bool:
    return (repo.world.root / "ran").exists()


def test_no_program_of_the_repository_runs_and_nothing_is_written(trapped: Repo) -> None:
    before = listing(trapped.path)
    assert found(trapped) == set()  # as old as the index, so that git looks at contents
    later(trapped, "a", "b", "c", "d", "e")
    trapped.write("new", "x\n")
    # Behind a filter that does not run nobody can tell; Git LFS's pointer is computed.
    assert found(trapped) == {"a", "b", "c", "d", "new"}
    assert in_index(git_of(trapped), trapped.path, "HEAD") == {}
    (trapped.path / "new").unlink()
    assert listing(trapped.path) == before
    assert not ran(trapped)
    trapped.git("-c", "core.fsmonitor=false", "diff", "--name-only", accept=(0, 128))
    assert ran(trapped)  # the trap was set


def test_a_file_behind_a_filter_is_as_it_was_added_while_its_stat_data_are(repo: Repo) -> None:
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.commit("Filtered", {".gitattributes": "u filter=upper\nv filter=upper\n", "u": "x\n", "v": "x\n"})
    repo.write("v", "y\n")
    repo.git("add", "v")
    # An index as old as its files may have missed an edit: git looks at contents, which without the filter differ.
    os.utime(repo.path / ".git/index", (1_600_000_000, 1_600_000_000))
    assert found(repo) == {"v"}
    later(repo, "u")
    assert found(repo) == {"u", "v"}


def test_settings_of_the_caller_still_count(trapped: Repo) -> None:
    later(trapped, "a")
    counted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fileMode", "GIT_CONFIG_VALUE_0": "false"}
    (trapped.path / "e").chmod(0o755)
    git = Git({**trapped.world.env, **counted})
    repository = Repository(git, locate(git, trapped.path, trapped.world.env))
    assert set(in_worktree(repository, trapped.rev())) == {"a"}


def test_stat_data_are_those_that_the_index_recorded(repo: Repo) -> None:
    repo.commit("Names", dict.fromkeys(NAMES, "x\n"))
    later(repo, "README.md", NAMES[0])
    (repo.path / NAMES[1]).unlink()
    repo.write("untracked", "x\n")
    asked = [*NAMES, "README.md", "src/code.py", "untracked", "nowhere"]
    assert unchanged_by_stat(git_of(repo), repo.path, asked) == {*NAMES[2:], "src/code.py"}
    assert unchanged_by_stat(git_of(repo), repo.path, []) == set()
    # Over so many paths git is asked for all that there are.
    many = [*asked, *(f"nowhere/{number}" for number in range(600))]
    assert unchanged_by_stat(git_of(repo), repo.path, many) == {*NAMES[2:], "src/code.py"}


# In the index, and between trees


@pytest.mark.parametrize("state", STATES)
def test_the_index_differs_where_git_says_so(repo: Repo, state: str) -> None:
    first = repo.rev()
    STATES[state](repo)
    for base in ("HEAD", first):
        answer = in_index(git_of(repo), repo.path, base)
        assert set(answer) == named(repo, "diff", "--cached", "--name-only", "--no-renames", "-z", base)
        assert in_index(git_of(repo), repo.path, repo.rev(f"{base}^{{tree}}")) == answer


def test_a_conflict_in_the_index_is_a_change_to_one_of_its_sides(repo: Repo) -> None:
    conflicts(repo)
    changes = in_index(git_of(repo), repo.path, "HEAD")
    assert {path for path, change in changes.items() if change.puts_file} == set(changes)
    assert changes["both"].blob_before == repo.rev("HEAD:both")
    assert changes["theirs"].blob_before is None


def test_trees_differ_where_git_says_so(repo: Repo) -> None:
    first = repo.rev()
    other_types(repo)
    repo.git("add", "-A", accept=(0, 1))
    odd_names(repo)
    repo.git("add", "-A")
    last = repo.commit("Last")
    nobody = empty_tree(ObjectFormat.SHA1)
    for old, new in ((first, last), (last, first), (last, last), (nobody, first), (first, nobody)):
        expected = named(repo, "diff", "--name-only", "--no-renames", "-z", old, new)
        assert set(between_trees(git_of(repo), repo.path, old, new)) == expected


def test_trees_that_are_not_here_are_an_error(repo: Repo) -> None:
    with pytest.raises(GitFailedError):
        between_trees(git_of(repo), repo.path, "1" * 40, repo.rev())


# Whatever people do


ACTIONS = st.sampled_from(
    ["write", "write same", "remove", "add", "unstage", "touch", "link", "directory", "executable", "intend", "ignore"]
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with a few files, brought back to its commit before each example."""
    repo = with_commit(World(tmp_path_factory.mktemp("changes")).repo())
    repo.commit("Files", {"a": "1\n", "b": "1\r\n2\r\n", "d/a": "1\n", ".gitattributes": "b text=auto\n"})
    return repo


@settings(max_examples=30)
@given(st.lists(st.tuples(ACTIONS, st.sampled_from(["a", "b", "d", "d/a", "n"])), max_size=8))
def test_whatever_people_do_the_answer_is_gits(shared: Repo, deeds: list[tuple[str, str]]) -> None:
    shared.git("reset", "-q", "--hard")
    shared.git("clean", "-qfdx")
    for deed, name in deeds:
        do(shared, deed, name)
    answer = found(shared)
    assert answer == gits_answer(shared)


def do(repo: Repo, deed: str, name: str) -> None:
    path = repo.path / name
    if path.parent.is_symlink() or not path.parent.is_dir():
        return
    if deed in MAKES:
        if path.is_symlink() or path.exists():
            repo.world.run("rm", "-r", name, cwd=repo.path)
        MAKES[deed](path)
    elif deed in ASKS:
        repo.git(*ASKS[deed], name, accept=(0, 1, 128))
    elif deed == "ignore":
        (repo.path / ".gitignore").write_text(f"{name}\n", encoding="ascii")
    elif path.is_file():
        later(repo, name) if deed == "touch" else path.chmod(0o755)


def make_directory(path: Path) -> None:
    path.mkdir()
    (path / "a").write_bytes(b"1\n")


MAKES: Mapping[str, Callable[[Path], object]] = {
    "write": lambda path: path.write_bytes(b"2\n"),
    "write same": lambda path: path.write_bytes(b"1\n"),
    "remove": lambda path: path,
    "link": lambda path: path.symlink_to("d"),
    "directory": make_directory,
}
ASKS: Mapping[str, tuple[str, ...]] = {
    "add": ("add", "-A", "-f", "--"),
    "unstage": ("reset", "-q", "--"),
    "intend": ("add", "-N", "-f", "--"),
}
