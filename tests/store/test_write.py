"""Writing entries: free ids, many writers at once, and what is left when a writer dies or the disk is full."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from world import listing

from gitmem.entry.format import format_entry
from gitmem.entry.model import Entry
from gitmem.storage.directory import DirectoryRefusedError
from gitmem.store.read import read_entry, read_store
from gitmem.store.write import EntryChangedError, Replacement, StoreGoneError, replace_entries, write_new_entry

STORE = PurePosixPath(".klide/memory")
ENTRY = Entry(id="", title="Same title", date="2026-08-31T14:05:00Z", notes="Text.\n")
DATA = format_entry(ENTRY)
STEM = "2026-08-31-1405-same-title"

ADD = """
import os, signal, sys
from pathlib import Path, PurePosixPath
from gitmem.entry.format import format_entry
from gitmem.entry.model import Entry
from gitmem.storage.lock import writer_lock
from gitmem.store.write import write_new_entry
root, count = Path(sys.argv[1]), int(sys.argv[2])
function, turn = (sys.argv[3], int(sys.argv[4])) if len(sys.argv) > 3 else ("", 0)
real, calls = getattr(os, function, None), 0
def deadly(*arguments, **options):
    global calls
    calls += 1
    if calls == turn:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **options)
if real is not None:
    setattr(os, function, deadly)
for number in range(count):
    entry = Entry(id="", title="Same title", date="2026-08-31T14:05:00Z", notes=f"{os.getpid()} {number}")
    with writer_lock(root / "lock.d" / "lock", 60):
        print(write_new_entry(root, PurePosixPath(".klide/memory"), entry, format_entry(entry)), flush=True)
"""

REPLACE = """
import os, signal, sys
from pathlib import Path, PurePosixPath
from gitmem.store.write import Replacement, replace_entries
root, ident, function, turn = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
real, calls = getattr(os, function), 0
def deadly(*arguments, **options):
    global calls
    calls += 1
    if calls == turn:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **options)
setattr(os, function, deadly)
old = (root / ".klide/memory" / f"{ident}.md").read_bytes()
replace_entries(root, PurePosixPath(".klide/memory"), [Replacement(ident, old, old + b"More.")])
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "main"
    (made / STORE).mkdir(parents=True)
    return made


def names(root: Path) -> list[str]:
    return sorted(os.listdir(root / STORE))  # noqa: PTH208 - names are what is compared


def test_an_entry_is_written_under_the_id_of_its_date_and_title(root: Path) -> None:
    assert write_new_entry(root, STORE, ENTRY, DATA) == STEM
    entry, data = read_entry(root, STORE, STEM)
    assert (entry.title, entry.notes.strip(), data) == ("Same title", "Text.", DATA)


def test_an_id_that_is_taken_gets_a_number(root: Path) -> None:
    found = [write_new_entry(root, STORE, ENTRY, DATA) for _ in range(4)]
    assert found == [STEM, f"{STEM}-2", f"{STEM}-3", f"{STEM}-4"]


@pytest.mark.parametrize("kind", ["file", "directory", "link", "unreadable"])
def test_whatever_has_the_name_has_taken_the_id(root: Path, kind: str) -> None:
    path = root / STORE / f"{STEM}.md"
    if kind == "directory":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("../../outside.md")
    else:
        path.write_bytes(b"\xff" if kind == "unreadable" else b"")
    before = listing(root)
    assert write_new_entry(root, STORE, ENTRY, DATA) == f"{STEM}-2"
    after = listing(root)
    del after[f".klide/memory/{STEM}-2.md"]
    assert after == before


def test_a_name_that_an_editor_takes_in_the_last_instant_is_left_to_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, path = os.link, root / STORE / f"{STEM}.md"

    def beaten(source: str, target: str, **options: Any) -> None:
        if target == path.name:
            path.write_bytes(b"an editor's")
        real(source, target, **options)

    monkeypatch.setattr(os, "link", beaten)
    assert write_new_entry(root, STORE, ENTRY, DATA) == f"{STEM}-2"
    assert path.read_bytes() == b"an editor's"
    assert names(root) == [f"{STEM}-2.md", f"{STEM}.md"]


def test_a_store_that_vanished_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreGoneError, match=r"\.klide/memory vanished while it was written to: run `git mem init`"):
        write_new_entry(tmp_path, STORE, ENTRY, DATA)
    assert not listing(tmp_path)


def test_a_store_behind_a_symbolic_link_is_not_written_to(root: Path) -> None:
    real = root.parent / "real"
    (root / STORE).rename(real)
    (root / STORE).symlink_to(real)
    with pytest.raises(DirectoryRefusedError):
        write_new_entry(root, STORE, ENTRY, DATA)
    assert not listing(real)


