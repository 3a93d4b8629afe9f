"""The worker: what hooks asked for is done once, in the worktree that it is for, and nothing is lost."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from remembered import TEXT, reasons, refs_of, remember, state, workspace
from world import Repo, World, listing

from gitmem.porcelain.forget import forget
from gitmem.porcelain.init import init
from gitmem.porcelain.jobs import jobs
from gitmem.porcelain.mine import mine
from gitmem.porcelain.work import LOCK, Pace, Worked, spool_of, work
from gitmem.storage.lock import writer_lock


class Clock:
    """A clock that stands still but for waiting; `then` is done at each wait, once."""

    def __init__(self, *then: Callable[[], object]) -> None:
        self.time = 1_000_000.0
        self.waits = 0
        self.then = list(then)

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float) -> None:
        self.waits += 1
        self.time += seconds
        if self.then:
            self.then.pop(0)()

    def pace(self, *, idle: float = 0.0, settled: float = 0.0, deadline: float = 60.0) -> Pace:
        return Pace(self.now, self.wait, self.time + deadline, idle=idle, settled=settled)


@pytest.fixture
def repo(world: World) -> Repo:
    repo = world.repo()
    repo.commit("Start", {"a.py": TEXT})
    init(repo.path, world.env, track=False)
    (repo.path / ".git" / "mem" / "spool").mkdir()
    return repo


def ask(repo: Repo, *names: str) -> None:
    for name in names:
        spool_of(workspace(repo)).ask(name)


def worked(repo: Repo, clock: Clock | None = None, **pace: float) -> Worked:
    clock = clock or Clock()
    return work(workspace(repo), repo.world.env, clock.pace(**pace))


def cited(repo: Repo) -> list[str]:
    return (repo.path / ".git" / "mem" / "cited").read_text("utf-8").splitlines()


def amended(repo: Repo, *files: str) -> tuple[str, str]:
    """Amend the last commit as post-rewrite is told of it; return its old id and the entry that cites that."""
    old = repo.rev()
    ident = remember(repo, "Why", commits=[old])
    for name in files:
        repo.write(name, "more\n")
        repo.git("add", name)
    repo.git("commit", "-q", "--amend", "-m", "Reworded")
    with (repo.path / ".git" / "mem" / "rewritten").open("a", encoding="ascii") as record:
        record.write(f"{old} {repo.rev()}\n")
    ask(repo, "follow", "relink")
    return old, ident


def test_without_hooks_there_is_nothing_to_do(world: World) -> None:
    repo = world.repo()
    repo.commit("Start")
    assert worked(repo) == Worked()
    assert listing(repo.path / ".git" / "mem") == {} or not (repo.path / ".git" / "mem").exists()


def test_what_entries_cite_is_written_down_for_the_hooks(repo: Repo) -> None:
    remember(repo, "One", "a.py:2", commits=["HEAD"])
    repo.write("é.py", "x\n")
    remember(repo, "Two", "é.py")
    ask(repo, "follow")
    assert worked(repo) == Worked(done=1)
    reverted = f"This reverts commit {repo.rev()}"
    assert sorted(cited(repo)) == sorted([r'"\303\251.py"', f"{reverted}.", f"{reverted}, reversing", "a.py"])


def test_a_write_adds_to_the_list_and_a_worker_makes_it_exact(repo: Repo) -> None:
    ask(repo, "follow")
    worked(repo)
    assert cited(repo) == []
    remember(repo, "One", "a.py")
    assert cited(repo) == ["a.py"]


def test_forgetting_leaves_a_list_without_what_only_that_cited(repo: Repo) -> None:
    repo.commit("More", {"secret-name.py": "x\n"})
    ident = remember(repo, "One", "secret-name.py")
    remember(repo, "Two", "a.py")
    workspace(repo).note_cited()
    forget(workspace(repo), [ident])
    assert cited(repo) == ["a.py"]


def test_the_file_index_follows_head(repo: Repo) -> None:
    mine(workspace(repo))
    repo.commit("More", {"b.py": "walrus\n"})
    ask(repo, "follow")
    worked(repo)
    with workspace(repo).files.reading() as view:
        assert view is not None
        assert set(view.listed) == {"a.py", "b.py"}
        assert view.standing is not None
        assert view.standing.base == repo.rev()


def test_a_job_is_done_in_its_own_worktree(repo: Repo) -> None:
    mine(workspace(repo))
    linked = repo.worktree("linked")
    linked.commit("More", {"b.py": "walrus\n"})
    ask(repo, "follow@linked")
    assert worked(repo) == Worked(done=1)
    with workspace(linked).files.reading() as view:
        assert view is not None
        assert set(view.listed) == {"a.py", "b.py"}


def test_a_worktree_that_is_gone_is_no_failure(repo: Repo) -> None:
    ask(repo, "follow@gone", "relink@..")
    assert worked(repo) == Worked(done=2)
    assert jobs(workspace(repo)).jobs == ()


def test_a_reworded_commit_is_relinked(repo: Repo) -> None:
    repo.commit("Feature", {"new.py": "x\n"})
    _, ident = amended(repo)
    assert reasons(repo, ident) == ["rewritten"]
    assert worked(repo) == Worked(done=2)
    assert reasons(repo, ident) == ["reachable"]
    assert refs_of(repo, ident)[0].id == repo.rev()


def test_a_commit_with_another_patch_is_left_for_a_person(repo: Repo) -> None:
    repo.commit("Feature", {"new.py": "x\n"})
    old, ident = amended(repo, "new.py")
    assert worked(repo) == Worked(done=2)
    assert refs_of(repo, ident)[0].id == old
    assert reasons(repo, ident) == ["rewritten-changed"]


def test_the_files_of_a_tracked_store_are_left_alone(world: World) -> None:
    repo = world.repo()
    repo.commit("Start", {"a.py": TEXT})
    init(repo.path, world.env, track=True)
    (repo.path / ".git" / "mem" / "spool").mkdir()
    repo.commit("Feature", {"new.py": "x\n"})
    old, ident = amended(repo)
    before = state(repo.path)
    assert worked(repo) == Worked(done=2)
    assert state(repo.path) == before
    assert refs_of(repo, ident)[0].id == old


def test_a_job_that_fails_is_told_of_and_tried_when_it_is_asked_for(repo: Repo) -> None:
    repo.git("config", "mem.lockTimeout", "soon")
    ask(repo, "follow")
    assert work(workspace(repo), repo.world.env, Clock().pace()) == Worked(failed=1)
    (job,) = jobs(workspace(repo)).jobs
    assert (job.id, job.kind, str(job.state), job.attempts, job.error_class) == (
        "follow",
        "follow",
        "failed",
        1,
        "SettingError",
    )
    assert worked(repo) == Worked()
    repo.git("config", "--unset", "mem.lockTimeout")
    spool_of(workspace(repo)).retry()
    assert worked(repo) == Worked(done=1)
    assert (jobs(workspace(repo)).jobs, jobs(workspace(repo)).done) == ((), 1)


def test_a_job_that_a_killed_worker_left_is_done(repo: Repo) -> None:
    ask(repo, "follow")
    spool_of(workspace(repo)).take("follow")
    assert worked(repo) == Worked(done=1)


def test_a_second_worker_leaves_it_to_the_first(repo: Repo) -> None:
    ask(repo, "follow")
    with writer_lock(repo.path / ".git" / "mem" / LOCK, 0.0):
        assert worked(repo, deadline=0.0) == Worked(waiting=1, elsewhere=True)
        assert worked(repo, idle=2.0) == Worked(waiting=1, elsewhere=True)


def test_a_worker_in_the_background_ends_when_nothing_comes(repo: Repo) -> None:
    clock = Clock()
    assert worked(repo, clock, idle=2.0, settled=0.5) == Worked()
    assert clock.waits == 4


def test_marks_that_follow_each_other_closely_are_one_job(repo: Repo) -> None:
    mark = repo.path / ".git" / "mem" / "spool" / "follow"
    clock = Clock()
    clock.then += [lambda: touch(mark, clock.time)] * 10
    touch(mark, clock.time)
    assert worked(repo, clock, idle=1.0, settled=0.5) == Worked(done=1)


def touch(mark: Path, time: float) -> None:
    mark.touch()
    os.utime(mark, (time, time))


def test_a_worker_stops_when_its_time_is_up(repo: Repo) -> None:
    ask(repo, "follow", "relink")
    clock = Clock()
    assert work(workspace(repo), repo.world.env, clock.pace(deadline=-1.0)) == Worked(waiting=2)


def test_a_hooks_environment_does_not_lead_astray(repo: Repo) -> None:
    linked = repo.worktree("linked")
    ask(repo, "follow")
    environ = {**repo.world.env, "GIT_DIR": linked.git("rev-parse", "--absolute-git-dir").line, "GIT_INDEX_FILE": "x"}
    assert work(workspace(repo), environ, Clock().pace()) == Worked(done=1)
