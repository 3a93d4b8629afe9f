"""Forgetting, below the verb: what is mended, what still names an id, what killed writers leave, and being killed."""

import shutil
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from forgotten import REF, STORE, assert_at_rest, objects, on_disk, traces
from hypothesis import given
from hypothesis import strategies as st
from layouts import with_commit
from program import entry, put, several
from recorded import blob_of, commit_of_tree, tree_of
from remembered import NOW, file_of, workspace
from store.killed import Point, kill
from world import Repo, World

from gitmem.entry.format import format_entry
from gitmem.entry.parse import parse_entry
from gitmem.porcelain.add import Proposal, add
from gitmem.porcelain.forget import forget
from gitmem.porcelain.supersede import supersede
from gitmem.storage.journal import Journal
from gitmem.store.edits import new_edit
from gitmem.store.forgetting import Traces, find_traces, mended
from gitmem.store.salvage import texts_in

TITLE = "Zebra secret"
SECRET = "2026-01-01-0000-zebra-secret"
DECIDE = "gitmem.storage.journal:Journal.decide"


def remember(repo: Repo, title: str, notes: str = "", *, supersedes: str | None = None, minute: int = 0) -> str:
    proposal = Proposal(title=title, notes=notes, supersedes=supersedes)
    return add(workspace(repo), proposal, now=NOW + timedelta(minutes=minute), at_terminal=False).id


# Pointers


def pointer(target: str | None) -> bytes:
    return format_entry(entry("x", supersedes=target))


@pytest.mark.parametrize(
    ("target", "forget_", "after"),
    [
        ("b", {"b": "a"}, "a"),
        ("b", {"b": None}, None),
        ("b", {"c": "b"}, "b"),
        ("b-2", {"b": None}, "b-2"),
        (None, {"b": None}, None),
        ("c", {"c": "b", "b": "a"}, "a"),
        ("c", {"b": "a", "c": "b"}, "a"),
        ("c", {"c": "b", "b": None}, None),
        ("b", {"b": "b"}, None),
        ("b", {"b": "c", "c": "b"}, None),
        ("a", {"a": "b", "b": "c", "c": "b"}, None),
        ("b", {"b": "nowhere"}, "nowhere"),
    ],
)
def test_a_pointer_closes_over_what_is_forgotten(target: str, forget_: Mapping[str, str], after: str | None) -> None:
    assert mended(pointer(target), forget_) == pointer(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "---\r\nsupersedes: 'b' # c\r\nz: 1\r\n---\r\nb b\r\n",
            "---\r\nsupersedes: 'a' # c\r\nz: 1\r\n---\r\nb b\r\n",
        ),
        ("# Notes\n\nsupersedes: b\n", "# Notes\n\nsupersedes: b\n"),
        ("---\ntitle: b\n---\n", "---\ntitle: b\n---\n"),
        ("---\n{supersedes: b}\n---\n", "---\n{supersedes: a}\n---\n"),
        ("---\nschemaVersion: 2\nsupersedes: b\n---\n", "---\nschemaVersion: 2\nsupersedes: b\n---\n"),
        ("---\nsupersedes: b\n", "---\nsupersedes: b\n"),
        ("---\nsupersedes: [b]\n---\n", "---\nsupersedes: [b]\n---\n"),
    ],
)
def test_only_a_pointer_is_mended_and_only_where_the_file_can_be_read(before: str, after: str) -> None:
    assert mended(before.encode(), {"b": "a"}) == after.encode()


@pytest.mark.parametrize("text", ["---\n{supersedes: b}\n---\n", "---\n? |-\n  supersedes\n: b\n---\n"])
def test_a_pointer_in_a_form_that_cannot_be_taken_out_alone_stays(text: str) -> None:
    assert mended(text.encode(), {"b": None}) == text.encode()


IDS = st.sampled_from(["a", "b", "c", "d", "e"])


@given(st.dictionaries(IDS, st.none() | IDS), IDS)
def test_no_pointer_to_a_forgotten_entry_stays_whatever_the_chain(forget_: dict[str, str | None], target: str) -> None:
    after = parse_entry("x", mended(pointer(target), forget_), fallback_date="").supersedes
    assert after is None or after not in forget_
    reached: list[str | None] = [target]
    while reached[-1] in forget_ and len(reached) < 9:  # longer than any way that does not go round
        reached.append(forget_[str(reached[-1])])
    assert after == (None if reached[-1] in forget_ else reached[-1])
    assert mended(pointer(after), forget_) == pointer(after)


