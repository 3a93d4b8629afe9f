"""`git mem doctor`: each thing that can be wrong is found with what mends it, and what needs nobody is mended."""

import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from layouts import Standpoint
from program import entry, put
from recorded import REF
from remembered import NOW, file_of, remember, workspace
from store.written import assert_at_rest, files, history, journal, recorded
from world import Repo, listing

from gitmem.errors import ExitCode
from gitmem.porcelain.add import Proposal, add
from gitmem.porcelain.checkup import Check, CheckState
from gitmem.porcelain.doctor import Diagnosis, doctor
from gitmem.porcelain.forget import forget
from gitmem.porcelain.init import init
from gitmem.storage.journal import Journal, Record, Step
from gitmem.storage.lock import LockedError
from gitmem.workspace import open_workspace

ONE, TWO = "2026-01-01-0000-one", "2026-01-01-0000-two"
OK, INFO, WRONG, MENDED = CheckState.OK, CheckState.INFO, CheckState.WRONG, CheckState.MENDED
NAMES = [
    *("layout", "settings", "store", "sharing", "entries", "titles", "supersedes", "journal", "history"),
    *("hand-edits", "texts", "litter", "index", "lock"),
]
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


def asked(repo: Repo, *, fix: bool = False) -> Diagnosis:
    return doctor(workspace(repo), fix=fix)


def notable(found: Diagnosis) -> list[Check]:
    """Return what is not simply in order."""
    return [check for check in found.checks if check.state is not OK]


def only(found: Diagnosis, name: str, state: CheckState) -> Check:
    """Return the one thing that is not in order: it must be of this name and state."""
    (check,) = notable(found)
    assert (check.name, check.state) == (name, state), check
    assert found.exit_code == (ExitCode.NO if state is WRONG else ExitCode.DONE)
    return check


def states(found: Diagnosis) -> list[tuple[str, CheckState]]:
    return [(check.name, check.state) for check in notable(found)]


def dies_while_adding(repo: Repo, *words: str) -> None:
    done = repo.world.run(sys.executable, "-c", DIES, "add", "three", "--date", "2026-01-02", *words, cwd=repo.path)
    assert done.code == 9, done


def test_a_store_that_is_as_it_should_be_has_nothing_wrong_in_any_layout(layout: Standpoint) -> None:
    opened = open_workspace(layout.directory, layout.environ)
    assert doctor(opened, fix=False).exit_code is ExitCode.DONE
    add(opened, Proposal(title="one"), now=NOW, at_terminal=False)
    before = listing(layout.repo.world.root)
    for fix in (False, True):
        found = doctor(open_workspace(layout.directory, layout.environ), fix=fix)
        assert notable(found) == []
        assert [check.name for check in found.checks] == NAMES
    assert listing(layout.repo.world.root) == before
    assert str(layout.worktree) in found.checks[0].message


def test_before_there_is_a_store_that_is_no_fault(repo: Repo) -> None:
    before = listing(repo.path)
    for fix in (False, True):
        assert only(asked(repo, fix=fix), "store", INFO).remedy == "git mem init"
    assert listing(repo.path) == before


def test_a_setting_that_means_nothing_is_all_that_is_told(store: Repo) -> None:
    store.git("config", "mem.lockTimeout", "soon")
    check = only(asked(store), "settings", WRONG)
    assert check.message.startswith("mem.lockTimeout is 'soon'")


@pytest.mark.parametrize("lose", [".klide", ".klide/memory"])
def test_a_store_that_vanished_is_brought_back(store: Repo, lose: str) -> None:
    before = files(store)
    shutil.rmtree(store.path / lose)
    check = only(asked(store), "store", WRONG)
    assert (check.remedy, "2 recorded entries" in check.message) == ("git mem restore", True)
    assert only(asked(store, fix=True), "store", MENDED).message == "restored 2 of 2 entries"
    assert files(store) == before
    assert notable(asked(store)) == []
    assert_at_rest(store)


def test_an_empty_store_is_filled_again_where_entries_are_recorded(store: Repo) -> None:
    before = files(store)
    for name in before:
        (store.path / ".klide/memory" / name).unlink()
    assert only(asked(store), "hand-edits", WRONG).remedy == "git mem restore"
    assert only(asked(store, fix=True), "hand-edits", MENDED).message == "restored 2 of 2 entries"
    assert files(store) == before


