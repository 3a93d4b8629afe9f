"""What was undone: reverts and reverts of reverts, of commits and of whole merges, as git writes them."""

import pytest
from evidence.cited import commit_finding, found_of, told
from layouts import with_commit
from world import Repo, World

REACHABLE: tuple[str, dict[str, object]] = ("reachable", {})


@pytest.fixture(params=["sha1", "sha256"])
def either(request: pytest.FixtureRequest, world: World) -> Repo:
    """A repository of each object format, with one commit."""
    return with_commit(world.repo("main", f"--object-format={request.param}"))


def revert(repo: Repo, commit: str, *options: str) -> str:
    """Let git revert a commit; return the revert's id."""
    repo.git("revert", "--no-edit", *options, commit)
    return repo.rev()


def by(oid: str) -> tuple[str, dict[str, object]]:
    return "reverted", {"by": oid}


def in_merge(oid: str, merge: str) -> tuple[str, dict[str, object]]:
    return "reverted-merge", {"by": oid, "merge": merge}


# Commits


def test_a_reverted_commit_is_stale_and_names_its_revert(either: Repo) -> None:
    oid, later = either.commit("Idea", {"a": "1\n"}), either.commit("Later", {"b": "1\n"})
    undoing = revert(either, oid)
    either.commit("More", {"c": "1\n"})
    found = commit_finding(either, oid)
    assert (told(found), found.evidence) == (("stale", "reverted"), {"by": undoing})
    assert undoing[:7] in found.message
    assert found_of(either, oid[:8], later, undoing) == [by(undoing), REACHABLE, REACHABLE]


def test_a_revert_counts_until_it_is_reverted_itself(either: Repo) -> None:
    oid = either.commit("Idea", {"a": "1\n"})
    first = revert(either, oid)
    second = revert(either, first)
    assert found_of(either, oid, first, second) == [REACHABLE, by(second), REACHABLE]
    third = revert(either, second)
    assert found_of(either, oid, first, second, third) == [by(first), REACHABLE, by(third), REACHABLE]
    fourth = revert(either, third)
    assert found_of(either, oid, first, second, third) == [REACHABLE, by(second), REACHABLE, by(fourth)]


def test_of_two_reverts_the_newest_that_counts_is_named(repo: Repo) -> None:
    oid = repo.commit("Idea", {"a": "1\n"})
    revert(repo, oid)
    repo.commit("Again", {"a": "1\n"})
    second = repo.commit(f"Undo it by hand\n\nThis reverts commit {oid}.", {"a": None})
    assert found_of(repo, oid) == [by(second)]


def test_a_revert_that_gives_an_abbreviated_reference_counts(either: Repo) -> None:
    oid = either.commit("Idea", {"a": "1\n"})
    undoing = revert(either, oid, "--reference")
    assert f"This reverts commit {oid[:7]} (Idea, " in either.git("log", "-1", "--format=%B").out
    assert found_of(either, oid) == [by(undoing)]


@pytest.mark.parametrize(
    "message",
    [
        "No\n\nThis reverts commit {0}.",
        "No\n\nThis reverts commit {0:.12}.",
        "No\n\nThis reverts commit {0:.7}, because of the load.",
        "This reverts commit {0}",
        "No\n\nThis reverts commit {1}",
        "No\n\n    This reverts commit {0}.\n",
        "No\n\nWe tried.\nThis reverts commit\n{0}.\nSigned-off-by: A <a@example.com>",
    ],
)
def test_a_revert_is_known_by_its_message_however_it_was_made(repo: Repo, message: str) -> None:
    oid = repo.commit("Idea", {"a": "1\n"})
    undoing = repo.commit(message.format(oid, oid.upper()), {"a": "0\n"})
    assert found_of(repo, oid) == [by(undoing)]


@pytest.mark.parametrize(
    "message",
    [
        "Say why\n\nIt is wrong to believe that This reverts commit {0}.",
        "Quote\n\n> This reverts commit {0}.",
        "No id\n\nThis reverts commit from last week, not {0}.",
        "Too short\n\nThis reverts commit {0:.6}.",
        "Longer\n\nThis reverts commit {0}ab.",
        "Other\n\nThis reverts commits like {0}.",
        "Lower\n\nthis reverts commit {0} was what they wrote.",
    ],
)
def test_a_message_that_mentions_the_words_reverts_nothing(repo: Repo, message: str) -> None:
    oid = repo.commit("Idea", {"a": "1\n"})
    repo.commit(message.format(oid), {"b": "1\n"})
    assert found_of(repo, oid) == [REACHABLE]


def test_one_message_can_revert_several_commits(repo: Repo) -> None:
    oids = [repo.commit(f"Idea {name}", {name: "1\n"}) for name in "abc"]
    repo.git("revert", "--no-commit", oids[2], oids[0])
    undoing = repo.commit(f"No\n\nThis reverts commit {oids[2]}.\n\nThis reverts commit {oids[0]}.")
    assert found_of(repo, *oids) == [by(undoing), REACHABLE, by(undoing)]


