"""`git mem list`: order, filters, and one line for each entry."""

from collections.abc import Sequence

import pytest
from inprocess import Cli
from program import document, entry, put
from world import Repo

from gitmem.entry.model import Entry, Kind, ReviewState

ENTRIES: Sequence[Entry] = [
    entry("b-same-moment", date="2026-02-01T00:00:00Z"),
    entry("a-same-moment", date="2026-02-01T00:00:00Z", kind=Kind.DECISION),
    entry("z-newest", date="2026-03-01T00:00:00Z", kind=Kind.DECISION),
    entry("a-oldest", date="2025-12-31T23:59:59Z", title="Control \\x1b", kind=Kind.FAILURE),
    entry("proposed", review_state=ReviewState.PROPOSED),
    entry("superseded", review_state=ReviewState.SUPERSEDED),
    entry("stale", review_state=ReviewState.STALE),
    entry("pointed-at"),
    entry("pointer", supersedes="pointed-at", date="2026-01-02T00:00:00Z"),
]
REVIEWED = ["z-newest", "a-same-moment", "b-same-moment", "pointer", "a-oldest"]


@pytest.fixture(scope="module")
def store(shared: Repo) -> Repo:
    put(shared.path / ".klide/memory", *ENTRIES)
    shared.write(".klide/memory/future.md", "---\nschemaVersion: 2\ntitle: From the future\n---\n")
    shared.write(".klide/memory/lore.md", "---\nschemaVersion: 1\nkind: lore\nreviewState: reviewed\n---\n")
    return shared


def listed(cli: Cli, store: Repo, *args: str) -> list[str]:
    found = document(cli(store, "list", "--json", *args))["entries"]
    return [one["id"] for one in found]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], REVIEWED),
        (["--kind", "decision"], ["z-newest", "a-same-moment"]),
        (["--kind", "decision", "--kind", "failure"], ["z-newest", "a-same-moment", "a-oldest"]),
        (["--kind", "pattern"], []),
        (["--state", "proposed"], ["proposed"]),
        (["--state", "superseded"], ["pointed-at", "superseded"]),
        (["--state", "superseded", "--state", "proposed"], ["pointed-at", "proposed", "superseded"]),
        (["--state", "reviewed", "--kind", "failure"], ["a-oldest"]),
    ],
)
def test_entries_come_newest_first_and_those_of_one_moment_by_id(
    cli: Cli, store: Repo, args: list[str], expected: list[str]
) -> None:
    assert listed(cli, store, *args) == expected


def test_all_states_are_all_entries(cli: Cli, store: Repo) -> None:
    found = listed(cli, store, "--state", "all")
    assert sorted(found) == sorted([*(one.id for one in ENTRIES), "future", "lore"])
    assert listed(cli, store, "--state", "all", "--state", "proposed") == found


def test_what_nobody_can_judge_is_stale(cli: Cli, store: Repo) -> None:
    assert set(listed(cli, store, "--state", "stale")) == {"stale", "future", "lore"}


def test_text_has_a_line_for_each_entry_in_the_same_order(cli: Cli, store: Repo) -> None:
    result = cli(store, "list")
    assert [line.split()[0] for line in result.out.splitlines()] == REVIEWED
    assert result.out.splitlines()[0] == "z-newest  decision  z-newest"


def test_text_says_of_an_inactive_entry_that_it_is_one(cli: Cli, store: Repo) -> None:
    lines = cli(store, "list", "--state", "all").out.splitlines()
    assert "pointed-at  fact (superseded)  pointed-at" in lines
    assert "lore  unknown (stale)  lore" in lines


def test_no_entry_is_no_output(cli: Cli, store: Repo) -> None:
    result = cli(store, "list", "--kind", "pattern")
    assert (result.code, result.stdout, result.err) == (0, b"", "")


def test_colour_comes_when_it_is_asked_for(cli: Cli, store: Repo) -> None:
    assert b"\x1b[" not in cli(store, "list").stdout
    for args in (["--color", "always", "list"], ["list", "--color", "always"], ["list", "--color=always"]):
        assert b"\x1b[33mz-newest\x1b[0m" in cli(store, *args).stdout
    assert b"\x1b[" not in cli(store, "--color", "always", "list", "--color", "never").stdout
    assert b"\x1b[" not in cli(store, "--color", "always", "list", "--json").stdout
