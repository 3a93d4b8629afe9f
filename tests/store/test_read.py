"""Reading a store in which anything can lie: what is good is read, what is bad is named, nothing else is touched."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import listing

from gitmem.entry.frontmatter import MAX_BYTES, UnreadableEntry
from gitmem.entry.model import Kind, ReviewState
from gitmem.errors import ExitCode
from gitmem.storage.directory import DirectoryRefusedError, FileRefusedError
from gitmem.store.read import BadIdError, NoSuchEntryError, Unreadable, check_id, read_entry, read_store

STORE = PurePosixPath(".klide/memory")
GOOD = "---\nschemaVersion: 1\ndate: 2026-08-31T14:00:00Z\ntitle: {}\nkind: fact\nreviewState: reviewed\n---\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "main"
    (made / STORE).mkdir(parents=True)
    return made


def put(root: Path, name: str, content: str | bytes = "text\n") -> Path:
    path = root / STORE / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_store_that_is_not_there_is_empty_and_is_not_made(tmp_path: Path) -> None:
    contents = read_store(tmp_path, STORE)
    assert (contents.exists, contents.entries, contents.unreadable) == (False, (), ())
    assert not listing(tmp_path)


def test_an_empty_store_is_there(root: Path) -> None:
    assert read_store(root, STORE).exists


def test_entries_come_in_the_order_of_their_ids(root: Path) -> None:
    idents = ["b", "a", "a-2", "a.b", "a-10", "A"]
    for ident in idents:
        put(root, f"{ident}.md")
    assert [entry.id for entry in read_store(root, STORE).entries] == sorted(idents)


def test_only_visible_markdown_files_are_entries(root: Path) -> None:
    for name in (".tmp-0123456789abcdef", ".hidden.md", "a.md.swp", "a.md~", "#a.md#", "README", "a.MD", "md", ".md"):
        put(root, name)
    put(root, "a.md")
    contents = read_store(root, STORE)
    assert [entry.id for entry in contents.entries] == ["a"]
    assert contents.unreadable == ()


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (Path.touch, "empty"),
    "broken": (lambda path: path.write_text("---\ntitle: [a\n---\n", encoding="utf-8"), "YAML"),
    "latin": (lambda path: path.write_bytes(b"---\ntitle: caf\xe9\n---\n"), "UTF-8"),
    "utf16": (lambda path: path.write_bytes("title".encode("utf-16")), "UTF-8"),
    "nul": (lambda path: path.write_bytes(b"a\0b"), "NUL"),
    "huge": (lambda path: path.write_bytes(b"a" * (MAX_BYTES + 1)), "larger than 1024 KiB"),
    "directory": (Path.mkdir, "not a regular file"),
    "fifo": (os.mkfifo, "not a regular file"),
    "leak": (lambda path: path.symlink_to("/etc/passwd"), "a symbolic link that leaves the store"),
    "up": (lambda path: path.symlink_to("../../secret.md"), "a symbolic link that leaves the store"),
    "dangling": (lambda path: path.symlink_to("gone.md"), "a symbolic link to no regular file"),
    "circle": (lambda path: path.symlink_to("circle.md"), "a symbolic link to no regular file"),
    "bad id": (Path.touch, "its name is not the id of an entry"),
    "-rf": (Path.touch, "its name is not the id of an entry"),
    "a..b": (Path.touch, "its name is not the id of an entry"),
    "x" * 129: (Path.touch, "its name is not the id of an entry"),
    "line\nend": (Path.touch, "its name is not the id of an entry"),
    "日本": (Path.touch, "its name is not the id of an entry"),
    os.fsdecode(b"caf\xe9"): (Path.touch, "its name is not the id of an entry"),
}


def fill(root: Path) -> None:
    (root / "secret.md").write_text("root:x:0:0\n", encoding="utf-8")
    for stem, (make, _reason) in BAD.items():
        make(root / STORE / f"{stem}.md")


@pytest.mark.parametrize("stem", BAD)
def test_a_bad_file_is_named_with_its_reason_and_stops_nothing(root: Path, stem: str) -> None:
    make, reason = BAD[stem]
    make(root / STORE / f"{stem}.md")
    for ident in ("a-good-one", "z-good-one"):
        put(root, f"{ident}.md", GOOD.format(ident))
    contents = read_store(root, STORE)
    assert [entry.title for entry in contents.entries] == ["a-good-one", "z-good-one"]
    (bad,) = contents.unreadable
    assert reason.lower() in bad.reason.lower()


def test_all_bad_files_together_leave_the_good_ones_readable(root: Path) -> None:
    fill(root)
    put(root, "good.md", GOOD.format("Good"))
    before = listing(root.parent)
    contents = read_store(root, STORE)
    assert [entry.id for entry in contents.entries] == ["good"]
    assert len(contents.unreadable) == len(BAD)
    assert not any("root:x:0" in repr(entry) for entry in contents.entries)
    assert listing(root.parent) == before


def test_names_that_are_not_utf8_can_be_printed(root: Path) -> None:
    put(root, os.fsdecode(b"caf\xe9.md"))
    (bad,) = read_store(root, STORE).unreadable
    assert bad == Unreadable("caf\\xe9.md", "its name is not the id of an entry")


def test_a_file_without_frontmatter_is_a_legacy_entry(root: Path) -> None:
    put(root, "old.md", "Only text.\n")
    (entry,) = read_store(root, STORE).entries
    assert (entry.title, entry.kind, entry.review_state) == ("old", Kind.HANDOFF, ReviewState.REVIEWED)


def test_a_file_of_exactly_the_limit_is_read(root: Path) -> None:
    put(root, "a.md", b"a" * MAX_BYTES)
    (entry,) = read_store(root, STORE).entries
    assert entry.notes == "a" * MAX_BYTES


def test_a_link_to_another_entry_of_the_store_is_read(root: Path) -> None:
    put(root, "b.md", GOOD.format("Both"))
    (root / STORE / "a.md").symlink_to("b.md")
    assert [(entry.id, entry.title) for entry in read_store(root, STORE).entries] == [("a", "Both"), ("b", "Both")]


def test_a_device_is_not_read(root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a device")
    os.mknod(root / STORE / "zero.md", 0o20644, os.makedev(1, 5))
    assert read_store(root, STORE).unreadable == (Unreadable("zero.md", "not a regular file"),)


@pytest.mark.parametrize("part", [".klide", ".klide/memory"])
def test_a_store_behind_a_symbolic_link_is_refused(root: Path, part: str) -> None:
    put(root, "a.md")
    real = root.parent / "real"
    (root / part).rename(real)
    (root / part).symlink_to(real)
    with pytest.raises(DirectoryRefusedError, match=f"{part} is a symbolic link"):
        read_store(root, STORE)
    with pytest.raises(DirectoryRefusedError, match=f"{part} is a symbolic link"):
        read_entry(root, STORE, "a")


# Dates


@pytest.mark.parametrize(
    ("ident", "date"),
    [
        ("2026-08-31-1405-note", "2026-08-31T14:05:00Z"),
        ("2024-02-29-0000-leap", "2024-02-29T00:00:00Z"),
        ("2026-02-30-0900-no-such-day", "2020-01-02T03:04:05Z"),
        ("2026-08-31-2500-no-such-hour", "2020-01-02T03:04:05Z"),
        ("2026-08-31-note", "2020-01-02T03:04:05Z"),
        ("note", "2020-01-02T03:04:05Z"),
        ("x2026-08-31-1405-note", "2020-01-02T03:04:05Z"),
    ],
)
def test_an_entry_without_a_date_has_that_of_its_id_else_of_its_file(root: Path, ident: str, date: str) -> None:
    moment = 1_577_934_245
    os.utime(put(root, f"{ident}.md"), (moment, moment))
    assert read_store(root, STORE).entries[0].date == date
    assert read_entry(root, STORE, ident)[0].date == date


def test_an_entry_of_another_version_has_the_date_of_its_id_whatever_its_file_says(root: Path) -> None:
    put(root, "2026-08-31-1405-note.md", GOOD.format("x").replace("schemaVersion: 1", "schemaVersion: 2"))
    for entry in (read_store(root, STORE).entries[0], read_entry(root, STORE, "2026-08-31-1405-note")[0]):
        assert (entry.future, entry.date) == (True, "2026-08-31T14:05:00Z")


def test_the_date_in_the_file_counts_first(root: Path) -> None:
    put(root, "2020-01-01-0000-x.md", GOOD.format("Dated"))
    assert read_store(root, STORE).entries[0].date == "2026-08-31T14:00:00Z"


@pytest.mark.parametrize("moment", [-(2**40), -1, 0, 2**33, 2**45, 2**60])
def test_a_file_from_another_age_has_a_date_all_the_same(moment: int) -> None:
    # A file system in memory keeps time stamps that a disk rounds into its own range.
    root = Path("/dev/shm") / f"gitmem-{os.getpid()}-{time.monotonic_ns()}"
    try:
        (root / STORE).mkdir(parents=True)
    except OSError:
        pytest.skip("no file system in memory here")
    try:
        os.utime(put(root, "a.md"), (moment, moment))
        date = read_store(root, STORE).entries[0].date
    finally:
        shutil.rmtree(root)
    assert len(date) == len("2026-08-31T14:00:00Z")
    assert "1970-01-01T00:00:00Z" <= date <= "9999-12-31T23:59:59Z"


# One entry


def test_one_entry_is_read_with_the_bytes_of_its_file(root: Path) -> None:
    data = GOOD.format("One").replace("\n", "\r\n").encode()
    put(root, "one.md", data)
    entry, found = read_entry(root, STORE, "one")
    assert (entry.id, entry.title, found) == ("one", "One", data)


def test_an_entry_that_is_not_there_is_the_answer_no(root: Path) -> None:
    with pytest.raises(NoSuchEntryError, match="no entry has the id 'gone'") as none:
        read_entry(root, STORE, "gone")
    assert none.value.exit_code is ExitCode.NO


def test_an_entry_is_not_there_without_a_store(tmp_path: Path) -> None:
    with pytest.raises(NoSuchEntryError):
        read_entry(tmp_path, STORE, "gone")


@pytest.mark.parametrize(
    ("stem", "error"),
    [
        *((stem, UnreadableEntry) for stem in ("broken", "latin", "utf16", "nul")),
        *((stem, FileRefusedError) for stem in ("huge", "directory", "fifo", "leak", "up", "dangling", "circle")),
    ],
)
def test_a_bad_entry_is_told_with_its_reason(root: Path, stem: str, error: type[Exception]) -> None:
    fill(root)
    with pytest.raises(error, match=BAD[stem][1]):
        read_entry(root, STORE, stem)


BAD_IDS = [
    *("../x", "../../etc/passwd", "/etc/passwd", "a/b", "a\\b", "..", ".", "", "a%2fb", "C:x", "a%" * 300),
    *("-rf", "~", "a\0b", "a\n", "\n", ".hidden", "a..b", "é", "a b", "x" * 129, "\ud800", "\udcff", "a\x1b[31m"),
]


@pytest.mark.parametrize("ident", BAD_IDS)
def test_what_is_no_id_is_refused_before_any_file_is_looked_at(tmp_path: Path, ident: str) -> None:
    with pytest.raises(BadIdError, match="is not the id of an entry: `git mem list` shows the ids") as bad:
        read_entry(tmp_path / "not" / "there", STORE, ident)  # opening it would fail in another way
    bad.value.message.encode("utf-8")
    assert not {"\0", "\n", "\x1b"} & set(bad.value.message)


@settings(max_examples=100)
@given(st.text(max_size=20))
def test_an_id_never_leaves_the_store(ident: str) -> None:
    try:
        check_id(ident)
    except BadIdError:
        return
    assert Path("/store", f"{ident}.md").resolve().parent == Path("/store")
    assert not ident.startswith((".", "-"))
