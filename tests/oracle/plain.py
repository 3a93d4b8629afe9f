"""What git says of a history when it is asked slowly and plainly: one process a question, nothing clever."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from oracle.story import ANY
from world import Repo

_REVERTS: Final = re.compile(
    r"^This reverts commit ([0-9a-f]{40})(?:, reversing\s+changes made to ([0-9a-f]{40}))?\.", re.MULTILINE
)
_NO_WORK: Final = ("refs/stash", "refs/mem/", "refs/notes/", "refs/replace/")


class Message(NamedTuple):
    """A commit that says that it reverts another, with the parent that a reverted merge was taken back to."""

    oid: str
    target: str
    kept: str | None


@dataclass(slots=True, weakref_slot=True)
class Answers:
    """Answers that were given already, by question; git's history does not change while it is asked."""

    ancestors: dict[tuple[str, str], bool] = field(default_factory=dict)
    patches: dict[str, str | None] = field(default_factory=dict)
    contents: dict[tuple[str, str], bytes | None] = field(default_factory=dict)


class History:
    """The history of one commit, as the worktree that asks sees it."""

    def __init__(self, repo: Repo, tip: str, answers: Answers) -> None:
        self.repo = repo
        self.tip = tip
        self._answers = answers
        self._undoing: set[str] = set()

    def _ask(self, *args: str, feed: bytes = b"") -> bytes:
        return self.repo.git(*args, feed=feed).stdout

    def exists(self, oid: str) -> bool:
        """Whether the commit is here."""
        return self.repo.git("cat-file", "-e", f"{oid}^{{commit}}", accept=ANY).code == 0

    def is_ancestor(self, oid: str, tip: str) -> bool:
        """Whether one commit reaches another."""
        known = self._answers.ancestors
        if (oid, tip) not in known:
            known[oid, tip] = self.repo.git("merge-base", "--is-ancestor", oid, tip, accept=(0, 1)).code == 0
        return known[oid, tip]

    def reaches(self, oid: str) -> bool:
        """Whether the tip reaches a commit."""
        return self.is_ancestor(oid, self.tip)

    @cached_property
    def listed(self) -> list[str]:
        """All that the tip reaches, newest first."""
        return self._ask("rev-list", "--topo-order", self.tip).decode().split()

    def parents(self, oid: str) -> list[str]:
        """The parents of a commit."""
        return self._ask("rev-list", "--no-walk", "--parents", oid).decode().split()[1:]

    def patch(self, oid: str) -> str | None:
        """The stable patch-id of a commit, None for a merge and for no change."""
        known = self._answers.patches
        if oid not in known:
            diff = self._ask("diff-tree", "--stdin", "--root", "-p", feed=f"{oid}\n".encode())
            found = self._ask("patch-id", "--stable", feed=diff).split()
            known[oid] = found[0].decode() if found else None
        return known[oid]

    def same(self, oid: str) -> list[str]:
        """The commits here with the same patch as another one, but not those that it was made on; oldest first."""
        wanted = self.patch(oid)
        return [
            other
            for other in reversed(self.listed)
            if wanted and other != oid and self.patch(other) == wanted and not self.is_ancestor(other, oid)
        ]

    # What was undone

    @cached_property
    def messages(self) -> list[Message]:
        """All reverts that messages tell of, newest first."""
        text = self._ask("log", "--topo-order", "--format=%H%x00%B%x00", self.tip).decode()
        items = text.split("\0")
        return [
            Message(oid.strip(), target, kept or None)
            for oid, body in zip(items[::2], items[1::2], strict=False)
            for target, kept in _REVERTS.findall(body)
        ]

    def meant(self, message: Message) -> set[str]:
        """The commits that a revert takes back: the named one, and where it is elsewhere now, what it is here."""
        if self.exists(message.target) and not self.reaches(message.target):
            now = [other for other in self.same(message.target) if self.is_ancestor(other, message.oid)]
            return {message.target, *[other for other in now if other != message.oid][-1:]}
        return {message.target}

    def reverts(self, oid: str) -> list[Message]:
        """The reverts of a commit itself that count."""
        return [one for one in self.messages if oid in self.meant(one) and one.oid != oid and not self.undone(one.oid)]

    def merges(self, oid: str) -> list[tuple[Message, str]]:
        """The reverts that count of merges which brought a commit, each with the merge."""
        found = []
        for one in self.messages:
            for merge in self.meant(one) - {oid}:
                before = self.parents(merge) if self.exists(merge) else []
                if len(before) > 1 and self.reaches(merge) and self.is_ancestor(oid, merge):
                    kept = one.kept if one.kept in before else before[0]
                    if not self.is_ancestor(oid, kept or before[0]) and not self.undone(one.oid):
                        found.append((one, merge))
        return found

    def undone(self, oid: str) -> bool:
        """Whether a commit was taken back, itself or with a merge."""
        if oid in self._undoing:
            return False
        self._undoing.add(oid)
        try:
            return bool(self.reverts(oid) or self.merges(oid))
        finally:
            self._undoing.discard(oid)

    # Where a commit is

    def refs(self, oid: str) -> list[str]:
        """The refs with a line of work that contain a commit."""
        names = self._ask("for-each-ref", "--format=%(refname)", "--contains", oid).decode().split()
        return [name for name in names if not name.startswith(_NO_WORK)]

    def stood_on(self, oid: str) -> bool:
        """Whether some worktree's HEAD reaches a commit."""
        lines = self._ask("worktree", "list", "--porcelain").decode().split("\n")
        return any(self.is_ancestor(oid, line[5:]) for line in lines if line.startswith("HEAD "))

    # Files

    def content(self, commit: str, path: str) -> bytes | None:
        """The file of a commit, None if it has none at the path."""
        known = self._answers.contents
        if (commit, path) not in known:
            kind = self._ask("ls-tree", "--full-tree", commit, "--", path)
            known[commit, path] = self._ask("cat-file", "blob", f"{commit}:{path}") if kind.startswith(b"100") else None
        return known[commit, path]

    def changed(self, oid: str) -> dict[str, tuple[bytes, bytes]]:
        """The files that a commit changed, each before and after; nothing stands for no file."""
        before = self.parents(oid)[:1]
        against = before[0] if before else self._ask("hash-object", "-t", "tree", "/dev/null").decode().strip()
        names = self._ask("diff-tree", "-r", "-z", "--no-renames", "--name-only", against, oid).decode().split("\0")
        old = {name: self.content(before[0], name) for name in names if name} if before else {}
        return {name: (old.get(name) or b"", self.content(oid, name) or b"") for name in names if name}

    def renamed(self, commit: str, parent: str) -> dict[str, str]:
        """What git pairs as renames between two commits."""
        ask = ("diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--name-status", parent, commit)
        items = self._ask(*ask).decode().split("\0")[:-1]
        return dict(zip(items[1::3], items[2::3], strict=True))


def cut(data: bytes) -> list[bytes]:
    """The lines of a content without their ends, LF or CRLF."""
    lines = data.split(b"\n")
    return [line.removesuffix(b"\r") for line in (lines[:-1] if lines[-1] == b"" else lines)]


def places(block: list[bytes], data: bytes) -> list[int]:
    """Where a block of lines stands, by trying everywhere; the first line is 1."""
    lines = cut(data)
    return [at + 1 for at in range(len(lines)) if lines[at : at + len(block)] == block]


def contained(part: tuple[bytes, bytes], whole: tuple[bytes, bytes]) -> bool:
    """Whether each line that one change puts in or takes out more of, the other does too."""
    (old, new), (before, now) = (tuple(Counter(cut(data)) for data in pair) for pair in (part, whole))
    return all(now[line] > before[line] for line in new - old) and all(now[line] < before[line] for line in old - new)
