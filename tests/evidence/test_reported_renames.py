"""Renames that histories of real teams have: forth and back, on one side of a merge, with the file split in two."""

from pathlib import Path

import pytest
from evidence.cited import at, cite, file_finding, here, told
from world import Repo

from gitmem.entry.model import Entry
from gitmem.evidence.history import VERSION
from gitmem.evidence.judge import judge
from gitmem.evidence.reanchor import relinked
from gitmem.evidence.target import worktree_of
from gitmem.storage.cache import FileCache

LINES = "".join(f"line number {number} of the file\n" for number in range(1, 61))
EDITED = LINES.replace("line number 11 of", "LINE 11 of")


@pytest.fixture
def cited(repo: Repo) -> Repo:
    repo.commit("Base", {"a.py": LINES})
    return repo


def mv(repo: Repo, old: str, new: str) -> str:
    repo.git("mv", old, new)
    repo.git("commit", "-q", "-m", f"{old} to {new}")
    return repo.rev()


@pytest.mark.parametrize("spec", ["a.py:10-12", "a.py"])
def test_a_file_that_was_edited_under_another_name_and_came_back_names_the_edit(cited: Repo, spec: str) -> None:
    ref = cite(cited, spec)
    mv(cited, "a.py", "b.py")
    edit = cited.commit("Edit", {"b.py": EDITED})
    mv(cited, "b.py", "a.py")
    found = file_finding(cited, ref)
    assert found.reason.value in ("lines-changed", "content-changed")
    assert found.evidence["by"] == edit
    assert "to" not in found.evidence


def test_a_file_that_was_renamed_and_came_back_unchanged_is_unchanged(cited: Repo) -> None:
    ref = cite(cited, "a.py:10-12")
    mv(cited, "a.py", "b.py")
    mv(cited, "b.py", "a.py")
    assert told(file_finding(cited, ref)) == ("current", "unchanged")


def test_an_edit_on_one_side_and_a_rename_on_the_other_do_not_make_the_rename_guilty(cited: Repo) -> None:
    ref = cite(cited, "a.py:10-12")
    cited.git("checkout", "-q", "-b", "side")
    rename = mv(cited, "a.py", "b.py")
    cited.git("checkout", "-q", "main")
    edit = cited.commit("Edit", {"a.py": EDITED})
    cited.git("merge", "-q", "--no-edit", "side")
    assert (cited.path / "b.py").read_text(encoding="utf-8") == EDITED
    found = file_finding(cited, ref)
    assert (told(found), found.evidence["to"]) == (("stale", "lines-changed"), "b.py")
    assert found.evidence["by"] in (edit, cited.rev())
    assert found.evidence["by"] != rename


def test_what_is_kept_changes_no_answer_when_a_rename_goes_back_on_another_branch(cited: Repo, tmp_path: Path) -> None:
    ref = cite(cited, "a.py:10-12")
    cache = FileCache(tmp_path / "kept", VERSION, keep=8)
    cited.git("checkout", "-q", "-b", "side")
    mv(cited, "a.py", "b.py")
    cited.git("checkout", "-q", "main")
    cited.commit("Edit", {"a.py": EDITED})
    for step in (["checkout", "-q", "side"], ["merge", "-q", "--no-edit", "main"], ["mv", "b.py", "a.py"]):
        cited.git(*step)
    cited.git("commit", "-q", "-m", "Back")
    for branch in ("side", "main", "side"):
        cited.git("checkout", "-q", branch)
        kept = worktree_of(at(cited), cache)

        entry = Entry(id="e", title="t", date="2026-01-01T00:00:00Z", source_refs=(ref,))
        (one,) = judge(kept, [entry])
        assert one.judgements[0].finding == file_finding(cited, ref)
        assert one.judgements[0].finding.reason.value == "lines-changed"


def test_lines_that_a_split_put_into_the_other_half_are_found_there(cited: Repo) -> None:
    ref = cite(cited, "a.py:10-14")
    head, tail = LINES.splitlines(keepends=True)[:20], LINES.splitlines(keepends=True)[20:]
    cited.git("mv", "a.py", "core.py")
    split = cited.commit("Split", {"core.py": "".join(tail), "helpers.py": "".join(head)})
    found = file_finding(cited, ref)
    assert told(found) == ("current", "renamed")
    assert (found.evidence["to"], found.evidence["by"]) == ("helpers.py", split)


def test_a_rename_that_is_not_committed_is_not_followed_by_relink(cited: Repo) -> None:
    ref = cite(cited, "a.py:10-12")
    cited.git("mv", "a.py", "b.py")
    assert told(file_finding(cited, ref)) == ("current", "renamed")
    assert relinked(here(cited), [ref]) == [ref]
    cited.git("commit", "-q", "-m", "Rename")
    assert relinked(here(cited), [ref])[0].path == "b.py"
