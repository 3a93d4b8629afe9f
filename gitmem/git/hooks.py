"""Git's hooks: where git looks for them, and our marked section in a script that is a person's own.

The sections are files in `hooks/`, whole scripts for people to read and to copy. Put into another script a section
stands behind the first line, and differs in nothing but the words behind its mark.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Final

from gitmem.errors import GitMemError
from gitmem.git.run import Git

HOOKS: Final = ("post-commit", "post-checkout", "post-merge", "post-rewrite")

_BEGIN: Final = re.compile(rb"^# >>> git mem >>>.*$", re.MULTILINE)
_END: Final = re.compile(rb"^# <<< git mem <<<[ \t]*$", re.MULTILINE)
_SHEBANG: Final = b"#!/bin/sh\n"
# The first line of a section, in a file that was made for it and in another.
_ALONE: Final = b"# >>> git mem >>> a file of git mem's own: `git mem hooks uninstall` removes it"
_AMONG: Final = b"# >>> git mem >>> `git mem hooks uninstall` takes this section out"

_SHELLS: Final = frozenset({"sh", "ash", "bash", "dash", "ksh", "ksh93", "mksh", "zsh"})
_BUSYBOX: Final = "busybox"
_ENV: Final = "env"
_WITH_VALUE: Final = frozenset({"-u", "--unset", "-C", "--chdir"})

# A script that is sh only to start something else, which then reads it from its beginning.
_HANDS_ON: Final = re.compile(rb"^[^#\n]*\bexec\b[^\n]*\$(?:0\b|\{0\}|\{?BASH_SOURCE)", re.MULTILINE)


class SectionBrokenError(GitMemError):
    """The marks of a section are not one beginning and one end behind it."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"its git mem section is broken: {reason}: take the rest out by hand, then install again")


@dataclass(frozen=True, slots=True)
class Section:
    """Where our section stands in a script, from the first byte of its first line to behind its last line."""

    start: int
    end: int
    text: bytes

    @property
    def alone(self) -> bool:
        """Whether the file was made for it."""
        return self._split()[0] == _ALONE

    def is_of(self, hook: str) -> bool:
        """Whether it is what this version writes for a hook."""
        return self._split()[1].rstrip(b"\n") == _body(hook)

    def renewed(self, hook: str) -> bytes:
        """Return it as this version writes it, in the same sort of file."""
        return self._split()[0] + b"\n" + _body(hook) + (b"\n" if self.text.endswith(b"\n") else b"")

    def _split(self) -> tuple[bytes, bytes]:
        first, _, rest = self.text.partition(b"\n")
        return first, rest


def find_hooks(git: Git, worktree: Path) -> Path | None:
    """Return the directory in which git looks for this worktree's hooks, there or not; None if that can be none.

    It is absolute. `/dev/null`, a file and nothing at all in core.hooksPath are how people turn hooks off.
    """
    ask = ("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    answer = git.ask(*ask, cwd=worktree, accept=(0, 128))
    directory = Path(answer.line())
    return None if answer.returncode or (directory.exists() and not directory.is_dir()) else directory


def hooks_path_is_relative(git: Git, worktree: Path) -> bool:
    """Whether core.hooksPath is set, and means another directory in each worktree."""
    value = git.ask("config", "--get", "core.hooksPath", cwd=worktree, accept=(0, 1)).line()
    return bool(value) and not value.startswith(("/", "~", "%("))


def read_script(hook: str) -> bytes:
    """Return the script of a hook as it is where nothing else is in the file."""
    return _scripts().joinpath(hook).read_bytes()


def find_section(data: bytes) -> Section | None:
    """Return the section in a script, None if there is none. Raises SectionBrokenError."""
    begins, ends = list(_BEGIN.finditer(data)), list(_END.finditer(data))
    if not begins and not ends:
        return None
    if (len(begins), len(ends)) != (1, 1):
        raise SectionBrokenError(_missing(len(begins), len(ends)))
    start, end = begins[0].start(), ends[0].end()
    if end < start:
        raise SectionBrokenError("its end stands before its beginning")
    end += data[end : end + 1] == b"\n"
    return Section(start, end, data[start:end])


def with_section(data: bytes, hook: str) -> bytes:
    """Return an sh script with the section of a hook: behind the first line, or in the place of an older one."""
    section = find_section(data)
    if section is not None:
        return data[: section.start] + section.renewed(hook) + data[section.end :]
    first, feed, rest = data.partition(b"\n")
    # A file of one line that does not end: the section does not end then, and `without_section` understands.
    return first + b"\n" + _AMONG + b"\n" + _body(hook) + feed + rest


def without_section(data: bytes, section: Section) -> bytes | None:
    """Return a script as it was before our section came into it; None if the file was made for that, and is no more."""
    before = data[: section.start]
    if not section.text.endswith(b"\n"):
        return before.removesuffix(b"\n")
    rest = before + data[section.end :]
    return None if section.alone and rest == _SHEBANG else rest


def what_speaks_against(data: bytes) -> str | None:
    """Return why no section can be put into a script, as a few words about it; None if nothing speaks against it."""
    first, _, _ = data.partition(b"\n")
    words = first.removeprefix(b"#!").decode("utf-8", "replace").split()
    if not first.startswith(b"#!") or not words:
        return "it has no #! line"
    if b"\0" in data:
        return "it is a binary file"
    if first.endswith(b"\r"):
        return "its first line ends with CR LF"
    program = _interpreter(words)
    if program not in _SHELLS:
        return f"it is a script for {program}, not for sh"
    if _HANDS_ON.search(data):
        return "it has another program read it (exec with $0)"
    return None


def _interpreter(words: Sequence[str]) -> str:
    """Return the name of the program that a #! line names: behind env and its options, and of busybox the applet."""
    program, rest = PurePosixPath(words[0]).name, list(words[1:])
    if program == _ENV:
        while rest and (rest[0].startswith("-") or "=" in rest[0]):
            del rest[: 2 if rest[0] in _WITH_VALUE else 1]
        program, rest = (PurePosixPath(rest[0]).name if rest else _ENV), rest[1:]
    return PurePosixPath(rest[0]).name if program == _BUSYBOX and rest else program


def _missing(begins: int, ends: int) -> str:
    if begins > 1 or ends > 1:
        return "it is there more than once"
    return "its last line is missing" if begins else "its first line is missing"


def _body(hook: str) -> bytes:
    """Return a section behind its first line, without the end of its last one."""
    return read_script(hook).removeprefix(_SHEBANG + _ALONE + b"\n").rstrip(b"\n")


def _scripts() -> Traversable:
    # In the wheel they lie in the package, in a checkout of this project beside it.
    package = resources.files("gitmem")
    packed = package / "hooks"
    return packed if packed.is_dir() else package / ".." / "hooks"
