"""`git mem explain` and `git mem reindex` as a person meets them."""

import json
from typing import Any

import pytest
from inprocess import Cli
from world import Repo


@pytest.fixture
def store(cli: Cli, repo: Repo) -> Repo:
    """Four entries, one of them superseded."""
    for title, more in {
        "Retry policy for uploads": ("--kind", "decision", "--tag", "net"),
        "Uploads are retried twice": ("--kind", "fact", "--goal", "One policy for all"),
        "Retries of old": ("--kind", "decision"),
        "Something else": (),
    }.items():
        assert cli(repo, "add", title, "--date", "2026-01-01T00:00:00Z", *more).code == 0
    new = cli(repo, "add", "No retries", "--supersedes", "2026-01-01-0000-retries-of-old")
    assert new.code == 0
    return repo


def explained(cli: Cli, repo: Repo, *words: str) -> dict[str, Any]:
    result = cli(repo, "explain", *words, "--json")
    assert result.code in (0, 1), result
    found: dict[str, Any] = json.loads(result.out)
    return found


def test_it_tells_of_the_same_entries_as_a_search_in_the_same_order(cli: Cli, store: Repo) -> None:
    for words in (("retry", "policy"), ("uploads",), ("retires",), ("kind:decision",), ("the", "policy", "zebra")):
        searched = json.loads(cli(store, "search", *words, "--json").out)
        shown = explained(cli, store, *words)["hits"]
        expected = [*searched["hits"], *searched["nearest"]]
        assert [(one["id"], one["score"], one["match"]) for one in shown] == [
            (one["id"], one["score"], one["match"]) for one in expected
        ]
        assert [one["missingTerms"] for one in shown] == [one["missingTerms"] for one in expected]


def test_terms_tell_in_how_many_entries_they_are_and_by_what_they_rank(cli: Cli, store: Repo) -> None:
    the, retry, zebra = explained(cli, store, "the retry zebra")["terms"]
    assert (the["stopWord"], the["stems"]) == (True, [])
    assert (retry["documents"], retry["stopWord"]) == (1, False)
    (stem,) = retry["stems"]
    assert stem["forms"] == ["retried", "retries", "retry"]
    assert (stem["documents"], stem["weight"] > 0) == (4, True)
    assert (zebra["documents"], zebra["stems"][0]["forms"]) == (0, [])


def test_a_score_is_the_sum_of_its_parts(cli: Cli, store: Repo) -> None:
    for hit in explained(cli, store, "retry policy")["hits"]:
        assert hit["score"] == pytest.approx(sum(hit["parts"].values()), abs=1e-3)
        assert hit["tokens"] > 0


def test_what_is_left_out_has_its_reasons(cli: Cli, store: Repo) -> None:
    found = explained(cli, store, "retries", "kind:decision", "--only", "current")
    reasons = {one["id"].removeprefix("2026-01-01-0000-"): one["reasons"] for one in found["filtered"]}
    assert reasons["retries-of-old"] == ["state superseded", "verdict unverified"]
    assert reasons["uploads-are-retried-twice"] == ["kind is another", "verdict unverified"]
    assert found["hits"] == []
    assert explained(cli, store, "retries", "--include-inactive")["filtered"] == []


def test_routes_count_the_tiers(cli: Cli, store: Repo) -> None:
    routes = explained(cli, store, "retry policy")["routes"]
    assert [(one["match"], one["entries"]) for one in routes] == [("exact", 0), ("all", 1), ("partial", 2)]


def test_the_exit_code_is_that_of_the_search(cli: Cli, store: Repo) -> None:
    for words in (("retry",), ("zebra",), ("...",), ("retry", "zebra")):
        assert cli(store, "explain", *words).code == cli(store, "search", *words).code


def test_text_tells_all_of_it(cli: Cli, store: Repo) -> None:
    lines = cli(store, "explain", "the", "retry", "policy").out.splitlines()
    assert lines[0] == "Terms, in 5 entries:"
    assert "  the: letter for letter in 0 entries; a stop word, which does not rank" in lines
    assert any(line.startswith("  retry: letter for letter in 1 entry; retried, retries, retry in 4") for line in lines)
    assert any(line.startswith("      score ") and " = words " in line for line in lines)
    assert any(line.endswith("partial: state superseded") for line in lines)


def test_a_query_without_a_word_is_explained_too(cli: Cli, store: Repo) -> None:
    result = cli(store, "explain", "...")
    assert (result.code, result.stdout, result.err) == (1, b"", "the query has no word to search for\n")


def test_the_index_is_made_anew(cli: Cli, store: Repo) -> None:
    index = store.path / ".git/mem/index.sqlite"
    cli(store, "search", "retry")
    index.write_bytes(b"not a database")
    result = cli(store, "reindex")
    assert (result.code, result.out, result.err) == (0, "5 entries indexed\n", "")
    assert index.read_bytes().startswith(b"SQLite format 3\0")
    assert json.loads(cli(store, "reindex", "--json").out) == {"schemaVersion": 1, "entries": 5, "kept": True}
    assert json.loads(cli(store, "status", "--json").out)["index"] == "current"


def test_an_index_that_cannot_be_kept_is_told(cli: Cli, store: Repo) -> None:
    index = store.path / ".git/mem/index.sqlite"
    index.unlink(missing_ok=True)
    (index / "in the way").mkdir(parents=True)
    result = cli(store, "reindex")
    assert result.code == 128
    assert result.err.startswith("fatal: the index cannot be kept in ")
    assert "directory" in result.err
    assert cli(store, "search", "retry").code == 0
    (line,) = [line for line in cli(store, "doctor").out.splitlines() if line.startswith("wrong   ")]
    assert "index.sqlite is no regular file" in line


def test_where_there_is_no_store_there_is_nothing_to_index(cli: Cli, repo: Repo) -> None:
    result = cli(repo, "reindex")
    assert (result.code, result.out) == (0, "0 entries indexed\n")
    assert not (repo.path / ".git/mem").exists()


@pytest.mark.parametrize("damage", [b"", b"junk" * 5000])
def test_a_damaged_index_is_told_of_and_mended(cli: Cli, store: Repo, damage: bytes) -> None:
    cli(store, "search", "retry")
    (store.path / ".git/mem/index.sqlite").write_bytes(damage)
    assert json.loads(cli(store, "status", "--json").out)["index"] == "unusable"
    assert "index.sqlite is damaged or of another version" in cli(store, "doctor").out
    mended = cli(store, "doctor", "--fix")
    assert (mended.code, "made anew, of 5 entries" in mended.out) == (0, True)
    assert json.loads(cli(store, "status", "--json").out)["index"] == "current"
