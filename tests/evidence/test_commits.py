"""The verdict on a commit: against git's own answers, in every sort of repository and clone."""

import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from evidence.cited import CURRENT, STALE, UNVERIFIED, at, commit_finding, commit_findings, told
from layouts import with_commit
from world import Repo, World, listing

from gitmem.evidence.commits import name_commit
from gitmem.evidence.verdict import Reason


def _linked(world: World) -> Repo:
    return with_commit(world.repo()).worktree("linked")


PLACES: dict[str, Callable[[World], Repo]] = {
    "main": lambda world: with_commit(world.repo()),
    "linked": _linked,
    "sha256": lambda world: with_commit(world.repo("main", "--object-format=sha256")),
    "sha256-linked": lambda world: with_commit(world.repo("main", "--object-format=sha256")).worktree("linked"),
    "bare-linked": lambda world: _bare(world).worktree("linked"),
}


def _bare(world: World) -> Repo:
    world.git("clone", "-q", "--bare", with_commit(world.repo("seed")).path, "repo.git", cwd=world.root)
    return Repo(world, world.root / "repo.git")


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, world: World) -> Repo:
    return PLACES[str(request.param)](world)


def side_commit(repo: Repo) -> str:
    """A commit on the branch `side` only; HEAD is where it was."""
    here = repo.git("symbolic-ref", "--short", "HEAD").line
    repo.git("checkout", "-q", "-b", "side")
    oid = repo.commit("Side", {"side.txt": "1\n"})
    repo.git("checkout", "-q", here)
    return oid


# Where a commit stands


def test_head_and_its_ancestors_are_reachable(place: Repo) -> None:
    first = place.rev()
    second = place.commit("Second", {"b": "1\n"})
    for ident in (first, second, first[:7], first.upper()):
        assert told(commit_finding(place, ident)) == ("current", "reachable")


def test_a_merged_side_is_reachable(place: Repo) -> None:
    oid = side_commit(place)
    place.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert told(commit_finding(place, oid)) == ("current", "reachable")


def test_a_commit_of_another_branch_is_not_yet_true_here(place: Repo) -> None:
    oid = side_commit(place)
    found = commit_finding(place, oid)
    assert told(found) == ("unverified", "other-branch")
    assert found.evidence == {"refs": ["refs/heads/side"]}
    assert "refs/heads/side" in found.message


@pytest.mark.parametrize(
    ("keep", "refs"),
    [
        (("tag", "kept", "side"), ["refs/tags/kept"]),
        (("tag", "-a", "-m", "kept", "kept", "side"), ["refs/tags/kept"]),
        (("update-ref", "refs/remotes/origin/side", "side"), ["refs/remotes/origin/side"]),
        (("branch", "other", "side"), ["refs/heads/other"]),
    ],
)
def test_any_line_of_work_keeps_a_commit(repo: Repo, keep: tuple[str, ...], refs: list[str]) -> None:
    oid = side_commit(repo)
    repo.git(*keep)
    repo.git("branch", "-q", "-D", "side")
    found = commit_finding(repo, oid)
    assert (told(found), found.evidence["refs"]) == (("unverified", "other-branch"), refs)


def test_at_most_five_refs_are_named(repo: Repo) -> None:
    oid = side_commit(repo)
    for number in range(8):
        repo.git("branch", f"more-{number}", "side")
    assert commit_finding(repo, oid).evidence["refs"] == [f"refs/heads/more-{number}" for number in range(5)]


def test_a_commit_of_a_deleted_branch_is_orphaned(place: Repo) -> None:
    oid = side_commit(place)
    place.git("branch", "-q", "-D", "side")
    assert place.git("cat-file", "-e", oid).code == 0
    assert told(commit_finding(place, oid)) == ("stale", "orphaned")


@pytest.mark.parametrize(
    "ref", ["refs/stash", "refs/notes/commits", "refs/mem/store", "refs/notes/deep/er", "refs/mem/deep/er"]
)
def test_what_nobody_works_on_keeps_nothing_alive(repo: Repo, ref: str) -> None:
    oid = side_commit(repo)
    repo.git("update-ref", ref, oid)
    repo.git("branch", "-q", "-D", "side")
    assert told(commit_finding(repo, oid)) == ("stale", "orphaned")


def test_a_stashed_commit_is_orphaned(repo: Repo) -> None:
    repo.write("README.md", "stashed\n")
    repo.git("stash", "-q")
    assert told(commit_finding(repo, repo.rev("stash"))) == ("stale", "orphaned")


def test_a_reworded_commit_is_known_again_by_its_change(repo: Repo) -> None:
    oid = repo.commit("Typo", {"a": "1\n"})
    repo.git("commit", "-q", "--amend", "-m", "No typo")
    found = commit_finding(repo, oid)
    assert (told(found), found.evidence) == (("current", "rewritten"), {"to": repo.rev()})


