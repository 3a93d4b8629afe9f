"""`.gitmemignore` against git: the same lines as `.gitignore`, whatever they are, leave out the same paths.

GITMEM_PROPERTY_EXAMPLES is the number of directories with rules; each is asked for some forty paths.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from world import Repo, World

from gitmem.git.ignore import RULES, mem_ignored

EXAMPLES: Final = int(os.environ.get("GITMEM_PROPERTY_EXAMPLES", "8")) * 50
SEED: Final = int(os.environ.get("GITMEM_PROPERTY_SEED", "6"))
PATHS: Final = 40  # asked for in each directory, about half of them made from its rules

# What names are made of; the letters are many, so that rules and paths meet.
CHARACTERS: Final[list[str]] = [*"aaaaabbbbbAB..", *"*?[]!^-\\# \t\r:xy", os.fsdecode(b"\xe9"), "é"]
CLASSES: Final = ["[:alpha:]", "[:upper:]", "[:punct:]", "[:space:]", "[:a:]", "[::]", "[:", "[:a]", "a-b", "b-a"]
BLANKS: Final = ["", "", "", "", " ", "  ", "\\ ", "\t", "\r", " \r", "\0x", "\\"]


class Case(NamedTuple):
    """Rule files by their directories, and the paths that are asked for; all below one directory."""

    rules: dict[str, bytes]
    paths: list[str]


class Inventor:
    """Thinks up rules and paths that have to do with each other."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one_of(self, *makers: str) -> str:
        return self.random.choice(makers)

    def often(self, chance: float) -> bool:
        return self.random.random() < chance

    def many(self, most: int) -> range:
        return range(self.random.randint(1, most))

    def name(self) -> str:
        return "".join(self.random.choice(CHARACTERS) for _ in self.many(3))

    def path(self, names: list[str]) -> str:
        path = "/".join(self.random.choice(names) for _ in self.many(4))
        return path.replace("/", "", 1) if self.often(0.1) else path

    def character_class(self) -> str:
        inside = "".join(
            self.random.choice(CLASSES) if self.often(0.3) else self.random.choice([*CHARACTERS, "/"])
            for _ in self.many(4)
        )
        return f"[{self.one_of('', '', '!', '^', ']', '!]')}{inside}{self.one_of(']', ']', ']', '')}"

    def piece(self) -> str:
        kind = self.random.randrange(12)
        if kind < 5:
            return self.random.choice(CHARACTERS)
        if kind < 7:
            return self.character_class()
        return self.one_of("*", "*", "**", "***", "?", "/", "/", "/**/", "**/", "/**", "\\/", "\\a", "\\*", "\\A", "")

    def glob(self) -> str:
        return "".join(self.piece() for _ in self.many(5))

    def glob_of(self, path: str) -> str:
        """Make a rule that could be about a path: some of its characters are replaced."""
        return "".join(self.wild(character) if self.often(0.2) else character for character in path)

    def wild(self, character: str) -> str:
        if character == "/":
            return self.one_of("/**/", "/**/", "**/", "/**", "*/", "/*/", "\\/", "**", "//", "/***/", "**\\/")
        plain = f"[{self.one_of('', '!', '^')}{character}]"
        span = f"[a-{character}]"
        return self.one_of("?", "*", "**", f"\\{character}", plain, self.character_class(), span, "", "*?")

    def line(self, paths: list[str]) -> str:
        path = self.random.choice(paths)
        parts = path.split("/")
        part = "/".join(parts[self.random.choice([0, 0, 0, -1]) : self.random.randint(1, 4)])
        glob = self.glob_of(part) if self.often(0.6) else self.glob()
        negation = "!" if self.often(0.3) else ""
        root = "/" if self.often(0.15) else ""
        return f"{negation}{root}{glob}{'/' if self.often(0.2) else ''}{self.random.choice(BLANKS)}"

    def file(self, paths: list[str]) -> bytes:
        mark = "\ufeff" if self.often(0.1) else ""
        odd = ("", "!", "/", "**/", "#", "\r")
        lines = [self.line(paths) if self.often(0.95) else self.one_of(*odd) for _ in self.many(6)]
        return os.fsencode(mark + "\n".join(lines) + self.one_of("\n", "", "\r\n"))

    def case(self) -> Case:
        names = [self.name() for _ in range(6)]
        paths = [self.path(names) for _ in range(PATHS)]
        nested = [path.rpartition("/")[0] for path in paths if "/" in path]
        directories = {"", *self.random.sample(nested, k=min(len(nested), self.random.randint(0, 3)))}
        directories = {directory for directory in directories if _may_be(directory)}
        rules = {
            directory: self.file([path.removeprefix(f"{directory}/") for path in _below(paths, directory)])
            for directory in sorted(directories)
        }
        taken = {parent for directory in directories for parent in _and_parents(directory)}
        return Case(rules, [path for path in sorted(set(paths) - taken) if _may_be(path)])


def _may_be(path: str) -> bool:
    return not {".", ".."} & set(path.split("/"))


def _below(paths: list[str], directory: str) -> list[str]:
    return [path for path in paths if not directory or path.startswith(f"{directory}/")]


def _and_parents(directory: str) -> Iterator[str]:
    parts = directory.split("/")
    return ("/".join(parts[: end + 1]) for end in range(len(parts)))


def lay_out(repo: Repo, cases: list[Case]) -> list[str]:
    """Write the rules of each case into a directory of its own, for git and for us; return all paths."""
    for number, case in enumerate(cases):
        for directory, data in case.rules.items():
            for name in (".gitignore", RULES):
                repo.write(f"c{number}/{directory}/{name}", data)
    return [f"c{number}/{path}" for number, case in enumerate(cases) for path in case.paths]


def gits_answer(repo: Repo, paths: list[str], *, ignore_case: bool) -> set[str]:
    feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    ask = ("-c", f"core.ignoreCase={str(ignore_case).lower()}", "check-ignore", "--no-index", "--stdin", "-z")
    return set(repo.git(*ask, feed=feed, accept=(0, 1)).out.split("\0")[:-1])


def told(repo: Repo, path: str) -> str:
    """Return the rules on the way to a path, to be seen where the answers differ."""
    directories = [Path(path).parents[depth] for depth in range(len(Path(path).parents) - 1)]
    files = [repo.path / directory / RULES for directory in directories]
    return f"{path!r}: {[file.read_bytes() for file in files if file.is_file()]}"


@pytest.mark.parametrize("ignore_case", [False, True])
def test_any_rules_leave_out_what_git_would_ignore(world: World, *, ignore_case: bool) -> None:
    repo = world.repo()
    inventor = Inventor(SEED + ignore_case)
    paths = lay_out(repo, [inventor.case() for _ in range(EXAMPLES)])
    expected = gits_answer(repo, paths, ignore_case=ignore_case)
    found = mem_ignored(repo.path, paths, ignore_case=ignore_case)
    assert [told(repo, path) for path in sorted(found ^ expected)] == []
    assert len(paths) > EXAMPLES * 20
    assert len(paths) // 10 < len(expected) < len(paths) * 9 // 10  # the rules and the paths have to do with each other
