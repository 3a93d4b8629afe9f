"""Takes text out of the history of a ref, and out of the object database as far as that can be done.

A history is rewritten on its way from `git fast-export` to `git fast-import`. What only the old one reaches is then
removed, where it lies in files of its own: packs are git's to repack, and other repositories' objects are theirs.
"""

import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from gitmem.errors import GitMemError
from gitmem.git.alternates import object_directories
from gitmem.git.commit_graph import has_commit_graph, open_commit_graph
from gitmem.git.objects import ObjectFormat
from gitmem.git.record import durable, present
from gitmem.git.run import LONG_LIMIT, Git, GitFailedError, GitTimeoutError, complaint

_REWRITING: Final = b"refs/mem/rewriting/store"  # fast-import wants a name; the ref itself is never made

_PUT: Final = re.compile(rb"^M [0-7]+ (?P<oid>[0-9a-f]{40}|[0-9a-f]{64}) .*\n", re.MULTILINE)

_PLACEHOLDER: Final = b"(forgotten)"

# Below this number of objects fast-import leaves no pack, so that they too can be removed some day.
_UNPACK_LIMIT: Final = 1_000_000


class HistoryFormatError(GitMemError):
    """Git told a history in words that are not known here. Nothing was changed."""

    def __init__(self, line: bytes) -> None:
        super().__init__(
            f"git fast-export wrote what git mem does not know ({line[:40]!r}): nothing was changed; report it"
        )


# Rewriting


def rewrite(  # noqa: PLR0917 - where, what, and what to take out of it
    git: Git,
    worktree: Path,
    tip: str,
    ids: Collection[str],
    mend: Callable[[bytes], bytes],
    marks: Sequence[str] = (),
) -> str | None:
    """Store a copy of a history without the entries of the given ids, and return its tip; no ref moves.

    See filter_history for what is taken out. None means that nothing is left. Raises GitFailedError where the history
    is not wholly here, and HistoryFormatError.
    """
    ask = ("fast-export", "--signed-tags=strip", "--reencode=yes", "--no-renames")
    try:
        exported = git.ask(*ask, tip, cwd=worktree, limit=LONG_LIMIT).stdout
    except GitFailedError:  # perhaps it is only contents that are lost: what is left goes without them
        exported = git.ask(*ask, "--no-data", tip, cwd=worktree, limit=LONG_LIMIT).stdout
        exported = _without_lost(git, worktree, exported)
    stream = filter_history(exported, ids, mend, marks)
    return None if stream is None else _imported(git, worktree, stream)


def _without_lost(git: Git, worktree: Path, exported: bytes) -> bytes:
    """Return a history that names contents by their ids, with those that are not here taken out of its files.

    Nothing but the lines that put a file in its place can look like one: messages and contents are told by their size.
    """
    named = {put["oid"] for put in _PUT.finditer(exported)}
    here = {oid.encode("ascii") for oid in present(git, worktree, [oid.decode("ascii") for oid in named])}
    parts: list[bytes] = []
    reader = _Reader(exported)
    while not reader.ended:
        if reader.at_data:
            parts.append(_data(reader.data()))
            continue
        line = reader.line()
        put = _PUT.match(line + b"\n")
        if put is None or put["oid"] in here:
            parts.append(line + b"\n")
    return b"".join(parts)


def _imported(git: Git, worktree: Path, stream: bytes) -> str:
    importing = durable(git).configured(f"fastimport.unpackLimit={_UNPACK_LIMIT}")
    try:
        return importing.ask("fast-import", "--quiet", cwd=worktree, feed=stream, limit=LONG_LIMIT).line()
    except GitFailedError:
        _remove_reports(git, worktree)
        raise


def _remove_reports(git: Git, worktree: Path) -> None:
    """Remove the reports that a failed fast-import leaves of the commands that it read: these may name entries."""
    git_dir = Path(git.ask("rev-parse", "--absolute-git-dir", cwd=worktree).line())
    for report in git_dir.glob("fast_import_crash_*"):
        if _REWRITING in report.read_bytes():
            report.unlink(missing_ok=True)


