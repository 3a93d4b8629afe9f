"""The worktree, the index and a commit as targets: every file in the form in which git itself stores it."""

from pathlib import Path

import pytest
from evidence.cited import at, here
from layouts import with_commit
from world import Repo, World

from gitmem.evidence.target import Found, Target, TargetKind, look_at, worktree_of
from gitmem.git.checkout import MAX_BYTES, FileKind

CRLF = b"one\r\ntwo\r\n"


def found(repo: Repo, path: str) -> Found:
    return look_at(here(repo), [path])[path]


ATTRIBUTES = ["", "text", "text=auto", "-text", "eol=crlf", "text eol=lf", "ident", "-text ident", "binary", "crlf"]
CONTENTS = [b"", b"one\n", CRLF, b"one\r\ntwo\n", b"a\0\r\n", b"$Id: x $\r\n", b"lone\rcr\r\n"]


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("autocrlf", ["false", "true", "input"])
def test_the_blob_is_that_of_git_whatever_the_conversion(world: World, object_format: str, autocrlf: str) -> None:
    repo = with_commit(world.repo("main", f"--object-format={object_format}"))
    repo.git("config", "core.autocrlf", autocrlf)
    repo.git("config", "core.safecrlf", "false")
    names = [f"a{number}-c{content}" for number in range(len(ATTRIBUTES)) for content in range(len(CONTENTS))]
    repo.write(".gitattributes", "".join(f"a{number}-* {text}\n" for number, text in enumerate(ATTRIBUTES)))
    for number, name in enumerate(names):
        repo.write(name, CONTENTS[number % len(CONTENTS)])
    ids = repo.git("hash-object", "--stdin-paths", feed="\n".join(names).encode() + b"\n").out.split()
    seen = look_at(here(repo), names)
    assert {name: seen[name].blob for name in names} == dict(zip(names, ids, strict=True))
    repo.git("add", ".")
    again = look_at(here(repo), names)
    assert {name: again[name].blob for name in names} == {name: repo.rev(f":{name}") for name in names}


@pytest.mark.parametrize("autocrlf", ["true", "input"])
def test_a_blob_that_is_stored_with_crlf_stays_so(repo: Repo, autocrlf: str) -> None:
    repo.commit("With CRLF", {"a.txt": CRLF})
    repo.git("config", "core.autocrlf", autocrlf)
    repo.git("config", "core.safecrlf", "false")
    repo.write("a.txt", CRLF + b"three\r\n")
    repo.git("add", "a.txt")
    stored = repo.rev(":a.txt")
    repo.git("reset", "-q")
    assert found(repo, "a.txt").blob == stored


def test_a_file_whose_stored_form_is_not_here_is_converted_all_the_same(repo: Repo) -> None:
    repo.commit("Text", {"a.txt": b"one\ntwo\n"})
    oid = repo.rev(":a.txt")
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    repo.git("config", "core.autocrlf", "true")
    repo.write("a.txt", CRLF)
    assert found(repo, "a.txt").blob == oid


def test_a_tracked_file_is_told_from_an_untracked_and_an_ignored_one(repo: Repo) -> None:
    repo.write(".gitignore", "*.tmp\n")
    repo.write("kept.tmp", "1\n")
    repo.git("add", "-f", "kept.tmp")
    repo.write("new.txt", "1\n")
    repo.write("new.tmp", "1\n")
    seen = look_at(here(repo), ["README.md", "kept.tmp", "new.txt", "new.tmp"])
    assert {path: (one.tracked, one.ignored) for path, one in seen.items()} == {
        "README.md": (True, False),
        "kept.tmp": (True, False),
        "new.txt": (False, False),
        "new.tmp": (False, True),
    }
    assert seen["kept.tmp"].blob == repo.rev(":kept.tmp")


def test_a_file_that_is_to_be_added_is_tracked(repo: Repo) -> None:
    repo.write("new.txt", "1\n")
    repo.git("add", "-N", "new.txt")
    assert found(repo, "new.txt").tracked


