"""The file index from the command line: mine, update, search --in, and what is said of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from inprocess import Cli
from program import faults
from remembered import remember
from world import Repo, World

from gitmem.porcelain.init import init
from gitmem.storage.lock import writer_lock

LOCK_TIMEOUT = {"GIT_CONFIG_KEY_0": "mem.lockTimeout", "GIT_CONFIG_VALUE_0": "0"}
WALRUS = "def walrus(limit):\n    return limit\n"


@pytest.fixture
def repo(world: World) -> Repo:
    repo = world.repo()
    repo.commit("Start", {"a.py": WALRUS, "docs/guide.md": "# Guide\n\nFeed the walrus.\n", "logo.png": b"\x89\0\0"})
    init(repo.path, world.env, track=False)
    return repo


def document(cli: Cli, repo: Repo, *words: str, schema: str | None = None, code: int = 0) -> Any:
    result = cli(repo, *words, "--json")
    assert result.code == code, result
    found = json.loads(result.out)
    assert faults(schema or words[0], found) == []
    return found


def found_paths(cli: Cli, repo: Repo, *words: str) -> list[str]:
    result = cli(repo, "search", *words, "--in", "files", "--json")
    return [hit["path"] for hit in json.loads(result.out)["hits"]]


def update(cli: Cli, repo: Repo, changed: Sequence[str] = (), deleted: Sequence[str] = ()) -> Any:
    manifest = repo.write("../manifest.json", json.dumps({"changed": changed, "deleted": deleted}))
    return document(cli, repo, "update", "--manifest", str(manifest))


def test_mine_tells_what_it_read_and_what_it_left_out(cli: Cli, repo: Repo) -> None:
    repo.write("vendor/lib.js", "walrus\n")
    assert cli(repo, "mine").out == "2 files in 2 sections; left out: 1 binary, 1 vendored\n"
    assert document(cli, repo, "mine")["leftOut"] == {"binary": 1, "vendored": 1}


def test_sections_are_found_by_their_words_and_by_their_path(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    found = document(cli, repo, "search", "walrus", "--in", "files", schema="search-files")
    assert [(hit["path"], hit["lineStart"], hit["lineEnd"], hit["line"]) for hit in found["hits"]] == [
        ("a.py", 1, 2, 1),
        ("docs/guide.md", 1, 3, 3),
    ]
    assert found["hits"][0]["title"] == "def walrus(limit)"
    assert found["hits"][1]["excerpt"] == "Feed the walrus."
    assert found_paths(cli, repo, "guide.md") == ["docs/guide.md"]
    assert found_paths(cli, repo, "walrus", "docs") == ["docs/guide.md"]


def test_they_are_shown_with_the_line_to_go_to(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    result = cli(repo, "search", "feed", "walrus", "--in", "files")
    assert result.out.splitlines()[:2] == ["docs/guide.md:1-3  Guide", "    3: Feed the walrus."]
    assert "Nearest files, with only some of the words:" in result.out


def test_before_anything_was_read_it_says_what_to_do(cli: Cli, repo: Repo) -> None:
    result = cli(repo, "search", "walrus", "--in", "files")
    assert (result.code, result.out) == (1, "")
    assert result.err == "no files were read here yet: `git mem mine` reads them\n"
    assert document(cli, repo, "search", "walrus", "--in", "files", schema="search-files", code=1)["indexed"] is False


def test_entries_and_files_are_answered_side_by_side(cli: Cli, repo: Repo) -> None:
    ident = remember(repo, "Why the walrus", "a.py")
    cli(repo, "mine")
    found = document(cli, repo, "search", "walrus", "--in", "all")
    assert [hit["id"] for hit in found["hits"]] == [ident]
    assert [hit["path"] for hit in found["files"]["hits"]] == ["a.py", "docs/guide.md"]
    shown = cli(repo, "search", "walrus", "--in", "all").out
    assert shown.index(ident) < shown.index("Files:") < shown.index("a.py:1-2")


def test_one_of_both_answers_is_enough(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    assert cli(repo, "search", "feed", "--in", "all").code == 0
    assert cli(repo, "search", "zebra", "--in", "all").code == 1


def test_a_changed_file_is_told_to_be_so(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    repo.write("a.py", "x = 1\n" + WALRUS)
    (hit,) = document(cli, repo, "search", "limit", "--in", "files", schema="search-files")["hits"]
    assert (hit["path"], hit["line"], hit["outdated"]) == ("a.py", 1, True)
    assert "changed since it was read" in cli(repo, "search", "limit", "--in", "files").out
    assert cli(repo, "update").out == "1 file read\n"
    (hit,) = document(cli, repo, "search", "limit", "--in", "files", schema="search-files")["hits"]
    assert (hit["line"], hit["outdated"]) == (2, False)


def test_a_text_that_nobody_has_any_more_is_found_without_an_excerpt(cli: Cli, repo: Repo) -> None:
    repo.write("new.py", "narwhal\n")
    cli(repo, "mine")
    repo.write("new.py", "other\n")
    (hit,) = document(cli, repo, "search", "narwhal", "--in", "files", schema="search-files")["hits"]
    assert (hit["excerpt"], hit["outdated"], hit["matchedTerms"]) == ("", True, ["narwhal"])


def test_a_search_follows_head_without_being_told(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    repo.commit("More", {"b.py": "narwhal\n", "a.py": None})
    assert found_paths(cli, repo, "narwhal") == ["b.py"]
    assert found_paths(cli, repo, "walrus") == ["docs/guide.md"]
    linked = repo.worktree("linked", at="HEAD~1")
    assert found_paths(cli, linked, "walrus") == ["a.py", "docs/guide.md"]
    assert found_paths(cli, linked, "narwhal") == []


def test_what_an_update_read_is_not_undone_by_a_commit_before_it(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    repo.commit("More", {"a.py": "narwhal\n", "b.py": "narwhal\n"})
    repo.write("a.py", "manatee\n")
    update(cli, repo, ["a.py"])
    assert found_paths(cli, repo, "manatee") == ["a.py"]
    assert found_paths(cli, repo, "narwhal") == ["b.py"]


def test_update_names_the_entries_to_look_at(cli: Cli, repo: Repo) -> None:
    ident = remember(repo, "About a", "a.py")
    remember(repo, "About the guide", "docs/guide.md")
    repo.write("a.py", "x\n")
    done = update(cli, repo, ["a.py"])
    assert done == {
        "schemaVersion": 1,
        "changed": ["a.py"],
        "deleted": [],
        "ignored": [],
        "reindexed": 1,
        "recheck": [ident],
    }
    assert cli(repo, "update").out == f"1 file read\nEntries to look at, with `git mem check`:\n  {ident}\n"
    assert update(cli, repo, [], ["a.py"])["recheck"] == [ident]


def test_what_is_ignored_from_now_on_vanishes(cli: Cli, repo: Repo) -> None:
    repo.write("s.txt", "narwhal\n")
    update(cli, repo, ["s.txt", "a.py"])
    assert found_paths(cli, repo, "narwhal") == ["s.txt"]
    repo.write(".gitignore", "s.txt\n")
    assert update(cli, repo, [".gitignore"])["ignored"] == ["s.txt"]
    assert found_paths(cli, repo, "narwhal") == []
    (repo.path / "s.txt").unlink()
    update(cli, repo, [], ["s.txt"])
    (repo.path / ".gitignore").unlink()
    update(cli, repo, [], [".gitignore"])
    assert found_paths(cli, repo, "narwhal") == []


def test_what_the_rules_let_in_again_comes_back(cli: Cli, repo: Repo) -> None:
    repo.write(".gitmemignore", "docs/\n")
    cli(repo, "mine")
    assert found_paths(cli, repo, "walrus") == ["a.py"]
    (repo.path / ".gitmemignore").unlink()
    update(cli, repo, [], [".gitmemignore"])
    assert found_paths(cli, repo, "walrus") == ["a.py", "docs/guide.md"]


def test_attributes_say_what_is_vendored(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    repo.write(".gitattributes", "docs/** linguist-vendored\n")
    update(cli, repo, [".gitattributes"])
    assert found_paths(cli, repo, "walrus") == ["a.py"]
    repo.write(".gitattributes", "")
    update(cli, repo, [".gitattributes"])
    assert found_paths(cli, repo, "walrus") == ["a.py", "docs/guide.md"]


def test_the_memory_is_no_text_of_the_project(cli: Cli, repo: Repo) -> None:
    ident = remember(repo, "Why the narwhal", "a.py")
    cli(repo, "mine")
    path = f".klide/memory/{ident}.md"
    assert update(cli, repo, [path])["ignored"] == [path]
    assert found_paths(cli, repo, "narwhal") == []


def test_a_manifest_can_be_piped_into_update(cli: Cli, repo: Repo) -> None:
    repo.write("new\nline.py", "narwhal\n")
    repo.write("a.py", "changed\n")
    (repo.path / "docs" / "guide.md").unlink()
    manifest = repo.mem("manifest")
    done = json.loads(repo.mem("update", "--manifest", "-", "--json", feed=manifest.stdout).out)
    assert (done["changed"], done["deleted"]) == (["a.py", "new\nline.py"], ["docs/guide.md"])
    assert found_paths(cli, repo, "narwhal") == ["new\nline.py"]


def test_a_refused_manifest_changes_nothing(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    repo.write("a.py", "narwhal\n")
    manifest = repo.write("../manifest.json", '{"changed": ["a.py", "gone.py"], "deleted": []}')
    result = cli(repo, "update", "--manifest", str(manifest))
    assert result.code == 128
    assert result.err.startswith("fatal: the manifest is refused: 'gone.py' is said to be changed")
    assert found_paths(cli, repo, "narwhal") == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("update", "--manifest", "-", "--since", "HEAD"), "error: --manifest and --since both say what changed"),
        (("search", "x", "--in", "files", "--kind", "fact"), "error: --at, --only, --kind"),
        (("search", "x", "--in", "files", "--at", "HEAD"), "error: --at, --only, --kind"),
        (("work", "--drain", "-1"), "error: --drain is -1"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(cli: Cli, repo: Repo, words: Sequence[str], told: str) -> None:
    result = cli(repo, *words)
    assert (result.code, result.out) == (129, "")
    assert result.err.startswith(told)


def test_paths_narrow_a_search_from_where_one_stands(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    asked = ("search", "walrus", "--in", "files", "--json")
    here = cli(repo, *asked, "--path", ".", cwd=repo.path / "docs")
    assert [hit["path"] for hit in json.loads(here.out)["hits"]] == ["docs/guide.md"]
    assert found_paths(cli, repo, "walrus", "path:docs") == ["docs/guide.md"]
    assert found_paths(cli, repo, "walrus", "file:a.py") == ["a.py"]
    assert found_paths(cli, repo, "path:docs") == ["docs/guide.md"]
    assert found_paths(cli, repo, "walrus", "kind:fact") == []


def test_jobs_and_work_say_what_waits_and_what_was_done(cli: Cli, repo: Repo) -> None:
    assert cli(repo, "jobs").err == "nothing is waiting; 0 done so far\n"
    spool = repo.path / ".git" / "mem" / "spool"
    spool.mkdir(parents=True)
    (spool / "follow").touch()
    assert cli(repo, "jobs").out == "queued   follow\n"
    assert document(cli, repo, "jobs")["jobs"] == [
        {"id": "follow", "kind": "follow", "state": "queued", "attempts": 0, "errorClass": None}
    ]
    assert cli(repo, "work").out == "1 job done\n"
    assert document(cli, repo, "jobs") == {"schemaVersion": 1, "jobs": [], "done": 1}
    assert document(cli, repo, "work") == {
        "schemaVersion": 1,
        "done": 0,
        "failed": 0,
        "waiting": 0,
        "elsewhere": False,
    }


def _with_holes(page: int) -> Callable[[bytes], bytes]:
    def damage(data: bytes) -> bytes:
        size = int.from_bytes(data[16:18], "big")
        return data[: page * size] + b"\xa5" * size + data[(page + 1) * size :]

    return damage


DAMAGES: Mapping[str, Callable[[bytes], bytes | None]] = {
    "empty": lambda _: b"",
    "noise": lambda _: b"\xff" * 9000,
    "gone": lambda _: None,
    "half": lambda data: data[: len(data) // 2],
    **{f"page {page}": _with_holes(page) for page in range(1, 24, 2)},
}


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("verb", ["search", "mine", "update"])
def test_a_damaged_index_is_made_anew(cli: Cli, repo: Repo, name: str, verb: str) -> None:
    cli(repo, "mine")
    path = repo.path / ".git" / "mem" / "files.sqlite"
    damaged = DAMAGES[name](path.read_bytes())
    path.unlink() if damaged is None else path.write_bytes(damaged)
    if verb != "search":
        repo.write("a.py", WALRUS + "# more\n")
        assert cli(repo, verb).code == 0
    assert found_paths(cli, repo, "walrus") == ["a.py", "docs/guide.md"]
    assert path.read_bytes()[:6] == b"SQLite"


def test_a_search_does_not_wait_for_whoever_writes(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    repo.commit("More", {"b.py": "narwhal\n"})
    with writer_lock(repo.path / ".git" / "mem" / "files.sqlite.lock", 0.0):
        assert found_paths(cli, repo, "narwhal") == ["b.py"]
        result = cli(repo, "update", env={"GIT_CONFIG_COUNT": "1", **LOCK_TIMEOUT})
        assert result.code == 128
        assert "files.sqlite.lock" in result.err
    assert found_paths(cli, repo, "narwhal") == ["b.py"]


def test_an_index_that_cannot_be_written_is_brought_up_to_date_in_memory(cli: Cli, repo: Repo) -> None:
    cli(repo, "mine")
    repo.commit("More", {"b.py": "narwhal\n"})
    lock = repo.path / ".git" / "mem" / "files.sqlite.lock"
    lock.unlink()
    lock.mkdir()
    assert found_paths(cli, repo, "narwhal") == ["b.py"]
    assert cli(repo, "mine").code == 128


@pytest.mark.parametrize(
    "options", [("--object-format=sha256",), ("--separate-git-dir=../meta",)], ids=["256", "apart"]
)
def test_files_are_found_in_other_sorts_of_repositories(cli: Cli, world: World, options: tuple[str, ...]) -> None:
    repo = world.repo("other", *options)
    repo.commit("Start", {"a.py": WALRUS})
    init(repo.path, world.env, track=False)
    cli(repo, "mine")
    linked = repo.worktree("linked")
    linked.commit("More", {"b.py": "narwhal\n"})
    assert found_paths(cli, repo, "walrus") == ["a.py"]
    assert found_paths(cli, linked, "narwhal") == ["b.py"]
    assert found_paths(cli, repo, "narwhal") == []
