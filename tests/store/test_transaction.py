"""Transactions: what is written is whole, under a name of its own, and recorded; what is refused left nothing."""

import errno
import os
import resource
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from layouts import Standpoint, with_commit
from store.written import (
    REF,
    add,
    assert_at_rest,
    change,
    creation,
    files,
    history,
    initialised,
    journal,
    names,
    opened,
    path_of,
    recorded,
    transact,
)
from world import Repo, World, listing

from gitmem.errors import GitMemError
from gitmem.porcelain.init import init
from gitmem.storage.directory import DirectoryRefusedError
from gitmem.storage.journal import Journal, Record
from gitmem.storage.lock import writer_lock
from gitmem.store.transaction import Deed, EntryChangedError, Replacement, StoreGoneError
from gitmem.store.transaction import transact as carry_deed_out
from gitmem.workspace import VanishedStoreError

TITLE = "Same title"
STEM = "2026-01-01-0000-same-title"


@pytest.fixture
def store(repo: Repo) -> Repo:
    """A repository with an empty store."""
    return initialised(repo)


def test_an_entry_is_written_under_the_id_of_its_date_and_title(store: Repo) -> None:
    assert add(store, TITLE, notes="Text.") == STEM
    found, data = opened(store).entry(STEM)
    assert (found.title, found.notes) == (TITLE, "Text.")
    assert data == creation(TITLE, notes="Text.").data
    assert_at_rest(store)


def test_an_id_that_is_taken_gets_a_number(store: Repo) -> None:
    assert transact(store, creation(TITLE), creation(TITLE)) == (STEM, f"{STEM}-2")
    assert transact(store, creation(TITLE)) == (f"{STEM}-3",)
    assert_at_rest(store)


def test_an_id_that_another_entry_still_points_to_is_not_given_again(store: Repo) -> None:
    old = add(store, TITLE)
    add(store, "Other", supersedes=old)
    path_of(store, old).unlink()
    new = store.mem("add", TITLE, "--date", "2026-01-01").line
    assert new == f"{STEM}-2"
    assert [entry.id for entry in opened(store).contents.entries if entry.active] == ["2026-01-01-0000-other", new]


@pytest.mark.parametrize("kind", ["file", "directory", "link", "unreadable"])
def test_whatever_has_the_name_has_taken_the_id(store: Repo, kind: str) -> None:
    path = path_of(store, STEM)
    if kind == "directory":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("../../outside.md")
    else:
        path.write_bytes(b"\xff" if kind == "unreadable" else b"")
    before = listing(store.path / ".klide")
    assert add(store, TITLE) == f"{STEM}-2"
    after = listing(store.path / ".klide")
    del after[f"memory/{STEM}-2.md"]
    assert after == before


def test_a_name_that_an_editor_takes_in_the_last_instant_is_left_to_it(
    store: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, path = os.link, path_of(store, STEM)

    def beaten(source: str, target: str, **options: Any) -> None:
        if target == path.name:
            path.write_bytes(b"an editor's")
        real(source, target, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", beaten)
        assert add(store, TITLE) == f"{STEM}-2"
    assert path.read_bytes() == b"an editor's"
    assert names(store) == [f"{STEM}-2.md", f"{STEM}.md"]
    assert_at_rest(store)


def test_a_store_that_vanished_is_told(store: Repo) -> None:
    workspace = opened(store)
    (store.path / ".klide/memory").rmdir()
    with pytest.raises(StoreGoneError, match=r"\.klide/memory vanished while it was written to: run `git mem init`"):
        carry_deed_out(workspace.place, Deed(verb="add", creations=[creation(TITLE)]))
    assert not (store.path / ".klide/memory").exists()
    assert history(store) == []


def test_a_store_that_vanished_with_entries_is_not_begun_anew_by_itself(store: Repo) -> None:
    add(store, TITLE)
    path_of(store, STEM).unlink()
    (store.path / ".klide/memory").rmdir()
    with pytest.raises(VanishedStoreError, match=r"1 recorded entry.*git mem restore"):
        add(store, "Other")
    assert not (store.path / ".klide/memory").exists()
    init(store.path, store.world.env, track=False)
    add(store, "Other")
    assert history(store) == [f"add {STEM}", f"remove by hand {STEM}", "add 2026-01-01-0000-other"]
    assert_at_rest(store)


def test_a_store_behind_a_symbolic_link_is_not_written_to(store: Repo) -> None:
    workspace = opened(store)
    real = store.path.parent / "real"
    (store.path / ".klide/memory").rename(real)
    (store.path / ".klide/memory").symlink_to(real)
    with pytest.raises(DirectoryRefusedError):
        carry_deed_out(workspace.place, Deed(verb="add", creations=[creation(TITLE)]))
    assert not listing(real)


def test_a_full_disk_leaves_the_old_state(store: Repo) -> None:
    add(store, TITLE)
    before, limits = listing(store.path / ".klide"), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60, limits[1]))  # enough for the lock
    try:
        with pytest.raises(OSError, match="File too large"):
            add(store, TITLE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert listing(store.path / ".klide") == before
    assert_at_rest(store)


def test_an_entry_is_replaced_by_what_was_made_of_it(store: Repo) -> None:
    add(store, TITLE)
    made = change(store, STEM)
    assert transact(store, changes=[made], verb="confirm") == ()
    assert files(store) == {f"{STEM}.md": made.new}
    assert history(store) == [f"add {STEM}", f"confirm {STEM}"]
    assert_at_rest(store)


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o444, 0o755])
def test_a_replaced_entry_keeps_its_permissions(store: Repo, mode: int) -> None:
    add(store, TITLE)
    path_of(store, STEM).chmod(mode)
    transact(store, changes=[change(store, STEM)])
    assert stat.S_IMODE(path_of(store, STEM).stat().st_mode) == mode


