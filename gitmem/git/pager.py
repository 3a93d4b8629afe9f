"""Git's pager, started as git starts it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gitmem.git.run import Git

_NOT_STARTED: Final = (126, 127)  # what sh ends with when it cannot find or run a command


def page(environ: Mapping[str, str], directory: Path, text: str) -> bool:
    """Show a text in the pager that git would use in a directory; False where that is none, or cannot be started.

    The pager comes from GIT_PAGER, core.pager or PAGER; LESS and LV get git's defaults (git-config, core.pager).
    """
    pager = Git(environ).ask("var", "GIT_PAGER", cwd=directory, accept=(0, 1, 128)).line()
    if not pager or pager == "cat":
        return False
    defaults = {"LESS": "FRX", "LV": "-c"}
    try:
        with subprocess.Popen(
            ["/bin/sh", "-c", pager],
            stdin=subprocess.PIPE,
            env={**defaults, **environ},
        ) as process:
            process.communicate(text.encode("utf-8", "surrogateescape"))
    except OSError:
        return False
    return process.returncode not in _NOT_STARTED


def wants_color(git: Git, directory: Path) -> bool:
    """Whether git would use colour for a command of this name on a terminal: color.mem, color.ui, and TERM."""
    answer = git.ask("config", "--get-colorbool", "color.mem", "true", cwd=directory, accept=(0, 1), colors=True)
    return answer.line() == "true"
