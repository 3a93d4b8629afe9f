"""`git mem supersede` and `add --supersedes`: who takes whose place, what of the files changes, and what is refused."""

import os
import stat
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import entry, put
from remembered import NOW, file_of, workspace
from world import Repo, World, listing

from gitmem.entry.edit import set_field
from gitmem.entry.model import Entry, ReviewState, SourceRef
from gitmem.errors import ExitCode
from gitmem.porcelain.about import about
from gitmem.porcelain.add import Proposal, ReviewBoundaryError, add
from gitmem.porcelain.check import check
from gitmem.porcelain.list import list_entries
from gitmem.porcelain.search import Request, search
from gitmem.porcelain.show import DamagedEntryError, InactiveEntryError, show
from gitmem.porcelain.status import status
from gitmem.porcelain.succession import SuccessionRefusedError, demoted, promoted, refuse_circle
from gitmem.porcelain.supersede import Superseded, supersede
from gitmem.storage.directory import FileRefusedError
from gitmem.store.read import BadIdError, UnknownEntryError
from gitmem.store.transaction import Deed, EntryChangedError
from gitmem.workspace import EndangeredStoreError, Workspace

REF = "refs/mem/store"
STORE = ".klide/memory"
ERRORS = (SuccessionRefusedError, BadIdError, UnknownEntryError, DamagedEntryError, FileRefusedError)

Take = Callable[[Workspace, str], str]


def replace(repo: Repo, old: str, new: str, key: str | None = None) -> Superseded:
    return supersede(workspace(repo), old, by=new, decision_key=key, at_terminal=False)


def by_hand(repo: Repo, ident: str, data: bytes | str) -> bytes:
    return repo.write(f"{STORE}/{ident}.md", data).read_bytes()


def with_supersede(where: Workspace, old: str) -> str:
    """Let the entry `taker`, which is there, take the place of another."""
    return supersede(where, old, by="taker", decision_key=None, at_terminal=False).new


def with_add(where: Workspace, old: str) -> str:
    """Let a new entry take the place of another."""
    return add(where, Proposal(title="Taker", supersedes=old), now=NOW, at_terminal=False).id


BOTH = pytest.mark.parametrize("take_the_place_of", [with_supersede, with_add])


def at_tip(repo: Repo) -> dict[str, bytes]:
    """Return the files that the newest recorded commit has."""
    found = {}
    for line in repo.git("ls-tree", REF).out.splitlines():
        head, _, name = line.partition("\t")
        found[name] = repo.git("cat-file", "blob", head.split()[2]).stdout
    return found


def on_disk(repo: Repo) -> dict[str, bytes]:
    return {
        path.name: os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in (repo.path / STORE).iterdir()
    }