def test_the_head_of_another_worktree_keeps_a_commit(repo: Repo) -> None:
    other = repo.worktree("other", "--detach")
    oid = other.commit("Detached", {"d": "1\n"})
    found = commit_finding(repo, oid)
    assert (told(found), found.evidence) == (("unverified", "other-branch"), {"refs": []})
    assert "another worktree" in found.message
    assert told(commit_finding(other, oid)) == ("current", "reachable")


def test_each_worktree_has_its_own_truth(repo: Repo) -> None:
    linked = repo.worktree("feature")
    here, there = repo.commit("Here", {"h": "1\n"}), linked.commit("There", {"t": "1\n"})
    assert [told(commit_finding(where, oid)) for where in (repo, linked) for oid in (here, there)] == [
        ("current", "reachable"),
        ("unverified", "other-branch"),
        ("unverified", "other-branch"),
        ("current", "reachable"),
    ]


def test_after_garbage_collection_an_orphan_is_missing(place: Repo) -> None:
    oid = side_commit(place)
    place.git("branch", "-q", "-D", "side")
    place.git("reflog", "expire", "--expire=now", "--all")
    place.git("gc", "-q", "--prune=now")
    assert told(commit_finding(place, oid)) == ("unverified", "missing")


def test_an_unborn_branch_reaches_nothing(repo: Repo) -> None:
    oid = repo.rev()
    repo.git("symbolic-ref", "HEAD", "refs/heads/unborn")
    assert told(commit_finding(repo, oid)) == ("unverified", "no-head")
    assert told(commit_finding(repo, "ab" * 20)) == ("unverified", "missing")


def test_replacements_and_grafts_do_not_count(repo: Repo) -> None:
    first = repo.rev()
    second = repo.commit("Second", {"b": "1\n"})
    stranger = repo.git("commit-tree", "-m", "Stranger", "HEAD^{tree}").line
    repo.git("replace", second, stranger)
    repo.write(".git/info/grafts", f"{second}\n")
    assert told(commit_finding(repo, first)) == ("current", "reachable")
    assert told(commit_finding(repo, stranger)) == ("stale", "orphaned")


