"""Exit codes and error lines: one line, nothing on stdout, nothing written."""

from collections.abc import Sequence

import pytest
from inprocess import Cli
from program import entry, is_one_error, put
from world import Repo, Result, World, listing

from gitmem.entry.model import ReviewState

WRONG: Sequence[tuple[str, ...]] = [
    (),
    ("no-such-command",),
    ("--no-such-option",),
    ("--color", "sometimes", "list"),
    ("-C",),
    ("init", "extra"),
    ("init", "--no-such-option"),
    ("where", "extra"),
    ("status", "extra"),
    ("add",),
    ("add", "one", "two"),
    ("add", ""),
    ("add", " \t "),
    ("add", "\u200b\u202e"),
    ("add", "x", "--kind", "lore"),
    ("add", "x", "--kind", "Fact"),
    ("add", "x", "--date", "yesterday"),
    ("add", "x", "--date", ""),
    ("add", "x", "--date", "2026-13-01"),
    ("add", "x", "--reviewState", "reviewed"),
    ("add", "x", "--file"),
    ("add", "not UTF-8: \udcff"),
    ("add", "x", "--notes", "\udcff"),
    ("add", "x", "--tag", "\udcff"),
    ("show",),
    ("show", "a", "b"),
    ("list", "extra"),
    ("list", "--kind", "lore"),
    ("list", "--state", "fresh"),
    ("search",),
    ("search", "x", "--kind", "lore"),
    ("search", "x", "-n", "many"),
    ("search", "x", "-n", "2.5"),
    ("search", "x", "--match", "some"),
    ("search", "x", "--only", "fresh"),
    ("search", "x", "--only", "current,fresh"),
    ("search", "x", "--only", ","),
    ("search", "\udcff"),
    ("search", "x" * 10_001),
    ("check", "--fail-on", "current"),
    ("check", "--state", "fresh"),
    ("about",),
]

IMPOSSIBLE: Sequence[tuple[str, ...]] = [
    ("-C", "no-such-directory", "list"),
    ("-C", "README.md", "list"),
    ("-C", ".git", "list"),
    ("add", "x", "--file", "../elsewhere"),
    ("add", "x", "--file", "/etc/passwd"),
    ("add", "x", "--file", "no-such-file"),
    ("add", "x", "--file", "src"),
    ("add", "x", "--file", "link"),
    ("add", "x", "--file", "linked/code.py"),
    ("add", "x", "--file", ""),
    ("add", "x", "--file", ".git/config"),
    ("add", "x", "--file", "not-utf8-\udcff"),
    ("add", "x", "--file", "src/code.py:0"),
    ("add", "x", "--file", "src/code.py:3-2"),
    ("add", "x", "--file", "src/code.py:3-4"),
    ("add", "x", "--file", "src/code.py:99999"),
    ("add", "x", "--file", "src/code.py:1-"),
    ("add", "x", "--file", "README.md", "--file", "no-such-file"),
    ("add", "x", "--commit", "no-such-revision"),
    ("add", "x", "--commit", ""),
    ("add", "x", "--commit", "-x"),
    ("add", "x", "--commit", "--output=planted"),
    ("add", "x", "--commit", "HEAD:README.md"),
    ("add", "x", "--commit", "HEAD..HEAD"),
    ("add", "x", "--commit", "0" * 40),
    ("about", "../elsewhere"),
    ("about", ".git/config"),
    ("about", ""),
    ("search", "x", "--path", "../elsewhere"),
]

ODD_IDS = [
    "../x",
    "../../etc/passwd",
    "/etc/passwd",
    "a/b",
    "a\\b",
    ".",
    "..",
    "-rf",
    "",
    "a%2fb",
    "C:x",
    "a..b",
    ".hidden",
    "~",
    "a\nb",
    "a b",
    "é",
    "\udcff",
    "a" * 129,
    "a" * 300,
    "x;rm -rf",
    "$(touch planted)",
]


@pytest.fixture(scope="module")
def store(shared: Repo) -> Repo:
    """A repository with an entry, links, and nothing that these tests can change."""
    put(shared.path / ".klide/memory", entry("known"), entry("old", review_state=ReviewState.SUPERSEDED))
    (shared.path / "link").symlink_to("README.md")
    (shared.path / "linked").symlink_to("src")
    return shared


def refused(result: Result, code: int, label: str = "") -> bool:
    return result.code == code and is_one_error(result) and result.err.startswith(label)


@pytest.mark.parametrize("args", WRONG, ids=repr)
def test_wrong_usage_is_129_with_one_line_and_nothing_written(cli: Cli, store: Repo, args: tuple[str, ...]) -> None:
    before = listing(store.path)
    result = cli(store, *args)
    assert refused(result, 129, "error: "), result
    assert listing(store.path) == before


@pytest.mark.parametrize("args", IMPOSSIBLE, ids=repr)
def test_what_cannot_be_done_is_128_with_one_line_and_nothing_written(
    cli: Cli, store: Repo, args: tuple[str, ...]
) -> None:
    before = listing(store.world.root)
    result = cli(store, *args)
    assert refused(result, 128, "fatal: "), result
    assert listing(store.world.root) == before


@pytest.mark.parametrize("verb", ["show", "check"])
@pytest.mark.parametrize("ident", ODD_IDS, ids=repr)
def test_what_cannot_be_an_id_is_refused_before_any_file_is_opened(
    cli: Cli, store: Repo, verb: str, ident: str
) -> None:
    before = listing(store.world.root)
    result = cli(store, verb, "--", ident)
    assert refused(result, 128, "fatal: "), result
    assert "is not the id of an entry" in result.err
    assert listing(store.world.root) == before


