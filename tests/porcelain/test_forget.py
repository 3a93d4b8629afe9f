"""`git mem forget`: nothing is left but a digest, nothing else is harmed, and what cannot be reached is told."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from forgotten import REF, STORE, assert_at_rest, at_tip, objects, on_disk, traces
from layouts import LAYOUTS, with_commit
from program import entry, put
from recorded import blob_of
from remembered import NOW, file_of, workspace
from world import Repo, World, listing

from gitmem.entry.model import ReviewState
from gitmem.errors import GitMemError
from gitmem.porcelain.add import Proposal, add
from gitmem.porcelain.check import check
from gitmem.porcelain.confirm import confirm
from gitmem.porcelain.forget import Forgotten, forget
from gitmem.porcelain.list import list_entries
from gitmem.porcelain.restore import restore
from gitmem.porcelain.search import Request, search
from gitmem.porcelain.status import status
from gitmem.porcelain.supersede import supersede
from gitmem.storage.directory import DirectoryRefusedError
from gitmem.store.edits import new_edit
from gitmem.store.forgetting import NotAFileError
from gitmem.store.history import StoreHistory
from gitmem.store.read import BadIdError, UnknownEntryError
from gitmem.workspace import Workspace, open_workspace

TITLE = "Zebra secret"
SECRET = "2026-01-01-0000-zebra-secret"
WORDS = ("hunter", SECRET, TITLE)
CLEAN = Forgotten(
    ids=(SECRET,),
    removed=0,
    packed=0,
    reachable=0,
    mentioned=(),
    left=(),
    copies=(),
    unread=(),
    unpruned=None,
    remotes=(),
)


def remember(where: Repo | Workspace, title: str, notes: str = "", *, minute: int = 0, **fields: str) -> str:
    space = where if isinstance(where, Workspace) else workspace(where)
    proposal = Proposal(title=title, notes=notes, **fields)  # type: ignore[arg-type]  # texts, all of them
    return add(space, proposal, now=NOW + timedelta(minutes=minute), at_terminal=False).id


def forgotten(repo: Repo, *idents: str) -> Forgotten:
    return forget(workspace(repo), idents or (SECRET,))


def without_count(told: Forgotten) -> Forgotten:
    """Return what was told, but for how many objects were removed."""
    return replace(told, removed=0)


def write_more(path: Path, text: str) -> None:
    path.write_bytes(path.read_bytes() + text.encode())


def lived(space: Workspace) -> None:
    """Let an entry have a life: added, edited by hand, confirmed, superseded, drafted, being edited."""
    root = space.layout.root
    first = remember(space, "First", "kept")
    assert remember(space, TITLE, "hunter1", supersedes=first) == SECRET
    write_more(space.layout.store / f"{SECRET}.md", "\nhunter2\n")
    remember(space, "Other", "kept", minute=1)
    write_more(space.layout.store / f"{SECRET}.md", "\nhunter3\n")
    confirm(space, [SECRET], at_terminal=False)
    remember(space, "Successor", "kept", minute=2, supersedes=SECRET)
    put(root / ".klide/drafts", entry(SECRET, title=TITLE, notes="hunter4"))
    new_edit(space.place.state, SECRET, b"hunter5")


# Nothing is left


@pytest.mark.parametrize(
    "name",
    [
        "main",
        "linked",
        "bare",
        "dot-bare",
        "linked-of-submodule",
        "unborn",
        "partial",
        "sha256",
        "odd-names",
        "hook-in-linked",
    ],
)
def test_no_file_and_no_object_tells_of_it_any_more(world: World, name: str) -> None:
    layout = LAYOUTS[name](world)
    layout.repo.git("config", "core.logAllRefUpdates", "always")
    space = open_workspace(layout.directory, layout.environ)
    lived(space)
    assert traces(layout.repo, WORDS) != []
    told = forget(open_workspace(layout.directory, layout.environ), [SECRET])
    assert told.removed > 5
    remotes = ("origin",) if name in ("partial", "linked-of-submodule", "bare", "dot-bare") else ()
    assert without_count(told) == replace(CLEAN, remotes=remotes)
    assert traces(layout.repo, WORDS) == []
    assert_at_rest(layout.repo, layout.store)
    digests = layout.repo.git("ls-tree", "--name-only", f"{REF}:.forgotten").out.split()
    assert digests == [hashlib.sha256(SECRET.encode()).hexdigest()]


@pytest.mark.parametrize("since", ["always", "after the entry", "never mind, on again"])
def test_without_a_history_nothing_is_left_either(repo: Repo, since: str) -> None:
    off = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "mem.history", "GIT_CONFIG_VALUE_0": "false"}
    lived(workspace(repo, off if since == "always" else {}))
    told = forget(workspace(repo, {} if since == "never mind, on again" else off), [SECRET])
    assert (told.removed > 0) is (since != "always")
    assert without_count(told) == CLEAN
    assert traces(repo, WORDS) == []
    assert len(on_disk(repo.path / STORE)) == 3
    if since == "always":
        assert repo.git("for-each-ref", "refs/mem").out == ""


@pytest.mark.parametrize("recorded", [True, False])
def test_an_entry_that_is_only_in_the_history_is_forgotten(repo: Repo, *, recorded: bool) -> None:
    lived(workspace(repo))
    file_of(repo, SECRET).unlink()
    if recorded:
        remember(repo, "Later", minute=3)
        assert f"edit by hand {SECRET}" in repo.git("log", "--format=%s", REF).out
    assert without_count(forgotten(repo)) == CLEAN
    assert traces(repo, WORDS) == []
    assert_at_rest(repo, repo.path / STORE)


def test_an_entry_of_a_store_that_is_gone_is_forgotten_and_the_others_come_back(repo: Repo) -> None:
    lived(workspace(repo))
    shutil.rmtree(repo.path / ".klide")
    assert without_count(forgotten(repo)) == CLEAN
    assert not (repo.path / ".klide").exists()
    assert traces(repo, WORDS) == []
    restore(workspace(repo), [], dry_run=False)
    assert sorted(on_disk(repo.path / STORE)) == [
        "2026-01-01-0000-first.md",
        "2026-01-01-0001-other.md",
        "2026-01-01-0002-successor.md",
    ]
    assert_at_rest(repo, repo.path / STORE)


UNREADABLE: Mapping[str, bytes] = {
    "not UTF-8": b"---\ntitle: Zebra secret\n---\nhunter1 \xff\n",
    "broken YAML": b"---\ntitle: a\ntitle: Zebra secret\n---\nhunter1\n",
    "never closed": b"---\ntitle: Zebra secret\nhunter1\n",
    "too large": b"hunter1\n" * (1 << 18),
    "of the future": b"---\nschemaVersion: 2\ntitle: Zebra secret\n---\nhunter1\n",
    "empty": b"",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_entry_that_cannot_be_read_is_forgotten(repo: Repo, name: str) -> None:
    remember(repo, "Keep")
    remember(repo, TITLE, "hunter0")
    file_of(repo, SECRET).write_bytes(UNREADABLE[name])
    remember(repo, "Later", minute=1)
    assert without_count(forgotten(repo)) == CLEAN
    assert traces(repo, WORDS) == []
    assert_at_rest(repo, repo.path / STORE)


@pytest.mark.parametrize("target", ["../../README.md", "nowhere.md", "2026-01-01-0000-keep.md", "/etc/hostname"])
def test_a_link_is_forgotten_and_what_it_leads_to_is_not(repo: Repo, target: str) -> None:
    remember(repo, "Keep", "kept")
    path = repo.path / STORE / f"{SECRET}.md"
    path.symlink_to(target)
    remember(repo, "Later", minute=1)
    assert without_count(forgotten(repo)) == CLEAN
    assert not path.is_symlink()
    assert traces(repo, [SECRET]) == []
    assert (repo.path / "README.md").exists()
    assert b"kept" in on_disk(repo.path / STORE)["2026-01-01-0000-keep.md"]
    assert_at_rest(repo, repo.path / STORE)


@pytest.mark.parametrize("what", ["a draft", "a text of an edit"])
def test_what_never_was_an_entry_is_forgotten(repo: Repo, what: str) -> None:
    remember(repo, "Keep")
    if what == "a draft":
        put(repo.path / ".klide/drafts", entry(SECRET, title=TITLE, notes="hunter1"))
    else:
        new_edit(repo.path / ".git/mem", SECRET, b"hunter1")
    assert without_count(forgotten(repo)) == CLEAN
    assert traces(repo, WORDS) == []
    assert remember(repo, TITLE) == f"{SECRET}-2"


def test_the_only_entry_leaves_nothing_but_its_digest(repo: Repo) -> None:
    repo.git("config", "core.logAllRefUpdates", "always")
    remember(repo, TITLE, "hunter1")
    forgotten(repo)
    assert traces(repo, WORDS) == []
    assert repo.git("log", "--format=%s", REF).out == "forget\n"
    assert at_tip(repo) == {}


def test_two_are_forgotten_at_once_and_again_without_a_difference(repo: Repo) -> None:
    remember(repo, "Keep")
    remember(repo, TITLE, "hunter1")
    other = remember(repo, "Other secret", "hunter2", minute=1)
    assert forgotten(repo, SECRET, other, SECRET).ids == (SECRET, other)
    assert traces(repo, [*WORDS, "Other secret", other]) == []
    tip = repo.rev(REF)
    again = forgotten(repo, other, SECRET)
    assert again == replace(CLEAN, ids=(other, SECRET))
    assert repo.rev(REF) == tip
    assert_at_rest(repo, repo.path / STORE)


# Nothing else is harmed


def story(repo: Repo) -> list[tuple[str, ...]]:
    """Return the recorded transactions, oldest first: who, when, and what."""
    lines = repo.git("log", "--reverse", "--format=%an%x00%ae%x00%at%x00%cn%x00%ct%x00%B%x01", REF).out
    return [tuple(one.strip().split("\0")) for one in lines.split("\x01")[:-1]]


def test_the_history_of_the_others_stays_with_its_authors_dates_and_words(repo: Repo) -> None:
    first = remember(repo, "First", "one")
    for number, (name, text) in enumerate([("Ann", "two"), ("Béla", "three")]):
        write_more(file_of(repo, first), f"\n{text}\n")
        env = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_DATE": f"@{10**9 + number} +0200"}
        proposal = Proposal(title=f"Beside {number}")
        add(workspace(repo, env), proposal, now=NOW, at_terminal=False)
        if number == 0:
            remember(repo, TITLE, "hunter1")
    before = story(repo)
    versions = [version_texts(repo, ident) for ident in (first, "2026-01-01-0000-beside-0")]
    forgotten(repo)
    after = story(repo)
    assert after[:-1] == [one for one in before if SECRET not in one[-1]]
    assert after[-1][-1].split("\n")[0] == "forget"
    assert [version_texts(repo, ident) for ident in (first, "2026-01-01-0000-beside-0")] == versions
    assert len(versions[0]) == 3


def version_texts(repo: Repo, ident: str) -> list[bytes]:
    history = StoreHistory(workspace(repo).git, repo.path)
    return [history.read(version) for version in history.states(ident)]


def test_what_people_did_to_others_is_recorded_as_theirs(repo: Repo) -> None:
    first = remember(repo, "First")
    remember(repo, TITLE, "hunter1")
    write_more(file_of(repo, first), "\nby hand\n")
    write_more(file_of(repo, SECRET), "\nhunter2\n")
    forgotten(repo)
    subjects = [one[-1].split("\n")[0] for one in story(repo)]
    assert subjects == [f"add {first}", f"edit by hand {first}", "forget"]
    assert file_of(repo, first).read_bytes().endswith(b"\nby hand\n")
    assert_at_rest(repo, repo.path / STORE)


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        (["a"], {"b": None, "c": "b", "d": "c"}),
        (["b"], {"a": None, "c": "a", "d": "c"}),
        (["c"], {"a": None, "b": "a", "d": "b"}),
        (["d"], {"a": None, "b": "a", "c": "b"}),
        (["b", "c"], {"a": None, "d": "a"}),
        (["c", "b"], {"a": None, "d": "a"}),
        (["a", "c"], {"b": None, "d": "b"}),
        (["a", "b", "c"], {"d": None}),
        (["a", "b", "c", "d"], {}),
    ],
)
def test_a_chain_closes_in_the_files_and_in_the_history(
    repo: Repo, chosen: list[str], left: Mapping[str, str | None]
) -> None:
    put(repo.path / STORE, *(entry(f"link-{name}") for name in "abcd"))
    remember(repo, "Recorded")
    for old, new in ("ab", "bc", "cd"):
        supersede(workspace(repo), f"link-{old}", by=f"link-{new}", decision_key=None, at_terminal=False)
    told = forgotten(repo, *(f"link-{name}" for name in chosen))
    assert (told.mentioned, told.left, told.copies) == ((), (), ())
    found = {one.id: one for one in workspace(repo).contents.entries if one.id.startswith("link-")}
    assert {ident: one.supersedes for ident, one in found.items()} == {
        f"link-{name}": None if old is None else f"link-{old}" for name, old in left.items()
    }
    ends = {old for old in left.values() if old is not None}
    for name in left:
        state = ReviewState.SUPERSEDED if name in ends or name != "d" else ReviewState.REVIEWED
        assert found[f"link-{name}"].review_state is state
    assert traces(repo, [f"link-{name}" for name in chosen]) == []
    assert_at_rest(repo, repo.path / STORE)


def test_pointers_that_go_round_are_no_trap(repo: Repo) -> None:
    put(repo.path / STORE, entry("a", supersedes="b"), entry("b", supersedes="a"), entry("c", supersedes="a"))
    put(repo.path / STORE, entry("self", supersedes="self"), entry("d", supersedes="self"))
    remember(repo, "Recorded")
    forgotten(repo, "a", "b", "self")
    assert {one.id: one.supersedes for one in workspace(repo).contents.entries if len(one.id) == 1} == {
        "c": None,
        "d": None,
    }
    assert_at_rest(repo, repo.path / STORE)


def test_a_successor_that_is_a_link_is_mended_where_it_leads(repo: Repo) -> None:
    put(repo.path / STORE, entry("a"), entry("b", supersedes="a"), entry("c", supersedes="b"))
    (repo.path / STORE / "alias.md").symlink_to("c.md")
    remember(repo, "Recorded")
    forgotten(repo, "b")
    assert workspace(repo).entry("alias")[0].supersedes == "a"
    assert (repo.path / STORE / "alias.md").is_symlink()
    assert_at_rest(repo, repo.path / STORE)


# What is refused


@pytest.mark.parametrize(
    ("idents", "error"),
    [
        (["nobody"], UnknownEntryError),
        ([SECRET, "nobody"], UnknownEntryError),
        (["nobody", SECRET], UnknownEntryError),
        ([f"{SECRET}.md"], UnknownEntryError),
        ([SECRET.upper()], UnknownEntryError),
        ([SECRET, "../x"], BadIdError),
        ([""], BadIdError),
        (["*"], BadIdError),
        ([".forgotten"], BadIdError),
    ],
)
def test_of_what_nobody_knows_nothing_is_removed(repo: Repo, idents: list[str], error: type[GitMemError]) -> None:
    remember(repo, TITLE, "hunter1")
    before = listing(repo.path)
    with pytest.raises(error) as caught:
        forgotten(repo, *idents)
    assert caught.value.exit_code == 128
    assert listing(repo.path) == before


def _directory(repo: Repo) -> None:
    (repo.path / STORE / "odd.md/below").mkdir(parents=True)


def _draft_directory(repo: Repo) -> None:
    put(repo.path / STORE, entry("odd"))
    (repo.path / ".klide/drafts/odd.md").mkdir(parents=True)


def _drafts_link(repo: Repo) -> None:
    put(repo.path / STORE, entry("odd"))
    (repo.path / ".klide/drafts").symlink_to("memory")


@pytest.mark.parametrize(
    ("prepare", "error", "told"),
    [
        (_directory, NotAFileError, ".klide/memory/odd.md is a directory: move it away"),
        (_draft_directory, NotAFileError, ".klide/drafts/odd.md is a directory: move it away"),
        (_drafts_link, DirectoryRefusedError, ".klide/drafts is a symbolic link"),
    ],
)
def test_what_cannot_be_removed_is_refused_before_anything_is_and_stops_nobody(
    repo: Repo, prepare: Callable[[Repo], None], error: type[GitMemError], told: str
) -> None:
    remember(repo, TITLE, "hunter1")
    prepare(repo)
    before = listing(repo.path / ".klide")
    tip = repo.rev(REF)
    with pytest.raises(error, match=told):
        forgotten(repo, SECRET, "odd")
    assert listing(repo.path / ".klide") == before
    assert repo.rev(REF) == tip
    remember(repo, "The next writer", minute=1)


# What cannot be reached


def test_what_git_has_packed_is_told_and_goes_with_gc(repo: Repo) -> None:
    lived(workspace(repo))
    repo.git("gc", "-q")
    told = forgotten(repo)
    assert told.packed > 0
    assert told.reachable == 0
    left = traces(repo, WORDS)
    assert left != []
    assert all(place.startswith("object ") for place in left)
    repo.git("gc", "-q", "--prune=now")
    assert traces(repo, WORDS) == []
    assert_at_rest(repo, repo.path / STORE)


def _stash(repo: Repo) -> None:
    repo.git("stash", "-a")


def _unstash(repo: Repo) -> None:
    repo.git("stash", "drop")


def _commit(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.git("add", "-f", ".klide")
    repo.git("commit", "-q", "-m", "Track what should not be tracked")
    repo.git("rm", "-q", "-r", "--cached", ".klide")
    repo.git("commit", "-q", "-m", "Untrack it")
    repo.git("checkout", "-q", "main")


def _uncommit(repo: Repo) -> None:
    repo.git("branch", "-q", "-D", "topic")
    repo.git("reflog", "expire", "--expire=all", "--all")


def _stage(repo: Repo) -> None:
    repo.git("add", "-f", f"{STORE}/{SECRET}.md")


def _unstage(repo: Repo) -> None:
    repo.git("rm", "-q", "--cached", f"{STORE}/{SECRET}.md")


def _copy(repo: Repo) -> None:
    repo.commit("A copy elsewhere", {"docs/copy.md": file_of(repo, SECRET).read_bytes()})


def _uncopy(repo: Repo) -> None:
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("reflog", "expire", "--expire=all", "--all")


def _backup(repo: Repo) -> None:
    repo.git("branch", "backup", REF)


def _unbackup(repo: Repo) -> None:
    repo.git("branch", "-q", "-D", "backup")


HELD: Mapping[str, tuple[Callable[[Repo], None], Callable[[Repo], None]]] = {
    "a stash": (_stash, _unstash),
    "a branch": (_commit, _uncommit),
    "an index": (_stage, _unstage),
    "a copy": (_copy, _uncopy),
    "a branch of the history itself": (_backup, _unbackup),
}


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
@pytest.mark.parametrize("name", HELD)
def test_what_a_person_holds_is_told_and_never_touched(repo: Repo, name: str, *, packed: bool) -> None:
    hold, let_go = HELD[name]
    remember(repo, "Keep", "kept")
    remember(repo, TITLE, "hunter1")
    hold(repo)
    if packed:
        repo.git("gc", "-q")
    # All but the history of entries is the person's.
    theirs = (
        "rev-list",
        "--objects",
        "--no-object-names",
        "--exclude=refs/mem/*",
        "--all",
        "--reflog",
        "--indexed-objects",
    )
    before = set(repo.git(*theirs).out.split())
    told = forgotten(repo)
    assert told.reachable > 0
    assert set(repo.git(*theirs).out.split()) == before <= objects(repo).keys()
    repo.git("fsck", "--strict")
    left = traces(repo, ["hunter"])
    assert left
    assert all(place.startswith(("object ", "main/docs/copy.md")) for place in left)
    # A copy under another name is known by its content, and that is known only once.
    assert forgotten(repo).reachable == (0 if name == "a copy" else 1)
    let_go(repo)
    repo.git("gc", "-q", "--prune=now")
    assert traces(repo, WORDS) == []
    repo.git("fsck", "--strict")


def test_what_was_let_go_is_removed_by_forgetting_it_again(repo: Repo) -> None:
    remember(repo, "Keep", "kept")
    remember(repo, TITLE, "hunter1")
    _stash(repo)
    assert forgotten(repo).reachable > 0
    _unstash(repo)
    assert forgotten(repo).removed > 0
    assert traces(repo, WORDS) == []
    repo.git("fsck", "--strict")


@pytest.mark.parametrize("history", ["true", "false"])
def test_of_a_tracked_store_it_is_told_that_commits_hold_the_text(repo: Repo, history: str) -> None:
    repo.git("config", "mem.history", history)
    assert repo.mem("init", "--track").code == 0
    remember(repo, "Keep")
    remember(repo, TITLE, "hunter1")
    repo.git("add", ".klide")
    repo.git("commit", "-q", "-m", "Entries")
    head = repo.rev()
    told = forgotten(repo)
    assert told.reachable > 0
    assert (repo.rev(), repo.git("status", "--short").out) == (head, f" D {STORE}/{SECRET}.md\n")
    assert not file_of(repo, SECRET).exists()
    repo.git("fsck", "--strict")
    repo.git("commit", "-q", "-a", "-m", "Forget one")
    assert forgotten(repo).reachable == 1


def test_remotes_are_named(repo: Repo) -> None:
    remember(repo, TITLE)
    repo.git("remote", "add", "upstream", "https://example.com/upstream")
    repo.git("remote", "add", "fork", "https://example.com/fork")
    assert forgotten(repo).remotes == ("fork", "upstream")


def test_what_still_names_it_is_told(repo: Repo) -> None:
    remember(repo, TITLE, "hunter1")
    remember(repo, "Sees it", f"See {SECRET}.", minute=1)
    remember(repo, TITLE, "the second of that name")
    remember(repo, "Sees the other", f"See {SECRET}-2.", minute=2)
    for name in (f"{SECRET}.md~", f".{SECRET}.md.swp", f"{SECRET}-2.md~"):
        repo.write(f"{STORE}/{name}", "hunter")
    told = forgotten(repo)
    assert told.mentioned == ("2026-01-01-0001-sees-it",)
    assert told.left == (f"{STORE}/.{SECRET}.md.swp", f"{STORE}/{SECRET}.md~")
    assert told.copies == ()


def test_the_same_text_under_another_name_is_told_and_is_an_entry_of_its_own(repo: Repo) -> None:
    remember(repo, "Keep")
    remember(repo, TITLE, "hunter1")
    file_of(repo, SECRET).rename(file_of(repo, "renamed"))
    remember(repo, "Later", minute=1)
    (repo.path / STORE / "alias.md").symlink_to("renamed.md")
    told = forgotten(repo, "renamed")
    assert told.copies == (SECRET, "alias")
    assert not file_of(repo, "renamed").exists()
    told = forgotten(repo, *told.copies)
    assert (told.copies, told.left, told.packed, told.reachable) == ((), (), 0, 0)
    assert traces(repo, [*WORDS, "renamed"]) == []
    assert_at_rest(repo, repo.path / STORE)


# Damage


def _spoil(repo: Repo, oid: str) -> None:
    path = repo.path / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(b"rubbish")


DAMAGES: Mapping[str, Callable[[Repo], object]] = {
    "no object id": lambda repo: repo.write(f".git/{REF}", "no object id\n"),
    "a blob": lambda repo: repo.write(f".git/{REF}", blob_of(repo, "x") + "\n"),
    "the newest commit": lambda repo: _spoil(repo, repo.rev(REF)),
    "the newest tree": lambda repo: _spoil(repo, repo.rev(f"{REF}^{{tree}}")),
    "an older commit": lambda repo: _spoil(repo, repo.rev(f"{REF}~")),
    "an older tree": lambda repo: _spoil(repo, repo.rev(f"{REF}~^{{tree}}")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_history_does_not_keep_the_file_and_is_told(repo: Repo, damage: str) -> None:
    remember(repo, "Keep", "kept")
    remember(repo, TITLE, "hunter1")
    remember(repo, "Later", minute=1)
    DAMAGES[damage](repo)
    told = forgotten(repo)
    assert any(line.startswith(f"{REF}: ") for line in told.unread)
    assert not file_of(repo, SECRET).exists()
    assert {one.id for one in workspace(repo).contents.entries} == {
        "2026-01-01-0000-keep",
        "2026-01-01-0001-later",
    }
    assert json.dumps(told.unread).count(str(repo.path)) == 0
    forgotten(repo)


def test_a_damaged_object_of_somebody_elses_stops_nothing(repo: Repo) -> None:
    remember(repo, TITLE, "hunter1")
    _spoil(repo, blob_of(repo, "somebody else's"))
    assert without_count(forgotten(repo)) == CLEAN
    assert not file_of(repo, SECRET).exists()


# Afterwards


def test_its_id_is_not_given_again_and_a_file_that_is_put_back_is_inert(repo: Repo) -> None:
    remember(repo, TITLE, "hunter1")
    data = file_of(repo, SECRET).read_bytes()
    forgotten(repo)
    file_of(repo, SECRET).write_bytes(data)
    assert list_entries(workspace(repo), kinds=(), states=tuple(ReviewState)).entries == ()
    assert search(workspace(repo), ["hunter1"], Request()).hits == ()
    reason = "it was forgotten: remove the file, or give it another name"
    for found in (status(workspace(repo)).invalid, check(workspace(repo), ()).invalid):
        assert [(one.file, one.reason) for one in found] == [(f"{SECRET}.md", reason)]
    for act in (
        lambda: confirm(workspace(repo), [SECRET], at_terminal=False),
        lambda: remember(repo, "Taker", supersedes=SECRET),
        lambda: restore(workspace(repo), [SECRET], dry_run=False),
    ):
        with pytest.raises(GitMemError, match="forgotten"):
            act()
    assert remember(repo, TITLE) == f"{SECRET}-2"
    assert at_tip(repo).keys() == {f"{SECRET}-2.md"}
    forgotten(repo)
    assert not file_of(repo, SECRET).exists()
    assert traces(repo, ["hunter"]) == []


def test_a_clone_that_is_told_of_the_digest_by_the_history_has_it_there(repo: Repo) -> None:
    remember(repo, "Keep")
    remember(repo, TITLE)
    forgotten(repo)
    remember(repo, "Later", minute=1)
    other = remember(repo, "Other secret", minute=2)
    forgotten(repo, other)
    digests = repo.git("ls-tree", "--name-only", f"{REF}:.forgotten").out.split()
    assert digests == sorted(hashlib.sha256(ident.encode()).hexdigest() for ident in (SECRET, other))
    assert (repo.path / ".git/mem/forgotten").read_text(encoding="ascii").split() == digests


def test_another_repository_with_the_same_entry_keeps_it(world: World) -> None:
    one, other = with_commit(world.repo("one")), with_commit(world.repo("other"))
    for repo in (one, other):
        remember(repo, TITLE, "hunter1")
    forgotten(one)
    assert traces(one, WORDS, one.path) == []
    assert b"hunter1" in file_of(other, SECRET).read_bytes()
    assert_at_rest(other, other.path / STORE)
