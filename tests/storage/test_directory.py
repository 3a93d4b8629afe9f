"""Directories opened step by step, and files read from them: nothing on the way is followed out."""

import gc
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import pytest
from world import listing

from gitmem.storage.directory import (
    DirectoryRefusedError,
    FileRefusedError,
    make_directories,
    opened_directory,
    read_bounded,
)

STORE = PurePosixPath(".klide/memory")


def open_descriptors() -> set[str]:
    gc.collect()  # or what an earlier test left open could be closed between two looks
    return set(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a path of /proc, whose links come and go


@contextmanager
def below(root: Path, path: PurePosixPath = STORE) -> Iterator[int]:
    with opened_directory(root, path) as directory:
        assert directory is not None
        yield directory


@contextmanager
def without_privileges() -> Iterator[None]:
    """Be somebody whom permissions bind: root is not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def closed(directory: Path, mode: int) -> Iterator[None]:
    directory.chmod(mode)
    try:
        yield
    finally:
        directory.chmod(0o755)


# Opening


def test_a_directory_is_opened_and_closed_again(tmp_path: Path) -> None:
    (tmp_path / STORE).mkdir(parents=True)
    before = open_descriptors()
    with below(tmp_path) as directory:
        assert os.fstat(directory).st_ino == (tmp_path / STORE).stat().st_ino
        assert not os.get_inheritable(directory)
    assert open_descriptors() == before


def test_the_root_itself_can_be_opened(tmp_path: Path) -> None:
    with below(tmp_path, PurePosixPath()) as directory:
        assert os.fstat(directory).st_ino == tmp_path.stat().st_ino


@pytest.mark.parametrize("there", ["", ".klide"])
def test_a_directory_that_is_not_there_is_none_and_is_not_made(tmp_path: Path, there: str) -> None:
    (tmp_path / there).mkdir(exist_ok=True)
    before, descriptors = listing(tmp_path), open_descriptors()
    with opened_directory(tmp_path, STORE) as directory:
        assert directory is None
    assert (listing(tmp_path), open_descriptors()) == (before, descriptors)


@pytest.mark.parametrize("part", [".klide", ".klide/memory"])
@pytest.mark.parametrize("target", ["inside", "outside", "dangling"])
def test_a_symbolic_link_on_the_way_is_refused(tmp_path: Path, part: str, target: str) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / ("root/other" if target == "inside" else "elsewhere")
    (root / part).parent.mkdir(parents=True)
    if target != "dangling":
        (elsewhere / "memory").mkdir(parents=True)
    (root / part).symlink_to(elsewhere)
    before, descriptors = listing(tmp_path), open_descriptors()
    with pytest.raises(DirectoryRefusedError, match=f"^{part} is a symbolic link"), opened_directory(root, STORE):
        pass
    with pytest.raises(DirectoryRefusedError, match=f"^{part} is a symbolic link"):
        make_directories(root, STORE)
    assert (listing(tmp_path), open_descriptors()) == (before, descriptors)


@pytest.mark.parametrize("part", [".klide", ".klide/memory"])
@pytest.mark.parametrize("make", [Path.touch, os.mkfifo], ids=["file", "fifo"])
def test_what_is_no_directory_is_refused(tmp_path: Path, part: str, make: Callable[[Path], object]) -> None:
    (tmp_path / part).parent.mkdir(exist_ok=True)
    make(tmp_path / part)
    with pytest.raises(DirectoryRefusedError, match=f"^{part} is not a directory"), opened_directory(tmp_path, STORE):
        pass
    with pytest.raises(DirectoryRefusedError, match=f"^{part} is not a directory"):
        make_directories(tmp_path, STORE)


@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_a_directory_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    root = tmp_path / "root"
    (root / STORE).mkdir(parents=True)
    monkeypatch.chdir(root)  # the directories above it are closed to others
    with (
        closed(root / ".klide", mode),
        without_privileges(),
        pytest.raises(DirectoryRefusedError, match=r"cannot be opened: permission denied$"),
        opened_directory(Path(), STORE),
    ):
        pass


# Making


def test_missing_directories_are_made_once(tmp_path: Path) -> None:
    assert make_directories(tmp_path, STORE)
    assert (tmp_path / STORE).is_dir()
    (tmp_path / STORE / "x.md").touch()
    before = listing(tmp_path)
    assert not make_directories(tmp_path, STORE)
    assert listing(tmp_path) == before


def test_a_directory_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / ".klide").mkdir(mode=0o700)
    assert make_directories(tmp_path, STORE)
    assert (tmp_path / ".klide").stat().st_mode & 0o777 == 0o700


def test_many_can_make_the_same_directories_at_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []
    made: list[bool] = []
    together = threading.Barrier(4)

    def make(root: Path) -> None:
        together.wait()
        try:
            made.append(make_directories(root, STORE))
        except BaseException as error:  # noqa: BLE001 - a thread's failure must reach the test
            failures.append(error)

    for turn in range(40):
        root = tmp_path / str(turn)
        root.mkdir()
        threads = [threading.Thread(target=make, args=(root,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert (root / STORE).is_dir()
    assert made.count(True) >= 40


# Reading


def test_a_file_is_read_with_its_status(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\0\xff text")
    with below(tmp_path, PurePosixPath()) as directory:
        data, status = read_bounded(directory, "a.md", 100)
    assert (data, status.st_size) == (b"\0\xff text", 7)


@pytest.mark.parametrize(("size", "read"), [(1023, True), (1024, True), (1025, False), (1 << 30, False)])
def test_a_file_over_the_limit_is_refused_without_being_read_whole(tmp_path: Path, size: int, read: bool) -> None:
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(size)
    with below(tmp_path, PurePosixPath()) as directory:
        if read:
            assert read_bounded(directory, "a.md", 1024)[0] == bytes(size)
        else:
            with pytest.raises(FileRefusedError, match=r"a\.md cannot be read: larger than 1 KiB"):
                read_bounded(directory, "a.md", 1024)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (Path.mkdir, "not a regular file"),
        (os.mkfifo, "not a regular file"),
        (_socket, "no such device or address"),
        (str, "no such file or directory"),
        (lambda path: path.symlink_to("/etc/passwd"), "a symbolic link that leaves the store"),
        (lambda path: path.symlink_to("../secret"), "a symbolic link that leaves the store"),
        (lambda path: path.symlink_to("deeper/b.md"), "a symbolic link that leaves the store"),
        (lambda path: path.symlink_to(".."), "a symbolic link that leaves the store"),
        (lambda path: path.symlink_to("gone.md"), "a symbolic link to no regular file"),
        (lambda path: path.symlink_to("a.md"), "a symbolic link to no regular file"),
        (lambda path: path.symlink_to("link.md"), "a symbolic link to no regular file"),
        (lambda path: path.symlink_to("fifo"), "a symbolic link to no regular file"),
    ],
)
def test_what_is_no_regular_file_of_the_directory_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object], reason: str
) -> None:
    (tmp_path / "secret").write_text("root:x:0\n", encoding="utf-8")
    root = tmp_path / "root"
    root.mkdir()
    (root / "real.md").touch()
    (root / "link.md").symlink_to("real.md")
    os.mkfifo(root / "fifo")
    monkeypatch.chdir(root)
    make(root / "a.md")
    with (
        below(root, PurePosixPath()) as directory,
        pytest.raises(FileRefusedError, match=f"a.md cannot be read: {reason}$") as refused,
    ):
        read_bounded(directory, "a.md", 1024)
    assert refused.value.reason == reason


def test_a_link_to_a_neighbour_is_read(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_bytes(b"b\n")
    (tmp_path / "a.md").symlink_to("b.md")
    with below(tmp_path, PurePosixPath()) as directory:
        assert read_bounded(directory, "a.md", 1024)[0] == b"b\n"


@pytest.mark.parametrize(("of_directory", "of_file"), [(0o755, 0o000), (0o600, 0o644)])
def test_a_file_without_permission_is_refused(tmp_path: Path, of_directory: int, of_file: int) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.md").touch(mode=of_file)
    with (
        below(root, PurePosixPath()) as directory,
        closed(root, of_directory),
        without_privileges(),
        pytest.raises(FileRefusedError, match=r"a\.md cannot be read: permission denied$"),
    ):
        read_bounded(directory, "a.md", 1024)
