"""`git mem doctor` at the command line: a line for each check, its exit codes, and a disk that takes nothing."""

import os
import shutil
import subprocess
import sys

import pytest
from inprocess import Cli
from program import document, faults, on_terminal
from remembered import file_of, remember
from world import Repo, listing

ONE, TWO = "2026-01-01-0000-one", "2026-01-01-0000-two"


@pytest.fixture
def store(repo: Repo) -> Repo:
    """Two recorded entries."""
    for title in ("one", "two"):
        remember(repo, title)
    return repo


def test_each_check_is_a_line_and_the_last_one_sums_up(cli: Cli, store: Repo) -> None:
    result = cli(store, "doctor")
    assert (result.code, result.err) == (0, "")
    *checks, last = result.out.splitlines()
    assert [line.split()[0] for line in checks] == ["ok"] * 14
    assert str(store.path / ".klide/memory") in result.out
    assert last == "nothing is wrong"


def test_what_is_wrong_comes_with_what_mends_it_and_exit_code_1(cli: Cli, store: Repo) -> None:
    (store.path / ".klide/memory/broken.md").write_bytes(b"---\ntitle: [x\n---\n")
    shutil.rmtree(store.path / ".git/mem")
    result = cli(store, "doctor")
    assert (result.code, result.err) == (1, "")
    (line,) = [line for line in result.out.splitlines() if line.startswith("wrong   ")]
    assert line.startswith("wrong   entries:    broken.md: broken YAML: ")
    assert line.endswith(": correct the file, or move it away")
    assert result.out.endswith("\nwrong: 1\n")
    assert cli(store, "status").code == 0


def test_mending_is_told_and_ends_with_0(cli: Cli, store: Repo) -> None:
    shutil.rmtree(store.path / ".klide")
    assert cli(store, "doctor").code == 1
    result = cli(store, "doctor", "--fix")
    assert (result.code, result.err) == (0, "")
    assert "mended  store:      restored 2 of 2 entries\n" in result.out
    assert cli(store, "doctor").out.endswith("nothing is wrong\n")


def test_what_cannot_be_mended_is_still_wrong_after_it(cli: Cli, store: Repo) -> None:
    file_of(store, ONE).write_bytes(b"\0")
    (store.path / ".klide/memory/.tmp-0123456789abcdef").write_bytes(b"torn")
    result = cli(store, "doctor", "--fix")
    assert result.code == 1
    assert [line.split()[:2] for line in result.out.splitlines() if not line.startswith("ok")] == [
        ["wrong", "entries:"],
        ["info", "hand-edits:"],
        ["mended", "litter:"],
        ["wrong:", "1"],
    ]


def test_in_json_every_check_has_its_state_and_remedy(cli: Cli, store: Repo) -> None:
    file_of(store, ONE).write_bytes(b"\0")
    result = cli(store, "doctor", "--json")
    assert (result.code, result.err) == (1, "")
    found = document(result)
    assert faults("doctor", found) == []
    (wrong,) = [check for check in found["checks"] if check["state"] == "wrong"]
    assert (wrong["name"], wrong["remedy"]) == ("entries", "correct the file, or move it away")
    shutil.rmtree(store.path / ".klide")
    mended = document(cli(store, "doctor", "--fix", "--json"))
    assert faults("doctor", mended) == []
    assert [check["name"] for check in mended["checks"] if check["state"] == "mended"] == ["store"]


def test_a_file_name_cannot_reach_the_terminal(cli: Cli, store: Repo) -> None:
    (store.path / ".klide/memory/\x1b[31m\nwrong: 9.md").write_bytes(b"x\n")
    result = cli(store, "doctor")
    assert result.code == 1
    assert "\x1b" not in result.out
    assert result.out.splitlines()[-1] == "wrong: 1"


def test_colours_are_for_terminals(store: Repo) -> None:
    assert "\x1b[" in on_terminal(store, "doctor").out
    assert "\x1b[" not in on_terminal(store, "--color=never", "doctor").out


def test_where_there_is_no_repository_nothing_can_be_checked(cli: Cli, store: Repo) -> None:
    result = cli(store, "doctor", cwd=store.world.root)
    assert (result.code, result.out) == (128, "")
    assert result.err.startswith("fatal: not a git repository")


def test_a_disk_that_takes_nothing_is_checked_and_left_alone(store: Repo) -> None:
    (store.path / ".klide/memory/.tmp-0123456789abcdef").write_bytes(b"torn")
    before = listing(store.path)
    script = (
        'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77; cd "$1" || exit 78;'
        '"$2" -m gitmem doctor; echo "code $?"; "$2" -m gitmem restore; echo "code $?"; "$2" -m gitmem doctor --fix'
    )
    if os.geteuid() != 0:
        pytest.skip("only root can make a read-only mount here")
    argv = ["unshare", "--mount", "sh", "-c", script, "sh", str(store.path), sys.executable]
    done = subprocess.run(argv, env=store.world.env, capture_output=True, check=False, timeout=60)
    if done.returncode == 77 or b"unshare" in done.stderr:
        pytest.skip("no read-only mount can be made here")
    assert done.stdout.count(b"code 0") == 2
    assert (done.returncode, done.stderr.splitlines()[-1].startswith(b"fatal: read-only file system")) == (128, True)
    assert listing(store.path) == before