def test_all_commits_together_agree_with_git_asked_one_by_one(repo: Repo) -> None:
    for number in range(3):
        repo.git("checkout", "-q", "-b", f"topic-{number}", "main")
        repo.commit(f"Topic {number}", {f"t{number}": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"m": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "topic-1")
    repo.git("branch", "-q", "-D", "topic-1", "topic-2")
    reflog = repo.git("log", "-g", "--all", "--format=%H").out.split()
    idents = sorted({*reflog, *repo.git("rev-list", "--all").out.split()})
    found = commit_findings(repo, [*idents, *idents])
    assert found[: len(idents)] == found[len(idents) :]
    for ident, finding in zip(idents, found, strict=False):
        reachable = repo.git("merge-base", "--is-ancestor", ident, "HEAD", accept=(0, 1)).code == 0
        contained = repo.git("for-each-ref", f"--contains={ident}", "--format=%(refname)").out.split()
        assert finding.verdict is (CURRENT if reachable else UNVERIFIED if contained else STALE)
    assert {finding.verdict for finding in found} == {CURRENT, UNVERIFIED, STALE}


# Ids


@pytest.mark.parametrize(
    "ident",
    [
        "HEAD",
        "main",
        "-x",
        "--output=pwned",
        "zz" * 20,
        "abc",
        "",
        " ",
        "HEAD~1",
        "a" * 41,
        "v1.0",
        "１２３４",
        "ab" * 32,
    ]
    + [f"{'ab' * 20}{end}" for end in ("\n", " ", "^", "~1", ":README.md", "\0")],
)
def test_what_is_no_object_id_is_never_shown_to_git(repo: Repo, ident: str) -> None:
    repo.git("branch", "abc")
    repo.git("tag", "v1.0")
    before = listing(repo.path)
    assert told(commit_finding(repo, ident)) == ("unverified", "sha-malformed")
    assert listing(repo.path) == before


@pytest.mark.parametrize("ident", ["0" * 40, "0" * 7])
def test_the_null_id_names_nothing(repo: Repo, ident: str) -> None:
    assert told(commit_finding(repo, ident)) == ("unverified", "sha-null")


def test_a_sha256_repository_takes_64_digits_and_their_beginnings(world: World) -> None:
    repo = with_commit(world.repo("main", "--object-format=sha256"))
    oid = repo.rev()
    assert len(oid) == 64
    for ident in (oid, oid[:40], oid[:4], oid.upper()):
        assert told(commit_finding(repo, ident)) == ("current", "reachable")
    for ident, reason in (
        ("0" * 64, "sha-null"),
        ("ab" * 32, "missing"),
        ("ab" * 20, "missing"),
        ("a" * 65, "sha-malformed"),
    ):
        assert told(commit_finding(repo, ident)) == ("unverified", reason)


def test_a_branch_or_tag_with_a_hex_name_is_not_an_id(repo: Repo) -> None:
    repo.git("branch", "1a2b3c4")
    repo.git("tag", "deadbeef")
    repo.git("branch", "ab" * 20)
    for ident in ("1a2b3c4", "deadbeef", "ab" * 20):
        assert told(commit_finding(repo, ident)) == ("unverified", "missing")


def test_an_object_of_another_kind_is_not_a_commit(place: Repo) -> None:
    for name, kind in (("HEAD:README.md", "blob"), ("HEAD^{tree}", "tree")):
        for length in (8, 64):
            found = commit_finding(place, place.rev(name)[:length])
            assert (told(found), found.evidence) == (("unverified", "not-a-commit"), {"type": kind})


def test_an_annotated_tag_is_judged_as_its_commit(place: Repo) -> None:
    oid = place.rev()
    place.git("tag", "-a", "-m", "one", "one")
    place.git("tag", "-a", "-m", "two", "two", "one")
    for name, length in (("one", 64), ("two", 64), ("two", 7)):
        found = commit_finding(place, place.rev(name)[:length])
        assert (told(found), found.evidence) == (("current", "reachable"), {"peeled": oid})


def test_a_tag_of_another_branch_names_the_refs_and_its_commit(repo: Repo) -> None:
    oid = side_commit(repo)
    repo.git("tag", "-a", "-m", "t", "t", "side")
    found = commit_finding(repo, repo.rev("t"))
    assert told(found) == ("unverified", "other-branch")
    assert found.evidence == {"refs": ["refs/heads/side", "refs/tags/t"], "peeled": oid}


@pytest.mark.parametrize("target", ["HEAD:README.md", "HEAD^{tree}"])
def test_a_tag_of_something_else_is_not_a_commit(repo: Repo, target: str) -> None:
    repo.git("tag", "-a", "-m", "t", "t", target)
    found = commit_finding(repo, repo.rev("t"))
    assert (told(found), found.evidence) == (("unverified", "not-a-commit"), {"type": "tag"})


def many_objects(repo: Repo) -> dict[str, dict[str, list[str]]]:
    """Make so many commits and blobs that some ids begin alike: {first four digits: {kind: ids}}. No ref holds them."""
    stream = "".join(
        f"blob\ndata <<.\n{number}\n.\n\nreset refs/heads/many\ncommit refs/heads/many\n"
        f"committer C <c@example.com> {number} +0000\ndata 0\n\n"
        for number in range(1000)
    )
    repo.git("fast-import", "--quiet", feed=stream.encode())
    repo.git("update-ref", "-d", "refs/heads/many")
    found: dict[str, dict[str, list[str]]] = {}
    listed = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").out
    for line in listed.splitlines():
        oid, _, kind = line.partition(" ")
        found.setdefault(oid[:4], {}).setdefault(kind, []).append(oid)
    return found


def test_abbreviations_mean_a_commit_or_are_ambiguous(repo: Repo) -> None:
    found = many_objects(repo)
    two = next(kinds for kinds in found.values() if len(kinds.get("commit", [])) == 2 and len(kinds) == 1)
    mixed = next(kinds for kinds in found.values() if len(kinds.get("commit", [])) == 1 and "blob" in kinds)
    blobs = next(kinds for kinds in found.values() if len(kinds.get("blob", [])) == 2 and len(kinds) == 1)
    for kinds in (two, blobs, mixed):
        (one, other) = [oid for oids in kinds.values() for oid in oids][:2]
        ambiguous = commit_finding(repo, one[:4])
        assert told(ambiguous) == ("unverified", "sha-ambiguous")
        assert ambiguous.evidence == {"candidates": sorted(oid for oids in kinds.values() for oid in oids)}
        unique = next(one[:length] for length in range(5, 41) if one[:length] != other[:length])
        assert commit_finding(repo, unique).reason in (Reason.ORPHANED, Reason.NOT_A_COMMIT)


def test_an_id_is_named_in_full(repo: Repo) -> None:
    assert name_commit(at(repo), repo.rev()[:7]) == repo.rev()


# Clones that lack something


def origin(world: World, *options: str) -> Repo:
    """A repository with three commits, whose last one is also tagged, and a merged and an unmerged side."""
    repo = with_commit(world.repo("origin", *options))
    repo.git("config", "uploadpack.allowFilter", "true")
    for number in range(2):
        repo.commit(f"Main {number}", {"m": f"{number}\n"})
    return repo


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_in_a_shallow_clone_nothing_is_orphaned(world: World, object_format: str) -> None:
    source = origin(world, f"--object-format={object_format}")
    first, head = source.rev("HEAD~2"), source.rev()
    main = world.clone(source, "main", "--depth=1")
    gone = main.commit("Amended", {"x": "1\n"})
    main.git("reset", "-q", "--hard", "HEAD~1")
    for place in (main, main.worktree("linked")):
        assert told(commit_finding(place, head)) == ("current", "reachable")
        assert told(commit_finding(place, first)) == ("unverified", "missing-shallow")
        assert "git fetch --unshallow" in commit_finding(place, first).message
        assert told(commit_finding(place, first[:10])) == ("unverified", "missing-shallow")
        assert told(commit_finding(place, gone)) == ("unverified", "shallow-history")


def test_a_commit_behind_the_cut_that_is_here_all_the_same_is_not_orphaned(world: World) -> None:
    source = origin(world)
    main = world.clone(source, "main", "--depth=2")
    behind = source.rev("HEAD~2")
    main.git("fetch", "-q", "--depth=1", source.path.as_uri(), behind)
    assert main.git("cat-file", "-t", behind).line == "commit"
    assert told(commit_finding(main, behind)) == ("unverified", "shallow-history")


@pytest.mark.parametrize("wanted", ["blob:none", "tree:0"])
def test_a_partial_clone_has_its_commits_and_never_fetches_others(world: World, wanted: str) -> None:
    source = origin(world)
    main = world.clone(source, "main", f"--filter={wanted}", "--no-checkout")
    late = source.commit("Late", {"late": "1\n"})
    online = [told(commit_finding(main, ident)) for ident in (source.rev("HEAD~1"), source.rev("HEAD~2"), late)]
    source.path.rename(world.root / "gone")
    linked = main.worktree("linked", "--no-checkout", "-b", "linked")
    for place in (main, linked):
        assert [told(commit_finding(place, main.rev(name))) for name in ("main", "main~1")] == [
            ("current", "reachable")
        ] * 2
        assert told(commit_finding(place, late)) == ("unverified", "missing-partial")
        assert "git fetch" in commit_finding(place, late).message
    assert online == [("current", "reachable"), ("current", "reachable"), ("unverified", "missing-partial")]
    assert main.git("cat-file", "-e", late, env={"GIT_NO_LAZY_FETCH": "1"}, accept=(1, 128)).code != 0


def loose(repo: Repo, oid: str) -> Path:
    path = repo.path / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    return path


@pytest.mark.parametrize("damage", [b"", b"rubbish", zlib.compress(b"commit 7\0rubbish")])
def test_a_damaged_commit_is_told_and_others_are_judged(repo: Repo, damage: bytes) -> None:
    good = repo.rev()
    bad = side_commit(repo)
    loose(repo, bad).write_bytes(damage)
    found = commit_findings(repo, [good, bad])
    assert [told(finding) for finding in found] == [("current", "reachable"), ("unverified", "odb-error")]
    assert str(repo.path) not in found[1].message
    assert told(commit_finding(repo, bad[:12])) == ("unverified", "odb-error")


def test_a_history_with_a_hole_is_told_and_others_are_judged(repo: Repo) -> None:
    good, hole = repo.rev(), side_commit(repo)
    repo.git("checkout", "-q", "side")
    above = repo.commit("Above", {"h": "2\n"})
    repo.git("checkout", "-q", "main")
    loose(repo, hole).unlink()
    found = commit_findings(repo, [good, above])
    assert [told(finding) for finding in found] == [("current", "reachable"), ("unverified", "odb-error")]
    assert str(repo.path) not in found[1].message


def test_a_branch_whose_commit_is_lost_is_told(repo: Repo) -> None:
    first = repo.rev()
    loose(repo, repo.commit("Lost", {"h": "1\n"})).unlink()
    assert told(commit_finding(repo, first)) == ("unverified", "odb-error")


def test_alternates_that_are_gone_are_told_and_not_taken_for_a_missing_commit(world: World) -> None:
    source = origin(world)
    world.git("clone", "-q", "--shared", source.path, "main", cwd=world.root)
    main = Repo(world, world.root / "main")
    main.commit("Own", {"o": "1\n"})
    ident = source.rev()
    assert told(commit_finding(main, ident)) == ("current", "reachable")
    orphan = main.git("commit-tree", "-m", "Orphan", "HEAD^{tree}").line
    source.path.rename(world.root / "gone")
    for missing in (ident, ident[:8], orphan):
        found = commit_finding(main, missing)
        assert told(found) == ("unverified", "odb-error")
        assert "alternates" in found.message
        assert os.fspath(world.root) not in found.message
