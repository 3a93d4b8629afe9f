"""`git mem status` at the command line: one line for each thing to know."""

import shutil

import pytest
from inprocess import Cli
from program import document, faults
from remembered import file_of, remember
from world import Repo

ONE, TWO = "2026-01-01-0000-one", "2026-01-01-0000-two"


@pytest.fixture
def store(repo: Repo) -> Repo:
    """Two recorded entries."""
    for title in ("one", "two"):
        remember(repo, title)
    return repo


def told(cli: Cli, repo: Repo) -> dict[str, str]:
    """Return the lines of the answer by what they begin with."""
    result = cli(repo, "status")
    assert (result.code, result.err) == (0, "")
    return {line.partition(":")[0]: line.partition(":")[2].strip() for line in result.out.splitlines()}


def test_what_is_recorded_is_a_line(cli: Cli, store: Repo) -> None:
    tip = store.rev("refs/mem/store")
    lines = told(cli, store)
    assert list(lines) == ["store", "entries", "verdicts", "index", "history"]
    assert lines["history"].startswith(f"{tip[:12]} of 20")
    assert lines["history"].endswith(", with 2 entries")


def test_before_there_is_a_store_nothing_is_told_of_a_history(cli: Cli, repo: Repo) -> None:
    assert list(told(cli, repo)) == ["No memory yet in .klide/memory"]
    cli(repo, "init")
    assert told(cli, repo)["history"] == "nothing is recorded yet"


def test_a_store_that_vanished_is_told_with_the_way_back(cli: Cli, store: Repo) -> None:
    shutil.rmtree(store.path / ".klide")
    lines = told(cli, store)
    assert lines["store"].startswith(".klide/memory is gone, and with it 2 recorded entries: `git mem restore`")
    found = document(cli(store, "status", "--json"))
    assert faults("status", found) == []
    assert (found["exists"], found["vanished"], found["history"]["entries"]) == (False, True, 2)


def test_edits_by_hand_are_told_with_what_becomes_of_them(cli: Cli, store: Repo) -> None:
    file_of(store, ONE).write_bytes(b"changed\n")
    assert told(cli, store)["by hand"] == "1 changed, 0 added, 0 missing: the next write records it"
    file_of(store, TWO).unlink()
    assert told(cli, store)["by hand"].endswith("`git mem restore` brings back what is missing")
    found = document(cli(store, "status", "--json"))
    assert faults("status", found) == []
    assert found["byHand"] == {"changed": 1, "added": 0, "missing": 1}


def test_a_history_that_is_damaged_or_switched_off_is_told(cli: Cli, store: Repo) -> None:
    store.git("config", "mem.history", "false")
    assert "history:  not kept: mem.history is false\n" in cli(store, "status").out
    store.git("config", "--unset", "mem.history")
    (store.path / ".git/refs/mem/store").write_text("no object id\n", encoding="utf-8")
    assert told(cli, store)["history"] == "damaged: `git mem doctor` says what can be done"
    assert faults("status", document(cli(store, "status", "--json"))) == []


def test_a_write_that_is_not_finished_is_told(cli: Cli, store: Repo) -> None:
    (store.path / ".git/mem/journal").write_bytes(b"torn")
    assert told(cli, store)["pending"] == "the last write is not finished: `git mem doctor` says why"
    assert document(cli(store, "status", "--json"))["pending"] is True
