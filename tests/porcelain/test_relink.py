"""`git mem relink`: what follows its evidence, what stays as it is, and what is written."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from program import entry, put
from remembered import TEXT, file_of, judged, only_line, reasons, refs_of, remember, state, workspace
from world import Repo, World

from gitmem.entry.model import ReviewState, SourceRef
from gitmem.porcelain.reanchor import read_for_rewrite, with_state, write_all
from gitmem.porcelain.relink import Relinked, relink
from gitmem.store.transaction import EntryChangedError

OTHER = "".join(f"other {number}\n" for number in range(1, 13))


@dataclass(frozen=True, slots=True)
class Moved:
    """A repository in which evidence moved: the entries that cite it, and where each of them leads now."""

    repo: Repo
    entries: dict[str, str]
    leads_to: dict[str, tuple[str, int | None]]


def rebased(repo: Repo) -> str:
    repo.git("checkout", "-q", "-b", "rebased")
    repo.commit("To be rebased", {"rebased.txt": "one\n"})
    ident = remember(repo, "rebased", commits=["HEAD"])
    repo.git("checkout", "-q", "main")
    repo.commit("In between", {"between.txt": "x\n"})
    repo.git("rebase", "-q", "main", "rebased")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--ff-only", "rebased")
    repo.git("branch", "-q", "-D", "rebased")
    return ident


def squashed(repo: Repo) -> str:
    repo.git("checkout", "-q", "-b", "squashed")
    repo.commit("One", {"one.txt": "one\n"})
    ident = remember(repo, "squashed", commits=["HEAD"])
    repo.commit("Two", {"two.txt": "two\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "squashed")
    repo.commit("Both")
    repo.git("branch", "-q", "-D", "squashed")
    return ident


def renamed(repo: Repo) -> str:
    repo.commit("Before", {"before.py": TEXT})
    ident = remember(repo, "renamed", "before.py")
    repo.git("mv", "before.py", "after.py")
    repo.commit("Rename")
    return ident


def renamed_lines(repo: Repo) -> str:
    repo.commit("Before", {"lines.py": OTHER})
    ident = remember(repo, "renamed lines", "lines.py:3-5")
    repo.git("mv", "lines.py", "moved lines.py")
    repo.commit("Rename", {"moved lines.py": "top\n" + OTHER})
    return ident


def case_renamed(repo: Repo) -> str:
    repo.commit("Before", {"case.py": "case\n" + OTHER})
    ident = remember(repo, "case renamed", "case.py:3-5")
    repo.git("mv", "case.py", "Case.py")
    repo.commit("Rename")
    return ident


def shifted(repo: Repo) -> str:
    repo.commit("Before", {"shifted.py": "shifted\n" + OTHER})
    ident = remember(repo, "shifted", "shifted.py:3-5")
    repo.commit("Above", {"shifted.py": "new\nnew\nshifted\n" + OTHER})
    return ident


MAKERS: dict[str, Callable[[Repo], str]] = {
    "rewritten": rebased,
    "squashed": squashed,
    "renamed": renamed,
    "renamed lines": renamed_lines,
    "case-renamed": case_renamed,
    "lines-moved": shifted,
}


def build(root: Path) -> Moved:
    repo = World(root).repo()
    repo.commit("Start", {"README.md": "read me\n"})
    assert repo.mem("init").code == 0
    entries = {name: make(repo) for name, make in MAKERS.items()}
    found = {
        line.split(" ", 1)[1]: line.split(" ", 1)[0] for line in repo.git("log", "--format=%H %s").out.splitlines()
    }
    leads_to = {
        "rewritten": (found["To be rebased"], None),
        "squashed": (found["Both"], None),
        "renamed": ("after.py", None),
        "renamed lines": ("moved lines.py", 4),
        "case-renamed": ("Case.py", 3),
        "lines-moved": ("shifted.py", 5),
    }
    return Moved(repo, entries, leads_to)


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Moved:
    """Evidence of every sort that moved. Not to be changed."""
    return build(tmp_path_factory.mktemp("moved"))


def followed(repo: Repo, *idents: str, dry_run: bool = False) -> Relinked:
    return relink(workspace(repo), idents, dry_run=dry_run)


def test_what_only_moved_is_followed_and_stands_as_cited_afterwards(tmp_path: Path) -> None:
    moved = build(tmp_path)
    ids = list(moved.entries.values())
    before = {name: reasons(moved.repo, ident) for name, ident in moved.entries.items()}
    assert before == {name: [name.removesuffix(" lines")] for name in MAKERS}
    shown = followed(moved.repo, dry_run=True)
    found = followed(moved.repo)
    assert (found.entries, shown.dry_run, found.dry_run) == (shown.entries, True, False)
    assert sorted(one.id for one in found.entries) == sorted(ids)
    for name, ident in moved.entries.items():
        (now,) = refs_of(moved.repo, ident)
        assert (now.id, now.line_start) == moved.leads_to[name], name
        expected = "reachable" if now.source_type == "commit" else "unchanged"
        assert (reasons(moved.repo, ident), judged(moved.repo, ident).verdict) == ([expected], "current")
    assert followed(moved.repo).entries == ()


def test_an_anchor_is_what_a_person_would_cite_now(tmp_path: Path) -> None:
    moved = build(tmp_path)
    followed(moved.repo)
    for name, citation in {
        "renamed": "after.py",
        "renamed lines": "moved lines.py:4-6",
        "case-renamed": "Case.py:3-5",
        "lines-moved": "shifted.py:5-7",
    }.items():
        again = remember(moved.repo, f"{name} again", citation)
        assert refs_of(moved.repo, moved.entries[name]) == refs_of(moved.repo, again)


def test_a_dry_run_writes_nothing(moved: Moved) -> None:
    before = state(moved.repo.path)
    assert len(followed(moved.repo, dry_run=True).entries) == len(MAKERS)
    assert state(moved.repo.path) == before


def test_only_named_entries_are_looked_at(moved: Moved) -> None:
    ident = moved.entries["renamed"]
    assert [one.id for one in followed(moved.repo, ident, dry_run=True).entries] == [ident]


def test_a_linked_worktree_finds_the_same(moved: Moved) -> None:
    linked = moved.repo.worktree("linked", "--detach")
    assert followed(linked, dry_run=True) == followed(moved.repo, dry_run=True)
    moved.repo.git("worktree", "remove", linked.path)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with one commit and a store; each test has files and entries of its own in it."""
    repo = World(tmp_path_factory.mktemp("relink")).repo()
    repo.commit("Start", {"README.md": "read me\n"})
    assert repo.mem("init").code == 0
    return repo


