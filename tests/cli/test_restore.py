"""`git mem restore` at the command line: what it prints, its exit codes, its hints."""

import shutil

import pytest
from inprocess import Cli
from program import document, entry, faults, is_one_error, put
from remembered import file_of, remember
from world import Repo, listing

ONE, TWO = "2026-01-01-0000-one", "2026-01-01-0000-two"


@pytest.fixture
def store(repo: Repo) -> Repo:
    """Two recorded entries."""
    for title in ("one", "two"):
        remember(repo, title)
    return repo


def lose(repo: Repo) -> None:
    shutil.rmtree(repo.path / ".klide")


def test_each_entry_that_came_back_is_a_line(cli: Cli, store: Repo) -> None:
    lose(store)
    result = cli(store, "restore")
    assert (result.code, result.out, result.err) == (0, f"restored {ONE}\nrestored {TWO}\n", "")
    assert cli(store, "list").code == 0


def test_a_dry_run_says_what_would_and_writes_nothing(cli: Cli, store: Repo) -> None:
    lose(store)
    before = listing(store.path)
    for flag in ("-n", "--dry-run"):
        result = cli(store, "restore", flag)
        assert (result.code, result.out, result.err) == (0, f"would restore {ONE}\nwould restore {TWO}\n", "")
    assert listing(store.path) == before


def test_in_json_it_tells_the_commit_of_each(cli: Cli, store: Repo) -> None:
    tip = store.rev("refs/mem/store")
    lose(store)
    for words, dry_run in ((["-n"], True), ([], False)):
        found = document(cli(store, "restore", "--json", *words))
        assert faults("restore", found) == []
        assert found == {
            "schemaVersion": 1,
            "dryRun": dry_run,
            "tip": tip,
            "entries": [{"id": ONE, "commit": tip}, {"id": TWO, "commit": tip}],
            "present": [],
            "removed": [],
            "unreadable": [],
        }


def test_nothing_lost_is_no_failure_and_says_so(cli: Cli, store: Repo) -> None:
    result = cli(store, "restore")
    assert (result.code, result.out, result.err) == (0, "", "nothing is lost: all that is recorded is there\n")
    named = cli(store, "restore", ONE)
    assert (named.code, named.out, named.err) == (0, "", f"{ONE} is there already\n")
    assert document(cli(store, "restore", ONE, "--json"))["present"] == [ONE]


def test_what_was_removed_by_hand_is_named_and_comes_back_when_named(cli: Cli, store: Repo) -> None:
    file_of(store, ONE).unlink()
    remember(store, "three")
    result = cli(store, "restore")
    assert (result.code, result.out) == (0, "")
    assert result.err.splitlines()[1] == f"removed by hand, and back when named: {ONE}"
    assert document(cli(store, "restore", "--json"))["removed"] == [ONE]
    assert cli(store, "restore", ONE).out == f"restored {ONE}\n"


def test_without_a_history_it_says_why_there_is_none(cli: Cli, repo: Repo) -> None:
    put(repo.path / ".klide/memory", entry("by-hand"))
    result = cli(repo, "restore")
    assert (result.code, result.out, result.err) == (0, "", "nothing is recorded, so nothing can be restored\n")
    assert faults("restore", document(cli(repo, "restore", "--json"))) == []
    repo.git("config", "mem.history", "false")
    assert "mem.history is false" in cli(repo, "restore").err
    assert cli(repo, "add", "x").code == 0
    assert "mem.history is false" in cli(repo, "restore").err


def test_an_old_history_is_told_to_be_old(cli: Cli, store: Repo) -> None:
    store.git("config", "mem.history", "false")
    assert cli(store, "restore").err.splitlines()[-1].startswith("mem.history is false, so nothing")


@pytest.mark.parametrize(("ident", "told"), [("nope", "nothing is recorded of 'nope'"), ("../x", "not the id")])
def test_what_cannot_come_back_is_128_with_one_line(cli: Cli, store: Repo, ident: str, told: str) -> None:
    before = listing(store.path)
    result = cli(store, "restore", "--", ident)
    assert (result.code, is_one_error(result)) == (128, True)
    assert told in result.err
    assert listing(store.path) == before


def test_a_forgotten_entry_is_128_with_the_reason(cli: Cli, store: Repo) -> None:
    assert cli(store, "forget", "--yes", ONE).code == 0
    result = cli(store, "restore", ONE)
    assert (result.code, is_one_error(result)) == (128, True)
    assert f"{ONE} was forgotten" in result.err


def test_a_link_in_the_place_of_the_store_is_128_and_names_the_way_back(cli: Cli, store: Repo) -> None:
    lose(store)
    (store.path / ".klide").symlink_to(store.world.root)
    for verb in ("restore", "status"):
        result = cli(store, verb)
        assert (result.code, is_one_error(result)) == (128, True)
        assert "move it away, then run `git mem restore`" in result.err


def test_what_is_lost_for_good_is_a_warning_and_exit_code_1(cli: Cli, store: Repo) -> None:
    blob = store.git("rev-parse", f"refs/mem/store:{ONE}.md").line
    (store.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    lose(store)
    result = cli(store, "restore")
    assert (result.code, result.out) == (1, f"restored {TWO}\n")
    assert result.err.startswith(f"warning: {ONE}.md cannot be restored: its recorded content is lost or damaged")


def test_of_a_tracked_store_it_is_said_where_to_commit(cli: Cli, store: Repo) -> None:
    assert cli(store, "init", "--track").code == 0
    linked = store.worktree("linked")
    lose(store)
    assert cli(linked, "restore").err == f"written in the main checkout, so commit it there: {store.path}\n"


def test_a_name_in_the_history_cannot_reach_the_terminal(cli: Cli, repo: Repo) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", feed=b"x\n").line
    tree = repo.git("mktree", "-z", feed=f"100644 blob {blob}\t\x1b[31m\nfatal: x.md\0".encode()).line
    repo.git("update-ref", "refs/mem/store", repo.git("commit-tree", tree, "-m", "x").line)
    result = cli(repo, "restore")
    assert result.code == 0
    assert "\x1b" not in result.out
    assert result.out.count("\n") == 1


def test_init_tells_of_what_is_recorded_where_it_makes_the_store_again(cli: Cli, store: Repo) -> None:
    lose(store)
    assert cli(store, "init").err == "2 entries are recorded: `git mem restore` brings them back\n"
    assert cli(store, "init").err == ""
    assert cli(store, "restore").out.count("\n") == 2


def test_init_tells_of_a_single_one_and_of_none(cli: Cli, repo: Repo) -> None:
    assert cli(repo, "init").err == ""
    remember(repo, "one")
    lose(repo)
    assert cli(repo, "init").err == "1 entry is recorded: `git mem restore` brings it back\n"


def test_init_works_where_the_history_is_damaged(cli: Cli, store: Repo) -> None:
    lose(store)
    (store.path / ".git/refs/mem/store").write_text("no object id\n", encoding="utf-8")
    assert (cli(store, "init").code, cli(store, "init").err) == (0, "")
