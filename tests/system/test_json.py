"""Every `--json` output in every sort of state: as its schema says, without absolute paths, the same every time."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from layouts import Standpoint
from program import document, entry, faults, put, several
from rich import ELSEWHERE, UNREADABLE
from world import Repo, World, listing

from gitmem.entry.model import SourceRef
from gitmem.evidence.verdict import Reason, verdict_of

READS: Final[Mapping[str, Sequence[str]]] = {
    "where": ("where",),
    "show": ("show", "full"),
    "show inactive": ("show", "replaced-by-pointer", "--include-inactive"),
    "show future": ("show", "future", "--include-inactive"),
    "show legacy": ("show", "legacy"),
    "show unknown kind": ("show", "lore", "--include-inactive"),
    "list": ("list",),
    "list all": ("list", "--state", "all"),
    "list nothing": ("list", "--kind", "pattern"),
    "search": ("search", "trust"),
    "search nearest": ("search", "trust", "zebra", "because"),
    "search any": ("search", "trust", "because", "--match", "any", "-n", "20"),
    "search by name": ("search", "src/code.py"),
    "search all states": ("search", "future", "lore", "--match", "any", "--include-inactive"),
    "search a slip": ("search", "harnes", "trsut"),
    "search conditions": ("search", "is:stale", "-n", "20"),
    "search punctuation": ("search", "..."),
    "search as of a commit": ("search", "trust", "--at", "HEAD~1"),
    "explain": ("explain", "trust", "zebra", "because", "--include-inactive"),
    "explain what is left out": ("explain", "trust", "lore", "kind:decision", "--only", "current"),
    "explain punctuation": ("explain", "..."),
    "check": ("check",),
    "check all": ("check", "--state", "all"),
    "check named": ("check", "superseded", "full"),
    "check a commit": ("check", "--at", "HEAD~1"),
    "check the index": ("check", "--cached"),
    "check what is at risk": ("check", "--since", "HEAD~1"),
    "about": ("about", "src/code.py", "src/moved.py:5", "src/gone.py"),
    "about what was renamed": ("about", "src/before.py", "src/after.py:6", "src/Case.py"),
    "about nothing": ("about", "README.md"),
    "relink": ("relink", "--dry-run"),
    "relink nothing": ("relink", "--dry-run", "full"),
    "bisect lines": ("bisect", "because-lines-changed"),
    "bisect a commit": ("bisect", "because-reverted"),
    "bisect what is true": ("bisect", "full", "--at", "main"),
    "bisect what nobody can tell": ("bisect", "because-missing"),
    "log": ("log",),
    "log of an entry": ("log", "full"),
    "diff": ("diff",),
    "blame": ("blame", "full"),
    "status": ("status",),
    "search files": ("search", "three", "--in", "files"),
    "search files by name": ("search", "src/code.py", "--in", "files", "-n", "2"),
    "search files nearest": ("search", "three", "zebra", "because", "--in", "files"),
    "search everywhere": ("search", "trust", "--in", "all"),
    "manifest": ("manifest",),
    "manifest of a range": ("manifest", "--since", "HEAD~1"),
    "hooks": ("hooks", "status"),
    "jobs": ("jobs",),
    "doctor": ("doctor",),
    "reindex": ("reindex",),
    "restore nothing": ("restore",),
    "restore what is there": ("restore", "--dry-run", "full"),
}

REPEATED: Final = ("where", "show", "list all", "search any", "check", "status", "doctor")
"""One command of each sort, to be asked again under other circumstances."""

ENVIRONMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "C": {"LC_ALL": "C", "LANG": "C", "PYTHONHASHSEED": "1"},
    "C and not coerced": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONWARNINGS": "default"},
    "Turkish and traced": {
        "LC_ALL": "tr_TR.UTF-8",
        "LANGUAGE": "tr",
        "PYTHONHASHSEED": "2",
        "PYTHONIOENCODING": "cp1252",
        "GIT_TRACE": "1",
        "GIT_TRACE_SETUP": "1",
    },
    "abroad and in colour": {"TZ": "Asia/Kolkata", "CLICOLOR_FORCE": "1", "FORCE_COLOR": "1", "TERM": "xterm-256color"},
}

CONFIG: Final = """
[log]
    showSignature = true
    date = relative
[color]
    ui = always
[core]
    quotePath = false
    pager = false
    fsmonitor = /bin/false
[diff]
    noprefix = true
    relative = true
    renames = copies
    external = /bin/false
[status]
    showUntrackedFiles = no
[alias]
    rev-parse = !false
    ls-files = !false
    log = !false
[rev-list]
    abbrev = 4