@pytest.fixture(scope="module")
def shared_shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The repository of `shop`."""
    repo = World(tmp_path_factory.mktemp("shop")).repo()
    repo.commit("Start", {"README.md": "read me\n"})
    assert repo.mem("init").code == 0
    return repo


@pytest.fixture
def shop(shared_shop: Repo) -> Repo:
    """A repository with one commit and an empty store, which each test fills for itself."""
    for path in (shared_shop.path / STORE).iterdir():
        path.unlink()
    shared_shop.git("update-ref", "-d", REF)
    return shared_shop


# One takes the place of the other


def test_both_files_change_in_one_line_each_and_in_one_commit(repo: Repo) -> None:
    put(repo.path / STORE, entry("old"), entry("new"), entry("bystander"))
    add(workspace(repo), Proposal(title="First"), now=NOW, at_terminal=False)
    before = on_disk(repo)
    assert replace(repo, "old", "new") == Superseded("old", "new")
    after = on_disk(repo)
    assert {name for name in after if after[name] != before[name]} == {"old.md", "new.md"}
    assert after["old.md"] == before["old.md"].replace(b"reviewState: reviewed", b"reviewState: superseded")
    assert after["new.md"] == before["new.md"].replace(b"\n---\n", b"\nsupersedes: old\n---\n")
    told = repo.git("log", "-1", "--format=%s%n%(trailers:key=Mem-Head,valueonly)", REF).out.split("\n")
    assert told[:2] == ["supersede old", repo.rev()]
    changed = repo.git("diff-tree", "-r", "--name-only", "--no-commit-id", REF).out.split()
    assert changed == ["new.md", "old.md"]
    assert at_tip(repo) == after
    repo.git("fsck", "--strict")


def test_a_new_entry_and_the_demotion_are_one_commit(repo: Repo) -> None:
    put(repo.path / STORE, entry("old"))
    new = with_add(workspace(repo), "old")
    changed = repo.git("diff-tree", "-r", "--name-status", "--no-commit-id", REF).out.splitlines()
    assert changed == [f"A\t{new}.md", "M\told.md"]
    assert at_tip(repo) == on_disk(repo)


def test_a_chain_grows_at_its_end(repo: Repo) -> None:
    put(repo.path / STORE, *(entry(ident) for ident in ("a", "b", "c")))
    replace(repo, "a", "b")
    replace(repo, "b", "c")
    states = {one.id: one.review_state for one in workspace(repo).contents.entries}
    assert states == {"a": ReviewState.SUPERSEDED, "b": ReviewState.SUPERSEDED, "c": ReviewState.REVIEWED}


def test_from_a_linked_worktree_the_main_store_is_written_and_the_head_is_that_worktrees(repo: Repo) -> None:
    put(repo.path / STORE, entry("old"), entry("new"))
    feature = repo.worktree("feature")
    head = feature.commit("Elsewhere")
    replace(feature, "old", "new")
    assert b"reviewState: superseded" in file_of(repo, "old").read_bytes()
    assert not (feature.path / ".klide").exists()
    assert repo.git("log", "-1", "--format=%(trailers:key=Mem-Head,valueonly)", REF).out.strip() == head


def test_with_history_switched_off_only_the_files_change(repo: Repo) -> None:
    repo.git("config", "mem.history", "false")
    put(repo.path / STORE, entry("old"), entry("new"))
    replace(repo, "old", "new")
    assert b"reviewState: superseded" in file_of(repo, "old").read_bytes()
    assert repo.git("for-each-ref", "refs/mem").out == ""


def test_an_edit_by_hand_of_either_is_recorded_first_and_kept(repo: Repo) -> None:
    put(repo.path / STORE, entry("old"), entry("new"))
    add(workspace(repo), Proposal(title="First"), now=NOW, at_terminal=False)
    with file_of(repo, "new").open("ab") as stream:
        stream.write(b"\nBy hand.\n")
    replace(repo, "old", "new")
    assert repo.git("log", "-2", "--format=%s", REF).out.splitlines() == ["supersede old", "edit by hand new"]
    assert file_of(repo, "new").read_bytes().endswith(b"\nBy hand.\n")
    assert at_tip(repo) == on_disk(repo)


# What of a file changes

BY_HAND = """---
# why: see the retro
schemaVersion: 1
title: 'Old'   # keep the quotes
x-team: [core,  edge]
reviewState:  STATE # agreed
myKey: {x: 1}
---
trailing   \n\n\nreviewState: reviewed
"""
IN_PLACE: Mapping[str, str] = {
    "as the tool writes it": "---\nschemaVersion: 1\ntitle: Old\nreviewState: STATE\n---\n\nreviewState: reviewed\n",
    "by hand": BY_HAND,
    "in double quotes": '---\nschemaVersion: 1\n"reviewState": "STATE"\n---\n',
    "in single quotes": "---\nschemaVersion: 1\nreviewState: 'STATE'\n---\n",
    "without a final line end": "---\nschemaVersion: 1\nreviewState: STATE\n---\nno end",
    "frontmatter alone, without a final line end": "---\nreviewState: STATE\n---",
    "after a byte order mark": "\ufeff---\nreviewState: STATE\n---\nx\n",
    "with a second one in a list": "---\nreviewState: STATE\nx:\n- reviewState: reviewed\n---\n",
}
DEMOTED: Mapping[str, tuple[str, str]] = {
    **{
        name: (text.replace("STATE", "reviewed"), text.replace("STATE", "superseded"))
        for name, text in IN_PLACE.items()
    },
    "without the line": ("---\ntitle: Old\n---\n\nold\n", "---\ntitle: Old\nreviewState: superseded\n---\n\nold\n"),
    "with an empty frontmatter": ("---\n---\nold\n", "---\nreviewState: superseded\n---\nold\n"),
    "without any frontmatter": ("# Notes\n\nold", "---\nreviewState: superseded\n---\n# Notes\n\nold"),
}


@BOTH
@pytest.mark.parametrize("name", DEMOTED)
def test_a_demotion_changes_one_line_and_no_other_byte(shop: Repo, take_the_place_of: Take, name: str) -> None:
    end = "\r\n" if take_the_place_of is with_add else "\n"
    before, after = (text.replace("\n", end).encode() for text in DEMOTED[name])
    by_hand(shop, "old", before)
    file_of(shop, "old").chmod(0o640)
    put(shop.path / STORE, entry("taker"))
    take_the_place_of(workspace(shop), "old")
    assert file_of(shop, "old").read_bytes() == after
    assert stat.S_IMODE(file_of(shop, "old").stat().st_mode) == 0o640


@pytest.mark.parametrize("name", DEMOTED)
def test_the_successors_file_changes_in_its_pointer_alone(shop: Repo, name: str) -> None:
    put(shop.path / STORE, entry("former", decision_key="k"))
    before = by_hand(shop, "new", DEMOTED[name][0])
    file_of(shop, "new").chmod(0o640)
    replace(shop, "former", "new", "k")
    after = file_of(shop, "new").read_bytes()
    assert after == set_field(set_field(before, "supersedes", "former"), "decisionKey", "k")
    assert stat.S_IMODE(file_of(shop, "new").stat().st_mode) == 0o640


def test_a_link_inside_the_store_stays_one_and_the_file_that_it_means_is_demoted(repo: Repo) -> None:
    put(repo.path / STORE, entry("meant"), entry("new"))
    (repo.path / STORE / "alias.md").symlink_to("meant.md")
    replace(repo, "alias", "new")
    assert (repo.path / STORE / "alias.md").readlink().name == "meant.md"
    assert b"reviewState: superseded" in file_of(repo, "meant").read_bytes()
    assert at_tip(repo) == on_disk(repo)


def test_a_link_can_take_a_place_too(repo: Repo) -> None:
    put(repo.path / STORE, entry("old"), entry("meant"))
    (repo.path / STORE / "alias.md").symlink_to("meant.md")
    replace(repo, "old", "alias")
    assert b"\nsupersedes: old\n" in file_of(repo, "meant").read_bytes()
    assert (repo.path / STORE / "alias.md").is_symlink()
    assert at_tip(repo) == on_disk(repo)


# Decision keys


def test_a_key_is_given_to_a_successor_that_has_none(repo: Repo) -> None:
    put(repo.path / STORE, entry("old", decision_key="storage"), entry("new"))
    replace(repo, "old", "new", "storage")
    assert workspace(repo).entry("new")[0].decision_key == "storage"


@pytest.mark.parametrize("key", [None, "storage", " storage\u200b "])
def test_a_successor_that_has_the_key_needs_no_other_word(shop: Repo, key: str | None) -> None:
    put(shop.path / STORE, entry("old", decision_key="storage"), entry("new", decision_key="storage"))
    before = file_of(shop, "new").read_bytes()
    replace(shop, "old", "new", key)
    assert file_of(shop, "new").read_bytes() == before.replace(b"\n---\n", b"\nsupersedes: old\n---\n")


@pytest.mark.parametrize("key", ["", " ", "\u202e"])
def test_an_empty_key_is_none(shop: Repo, key: str) -> None:
    put(shop.path / STORE, entry("old"), entry("new"))
    replace(shop, "old", "new", key)
    assert b"decisionKey" not in file_of(shop, "new").read_bytes()


# What is refused


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A store with an entry of every sort, recorded; refusals leave it as it is."""
    repo = World(tmp_path_factory.mktemp("family")).repo()
    repo.commit("Start", {"README.md": "read me\n"})
    put(
        repo.path / STORE,
        *(entry("free"), entry("other")),
        entry("proposed", review_state=ReviewState.PROPOSED),
        entry("stale", review_state=ReviewState.STALE),
        entry("superseded", review_state=ReviewState.SUPERSEDED),
        entry("first", review_state=ReviewState.SUPERSEDED),
        entry("second", review_state=ReviewState.SUPERSEDED, supersedes="first"),
        entry("third", supersedes="second"),
        # The states of these were edited back by hand.
        *(entry("ein"), entry("zwei", supersedes="ein"), entry("drei", supersedes="zwei")),
        *(entry("keyed", decision_key="k"), entry("also-keyed", decision_key="k"), entry("o-keyed", decision_key="o")),
        *(entry("hand", supersedes="nowhere"), entry("round", supersedes="about"), entry("about", supersedes="round")),
    )
    by_hand(repo, "future", "---\nschemaVersion: 2\ntitle: Future\n---\n")
    by_hand(repo, "lore", "---\nschemaVersion: 1\nkind: lore\nreviewState: reviewed\n---\n")
    by_hand(repo, "odd", "---\nschemaVersion: 1\nkind: fact\nreviewState: agreed\n---\n")
    by_hand(repo, "latin", b"---\ntitle: Krak\xf3w\n---\n")
    by_hand(repo, "broken", "---\ntitle: a\ntitle: b\n---\n")
    by_hand(repo, "flow", "---\n{title: a}\n---\n")
    by_hand(repo, "large", "x" * (1 << 20 | 1))
    (repo.path / STORE / "directory.md").mkdir()
    (repo.path / STORE / "outside.md").symlink_to("../../README.md")
    (repo.path / STORE / "alias.md").symlink_to("other.md")
    add(workspace(repo), Proposal(title="Recorded"), now=NOW, at_terminal=False)
    return repo