def test_many_processes_at_once_write_distinct_entries(root: Path) -> None:
    children = [
        subprocess.Popen([sys.executable, "-c", ADD, str(root), "5"], stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    told = [ident for child in children for ident in child.communicate()[0].split()]
    assert [child.returncode for child in children] == [0] * 8
    assert len(set(told)) == len(told) == 40
    contents = read_store(root, STORE)
    assert sorted(entry.id for entry in contents.entries) == sorted(told)
    assert len({entry.notes for entry in contents.entries}) == 40
    assert contents.unreadable == ()
    assert len(names(root)) == 40


@pytest.mark.parametrize(
    ("function", "turn", "written"),
    [("open", 4, False), ("fsync", 1, False), ("link", 1, False), ("unlink", 1, True), ("fsync", 2, True)],
)
def test_a_writer_killed_at_any_point_leaves_the_old_or_the_new_state(
    root: Path, function: str, turn: int, written: bool
) -> None:
    write_new_entry(root, STORE, ENTRY, DATA)
    killed = subprocess.run([sys.executable, "-c", ADD, str(root), "1", function, str(turn)], check=False)
    assert killed.returncode == -signal.SIGKILL
    contents = read_store(root, STORE)
    assert [entry.id for entry in contents.entries] == [STEM, f"{STEM}-2"][: 2 if written else 1]
    assert all(entry.notes.strip() for entry in contents.entries)
    assert contents.unreadable == ()
    following = write_new_entry(root, STORE, ENTRY, DATA)
    assert following == f"{STEM}-{3 if written else 2}"
    assert all(name.endswith(".md") for name in names(root))


def test_a_full_disk_leaves_the_old_state(root: Path) -> None:
    write_new_entry(root, STORE, ENTRY, DATA)
    before, limits = listing(root), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_new_entry(root, STORE, ENTRY, DATA)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert listing(root) == before


def test_an_entry_is_replaced_by_what_was_made_of_it(root: Path) -> None:
    write_new_entry(root, STORE, ENTRY, DATA)
    replace_entries(root, STORE, [Replacement(STEM, DATA, DATA + b"More.\n")])
    assert read_entry(root, STORE, STEM)[1] == DATA + b"More.\n"
    assert names(root) == [f"{STEM}.md"]


def test_an_entry_that_is_not_what_it_was_stays(root: Path) -> None:
    write_new_entry(root, STORE, ENTRY, DATA)
    (root / STORE / f"{STEM}.md").write_bytes(DATA + b"Theirs.\n")
    before = listing(root)
    with pytest.raises(EntryChangedError):
        replace_entries(root, STORE, [Replacement(STEM, DATA, b"mine")])
    assert listing(root) == before


def test_an_entry_or_a_store_that_vanished_is_not_made_anew(root: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreGoneError):
        replace_entries(tmp_path, STORE, [Replacement(STEM, DATA, b"mine")])
    with pytest.raises(EntryChangedError):
        replace_entries(root, STORE, [Replacement(STEM, DATA, b"mine")])
    assert names(root) == []


def test_a_link_in_the_store_is_followed_and_one_out_of_it_is_not(root: Path) -> None:
    write_new_entry(root, STORE, ENTRY, DATA)
    (root / STORE / "inside.md").symlink_to(f"{STEM}.md")
    replace_entries(root, STORE, [Replacement("inside", DATA, DATA + b"More.\n")])
    assert (root / STORE / "inside.md").is_symlink()
    assert read_entry(root, STORE, STEM)[1] == DATA + b"More.\n"
    (root / "secret.md").write_bytes(DATA)
    (root / STORE / "outside.md").symlink_to("../../secret.md")
    with pytest.raises(EntryChangedError):
        replace_entries(root, STORE, [Replacement("outside", DATA, b"mine")])
    assert (root / "secret.md").read_bytes() == DATA


@pytest.mark.parametrize(
    ("function", "turn", "replaced"),
    [("fsync", 1, False), ("chmod", 1, False), ("rename", 1, False), ("unlink", 1, True), ("fsync", 2, True)],
)
def test_a_replacement_killed_at_any_point_leaves_the_old_or_the_new_entry(
    root: Path, function: str, turn: int, replaced: bool
) -> None:
    write_new_entry(root, STORE, ENTRY, DATA)
    killed = subprocess.run([sys.executable, "-c", REPLACE, str(root), STEM, function, str(turn)], check=False)
    assert killed.returncode == -signal.SIGKILL
    contents = read_store(root, STORE)
    assert [entry.id for entry in contents.entries] == [STEM]
    now = read_entry(root, STORE, STEM)[1]
    assert now == (DATA + b"More." if replaced else DATA)
    replace_entries(root, STORE, [Replacement(STEM, now, DATA)])
    assert names(root) == [f"{STEM}.md"]
