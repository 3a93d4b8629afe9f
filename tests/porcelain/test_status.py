"""`git mem status`: a store that vanished, edits by hand that nothing has recorded, the history; nothing is written."""

import shutil
import sys

import pytest
from layouts import Standpoint
from program import entry, put
from recorded import REF
from remembered import NOW, file_of, remember, workspace
from world import Repo, listing

from gitmem.porcelain.add import Proposal, add
from gitmem.porcelain.init import init
from gitmem.porcelain.status import History, Status, status
from gitmem.storage.directory import DirectoryRefusedError
from gitmem.store.lost import ByHand
from gitmem.workspace import open_workspace

ONE, TWO = "2026-01-01-0000-one", "2026-01-01-0000-two"
# Runs a command, and dies in it when the journal's record is in place.
DIES = (
    "import os, sys, gitmem.store.transaction as t; t.carry_out = lambda *a, **k: os._exit(9);"
    "from gitmem.cli.main import run; run(sys.argv[1:])"
)


@pytest.fixture
def store(repo: Repo) -> Repo:
    """Two recorded entries."""
    for title in ("one", "two"):
        remember(repo, title)
    return repo


def seen(repo: Repo) -> Status:
    return status(workspace(repo))


def test_a_store_that_is_as_recorded_says_so_in_every_layout(layout: Standpoint) -> None:
    opened = open_workspace(layout.directory, layout.environ)
    add(opened, Proposal(title="one"), now=NOW, at_terminal=False)
    found = status(open_workspace(layout.directory, layout.environ))
    tip = layout.repo.rev(REF)
    date = layout.repo.git("log", "-1", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd", REF).line
    assert found.history == History(kept=True, damaged=False, tip=tip, date=date, entries=1)
    assert (found.vanished, found.pending, found.by_hand) == (False, False, ByHand())
    shutil.rmtree(layout.root / ".klide")
    found = status(open_workspace(layout.directory, layout.environ))
    assert (found.exists, found.vanished, found.history.entries, found.by_hand) == (False, True, 1, ByHand())


def test_without_a_history_nothing_has_vanished(repo: Repo) -> None:
    assert seen(repo).history == History(kept=True)
    assert not seen(repo).vanished
    init(repo.path, repo.world.env, track=False)
    put(repo.path / ".klide/memory", entry("by-hand"))
    assert (seen(repo).vanished, seen(repo).by_hand) == (False, ByHand())


def test_edits_by_hand_are_counted_until_they_are_recorded(store: Repo) -> None:
    file_of(store, ONE).write_bytes(b"changed\n")
    file_of(store, TWO).unlink()
    put(store.path / ".klide/memory", entry("new"))
    file_of(store, "link").symlink_to("new.md")
    assert seen(store).by_hand == ByHand(changed=1, added=2, missing=1)
    remember(store, "three")
    assert seen(store).by_hand == ByHand()


def test_a_file_that_cannot_be_read_was_not_removed(store: Repo) -> None:
    file_of(store, ONE).unlink()
    file_of(store, ONE).mkdir()
    assert seen(store).by_hand == ByHand()
    assert [bad.file for bad in seen(store).invalid] == [f"{ONE}.md"]


def test_where_nothing_is_recorded_any_more_edits_are_not_counted(store: Repo) -> None:
    store.git("config", "mem.history", "false")
    remember(store, "three")
    assert (seen(store).history.kept, seen(store).history.entries, seen(store).by_hand) == (False, 2, ByHand())


@pytest.mark.parametrize("content", ["no object id\n", f"{'1' * 40}\n", ""])
def test_a_damaged_history_is_told_and_the_rest_too(store: Repo, content: str) -> None:
    (store.path / ".git" / REF).write_text(content, encoding="utf-8")
    found = seen(store)
    assert found.history == History(kept=True, damaged=True)
    assert (found.exists, found.vanished, sum(found.states.values())) == (True, False, 2)


def test_a_write_that_waits_for_the_store_is_pending(store: Repo) -> None:
    done = store.world.run(sys.executable, "-c", DIES, "add", "three", "--supersedes", ONE, cwd=store.path)
    assert done.code == 9
    shutil.rmtree(store.path / ".klide")
    found = seen(store)
    assert (found.pending, found.vanished, found.by_hand) == (True, True, ByHand())


def test_a_write_that_can_be_finished_is_finished_first(store: Repo) -> None:
    store.world.run(sys.executable, "-c", DIES, "add", "three", "--supersedes", ONE, cwd=store.path)
    found = seen(store)
    assert (found.pending, found.by_hand, found.history.entries) == (False, ByHand(), 3)


def test_a_damaged_journal_is_pending_too(store: Repo) -> None:
    (store.path / ".git/mem/journal").write_bytes(b"torn")
    assert seen(store).pending


def test_nothing_is_written_whatever_is_found(store: Repo) -> None:
    file_of(store, ONE).write_bytes(b"changed\n")
    before = listing(store.path)
    seen(store)
    seen(store)
    assert listing(store.path) == before


def test_a_link_in_the_place_of_the_store_is_refused(store: Repo) -> None:
    shutil.rmtree(store.path / ".klide")
    (store.path / ".klide").symlink_to(store.world.root)
    with pytest.raises(DirectoryRefusedError, match="git mem restore"):
        seen(store)
