"""`git mem confirm`: what is anchored anew, what of the file is touched, and what is refused."""

import json
import os
import re
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from program import entry, put
from remembered import TEXT, file_of, findings, judged, only_line, reasons, refs_of, remember, state, workspace
from world import Repo, World

from gitmem.entry.model import Entry, ReviewState, SourceRef
from gitmem.errors import ExitCode, GitMemError
from gitmem.porcelain.add import ReviewBoundaryError
from gitmem.porcelain.confirm import Confirmed, NotConfirmableError, confirm
from gitmem.porcelain.reanchor import read_for_rewrite, with_state, write_all
from gitmem.porcelain.show import DamagedEntryError
from gitmem.store.read import BadIdError, UnknownEntryError
from gitmem.store.transaction import EntryChangedError


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with one commit and a store; each test has files and entries of its own in it."""
    repo = World(tmp_path_factory.mktemp("confirm")).repo()
    repo.commit("Start", {"README.md": "read me\n"})
    assert repo.mem("init").code == 0
    return repo


def said(repo: Repo, *idents: str) -> Confirmed:
    return confirm(workspace(repo), idents, at_terminal=False)


def line(number: int, text: str) -> str:
    return TEXT.replace(f"line {number}\n", text)


CHANGES = {
    "edited": (line(4, "line four\n"), (3, 5)),
    "edited at its begin": (line(3, "line three\n"), (3, 5)),
    "edited at its end": (line(5, "line five\n"), (3, 5)),
    "all edited": (TEXT.replace("line 3\nline 4\nline 5\n", "a\nb\nc\n"), (3, 5)),
    "grown": (line(4, "line 4\nand more\n"), (3, 6)),
    "shrunk": (line(4, ""), (3, 4)),
    "edited below new lines": ("new\nnew\n" + line(4, "line four\n"), (5, 7)),
    "edited below fewer lines": (line(4, "line four\n").replace("line 1\n", ""), (2, 4)),
    "edited above the end": (line(4, "line four\n").removesuffix("line 12\n"), (3, 5)),
    "white space": (line(4, "    line  4\n"), (3, 5)),
    "only moved": ("new\n" + TEXT, (4, 6)),
    "line ends": (TEXT.replace("\n", "\r\n"), (3, 5)),
}


@pytest.mark.parametrize(("name", "committed"), [(name, at % 2 == 0) for at, name in enumerate(CHANGES)])
def test_the_lines_that_took_the_place_of_the_cited_ones_are_cited(shop: Repo, name: str, *, committed: bool) -> None:
    now, (start, end) = CHANGES[name]
    path = f"{name} {committed}.py"
    shop.commit("Before", {path: TEXT})
    ident = remember(shop, path, f"{path}:3-5")
    shop.write(path, now)
    if committed:
        shop.commit("After", {path: now})
    expected = refs_of(shop, remember(shop, f"{path} again", f"{path}:{start}-{end}"))
    said(shop, ident)
    # What a person would cite now is the oracle: the same lines with the same anchor.
    assert refs_of(shop, ident) == expected
    assert (reasons(shop, ident), judged(shop, ident).verdict) == (["unchanged"], "current")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("whole text", TEXT, TEXT + "more\n"),
        ("whole binary", b"\0one\n", b"\0two\n"),
        ("whole white space", "if x:\n  y\n", "if x:\n    y\n"),
        ("emptied", TEXT, ""),
    ],
)
def test_a_whole_file_is_cited_as_it_is_now(shop: Repo, name: str, before: bytes | str, after: bytes | str) -> None:
    shop.commit("Before", {name: before})
    ident = remember(shop, name, name)
    shop.commit("After", {name: after})
    assert judged(shop, ident).verdict == "stale"
    (one,) = said(shop, ident).entries
    assert [(change.before.blob, change.after.blob) for change in one.changed] == [
        (shop.rev(f"HEAD~1:{name}"), shop.rev(f"HEAD:{name}"))
    ]
    assert refs_of(shop, ident)[0].commit == shop.rev()
    assert reasons(shop, ident) == ["unchanged"]


def test_a_file_that_was_renamed_and_edited_is_cited_where_it_is(shop: Repo) -> None:
    shop.commit("Before", {"old name.py": TEXT})
    ident = remember(shop, "renamed and edited", "old name.py:3-5")
    shop.git("mv", "old name.py", "new name.py")
    shop.commit("After", {"new name.py": "top\n" + line(4, "line four\n")})
    assert findings(shop, ident)[0].evidence["to"] == "new name.py"
    said(shop, ident)
    expected = refs_of(shop, remember(shop, "again", "new name.py:4-6"))
    assert refs_of(shop, ident) == expected
    assert reasons(shop, ident) == ["unchanged"]


@pytest.mark.parametrize(("start", "end"), [(None, None), (3, 5), (4, None)])
def test_a_place_without_an_anchor_gets_one(shop: Repo, start: int | None, end: int | None) -> None:
    name = f"by-hand-{start}-{end}"
    shop.commit("Before", {f"{name}.py": TEXT})
    ref = SourceRef(source_type="file", id=f"{name}.py", path=f"{name}.py", line_start=start, line_end=end)
    put(shop.path / ".klide/memory", entry(name, source_refs=(ref,)))
    assert reasons(shop, name) == ["no-baseline"]
    said(shop, name)
    assert reasons(shop, name) == ["unchanged"]
    (now,) = refs_of(shop, name)
    assert (now.blob, now.commit, now.line_start, now.line_end) == (
        shop.rev(f"HEAD:{name}.py"),
        shop.rev(),
        start,
        start if end is None else end,
    )


def test_a_commit_that_was_amended_is_followed(shop: Repo) -> None:
    before = shop.commit("To be amended", {"amended.txt": "first\n"})
    ident = remember(shop, "Cites what is amended", commits=["HEAD"])
    shop.write("amended.txt", "second\n")
    shop.git("commit", "-q", "-a", "--amend", "--no-edit")
    record = shop.path / ".git/mem/rewritten"
    record.parent.mkdir(exist_ok=True)
    record.write_text(f"{before} {shop.rev()}\n", encoding="ascii")
    assert reasons(shop, ident) == ["rewritten-changed"]
    said(shop, ident)
    assert [ref.id for ref in refs_of(shop, ident)] == [shop.rev()]
    assert reasons(shop, ident) == ["reachable"]


def test_a_commit_and_its_path_are_both_followed(shop: Repo) -> None:
    shop.commit("With a file", {"both.py": TEXT})
    cited = SourceRef(source_type="commit", id=shop.rev(), path="both.py", line_start=3, line_end=5)
    put(shop.path / ".klide/memory", entry("both", source_refs=(cited,)))
    shop.git("commit", "-q", "--amend", "-m", "With a file, told better")
    shop.commit("Change it", {"both.py": "new\n" + line(4, "line four\n")})
    assert judged(shop, "both").verdict == "stale"
    said(shop, "both")
    (now,) = refs_of(shop, "both")
    assert (now.id, now.path, now.line_start, now.line_end) == (shop.rev("HEAD~1"), "both.py", 4, 6)
    assert (reasons(shop, "both"), judged(shop, "both").verdict) == (["reachable"], "current")


def test_what_cannot_be_measured_is_left_and_told(shop: Repo) -> None:
    shop.commit("Before", {"measured.py": TEXT})
    lost = SourceRef(source_type="commit", id="deadbeef" * 5)
    run = SourceRef(source_type="run", id="run-7")
    ident = remember(shop, "Half measured", "measured.py:3-5")
    put(shop.path / ".klide/memory", entry("half", source_refs=(*refs_of(shop, ident), lost, run)))
    shop.commit("After", {"measured.py": line(4, "line four\n")})
    (one,) = said(shop, "half").entries
    assert len(one.left) == 1
    assert "no such commit" in one.left[0]
    assert refs_of(shop, "half")[1:] == (lost, run)
    assert reasons(shop, "half") == ["unchanged", "missing", "external"]


# What of the file is touched

REF = '{{"sourceType":"file","id":"{path}","x-line":3.50,"path":"{path}","lineStart":3,"lineEnd":5,"n":1e3,"y":null}}'
BY_HAND = """---
# why: see the retro
schemaVersion: 1
title: "By hand"   # keep the quotes
x-team: [core,  edge]
x-weight: 007
{state}
myOwnKey: {{x: 1}}
sourceRefs: [{ref}]  # evidence
summary: 日本語
---

