"""What stays out of memory: git's own ignore rules, and `.gitmemignore` files in the same syntax.

Git answers for its own rules. It has no word for other file names, so `.gitmemignore` is matched here: pathspec
holds the rules of a file and lets the last one that matches win, the translation of a line is ours. Pathspec's own
differs from git's in escapes, classes, directories, `**` and odd lines. Rules: gitignore(5), and git's dir.c
(parse_path_pattern, match_basename, match_pathname) and wildmatch.c, quirks included; the tests hold generated rules
against `git check-ignore`.
"""

import os
import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

from gitmem.git.checkout import FileKind, read_files
from gitmem.git.run import LONG_LIMIT, Git

if TYPE_CHECKING:
    from pathspec import PathSpec
    from pathspec.pattern import RegexPattern

RULES: Final = ".gitmemignore"
"""The name of the files that say what git may have and memory may not."""

RULE_FILES: Final = frozenset({".gitignore", RULES})
"""The names of the files in a worktree that say what is left out."""

_TOP: Final = ""  # the worktree's top among directories, which are named by their path below it
_BOM: Final = b"\xef\xbb\xbf"
# A rule is bytes to git: `?` stands for one byte. Here each byte is the character of the same number.
_BYTES: Final = "latin-1"


def left_out(git: Git, worktree: Path, paths: Collection[str]) -> set[str]:
    """Return those of the paths that a rule of git's or of a `.gitmemignore` names, tracked or not.

    The paths are those of files, relative to the worktree's top; see ignored and mem_ignored.
    """
    named = ignored(git, worktree, paths)
    rest = set(paths) - named
    files = _rule_files(worktree, rest)
    tree = _Tree(files, fold=bool(files) and _ignores_case(git, worktree))
    return named | {path for path in rest if tree.leaves_out(path)}


def ignored(git: Git, worktree: Path, paths: Collection[str]) -> set[str]:
    """Return those of the paths that git's ignore rules name, tracked or not.

    Beyond a symbolic link git has no rules, and refuses the question: such paths are not ignored.
    """
    asked = sorted(set(paths) - _beyond_links(worktree, paths))
    if not asked:
        return set()
    # Behind `./` no name is taken for a pathspec with magic, which this command refuses or obeys.
    feed = b"".join(b"./" + os.fsencode(path) + b"\0" for path in asked)
    ask = ("check-ignore", "--no-index", "--stdin", "-z")
    answer = git.ask(*ask, cwd=worktree, feed=feed, accept=(0, 1), globs=True, limit=LONG_LIMIT)
    return {path.removeprefix("./") for path in answer.items()}


def _beyond_links(worktree: Path, paths: Collection[str]) -> set[str]:
    parents = {path: PurePosixPath(path).parents for path in paths}
    directories = {directory for found in parents.values() for directory in found}
    # Path.is_symlink raises for a name that is too long.
    links = {directory for directory in directories if os.path.islink(worktree / directory)}  # noqa: PTH114 - see above
    return {path for path, found in parents.items() if not links.isdisjoint(found)}


def _ignores_case(git: Git, worktree: Path) -> bool:
    ask = ("config", "--type=bool", "--get", "core.ignoreCase")
    return git.ask(*ask, cwd=worktree, accept=(0, 1)).line() == "true"


def mem_ignored(worktree: Path, paths: Collection[str], *, ignore_case: bool = False) -> set[str]:
    """Return those of the paths that a `.gitmemignore` names, as git would with the same lines in a `.gitignore`.

    The paths are those of files, relative to the worktree's top; each of their parents counts as a directory, whatever
    stands there. Only the rules on the way to a path are read, and none through a symbolic link. Nothing below a
    directory that is left out comes back. `ignore_case` is git's `core.ignoreCase`: ASCII letters only.
    """
    tree = _Tree(_rule_files(worktree, paths), fold=ignore_case)
    return {path for path in paths if tree.leaves_out(path)}


def _rule_files(worktree: Path, paths: Collection[str]) -> dict[str, bytes]:
    """Return the contents of the rule files on the way to the paths, by their directories."""
    directories = {parent for path in paths for parent in _parents(path)}
    names = {f"{parent}/{RULES}".removeprefix("/"): parent for parent in directories}
    states = read_files(worktree, names)
    return {names[name]: state.data for name, state in states.items() if state.kind is FileKind.REGULAR}


def _parents(path: str) -> Iterator[str]:
    """Yield the directories on the way to a path, the worktree's top first."""
    yield _TOP
    for at, character in enumerate(path):
        if character == "/":
            yield path[:at]


class _Rules(NamedTuple):
    """The rules of one file: those that name files, and all, since every rule can name a directory."""

    files: "PathSpec[RegexPattern]"
    directories: "PathSpec[RegexPattern]"


