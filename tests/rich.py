"""A repository in which every verdict has an example, and a store with entries and files of every sort.

Each reason that needs no clone of its own has an entry `because-<reason>` whose one sourceRef is judged so.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha1
from itertools import count
from typing import Final

from program import entry, put
from world import Repo, World

from gitmem.entry.model import Entry, Kind, ReviewState, Section, SourceRef
from gitmem.evidence.verdict import Reason
from gitmem.git.objects import ObjectFormat, blob_id

CODE: Final = "".join(f"line {number}\n" for number in range(1, 21))
NAMED: Final = "".join(f"named {number}\n" for number in range(1, 21))
OTHER: Final = "".join(f"other {number}\n" for number in range(1, 21))

_BEFORE: Final[dict[str, bytes | str]] = {
    "src/code.py": CODE,
    "src/moved.py": CODE,
    "src/twice.py": "above\ndouble\nbelow\n",
    "src/eol.txt": "one\ntwo\n",
    "src/changed.py": CODE,
    "src/space.py": CODE,
    "src/whole.txt": "before\n",
    "src/binary.dat": b"\0before\n\0",
    "src/gone.py": CODE,
    "src/lost.py": CODE,
    "src/dirty.py": CODE,
    "src/type.py": CODE,
    "src/sparse.py": CODE,
    "src/before.py": NAMED,
    "src/case.py": OTHER,
    ".gitignore": "*.log\n",
}
_AFTER: Final[dict[str, bytes | str | None]] = {
    "src/moved.py": "new\n" + CODE,
    "src/twice.py": "x\nx\ndouble\nx\nx\ndouble\nx\nx\n",
    "src/eol.txt": "one\r\ntwo\r\n",
    "src/changed.py": CODE.replace("line 6\n", "line six\n"),
    "src/space.py": CODE.replace("line 6\n", "  line 6\n"),
    "src/whole.txt": "after\n",
    "src/binary.dat": b"\0after\n\0",
    "src/gone.py": None,
    "src/before.py": None,
    "src/after.py": NAMED,
    "src/case.py": None,
    "src/Case.py": OTHER,
}

UNREADABLE: Final = (" space", "a-directory", "broken-yaml", "b\\xff", "empty", "link-out", "not-utf8", "pipe")
"""The stems of the files that cannot be read, as they are named, in their order on disk."""

ELSEWHERE: Final = frozenset(
    {
        Reason.MISSING_SHALLOW,
        Reason.SHALLOW_HISTORY,
        Reason.MISSING_PARTIAL,
        Reason.NO_HEAD,
        Reason.NO_EVIDENCE,
    }
)
"""The reasons without an entry `because-...`: they need another clone, or no sourceRef at all."""


def rich(world: World) -> Repo:
    """Build the repository, private store and all."""
    repo = world.repo()
    base = repo.commit("Start", _BEFORE)
    refs = dict(_commit_refs(repo)) | dict(_refs_of_what_became_of_commits(repo))
    _submodule(repo)
    repo.commit("Change it", _AFTER)
    _work(repo)
    refs |= dict(_file_refs(base))
    store = repo.path / ".klide" / "memory"
    assert repo.mem("init").code == 0
    put(store, *(entry(f"because-{reason}", source_refs=(ref,)) for reason, ref in refs.items()), *_of_all_states(base))
    _by_hand(repo)
    _unreadable(repo)
    return repo


def _commit_refs(repo: Repo) -> Iterator[tuple[Reason, SourceRef]]:
    head = repo.rev()
    repo.git("checkout", "-q", "-b", "topic")
    other = repo.commit("On a branch")
    repo.git("checkout", "-q", "--detach")
    orphan = repo.commit("On no branch")
    repo.git("checkout", "-q", "main")
    damaged = "5" * 40
    repo.write(f".git/objects/55/{damaged[2:]}", b"not an object")
    idents = {
        Reason.REACHABLE: head,
        Reason.OTHER_BRANCH: other,
        Reason.ORPHANED: orphan,
        Reason.MISSING: "deadbeef" * 5,
        Reason.NOT_A_COMMIT: repo.rev("HEAD:src"),
        Reason.SHA_NULL: "0" * 40,
        Reason.SHA_MALFORMED: "main",
        Reason.SHA_AMBIGUOUS: _ambiguous(repo),
        Reason.ODB_ERROR: damaged,
    }
    for reason, ident in idents.items():
        yield reason, SourceRef(source_type="commit", id=ident)
    yield Reason.EXTERNAL, SourceRef(source_type="run", id="run-7", label="A run")
    yield Reason.UNKNOWN_TYPE, SourceRef(source_type="ticket", id="T-1")


def _refs_of_what_became_of_commits(repo: Repo) -> Iterator[tuple[Reason, SourceRef]]:
    """Revert, rebase, squash and amend commits as people do, and cite the ones that were there before."""
    became = {
        Reason.REVERTED: _reverted,
        Reason.REVERTED_MERGE: _reverted_merge,
        Reason.REWRITTEN: _rebased,
        Reason.SQUASHED: _squashed,
        Reason.REWRITTEN_CHANGED: _amended,
    }
    for reason, make in became.items():
        yield reason, SourceRef(source_type="commit", id=make(repo))


def _reverted(repo: Repo) -> str:
    undone = repo.commit("To be undone", {"undone.txt": "it was a mistake\n"})
    repo.git("revert", "--no-edit", undone)
    return undone


def _reverted_merge(repo: Repo) -> str:
    repo.git("checkout", "-q", "-b", "merged")
    brought = repo.commit("Brought by a merge", {"merged.txt": "so was this\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "merged")
    repo.git("revert", "--no-edit", "-m", "1", "HEAD")
    repo.git("branch", "-q", "-D", "merged")
    return brought


def _rebased(repo: Repo) -> str:
    repo.git("checkout", "-q", "-b", "rebased")
    before = repo.commit("To be rebased", {"rebased.txt": "onto what came in between\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("In between", {"between.txt": "meanwhile\n"})
    repo.git("rebase", "-q", "main", "rebased")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--ff-only", "rebased")
    repo.git("branch", "-q", "-D", "rebased")
    return before


def _squashed(repo: Repo) -> str:
    repo.git("checkout", "-q", "-b", "squashed")
    first = repo.commit("First step", {"first.txt": "one of two steps\n"})
    repo.commit("Second step", {"second.txt": "the other one\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "squashed")
    repo.commit("Both steps")
    repo.git("branch", "-q", "-D", "squashed")
    return first


def _amended(repo: Repo) -> str:
    """Amend a commit while a hook records what git tells it."""
    record = repo.path / ".git" / "mem" / "rewritten"
    record.parent.mkdir(exist_ok=True)
    hook = repo.write(".git/hooks/post-rewrite", f"#!/bin/sh\ncat >> '{record}'\n")
    hook.chmod(0o755)
    before = repo.commit("To be amended", {"amended.txt": "first thought\n"})
    repo.write("amended.txt", "second thought\n")
    repo.git("commit", "-q", "-a", "--amend", "--no-edit")
    hook.unlink()
    return before


def _ambiguous(repo: Repo) -> str:
    """Write two blobs whose ids begin alike, and return what they share."""
    seen: dict[str, bytes] = {}
    for number in count():
        data = b"%d\n" % number
        prefix = sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()[:4]
        if prefix in seen:
            for one in (data, seen[prefix]):
                repo.git("hash-object", "-w", "--stdin", feed=one)
            return prefix
        seen[prefix] = data
    raise AssertionError


def _submodule(repo: Repo) -> None:
    library = Repo(repo.world, repo.path / "library")
    repo.git("init", "-q", "library")
    library.commit("Start", {"lib.py": "x\n"})
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "library")


def _work(repo: Repo) -> None:
    """Change the working tree without committing."""
    (repo.path / "src/lost.py").unlink()
    repo.write("src/dirty.py", CODE.replace("line 6\n", "line six\n"))
    (repo.path / "src/type.py").unlink()
    (repo.path / "src/type.py").symlink_to("code.py")
    (repo.path / "link").symlink_to("src")
    repo.write("new.py", CODE)
    repo.write("seen.log", CODE)
    repo.git("update-index", "--skip-worktree", "src/sparse.py")
    (repo.path / "src/sparse.py").unlink()
    with (repo.path / "big.bin").open("wb") as stream:
        stream.truncate((5 << 20) + 1)


def _file_refs(base: str) -> Iterator[tuple[Reason, SourceRef]]:
    anchors = {
        Reason.UNCHANGED: _lines("src/code.py", base),
        Reason.LINES_MOVED: _lines("src/moved.py", base),
        Reason.LINES_AMBIGUOUS: replace(_lines("src/twice.py", base), line_start=2, line_end=2),
        Reason.EOL_ONLY: _whole("src/eol.txt", base),
        Reason.LINES_CHANGED: _lines("src/changed.py", base),
        Reason.WHITESPACE_CHANGED: _lines("src/space.py", base),
        Reason.CONTENT_CHANGED: _whole("src/whole.txt", base),
        Reason.BINARY_CHANGED: replace(_whole("src/binary.dat", base), line_start=1, line_end=1),
        Reason.DELETED: _lines("src/gone.py", base),
        Reason.DELETED_IN_WORKTREE: _lines("src/lost.py", base),
        Reason.TYPE_CHANGED: _whole("src/type.py", base),
        Reason.RENAMED: _lines("src/before.py", base),
        Reason.CASE_RENAMED: _lines("src/case.py", base),
        Reason.NO_BASELINE: SourceRef(source_type="file", id="src/code.py", path="src/code.py"),
        Reason.BASELINE_MISSING: replace(_lines("src/code.py", base), blob="1" * 40),
        Reason.RANGE_INVALID: replace(_lines("src/code.py", base), line_start=9, line_end=3),
        Reason.PATH_MALFORMED: SourceRef(source_type="file", id=""),
        Reason.SUBMODULE: SourceRef(source_type="file", id="library", path="library"),
    }
    yield from anchors.items()
    elsewhere = {
        Reason.UNTRACKED: "new.py",
        Reason.IGNORED: "seen.log",
        Reason.NO_SUCH_PATH: "never.py",
        Reason.IN_SUBMODULE: "library/lib.py",
        Reason.PATH_ABSOLUTE: "/etc/passwd",
        Reason.PATH_ESCAPES: "../code.py",
        Reason.PATH_IN_GITDIR: ".git/config",
        Reason.VIA_SYMLINK: "link/code.py",
        Reason.TOO_BIG: "big.bin",
    }
    for reason, path in elsewhere.items():
        yield reason, replace(_lines("src/code.py", base), id=path, path=path)


def _whole(path: str, commit: str) -> SourceRef:
    content = _BEFORE[path]
    data = content.encode() if isinstance(content, str) else content
    return SourceRef(source_type="file", id=path, path=path, commit=commit, blob=blob_id(data, ObjectFormat.SHA1))


def _lines(path: str, commit: str) -> SourceRef:
    return replace(_whole(path, commit), line_start=5, line_end=7)


def _of_all_states(base: str) -> Iterator[Entry]:
    yield entry(
        "full",
        title="Keep command trust in the core: é 木",
        kind=Kind.DECISION,
        tags=("harness", "trust"),
        aliases=("the trust rule",),
        source_refs=(_lines("src/code.py", base), SourceRef(source_type="commit", id=base, label="Start")),
        supersedes="replaced-by-pointer",
        decision_key="command-trust",
        run_id="run-7",
        provider="someone",
        model="m",
        mode="plan",
        status="done",
        goal="Keep interface input from granting command trust.",
        plan=("Look", "Decide"),
        decisions=("Only the approval store fills the allow list.",),
        files_touched=("src/code.py",),
        next_steps=("Write it down",),
        notes="Free *Markdown*.\n\nWith parseHTTPRequest in it.",
        other_sections=(Section("Alternatives", "None."),),
        date="2026-02-01T00:00:00Z",
    )
    yield entry("dirty-lines", source_refs=(_lines("src/dirty.py", base),))
    yield entry("sparse-lines", source_refs=(_lines("src/sparse.py", base),))
    yield entry("no-evidence")
    yield entry("proposed", review_state=ReviewState.PROPOSED)
    yield entry("stale", review_state=ReviewState.STALE)
    yield entry("superseded", review_state=ReviewState.SUPERSEDED)
    yield entry("replaced-by-pointer", notes="trust lived in the interface", decision_key="command-trust")


def _by_hand(repo: Repo) -> None:
    store = ".klide/memory"
    repo.write(f"{store}/legacy.md", "# Goal\n\nA note from before.\n")
    repo.write(f"{store}/future.md", "---\nschemaVersion: 2\ntitle: From the future\n---\n\nzebra\n")
    repo.write(f"{store}/lore.md", "---\nschemaVersion: 1\ntitle: Lore\nkind: lore\nreviewState: reviewed\n---\n")
    repo.write(f"{store}/.tmp-0123456789abcdef", "half\n")


def _unreadable(repo: Repo) -> None:
    store = repo.path / ".klide" / "memory"
    secret = repo.world.root / "secret.md"
    secret.write_text("# Notes\n\nsecret\n", encoding="utf-8")
    (store / "link-out.md").symlink_to(secret)
    (store / "a-directory.md").mkdir()
    os.mkfifo(store / "pipe.md")
    (store / "empty.md").write_bytes(b"")
    (store / "not-utf8.md").write_bytes(b"---\ntitle: Krak\xf3w\n---\n\nx\n")
    (store / "broken-yaml.md").write_text("---\ntitle: a: b\n---\n\nx\n", encoding="utf-8")
    (store / " space.md").write_text("x\n", encoding="utf-8")
    with open(os.fsencode(store) + b"/b\xff.md", "wb") as stream:  # noqa: PTH123 - Path takes no bytes
        stream.write(b"x\n")
