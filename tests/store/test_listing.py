"""Which files of a store changed since they were listed: every change is seen, by one process and by two."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.storage.stamp import UNSETTLED, Stamp, is_settled, stamp_of
from gitmem.store import listing
from gitmem.store.listing import Changes, is_listed, look_for_changes

NONE: Final = Changes({}, frozenset())
SECOND: Final = 10**9


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of two files, and a file beside it."""
    for name, content in {"a.md": "one", "b.md": "two"}.items():
        (tmp_path / "store" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "store" / name).write_text(content, encoding="utf-8")
    (tmp_path / "outside.md").write_text("outside", encoding="utf-8")
    return tmp_path / "store"


@pytest.fixture
def directory(store: Path) -> Iterator[int]:
    descriptor = os.open(store, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def stamps(store: Path, *names: str) -> dict[str, Stamp]:
    return {name: stamp_of((store / name).lstat()) for name in names}


def all_of(directory: int) -> dict[str, Stamp]:
    return dict(look_for_changes(directory, {}).stamps)


# What is looked at


@pytest.mark.parametrize("name", [".md", ".a.md", "a.MD", "a.md~", "a", "md", ".tmp-0123456789abcdef"])
def test_what_no_entry_is_called_is_not_listed(store: Path, directory: int, name: str) -> None:
    (store / name).write_bytes(b"x")
    assert not is_listed(name)
    assert all_of(directory).keys() == {"a.md", "b.md"}


def test_a_name_may_be_anything_that_a_file_system_takes(store: Path, directory: int) -> None:
    names = ["-rf.md", "a b.md", "a..b.md", "\n.md", "\udcff.md", "木.md", "x" * 200 + ".md"]
    for name in names:
        (store / name).write_bytes(b"x")
    assert all_of(directory) == stamps(store, "a.md", "b.md", *names)


def test_what_is_no_plain_file_has_no_stamp_and_is_new_each_time(store: Path, directory: int) -> None:
    (store / "inside.md").symlink_to("a.md")
    (store / "outside.md").symlink_to("../outside.md")
    (store / "nowhere.md").symlink_to("nowhere.md")
    (store / "directory.md").mkdir()
    os.mkfifo(store / "pipe.md")
    unsettled = dict.fromkeys(["inside.md", "outside.md", "nowhere.md", "directory.md", "pipe.md"], UNSETTLED)
    found = all_of(directory)
    assert found == {**stamps(store, "a.md", "b.md"), **unsettled}
    assert look_for_changes(directory, found) == Changes(unsettled, frozenset())


# What changed


def test_what_nobody_touched_did_not_change(directory: int) -> None:
    assert look_for_changes(directory, all_of(directory)) == NONE


def replace(path: Path) -> None:
    """Put another file of the same size and time in its place, as many an editor does."""
    times = path.stat()
    other = path.with_name(".new")
    other.write_bytes(b"six")
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.replace(path)


def edit_and_set_back(path: Path) -> None:
    times = path.stat()
    path.write_bytes(b"six")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns - 1))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


