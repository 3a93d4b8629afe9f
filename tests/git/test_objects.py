"""Both object databases against git itself: loose and packed, present, missing, promised and damaged."""

import os
import shutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as example_settings
from hypothesis import strategies as st
from layouts import with_commit
from world import Repo, World

from gitmem.git.database import open_database
from gitmem.git.dulwich import DulwichDatabase
from gitmem.git.libgit2 import Libgit2Database
from gitmem.git.objects import (
    ObjectDamagedError,
    ObjectDatabase,
    ObjectFormat,
    ObjectKind,
    ObjectMissingError,
    TreeEntry,
    blob_id,
)

NAMES = (
    "plain.txt",
    "日本/é.txt",
    "sep\u2028two.txt",
    "tab\there.txt",
    "sp ace.txt",
    '"q".txt',
    "nl\nx.txt",
    "a/b/c.txt",
)
NOT_UTF8 = os.fsdecode(b"caf\xe9.txt")


@dataclass(frozen=True, slots=True)
class Opener:
    """One library on one object format."""

    name: str
    object_format: ObjectFormat
    open: Callable[[Path], ObjectDatabase]

    def repo(self, world: World, name: str = "main") -> Repo:
        return world.repo(name, f"--object-format={self.object_format.value}")

    @property
    def absent(self) -> str:
        return "ab" * (self.object_format.digits // 2)


OPENERS = (
    Opener("libgit2", ObjectFormat.SHA1, Libgit2Database),
    Opener("dulwich", ObjectFormat.SHA1, lambda path: DulwichDatabase(path, ObjectFormat.SHA1)),
    Opener("dulwich-sha256", ObjectFormat.SHA256, lambda path: DulwichDatabase(path, ObjectFormat.SHA256)),
)


@pytest.fixture(scope="module", params=OPENERS, ids=lambda opener: str(opener.name))
def opener(request: pytest.FixtureRequest) -> Opener:
    found: Opener = request.param
    return found


def common_dir(repo: Repo) -> Path:
    return repo.path / ".git"


def fill(repo: Repo) -> Repo:
    """Commit one object of each kind and mode, tags of everything, and the same file in several versions."""
    repo.commit("Names", {name: os.fsencode(f"this is {name}\n") for name in (*NAMES, NOT_UTF8)})
    (repo.path / "link").symlink_to("plain.txt")
    repo.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    repo.git("add", "link", "run.sh")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.rev()},sub/module")
    repo.git("commit", "-q", "-m", "Modes")
    for number in range(3):
        repo.commit(f"Version {number}", {"plain.txt": "".join(f"line {line} of {number}\n" for line in range(50))})
    repo.git("tag", "-a", "-m", "one", "one")
    repo.git("tag", "-a", "-m", "two", "two", "one")
    repo.git("tag", "-a", "-m", "blob", "of-a-blob", "HEAD:plain.txt")
    repo.git("tag", "-a", "-m", "tree", "of-a-tree", "HEAD^{tree}")
    return repo


@pytest.fixture(scope="module", params=["loose", "packed"])
def stored(
    request: pytest.FixtureRequest, opener: Opener, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ObjectDatabase, Repo]:
    """A repository that nobody changes, with objects of every kind."""
    repo = fill(opener.repo(World(tmp_path_factory.mktemp("stored"))))
    if request.param == "packed":
        repo.git("gc", "-q")
        assert not list((common_dir(repo) / "objects").glob("??/*"))
    return opener.open(common_dir(repo)), repo


def objects_of(repo: Repo) -> dict[str, str]:
    lines = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").out.splitlines()
    return {oid: kind for oid, _, kind in (line.partition(" ") for line in lines)}


def test_the_kind_of_every_object_is_as_git_says(stored: tuple[ObjectDatabase, Repo]) -> None:
    database, repo = stored
    known = objects_of(repo)
    assert set(known.values()) == {"commit", "tree", "blob", "tag"}
    assert {oid: database.kind(oid) for oid in known} == {oid: ObjectKind(kind) for oid, kind in known.items()}


