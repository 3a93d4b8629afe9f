"""What is said of a commit that makes memory stale: once, in one line, and of nothing else."""

import pytest
from program import entry, put
from remembered import TEXT, file_of, remember, workspace
from world import Repo, World

from gitmem.entry.model import ReviewState, SourceRef
from gitmem.porcelain.notice import Notice, notice, parent_of


@pytest.fixture
def repo(world: World) -> Repo:
    repo = world.repo()
    repo.commit("Start", {"a.py": TEXT, "b.py": TEXT})
    return repo


def noticed(repo: Repo, old: str | None = "HEAD^", new: str = "HEAD") -> list[str]:
    return [entry.title for entry in notice(workspace(repo), old, new).entries]


def test_an_entry_whose_lines_a_commit_changed_is_named(repo: Repo) -> None:
    remember(repo, "About line two", "a.py:2")
    remember(repo, "About line nine", "a.py:9")
    remember(repo, "About b", "b.py")
    repo.commit("Change", {"a.py": TEXT.replace("line 2\n", "other\n")})
    assert noticed(repo) == ["About line two"]


def test_what_was_stale_before_is_not_said_again(repo: Repo) -> None:
    remember(repo, "About line two", "a.py:2")
    repo.commit("Change", {"a.py": TEXT.replace("line 2\n", "other\n")})
    repo.commit("Change again", {"a.py": TEXT.replace("line 2\n", "another\n")})
    assert noticed(repo) == []
    assert noticed(repo, "HEAD~2") == ["About line two"]


def test_moved_lines_and_renamed_files_are_no_news(repo: Repo) -> None:
    remember(repo, "About line two", "a.py:2")
    repo.commit("Shift", {"a.py": "above\n" + TEXT})
    assert noticed(repo) == []
    repo.git("mv", "a.py", "c.py")
    repo.commit("Rename")
    assert noticed(repo) == []


def test_a_deleted_file_is_news(repo: Repo) -> None:
    remember(repo, "About a", "a.py")
    repo.commit("Remove", {"a.py": None})
    assert noticed(repo) == ["About a"]


def test_a_revert_of_a_cited_commit_is_news(repo: Repo) -> None:
    remember(repo, "Why", commits=[repo.commit("Feature", {"new.py": "x\n"})])
    repo.git("revert", "--no-edit", "HEAD")
    assert noticed(repo) == ["Why"]


def test_the_working_tree_does_not_count(repo: Repo) -> None:
    remember(repo, "About a", "a.py")
    repo.write("a.py", "dirty\n")
    repo.commit("Other", {"b.py": "x\n"})
    assert noticed(repo) == []


def test_entries_that_do_not_count_are_not_named(repo: Repo) -> None:
    ident = remember(repo, "About a", "a.py")
    path = file_of(repo, ident)
    path.write_text(path.read_text("utf-8").replace("reviewState: reviewed", "reviewState: proposed"), "utf-8")
    ref = SourceRef(source_type="file", id="a.py", path="a.py", blob=repo.rev("HEAD:a.py"))
    put(repo.path / ".klide" / "memory", entry("old", source_refs=(ref,), review_state=ReviewState.SUPERSEDED))
    repo.commit("Change", {"a.py": "x\n"})
    assert noticed(repo) == []


def test_a_root_commit_is_compared_with_nothing(repo: Repo) -> None:
    remember(repo, "About a", "a.py")
    repo.git("checkout", "-q", "--orphan", "fresh")
    repo.commit("Anew", {"a.py": "x\n"})
    space = workspace(repo)
    assert parent_of(space, "HEAD") is None
    assert [entry.title for entry in notice(space, None, "HEAD").entries] == ["About a"]


def test_a_merge_names_what_came_with_it(repo: Repo) -> None:
    remember(repo, "About a", "a.py")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("One", {"a.py": "x\n"})
    repo.commit("Two", {"b.py": "x\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--ff-only", "side")
    assert noticed(repo, "ORIG_HEAD") == ["About a"]


def test_nothing_is_said_where_that_is_asked_for(repo: Repo) -> None:
    remember(repo, "About a", "a.py")
    repo.commit("Change", {"a.py": "x\n"})
    repo.git("config", "mem.hookNotice", "false")
    assert noticed(repo) == []


def told(*titles: str) -> str:
    return Notice(tuple(entry(f"e{number}", title=title) for number, title in enumerate(titles))).line()


def test_the_line_is_one_line_whatever_the_titles() -> None:
    assert told() == ""
    assert told("One") == "git mem: 1 entry became stale: One (see `git mem check`)"
    assert told("A", "B", "C") == "git mem: 3 entries became stale: A; B; C (see `git mem check`)"
    assert told("A", "B", "C", "D", "E") == "git mem: 5 entries became stale: A; B; C; and 2 more (see `git mem check`)"
    assert "\n" not in told("a\nb")
    assert "\x1b" not in told("\x1b[2J")
    assert len(told("word " * 100)) < 120
