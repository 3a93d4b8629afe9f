"""The recorded states of a store, read from `refs/mem/store`: which there are, what changed, and what each one held.

Every question starts at the commit that the ref named when it was read first, so that the answers of one command agree.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.entry.rules import SUFFIX, is_id
from gitmem.git.history import parents
from gitmem.git.objects import ObjectMissingError, TreeEntry, is_link
from gitmem.git.record import list_files, read_blobs
from gitmem.git.refs import STORE_REF, read_ref
from gitmem.git.run import LONG_LIMIT, Git
from gitmem.store.read import StoreContents, Unreadable, parse_contents
from gitmem.text import visible_line

_LAST_SECOND: Final = 253_402_300_799  # of the year 9999

_FORMAT: Final = "--format=tformat:%x01%H %P%x00%ct%x00%aN%x00%s%x00%B"
_LOG: Final = ("log", "-z", "--topo-order", "--encoding=UTF-8", "--no-decorate", "--no-notes", "--no-follow", _FORMAT)
_WITHOUT_CHANGES: Final = ("--no-patch",)
# Each parent apart, whatever log.diffMerges says: what a merge did is seen against all of them.
_WITH_CHANGES: Final = ("--raw", "--no-abbrev", "--no-renames", "--root", "--diff-merges=separate", "-O/dev/null")
_HEAD: Final = re.compile(r"^Mem-Head: ([0-9a-f]{40}|[0-9a-f]{64})$", re.MULTILINE)

Reached = Callable[[Collection[str]], Collection[str]]


@dataclass(frozen=True, slots=True)
class EntryChange:
    """What became of an entry: `A` added, `M` changed, `D` removed, as git names it."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded transaction.

    `date` is when it was recorded, in UTC; `head` where HEAD stood then, None if that is not said. `changes` come in
    the order of ids; of a merge they are what differs from all of its parents.
    """

    oid: str
    date: str
    author: str
    subject: str
    head: str | None
    changes: tuple[EntryChange, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """A state of one entry, and the transaction that recorded it.

    `number` is the n of `ID@{n}`, 0 for the newest; it counts contents only. Where the entry was removed there is no
    number and no blob.
    """

    ident: str
    number: int | None
    blob: str | None
    recorded: Recorded


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line of an entry, counted from 1, and the transaction that recorded it."""

    line: int
    commit: str
    date: str
    author: str
    text: str


class _Difference(NamedTuple):
    """What a commit has at a name and a parent has not: the blob, None where it removed the file."""

    status: str
    blob: str | None


@dataclass(slots=True)
class _Logged:
    """A commit as it is being read: `apart` holds what differs from each parent from which anything does."""

    oid: str
    parents: int
    seconds: int
    author: str
    subject: str
    head: str | None
    apart: list[dict[str, _Difference]] = field(default_factory=list)


