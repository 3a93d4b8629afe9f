"""What is kept about a history: the same answers with it and without, wherever HEAD goes, and git asked less."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from evidence.cited import TEXT, at, cite
from layouts import with_commit
from world import Repo

from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.evidence.history import VERSION
from gitmem.evidence.judge import judge
from gitmem.evidence.target import worktree_of
from gitmem.evidence.verdict import Finding
from gitmem.storage.cache import FileCache


def findings(repo: Repo, refs: Sequence[SourceRef], cache: FileCache | None = None) -> list[Finding]:
    """What is found about the refs, as a new command would find it."""
    entry = Entry(id="e", title="t", date="2026-01-01T00:00:00Z", source_refs=tuple(refs))
    (found,) = judge(worktree_of(at(repo), cache), [entry])
    return [judgement.finding for judgement in found.judgements]


@pytest.fixture
def cache(tmp_path: Path) -> FileCache:
    return FileCache(tmp_path / "kept", VERSION, keep=8)


def commit(oid: str) -> SourceRef:
    return SourceRef(source_type=SourceType.COMMIT, id=oid)


def evidence(repo: Repo) -> list[SourceRef]:
    """Refs whose judgement needs history: reverted, rebased, squashed, on a branch, lost, broken, moved."""
    repo.commit("Base", {"a.py": TEXT, "b.py": TEXT, "c.py": TEXT})
    cited = [cite(repo, spec) for spec in ("a.py:5-7", "b.py:5-7", "c.py")]
    reverted = repo.commit("To be reverted", {"r": "1\n"})
    repo.git("checkout", "-q", "-b", "topic")
    rebased = repo.commit("To be picked", {"t": "1\n"})
    squashed = repo.commit("To be squashed", {"u": "1\n"})
    lost = repo.commit("To be lost", {"v": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.git("cherry-pick", rebased)
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"s": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-q", "-D", "topic")
    repo.git("revert", "--no-edit", reverted)
    repo.commit("Squash", {"u": "1\n", "w": "1\n"})
    repo.commit("Break", {"a.py": TEXT.replace("line 6", "LINE 6"), "c.py": TEXT + "more\n"})
    repo.git("mv", "b.py", "moved.py")
    repo.git("commit", "-q", "-m", "Move")
    return [*cited, *(commit(oid) for oid in (reverted, rebased, squashed, lost, side, repo.rev()))]


def moves(repo: Repo) -> list[tuple[str, ...]]:
    """Git commands that move HEAD about: forth, back, aside, and to and fro."""
    picked = repo.rev("HEAD")
    return [
        ("commit", "-q", "--allow-empty", "-m", "Forth"),
        ("revert", "--no-edit", "HEAD~1"),
        ("checkout", "-q", "side"),
        ("checkout", "-q", "main"),
        ("reset", "-q", "--hard", "HEAD~3"),
        ("merge", "-q", "--no-edit", "side"),
        ("cherry-pick", "--allow-empty", "-X", "theirs", picked),
        ("revert", "--no-edit", "-m", "1", "HEAD~1"),
        ("checkout", "-q", "--detach", "HEAD~2"),
    ]


def test_wherever_head_goes_the_answers_are_those_without_a_memory(repo: Repo, cache: FileCache) -> None:
    refs = evidence(repo)
    assert len({finding.reason for finding in findings(repo, refs)}) >= 8
    for move in [(), *moves(repo)]:
        if move:
            repo.git(*move, accept=(0, 1))
            repo.git("reset", "-q", "--hard")
        expected = findings(repo, refs)
        assert findings(repo, refs, cache) == expected
        assert findings(repo, refs, cache) == expected


def test_worktrees_share_what_is_kept_and_never_their_answers(repo: Repo, cache: FileCache) -> None:
    refs = evidence(repo)
    linked = repo.worktree("linked", at="side")
    for _ in range(2):
        for one in (repo, linked):
            assert findings(one, refs, cache) == findings(one, refs)
    assert findings(repo, refs, cache) != findings(linked, refs, cache)


def asked(repo: Repo, refs: Sequence[SourceRef], cache: FileCache) -> list[str]:
    """Which git commands a judgement starts."""
    trace = repo.world.root / "trace"
    trace.unlink(missing_ok=True)
    environ = {**repo.world.env, "GIT_TRACE2_EVENT": str(trace)}
    entry = Entry(id="e", title="t", date="2026-01-01T00:00:00Z", source_refs=tuple(refs))
    judge(worktree_of(at(repo, environ), cache), [entry])
    return [line for line in trace.read_text(encoding="utf-8").splitlines() if '"event":"start"' in line]


def test_what_is_known_is_not_asked_again(repo: Repo, cache: FileCache) -> None:
    refs = evidence(repo)
    first = asked(repo, refs, cache)
    again = asked(repo, refs, cache)
    assert any("--grep" in line for line in first)
    assert not any("--grep" in line or "patch-id" in line for line in again)
    assert len(again) < len(first)


@pytest.mark.parametrize("content", [b"{}", b"[]", b"null", b"", b'{"reverts": [["a"]]}', b"\xff"])
def test_what_another_version_kept_is_laid_aside(repo: Repo, cache: FileCache, content: bytes) -> None:
    with_commit(repo)
    refs = evidence(repo)
    expected = findings(repo, refs)
    cache.write(repo.rev(), content)
    assert findings(repo, refs, cache) == expected


def test_where_history_can_still_grow_nothing_is_kept(repo: Repo, cache: FileCache) -> None:
    refs = evidence(repo)
    shallow = repo.world.clone(repo, "shallow", "--depth=2")
    findings(shallow, refs, cache)
    assert cache.names() == []
    shallow.git("fetch", "-q", "--unshallow", repo.path.as_uri())
    assert findings(shallow, refs, cache) == findings(shallow, refs)
