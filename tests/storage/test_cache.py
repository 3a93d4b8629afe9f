"""Derived files: what was written comes back, and nothing else ever does."""

import os
from pathlib import Path

import pytest

from gitmem.storage.cache import FileCache


@pytest.fixture
def cache(tmp_path: Path) -> FileCache:
    return FileCache(tmp_path / "mem" / "history", "form 1", keep=3)


def test_what_was_written_comes_back(cache: FileCache) -> None:
    assert (cache.read("a"), cache.names()) == (None, [])
    for content in (b"", b"one", bytes(range(256))):
        cache.write("a", content)
        assert cache.read("a") == content
    assert cache.names() == ["a"]


@pytest.mark.parametrize("cut", [0, 10, 63, 64, 66])
def test_a_file_that_was_cut_or_changed_is_not_there(cache: FileCache, cut: int) -> None:
    cache.write("a", b"content")
    file = cache.directory / "a"
    whole = file.read_bytes()
    file.write_bytes(whole[:cut])
    assert cache.read("a") is None
    file.write_bytes(whole[:cut] + bytes([whole[cut] ^ 1]) + whole[cut + 1 :])
    assert cache.read("a") is None


def test_a_file_of_another_version_is_not_there(cache: FileCache) -> None:
    cache.write("a", b"content")
    assert FileCache(cache.directory, "form 2", keep=3).read("a") is None


def test_only_the_newest_stay(cache: FileCache) -> None:
    for number, name in enumerate("abcde"):
        cache.write(name, b"x")
        os.utime(cache.directory / name, (number, number))
    assert set(cache.names()) == {"c", "d", "e"}
    assert cache.names()[0] == "e"


def test_where_nothing_can_be_written_nothing_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    cache = FileCache(tmp_path / "file" / "history", "form 1", keep=3)
    cache.write("a", b"x")
    assert (cache.read("a"), cache.names()) == (None, [])


def test_a_directory_in_the_place_of_a_file_harms_nothing(cache: FileCache) -> None:
    (cache.directory / "a").mkdir(parents=True)
    cache.write("a", b"x")
    assert cache.read("a") is None
    assert [path.name for path in cache.directory.iterdir()] == ["a"]
