"""The texts of edits: where they lie, who can read them, and that nothing of them is left."""

import stat
from pathlib import Path

import pytest
from world import listing

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.storage.directory import FileRefusedError
from gitmem.store.edits import holds_work, kept_edits, new_edit, read_edit, remove_edit, remove_kept_edits

TEXT = b"\xef\xbb\xbf# Notes\r\n\r\nsecret"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_text_lies_in_a_directory_of_its_own_and_is_its_owners(tmp_path: Path) -> None:
    path = new_edit(tmp_path / "mem", "an-entry", TEXT)
    assert path.read_bytes() == read_edit(path) == TEXT
    assert (path.name, path.parent.parent) == ("an-entry.md", tmp_path / "mem/edit")
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert new_edit(tmp_path / "mem", "an-entry", TEXT).parent != path.parent


def test_an_id_of_any_length_has_room(tmp_path: Path) -> None:
    path = new_edit(tmp_path, "x" * 128, b"text")
    assert kept_edits(tmp_path, "x" * 128) == [path]


def test_what_an_edit_left_is_found_and_removed_whole(tmp_path: Path) -> None:
    ident, other = "2026-01-01-0000-a", "2026-01-01-0000-a-0123456789abcdef"
    paths = [new_edit(tmp_path, ident, TEXT) for _ in range(3)]
    stays = new_edit(tmp_path, other, TEXT)
    (paths[0].parent / f".{ident}.md.swp").write_bytes(b"swap")
    (paths[1].parent / "below").mkdir()
    (paths[2].parent / ".#lock").symlink_to("nobody@nowhere.123")
    assert kept_edits(tmp_path, ident) == sorted(paths)
    assert kept_edits(tmp_path, other) == [stays]
    remove_kept_edits(tmp_path, ident)
    assert set(listing(tmp_path / "edit")) == {stays.parent.name, f"{stays.parent.name}/{other}.md"}
    assert kept_edits(tmp_path, ident) == []


def test_where_the_text_is_gone_the_directory_stands_for_it(tmp_path: Path) -> None:
    path = new_edit(tmp_path, "an-entry", TEXT)
    path.rename(path.with_name("an-entry.md~"))
    assert kept_edits(tmp_path, "an-entry") == [path.parent]
    path.with_name("an-entry.md~").unlink()
    assert kept_edits(tmp_path, "an-entry") == []
    remove_kept_edits(tmp_path, "an-entry")
    assert listing(tmp_path / "edit") == {}


def test_without_edits_there_is_nothing_to_find_or_remove(tmp_path: Path) -> None:
    assert kept_edits(tmp_path / "none", "an-entry") == []
    remove_kept_edits(tmp_path / "none", "an-entry")
    assert listing(tmp_path) == {}


@pytest.mark.parametrize(
    ("after", "worth"),
    [(TEXT, False), (TEXT + b"\n", True), (b"", False), (b" \r\n\xef\xbb\xbf", False), (None, False)],
)
def test_only_what_a_person_wrote_is_worth_keeping(tmp_path: Path, after: bytes | None, *, worth: bool) -> None:
    path = new_edit(tmp_path, "an-entry", TEXT)
    if after is None:
        path.unlink()
    else:
        path.write_bytes(after)
    assert holds_work(path, TEXT) is worth
    remove_edit(path)
    assert not holds_work(path, TEXT)
    assert listing(tmp_path / "edit") == {}


def test_what_an_editor_left_beside_the_text_is_worth_keeping(tmp_path: Path) -> None:
    path = new_edit(tmp_path, "an-entry", TEXT)
    (path.parent / ".an-entry.md.swp").write_bytes(b"typed and not written")
    assert holds_work(path, TEXT)


def test_what_is_no_text_of_a_size_that_an_entry_can_have_is_refused(tmp_path: Path) -> None:
    large = new_edit(tmp_path, "large", TEXT)
    large.write_bytes(b"x" * (MAX_BYTES + 1))
    directory = new_edit(tmp_path, "directory", TEXT)
    directory.unlink()
    directory.mkdir()
    link = new_edit(tmp_path, "link", TEXT)
    link.unlink()
    link.symlink_to("/etc/hostname")
    for path in (large, directory, link):
        with pytest.raises(FileRefusedError):
            read_edit(path)
        assert holds_work(path, TEXT)