# What names it


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A store in which nothing is called `the-id` any more, and much is like it."""
    repo = with_commit(World(tmp_path_factory.mktemp("named")).repo())
    texts = {
        "says-so": "see the-id for more",
        "in-a-file-name": "see [it](the-id.md), please",
        "at-the-end": "as in the-id.",
        "in-quotes": "`the-id`",
        "followed": "the-id...",
        "number-two": "see the-id-2",
        "number-two-file": "see the-id-2.md",
        "longer": "see not-the-id",
        "dotted": "see the-id.x and x.the-id",
        "innocent": "see nothing",
    }
    put(repo.path / STORE, *(entry(ident, notes=text) for ident, text in texts.items()))
    put(repo.path / STORE, entry("points", supersedes="the-id"), entry("points-2", supersedes="the-id-2"))
    repo.write(f"{STORE}/not-utf8.md", b"\xff the-id")
    (repo.path / STORE / "link.md").symlink_to("the-id.md")
    (repo.path / STORE / "link-2.md").symlink_to("the-id-2.md")
    (repo.path / STORE / "link-to-says-so.md").symlink_to("says-so.md")
    for name in ("the-id.md~", ".the-id.md.swp", "#the-id.md#", "the-id.md.orig", "the-id copy.md", "4913", ".hidden"):
        repo.write(f"{STORE}/{name}", "")
    for name in ("the-id-2.md~", ".the-id-2.md.swp", "not-the-id.md~", "the-ident.md~"):
        repo.write(f"{STORE}/{name}", "")
    repo.write(".klide/drafts/the-id.md.bak", "")
    return repo


def test_what_names_an_id_is_told_and_not_what_is_like_it(named: Repo) -> None:
    found = find_traces(workspace(named).place, ["the-id", "another"])
    assert found == Traces(
        mentioned=(
            *("at-the-end", "followed", "in-a-file-name", "in-quotes"),
            *("link-to-says-so", "not-utf8", "points", "says-so"),
        ),
        links=("link",),
        left=(
            *(f"{STORE}/{name}" for name in ("#the-id.md#", ".the-id.md.swp", "the-id copy.md", "the-id.md.orig")),
            *(f"{STORE}/the-id.md~", ".klide/drafts/the-id.md.bak"),
        ),
    )


def test_where_there_is_no_directory_nothing_names_it(repo: Repo) -> None:
    assert find_traces(workspace(repo).place, ["x"]) == Traces((), (), ())


# What killed writers leave


def test_what_a_killed_add_left_is_removed_with_the_entry_that_was_added_afterwards(repo: Repo) -> None:
    remember(repo, "Keep")
    again = ("add", TITLE, "--date", "2026-01-01")
    kill(repo, Point(DECIDE), *again, "--notes", "hunter1")
    assert traces(repo, ["hunter1"]) != []
    remember(repo, TITLE, "hunter2")
    forget(workspace(repo), [SECRET])
    assert traces(repo, ["hunter", SECRET, TITLE]) == []


def test_a_version_that_only_a_killed_writer_recorded_is_removed_whatever_its_title(repo: Repo) -> None:
    remember(repo, TITLE, "hunter1")
    path = file_of(repo, SECRET)
    before = path.read_bytes()
    path.write_bytes(before.replace(TITLE.encode(), b"Another title").replace(b"hunter1", b"hunter2"))
    kill(repo, Point(DECIDE), "add", "Other")
    path.write_bytes(before)
    assert traces(repo, ["hunter2"]) != []
    forget(workspace(repo), [SECRET])
    assert traces(repo, ["hunter", SECRET, TITLE, "Another title"]) == []
    repo.git("fsck", "--strict")


def test_a_removal_that_only_a_killed_writer_recorded_is_removed(repo: Repo) -> None:
    remember(repo, TITLE, "hunter1")
    file_of(repo, SECRET).unlink()
    kill(repo, Point(DECIDE), "add", "Other")
    forget(workspace(repo), [SECRET])
    assert traces(repo, ["hunter", SECRET, TITLE]) == []


def test_what_was_under_construction_is_removed(repo: Repo) -> None:
    remember(repo, "Keep")
    kill(repo, Point("gitmem.storage.files:place_over"), "add", TITLE, "--date", "2026-01-01", "--notes", "hunter1")
    assert list((repo.path / ".git/mem").glob(".tmp-*"))
    assert list((repo.path / STORE).glob(".tmp-*"))
    remember(repo, TITLE, "hunter2")
    forget(workspace(repo), [SECRET])
    assert traces(repo, ["hunter", SECRET, TITLE]) == []


def test_a_damaged_journal_that_was_kept_goes_with_the_entry_that_it_names(repo: Repo) -> None:
    kill(repo, Point("gitmem.store.transaction:carry_out"), "add", TITLE, "--date", "2026-01-01", "--notes", "hunter1")
    journal = repo.path / ".git/mem/journal"
    journal.write_bytes(journal.read_bytes()[:-2])
    assert repo.mem("doctor", "--fix").code != 128
    kept = [path for path in journal.parent.iterdir() if b"hunter1" in b"".join(texts_in(path.read_bytes()))]
    assert len(kept) == 1
    other = kept[0].with_name("journal.damaged-9")
    other.write_bytes(kept[0].read_bytes().replace(SECRET.encode(), f"{SECRET}-2".encode()))
    remember(repo, TITLE, "hunter2")
    forget(workspace(repo), [SECRET])
    assert (kept[0].exists(), other.exists()) == (False, True)


def test_what_is_only_like_it_and_what_others_need_stays(repo: Repo) -> None:
    page = blob_of(repo, f"---\ntitle: {TITLE}\n---\n\nA page of somebody's web site.\n")
    told = commit_of_tree(repo, tree_of(repo, {}, trees={"src": tree_of(repo, {"x": "y"})}), f"See {SECRET}")
    lost = commit_of_tree(repo, tree_of(repo, {"other": "x"}), "unrelated")
    of_branches = set(repo.git("rev-list", "--objects", "--no-object-names", "--branches").out.split())
    kept = remember(repo, TITLE, "the same title", minute=1)
    remember(repo, TITLE, "hunter1")
    forget(workspace(repo), [SECRET])
    same_title = blob_of(repo, file_of(repo, kept).read_bytes())
    assert {page, told, lost, same_title, *of_branches} <= objects(repo).keys()
    assert traces(repo, ["hunter"]) == []


def test_all_histories_of_entries_are_rewritten(repo: Repo) -> None:
    remember(repo, "Keep")
    remember(repo, TITLE, "hunter1")
    remote = commit_of_tree(repo, tree_of(repo, {SECRET: "hunter2", "other": "x"}), f"add {SECRET}")
    repo.git("update-ref", "refs/mem/remotes/origin/store", remote)
    repo.git("update-ref", "refs/mem/only-it", commit_of_tree(repo, tree_of(repo, {SECRET: "hunter3"}), "x"))
    forget(workspace(repo), [SECRET])
    assert traces(repo, ["hunter", SECRET]) == []
    assert repo.git("for-each-ref", "--format=%(refname)", "refs/mem").out.split() == [
        "refs/mem/remotes/origin/store",
        REF,
    ]
    assert repo.git("ls-tree", "--name-only", "refs/mem/remotes/origin/store").out.split() == ["other.md"]


# Being killed


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository in which an entry has left its traces everywhere."""
    repo = with_commit(World(tmp_path_factory.mktemp("template")).repo("main", "--template="))
    repo.git("config", "core.logAllRefUpdates", "always")
    first = remember(repo, "First", "kept")
    remember(repo, TITLE, "hunter1", supersedes=first)
    remember(repo, "Last", supersedes=SECRET, minute=1)
    with file_of(repo, SECRET).open("ab") as stream:
        stream.write(b"\nhunter2\n")
    remember(repo, "Witness", minute=2)
    put(repo.path / ".klide/drafts", entry(SECRET, notes="hunter3"), entry("draft", notes="kept"))
    new_edit(repo.path / ".git/mem", SECRET, b"hunter4")
    return repo


