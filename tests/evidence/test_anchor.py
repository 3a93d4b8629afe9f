"""From what a person cites to an anchor: every form of a citation, every refusal, every field of the anchor."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from evidence.cited import TEXT, at, cite, file_finding, here, told
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from layouts import submodule, with_commit
from world import Repo, World, listing

from gitmem.entry.model import SourceRef, SourceType
from gitmem.evidence.anchor import CitationError, Spec, anchor_commits, anchor_files, inside, parse_citation
from gitmem.evidence.files import judge_files
from gitmem.git.checkout import MAX_BYTES
from gitmem.git.history import RevisionError

ODD_NAMES = [
    *("sp ace.txt", "日本/é.txt", "sep\u2028two.txt", "tab\there.txt", "nl\nx.txt", '"q".txt', "a b/ c.txt ", "'"),
    *("-x.txt", "[x]*?.txt", ":(top)x.txt", "#x", "!x", "back\\slash", "%2e", "...", "\u202ex", "x:", "C:x", "~"),
]


@pytest.fixture
def cited(repo: Repo) -> Repo:
    repo.commit("Base", {"a.py": TEXT})
    return repo


# Splitting


@pytest.mark.parametrize(
    ("citation", "path", "lines"),
    [
        ("a.py", "a.py", None),
        ("a.py:5", "a.py", (5, 5)),
        ("a.py:5-7", "a.py", (5, 7)),
        ("a.py:05-07", "a.py", (5, 7)),
        ("a.py:0", "a.py", (0, 0)),
        ("a.py:7-5", "a.py", (7, 5)),
        ("./a.py:5", "a.py", (5, 5)),
        ("src/../a.py:5", "a.py", (5, 5)),
        ("b:c.py", "b:c.py", None),
        ("b:c.py:3", "b:c.py", (3, 3)),
        ("name:12", "name:12", None),
        ("name:12:1-2", "name:12", (1, 2)),
        ("name:12:3", "name:12", (3, 3)),
        ("other:12", "other", (12, 12)),
        ("a.py:", "a.py:", None),
        ("a.py:-7", "a.py:-7", None),
        ("a.py:5-", "a.py:5-", None),
        ("a.py:5-7-9", "a.py:5-7-9", None),
        ("a.py:+5", "a.py:+5", None),
        ("a.py:５", "a.py:５", None),
        ("a.py: 5", "a.py: 5", None),
        ("a.py:5\n", "a.py:5\n", None),
        (":5", ":5", None),
        ("nl\nx:5", "nl\nx", (5, 5)),
    ],
)
def test_a_citation_is_split_into_path_and_lines(
    repo: Repo, citation: str, path: str, lines: tuple[int, int] | None
) -> None:
    repo.write("name:12", "1\n2\n3\n")
    assert parse_citation(repo.path, repo.path, citation) == Spec(path, lines)


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_whatever_has_the_very_name_of_the_citation_wins(repo: Repo, make: Callable[[Path], object]) -> None:
    make(repo.path / "src" / "name:12")
    assert parse_citation(repo.path, repo.path / "src", "name:12") == Spec("src/name:12", None)
    assert parse_citation(repo.path, repo.path, "name:12") == Spec("name", (12, 12))


@pytest.mark.parametrize(
    ("directory", "citation", "path"),
    [
        ("src", "code.py", "src/code.py"),
        ("src", "./code.py", "src/code.py"),
        ("src", "../README.md", "README.md"),
        ("src", "../src/code.py", "src/code.py"),
        ("src", "deep/../code.py", "src/code.py"),
        ("", "src/", "src"),
        ("", "src//code.py", "src/code.py"),
    ],
)
def test_a_path_counts_from_the_current_directory(repo: Repo, directory: str, citation: str, path: str) -> None:
    assert parse_citation(repo.path, repo.path / directory, citation).path == path


def test_an_absolute_path_inside_is_taken(repo: Repo) -> None:
    assert parse_citation(repo.path, repo.path / "src", f"{repo.path}/README.md:1") == Spec("README.md", (1, 1))


def test_a_path_through_a_link_above_the_worktree_is_taken(repo: Repo) -> None:
    link = repo.world.root / "link"
    link.symlink_to(repo.path)
    assert parse_citation(repo.path, repo.path, f"{link}/src/code.py:1") == Spec("src/code.py", (1, 1))
    assert inside(repo.path, repo.path, f"{link}/no/such.py").as_posix() == "no/such.py"


@pytest.mark.parametrize(
    "citation",
    ["..", "../x", "../main-evil/x", "/etc/passwd", "/", "src/../../x", "../main/../x", "{root}", "{root}/x"],
)
def test_a_path_outside_is_refused(repo: Repo, citation: str) -> None:
    citation = citation.format(root=repo.world.root)
    with pytest.raises(CitationError, match=r"is outside the worktree .*: cite a file inside it"):
        parse_citation(repo.path, repo.path, citation)


@pytest.mark.parametrize("citation", [".git", ".git/config", ".git/config:1", ".GIT/config", "src/.git", ".", "src/.."])
def test_the_git_directory_and_the_worktree_itself_are_refused(repo: Repo, citation: str) -> None:
    with pytest.raises(CitationError, match="can be no evidence"):
        parse_citation(repo.path, repo.path, citation)


@pytest.mark.parametrize("citation", [os.fsdecode(b"caf\xe9.txt"), "\ud800", "a\0b", "x\U000e0041"])
def test_a_name_that_an_entry_could_not_hold_is_refused(repo: Repo, citation: str) -> None:
    with pytest.raises(CitationError) as refused:
        parse_citation(repo.path, repo.path, citation)
    refused.value.message.encode("utf-8")


PATHS = st.lists(st.sampled_from(["..", ".", "a", "b:1", ".git", "main", ""]), min_size=1, max_size=6).map("/".join)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(citation=PATHS)
def test_no_citation_leads_out_of_the_worktree(repo: Repo, citation: str) -> None:
    try:
        path = parse_citation(repo.path, repo.path / "src", citation).path
    except CitationError:
        return
    assert not {"..", ".", "", ".git"} & set(path.split("/"))
    real = os.path.normpath(repo.path / "src" / citation)
    assert os.path.normpath(repo.path / path) in (real, real.rpartition(":")[0])


# Anchoring


def test_the_anchor_holds_blob_commit_and_the_hash_of_the_lines(cited: Repo) -> None:
    assert cite(cited, "a.py:5-7") == SourceRef(
        source_type=SourceType.FILE,
        id="a.py",
        path="a.py",
        line_start=5,
        line_end=7,
        commit=cited.rev(),
        blob=cited.git("hash-object", "a.py").line,
        text_hash="sha256:" + hashlib.sha256(b"line 5\nline 6\nline 7\n").hexdigest(),
    )


def test_a_whole_file_has_no_lines_and_the_hash_of_all(cited: Repo) -> None:
    ref = cite(cited, "a.py")
    assert (ref.line_start, ref.line_end) == (None, None)
    assert ref.text_hash == "sha256:" + hashlib.sha256(TEXT.encode()).hexdigest()


@pytest.mark.parametrize(
    ("data", "lines", "cited_text"),
    [
        (b"a\nb", "2", b"b\n"),
        (b"a\nb", "1-2", b"a\nb\n"),
        (b"a\r\nb\r\n", "1-2", b"a\nb\n"),
        (b"\n\n", "2", b"\n"),
        (b"a\xe2\x80\xa8b\x0cc\nd\n", "1", b"a\xe2\x80\xa8b\x0cc\n"),
        (b"\xff\xfe not UTF-8\n", "1", b"\xff\xfe not UTF-8\n"),
    ],
)
def test_the_hash_is_over_the_lines_with_lf(repo: Repo, data: bytes, lines: str, cited_text: bytes) -> None:
    repo.write("x", data)
    assert cite(repo, f"x:{lines}").text_hash == "sha256:" + hashlib.sha256(cited_text).hexdigest()


def test_an_empty_file_can_be_cited_as_a_whole_only(repo: Repo) -> None:
    repo.write("x", b"")
    assert cite(repo, "x").text_hash == "sha256:" + hashlib.sha256(b"").hexdigest()
    with pytest.raises(CitationError, match="x has 0 lines, so 1 cannot be cited"):
        cite(repo, "x:1")


def test_a_binary_file_has_no_hash_of_lines(repo: Repo) -> None:
    repo.write("x", b"a\0\nb\n")
    ref = cite(repo, "x:2")
    assert (ref.text_hash, ref.blob) == (None, repo.git("hash-object", "x").line)
    assert cite(repo, "x").text_hash is None


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("autocrlf", ["false", "true", "input"])
@pytest.mark.parametrize("data", [b"a\nb\n", b"a\r\nb\r\n", b"a\r\nb\n", b"a\0\r\n"])
def test_the_blob_is_the_one_that_git_would_store(world: World, object_format: str, autocrlf: str, data: bytes) -> None:
    repo = with_commit(world.repo("main", f"--object-format={object_format}"))
    repo.git("config", "core.autocrlf", autocrlf)
    repo.write("x", data)
    ref = cite(repo, "x")
    assert (ref.blob, ref.commit) == (repo.git("hash-object", "x").line, repo.rev())


def test_what_is_dirty_or_untracked_is_anchored_as_it_is_on_disk(cited: Repo) -> None:
    cited.write("a.py", "other\n")
    cited.write("new.py", "new\n")
    for name in ("a.py", "new.py"):
        ref = cite(cited, f"{name}:1")
        assert (ref.blob, ref.commit) == (cited.git("hash-object", name).line, cited.rev())


def test_before_the_first_commit_there_is_no_commit_to_record(world: World) -> None:
    repo = world.repo()
    repo.write("x", "1\n")
    ref = cite(repo, "x:1")
    assert (ref.commit, ref.blob) == (None, repo.git("hash-object", "x").line)
    assert told(file_finding(repo, ref)) == ("unverified", "untracked")


def test_odd_names_are_cited_exactly_and_found_again(repo: Repo) -> None:
    repo.commit("Odd", dict.fromkeys(ODD_NAMES, "one\ntwo\n"))
    refs = anchor_files(at(repo), repo.path, [f"{name}:1-2" for name in ODD_NAMES])
    assert [(ref.path, ref.id) for ref in refs] == [(name, name) for name in ODD_NAMES]
    assert {ref.path: told(found) for ref, found in zip(refs, judge_files(here(repo), refs), strict=True)} == (
        dict.fromkeys(ODD_NAMES, ("current", "unchanged"))
    )
    culprit = repo.commit("Edit", dict.fromkeys(ODD_NAMES, "one\n2\n"))
    assert {
        ref.path: (told(found), found.evidence) for ref, found in zip(refs, judge_files(here(repo), refs), strict=True)
    } == (dict.fromkeys(ODD_NAMES, (("stale", "lines-changed"), {"by": culprit, "kept": 1})))


def test_a_name_is_taken_as_it_is_written_composed_or_not(repo: Repo) -> None:
    repo.commit("Both", {"e\u0301.txt": "decomposed\n", "\u00e9.txt": "composed\n"})
    for name in ("e\u0301.txt", "\u00e9.txt"):
        ref = cite(repo, name)
        assert (ref.path, ref.blob) == (name, repo.rev(f"HEAD:{name}"))


def test_several_citations_are_anchored_in_order_and_once_each(cited: Repo) -> None:
    refs = anchor_files(at(cited), cited.path, ["a.py:5", "README.md", "a.py:5-5", "./a.py:5", "a.py"])
    assert [(ref.path, ref.line_start) for ref in refs] == [("a.py", 5), ("README.md", None), ("a.py", None)]


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _big(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)


@pytest.mark.parametrize(
    ("make", "citation", "why"),
    [
        (None, "x", "there is no such file"),
        (None, "x:1", "there is no such file"),
        (None, "a.py/x", "there is no such file"),
        (None, "a.py:1-9999999999", "there is no such file"),
        (Path.mkdir, "x", "it is a directory: cite a file in it"),
        (lambda path: path.symlink_to("a.py"), "x", "it is a symbolic link: cite the file that it points at"),
        (lambda path: path.symlink_to("/etc/passwd"), "x:1", "it is a symbolic link"),
        (lambda path: path.symlink_to("src"), "x/code.py", "it lies behind a symbolic link: cite its real path"),
        (lambda path: path.symlink_to("/etc"), "x/passwd", "it lies behind a symbolic link"),
        (_big, "x", "it is over 5 MiB"),
        (_fifo, "x", "it is no regular file"),
    ],
)
def test_what_is_no_file_cannot_be_cited(
    cited: Repo, make: Callable[[Path], object] | None, citation: str, why: str
) -> None:
    if make is not None:
        make(cited.path / "x")
    before = listing(cited.path)
    with pytest.raises(CitationError, match=f"cannot be cited: {why}"):
        cite(cited, citation)
    assert listing(cited.path) == before


@pytest.mark.parametrize("lines", ["0", "0-5", "7-5", "21", "5-21", "999999999"])
def test_lines_that_are_not_there_cannot_be_cited(cited: Repo, lines: str) -> None:
    with pytest.raises(CitationError, match=r"a\.py has 20 lines, so .* cannot be cited: correct the range"):
        cite(cited, f"a.py:{lines}")


def test_one_line_is_not_lines(repo: Repo) -> None:
    repo.write("x", "1\n")
    with pytest.raises(CitationError, match="x has 1 line, so 2 cannot be cited"):
        cite(repo, "x:2")


def test_one_bad_citation_refuses_all(cited: Repo) -> None:
    with pytest.raises(CitationError, match="nowhere cannot be cited"):
        anchor_files(at(cited), cited.path, ["a.py", "nowhere"])


def test_files_of_other_repositories_are_cited_there(world: World) -> None:
    module = submodule(world)
    superproject = Repo(world, module.path.parent.parent)
    inner = with_commit(world.repo("super/inner"))
    for citation in ("vendor/library/README.md", "inner/README.md"):
        with pytest.raises(CitationError, match="it lies in another repository or a submodule"):
            cite(superproject, citation)
    for citation, why in (("vendor/library", "in another repository or a submodule"), ("inner", "it is a directory")):
        with pytest.raises(CitationError, match=why):
            cite(superproject, citation)
    for repo in (module, inner):
        assert cite(repo, "README.md").path == "README.md"


def test_a_file_of_another_worktree_is_outside(repo: Repo) -> None:
    linked = repo.worktree("feature")
    with pytest.raises(CitationError, match="is outside the worktree"):
        cite(linked, str(repo.path / "README.md"))


def test_a_pattern_of_git_is_only_a_name(repo: Repo) -> None:
    repo.commit("More", {"b.py": "1\n"})
    for citation in ("*.py", ":/b.py", ":(glob)*.py"):
        with pytest.raises(CitationError, match="there is no such file"):
            cite(repo, citation)


# Commits


def test_commits_are_recorded_with_their_full_ids(repo: Repo) -> None:
    first, second = repo.rev(), repo.commit("Second", {"b": "1\n"})
    repo.git("tag", "-a", "-m", "v1", "v1", first)
    names = ["HEAD", first[:7], "v1", "main~1", "HEAD^", "HEAD^{/Second}"]
    refs = anchor_commits(at(repo), names)
    assert refs == [SourceRef(source_type=SourceType.COMMIT, id=oid) for oid in (second, first)]
    for name in names:
        assert anchor_commits(at(repo), [name])[0].id == repo.rev(f"{name}^{{commit}}")


@pytest.mark.parametrize(
    "revision", ["nowhere", "HEAD~9", "", "HEAD:README.md", "HEAD^{tree}", "--all", "-x", "^HEAD", "a..b"]
)
def test_what_names_no_commit_is_refused(repo: Repo, revision: str) -> None:
    with pytest.raises(RevisionError, match="no commit is named"):
        anchor_commits(at(repo), [revision])


def test_a_ref_that_was_written_by_the_tool_is_current(cited: Repo) -> None:
    for citation in ("a.py", "a.py:1", "a.py:1-20", "src/code.py:2"):
        assert told(file_finding(cited, cite(cited, citation))) == ("current", "unchanged")
        assert told(file_finding(cited, replace(cite(cited, citation), blob=None))) == ("current", "unchanged")
