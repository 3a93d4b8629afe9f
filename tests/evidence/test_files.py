"""The verdict on a file: what became of the cited content, from whichever worktree or clone one asks."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evidence.cited import TEXT, cite, file_finding, here, told
from layouts import submodule, with_commit
from world import Repo, World

from gitmem.entry.model import SourceRef, SourceType
from gitmem.evidence.anchor import CitationError
from gitmem.evidence.files import judge_files
from gitmem.git.checkout import MAX_BYTES

BROKEN = TEXT.replace("line 6", "LINE 6")


@pytest.fixture
def cited(repo: Repo) -> Repo:
    """A repository whose HEAD has the file `a.py` of twenty lines."""
    repo.commit("Base", {"a.py": TEXT})
    return repo


def ref(path: str = "a.py", lines: tuple[int, int] | None = None, **anchor: str | None) -> SourceRef:
    """A sourceRef as a person could have written it by hand."""
    start, end = lines or (None, None)
    return SourceRef(source_type=SourceType.FILE, id=path, path=path, line_start=start, line_end=end, **anchor)


def span(start: int, end: int) -> dict[str, object]:
    return {"lineStart": start, "lineEnd": end}


# What became of the content

EDITS: Mapping[str, tuple[Callable[[str], str], tuple[str, str], dict[str, object]]] = {
    "below": (lambda text: text + "line 21\n", ("current", "unchanged"), span(5, 7)),
    "above": (lambda text: "zero\n" + text, ("current", "lines-moved"), span(6, 8)),
    "twice": (
        lambda _text: "x\nline 5\nline 6\nline 7\ny\nline 5\nline 6\nline 7\nz\n",
        ("current", "lines-ambiguous"),
        {"ranges": [span(2, 4), span(6, 8)]},
    ),
    "crlf": (lambda text: text.replace("\n", "\r\n"), ("current", "eol-only"), span(5, 7)),
    "edited": (lambda _text: BROKEN, ("stale", "lines-changed"), {"kept": 2}),
    "removed": (lambda text: text.replace("line 6\n", ""), ("stale", "lines-changed"), {"kept": 2}),
    "inserted": (lambda text: text.replace("line 6\n", "line 6\nnew\n"), ("stale", "lines-changed"), {"kept": 3}),
    "emptied": (lambda _text: "", ("stale", "lines-changed"), {"kept": 0}),
    "indented": (lambda text: text.replace("line 6", "  line 6"), ("stale", "whitespace-changed"), {}),
    "binary": (lambda text: text + "\0", ("stale", "binary-changed"), {}),
}


@pytest.mark.parametrize("edit", EDITS)
def test_cited_lines_after_a_commit(cited: Repo, edit: str) -> None:
    change, expected, evidence = EDITS[edit]
    found_ref = cite(cited, "a.py:5-7")
    culprit = cited.commit("Edit", {"a.py": change(TEXT)})
    cited.commit("Later", {"b.py": "1\n"})
    found = file_finding(cited, found_ref)
    by = {"by": culprit} if expected[0] == "stale" else {}
    assert (told(found), found.evidence) == (expected, {**evidence, **by})
    assert (culprit[:7] in found.message) == bool(by)


@pytest.mark.parametrize("edit", EDITS)
def test_cited_lines_after_an_edit_that_is_not_committed(cited: Repo, edit: str) -> None:
    change, expected, evidence = EDITS[edit]
    found_ref = cite(cited, "a.py:5-7")
    cited.write("a.py", change(TEXT))
    dirty = file_finding(cited, found_ref)
    assert (told(dirty), dirty.evidence) == (expected, {**evidence, "dirty": True})
    cited.git("add", "a.py")
    assert file_finding(cited, found_ref) == dirty


WHOLE: Mapping[str, tuple[bytes, tuple[str, str]]] = {
    "same": (TEXT.encode(), ("current", "unchanged")),
    "crlf": (TEXT.replace("\n", "\r\n").encode(), ("current", "eol-only")),
    "last": (TEXT.encode().removesuffix(b"\n"), ("current", "eol-only")),
    "more": (TEXT.encode() + b"more\n", ("stale", "content-changed")),
    "empty": (b"", ("stale", "content-changed")),
    "blank": (TEXT.encode() + b"\n", ("stale", "whitespace-changed")),
    "indented": (TEXT.replace("line 6", "\tline 6").encode(), ("stale", "whitespace-changed")),
    "binary": (TEXT.encode() + b"\0", ("stale", "content-changed")),
}


@pytest.mark.parametrize("edit", WHOLE)
def test_a_whole_file_after_an_edit_before_and_after_the_commit(cited: Repo, edit: str) -> None:
    content, expected = WHOLE[edit]
    found_ref = cite(cited, "a.py")
    cited.write("a.py", content)
    dirty = file_finding(cited, found_ref)
    assert (told(dirty), dirty.evidence) == (expected, {} if edit == "same" else {"dirty": True})
    culprit = cited.commit("Edit", {"a.py": content})
    clean = file_finding(cited, found_ref)
    assert (told(clean), clean.evidence) == (expected, {"by": culprit} if expected[0] == "stale" else {})
    cited.commit("Back", {"a.py": TEXT})
    assert told(file_finding(cited, found_ref)) == ("current", "unchanged")


def test_a_break_that_is_committed_and_edited_again_is_both(cited: Repo) -> None:
    found_ref = cite(cited, "a.py:5-7")
    culprit = cited.commit("Break", {"a.py": BROKEN})
    cited.write("a.py", BROKEN + "more\n")
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("stale", "lines-changed"), {"by": culprit, "dirty": True, "kept": 2})


def test_a_dirty_file_that_mends_the_citation_is_current(cited: Repo) -> None:
    found_ref = cite(cited, "a.py:5-7")
    cited.commit("Break", {"a.py": BROKEN})
    cited.write("a.py", TEXT)
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("current", "unchanged"), {"dirty": True})


def test_a_dirty_file_is_anchored_as_it_is_and_stays_dirty_until_it_is_committed(cited: Repo) -> None:
    cited.write("a.py", BROKEN)
    found_ref = cite(cited, "a.py:5-7")
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("current", "unchanged"), {"dirty": True})
    cited.commit("Commit it", {"a.py": BROKEN})
    assert file_finding(cited, found_ref).evidence == {}


def test_an_edit_of_the_same_size_in_the_same_moment_is_seen(cited: Repo) -> None:
    found_ref = cite(cited, "a.py:5-7")
    status = (cited.path / "a.py").stat()
    cited.write("a.py", BROKEN)
    os.utime(cited.path / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert told(file_finding(cited, found_ref)) == ("stale", "lines-changed")


def test_a_binary_file_with_lines_is_current_until_it_changes(cited: Repo) -> None:
    cited.commit("Binary", {"b.bin": b"a\0\nb\n"})
    found_ref = cite(cited, "b.bin:2")
    assert told(file_finding(cited, found_ref)) == ("current", "unchanged")
    culprit = cited.commit("Edit", {"b.bin": b"a\0\nb\nc\n"})
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("stale", "binary-changed"), {"by": culprit})


def test_all_refs_together_get_the_findings_that_they_get_alone(cited: Repo) -> None:
    cited.commit("More", {"b.py": TEXT, "c.py": TEXT, "sub/d.py": TEXT})
    refs = [cite(cited, spec) for spec in ("a.py:5-7", "b.py", "c.py:1", "sub/d.py:20", "a.py:9")]
    refs += [ref("../x"), ref("no/such.py"), ref("b.py", (7, 5))]
    cited.commit("Edit", {"a.py": BROKEN, "b.py": None})
    cited.write("c.py", "zero\n" + TEXT)
    assert judge_files(here(cited), refs) == [file_finding(cited, one) for one in refs]
    assert judge_files(here(cited), []) == []


# Gone


def test_a_deleted_file_names_the_commit_that_deleted_it(cited: Repo) -> None:
    found_ref = cite(cited, "a.py:5-7")
    culprit = cited.commit("Delete", {"a.py": None})
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("stale", "deleted"), {"by": culprit})


@pytest.mark.parametrize("delete", [("rm", "-q", "a.py"), None])
def test_a_file_that_is_gone_on_disk_only_is_told_apart(cited: Repo, delete: tuple[str, ...] | None) -> None:
    found_ref = cite(cited, "a.py:5-7")
    if delete:
        cited.git(*delete)
    else:
        (cited.path / "a.py").unlink()
    assert told(file_finding(cited, found_ref)) == ("stale", "deleted-in-worktree")


def test_a_file_that_came_back_broken_was_broken_by_its_deletion(cited: Repo) -> None:
    found_ref = cite(cited, "a.py:5-7")
    culprit = cited.commit("Delete", {"a.py": None})
    cited.commit("Back", {"a.py": BROKEN})
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("stale", "lines-changed"), {"by": culprit, "kept": 2})


def test_an_untracked_file_at_the_place_of_an_old_one_is_deleted_by_no_commit(cited: Repo) -> None:
    cited.commit("Delete", {"a.py": None})
    cited.write("a.py", BROKEN)
    found_ref = cite(cited, "a.py:5-7")
    (cited.path / "a.py").unlink()
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("stale", "deleted"), {})


def test_a_directory_that_became_a_file_has_lost_what_was_in_it(cited: Repo) -> None:
    cited.commit("Deep", {"sub/a.py": TEXT})
    found_ref = cite(cited, "sub/a.py")
    cited.git("rm", "-q", "-r", "sub")
    culprit = cited.commit("File", {"sub": "now a file\n"})
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("stale", "deleted"), {"by": culprit})


def test_a_path_that_never_was_is_no_evidence(cited: Repo) -> None:
    assert told(file_finding(cited, ref("no/such.py"))) == ("unverified", "no-such-path")
    anchor = cite(cited, "a.py")
    assert told(file_finding(cited, replace(anchor, id="b.py", path="b.py"))) == ("unverified", "no-such-path")


def test_a_file_of_another_branch_is_not_current_here(cited: Repo) -> None:
    linked = cited.worktree("feature")
    linked.commit("Tool", {"tool.sh": "echo\n"})
    found_ref = cite(linked, "tool.sh")
    assert told(file_finding(linked, found_ref)) == ("current", "unchanged")
    found = file_finding(cited, found_ref)
    assert told(found) == ("unverified", "no-such-path")
    assert linked.rev()[:7] in found.message or "another branch" in found.message


def test_each_worktree_has_its_own_truth(cited: Repo) -> None:
    linked = cited.worktree("feature")
    found_ref = cite(cited, "a.py:5-7")
    linked.commit("Break", {"a.py": BROKEN})
    cited.write("a.py", "zero\n" + TEXT)
    assert told(file_finding(linked, found_ref)) == ("stale", "lines-changed")
    assert told(file_finding(cited, found_ref)) == ("current", "lines-moved")


# Another kind


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("target", ["README.md", "nowhere", "/etc/passwd"])
def test_a_file_that_became_a_symbolic_link_is_not_followed(cited: Repo, target: str, committed: bool) -> None:
    found_ref = cite(cited, "a.py")
    (cited.path / "a.py").unlink()
    (cited.path / "a.py").symlink_to(target)
    if committed:
        cited.git("add", "a.py")
        cited.git("commit", "-q", "-m", "Link")
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence.get("dirty", False)) == (("stale", "type-changed"), not committed)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_file_that_became_something_else_has_changed_its_type(cited: Repo, make: Callable[[Path], object]) -> None:
    found_ref = cite(cited, "a.py")
    (cited.path / "a.py").unlink()
    make(cited.path / "a.py")
    assert told(file_finding(cited, found_ref)) == ("stale", "type-changed")


def test_a_file_that_became_a_submodule_has_changed_its_type(cited: Repo) -> None:
    library = with_commit(cited.world.repo("library"))
    cited.commit("Vendored", {"vendor": "file\n"})
    found_ref = cite(cited, "vendor")
    cited.git("rm", "-q", "vendor")
    cited.git("submodule", "--quiet", "add", library.path.as_uri(), "vendor")
    assert told(file_finding(cited, found_ref)) == ("stale", "type-changed")
    cited.git("commit", "-q", "-m", "Submodule")
    assert told(file_finding(cited, found_ref)) == ("stale", "type-changed")


# Submodules and other repositories


@pytest.mark.parametrize("initialised", [True, False])
def test_what_a_submodule_holds_is_its_own_business(world: World, initialised: bool) -> None:
    module = submodule(world)
    superproject = Repo(world, module.path.parent.parent)
    anchor = cite(module, "README.md")
    if not initialised:
        superproject.git("submodule", "--quiet", "deinit", "--force", "vendor/library")
    for path in ("vendor/library/README.md", "vendor/library/no/such"):
        found = file_finding(superproject, replace(anchor, id=path, path=path))
        assert told(found) == ("unverified", "in-submodule")
    assert told(file_finding(superproject, ref("vendor/library"))) == ("unverified", "submodule")
    if initialised:
        assert told(file_finding(module, anchor)) == ("current", "unchanged")


def test_a_repository_inside_is_not_looked_into(cited: Repo) -> None:
    inner = with_commit(cited.world.repo("main/inner"))
    nested = cited.worktree("main/tree")
    for path in ("inner/README.md", "tree/a.py"):
        assert told(file_finding(cited, ref(path))) == ("unverified", "in-submodule")
    assert told(file_finding(inner, cite(inner, "README.md"))) == ("current", "unchanged")
    assert told(file_finding(nested, cite(nested, "a.py"))) == ("current", "unchanged")


# Hidden, untracked, ignored


def test_a_file_left_out_by_a_sparse_checkout_is_judged_as_head_says(cited: Repo) -> None:
    found_ref, whole = cite(cited, "a.py:5-7"), cite(cited, "a.py")
    linked = cited.worktree("sparse")
    linked.git("sparse-checkout", "set", "--no-cone", "/src/")
    assert not (linked.path / "a.py").exists()
    for one in (found_ref, whole):
        found = file_finding(linked, one)
        assert (told(found), found.evidence) == (("current", "unchanged"), {"sparse": True})
    cited.commit("Above", {"a.py": "zero\n" + TEXT})
    linked.git("merge", "-q", "main")
    found = file_finding(linked, found_ref)
    assert (told(found), found.evidence) == (("current", "lines-moved"), {**span(6, 8), "sparse": True})
    culprit = cited.commit("Break", {"a.py": BROKEN})
    linked.git("merge", "-q", "main")
    found = file_finding(linked, found_ref)
    assert (told(found), found.evidence) == (("stale", "lines-changed"), {"by": culprit, "kept": 2, "sparse": True})
    assert told(file_finding(linked, ref("a.py"))) == ("unverified", "no-baseline")


@pytest.mark.parametrize("content", [None, BROKEN])
def test_a_local_change_hidden_from_git_does_not_count(cited: Repo, content: str | None) -> None:
    found_ref = cite(cited, "a.py:5-7")
    cited.git("update-index", "--skip-worktree", "a.py")
    if content is None:
        (cited.path / "a.py").unlink()
    else:
        cited.write("a.py", content)
    assert cited.git("status", "--porcelain").out == ""
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("current", "unchanged"), {"sparse": True})


def test_a_change_that_git_was_told_to_assume_away_does_count(cited: Repo) -> None:
    found_ref = cite(cited, "a.py:5-7")
    cited.git("update-index", "--assume-unchanged", "a.py")
    cited.write("a.py", BROKEN)
    assert told(file_finding(cited, found_ref)) == ("stale", "lines-changed")


@pytest.mark.parametrize("reason", ["untracked", "ignored"])
def test_a_file_that_git_does_not_track_proves_nothing_to_others(cited: Repo, reason: str) -> None:
    if reason == "ignored":
        cited.write(".gitignore", "*.tmp\n")
    cited.write("new.tmp", TEXT)
    lines, whole = cite(cited, "new.tmp:5-7"), cite(cited, "new.tmp")
    assert [told(file_finding(cited, one)) for one in (lines, whole)] == [("unverified", reason)] * 2
    cited.write("new.tmp", "zero\n" + TEXT)
    assert told(file_finding(cited, lines)) == ("unverified", reason)
    assert told(file_finding(cited, whole)) == ("stale", "content-changed")
    cited.write("new.tmp", BROKEN)
    found = file_finding(cited, lines)
    assert (told(found), found.evidence) == (("stale", "lines-changed"), {"kept": 2})
    cited.commit("Track it", {"new.tmp": TEXT})
    assert told(file_finding(cited, lines)) == ("current", "unchanged")


# As git stores it


def test_a_checkout_with_other_line_ends_is_unchanged(cited: Repo) -> None:
    refs = [cite(cited, "a.py"), cite(cited, "a.py:5-7")]
    windows = cited.world.clone(cited, "windows", "-c", "core.autocrlf=true")
    assert b"\r\n" in (windows.path / "a.py").read_bytes()
    assert [told(file_finding(windows, one)) for one in refs] == [("current", "unchanged")] * 2
    assert file_finding(windows, refs[0]).evidence == {}
    windows.write("a.py", BROKEN.replace("\n", "\r\n"))
    assert [told(file_finding(windows, one))[0] for one in refs] == ["stale", "stale"]


@pytest.mark.parametrize(
    ("attributes", "change"),
    [
        ("b.py text eol=crlf", lambda data: data.replace(b"\n", b"\r\n")),
        ("b.py text=auto", lambda data: data.replace(b"\n", b"\r\n")),
        ("b.py working-tree-encoding=UTF-16LE", lambda data: data.decode().encode("utf-16-le")),
        ("b.py ident", lambda data: data.replace(b"$Id$", b"$Id: 0123 $")),
    ],
)
def test_conversions_that_git_makes_do_not_make_stale(
    cited: Repo, attributes: str, change: Callable[[bytes], bytes]
) -> None:
    text = f"$Id$\n{TEXT}"
    cited.commit("Plain", {"b.py": text})
    refs = [cite(cited, "b.py"), cite(cited, "b.py:6-8")]
    cited.write(".gitattributes", f"{attributes}\n")
    cited.write("b.py", change(text.encode()))
    assert cited.git("diff", "--name-only").out == ""
    assert [told(file_finding(cited, one)) for one in refs] == [("current", "unchanged")] * 2
    cited.write("b.py", change(text.replace("line 6", "LINE 6").encode()))
    assert [told(file_finding(cited, one))[0] for one in refs] == ["stale", "stale"]


def test_a_file_in_large_storage_is_judged_by_its_pointer(cited: Repo) -> None:
    digest = "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4"  # of "hi\n"
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 3\n"
    cited.commit("Pointer", {".gitattributes": "*.bin filter=lfs\n", "big.bin": pointer})
    found_ref = cite(cited, "big.bin")
    assert told(file_finding(cited, found_ref)) == ("current", "unchanged")
    cited.write("big.bin", "hi\n")
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("current", "unchanged"), {})
    cited.write("big.bin", "ho\n")
    assert told(file_finding(cited, found_ref)) == ("stale", "content-changed")


def test_an_unknown_filter_is_never_run_and_the_blob_counts(cited: Repo) -> None:
    marker = cited.world.root / "ran"
    found_ref = cite(cited, "a.py:5-7")
    cited.write(".gitattributes", "*.py filter=own\n")
    for half in ("clean", "smudge", "process"):
        cited.git("config", f"filter.own.{half}", f"touch '{marker}'")
    cited.write("a.py", BROKEN)
    found = file_finding(cited, found_ref)
    assert told(found) == ("unverified", "baseline-missing")
    assert "only its clean filter 'own' could tell" in found.message
    with pytest.raises(CitationError, match="commit the file first"):
        cite(cited, "a.py:5-7")
    assert not marker.exists()
    cited.git(
        "-c", "filter.own.process=", "-c", "filter.own.clean=cat", "commit", "-q", "-a", "-m", "Through the filter"
    )
    found = file_finding(cited, found_ref)
    assert told(found) == ("stale", "lines-changed")
    assert cite(cited, "a.py:5-7").blob == cited.rev("HEAD:a.py")
    assert not marker.exists()


# Anchors


@pytest.mark.parametrize("lines", [None, (5, 7)])
def test_without_any_anchor_nothing_can_be_said(cited: Repo, lines: tuple[int, int] | None) -> None:
    for anchor in ({}, {"blob": "nonsense"}, {"blob": "ab" * 32}, {"text_hash": "nonsense"}, {"text_hash": "sha256:x"}):
        assert told(file_finding(cited, ref("a.py", lines, **anchor))) == ("unverified", "no-baseline")


@pytest.mark.parametrize("spec", ["a.py", "a.py:5-7"])
@pytest.mark.parametrize("kept", ["blob", "text_hash", "commit"])
def test_each_part_of_the_anchor_decides_alone(cited: Repo, spec: str, kept: str) -> None:
    full = cite(cited, spec)
    nothing: dict[str, Any] = dict.fromkeys({"blob", "text_hash", "commit"} - {kept})
    one = replace(full, **nothing)
    assert told(file_finding(cited, one)) == ("current", "unchanged")
    cited.commit("Above", {"a.py": "zero\n" + TEXT})
    moved = ("current", "lines-moved") if ":" in spec else ("stale", "content-changed")
    assert told(file_finding(cited, one)) == moved
    cited.commit("Break", {"a.py": BROKEN})
    assert told(file_finding(cited, one))[0] == "stale"


def test_ids_of_an_anchor_may_be_in_capitals(cited: Repo) -> None:
    full = cite(cited, "a.py:5-7")
    assert full.blob is not None
    assert told(file_finding(cited, replace(full, blob=full.blob.upper()))) == ("current", "unchanged")


def test_a_path_stands_in_the_id_where_there_is_no_other(cited: Repo) -> None:
    assert told(file_finding(cited, replace(cite(cited, "a.py"), path=None))) == ("current", "unchanged")


@pytest.mark.parametrize("lines", [None, (5, 7)])
def test_a_commit_that_is_not_here_cannot_be_the_baseline(cited: Repo, lines: tuple[int, int] | None) -> None:
    found = file_finding(cited, ref("a.py", lines, commit="ab" * 20))
    assert told(found) == ("unverified", "baseline-missing")
    assert "git fetch" in found.message


@pytest.mark.parametrize("lines", [(0, 0), (0, 5), (7, 5), (21, 21), (5, 99_999)])
@pytest.mark.parametrize("edit", [TEXT, "zero\n" + TEXT])
def test_a_range_that_is_none_proves_nothing(cited: Repo, lines: tuple[int, int], edit: str) -> None:
    anchor = replace(cite(cited, "a.py"), line_start=lines[0], line_end=lines[1])
    cited.write("a.py", edit)
    assert told(file_finding(cited, anchor)) == ("unverified", "range-invalid")


def test_half_a_range_is_one_line_or_none(cited: Repo) -> None:
    anchor = cite(cited, "a.py:5")
    assert told(file_finding(cited, replace(anchor, line_end=None))) == ("current", "unchanged")
    assert told(file_finding(cited, replace(anchor, line_start=None))) == ("unverified", "range-invalid")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/etc/passwd", "path-absolute"),
        ("../a.py", "path-escapes"),
        ("x/../../a.py", "path-escapes"),
        (".git/config", "path-in-gitdir"),
        ("a\0b", "path-malformed"),
        ("outside/secret", "via-symlink"),
        ("inside/code.py", "via-symlink"),
        ("dangling/x", "via-symlink"),
        ("x" * 300, "no-such-path"),
    ],
)
def test_a_path_that_leads_nowhere_proves_nothing(cited: Repo, path: str, reason: str) -> None:
    (cited.world.root / "elsewhere").mkdir()
    (cited.world.root / "elsewhere/secret").write_text(TEXT, encoding="utf-8")
    (cited.path / "outside").symlink_to(cited.world.root / "elsewhere")
    (cited.path / "inside").symlink_to("src")
    (cited.path / "dangling").symlink_to("nowhere")
    anchor = replace(cite(cited, "a.py"), id=path, path=path)
    assert told(file_finding(cited, anchor)) == ("unverified", reason)


@pytest.mark.parametrize(("size", "expected"), [(MAX_BYTES, "content-changed"), (MAX_BYTES + 1, "too-big")])
def test_a_file_over_five_mebibytes_is_not_compared(cited: Repo, size: int, expected: str) -> None:
    found_ref = cite(cited, "a.py")
    with (cited.path / "a.py").open("wb") as file:
        file.truncate(size)
    assert file_finding(cited, found_ref).reason.value == expected


# Damage


def loose(repo: Repo, oid: str) -> Path:
    path = repo.path / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    return path


def test_a_damaged_baseline_is_told_only_where_it_is_needed(cited: Repo) -> None:
    found_ref = cite(cited, "a.py:5-7")
    cited.commit("Above", {"a.py": "zero\n" + TEXT})
    assert found_ref.blob is not None
    loose(cited, found_ref.blob).write_bytes(b"rubbish")
    assert told(file_finding(cited, found_ref)) == ("current", "lines-moved")  # the recorded hash decides
    found = file_finding(cited, replace(found_ref, text_hash=None))
    assert told(found) == ("unverified", "odb-error")
    assert str(cited.path) not in found.message
    cited.write("a.py", TEXT)
    assert told(file_finding(cited, found_ref)) == ("current", "unchanged")


def test_damage_on_the_way_hides_only_who_did_it(cited: Repo) -> None:
    found_ref = cite(cited, "a.py:5-7")
    cited.commit("Between", {"a.py": "zero\n" + TEXT})
    cited.commit("Break", {"a.py": BROKEN})
    loose(cited, cited.rev("HEAD~1:a.py")).write_bytes(b"rubbish")
    found = file_finding(cited, found_ref)
    assert (told(found), found.evidence) == (("stale", "lines-changed"), {"kept": 2})


# Clones that lack something


def source(world: World, *options: str) -> tuple[Repo, SourceRef, SourceRef]:
    """A repository in which lines were cited, then pushed down; with the refs to the lines and to the whole file."""
    repo = with_commit(world.repo("origin", *options))
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.commit("Base", {"a.py": TEXT})
    lines, whole = cite(repo, "a.py:5-7"), cite(repo, "a.py")
    repo.commit("Above", {"a.py": "zero\n" + TEXT})
    return repo, lines, whole


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_clone_of_depth_one_needs_no_history(world: World, object_format: str) -> None:
    origin, lines, whole = source(world, f"--object-format={object_format}")
    main = world.clone(origin, "main", "--depth=1")
    shutil.rmtree(origin.path)
    for place in (main, main.worktree("linked")):
        found = file_finding(place, lines)
        assert (told(found), found.evidence) == (("current", "lines-moved"), span(6, 8))
        found = file_finding(place, whole)
        assert (told(found), found.evidence) == (("stale", "content-changed"), {})
        assert told(file_finding(place, replace(lines, text_hash=None))) == ("unverified", "baseline-missing")
        place.write("a.py", BROKEN)
        found = file_finding(place, lines)
        assert (told(found), found.evidence) == (("stale", "lines-changed"), {"dirty": True})
        (place.path / "a.py").unlink()
        assert told(file_finding(place, lines)) == ("stale", "deleted-in-worktree")
        assert told(file_finding(place, ref("no/such.py"))) == ("unverified", "no-such-path")
        never = file_finding(place, replace(lines, id="away.py", path="away.py"))
        assert told(never) == (
            "unverified",
            "baseline-missing",
        )  # it may have gone to a.py
        place.git("rm", "-q", "a.py")
        culprit = place.commit("Delete")
        found = file_finding(place, lines)
        assert (told(found), found.evidence) == (("stale", "deleted"), {"by": culprit})


@pytest.mark.parametrize("wanted", ["blob:none", "tree:0"])
def test_a_partial_clone_fetches_nothing_to_reach_a_verdict(world: World, wanted: str) -> None:
    origin, lines, whole = source(world)
    origin.commit("Gone", {"gone.py": TEXT})
    gone = cite(origin, "gone.py:5-7")
    origin.commit("Break", {"a.py": "zero\n" + BROKEN, "gone.py": None})
    origin.commit("Below", {"a.py": "zero\n" + BROKEN + "more\n"})
    main = world.clone(origin, "main", f"--filter={wanted}")
    before = missing(main)
    online = [file_finding(main, one) for one in (lines, whole, gone)]
    origin.path.rename(world.root / "away")
    linked = main.worktree("linked", "--no-checkout", "-b", "linked")
    linked.git("read-tree", "HEAD")
    shutil.copy(main.path / "a.py", linked.path)
    for place in (main, linked):
        found = [file_finding(place, one) for one in (lines, whole, gone)]
        assert found == online
        assert [told(one) for one in found] == [
            ("stale", "lines-changed"),
            ("stale", "content-changed"),
            # Without trees nobody can tell whether it was renamed.
            ("stale", "deleted") if wanted == "blob:none" else ("unverified", "baseline-missing"),
        ]
        assert "by" not in found[0].evidence  # the last commit that touched the file is innocent
        assert told(file_finding(place, replace(lines, text_hash=None))) == ("unverified", "baseline-missing")
        place.write("a.py", "x\ny\n" + TEXT)
        moved = file_finding(place, lines)
        assert (told(moved), moved.evidence) == (("current", "lines-moved"), {**span(7, 9), "dirty": True})
    assert missing(main) == before > 0


def test_a_clone_without_the_file_of_its_head_names_nobody(world: World) -> None:
    origin, lines, _whole = source(world)
    main = world.clone(origin, "main", "--filter=blob:none", "--no-checkout")
    origin.path.rename(world.root / "away")
    main.git("read-tree", "HEAD")
    main.write("a.py", BROKEN)
    found = file_finding(main, lines)
    assert (told(found), found.evidence) == (("stale", "lines-changed"), {"dirty": True})


def missing(repo: Repo) -> int:
    return repo.git("rev-list", "--objects", "--all", "--missing=print").out.count("?")


def test_a_clone_without_trees_and_files_cannot_tell(world: World) -> None:
    origin, lines, whole = source(world)
    main = world.clone(origin, "main", "--filter=tree:0", "--no-checkout")
    for online in (True, False):
        if not online:
            origin.path.rename(world.root / "away")
        for one in (lines, whole, ref("no/such.py")):
            found = file_finding(main, one)
            assert told(found) == ("unverified", "baseline-missing")
            assert "git fetch" in found.message
