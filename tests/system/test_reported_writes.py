"""Faults of writing that were found by using it, each as it was found."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from forgotten import traces
from program import document, is_one_error
from remembered import file_of
from world import Repo

BASE = "2026-01-01-0000-base"


@pytest.fixture
def store(repo: Repo) -> Repo:
    """One entry with evidence."""
    repo.commit("Code", {"f.txt": "1\n2\n3\n"})
    assert repo.mem("add", "base", "--date", "2026-01-01", "--file", "f.txt:1-2").line == BASE
    return repo


def test_a_name_that_is_not_utf8_stops_nothing_once_something_is_forgotten(store: Repo) -> None:
    odd = os.fsencode(store.path / ".klide/memory/bad") + b"\xff.md"
    Path(os.fsdecode(odd)).write_bytes(b"x")
    assert store.mem("forget", BASE, "--yes").code == 0
    for verb, code in (("list", 0), ("status", 0), ("doctor", 1), ("check", 0), ("diff", 0), ("log", 0)):
        done = store.mem(verb)
        assert (done.code, "fault" in done.err) == (code, False), (verb, done)
    assert store.mem("add", "z").code == 0


def test_what_cannot_be_removed_is_not_forgotten(store: Repo) -> None:
    # A file that nobody may remove, as on a disk that can only be read: made so that root cannot either.
    mounted = subprocess.run(["mount", "-t", "tmpfs", "none", store.path / ".klide/memory"], check=False)
    if mounted.returncode:
        pytest.skip("only root may mount")
    try:
        file_of(store, BASE).write_bytes(b"text\n")
        subprocess.run(["mount", "-o", "remount,ro", store.path / ".klide/memory"], check=True)
        refused = store.mem("forget", BASE, "--yes")
        assert (refused.code, is_one_error(refused)) == (128, True)
        assert BASE in store.mem("list").out
        assert not (store.path / ".git/mem/forgotten").exists()
    finally:
        subprocess.run(["umount", store.path / ".klide/memory"], check=True)


def test_a_lost_content_of_another_entry_does_not_keep_a_text_in_the_history(store: Repo) -> None:
    secret = store.mem("add", "two", "--date", "2026-01-02", "--notes", "SECRET words").line
    assert store.mem("add", "three").code == 0
    lost = store.rev(f"refs/mem/store:{BASE}.md")
    (store.path / f".git/objects/{lost[:2]}/{lost[2:]}").unlink()
    file_of(store, BASE).unlink()
    done = store.mem("forget", secret, "--yes")
    assert (done.code, "could not be read" in done.err, f"run `git mem forget {secret}`" in done.err) == (
        0,
        False,
        False,
    )
    assert traces(store, ["SECRET words", secret]) == []
    assert "three" in store.git("log", "--format=%s", "refs/mem/store").out


def test_forgetting_is_a_write_and_refused_where_writing_is(store: Repo) -> None:
    store.git("add", "-f", ".klide")
    store.git("commit", "-q", "-m", "Track it by mistake")
    refused = store.mem("forget", BASE, "--yes")
    assert (refused.code, "fatal: .klide/memory is private, but HEAD tracks .klide" in refused.err) == (128, True)
    assert file_of(store, BASE).exists()


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("sourceRefs: hello", "sourceRefs"),
        ('sourceRefs: [{"sourceType":"file"}]', "sourceRefs"),
        ('sourceRefs: [{"sourceType":"bogus","id":"x"}]', "sourceRefs"),
        ("sourceRefs: [1]", "sourceRefs"),
        ("tags: x", "tags"),
        ('tags: [["a"]]', "tags"),
    ],
)
def test_an_edit_does_not_take_evidence_and_tags_apart(store: Repo, line: str, key: str) -> None:
    before = file_of(store, BASE).read_bytes()
    refused = store.mem("edit", BASE, env={"GIT_EDITOR": f"sed -i 's/^{key}.*/{line}/'"})
    assert (refused.code, is_one_error(refused), f"`{key}` is no list of" in refused.err) == (128, True, True)
    assert file_of(store, BASE).read_bytes() == before


def test_the_history_can_be_compared_in_a_bare_clone(store: Repo) -> None:
    assert store.mem("edit", BASE, env={"GIT_EDITOR": "sed -i s/base/basis/"}).code == 0
    bare = store.world.root / "bare.git"
    store.git("clone", "-q", "--mirror", store.path, bare)
    for words in ([], [BASE], [f"{BASE}@{{1}}"], [f"{BASE}@{{1}}", f"{BASE}@{{0}}"]):
        shown = store.mem("diff", *words, cwd=bare)
        assert (shown.code, "+title: basis" in shown.out) == (0, True), (words, shown)
    assert store.mem("diff", f"{BASE}@{{0}}", cwd=bare).out == ""


def test_copies_in_other_worktrees_are_named(store: Repo) -> None:
    assert store.mem("init", "--track").code == 0
    store.git("add", ".klide")
    store.git("commit", "-q", "-m", "Entries")
    store.worktree("other")
    forgotten = document_of(store, "forget", BASE, "--yes", "--json")
    assert f"../other/.klide/memory/{BASE}.md" in forgotten["left"]


def document_of(repo: Repo, *words: str) -> dict[str, Any]:
    """Return what a command prints as JSON, whatever it warns of."""
    done = repo.mem(*words)
    assert done.code == 0, done
    return dict(document(type(done)(done.code, done.stdout, "")))


@pytest.mark.parametrize("ref", ["refs/mem", "refs/mem/store/x"])
def test_a_ref_in_the_way_is_named_with_the_way_out(repo: Repo, ref: str) -> None:
    repo.git("update-ref", ref, "HEAD")
    assert repo.mem("add", "x").code == 128
    told = repo.mem("doctor")
    assert (told.code, f"git update-ref -d {ref}" in told.out) == (1, True)
    repo.git("update-ref", "-d", ref)
    assert repo.mem("add", "x").code == 0


@pytest.mark.parametrize("kind", ["directory", "fifo", "link"])
def test_what_stands_in_the_place_of_the_lock_is_named(store: Repo, kind: str) -> None:
    lock = store.path / ".git/mem/lock"
    lock.unlink()
    if kind == "directory":
        lock.mkdir()
    elif kind == "fifo":
        os.mkfifo(lock)
    else:
        lock.symlink_to("nowhere")
    refused = store.mem("add", "x")
    assert (refused.code, is_one_error(refused), "is no regular file" in refused.err) == (128, True, True)
    told = store.mem("doctor")
    assert (told.code, "is no regular file" in told.out) == (1, True)
    assert store.mem("list").code == 0


def test_a_tracked_store_that_git_ignores_is_told(store: Repo) -> None:
    store.commit("Ignore it", {".gitignore": ".klide/\n"})
    assert store.mem("init", "--track").code == 0
    told = store.mem("doctor")
    assert (told.code, "git ignores it" in told.out) == (1, True)


def test_output_that_nobody_takes_does_not_hide_what_was_done(store: Repo) -> None:
    with Path("/dev/full").open("wb") as full:
        argv = ["sh", "-c", f'"$0" -m gitmem forget {BASE} --yes', sys.executable]
        done = subprocess.run(
            argv, cwd=store.path, env=store.world.env, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, b"is forgotten, but standard output" in done.stderr) == (128, True)
    assert not file_of(store, BASE).exists()
