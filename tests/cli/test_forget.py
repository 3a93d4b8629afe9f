"""`git mem forget` at the command line: what it asks, what it says it cannot reach, its exit codes."""

import os
import pty
import sys
from collections.abc import Sequence
from subprocess import PIPE, Popen

import pytest
from forgotten import REF, STORE, assert_at_rest, traces
from inprocess import Cli
from layouts import with_commit
from program import document, entry, faults, is_one_error, put
from recorded import blob_of
from remembered import file_of, remember
from world import Repo, Result, World, listing

SECRET = "2026-01-01-0000-zebra-secret"
KEEP = "2026-01-01-0000-keep"
HELD = (
    "1 object of it is held by something else, such as a branch, a stash, a reflog or an index: "
    "take it out there, then run `git gc --prune=now`"
)


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with two entries, one of which is to be forgotten."""
    assert remember(repo, "Keep") == KEEP
    assert remember(repo, "Zebra secret") == SECRET
    return repo


def test_what_was_forgotten_is_told_and_nothing_else_where_all_was_reached(cli: Cli, shop: Repo) -> None:
    result = cli(shop, "forget", SECRET, "--yes")
    assert (result.code, result.out, result.err) == (0, f"forgot {SECRET}\n", "")
    assert traces(shop, [SECRET, "Zebra"]) == []
    assert_at_rest(shop, shop.path / STORE)
    for words in (("check",), ("status",), ("list",), ("log",), ("show", f"{KEEP}@{{0}}"), ("blame", KEEP)):
        done = cli(shop, *words)
        assert (done.code, done.err) == (0, ""), (words, done)
        assert SECRET not in done.out
    assert cli(shop, "search", "zebra").code == 1
    assert cli(shop, "show", SECRET).code == 1
    assert cli(shop, "show", f"{SECRET}@{{0}}").code != 0


def test_in_json_all_is_told_that_was_and_was_not_reached(cli: Cli, shop: Repo) -> None:
    found = document(cli(shop, "forget", SECRET, "--yes", "--json"))
    assert faults("forget", found) == []
    assert found.pop("removed") > 0
    assert found == {
        "schemaVersion": 1,
        "ids": [SECRET],
        **dict.fromkeys(("packed", "reachable"), 0),
        **{key: [] for key in ("mentioned", "left", "copies", "unread", "remotes")},
        "unpruned": None,
    }


def test_what_it_cannot_reach_is_told_with_what_removes_it(cli: Cli, shop: Repo) -> None:
    put(shop.path / STORE, entry("sees-it", notes=f"See {SECRET}."))
    (shop.path / STORE / "alias.md").symlink_to(f"{SECRET}.md")
    shop.write(f"{STORE}/{SECRET}.md~", "backup")
    shop.git("remote", "add", "origin", "https://example.com/x")
    shop.git("add", "-f", f"{STORE}/{SECRET}.md")
    shop.git("gc", "-q")
    shop.write(".git/refs/mem/damaged", blob_of(shop, "no commit") + "\n")
    result = cli(shop, "forget", SECRET, "--yes")
    assert (result.code, result.out) == (0, f"forgot {SECRET}\n")
    said = [line.removeprefix("warning: ") for line in result.err.splitlines()]
    assert all(line.startswith("warning: ") for line in result.err.splitlines())
    assert said == [
        "alias is, or was, the same text: if that is to go too, run `git mem forget alias`",
        "sees-it still names it in its text: `git mem edit sees-it` takes it out, though not out of the history",
        f"a file is named after it: remove {STORE}/{SECRET}.md~",
        said[3],
        HELD,
        said[5],
        "what was pushed or cloned is out of reach: copies may be in origin",
    ]
    assert said[3].startswith("a history could not be read, so it may still be there: refs/mem/damaged: ")
    assert said[3].endswith(": mend that, then forget it again")
    assert said[5].endswith(" objects of it are in packs: run `git gc --prune=now`")
    again = document(Result(0, cli(shop, "forget", SECRET, "--yes", "--json").stdout, ""))
    assert faults("forget", again) == []
    assert (again["mentioned"], again["copies"], again["left"]) == (["sees-it"], ["alias"], [f"{STORE}/{SECRET}.md~"])


def test_objects_that_could_not_be_removed_are_told_with_the_reason(cli: Cli, shop: Repo) -> None:
    other = shop.git("commit-tree", "-m", "damaged", "HEAD^{tree}").line
    shop.git("branch", "damaged", other)
    path = shop.path / ".git/objects" / other[:2] / other[2:]
    path.chmod(0o644)
    path.write_bytes(b"rubbish")
    result = cli(shop, "forget", SECRET, "--yes")
    assert (result.code, file_of(shop, SECRET).exists()) == (0, False)
    assert "warning: objects with its text could not be removed: " in result.err
    assert ": mend that, then run `git gc --prune=now`\n" in result.err


WRONG: Sequence[tuple[str, ...]] = [
    (),
    ("--yes",),
    (SECRET,),
    (SECRET, KEEP),
    (SECRET, "--json"),
    (SECRET, "--force"),
    (SECRET, "--yes", "--no-such-option"),
]


@pytest.mark.parametrize("words", WRONG, ids=repr)
def test_without_a_yes_and_with_nobody_to_ask_nothing_happens(cli: Cli, shop: Repo, words: tuple[str, ...]) -> None:
    before = listing(shop.path)
    result = cli(shop, "forget", *words)
    assert (result.code, is_one_error(result)) == (129, True), result
    assert listing(shop.path) == before


@pytest.mark.parametrize(
    "words",
    [
        ("nobody",),
        (SECRET, "nobody"),
        ("nobody", SECRET),
        ("../x", SECRET),
        (SECRET, "\udcff"),
        ("\x1b[31mred",),
        ("--", "-x"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("yes", [("--yes",), ()], ids=["yes", "no word"])
def test_of_what_nobody_knows_nothing_is_removed(
    cli: Cli, shop: Repo, words: tuple[str, ...], yes: tuple[str, ...]
) -> None:
    before = listing(shop.path)
    result = cli(shop, "forget", *yes, *words)
    assert (result.code, is_one_error(result)) == (128, True), result
    assert "\x1b" not in result.err
    assert listing(shop.path) == before


def test_without_an_output_nothing_is_forgotten(shop: Repo) -> None:
    words = f'exec "{sys.executable}" -m gitmem forget {SECRET} --yes >&-'
    assert shop.world.run("sh", "-c", words, cwd=shop.path).code == 128
    assert file_of(shop, SECRET).exists()


def test_from_a_linked_worktree_the_one_store_forgets(cli: Cli, shop: Repo) -> None:
    linked = shop.worktree("linked")
    assert cli(linked, "forget", SECRET, "--yes").out == f"forgot {SECRET}\n"
    assert traces(shop, [SECRET, "Zebra"]) == []
    assert not (linked.path / ".klide").exists()


def test_where_there_is_no_store_there_is_nothing_to_forget(cli: Cli, repo: Repo) -> None:
    before = listing(repo.path)
    result = cli(repo, "forget", "x", "--yes")
    assert (result.code, is_one_error(result)) == (128, True), result
    assert listing(repo.path) == before


def test_a_history_without_a_store_beside_it_is_enough(cli: Cli, shop: Repo) -> None:
    bare = shop.world.root / "bare.git"
    shop.git("clone", "-q", "--bare", shop.path, bare)
    repo = Repo(shop.world, bare)
    repo.git("fetch", "-q", "origin", f"{REF}:{REF}")
    repo.git("config", "mem.root", ".")
    feature = repo.worktree("feature")
    result = cli(feature, "forget", SECRET, "--yes")
    assert (result.code, result.out) == (0, f"forgot {SECRET}\n")
    assert "copies may be in origin" in result.err
    assert repo.git("ls-tree", "--name-only", REF).out.split() == [f"{KEEP}.md"]


# At a terminal


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository whose entries are to be forgotten by people."""
    return with_commit(World(tmp_path_factory.mktemp("asked")).repo())


