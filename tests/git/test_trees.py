"""What commits have at paths, and the history of paths, against git asked one by one."""

import pytest
from layouts import with_commit
from world import Repo

from gitmem.git.history import Step
from gitmem.git.run import Git
from gitmem.git.trees import path_history


def steps_of(repo: Repo, path: str, tip: str, since: str | None = None) -> list[Step]:
    found = path_history(Git(repo.world.env), repo.path, tip, [since] if since else [], {path})
    return list(found.steps)


# The history of a path


def test_the_history_of_a_path_is_newest_first_and_linked(repo: Repo) -> None:
    one = repo.commit("One", {"a.txt": "1\n"})
    repo.commit("Other", {"b.txt": "1\n"})
    two = repo.commit("Two", {"a.txt": "2\n"})
    repo.commit("Other", {"b.txt": "2\n"})
    gone = repo.commit("Gone", {"a.txt": None})
    head = repo.commit("Other", {"b.txt": "3\n"})
    steps = [Step(gone, (two,)), Step(two, (one,)), Step(one, ())]
    assert steps_of(repo, "a.txt", head) == steps
    assert [step.oid for step in steps_of(repo, "a.txt", head, since=one)] == [gone, two]
    assert steps_of(repo, "a.txt", head, since=head) == []
    assert steps_of(repo, "nowhere", head) == []


def test_the_history_of_a_path_holds_both_sides_of_a_merge(repo: Repo) -> None:
    base = repo.commit("Base", {"a.txt": "".join(f"{line}\n" for line in range(20))})
    repo.git("checkout", "-q", "-b", "side")
    text = (repo.path / "a.txt").read_text(encoding="utf-8")
    side = repo.commit("Side", {"a.txt": f"side\n{text}"})
    repo.git("checkout", "-q", "main")
    main = repo.commit("Main", {"a.txt": f"{text}main\n"})
    repo.git("merge", "-q", "-m", "Merge", "side")
    steps = steps_of(repo, "a.txt", repo.rev())
    assert steps[0] == Step(repo.rev(), (main, side))
    assert {*steps[1:3]} == {Step(main, (base,)), Step(side, (base,))}
    assert steps[3:] == [Step(base, ())]


def test_no_step_comes_before_a_later_one_whatever_the_clocks_said(repo: Repo) -> None:
    base = repo.commit("Base", {"a.txt": "".join(f"{line}\n" for line in range(20))})
    text = (repo.path / "a.txt").read_text(encoding="utf-8")
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a.txt", f"side\n{text}")
    repo.git("commit", "-q", "-a", "-m", "Side", env={"GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z"})
    side = repo.rev()
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"a.txt": f"{text}main\n"})
    repo.git("merge", "-q", "-m", "Merge", "side")
    oids = [step.oid for step in steps_of(repo, "a.txt", repo.rev())]
    assert oids.index(side) < oids.index(base)


@pytest.mark.parametrize("name", ["*.txt", ":(top)a.txt", ":!a.txt", "nl\nx.txt", "sep\u2028two", "-n", "日本/é"])
def test_a_path_is_taken_as_it_stands(repo: Repo, name: str) -> None:
    repo.commit("Bait", {"a.txt": "1\n"})
    oid = repo.commit("Odd", {name: "1\n"})
    repo.commit("Bait again", {"a.txt": "2\n"})
    assert steps_of(repo, name, repo.rev()) == [Step(oid, ())]


def test_the_whole_answer_is_the_same_under_a_users_configuration(repo: Repo) -> None:
    with_commit(repo)
    repo.commit("Second", {"a.txt": "1\n"})
    plain = steps_of(repo, "a.txt", repo.rev())
    repo.world.configure(
        "[log]\n\tshowSignature = true\n\tfollow = true\n\tshowRoot = false\n\tabbrevCommit = true\n"
        "[color]\n\tui = always\n[core]\n\tabbrev = 5\n\tdisambiguate = tree\n[alias]\n\trev-list = !false\n"
    )
    assert steps_of(repo, "a.txt", repo.rev()) == plain