def test_a_message_in_another_encoding_is_read(repo: Repo) -> None:
    oid = repo.commit("Idea", {"a": "1\n"})
    words = f"Zurück\n\nThis reverts commit {oid}.\n".encode("latin-1")
    repo.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--allow-empty", "-F", "-", feed=words)
    assert found_of(repo, oid) == [by(repo.rev())]


def test_a_revert_on_another_branch_or_in_another_worktree_only_does_not_count_here(repo: Repo) -> None:
    oid = repo.commit("Idea", {"a": "1\n"})
    linked = repo.worktree("linked")
    undoing = revert(linked, oid)
    assert found_of(repo, oid, undoing) == [REACHABLE, ("other-branch", {"refs": ["refs/heads/linked"]})]
    assert found_of(linked, oid, undoing) == [by(undoing), REACHABLE]
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "linked")
    assert found_of(repo, oid) == [by(undoing)]


def test_a_change_that_was_taken_in_again_after_its_revert_is_current(either: Repo) -> None:
    oid = either.commit("Idea", {"a": "1\n"})
    undoing = revert(either, oid)
    either.git("cherry-pick", oid)
    again = either.rev()
    assert found_of(either, oid, again) == [("rewritten", {"to": again}), REACHABLE]
    last = revert(either, again)
    assert found_of(either, oid, again) == [by(undoing), by(last)]


def test_a_branch_with_a_commit_and_its_revert_can_be_rebased(either: Repo) -> None:
    either.git("checkout", "-q", "-b", "side")
    oid = either.commit("Idea", {"a": "1\n"})
    revert(either, oid)
    kept = either.commit("Kept", {"k": "1\n"})
    either.git("checkout", "-q", "main")
    either.commit("Main", {"m": "1\n"})
    either.git("rebase", "-q", "main", "side")
    undoing = either.rev("HEAD~1")  # its message still names the old id
    assert found_of(either, oid, kept) == [by(undoing), ("rewritten", {"to": either.rev()})]


def rebased(repo: Repo, reverts: int) -> list[str]:
    """Rebase a branch with a commit and so many reverts, each of the one before; return the old ids."""
    repo.git("checkout", "-q", "-b", "side")
    oids = [repo.commit("Idea", {"a": "1\n"})]
    for _ in range(reverts):
        oids.append(revert(repo, oids[-1]))
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"m": "1\n"})
    repo.git("rebase", "-q", "main", "side")
    return oids


def test_a_revert_and_its_own_revert_can_be_rebased(repo: Repo) -> None:
    oid = rebased(repo, 2)[0]
    assert told(commit_finding(repo, oid)) == ("current", "rewritten")


def test_three_reverts_of_each_other_can_be_rebased(repo: Repo) -> None:
    oid = rebased(repo, 3)[0]
    assert not (repo.path / "a").exists()
    assert commit_finding(repo, oid).verdict.value == "stale"


def test_the_new_id_of_a_commit_whose_revert_was_rebased_too_is_reverted(repo: Repo) -> None:
    rebased(repo, 1)
    assert found_of(repo, repo.rev("HEAD~1")) == [by(repo.rev())]


# Merges


def merged(repo: Repo) -> tuple[list[str], list[str], str]:
    """Merge a side of two commits; return the side's ids, the mainline's, and the merge."""
    repo.git("checkout", "-q", "-b", "side")
    side = [repo.commit("Side one", {"s": "1\n"}), repo.commit("Side two", {"s": "2\n"})]
    repo.git("checkout", "-q", "main")
    mainline = [repo.rev(), repo.commit("Main", {"m": "1\n"})]
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    return side, mainline, repo.rev()


def test_all_that_a_reverted_merge_brought_is_stale(either: Repo) -> None:
    side, mainline, merge = merged(either)
    either.commit("Between", {"b": "1\n"})
    undoing = revert(either, merge, "--mainline=1")
    later = either.commit("Later", {"l": "1\n"})
    gone = in_merge(undoing, merge)
    expected = [gone, gone, REACHABLE, REACHABLE, by(undoing), REACHABLE, REACHABLE]
    assert found_of(either, *side, *mainline, merge, undoing, later) == expected
    assert told(commit_finding(either, side[0])) == ("stale", "reverted-merge")
    again = revert(either, undoing)
    assert found_of(either, *side, *mainline, merge) == [REACHABLE] * 5
    assert found_of(either, undoing) == [by(again)]
    last = revert(either, again)
    assert [reason for reason, _ in found_of(either, *side, merge, again)] == ["reverted-merge"] * 2 + ["reverted"] * 2
    assert found_of(either, again) == [by(last)]


def test_the_side_that_a_revert_kept_is_the_one_that_it_names(repo: Repo) -> None:
    side, mainline, merge = merged(repo)
    undoing = revert(repo, merge, "--mainline=2")
    assert found_of(repo, *side, *mainline) == [REACHABLE, REACHABLE, REACHABLE, in_merge(undoing, merge)]