"""


def verb(name: str) -> str:
    first, *rest = READS[name]
    return "search-files" if "files" in rest[1:] else first


def as_json(*words: str) -> list[str]:
    return [*words, "--json"]


@pytest.fixture(scope="module")
def answers(rich_repo: Repo) -> dict[str, bytes]:
    """What each command writes to stdout, each line one document."""
    done = several(rich_repo, *(as_json(*words) for words in READS.values()))
    assert "fault" not in done.err, done
    return dict(zip(READS, done.stdout.splitlines(keepends=True), strict=True))


@pytest.fixture(scope="module")
def documents(answers: dict[str, bytes]) -> dict[str, Any]:
    return {name: json.loads(line) for name, line in answers.items()}


def findings(checked: Any) -> dict[str, dict[str, Any]]:
    """Return the one judgement of each entry `because-...`, by the reason that is expected."""
    found = {one["id"]: one for one in checked["entries"]}
    return {ident.removeprefix("because-"): found[ident]["refs"][0] for ident in found if ident.startswith("because-")}


@pytest.mark.parametrize("name", READS)
def test_an_output_is_as_its_schema_says(documents: dict[str, Any], name: str) -> None:
    assert faults(verb(name), documents[name]) == []


@pytest.mark.parametrize("name", READS)
def test_an_output_is_one_document_of_utf8_with_its_version_first(answers: dict[str, bytes], name: str) -> None:
    text = answers[name].decode("utf-8")
    assert text.endswith("\n")
    # A manifest is two arrays and nothing else, so that it can be piped into `update`.
    assert text.startswith('{"changed": [' if verb(name) == "manifest" else '{"schemaVersion": 1, ')


@pytest.mark.parametrize("name", READS)
def test_only_where_and_doctor_name_an_absolute_path(rich_repo: Repo, answers: dict[str, bytes], name: str) -> None:
    assert (str(rich_repo.world.root) in answers[name].decode("utf-8")) == (verb(name) in {"where", "doctor"})


def test_no_key_is_in_snake_case(documents: dict[str, Any]) -> None:
    keys = {key for found in documents.values() for key in _keys(found)}
    assert keys
    assert all(re.fullmatch("[a-z]+([A-Z][a-z]+)*", key) for key in keys)


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("reason", sorted(set(Reason) - ELSEWHERE))
def test_each_reason_has_an_example_and_its_verdict(documents: dict[str, Any], reason: Reason) -> None:
    found = findings(documents["check"])[str(reason)]
    assert (found["verdict"], found["reason"]) == (verdict_of(reason), reason)
    assert found["message"] == " ".join(found["message"].split())


def test_the_facts_behind_a_verdict_are_told(rich_repo: Repo, documents: dict[str, Any]) -> None:
    because = {reason: one["evidence"] for reason, one in findings(documents["check"]).items()}
    changed = rich_repo.rev()
    assert because["lines-changed"] == {"by": changed, "kept": 2}
    assert because["deleted"] == {"by": changed}
    assert because["lines-moved"] == {"lineStart": 6, "lineEnd": 8}
    assert because["lines-ambiguous"]["ranges"] == [{"lineStart": 3, "lineEnd": 3}, {"lineStart": 6, "lineEnd": 6}]
    assert because["renamed"] == {"to": "src/after.py", "by": changed}
    assert because["case-renamed"] == {"to": "src/Case.py", "by": changed}
    assert because["reverted"] == {"by": named(rich_repo, 'Revert "To be undone"')}
    merge = named(rich_repo, "Merge branch 'merged'")
    assert because["reverted-merge"] == {"by": named(rich_repo, "Revert \"Merge branch 'merged'\""), "merge": merge}
    assert because["rewritten"] == {"to": named(rich_repo, "To be rebased")}
    assert because["squashed"] == {"to": named(rich_repo, "Both steps")}
    assert because["rewritten-changed"] == {"to": named(rich_repo, "To be amended")}
    assert because["other-branch"] == {"refs": ["refs/heads/topic"]}
    assert because["not-a-commit"] == {"type": "tree"}
    assert len(because["sha-ambiguous"]["candidates"]) == 2
    single = {one["id"]: one["refs"][0] for one in documents["check"]["entries"] if one["refs"]}
    assert single["dirty-lines"]["evidence"] == {"kept": 2, "dirty": True}
    assert single["sparse-lines"]["evidence"] == {"sparse": True}


def named(repo: Repo, subject: str) -> str:
    """Return the one commit of the history with this subject."""
    lines = (line.split(" ", 1) for line in repo.git("log", "--format=%H %s").out.splitlines())
    (oid,) = [oid for oid, told in lines if told == subject]
    return oid


def test_files_that_cannot_be_read_are_named_by_check_and_status_alike(documents: dict[str, Any]) -> None:
    files = [one["file"] for one in documents["status"]["invalid"]]
    assert files == [f"{stem}.md" for stem in UNREADABLE]
    assert documents["check"]["invalid"] == documents["status"]["invalid"]


def test_nothing_else_of_the_store_is_missing(rich_repo: Repo, documents: dict[str, Any]) -> None:
    on_disk = {path.stem for path in (rich_repo.path / ".klide/memory").glob("[!.]*.md")}
    listed = {one["id"] for one in documents["list all"]["entries"]}
    assert {stem.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for stem in on_disk} == {
        *listed,
        *UNREADABLE,
    }


def test_all_commands_wrote_nothing_but_what_is_derived(rich_repo: Repo) -> None:
    before = without_derived(rich_repo)
    several(rich_repo, *READS.values())
    assert without_derived(rich_repo) == before


def without_derived(repo: Repo) -> dict[str, bytes]:
    found = listing(repo.path)
    return {
        name: content
        for name, content in found.items()
        if not name.startswith((".git/mem/index.sqlite", ".git/mem/history"))
    }


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_outputs_are_the_same_bytes_in_any_environment(rich_repo: Repo, answers: dict[str, bytes], name: str) -> None:
    again = several(rich_repo, *(as_json(*READS[command]) for command in REPEATED), env=ENVIRONMENTS[name])
    assert again.stdout == b"".join(answers[command] for command in REPEATED)


def test_outputs_are_the_same_bytes_under_any_configuration(rich_repo: Repo, answers: dict[str, bytes]) -> None:
    configured = rich_repo.world.root / "configured"
    configured.mkdir()
    (configured / ".gitconfig").write_text(CONFIG, encoding="utf-8")
    commands = [as_json(*READS[command]) for command in REPEATED]
    again = several(rich_repo, *commands, env={"HOME": str(configured)})
    assert again.stdout == b"".join(answers[command] for command in REPEATED)


def test_a_process_for_each_command_answers_the_same(rich_repo: Repo, answers: dict[str, bytes]) -> None:
    for name in ("where", "search", "show inactive"):
        assert rich_repo.mem(*as_json(*READS[name])).stdout == answers[name]


def test_a_repository_without_a_store_has_answers_too(repo: Repo) -> None:
    commands = (
        *(["where"], ["list"], ["check"], ["status"], ["search", "x"], ["about", "README.md"]),
        *(["doctor"], ["restore"]),
    )
    before = listing(repo.path)
    lines = several(repo, *(as_json(*words) for words in commands)).out.splitlines()
    for words, line in zip(commands, lines, strict=True):
        assert faults(words[0], json.loads(line)) == []
    assert listing(repo.path) == before


def test_a_branch_without_a_commit_has_answers_too(world: World) -> None:
    unborn = world.repo()
    ident = document(unborn.mem("add", "First", "--json"))
    assert faults("add", ident) == []
    put(unborn.path / ".klide/memory", entry("commit", source_refs=(SourceRef(source_type="commit", id="a" * 40),)))
    commands = (["check"], ["status"], ["list"], ["search", "first"], ["where"], ["doctor"], ["restore", "-n"])
    lines = several(unborn, *(as_json(*words) for words in commands)).out.splitlines()
    for words, line in zip(commands, lines, strict=True):
        assert faults(words[0], json.loads(line)) == []
    assert json.loads(lines[0])["head"] is None


def test_a_shallow_clone_says_what_it_cannot_tell(rich_repo: Repo, tmp_path: Path) -> None:
    world = World(tmp_path)
    shallow = world.clone(rich_repo, "shallow", "--depth=1")
    shallow.git("remote", "set-branches", "origin", "*")
    shallow.git("fetch", "-q", "--depth=1", "origin", "topic")
    tip = shallow.rev("FETCH_HEAD")
    hidden = rich_repo.rev("HEAD~1")
    refs = [SourceRef(source_type="commit", id=ident) for ident in (hidden, tip)]
    put(shallow.path / ".klide/memory", entry("hidden", source_refs=tuple(refs)))
    shallow.git("update-ref", "-d", "refs/remotes/origin/topic")
    checked = document(shallow.mem("check", "--json"))
    assert faults("check", checked) == []
    assert checked["shallow"] is True
    assert [ref["reason"] for ref in checked["entries"][0]["refs"]] == ["missing-shallow", "shallow-history"]


def test_outputs_hold_in_every_layout(layout: Standpoint) -> None:
    put(layout.store, entry("here", source_refs=(SourceRef(source_type="file", id="README.md", path="README.md"),)))
    commands = (["where"], ["status"], ["check"], ["search", "here"], ["about", "README.md"])
    done = several(layout.repo, *(as_json(*words) for words in commands), cwd=layout.directory, env=layout.extra)
    for words, line in zip(commands, done.out.splitlines(), strict=True):
        assert faults(words[0], json.loads(line)) == [], words
        assert (str(layout.root) in json.loads(line).values()) <= (words[0] == "where")
    found = json.loads(done.out.splitlines()[0])
    assert (found["layout"], found["store"]) == (layout.kind, str(layout.store))
