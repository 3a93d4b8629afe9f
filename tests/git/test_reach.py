"""What a tip reaches, with a commit-graph of any age: always what git says."""

import random
from pathlib import Path

import pytest
from layouts import with_commit
from world import Repo, World

from gitmem.git.layout import locate
from gitmem.git.repository import Repository
from gitmem.git.run import Git


def at(repo: Repo) -> Repository:
    git = Git(repo.world.env)
    return Repository(git, locate(git, repo.path, repo.world.env))


def ancestors(repo: Repo, tip: str) -> set[str]:
    return set(repo.git("rev-list", tip).out.split())


def grow(repo: Repo, dice: random.Random, commits: int) -> None:
    for _ in range(commits):
        number = dice.randrange(10**9)
        if dice.random() < 0.3:
            repo.git("checkout", "-q", "-b", f"b{number}", dice.choice(repo.git("rev-list", "--all").out.split()))
        repo.git("commit", "-q", "--allow-empty", "-m", f"Commit {number}")
        if dice.random() < 0.3:
            other = dice.choice(repo.git("for-each-ref", "--format=%(refname)", "refs/heads").out.split())
            repo.git("merge", "-q", "-s", "ours", "--no-edit", other, accept=(0, 1))


@pytest.mark.parametrize("seed", range(3))
def test_a_graph_of_any_age_answers_as_git_does(tmp_path: Path, seed: int) -> None:
    repo = with_commit(World(tmp_path).repo())
    dice = random.Random(seed)
    grow(repo, dice, 12)
    repo.git("commit-graph", "write", "--reachable", *(["--split"] if seed % 2 else []))
    grow(repo, dice, 10)
    commits = set(repo.git("rev-list", "--all").out.split())
    for tip in [repo.rev(), *dice.sample(sorted(commits), 6)]:
        assert at(repo).reached(commits, tip) == ancestors(repo, tip)
        assert at(repo).unreachable(commits, tip) == commits - ancestors(repo, tip)


def test_what_is_not_here_is_not_reached(repo: Repo) -> None:
    repo.git("commit-graph", "write", "--reachable")
    assert at(repo).reached({"ab" * 20, repo.rev()}, repo.rev()) == {repo.rev()}


def test_a_commit_that_was_pruned_is_not_reached_though_the_graph_has_it(repo: Repo) -> None:
    lost = repo.commit("Lost", {"x": "1\n"})
    repo.git("commit-graph", "write", "--reachable")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("prune", "--expire=now")
    assert at(repo).reached({lost, repo.rev()}, repo.rev()) == {repo.rev()}


@pytest.mark.parametrize("key", ["core.commitGraph", "core.commitgraph"])
def test_a_graph_that_is_switched_off_is_not_used(repo: Repo, key: str) -> None:
    repo.git("commit-graph", "write", "--reachable")
    assert at(repo).graph is not None
    repo.git("config", key, "false")
    assert at(repo).graph is None
    assert at(repo).unreachable({repo.rev()}, repo.rev()) == set()


def test_a_graph_is_laid_aside_where_history_is_cut_short(world: World) -> None:
    source = with_commit(world.repo("source"))
    source.commit("More", {"x": "1\n"})
    shallow = world.clone(source, "shallow", "--depth=1")
    graph = shallow.path / ".git/objects/info/commit-graph"
    source.git("commit-graph", "write", "--reachable")
    graph.write_bytes((source.path / ".git/objects/info/commit-graph").read_bytes())
    assert at(shallow).graph is None


def test_a_damaged_graph_is_not_believed(repo: Repo) -> None:
    repo.git("commit-graph", "write", "--reachable")
    graph = repo.path / ".git/objects/info/commit-graph"
    graph.chmod(0o644)
    data = bytearray(graph.read_bytes())
    data[len(data) // 2] ^= 1
    graph.write_bytes(data)
    assert at(repo).reached({repo.rev()}, repo.rev()) is None
    assert at(repo).unreachable({repo.rev()}, repo.rev()) == set()


def test_a_long_history_is_looked_through_in_two_halves(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(7)
    grow(repo, dice, 12)
    for _ in range(3):
        repo.commit("Change", {"x": f"{dice.random()}\n"})
        repo.git("revert", "--no-edit", "HEAD")
    tip = repo.rev()
    whole = at(repo).reverts(tip)
    assert at(repo).halves(tip) == [(tip, [])]
    repo.git("commit-graph", "write", "--reachable")
    monkeypatch.setattr("gitmem.git.repository._LONG", 5)
    (newer, older) = at(repo).halves(tip)
    assert len(whole) == 3
    found = at(repo).reverts(*newer) + at(repo).reverts(*older)
    assert sorted(found, key=str) == sorted(whole, key=str)
    parts = [set(repo.git("rev-list", part, *(f"^{oid}" for oid in out)).out.split()) for part, out in (newer, older)]
    assert parts[0].isdisjoint(parts[1])
    assert parts[0] | parts[1] == ancestors(repo, tip)
