"""The tutorial is what it says: its commands are run as they stand, one after the other."""

import re
import sys
from pathlib import Path

from world import World

DOCS = Path(__file__).parents[2] / "docs"


def commands(page: Path) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def with_git_mem(world: World) -> dict[str, str]:
    """Put the program under test on PATH as git finds subcommands."""
    directory = world.root / "bin"
    directory.mkdir()
    script = directory / "git-mem"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitmem "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return {"PATH": f"{directory}:{world.env['PATH']}"}


def test_every_command_of_the_tutorial_works_in_its_order(world: World) -> None:
    script = "set -e\n" + "\n".join(commands(DOCS / "tutorial" / "first-steps.md"))
    done = world.run("sh", "-c", script, cwd=world.root, env=with_git_mem(world))
    assert done.code == 0, done
    assert "payment.py:4-6: lines 4-6 moved to lines 5-7" in done.out
    assert re.search(
        r"payment\.py:4-6: lines 4-6 changed in [0-9a-f]{7}, 2 of them still there \[lines-changed\]", done.out
    )
    assert re.search(
        r"^[0-9a-f]{40} is the first commit at which it was no longer true\n    Try harder$", done.out, re.MULTILINE
    )
    assert "payment.py:4-6 -> payment.py:5-7" in done.out
    assert re.search(r"payment\.py:5-7: lines 5-7 changed in [0-9a-f]{7}", done.out)
    assert "payment.py:5-7: lines 5-7 unchanged" in done.out
    assert done.out.rstrip().endswith("1 current, 0 stale, 0 unverified")


def test_the_demo_runs_and_shows_each_command(world: World) -> None:
    done = world.run("sh", str(DOCS / "demo.sh"), cwd=world.root, env=with_git_mem(world))
    assert done.code == 0, done
    for shown in (
        "$ git mem init",
        "$ git mem search bank attempt",
        "changed here, not yet committed",
        "(exit code 1)",
        "is the first commit at which it was no longer true\n    Try harder\n",
    ):
        assert shown in done.out
    assert re.search(r"lines 6-10 changed in [0-9a-f]{7}", done.out)
    for shown in (
        "-The bank has become stricter.\n+The bank has become strict.\n",
        "git mem restore",
        "nothing is wrong",
    ):
        assert shown in done.out.partition("# 7.")[2]
    assert len(re.findall(r"^restored ", done.out, re.MULTILINE)) == 2