class _Tree:
    """The rule files of a worktree by their directories, and which directories are left out, as far as was asked."""

    def __init__(self, files: Mapping[str, bytes], *, fold: bool) -> None:
        self.rules = {_bytewise(directory): _compile(data, fold=fold) for directory, data in files.items()}
        self.fold = fold
        self.outside = {_TOP: False}

    def leaves_out(self, path: str) -> bool:
        """Whether the path of a file is named, or lies below a directory that is."""
        name = _bytewise(path)
        directory = _TOP
        for below in _parents(name):  # top down: what is below a directory that is left out is not asked for
            if below not in self.outside:
                self.outside[below] = self.outside[directory] or self._names(below, is_directory=True)
            directory = below
        return self.outside[directory] or self._names(name, is_directory=False)

    def _names(self, path: str, *, is_directory: bool) -> bool:
        asked = _lower(path) if self.fold else path
        for parent in reversed([*_parents(path)]):  # the rules of a deeper file come after those of the upper
            if parent in self.rules:
                spec = self.rules[parent].directories if is_directory else self.rules[parent].files
                found = spec.check_file(asked[len(parent) :].removeprefix("/"), separators=()).include
                if found is not None:
                    return found
        return False


def _bytewise(path: str) -> str:
    return os.fsencode(path).decode(_BYTES)


def _lower(text: str) -> str:
    return text.encode(_BYTES).lower().decode(_BYTES)  # of bytes: ASCII letters only


# From the lines of a file to rules


def _compile(data: bytes, *, fold: bool) -> _Rules:
    # A command that finds no such file, and that is nearly every one, need not load the library.
    from pathspec import PathSpec  # noqa: PLC0415 - see above
    from pathspec.pattern import RegexPattern  # noqa: PLC0415 - see above

    lines = [line for line in map(_parse, _lines(data)) if line is not None]
    compiled = [
        (line.only_directories, RegexPattern(re.compile(regex, re.DOTALL), not line.negative))
        for line in lines
        if (regex := _regex(line, fold=fold)) is not None
    ]
    files = [pattern for only_directories, pattern in compiled if not only_directories]
    return _Rules(PathSpec(files, backend="simple"), PathSpec([pattern for _, pattern in compiled], backend="simple"))


def _lines(data: bytes) -> Iterator[str]:
    """Yield the patterns of a file as git cuts them out (add_patterns_from_buffer)."""
    for line in data.removeprefix(_BOM).decode(_BYTES).split("\n"):
        if not line.startswith("#"):
            yield _trimmed(line.removesuffix("\r").partition("\0")[0])


