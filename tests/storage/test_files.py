"""A file appears whole or not at all, whatever goes wrong on the way."""

import errno
import os
import resource
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitmem.storage.files import (
    TEMPORARY_PREFIX,
    mode_of,
    place_new,
    place_over,
    remove_file,
    remove_litter,
    replace_file,
    write_temporary,
)

REFUSALS = [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS]


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


def refusing(code: int) -> Callable[..., None]:
    """Return what fails as the kernel does, in the place of one of its calls."""

    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(code, os.strerror(code))

    return refuse


def content(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


def create(directory: int, name: str, data: bytes) -> bool:
    """Do what a transaction does for one new file."""
    return place_new(directory, write_temporary(directory, data), name)


@pytest.mark.parametrize("data", [b"", b"text\n", b"\r\n\0" * 100_000])
def test_a_file_under_construction_holds_exactly_its_bytes_and_is_hidden(
    tmp_path: Path, directory: int, data: bytes
) -> None:
    name = write_temporary(directory, data)
    assert name.startswith(TEMPORARY_PREFIX)
    assert content(tmp_path) == {name: data}


@pytest.mark.parametrize("data", [b"", b"text\n", b"\r\n\0" * 100_000])
def test_a_new_file_holds_exactly_its_bytes(tmp_path: Path, directory: int, data: bytes) -> None:
    assert create(directory, "a.md", data)
    assert content(tmp_path) == {"a.md": data}
    assert (tmp_path / "a.md").stat().st_nlink == 1


def test_a_name_that_is_taken_is_left_alone(tmp_path: Path, directory: int) -> None:
    assert create(directory, "a.md", b"old")
    temporary = write_temporary(directory, b"new")
    assert not place_new(directory, temporary, "a.md")
    assert content(tmp_path) == {"a.md": b"old", temporary: b"new"}


@pytest.mark.parametrize("target", ["b.md", "dangling.md", "/nowhere/at/all"])
def test_a_link_in_the_place_of_a_new_file_is_not_followed(tmp_path: Path, directory: int, target: str) -> None:
    (tmp_path / "b.md").write_bytes(b"b")
    (tmp_path / "a.md").symlink_to(target)
    temporary = write_temporary(directory, b"new")
    assert not place_new(directory, temporary, "a.md")
    assert sorted(os.listdir(directory)) == [temporary, "a.md", "b.md"]
    assert (tmp_path / "b.md").read_bytes() == b"b"


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_permissions_follow_the_umask(tmp_path: Path, directory: int, mask: int, mode: int) -> None:
    with umask(mask):
        create(directory, "a.md", b"")
        replace_file(tmp_path / "b", b"")
    assert [mode_of(directory, name) for name in ("a.md", "b")] == [mode, mode]


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o444, 0o755])
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_permissions_that_are_asked_for_do_not(tmp_path: Path, directory: int, mode: int, mask: int) -> None:
    with umask(mask):
        name = write_temporary(directory, b"", mode)
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode


def test_a_full_disk_leaves_nothing_of_a_new_file(tmp_path: Path, directory: int) -> None:
    create(directory, "a.md", b"old")
    with no_file_over(10), pytest.raises(OSError, match="File too large"):
        write_temporary(directory, b"x" * 100)
    assert content(tmp_path) == {"a.md": b"old"}
    assert create(directory, "b.md", b"x" * 100)


