"""Where something still is: in the files below a directory, in the names of them, and in all objects that git reads."""

import os
import re
from base64 import b64decode
from collections.abc import Collection, Iterator
from pathlib import Path

from world import Repo, listing

STORE = ".klide/memory"
REF = "refs/mem/store"
_ENCODED = re.compile(rb"[A-Za-z0-9+/]{16,}={0,2}")


def traces(repo: Repo, words: Collection[str], top: Path | None = None) -> list[str]:
    """Return where one of the words is: below a directory, by default the whole world's, or in an object.

    A file counts by its path, by its content, and by what stands in it as base64.
    """
    wanted = [word.encode() for word in words]
    found = [place for place, data in _places(top or repo.world.root) if any(word in data for word in wanted)]
    return found + [f"object {oid}" for oid, data in objects(repo).items() if any(word in data for word in wanted)]


def _places(top: Path) -> Iterator[tuple[str, bytes]]:
    for name, content in listing(top).items():
        decoded = b"\n".join(_decoded(run) for run in _ENCODED.findall(content))
        yield name, b"\n".join([os.fsencode(name), content, decoded])


def _decoded(run: bytes) -> bytes:
    whole = run.rstrip(b"=")
    return b64decode(whole[: len(whole) // 4 * 4])


def objects(repo: Repo) -> dict[str, bytes]:
    """Return all objects that git can read here, whatever reaches them."""
    listed = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered").stdout
    answer = repo.git("cat-file", "--batch", "--buffer", feed=listed).stdout
    found: dict[str, bytes] = {}
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        oid, _kind, size = answer[at:end].decode("ascii").split(" ")
        found[oid] = answer[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)
    return found


def at_tip(repo: Repo) -> dict[str, bytes]:
    """Return the entry files that the newest recorded commit has; a link is where it leads."""
    found = {}
    for item in repo.git("ls-tree", "-z", REF).out.split("\0")[:-1]:
        head, _, name = item.partition("\t")
        if name.endswith(".md"):
            found[name] = repo.git("cat-file", "blob", head.split(" ")[2]).stdout
    return found


def on_disk(store: Path) -> dict[str, bytes]:
    """Return the entry files of a store; a link is where it leads."""
    return {
        path.name: os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in store.glob("[!.]*.md")
    }


def assert_at_rest(repo: Repo, store: Path) -> None:
    """Assert that the history is the store, and that git finds nothing wrong."""
    assert at_tip(repo) == on_disk(store)
    repo.git("fsck", "--strict", "--no-dangling")