INACTIVE: Mapping[str, str] = {
    "proposed": "proposed is proposed, not reviewed: say first that it holds, with `git mem confirm proposed`",
    "stale": "stale is stale, not reviewed: say first that it holds, with `git mem confirm stale`",
    "odd": "odd is stale, not reviewed: say first that it holds, with `git mem confirm odd`",
    "superseded": "superseded is superseded already: add a new entry that supersedes nothing",
    "first": "first is superseded already: third holds now",
    "second": "second is superseded already: third holds now",
    "ein": "ein is superseded already: drei holds now",
    "zwei": "zwei is superseded already: drei holds now",
    "future": "future was written by another version of git mem: use that one",
    "lore": "lore is of an unknown kind: correct its `kind` first",
}
UNUSABLE: Mapping[str, str] = {
    "2020-01-01-0000-missing": "no entry has the id '2020-01-01-0000-missing'",
    "": "'' is not the id of an entry",
    "../x": "'../x' is not the id of an entry",
    "a/b": "'a/b' is not the id of an entry",
    "free.md": "no entry has the id 'free.md'",
    "FREE": "no entry has the id 'FREE'",
    "latin": "latin.md cannot be read: not UTF-8",
    "broken": "broken.md cannot be read: duplicate key: title",
    "large": "large.md cannot be read: larger than 1024 KiB",
    "directory": "directory.md cannot be read: not a regular file",
    "outside": "outside.md cannot be read: a symbolic link that leaves the store",
    "flow": "flow.md cannot be changed: its frontmatter is one {...}",
}


