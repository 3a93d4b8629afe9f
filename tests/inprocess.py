"""The command line run in the test's own process, where what is tested does not depend on a fresh one."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from world import Repo, Result

from gitmem.cli.main import run


@dataclass(frozen=True, slots=True)
class Cli:
    """Calls the entry of the command line as `git mem` would, in a directory; nothing is a terminal."""

    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[bytes]

    def __call__(self, repo: Repo, *args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Result:
        """Run a command in a repository and return how it ended."""
        with self.patch.context() as patch:
            patch.chdir(cwd or repo.path)
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            code = run(args)
        out, err = self.capture.readouterr()
        return Result(code, out, err.decode("utf-8"))
