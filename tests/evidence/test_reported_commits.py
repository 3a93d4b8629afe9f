"""Cases of cited commits in which a verdict was once wrong, each told from outside."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from evidence.cited import TEXT, at, cite, commit_finding, file_finding, found_of, told
from world import Repo, World

from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.evidence.history import VERSION
from gitmem.evidence.judge import judge
from gitmem.evidence.target import worktree_of
from gitmem.evidence.verdict import Verdict
from gitmem.storage.cache import FileCache

REACHABLE: tuple[str, dict[str, object]] = ("reachable", {})
ORPHANED: tuple[str, dict[str, object]] = ("orphaned", {})
DAY = 24 * 60 * 60


@pytest.fixture
def cache(tmp_path: Path) -> FileCache:
    return FileCache(tmp_path / "kept", VERSION, keep=8)


def kept(repo: Repo, cache: FileCache, ref: str | SourceRef) -> tuple[str, str]:
    """The verdict and the reason for a commit or another ref, as one command after the other finds them."""
    if isinstance(ref, str):
        ref = SourceRef(source_type=SourceType.COMMIT, id=ref)
    entry = Entry(id="e", title="t", date="2026-01-01T00:00:00Z", source_refs=(ref,))
    (found,) = judge(worktree_of(at(repo), cache), [entry])
    return told(found.judgements[0].finding)


def record(repo: Repo, *pairs: tuple[str, str]) -> None:
    """Record what became of commits, as the post-rewrite hook does."""
    path = repo.path / ".git/mem/rewritten"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{old} {new}\n" for old, new in pairs), encoding="ascii")


def loose(repo: Repo, oid: str) -> Path:
    return repo.path / ".git/objects" / oid[:2] / oid[2:]


# The same change


def test_an_amended_root_and_another_amended_commit_are_found_together_as_alone(repo: Repo) -> None:
    root = repo.rev()
    repo.git("commit", "-q", "--amend", "-m", "root2")
    root_now = repo.rev()
    repo.commit("n", {"n": "n\n"})
    last = repo.commit("m", {"m": "m\n"})
    repo.git("commit", "-q", "--amend", "-m", "m2")
    expected = [("rewritten", {"to": root_now}), ("rewritten", {"to": repo.rev()})]
    assert found_of(repo, root) + found_of(repo, last) == expected
    assert found_of(repo, root, last) == expected
    assert found_of(repo, last, root) == expected[::-1]


def patch_id(repo: Repo, oid: str) -> str:
    return repo.git("patch-id", "--stable", feed=repo.git("show", oid).stdout).line.split()[0]


@pytest.mark.parametrize("kept_alive", [True, False])
def test_the_same_change_in_an_ancestor_is_not_what_a_commit_was_rewritten_to(repo: Repo, *, kept_alive: bool) -> None:
    repo.commit("Base", {"a.py": TEXT})
    repo.git("checkout", "-q", "-b", "old")
    other = repo.commit("o", {"o": "o\n"})
    repo.git("checkout", "-q", "main")
    same = repo.commit("S", {"a.py": TEXT + "more\n"})
    repo.commit("By hand", {"a.py": TEXT})
    repo.git("checkout", "-q", "-b", "side")
    cited = repo.commit("C", {"a.py": TEXT + "more\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Later", {"later": "1\n"})
    assert patch_id(repo, same) == patch_id(repo, cited)
    if not kept_alive:
        repo.git("branch", "-q", "-D", "side")
    expected = ("other-branch", {"refs": ["refs/heads/side"]}) if kept_alive else ORPHANED
    old = ("other-branch", {"refs": ["refs/heads/old"]})
    assert found_of(repo, cited) == [expected]
    assert found_of(repo, cited, other) == [expected, old]


# What was undone


def test_a_merge_that_brought_a_revert_gives_the_commit_back_when_it_is_reverted(repo: Repo) -> None:
    cited = repo.commit("c", {"c": "c\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.git("revert", "--no-edit", cited)
    revert = repo.rev()
    repo.commit("Another", {"d": "d\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "side")
    assert found_of(repo, cited) == [("reverted", {"by": revert})]
    repo.git("revert", "--no-edit", "-m", "1", "HEAD")
    assert (repo.path / "c").exists()
    assert found_of(repo, cited) == [REACHABLE]


# Clocks


def with_old_clock(repo: Repo) -> None:
    """Commit eight times on a machine whose clock is a day behind."""
    for number in range(8):
        moment = {"GIT_COMMITTER_DATE": f"{repo.world.clock - DAY} +0000"}
        repo.git("commit", "-q", "--allow-empty", "-m", f"Late {number}", env=moment)


@pytest.mark.parametrize("strays", [0, 1, 17])
def test_a_commit_below_others_with_an_older_date_is_reachable(repo: Repo, strays: int) -> None:
    repo.git("checkout", "-q", "--detach")
    lost = [repo.commit(f"Stray {number}", {f"s{number}": f"{number}\n"}) for number in range(strays)]
    repo.git("checkout", "-q", "main")
    cited = repo.commit("c", {"c": "c\n"})
    with_old_clock(repo)
    assert repo.git("merge-base", "--is-ancestor", cited, "HEAD").code == 0
    assert found_of(repo, cited) == [REACHABLE]
    assert found_of(repo, cited, *lost) == [REACHABLE, *[ORPHANED] * strays]
    assert found_of(repo, *lost, cited) == [*[ORPHANED] * strays, REACHABLE]


@pytest.mark.parametrize("others", [0, 17])
def test_a_commit_of_a_branch_with_older_dates_above_it_is_not_orphaned(repo: Repo, others: int) -> None:
    repo.git("checkout", "-q", "--detach")
    lost = [repo.commit(f"Stray {number}", {f"s{number}": f"{number}\n"}) for number in range(others)]
    repo.git("checkout", "-q", "-b", "side", "main")
    cited = repo.commit("c", {"c": "c\n"})
    with_old_clock(repo)
    repo.git("checkout", "-q", "main")
    with_old_clock(repo)
    expected = ("other-branch", {"refs": ["refs/heads/side"]})
    assert found_of(repo, cited) == [expected]
    assert found_of(repo, cited, *lost) == [expected, *[ORPHANED] * others]


# What is kept about a history, and what is gone meanwhile


def test_a_commit_that_was_pruned_since_the_last_check_is_missing(repo: Repo, cache: FileCache) -> None:
    cited = repo.commit("X", {"x": "x\n"})
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.commit("Y", {"y": "y\n"})
    assert kept(repo, cache, cited) == ("stale", "orphaned")
    repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    repo.commit("Z", {"z": "z\n"})
    assert kept(repo, cache, cited) == ("unverified", "missing")


def test_a_commit_whose_object_is_deleted_after_a_check_is_missing(repo: Repo, cache: FileCache) -> None:
    cited = repo.commit("X", {"x": "x\n"})
    repo.commit("Y", {"y": "y\n"})
    assert kept(repo, cache, cited) == ("current", "reachable")
    loose(repo, cited).unlink()
    assert kept(repo, cache, cited) == ("unverified", "missing")


def test_a_commit_whose_lender_is_moved_away_after_a_check_is_not_current(repo: Repo, cache: FileCache) -> None:
    cited = repo.rev()
    repo.world.git("clone", "-q", "--shared", repo.path, "borrower", cwd=repo.world.root)
    borrower = Repo(repo.world, repo.world.root / "borrower")
    borrower.commit("Own", {"own": "1\n"})
    ref = cite(borrower, "README.md")
    assert kept(borrower, cache, cited) == ("current", "reachable")
    assert kept(borrower, cache, ref) == ("current", "unchanged")
    shutil.move(repo.path, repo.world.root / "away")
    assert kept(borrower, cache, cited) == ("unverified", "odb-error")


# What git told the hook


def rebased(repo: Repo, *old: str) -> list[tuple[str, str]]:
    """Rebase `topic` with its merges onto main; return the old ids with the new ones."""
    oldest_first = ("rev-list", "--reverse", "--topo-order", "main..topic")
    before = repo.git(*oldest_first).out.split()
    repo.git("rebase", "-q", "--rebase-merges", "main", "topic")
    pairs = dict(zip(before, repo.git(*oldest_first).out.split(), strict=True))
    for was, now in pairs.items():
        assert was != now
        assert repo.git("show", "-s", "--format=%s", was).line == repo.git("show", "-s", "--format=%s", now).line
    return [(oid, pairs[oid]) for oid in old]


def recorded(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, dict[str, object]]]:
    return [("rewritten", {"to": new}) for _, new in pairs]


def test_a_merge_and_an_empty_commit_that_were_rebased_are_the_same(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    empty = repo.commit("Empty")
    repo.git("checkout", "-q", "-b", "arm")
    repo.commit("Arm", {"arm": "1\n"})
    repo.git("checkout", "-q", "topic")
    repo.commit("Topic", {"topic": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "arm")
    merge = repo.rev()
    repo.git("branch", "-q", "-D", "arm")
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"main": "1\n"})
    pairs = rebased(repo, empty, merge)
    assert len(repo.git("show", "-s", "--format=%P", pairs[1][1]).line.split()) == 2
    record(repo, *pairs)
    assert found_of(repo, empty, merge) == recorded(pairs)
    assert found_of(repo, merge) == recorded(pairs[1:])
    assert told(commit_finding(repo, empty)) == ("current", "rewritten")


def test_a_commit_that_was_amended_on_another_branch_is_there(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    old = repo.commit("Work", {"work": "1\n"})
    repo.write("work", "2\n")
    repo.git("commit", "-q", "-a", "--amend", "--no-edit")
    new = repo.rev()
    repo.git("checkout", "-q", "main")
    assert found_of(repo, old) == [ORPHANED]
    record(repo, (old, new))
    assert found_of(repo, old) == [("other-branch", {"refs": ["refs/heads/topic"], "to": new})]


# Damage


NOISE = {"ones": b"\xff" * 24, "zeros": b"\0" * 24, "far": b"\x7f\xff\xff\xf0" * 6}
PARTS = [(part, noise) for part in (0.2, 0.5, 0.75, 0.83, 0.87, 0.9, 0.93) for noise in NOISE]
# Where parents are damaged that git, asked before the graph was looked at, believes.


def grown(world: World) -> tuple[Repo, list[SourceRef]]:
    """A repository in whose history one cited file was edited, one was renamed, and one stayed."""
    repo = world.repo()
    repo.commit("Base", {"a.py": TEXT, "b.py": TEXT, "c.py": "c\n"})
    refs = [cite(repo, spec) for spec in ("a.py:5-7", "b.py:5-7", "c.py")]
    repo.commit("Edit", {"a.py": TEXT.replace("line 6", "LINE 6")})
    repo.git("mv", "b.py", "moved.py")
    repo.commit("Move")
    for number in range(4):
        repo.commit(f"Later {number}", {"later": f"{number}\n"})
    return repo, refs


def damage_graph(repo: Repo, part: float, noise: bytes) -> None:
    """Write a commit-graph, and put noise at a part of its length."""
    repo.git("commit-graph", "write", "--reachable")
    graph = repo.path / ".git/objects/info/commit-graph"
    data = graph.read_bytes()
    start = int(len(data) * part)
    graph.unlink()
    graph.write_bytes(data[:start] + noise + data[start + len(noise) :])


@pytest.mark.parametrize(("part", "noise"), PARTS)
def test_under_a_damaged_commit_graph_commits_are_reachable(world: World, part: float, noise: str) -> None:
    repo, refs = grown(world)
    cited = [str(refs[0].commit), repo.rev("HEAD~4"), repo.rev()]
    damage_graph(repo, part, NOISE[noise])
    assert found_of(repo, *cited) == [REACHABLE] * 3


@pytest.mark.parametrize(("part", "noise"), PARTS)
def test_under_a_damaged_commit_graph_files_are_judged(world: World, part: float, noise: str) -> None:
    repo, refs = grown(world)
    damage_graph(repo, part, NOISE[noise])
    found = [file_finding(repo, ref) for ref in refs]
    assert [one.verdict for one in found] == [Verdict.STALE, Verdict.CURRENT, Verdict.CURRENT]
    assert [one.reason for one in found] == ["lines-changed", "renamed", "unchanged"]