def test_some_that_are_missing_may_be_meant_to_be(store: Repo) -> None:
    file_of(store, TWO).unlink()
    file_of(store, ONE).write_bytes(b"changed\n")
    put(store.path / ".klide/memory", entry("new"))
    before = listing(store.path)
    for fix in (False, True):
        missing, changed = notable(asked(store, fix=fix))
        assert (missing.state, missing.remedy) == (INFO, "git mem restore")
        assert missing.message.startswith(f"{TWO}: recorded and not there")
        assert (changed.state, changed.message) == (INFO, "1 changed, 1 added: the next write records it")
    assert listing(store.path) == before


@pytest.mark.parametrize("at", [".klide", ".klide/memory"])
@pytest.mark.parametrize("link", [True, False])
def test_what_stands_in_the_place_of_the_store_is_left_to_a_person(store: Repo, at: str, *, link: bool) -> None:
    shutil.rmtree(store.path / at)
    if link:
        (store.path / at).symlink_to(store.world.root)
    else:
        (store.path / at).write_bytes(b"")
    before = listing(store.path)
    for fix in (False, True):
        check = only(asked(store, fix=fix), "store", WRONG)
        assert check.remedy is not None
        assert check.remedy.startswith("check out a commit without it, or move it away, then run `git mem restore`")
        assert (check.message.startswith(f"{at} is "), ": " in check.message) == (True, False)
    assert listing(store.path) == before


def test_a_private_store_that_head_tracks_is_endangered(store: Repo) -> None:
    store.commit("By mistake", {f".klide/memory/{ONE}.md": file_of(store, ONE).read_bytes()})
    assert "git mem init --track" in str(only(asked(store), "sharing", WRONG).remedy)
    shutil.rmtree(store.path / ".klide")
    assert states(asked(store, fix=True)) == [("store", WRONG), ("sharing", WRONG)]
    assert not (store.path / ".klide").exists()


def test_a_store_that_nobody_made_private_or_tracked_is_in_the_way_of_git(repo: Repo) -> None:
    put(repo.path / ".klide/memory", entry("by-hand"))
    assert only(asked(repo), "sharing", WRONG).remedy == "git mem init, or git mem init --track"
    init(repo.path, repo.world.env, track=False)
    assert notable(asked(repo)) == []


def test_a_private_store_that_a_rule_includes_again_is_not_private(store: Repo) -> None:
    store.write(".gitignore", "!/.klide/\n")
    assert "does not ignore it" in only(asked(store), "sharing", WRONG).message
    assert "?? .klide/" in store.git("status", "--porcelain").out


def test_a_tracked_store_is_in_order(repo: Repo) -> None:
    init(repo.path, repo.world.env, track=True)
    remember(repo, "one")
    assert notable(asked(repo)) == []
    repo.git("add", ".klide")
    repo.git("commit", "-q", "-m", "Memory")
    assert notable(asked(repo)) == []


def test_files_that_cannot_be_read_are_named_with_the_reason(store: Repo) -> None:
    (store.path / ".klide/memory/broken.md").write_bytes(b"---\ntitle: [x\n---\n")
    (store.path / ".klide/memory/leak.md").symlink_to("/etc/passwd")
    found = asked(store, fix=True)
    assert found.exit_code is ExitCode.NO
    told = {check.message.partition(":")[0]: check for check in found.checks if check.name == "entries"}
    assert list(told) == ["broken.md", "leak.md"]
    assert "broken YAML" in told["broken.md"].message
    assert "leaves the store" in told["leak.md"].message


def test_a_file_of_a_forgotten_entry_is_named_as_one(store: Repo) -> None:
    data = file_of(store, ONE).read_bytes()
    forget(workspace(store), [ONE])
    file_of(store, ONE).write_bytes(data)
    check = only(asked(store), "entries", WRONG)
    assert check.message == f"{ONE}.md: an entry of this id was forgotten"
    assert check.remedy == "remove the file, or give it another name"


@pytest.mark.parametrize(
    ("block", "state"),
    [
        ("title: a #b", WRONG),
        ("title: a #12\ntags: []", WRONG),
        ("title: #12 is fixed", WRONG),
        ("title: over two\n  lines #12", WRONG),
        ("title: a #b\r\nkind: fact\r", WRONG),
        ("title: a # and this was meant", INFO),
        ('title: "a" #b', None),
        ("title: 'a #b'", None),
        ('title: "a #b"', None),
        ("title: a#b", None),
        ("title: >\n  a #b\nkind: fact #x", None),
        ("title: a\n# a comment\nkind: fact #x", None),
        ("kind: fact #x", None),
    ],
)
def test_a_title_that_yaml_cuts_is_told(store: Repo, block: str, state: CheckState | None) -> None:
    file_of(store, "cut").write_bytes(f"---\n{block}\n---\n\ntext\n".encode())
    found = [check for check in asked(store).checks if check.name == "titles"]
    assert [check.state for check in found] == [state or OK]
    if state is not None:
        assert "git mem edit cut" in str(found[0].remedy)
        assert "#" in found[0].message


