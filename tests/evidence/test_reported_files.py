"""Cases of cited files in which a verdict was once wrong, each told from outside."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from evidence.cited import TEXT, cite, file_finding, here, told
from world import Repo, World

from gitmem.entry.model import SourceRef
from gitmem.evidence.files import judge_files

BROKEN = TEXT.replace("line 6", "LINE 6")
LINES_CHANGED, CONTENT_CHANGED = ("stale", "lines-changed"), ("stale", "content-changed")
RENAMED, UNCHANGED = ("current", "renamed"), ("current", "unchanged")
NO_BASELINE_HERE = ("unverified", "baseline-missing")


@pytest.fixture
def cited(repo: Repo) -> Repo:
    """A repository whose HEAD has the file `a.py` of twenty lines."""
    repo.commit("Base", {"a.py": TEXT})
    return repo


def judged(repo: Repo, ref: SourceRef) -> tuple[tuple[str, str], Mapping[str, object]]:
    found = file_finding(repo, ref)
    return told(found), found.evidence


def both(repo: Repo, path: str = "a.py") -> list[SourceRef]:
    """Citations of lines and of the whole of a file."""
    return [cite(repo, f"{path}:5-7"), cite(repo, path)]


def move(repo: Repo, old: str, new: str, content: str | None = None) -> str:
    """Rename a file, and edit it in the same commit if there is a content; return the commit."""
    repo.git("mv", old, new)
    return repo.commit(f"Move {old}", None if content is None else {new: content})


# Renamed or not


def test_a_copy_of_the_old_content_does_not_make_an_edit_a_rename(cited: Repo) -> None:
    refs = both(cited)
    by = cited.commit("Edit", {"a.py": BROKEN, "a.py.orig": TEXT})
    assert judged(cited, refs[0]) == (LINES_CHANGED, {"by": by, "kept": 2})
    assert judged(cited, refs[1]) == (CONTENT_CHANGED, {"by": by})


def test_a_big_file_is_not_renamed_to_the_copy_of_its_old_content(cited: Repo) -> None:
    # From 400 bytes on git may take an edit for another file in the old one's place (diffcore-break).
    cited.commit("Longer", {"a.py": TEXT * 5})
    ref = cite(cited, "a.py")
    by = cited.commit("Edit", {"a.py": (TEXT * 5).replace("line 1\n", "one\n"), "a.py.orig": TEXT * 5})
    assert judged(cited, ref) == (CONTENT_CHANGED, {"by": by})


def test_an_empty_file_that_is_filled_is_not_renamed_to_a_new_empty_one(repo: Repo) -> None:
    repo.commit("Empty", {"pkg/__init__.py": ""})
    ref = cite(repo, "pkg/__init__.py")
    by = repo.commit("Fill", {"pkg/__init__.py": "x = 1\n", "other/__init__.py": ""})
    assert judged(repo, ref) == (CONTENT_CHANGED, {"by": by})


def test_an_edited_file_is_not_renamed_where_its_twin_is(cited: Repo) -> None:
    cited.commit("Twin", {"twin.py": TEXT})
    refs = both(cited)
    cited.git("mv", "twin.py", "moved.py")
    by = cited.commit("Edit and move the twin", {"a.py": BROKEN})
    assert judged(cited, refs[0]) == (LINES_CHANGED, {"by": by, "kept": 2})
    assert judged(cited, refs[1]) == (CONTENT_CHANGED, {"by": by})


def test_a_renamed_file_is_followed_though_the_same_commit_put_another_in_its_place(repo: Repo) -> None:
    big = "".join(f"the {number}th line of a big file\n" for number in range(40))
    repo.commit("Base", {"a.py": big})
    refs = both(repo)
    repo.git("mv", "a.py", "b.py")
    by = repo.commit("Replace", {"a.py": "".join(f"{number**3} is a cube\n" for number in range(50))})
    assert judged(repo, refs[0]) == (RENAMED, {"to": "b.py", "by": by})
    assert judged(repo, refs[1]) == (RENAMED, {"to": "b.py", "by": by})


# Who did it


def test_an_edit_before_a_pure_rename_is_named(cited: Repo) -> None:
    refs = both(cited)
    by = cited.commit("EDIT", {"a.py": BROKEN})
    move(cited, "a.py", "b.py")
    assert judged(cited, refs[0]) == (LINES_CHANGED, {"by": by, "kept": 2, "to": "b.py"})
    assert judged(cited, refs[1]) == (CONTENT_CHANGED, {"by": by, "to": "b.py"})


def test_an_edit_between_two_renames_is_named(cited: Repo) -> None:
    refs = both(cited)
    move(cited, "a.py", "b.py")
    by = cited.commit("EDIT", {"b.py": BROKEN})
    move(cited, "b.py", "c.py")
    assert judged(cited, refs[0]) == (LINES_CHANGED, {"by": by, "kept": 2, "to": "c.py"})
    assert judged(cited, refs[1]) == (CONTENT_CHANGED, {"by": by, "to": "c.py"})


def test_an_edit_inside_the_rename_is_named(cited: Repo) -> None:
    refs = both(cited)
    by = move(cited, "a.py", "b.py", BROKEN)
    cited.commit("Later", {"later": "1\n"})
    assert judged(cited, refs[0]) == (LINES_CHANGED, {"by": by, "kept": 2, "to": "b.py"})
    assert judged(cited, refs[1]) == (CONTENT_CHANGED, {"by": by, "to": "b.py"})


def test_a_committed_rename_and_a_staged_one_are_followed_and_the_edit_between_is_named(cited: Repo) -> None:
    ref = cite(cited, "a.py:5-7")
    move(cited, "a.py", "b.py")
    by = cited.commit("Edit", {"b.py": BROKEN})
    cited.git("mv", "b.py", "c.py")
    found = file_finding(cited, ref)
    assert told(found) == LINES_CHANGED
    assert (found.evidence["to"], found.evidence["by"]) == ("c.py", by)


def test_a_committed_rename_and_a_staged_one_are_followed(cited: Repo) -> None:
    ref = cite(cited, "a.py:5-7")
    move(cited, "a.py", "b.py")
    cited.git("mv", "b.py", "c.py")
    found = file_finding(cited, ref)
    assert told(found) == RENAMED
    assert (found.evidence["to"], found.evidence["dirty"]) == ("c.py", True)


def test_what_broke_before_a_citation_was_made_is_not_blamed_whatever_else_is_asked(cited: Repo) -> None:
    first = cite(cited, "a.py:5-7")
    by = cited.commit("Break", {"a.py": BROKEN})
    cited.git("checkout", "-q", "-b", "side")
    mended = cited.commit("Mend", {"a.py": TEXT})
    second = cite(cited, "a.py:5-7")
    assert second.commit == mended
    cited.git("checkout", "-q", "main")
    (alone,) = judge_files(here(cited), [second])
    for refs in ([first, second], [second, first]):
        found = judge_files(here(cited), refs)
        assert found[refs.index(second)] == alone
        assert found[refs.index(first)].evidence["by"] == by
    assert cited.git("merge-base", "--is-ancestor", by, mended).code == 0
    assert (told(alone), alone.evidence) == (LINES_CHANGED, {"kept": 2})


def test_lines_that_others_were_put_between_are_said_to_be_so(cited: Repo) -> None:
    ref = cite(cited, "a.py:5-7")
    by = cited.commit("Insert", {"a.py": TEXT.replace("line 6\n", "line 6\nnew\n")})
    found = file_finding(cited, ref)
    assert (told(found), found.evidence) == (LINES_CHANGED, {"by": by, "kept": 3})
    assert found.message.endswith(", others put in between")


# What is not here


@pytest.mark.parametrize("kind", ["", "^{tree}", ":a.py"])
def test_one_damaged_object_deep_in_history_hides_the_commit_and_not_the_verdict(cited: Repo, kind: str) -> None:
    refs = both(cited)
    cited.commit("Break", {"a.py": BROKEN})
    damaged = cited.rev(f"HEAD{kind}")
    for number in range(3):
        cited.commit(f"Below {number}", {"a.py": f"{BROKEN}{number}\n"})
    path = cited.path / ".git/objects" / damaged[:2] / damaged[2:]
    path.chmod(0o644)
    path.write_bytes(b"damaged")
    assert judged(cited, refs[0]) == (LINES_CHANGED, {"kept": 2})
    assert judged(cited, refs[1]) == (CONTENT_CHANGED, {})


def objects(repo: Repo) -> list[str]:
    return sorted(path.name for path in (repo.path / ".git/objects").rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("wanted", "content"),
    [
        ("tree:0", None),
        ("tree:0", TEXT + "more\n"),
        ("blob:none", TEXT + "more\n"),
    ],
)
@pytest.mark.parametrize("away", [False, True])
def test_a_partial_clone_that_cannot_follow_a_rename_does_not_say_deleted(
    cited: Repo, wanted: str, content: str | None, *, away: bool
) -> None:
    cited.git("config", "uploadpack.allowFilter", "true")
    refs = both(cited)
    move(cited, "a.py", "b.py", content)
    clone = cited.world.clone(cited, "clone", f"--filter={wanted}", "--no-checkout")
    if away:
        shutil.move(cited.path, cited.world.root / "away")
    before = objects(clone)
    found = [file_finding(clone, ref) for ref in refs]
    assert objects(clone) == before
    assert [told(one) for one in found] == [NO_BASELINE_HERE] * 2
    assert all("git fetch" in one.message for one in found)


def test_a_renamed_file_that_is_not_checked_out_is_gone_from_the_worktree_only(cited: Repo) -> None:
    cited.git("config", "uploadpack.allowFilter", "true")
    refs = both(cited)
    move(cited, "a.py", "b.py", None)
    clone = cited.world.clone(cited, "clone", "--filter=blob:none", "--no-checkout")
    (cited.path / "b.py").unlink()
    for repo in (clone, cited):
        for ref in refs:
            assert judged(repo, ref) == (("stale", "deleted-in-worktree"), {"to": "b.py"})


def test_a_file_of_another_branch_was_cited_there(cited: Repo) -> None:
    cited.git("checkout", "-q", "-b", "side")
    oid = cited.commit("Side", {"side.py": TEXT})
    refs = both(cited, "side.py")
    cited.git("checkout", "-q", "main")
    for ref in refs:
        found = file_finding(cited, ref)
        assert told(found) == ("unverified", "no-such-path")
        assert oid[:7] in found.message


def test_one_line_of_a_file_that_was_renamed_where_history_is_cut_may_be_elsewhere(cited: Repo) -> None:
    ref = cite(cited, "a.py:6")
    move(cited, "a.py", "b.py", TEXT.replace("line 12\n", "twelve\n"))
    cited.commit("Later", {"later": "1\n"})
    clone = cited.world.clone(cited, "clone", "--depth=1")
    assert told(file_finding(clone, ref)) == NO_BASELINE_HERE


# As git stores it


@pytest.mark.parametrize("trust", ["true", "false"])
def test_content_behind_a_clean_filter_that_changed_within_size_and_time_is_not_current(
    cited: Repo, trust: str
) -> None:
    cited.git("config", "filter.upper.clean", "tr a-z A-Z")
    cited.git("config", "core.trustctime", trust)
    cited.commit("Filtered", {".gitattributes": "*.txt filter=upper\n", "f.txt": TEXT})
    refs = both(cited, "f.txt")
    assert [told(file_finding(cited, ref)) for ref in refs] == [UNCHANGED] * 2
    path = cited.path / "f.txt"
    times = path.stat()
    path.write_text(TEXT.replace("line 6", "lime 6"), encoding="utf-8")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    now = path.stat()
    assert (now.st_size, now.st_mtime_ns) == (times.st_size, times.st_mtime_ns)
    assert "current" not in {told(file_finding(cited, ref))[0] for ref in refs}


@pytest.mark.parametrize("attributes", ["filter=lfs", "filter=lfs diff=lfs merge=lfs"])
def test_a_pointer_that_is_checked_out_with_other_line_ends_is_unchanged(world: World, attributes: str) -> None:
    repo = world.repo()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'ab' * 32}\nsize 3\n"
    repo.commit("Pointer", {".gitattributes": f"*.bin {attributes}\n", "big.bin": pointer})
    ref = cite(repo, "big.bin")
    repo.git("config", "core.autocrlf", "true")
    checked_out_again(repo.path / "big.bin", repo)
    assert b"\r\n" in (repo.path / "big.bin").read_bytes()
    assert judged(repo, ref) == (UNCHANGED, {})


def checked_out_again(path: Path, repo: Repo) -> None:
    path.unlink()
    repo.git("checkout", "--", path.name)