def test_a_linked_worktree_writes_into_the_one_store(shop: Repo) -> None:
    shop.commit("Before", {"there.py": TEXT})
    ident = remember(shop, "Moves in a linked worktree", "there.py:3-5")
    linked = shop.worktree("linked", "--detach")
    linked.commit("Above", {"there.py": "new\n" + TEXT})
    followed(linked, ident)
    assert [(ref.line_start, ref.line_end) for ref in refs_of(shop, ident)] == [(4, 6)]
    assert (reasons(linked, ident), reasons(shop, ident)) == (["unchanged"], ["lines-moved"])


def test_what_is_stale_stays_and_what_moved_beside_it_is_followed(shop: Repo) -> None:
    shop.commit("Before", {"moves.py": TEXT, "changes.py": OTHER})
    ident = remember(shop, "Half moved", "changes.py:3-5", "moves.py:3-5")
    stale, _ = refs_of(shop, ident)
    shop.commit("After", {"moves.py": "new\n" + TEXT, "changes.py": OTHER.replace("other 4\n", "else\n")})
    (one,) = followed(shop, ident).entries
    assert [change.before.path for change in one.changed] == ["moves.py"]
    assert refs_of(shop, ident)[0] == stale
    assert (reasons(shop, ident), judged(shop, ident).verdict) == (["lines-changed", "unchanged"], "stale")


def test_a_file_that_was_renamed_and_edited_is_stale_and_stays(shop: Repo) -> None:
    shop.commit("Before", {"renamed-edited.py": TEXT})
    ident = remember(shop, "Renamed and edited", "renamed-edited.py:3-5")
    shop.git("mv", "renamed-edited.py", "edited.py")
    shop.commit("After", {"edited.py": TEXT.replace("line 4\n", "line four\n")})
    before = file_of(shop, ident).read_bytes()
    assert followed(shop, ident).entries == ()
    assert file_of(shop, ident).read_bytes() == before


def test_lines_that_stand_in_several_places_lead_nowhere(shop: Repo) -> None:
    shop.commit("Before", {"twice.py": "a\nb\ncited\nc\n"})
    ident = remember(shop, "Twice", "twice.py:3")
    shop.commit("After", {"twice.py": "x\ncited\nx\nx\ncited\nx\n"})
    assert reasons(shop, ident) == ["lines-ambiguous"]
    assert followed(shop, ident).entries == ()


