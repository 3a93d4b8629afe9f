"""Writing to a store in the test's own process, and what git says of its history afterwards."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from program import entry
from world import Repo

from gitmem.entry.format import format_entry
from gitmem.porcelain.init import init
from gitmem.storage.journal import Journal
from gitmem.store.transaction import Creation, Deed, Replacement
from gitmem.workspace import Workspace, open_workspace

STORE: Final = ".klide/memory"
REF: Final = "refs/mem/store"


def opened(repo: Repo, env: Mapping[str, str] | None = None) -> Workspace:
    """Open the workspace of a worktree."""
    return open_workspace(repo.path, {**repo.world.env, **(env or {})})


def initialised(repo: Repo) -> Repo:
    """Make an empty store."""
    init(repo.path, repo.world.env, track=False)
    return repo


def creation(title: str, **fields: Any) -> Creation:
    """Return a new entry of the first day of 2026."""
    new = entry("", title=title, **fields)
    return Creation(new, format_entry(new))


def transact(repo: Repo, *creations: Creation, changes: Sequence[Replacement] = (), **words: Any) -> tuple[str, ...]:
    """Carry a deed out as a verb does."""
    workspace = opened(repo)
    deed = Deed(verb=words.pop("verb", "add"), creations=creations, replacements=changes, **words)
    with workspace.writing():
        return workspace.transact(deed)


def add(repo: Repo, title: str, **fields: Any) -> str:
    """Write one new entry; return its id."""
    (ident,) = transact(repo, creation(title, **fields))
    return ident


def path_of(repo: Repo, ident: str) -> Path:
    """Return where the file of an entry is; `repo` is the main checkout."""
    return repo.path / STORE / f"{ident}.md"


def change(repo: Repo, ident: str, more: bytes = b"\nMore.\n") -> Replacement:
    """Return the change that adds some text to an entry."""
    data = path_of(repo, ident).read_bytes()
    return Replacement(ident, data, data + more)


def files(repo: Repo) -> dict[str, bytes]:
    """Return the entry files as they are on disk; a link is what it says."""
    found = {}
    for path in sorted((repo.path / STORE).iterdir()):
        if path.name.endswith(".md"):
            found[path.name] = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    return found


def names(repo: Repo) -> list[str]:
    """Return the names of everything in the store."""
    return sorted(os.listdir(repo.path / STORE))  # noqa: PTH208 - names are what is compared


def recorded(repo: Repo, commit: str = REF) -> dict[str, bytes]:
    """Return the entry files as a recorded commit has them."""
    found = {}
    for item in repo.git("ls-tree", "-z", commit).out.split("\0"):
        head, _, name = item.partition("\t")
        if name.endswith(".md"):
            found[name] = repo.git("cat-file", "blob", head.split(" ")[2]).stdout
    return found


def history(repo: Repo) -> list[str]:
    """Return the subjects of the recorded transactions, oldest first."""
    if repo.git("rev-parse", "--verify", "--quiet", REF, accept=(0, 1)).code == 1:
        return []
    return repo.git("log", "--reverse", "--format=%s", REF).out.splitlines()


def journal(repo: Repo) -> Journal:
    """Return the journal of a repository."""
    return Journal(repo.path / ".git/mem")


def assert_at_rest(repo: Repo) -> None:
    """Assert that nothing is under way: the history is the store, no record is pending, no litter is left."""
    assert recorded(repo) == files(repo)
    assert journal(repo).pending() is None
    litter = [*(repo.path / ".klide").rglob(".tmp-*"), *(repo.path / ".git/mem").rglob(".tmp-*")]
    assert litter == []
    assert [*(repo.path / ".git").rglob("*.lock")] == []
    repo.git("fsck", "--strict", "--no-dangling")
