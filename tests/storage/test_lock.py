"""One writer at a time, across processes: who waits, who is told what, and what a dead writer leaves behind."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitmem.storage.lock import LockedError, LockRefusedError, writer_lock

HOLD = """
import sys
from pathlib import Path
from gitmem.storage.lock import writer_lock
with writer_lock(Path(sys.argv[1]), 0):
    print("held", flush=True)
    sys.stdin.read()
"""
COUNT = """
import sys
from pathlib import Path
from gitmem.storage.lock import writer_lock
lock, counter = Path(sys.argv[1]), Path(sys.argv[2])
for _ in range(25):
    with writer_lock(lock, 60):
        counter.write_text(str(int(counter.read_text()) + 1))
"""
JUNK = [b"", b"12", b"\x00\xff\xfe junk", b"{}", b"[" * 5000, b'{"pid": 1, "host": "h", "since": 1e300}']


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mem" / "lock"


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its standard input ends."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == "held\n"
            yield child
        finally:
            child.kill()


def acquire(path: Path, timeout: float = 0) -> None:
    with writer_lock(path, timeout):
        pass


def test_the_lock_makes_its_directory_and_says_who_holds_it(path: Path) -> None:
    with writer_lock(path, 0):
        owner = json.loads(path.read_bytes())
    assert (owner["pid"], owner["host"]) == (os.getpid(), socket.gethostname())
    assert isinstance(owner["since"], int)


def test_whoever_waits_in_vain_is_told_the_process_and_the_host(path: Path) -> None:
    with holder(path) as child, pytest.raises(LockedError) as locked:
        acquire(path, 0.05)
    told = locked.value.message
    assert f"process {child.pid} on {socket.gethostname()}, since " in told
    assert str(path) in told
    assert "mem.lockTimeout" in told


def test_a_lock_that_is_released_in_time_is_given_to_the_waiter(path: Path) -> None:
    with holder(path) as child:
        assert child.stdin is not None
        release = threading.Timer(0.1, child.stdin.close)
        release.start()
        acquire(path, 60)
        release.join()


def test_two_in_one_process_exclude_each_other_too(path: Path) -> None:
    with writer_lock(path, 0), pytest.raises(LockedError, match=f"process {os.getpid()}"):
        acquire(path)


def test_a_killed_holder_releases_the_lock_at_once(path: Path) -> None:
    with holder(path) as child:
        child.kill()
        child.wait()
        acquire(path)


def test_a_stopped_holder_is_never_robbed(path: Path) -> None:
    with holder(path) as child:
        child.send_signal(signal.SIGSTOP)
        with pytest.raises(LockedError, match=f"process {child.pid}"):
            acquire(path, 0.05)


def test_the_lock_is_released_when_its_body_fails(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writer_lock(path, 0):
        raise ZeroDivisionError
    acquire(path)


def test_the_lock_file_is_never_removed_or_replaced(path: Path) -> None:
    acquire(path)
    first = path.stat().st_ino
    acquire(path)
    assert path.stat().st_ino == first


def test_the_lock_is_not_inherited_by_children(path: Path) -> None:
    with writer_lock(path, 0):
        sleeper = subprocess.Popen(["sleep", "60"], close_fds=False)
    try:
        acquire(path)
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.mark.parametrize("junk", JUNK)
def test_junk_in_the_file_is_no_obstacle(path: Path, junk: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(junk)
    with writer_lock(path, 0):
        assert json.loads(path.read_bytes())["pid"] == os.getpid()


@pytest.mark.parametrize("pid", [1, "own", 2**31])
def test_a_name_that_somebody_left_or_forged_does_not_hold_the_lock(path: Path, pid: int | str) -> None:
    pid = os.getpid() if pid == "own" else pid
    path.parent.mkdir()
    path.write_text(json.dumps({"pid": pid, "host": "elsewhere", "since": 2**40}), encoding="utf-8")
    acquire(path)


@pytest.mark.parametrize("junk", JUNK)
def test_a_holder_that_left_junk_is_reported_all_the_same(path: Path, junk: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(junk)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LockedError, match="it left no name"):
            acquire(path)


def test_a_symbolic_link_in_the_place_of_the_lock_is_not_followed(path: Path) -> None:
    victim = path.parent.parent / "victim"
    victim.write_text("precious", encoding="utf-8")
    path.parent.mkdir()
    path.symlink_to(victim)
    with pytest.raises(LockRefusedError, match="is no regular file"):
        acquire(path)
    assert victim.read_text(encoding="utf-8") == "precious"


def test_no_two_processes_are_ever_inside_together(path: Path, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0", encoding="utf-8")
    command = [sys.executable, "-c", COUNT, str(path), str(counter)]
    children = [subprocess.Popen(command) for _ in range(4)]
    assert [child.wait() for child in children] == [0] * 4
    assert counter.read_text(encoding="utf-8") == "100"