FORGETTING = "gitmem.store.forgetting"
POINTS = {
    "as soon as it is decided": Point(DECIDE, after=True),
    "when the digest is known": Point(f"{FORGETTING}:write_forgotten", after=True),
    "when the file is gone and the draft is not": Point(f"{FORGETTING}:carry_on", after=True),
    "before what an edit kept is gone": Point(f"{FORGETTING}:remove_kept_edits"),
    "when the new history is there and nobody knows": Point(f"{FORGETTING}:rewrite", after=True),
    "before it is known which objects are to go": Point(DECIDE, number=2),
    "when it is known which objects are to go": Point(DECIDE, after=True, number=2),
    "when the ref has moved and its log is still there": Point(f"{FORGETTING}:move_ref", after=True),
    "before the new state is recorded": Point(f"{FORGETTING}:record_state"),
    "before the first object is gone": Point(f"{FORGETTING}:prune"),
    "when one object is gone": Point("pathlib:Path.unlink", number=6),
    "when some objects are gone": Point("pathlib:Path.unlink", number=12),
    "when the last object is gone": Point(f"{FORGETTING}:prune", after=True),
    "at the very end": Point("gitmem.storage.journal:Journal.finish", after=True),
}
NEXT = (["list"], ["status"], ["check"], ["add", "Next", "--date", "2026-02-01"], ["forget", SECRET, "--yes"])