def refused(family: Repo, act: Callable[[], object]) -> str:
    """Return why something is refused; nothing may have changed anywhere, not even the lock file."""
    before = listing(family.world.root)
    with pytest.raises(ERRORS) as caught:
        act()
    assert caught.value.exit_code is ExitCode.FATAL
    assert listing(family.world.root) == before
    return caught.value.message


@pytest.mark.parametrize(("ident", "told"), [*INACTIVE.items(), *UNUSABLE.items()])
def test_who_does_not_hold_cannot_be_superseded(family: Repo, ident: str, told: str) -> None:
    assert told in refused(family, lambda: replace(family, ident, "free"))
    proposal = Proposal(title="Taker", supersedes=ident)
    assert told in refused(family, lambda: add(workspace(family), proposal, now=NOW, at_terminal=False))


@pytest.mark.parametrize(("ident", "told"), [*INACTIVE.items(), *UNUSABLE.items()])
def test_who_does_not_hold_supersedes_nobody(family: Repo, ident: str, told: str) -> None:
    assert told in refused(family, lambda: replace(family, "free", ident))


@pytest.mark.parametrize(
    ("old", "new", "key", "told"),
    [
        ("keyed", "free", None, "keyed has the decisionKey 'k', and the new entry has none: give the same one"),
        ("keyed", "free", "", "keyed has the decisionKey 'k', and the new entry has none: give the same one"),
        ("keyed", "free", "K", "keyed has the decisionKey 'k', not 'K': give the same one with --decision-key"),
        ("keyed", "o-keyed", None, "keyed has the decisionKey 'k', not 'o': give the same one with --decision-key"),
        ("keyed", "o-keyed", "k", "o-keyed has the decisionKey 'o', not 'k': leave --decision-key out"),
        ("free", "other", "k", "free has no decisionKey, but the new entry has 'k': leave it out, or give free the"),
        ("free", "keyed", None, "free has no decisionKey, but the new entry has 'k': leave it out, or give free the"),
    ],
)
def test_a_key_must_be_the_same(family: Repo, old: str, new: str, key: str | None, told: str) -> None:
    assert told in refused(family, lambda: replace(family, old, new, key))


