"""A manifest as JSON: read whole, or refused whole with one line."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.manifest.model import Manifest, ManifestError, make_manifest, parse_manifest
from gitmem.porcelain.manifest import manifest_json


def text(changed: object = (), deleted: object = ()) -> bytes:
    return json.dumps({"changed": changed, "deleted": deleted}).encode()


def test_paths_are_read_into_their_plain_form_and_the_order_of_their_bytes() -> None:
    read = parse_manifest(
        text(["b", "./a", "a//b", "é", "\uffff", "\U0001f600", "B", "b", "dir/./x/"], ["z", "\udcff"])
    )
    assert read == Manifest(("B", "a", "a/b", "b", "dir/x", "é", "\uffff", "\U0001f600"), ("z", "\udcff"))
    assert list(read.changed) == sorted(read.changed, key=os.fsencode)


@pytest.mark.parametrize(
    "data", [text(), b"\xef\xbb\xbf" + text(), b' {"deleted": [],\r\n"changed": []}\n', text().decode().encode("utf-8")]
)
def test_an_empty_manifest_is_one(data: bytes) -> None:
    assert parse_manifest(data) == Manifest()


def test_two_spellings_of_one_file_are_one_path() -> None:
    assert parse_manifest(text(["caf\udcc3\udca9", "café", "./café"])) == Manifest(("café",))
    with pytest.raises(ManifestError, match="'café' is said to be changed and to be deleted"):
        parse_manifest(text(["caf\udcc3\udca9"], ["café"]))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "it is not JSON: expecting value at line 1"),
        (b"not json", "it is not JSON: expecting value at line 1"),
        (b'{"changed": [],\n"deleted": [],}', "it is not JSON"),
        (text() + b"x", "it is not JSON: extra data at line 1"),
        (b"\xff\xfe{\0}\0", "it is not UTF-8"),
        (json.dumps({"changed": [], "deleted": []}).encode("utf-16"), "it is not UTF-8"),
        (b"[]", 'it is not {"changed": [...], "deleted": [...]}'),
        (b"null", "it is not {"),
        (b"NaN", "it is not {"),
        (b'"changed deleted"', "it is not {"),
        (b'{"changed": []}', "it is not {"),
        (b'{"changed": [], "deleted": [], "more": []}', "it is not {"),
        (b'{"schemaVersion": 1, "changed": [], "deleted": []}', "it is not {"),
        (b'{"Changed": [], "deleted": []}', "it is not {"),
        (b"[" * 100_000, "it is not {"),
        (b'{"changed": ' + b"[" * 100_000 + b"]" * 100_000 + b', "deleted": []}', "it is not {"),
        (b'{"changed": [' + b"1" * 10_000 + b'], "deleted": []}', "it is not {"),
        (b'{"changed": [], "changed": ["a"], "deleted": []}', "a key stands in it twice"),
        (b'{"changed": [{"a": 1, "a": 2}], "deleted": []}', "a key stands in it twice"),
        (text("a.py"), '"changed" is not an array of strings'),
        (text(None), '"changed" is not an array of strings'),
        (text({}), '"changed" is not an array of strings'),
        (text([], ["a", 1]), '"deleted" is not an array of strings'),
        (text([["a"]]), '"changed" is not an array of strings'),
        (text([True]), '"changed" is not an array of strings'),
        (text([""]), "'' is empty or cannot name a file"),
        (text(["."]), "'.' is empty or cannot name a file"),
        (text(["a\0b"]), r"'a\x00b' is empty or cannot name a file"),
        (text(["\ud800"]), r"'\ud800' is empty or cannot name a file"),
        (text(["ok", "x" * 5000]), f"'{'x' * 200}...' is empty or cannot name a file"),
        (text([], ["/etc/passwd"]), "'/etc/passwd' is absolute, and must be relative to the worktree's top"),
        (text(["../x"]), "'../x' holds '..', and must lie below the worktree's top"),
        (text(["a/../../x"]), "'a/../../x' holds '..', and must lie below the worktree's top"),
        (text([".git/config"]), "'.git/config' lies in .git, which is no part of the project"),
        (text(["sub/.GIT/x"]), "'sub/.GIT/x' lies in .git, which is no part of the project"),
        (text(["nl\n\u202e/../x"]), r"'nl\n\u202e/../x' holds '..'"),
        (text(["b", "a.py"], ["./a.py", "b"]), "'a.py' is said to be changed and to be deleted"),
    ],
)
def test_anything_else_is_refused_with_one_line_that_says_why(data: bytes, told: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse_manifest(data)
    assert caught.value.message.startswith(f"the manifest is refused: {told}")
    assert caught.value.message.endswith(": correct it, or make one with `git mem manifest`")
    assert "\n" not in caught.value.message


@settings(max_examples=200)
@given(st.lists(st.binary(min_size=1, max_size=20)), st.lists(st.binary(min_size=1, max_size=20)))
def test_what_is_written_is_read_again_whatever_the_names(changed: list[bytes], deleted: list[bytes]) -> None:
    def names(given: list[bytes]) -> set[str]:
        parts = (name.translate(None, b"\0/") for name in given)
        return {os.fsdecode(name) for name in parts if name not in (b"", b".", b"..") and name.lower() != b".git"}

    made = make_manifest(names(changed), names(deleted) - names(changed))
    written = manifest_json(made)
    assert parse_manifest(written.encode("utf-8")) == made
    assert parse_manifest(json.dumps(json.loads(written)).encode("ascii")) == made
