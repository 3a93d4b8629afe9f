"""Cases that people stumbled over, each told from outside."""

import json
import sys

import pytest
from world import Repo

HEAD = "---\nschemaVersion: 1\ndate: 2026-01-02T03:04:05Z\ntitle: t\nkind: fact\nreviewState: reviewed\n"


def put(store: Repo, ident: str, text: str) -> None:
    store.write(f".klide/memory/{ident}.md", text)


def cites(ref: dict[str, object]) -> str:
    return f"{HEAD}sourceRefs: [{json.dumps(ref)}]\n---\n\nzebra\n"


@pytest.fixture
def store(repo: Repo) -> Repo:
    repo.mem("init")
    return repo


@pytest.mark.parametrize("name", ["GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"])
def test_what_changes_the_meaning_of_paths_does_not_reach_git(store: Repo, name: str) -> None:
    assert store.mem("add", "x", "--file", "README.md", env={name: "1"}).code == 0
    assert store.mem("check", env={name: "1"}).code == 0


def test_a_bare_setting_without_a_value_is_false_for_git_and_here(store: Repo) -> None:
    store.git("config", "core.bare", "")
    assert store.mem("where", "--json").code == 0


@pytest.mark.parametrize(("promisor", "reason"), [("false", "missing"), ("true", "missing-partial")])
def test_only_a_real_promisor_makes_a_clone_partial(store: Repo, promisor: str, reason: str) -> None:
    store.git("config", "remote.origin.promisor", promisor)
    put(store, "lost", cites({"sourceType": "commit", "id": "ab" * 20}))
    (found,) = json.loads(store.mem("check", "--json").out)["entries"]
    assert found["refs"][0]["reason"] == reason


def test_a_commit_with_a_path_tells_where_the_lines_stand_now(store: Repo) -> None:
    oid = store.commit("Code", {"a.py": "".join(f"line {number}\n" for number in range(20))})
    put(store, "both", cites({"sourceType": "commit", "id": oid, "path": "a.py", "lineStart": 3, "lineEnd": 4}))
    store.commit("Above", {"a.py": "new\n" + "".join(f"line {number}\n" for number in range(20))})
    (found,) = json.loads(store.mem("check", "--json").out)["entries"]
    assert found["verdict"] == "current"
    assert (found["refs"][0]["evidence"]["lineStart"], found["refs"][0]["evidence"]["lineEnd"]) == (4, 5)
    assert json.loads(store.mem("about", "a.py:5", "--json").out)["entries"][0]["id"] == "both"


@pytest.mark.parametrize("first", ["\x0c---\n", "\r---\n"])
def test_an_odd_first_line_does_not_hide_the_frontmatter(store: Repo, first: str) -> None:
    put(store, "odd", f"{first}reviewState: stale\n---\n\nzebra\n")
    assert json.loads(store.mem("search", "zebra", "--json").out)["hits"] == []


def test_a_run_counts_once_and_less_than_a_title(store: Repo) -> None:
    title = store.mem("add", "walrus here", "--date", "2026-01-01").line
    run = store.mem("add", "other", "--run", "walrus-1", "--date", "2026-01-02").line
    hits = json.loads(store.mem("search", "walrus", "--json").out)["hits"]
    assert [hit["id"] for hit in hits] == [title, run]


def test_json_escapes_what_could_hide_text(store: Repo) -> None:
    store.write("a\u202eb.txt", "x\n")
    store.mem("add", "x", "--file", "a\u202eb.txt")
    out = store.mem("list", "--json").out
    assert "\u202e" not in out
    assert json.loads(out)["entries"][0]["sourceRefs"][0]["path"] == "a\u202eb.txt"


def test_an_entry_that_was_written_is_named_where_its_id_cannot_be_printed(store: Repo) -> None:
    done = store.world.run("sh", "-c", f'exec "{sys.executable}" -m gitmem add full >/dev/full', cwd=store.path)
    (entry,) = json.loads(store.mem("list", "--json").out)["entries"]
    assert done.code == 128
    assert f"the entry {entry['id']} was written, but standard output cannot be written" in done.err


def test_evidence_that_was_never_committed_and_is_gone_was_deleted(store: Repo) -> None:
    path = store.write("u.py", "x\n")
    store.mem("add", "u", "--file", "u.py")
    path.unlink()
    (found,) = json.loads(store.mem("check", "--json").out)["entries"]
    assert (found["verdict"], found["refs"][0]["reason"]) == ("stale", "deleted")
