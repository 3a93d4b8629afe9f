"""`git mem supersede` at the command line: what it prints, its exit codes, its terminal, in every layout."""

import json
import sys
from collections.abc import Sequence

import pytest
from inprocess import Cli
from layouts import Standpoint
from program import document, entry, faults, is_one_error, on_terminal, put
from remembered import file_of
from world import Repo, listing

STORE = ".klide/memory"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with entries to supersede each other."""
    put(repo.path / STORE, entry("old"), entry("new"), entry("keyed", decision_key="k"))
    return repo


def test_who_is_superseded_by_whom_is_told(cli: Cli, shop: Repo) -> None:
    result = cli(shop, "supersede", "old", "--by", "new")
    assert (result.code, result.out, result.err) == (0, "old is superseded by new\n", "")
    shown = cli(shop, "show", "old", "--include-inactive")
    assert shown.out.startswith("[historical evidence: superseded]\n---\n")
    assert cli(shop, "show", "old").err.startswith("error: old is superseded by new: ")


def test_in_json_both_ids_are_told(cli: Cli, shop: Repo) -> None:
    found = document(cli(shop, "supersede", "old", "--by", "new", "--json"))
    assert faults("supersede", found) == []
    assert found == {"schemaVersion": 1, "old": "old", "new": "new"}


def test_a_key_is_given_with_an_option(cli: Cli, shop: Repo) -> None:
    assert cli(shop, "supersede", "keyed", "--by", "new").code == 128
    assert cli(shop, "supersede", "keyed", "--by", "new", "--decision-key", "k").code == 0
    assert document(cli(shop, "show", "new", "--json"))["entry"]["decisionKey"] == "k"


WRONG: Sequence[tuple[str, ...]] = [
    (),
    ("old",),
    ("--by", "new"),
    ("old", "new"),
    ("old", "--by"),
    ("old", "more", "--by", "new"),
    ("old", "--by", "new", "--decision-key"),
    ("old", "--by", "new", "--decision-key", "\udcff"),
    ("old", "--by", "new", "--force"),
]


@pytest.mark.parametrize("words", WRONG, ids=repr)
def test_wrong_usage_is_129_with_one_line_and_nothing_written(cli: Cli, shop: Repo, words: tuple[str, ...]) -> None:
    before = listing(shop.path)
    result = cli(shop, "supersede", *words)
    assert (result.code, is_one_error(result)) == (129, True), result
    assert listing(shop.path) == before


@pytest.mark.parametrize(
    "words",
    [
        ("old", "--by", "old"),
        ("old", "--by", "nobody"),
        ("nobody", "--by", "new"),
        ("../x", "--by", "new"),
        ("old", "--by", "../x"),
        ("old", "--by", "\udcff"),
        ("keyed", "--by", "new"),
        ("keyed", "--by", "new", "--decision-key", ""),
        ("keyed", "--by", "new", "--decision-key", "\x1b[31mother"),
        ("old", "--by", "new", "--decision-key", "k"),
    ],
    ids=repr,
)
def test_what_is_refused_is_128_with_one_line_and_nothing_written(cli: Cli, shop: Repo, words: tuple[str, ...]) -> None:
    before = listing(shop.path)
    result = cli(shop, "supersede", *words)
    assert (result.code, is_one_error(result)) == (128, True), result
    assert result.err.startswith("fatal: ")
    assert "\x1b" not in result.err
    assert listing(shop.path) == before


def test_of_a_store_that_is_not_there_nothing_is_superseded_and_none_is_made(cli: Cli, repo: Repo) -> None:
    before = listing(repo.path)
    for words in (("supersede", "old", "--by", "new"), ("add", "New", "--supersedes", "old")):
        result = cli(repo, *words)
        assert (result.code, is_one_error(result)) == (128, True), result
        assert "no entry has the id" in result.err
    assert listing(repo.path) == before


def test_with_the_boundary_at_the_terminal_it_takes_a_person_there(cli: Cli, shop: Repo) -> None:
    shop.git("config", "mem.reviewBoundary", "terminal")
    before = listing(shop.path)
    result = cli(shop, "supersede", "old", "--by", "new")
    assert (result.code, is_one_error(result)) == (128, True), result
    assert "terminal" in result.err
    assert listing(shop.path) == before
    result = on_terminal(shop, "supersede", "old", "--by", "new")
    assert (result.code, result.out, result.err) == (0, "old is superseded by new\n", "")


def test_without_an_output_nothing_is_superseded(shop: Repo) -> None:
    before = file_of(shop, "old").read_bytes()
    words = f'exec "{sys.executable}" -m gitmem supersede old --by new >&-'
    assert shop.world.run("sh", "-c", words, cwd=shop.path).code == 128
    assert file_of(shop, "old").read_bytes() == before


def test_in_every_layout_the_one_store_is_written(cli: Cli, layout: Standpoint) -> None:
    put(layout.store, entry("old"), entry("new"))
    done = cli(layout.repo, "supersede", "old", "--by", "new", "--json", cwd=layout.directory, env=layout.extra)
    assert (done.code, json.loads(done.out)) == (0, {"schemaVersion": 1, "old": "old", "new": "new"})
    assert b"\nreviewState: superseded\n" in (layout.store / "old.md").read_bytes()
    assert b"\nsupersedes: old\n" in (layout.store / "new.md").read_bytes()
    tracked = layout.repo.git("ls-tree", "--name-only", "refs/mem/store").out.split()
    assert tracked == ["new.md", "old.md"]


def test_a_change_of_a_tracked_store_is_told_to_be_committed_where_it_is(cli: Cli, shop: Repo) -> None:
    assert cli(shop, "init", "--track").code == 0
    linked = shop.worktree("linked")
    result = cli(linked, "supersede", "old", "--by", "new")
    assert result.err == f"written in the main checkout, so commit it there: {shop.path}\n"