@pytest.mark.parametrize("was", list(ReviewState))
def test_the_state_of_an_entry_stays_whatever_it_is(shop: Repo, was: ReviewState) -> None:
    name = f"is-{was}"
    shop.commit("Before", {f"{name}.py": TEXT})
    ref = refs_of(shop, remember(shop, name, f"{name}.py:3-5"))
    put(shop.path / ".klide/memory", entry(name, review_state=was, source_refs=ref))
    shop.commit("After", {f"{name}.py": "new\n" + TEXT})
    before = file_of(shop, name).read_bytes()
    followed(shop, name)
    now = file_of(shop, name).read_bytes()
    line = only_line(now, "sourceRefs")
    assert now == before.replace(only_line(before, "sourceRefs"), line)
    assert b'"lineStart":4,"lineEnd":6' in line


def test_entries_that_do_not_count_are_looked_at_only_when_named(shop: Repo) -> None:
    shop.commit("Before", {"inactive.py": TEXT})
    ref = refs_of(shop, remember(shop, "inactive", "inactive.py:3-5"))
    store = shop.path / ".klide/memory"
    put(store, entry("inactive-pointed-at", source_refs=ref), entry("points", supersedes="inactive-pointed-at"))
    shop.commit("After", {"inactive.py": "new\n" + TEXT})
    found = {one.id for one in followed(shop, dry_run=True).entries}
    assert "inactive-pointed-at" not in found
    (one,) = followed(shop, "inactive-pointed-at").entries
    assert one.id == "inactive-pointed-at"
    # Superseded by the other one's pointer, and not by anything in its own file.
    assert b"reviewState: reviewed" in file_of(shop, "inactive-pointed-at").read_bytes()


def test_a_commit_with_a_path_is_followed_in_both(shop: Repo) -> None:
    shop.commit("With a file", {"both.py": TEXT})
    cited = SourceRef(source_type="commit", id=shop.rev(), path="both.py", line_start=3, line_end=5)
    put(shop.path / ".klide/memory", entry("both", source_refs=(cited,)))
    shop.git("commit", "-q", "--amend", "-m", "With a file, told better")
    after = shop.rev()
    shop.git("mv", "both.py", "both moved.py")
    shop.commit("Rename", {"both moved.py": "new\n" + TEXT})
    followed(shop, "both")
    (now,) = refs_of(shop, "both")
    assert (now.id, now.path, now.line_start, now.line_end) == (after, "both moved.py", 4, 6)
    assert (reasons(shop, "both"), judged(shop, "both").verdict) == (["reachable"], "current")


def test_two_names_of_one_file_are_followed_together(shop: Repo) -> None:
    shop.commit("Before", {"named.py": TEXT})
    ident = remember(shop, "Has a second name", "named.py:3-5")
    file_of(shop, "second-name").symlink_to(file_of(shop, ident).name)
    shop.commit("After", {"named.py": "new\n" + TEXT})
    try:
        followed(shop)
        assert reasons(shop, ident) == ["unchanged"]
    finally:
        file_of(shop, "second-name").unlink()


def test_nothing_to_do_writes_nothing(shop: Repo) -> None:
    ident = remember(shop, "Stands where it stood", "README.md", commits=["HEAD"])
    before = state(shop.path)
    assert followed(shop, ident).entries == ()
    assert state(shop.path) == before


def test_an_entry_that_another_writer_changed_meanwhile_is_left_to_it(shop: Repo) -> None:
    shop.commit("Before", {"raced.py": TEXT})
    ident = remember(shop, "Raced", "raced.py:3-5")
    here = workspace(shop)
    rewrite = read_for_rewrite(here, ident)
    (ref,) = refs_of(shop, remember(shop, "raced again", "raced.py:4-6"))
    rewrites = [with_state(rewrite, rewrite.state, [ref])]
    theirs = file_of(shop, ident).read_bytes() + b"\n# Notes\n\nBy somebody else.\n"
    file_of(shop, ident).write_bytes(theirs)
    with pytest.raises(EntryChangedError, match="changed meanwhile, so nothing was written: run it again"):
        write_all(here, "relink", rewrites)
    assert file_of(shop, ident).read_bytes() == theirs
