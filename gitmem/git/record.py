"""Writes objects: blobs, trees and commits; reads blobs in batches. Moves no ref and touches no index."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from gitmem.git.objects import TREE_MODE, TreeEntry
from gitmem.git.run import LONG_LIMIT, Git, GitFailedError

_NOBODY: Final = {"name": "git mem", "email": "git-mem@localhost"}

_CRUD: Final = " .,:;<>\"\\'" + "".join(map(chr, range(32)))  # what git strips from the ends of names


def durable(git: Git) -> Git:
    """Return one whose objects and refs are on the disk when it ends, whatever the configuration says.

    It runs no hook: what a person's reference-transaction hook is there for is not the history of entries.
    """
    quiet = git.configured(f"core.hooksPath={os.devnull}")
    return quiet.configured("core.fsync=committed,reference").configured("core.fsyncMethod=fsync")


def _soon_durable(git: Git) -> Git:
    """Return one whose objects are on their way to the disk: the commit that is made of them waits for all of them.

    That is what git's own "batch" does, where it does it (git-config, core.fsyncMethod); thousands of entries at
    once would take thousands of waits.
    """
    return durable(git).configured("core.fsyncMethod=writeout-only")


def write_blobs(git: Git, worktree: Path, directory: Path, names: Sequence[str]) -> list[str]:
    """Store files of a directory as blobs, byte for byte, and return their ids in the same order.

    `directory` is absolute and need not lie in a worktree. A symbolic link is followed: what is to be stored as a
    link goes through write_blob. Raises GitFailedError where a file cannot be read.
    """
    if not names:
        return []
    feed = b"".join(_quoted(os.fsencode(directory / name)) + b"\n" for name in names)
    ask = ("hash-object", "-w", "--no-filters", "--stdin-paths")
    return _soon_durable(git).ask(*ask, cwd=worktree, feed=feed, limit=LONG_LIMIT).line().split("\n")


def _quoted(path: bytes) -> bytes:
    """Return a path in the quotes that git puts around odd ones and that hash-object takes: it may hold line feeds."""
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def write_blob(git: Git, worktree: Path, content: bytes) -> str:
    """Store one content as a blob and return its id."""
    return _soon_durable(git).ask("hash-object", "-w", "--no-filters", "--stdin", cwd=worktree, feed=content).line()


def write_tree(git: Git, worktree: Path, entries: Mapping[str, TreeEntry]) -> str:
    """Store a tree of one level and return its id; the objects that it names need not be here."""
    feed = b"".join(_tree_line(name, entry) for name, entry in entries.items())
    return _soon_durable(git).ask("mktree", "-z", "--missing", cwd=worktree, feed=feed).line()


def _tree_line(name: str, entry: TreeEntry) -> bytes:
    kind = "tree" if entry.mode == TREE_MODE else "blob"
    return f"{entry.mode:06o} {kind} {entry.oid}\t".encode("ascii") + os.fsencode(name) + b"\0"


def write_commit(git: Git, worktree: Path, tree: str, parents: Sequence[str], message: str) -> str:
    """Store a commit and return its id. Author and committer are the person whom git knows, else git mem."""
    asking = durable(git).configured("i18n.commitEncoding=UTF-8")
    words = ["commit-tree", "--no-gpg-sign", *(word for parent in parents for word in ("-p", parent)), tree]
    feed = message.encode("utf-8")
    try:
        return asking.ask(*words, cwd=worktree, feed=feed).line()
    except GitFailedError:  # most likely because git knows nobody; whatever else it is, it fails again
        return _with_identity(asking, worktree).ask(*words, cwd=worktree, feed=feed).line()


def _with_identity(git: Git, worktree: Path) -> Git:
    """Return a git that is told who it is, as far as it does not know."""
    known = _known(git, worktree)
    missing = {
        f"GIT_{role.upper()}_{part.upper()}": value
        for role in ("author", "committer")
        for part, value in _NOBODY.items()
        if not known & {f"{role}.{part}", f"user.{part}"}
    }
    return replace(git, environ={**git.environ, **missing})


def _known(git: Git, worktree: Path) -> set[str]:
    """Return the configuration keys that give a name or an address; what the environment gives is told by them too."""
    ask = ("config", "-z", "--get-regexp", r"^(user|author|committer)\.(name|email)$")
    pairs = [item.partition("\n") for item in git.ask(*ask, cwd=worktree, accept=(0, 1)).items()]
    values = {key: value for key, _, value in pairs}
    for role in ("author", "committer"):
        for part in _NOBODY:
            values[f"{role}.{part}"] = git.environ.get(f"GIT_{role}_{part}".upper()) or values.get(f"{role}.{part}", "")
    return {key for key, value in values.items() if value.strip(_CRUD)}


def list_files(git: Git, worktree: Path, commit: str) -> dict[str, TreeEntry]:
    """Return what stands at the top of a commit's tree. Raises GitFailedError where the one or the other is missing."""
    answer = git.ask("ls-tree", "-z", "--full-tree", commit, cwd=worktree)
    return dict(_listed(answer.items()))


def _listed(items: Iterable[str]) -> Iterator[tuple[str, TreeEntry]]:
    for item in items:
        head, _, name = item.partition("\t")
        mode, _kind, oid = head.split(" ")
        yield name, TreeEntry(int(mode, 8), oid)


def read_blobs(git: Git, worktree: Path, oids: Collection[str]) -> dict[str, bytes]:
    """Return the contents of blobs; those that are not here, or damaged, are absent, and nothing is fetched."""
    if not oids:
        return {}
    try:
        return _contents(git, worktree, oids)
    except GitFailedError:  # git gives up at an object that a remote promises, and at one that is damaged
        return _contents(git, worktree, _readable(git, worktree, oids))


def present(git: Git, worktree: Path, oids: Collection[str]) -> set[str]:
    """Return those of the objects that are here; nothing is fetched."""
    if not oids:
        return set()
    ask = ("cat-file", "--batch-check", "--buffer")
    try:
        answer = git.ask(*ask, cwd=worktree, feed=_lines(oids), limit=LONG_LIMIT).stdout.decode("ascii")
    except GitFailedError:
        return _readable(git, worktree, oids)
    return {line.split(" ")[0] for line in answer.splitlines() if not line.endswith(" missing")}


def _readable(git: Git, worktree: Path, oids: Collection[str]) -> set[str]:
    verified = ("rev-list", "--no-walk", "--verify-objects", "--no-object-names")
    leniently = ("--missing=allow-any", "--ignore-missing", "--stdin")  # what stands before --stdin counts for it
    answer = git.ask(*verified, *leniently, cwd=worktree, feed=_lines(oids), limit=LONG_LIMIT)
    return set(answer.stdout.decode("ascii").split()) & set(oids)


def _lines(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode("ascii")


def _contents(git: Git, worktree: Path, oids: Collection[str]) -> dict[str, bytes]:
    answer = git.ask("cat-file", "--batch", "--buffer", cwd=worktree, feed=_lines(oids), limit=LONG_LIMIT).stdout
    found: dict[str, bytes] = {}
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        words = answer[at:end].decode("ascii").split(" ")
        at = end + 1
        if len(words) == 3:  # <oid> <kind> <size>; otherwise <oid> missing
            found[words[0]] = answer[at : at + int(words[2])]
            at += int(words[2]) + 1
    return found
