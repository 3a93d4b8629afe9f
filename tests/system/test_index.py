"""The index of searches, through the program: never in the way, never wrong, and gone with what is forgotten."""

import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Final

import pytest
from forgotten import STORE
from program import document, entry, put, several, start
from world import Repo, World, listing

WORD: Final = "quokkaword"
QUERIES: Final = (
    ("search", "--json", "retry"),
    ("search", "--json", "retries", "policy"),
    ("search", "--json", "-n", "20", "--match", "any", "--include-inactive", "apple retry"),
    ("search", "--json", "kind:fact", "entry 7"),
    ("search", "--json", "rety"),
)
HINTS: Final = "no entry has every word\ndid you mean retry instead of rety?\n"  # about the last of them


def fill(repo: Repo, count: int = 40) -> Repo:
    """Make a store of entries whose files are as the tool writes them."""
    dice = random.Random(count)
    words = ["retry", "retries", "policy", "apple", "timeout", "upload", "café"]
    assert repo.mem("init").code == 0
    notes = [" ".join(dice.choices(words, k=30)) for _ in range(count)]
    put(
        repo.path / STORE, *(entry(f"e{place}", title=f"Entry {place}", notes=text) for place, text in enumerate(notes))
    )
    put(repo.path / STORE, entry("newer", title="Retry policy", supersedes="e3", date="2026-01-02T00:00:00Z"))
    return repo