class StoreHistory:
    """The history of a store. `worktree` is where git is asked: the top of a worktree, or a bare repository."""

    def __init__(self, git: Git, worktree: Path) -> None:
        self.git = git
        self.worktree = worktree

    @cached_property
    def tip(self) -> str | None:
        """The newest recorded commit, None before the first one. Raises RefDamagedError."""
        return read_ref(self.git, self.worktree, STORE_REF)

    def commits(self, ident: str | None = None, limit: int | None = None) -> list[Recorded]:
        """Return the recorded transactions, or those that changed one entry, newest first."""
        if ident is not None:
            return [version.recorded for version in self.states(ident)[:limit]]
        most = () if limit is None else (f"--max-count={limit}",)
        return [_recorded(found, _changed(found)) for found in self._log(*_WITH_CHANGES, *most)]

    def states(self, ident: str) -> list[Version]:
        """Return all states that an entry was recorded in, newest first: its contents, and where it was removed.

        Both sides of a merge count. The merge itself is a state where it says something that the one before does not.
        """
        name = f"{ident}{SUFFIX}"
        found = [
            (logged, _state(logged, name)) for logged in self._log(*_WITH_CHANGES, "--full-history", paths=(name,))
        ]
        kept = [
            (logged, state)
            for (logged, state), (_, before) in zip(found, [*found[1:], (None, None)], strict=False)
            if state is not None and not (logged.parents > 1 and before is not None and state.blob == before.blob)
        ]
        return list(_numbered(ident, kept))

    def versions(self, ident: str) -> list[Version]:
        """Return the contents that an entry was recorded with, newest first: what `ID@{n}` can name."""
        return [state for state in self.states(ident) if state.number is not None]

    def read(self, version: Version) -> bytes:
        """Return the content of a version. Raises what files_at raises."""
        name = f"{version.ident}{SUFFIX}"
        return self.files_at(version.recorded.oid, [name])[name]

    def tree(self, commit: str) -> dict[str, TreeEntry]:
        """Return the entry files of a recorded commit, by name."""
        listing = list_files(self.git, self.worktree, commit)
        return {name: entry for name, entry in listing.items() if is_entry_file(name)}

    def files_at(self, commit: str, names: Collection[str]) -> dict[str, bytes]:
        """Return the contents of those of the named files that a recorded commit has.

        A link inside the store is followed as it was then; one that leads nowhere is its own content. Raises
        ObjectMissingError.
        """
        listing = list_files(self.git, self.worktree, commit)
        meant = self._meant(listing, names)
        found = {name: listing[name] if entry is None else entry for name, entry in meant.items()}
        blobs = self._blobs(found.values())
        for entry in found.values():
            if entry.oid not in blobs:
                raise ObjectMissingError(entry.oid)
        return {name: blobs[entry.oid] for name, entry in found.items()}

    def contents_at(self, commit: str) -> StoreContents:
        """Return the entries as a commit has them, each in the state that its file gives; files are read as on disk.

        `commit` may also be the id of a tree.
        """
        listing = list_files(self.git, self.worktree, commit)
        meant = self._meant(listing, [name for name in listing if name.endswith(SUFFIX) and name[0] != "."])
        blobs = self._blobs(entry for entry in meant.values() if entry is not None)
        files: dict[str, bytes] = {}
        refused: list[Unreadable] = []
        for name, entry in meant.items():
            data = None if entry is None else blobs.get(entry.oid)
            if data is not None and len(data) <= MAX_BYTES:
                files[name] = data
            else:
                refused.append(Unreadable(visible_line(name), _why_not(listing[name], entry, data)))
        parsed = parse_contents(files)
        unreadable = sorted([*parsed.unreadable, *refused], key=lambda bad: bad.file)
        return replace(parsed, unreadable=tuple(unreadable))

    def before(self, commit: str) -> str | None:
        """Return the first parent of a recorded commit, None of the first one."""
        found = parents(self.git, self.worktree, [commit]).get(commit, ())
        return found[0] if found else None

    def oldest(self) -> str | None:
        """Return the first recorded commit, None where there is none."""
        return self._chain[-1].oid if self._chain else None

    def known_at(self, seconds: int, reached: Reached) -> str | None:
        """Return the newest recorded commit of what was known at a commit of the project, None if there is none.

        It was recorded by the time that the commit was made, `seconds` since 1970, or where HEAD was that commit or
        one before it. `reached` returns those of some commits that are so; it is asked once, for all that matter.
        """
        chain = self._chain
        in_time = next((at for at, found in enumerate(chain) if found.seconds <= seconds), len(chain))
        heads = {found.head for found in chain[:in_time] if found.head is not None}
        known = set(reached(heads)) if heads else set()
        return next((found.oid for found in chain if found.seconds <= seconds or found.head in known), None)

    def blame(self, commit: str, ident: str) -> list[BlamedLine]:
        """Return who recorded which line of an entry, as a recorded commit has it."""
        ask = ("blame", "--porcelain", "--no-textconv", "--no-ignore-revs-file", "--root", "--encoding=UTF-8", commit)
        answer = self.git.ask(*ask, "--", f"{ident}{SUFFIX}", cwd=self.worktree, limit=LONG_LIMIT)
        return list(_blamed(answer.stdout))

    def _meant(self, listing: Mapping[str, TreeEntry], names: Collection[str]) -> dict[str, TreeEntry | None]:
        """Return which files of a tree are meant by names that it has, None by a link to no regular file of it."""
        wanted = {name: listing[name] for name in sorted(names) if name in listing}
        targets = self._blobs(entry for entry in wanted.values() if is_link(entry.mode))
        meant = {
            name: listing.get(os.fsdecode(targets.get(entry.oid, b""))) if is_link(entry.mode) else entry
            for name, entry in wanted.items()
        }
        return {name: entry if entry is not None and entry.is_file else None for name, entry in meant.items()}

    def _blobs(self, entries: Iterable[TreeEntry]) -> dict[str, bytes]:
        return read_blobs(self.git, self.worktree, {entry.oid for entry in entries})

    @cached_property
    def _chain(self) -> list[_Logged]:
        """All recorded commits, newest first, without what they changed."""
        return self._log(*_WITHOUT_CHANGES)

    def _log(self, *options: str, paths: Sequence[str] = ()) -> list[_Logged]:
        if self.tip is None:
            return []
        answer = self.git.ask(*_LOG, *options, self.tip, "--", *paths, cwd=self.worktree, limit=LONG_LIMIT)
        return _parsed(answer.stdout)


