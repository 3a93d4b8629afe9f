"""The short help: there for every command, complete, and cheap."""

import sys

import pytest
from inprocess import Cli
from world import Repo, World

from gitmem import __version__
from gitmem.cli.commands import COMMANDS

OPTIONS = {
    "init": ["--track", "--hooks"],
    "where": ["--json"],
    "add": [
        "--kind",
        "--goal",
        "--plan",
        "--decision",
        "--next",
        "--notes",
        "--tag",
        "--alias",
        "--file",
        "--commit",
        "--run",
        "--transcript",
        "--supersedes",
        "--decision-key",
        "--date",
        "--json",
    ],
    "show": ["--include-inactive", "--json"],
    "list": ["--kind", "--state", "--json"],
    "search": [
        "--kind",
        "--tag",
        "--path",
        "-n",
        "--match",
        "--strict",
        "--in",
        "--include-inactive",
        "--at",
        "--only",
        "--json",
    ],
    "explain": ["--kind", "--tag", "--path", "-n", "--include-inactive", "--at", "--only", "--json"],
    "check": ["--at", "--cached", "--since", "--format", "--fail-on", "--state", "--json"],
    "about": ["--json"],
    "confirm": ["--json"],
    "relink": ["-n", "--dry-run", "--json"],
    "supersede": ["--by", "--decision-key", "--json"],
    "edit": ["--json"],
    "forget": ["--yes", "--json"],
    "bisect": ["--at", "--json"],
    "log": ["-n", "--json"],
    "diff": ["--json"],
    "blame": ["--json"],
    "manifest": ["--since", "--cached", "--all", "-z", "--json"],
    "update": ["--manifest", "--since", "--json"],
    "mine": ["--json"],
    "hooks": [],
    "jobs": ["--json"],
    "work": ["--drain", "--detached", "--json"],
    "status": ["--json"],
    "doctor": ["--fix", "--json"],
    "reindex": ["--json"],
    "restore": ["-n", "--dry-run", "--json"],
}


@pytest.fixture
def nowhere(world: World) -> Repo:
    """A directory that is no repository: help does not need one."""
    return Repo(world, world.root)


def test_every_command_is_in_the_table_of_options() -> None:
    assert list(OPTIONS) == list(COMMANDS)


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("verb", OPTIONS)
def test_every_command_tells_its_options(cli: Cli, nowhere: Repo, verb: str, flag: str) -> None:
    result = cli(nowhere, verb, flag)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: git mem {verb} ")
    for option in OPTIONS[verb]:
        assert f" {option} " in result.out.replace(",", " "), option


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_program_tells_its_commands_in_the_order_of_the_table(cli: Cli, nowhere: Repo, flag: str) -> None:
    result = cli(nowhere, flag)
    assert (result.code, result.err) == (0, "")
    at = [result.out.index(f"\n  {verb} ") for verb in COMMANDS]
    assert at == sorted(at)
    assert "-C DIR" in result.out
    assert "--color" in result.out


def test_the_help_of_an_option_that_lists_values_names_them_all(cli: Cli, nowhere: Repo) -> None:
    told = cli(nowhere, "list", "-h").out
    assert "run|handoff|decision|convention|fact|failure|pattern" in "".join(told.split())
    assert "proposed|reviewed|superseded|stale|all" in "".join(told.split())


def test_the_version_is_the_packages(cli: Cli, nowhere: Repo) -> None:
    assert cli(nowhere, "--version").out == f"git-mem version {__version__}\n"


def test_help_fits_on_a_terminal_of_a_hundred_columns(cli: Cli, nowhere: Repo) -> None:
    for verb in COMMANDS:
        assert max(map(len, cli(nowhere, verb, "-h").out.splitlines())) <= 100, verb


@pytest.mark.parametrize("verb", ["-h", "list", "search x"])
def test_a_command_loads_no_heavy_library_that_it_does_not_need(repo: Repo, verb: str) -> None:
    asks = f"import sys; from gitmem.cli.main import run; run({verb.split()}); print(*sys.modules, file=sys.stderr)"
    loaded = repo.world.run(sys.executable, "-c", asks, cwd=repo.path).err.split()
    assert "click" in loaded
    assert not {"pygit2", "dulwich", "rapidfuzz", "pathspec", "gitmem.search.sections"} & set(loaded)