@pytest.mark.parametrize("ident", ["2020-01-01-0000-nope", "x.md", "known.md", "KNOWN"])
def test_an_id_that_no_entry_has_is_no_but_cannot_be_checked(cli: Cli, store: Repo, ident: str) -> None:
    result = cli(store, "show", "--", ident)
    assert refused(result, 1, "error: "), result
    result = cli(store, "check", "--", ident)  # here 1 would say that something is stale
    assert refused(result, 128, "fatal: "), result


def test_an_inactive_entry_is_refused_with_what_would_show_it(cli: Cli, store: Repo) -> None:
    result = cli(store, "show", "old")
    assert refused(result, 1, "error: "), result
    assert "superseded" in result.err
    assert "--include-inactive" in result.err


def test_nothing_found_is_1_and_no_error(cli: Cli, store: Repo) -> None:
    assert (found := cli(store, "search", "absent")).code == 1
    assert (found.stdout, found.err) == (b"", "nothing matches\n")
    about = cli(store, "about", "README.md")
    assert (about.code, about.stdout, about.err) == (1, b"", "no entry cites this\n")


@pytest.mark.parametrize("verb", ["list", "check", "status", "where"])
def test_an_empty_answer_is_no_failure_and_says_if_there_is_no_store(cli: Cli, repo: Repo, verb: str) -> None:
    result = cli(repo, verb)
    hint = "there is no memory in .klide/memory yet: `git mem init` creates it\n"
    assert (result.code, result.err) == (0, hint if verb in ("list", "check") else "")
    cli(repo, "init")
    result = cli(repo, verb)
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize("args", [("list",), ("search", "x"), ("add", "x"), ("init",), ("where",), ("about", "x")])
def test_outside_a_repository_nothing_can_be_done(cli: Cli, world: World, args: tuple[str, ...]) -> None:
    nowhere = Repo(world, world.root / "nowhere")
    nowhere.path.mkdir()
    result = cli(nowhere, *args)
    assert refused(result, 128, "fatal: not a git repository"), result
    assert listing(nowhere.path) == {}


@pytest.mark.parametrize("where", [".git", ".git/refs"])
def test_inside_the_git_directory_nothing_can_be_done(cli: Cli, repo: Repo, where: str) -> None:
    before = listing(repo.path)
    for args in (("list",), ("add", "x"), ("init",)):
        assert refused(cli(repo, *args, cwd=repo.path / where), 128, "fatal: "), args
    assert listing(repo.path) == before


@pytest.mark.parametrize("what", ["link", "file", "link to nothing"])
@pytest.mark.parametrize("at", [".klide", ".klide/memory"])
def test_a_store_that_is_no_plain_directory_is_refused(cli: Cli, repo: Repo, at: str, what: str) -> None:
    elsewhere = repo.world.root / "elsewhere"
    put(elsewhere / "memory", entry("secret"))
    put(elsewhere, entry("secret"))
    place = repo.path / at
    place.parent.mkdir(exist_ok=True)
    if what == "file":
        place.write_bytes(b"")
    else:
        place.symlink_to(elsewhere if what == "link" else "nothing")
    before = listing(repo.world.root)
    for args in (("list",), ("search", "secret"), ("show", "secret"), ("check",), ("status",), ("add", "x")):
        result = cli(repo, *args)
        assert refused(result, 128, "fatal: .klide"), (args, result)
    # Only the mark that keeps the place out of commits may be there afterwards, and not even that after a refusal.
    assert listing(repo.world.root) == before


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mem.reviewBoundary", "nobody"),
        ("mem.reviewBoundary", ""),
        ("mem.lockTimeout", "soon"),
        ("mem.lockTimeout", "-1"),
        ("mem.lockTimeout", "nan"),
        ("mem.lockTimeout", "1e9"),
        ("mem.store", "/tmp/elsewhere"),
        ("mem.store", "../elsewhere"),
        ("mem.store", ".git/memory"),
        ("mem.root", "no-such-directory"),
    ],
)
def test_a_setting_that_means_nothing_stops_a_writer(cli: Cli, repo: Repo, key: str, value: str) -> None:
    repo.git("config", key, value)
    before = listing(repo.path)
    result = cli(repo, "add", "x")
    assert refused(result, 128, f"fatal: {key} "), result
    assert listing(repo.path) == before


def test_an_entry_that_cannot_be_read_is_named_with_the_reason(cli: Cli, repo: Repo) -> None:
    repo.write(".klide/memory/broken.md", b"---\ntitle: Krak\xf3w\n---\n")
    result = cli(repo, "show", "broken")
    assert refused(result, 128, "fatal: "), result
    assert "not UTF-8" in result.err
    assert "broken" in result.err


def test_a_file_name_in_an_error_cannot_reach_the_terminal(cli: Cli, store: Repo) -> None:
    result = cli(store, "add", "x", "--file", "\x1b[31mred\x07\nfatal: forged")
    assert refused(result, 128, "fatal: "), result
    assert "\x1b" not in result.err
    assert "\x07" not in result.err


def test_a_fault_of_the_program_is_one_line_too(cli: Cli, store: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("what no code\nshould do")

    monkeypatch.setattr("gitmem.cli.session.open_workspace", broken)
    result = cli(store, "list")
    assert refused(result, 128, "fatal: a fault in git mem itself: "), result
    with pytest.raises(ZeroDivisionError):
        cli(store, "list", env={"GITMEM_DEBUG": "1"})
