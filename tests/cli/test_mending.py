"""`confirm`, `relink` and `bisect` at the command line: what they print, their exit codes, their errors."""

import json
import re

import pytest
from inprocess import Cli
from program import document, entry, faults, is_one_error, put
from remembered import TEXT, file_of, refs_of, remember, state
from world import Repo, World

from gitmem.entry.model import ReviewState, SourceRef

EDITED = TEXT.replace("line 4\n", "line four\n")
ROWS = TEXT.replace("line", "row")


@pytest.fixture
def shop(world: World) -> Repo:
    """A stale entry, one whose lines moved, one that stands, one that nobody can measure."""
    repo = world.repo()
    repo.commit("Start", {"code.py": TEXT, "shifted.py": ROWS, "README.md": "read me\n"})
    repo.git("config", "mem.history", "false")  # so that nothing counts as removed by hand
    for name, path in {"stale": "code.py:3-5", "moved": "shifted.py:3-5", "stands": "README.md"}.items():
        ref = refs_of(repo, remember(repo, name, path))
        put(repo.path / ".klide/memory", entry(name, title=f"It {name}", source_refs=ref))
        file_of(repo, f"2026-01-01-0000-{name}").unlink()
    put(repo.path / ".klide/memory", entry("unknown", source_refs=(SourceRef(source_type="commit", id="d" * 40),)))
    repo.commit("Change", {"code.py": EDITED, "shifted.py": "new\n" + ROWS})
    return repo


def test_confirm_tells_what_was_anchored_anew(cli: Cli, shop: Repo) -> None:
    result = cli(shop, "confirm", "stale", "moved", "stands")
    assert (result.code, result.err) == (0, "")
    assert [line for line in result.out.splitlines() if not line.startswith(" ")] == [
        "confirmed stale",
        "confirmed moved",
        "confirmed stands",
    ]
    assert "    shifted.py:3-5 -> shifted.py:4-6\n" in result.out
    assert cli(shop, "check", "stale", "moved", "stands").code == 0


def test_confirm_in_json_has_what_was_and_what_is(cli: Cli, shop: Repo) -> None:
    found = document(cli(shop, "confirm", "moved", "--json"))
    assert faults("confirm", found) == []
    (one,) = found["entries"]
    (change,) = one["changed"]
    assert (one["id"], one["title"], one["left"]) == ("moved", "It moved", [])
    assert [(ref["path"], ref["lineStart"]) for ref in (change["before"], change["after"])] == [
        ("shifted.py", 3),
        ("shifted.py", 4),
    ]
    assert change["after"]["commit"] == shop.rev()


def test_what_stays_unverified_is_a_warning(cli: Cli, shop: Repo) -> None:
    result = cli(shop, "confirm", "unknown")
    assert (result.code, result.out) == (0, "confirmed unknown\n")
    assert result.err.startswith("warning: unknown: left unverified: no such commit in this repository")


@pytest.mark.parametrize("args", [("old",), ("stands", "gone"), ("no-such-entry",), ("../x",)])
def test_what_cannot_be_confirmed_is_one_line_and_nothing_is_written(
    cli: Cli, shop: Repo, args: tuple[str, ...]
) -> None:
    lost = SourceRef(source_type="file", id="gone.py", path="gone.py", commit=shop.rev("HEAD~1"), blob="1" * 40)
    put(
        shop.path / ".klide/memory",
        entry("old", review_state=ReviewState.SUPERSEDED),
        entry("stands", review_state=ReviewState.PROPOSED),
        entry("gone", source_refs=(lost,)),
    )
    before = state(shop.path / ".klide")
    result = cli(shop, "confirm", *args)
    assert result.code == 128
    assert is_one_error(result)
    assert state(shop.path / ".klide") == before


def test_the_review_boundary_is_told_with_what_to_do(cli: Cli, shop: Repo) -> None:
    shop.git("config", "mem.reviewBoundary", "terminal")
    result = cli(shop, "confirm", "stale")
    assert result.code == 128
    assert is_one_error(result)
    assert "only a person at a terminal may confirm an entry: run this there" in result.err
    assert cli(shop, "relink").code == 0


