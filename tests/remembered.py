"""Entries written and judged as the tool does it, in the test's own process."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from world import Repo, listing

from gitmem.entry.model import SourceRef
from gitmem.evidence.verdict import EntryVerdict, Finding
from gitmem.porcelain.add import Proposal, add
from gitmem.porcelain.check import Aim, check
from gitmem.workspace import Workspace, open_workspace

# What reading may write: only what is kept about the history, which is derived and never needed.
WRITTEN_BY_READING = (".git/mem",)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TEXT = "".join(f"line {number}\n" for number in range(1, 13))


def workspace(repo: Repo, env: Mapping[str, str] | None = None) -> Workspace:
    """Open the workspace of a worktree; each command has one of its own."""
    return open_workspace(repo.path, {**repo.world.env, **(env or {})})


def remember(repo: Repo, title: str, *files: str, commits: Sequence[str] = ()) -> str:
    """Add an entry that cites these places and commits, and return its id."""
    proposal = Proposal(title=title, files=files, commits=tuple(commits))
    return add(workspace(repo), proposal, now=NOW, at_terminal=False).id


def file_of(repo: Repo, ident: str) -> Path:
    """Return the file of an entry; `repo` is the main checkout."""
    return repo.path / ".klide" / "memory" / f"{ident}.md"


def refs_of(repo: Repo, ident: str) -> tuple[SourceRef, ...]:
    """Return the sourceRefs of an entry as they are on disk."""
    return workspace(repo).entry(ident)[0].source_refs


def judged(repo: Repo, ident: str, *, at: str | None = None) -> EntryVerdict:
    """Return what a check says of one entry."""
    (found,) = check(workspace(repo), [ident], aim=Aim(at=at)).entries
    return found


def findings(repo: Repo, ident: str, *, at: str | None = None) -> list[Finding]:
    """Return what a check says of each sourceRef of one entry."""
    return [judgement.finding for judgement in judged(repo, ident, at=at).judgements]


def reasons(repo: Repo, ident: str, *, at: str | None = None) -> list[str]:
    """Return the reason for each sourceRef of one entry."""
    return [str(finding.reason) for finding in findings(repo, ident, at=at)]


class State(NamedTuple):
    """A path as it is: kind, mode, inode, time of change, and content if it is a file or a link."""

    mode: int
    inode: int
    changed: int
    content: bytes


def state(directory: Path) -> dict[str, State]:
    """Return every path below a directory with all that a write would change, times included."""
    found = {}
    for name, content in listing(directory).items():
        if name.startswith(WRITTEN_BY_READING):
            continue
        status = (directory / name).lstat()
        found[name] = State(status.st_mode, status.st_ino, status.st_mtime_ns, content)
    return found


def only_line(data: bytes, key: str) -> bytes:
    """Return the one line of an entry file that begins with a key."""
    (line,) = [line for line in data.split(b"\n") if line.startswith(os.fsencode(key))]
    return line