def test_an_entry_that_is_not_what_it_was_stays(store: Repo) -> None:
    add(store, TITLE)
    stale = change(store, STEM)
    path_of(store, STEM).write_bytes(b"Theirs.\n")
    with pytest.raises(EntryChangedError, match=f"{STEM} changed meanwhile"):
        transact(store, creation("Other"), changes=[stale])
    assert files(store) == {f"{STEM}.md": b"Theirs.\n"}
    assert history(store) == [f"add {STEM}"]


def test_an_entry_that_vanished_is_not_made_anew(store: Repo) -> None:
    add(store, TITLE)
    stale = change(store, STEM)
    path_of(store, STEM).unlink()
    with pytest.raises(EntryChangedError):
        transact(store, changes=[stale])
    assert names(store) == []


def test_an_entry_with_two_names_is_one_file(store: Repo) -> None:
    add(store, TITLE)
    other = add(store, "Other")
    path_of(store, "inside").symlink_to(f"{STEM}.md")
    made, beside = change(store, STEM), change(store, other)
    transact(store, changes=[made, beside, Replacement("inside", made.old, made.new)], verb="confirm")
    assert files(store) == {f"{STEM}.md": made.new, f"{other}.md": beside.new, "inside.md": f"{STEM}.md".encode()}
    assert_at_rest(store)
    again = change(store, STEM)
    with pytest.raises(EntryChangedError):  # it cannot become two things
        transact(store, changes=[again, Replacement("inside", again.old, again.old + b"Else.\n")])
    assert_at_rest(store)


def test_a_link_out_of_the_store_is_not_followed(store: Repo) -> None:
    secret = store.write("secret.md", creation(TITLE).data)
    path_of(store, "outside").symlink_to("../../secret.md")
    with pytest.raises(EntryChangedError):
        transact(store, changes=[Replacement("outside", secret.read_bytes(), b"mine")])
    assert secret.read_bytes() == creation(TITLE).data


def test_every_transaction_is_a_commit_on_top_of_the_last_one(store: Repo) -> None:
    old = add(store, "Old")
    transact(store, creation("New"), changes=[change(store, old)])
    assert history(store) == [f"add {old}", "add 2026-01-01-0000-new"]
    assert store.git("log", "--format=%P", REF).out.split() == [store.rev(f"{REF}~")]
    assert store.git("log", "-1", "--format=%b", REF).out.split() == ["Mem-Head:", store.rev()]
    assert set(recorded(store, f"{REF}~")) == {f"{old}.md"}
    assert_at_rest(store)


def test_a_transaction_of_many_entries_lists_them(store: Repo) -> None:
    added = transact(store, creation("One"), creation("Two"), creation("Three"))
    subject, body, trailer = store.git("log", "-1", "--format=%B", REF).out.strip().split("\n\n")
    assert subject == "add 3 entries"
    assert body.split("\n") == list(added)
    assert trailer == f"Mem-Head: {store.rev()}"


def test_the_head_of_the_worktree_that_writes_is_recorded(store: Repo) -> None:
    linked = store.worktree("linked")
    linked.commit("Further", {"x": "1\n"})
    add(linked, TITLE)
    assert store.git("log", "-1", "--format=%(trailers:key=Mem-Head,valueonly)", REF).line.strip() == linked.rev()
    assert_at_rest(store)


