"""How git is started: with what environment, for how long, and how its words are read."""

import os
import select
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from world import Repo, World

from gitmem.git.run import (
    LOCATION_VARIABLES,
    Git,
    GitDirectoryError,
    GitFailedError,
    GitMissingError,
    GitTimeoutError,
    complaint,
)


def replace_git(world: World, script: str) -> dict[str, str]:
    """Put a shell script in front of git, and return the environment in which it is found."""
    directory = world.root / "bin"
    directory.mkdir()
    program = directory / "git"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return {**world.env, "PATH": f"{directory}{os.pathsep}{world.env['PATH']}"}


def seen_environment(world: World, environ: dict[str, str]) -> dict[str, str]:
    environ = {**environ, "PATH": replace_git(world, "exec env -0")["PATH"]}
    answer = Git(environ).ask("anything", cwd=world.root)
    return dict(item.split("=", 1) for item in answer.items())


def test_every_location_variable_that_git_knows_is_taken_out(world: World) -> None:
    known = set(world.git("rev-parse", "--local-env-vars", cwd=world.root).out.split())
    assert known - LOCATION_VARIABLES == {"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}


def test_git_gets_the_callers_environment_without_places_and_with_our_rules(world: World) -> None:
    places = dict.fromkeys(LOCATION_VARIABLES, "elsewhere")
    seen = seen_environment(world, {**world.env, **places, "LC_ALL": "tr_TR.UTF-8", "GIT_ALLOW_PROTOCOL": "ssh"})
    rules = {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": "/dev/null",
        "GIT_LITERAL_PATHSPECS": "1",
    }
    assert seen.items() >= rules.items()
    assert "elsewhere" not in seen.values()
    kept = {name: value for name, value in world.env.items() if name not in {"PATH", *rules}}
    assert seen.items() >= kept.items()


def test_the_processs_own_environment_does_not_reach_git(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    assert "GIT_CONFIG_COUNT" not in seen_environment(world, world.env)


def test_literal_paths_are_left_out_on_request_only(repo: Repo) -> None:
    git = Git(repo.world.env)
    literal = git.ask("ls-files", "-z", "--", "*.md", cwd=repo.path)
    globbed = git.ask("ls-files", "-z", "--", "*.md", cwd=repo.path, globs=True)
    assert (literal.items(), globbed.items()) == ([], ["README.md"])


@pytest.mark.parametrize(
    "given",
    [
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "mem.given", "GIT_CONFIG_VALUE_0": "yes"},
        {"GIT_CONFIG_PARAMETERS": "'mem.given'='yes'"},
    ],
    ids=["count", "parameters"],
)
def test_configuration_given_on_the_callers_command_line_reaches_git(repo: Repo, given: dict[str, str]) -> None:
    answer = Git({**repo.world.env, **given}).ask("config", "--get", "mem.given", cwd=repo.path)
    assert answer.line() == "yes"


def test_repository_configuration_cannot_start_a_monitor(repo: Repo) -> None:
    started = repo.world.root / "started"
    repo.git("config", "core.fsmonitor", f"touch {started}; false")
    Git(repo.world.env).ask("ls-files", "--modified", cwd=repo.path)
    assert not started.exists()


@pytest.fixture
def waiting_input() -> Iterator[None]:
    """Put a pipe with something in it in the place of this process's standard input."""
    saved = os.dup(0)
    reader, writer = os.pipe()
    os.write(writer, b"meant for us")
    os.dup2(reader, 0)
    yield
    os.dup2(saved, 0)
    for descriptor in (saved, reader, writer):
        os.close(descriptor)


@pytest.mark.usefixtures("waiting_input")
def test_git_reads_nothing_unless_it_is_fed(world: World) -> None:
    environ = replace_git(world, 'printf "got:"; cat')
    assert Git(environ).ask("x", cwd=world.root, limit=10).stdout == b"got:"
    assert Git(environ).ask("x", cwd=world.root, feed=b"a\0b").stdout == b"got:a\0b"


def test_a_git_that_does_not_read_what_it_is_fed_is_no_error(world: World) -> None:
    environ = replace_git(world, "echo done")
    assert Git(environ).ask("x", cwd=world.root, feed=b"x" * (1 << 20)).line() == "done"


def test_a_time_out_ends_grandchildren_too(world: World) -> None:
    # The grandchild holds a FIFO open for writing; its reader sees the end when, and only when, it is gone.
    fifo = world.root / "fifo"
    os.mkfifo(fifo)
    environ = replace_git(world, f"(exec >{fifo}; echo alive; exec sleep 100) & wait")
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(GitTimeoutError, match="look for a lock, a FIFO or a dead file system"):
        Git(environ).ask("x", cwd=world.root, limit=0.3)
    assert os.read(reader, 100) == b"alive\n"
    assert select.select([reader], [], [], 10)[0] == [reader]
    assert os.read(reader, 100) == b""
    os.close(reader)


def test_the_limit_of_a_command_goes_before_that_of_the_caller(world: World) -> None:
    environ = replace_git(world, "exec sleep 100")
    with pytest.raises(GitTimeoutError):
        Git(environ).ask("x", cwd=world.root, limit=0.1)
    with pytest.raises(GitTimeoutError):
        Git(environ, limit=0.1).ask("x", cwd=world.root)


def test_a_missing_git_is_named(world: World) -> None:
    with pytest.raises(GitMissingError, match="git cannot be started: install git, or put it on PATH"):
        Git({**world.env, "PATH": str(world.home)}).ask("version", cwd=world.root)


def test_a_git_that_cannot_be_run_is_named(world: World) -> None:
    environ = {**replace_git(world, "true"), "PATH": str(world.root / "bin")}
    program = world.root / "bin" / "git"
    program.chmod(stat.S_IRUSR)
    with pytest.raises(GitMissingError, match="git cannot be started: Permission denied"):
        Git(environ).ask("version", cwd=world.root)


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_directory_that_is_not_there_is_not_taken_for_a_missing_git(world: World, name: str) -> None:
    (world.root / "file").touch()
    with pytest.raises(GitDirectoryError, match=r"cannot go to .*: (No such file|Not a directory).*: name a directory"):
        Git(world.env).ask("version", cwd=world.root / name)


def test_an_exit_code_that_is_no_answer_is_an_error_with_gits_own_line(repo: Repo) -> None:
    git = Git(repo.world.env)
    with pytest.raises(GitFailedError, match=r"git rev-parse failed: Needed a single revision") as failed:
        git.ask("rev-parse", "--verify", "nothing", cwd=repo.path)
    assert failed.value.returncode == 128
    assert git.ask("rev-parse", "--verify", "nothing", cwd=repo.path, accept=(0, 128)).returncode == 128


def test_a_failure_without_words_names_the_exit_code(world: World) -> None:
    with pytest.raises(GitFailedError, match="git x failed: exit code 3"):
        Git(replace_git(world, "exit 3")).ask("x", cwd=world.root)


def test_a_trace_does_not_hide_what_git_says(repo: Repo) -> None:
    environ = {**repo.world.env, "GIT_TRACE": "1", "GIT_TRACE_SETUP": "1", "GIT_TRACE2": "1"}
    with pytest.raises(GitFailedError, match=r"^git rev-parse failed: Needed a single revision: `git status`"):
        Git(environ).ask("rev-parse", "--verify", "nothing", cwd=repo.path)


@pytest.mark.parametrize(
    ("stderr", "said"),
    [
        ("", ""),
        ("hint: try again\n", ""),
        ("fatal: no\n", "no"),
        ("error: first\nfatal: second\n", "first"),
        ("warning: odd\nhint: x\nfatal: it: broke\nhint: y\n", "it: broke"),
        ("16:01 git.c:460 trace: built-in: git x 'fatal: not this'\nfatal: this\n", "this"),
    ],
)
def test_the_complaint_is_the_first_line_that_says_what_is_wrong(stderr: str, said: str) -> None:
    assert complaint(stderr) == said


def test_answers_keep_every_byte_of_a_path(world: World) -> None:
    environ = replace_git(world, r"printf 'a\nb\n\0\377\0'")
    answer = Git(environ).ask("x", cwd=world.root)
    assert answer.items() == ["a\nb\n", os.fsdecode(b"\xff")]
    assert answer.line() == os.fsdecode(b"a\nb\n\0\xff\0")
    assert Path(os.fsdecode(b"\xff")).name == answer.items()[1]