def test_a_pointer_to_an_entry_that_is_not_there_is_told_with_what_to_do(store: Repo) -> None:
    put(store.path / ".klide/memory", entry("new", supersedes="never"), entry("newer", supersedes=ONE))
    file_of(store, ONE).unlink()
    remember(store, "later")
    never, gone = notable(asked(store))
    assert (never.name, never.state, never.message) == ("supersedes", WRONG, "new supersedes never, which is not there")
    assert never.remedy == "take the line out with `git mem edit new`"
    assert (gone.message, gone.remedy) == (f"newer supersedes {ONE}, which is not there", f"git mem restore {ONE}")


def test_a_pointer_to_a_damaged_entry_is_told_to_be_one(store: Repo) -> None:
    put(store.path / ".klide/memory", entry("new", supersedes="broken"))
    file_of(store, "broken").write_bytes(b"\0")
    pointer = next(check for check in asked(store).checks if check.name == "supersedes")
    assert (pointer.state, pointer.remedy) == (WRONG, "mend broken.md")


def test_a_write_that_was_killed_is_finished_by_looking(store: Repo) -> None:
    dies_while_adding(store, "--supersedes", ONE)
    assert [check.name for check in notable(asked(store)) if check.state is WRONG] == []
    assert journal(store).pending() is None


def test_a_write_that_waits_for_its_store_is_finished_with_it(store: Repo) -> None:
    dies_while_adding(store, "--supersedes", ONE)
    shutil.rmtree(store.path / ".klide")
    found = asked(store)
    assert [(check.name, check.remedy) for check in notable(found)] == [
        ("store", "git mem restore"),
        ("journal", "git mem restore"),
    ]
    assert states(asked(store, fix=True)) == [("store", MENDED)]
    assert history(store)[-1] == "add 2026-01-02-0000-three"
    assert_at_rest(store)


def test_a_write_whose_commit_is_lost_is_recorded_anew(store: Repo) -> None:
    dies_while_adding(store)
    record = journal(store).pending()
    assert record is not None
    assert record.commit is not None
    (store.path / ".git/objects" / record.commit[:2] / record.commit[2:]).unlink()
    assert only(asked(store), "journal", WRONG).remedy == "git mem doctor --fix"
    assert only(asked(store, fix=True), "journal", MENDED).message == "the last write is finished"
    assert history(store)[-1] == "add 2026-01-02-0000-three"
    assert_at_rest(store)


def test_a_damaged_journal_with_text_is_kept_for_a_person(store: Repo) -> None:
    dies_while_adding(store, "--notes", "A text that is nowhere else.")
    path = store.path / ".git/mem/journal"
    torn = path.read_bytes()[:-40]
    path.write_bytes(torn)
    assert states(asked(store)) == [("journal", WRONG), ("litter", INFO)]
    found = asked(store, fix=True)
    kept = store.path / ".git/mem/journal.damaged-1"
    assert states(found) == [("journal", MENDED), ("journal", INFO), ("litter", MENDED)]
    assert all(str(kept) in check.message for check in notable(found)[:2])
    assert (kept.read_bytes(), path.exists()) == (torn, False)
    assert found.exit_code is ExitCode.DONE
    dies_while_adding(store)
    path.write_bytes(path.read_bytes().replace(b"token", b"taken"))
    asked(store, fix=True)
    assert (store.path / ".git/mem/journal.damaged-2").exists()
    assert remember(store, "afterwards")


@pytest.mark.parametrize("kept", [30, 64, 65, 90])
@pytest.mark.parametrize("more", [b"", b"\xff" * 200])
def test_a_damaged_journal_without_text_is_removed(store: Repo, kept: int, more: bytes) -> None:
    path = store.path / ".git/mem/journal"
    path.write_bytes(path.read_bytes()[:kept] + more)
    assert only(asked(store, fix=True), "journal", MENDED).message.endswith("removed")
    assert list((store.path / ".git/mem").glob("journal*")) == []
    assert notable(asked(store)) == []


def test_a_damaged_journal_whose_texts_are_in_the_store_is_removed(store: Repo) -> None:
    data = file_of(store, ONE).read_bytes()
    Journal(store.path / ".git/mem").decide(Record((Step(f"{ONE}.md", None, data), Step("x.md", None, data[:-7]))))
    path = store.path / ".git/mem/journal"
    path.write_bytes(b"0" + path.read_bytes()[1:])
    assert only(asked(store, fix=True), "journal", MENDED).message.endswith("removed")
    assert files(store)[f"{ONE}.md"] == data