def test_entries_are_recorded_in_every_layout(layout: Standpoint) -> None:
    workspace, _ = init(layout.directory, layout.environ, track=False)
    with workspace.writing():
        (ident,) = workspace.transact(Deed(verb="add", creations=[creation(TITLE, notes="é")]))
    shown = layout.repo.git("cat-file", "blob", f"{REF}:{ident}.md", cwd=layout.directory, env=layout.extra)
    assert shown.stdout == (layout.store / f"{ident}.md").read_bytes() == creation(TITLE, notes="é").data


def test_nothing_but_the_ref_of_the_store_moves(store: Repo) -> None:
    store.write("README.md", "changed\n")
    asked = [("status", "--porcelain"), ("for-each-ref", "refs/heads"), ("stash", "list"), ("reflog",)]
    before = [store.git(*words).out for words in asked]
    index = (store.path / ".git/index").read_bytes()
    add(store, TITLE)
    assert [store.git(*words).out for words in asked] == before
    assert (store.path / ".git/index").read_bytes() == index


def test_filters_and_line_ends_do_not_touch_what_is_recorded(store: Repo) -> None:
    store.git("config", "core.autocrlf", "true")
    store.write(".gitattributes", "* text eol=crlf ident\n.klide/** filter=none\n")
    store.git("config", "filter.none.clean", "false")
    path_of(store, "crlf").write_bytes(creation("By hand").data.replace(b"\n", b"\r\n") + b"$Id$")
    add(store, TITLE)
    assert_at_rest(store)


def test_without_a_history_nothing_is_recorded(store: Repo) -> None:
    store.git("config", "mem.history", "false")
    before = store.git("count-objects").out
    add(store, TITLE)
    transact(store, changes=[change(store, STEM)])
    assert history(store) == []
    assert store.git("count-objects").out == before
    assert journal(store).pending() is None
    store.git("config", "--unset", "mem.history")
    add(store, "Other")
    assert history(store) == [f"add by hand {STEM}", "add 2026-01-01-0000-other"]
    assert_at_rest(store)


def test_edits_by_hand_become_a_commit_of_their_own(store: Repo) -> None:
    kept, gone = add(store, "Kept"), add(store, "Gone")
    path_of(store, kept).write_bytes(b"By hand.\n")
    path_of(store, gone).unlink()
    path_of(store, "new").write_bytes(b"Made by hand.\n")
    add(store, TITLE)
    assert history(store)[2:] == ["edit 3 entries by hand", f"add {STEM}"]
    body = store.git("log", "-1", "--format=%b", f"{REF}~").out.split("\n\n")[0]
    assert body.split() == sorted([kept, gone, "new"])
    assert files(store) == {
        f"{kept}.md": b"By hand.\n",
        "new.md": b"Made by hand.\n",
        f"{STEM}.md": creation(TITLE).data,
    }
    assert_at_rest(store)


def test_an_edit_by_hand_of_an_entry_that_is_written_is_recorded_before(store: Repo) -> None:
    add(store, TITLE)
    path_of(store, STEM).write_bytes(creation(TITLE).data + b"By hand.\n")
    transact(store, changes=[change(store, STEM)], verb="confirm")
    assert history(store) == [f"add {STEM}", f"edit by hand {STEM}", f"confirm {STEM}"]
    assert recorded(store, f"{REF}~")[f"{STEM}.md"] == creation(TITLE).data + b"By hand.\n"
    assert_at_rest(store)


@pytest.mark.parametrize(
    "name",
    [
        b"\xff\xfe.md",
        b"a b.md",
        "木.md".encode(),
        b"x\n\nMem-Head: 0123.md",
        b"tab\t.md",
        b'"quoted\\".md',
        b"-dash.md",
    ],
)
def test_a_file_of_any_name_is_recorded_and_forges_nothing(store: Repo, name: bytes) -> None:
    path = Path(os.fsdecode(os.fsencode(store.path / ".klide/memory") + b"/" + name))
    path.write_bytes(b"By hand.\n")
    add(store, TITLE)
    assert recorded(store) == files(store)
    trailers = store.git("log", "--format=%(trailers:key=Mem-Head,valueonly)", REF).out.split()
    assert trailers == [store.rev(), store.rev()]
    assert all(line.startswith(("add ", "edit by hand ")) for line in history(store))


def test_what_cannot_be_read_stays_as_it_was_recorded(store: Repo) -> None:
    add(store, TITLE)
    old = files(store)
    path_of(store, STEM).write_bytes(b"x" * (1 << 21))
    path_of(store, "directory").mkdir()
    path_of(store, "outside").symlink_to("/etc/hostname")
    os.mkfifo(path_of(store, "fifo"))
    other = add(store, "Other")
    assert recorded(store) == {**old, f"{other}.md": creation("Other").data}


