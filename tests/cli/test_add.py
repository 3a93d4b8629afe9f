"""`git mem add`: every value ends in its place, in the file and in JSON."""

import hashlib
import json
import re
from typing import Any

import pytest
from inprocess import Cli
from program import document, entry, faults, is_one_error, put
from world import Repo, Result, listing

STAMP = "2026-01-02T03:04:05Z"
PREFIX = "2026-01-02-0304-"

EVERYTHING = (
    *("--kind", "decision", "--goal", "A goal.", "--plan", "First", "--plan", "Second"),
    *("--decision", "Do it.", "--decision", "Do it well.", "--next", "Tell them", "--notes", "Some *notes*.\n\nMore."),
    *(
        "--tag",
        "x",
        "--tag",
        "y",
        "--tag",
        "x",
        "--alias",
        "other name",
        "--file",
        "src/code.py:2-3",
        "--file",
        "README.md",
    ),
    *("--commit", "HEAD", "--run", "run-7", "--transcript", "t-1", "--decision-key", "the-key", "--date", STAMP),
)


def add(cli: Cli, repo: Repo, *args: str) -> str:
    result = cli(repo, "add", *args)
    assert (result.code, result.err) == (0, ""), result
    return result.line


def shown(cli: Cli, repo: Repo, ident: str) -> Any:
    found = document(cli(repo, "show", ident, "--json"))
    assert faults("show", found) == []
    return found["entry"]


def stored(repo: Repo, ident: str) -> str:
    return (repo.path / ".klide/memory" / f"{ident}.md").read_bytes().decode("utf-8")


def nothing_added(repo: Repo, before: dict[str, bytes], result: Result) -> bool:
    return is_one_error(result) and listing(repo.path) == before


def test_every_option_ends_in_its_place_in_json(cli: Cli, repo: Repo) -> None:
    found = shown(cli, repo, add(cli, repo, "All of it", *EVERYTHING))
    head, blob = repo.rev(), repo.rev("HEAD:src/code.py")
    cited = hashlib.sha256(b"two\nthree\n").hexdigest()
    refs = found.pop("sourceRefs")
    assert found == {
        "id": f"{PREFIX}all-of-it",
        "schemaVersion": 1,
        "date": STAMP,
        "title": "All of it",
        "kind": "decision",
        "reviewState": "reviewed",
        "tags": ["x", "y"],
        "aliases": ["other name"],
        "decisionKey": "the-key",
        "runId": "run-7",
        "goal": "A goal.",
        "plan": ["First", "Second"],
        "decisions": ["Do it.", "Do it well."],
        "filesTouched": ["src/code.py", "README.md"],
        "nextSteps": ["Tell them"],
        "notes": "Some *notes*.\n\nMore.",
        "otherSections": [],
        "future": False,
    }
    assert refs[0] == {
        "sourceType": "file",
        "id": "src/code.py",
        "path": "src/code.py",
        "lineStart": 2,
        "lineEnd": 3,
        "commit": head,
        "blob": blob,
        "textHash": f"sha256:{cited}",
    }
    assert (refs[1]["id"], "lineStart" in refs[1]) == ("README.md", False)
    assert refs[2:] == [
        {"sourceType": "commit", "id": head},
        {"sourceType": "run", "id": "run-7"},
        {"sourceType": "transcript", "id": "t-1"},
    ]


def test_every_option_ends_in_its_place_in_the_file(cli: Cli, repo: Repo) -> None:
    text = stored(repo, add(cli, repo, "All of it", *EVERYTHING))
    opening, front, body = text.split("---\n")
    assert opening == ""
    keys = [line.partition(":")[0] for line in front.splitlines()]
    order = "schemaVersion date title kind reviewState tags aliases sourceRefs decisionKey runId"
    assert keys == order.split()
    refs = next(line for line in front.splitlines() if line.startswith("sourceRefs: "))
    assert len(json.loads(refs.removeprefix("sourceRefs: "))) == 5
    assert body == (
        "\n# Goal\n\nA goal.\n\n# Plan\n\n- First\n- Second\n\n# Decisions\n\n- Do it.\n- Do it well.\n\n"
        "# Files touched\n\n- `src/code.py`\n- `README.md`\n\n# Next steps\n\n- Tell them\n\n"
        "# Notes\n\nSome *notes*.\n\nMore.\n"
    )