@pytest.mark.parametrize("code", REFUSALS)
@pytest.mark.parametrize("step", ["fsync", "fchmod"])
def test_a_disk_that_cannot_keep_the_bytes_leaves_no_file(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch, step: str, code: int
) -> None:
    monkeypatch.setattr(os, step, refusing(code))
    with pytest.raises(OSError, match=os.strerror(code)):
        write_temporary(directory, b"x", 0o600)
    assert content(tmp_path) == {}


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK])
def test_a_file_system_without_hard_links_will_do(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(os, "link", refusing(code))
    assert create(directory, "a.md", b"old")
    assert content(tmp_path) == {"a.md": b"old"}
    (tmp_path / "dangling.md").symlink_to("nowhere")
    for taken in ("a.md", "dangling.md"):
        assert not create(directory, taken, b"new")
    assert (tmp_path / "a.md").read_bytes() == b"old"
    remove_litter(directory)
    assert sorted(os.listdir(directory)) == ["a.md", "dangling.md"]


def test_another_failure_of_the_link_is_told(tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", refusing(errno.ENOSPC))
    temporary = write_temporary(directory, b"x")
    with pytest.raises(OSError, match="No space left on device"):
        place_new(directory, temporary, "a.md")
    assert content(tmp_path) == {temporary: b"x"}


def test_who_has_the_old_file_open_still_reads_all_of_it(tmp_path: Path, directory: int) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    with (tmp_path / "a.md").open("rb") as stream:
        place_over(directory, write_temporary(directory, b"new"), "a.md")
        assert stream.read() == b"old"
    assert content(tmp_path) == {"a.md": b"new"}


def test_removing_tells_whether_there_was_anything(tmp_path: Path, directory: int) -> None:
    (tmp_path / "a.md").touch()
    (tmp_path / "dangling.md").symlink_to("nowhere")
    found = [remove_file(directory, name) for name in ("a.md", "a.md", "dangling.md")]
    assert found == [True, False, True]
    assert content(tmp_path) == {}


def test_what_a_killed_writer_left_is_removed_and_nothing_else(tmp_path: Path, directory: int) -> None:
    kept = [f"{TEMPORARY_PREFIX}half-written.md", "a.md", ".hidden.md", "tmp-x", f"{TEMPORARY_PREFIX}{'a' * 17}"]
    for name in (f"{TEMPORARY_PREFIX}{'01' * 8}", f"{TEMPORARY_PREFIX}{'ef' * 8}", *kept):
        (tmp_path / name).touch()
    write_temporary(directory, b"of a writer that is killed now")
    (tmp_path / f"{TEMPORARY_PREFIX}{'a' * 16}").mkdir()
    remove_litter(directory)
    assert sorted(os.listdir(directory)) == sorted([*kept, f"{TEMPORARY_PREFIX}{'a' * 16}"])


@pytest.mark.parametrize("before", [None, b"", b"old, and longer than the new one"])
def test_a_file_is_written_whether_it_was_there_or_not(tmp_path: Path, before: bytes | None) -> None:
    path = tmp_path / "journal"
    if before is not None:
        path.write_bytes(before)
    replace_file(path, b"new")
    assert content(tmp_path) == {"journal": b"new"}


@pytest.mark.parametrize("step", ["fsync", "rename"])
@pytest.mark.parametrize("before", [{}, {"journal": b"old"}])
def test_a_replacement_that_fails_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, before: dict[str, bytes]
) -> None:
    for name, data in before.items():
        (tmp_path / name).write_bytes(data)
    with monkeypatch.context() as patch:
        patch.setattr(os, step, refusing(errno.EIO))
        with pytest.raises(OSError, match="Input/output error"):
            replace_file(tmp_path / "journal", b"new")
    assert content(tmp_path) == before


def test_a_full_disk_leaves_the_file_that_was_to_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "journal").write_bytes(b"old")
    with no_file_over(10), pytest.raises(OSError, match="File too large"):
        replace_file(tmp_path / "journal", b"x" * 100)
    assert content(tmp_path) == {"journal": b"old"}


def test_a_link_in_the_place_of_a_file_that_is_replaced_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / "journal").symlink_to("victim")
    replace_file(tmp_path / "journal", b"new")
    assert content(tmp_path) == {"journal": b"new", "victim": b"precious"}


def test_nothing_is_written_to_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / "mem" / "journal", b"new")
    assert content(tmp_path) == {}
