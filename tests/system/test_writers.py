"""Several writers and readers at once, in several worktrees, through the command line."""

import json
import signal
import socket
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Final

import pytest
from program import document, is_one_error, start
from world import Repo

from gitmem.workspace import open_workspace

REF: Final = "refs/mem/store"

# Many commands in one process, each as the command line does it; one that fails ends them.
_MANY: Final = """
import json, sys
from gitmem.cli.main import run
for words in json.loads(sys.argv[1]):
    if run(words):
        sys.exit(1)
"""
_HOLD: Final = """
import sys
from pathlib import Path
from gitmem.storage.lock import writer_lock
with writer_lock(Path(sys.argv[1]), 0):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def store(repo: Repo) -> Repo:
    """A repository with an empty store."""
    assert repo.mem("init").code == 0
    return repo


def begin(repo: Repo, commands: Sequence[Sequence[str]]) -> Popen[bytes]:
    """Start a process that runs commands one after the other."""
    argv = [sys.executable, "-c", _MANY, json.dumps(commands)]
    return Popen(argv, cwd=repo.path, env=repo.world.env, stdout=PIPE, stderr=PIPE)


def lock_of(repo: Repo) -> Path:
    return repo.path / ".git/mem/lock"


@contextmanager
def held(repo: Repo) -> Iterator[Popen[bytes]]:
    """Another process that holds the writer's lock."""
    with Popen([sys.executable, "-c", _HOLD, lock_of(repo)], stdin=PIPE, stdout=PIPE) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == b"held\n"
            yield child
        finally:
            child.kill()


def stored(repo: Repo) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (repo.path / ".klide/memory").iterdir()}


def recorded(repo: Repo) -> dict[str, bytes]:
    """Return the entry files as the newest recorded commit has them."""
    listed = repo.git("ls-tree", "--name-only", REF).out.splitlines()
    return {name: repo.git("cat-file", "blob", f"{REF}:{name}").stdout for name in listed}


def subjects(repo: Repo) -> list[str]:
    return repo.git("log", "--format=%s", REF).out.splitlines()


def test_what_many_write_at_once_in_two_worktrees_is_all_there(store: Repo) -> None:
    linked = store.worktree("linked")
    several = [("add", "Same title", "--date", "2026-01-01", "--notes", f"{number}") for number in range(3)]
    processes = [begin(place, several) for place in (store, linked) * 4]
    answers = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, answers
    idents = [ident for out, _ in answers for ident in out.decode().split()]
    assert len(set(idents)) == len(idents) == 24
    assert set(stored(store)) == {f"{ident}.md" for ident in idents}
    assert Counter(subjects(store)) == Counter(f"add {ident}" for ident in idents)
    assert recorded(store) == stored(store)
    assert [path for path in (store.path / ".git/mem").iterdir() if path.name.startswith(".tmp-")] == []
    store.git("fsck", "--strict")


def test_of_two_supersessions_of_one_entry_one_wins_and_the_other_is_told_who(store: Repo) -> None:
    linked = store.worktree("linked")
    old = store.mem("add", "Old", "--date", "2026-01-01").line
    for _ in range(3):
        words = ("add", "New", "--date", "2026-01-02", "--supersedes", old)
        processes = [start(place, *words) for place in (store, linked)]
        answers = [process.communicate(timeout=60) for process in processes]
        (winner,) = [out.decode().strip() for out, _ in answers if out]
        assert sorted(process.returncode for process in processes) == [0, 128]
        (told,) = [err.decode() for _, err in answers if err]
        assert told == f"fatal: {old} is superseded already: {winner} holds now\n"
        listed = document(store.mem("list", "--json"))
        assert [found["id"] for found in listed["entries"]] == [winner]
        assert subjects(store)[0] == f"add {winner}"
        assert recorded(store) == stored(store)
        old = winner


def test_whoever_waited_in_vain_is_told_who_holds_the_lock(store: Repo) -> None:
    store.git("config", "mem.lockTimeout", "0.05")
    with held(store) as holder:
        refused = store.mem("add", "x")
        assert (refused.code, is_one_error(refused)) == (128, True)
        assert f"process {holder.pid} on {socket.gethostname()}, since " in refused.err
        assert "mem.lockTimeout" in refused.err
    assert stored(store) == {}


def test_a_stopped_writer_is_not_robbed(store: Repo) -> None:
    store.git("config", "mem.lockTimeout", "0.05")
    with held(store) as holder:
        holder.send_signal(signal.SIGSTOP)
        refused = store.mem("add", "x")
        assert (refused.code, is_one_error(refused)) == (128, True)
        assert f"process {holder.pid} " in refused.err
    assert stored(store) == {}


def test_a_killed_writer_is_followed_at_once_and_the_lock_file_stays(store: Repo) -> None:
    store.git("config", "mem.lockTimeout", "0")
    first = lock_of(store).stat().st_ino
    with held(store) as holder:
        holder.kill()
        holder.wait()
        assert store.mem("add", "x").code == 0
    assert store.mem("add", "y").code == 0
    assert lock_of(store).stat().st_ino == first
    assert lock_of(store).read_bytes() == b""


def test_a_writer_that_is_killed_while_others_wait_keeps_nobody_waiting(store: Repo) -> None:
    with held(store) as holder:
        processes = [start(store, "add", "Same title", "--date", "2026-01-01") for _ in range(3)]
        holder.kill()
    assert [(process.communicate(timeout=60), process.returncode)[1] for process in processes] == [0] * 3
    assert recorded(store) == stored(store)


def chain(title: str, length: int) -> Iterator[tuple[str, ...]]:
    """Yield the commands that write one entry and then let each be superseded by the next."""
    for minute in range(length):
        before = ("--supersedes", f"2026-01-01-00{minute - 1:02}-{title}") if minute else ()
        yield ("add", title, "--date", f"2026-01-01T00:{minute:02}", *before)


def test_a_reader_sees_exactly_one_entry_of_a_chain_whatever_a_writer_does(store: Repo) -> None:
    first, *following = chain("link", 51)
    assert store.mem(*first).code == 0
    linked = store.worktree("linked")
    workspace = open_workspace(linked.path, linked.world.env)
    writer = begin(store, following)
    seen: set[str] = set()
    while writer.poll() is None:
        workspace.reread()
        (holding,) = [entry.id for entry in workspace.contents.entries if entry.active]
        seen.add(holding)
        assert workspace.contents.unreadable == ()
    assert (writer.communicate(), writer.returncode)[1] == 0
    assert len(seen) > 10
    assert len(subjects(store)) == 51
    assert recorded(store) == stored(store)


def test_a_command_that_reads_sees_exactly_one_too(store: Repo) -> None:
    first, *following = chain("link", 12)
    assert store.mem(*first).code == 0
    writer = begin(store, following)
    while writer.poll() is None:
        listed = document(store.mem("list", "--json"))
        assert len(listed["entries"]) == 1
    assert (writer.communicate(), writer.returncode)[1] == 0


def test_a_writer_killed_at_any_moment_leaves_no_half(store: Repo) -> None:
    for turn in range(4):
        writer = begin(store, list(chain(f"turn-{turn}", 30)))
        assert writer.stdout is not None
        for _ in range(turn + 1):
            writer.stdout.readline()
        writer.kill()
        writer.communicate()
        listed = document(store.mem("list", "--json"))["entries"]
        assert [found["title"] for found in listed].count(f"turn-{turn}") == 1
        assert store.mem("add", "After", "--date", "2026-01-03").code == 0
        assert recorded(store) == stored(store)
    store.git("fsck", "--strict")