@pytest.mark.parametrize(
    ("old", "key", "told"),
    [
        ("keyed", None, "keyed has the decisionKey 'k', and the new entry has none: give the same one"),
        ("keyed", "", "keyed has the decisionKey 'k', and the new entry has none: give the same one"),
        ("keyed", "other", "keyed has the decisionKey 'k', not 'other': give the same one with --decision-key"),
        ("free", "k", "free has no decisionKey, but the new entry has 'k': leave it out, or give free the same first"),
    ],
)
def test_a_new_entry_must_have_the_same_key(family: Repo, old: str, key: str | None, told: str) -> None:
    proposal = Proposal(title="Taker", supersedes=old, decision_key=key)
    assert told in refused(family, lambda: add(workspace(family), proposal, now=NOW, at_terminal=False))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("free", "free", "free cannot supersede itself: name another entry"),
        ("other", "alias", "alias and other are one file with two names: name another entry"),
        ("alias", "other", "other and alias are one file with two names: name another entry"),
        ("second", "first", "a circle: add a new one that supersedes second"),
        ("third", "first", "first was superseded itself on the way to that entry: a circle"),
        ("drei", "ein", "ein was superseded itself on the way to that entry: a circle"),
        ("drei", "zwei", "zwei was superseded itself on the way to that entry: a circle"),
        ("free", "third", "third supersedes second already, and an entry takes one place only: add a new one"),
        ("free", "hand", "hand supersedes nowhere already, and an entry takes one place only: add a new one"),
        ("second", "third", "second is superseded already: third holds now"),
        ("zwei", "drei", "zwei is superseded already: drei holds now"),
    ],
)
def test_a_place_is_taken_once_and_never_in_a_circle(family: Repo, old: str, new: str, told: str) -> None:
    assert told in refused(family, lambda: replace(family, old, new))


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("abcdef")),
    st.sampled_from("abcdef"),
    st.sampled_from("abcdef"),
)
def test_a_circle_is_refused_and_nothing_else(pointers: dict[str, str], new: str, old: str) -> None:
    reached = {old}
    while (ends := {pointers[one] for one in reached if one in pointers}) - reached:
        reached |= ends
    try:
        refuse_circle([entry(one, supersedes=target) for one, target in pointers.items()], new, old)
    except SuccessionRefusedError:
        assert new in reached
    else:
        assert new not in reached


def test_with_the_boundary_at_the_terminal_only_a_person_there_supersedes(repo: Repo) -> None:
    put(repo.path / STORE, entry("old"), entry("new"))
    repo.git("config", "mem.reviewBoundary", "terminal")
    before = listing(repo.path)
    with pytest.raises(ReviewBoundaryError, match="only a person at a terminal may supersede an entry: run this there"):
        replace(repo, "old", "new")
    assert listing(repo.path) == before
    assert supersede(workspace(repo), "old", by="new", decision_key=None, at_terminal=True).new == "new"


@BOTH
def test_a_store_that_a_checkout_could_overwrite_is_not_written(repo: Repo, take_the_place_of: Take) -> None:
    assert repo.mem("init").code == 0
    put(repo.path / STORE, entry("old"), entry("taker"))
    repo.commit("Track it all the same", {f"{STORE}/old.md": file_of(repo, "old").read_bytes()})
    before = listing(repo.path)
    with pytest.raises(EndangeredStoreError, match="a checkout could overwrite it"):
        take_the_place_of(workspace(repo), "old")
    assert listing(repo.path) == before


@BOTH
def test_of_two_at_once_one_wins_and_the_other_is_told_who(repo: Repo, take_the_place_of: Take) -> None:
    put(repo.path / STORE, *(entry(ident) for ident in ("old", "winner", "taker")))
    slow = workspace(repo)
    assert slow.contents.entries
    replace(repo, "old", "winner")
    before = on_disk(repo)
    with pytest.raises(SuccessionRefusedError, match="old is superseded already: winner holds now"):
        take_the_place_of(slow, "old")
    assert on_disk(repo) == before == at_tip(repo)


