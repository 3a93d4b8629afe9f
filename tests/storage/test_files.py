"""A file appears whole or not at all, whatever goes wrong on the way."""

import errno
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitmem.storage.files import TEMPORARY_PREFIX, create_file, remove_litter, replace_files


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def no_file_over(size: int) -> Iterator[None]:
    """Let the kernel refuse to write more, as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def content(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.mark.parametrize("data", [b"", b"text\n", b"\r\n\0" * 100_000])
def test_a_new_file_holds_exactly_its_bytes(tmp_path: Path, directory: int, data: bytes) -> None:
    assert create_file(directory, "a.md", data)
    assert content(tmp_path) == {"a.md": data}
    assert (tmp_path / "a.md").stat().st_nlink == 1


def test_a_name_that_is_taken_is_left_alone(tmp_path: Path, directory: int) -> None:
    assert create_file(directory, "a.md", b"old")
    assert not create_file(directory, "a.md", b"new")
    assert content(tmp_path) == {"a.md": b"old"}


@pytest.mark.parametrize("target", ["b.md", "dangling.md", "/nowhere/at/all"])
def test_a_link_in_the_place_of_a_new_file_is_not_followed(tmp_path: Path, directory: int, target: str) -> None:
    (tmp_path / "b.md").write_bytes(b"b")
    (tmp_path / "a.md").symlink_to(target)
    assert not create_file(directory, "a.md", b"new")
    assert sorted(os.listdir(directory)) == ["a.md", "b.md"]
    assert (tmp_path / "b.md").read_bytes() == b"b"


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_mode_follows_the_umask(tmp_path: Path, directory: int, mask: int, mode: int) -> None:
    with umask(mask):
        create_file(directory, "a.md", b"")
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == mode


def test_a_full_disk_leaves_the_old_state_and_no_litter(tmp_path: Path, directory: int) -> None:
    create_file(directory, "a.md", b"old")
    with no_file_over(10), pytest.raises(OSError, match="File too large"):
        create_file(directory, "b.md", b"x" * 100)
    assert content(tmp_path) == {"a.md": b"old"}
    assert create_file(directory, "b.md", b"x" * 100)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_disk_that_cannot_keep_the_bytes_leaves_no_file(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=os.strerror(code)):
        create_file(directory, "a.md", b"x")
    assert content(tmp_path) == {}


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK])
def test_a_file_system_without_hard_links_will_do(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*_names: str, **_options: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refuse)
    assert create_file(directory, "a.md", b"old")
    assert not create_file(directory, "a.md", b"new")
    (tmp_path / "dangling.md").symlink_to("nowhere")
    assert not create_file(directory, "dangling.md", b"new")
    assert (tmp_path / "a.md").read_bytes() == b"old"
    assert sorted(os.listdir(directory)) == ["a.md", "dangling.md"]


def test_another_failure_of_the_link_is_told(tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_names: str, **_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", fail)
    with pytest.raises(OSError, match="No space left on device"):
        create_file(directory, "a.md", b"x")
    assert content(tmp_path) == {}


def test_what_a_killed_writer_left_is_removed_and_nothing_else(tmp_path: Path, directory: int) -> None:
    kept = [f"{TEMPORARY_PREFIX}half-written.md", "a.md", ".hidden.md", "tmp-x"]
    for name in (f"{TEMPORARY_PREFIX}{'01' * 8}", f"{TEMPORARY_PREFIX}{'ef' * 8}", *kept):
        (tmp_path / name).touch()
    (tmp_path / f"{TEMPORARY_PREFIX}{'a' * 16}").mkdir()
    remove_litter(directory)
    assert sorted(os.listdir(directory)) == sorted([*kept, f"{TEMPORARY_PREFIX}{'a' * 16}"])


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o444, 0o755])
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_replaced_file_has_the_new_bytes_and_the_old_permissions(
    tmp_path: Path, directory: int, mode: int, mask: int
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old, and longer than the new one")
    path.chmod(mode)
    with umask(mask):
        replace_files(directory, {"a.md": b"new"})
    assert content(tmp_path) == {"a.md": b"new"}
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_who_has_the_old_file_open_still_reads_all_of_it(tmp_path: Path, directory: int) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    with (tmp_path / "a.md").open("rb") as stream:
        replace_files(directory, {"a.md": b"new"})
        assert stream.read() == b"old"


@pytest.mark.parametrize("step", ["fsync", "rename", "chmod"])
def test_a_replacement_that_fails_leaves_the_old_file_and_no_litter(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    (tmp_path / "a.md").write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(OSError, match="Input/output error"):
            replace_files(directory, {"a.md": b"new"})
    assert content(tmp_path) == {"a.md": b"old"}


def test_a_full_disk_leaves_the_file_that_was_to_be_replaced(tmp_path: Path, directory: int) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    with no_file_over(10), pytest.raises(OSError, match="File too large"):
        replace_files(directory, {"a.md": b"x" * 100})
    assert content(tmp_path) == {"a.md": b"old"}


def test_a_file_that_is_gone_is_not_made_by_replacing_it(tmp_path: Path, directory: int) -> None:
    with pytest.raises(FileNotFoundError):
        replace_files(directory, {"a.md": b"new"})
    assert content(tmp_path) == {}