def test_a_store_that_vanished_comes_back_though_the_journal_is_damaged(store: Repo) -> None:
    before = files(store)
    dies_while_adding(store)
    (store.path / ".git/mem/journal").write_bytes(b"torn")
    shutil.rmtree(store.path / ".klide")
    assert states(asked(store)) == [("store", WRONG), ("journal", WRONG)]
    assert states(asked(store, fix=True)) == [("store", MENDED), ("journal", MENDED)]
    assert files(store) == before
    assert_at_rest(store)


def remove_object(repo: Repo, name: str) -> str:
    oid = repo.rev(name)
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    return oid


def test_a_history_whose_commit_is_lost_begins_anew(store: Repo) -> None:
    oid = remove_object(store, REF)
    assert only(asked(store), "history", WRONG).remedy == "git mem doctor --fix"
    check = only(asked(store, fix=True), "history", MENDED)
    assert oid in check.message
    assert history(store) == ["record 2 entries"]
    assert_at_rest(store)
    assert notable(asked(store)) == []


@pytest.mark.parametrize("lost", ["^{tree}", "~1", "~2"])
def test_a_damaged_history_that_has_a_commit_is_kept_beside(store: Repo, lost: str) -> None:
    remember(store, "three")
    old = store.rev(REF)
    remove_object(store, f"{REF}{lost}")
    assert only(asked(store), "history", WRONG).remedy == "git mem doctor --fix"
    mended, kept = notable(asked(store, fix=True))
    assert (mended.name, mended.state, kept.name, kept.state) == ("history", MENDED, "history", INFO)
    assert store.git("rev-parse", "refs/mem/damaged/1").line == old
    assert (history(store), recorded(store)) == (["record 3 entries"], files(store))
    remove_object(store, f"{REF}^{{tree}}")
    asked(store, fix=True)
    assert len(store.git("for-each-ref", "refs/mem/damaged/").out.splitlines()) == 2


def test_a_content_that_only_the_history_lost_is_given_back_to_it(store: Repo) -> None:
    before = store.rev(REF)
    remove_object(store, f"{REF}:{ONE}.md")
    assert only(asked(store), "history", WRONG).message == f"{REF} is damaged: objects of it are lost: 1"
    assert only(asked(store, fix=True), "history", MENDED).message == "what was lost of it was still in the store"
    assert store.rev(REF) == before
    assert_at_rest(store)


@pytest.mark.parametrize("content", ["no object id\n", "", "ref: refs/heads/nowhere\n", "0123\n"])
def test_a_ref_that_holds_no_commit_is_replaced(store: Repo, content: str) -> None:
    (store.path / ".git" / REF).write_text(content, encoding="utf-8")
    found = asked(store, fix=True)
    assert found.exit_code is ExitCode.DONE
    remember(store, "three")
    assert_at_rest(store)
    assert notable(asked(store)) == []


def test_a_damaged_history_is_all_that_there_is_where_the_store_is_gone_too(store: Repo) -> None:
    remove_object(store, REF)
    shutil.rmtree(store.path / ".klide")
    before = listing(store.path)
    found = asked(store, fix=True)
    damaged = next(check for check in found.checks if check.name == "history")
    assert (damaged.state, "fetch" in str(damaged.remedy)) == (WRONG, True)
    assert listing(store.path) == before


def test_without_a_history_that_is_kept_it_is_told(store: Repo) -> None:
    store.git("config", "mem.history", "false")
    remember(store, "three")
    assert only(asked(store), "history", INFO).remedy == "git config mem.history true"


def test_a_killed_writer_and_a_lost_history_are_mended_together(store: Repo) -> None:
    dies_while_adding(store, "--supersedes", ONE)
    remove_object(store, REF)
    assert asked(store, fix=True).exit_code is ExitCode.DONE
    assert "2026-01-02-0000-three.md" in files(store)
    assert recorded(store) == files(store)
    assert journal(store).pending() is None


def test_texts_of_edits_that_are_left_are_told(store: Repo) -> None:
    text = store.path / f".git/mem/edit/{ONE}-0123456789abcdef/{ONE}.md"
    text.parent.mkdir(parents=True)
    text.write_bytes(b"typed\n")
    for fix in (False, True):
        check = only(asked(store, fix=fix), "texts", INFO)
        assert str(text.parent) in check.message
    assert text.read_bytes() == b"typed\n"