def test_what_git_does_not_look_at_is_marked(repo: Repo) -> None:
    repo.git("update-index", "--skip-worktree", "README.md")
    assert found(repo, "README.md").skipped
    assert not found(repo, "src/code.py").skipped


def test_a_conflicted_file_is_read_as_it_is_on_disk(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"README.md": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"README.md": "main\n"})
    repo.git("merge", "-q", "side", accept=(1,))
    one = found(repo, "README.md")
    assert one.tracked
    assert one.data.startswith(b"<<<<<<< ")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src", FileKind.DIRECTORY),
        ("link", FileKind.SYMLINK),
        ("to-src/code.py", FileKind.VIA_SYMLINK),
        ("nowhere", FileKind.MISSING),
        ("README.md/x", FileKind.MISSING),
        ("no/where", FileKind.MISSING),
        ("inner/README.md", FileKind.IN_REPOSITORY),
    ],
)
def test_what_is_no_file_is_told_by_its_kind(repo: Repo, path: str, kind: FileKind) -> None:
    (repo.path / "link").symlink_to("README.md")
    (repo.path / "to-src").symlink_to("src")
    with_commit(repo.world.repo("main/inner"))
    one = found(repo, path)
    assert (one.kind, one.data, one.blob) == (kind, b"", "")


def test_many_paths_are_looked_at_together(repo: Repo) -> None:
    names = {f"d{number % 7}/f{number}.txt": f"{number}\n" for number in range(520)}
    repo.commit("Many", names)
    calls = repo.world.root / "calls"
    environ = {**repo.world.env, "GIT_TRACE2_EVENT": str(calls)}
    seen = look_at(here(repo, environ), names)
    assert all(one.data.decode() == names[path] and one.blob == one.committed for path, one in seen.items())
    assert calls.read_text(encoding="utf-8").count('"event":"start"') < 12


def test_nothing_is_asked_for_no_paths(repo: Repo) -> None:
    repository = at(repo)
    Path(repo.path, ".git/index").write_bytes(b"rubbish")
    assert look_at(worktree_of(repository), []) == {}


# The index and a commit


def stored(repo: Repo, kind: TargetKind, *paths: str, tip: str = "HEAD") -> dict[str, Found]:
    """What the index, or a commit, has at some paths."""
    return look_at(Target(at(repo), kind, repo.rev(tip)), paths)


def staged(repo: Repo, path: str) -> Found:
    return stored(repo, TargetKind.INDEX, path)[path]


def committed(repo: Repo, path: str, tip: str = "HEAD") -> Found:
    return stored(repo, TargetKind.COMMIT, path, tip=tip)[path]


BOTH = pytest.mark.parametrize("kind", [TargetKind.INDEX, TargetKind.COMMIT])


@BOTH
@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_what_is_stored_is_what_git_shows(world: World, object_format: str, kind: TargetKind) -> None:
    repo = with_commit(world.repo("main", f"--object-format={object_format}"))
    files = {
        "crlf": CRLF,
        "empty": b"",
        "bin": b"\0",
        "d/e/f": b"deep\n",
        "*.x": b"star\n",
        "nl\nx": b"1\n",
        "日本": b"2\n",
    }
    repo.commit("Files", files)
    (repo.path / "d/e/f").write_bytes(b"dirty\n")
    (repo.path / "bin").unlink()
    seen = stored(repo, kind, *files)
    prefix = "" if kind is TargetKind.INDEX else "HEAD"
    for name, data in files.items():
        blob = repo.rev(f"{prefix}:{name}")
        one = seen[name]
        assert (one.kind, one.data, one.blob, one.committed) == (FileKind.REGULAR, data, blob, blob)
        assert one.tracked
        assert not one.dirty


