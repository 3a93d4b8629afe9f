"""`git mem search`: what an answer holds, how it is cut, and what is said beside it."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from inprocess import Cli
from program import document, entry, put
from world import Repo

from gitmem.entry.model import Entry, Kind, ReviewState, SourceRef

COMMON: Sequence[Entry] = [
    entry(f"common-{number:02}", title=f"Common entry {number}", date=f"2026-01-{number + 1:02}T00:00:00Z")
    for number in range(23)
]


def cites(path: str, **anchor: str) -> tuple[SourceRef, ...]:
    return (SourceRef(source_type="file", id=path, path=path, **anchor),)  # type: ignore[arg-type]  # texts only


@pytest.fixture(scope="module")
def store(shared: Repo) -> Repo:
    blob = shared.rev("HEAD:README.md")
    head = (SourceRef(source_type="commit", id=shared.rev()),)
    put(
        shared.path / ".klide/memory",
        *COMMON,
        entry("trust", title="Trust rule", kind=Kind.DECISION, tags=("net",), source_refs=head, aliases=("the gate",)),
        entry("http", title="Filter the trust header", kind=Kind.FAILURE, source_refs=cites("src/net/http.py")),
        entry("network", title="Filter networks", source_refs=cites("src/network/a.py"), run_id="run-7"),
        entry("readme", title="Filter the readme", source_refs=cites("README.md", blob=blob)),
        entry("changed", title="Filter changes", source_refs=cites("README.md", blob="1" * 40, text_hash="sha256:00")),
        entry("old", title="Filter of old", review_state=ReviewState.SUPERSEDED),
        entry("pointed-at", title="Filter by pointer"),
        entry("pointer", title="Something else", supersedes="pointed-at"),
    )
    return shared


def search(cli: Cli, store: Repo, *args: str) -> Any:
    return json.loads(cli(store, "search", "--json", *args).out)


def hits(cli: Cli, store: Repo, *args: str) -> list[str]:
    return [hit["id"] for hit in search(cli, store, *args)["hits"]]


@pytest.mark.parametrize(
    ("args", "count"),
    [([], 5), (["-n", "1"], 1), (["-n", "7"], 7), (["-n", "0"], 1), (["-n", "-3"], 1), (["-n", "99"], 20)],
)
def test_a_page_has_as_many_entries_as_asked_for_between_1_and_20(
    cli: Cli, store: Repo, args: list[str], count: int
) -> None:
    assert hits(cli, store, "common", *args) == [f"common-{22 - number:02}" for number in range(count)]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["filter"], {"http", "network", "readme", "changed"}),
        (["filter", "--include-inactive", "-n", "20"], {"http", "network", "readme", "changed", "old", "pointed-at"}),
        (["filter", "--kind", "failure"], {"http"}),
        (["filter", "--kind", "failure", "--kind", "decision"], {"http"}),
        (["filter", "--kind", "pattern"], set()),
        (["filter", "kind:failure"], {"http"}),
        (["trust", "--tag", "net"], {"trust"}),
        (["trust", "--tag", "NET", "--tag", "absent"], {"trust"}),
        (["trust", "tag:absent"], set()),
        (["filter", "--path", "src/net"], {"http"}),
        (["filter", "--path", "src"], {"http", "network"}),
        (["filter", "--path", "src/net/http.py"], {"http"}),
        (["filter", "--path", "."], {"http", "network", "readme", "changed"}),
        (["filter", "path:src/net"], {"http"}),
        (["filter", "file:http.py"], {"http"}),
        (["run:run-7"], {"network"}),
        (["filter", "--only", "current"], {"readme"}),
        (["filter", "--only", "stale"], {"changed"}),
        (["filter", "--only", "stale,current"], {"changed", "readme"}),
        (["filter", "--only", " stale , current "], {"changed", "readme"}),
        (["filter", "is:unverified"], {"http", "network"}),
        (["filter", "is:stale", "is:current"], {"changed", "readme"}),
        (["filter", "--only", "stale", "is:current"], set()),
        (["is:current"], {"trust", "readme"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_and_prefixes_narrow_the_search(cli: Cli, store: Repo, args: list[str], expected: set[str]) -> None:
    assert set(hits(cli, store, *args)) == expected


@pytest.mark.parametrize(("path", "expected"), [("net", ["http"]), ("../README.md", ["readme", "changed"]), ("..", 4)])
def test_the_option_path_is_relative_to_the_current_directory(
    cli: Cli, store: Repo, path: str, expected: list[str] | int
) -> None:
    result = cli(store, "search", "filter", "--path", path, "--json", cwd=store.path / "src")
    found = [hit["id"] for hit in document(result)["hits"]]
    assert len(found) == expected if isinstance(expected, int) else sorted(found) == sorted(expected)


def test_the_prefix_path_is_relative_to_the_top(cli: Cli, store: Repo) -> None:
    found = document(cli(store, "search", "filter", "path:src/net", "--json", cwd=store.path / "src"))
    assert [hit["id"] for hit in found["hits"]] == ["http"]


def test_inactive_entries_do_not_shorten_a_page(cli: Cli, store: Repo) -> None:
    assert len(hits(cli, store, "filter", "-n", "4")) == 4


def test_a_verdict_that_is_asked_for_does_not_shorten_a_page(cli: Cli, store: Repo) -> None:
    assert hits(cli, store, "filter", "--only", "current", "-n", "1") == ["readme"]


def test_the_nearest_fill_the_page_up_behind_the_hits(cli: Cli, store: Repo) -> None:
    found = search(cli, store, "filter", "trust", "-n", "5")
    assert [hit["id"] for hit in found["hits"]] == ["http"]
    assert [hit["id"] for hit in found["nearest"]] == ["trust", "changed", "readme", "network"]
    assert {hit["match"] for hit in found["nearest"]} == {"partial"}
    trust = found["nearest"][0]
    assert (trust["matchedTerms"], trust["missingTerms"]) == (["trust"], ["filter"])
    assert search(cli, store, "filter", "trust", "-n", "1")["nearest"] == []


def test_any_term_is_enough_where_that_is_asked_for(cli: Cli, store: Repo) -> None:
    found = search(cli, store, "filter", "trust", "--match", "any")
    assert found["match"] == "any"
    assert [hit["match"] for hit in found["hits"]] == ["all", *["partial"] * 4]
    assert found["nearest"] == []


def test_strict_says_on_stderr_what_it_leaves_out(cli: Cli, store: Repo) -> None:
    result = cli(store, "search", "filter", "trust", "--strict", "-n", "4", "--json")
    assert (result.code, json.loads(result.out)["nearest"]) == (0, [])
    assert result.err == "3 nearest not shown: they match only some of the words\n"
    assert cli(store, "search", "readme", "--strict").err == ""


@pytest.mark.parametrize(
    "query", ["trust", "http", "the gate", "Trust rule", "TRUST RULE", "README.md", "src/net/http.py"]
)
def test_an_entry_that_the_query_names_comes_first(cli: Cli, store: Repo, query: str) -> None:
    first = search(cli, store, query)["hits"][0]
    assert first["match"] == "exact"
    assert first["missingTerms"] == []


def test_a_commit_names_the_entries_that_cite_it(cli: Cli, store: Repo) -> None:
    for digits in (40, 7):
        assert hits(cli, store, store.rev()[:digits]) == ["trust"]


def test_hits_carry_their_verdict_and_their_evidence(cli: Cli, store: Repo) -> None:
    found = {hit["id"]: hit for hit in search(cli, store, "filter")["hits"]}
    assert {ident: hit["verdict"] for ident, hit in found.items()} == {
        "readme": "current",
        "changed": "stale",
        "http": "unverified",
        "network": "unverified",
    }
    assert found["changed"]["sourceRefs"][0]["reason"] == "content-changed"
    assert found["changed"]["entry"]["title"] == "Filter changes"


@pytest.mark.parametrize("query", ["...", "!!!", " ", "", "、。", "\u200b", "-"])
def test_a_query_without_a_word_finds_nothing_politely(cli: Cli, store: Repo, query: str) -> None:
    result = cli(store, "search", "--", query)
    assert (result.code, result.stdout, result.err) == (1, b"", "the query has no word to search for\n")
    assert search(cli, store, "--", query)["searchable"] is False


@pytest.mark.parametrize(
    "query", ['"', "'", "*", "AND", "(x", "NEAR(a b)", "%", "\\", "[a-", "^x", "x' OR 1=1 --", "a:b"]
)
def test_nothing_in_a_query_is_syntax(cli: Cli, store: Repo, query: str) -> None:
    result = cli(store, "search", "--json", "--", query)
    assert result.code in (0, 1)
    assert json.loads(result.out)["query"] == query


def test_a_slip_is_answered_with_the_word_that_was_meant(cli: Cli, store: Repo) -> None:
    result = cli(store, "search", "readmee")
    assert result.code == 1
    assert result.err == "no entry has every word\ndid you mean readme instead of readmee?\n"
    assert "    has readme for readmee" in result.out.splitlines()
    assert search(cli, store, "readmee")["suggestions"] == [{"term": "readmee", "candidates": ["readme"]}]


def test_text_has_the_nearest_under_a_heading_of_their_own(cli: Cli, store: Repo) -> None:
    lines = cli(store, "search", "filter", "trust", "-n", "2").out.splitlines()
    assert lines[0] == "http  failure  unverified"
    heading = lines.index("Nearest, with only some of the words:")
    assert lines[heading + 1] == "trust  decision  current"
    assert "    lacks: filter" in lines[heading:]


def test_text_marks_inactive_entries_and_colours_the_words(cli: Cli, store: Repo) -> None:
    shown = cli(store, "search", "old", "--include-inactive", "--color", "always").out
    assert "(superseded)" in shown
    assert "Filter of \x1b[1mold\x1b[0m" in shown


def test_words_of_one_argument_and_of_several_are_the_same_query(cli: Cli, store: Repo) -> None:
    assert (
        cli(store, "search", "filter trust", "--json").stdout
        == cli(store, "search", "filter", "trust", "--json").stdout
    )


def test_what_is_edited_by_hand_is_found_at_once(cli: Cli, repo: Repo) -> None:
    path = repo.write(".klide/memory/note.md", "# Notes\n\nfirst\n")
    assert hits(cli, repo, "walrus") == []
    path.write_text("# Notes\n\nwalrus\n", encoding="utf-8")
    assert hits(cli, repo, "walrus") == ["note"]
    path.write_bytes(b"# Notes\n\nwalrus \xff\n")
    assert hits(cli, repo, "walrus") == []