def test_a_title_alone_is_a_reviewed_fact_of_now(cli: Cli, repo: Repo) -> None:
    ident = add(cli, repo, "Just so")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-\d{4}-just-so", ident)
    found = shown(cli, repo, ident)
    assert (found["kind"], found["reviewState"], found["sourceRefs"]) == ("fact", "reviewed", [])
    assert found["date"].replace("T", "-").replace(":", "")[:15] == ident[:15]


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Même règle: l'été", "meme-regle-l-ete"),
        ("設計の決定", "note"),
        ("...", "note"),
        ("x" * 200, "x" * 60),
        ("Straße ÅÉ", "strasse-ae"),
        ("C:\\new", "c-new"),
    ],
)
def test_the_id_is_the_moment_and_the_slug_of_the_title(cli: Cli, repo: Repo, title: str, slug: str) -> None:
    assert add(cli, repo, title, "--date", STAMP) == PREFIX + slug
    assert add(cli, repo, title, "--date", "2026-01-02T03:04:59Z") == f"{PREFIX}{slug}-2"
    assert add(cli, repo, title, "--date", STAMP) == f"{PREFIX}{slug}-3"


def test_an_id_that_a_file_of_any_sort_has_is_taken(cli: Cli, repo: Repo) -> None:
    repo.write(f".klide/memory/{PREFIX}taken.md", b"\xff broken")
    (repo.path / f".klide/memory/{PREFIX}taken-2.md").symlink_to("/nowhere")
    (repo.path / f".klide/memory/{PREFIX}taken-3.md").mkdir()
    assert add(cli, repo, "Taken", "--date", STAMP) == f"{PREFIX}taken-4"


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        (STAMP, STAMP),
        ("2026-01-02T05:04:05+02:00", STAMP),
        ("2026-01-01T23:04:05.999-04:00", STAMP),
        ("2026-01-02 03:04:05", STAMP),
        ("20260102T030405Z", STAMP),
        ("2026-01-02", "2026-01-02T00:00:00Z"),
    ],
)
def test_a_date_in_any_iso_form_is_kept_in_utc(cli: Cli, repo: Repo, date: str, expected: str) -> None:
    ident = add(cli, repo, "Dated", "--date", date)
    assert shown(cli, repo, ident)["date"] == expected
    assert ident.startswith(expected[:10])


TITLES = [
    "Use cache: no",
    "[WIP] tidy",
    "{x} y",
    "@scope/pkg pinned",
    "`foo` is gone",
    "*star",
    "%d",
    "- dash",
    "a #b",
    "!x y",
    "it's",
    'say "hi"',
    "C:\\new",
    "---",
    "...",
    "> q",
    "| p",
    "null",
    "~",
    "yes",
    "0123456",
    "1e5",
    "2026-01-01",
    "12:30",
    "ends with:",
    "日本語 é",
    "=",
    "<<",
    "&anchor",
    "key: [unclosed",
]


@pytest.mark.parametrize("title", TITLES)
def test_a_title_comes_back_as_it_was_given(cli: Cli, repo: Repo, title: str) -> None:
    ident = add(cli, repo, "--date", STAMP, "--tag", title, "--goal", title, "--run", title, "--", title)
    found = shown(cli, repo, ident)
    assert (found["title"], found["tags"], found["runId"]) == (title, [title], title)
    assert found["goal"] == title
    assert cli(repo, "check").code == 0


@pytest.mark.parametrize("separator", ["\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\t"])
def test_no_value_can_forge_a_line(cli: Cli, repo: Repo, separator: str) -> None:
    evil = f"Title{separator}reviewState: stale{separator}kind: decision"
    options = ("--tag", evil, "--alias", evil, "--run", evil, "--decision-key", evil, "--goal", evil, "--plan", evil)
    ident = add(cli, repo, evil, *options)
    front = stored(repo, ident).split("\n---\n")[0]
    assert [line for line in front.splitlines() if line.startswith(("reviewState:", "kind:"))] == [
        "kind: fact",
        "reviewState: reviewed",
    ]
    assert shown(cli, repo, ident)["title"] == "Title reviewState: stale kind: decision"


