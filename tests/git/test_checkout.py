"""What stands in a worktree, and what the index says of it: against the disk and against git."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import submodule, with_commit
from world import Repo, World

from gitmem.git.checkout import MAX_BYTES, FileKind, FileState, IndexEntry, index_entries, read_files
from gitmem.git.ignore import ignored
from gitmem.git.run import Git

ODD_NAMES = (
    *("plain.txt", "日本/é.txt", "sep\u2028two.txt", "tab\there.txt", "nl\nx.txt", "cr\rx.txt", '"quoted".txt'),
    *("back\\slash", " lead", "trail ", "-n", "--", ":(top)x", ":!x", ":x", "*.txt", "[a].txt", "#x", "!x", "a/b/c/d"),
    *(os.fsdecode(b"caf\xe9"), "e\u0301", "\u00e9", "\u202eevil", "x\u0085y", "a b/ c"),
)


def read_file(worktree: Path, path: str) -> FileState:
    return read_files(worktree, [path])[path]


def git_of(repo: Repo) -> Git:
    return Git(repo.world.env)


# Reading


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_regular_file_is_read_whatever_its_name(repo: Repo, name: str) -> None:
    content = b"first\r\nsecond\0\xff"
    repo.write(name, content)
    assert read_file(repo.path, name) == FileState(FileKind.REGULAR, content)


@pytest.mark.parametrize("content", [b"", b"\n", bytes(range(256))])
def test_every_byte_of_a_file_is_read(repo: Repo, content: bytes) -> None:
    repo.write("x", content)
    assert read_file(repo.path, "x") == FileState(FileKind.REGULAR, content)


def fifo(repo: Repo) -> None:
    os.mkfifo(repo.path / "x")


def link_to_a_file(repo: Repo) -> None:
    (repo.path / "x").symlink_to("README.md")


def link_to_a_fifo(repo: Repo) -> None:
    os.mkfifo(repo.path / "pipe")
    (repo.path / "x").symlink_to("pipe")


def dangling_link(repo: Repo) -> None:
    (repo.path / "x").symlink_to("nowhere")


def directory(repo: Repo) -> None:
    (repo.path / "x").mkdir()


def nested_repository(repo: Repo) -> None:
    repo.world.git("init", "-q", repo.path / "x", cwd=repo.path)


def nothing(_repo: Repo) -> None:
    pass


def too_big(repo: Repo) -> None:
    with (repo.path / "x").open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (fifo, FileKind.OTHER),
        (link_to_a_file, FileKind.SYMLINK),
        (link_to_a_fifo, FileKind.SYMLINK),
        (dangling_link, FileKind.SYMLINK),
        (directory, FileKind.DIRECTORY),
        (nested_repository, FileKind.DIRECTORY),
        (nothing, FileKind.MISSING),
        (too_big, FileKind.TOO_BIG),
    ],
)
def test_what_is_no_file_to_read_is_told_apart(repo: Repo, make: Callable[[Repo], None], kind: FileKind) -> None:
    make(repo)
    assert read_file(repo.path, "x") == FileState(kind)


def test_a_file_of_the_greatest_size_is_read(repo: Repo) -> None:
    repo.write("x", bytes(MAX_BYTES))
    assert read_file(repo.path, "x") == FileState(FileKind.REGULAR, bytes(MAX_BYTES))


def link_in_the_middle(repo: Repo) -> str:
    (repo.path / "link").symlink_to("src")
    return "link/code.py"


def link_deep_in_the_middle(repo: Repo) -> str:
    repo.write("a/b/c/code.py", "x\n")
    (repo.path / "a" / "link").symlink_to("b")
    return "a/link/c/code.py"


def link_out_of_the_worktree(repo: Repo) -> str:
    (repo.world.home / "secret").write_text("secret\n", encoding="utf-8")
    (repo.path / "link").symlink_to(repo.world.home)
    return "link/secret"


def file_in_the_middle(_repo: Repo) -> str:
    return "README.md/code.py"


def fifo_in_the_middle(repo: Repo) -> str:
    os.mkfifo(repo.path / "pipe")
    return "pipe/code.py"


def directory_that_is_missing(_repo: Repo) -> str:
    return "nowhere/at/all"


def inside_a_nested_repository(repo: Repo) -> str:
    with_commit(repo.world.repo("main/vendor/inner"))
    return "vendor/inner/src/code.py"


def inside_a_nested_worktree(repo: Repo) -> str:
    repo.worktree("main/trees/inner")
    return "trees/inner/README.md"


def name_that_is_too_long(_repo: Repo) -> str:
    return "x" * 300


def directory_that_is_too_long(_repo: Repo) -> str:
    return f"{'x' * 300}/y"


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (link_in_the_middle, FileKind.VIA_SYMLINK),
        (link_deep_in_the_middle, FileKind.VIA_SYMLINK),
        (link_out_of_the_worktree, FileKind.VIA_SYMLINK),
        (file_in_the_middle, FileKind.MISSING),
        (fifo_in_the_middle, FileKind.MISSING),
        (directory_that_is_missing, FileKind.MISSING),
        (inside_a_nested_repository, FileKind.IN_REPOSITORY),
        (inside_a_nested_worktree, FileKind.IN_REPOSITORY),
        (name_that_is_too_long, FileKind.MISSING),
        (directory_that_is_too_long, FileKind.MISSING),
    ],
)
def test_a_way_that_leads_elsewhere_is_not_taken(repo: Repo, make: Callable[[Repo], str], kind: FileKind) -> None:
    assert read_file(repo.path, make(repo)) == FileState(kind)


def test_a_file_in_a_submodule_belongs_to_the_submodule(world: World) -> None:
    submodule(world)
    top = world.root / "super"
    assert read_file(top, "vendor/library/README.md").kind is FileKind.IN_REPOSITORY
    assert read_file(top, "vendor/library").kind is FileKind.DIRECTORY
    assert read_file(top / "vendor" / "library", "README.md").data == b"hello\n"


@pytest.mark.parametrize("path", ["", ".", "/etc/passwd", "..", "../home/secret", "src/../../home/secret", "src/.."])
def test_a_path_that_is_not_below_the_worktree_is_never_opened(repo: Repo, path: str) -> None:
    (repo.world.home / "secret").write_text("secret\n", encoding="utf-8")
    assert read_file(repo.path, path) == FileState(FileKind.MISSING)


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
@pytest.mark.parametrize("path", ["shut/x", "shut/deep/x", "x"])
def test_a_file_that_may_not_be_read_is_not_taken_for_missing(repo: Repo, path: str) -> None:
    repo.write("shut/deep/x", "x\n")
    repo.write("shut/x", "x\n")
    repo.write("x", "x\n").chmod(0)
    (repo.path / "shut").chmod(0)
    try:
        assert read_file(repo.path, path) == FileState(FileKind.UNREADABLE)
    finally:
        (repo.path / "shut").chmod(0o755)


def test_reading_leaves_no_descriptor_open(repo: Repo) -> None:
    repo.write("a/b/c/d", "x\n")
    link_in_the_middle(repo)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in ("a/b/c/d", "a/b/nowhere/d", "link/code.py", "a/b", "x"):
        read_file(repo.path, path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# The index


def staged(repo: Repo) -> dict[str, list[str]]:
    """Return mode, object and stage of every path, from git's own list of the whole index."""
    found: dict[str, list[str]] = {}
    for item in repo.git("ls-files", "--stage", "-z").stdout.split(b"\0")[:-1]:
        meta, _, path = item.partition(b"\t")
        found.setdefault(os.fsdecode(path), []).append(meta.decode("ascii"))
    return found