CHANGES: Final[dict[str, Callable[[Path], object]]] = {
    "longer": lambda path: path.write_bytes(b"longer"),
    "empty": lambda path: path.write_bytes(b""),
    "touched": lambda path: os.utime(path, (1, 1)),
    "of the future": lambda path: os.utime(path, (20_000_000_000, 20_000_000_000)),
    "before 1970": lambda path: os.utime(path, (-5, -5)),
    "replaced": replace,
    "second name": lambda path: path.with_name("c").hardlink_to(path),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(store: Path, directory: int, change: str) -> None:
    os.utime(store / "a.md", (1_600_000_000, 1_600_000_000))
    known = all_of(directory)
    ctime = (store / "a.md").stat().st_ctime_ns
    while True:  # until the clock of the file system ticks
        CHANGES[change](store / "a.md")
        if (store / "a.md").stat().st_ctime_ns != ctime:
            break
        (store / "c").unlink(missing_ok=True)
    assert look_for_changes(directory, known) == Changes(stamps(store, "a.md"), frozenset())


def test_what_is_new_and_what_is_gone_is_seen(store: Path, directory: int) -> None:
    known = all_of(directory)
    (store / "a.md").rename(store / "c.md")
    assert look_for_changes(directory, known) == Changes(stamps(store, "c.md"), frozenset({"a.md"}))


def test_a_file_that_became_something_else_has_no_stamp(store: Path, directory: int) -> None:
    known = all_of(directory)
    (store / "a.md").unlink()
    (store / "a.md").mkdir()
    assert look_for_changes(directory, known) == Changes({"a.md": UNSETTLED}, frozenset())


# What can be trusted


@given(st.integers(-(10**12), 10**12), st.integers(0, 10**12))
def test_a_stamp_is_settled_two_seconds_behind_the_latest_of_its_times(mtime: int, ctime: int) -> None:
    stamp = (1, mtime, ctime, 1)
    assert not is_settled(stamp, max(mtime, ctime) + 2 * SECOND)
    assert is_settled(stamp, max(mtime, ctime) + 2 * SECOND + 1)


def test_what_stands_for_no_stamp_is_never_settled() -> None:
    assert not is_settled(UNSETTLED, 10**30)


# In two processes


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few files be enough for two processes."""
    monkeypatch.setattr(listing, "_MANY", 4)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


@pytest.fixture
def many(two: None, store: Path) -> dict[str, Stamp]:
    """A store of many files with names of all sorts; so many that their stamps do not fit into a pipe."""
    names = [f"{number}-{'long' * 40}.md" for number in range(700)] + ["\udcff.md", "木.md", "\n.md"]
    for name in names:
        (store / name).write_bytes(b"x")
    (store / "link.md").symlink_to("a.md")
    return {**stamps(store, "a.md", "b.md", *names), "link.md": UNSETTLED}


def test_two_processes_find_what_one_finds(many: dict[str, Stamp], store: Path, directory: int) -> None:
    for name in ("0", "350", "699"):
        (store / f"{name}-{'long' * 40}.md").write_bytes(b"longer")
    (store / "a.md").unlink()
    found = look_for_changes(directory, many)
    changed = [f"{name}-{'long' * 40}.md" for name in ("0", "350", "699")]
    assert found == Changes({**stamps(store, *changed), "link.md": UNSETTLED}, frozenset({"a.md"}))


def test_all_of_many_are_found(many: dict[str, Stamp], directory: int) -> None:
    assert all_of(directory) == many
    with pytest.raises(ChildProcessError):  # nobody is left behind
        os.waitpid(-1, os.WNOHANG)


def test_a_process_of_several_threads_does_it_alone(
    many: dict[str, Stamp], directory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fork", None)
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert all_of(directory) == many
    finally:
        done.set()
        thread.join()


def test_what_a_killed_child_did_not_look_at_is_looked_at_all_the_same(
    many: dict[str, Stamp], directory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, real = os.getpid(), listing._differing

    def killed_in_the_child(*args: Any) -> dict[str, Stamp]:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args)

    monkeypatch.setattr(listing, "_differing", killed_in_the_child)
    assert all_of(directory) == many


@pytest.mark.parametrize("kept", [1, 70_000])
def test_a_child_that_is_killed_while_it_answers_is_not_heard(
    many: dict[str, Stamp], directory: int, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    real = json.dumps
    monkeypatch.setattr("gitmem.store.listing.json.dumps", lambda value: real(value)[:kept])
    assert all_of(directory) == many


# A process of its own, which the kernel ends when it hangs.
_FAILING: Final = """
import os, signal, sys
from gitmem.store import listing
signal.alarm(3)
listing._MANY, os.cpu_count, parent, real = 4, lambda: 2, os.getpid(), listing._differing
def failing(*args):
    if os.getpid() == parent:
        raise PermissionError("as if it were refused")
    return real(*args)
listing._differing = failing
try:
    listing.look_for_changes(os.open(sys.argv[1], os.O_RDONLY), {})
except PermissionError:
    print(len(os.listdir("/proc/self/fd")))
"""


def test_what_fails_here_does_not_wait_for_the_child_for_ever(many: dict[str, Stamp], store: Path) -> None:
    argv = [sys.executable, "-c", _FAILING, os.fspath(store)]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert int(done.stdout) <= 5  # the three of every process, the store, and the directory that is counted