@pytest.mark.parametrize("mainline", [1, 2, 3])
def test_an_octopus_keeps_one_arm_when_it_is_reverted(repo: Repo, mainline: int) -> None:
    for name in ("one", "two"):
        repo.git("checkout", "-q", "-b", name, "main")
        repo.commit(name, {name: "1\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"m": "1\n"})
    arms = [repo.rev(name) for name in ("main", "one", "two")]
    repo.git("merge", "-q", "-m", "Octopus", "one", "two")
    merge = repo.rev()
    undoing = revert(repo, merge, f"--mainline={mainline}")
    expected = [REACHABLE if number == mainline else in_merge(undoing, merge) for number in (1, 2, 3)]
    assert found_of(repo, *arms) == expected


def test_what_a_merged_branch_had_merged_itself_goes_with_it(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "deep")
    deep = repo.commit("Deep", {"d": "1\n"})
    repo.git("checkout", "-q", "-b", "outer", "main")
    repo.commit("Outer", {"o": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Inner merge", "deep")
    inner = repo.rev()
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Outer merge", "outer")
    merge = repo.rev()
    undoing = revert(repo, merge, "--mainline=1")
    assert found_of(repo, deep, inner) == [in_merge(undoing, merge)] * 2


def test_a_branch_that_is_merged_again_after_its_merge_was_reverted_brings_only_what_is_new(repo: Repo) -> None:
    side, _mainline, merge = merged(repo)
    undoing = revert(repo, merge, "--mainline=1")
    repo.git("checkout", "-q", "side")
    new = repo.commit("Side three", {"t": "3\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Again", "side")
    assert not (repo.path / "s").exists()
    assert found_of(repo, *side, new) == [in_merge(undoing, merge)] * 2 + [REACHABLE]


def test_commits_of_a_reverted_merge_that_were_picked_again_are_current(repo: Repo) -> None:
    side, _mainline, merge = merged(repo)
    undoing = revert(repo, merge, "--mainline=1")
    repo.git("cherry-pick", side[0])
    assert found_of(repo, *side) == [("rewritten", {"to": repo.rev()}), in_merge(undoing, merge)]


@pytest.mark.parametrize("mainline", [1, 2])
def test_a_merge_that_is_reverted_by_reference_takes_its_branch_along(repo: Repo, mainline: int) -> None:
    side, (base, main), merge = merged(repo)
    undoing = revert(repo, merge, f"--mainline={mainline}", "--reference")
    gone = in_merge(undoing, merge)
    assert found_of(repo, merge, base) == [by(undoing), REACHABLE]
    assert found_of(repo, *side, main) == ([gone, gone, REACHABLE] if mainline == 1 else [REACHABLE, REACHABLE, gone])


def test_reverts_are_found_after_garbage_collection(either: Repo) -> None:
    side, _mainline, merge = merged(either)
    oid = either.commit("Idea", {"a": "1\n"})
    first, second = revert(either, oid), revert(either, merge, "--mainline=1")
    either.git("reflog", "expire", "--expire=now", "--all")
    either.git("gc", "-q", "--prune=now")
    either.git("commit-graph", "write", "--reachable", "--changed-paths")
    assert found_of(either, oid, *side) == [by(first), in_merge(second, merge), in_merge(second, merge)]


def test_a_change_that_was_here_beside_a_reverted_merge_stays(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    oid = repo.commit("Picked and merged", {"side.txt": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.git("cherry-pick", oid)
    picked = repo.rev()
    repo.commit("Main", {"m": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    repo.git("revert", "--no-edit", "-m", "1", "HEAD", accept=(0, 1))
    repo.git("commit", "-q", "--allow-empty", "-m", f"Revert\n\n{merge_reverted(repo)}", accept=(0, 1))
    assert (repo.path / "side.txt").exists()
    found = commit_finding(repo, oid)
    assert (told(found), found.evidence) == (("current", "rewritten"), {"to": picked})


def merge_reverted(repo: Repo) -> str:
    """What git writes where it reverts the merge at HEAD; a revert of nothing is no commit by itself."""
    return f"This reverts commit {repo.rev()}, reversing\nchanges made to {repo.rev('HEAD^1')}."


def test_a_commit_that_was_picked_into_a_branch_whose_merge_was_reverted_is_reverted_with_it(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "lost")
    oid = repo.commit("Change", {"side.txt": "1\n"})
    repo.git("checkout", "-q", "-b", "side", "main")
    repo.commit("Side", {"s": "1\n"})
    repo.git("cherry-pick", oid)
    picked = repo.rev()
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-q", "-D", "lost")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    merge = repo.rev()
    repo.git("revert", "--no-edit", "-m", "1", merge)
    found = commit_finding(repo, oid)
    assert told(found) == ("stale", "reverted-merge")
    assert found.evidence == {"by": repo.rev(), "merge": merge, "to": picked}
