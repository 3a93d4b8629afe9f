"""Objects are written as git would write them, and read in batches."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest
from layouts import ODD_NAME, Standpoint, with_commit
from world import Repo, World

from gitmem.git.objects import TreeEntry
from gitmem.git.record import list_files, read_blobs, write_blob, write_blobs, write_commit, write_tree
from gitmem.git.run import Git, GitFailedError

_ANY_BYTES = bytes(range(256)) + b"\r\nend without a line end"


def git_of(world: World, *, without: tuple[str, ...] = (), **extra: str) -> Git:
    environ: Mapping[str, str] = {**world.env, **extra}
    return Git({name: value for name, value in environ.items() if not name.startswith(without or ("-",))})


def blob(repo: Repo, content: bytes) -> str:
    return repo.git("hash-object", "-w", "--no-filters", "--stdin", feed=content).line


# Blobs


def test_files_are_stored_in_every_layout(layout: Standpoint) -> None:
    layout.store.mkdir(parents=True)
    contents = {"b.md": b"one\n", "a.md": b"", "-n.md": _ANY_BYTES, '"q".md': b"two\n", "c.md": b"one\n"}
    for name, content in contents.items():
        (layout.store / name).write_bytes(content)
    oids = write_blobs(Git(layout.environ), layout.worktree, layout.store, list(contents))
    for oid, content in zip(oids, contents.values(), strict=True):
        assert layout.repo.git("cat-file", "blob", oid).stdout == content
    assert read_blobs(Git(layout.environ), layout.worktree, oids) == dict(zip(oids, contents.values(), strict=True))


def test_a_directory_may_have_any_name(repo: Repo) -> None:
    directory = repo.world.root / f"\\{ODD_NAME}\t\r"
    directory.mkdir()
    (directory / "a.md").write_bytes(b"one\n")
    (directory / "b.md").write_bytes(b"two\n")
    oids = write_blobs(Git(repo.world.env), repo.path, directory, ["a.md", "b.md"])
    assert oids == [blob(repo, b"one\n"), blob(repo, b"two\n")]


def test_neither_attributes_nor_settings_change_a_byte(repo: Repo) -> None:
    repo.write(".gitattributes", "*.md text eol=lf ident filter=loud\n")
    repo.world.configure('[core]\n\tautocrlf = input\n\tsafecrlf = true\n[filter "loud"]\n\tclean = tr a-z A-Z\n')
    repo.write("a.md", b"one\r\n$Id$\r\n")
    (oid,) = write_blobs(Git(repo.world.env), repo.path, repo.path, ["a.md"])
    assert repo.git("cat-file", "blob", oid).stdout == b"one\r\n$Id$\r\n"


def test_a_file_that_is_gone_is_an_error(repo: Repo) -> None:
    with pytest.raises(GitFailedError):
        write_blobs(Git(repo.world.env), repo.path, repo.path, ["README.md", "gone.md"])


def test_nothing_to_store_starts_no_git() -> None:
    nowhere = Path("/nonexistent")
    assert write_blobs(Git({}), nowhere, nowhere, []) == []
    assert read_blobs(Git({}), nowhere, []) == {}


@pytest.mark.parametrize("content", [b"", b"target.md", _ANY_BYTES])
def test_a_content_is_stored_as_it_is(repo: Repo, content: bytes) -> None:
    oid = write_blob(Git(repo.world.env), repo.path, content)
    assert repo.git("cat-file", "blob", oid).stdout == content


# Trees


def test_a_tree_holds_files_links_and_trees(repo: Repo) -> None:
    git = Git(repo.world.env)
    one, target = blob(repo, b"one\n"), blob(repo, b"a.md")
    below = write_tree(git, repo.path, {"f0": TreeEntry(0o100644, blob(repo, b""))})
    entries = {
        "z.md": TreeEntry(0o120000, target),
        "a.md": TreeEntry(0o100644, one),
        ".forgotten": TreeEntry(0o040000, below),
        "odd\n\té.md": TreeEntry(0o100644, one),
    }
    tree = write_tree(git, repo.path, entries)
    assert set(repo.git("ls-tree", "-z", tree).out.split("\0")[:-1]) == {
        f"120000 blob {target}\tz.md",
        f"100644 blob {one}\ta.md",
        f"040000 tree {below}\t.forgotten",
        f"100644 blob {one}\todd\n\té.md",
    }
    commit = write_commit(git, repo.path, tree, [], "One\n")
    assert list_files(git, repo.path, commit) == entries
    assert repo.git("fsck", "--strict").code == 0


def test_a_tree_may_be_empty_or_name_what_is_not_here(repo: Repo) -> None:
    git = Git(repo.world.env)
    assert repo.git("ls-tree", write_tree(git, repo.path, {})).out == ""
    missing = TreeEntry(0o100644, "12" * 20)
    assert list_files(git, repo.path, write_tree(git, repo.path, {"a.md": missing})) == {"a.md": missing}


def test_the_files_of_a_commit_that_is_not_here_are_an_error(repo: Repo) -> None:
    with pytest.raises(GitFailedError):
        list_files(Git(repo.world.env), repo.path, "12" * 20)


# Commits


def shown(repo: Repo, commit: str, form: str) -> str:
    return repo.git("log", "-1", f"--format={form}", commit).line


def test_a_commit_is_what_git_would_have_made(repo: Repo) -> None:
    git = git_of(repo.world, GIT_AUTHOR_DATE="1700000000 +0200", GIT_COMMITTER_DATE="1700000001 -0130")
    tree, head = repo.rev("HEAD^{tree}"), repo.rev()
    side = repo.git("commit-tree", tree, "-m", "side").line
    message = "add été\n\nMem-Head: 12\n# not a comment\n"
    repo.world.configure(
        "[i18n]\n\tcommitEncoding = ISO-8859-1\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n"
    )
    commit = write_commit(git, repo.path, tree, [head, side], message)
    assert repo.git("cat-file", "commit", commit).stdout.decode("utf-8") == (
        f"tree {tree}\nparent {head}\nparent {side}\n"
        "author A U Thor <author@example.com> 1700000000 +0200\n"
        "committer C O Mitter <committer@example.com> 1700000001 -0130\n"
        f"\n{message}"
    )


_PEOPLE = "%an <%ae> %cn <%ce>"


@pytest.mark.parametrize(
    ("configuration", "extra", "people"),
    [
        ("", {}, "git mem <git-mem@localhost> git mem <git-mem@localhost>"),
        ("[user]\n\tname = Ann\n", {}, "Ann <git-mem@localhost> Ann <git-mem@localhost>"),
        ("[user]\n\temail = ann@x\n", {}, "git mem <ann@x> git mem <ann@x>"),
        ('[user]\n\tname = "<.>"\n\temail = ann@x\n', {}, "git mem <ann@x> git mem <ann@x>"),
        ("[author]\n\tname = Ann\n\temail = ann@x\n", {}, "Ann <ann@x> git mem <git-mem@localhost>"),
        ("", {"GIT_AUTHOR_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@x"}, "Ann <git-mem@localhost> git mem <ann@x>"),
        ("[user]\n\tname = Ann\n\temail = ann@x\n", {}, "Ann <ann@x> Ann <ann@x>"),
    ],
)
def test_what_git_does_not_know_of_a_person_is_filled_in(
    repo: Repo, configuration: str, extra: dict[str, str], people: str
) -> None:
    repo.world.configure(f"[user]\n\tuseConfigOnly = true\n{configuration}")
    git = git_of(repo.world, without=("GIT_AUTHOR_", "GIT_COMMITTER_"))
    git = Git({**git.environ, **extra})
    commit = write_commit(git, repo.path, repo.rev("HEAD^{tree}"), [], "One\n")
    assert shown(repo, commit, _PEOPLE) == people


def test_a_commit_that_git_refuses_is_an_error(repo: Repo) -> None:
    with pytest.raises(GitFailedError):
        write_commit(Git(repo.world.env), repo.path, "12" * 20, [], "One\n")


# Reading


def test_blobs_that_are_not_here_are_absent(repo: Repo) -> None:
    one = blob(repo, b"one\n")
    assert read_blobs(Git(repo.world.env), repo.path, [one, "12" * 20, one]) == {one: b"one\n"}


def test_nothing_is_fetched_in_a_partial_clone(world: World) -> None:
    origin = with_commit(world.repo("origin"))
    origin.git("config", "uploadpack.allowFilter", "true")
    repo = world.clone(origin, "main", "--filter=blob:none", "--no-checkout")
    promised, here = origin.rev("HEAD:README.md"), blob(repo, b"here\n")
    assert read_blobs(Git(world.env), repo.path, [promised, here, "12" * 20]) == {here: b"here\n"}
    assert read_blobs(Git(world.env), repo.path, [promised]) == {}
    assert f"?{promised}" in repo.git("rev-list", "--objects", "--all", "--missing=print").out.split("\n")


@pytest.mark.parametrize("kept", [0, 10, 2000])
def test_a_damaged_blob_is_absent_like_a_missing_one(repo: Repo, kept: int) -> None:
    one, two = blob(repo, _ANY_BYTES), blob(repo, _random(4000))
    loose = repo.path / ".git" / "objects" / two[:2] / two[2:]
    loose.chmod(0o644)
    os.truncate(loose, kept)
    assert read_blobs(Git(repo.world.env), repo.path, [two, one]) == {one: _ANY_BYTES}


def _random(size: int) -> bytes:
    """Return bytes that no compression makes fewer."""
    return b"".join(sha256(b"%d" % number).digest() for number in range(size // 32))
