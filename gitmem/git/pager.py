"""Git's pager, started as git starts it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from gitmem.git.run import Git


def page(environ: Mapping[str, str], text: str) -> bool:
    """Show a text in the pager that git would use; return False where that is none, or cannot be started.

    The pager comes from GIT_PAGER, core.pager or PAGER; LESS and LV get git's defaults (git-config, core.pager).
    """
    pager = Git(environ).ask("var", "GIT_PAGER", cwd=Path.cwd(), accept=(0, 1, 128)).line()
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
    return True
