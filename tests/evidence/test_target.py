"""The worktree as a target: every file in the form in which git itself would store it."""

from pathlib import Path

import pytest
from evidence.cited import at
from layouts import with_commit
from world import Repo, World

from gitmem.evidence.target import Found, look
from gitmem.git.checkout import FileKind

CRLF = b"one\r\ntwo\r\n"


def found(repo: Repo, path: str) -> Found:
    return look(at(repo), [path])[path]


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
    seen = look(at(repo), names)
    assert {name: seen[name].blob for name in names} == dict(zip(names, ids, strict=True))
    repo.git("add", ".")
    again = look(at(repo), names)
    assert {name: again[name].blob for name in names} == {name: again[name].index_blob for name in names}


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
    seen = look(at(repo), ["README.md", "kept.tmp", "new.txt", "new.tmp"])
    assert {path: (one.tracked, one.ignored) for path, one in seen.items()} == {
        "README.md": (True, False),
        "kept.tmp": (True, False),
        "new.txt": (False, False),
        "new.tmp": (False, True),
    }
    assert seen["kept.tmp"].index_blob == repo.rev(":kept.tmp")


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
    seen = look(at(repo, environ), names)
    assert all(one.data.decode() == names[path] and one.blob == one.index_blob for path, one in seen.items())
    assert calls.read_text(encoding="utf-8").count('"event":"start"') < 12


def test_nothing_is_asked_for_no_paths(repo: Repo) -> None:
    repository = at(repo)
    Path(repo.path, ".git/index").write_bytes(b"rubbish")
    assert look(repository, []) == {}