def test_every_path_of_the_index_is_known_by_its_own_name(repo: Repo) -> None:
    repo.commit("Odd", dict.fromkeys(ODD_NAMES, "x\n"))
    listed = staged(repo)
    assert listed.keys() >= set(ODD_NAMES)
    entries = index_entries(git_of(repo), repo.path, listed.keys())
    assert {path: [f"{entry.mode:06o} {entry.oid} 0"] for path, entry in entries.items()} == listed
    assert not any(entry.skip_worktree or entry.is_submodule for entry in entries.values())


def test_only_what_was_asked_is_answered(repo: Repo) -> None:
    paths = ["src", "src/", "nowhere", "README.md", "*.md", "README.md/x", ".git/config", "untracked"]
    repo.write("untracked", "x\n")
    assert index_entries(git_of(repo), repo.path, paths).keys() == {"README.md"}
    assert index_entries(git_of(repo), repo.path, []) == {}


def test_what_is_staged_counts_and_not_what_is_on_disk(repo: Repo) -> None:
    repo.write("README.md", "staged\n")
    repo.git("add", "README.md")
    repo.write("README.md", "on disk\n")
    repo.git("rm", "-q", "--cached", "src/code.py")
    entries = index_entries(git_of(repo), repo.path, ["README.md", "src/code.py"])
    assert entries == {
        "README.md": IndexEntry(
            0o100644, repo.git("hash-object", "--stdin", feed=b"staged\n").line, skip_worktree=False
        )
    }