def test_every_blob_is_as_git_says(stored: tuple[ObjectDatabase, Repo]) -> None:
    database, repo = stored
    for oid, kind in objects_of(repo).items():
        if kind == "blob":
            assert database.blob(oid) == repo.git("cat-file", "blob", oid).stdout
        else:
            with pytest.raises(ObjectMissingError):
                database.blob(oid)


@pytest.mark.parametrize("name", ["HEAD", "HEAD~2", "one", "two"])
def test_commits_and_chains_of_tags_are_peeled_as_git_does(stored: tuple[ObjectDatabase, Repo], name: str) -> None:
    database, repo = stored
    assert database.peel(repo.rev(name)) == repo.rev(f"{name}^{{commit}}")


@pytest.mark.parametrize("name", ["of-a-blob", "of-a-tree", "HEAD:plain.txt", "HEAD^{tree}"])
def test_what_is_no_commit_peels_to_none(stored: tuple[ObjectDatabase, Repo], name: str) -> None:
    database, repo = stored
    assert database.peel(repo.rev(name)) is None


def test_every_path_of_a_tree_is_found_as_git_lists_it(stored: tuple[ObjectDatabase, Repo]) -> None:
    database, repo = stored
    head = repo.rev()
    listed = {}
    for item in repo.git("ls-tree", "-r", "-t", "-z", head).stdout.split(b"\0")[:-1]:
        meta, _, path = item.partition(b"\t")
        mode, _kind, oid = meta.decode().split()
        listed[os.fsdecode(path)] = TreeEntry(int(mode, 8), oid)
    assert {*NAMES, NOT_UTF8, "link", "run.sh", "sub/module", "a/b", "日本"} <= listed.keys()
    assert {path: database.find(head, path) for path in listed} == listed


@pytest.mark.parametrize(
    "path",
    ["nowhere", "a/nowhere", "a/b/c.txt/d", "plain.txt/x", "sub/module/x", "link/x", "a/", "/a", "", "a//b", "A"],
)
def test_a_path_that_the_tree_does_not_have_is_none(stored: tuple[ObjectDatabase, Repo], path: str) -> None:
    database, repo = stored
    assert database.find(repo.rev(), path) is None


def test_only_a_commit_has_paths(stored: tuple[ObjectDatabase, Repo]) -> None:
    database, repo = stored
    with pytest.raises(ObjectMissingError):
        database.find(repo.rev("HEAD^{tree}"), "plain.txt")


def test_an_object_that_is_not_there_is_missing(opener: Opener, world: World) -> None:
    database = opener.open(common_dir(with_commit(opener.repo(world))))
    assert database.kind(opener.absent) is None
    for question in (database.peel, database.blob, lambda oid: database.find(oid, "x")):
        with pytest.raises(ObjectMissingError, match=f"object {opener.absent} is not in this repository: fetch it"):
            question(opener.absent)


def test_an_object_that_is_written_later_is_found(opener: Opener, world: World) -> None:
    repo = with_commit(opener.repo(world))
    database = opener.open(common_dir(repo))
    assert database.kind(opener.absent) is None
    loose = repo.commit("Later", {"later.txt": "later\n"})
    assert database.peel(loose) == loose
    repo.git("gc", "-q")
    assert database.blob(repo.rev("HEAD:later.txt")) == b"later\n"


def test_objects_of_alternates_are_found(opener: Opener, world: World) -> None:
    origin = with_commit(opener.repo(world, "origin"))
    world.git("clone", "-q", "--shared", origin.path, "middle", cwd=world.root)
    middle = Repo(world, world.root / "middle")
    middle.commit("Middle", {"middle.txt": "middle\n"})
    world.git("clone", "-q", "--shared", middle.path, "main", cwd=world.root)
    database = opener.open(world.root / "main" / ".git")
    assert database.kind(origin.rev()) is ObjectKind.COMMIT
    assert database.blob(middle.rev("HEAD:middle.txt")) == b"middle\n"
    assert database.find(middle.rev(), "README.md") == TreeEntry(0o100644, origin.rev("HEAD:README.md"))