def test_a_link_is_recorded_as_a_link_and_followed_by_nobody(store: Repo) -> None:
    add(store, TITLE)
    path_of(store, "inside").symlink_to(f"{STEM}.md")
    add(store, "Other")
    assert store.git("ls-tree", REF, "inside.md").out.startswith("120000 blob ")
    assert_at_rest(store)


def test_litter_of_killed_writers_is_swept(store: Repo) -> None:
    for directory in (".klide/memory", ".git/mem"):
        store.write(f"{directory}/.tmp-{'0a' * 8}", "half a text")
    add(store, TITLE)
    assert_at_rest(store)


def refusing(code: int) -> Callable[..., None]:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(code, os.strerror(code))

    return refuse


@pytest.mark.parametrize(("new", "call"), [(True, "link"), (True, "rename"), (False, "rename")])
def test_what_the_disk_refuses_is_taken_back(
    store: Repo, monkeypatch: pytest.MonkeyPatch, call: str, *, new: bool
) -> None:
    changes = [change(store, add(store, title)) for title in (TITLE, "Other")]
    before, told = files(store), history(store)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, refusing(errno.EIO))
        with pytest.raises(OSError, match="Input/output error"):
            transact(store, *([creation("New")] if new else []), changes=changes)
    assert (files(store), history(store)) == (before, told)
    assert_at_rest(store)


def test_a_history_that_cannot_be_moved_on_keeps_the_old_state(store: Repo) -> None:
    add(store, TITLE)
    before, told = files(store), history(store)
    store.git("config", "mem.lockTimeout", "0")
    in_the_way = store.write(f".git/{REF}.lock/file", "")
    with pytest.raises(GitMemError, match=f"{REF} cannot be changed"):
        transact(store, creation("New"), changes=[change(store, STEM)])
    in_the_way.unlink()
    in_the_way.parent.rmdir()
    assert (files(store), history(store)) == (before, told)
    assert_at_rest(store)


def test_a_ref_that_somebody_moved_meanwhile_is_built_upon(store: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    add(store, TITLE)
    real, moved = Journal.decide, False

    def beaten(self: Journal, record: Record) -> None:
        nonlocal moved
        real(self, record)
        if not moved:
            tree = store.rev(f"{REF}^{{tree}}")
            store.git("update-ref", REF, store.git("commit-tree", tree, "-p", REF, "-m", "theirs").line)
        moved = True

    monkeypatch.setattr(Journal, "decide", beaten)
    add(store, "New")
    assert history(store) == [f"add {STEM}", "theirs", "add 2026-01-01-0000-new"]
    assert_at_rest(store)


@pytest.mark.parametrize("by_hand", [b"Theirs.\n", None])
def test_an_entry_that_a_person_changes_in_the_last_instant_stays_theirs(
    store: Repo, monkeypatch: pytest.MonkeyPatch, by_hand: bytes | None
) -> None:
    add(store, TITLE)
    real, path = Journal.decide, path_of(store, STEM)

    def beaten(self: Journal, record: Record) -> None:
        real(self, record)
        if by_hand is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(by_hand)

    deed = [change(store, STEM)]
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "decide", beaten)
        with pytest.raises(EntryChangedError, match=f"^{STEM} changed meanwhile, so nothing"):
            transact(store, creation("New"), changes=deed)
    theirs = {} if by_hand is None else {f"{STEM}.md": by_hand}
    assert files(store) == theirs
    assert history(store) == [f"add {STEM}"]
    add(store, "Next")
    assert files(store) == {**theirs, "2026-01-01-0000-next.md": creation("Next").data}
    verb = "remove" if by_hand is None else "edit"
    assert f"{verb} by hand {STEM}" in history(store)
    assert_at_rest(store)


def test_writers_in_all_worktrees_use_one_lock_and_one_journal(store: Repo) -> None:
    linked = store.worktree("linked")
    linked.git("config", "mem.lockTimeout", "0")
    with writer_lock(store.path / ".git/mem/lock", 0), pytest.raises(GitMemError, match="another writer holds"):
        add(linked, TITLE)
    assert history(store) == []


def test_a_store_of_sha256_is_recorded_too(world: World) -> None:
    repo = initialised(with_commit(world.repo("sha256", "--object-format=sha256")))
    add(repo, TITLE)
    assert len(repo.rev(REF)) == 64
    assert_at_rest(repo)
