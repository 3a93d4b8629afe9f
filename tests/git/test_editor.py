"""The editor: the one that git would start, started as git starts it, and Ctrl-C left to it."""

import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from world import Repo

from gitmem.errors import ExitCode
from gitmem.git.editor import (
    EditorFailedError,
    EditorInterruptedError,
    EditorMissingError,
    choose_editor,
    run_editor,
)
from gitmem.git.run import Git

KEYS = (signal.SIGINT, signal.SIGQUIT)


@pytest.fixture
def text(repo: Repo) -> Path:
    """A file to edit, with all in its name that a shell would take apart."""
    return repo.write("two words $HOME 'and' \"quotes\"\n;.md", "before\n")


@pytest.fixture
def nobody(repo: Repo) -> Repo:
    """A repository for which no editor is chosen yet."""
    del repo.world.env["GIT_EDITOR"]
    return repo


def leaving_a_mark(repo: Repo, name: str) -> str:
    """Make an editor that writes its name beside the repository; return the command."""
    script = repo.world.root / name
    script.write_text(f'#!/bin/sh\necho {name} >> "{repo.world.root}/ran"\n', encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def ran(repo: Repo) -> str:
    marks = repo.world.root / "ran"
    found = marks.read_text(encoding="utf-8") if marks.exists() else ""
    marks.unlink(missing_ok=True)
    return found


def edit(repo: Repo, editor: str, path: Path, env: Mapping[str, str] | None = None) -> None:
    run_editor(Git({**repo.world.env, **(env or {})}), editor, repo.path, path)


ALL = ("GIT_EDITOR", "core.editor", "VISUAL", "EDITOR")


@pytest.mark.parametrize("given", [ALL, ALL[1:], ALL[2:], ALL[3:], ("core.editor", "EDITOR")])
@pytest.mark.parametrize("term", ["xterm", "dumb", None])
def test_the_editor_is_the_one_that_git_starts(
    nobody: Repo, text: Path, given: tuple[str, ...], term: str | None
) -> None:
    commands = {name: leaving_a_mark(nobody, name) for name in given}
    if "core.editor" in commands:
        nobody.git("config", "core.editor", commands.pop("core.editor"))
    env = {**commands, **({} if term is None else {"TERM": term})}
    nobody.git("commit", "--allow-empty", "-e", "-m", "with an editor", env=env)
    by_git = ran(nobody)
    environ = {**nobody.world.env, **env}
    edit(nobody, choose_editor(Git(environ), nobody.path), text, env)
    assert ran(nobody) == by_git != ""


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"GIT_EDITOR": ""}, {"GIT_EDITOR": " \t"}])
def test_no_editor_is_an_error_that_says_what_to_do(nobody: Repo, env: Mapping[str, str]) -> None:
    with pytest.raises(
        EditorMissingError, match=r"git has no editor to start here: .+: set GIT_EDITOR or core\.editor"
    ):
        choose_editor(Git({**nobody.world.env, **env}), nobody.path)


def test_the_configuration_of_the_one_command_counts(nobody: Repo) -> None:
    config = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.editor", "GIT_CONFIG_VALUE_0": "mine --wait"}
    assert choose_editor(Git({**nobody.world.env, **config}), nobody.path) == "mine --wait"


@pytest.mark.parametrize("editor", ["sed -i s/before/after/", 'f() { sed -i s/before/after/ "$1"; }; f'])
def test_an_editor_is_a_line_of_sh_and_gets_the_file_as_one_argument(repo: Repo, text: Path, editor: str) -> None:
    edit(repo, editor, text)
    assert text.read_text(encoding="utf-8") == "after\n"


def test_a_colon_means_no_editing(repo: Repo, text: Path) -> None:
    edit(repo, ":", text, {"PATH": "/nowhere"})
    assert text.read_text(encoding="utf-8") == "before\n"


def test_the_editor_runs_where_the_person_is_with_what_they_have(repo: Repo, text: Path) -> None:
    env = {"GIT_DIR": str(repo.path / ".git"), "LC_ALL": "tr_TR.UTF-8", "MINE": "mine"}
    edit(repo, 'f() { pwd > "$1"; env >> "$1"; }; f', text, env)
    first, *rest = text.read_text(encoding="utf-8").splitlines()
    assert first == str(repo.path)
    told = dict(line.split("=", 1) for line in rest)
    shells = {"PWD", "OLDPWD", "_", "SHLVL"}
    assert {name: value for name, value in told.items() if name not in shells} == {**repo.world.env, **env}


@pytest.mark.parametrize("code", [1, 2, 3, 126, 127, 129])
def test_an_editor_that_fails_says_how(repo: Repo, text: Path, code: int) -> None:
    with pytest.raises(EditorFailedError, match=f"ended with exit code {code}, so nothing was written") as caught:
        edit(repo, f"exit {code};", text)
    assert caught.value.exit_code == ExitCode.FATAL


def test_an_editor_that_was_killed_says_how(repo: Repo, text: Path) -> None:
    with pytest.raises(EditorFailedError, match="was ended by signal 9"):
        edit(repo, "kill -KILL $$;", text)


@pytest.mark.parametrize("editor", ["kill -INT $$;", "kill -QUIT $$;", "sh -c 'kill -INT $$'", "exit 130;"])
def test_an_editor_that_was_interrupted_is_an_interruption(repo: Repo, text: Path, editor: str) -> None:
    with pytest.raises(EditorInterruptedError) as caught:
        edit(repo, editor, text)
    assert caught.value.exit_code == ExitCode.INTERRUPTED


def test_a_directory_that_is_gone_is_an_error_and_no_fault(repo: Repo, text: Path) -> None:
    with pytest.raises(EditorFailedError, match="cannot be started: no such file or directory"):
        run_editor(Git(repo.world.env), "true", repo.path / "gone", text)


@pytest.fixture
def handlers() -> Iterator[None]:
    """Put the handlers of this process back, whatever a test does."""
    before = {one: signal.getsignal(one) for one in KEYS}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.usefixtures("handlers")
def test_ctrl_c_in_the_editor_is_the_editors(repo: Repo, text: Path) -> None:
    before = [signal.getsignal(one) for one in KEYS]
    edit(repo, 'kill -INT "$PPID"; kill -QUIT "$PPID"; sed -i s/before/after/', text)
    assert text.read_text(encoding="utf-8") == "after\n"
    assert [signal.getsignal(one) for one in KEYS] == before


@pytest.mark.usefixtures("handlers")
def test_the_handlers_are_back_after_a_failure_too(repo: Repo, text: Path) -> None:
    before = [signal.getsignal(one) for one in KEYS]
    with pytest.raises(EditorFailedError):
        edit(repo, "false", text)
    assert [signal.getsignal(one) for one in KEYS] == before
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.usefixtures("handlers")
def test_the_editor_gets_the_signals_as_this_process_got_them(repo: Repo, text: Path) -> None:
    # Ignored, as in the background of a script: that is handed on. Else a person can interrupt the editor.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    edit(repo, "kill -INT $$; sed -i s/before/after/", text)
    assert text.read_text(encoding="utf-8") == "after\n"
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(EditorInterruptedError):
        edit(repo, "kill -INT $$; sed -i s/after/more/", text)
    assert text.read_text(encoding="utf-8") == "after\n"