def test_modes_of_links_programs_and_submodules_are_told(world: World) -> None:
    submodule(world)
    top = Repo(world, world.root / "super")
    (top.path / "link").symlink_to("README.md")
    top.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    top.git("add", "link", "run.sh")
    paths = ["link", "run.sh", "vendor/library", "vendor/library/README.md"]
    entries = index_entries(git_of(top), top.path, paths)
    assert {path: f"{entry.mode:o}" for path, entry in entries.items()} == {
        "link": "120000",
        "run.sh": "100755",
        "vendor/library": "160000",
    }
    assert [path for path, entry in entries.items() if entry.is_submodule] == ["vendor/library"]


def test_in_a_conflict_one_of_the_stages_is_told(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"README.md": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"README.md": "main\n"})
    repo.git("merge", "-q", "side", accept=(1,))
    stages = staged(repo)["README.md"]
    assert len(stages) == 3
    entry = index_entries(git_of(repo), repo.path, ["README.md"])["README.md"]
    assert f"{entry.mode:o} {entry.oid} 3" == stages[-1]


@pytest.mark.parametrize("mode", ["--cone", "--no-cone"])
def test_what_a_sparse_checkout_leaves_out_is_marked(repo: Repo, mode: str) -> None:
    repo.commit("More", {"docs/x.md": "x\n", "src/deep/y.py": "y\n"})
    repo.git("sparse-checkout", "set", mode, "docs")
    entries = index_entries(git_of(repo), repo.path, ["docs/x.md", "src/deep/y.py", "src/code.py"])
    assert {path: entry.skip_worktree for path, entry in entries.items()} == {
        "docs/x.md": False,
        "src/deep/y.py": True,
        "src/code.py": True,
    }


def test_a_sparse_index_answers_like_a_full_one(repo: Repo) -> None:
    repo.commit("More", {"docs/x.md": "x\n", "src/deep/y.py": "y\n"})
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs")
    entry = index_entries(git_of(repo), repo.path, ["src/deep/y.py"])["src/deep/y.py"]
    assert entry == IndexEntry(0o100644, repo.rev("HEAD:src/deep/y.py"), skip_worktree=True)


def test_a_bit_set_by_hand_counts_as_left_out(repo: Repo) -> None:
    repo.git("update-index", "--skip-worktree", "README.md")
    repo.git("update-index", "--assume-unchanged", "src/code.py")
    entries = index_entries(git_of(repo), repo.path, ["README.md", "src/code.py"])
    assert (entries["README.md"].skip_worktree, entries["src/code.py"].skip_worktree) == (True, False)


def test_more_paths_than_one_command_takes_are_all_answered(repo: Repo) -> None:
    names = [f"many/{number:04}.txt" for number in range(1203)]
    blob = repo.rev("HEAD:README.md")
    feed = "".join(f"100644 {blob}\t{name}\n" for name in names)
    repo.git("update-index", "--add", "--index-info", feed=feed.encode())
    assert index_entries(git_of(repo), repo.path, names).keys() == set(names)


def test_each_worktree_has_its_own_index(repo: Repo) -> None:
    linked = repo.worktree("feature")
    linked.write("new.txt", "x\n")
    linked.git("add", "new.txt")
    assert index_entries(git_of(repo), linked.path, ["new.txt"]).keys() == {"new.txt"}
    assert index_entries(git_of(repo), repo.path, ["new.txt"]) == {}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository for examples that only read and write files at its top."""
    return with_commit(World(tmp_path_factory.mktemp("checkout")).repo())


@settings(max_examples=30)
@given(
    name=st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20),
    content=st.binary(max_size=50),
)
def test_any_name_is_read_listed_and_asked_as_it_is(shared: Repo, name: str, content: bytes) -> None:
    if name in (".", "..") or name.lower().startswith((".git", "git~")) or Path(shared.path, name).exists():
        return
    path = shared.write(name, content)
    try:
        assert read_file(shared.path, name) == FileState(FileKind.REGULAR, content)
        assert ignored(git_of(shared), shared.path, [name]) == set()
        shared.git("add", "-f", "--", name, env={"GIT_LITERAL_PATHSPECS": "1"})
        assert index_entries(git_of(shared), shared.path, [name]).keys() == {name}
    finally:
        path.unlink()
        shared.git("rm", "-q", "--cached", "--ignore-unmatch", "--", name, env={"GIT_LITERAL_PATHSPECS": "1"})