def is_entry_file(name: str) -> bool:
    """Whether a name at the top of a recorded tree is that of an entry's file."""
    return name.endswith(SUFFIX) and is_id(name.removesuffix(SUFFIX))


def committed_at(git: Git, worktree: Path, commit: str) -> int:
    """Return when a commit was made, in seconds since 1970, as its committer's clock said."""
    ask = ("log", "-1", "--no-patch", "--no-decorate", "--format=%ct", commit, "--")
    return int(git.ask(*ask, cwd=worktree).line())


def iso_date(seconds: int) -> str:
    """Return a time in seconds since 1970 as entries hold dates."""
    moment = datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), UTC)
    return moment.replace(tzinfo=None).isoformat() + "Z"


def _parsed(stream: bytes) -> list[_Logged]:
    """Return the commits that a log tells of: a merge is one, though git tells of it once for each parent."""
    items = iter(stream.split(b"\0"))
    logged: dict[str, _Logged] = {}
    apart: dict[str, _Difference] = {}
    for item in items:
        if item.startswith(b"\x01"):
            apart = {}
            found = _header(item, items)
            logged.setdefault(found.oid, found).apart.append(apart)
        elif item.strip():
            _, mode, _, blob, status = item.decode("ascii").split()
            name = os.fsdecode(next(items))
            if is_entry_file(name):
                apart[name] = _Difference(status, blob if int(mode, 8) else None)
    return list(logged.values())


def _header(first: bytes, items: Iterator[bytes]) -> _Logged:
    oid, *parents = first[1:].decode("ascii").split()
    seconds, author, subject, body = (next(items).decode("utf-8", "replace") for _ in range(4))
    heads = _HEAD.findall(body)
    return _Logged(oid, len(parents), int(seconds), author, subject, heads[-1] if heads else None)


def _recorded(logged: _Logged, changes: Mapping[str, _Difference]) -> Recorded:
    return Recorded(
        oid=logged.oid,
        date=iso_date(logged.seconds),
        author=logged.author,
        subject=logged.subject,
        head=logged.head,
        changes=tuple(EntryChange(name.removesuffix(SUFFIX), changes[name].status) for name in sorted(changes)),
    )


def _changed(logged: _Logged) -> dict[str, _Difference]:
    """Return what differs from every parent."""
    if len(logged.apart) < logged.parents:
        return {}
    first, *others = logged.apart
    return {name: found for name, found in first.items() if all(name in other for other in others)}


def _state(logged: _Logged, name: str) -> _Difference | None:
    """Return what a commit made of a file, seen against the first parent from which it differs."""
    return next((apart[name] for apart in logged.apart if name in apart), None)


def _numbered(ident: str, states: Sequence[tuple[_Logged, _Difference]]) -> Iterator[Version]:
    number = 0
    for logged, state in states:
        recorded = _recorded(logged, {f"{ident}{SUFFIX}": state})
        yield Version(ident, None if state.blob is None else number, state.blob, recorded)
        number += state.blob is not None


def _why_not(listed: TreeEntry, meant: TreeEntry | None, data: bytes | None) -> str:
    if meant is None:
        return "a symbolic link to no regular file" if is_link(listed.mode) else "not a regular file"
    return "its content is not in this repository" if data is None else f"larger than {MAX_BYTES >> 10} KiB"


def _blamed(stream: bytes) -> Iterator[BlamedLine]:
    """Read blame's porcelain form: what it says of a commit stands at the first of its lines only."""
    told: dict[str, dict[str, str]] = {}
    commit, number = "", 0
    for line in stream.split(b"\n"):
        if line.startswith(b"\t"):
            of = told[commit]
            text = line[1:].decode("utf-8", "surrogateescape")
            yield BlamedLine(number, commit, iso_date(int(of["committer-time"])), of["author"], text)
            commit = ""
        elif not commit and line:
            commit, _, number_text = line.decode("ascii").split(" ")[:3]
            number = int(number_text)
            told.setdefault(commit, {})
        elif line:
            key, _, value = line.decode("utf-8", "replace").partition(" ")
            told[commit][key] = value
