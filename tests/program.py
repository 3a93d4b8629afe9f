"""Ways to run the program that `Repo.mem` does not have, and to lay entries into a store by hand."""

import json
import os
import pty
import sys
import termios
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from world import Repo, Result, World

from gitmem.entry.format import format_entry
from gitmem.entry.model import Entry
from gitmem.porcelain.schemas import names, schema

# Runs several commands in one fresh process: a process costs more than most commands.
_SEVERAL: Final = "import json, sys; from gitmem.cli.main import run; [run(words) for words in json.loads(sys.argv[1])]"


def several(
    repo: Repo, *commands: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Result:
    """Run commands one after the other in one fresh process; what they write comes joined, the code is 0."""
    argv = (sys.executable, "-c", _SEVERAL, json.dumps(commands))
    return repo.world.run(*argv, cwd=cwd or repo.path, env=env)


def git_mem_on_path(world: World) -> dict[str, str]:
    """Put a script `git-mem` where git finds its subcommands; return the addition to the environment."""
    directory = world.root / "bin"
    if not directory.exists():
        directory.mkdir()
        script = directory / "git-mem"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitmem "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return {"PATH": f"{directory}:{world.env['PATH']}"}


def start(
    repo: Repo,
    *args: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | None = None,
    stdout: int = PIPE,
) -> Popen[bytes]:
    """Start the program and return at once."""
    argv = [sys.executable, "-m", "gitmem", *args]
    environment = {**repo.world.env, **(env or {})}
    return Popen(argv, cwd=cwd or repo.path, env=environment, stdin=stdin, stdout=stdout, stderr=PIPE)


def on_terminal(
    repo: Repo,
    *args: str,
    env: Mapping[str, str] | None = None,
    size: tuple[int, int] = (24, 80),
) -> Result:
    """Run the program with a terminal of `size` (rows, columns) as its input and output; stderr stays apart."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, size)
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST  # line feeds arrive as they were written
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    terminal = {"TERM": "xterm-256color", **(env or {})}
    try:
        with start(repo, *args, env=terminal, stdin=slave, stdout=slave) as process:
            os.close(slave)
            shown = b"".join(iter(lambda: _read(master), b""))
            _, err = process.communicate(timeout=60)
    finally:
        os.close(master)
    return Result(process.returncode, shown, err.decode("utf-8"))


def _read(master: int) -> bytes:
    try:
        return os.read(master, 65536)
    except OSError:  # Linux reports the other end's close as an error
        return b""


def put(store: Path, *entries: Entry) -> None:
    """Write entries into a store as the tool would have written them."""
    store.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        (store / f"{entry.id}.md").write_bytes(format_entry(entry))


def entry(ident: str, **fields: Any) -> Entry:
    """Return an entry; its title is its id, its date the first day of 2026, unless fields say otherwise."""
    return replace(Entry(id=ident, title=ident, date="2026-01-01T00:00:00Z"), **fields)


def document(result: Result) -> Any:
    """Return the one JSON document that a command wrote: one line of UTF-8, nothing on stderr."""
    assert result.err == "", result
    text = result.stdout.decode("utf-8")
    assert text.endswith("\n"), result
    assert text.count("\n") == 1, result
    return json.loads(text)


def faults(name: str, value: object) -> list[str]:
    """Return what a schema of the package finds wrong with a value."""
    return [f"{error.json_path}: {error.message}" for error in _validator(name).iter_errors(value)]


@cache
def _validator(name: str) -> Draft202012Validator:
    known: Iterable[dict[str, Any]] = [schema(other) for other in names()]
    resources = [(one["$id"], Resource.from_contents(one)) for one in known]
    registry: Registry[Any] = Registry().with_resources(resources)
    return Draft202012Validator(schema(name), registry=registry)


def is_one_error(result: Result) -> bool:
    """Whether a command wrote no data and exactly one line that begins as an error does."""
    begins = result.err.startswith(("fatal: ", "error: "))
    return result.stdout == b"" and begins and result.err.count("\n") == 1 and result.err.endswith("\n")