@pytest.mark.parametrize("verb", ["confirm", "bisect"])
def test_an_id_must_be_named(cli: Cli, shop: Repo, verb: str) -> None:
    result = cli(shop, verb)
    assert result.code == 129
    assert is_one_error(result)


def test_relink_tells_what_it_wrote_and_a_dry_run_the_same(cli: Cli, shop: Repo) -> None:
    before = state(shop.path / ".klide")
    would = cli(shop, "relink", "--dry-run")
    assert state(shop.path / ".klide") == before
    did = cli(shop, "relink")
    told = "relinked moved\n    shifted.py:3-5 -> shifted.py:4-6\n"
    assert (did.code, did.out, did.err) == (0, told, "")
    assert (would.code, would.out, would.err) == (0, told.replace("relinked", "would relink"), "")


def test_relink_in_json_is_the_same_in_a_dry_run(cli: Cli, shop: Repo) -> None:
    would, did = (document(cli(shop, "relink", "--json", *args)) for args in (("-n",), ()))
    assert faults("relink", would) == faults("relink", did) == []
    assert (would.pop("dryRun"), did.pop("dryRun")) == (True, False)
    assert would == did
    assert [one["id"] for one in did["entries"]] == ["moved"]


@pytest.mark.parametrize("args", [(), ("--dry-run",)])
def test_nothing_to_relink_is_said_and_is_no_failure(cli: Cli, shop: Repo, args: tuple[str, ...]) -> None:
    result = cli(shop, "relink", "stands", "stale", *args)
    assert (result.code, result.stdout) == (0, b"")
    assert result.err == "nothing moved: all sourceRefs are where they were cited, or are stale\n"


@pytest.mark.parametrize("ident", ["no-such-entry", "broken"])
def test_relink_refuses_what_names_no_readable_entry(cli: Cli, shop: Repo, ident: str) -> None:
    file_of(shop, "broken").write_bytes(b"\xff")
    result = cli(shop, "relink", "moved", ident)
    assert result.code == 128
    assert is_one_error(result)


def test_bisect_names_the_commit(cli: Cli, shop: Repo) -> None:
    result = cli(shop, "bisect", "stale")
    assert (result.code, result.err) == (0, "")
    told = shop.git("log", "-1", "--format=%H is the first commit at which it was no longer true%n    %s%n    %an, %aI")
    assert result.out.startswith(told.out)
    assert re.search(r"^code\.py:3-5: lines 3-5 changed in [0-9a-f]{7}", result.out, re.MULTILINE)


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("stands",), 1, "it is still true at HEAD: `git mem check` looks at the working tree too\n"),
        (("stale", "--at", "HEAD~1"), 1, "it is still true at HEAD~1: `git mem check` looks at the working tree too\n"),
        (("unknown",), 2, "its evidence cannot be measured at HEAD: `git mem check --at HEAD` says why\n"),
    ],
)
def test_bisect_without_a_culprit_says_why(cli: Cli, shop: Repo, args: tuple[str, ...], code: int, told: str) -> None:
    result = cli(shop, "bisect", *args)
    assert (result.code, result.out, result.err) == (code, "", told)
    result = cli(shop, "bisect", "--json", *args)
    found = json.loads(result.out)
    assert (result.code, found["culprit"]) == (code, None)
    assert faults("bisect", found) == []


def test_bisect_in_json_is_as_its_schema_says(cli: Cli, shop: Repo) -> None:
    found = document(cli(shop, "bisect", "stale", "--json"))
    assert faults("bisect", found) == []
    assert found["culprit"]["oid"] == found["head"] == shop.rev()


@pytest.mark.parametrize("args", [("stale", "--at", "nowhere"), ("no-such-entry",), ("../x",)])
def test_bisect_of_what_is_not_there_is_refused(cli: Cli, shop: Repo, args: tuple[str, ...]) -> None:
    result = cli(shop, "bisect", *args)
    assert result.code == 128
    assert is_one_error(result)