def _trimmed(line: str) -> str:
    """Take the blanks off the end of a line; one behind a backslash stays."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if backslashes % 2 and bare != line else bare


class _Line(NamedTuple):
    """A pattern, and what the marks around it say; `anchored` if it is about paths and not about names."""

    glob: str
    negative: bool
    only_directories: bool
    anchored: bool


def _parse(line: str) -> _Line | None:
    """Return what a line says (parse_path_pattern), None if it says nothing."""
    body = line.removeprefix("!")
    bare = body.removesuffix("/")
    glob = bare.removeprefix("/")
    return _Line(glob, body != line, bare != body, "/" in bare) if glob else None


def _regex(line: _Line, *, fold: bool) -> str | None:
    """Return the expression that finds the paths that a pattern names, None if it can name none."""
    pieces = _pieces(line.glob, anchored=line.anchored, fold=fold)
    if pieces is None:
        return None
    head = r"\A" if line.anchored else r"\A(?:.*/)?"
    return head + _joined(pieces)


class _Gap(NamedTuple):
    """A star or two: an expression that takes as little as it can, and whether it reaches over slashes."""

    regex: str
    deep: bool


_STAR: Final = _Gap("[^/]*?", deep=False)
_ANYTHING: Final = _Gap(".*?", deep=True)
_DIRECTORIES: Final = _Gap("(?:.*?/)??", deep=True)

_PIECE: Final = re.compile(r"(\*+)|(\?)|(\[)|\\(.)|([^\\])", re.DOTALL)
_SPECIAL: Final = re.compile(r"[*?\[\\]")


def _pieces(glob: str, *, anchored: bool, fold: bool) -> list[str | _Gap] | None:
    """Translate a glob (wildmatch.c: dowild) into expressions and gaps; None if it can match nothing.

    That is so behind a lone backslash at the end, and for a class that is not closed or has an unknown name.
    """
    pieces: list[str | _Gap] = []
    at = 0
    while at < len(glob):
        found = _PIECE.match(glob, at)
        if found is None:
            return None
        stars, mark, opened, escaped, plain = found.groups()
        at = found.end()
        if stars:
            gap, at = _gap(glob, found.start(), at) if anchored else (_STAR, at)
            pieces.append(gap)
        elif opened:
            closed = _class(glob, at, fold=fold)
            if closed is None:
                return None
            members, at = closed
            pieces.append(members)
        else:
            pieces.append("[^/]" if mark else re.escape(escaped or (_lower(plain) if fold else plain)))
    return pieces


def _gap(glob: str, start: int, end: int) -> tuple[_Gap, int]:
    """Return what the stars between two places of a path's glob stand for, and where the glob goes on.

    Two stars are any number of directories where they stand alone between slashes. Git compares what comes before the
    first special character by itself, so that stars behind it count as the beginning: `a**/b` names `ab`.
    """
    behind = glob[end : end + 2]
    first = _SPECIAL.search(glob)
    alone = (first is not None and first.start() == start) or glob[start - 1] == "/"
    if end - start < 2 or not alone or not (behind[:1] in ("", "/") or behind == "\\/"):
        return _STAR, end
    return (_DIRECTORIES, end + 1) if behind.startswith("/") else (_ANYTHING, end)


def _joined(pieces: Sequence[str | _Gap]) -> str:
    """Join the pieces of a glob to an expression that never looks back for longer than it must.

    A gap takes as little as it can before what follows it, up to the next gap of its kind: taking more could never
    help. So each is an atomic group, and no pattern takes exponential time.
    """
    regex = ""
    opened: list[_Gap] = []
    for piece in pieces:
        if isinstance(piece, str):
            regex += piece
            continue
        while opened and (piece.deep or not opened[-1].deep):
            regex += ")"
            opened.pop()
        regex += f"(?>{piece.regex}"
        opened.append(piece)
    return regex + r"\Z" + ")" * len(opened)


# Character classes

_ITEM: Final = re.compile(r"\[:(?P<name>[^\]]*):\]|\\(?P<escaped>.)|(?P<plain>[^\\])", re.DOTALL)
_RANGE: Final = re.compile(r"-(?:\\(?P<escaped>.)|(?P<plain>[^\\\]]))", re.DOTALL)


def _class(glob: str, at: int, *, fold: bool) -> tuple[str, int] | None:
    """Translate the class behind a bracket, and say where the glob goes on; None if it is not closed, or unknown."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    members: set[int] = set()
    before = ""  # the character that a range could begin with
    while True:
        span = _RANGE.match(glob, at) if before else None
        found = span or _ITEM.match(glob, at)
        if found is None:
            return None
        told = found.groupdict()
        end = told["escaped"] or told["plain"] or ""
        more = _span(before, end, fold=fold) if span else _members(told.get("name"), end, fold=fold)
        if more is None:
            return None
        members |= more
        before = "" if span else end
        at = found.end()
        if glob.startswith("]", at):
            return _set_of(members, negated=negated), at + 1


def _span(first: str, last: str, *, fold: bool) -> set[int]:
    span = set(range(ord(first), ord(last) + 1))
    return span | {code + 32 for code in span & _NAMED["upper"]} if fold else span


def _members(name: str | None, character: str, *, fold: bool) -> AbstractSet[int] | None:
    if name is None:
        return {ord(character)}
    found = _NAMED.get(name)
    return _NAMED["alpha"] if fold and name == "upper" else found


def _set_of(members: AbstractSet[int], *, negated: bool) -> str:
    """Return a class that never holds a slash."""
    codes = members | {_SLASH} if negated else members - {_SLASH}
    listed = "".join(f"\\x{code:02x}" for code in sorted(codes))
    return f"[{'^' * negated}{listed}]" if codes else "(?!)"


def _codes(characters: str) -> frozenset[int]:
    return frozenset(map(ord, characters))


_SLASH: Final = ord("/")
# What git's own ctype says, whatever the locale: no vertical tab among white space, for one.
_NAMED: Final[Mapping[str, AbstractSet[int]]] = {
    "alnum": _codes(string.ascii_letters + string.digits),
    "alpha": _codes(string.ascii_letters),
    "blank": _codes(" \t"),
    "cntrl": frozenset({*range(0x20), 0x7F}),
    "digit": _codes(string.digits),
    "graph": frozenset(range(0x21, 0x7F)),
    "lower": _codes(string.ascii_lowercase),
    "print": frozenset(range(0x20, 0x7F)),
    "punct": _codes(string.punctuation),
    "space": _codes(" \t\n\r"),
    "upper": _codes(string.ascii_uppercase),
    "xdigit": _codes(string.hexdigits),
}