def test_what_killed_writers_left_is_removed_and_nothing_of_a_persons(store: Repo) -> None:
    memory, state = store.path / ".klide/memory", store.path / ".git/mem"
    for directory in (memory, state):
        (directory / ".tmp-0123456789abcdef").write_bytes(b"torn")
        (directory / ".tmp-mine").write_bytes(b"mine")
        (directory / ".tmp-fedcba9876543210").mkdir()
    check = only(asked(store), "litter", INFO)
    assert (check.message[-1], check.remedy) == ("2", "git mem doctor --fix")
    assert states(asked(store, fix=True)) == [("litter", MENDED)]
    for directory in (memory, state):
        assert not (directory / ".tmp-0123456789abcdef").exists()
        assert (directory / ".tmp-mine").read_bytes() == b"mine"


@contextmanager
def held(repo: Repo, record: bytes) -> Iterator[None]:
    descriptor = os.open(repo.path / ".git/mem/lock", os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.pwrite(descriptor, record, 0)
    try:
        yield
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (b'{"pid": 7, "host": "here", "since": 0}\n', "process 7 on here"),
        (b"[" * 4000, "left no name"),
        (b"", "no name"),
    ],
)
def test_who_holds_the_lock_is_told_without_taking_it(store: Repo, record: bytes, told: str) -> None:
    (store.path / ".klide/memory/.tmp-0123456789abcdef").write_bytes(b"being written")
    with held(store, record):
        assert told in only(asked(store), "lock", INFO).message
    assert (store.path / ".klide/memory/.tmp-0123456789abcdef").exists()


def test_while_somebody_writes_nothing_is_mended(store: Repo) -> None:
    store.git("config", "mem.lockTimeout", "0")
    dies_while_adding(store)
    with held(store, b""):
        assert states(asked(store)) == [("journal", INFO), ("lock", INFO)]
        remove_object(store, REF)
        with pytest.raises(LockedError):
            asked(store, fix=True)


def test_after_any_number_of_killed_writers_nothing_is_wrong(store: Repo) -> None:
    old = ONE
    for number in range(4):
        title = f"next-{number}"
        words = ("add", title, "--date", "2026-01-02", "--supersedes", old)
        store.world.run(sys.executable, "-c", DIES, *words, cwd=store.path)
        old = f"2026-01-02-0000-{title}"
        assert asked(store).exit_code is ExitCode.DONE
    assert_at_rest(store)


def test_looking_writes_nothing_whatever_is_found(store: Repo) -> None:
    (store.path / ".git/mem/journal").write_bytes(b"torn")
    (store.path / ".klide/memory/.tmp-0123456789abcdef").write_bytes(b"torn")
    file_of(store, ONE).write_bytes(b"\0")
    file_of(store, TWO).unlink()
    remove_object(store, REF)
    before = listing(store.path)
    assert asked(store).exit_code is ExitCode.NO
    assert listing(store.path) == before


def test_what_the_disk_refuses_is_told_and_the_rest_too(store: Repo) -> None:
    state = store.path / ".git/mem/journal"
    state.unlink()
    state.mkdir()
    found = asked(store)
    assert found.exit_code is ExitCode.NO
    assert "journal: is a directory" in next(check.message for check in found.checks if check.name == "store")
    assert next(check.state for check in found.checks if check.name == "history") is OK


def test_a_lock_that_is_a_link_is_told_and_the_rest_too(store: Repo) -> None:
    (store.path / ".git/mem/lock").unlink()
    (store.path / ".git/mem/lock").symlink_to("elsewhere")
    assert states(asked(store)) == [("lock", WRONG)]


def test_what_is_missing_is_told_though_nobody_can_say_what_it_is(store: Repo) -> None:
    (store.path / ".git/mem/journal").write_bytes(b"torn")
    file_of(store, TWO).unlink()
    missing = next(check for check in asked(store).checks if check.name == "hand-edits")
    assert (missing.state, missing.message.partition(":")[0]) == (INFO, "entries")


def test_of_many_that_are_missing_a_few_are_named(repo: Repo) -> None:
    idents = [remember(repo, f"entry {number}") for number in range(8)]
    for ident in idents[1:]:
        file_of(repo, ident).unlink()
    check = only(asked(repo), "hand-edits", INFO)
    assert check.message.startswith(f"{', '.join(idents[1:6])}, and 2 more: recorded and not there")


def test_files_in_place_of_directories_do_not_stop_it(store: Repo) -> None:
    shutil.rmtree(store.path / ".git/mem")
    assert notable(asked(store)) == []
    Path(store.path / ".git/mem").write_bytes(b"")
    assert asked(store).exit_code in (ExitCode.DONE, ExitCode.NO)