def test_what_hides_in_text_is_taken_out_of_values_and_kept_in_notes(cli: Cli, repo: Repo) -> None:
    ident = add(cli, repo, "a\u202eb\u200bc\x1b[31md", "--notes", "a\u202eb\x1b[31m")
    found = shown(cli, repo, ident)
    assert (found["title"], found["notes"]) == ("abc[31md", "a\u202eb\x1b[31m")


def test_notes_that_look_like_sections_stay_notes(cli: Cli, repo: Repo) -> None:
    notes = "before\n\n# Goal\n\nnot a goal\n\n---\nreviewState: stale\n---\n"
    found = shown(cli, repo, add(cli, repo, "Notes", "--notes", notes))
    assert (found["goal"], found["notes"], found["reviewState"]) == ("", notes.strip(), "reviewed")


def test_json_is_the_id_alone(cli: Cli, repo: Repo) -> None:
    answer = document(cli(repo, "add", "Json", "--date", STAMP, "--json"))
    assert answer == {"schemaVersion": 1, "id": f"{PREFIX}json"}
    assert faults("add", answer) == []


@pytest.mark.parametrize("state", ["modified", "staged", "untracked", "ignored"])
def test_a_file_is_anchored_by_its_content_in_the_working_tree(cli: Cli, repo: Repo, state: str) -> None:
    name = "README.md" if state in ("modified", "staged") else "new.md"
    repo.write(name, "one\ntwo\n")
    if state == "staged":
        repo.git("add", name)
    if state == "ignored":
        repo.write(".gitignore", "new.md\n")
    ref = shown(cli, repo, add(cli, repo, "Here", "--file", f"{name}:2"))["sourceRefs"][0]
    assert ref["blob"] == repo.git("hash-object", name).line
    assert ref["textHash"] == f"sha256:{hashlib.sha256(b'two' + bytes([10])).hexdigest()}"
    assert (ref["lineStart"], ref["lineEnd"]) == (2, 2)


