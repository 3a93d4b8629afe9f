"""From what a person cites to a sourceRef with its anchor: what exactly was looked at, and when."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from gitmem.entry.model import SourceRef, SourceType
from gitmem.errors import GitMemError
from gitmem.evidence.lines import split_lines, text_hash
from gitmem.evidence.paths import normalise
from gitmem.evidence.target import Found, look_at, worktree_of
from gitmem.evidence.verdict import Finding
from gitmem.git.checkout import FileKind
from gitmem.git.repository import Repository
from gitmem.text import HIDDEN, visible, visible_line
from gitmem.text.content import is_binary

_RANGE: Final = re.compile(r"(?P<path>.+):(?P<start>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9}))?", re.DOTALL)

_REFUSALS: Final = {
    FileKind.MISSING: "there is no such file",
    FileKind.DIRECTORY: "it is a directory: cite a file in it",
    FileKind.SYMLINK: "it is a symbolic link: cite the file that it points at",
    FileKind.VIA_SYMLINK: "it lies behind a symbolic link: cite its real path",
    FileKind.IN_REPOSITORY: "it lies in another repository or a submodule: run `git mem add` there",
    FileKind.TOO_BIG: "it is over 5 MiB: cite a smaller file",
    FileKind.UNREADABLE: "it cannot be read: look at its permissions",
    FileKind.OTHER: "it is no regular file",
    FileKind.LOST: "its content is not in this repository",
}


class CitationError(GitMemError):
    """A cited path or line cannot be evidence. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Spec:
    """What a person wrote: a path relative to the worktree, and the lines (1-based, inclusive) if there were any."""

    path: str
    lines: tuple[int, int] | None


def anchor_commits(repository: Repository, revisions: Sequence[str]) -> list[SourceRef]:
    """Return a commit sourceRef with its full id for each revision. Raises RevisionError."""
    commits = [repository.resolve_commit(revision) for revision in revisions]
    return [SourceRef(source_type=SourceType.COMMIT, id=commit) for commit in dict.fromkeys(commits)]


def anchor_files(repository: Repository, directory: Path, citations: Sequence[str]) -> list[SourceRef]:
    """Return an anchored file sourceRef for each `PATH[:START[-END]]`.

    Paths are relative to `directory`. The anchor is the content in the worktree, committed or not. Raises
    CitationError.
    """
    specs = [parse_citation(repository.place.worktree, directory, citation) for citation in citations]
    found = look_at(worktree_of(repository), {spec.path for spec in specs})
    return [anchor_spec(repository, spec, found[spec.path]) for spec in dict.fromkeys(specs)]


def parse_citation(worktree: Path, directory: Path, citation: str) -> Spec:
    """Split a citation into path and lines; a file that has the very name of the whole citation wins.

    Raises CitationError for a path outside the worktree, in `.git`, or not UTF-8.
    """
    path, lines = _split(directory, citation)
    return Spec(_relative(worktree, directory, path), lines)


def parse_place(worktree: Path, directory: Path, text: str) -> Spec:
    """Split a `PATH[:START[-END]]` that is asked about; it may be a directory, `.` for the top, or gone.

    Raises CitationError for a path outside the worktree or not UTF-8, and for lines that are no range.
    """
    path, lines = _split(directory, text)
    if lines is not None and not 1 <= lines[0] <= lines[1]:
        raise CitationError(f"{_range(lines)} is no range of lines: write START-END, from 1 on")
    plain = inside(worktree, directory, path)
    return Spec("." if not plain.parts else _relative(worktree, directory, path), lines)


def _split(directory: Path, citation: str) -> tuple[str, tuple[int, int] | None]:
    match = _RANGE.fullmatch(citation)
    if match is None or os.path.lexists(directory / citation):
        return citation, None
    start = int(match["start"])
    return match["path"], (start, int(match["end"] or start))


def _range(lines: tuple[int, int]) -> str:
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}"


def inside(worktree: Path, directory: Path, path: str) -> PurePosixPath:
    """Return a path as typed in `directory`, relative to the worktree's top; it need not exist.

    Raises CitationError for a path outside the worktree, or not UTF-8.
    """
    if not path:
        raise CitationError("the path is empty: name a file")
    if any("\ud800" <= character <= "\udfff" for character in path):
        raise CitationError(f"{visible_line(path)} is not UTF-8, so an entry cannot cite it: rename the file")
    absolute = Path(os.path.normpath(directory / path))
    if not absolute.is_relative_to(worktree):
        # Written with a symbolic link above the worktree, it may still lie inside.
        absolute = Path(os.path.realpath(absolute.parent)) / absolute.name
    if not absolute.is_relative_to(worktree):
        raise CitationError(f"'{path}' is outside the worktree {worktree}: cite a file inside it")
    return PurePosixPath(absolute.relative_to(worktree).as_posix())


def _relative(worktree: Path, directory: Path, path: str) -> str:
    plain = normalise(str(inside(worktree, directory, path)))
    if isinstance(plain, Finding):
        raise CitationError(f"'{path}' can be no evidence: {plain.message}")
    if any(ord(character) > 0xFFFF and HIDDEN.match(character) for character in plain):
        raise CitationError(f"'{visible(plain)}' has hidden characters that an entry cannot hold: rename the file")
    return plain


def anchor_spec(repository: Repository, spec: Spec, found: Found) -> SourceRef:
    """Return the anchored sourceRef of a path and its lines, of which `found` is there. Raises CitationError."""
    kind = FileKind.IN_REPOSITORY if found.submodule else found.kind
    if kind is not FileKind.REGULAR:
        raise CitationError(f"{spec.path} cannot be cited: {_REFUSALS[kind]}")
    if found.unmerged:
        raise CitationError(f"{spec.path} cannot be cited: it has conflicts: resolve the merge first")
    if found.unfiltered is not None and not repository.is_clean(spec.path):
        raise CitationError(
            f"{spec.path} cannot be cited: only its clean filter '{found.unfiltered}' could tell what git would store, "
            "and no filter is run: commit the file first"
        )
    lines = split_lines(found.data)
    start, end = spec.lines or (1, len(lines))
    if spec.lines is not None and not 1 <= start <= end <= len(lines):
        count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
        raise CitationError(f"{spec.path} has {count}, so {_range((start, end))} cannot be cited: correct the range")
    hashed = None if is_binary(found.data) else text_hash(lines[start - 1 : end])
    return SourceRef(
        source_type=SourceType.FILE,
        id=spec.path,
        path=spec.path,
        line_start=None if spec.lines is None else start,
        line_end=None if spec.lines is None else end,
        commit=repository.head.oid,
        blob=found.blob,
        text_hash=hashed,
    )
