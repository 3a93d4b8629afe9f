"""A throw-away world: an empty home, a pinned identity and clock, and git repositories below one directory.

Nothing of the machine's git configuration or of the caller's environment reaches it, so that the same
commands give the same ids everywhere.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_KEPT: Final = ("PATH", "TMPDIR", "LD_LIBRARY_PATH")
_FIRST_SECOND: Final = 1_700_000_000
# Given on the command line, so that no file has to stand in the home and the program under test does not see it.
_SETTINGS: Final = (
    *("-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"),
    *(
        "-c",
        "gc.auto=0",
        "-c",
        "maintenance.auto=false",
        "-c",
        "core.fsync=none",
    ),  # faster, and nothing in the background
)


@dataclass(frozen=True, slots=True)
class Result:
    """How a process ended and what it wrote."""

    code: int
    stdout: bytes
    err: str

    @property
    def out(self) -> str:
        """Standard output as text; bytes that are not UTF-8 survive as surrogates."""
        return self.stdout.decode("utf-8", "surrogateescape")

    @property
    def line(self) -> str:
        """Standard output without its last line end: one path, name or id."""
        return self.out.removesuffix("\n")


@dataclass(slots=True)
class World:
    """A directory with an empty home in it, and the environment in which everything runs.

    `env` is the whole environment; a test that wants another one passes its additions. `clock` is the time of
    the next git command in seconds since 1970; each command moves it on by a minute.
    """

    root: Path
    env: dict[str, str] = field(init=False)
    clock: int = _FIRST_SECOND

    def __post_init__(self) -> None:
        self.root = Path(os.path.realpath(self.root))
        self.home.mkdir()
        self.env = {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_EDITOR": "true",
            "GIT_PAGER": "cat",
            "GIT_AUTHOR_NAME": "A U Thor",
            "GIT_AUTHOR_EMAIL": "author@example.com",
            "GIT_COMMITTER_NAME": "C O Mitter",
            "GIT_COMMITTER_EMAIL": "committer@example.com",
        }

    @property
    def home(self) -> Path:
        """The home directory: empty until a test writes to it."""
        return self.root / "home"

    def configure(self, text: str) -> None:
        """Give the home's owner a git configuration."""
        (self.home / ".gitconfig").write_text(text, encoding="utf-8")

    def run(
        self,
        *argv: str | Path,
        cwd: Path,
        feed: bytes = b"",
        env: Mapping[str, str] | None = None,
    ) -> Result:
        """Run a program to its end, however that is; `env` is added to the world's environment."""
        done = subprocess.run(
            argv, cwd=cwd, input=feed, env={**self.env, **(env or {})}, capture_output=True, check=False, timeout=120
        )
        return Result(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def git(
        self,
        *args: str | Path,
        cwd: Path,
        feed: bytes = b"",
        env: Mapping[str, str] | None = None,
        accept: tuple[int, ...] = (0,),
    ) -> Result:
        """Run git, one minute after the last time; it must end with one of the codes in `accept`."""
        self.clock += 60
        moment = f"{self.clock} +0000"
        dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        result = self.run("git", *_SETTINGS, *args, cwd=cwd, feed=feed, env={**dates, **(env or {})})
        assert result.code in accept, f"git {args}: {result}"
        return result

    def repo(self, name: str = "main", *options: str | Path) -> "Repo":
        """Make a repository without commits; the options are those of `git init`."""
        path = self.root / name
        self.git("init", "-q", *options, path, cwd=self.root)
        return Repo(self, path)

    def clone(self, source: "Repo", name: str, *options: str) -> "Repo":
        """Clone a repository through `file://`, so that the options for shallow and partial clones count."""
        path = self.root / name
        self.git("clone", "-q", *options, source.path.as_uri(), path, cwd=self.root)
        return Repo(self, path)


@dataclass(frozen=True, slots=True)
class Repo:
    """A worktree, or a bare repository, in a world."""

    world: World
    path: Path

    def git(
        self,
        *args: str | Path,
        cwd: Path | None = None,
        feed: bytes = b"",
        env: Mapping[str, str] | None = None,
        accept: tuple[int, ...] = (0,),
    ) -> Result:
        """Run git here; see World.git."""
        return self.world.git(*args, cwd=cwd or self.path, feed=feed, env=env, accept=accept)

    def write(self, name: str, content: bytes | str) -> Path:
        """Write one file and the directories above it; return its path."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def commit(self, message: str, files: Mapping[str, bytes | str | None] | None = None) -> str:
        """Write and stage the files (None removes one), commit the whole index, and return the commit's id."""
        for name, content in (files or {}).items():
            if content is None:
                (self.path / name).unlink()
            else:
                self.write(name, content)
        if files:
            self.git("add", "--force", "--all", "--", *files, env={"GIT_LITERAL_PATHSPECS": "1"})
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.rev()

    def rev(self, name: str = "HEAD") -> str:
        """Return the id that a name resolves to; it must."""
        return self.git("rev-parse", "--verify", name).line

    def worktree(self, name: str, *options: str, at: str = "HEAD") -> "Repo":
        """Add a linked worktree at a path below the world's root, on a new branch unless options say otherwise.

        `options` are those of `git worktree add`, `at` is the commit that it begins with.
        """
        path = self.world.root / name
        self.git("worktree", "add", "-q", *(options or ("-b", Path(name).name)), path, at)
        return Repo(self.world, path)

    def mem(
        self, *args: str, cwd: Path | None = None, feed: bytes = b"", env: Mapping[str, str] | None = None
    ) -> Result:
        """Run the program under test in a process of its own, however it ends."""
        return self.world.run(sys.executable, "-m", "gitmem", *args, cwd=cwd or self.path, feed=feed, env=env)


def listing(directory: Path) -> dict[str, bytes]:
    """Return every path below a directory with the content of its files: equal before and after if nothing was written.

    Directories, links and special files stand for themselves with their kind.
    """
    found: dict[str, bytes] = {}
    for parent, directories, files in os.walk(directory):
        for name in (*directories, *files):
            path = Path(parent, name)
            if path.is_symlink():
                content = b"-> " + os.fsencode(path.readlink())
            elif path.is_file():
                content = path.read_bytes()
            else:
                content = b"directory" if path.is_dir() else b"special"
            found[os.fspath(path.relative_to(directory))] = content
    return found
