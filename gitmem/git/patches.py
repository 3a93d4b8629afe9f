"""What commits changed: paths and blobs, and the stable patch-id by which a commit is known again.

A patch-id is the same before and after a rebase, a reword or a cherry-pick (git-patch-id). Git computes it, because
libraries differ from it in cases (binary files, modes) or for SHA-256.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from gitmem.git.objects import is_file
from gitmem.git.run import LONG_LIMIT, Git, pathspecs

_AS_IT_IS: Final = ("-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index")


class Change(NamedTuple):
    """What a commit did to a path: git's modes and the blobs before and after, all zeros where there is none."""

    old_mode: int
    new_mode: int
    old: str
    new: str

    @property
    def blob_before(self) -> str | None:
        """The blob of the regular file that stood at the path before, None if none did."""
        return self.old if is_file(self.old_mode) else None

    @property
    def puts_file(self) -> bool:
        """Whether a regular file stands at the path after the change."""
        return is_file(self.new_mode)


Changes = Mapping[str, Change]
"""All changes of one commit, by path."""


def read_changes(git: Git, worktree: Path, commits: Sequence[str]) -> dict[str, Changes]:
    """Return what each commit changed against its parent, a root commit against nothing; merges changed nothing.

    Raises GitFailedError where trees are missing.
    """
    return dict(zip(commits, compare(git, worktree, [(commit,) for commit in commits]), strict=True))


def compare(
    git: Git, worktree: Path, pairs: Sequence[tuple[str, ...]], paths: Collection[str] = ()
) -> list[dict[str, Change]]:
    """Return the changes of each (commit,) against its parent, or of each (commit, parent) against that one.

    `paths` keep to the changes of these. Raises GitFailedError where trees are missing.
    """
    feed = "".join(" ".join(pair) + "\n" for pair in pairs).encode("ascii")
    named = pathspecs(paths)
    ask = ("diff-tree", "--stdin", "--root", "--always", "--raw", "-z", *_AS_IT_IS, "--", *named)
    answer = git.ask(*ask, cwd=worktree, feed=feed, limit=LONG_LIMIT) if pairs else None
    found = [] if answer is None else list(_records(answer.stdout))
    if len(named) < len(paths):
        wanted = set(paths)
        found = [{path: change for path, change in changes.items() if path in wanted} for changes in found]
    return found


def touching(git: Git, worktree: Path, tip: str, excluded: Sequence[str], paths: Collection[str]) -> list[str]:
    """Return the commits, merges left out, that are reachable from the tip and changed one of the paths, newest first.

    What is reachable from an excluded commit is left out.
    """
    named = pathspecs(paths)
    span = [tip, *(f"^{commit}" for commit in excluded)]
    # Without --full-history a side branch whose change was made twice could be simplified away.
    ask = ("rev-list", "--topo-order", "--no-merges", "--full-history", *span, "--", *named)
    return git.ask(*ask, cwd=worktree, limit=LONG_LIMIT).line().split()


def patch_ids(git: Git, worktree: Path, commits: Collection[str]) -> dict[str, str]:
    """Return the stable patch-id of each commit; a merge, or a commit without changes, has none.

    Raises GitFailedError where objects are missing.
    """
    if not commits:
        return {}
    feed = "".join(f"{commit}\n" for commit in sorted(commits)).encode("ascii")
    ask = ("diff-tree", "--stdin", "--root", "-p", *_AS_IT_IS)
    patches = git.ask(*ask, cwd=worktree, feed=feed, limit=LONG_LIMIT).stdout
    answer = git.ask("patch-id", "--stable", cwd=worktree, feed=patches, limit=LONG_LIMIT)
    pairs = (line.split() for line in answer.line().split("\n") if line)
    return {commit: patch for patch, commit in pairs}


def _records(stream: bytes) -> Iterator[dict[str, Change]]:
    """Yield the changes behind each commit id of a `diff-tree --stdin --raw -z`."""
    found: dict[str, Change] | None = None
    items = iter(stream.split(b"\0"))
    for item in items:
        if item.startswith(b":") and found is not None:
            old_mode, new_mode, old, new, _status = item[1:].decode("ascii").split(" ")
            found[os.fsdecode(next(items))] = Change(int(old_mode, 8), int(new_mode, 8), old, new)
        elif item:
            if found is not None:
                yield found
            found = {}
    if found is not None:
        yield found