# Notes

reviewState: reviewed
sourceRefs: []
trailing   \n\n\ntail"""


def by_hand(shop: Repo, name: str, state_line: str, end: str = "\n") -> bytes:
    """Commit a file, cite its lines in an entry of a form that no tool writes, and return that."""
    shop.commit("Before", {f"{name}.py": TEXT})
    ref = REF.format(path=f"{name}.py")
    data = BY_HAND.format(state=state_line, ref=ref).replace("\n", end).encode()
    file_of(shop, name).write_bytes(data)
    return data


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("reviewState: reviewed", "reviewState: reviewed"),
        ("reviewState:   'stale'   # doubted", "reviewState:   'reviewed'   # doubted"),
        ('"reviewState": "proposed"', '"reviewState": "reviewed"'),
    ],
)
def test_two_lines_of_the_file_change_and_no_other_byte(shop: Repo, before: str, after: str, end: str) -> None:
    name = f"by-hand-{len(before)}-{len(end)}"
    data = by_hand(shop, name, before, end)
    said(shop, name)
    now = file_of(shop, name).read_bytes()
    written, was = only_line(now, "sourceRefs: [{"), only_line(data, "sourceRefs: [{")
    assert now == data.replace(was, written).replace(before.encode(), after.encode())
    assert written != was
    assert reasons(shop, name) == ["unchanged"]


def test_keys_of_a_source_ref_that_nobody_knows_stay_with_their_types(shop: Repo) -> None:
    by_hand(shop, "unknown-keys", "reviewState: reviewed")
    said(shop, "unknown-keys")
    found = only_line(file_of(shop, "unknown-keys").read_bytes(), "sourceRefs: [{").decode()
    assert found.endswith("]  # evidence")
    (ref,) = json.loads(found.removeprefix("sourceRefs: ").removesuffix("  # evidence"))
    assert [(key, type(ref[key])) for key in ("x-line", "n", "y")] == [
        ("x-line", float),
        ("n", float),
        ("y", type(None)),
    ]
    assert (ref["x-line"], ref["n"], ref["lineStart"], ref["commit"]) == (3.5, 1000.0, 3, shop.rev())


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_the_mode_of_the_file_stays(shop: Repo, mode: int) -> None:
    name = f"mode-{mode:o}"
    by_hand(shop, name, "reviewState: reviewed")
    file_of(shop, name).chmod(mode)
    said(shop, name)
    assert stat.S_IMODE(file_of(shop, name).stat().st_mode) == mode
    assert reasons(shop, name) == ["unchanged"]


def test_a_link_in_the_store_stays_a_link(shop: Repo) -> None:
    by_hand(shop, "linked-to", "reviewState: stale")
    file_of(shop, "link").symlink_to("linked-to.md")
    said(shop, "link")
    assert os.readlink(file_of(shop, "link")) == "linked-to.md"  # noqa: PTH115 - the text of the link is compared
    assert (reasons(shop, "link"), reasons(shop, "linked-to")) == (["unchanged"], ["unchanged"])
    assert not list(file_of(shop, "x").parent.glob(".tmp-*"))
    file_of(shop, "link").unlink()


def test_both_names_of_one_file_can_be_confirmed_together(shop: Repo) -> None:
    by_hand(shop, "two-names", "reviewState: stale")
    file_of(shop, "second-name").symlink_to("two-names.md")
    try:
        said(shop, "two-names", "second-name")
        assert reasons(shop, "two-names") == ["unchanged"]
    finally:
        file_of(shop, "second-name").unlink()


def test_what_is_as_it_should_be_is_not_written(shop: Repo) -> None:
    shop.commit("Before", {"same.py": TEXT})
    ident = remember(shop, "Nothing to do", "same.py:3-5", commits=["HEAD"])
    before = state(shop.path)
    (one,) = said(shop, ident).entries
    assert (one.changed, one.left) == ((), ())
    assert state(shop.path) == before


@pytest.mark.parametrize("was", [ReviewState.PROPOSED, ReviewState.STALE])
def test_an_entry_that_nobody_vouched_for_is_reviewed_now(shop: Repo, was: ReviewState) -> None:
    put(shop.path / ".klide/memory", entry(f"was-{was}", review_state=was))
    before = file_of(shop, f"was-{was}").read_bytes()
    said(shop, f"was-{was}")
    assert file_of(shop, f"was-{was}").read_bytes() == before.replace(
        f"reviewState: {was}".encode(), b"reviewState: reviewed"
    )


def test_a_legacy_file_is_anchored_too(shop: Repo) -> None:
    shop.commit("Before", {"legacy.py": TEXT})
    file_of(shop, "legacy").write_bytes(
        b"---\nsourceRefs:\n  - sourceType: file\n    id: legacy.py\n---\n# Goal\n\nBefore.\n"
    )
    assert reasons(shop, "legacy") == ["no-baseline"]
    said(shop, "legacy")
    assert reasons(shop, "legacy") == ["unchanged"]
    assert file_of(shop, "legacy").read_bytes().endswith(b"\n---\n# Goal\n\nBefore.\n")
    assert b"schemaVersion" not in file_of(shop, "legacy").read_bytes()


def test_a_linked_worktree_confirms_what_it_has_itself(shop: Repo) -> None:
    shop.commit("Before", {"linked.py": TEXT})
    ident = remember(shop, "Seen from a linked worktree", "linked.py:3-5")
    linked = shop.worktree("linked", "--detach")
    linked.write("linked.py", line(4, "line four\n"))
    said(linked, ident)
    assert (judged(linked, ident).verdict, judged(shop, ident).verdict) == ("current", "stale")


# What is refused


def refuse(repo: Repo, *idents: str, kind: type[GitMemError] = NotConfirmableError) -> str:
    """Confirm in vain, and return what was said; nothing may have been written."""
    before = state(repo.path)
    with pytest.raises(kind) as caught:
        said(repo, *idents)
    assert state(repo.path) == before
    assert caught.value.exit_code == ExitCode.FATAL
    assert "\n" not in caught.value.message
    return caught.value.message


def gone(shop: Repo) -> Entry:
    shop.commit("Before", {"gone.py": "soon to be gone\n"})
    ident = remember(shop, "Gone", "gone.py")
    shop.commit("After", {"gone.py": None})
    return entry("its-file-is-gone", source_refs=refs_of(shop, ident))


def gone_here(shop: Repo) -> Entry:
    shop.commit("Before", {"gone-here.py": "soon to be gone\n"})
    ident = remember(shop, "Gone here", "gone-here.py")
    (shop.path / "gone-here.py").unlink()
    return entry("its-file-is-gone-here", source_refs=refs_of(shop, ident))


def cut_out(shop: Repo) -> Entry:
    shop.commit("Before", {"cut.py": TEXT})
    ident = remember(shop, "Cut out", "cut.py:3-5")
    shop.commit("After", {"cut.py": TEXT.replace("line 3\nline 4\nline 5\n", "")})
    return entry("its-lines-are-cut-out", source_refs=refs_of(shop, ident))


def turned(shop: Repo) -> Entry:
    shop.commit("Before", {"turned.py": TEXT})
    ident = remember(shop, "Turned", "turned.py")
    (shop.path / "turned.py").unlink()
    (shop.path / "turned.py").symlink_to("README.md")
    return entry("its-file-is-a-link", source_refs=refs_of(shop, ident))


def reverted(shop: Repo) -> Entry:
    undone = shop.commit("Undone", {"undone.py": "x\n"})
    shop.git("revert", "--no-edit", "HEAD")
    return entry("its-commit-was-reverted", source_refs=(SourceRef(source_type="commit", id=undone),))


def orphaned(shop: Repo) -> Entry:
    shop.git("checkout", "-q", "--detach")
    orphan = shop.commit("On no branch", {"orphan.py": "x\n"})
    shop.git("checkout", "-q", "main")
    return entry("its-commit-is-orphaned", source_refs=(SourceRef(source_type="commit", id=orphan),))


@pytest.mark.parametrize("make", [gone, gone_here, cut_out, turned, reverted, orphaned])
def test_evidence_that_is_gone_cannot_be_confirmed(shop: Repo, make: Callable[[Repo], Entry]) -> None:
    lost = make(shop)
    put(shop.path / ".klide/memory", lost)
    told = refuse(shop, lost.id)
    assert re.fullmatch(rf"{lost.id} cannot be confirmed: .+: add a new entry with what holds now", told)


def test_where_nobody_can_tell_which_lines_took_the_place_nothing_is_guessed(shop: Repo) -> None:
    # Cited before it was ever committed, so that no object has what was cited: only the hash of the lines is left.
    first = TEXT.replace("line", "never committed")
    shop.write("never.py", first)
    ident = remember(shop, "Never committed", "never.py:3-5")
    shop.commit("Something else", {"never.py": "new\nnew\n" + first.replace("committed 4", "committed, four")})
    assert reasons(shop, ident) == ["lines-changed"]
    refuse(shop, ident)


def test_of_several_all_are_confirmed_or_none(shop: Repo) -> None:
    shop.commit("Before", {"first.py": TEXT})
    ident = remember(shop, "Could be confirmed", "first.py:3-5")
    shop.commit("After", {"first.py": line(4, "line four\n")})
    lost = reverted(shop)
    put(shop.path / ".klide/memory", replace(lost, id="second"))
    assert refuse(shop, ident, "second").startswith("second cannot be confirmed: reverted in ")
    assert judged(shop, ident).verdict == "stale"
    assert [one.id for one in said(shop, ident, ident).entries] == [ident]
    assert judged(shop, ident).verdict == "current"


def test_a_superseded_entry_is_refused_and_the_one_that_holds_is_named(shop: Repo) -> None:
    put(
        shop.path / ".klide/memory",
        entry("oldest"),
        entry("older", supersedes="oldest"),
        entry("holds", supersedes="older"),
        entry("left-alone", review_state=ReviewState.SUPERSEDED),
    )
    assert refuse(shop, "oldest") == "oldest is superseded and cannot be confirmed: holds holds now"
    assert refuse(shop, "older") == "older is superseded and cannot be confirmed: holds holds now"
    assert refuse(shop, "left-alone") == "left-alone is superseded and cannot be confirmed: add a new entry"


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("schemaVersion: 2\nreviewState: reviewed", "other was written by another version of git mem: confirm it with"),
        ("schemaVersion: 1\nkind: lore\nreviewState: reviewed", "other is of an unknown kind: correct its `kind`"),
    ],
)
def test_an_entry_of_which_only_a_part_is_known_is_refused(shop: Repo, head: str, told: str) -> None:
    file_of(shop, "other").write_text(f"---\n{head}\ntitle: x\n---\n", encoding="utf-8")
    assert refuse(shop, "other").startswith(told)


@pytest.mark.parametrize(
    ("ident", "kind", "told"),
    [
        ("no-such-entry", UnknownEntryError, "`git mem list --state all`"),
        ("../x", BadIdError, "`git mem list`"),
        ("broken", DamagedEntryError, "correct the file"),
    ],
)
def test_an_id_that_names_no_readable_entry_is_refused(
    shop: Repo, ident: str, kind: type[GitMemError], told: str
) -> None:
    file_of(shop, "broken").write_bytes(b"\xff")
    assert told in refuse(shop, ident, kind=kind)
    file_of(shop, "broken").unlink()


def test_a_form_that_cannot_be_changed_line_by_line_is_refused(shop: Repo) -> None:
    file_of(shop, "flow").write_text("---\n{schemaVersion: 1, title: x}\n---\n", encoding="utf-8")
    told = refuse(shop, "flow", kind=DamagedEntryError)
    assert told == "flow.md cannot be changed: its frontmatter is one {...}: write one key a line"


def test_only_a_person_at_a_terminal_confirms_where_the_settings_say_so(shop: Repo) -> None:
    put(shop.path / ".klide/memory", entry("for-a-person", review_state=ReviewState.PROPOSED))
    shop.git("config", "mem.reviewBoundary", "terminal")
    try:
        told = refuse(shop, "for-a-person", kind=ReviewBoundaryError)
        assert told == (
            "mem.reviewBoundary is 'terminal', so only a person at a terminal may confirm an entry: run this there"
        )
        confirm(workspace(shop), ["for-a-person"], at_terminal=True)
    finally:
        shop.git("config", "--unset", "mem.reviewBoundary")
    assert workspace(shop).entry("for-a-person")[0].review_state is ReviewState.REVIEWED


@pytest.mark.parametrize("idents", [("changed",), ("unchanged", "changed"), ("changed", "unchanged")])
def test_an_entry_that_another_writer_changed_meanwhile_is_left_to_it(shop: Repo, idents: Sequence[str]) -> None:
    store = shop.path / ".klide/memory"
    put(store, *(entry(ident, review_state=ReviewState.PROPOSED) for ident in ("changed", "unchanged")))
    here = workspace(shop)
    rewrites = [with_state(read_for_rewrite(here, ident), ReviewState.REVIEWED, []) for ident in idents]
    put(store, entry("changed", review_state=ReviewState.PROPOSED, notes="By somebody else."))
    before = state(shop.path / ".klide")
    with pytest.raises(EntryChangedError, match="changed changed meanwhile, so nothing was written: run it again"):
        write_all(here, "confirm", rewrites)
    assert state(shop.path / ".klide") == before