class _Change(NamedTuple):
    """What a commit does to a path: the line that says so, and the mark of the blob that it puts there, if any."""

    line: bytes
    path: bytes
    blob: bytes | None


class _Blob(NamedTuple):
    mark: bytes
    content: bytes


class _Commit(NamedTuple):
    """A commit; `people` are the lines of its author and its committer, `changes` count from the first parent."""

    mark: bytes
    people: Sequence[bytes]
    message: bytes
    parents: Sequence[bytes | None]
    changes: Sequence[_Change]


def filter_history(
    stream: bytes, ids: Collection[str], mend: Callable[[bytes], bytes], marks: Sequence[str] = ()
) -> bytes | None:
    """Turn what `git fast-export` wrote of one tip into what `git fast-import` shall read; it answers with the new tip.

    Left out are the files `<id>.md` at the top, the blobs that stand nowhere else, and the commits that did nothing to
    any other file. `mend` is applied to the contents that stay; the ids, and the words in `marks`, are replaced in
    messages. None means that no commit is left. Raises HistoryFormatError.
    """
    commands = list(_commands(stream))
    kept, tip = _kept_commits(commands, {f"{ident}.md".encode() for ident in ids})
    if tip is None:
        return None
    cleared = _clearing([*ids, *marks])
    used = {change.blob for commit in kept.values() for change in commit.changes}
    parts = [b"feature done\n"]
    for command in commands:
        if isinstance(command, _Blob):
            if command.mark in used:
                parts.append(b"blob\nmark %s\n%s" % (command.mark, _data(mend(command.content))))
        elif command.mark in kept:
            parts.append(_commit_text(kept[command.mark], cleared))
    # The last reset leaves the name without a commit, so that fast-import makes no ref.
    return b"".join([*parts, b"get-mark %s\nreset %s\ndone\n" % (tip, _REWRITING)])


def _kept_commits(
    commands: Sequence[_Blob | _Commit], forgotten: Collection[bytes]
) -> tuple[Mapping[bytes, _Commit], bytes | None]:
    """Return the commits that stay, without the forgotten paths, and the tip: the last one, or what stands for it."""
    kept: dict[bytes, _Commit] = {}
    heirs: dict[bytes | None, bytes | None] = {}  # what stands for a commit in the new history
    tip: bytes | None = None
    for command in commands:
        if isinstance(command, _Commit):
            changes = [change for change in command.changes if change.path not in forgotten]
            parents = [heirs[parent] for parent in command.parents]
            if len(parents) < 2 and command.changes and not changes:
                tip = parents[0] if parents else None
            else:
                tip = command.mark
                kept[tip] = command._replace(parents=parents, changes=changes)
            heirs[command.mark] = tip
    return kept, tip


def _commit_text(commit: _Commit, cleared: Callable[[bytes], bytes]) -> bytes:
    first, *others = commit.parents or [None]
    merged = dict.fromkeys(parent for parent in others if parent is not None and parent != first)
    return b"".join(
        [
            # Without it a commit that names no parent would get the one before it.
            b"reset %s\n" % _REWRITING if first is None else b"",
            b"commit %s\nmark %s\n" % (_REWRITING, commit.mark),
            *(line + b"\n" for line in commit.people),
            _data(cleared(commit.message)),
            b"" if first is None else b"from %s\n" % first,
            *(b"merge %s\n" % parent for parent in merged),
            *(change.line + b"\n" for change in commit.changes),
            b"\n",
        ]
    )


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _clearing(words: Collection[str]) -> Callable[[bytes], bytes]:
    """Return what replaces the words in a message, where they stand for themselves or for the file of that name.

    A dot behind one belongs to it only where it goes on behind the dot.
    """
    if not words:
        return lambda message: message
    longest_first = sorted((word.encode() for word in words), key=lambda word: (-len(word), word))
    any_word = b"|".join(map(re.escape, longest_first))
    pattern = re.compile(rb"(?<![A-Za-z0-9._-])(?:%s)(?:\.md)?(?!\.*[A-Za-z0-9_-])" % any_word)
    return lambda message: pattern.sub(_PLACEHOLDER, message)