@pytest.fixture
def copy(template: Repo, tmp_path: Path) -> Repo:
    """A copy of the repository, to be spoilt."""
    shutil.copytree(template.path, tmp_path / "main", symlinks=True)
    return Repo(World(tmp_path), tmp_path / "main")


@pytest.mark.parametrize(("name", "following"), [(name, NEXT[at % len(NEXT)]) for at, name in enumerate(POINTS)])
def test_killed_anywhere_it_is_carried_on_by_whatever_comes_next(copy: Repo, name: str, following: list[str]) -> None:
    kill(copy, POINTS[name], "forget", SECRET, "--yes")
    done = several(copy, following)
    assert "fatal" not in done.err, done
    assert SECRET not in done.out.replace(f"forgot {SECRET}\n", "")
    gone(copy)


def gone(repo: Repo) -> None:
    """Assert that nothing of the entry is left, and all of the others."""
    assert traces(repo, ["hunter", SECRET, TITLE]) == []
    assert Journal(repo.path / ".git/mem").pending() is None
    assert_at_rest(repo, repo.path / STORE)
    last = parse_entry("x", on_disk(repo.path / STORE)["2026-01-01-0001-last.md"], fallback_date="")
    assert last.supersedes == "2026-01-01-0000-first"
    assert (repo.path / ".klide/drafts/draft.md").exists()
    subjects = repo.git("log", "--reverse", "--format=%s", REF).out.splitlines()
    assert subjects[0] == "add 2026-01-01-0000-first"
    assert "add 2026-01-01-0002-witness" in subjects
    assert "forget" in subjects


def test_who_carries_it_on_can_be_killed_too(copy: Repo) -> None:
    kill(copy, POINTS["as soon as it is decided"], "forget", SECRET, "--yes")
    kill(copy, Point(DECIDE, after=True), "list")
    kill(copy, POINTS["when the ref has moved and its log is still there"], "check")
    kill(copy, POINTS["when one object is gone"], "add", "Next")
    several(copy, ["status"])
    gone(copy)


def test_killed_before_it_is_decided_nothing_has_happened(copy: Repo) -> None:
    before = on_disk(copy.path / STORE)
    kill(copy, Point(DECIDE), "forget", SECRET, "--yes")
    assert several(copy, ["show", SECRET, "--include-inactive"]).err == ""
    assert on_disk(copy.path / STORE) == before
    assert (copy.path / f".klide/drafts/{SECRET}.md").exists()
    assert_at_rest(copy, copy.path / STORE)


def test_a_pending_transaction_of_another_kind_is_not_lost_where_the_store_is_gone(copy: Repo) -> None:
    kill(copy, Point("gitmem.store.transaction:carry_out"), "add", "Next", "--date", "2026-02-01")
    shutil.rmtree(copy.path / ".klide")
    result = copy.mem("forget", SECRET, "--yes")
    assert result.code == 128
    assert "a transaction waits for it: run `git mem restore` first" in result.err
    assert copy.mem("restore").code == 0
    assert (copy.path / STORE / "2026-02-01-0000-next.md").exists()
    assert copy.mem("forget", SECRET, "--yes").code == 0
    assert traces(copy, ["hunter", SECRET, TITLE]) == []


def test_a_supersession_over_the_gap_counts(copy: Repo) -> None:
    forget(workspace(copy), [SECRET])
    states = {one.id: one.review_state for one in workspace(copy).contents.entries}
    assert states["2026-01-01-0000-first"] == "superseded"
    supersede(
        workspace(copy), "2026-01-01-0001-last", by="2026-01-01-0002-witness", decision_key=None, at_terminal=False
    )


def test_what_a_killed_writer_left_of_a_file_that_was_never_recorded_goes_too(repo: Repo) -> None:
    remember(repo, "Another")
    data = format_entry(entry(SECRET, title=TITLE, notes="by hand"))
    file_of(repo, SECRET).write_bytes(data)
    left = repo.git("hash-object", "-w", "--stdin", feed=data).line
    forget(workspace(repo), [SECRET])
    assert left not in objects(repo)
    assert_at_rest(repo, repo.path / STORE)
