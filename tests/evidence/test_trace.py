"""Where evidence went that is not at its path: renamed, moved with its lines, deleted; as git's history has it."""

import shutil
from dataclasses import replace

import pytest
from evidence.cited import TEXT, at, cite, file_finding, told
from layouts import with_commit
from world import Repo, World

from gitmem.entry.model import SourceRef
from gitmem.evidence.files import judge_files
from gitmem.evidence.target import Target, TargetKind
from gitmem.evidence.verdict import Finding

EDITED = TEXT.replace("line 6\n", "LINE 6\n")
ELSEWHERE = TEXT.replace("line 15\n", "LINE 15\n")
PUSHED = "zero\n" + TEXT


@pytest.fixture
def cited(repo: Repo) -> Repo:
    repo.commit("Base", {"lib/a.py": TEXT})
    return repo


@pytest.fixture(params=["sha1", "sha256"])
def either(request: pytest.FixtureRequest, world: World) -> Repo:
    repo = with_commit(world.repo("main", f"--object-format={request.param}"))
    repo.commit("Base", {"lib/a.py": TEXT})
    return repo


def rename(repo: Repo, old: str, new: str, content: str | None = None) -> str:
    """Let git rename a file, and edit it in the same commit if there is a new content; return the commit."""
    (repo.path / new).parent.mkdir(parents=True, exist_ok=True)
    repo.git("mv", old, new)
    return repo.commit("Rename", None if content is None else {new: content})


def span(start: int, end: int) -> dict[str, object]:
    return {"lineStart": start, "lineEnd": end}


def judged(repo: Repo, ref: SourceRef) -> tuple[tuple[str, str], dict[str, object]]:
    found = file_finding(repo, ref)
    return told(found), dict(found.evidence)


def judged_at(repo: Repo, kind: TargetKind, name: str, ref: SourceRef) -> Finding:
    (found,) = judge_files(Target(at(repo), kind, repo.rev(name)), [ref])
    return found


RENAMED, DELETED, CHANGED = ("current", "renamed"), ("stale", "deleted"), ("stale", "lines-changed")
COLD = ("unverified", "baseline-missing")


# Renamed


@pytest.mark.parametrize(
    ("content", "lines"),
    [(None, {}), (ELSEWHERE, span(5, 7)), (PUSHED, span(6, 8)), (TEXT.replace("\n", "\r\n"), span(5, 7))],
)
def test_a_renamed_file_is_current_while_its_cited_lines_stand(
    either: Repo, content: str | None, lines: dict[str, object]
) -> None:
    ref = cite(either, "lib/a.py:5-7")
    commit = rename(either, "lib/a.py", "src/b.py", content)
    either.commit("Later", {"later": "1\n"})
    assert judged(either, ref) == (RENAMED, {**lines, "to": "src/b.py", "by": commit})
    assert either.git("log", "-1", "--format=%H", "--follow", "--diff-filter=R", "--", "src/b.py").line == commit
    found = file_finding(either, ref)
    assert "src/b.py" in found.message
    assert commit[:7] in found.message