def test_a_file_is_anchored_by_what_git_would_store(cli: Cli, repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.write("README.md", "hello\r\n")
    ref = shown(cli, repo, add(cli, repo, "Windows", "--file", "README.md"))["sourceRefs"][0]
    assert ref["blob"] == repo.rev("HEAD:README.md")


def test_content_that_is_not_utf8_is_evidence_like_any_other(cli: Cli, repo: Repo) -> None:
    repo.commit("Bytes", {"latin.txt": b"one\nKrak\xf3w\n", "data.bin": b"\0\xff\n"})
    ident = add(cli, repo, "Bytes", "--file", "latin.txt:2", "--file", "data.bin")
    assert document(cli(repo, "check", ident, "--json"))["summary"]["current"] == 1
    repo.write("latin.txt", b"one\nKrak\xf2w\n")
    assert cli(repo, "check", ident).code == 1


def test_a_name_with_colons_wins_over_a_range(cli: Cli, repo: Repo) -> None:
    repo.write("a:1-2", "x\ny\n")
    ref = shown(cli, repo, add(cli, repo, "Colons", "--file", "a:1-2"))["sourceRefs"][0]
    assert (ref["path"], "lineStart" in ref) == ("a:1-2", False)
    ref = shown(cli, repo, add(cli, repo, "Colons", "--file", "a:1-2:1-2"))["sourceRefs"][0]
    assert (ref["path"], ref["lineStart"], ref["lineEnd"]) == ("a:1-2", 1, 2)


@pytest.mark.parametrize(
    "name", ["日本/é.txt", "sep\u2028two.txt", "tab\there.txt", "sp ace.txt", '"q".txt', "nl\nx.txt", "a b/ c.txt"]
)
def test_a_file_of_any_name_is_cited_and_judged(cli: Cli, repo: Repo, name: str) -> None:
    repo.commit("Odd", {name: "one\n"})
    ident = add(cli, repo, "About it", "--file", name)
    assert shown(cli, repo, ident)["sourceRefs"][0]["path"] == name
    assert document(cli(repo, "check", ident, "--json"))["summary"]["current"] == 1
    assert [one["path"] for one in document(cli(repo, "about", name, "--json"))["entries"]] == [name]
    repo.write(name, "one\ntwo\n")
    assert cli(repo, "check", ident).code == 1


def test_paths_are_relative_to_the_current_directory(cli: Cli, repo: Repo) -> None:
    result = cli(repo, "add", "Below", "--file", "code.py", "--file", "../README.md", cwd=repo.path / "src")
    paths = [ref["path"] for ref in shown(cli, repo, result.line)["sourceRefs"]]
    assert paths == ["src/code.py", "README.md"]


@pytest.mark.parametrize("revision", ["HEAD", "main", "HEAD~0", "HEAD^{/Start}", "@"])
def test_a_commit_is_kept_by_its_full_id(cli: Cli, repo: Repo, revision: str) -> None:
    found = shown(cli, repo, add(cli, repo, "Commit", "--commit", revision, "--commit", "HEAD"))
    assert [ref["id"] for ref in found["sourceRefs"]] == [repo.rev()]


def test_a_short_id_and_a_tag_are_kept_as_the_commit(cli: Cli, repo: Repo) -> None:
    repo.git("tag", "-a", "-m", "v1", "v1")
    found = shown(cli, repo, add(cli, repo, "Commit", "--commit", "v1", "--commit", repo.rev()[:7]))
    assert [ref["id"] for ref in found["sourceRefs"]] == [repo.rev()]


def test_an_entry_over_a_mebibyte_is_refused_and_nothing_written(cli: Cli, repo: Repo) -> None:
    add(cli, repo, "Before")
    before = listing(repo.path)
    result = cli(repo, "add", "Big", "--notes", "x" * (1 << 20))
    assert result.code == 128
    assert nothing_added(repo, before, result)
    assert len(add(cli, repo, "Not so big", "--notes", "x" * 1_000_000)) > 0


def test_what_is_refused_makes_no_store(cli: Cli, repo: Repo) -> None:
    before = listing(repo.path)
    for args in (("--file", "absent"), ("--commit", "absent"), ("--date", "absent"), ("--notes", "x" * (1 << 20))):
        assert nothing_added(repo, before, cli(repo, "add", "x", *args)), args


def test_the_store_is_made_as_init_would_make_it(cli: Cli, repo: Repo) -> None:
    add(cli, repo, "First")
    assert (repo.path / ".git/info/exclude").read_text(encoding="utf-8").splitlines()[-1] == "/.klide/"
    assert repo.git("status", "--porcelain").out == ""


def test_a_private_store_that_head_tracks_is_not_written_to(cli: Cli, repo: Repo) -> None:
    repo.write(".git/info/exclude", "/.klide/\n")
    repo.commit("By mistake", {".klide/memory/x.md": "# Notes\n\nx\n"})
    before = listing(repo.path)
    result = cli(repo, "add", "x")
    assert result.code == 128
    assert "git mem init --track" in result.err
    assert nothing_added(repo, before, result)
    (repo.path / ".klide/memory/x.md").unlink()
    (repo.path / ".klide/memory").rmdir()
    before = listing(repo.path)
    assert nothing_added(repo, before, cli(repo, "add", "x"))


def test_the_terminal_may_be_the_only_way_in(cli: Cli, repo: Repo) -> None:
    repo.git("config", "mem.reviewBoundary", "terminal")
    before = listing(repo.path)
    result = cli(repo, "add", "x")
    assert result.code == 128
    assert "terminal" in result.err
    assert nothing_added(repo, before, result)


def test_adding_touches_no_other_entry(cli: Cli, repo: Repo) -> None:
    put(repo.path / ".klide/memory", entry("one"), entry("two"))
    repo.write(".klide/memory/hand.md", "---\r\ntitle:  'By hand'\r\n---\r\n")
    before = listing(repo.path / ".klide")
    ident = add(cli, repo, "Third")
    after = listing(repo.path / ".klide")
    assert set(after) - set(before) == {f"memory/{ident}.md"}
    assert {name: after[name] for name in before} == before
