"""`git mem restore`: what a checkout, a clean, a stash or a hand took away comes back, and nothing else changes."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from layouts import Standpoint
from program import entry, put
from recorded import REF, blob_of, commit_of_tree, record, tree_of
from remembered import NOW, file_of, remember, workspace
from store.written import assert_at_rest, files, history, journal, recorded
from world import Repo, World, listing

from gitmem.entry.model import ReviewState
from gitmem.git.exclude import Sharing
from gitmem.git.objects import TreeEntry
from gitmem.git.refs import RefDamagedError
from gitmem.porcelain.add import Proposal, add
from gitmem.porcelain.forget import forget
from gitmem.porcelain.init import init
from gitmem.porcelain.restore import (
    ForgottenEntryError,
    NeverRecordedError,
    Restored,
    UnrecoverableError,
    restore,
)
from gitmem.storage.directory import DirectoryRefusedError
from gitmem.storage.journal import JournalDamagedError
from gitmem.store.lost import links_in_place
from gitmem.store.read import BadIdError
from gitmem.store.snapshot import LINK_MODE
from gitmem.store.transaction import Revival
from gitmem.workspace import EndangeredStoreError, VanishedStoreError, open_workspace

# Runs a command, and dies in it just before a function is called.
DIES = """
import importlib, os, sys
module, function, *words = sys.argv[1:]
setattr(importlib.import_module(module), function, lambda *a, **o: os._exit(9))
from gitmem.cli.main import run
sys.exit(run(words))
"""


def restored(repo: Repo, *idents: str, dry_run: bool = False) -> Restored:
    return restore(workspace(repo), idents, dry_run=dry_run)


def ids(found: Restored) -> list[str]:
    return [one.id for one in found.entries]


def dies(repo: Repo, at: str, *words: str) -> None:
    module, _, function = at.rpartition(".")
    done = repo.world.run(sys.executable, "-c", DIES, module, function, *words, cwd=repo.path)
    assert done.code == 9, done


def killed_while_adding(repo: Repo, *words: str) -> None:
    """Leave a transaction that is decided and not carried out."""
    dies(repo, "gitmem.store.transaction.carry_out", "add", "Unfinished", "--date", "2026-01-02", *words)
    assert journal(repo).pending() is not None


@pytest.fixture
def store(repo: Repo) -> Repo:
    """Three entries, one of them with odd bytes that a person put there."""
    for title in ("one", "two", "three"):
        remember(repo, title)
    file_of(repo, "by-hand").write_bytes(b"\xef\xbb\xbf---\r\ntitle: x # y\r\n---\r\n\r\n\ttext without an end")
    remember(repo, "four")
    return repo


def removed_directory(repo: Repo) -> None:
    shutil.rmtree(repo.path / ".klide/memory")


def removed_all(repo: Repo) -> None:
    shutil.rmtree(repo.path / ".klide")


def removed_files(repo: Repo) -> None:
    for path in (repo.path / ".klide/memory").iterdir():
        path.unlink()


def cleaned(repo: Repo) -> None:
    repo.git("clean", "-fdXq")


def cleaned_from_a_subdirectory_upwards(repo: Repo) -> None:
    repo.git("clean", "-fdxq", "--", "..", cwd=repo.path / "src")


def stashed(repo: Repo) -> None:
    repo.git("stash", "-a", "-q")


def back_from_a_branch_with_a_link(repo: Repo) -> None:
    branch_with(repo, link=True)
    repo.git("checkout", "-q", "other")
    assert (repo.path / ".klide").is_symlink()
    repo.git("checkout", "-q", "main")


def back_from_a_branch_with_files(repo: Repo) -> None:
    branch_with(repo, link=False)
    repo.git("checkout", "-q", "other")
    assert file_of(repo, "2026-01-01-0000-one").read_text(encoding="utf-8") == "theirs\n"
    repo.git("checkout", "-q", "main")
    assert not file_of(repo, "2026-01-01-0000-one").exists()


def branch_with(repo: Repo, *, link: bool) -> None:
    """Make a branch `other` that tracks `.klide`, without touching the store."""
    elsewhere = repo.worktree("elsewhere", "-b", "other")
    if link:
        (elsewhere.path / ".klide").symlink_to(repo.world.root / "outside")
        elsewhere.git("add", "-f", ".klide")
    else:
        elsewhere.write(".klide/memory/2026-01-01-0000-one.md", "theirs\n")
        elsewhere.git("add", "-f", ".klide")
    elsewhere.git("commit", "-q", "-m", "Track the memory")
    repo.git("worktree", "remove", "--force", elsewhere.path)


HAZARDS = [
    removed_directory,
    removed_all,
    removed_files,
    cleaned,
    cleaned_from_a_subdirectory_upwards,
    stashed,
    back_from_a_branch_with_a_link,
    back_from_a_branch_with_files,
]


@pytest.mark.parametrize("hazard", HAZARDS)
def test_what_git_or_a_hand_took_away_comes_back_byte_for_byte(store: Repo, hazard: Callable[[Repo], None]) -> None:
    before, log = files(store), history(store)
    hazard(store)
    there = set(before) & {path.name for path in (store.path / ".klide").rglob("*.md")}
    found = restored(store)
    assert sorted(f"{one}.md" for one in ids(found)) == sorted(set(before) - there)
    assert files(store) == before
    assert history(store) == log
    assert {one.commit for one in found.entries} == {store.rev(REF)}
    assert_at_rest(store)
    assert store.git("status", "--porcelain", "--untracked-files=all").out == ""
    assert ids(restored(store)) == []


def test_it_comes_back_in_every_layout_from_wherever_one_stands(layout: Standpoint) -> None:
    opened = open_workspace(layout.directory, layout.environ)
    idents = [add(opened, Proposal(title=title), now=NOW, at_terminal=False).id for title in ("one", "two")]
    before = listing(layout.store)
    tip = layout.repo.rev(REF)
    shutil.rmtree(layout.root / ".klide")
    assert ids(restore(open_workspace(layout.directory, layout.environ), (), dry_run=False)) == sorted(idents)
    assert listing(layout.store) == before
    assert layout.repo.rev(REF) == tip


def test_it_comes_back_from_a_linked_worktree_into_the_main_checkout(store: Repo) -> None:
    linked, before = store.worktree("linked"), files(store)
    removed_all(store)
    assert len(ids(restored(linked))) == len(before)
    assert files(store) == before
    assert not (linked.path / ".klide").exists()


def test_what_would_come_back_is_told_and_nothing_written(store: Repo) -> None:
    removed_all(store)
    before = listing(store.path)
    found = restored(store, dry_run=True)
    assert found.dry_run
    assert len(found.entries) == 5
    assert listing(store.path) == before


def test_no_file_that_is_there_is_touched(store: Repo) -> None:
    mine = file_of(store, "2026-01-01-0000-one")
    mine.write_bytes(b"changed by hand\n")
    put(store.path / ".klide/memory", entry("new-by-hand"))
    file_of(store, "2026-01-01-0000-two").unlink()
    before = files(store)
    assert ids(restored(store)) == ["2026-01-01-0000-two"]
    after = files(store)
    assert {name: after[name] for name in before} == before
    assert history(store)[-1] == "edit 2 entries by hand"
    assert_at_rest(store)


def test_of_several_that_are_missing_only_the_named_one_comes_back(store: Repo) -> None:
    for title in ("one", "two"):
        file_of(store, f"2026-01-01-0000-{title}").unlink()
    assert ids(restored(store, "2026-01-01-0000-two")) == ["2026-01-01-0000-two"]
    assert not file_of(store, "2026-01-01-0000-one").exists()
    assert history(store)[-1] == "remove by hand 2026-01-01-0000-one"
    assert_at_rest(store)


def test_one_that_was_removed_by_hand_comes_back_when_named_as_it_was_last(store: Repo) -> None:
    path = file_of(store, "2026-01-01-0000-two")
    path.write_bytes(path.read_bytes() + b"\nMore.\n")
    remember(store, "five")
    last = path.read_bytes()
    path.unlink()
    remember(store, "six")
    found = restored(store)
    assert (ids(found), found.removed) == ([], ("2026-01-01-0000-two",))
    commit = store.git("rev-parse", f"{REF}~3").line
    (one,) = restored(store, "2026-01-01-0000-two").entries
    assert (one.id, one.commit) == ("2026-01-01-0000-two", commit)
    assert path.read_bytes() == last
    assert history(store)[-1] == "restore 2026-01-01-0000-two"
    assert store.git("log", "-1", "--format=%(trailers:key=Mem-Head,valueonly)", REF).out.strip() == store.rev()
    assert_at_rest(store)


def test_a_lost_one_and_a_removed_one_come_back_in_one_transaction(store: Repo) -> None:
    removed, lost = (f"2026-01-01-0000-{title}" for title in ("one", "two"))
    file_of(store, removed).unlink()
    remember(store, "five")
    file_of(store, lost).unlink()
    assert ids(restored(store, removed, lost, removed)) == [removed, lost]
    assert history(store)[-1] == "restore 2 entries"
    assert_at_rest(store)


def test_removed_ones_are_told_those_that_went_last_first(repo: Repo) -> None:
    idents = [remember(repo, f"entry {number}") for number in range(7)]
    for ident in idents:
        file_of(repo, ident).unlink()
        remember(repo, f"after {ident}")
    assert restored(repo).removed == tuple(reversed(idents))
    assert sorted(ids(restore(workspace(repo), (), dry_run=False, everything=True))) == sorted(idents)


def test_a_named_one_that_is_there_is_told_and_nothing_written(store: Repo) -> None:
    before = listing(store.path)
    found = restored(store, "2026-01-01-0000-one", "by-hand")
    assert (ids(found), found.present, found.removed) == ([], ("2026-01-01-0000-one", "by-hand"), ())
    assert listing(store.path) == before


def test_what_was_never_recorded_or_is_forgotten_or_no_id_is_refused(store: Repo) -> None:
    forget(workspace(store), ["2026-01-01-0000-three"])
    file_of(store, "2026-01-01-0000-one").unlink()
    before = listing(store.path)
    with pytest.raises(NeverRecordedError, match="'nope'"):
        restored(store, "2026-01-01-0000-one", "nope")
    with pytest.raises(ForgottenEntryError, match="2026-01-01-0000-three was forgotten"):
        restored(store, "2026-01-01-0000-one", "2026-01-01-0000-three")
    with pytest.raises(BadIdError):
        restored(store, "2026-01-01-0000-one", "../one")
    assert listing(store.path) == before


def test_a_forgotten_entry_does_not_come_back_from_a_history_that_still_has_it(store: Repo) -> None:
    ident = "2026-01-01-0000-three"
    old = store.rev(REF)
    forget(workspace(store), [ident])
    store.git("update-ref", REF, commit_of_tree(store, tree_of(store, {ident: "again", "kept": "x\n"}), "edit"))
    assert store.rev(REF) != old
    removed_all(store)
    assert ids(restored(store)) == ["kept"]


def test_where_the_directory_is_gone_all_comes_back_whatever_is_named(store: Repo) -> None:
    file_of(store, "2026-01-01-0000-two").unlink()
    remember(store, "five")
    before = files(store)
    removed_all(store)
    assert len(ids(restored(store, "2026-01-01-0000-two"))) == len(before) + 1
    assert {**before, **files(store)} == files(store)
    assert history(store)[-1] == "restore 2026-01-01-0000-two"
    assert_at_rest(store)


def test_links_come_back_as_links(store: Repo) -> None:
    link, gone = file_of(store, "alias"), file_of(store, "other")
    link.symlink_to("2026-01-01-0000-one.md")
    gone.symlink_to("2026-01-01-0000-one.md")
    remember(store, "five")
    gone.unlink()
    remember(store, "six")
    before = files(store)
    for lose in (removed_all, removed_files, lambda repo: file_of(repo, "alias").unlink()):
        lose(store)
        restored(store)
        assert os.readlink(link) == "2026-01-01-0000-one.md"  # noqa: PTH115 - as it is
        assert files(store) == before
        assert_at_rest(store)
    restored(store, "other")
    assert os.readlink(gone) == "2026-01-01-0000-one.md"  # noqa: PTH115 - as it is
    assert history(store)[-1] == "restore other"
    assert_at_rest(store)


def test_a_link_does_not_stay_where_the_rest_of_the_transaction_fails(store: Repo) -> None:
    place = workspace(store).place
    link = Revival(TreeEntry(LINK_MODE, "0" * 40), b"2026-01-01-0000-one.md")
    links = {"alias.md": link, "by-hand.md": link}  # of which one name is taken
    before = listing(store.path)
    with pytest.raises(FileExistsError), links_in_place(place, links):
        pass
    assert listing(store.path) == before
    removed_all(store)
    with links_in_place(place, links):
        assert not (store.path / ".klide").exists()


def test_files_with_names_that_are_no_ids_come_back_too(repo: Repo) -> None:
    init(repo.path, repo.world.env, track=False)
    odd = [b" space.md", b"not utf-8 \xff.md", '\u00e9\n\t"quoted".md'.encode(), b"-dash.md"]
    lines = b"".join(b"100644 blob %s\t%s\0" % (blob_of(repo, name).encode(), name) for name in odd)
    tree = repo.git("mktree", "-z", feed=lines).line
    repo.git("update-ref", REF, commit_of_tree(repo, tree, "edit"))
    removed_all(repo)
    assert len(ids(restored(repo))) == 4
    assert files(repo) == {os.fsdecode(name): name for name in odd}


def test_a_private_store_becomes_private_again_and_a_tracked_one_stays_tracked(store: Repo) -> None:
    exclude = store.path / ".git/info/exclude"
    exclude.write_text("", encoding="utf-8")
    removed_all(store)
    restored(store)
    assert workspace(store).sharing() is Sharing.PRIVATE
    init(store.path, store.world.env, track=True)
    store.git("add", ".klide")
    store.git("commit", "-q", "-m", "Memory")
    before = exclude.read_bytes()
    removed_all(store)
    restored(store)
    assert exclude.read_bytes() == before
    assert store.git("status", "--porcelain").out == ""


def test_while_head_tracks_a_private_store_nothing_is_brought_back(store: Repo) -> None:
    branch_with(store, link=True)
    store.git("checkout", "-q", "other")
    before = listing(store.path)
    for dry_run in (False, True):
        with pytest.raises(EndangeredStoreError, match="check out a commit that does not track it"):
            restored(store, dry_run=dry_run)
    assert listing(store.path) == before
    assert listing(store.world.root).get("outside") is None


@pytest.mark.parametrize("at", [".klide", ".klide/memory"])
@pytest.mark.parametrize("link", [True, False])
def test_what_stands_in_the_place_of_the_store_is_named_with_the_way_back(store: Repo, at: str, *, link: bool) -> None:
    before = files(store)
    place = store.path / at
    shutil.rmtree(place)
    if link:
        place.symlink_to(store.world.root)
    else:
        place.write_bytes(b"")
    with pytest.raises(
        DirectoryRefusedError,
        match=f"^{at} is .*: check out a commit without it, or move it away, then run `git mem restore`",
    ):
        restored(store)
    place.unlink()
    restored(store)
    assert files(store) == before


def test_without_any_history_nothing_is_lost(repo: Repo) -> None:
    assert restored(repo).tip is None
    assert listing(repo.path).get(".klide") is None
    init(repo.path, repo.world.env, track=False)
    put(repo.path / ".klide/memory", entry("by-hand"))
    assert (restored(repo).tip, ids(restored(repo))) == (None, [])
    with pytest.raises(NeverRecordedError):
        restored(repo, "nope")


def test_without_recording_the_last_recorded_state_comes_back(store: Repo) -> None:
    store.git("config", "mem.history", "false")
    tip = store.rev(REF)
    late = remember(store, "late")
    changed = file_of(store, "2026-01-01-0000-one")
    changed.write_bytes(b"not recorded\n")
    removed_all(store)
    found = restored(store)
    assert (found.tip, len(found.entries)) == (tip, 5)
    assert (store.rev(REF), changed.read_bytes() == b"not recorded\n") == (tip, False)
    assert not file_of(store, late).exists()
    with pytest.raises(NeverRecordedError, match="and mem"):
        restored(store, late)


@pytest.mark.parametrize("hazard", [removed_all, removed_directory, cleaned, stashed])
def test_a_write_that_was_killed_is_finished_with_what_was_lost(store: Repo, hazard: Callable[[Repo], None]) -> None:
    old = "2026-01-01-0000-one"
    others = {name: data for name, data in files(store).items() if name != f"{old}.md"}
    killed_while_adding(store, "--supersedes", old)
    hazard(store)
    found = restored(store)
    new = "2026-01-02-0000-unfinished"
    assert {old, new} < set(ids(found))
    assert {name: data for name, data in files(store).items() if name in others} == others
    states = {one.id: one.review_state for one in workspace(store).contents.entries}
    assert (states[old], states[new]) == (ReviewState.SUPERSEDED, ReviewState.REVIEWED)
    assert history(store)[-1] == f"add {new}"
    assert_at_rest(store)


def test_a_write_that_was_killed_is_finished_where_only_files_are_lost(store: Repo) -> None:
    lost = file_of(store, "2026-01-01-0000-two")
    data = lost.read_bytes()
    killed_while_adding(store)
    lost.unlink()
    assert "2026-01-01-0000-two" in ids(restored(store))
    assert lost.read_bytes() == data
    assert history(store)[-1] == "add 2026-01-02-0000-unfinished"
    assert_at_rest(store)


def test_the_very_first_write_is_finished_though_the_directory_is_gone(repo: Repo) -> None:
    killed_while_adding(repo)
    removed_all(repo)
    assert ids(restored(repo)) == ["2026-01-02-0000-unfinished"]
    assert_at_rest(repo)


def test_an_unrecorded_write_that_was_killed_is_finished_too(store: Repo) -> None:
    store.git("config", "mem.history", "false")
    killed_while_adding(store, "--supersedes", "2026-01-01-0000-one")
    removed_all(store)
    tip = store.rev(REF)
    found = restored(store)
    assert {one.id: one.commit for one in found.entries} == {
        **dict.fromkeys(["by-hand", *(f"2026-01-01-0000-{title}" for title in ("two", "three", "four"))], tip),
        **dict.fromkeys(["2026-01-01-0000-one", "2026-01-02-0000-unfinished"]),
    }
    assert b"reviewState: superseded" in file_of(store, "2026-01-01-0000-one").read_bytes()
    assert history(store)[-1] == "add 2026-01-01-0000-four"
    assert journal(store).pending() is None


def test_what_was_to_be_forgotten_when_a_writer_died_does_not_come_back(store: Repo) -> None:
    ident = "2026-01-01-0000-two"
    before = {name: data for name, data in files(store).items() if name != f"{ident}.md"}
    dies(store, "gitmem.store.forgetting.carry_forgetting_on", "forget", "--yes", ident)
    removed_all(store)
    with pytest.raises(ForgottenEntryError):
        restored(store, ident)
    restored(store)
    assert files(store) == before
    assert ident not in store.git("log", "-p", "--all").out


def test_other_writers_are_refused_until_it_is_back_and_lose_nothing_afterwards(store: Repo) -> None:
    before = files(store)
    removed_all(store)
    with pytest.raises(VanishedStoreError, match="git mem restore"):
        remember(store, "meanwhile")
    restored(store)
    remember(store, "afterwards")
    assert before.items() < files(store).items()


def test_a_damaged_history_or_journal_is_no_excuse_to_guess(store: Repo) -> None:
    removed_all(store)
    (store.path / ".git/mem/journal").write_bytes(b"torn")
    with pytest.raises(JournalDamagedError, match="git mem doctor --fix"):
        restored(store)
    (store.path / ".git/mem/journal").unlink()
    (store.path / ".git" / REF).write_text(f"{'1' * 40}\n", encoding="utf-8")
    with pytest.raises(RefDamagedError, match="git mem doctor"):
        restored(store)
    assert not (store.path / ".klide").exists()


def test_what_is_lost_in_the_history_too_is_told_and_the_rest_comes_back(store: Repo) -> None:
    blob = store.git("rev-parse", f"{REF}:2026-01-01-0000-one.md").line
    (store.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    removed_all(store)
    before = listing(store.path)
    with pytest.raises(UnrecoverableError, match="cannot be restored: its recorded content is lost"):
        restored(store, "2026-01-01-0000-one")
    assert listing(store.path) == before
    found = restored(store)
    assert [(bad.file, "lost" in bad.reason) for bad in found.unreadable] == [("2026-01-01-0000-one.md", True)]
    assert len(found.entries) == 4


def test_a_history_that_somebody_made_up_cannot_reach_out_of_the_store(repo: Repo) -> None:
    init(repo.path, repo.world.env, track=False)
    outside = repo.world.root / "outside.md"
    blob = bytes.fromhex(blob_of(repo, "planted\n"))
    names = [b"100644 ../../../outside.md", b"100644 .git.md", b"100644 good.md", b"100644 sub/x.md"]
    raw = b"".join(name + b"\0" + blob for name in sorted(names))
    tree = repo.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", feed=raw).line
    repo.git("update-ref", REF, commit_of_tree(repo, tree, "edit"))
    assert ids(restored(repo)) == ["good"]
    assert not outside.exists()
    assert [path.name for path in (repo.path / ".klide/memory").iterdir()] == ["good.md"]


def test_a_made_up_link_or_directory_is_not_restored(repo: Repo) -> None:
    init(repo.path, repo.world.env, track=False)
    inner = tree_of(repo, {"inner": "x\n"})
    tree = tree_of(repo, {"good": "x\n"}, {"passwd.md": "/etc/passwd", "up.md": ".."}, {"tree.md": inner})
    repo.git("update-ref", REF, commit_of_tree(repo, tree, "edit"))
    found = restored(repo)
    assert ids(found) == ["good"]
    assert [bad.file for bad in found.unreadable] == ["passwd.md", "tree.md", "up.md"]
    assert [path.name for path in (repo.path / ".klide/memory").iterdir()] == ["good.md"]


def test_a_recorded_file_comes_back_though_it_is_no_entry(repo: Repo) -> None:
    init(repo.path, repo.world.env, track=False)
    record(repo, {"broken": b"---\ntitle: [x\n---\n", "binary": bytes(range(256))})
    removed_all(repo)
    restored(repo)
    assert files(repo) == recorded(repo)


@pytest.mark.parametrize("lose", [removed_all, lambda repo: file_of(repo, "2026-01-01-0000-two").unlink()])
def test_wherever_it_is_stopped_nothing_is_taken_for_removed(world: World, lose: Callable[[Repo], None]) -> None:
    repo = world.repo("main", "--template=")
    for title in ("one", "two"):
        remember(repo, title)
    lose(repo)
    scratch = world.root / "scratch"
    scratch.mkdir()
    path = {"PYTHONPATH": str(Path(__file__).parent.parent)}
    done = world.run(sys.executable, "-m", "crash.lost", repo.path, scratch, cwd=repo.path, env=path)
    assert (done.code, done.err) == (0, "")
    points, *broken = done.out.splitlines()
    assert int(points) > 5
    assert broken == []


def test_a_bare_repository_has_its_store_back(world: World) -> None:
    seed = world.repo("seed")
    seed.commit("Start", {"a": "1\n"})
    bare = Repo(world, world.root / "hub.git")
    world.git("clone", "-q", "--bare", seed.path, bare.path, cwd=world.root)
    one, two = bare.worktree("one"), bare.worktree("two")
    init(one.path, world.env, track=False)
    ident = remember(two, "shared")
    shutil.rmtree(bare.path / ".klide")
    assert ids(restored(one)) == [ident]
    assert (bare.path / ".klide/memory" / f"{ident}.md").is_file()
