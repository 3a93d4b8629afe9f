"""Memory follows what git does: the real hooks, the real worker, and what a person sees of them."""

import json
import os
import sys
from pathlib import Path

import pytest
import yaml
from program import faults
from remembered import TEXT, file_of, reasons, remember
from world import Repo, Result, World

from gitmem.porcelain.init import init

PROJECT = Path(__file__).parents[2]


class Hooked:
    """A repository with memory and hooks, in whose commands `git-mem` is on PATH."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.env = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{repo.world.env['PATH']}"}

    def git(self, *args: str | Path, at: Repo | None = None, feed: bytes = b"") -> Result:
        return (at or self.repo).git(*args, env=self.env, feed=feed)

    def commit(self, message: str, files: dict[str, str], at: Repo | None = None) -> str:
        """Commit files and return what is said of it."""
        repo = at or self.repo
        for name, text in files.items():
            repo.write(name, text)
        repo.git("add", "--all")
        return self.git("commit", "-q", "--allow-empty", "-m", message, at=repo).err

    def mem(self, *words: str, at: Repo | None = None, feed: bytes = b"") -> Result:
        return (at or self.repo).mem(*words, env=self.env, feed=feed)

    def work(self) -> None:
        """Have all that hooks asked for done: by the worker that they started, or by this one behind it."""
        done = self.mem("work", "--drain", "60")
        assert done.code == 0, done


@pytest.fixture
def hooked(world: World) -> Hooked:
    repo = world.repo("main", "--template=")
    repo.commit("Start", {"a.py": TEXT, "b.py": TEXT})
    init(repo.path, world.env, track=False)
    made = Hooked(repo)
    assert made.mem("hooks", "install").code == 0
    return made


def test_a_commit_that_makes_memory_stale_says_so_once_in_one_line(hooked: Hooked) -> None:
    remember(hooked.repo, "About line two", "a.py:2")
    assert hooked.commit("Other", {"c.py": "x\n", "b.py": "y\n"}) == ""
    said = hooked.commit("Change", {"a.py": TEXT.replace("line 2\n", "other\n")})
    assert said == "git mem: 1 entry became stale: About line two (see `git mem check`)\n"
    assert hooked.commit("Again", {"a.py": TEXT.replace("line 2\n", "another\n")}) == ""


def test_what_was_written_after_the_hooks_were_installed_counts(hooked: Hooked) -> None:
    hooked.commit("Quiet", {"c.py": "x\n"})
    hooked.work()
    remember(hooked.repo, "About b", "b.py")
    assert "About b" in hooked.commit("Change", {"b.py": "x\n"})


def test_a_revert_of_a_cited_commit_says_so(hooked: Hooked) -> None:
    hooked.commit("Feature", {"new.py": "x\n"})
    remember(hooked.repo, "Why the feature", commits=["HEAD"])
    assert "Why the feature" in hooked.git("revert", "--no-edit", "HEAD").err


def test_a_revert_of_a_merge_says_so(hooked: Hooked) -> None:
    hooked.git("checkout", "-q", "-b", "side")
    hooked.commit("Feature", {"new.py": "x\n"})
    hooked.git("checkout", "-q", "main")
    hooked.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    remember(hooked.repo, "Why the merge", commits=["HEAD"])
    assert "Why the merge" in hooked.git("revert", "--no-edit", "-m", "1", "HEAD").err


def test_an_amendment_of_a_cited_commit_says_so_if_it_made_that_stale(hooked: Hooked) -> None:
    hooked.commit("Feature", {"new.py": "x\n"})
    remember(hooked.repo, "Why the feature", commits=["HEAD"])
    assert hooked.git("commit", "-q", "--amend", "-m", "Reworded").err == ""
    hooked.work()
    hooked.repo.write("new.py", "another\n")
    said = hooked.git("commit", "-q", "--amend", "-a", "-m", "Changed").err
    assert said == "git mem: 1 entry became stale: Why the feature (see `git mem check`)\n"


def test_a_merge_says_so_and_a_rebase_does_not(hooked: Hooked) -> None:
    remember(hooked.repo, "About a", "a.py")
    hooked.git("checkout", "-q", "-b", "side")
    assert "About a" in hooked.commit("Change", {"a.py": "x\n"})
    hooked.git("checkout", "-q", "main")
    hooked.commit("More", {"d.py": "x\n"})
    assert hooked.git("rebase", "-q", "main", "side").err == ""
    hooked.git("checkout", "-q", "main")
    assert "About a" in hooked.git("merge", "-q", "side").err


def test_nothing_is_said_where_that_is_asked_for(hooked: Hooked) -> None:
    remember(hooked.repo, "About a", "a.py")
    hooked.repo.git("config", "mem.hookNotice", "no")
    assert hooked.commit("Change", {"a.py": "x\n"}) == ""


def test_a_rebase_in_a_linked_worktree_leaves_a_few_jobs_and_no_lock(hooked: Hooked) -> None:
    ident = remember(hooked.repo, "About a", "a.py", commits=["HEAD"])
    linked = hooked.repo.worktree("linked")
    for number in range(36):
        hooked.commit(f"Step {number}", {f"f{number}.txt": "x\n"}, at=linked)
    hooked.commit("Meanwhile", {"m.txt": "x\n"})
    assert hooked.git("rebase", "-q", "main", at=linked).err == ""
    waiting = json.loads(hooked.mem("jobs", "--json").out)
    assert faults("jobs", waiting) == []
    assert len(waiting["jobs"]) <= 4
    hooked.work()
    done = json.loads(hooked.mem("jobs", "--json").out)
    assert done["jobs"] == []
    assert done["done"] <= 10
    assert linked.git("status", "--porcelain").out == ""
    git_dir = Path(linked.git("rev-parse", "--absolute-git-dir").line)
    assert not (git_dir / "index.lock").exists()
    assert reasons(linked, ident) == ["unchanged", "reachable"]


def test_an_amended_commit_is_relinked(hooked: Hooked) -> None:
    hooked.commit("Feature", {"new.py": "x\n"})
    ident = remember(hooked.repo, "Why", commits=["HEAD"])
    hooked.git("commit", "-q", "--amend", "-m", "Reworded")
    hooked.work()
    assert reasons(hooked.repo, ident) == ["reachable"]
    assert hooked.repo.rev() in file_of(hooked.repo, ident).read_text("utf-8")


def test_the_file_index_has_followed_before_anybody_asks(hooked: Hooked) -> None:
    hooked.mem("mine")
    hooked.commit("More", {"d.py": "walrus\n"})
    linked = Repo(hooked.repo.world, hooked.repo.world.root / "linked")
    hooked.git("worktree", "add", "-q", "--detach", linked.path)
    hooked.work()
    for repo in (hooked.repo, linked):
        found = json.loads(hooked.mem("search", "walrus", "--in", "files", "--json", at=repo).out)
        assert [hit["path"] for hit in found["hits"]] == ["d.py"]


def test_the_answers_are_the_same_without_hooks(hooked: Hooked) -> None:
    ident = remember(hooked.repo, "About a", "a.py")
    hooked.mem("mine")
    hooked.mem("hooks", "uninstall")
    hooked.commit("More", {"a.py": "walrus\n"})
    assert [
        hit["path"] for hit in json.loads(hooked.mem("search", "walrus", "--in", "files", "--json").out)["hits"]
    ] == ["a.py"]
    assert reasons(hooked.repo, ident) == ["content-changed"]


# Where a hook has no section: `git mem hooks run`


@pytest.fixture
def bare(hooked: Hooked) -> Hooked:
    """The same repository with a line in each hook, as people add it where another program owns the hooks."""
    hooked.mem("hooks", "uninstall")
    for name in ("post-commit", "post-checkout", "post-merge", "post-rewrite"):
        hook = hooked.repo.write(f".git/hooks/{name}", f'#!/usr/bin/env -S sh\ngit mem hooks run {name} "$@"\n')
        hook.chmod(0o755)
    return hooked


def test_a_line_in_a_hook_does_what_a_section_does(bare: Hooked) -> None:
    bare.mem("mine")
    remember(bare.repo, "About a", "a.py")
    assert bare.commit("Other", {"c.py": "x\n"}) == ""
    assert "About a" in bare.commit("Change", {"a.py": "walrus\n"})
    ident = remember(bare.repo, "Why", commits=["HEAD"])
    bare.git("commit", "-q", "--amend", "-m", "Reworded")
    bare.work()
    assert reasons(bare.repo, ident) == ["reachable"]
    bare.repo.write("a.py", "manatee\n")
    assert "Why" in bare.git("commit", "-q", "--amend", "-a", "-m", "Changed").err
    assert bare.mem("hooks", "status").out.count("(called by the script that is there)") == 4


def test_a_linked_worktree_has_marks_of_its_own(bare: Hooked) -> None:
    linked = Repo(bare.repo.world, bare.repo.world.root / "linked")
    bare.git("worktree", "add", "-q", "-b", "linked", linked.path)
    bare.work()
    state = bare.repo.path / ".git" / "mem"
    (state / "worker").write_text(f"{os.getpid()}\n", "ascii")  # so that no worker takes them
    bare.commit("More", {"c.py": "x\n"}, at=linked)
    assert {path.name for path in (state / "spool").iterdir() if path.name[0] != "."} == {"follow@linked"}
    bare.git("checkout", "-q", "--", "c.py", at=linked)
    assert (state / "ran" / "post-checkout").exists()


def test_a_hook_ends_in_silence_when_git_hangs(bare: Hooked) -> None:
    remember(bare.repo, "About a", "a.py")
    fake = bare.repo.write("../fake/git", "#!/bin/sh\nexec sleep 60\n")
    fake.chmod(0o755)
    env = {"PATH": f"{fake.parent}{os.pathsep}{bare.env['PATH']}"}
    (bare.repo.path / ".git" / "mem" / "worker").write_text(f"{os.getpid()}\n", "ascii")
    ask = ("timeout", "30", sys.executable, "-m", "gitmem", "hooks", "run", "post-commit")
    done = bare.repo.world.run(*ask, cwd=bare.repo.path, env=env)
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("words", [[], ["post-commit"], ["no-such-hook"], ["post-rewrite", "amend"]])
def test_a_hook_never_fails_wherever_it_runs(world: World, words: list[str]) -> None:
    done = Repo(world, world.root).mem("hooks", "run", *words)
    assert done.code in ({0} if words[:1] != ["no-such-hook"] and words else {0, 129})
    assert "Traceback" not in done.err


# Before a commit: what `.pre-commit-hooks.yaml` offers


def before_commit(hooked: Hooked, at: Repo | None = None) -> Repo:
    """Have `git mem check` look at each commit of a worktree before it is made."""
    (offered,) = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert (offered["id"], offered["language"], offered["pass_filenames"]) == ("git-mem-check", "python", False)
    hook = hooked.repo.write(".git/hooks/pre-commit", f"#!/bin/sh\nexec {offered['entry']} >&2\n")
    hook.chmod(0o755)
    return at or hooked.repo


@pytest.mark.parametrize("where", ["main", "linked"])
@pytest.mark.parametrize("words", [("-a",), ("a.py",), ("--only", "a.py"), ("--include", "a.py")], ids=" ".join)
def test_what_is_about_to_be_committed_is_checked(hooked: Hooked, where: str, words: tuple[str, ...]) -> None:
    ident = remember(hooked.repo, "About line two", "a.py:2")
    repo = before_commit(hooked, hooked.repo.worktree("linked") if where == "linked" else None)
    repo.write("a.py", TEXT.replace("line 2\n", "other\n"))
    repo.write("b.py", "staged\n")
    repo.git("add", "b.py")
    refused = repo.git("commit", "-q", "-m", "x", *words, env=hooked.env, accept=(1,))
    assert ident in refused.err
    repo.git("checkout", "-q", "HEAD", "--", "a.py", env=hooked.env)
    repo.write("a.py", TEXT.replace("line 9\n", "other\n"))
    repo.git("commit", "-q", "-m", "x", *words, env=hooked.env)


def test_a_first_commit_is_let_through(hooked: Hooked) -> None:
    remember(hooked.repo, "About line two", "a.py:2")
    repo = before_commit(hooked)
    repo.git("checkout", "-q", "--orphan", "fresh", env=hooked.env)
    repo.git("commit", "-q", "-m", "Anew", env=hooked.env)


def test_what_is_not_about_to_be_committed_is_not_checked(hooked: Hooked) -> None:
    remember(hooked.repo, "About line two", "a.py:2")
    repo = before_commit(hooked)
    repo.write("a.py", TEXT.replace("line 2\n", "other\n"))
    repo.write("b.py", "staged\n")
    repo.git("commit", "-q", "-m", "x", "b.py", env=hooked.env)
    assert repo.git("diff", "--name-only").line == "a.py"