def answering(repo: Repo, typed: bytes, *words: str) -> Result:
    """Run the program at a terminal, at which this is typed."""
    master, slave = pty.openpty()
    os.write(master, typed)
    argv = [sys.executable, "-m", "gitmem", *words]
    with Popen(argv, cwd=repo.path, env=repo.world.env, stdin=slave, stdout=slave, stderr=PIPE) as process:
        os.close(slave)
        try:
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    return Result(process.returncode, _drained(master), err.decode("utf-8"))


def _drained(master: int) -> bytes:
    shown = b""
    try:
        while more := os.read(master, 65536):
            shown += more
    except OSError:  # Linux reports the other end's close as an error
        pass
    finally:
        os.close(master)
    return shown


@pytest.mark.parametrize("typed", [b"y\n", b"yes\n", b"Y\n", b"what?\ny\n"])
def test_a_yes_at_the_terminal_is_enough(asked: Repo, typed: bytes) -> None:
    put(asked.path / STORE, entry(SECRET))
    result = answering(asked, typed, "forget", SECRET)
    assert result.code == 0, result
    assert f"forgot {SECRET}" in result.out
    assert result.err.startswith(f"Forget {SECRET} for good, with its history? [y/N]: ")
    assert not file_of(asked, SECRET).exists()


@pytest.mark.parametrize(
    ("typed", "code"), [(b"n\n", 1), (b"no\n", 1), (b"\n", 1), (b"\x04", 130), (b"maybe\n\x04", 130)]
)
def test_anything_else_leaves_it_where_it_is(asked: Repo, typed: bytes, code: int) -> None:
    put(asked.path / STORE, entry("kept"))
    before = listing(asked.path)
    result = answering(asked, typed, "forget", "kept")
    assert result.code == code, result
    assert b"forgot" not in result.stdout
    assert ("nothing was forgotten\n" in result.err) == (code == 1)
    assert listing(asked.path) == before


def test_of_several_the_number_is_asked_and_a_yes_in_advance_is_not_asked_for(asked: Repo) -> None:
    put(asked.path / STORE, entry("one"), entry("two"))
    result = answering(asked, b"n\n", "forget", "one", "two")
    assert (result.code, result.err.split("?")[0]) == (
        1,
        "  one\n  two\nForget these 2 entries for good, with their history",
    )
    result = answering(asked, b"", "forget", "one", "two", "--yes")
    assert (result.code, result.err) == (0, "")
    assert not file_of(asked, "one").exists()


def test_what_nobody_knows_is_not_asked_about(asked: Repo) -> None:
    result = answering(asked, b"y\n", "forget", "nobody")
    assert (result.code, "?" in result.err) == (128, False)