@pytest.fixture(scope="module")
def _filled(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = World(tmp_path_factory.mktemp("filled")).repo()
    repo.commit("Start", {"a.txt": "x\n"})
    return fill(repo)


@pytest.fixture
def filled(world: World, _filled: Repo) -> Repo:
    """A repository with a store that was never searched."""
    made = Repo(world, world.root / "main")
    shutil.copytree(_filled.path, made.path, symlinks=True)
    return made


@pytest.fixture(scope="module")
def expected(_filled: Repo, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What all queries answer, without an index."""
    copy = World(tmp_path_factory.mktemp("expected"))
    shutil.copytree(_filled.path, copy.root / "main", symlinks=True)
    index_of(Repo(copy, copy.root / "main")).mkdir(parents=True)
    return answers(Repo(copy, copy.root / "main"))


@pytest.fixture
def indexed(filled: Repo) -> Repo:
    """The same, searched before."""
    assert filled.mem("search", "retry").code == 0
    return filled


def index_of(repo: Repo) -> Path:
    return repo.path / ".git/mem/index.sqlite"


def litter_of(repo: Repo) -> list[str]:
    return [name for name in listing(repo.path / ".git/mem") if ".tmp-" in name]


def answers(repo: Repo) -> bytes:
    """Return what all queries answer, in one fresh process."""
    found = several(repo, *QUERIES)
    assert (found.code, found.err) == (0, HINTS), found
    assert found.stdout.count(b"\n") == len(QUERIES)
    return found.stdout


# Same bytes


def a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def foreign(path: Path) -> None:
    """Put the index of another repository in its place."""
    world = World(path.parents[3] / "elsewhere")
    other = fill(world.repo("other"), 7)
    assert other.mem("search", "retry").code == 0
    shutil.copy(index_of(other), path)


def link(path: Path) -> None:
    path.rename(path.with_name("real"))
    path.symlink_to("real")


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


DAMAGES: Final[dict[str, Callable[[Path], object]]] = {
    "deleted": Path.unlink,
    "of no bytes": lambda path: path.write_bytes(b""),
    "random bytes": lambda path: path.write_bytes(random.Random(1).randbytes(50_000)),
    "the first half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "one bit flipped": flip,
    "a directory": a_directory,
    "a link": link,
    "of another repository": foreign,
}


def test_the_same_answers_come_with_an_index_without_one_and_after_it_was_made_anew(
    filled: Repo, expected: bytes
) -> None:
    assert answers(filled) == expected
    assert index_of(filled).is_file()
    written = index_of(filled).stat()
    assert answers(filled.worktree("linked", "--detach")) == expected
    assert index_of(filled).stat() == written
    made = document(filled.mem("reindex", "--json"))
    assert made == {"schemaVersion": 1, "entries": 41, "kept": True}
    assert index_of(filled).stat().st_ino != written.st_ino
    assert answers(filled) == expected


@pytest.mark.parametrize("damage", DAMAGES)
def test_whatever_stands_in_the_place_of_the_index_the_answers_are_the_same(
    indexed: Repo, expected: bytes, damage: str
) -> None:
    store = listing(indexed.path / ".klide")
    (indexed.world.root / "elsewhere").mkdir()
    DAMAGES[damage](index_of(indexed))
    assert answers(indexed) == expected
    assert listing(indexed.path / ".klide") == store
    sound = index_of(indexed).is_file() and not index_of(indexed).is_symlink()
    assert sound is (damage != "a directory")
    assert litter_of(indexed) == []


def test_where_the_index_cannot_be_kept_that_is_told_by_reindex_alone(filled: Repo) -> None:
    index_of(filled).mkdir(parents=True)
    found = filled.mem("reindex")
    assert (found.code, found.out) == (128, "")
    assert found.err.count("\n") == 1
    assert "cannot be kept" in found.err


_LIMITED: Final = """
import resource, sys
from gitmem.cli.main import run
resource.setrlimit(resource.RLIMIT_FSIZE, (16384, resource.RLIM_INFINITY))
sys.exit(run(sys.argv[1:]))
"""


def test_on_a_disk_that_is_full_a_search_answers(filled: Repo, expected: bytes) -> None:
    found = filled.world.run(sys.executable, "-c", _LIMITED, *QUERIES[0], cwd=filled.path)
    assert (found.code, found.err) == (0, ""), found
    assert expected.startswith(found.stdout)
    assert not index_of(filled).exists()
    assert litter_of(filled) == []


# Nothing is made


def test_a_search_makes_nothing_in_the_work_tree_and_nothing_where_there_is_no_store(repo: Repo) -> None:
    before = listing(repo.path)
    assert several(repo, ("search", "retry"), ("search", "--json", "x"), ("reindex",)).code == 0
    assert listing(repo.path) == before


def test_a_search_makes_nothing_but_the_index(filled: Repo) -> None:
    before = listing(filled.path)
    answers(filled)
    after = listing(filled.path)
    assert after.keys() - before.keys() == {".git/mem/index.sqlite"}
    assert {name: after[name] for name in before} == before
    assert filled.git("status", "--porcelain").out == ""


# Several at once


def answered(processes: Sequence[Popen[bytes]]) -> list[tuple[int | None, bytes, bytes]]:
    told = [process.communicate(timeout=120) for process in processes]
    return [(process.returncode, *one) for process, one in zip(processes, told, strict=True)]


def test_searches_and_writers_at_once_all_succeed_and_everything_is_found_afterwards(filled: Repo) -> None:
    searches = [start(filled, "search", "--json", "retry") for _ in range(6)]
    adds = [start(filled, "add", f"Wombat {number}", "--notes", "retry") for number in range(4)]
    asked, added = answered(searches), answered(adds)
    assert [(code, err) for code, _, err in (*asked, *added)] == [(0, b"")] * 10
    found = document(filled.mem("search", "--json", "-n", "20", "wombat"))
    assert {hit["id"] for hit in found["hits"]} == {out.decode().strip() for _, out, _ in added}
    assert len(found["hits"]) == 4
    assert litter_of(filled) == []


_LOCK: Final = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked(path: Path, how: str) -> Iterator[None]:
    """Another process that holds SQLite's own lock on the index."""
    with Popen([sys.executable, "-c", _LOCK, path, how], stdin=PIPE, stdout=PIPE) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == b"held\n"
            yield
        finally:
            child.kill()


@pytest.mark.parametrize("how", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_process_that_locks_the_index_delays_nobody(indexed: Repo, expected: bytes, how: str) -> None:
    with locked(index_of(indexed), how):
        assert answers(indexed) == expected
        added = several(indexed, ("add", "Wombat", "--date", "2026-01-03"), ("search", "--json", "wombat"))
        assert added.err == ""
        assert '"id":"2026-01-03-0000-wombat"' in added.out.replace(" ", "")


# Gone with what is forgotten


def holding(repo: Repo, word: str) -> list[str]:
    """Return the files below `.git/mem`, and of the store, that have a word."""
    found = {**listing(repo.path / ".git/mem"), **listing(repo.path / ".klide")}
    return sorted(name for name, content in found.items() if word.encode() in content)


def test_of_what_is_forgotten_no_byte_stays_in_the_index_nor_beside_it(filled: Repo) -> None:
    added = ("add", "Secret", "--date", "2026-01-03", "--notes", WORD, "--tag", f"{WORD}tag", "--alias", f"{WORD}alias")
    assert several(filled, added, ("search", WORD), ("search", f"{WORD}tag"), ("list",)).err == ""
    assert "index.sqlite" in holding(filled, WORD)
    litter = filled.path / ".git/mem/.tmp-0123456789abcdef"  # of a search that was killed
    shutil.copy(index_of(filled), litter)
    assert filled.mem("forget", "--yes", "2026-01-03-0000-secret").code == 0
    assert holding(filled, WORD) == []
    assert several(filled, ("search", WORD), ("search", "secret")).out == ""
    assert holding(filled, WORD) == []
    assert not litter.exists()


def test_of_what_was_edited_away_no_byte_stays_in_the_index(filled: Repo) -> None:
    for number in range(3):
        put(filled.path / STORE, entry(f"e{number}", title=f"{WORD} {number}", notes=f"{WORD}{number} " * 300))
        assert filled.mem("search", WORD).code == 0
        assert "index.sqlite" in holding(filled, WORD)
        put(filled.path / STORE, entry(f"e{number}", title=f"Entry {number}", notes="apple"))
        assert filled.mem("search", WORD).code == 1
        assert holding(filled, WORD) == []


def test_an_entry_that_was_forgotten_and_came_back_by_hand_is_not_found(filled: Repo) -> None:
    data = (filled.path / STORE / "e7.md").read_bytes()
    assert document(filled.mem("search", "--json", "e7"))["hits"][0]["id"] == "e7"
    assert filled.mem("forget", "--yes", "e7").code == 0
    (filled.path / STORE / "e7.md").write_bytes(data)
    found = filled.mem("search", "--json", "-n", "20", "--match", "any", "--include-inactive", "entry 7")
    assert (found.code, found.err) == (0, "")
    assert '"e6"' in found.out
    assert '"e7"' not in found.out
