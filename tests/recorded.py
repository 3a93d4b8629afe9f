"""Histories of entries built with git's own plumbing: what a write leaves on `refs/mem/store`, without a write."""

from collections.abc import Mapping, Sequence

from world import Repo

REF = "refs/mem/store"

Files = Mapping[str, bytes | str]


def tree_of(
    repo: Repo, files: Files, links: Mapping[str, str] | None = None, trees: Mapping[str, str] | None = None
) -> str:
    """Store a tree of one level: entry files by id, links by file name, subtrees by name and id."""
    lines = [f"100644 blob {blob_of(repo, data)}\t{ident}.md" for ident, data in files.items()]
    lines += [f"120000 blob {blob_of(repo, target)}\t{name}" for name, target in (links or {}).items()]
    lines += [f"040000 tree {oid}\t{name}" for name, oid in (trees or {}).items()]
    return repo.git("mktree", feed="".join(f"{line}\n" for line in lines).encode()).line


def blob_of(repo: Repo, data: bytes | str) -> str:
    """Store a content."""
    return repo.git("hash-object", "-w", "--stdin", feed=data.encode() if isinstance(data, str) else data).line


def commit_of_tree(
    repo: Repo, tree: str, subject: str, *, parents: Sequence[str] = (), head: str | None = None, at: int | None = None
) -> str:
    """Make a commit of a tree; `at` is its date in seconds, else a minute after the last one."""
    message = f"{subject}\n" if head is None else f"{subject}\n\nMem-Head: {head}\n"
    words = [word for parent in parents for word in ("-p", parent)]
    env = {} if at is None else {"GIT_AUTHOR_DATE": f"@{at} +0000", "GIT_COMMITTER_DATE": f"@{at} +0000"}
    return repo.git("commit-tree", tree, *words, feed=message.encode(), env=env).line


def record(
    repo: Repo,
    files: Files,
    subject: str = "edit",
    *,
    parents: Sequence[str] | None = None,
    head: str | None = None,
    at: int | None = None,
) -> str:
    """Record a state of the store, by default on top of the newest one; return its commit."""
    before = repo.git("rev-parse", "--verify", "--quiet", REF, accept=(0, 1)).line
    on = ([before] if before else []) if parents is None else parents
    oid = commit_of_tree(repo, tree_of(repo, files), subject, parents=on, head=head, at=at)
    repo.git("update-ref", REF, oid)
    return oid