def test_a_whole_file_is_renamed_only_with_its_content(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py")
    commit = rename(cited, "lib/a.py", "b.py")
    where = {"to": "b.py", "by": commit}
    assert judged(cited, ref) == (RENAMED, where)
    cited.git("reset", "-q", "--hard", "HEAD~1")
    commit = rename(cited, "lib/a.py", "b.py", EDITED)
    assert judged(cited, ref) == (("stale", "content-changed"), {"to": "b.py", "by": commit})


def test_a_renamed_file_whose_cited_lines_were_edited_is_stale_and_says_where_it_is(either: Repo) -> None:
    ref = cite(either, "lib/a.py:5-7")
    commit = rename(either, "lib/a.py", "b.py", EDITED)
    found = file_finding(either, ref)
    assert (told(found), found.evidence) == (CHANGED, {"to": "b.py", "by": commit, "kept": 2})
    assert "b.py" in found.message


def test_lines_that_were_edited_after_the_rename_are_stale(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    rename(cited, "lib/a.py", "b.py")
    cited.commit("Edit", {"b.py": EDITED})
    found = file_finding(cited, ref)
    assert (told(found), found.evidence["to"], found.evidence["kept"]) == (CHANGED, "b.py", 2)


def test_lines_that_were_edited_after_the_rename_were_changed_by_that_edit(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    rename(cited, "lib/a.py", "b.py")
    commit = cited.commit("Edit", {"b.py": EDITED})
    cited.commit("Later", {"b.py": EDITED + "more\n"})
    assert file_finding(cited, ref).evidence["by"] == commit


def test_lines_that_were_edited_before_the_rename_are_stale(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    cited.commit("Edit", {"lib/a.py": EDITED})
    rename(cited, "lib/a.py", "b.py")
    found = file_finding(cited, ref)
    assert (told(found), found.evidence["to"]) == (CHANGED, "b.py")


def test_a_file_that_was_renamed_twice_is_followed_to_where_it_is(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    rename(cited, "lib/a.py", "b.py", ELSEWHERE)
    cited.commit("Between", {"b.py": "zero\n" + ELSEWHERE})
    last = rename(cited, "b.py", "deep/er/c.py")
    assert judged(cited, ref) == (RENAMED, {**span(6, 8), "to": "deep/er/c.py", "by": last})
    back = rename(cited, "deep/er/c.py", "lib/a.py")
    assert judged(cited, ref) == (("current", "lines-moved"), span(6, 8))
    assert back == cited.rev()


def test_a_renamed_directory_takes_its_files_along(cited: Repo) -> None:
    names = [f"lib/f{number}.py" for number in range(5)]
    cited.commit("More", {name: f"{name}\n{TEXT}" for name in names})
    refs = [cite(cited, f"{name}:1-3") for name in names]
    cited.git("mv", "lib", "source")
    commit = cited.commit("Rename the directory")
    for ref, name in zip(refs, names, strict=True):
        assert judged(cited, ref) == (RENAMED, {"to": name.replace("lib/", "source/"), "by": commit})


def test_files_of_equal_content_go_where_git_pairs_them(cited: Repo) -> None:
    names = ["lib/a.py", "lib/x.py", "lib/y.py"]
    cited.commit("Copies", dict.fromkeys(names, TEXT))
    refs = [cite(cited, f"{name}:5-7") for name in names]
    commit = cited.commit("Move", {**dict.fromkeys(names), "z/x.py": TEXT, "z/q.py": TEXT, "z/a.py": TEXT})
    items = cited.git("diff", "-M", "-z", "--name-status", "--diff-filter=R", "HEAD~1", "HEAD").out.split("\0")
    pairs = dict(zip(items[1::3], items[2::3], strict=False))
    assert len(pairs) == 3
    for ref, name in zip(refs, names, strict=True):
        assert judged(cited, ref) == (RENAMED, {"to": pairs[name], "by": commit})


def test_a_rename_on_a_merged_side_is_followed(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    cited.git("checkout", "-q", "-b", "side")
    commit = rename(cited, "lib/a.py", "b.py")
    cited.git("checkout", "-q", "main")
    cited.commit("Main", {"lib/a.py": ELSEWHERE})
    cited.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert judged(cited, ref) == (RENAMED, {**span(5, 7), "to": "b.py", "by": commit})


def test_each_worktree_knows_its_own_renames(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    linked = cited.worktree("linked")
    commit = rename(linked, "lib/a.py", "b.py")
    assert judged(linked, ref) == (RENAMED, {"to": "b.py", "by": commit})
    assert judged(cited, ref) == (("current", "unchanged"), {})
    assert told(judged_at(cited, TargetKind.COMMIT, commit, ref)) == RENAMED
    assert told(judged_at(linked, TargetKind.COMMIT, "main", ref)) == ("current", "unchanged")


@pytest.mark.parametrize(
    "name",
    ["*.py", ":(top)x.py", "nl\nx.py", "日本/é.py", "sp ace.py", '"q".py', "-n.py"],
)
def test_odd_names_are_followed(cited: Repo, name: str) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    commit = cited.commit("Rename", {"lib/a.py": None, name: TEXT})
    assert judged(cited, ref)[1] == {"to": name, "by": commit}
    back = cite(cited, f"{name}:5-7")
    commit = cited.commit("Back", {name: None, "lib/a.py": TEXT})
    assert judged(cited, back) == (RENAMED, {"to": "lib/a.py", "by": commit})


def test_no_rename_depends_on_a_persons_configuration(cited: Repo) -> None:
    names = {f"lib/f{number}.py": f"{number}\n{TEXT}" for number in range(6)}
    cited.commit("More", names)
    refs = [cite(cited, f"{name}:5-7") for name in names]
    moved = {name.replace("lib/", "to/"): content + "more\n" for name, content in names.items()}
    cited.commit("Move", {**dict.fromkeys(names), **moved})
    cited.world.configure("[diff]\n\trenames = false\n\trenameLimit = 1\n\tnoprefix = true\n\trelative = true\n")
    for ref, name in zip(refs, moved, strict=True):
        assert (judged(cited, ref)[0], judged(cited, ref)[1]["to"]) == (RENAMED, name)


@pytest.mark.parametrize("later", [False, True])
def test_a_renamed_file_is_followed_though_another_one_took_its_place(cited: Repo, later: bool) -> None:
    text = TEXT * 4  # git calls only files of 400 bytes and more rewritten
    cited.commit("Long", {"lib/a.py": text})
    ref = cite(cited, "lib/a.py:5-7")
    cited.git("mv", "lib/a.py", "b.py")
    if later:
        cited.commit("Rename")
    cited.commit("Another", {"lib/a.py": "from b import *\n" * 20, "b.py": text})
    assert judged(cited, ref)[0] == RENAMED


# Renamed, but not committed


def test_a_rename_that_is_only_staged_is_dirty(cited: Repo) -> None:
    lines, whole = cite(cited, "lib/a.py:5-7"), cite(cited, "lib/a.py")
    cited.git("mv", "lib/a.py", "b.py")
    assert judged(cited, whole) == (RENAMED, {"to": "b.py", "dirty": True})
    assert judged(cited, lines) == (RENAMED, {"to": "b.py", "dirty": True})
    cited.write("b.py", PUSHED)
    assert judged(cited, lines) == (RENAMED, {**span(6, 8), "to": "b.py", "dirty": True})
    assert told(judged_at(cited, TargetKind.INDEX, "HEAD", lines)) == RENAMED
    assert told(judged_at(cited, TargetKind.COMMIT, "HEAD", lines)) == ("current", "unchanged")
    cited.write("b.py", EDITED)
    assert judged(cited, lines) == (CHANGED, {"to": "b.py", "dirty": True, "kept": 2})


def test_a_file_that_was_moved_behind_gits_back_is_deleted_here(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    (cited.path / "lib/a.py").rename(cited.path / "b.py")
    assert judged(cited, ref)[0] == ("stale", "deleted-in-worktree")
    assert told(judged_at(cited, TargetKind.INDEX, "HEAD", ref)) == ("current", "unchanged")
    cited.git("rm", "-q", "--cached", "lib/a.py")
    assert judged(cited, ref)[0] == ("stale", "deleted-in-worktree")
    assert told(judged_at(cited, TargetKind.INDEX, "HEAD", ref)) == DELETED


# Only the case of the path


@pytest.mark.parametrize("new", ["lib/A.py", "Lib/a.py", "LIB/A.PY"])
def test_a_path_that_differs_in_case_only_is_told_as_such(cited: Repo, new: str) -> None:
    lines, whole = cite(cited, "lib/a.py:5-7"), cite(cited, "lib/a.py")
    commit = rename(cited, "lib/a.py", new)
    for ref in (lines, whole):
        assert judged(cited, ref) == (("current", "case-renamed"), {"to": new, "by": commit})
    cited.commit("Above", {new: PUSHED})
    assert judged(cited, lines)[0] == ("current", "case-renamed")
    cited.commit("Edit", {new: EDITED})
    found = file_finding(cited, lines)
    assert (told(found), found.evidence["to"]) == (CHANGED, new)


def test_in_a_clone_of_depth_one_the_case_of_a_path_may_differ(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    rename(cited, "lib/a.py", "lib/A.py", ELSEWHERE)
    clone = cited.world.clone(cited, "clone", "--depth=1")
    assert judged(clone, ref) == (("current", "case-renamed"), {**span(5, 7), "to": "lib/A.py"})


def test_two_paths_that_differ_in_case_only_are_two_files(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    cited.commit("Other", {"lib/A.py": EDITED})
    commit = cited.commit("Delete", {"lib/a.py": None})
    assert judged(cited, ref) == (DELETED, {"by": commit})


# Deleted


def test_a_deletion_is_named_as_git_log_names_it(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    cited.commit("Edit", {"lib/a.py": EDITED})
    commit = cited.commit("Delete", {"lib/a.py": None, "other.py": "unlike\n" * 20})
    cited.commit("Later", {"later": "1\n"})
    assert judged(cited, ref) == (DELETED, {"by": commit})
    assert cited.git("log", "-1", "--format=%H", "--diff-filter=D", "--", "lib/a.py").line == commit


def test_a_file_that_was_deleted_and_restored_is_unchanged(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    cited.commit("Delete", {"lib/a.py": None})
    cited.commit("Restore", {"lib/a.py": TEXT})
    assert judged(cited, ref) == (("current", "unchanged"), {})
    again = cited.commit("Delete again", {"lib/a.py": None})
    assert judged(cited, ref) == (DELETED, {"by": again})


def test_a_copy_that_stood_elsewhere_long_before_is_not_where_the_file_went(cited: Repo) -> None:
    cited.commit("Copy", {"copy.py": TEXT, "lib/b/a.py": TEXT})
    ref = cite(cited, "lib/a.py:5-7")
    commit = cited.commit("Delete", {"lib/a.py": None})
    assert judged(cited, ref) == (DELETED, {"by": commit})


@pytest.mark.parametrize("content", [TEXT, "x\n" * 40 + TEXT])
def test_a_copy_that_another_commit_made_is_not_where_the_file_went(cited: Repo, content: str) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    cited.commit("Copy", {"copy.py": content})
    cited.commit("Later", {"later": "1\n"})
    commit = cited.commit("Delete", {"lib/a.py": None})
    assert judged(cited, ref) == (DELETED, {"by": commit})


def test_a_file_that_was_renamed_and_then_deleted_is_deleted(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    rename(cited, "lib/a.py", "b.py")
    cited.commit("Delete", {"b.py": None})
    assert judged(cited, ref)[0] == DELETED


def test_a_file_that_was_renamed_and_then_deleted_was_deleted_by_the_second(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    rename(cited, "lib/a.py", "b.py")
    commit = cited.commit("Delete", {"b.py": None})
    assert judged(cited, ref) == (DELETED, {"by": commit})


def test_lines_that_moved_to_another_file_while_theirs_was_deleted_went_there(cited: Repo) -> None:
    cited.commit("Target", {"big.py": "other\n" * 100})
    ref, whole = cite(cited, "lib/a.py:5-7"), cite(cited, "lib/a.py")
    big = "other\n" * 100 + "line 5\nline 6\nline 7\n" + "more\n" * 50
    commit = cited.commit("Fold in", {"lib/a.py": None, "big.py": big})
    assert judged(cited, ref) == (RENAMED, {**span(101, 103), "to": "big.py", "by": commit})
    assert judged(cited, whole) == (DELETED, {"by": commit})


def test_lines_that_went_to_two_files_at_once_are_deleted(cited: Repo) -> None:
    cited.commit("Targets", {"one.py": "one\n" * 100, "two.py": "two\n" * 100})
    ref = cite(cited, "lib/a.py:5-7")
    block = "line 5\nline 6\nline 7\n"
    files = {"lib/a.py": None, "one.py": "one\n" * 100 + block, "two.py": "two\n" * 100 + block}
    commit = cited.commit("Split", files)
    assert judged(cited, ref) == (DELETED, {"by": commit})


def test_one_common_line_in_a_file_of_the_same_commit_is_not_the_cited_one(cited: Repo) -> None:
    cited.commit("Code", {"lib/c.py": "def one():\n    return None\n\n\ndef two():\n    return 2\n"})
    ref = cite(cited, "lib/c.py:2")
    commit = cited.commit("Delete", {"lib/c.py": None, "other.py": "import os\n\n\ndef x():\n    return None\n" * 9})
    assert judged(cited, ref) == (DELETED, {"by": commit})


def test_lines_that_stood_in_the_other_file_before_did_not_go_there(cited: Repo) -> None:
    cited.commit("Copy", {"copy.py": "x\n" * 50 + TEXT})
    ref = cite(cited, "lib/a.py:5-7")
    commit = cited.commit("Delete", {"lib/a.py": None, "copy.py": "y\n" + "x\n" * 50 + TEXT})
    assert judged(cited, ref) == (DELETED, {"by": commit})


def test_a_misspelt_path_is_no_such_path_whatever_stands_elsewhere(either: Repo) -> None:
    ref = cite(either, "lib/a.py:5-7")
    for path in ("lib/aa.py", "lib/a.pyc", "a.py", "Lib/b.py"):
        assert judged(either, replace(ref, id=path, path=path))[0] == ("unverified", "no-such-path")


# Clones of depth one


def shallow(repo: Repo) -> Repo:
    clone = repo.world.clone(repo, "clone", "--depth=1")
    repo.path.rename(repo.world.root / "away")
    return clone


def test_without_history_a_file_is_found_by_its_blob(either: Repo) -> None:
    lines, whole = cite(either, "lib/a.py:5-7"), cite(either, "lib/a.py")
    rename(either, "lib/a.py", "src/b.py")
    clone = shallow(either)
    for place in (clone, clone.worktree("linked")):
        assert [judged(place, ref) for ref in (lines, whole)] == [(RENAMED, {"to": "src/b.py"})] * 2
        assert told(judged_at(place, TargetKind.INDEX, "HEAD", lines)) == RENAMED
        assert told(judged_at(place, TargetKind.COMMIT, "HEAD", lines)) == RENAMED


@pytest.mark.parametrize(
    ("citation", "new", "expected"),
    [
        ("lib/a.py:5-7", "src/b.py", RENAMED),  # three lines tell, whatever the name
        ("lib/a.py:5-6", "src/a.py", RENAMED),
        ("lib/a.py:5", "src/a.py", RENAMED),
        ("lib/a.py:5-6", "src/b.py", COLD),
        ("lib/a.py:5", "src/b.py", COLD),
        ("lib/a.py", "src/a.py", DELETED),
        ("lib/a.py:15", "src/a.py", DELETED),
    ],
)
def test_without_history_lines_are_found_where_they_tell_enough(
    cited: Repo, citation: str, new: str, expected: tuple[str, str]
) -> None:
    ref = cite(cited, citation)
    rename(cited, "lib/a.py", new, "zero\n" + ELSEWHERE)
    found = judged(shallow(cited), ref)
    assert found[0] == expected
    if expected == RENAMED:
        assert ref.line_start is not None
        assert ref.line_end is not None
        assert found[1] == {**span(ref.line_start + 1, ref.line_end + 1), "to": new}


def test_without_history_one_common_line_is_never_enough(cited: Repo) -> None:
    cited.commit("Code", {"lib/c.py": "def one():\n    return None\n"})
    ref = cite(cited, "lib/c.py:2")
    cited.commit("Delete", {"lib/c.py": None, "other.py": "def two():\n    return None\n"})
    assert judged(shallow(cited), ref)[0] == COLD


def test_without_history_several_places_decide_nothing_but_the_name_does(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    cited.commit("Copies", {"lib/a.py": None, "x.py": TEXT, "y.py": PUSHED, "z.py": PUSHED})
    clone = cited.world.clone(cited, "one", "--depth=1")
    assert judged(clone, ref) == (RENAMED, {"to": "x.py"})  # the only one of the same blob
    cited.commit("Another", {"w.py": TEXT})
    clone = cited.world.clone(cited, "two", "--depth=1")
    assert judged(clone, ref)[0] == COLD
    cited.commit("Named", {"q/a.py": TEXT})
    clone = cited.world.clone(cited, "three", "--depth=1")
    assert judged(clone, ref) == (RENAMED, {"to": "q/a.py"})


def test_history_that_is_here_counts_in_a_shallow_clone(cited: Repo) -> None:
    ref = cite(cited, "lib/a.py:5-7")
    commit = rename(cited, "lib/a.py", "b.py", PUSHED)
    cited.commit("Later", {"later": "1\n"})
    clone = cited.world.clone(cited, "clone", "--depth=3")
    assert judged(clone, ref) == (RENAMED, {**span(6, 8), "to": "b.py", "by": commit})


def test_a_partial_clone_follows_an_exact_rename_and_fetches_nothing(cited: Repo) -> None:
    cited.git("config", "uploadpack.allowFilter", "true")
    ref = cite(cited, "lib/a.py:5-7")
    commit = rename(cited, "lib/a.py", "b.py")
    cited.commit("Above", {"b.py": PUSHED})
    clone = cited.world.clone(cited, "clone", "--filter=blob:none")
    shutil.rmtree(cited.path)
    assert judged(clone, ref) == (RENAMED, {**span(6, 8), "to": "b.py", "by": commit})


def test_all_cases_together_get_the_findings_that_they_get_alone(cited: Repo) -> None:
    names = ["lib/moved.py", "lib/gone.py", "lib/edited.py", "lib/case.py", "lib/kept.py"]
    cited.commit("More", {name: f"{name}\n{TEXT}" for name in names})
    refs = [cite(cited, f"{name}{lines}") for name in names for lines in (":5-7", "")]
    rename(cited, names[0], "to/moved.py")
    rename(cited, names[3], "lib/CASE.py", f"{names[3]}\n{EDITED}")
    cited.commit("Rest", {names[1]: None, names[2]: f"{names[2]}\n{EDITED}"})
    refs += [replace(refs[0], id="no/such.py", path="no/such.py")]
    (found, again) = (
        judge_files(Target(at(cited), TargetKind.WORKTREE, cited.rev()), order) for order in (refs, refs[::-1])
    )
    assert found == [file_finding(cited, ref) for ref in refs] == again[::-1]
