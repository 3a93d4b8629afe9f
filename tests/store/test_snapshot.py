"""The files of a store as a tree of git's would hold them: what git says of each, and what was read before counts."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from layouts import with_commit
from world import Repo, World

from gitmem.git.objects import ObjectFormat, TreeEntry
from gitmem.storage.cache import FileCache
from gitmem.store.snapshot import FILE_MODE, LINK_MODE, Snapshot, take_snapshot

LONG_AGO: Final = 1_600_000_000


@pytest.fixture
def store(repo: Repo) -> Repo:
    (repo.path / "store").mkdir()
    return repo


def cache_of(repo: Repo) -> FileCache:
    return FileCache(repo.path / "cache", "1", 1)


@pytest.fixture
def directory(store: Repo) -> Iterator[int]:
    descriptor = os.open(store.path / "store", os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def look(repo: Repo, directory: int, *skipped: str, object_format: ObjectFormat = ObjectFormat.SHA1) -> Snapshot:
    return take_snapshot(directory, object_format, cache_of(repo), skipped.__contains__)


def put(repo: Repo, name: str, content: bytes | str) -> Path:
    return repo.write(f"store/{name}", content)


def blob(repo: Repo, content: bytes) -> str:
    return repo.git("hash-object", "--no-filters", "--stdin", feed=content).line


def test_every_file_that_could_be_an_entry_is_there_as_git_names_it(store: Repo, directory: int) -> None:
    contents = {"a.md": b"", "b c.md": b"\xff\0", "\udcff.md": b"crlf\r\n", "木.md": "é".encode(), "-.md": b"---\n"}
    for name, content in contents.items():
        (Path(store.path / "store") / name).write_bytes(content)
    for name in (".tmp-0123456789abcdef", ".hidden.md", ".md", "a.txt", "a.md~", "README"):
        put(store, name, "not one")
    expected = {name: TreeEntry(FILE_MODE, blob(store, content)) for name, content in contents.items()}
    assert look(store, directory) == Snapshot(expected, frozenset())


def test_a_link_to_another_entry_is_a_link(store: Repo, directory: int) -> None:
    put(store, "a.md", "x\n")
    (store.path / "store/b.md").symlink_to("a.md")
    assert look(store, directory).files["b.md"] == TreeEntry(LINK_MODE, blob(store, b"a.md"))


def test_what_nobody_can_read_is_named_and_stays_as_a_tree_has_it(store: Repo, directory: int) -> None:
    put(store, "a.md", "x\n")
    put(store, "large.md", b"x" * (1 << 21))
    (store.path / "store/directory.md").mkdir()
    os.mkfifo(store.path / "store/fifo.md")
    (store.path / "store/outside.md").symlink_to("/etc/hostname")
    (store.path / "store/dangling.md").symlink_to("nowhere.md")
    found = look(store, directory)
    assert set(found.files) == {"a.md"}
    assert found.unread == {"large.md", "directory.md", "fifo.md", "outside.md", "dangling.md"}
    known = TreeEntry(FILE_MODE, blob(store, b"as it was"))
    recorded = {"large.md": known, "removed.md": known, "a.md": known}
    assert found.as_recorded(recorded) == {**found.files, "large.md": known}


def test_names_that_are_passed_over_are_not_looked_at(store: Repo, directory: int) -> None:
    for name in ("a.md", "b.md"):
        put(store, name, "x\n")
    (store.path / "store/c.md").mkdir()
    found = look(store, directory, "b.md", "c.md")
    assert (set(found.files), found.unread) == ({"a.md"}, frozenset())


def test_another_hash_gives_other_ids(world: World) -> None:
    repo = with_commit(world.repo("sha256", "--object-format=sha256"))
    put(repo, "a.md", "x\n")
    directory = os.open(repo.path / "store", os.O_RDONLY)
    try:
        for object_format in (ObjectFormat.SHA256, ObjectFormat.SHA1, ObjectFormat.SHA256):
            found = look(repo, directory, object_format=object_format)
            assert len(found.files["a.md"].oid) == object_format.digits
        assert found.files["a.md"].oid == blob(repo, b"x\n")
    finally:
        os.close(directory)


def remembered(repo: Repo, directory: int, monkeypatch: pytest.MonkeyPatch) -> Snapshot:
    """Take a snapshot as if the files were old enough to be told by their time stamps."""
    now = LONG_AGO * 10**9 * 3
    with monkeypatch.context() as patch:
        patch.setattr("gitmem.store.snapshot.time.time_ns", lambda: now)
        return look(repo, directory)


def test_what_was_read_before_is_not_read_again(store: Repo, directory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "a.md", "one\n")
    first = remembered(store, directory, monkeypatch)

    def refuse(*_arguments: object) -> None:
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr("gitmem.store.snapshot.read_bounded", refuse)
        assert look(store, directory) == first
        put(store, "b.md", "another one\n")
        with pytest.raises(AssertionError):
            look(store, directory)


@pytest.mark.parametrize("how", ["content", "same size and time", "replaced", "link", "removed", "clock set back"])
def test_a_file_that_is_another_one_is_noticed(
    store: Repo, directory: int, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    path = put(store, "a.md", "one\n")
    os.utime(path, (LONG_AGO, LONG_AGO))
    put(store, "b.md", "two\n")
    remembered(store, directory, monkeypatch)
    if how == "content":
        path.write_text("another one\n", encoding="utf-8")
    elif how in ("same size and time", "clock set back"):
        path.write_text("ONE\n", encoding="utf-8")
        os.utime(path, (LONG_AGO, LONG_AGO))
    elif how == "replaced":
        put(store, "other", "ONE\n")
        os.utime(store.path / "store/other", (LONG_AGO, LONG_AGO))
        (store.path / "store/other").replace(path)
    else:
        path.unlink()
    if how == "link":
        path.symlink_to("b.md")
    found = look(store, directory).files
    content = b"b.md" if how == "link" else path.read_bytes() if path.exists() else None
    assert (found["a.md"].oid if "a.md" in found else None) == (None if content is None else blob(store, content))


def test_a_file_so_new_that_its_times_tell_nothing_is_read_each_time(store: Repo, directory: int) -> None:
    path = put(store, "a.md", "one\n")
    look(store, directory)
    kept = path.stat()
    path.write_text("ONE\n", encoding="utf-8")
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert look(store, directory).files["a.md"].oid == blob(store, b"ONE\n")
    assert cache_of(store).names() == []


@pytest.mark.parametrize("damage", [b"", b"x", b"0" * 100])
def test_what_is_kept_is_never_needed(
    store: Repo, directory: int, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    put(store, "a.md", "one\n")
    first = remembered(store, directory, monkeypatch)
    (kept,) = (store.path / "cache").iterdir()
    kept.write_bytes(damage)
    assert look(store, directory) == first
    kept.unlink()
    (store.path / "cache").rmdir()
    (store.path / "cache").write_bytes(b"")
    assert remembered(store, directory, monkeypatch) == first