@BOTH
def test_what_is_stored_and_no_file_is_told_by_its_kind(repo: Repo, kind: TargetKind) -> None:
    (repo.path / "link").symlink_to("README.md")
    (repo.path / "to-src").symlink_to("src")
    repo.git("add", "link", "to-src")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/sub")
    repo.commit("Kinds")
    repo.write("untracked/file", "1\n")
    kinds = {
        "src": FileKind.DIRECTORY,
        "vendor": FileKind.DIRECTORY,
        "link": FileKind.SYMLINK,
        "to-src/code.py": FileKind.VIA_SYMLINK,
        "link/x/y": FileKind.VIA_SYMLINK,
        "vendor/sub": FileKind.DIRECTORY,
        "vendor/sub/x/y": FileKind.IN_REPOSITORY,
        "nowhere": FileKind.MISSING,
        "no/where": FileKind.MISSING,
        "sr": FileKind.MISSING,
        "README.md/x": FileKind.MISSING,
        "untracked/file": FileKind.MISSING,
        "untracked": FileKind.MISSING,
    }
    seen = stored(repo, kind, *kinds)
    assert {path: one.kind for path, one in seen.items()} == kinds
    assert {path for path, one in seen.items() if one.submodule} == {"vendor/sub"}
    assert not any(one.data or one.blob for one in seen.values())


@BOTH
def test_what_is_stored_and_too_big_is_not_read(repo: Repo, kind: TargetKind) -> None:
    repo.commit("Big", {"most": b"\0" * MAX_BYTES, "over": b"\0" * (MAX_BYTES + 1)})
    seen = stored(repo, kind, "most", "over")
    assert [(seen[name].kind, len(seen[name].data)) for name in ("most", "over")] == [
        (FileKind.REGULAR, MAX_BYTES),
        (FileKind.TOO_BIG, 0),
    ]


@BOTH
@pytest.mark.parametrize("damaged", [False, True])
def test_what_is_stored_but_not_here_is_lost_and_keeps_its_id(repo: Repo, kind: TargetKind, damaged: bool) -> None:
    repo.commit("Text", {"a.txt": "lost\n"})
    oid = repo.rev(":a.txt")
    path = repo.path / ".git/objects" / oid[:2] / oid[2:]
    path.unlink()
    if damaged:
        path.write_bytes(b"rubbish")
    one = stored(repo, kind, "a.txt")["a.txt"]
    assert (one.kind, one.data, one.blob, one.committed, one.tracked) == (FileKind.LOST, b"", oid, oid, True)


def test_the_index_differs_from_head_by_what_is_staged(repo: Repo) -> None:
    repo.commit("Text", {"a.txt": "1\n", "gone.txt": "1\n"})
    repo.write("a.txt", "2\n")
    assert (staged(repo, "a.txt").data, staged(repo, "a.txt").dirty) == (b"1\n", False)
    repo.git("add", "a.txt")
    repo.write("a.txt", "3\n")
    repo.write("new.txt", "new\n")
    repo.git("add", "new.txt")
    repo.git("rm", "-q", "gone.txt")
    one, new, gone = (staged(repo, name) for name in ("a.txt", "new.txt", "gone.txt"))
    assert (one.data, one.blob, one.committed, one.dirty) == (b"2\n", repo.rev(":a.txt"), repo.rev("HEAD:a.txt"), True)
    assert (new.data, new.committed, new.dirty) == (b"new\n", None, True)
    assert (gone.kind, gone.committed, gone.tracked) == (FileKind.MISSING, repo.rev("HEAD:gone.txt"), False)
    assert (committed(repo, "a.txt").data, committed(repo, "a.txt").dirty) == (b"1\n", False)
    assert committed(repo, "new.txt").kind is FileKind.MISSING


def test_a_commit_is_looked_at_wherever_one_stands(repo: Repo) -> None:
    old = repo.commit("Old", {"a.txt": "old\n"})
    repo.commit("New", {"a.txt": "new\n", "b.txt": "1\n"})
    linked = repo.worktree("linked", at=old)
    for place in (repo, linked):
        assert committed(place, "a.txt", tip="main").data == b"new\n"
        assert committed(place, "a.txt", tip=old).data == b"old\n"
        assert committed(place, "b.txt", tip=old).kind is FileKind.MISSING
    assert (staged(repo, "a.txt").data, staged(linked, "a.txt").data) == (b"new\n", b"old\n")


