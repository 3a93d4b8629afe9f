"""On a terminal: colour, the pager, what is shown of a body, and who may add."""

from pathlib import Path

import pytest
from program import entry, on_terminal, put
from world import Repo, World

LONG = 40
HOSTILE = b"# Notes\n\n\x1b]0;title\x07 \x1b[31mred\x1b[0m \xe2\x80\xaeevil \xc2\x9b31m\r\nnext\ttab\n"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Forty entries of one kind, one of another, and one whose body would paint the screen."""
    repo = World(tmp_path_factory.mktemp("terminal")).repo()
    directory = repo.path / ".klide/memory"
    put(directory, *(entry(f"number-{number:02}") for number in range(LONG)))
    repo.write(".klide/memory/hostile.md", HOSTILE)
    return repo


@pytest.fixture
def pager(store: Repo, tmp_path: Path) -> Path:
    """A pager that keeps what it is given in `seen`, beside itself."""
    script = tmp_path / "pager"
    script.write_text(f'#!/bin/sh\ncat > "{tmp_path}/seen"\nprintf %s "$LESS" > "{tmp_path}/less"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


def seen(pager: Path) -> bytes | None:
    path = pager.parent / "seen"
    return path.read_bytes() if path.exists() else None


def test_long_output_goes_through_the_pager_and_short_output_does_not(store: Repo, pager: Path) -> None:
    short = on_terminal(store, "list", "--kind", "handoff", env={"GIT_PAGER": str(pager)})
    assert (short.code, seen(pager)) == (0, None)
    assert b"hostile" in short.stdout
    result = on_terminal(store, "list", env={"GIT_PAGER": str(pager)})
    assert (result.code, result.stdout, result.err) == (0, b"", "")
    paged = seen(pager)
    assert paged is not None
    assert paged.count(b"\n") == LONG + 1
    assert (pager.parent / "less").read_text(encoding="utf-8") == "FRX"


def test_a_tall_terminal_needs_no_pager(store: Repo, pager: Path) -> None:
    result = on_terminal(store, "list", env={"GIT_PAGER": str(pager)}, size=(100, 80))
    assert seen(pager) is None
    assert result.stdout.count(b"\n") == LONG + 1


@pytest.mark.parametrize("variable", ["PAGER", "core.pager"])
def test_the_pager_is_the_one_that_git_would_start(store: Repo, pager: Path, tmp_path: Path, variable: str) -> None:
    config = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.pager", "GIT_CONFIG_VALUE_0": str(pager)}
    env = {"PAGER": str(pager)} if variable == "PAGER" else config
    world = World(tmp_path)
    del world.env["GIT_PAGER"]
    on_terminal(Repo(world, store.path), "list", env=env)
    assert seen(pager) is not None


@pytest.mark.parametrize("pager_", ["cat", "", "no-such-pager-anywhere"])
def test_without_a_pager_that_runs_nothing_is_lost(store: Repo, pager_: str) -> None:
    result = on_terminal(store, "list", env={"GIT_PAGER": pager_})
    assert result.code == 0
    assert result.stdout.count(b"number-") >= LONG


def test_json_is_never_paged_or_coloured(store: Repo, pager: Path) -> None:
    result = on_terminal(store, "list", "--json", env={"GIT_PAGER": str(pager)})
    assert seen(pager) is None
    assert result.stdout == store.mem("list", "--json").stdout


def test_a_pager_that_ends_early_is_no_error(store: Repo) -> None:
    result = on_terminal(store, "list", env={"GIT_PAGER": "head -n 1"})
    assert (result.code, result.stdout.count(b"\n"), result.err) == (0, 1, "")


@pytest.mark.parametrize(
    ("args", "env", "colored"),
    [
        ((), {}, True),
        ((), {"NO_COLOR": "1"}, False),
        ((), {"NO_COLOR": ""}, True),
        ((), {"TERM": "dumb"}, False),
        (("--color", "never"), {}, False),
        (("--color", "always"), {"NO_COLOR": "1", "TERM": "dumb"}, True),
        (("--color", "auto"), {"NO_COLOR": "1"}, False),
    ],
)
def test_colour_on_a_terminal(store: Repo, args: tuple[str, ...], env: dict[str, str], colored: bool) -> None:
    result = on_terminal(store, *args, "list", "--kind", "handoff", env=env)
    assert (b"\x1b[33m" in result.stdout) is colored


def test_a_pipe_gets_colour_only_when_it_is_asked_for(store: Repo) -> None:
    assert b"\x1b[" not in store.mem("list", env={"TERM": "xterm-256color"}).stdout
    assert b"\x1b[33m" in store.mem("--color=always", "list", env={"NO_COLOR": "1"}).stdout


def test_a_body_is_shown_with_its_controls_as_escapes_and_piped_as_it_is(store: Repo) -> None:
    shown = on_terminal(store, "show", "hostile").stdout
    for control in (b"\x1b", b"\x07", "\u202e".encode(), b"\xc2\x9b", b"\r"):
        assert control not in shown
    for escape in (rb"\x1b]0;title\x07", rb"\x1b[31mred", rb"\u202eevil", rb"\x9b31m\x0d", b"\ttab\n"):
        assert escape in shown
    assert store.mem("show", "hostile").stdout == HOSTILE


def test_an_error_and_a_hint_are_on_stderr_there_too(store: Repo) -> None:
    result = on_terminal(store, "search", "absent")
    assert (result.code, result.stdout, result.err) == (1, b"", "nothing matches\n")


def test_the_nearest_stand_under_a_heading_of_their_own(store: Repo) -> None:
    shown = on_terminal(store, "search", "number", "absent", env={"NO_COLOR": "1"}).out
    assert shown.startswith("Nearest, with only some of the words:\n")
    assert "    lacks: absent\n" in shown


def test_a_person_at_a_terminal_crosses_the_review_boundary(repo: Repo) -> None:
    repo.git("config", "mem.reviewBoundary", "terminal")
    assert repo.mem("add", "From a pipe").code == 128
    assert not (repo.path / ".klide").exists()
    result = on_terminal(repo, "add", "From a terminal")
    assert (result.code, result.err) == (0, "")
    assert result.line.endswith("-from-a-terminal")
    assert (repo.path / ".klide/memory" / f"{result.line}.md").is_file()
