"""`git mem about`: which entries cite a file or lines, where those stand now."""

import json
from typing import Any

import pytest
from inprocess import Cli
from program import document, entry, put
from world import Repo, World

from gitmem.entry.model import ReviewState, SourceRef

TEXT = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Entries about lines 5-7, line 15 and all of `pkg/code.py`, which got two new lines on top; and about more."""
    repo = World(tmp_path_factory.mktemp("about")).repo()
    repo.commit("Start", {"pkg/code.py": TEXT, "gone.py": TEXT, "other.py": TEXT, "a:1.py": TEXT, "name:3": "x\n"})
    whole = lines("pkg/code.py", repo)
    block = lines("pkg/code.py", repo, 5, 7)
    put(
        repo.path / ".klide/memory",
        entry("block", source_refs=(block,), date="2026-01-03T00:00:00Z"),
        entry("one-line", source_refs=(lines("pkg/code.py", repo, 15, 15),), date="2026-01-02T00:00:00Z"),
        entry("whole", source_refs=(whole,)),
        entry("deleted", source_refs=(lines("gone.py", repo, 1, 2),)),
        entry("twice", source_refs=(lines("other.py", repo, 1, 1), lines("other.py", repo, 9, 9))),
        entry("untidy", source_refs=(SourceRef(source_type="file", id="x", path="./pkg//untidy.py"),)),
        entry("colon", source_refs=(lines("a:1.py", repo, 2, 3), lines("name:3", repo))),
        entry("proposed", source_refs=(block,), review_state=ReviewState.PROPOSED),
        entry("replaced", source_refs=(block,)),
        entry("replacing", supersedes="replaced"),
        entry(
            "hostile", source_refs=tuple(SourceRef(source_type="file", id=p, path=p) for p in ("/etc/x", "../x", ""))
        ),
        entry("since", source_refs=(SourceRef(source_type="commit", id=repo.rev(), path="since.py"),)),
    )
    repo.commit("Change", {"pkg/code.py": "new\nnew\n" + TEXT, "gone.py": None})
    return repo


def lines(path: str, repo: Repo, start: int | None = None, end: int | None = None) -> SourceRef:
    blob = repo.rev(f"HEAD:{path}")
    return SourceRef(source_type="file", id=path, path=path, line_start=start, line_end=end, blob=blob)


def about(cli: Cli, store: Repo, *args: str) -> list[tuple[Any, ...]]:
    found = document(cli(store, "about", "--json", *args))["entries"]
    return [(one["id"], one["lineStart"], one["lineEnd"]) for one in found]


BLOCK, ONE, WHOLE = ("block", 7, 9), ("one-line", 17, 17), ("whole", None, None)


@pytest.mark.parametrize(
    ("citation", "expected"),
    [
        ("pkg/code.py", [BLOCK, ONE, WHOLE]),
        ("./pkg/../pkg/code.py", [BLOCK, ONE, WHOLE]),
        ("pkg/code.py:7-9", [BLOCK, WHOLE]),
        ("pkg/code.py:8", [BLOCK, WHOLE]),
        ("pkg/code.py:1-7", [BLOCK, WHOLE]),
        ("pkg/code.py:9-99", [BLOCK, ONE, WHOLE]),
        ("pkg/code.py:1-6", [WHOLE]),
        ("pkg/code.py:10-16", [WHOLE]),
        ("pkg/code.py:17", [ONE, WHOLE]),
        ("gone.py", [("deleted", 1, 2)]),
        ("gone.py:2-3", [("deleted", 1, 2)]),
        ("other.py", [("twice", 1, 1), ("twice", 9, 9)]),
        ("other.py:9", [("twice", 9, 9)]),
        ("pkg/untidy.py", [("untidy", None, None)]),
        ("a:1.py:3", [("colon", 2, 3)]),
        ("name:3", [("colon", None, None)]),
        ("since.py", [("since", None, None)]),
    ],
)
def test_an_entry_is_named_where_it_cites_some_of_what_is_asked(
    cli: Cli, store: Repo, citation: str, expected: list[tuple[Any, ...]]
) -> None:
    assert about(cli, store, citation) == expected


@pytest.mark.parametrize("place", ["gone.py:3", "never.py", "never", "pk"])
def test_where_no_entry_cites_anything_that_is_said(cli: Cli, store: Repo, place: str) -> None:
    result = cli(store, "about", place, "--json")
    assert (result.code, result.err.startswith("no entry cites this")) == (1, True)
    assert ("there is no such path here" in result.err) is bool(json.loads(result.out)["missing"])
    assert json.loads(result.out)["entries"] == []


def test_a_directory_stands_for_the_files_below_it(cli: Cli, store: Repo) -> None:
    below = {found["path"] for found in json.loads(cli(store, "about", "pkg", "--json").out)["entries"]}
    everything = {found["path"] for found in json.loads(cli(store, "about", ".", "--json").out)["entries"]}
    assert below == {"pkg/code.py", "pkg/untidy.py"}
    assert below < everything


@pytest.mark.parametrize("place", ["pkg/code.py:0", "pkg/code.py:9-7", "never.py:2-1"])
def test_lines_that_are_no_range_are_refused(cli: Cli, store: Repo, place: str) -> None:
    result = cli(store, "about", place)
    assert (result.code, result.stdout) == (128, b"")
    assert "is no range of lines" in result.err


def test_several_places_are_one_answer_and_nothing_comes_twice(cli: Cli, store: Repo) -> None:
    assert about(cli, store, "pkg/code.py:8", "gone.py", "pkg/code.py:7") == [BLOCK, ("deleted", 1, 2), WHOLE]


def test_paths_are_relative_to_the_current_directory(cli: Cli, store: Repo) -> None:
    inside = cli(store, "about", "code.py:8", "../gone.py", cwd=store.path / "pkg")
    assert inside.out == cli(store, "about", "pkg/code.py:8", "gone.py").out
    assert "pkg/code.py:7-9  current  block\n    block\n" in inside.out


@pytest.mark.parametrize(
    ("citation", "code"), [("pkg/code.py", 0), ("gone.py:1", 0), ("pkg/code.py:1", 0), ("x.py", 1)]
)
def test_the_exit_code_says_whether_anything_is_known(cli: Cli, store: Repo, citation: str, code: int) -> None:
    assert cli(store, "about", citation).code == code
    assert cli(store, "about", citation, "--json").code == code


def test_the_verdict_is_the_entrys(cli: Cli, store: Repo) -> None:
    found = document(cli(store, "about", "gone.py", "pkg/code.py:17", "--json"))["entries"]
    assert {one["id"]: one["verdict"] for one in found} == {"one-line": "current", "deleted": "stale", "whole": "stale"}


def test_text_of_a_whole_file_has_no_range(cli: Cli, store: Repo) -> None:
    assert "pkg/code.py  stale  whole\n    whole\n" in cli(store, "about", "pkg/code.py").out


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Files that went elsewhere: with a new line on top, edited, only staged, twice, in case only, with a commit."""
    repo = World(tmp_path_factory.mktemp("renamed")).repo()
    names = ("old", "edited", "staged", "twice", "case", "commit")
    repo.commit("Start", {f"src/{name}.py": TEXT.replace("line", name) for name in names})
    refs = {name: lines(f"src/{name}.py", repo, 5, 7) for name in names[:-1]}
    refs["commit"] = SourceRef(source_type="commit", id=repo.rev(), path="src/commit.py", line_start=5, line_end=7)
    put(repo.path / ".klide/memory", *(entry(name, source_refs=(ref,)) for name, ref in refs.items()))
    moves = {"old": "lib/new.py", "edited": "lib/edited.py", "twice": "lib/once.py", "case": "src/Case.py"}
    (repo.path / "lib").mkdir()
    for name, to in {**moves, "commit": "lib/commit.py"}.items():
        repo.git("mv", f"src/{name}.py", to)
    edited = TEXT.replace("line", "edited").replace("edited 6", "something else")
    repo.commit("Rename", {"lib/new.py": "new\n" + TEXT.replace("line", "old"), "lib/edited.py": edited})
    repo.git("mv", "lib/once.py", "lib/twice.py")
    repo.commit("Rename again")
    repo.git("mv", "src/staged.py", "lib/staged.py")
    return repo


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("src/old.py", "lib/new.py", ("old", 6, 8)),
        ("src/old.py:5", "lib/new.py:8", ("old", 6, 8)),
        ("src/edited.py:6", "lib/edited.py:6", ("edited", 5, 7)),
        ("src/staged.py", "lib/staged.py:7", ("staged", 5, 7)),
        ("src/twice.py", "lib/twice.py:5", ("twice", 5, 7)),
        ("src/case.py", "src/Case.py:5", ("case", 5, 7)),
        ("src/commit.py", "lib/commit.py:5", ("commit", 5, 7)),
    ],
)
def test_a_renamed_file_is_found_under_both_names(
    cli: Cli, renamed: Repo, old: str, new: str, expected: tuple[Any, ...]
) -> None:
    assert about(cli, renamed, old) == [expected]
    assert about(cli, renamed, new) == [expected]


@pytest.mark.parametrize("place", ["src/old.py:4", "src/old.py:8", "lib/new.py:5", "lib/new.py:9", "lib/once.py"])
def test_lines_count_as_cited_under_the_old_name_and_as_they_are_under_the_new_one(
    cli: Cli, renamed: Repo, place: str
) -> None:
    assert cli(renamed, "about", place).code == 1


def test_a_renamed_file_is_told_under_its_present_name(cli: Cli, renamed: Repo) -> None:
    assert cli(renamed, "about", "src/old.py").out == "lib/new.py:6-8  current  old\n    old\n"
    assert "lib/edited.py:5-7  stale  edited\n" in cli(renamed, "about", "src").out


def test_a_directory_has_what_came_into_it_and_what_left_it(cli: Cli, renamed: Repo) -> None:
    names = {"old", "edited", "staged", "twice", "case", "commit"}
    assert {found[0] for found in about(cli, renamed, "src")} == names
    assert {found[0] for found in about(cli, renamed, "lib")} == names - {"case"}
