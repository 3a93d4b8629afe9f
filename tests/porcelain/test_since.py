"""`check --since`: what a change puts at risk, compared with what git says that it touched."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from program import entry, put
from remembered import TEXT, refs_of, remember, workspace
from world import Repo, World

from gitmem.entry.model import SourceRef
from gitmem.evidence.risk import NoMergeBaseError
from gitmem.evidence.target import TargetKind
from gitmem.git.history import RevisionError
from gitmem.porcelain.check import Aim, Checked, check

FILES = ("kept", "edited", "deleted", "renamed", "staged", "dirty", "on-main", "restored", "typed", "shifted")


@pytest.fixture(scope="module")
def branched(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A branch `topic` that forked from main: an entry for each file, some of which the branch changed."""
    repo = World(tmp_path_factory.mktemp("since")).repo()
    repo.commit("Start", {f"{name}.py": f"{name}\n{TEXT}" for name in FILES})
    assert repo.mem("init").code == 0
    for name in FILES:
        remember(repo, name, f"{name}.py:4-6")
    old = repo.commit("Old", {"old.txt": "x\n"})
    undone = repo.commit("To be undone", {"undone.txt": "x\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.git("mv", "renamed.py", "new name.py")
    repo.commit(
        "Change", {"edited.py": f"edited\n{TEXT}more\n", "shifted.py": f"new\nshifted\n{TEXT}", "restored.py": "x\n"}
    )
    repo.commit("Delete", {"deleted.py": None, "restored.py": f"restored\n{TEXT}"})
    young = repo.commit("Young", {"young.txt": "x\n"})
    repo.git("revert", "--no-edit", undone)
    repo.git("checkout", "-q", "main")
    repo.commit("On main", {"on-main.py": "x\n"})
    repo.git("checkout", "-q", "topic")
    put(
        repo.path / ".klide/memory",
        *(
            entry(name, source_refs=(SourceRef(source_type="commit", id=oid),))
            for name, oid in {"old": old, "undone": undone, "young": young}.items()
        ),
        entry("old-with-file", source_refs=(SourceRef(source_type="commit", id=old, path="edited.py"),)),
        entry("no-evidence"),
        entry("run", source_refs=(SourceRef(source_type="run", id="r"),)),
        entry("two", source_refs=(*refs_of(repo, found(repo, "kept")), *refs_of(repo, found(repo, "edited")))),
    )
    repo.write("staged.py", "staged\n")
    repo.git("add", "staged.py")
    repo.write("dirty.py", "dirty\n")
    (repo.path / "typed.py").unlink()
    (repo.path / "typed.py").symlink_to("kept.py")
    return repo


def found(repo: Repo, name: str) -> str:
    """Return the id of the entry about a file."""
    return f"2026-01-01-0000-{name}"


def checked(repo: Repo, *idents: str, **aim: object) -> Checked:
    return check(workspace(repo), idents, aim=Aim(**aim))  # type: ignore[arg-type]  # as given


def about_files(result: Checked) -> set[str]:
    """Return the files whose entries were found at risk."""
    return {one.entry.title for one in result.entries if one.entry.title in FILES}


def touched(repo: Repo, *diff: str) -> set[str]:
    """Return the files of ours that a diff of git's names, whatever the entry for them is called."""
    names = repo.git("diff", "--no-renames", "--name-only", "-z", *diff).out.split("\0")
    return {name.removesuffix(".py") for name in names} & set(FILES)


@pytest.mark.parametrize(
    ("aim", "diff"),
    [
        ({}, ("main...",)),
        ({"at": "topic"}, ("main...topic",)),
        ({"at": "topic~2"}, ("main...topic~2",)),
        ({"at": "main"}, ("main...main",)),
    ],
)
def test_files_that_the_branch_changed_since_it_forked_are_at_risk(
    branched: Repo, aim: dict[str, str], diff: Sequence[str]
) -> None:
    here = () if aim else (branched.git("merge-base", "main", "HEAD").line,)
    assert about_files(checked(branched, since="main", **aim)) == touched(branched, *(here or diff))


def test_in_the_index_what_is_staged_counts(branched: Repo) -> None:
    result = checked(branched, since="main", cached=True)
    base = branched.git("merge-base", "main", "HEAD").line
    assert result.target is TargetKind.INDEX
    assert about_files(result) == touched(branched, "--cached", base)
    assert "staged" in about_files(result)
    assert "dirty" not in about_files(result)


def test_the_merge_base_is_told_and_nothing_else_is_counted(branched: Repo) -> None:
    result = checked(branched, since="main")
    assert result.since == branched.git("merge-base", "main", "HEAD").line
    assert sum((result.summary.current, result.summary.stale, result.summary.unverified)) == len(result.entries)
    assert checked(branched).since is None


def test_commits_that_came_since_or_were_undone_since_are_at_risk(branched: Repo) -> None:
    ids = {one.entry.id for one in checked(branched, since="main").entries}
    assert {"undone", "young", "old-with-file", "two"} <= ids
    assert not {"old", "no-evidence", "run"} & ids


def test_a_file_that_was_changed_and_restored_is_not_at_risk(branched: Repo) -> None:
    assert "restored" not in about_files(checked(branched, since="main"))


def test_lines_that_only_moved_are_at_risk_and_current(branched: Repo) -> None:
    verdicts = {one.entry.title: one.verdict for one in checked(branched, since="main").entries}
    assert verdicts["shifted"] == "current"


def test_named_entries_are_kept_to_those_at_risk(branched: Repo) -> None:
    result = checked(branched, "old", "young", found(branched, "kept"), since="main")
    assert [one.entry.id for one in result.entries] == ["young"]


def test_since_what_is_here_already_nothing_is_committed(branched: Repo) -> None:
    assert about_files(checked(branched, since="topic", at="topic")) == set()
    assert about_files(checked(branched, since="topic")) == touched(branched, "topic")


def test_without_a_merge_base_it_is_refused(branched: Repo) -> None:
    lonely = branched.git("commit-tree", "-m", "Alone", "HEAD^{tree}").line
    with pytest.raises(NoMergeBaseError, match=f"'{lonely}' has no merge base with what is checked: name another rev"):
        checked(branched, since=lonely)
    with pytest.raises(RevisionError, match="no commit is named 'nowhere'"):
        checked(branched, since="nowhere")


def test_a_branch_without_a_commit_has_no_merge_base(branched: Repo) -> None:
    other = branched.worktree("unborn", "--detach")
    other.git("checkout", "-q", "--orphan", "unborn")
    with pytest.raises(NoMergeBaseError):
        checked(other, since="main")


def test_a_shallow_clone_says_how_to_get_the_merge_base(branched: Repo, tmp_path: Path) -> None:
    shallow = World(tmp_path).clone(branched, "shallow", "--depth=1", "--no-single-branch", "--branch=topic")
    with pytest.raises(NoMergeBaseError, match=r"in this shallow clone: fetch more of it \(in CI fetch-depth: 0\)"):
        checked(shallow, since="origin/main")