def test_what_changes_after_it_was_read_is_not_overwritten(repo: Repo) -> None:
    put(repo.path / STORE, entry("old"), entry("new"))
    add(workspace(repo), Proposal(title="First"), now=NOW, at_terminal=False)
    slow = workspace(repo)
    with slow.writing():
        changes = [promoted(slow, "new", "old", None)[0], demoted(slow, "old", None)]
        file_of(repo, "old").write_bytes(b"typed in this instant\n")
        before = on_disk(repo)
        with pytest.raises(EntryChangedError, match="old changed meanwhile, so nothing was written"):
            slow.transact(Deed(verb="supersede", replacements=changes))
    assert on_disk(repo) == before


# What holds afterwards


def cited(ident: str, **fields: object) -> Entry:
    return entry(ident, source_refs=(SourceRef(source_type="file", id="README.md", path="README.md"),), **fields)


def counts(repo: Repo, ident: str) -> set[str]:
    """Return which commands take an entry for one that holds."""
    found = set()
    if ident in {one.id for one in list_entries(workspace(repo), kinds=(), states=(ReviewState.REVIEWED,)).entries}:
        found.add("list")
    if ident in {hit.id for hit in search(workspace(repo), ["title"], Request(limit=20)).hits}:
        found.add("search")
    if ident in {one.entry.id for one in check(workspace(repo), ()).entries}:
        found.add("check")
    if ident in {one.id for one in about(workspace(repo), ["README.md"]).entries}:
        found.add("about")
    try:
        assert show(workspace(repo), ident, include_inactive=False).marker is None
        found.add("show")
    except InactiveEntryError:
        pass
    return found


EVERYWHERE = {"list", "search", "check", "about", "show"}


def two_titles(repo: Repo, **fields: object) -> None:
    put(repo.path / STORE, cited("old", title="title old"), cited("new", title="title new", **fields))


@pytest.mark.parametrize("state", ["superseded", "reviewed"])
def test_whatever_its_file_says_later_the_old_one_counts_nowhere(repo: Repo, state: str) -> None:
    two_titles(repo)
    assert counts(repo, "old") == counts(repo, "new") == EVERYWHERE
    replace(repo, "old", "new")
    path = file_of(repo, "old")
    path.write_bytes(set_field(path.read_bytes(), "reviewState", state))
    assert (counts(repo, "old"), counts(repo, "new")) == (set(), EVERYWHERE)
    assert status(workspace(repo)).states == {"proposed": 0, "reviewed": 1, "superseded": 1, "stale": 0}
    with pytest.raises(InactiveEntryError, match="old is superseded by new"):
        show(workspace(repo), "old", include_inactive=False)
    assert show(workspace(repo), "old", include_inactive=True).marker == "[historical evidence: superseded]"
    with pytest.raises(SuccessionRefusedError, match="old is superseded already: new holds now"):
        with_add(workspace(repo), "old")


def test_a_pointer_by_hand_counts_as_one_of_the_tool(repo: Repo) -> None:
    two_titles(repo, supersedes="old")
    assert (counts(repo, "old"), counts(repo, "new")) == (set(), EVERYWHERE)
    with pytest.raises(SuccessionRefusedError, match="old is superseded already: new holds now"):
        replace(repo, "old", "new")


@pytest.mark.parametrize(
    "successor",
    [
        "---\nschemaVersion: 1\nkind: fact\nreviewState: proposed\nsupersedes: old\n---\n",
        "---\nschemaVersion: 2\nkind: fact\nreviewState: reviewed\nsupersedes: old\n---\n",
        "---\nschemaVersion: 1\nkind: lore\nreviewState: reviewed\nsupersedes: old\n---\n",
        "---\nschemaVersion: 1\nkind: fact\nreviewState: reviewed\nsupersedes: [old]\n---\n",
        "---\nschemaVersion: 1\nkind: fact\nreviewState: reviewed\nsupersedes: old\n",
    ],
    ids=["proposed", "future", "unknown kind", "no id", "unreadable"],
)
def test_what_nobody_reviewed_retires_nothing(repo: Repo, successor: str) -> None:
    two_titles(repo)
    by_hand(repo, "pretender", successor)
    assert counts(repo, "old") == EVERYWHERE
    replace(repo, "old", "new")
    assert counts(repo, "old") == set()


def test_a_draft_retires_nothing(repo: Repo) -> None:
    two_titles(repo)
    put(repo.path / ".klide/drafts", entry("draft", review_state=ReviewState.PROPOSED, supersedes="old"))
    assert counts(repo, "old") == EVERYWHERE
    with pytest.raises(UnknownEntryError):
        replace(repo, "old", "draft")