def test_the_index_of_a_file_that_is_to_be_added_is_empty(repo: Repo) -> None:
    repo.write("new.txt", "1\n")
    repo.git("add", "--intent-to-add", "new.txt")
    assert repo.git("diff", "--cached", "--name-only").out == ""  # for git nothing is staged
    one = staged(repo, "new.txt")
    assert (one.data, one.committed) == (b"", None)
    assert committed(repo, "new.txt").kind is FileKind.MISSING


def test_the_index_during_a_conflict_has_the_file_of_one_side(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"README.md": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"README.md": "main\n"})
    repo.git("merge", "-q", "side", accept=(1,))
    assert staged(repo, "README.md").data in (b"main\n", b"side\n")
    assert staged(repo, "README.md").tracked
    assert committed(repo, "README.md").data == b"main\n"


@BOTH
def test_what_a_sparse_checkout_hides_is_stored_all_the_same(repo: Repo, kind: TargetKind) -> None:
    linked = repo.worktree("sparse")
    linked.git("sparse-checkout", "set", "--no-cone", "/src/")
    one = stored(linked, kind, "README.md")["README.md"]
    assert (one.kind, one.data) == (FileKind.REGULAR, b"hello\n")


def test_a_repository_without_commits_has_an_index_and_no_tree(world: World) -> None:
    repo = world.repo()
    repo.write("a.txt", "1\n")
    repo.git("add", "a.txt")
    repository = at(repo)
    one = look_at(Target(repository, TargetKind.INDEX, repository.head.oid), ["a.txt"])["a.txt"]
    assert (one.data, one.committed, one.dirty) == (b"1\n", None, True)
    assert look_at(Target(repository, TargetKind.COMMIT, None), ["a.txt"])["a.txt"].kind is FileKind.MISSING


@BOTH
def test_no_path_that_is_stored_is_taken_for_a_pattern(repo: Repo, kind: TargetKind) -> None:
    repo.commit("Bait", {"a.txt": "1\n", "b/c.txt": "1\n"})
    for path in ("*.txt", ":(top)a.txt", ":!x", "b/*", "[ab].txt", "./a.txt", "a.txt/", "b//c.txt"):
        assert stored(repo, kind, path)[path].kind is FileKind.MISSING


@pytest.mark.parametrize("kind", list(TargetKind))
def test_a_target_lists_all_that_git_knows(repo: Repo, kind: TargetKind) -> None:
    repo.commit("More", {"Src/x.py": "1\n", "日本": "1\n"})
    repo.write("staged", "1\n")
    repo.git("add", "staged")
    repo.write("untracked", "1\n")
    target = Target(at(repo), kind, repo.rev())
    options = ("ls-tree", "-r", "-z", "--name-only", "HEAD") if kind is TargetKind.COMMIT else ("ls-files", "-z")
    names = repo.git(*options).out.split("\0")[:-1]
    assert sorted(path for path, entry in target.listing.items() if entry.is_file) == sorted(names)
    assert target.by_folded_path["src/x.py"] == ["Src/x.py"]


@BOTH
def test_many_stored_paths_are_looked_at_together(repo: Repo, kind: TargetKind) -> None:
    names = {f"d{number % 7}/f{number}.txt": f"{number}\n" for number in range(520)}
    repo.commit("Many", names)
    calls = repo.world.root / "calls"
    repository = at(repo, {**repo.world.env, "GIT_TRACE2_EVENT": str(calls)})
    seen = look_at(Target(repository, kind, repo.rev()), [*names, *(f"no{number}" for number in range(20))])
    assert all(seen[path].data.decode() == text for path, text in names.items())
    assert calls.read_text(encoding="utf-8").count('"event":"start"') < 12