def test_alternates_that_are_gone_make_their_objects_missing(opener: Opener, world: World) -> None:
    origin = with_commit(opener.repo(world, "origin"))
    world.git("clone", "-q", "--shared", origin.path, "main", cwd=world.root)
    oid = origin.rev()
    shutil.rmtree(origin.path)
    assert opener.open(world.root / "main" / ".git").kind(oid) is None


def loose_file(repo: Repo, oid: str) -> Path:
    path = common_dir(repo) / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    return path


DAMAGE = {
    "empty": b"",
    "garbage": b"not zlib at all",
    "cut": zlib.compress(b"blob 6\0hello\n")[:-7],
    "no-header": zlib.compress(b"blob"),
    "short": zlib.compress(b"blob 6\0hell"),
    "other-content": zlib.compress(b"blob 6\0HELLO\n"),
    "no-size": zlib.compress(b"blob x\0hello\n"),
    "no-kind": zlib.compress(b"nonsense 6\0hello\n"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_object_is_named_with_the_remedy(opener: Opener, world: World, damage: bytes) -> None:
    repo = with_commit(opener.repo(world))
    oid = repo.rev("HEAD:README.md")
    loose_file(repo, oid).write_bytes(damage)
    with pytest.raises(ObjectDamagedError, match=f"object {oid} cannot be read: run `git fsck`") as damaged:
        opener.open(common_dir(repo)).blob(oid)
    assert "\n" not in damaged.value.message
    assert damaged.value.oid == oid


@pytest.mark.parametrize("kind", ["commit", "tree"])
def test_a_damaged_commit_or_tree_is_told_from_a_missing_one(opener: Opener, world: World, kind: str) -> None:
    repo = with_commit(opener.repo(world))
    head, oid = repo.rev(), repo.rev(f"HEAD^{{{kind}}}")
    loose_file(repo, oid).write_bytes(zlib.compress(f"{kind} 7\0rubbish".encode()))
    with pytest.raises(ObjectDamagedError):
        opener.open(common_dir(repo)).find(head, "README.md")


def test_a_damaged_pack_does_not_look_like_missing_objects(opener: Opener, world: World) -> None:
    repo = fill(opener.repo(world))
    repo.git("gc", "-q")
    oid = repo.rev("HEAD:plain.txt")
    (pack,) = (common_dir(repo) / "objects" / "pack").glob("*.pack")
    pack.chmod(0o644)
    data = pack.read_bytes()
    pack.write_bytes(data[:12] + bytes(len(data) - 32) + data[-20:])
    with pytest.raises(ObjectDamagedError):
        opener.open(common_dir(repo)).blob(oid)


def test_replacements_and_grafts_do_not_count(opener: Opener, world: World) -> None:
    repo = with_commit(opener.repo(world))
    first = repo.rev()
    second = repo.commit("Second", {"README.md": "other\n"})
    expected = TreeEntry(0o100644, repo.rev("HEAD:README.md"))
    repo.git("replace", second, first)
    assert opener.open(common_dir(repo)).find(second, "README.md") == expected


# Partial clones


@pytest.fixture(params=["blob:none", "tree:0"])
def partial(request: pytest.FixtureRequest, opener: Opener, world: World) -> tuple[ObjectDatabase, Repo, Repo]:
    """A clone that lacks objects, and the origin that has them, out of reach."""
    origin = with_commit(opener.repo(world, "origin"))
    origin.git("config", "uploadpack.allowFilter", "true")
    clone = world.clone(origin, "main", f"--filter={request.param}", "--no-checkout")
    gone = Repo(world, origin.path.rename(world.root / "gone"))
    return opener.open(common_dir(clone)), clone, gone


def missing_count(repo: Repo) -> int:
    return repo.git("rev-list", "--objects", "--all", "--missing=print").out.count("?")


def test_a_promised_object_is_missing_and_never_fetched(partial: tuple[ObjectDatabase, Repo, Repo]) -> None:
    database, clone, gone = partial
    before = missing_count(clone)
    gone.path.rename(clone.world.root / "origin")  # online again: nothing may be fetched all the same
    head, blob = clone.rev(), Repo(clone.world, clone.world.root / "origin").rev("HEAD:README.md")
    assert database.peel(head) == head
    assert database.kind(blob) is None
    with pytest.raises(ObjectMissingError):
        database.blob(blob)
    assert missing_count(clone) == before > 0


def test_a_missing_tree_is_not_an_absent_path(opener: Opener, world: World) -> None:
    origin = with_commit(opener.repo(world, "origin"))
    origin.git("config", "uploadpack.allowFilter", "true")
    clone = world.clone(origin, "main", "--filter=tree:0", "--no-checkout")
    tree = origin.rev("HEAD^{tree}")
    origin.path.rename(world.root / "gone")
    with pytest.raises(ObjectMissingError) as missing:
        opener.open(common_dir(clone)).find(clone.rev(), "README.md")
    assert missing.value.oid == tree


def test_a_missing_tree_on_the_way_is_not_an_absent_path(opener: Opener, world: World) -> None:
    repo = fill(opener.repo(world))
    tree = repo.rev("HEAD:a")
    loose_file(repo, tree).unlink()
    database = opener.open(common_dir(repo))
    assert database.find(repo.rev(), "plain.txt") is not None
    assert database.find(repo.rev(), "a") == TreeEntry(0o40000, tree)
    with pytest.raises(ObjectMissingError) as missing:
        database.find(repo.rev(), "a/b/c.txt")
    assert missing.value.oid == tree


# Which library


@pytest.mark.parametrize(
    ("object_format", "library"), [(ObjectFormat.SHA1, Libgit2Database), (ObjectFormat.SHA256, DulwichDatabase)]
)
def test_the_first_library_that_can_open_a_repository_is_taken(
    world: World, object_format: ObjectFormat, library: type[ObjectDatabase]
) -> None:
    repo = with_commit(world.repo("main", f"--object-format={object_format.value}"))
    database = open_database(common_dir(repo), object_format)
    assert type(database) is library
    assert database.peel(repo.rev()) == repo.rev()


def test_a_repository_with_reftable_refs_can_be_read(world: World) -> None:
    made = world.run("git", "init", "-q", "--ref-format=reftable", "main", cwd=world.root)
    if made.code != 0:
        pytest.skip("this git cannot make reftable repositories")
    repo = with_commit(Repo(world, world.root / "main"))
    database = open_database(common_dir(repo), ObjectFormat.SHA1)
    assert database.blob(repo.rev("HEAD:README.md")) == b"hello\n"


def test_a_repository_with_an_extension_that_libgit2_does_not_know_can_be_read(world: World) -> None:
    repo = with_commit(world.repo())
    head, blob = repo.rev(), repo.rev("HEAD:README.md")
    with (repo.path / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tofTheFuture = true\n")
    database = open_database(common_dir(repo), ObjectFormat.SHA1)
    assert type(database) is DulwichDatabase
    assert (database.peel(head), database.blob(blob)) == (head, b"hello\n")


def test_every_layout_opens_its_objects(world: World) -> None:
    linked = with_commit(world.repo()).worktree("feature")
    head = linked.commit("In the worktree", {"x": "x\n"})
    assert open_database(world.root / "main" / ".git", ObjectFormat.SHA1).peel(head) == head


# Names


def test_blob_ids_are_those_of_git(world: World) -> None:
    contents = [b"", b"hello\n", b"a\r\nb", bytes(range(256)), b"x" * 100_000]
    for object_format in ObjectFormat:
        repo = world.repo(object_format.value, f"--object-format={object_format.value}")
        for content in contents:
            assert blob_id(content, object_format) == repo.git("hash-object", "--stdin", feed=content).line
        assert object_format.digits == len(blob_id(b"", object_format))


@example_settings(max_examples=50)
@given(content=st.binary(max_size=300), object_format=st.sampled_from(ObjectFormat))
def test_blob_ids_tell_contents_apart(content: bytes, object_format: ObjectFormat) -> None:
    assert blob_id(content, object_format) == blob_id(bytes(content), object_format)
    assert blob_id(content, object_format) != blob_id(content + b"\0", object_format)
