"""Whether anything happened in a directory."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitmem.storage import watch
from gitmem.storage.directory import opened
from gitmem.storage.watch import DirectoryWatch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "store"
    place.mkdir()
    (place / "one.md").write_text("one", encoding="utf-8")
    return place


@pytest.fixture
def watched() -> Iterator[DirectoryWatch]:
    watched = DirectoryWatch()
    yield watched
    watched.close()


def quiet(watched: DirectoryWatch, place: Path) -> bool:
    with opened(place) as directory:
        return watched.is_quiet(directory)


def append(place: Path) -> None:
    with (place / "one.md").open("a", encoding="utf-8") as stream:
        stream.write("more")


def edit_without_a_trace(place: Path) -> None:
    status = (place / "one.md").stat()
    (place / "one.md").write_text("eno", encoding="utf-8")
    os.utime(place / "one.md", ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "appended": append,
    "edited in place, size and time kept": edit_without_a_trace,
    "added": lambda place: (place / "two.md").write_text("two", encoding="utf-8"),
    "removed": lambda place: (place / "one.md").unlink(),
    "renamed": lambda place: (place / "one.md").rename(place / "two.md"),
    "moved out": lambda place: (place / "one.md").rename(place.parent / "one.md"),
    "permissions": lambda place: (place / "one.md").chmod(0o600),
    "linked": lambda place: (place / "two.md").symlink_to("one.md"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_happens_is_known_at_once_and_once(watched: DirectoryWatch, place: Path, change: str) -> None:
    assert not quiet(watched, place)  # nobody looked yet
    assert quiet(watched, place)
    CHANGES[change](place)
    assert not quiet(watched, place)
    assert quiet(watched, place)


def test_to_read_is_nothing_that_happens(watched: DirectoryWatch, place: Path) -> None:
    quiet(watched, place)
    (place / "one.md").read_bytes()
    os.listdir(place)  # noqa: PTH208 - the very call that a reader makes
    assert quiet(watched, place)


def test_another_directory_in_the_same_place_is_noticed(watched: DirectoryWatch, place: Path) -> None:
    quiet(watched, place)
    place.rename(place.with_name("old"))
    place.mkdir()
    assert not quiet(watched, place)
    (place / "new.md").write_text("new", encoding="utf-8")
    assert not quiet(watched, place)
    assert quiet(watched, place)


def test_after_a_while_it_is_looked_at_again(
    watched: DirectoryWatch, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet(watched, place)
    assert quiet(watched, place)
    monkeypatch.setattr(watch, "_TRUSTED", -1.0)
    assert not quiet(watched, place)


def test_where_the_system_cannot_watch_nothing_is_ever_quiet(
    watched: DirectoryWatch, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "inotify_simple", None)  # as where it is not installed
    assert [quiet(watched, place) for _ in range(3)] == [False, False, False]