class _Reader:
    """Reads a fast-export stream line by line, and its data by their size (git-fast-import, "Input Format")."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        self._at = 0

    @property
    def at_data(self) -> bool:
        """Whether a block of data comes next."""
        return self._stream.startswith(b"data ", self._at)

    @property
    def ended(self) -> bool:
        """Whether everything was read."""
        return self._at >= len(self._stream)

    def line(self) -> bytes:
        """Read one line."""
        end = self._stream.find(b"\n", self._at)
        end = len(self._stream) if end < 0 else end
        found = self._stream[self._at : end]
        self._at = end + 1
        return found

    def take(self, word: bytes) -> bytes | None:
        """Read one line if it begins with the word, and return the rest of it; else read nothing."""
        return self.line().removeprefix(word) if self._stream.startswith(word, self._at) else None

    def must(self, word: bytes) -> bytes:
        """Read one line, which has to begin with the word, and return the rest of it."""
        found = self.take(word)
        if found is None:
            raise HistoryFormatError(self.line())
        return found

    def data(self) -> bytes:
        """Read a block of data, and the line end that may follow it."""
        size = int(self.must(b"data "))
        found = self._stream[self._at : self._at + size]
        self._at += size
        if self._stream.startswith(b"\n", self._at):
            self._at += 1
        return found


_WITHOUT_DATA: Final = (b"reset ", b"from ", b"feature ", b"progress ", b"done")


def _commands(stream: bytes) -> Iterator[_Blob | _Commit]:
    reader = _Reader(stream)
    while not reader.ended:
        line = reader.line()
        if line == b"blob":
            yield _read_blob(reader)
        elif line.startswith(b"commit "):
            yield _read_commit(reader)
        elif line and not line.startswith(_WITHOUT_DATA):
            raise HistoryFormatError(line)


def _read_blob(reader: _Reader) -> _Blob:
    mark = reader.must(b"mark ")
    reader.take(b"original-oid ")
    return _Blob(mark, reader.data())


def _read_commit(reader: _Reader) -> _Commit:
    mark = reader.must(b"mark ")
    reader.take(b"original-oid ")
    people = [word + line for word in (b"author ", b"committer ") if (line := reader.take(word)) is not None]
    message = reader.data()
    parents = [mark for word in (b"from ", b"merge ") for mark in _repeated(reader, word)]
    return _Commit(mark, people, message, parents, list(_read_changes(reader)))


def _repeated(reader: _Reader, word: bytes) -> Iterator[bytes]:
    while (found := reader.take(word)) is not None:
        yield found


def _read_changes(reader: _Reader) -> Iterator[_Change]:
    while True:
        if (put := reader.take(b"M ")) is not None:
            _mode, blob, path = put.split(b" ", 2)
            yield _Change(b"M " + put, _unquoted(path), blob)
        elif (gone := reader.take(b"D ")) is not None:
            yield _Change(b"D " + gone, _unquoted(gone), None)
        elif reader.take(b"deleteall") is not None:
            yield _Change(b"deleteall", b"", None)
        else:
            return


def _unquoted(path: bytes) -> bytes:
    """Return a path without the quotes and escapes of C in which git may write it."""
    return path[1:-1].decode("unicode_escape").encode("latin-1") if path.startswith(b'"') else path


# Removing


@dataclass(frozen=True, slots=True)
class Pruned:
    """What became of objects that were to be removed.

    `removed` is the number of those that are gone now. `packed` are still here because they lie in a pack, or in the
    objects of another repository; `reachable` because a ref, a reflog, an index or a HEAD still reaches them. `failed`
    is the reason why not all was done that could be.
    """

    removed: int
    packed: tuple[str, ...]
    reachable: tuple[str, ...]
    failed: str | None = None


def candidates(git: Git, worktree: Path, old: str, new: str | None) -> list[str]:
    """Return the objects that one commit reaches and another does not, each before the one that leads to it.

    So that whoever stops on the way can ask again: contents come before their trees, trees before their commits. Raises
    GitFailedError where commits are missing.
    """
    reached = _reached_by(git, worktree, old, *([] if new is None else [f"^{new}"]))
    # The negation stops at the newest commits that both have; what older ones hold is taken out here.
    kept = set() if new is None else set(_reached_by(git, worktree, new))
    return [oid for oid in reversed(reached) if oid not in kept]


def _reached_by(git: Git, worktree: Path, *commits: str) -> list[str]:
    ask = ("rev-list", "--objects", "--no-object-names", "--missing=allow-any", *commits)
    return git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).stdout.decode("ascii").split()


def prune(git: Git, worktree: Path, common_dir: Path, oids: Collection[str]) -> Pruned:
    """Remove those of the objects that nothing reaches and that lie in files of their own, in the given order.

    What reaches an object is what `git gc` goes by: all refs, and the HEADs, reflogs and indexes of all worktrees. If
    that cannot be found out nothing is removed.
    """
    loose = {oid: path for oid in oids if (path := common_dir / "objects" / oid[:2] / oid[2:]).exists()}
    reachable: set[str] = set()
    failed: str | None = None
    if oids:
        try:
            reachable = _reachable(git, worktree, set(oids))
            failed = _remove(path for oid, path in loose.items() if oid not in reachable)
            _renew_graph(git, worktree, common_dir, loose.keys() - reachable)
        except (GitFailedError, GitTimeoutError) as error:
            failed = (isinstance(error, GitFailedError) and complaint(error.stderr)) or error.message
    here = present(git, worktree, [oid for oid in oids if oid not in reachable])
    return Pruned(
        removed=sum(oid not in reachable and oid not in here for oid in loose),
        packed=tuple(oid for oid in oids if oid in here),
        reachable=tuple(oid for oid in oids if oid in reachable),
        failed=failed,
    )


def _reachable(git: Git, worktree: Path, oids: set[str]) -> set[str]:
    everything = ("--all", "--reflog", "--indexed-objects", "--missing=allow-promisor")
    # A damaged commit-graph must not hide what is still needed.
    walking = git.configured("core.commitGraph=false")
    ask = ("rev-list", "--objects", "--no-object-names", *everything)
    lines = io.BytesIO(walking.ask(*ask, cwd=worktree, limit=LONG_LIMIT).stdout)
    return {oid for line in lines if (oid := line.decode("ascii").rstrip("\n")) in oids}


def _remove(paths: Iterator[Path]) -> str | None:
    """Remove files; return why one could not be removed."""
    failed: str | None = None
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            failed = f"cannot remove {path}: {error.strerror}"
    return failed


def _renew_graph(git: Git, worktree: Path, common_dir: Path, removed: Collection[str]) -> None:
    """Write the commit-graph anew if a removed commit is in it: `git fsck` would miss the commit there."""
    objects = common_dir / "objects"
    if not removed or not has_commit_graph([objects]):
        return
    object_format = next(each for each in ObjectFormat if each.digits == len(next(iter(removed))))
    graph = open_commit_graph(object_directories(common_dir), object_format)
    if graph is not None and any(graph.position(oid) is not None for oid in removed):
        chained = (objects / "info" / "commit-graphs" / "commit-graph-chain").exists()
        split = ["--split=replace"] if chained else []
        git.ask("commit-graph", "write", "--reachable", "--no-progress", *split, cwd=worktree, limit=LONG_LIMIT)
