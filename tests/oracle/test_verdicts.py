"""Any history that git can make: the verdicts on it against git's own slow answers, and against each other."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from oracle.plain import Answers, History
from oracle.story import ANY, WHAT, Cited, Move, Story, see, story_in
from oracle.verdicts import Place, check_commit, check_file, demand, is_squash_plain, read_record
from world import Repo

from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.evidence.judge import judge
from gitmem.evidence.target import Target, TargetKind, commit_of, index_of, worktree_of
from gitmem.evidence.verdict import Finding, Reason
from gitmem.storage.cache import FileCache
from gitmem.workspace import open_workspace

EXAMPLES: Final = int(os.environ.get("GITMEM_ORACLE_EXAMPLES", "8"))
SEARCHING: Final = "GITMEM_ORACLE_EXAMPLES" in os.environ

Findings = list[tuple[Finding, ...]]


def moves() -> st.SearchStrategy[list[Move]]:
    numbers = st.integers(0, 11)
    return st.lists(
        st.builds(Move, st.sampled_from(["ask", *WHAT]), numbers, numbers, numbers), min_size=4, max_size=40
    )


def target_in(repo: Repo, kind: TargetKind, cache: FileCache | None, at: str = "HEAD") -> Target:
    repository = see(repo)
    if kind is TargetKind.COMMIT:
        return commit_of(repository, at, cache)
    return index_of(repository, cache) if kind is TargetKind.INDEX else worktree_of(repository, cache)


def asked(target: Target, refs: Sequence[SourceRef]) -> Findings:
    entries = [
        Entry(id=f"e{at}", title="t", date="2026-01-01T00:00:00Z", source_refs=(ref,)) for at, ref in enumerate(refs)
    ]
    return [verdict.judgements[0].findings for verdict in judge(target, entries)]


def told(findings: Findings) -> list[list[tuple[str, dict[str, object]]]]:
    return [[(one.reason.value, dict(one.evidence)) for one in each] for each in findings]


def citations(story: Story) -> list[Cited]:
    """What was cited, and every commit that there was."""
    known = {one.ref.id for one in story.cited if one.data is None}
    rest = [oid for oid in story.commits if oid not in known][-25:]
    return [*story.cited, *(Cited(SourceRef(source_type=SourceType.COMMIT, id=oid), None) for oid in rest)]


def ask_all(story: Story, *, thorough: bool) -> None:
    """Ask from every worktree, and compare."""
    answers, everything = Answers(), citations(story)
    refs = [one.ref for one in everything]
    for repo in story.worktrees:
        cache = open_workspace(repo.path, repo.world.env).history_cache
        for kind in TargetKind:
            fresh = asked(target_in(repo, kind, None), refs)
            kept = asked(target_in(repo, kind, cache), refs)
            agree(refs, fresh, kept, f"with what was kept, {kind} in {repo.path.name}")
            compare(story, place_of(repo, kind, answers), everything, fresh)
        if thorough:
            alone = [asked(target_in(repo, TargetKind.WORKTREE, None), [ref])[0] for ref in refs]
            agree(refs, asked(target_in(repo, TargetKind.WORKTREE, None), refs), alone, f"alone, in {repo.path.name}")


def agree(refs: Sequence[SourceRef], one: Findings, other: Findings, what: str) -> None:
    for ref, mine, yours in zip(refs, told(one), told(other), strict=True):
        demand(mine == yours, f"the same is found {what}", ref, mine, yours)


def place_of(repo: Repo, kind: TargetKind, answers: Answers) -> Place:
    history = History(repo, repo.rev(), answers)
    names = repo.git("ls-files", "-z").out.split("\0")[:-1]
    if kind is TargetKind.WORKTREE:
        files = {
            os.fspath(path.relative_to(repo.path)): path.read_bytes()
            for path in repo.path.rglob("*")
            if path.is_file() and ".git" not in path.relative_to(repo.path).parts
        }
    elif kind is TargetKind.INDEX:
        files = {name: repo.git("cat-file", "blob", f":{name}").stdout for name in names}
    else:
        names = repo.git("ls-tree", "-r", "-z", "--name-only", "HEAD").out.split("\0")[:-1]
        files = {name: repo.git("cat-file", "blob", f"HEAD:{name}").stdout for name in names}
    return Place(kind.value, history, files, frozenset(names))


def compare(story: Story, place: Place, everything: Sequence[Cited], findings: Findings) -> None:
    record = read_record(story)
    for cited, found in zip(everything, findings, strict=True):
        if cited.ref.source_type == SourceType.COMMIT:
            check_commit(place.history, cited.ref.id, found[0], record)
        if cited.ref.path is not None and found[-1].reason is not Reason.BASELINE_MISSING:
            file = found[-1]
            if cited.ref.source_type == SourceType.COMMIT:
                if not place.history.exists(cited.ref.id):
                    continue
                shown = {("to" if key == "toPath" else key): value for key, value in file.evidence.items()}
                file = replace(file, evidence=shown)
            check_file(place, cited, file)
    for oid, to in story.squashed.items():
        if place.history.exists(oid) and place.history.exists(to) and place.history.reaches(to):
            check_squashed(place.history, oid, to, dict(zip([c.ref.id for c in everything], findings, strict=True)))


def check_squashed(history: History, oid: str, to: str, findings: dict[str, tuple[Finding, ...]]) -> None:
    undone = history.undone(to) or history.reverts(oid)
    if oid in findings and not undone and not history.reaches(oid) and is_squash_plain(history, oid, to):
        reason = findings[oid][0].reason
        demand(reason in (Reason.SQUASHED, Reason.REWRITTEN), "its branch was squashed", oid, to, reason)


def check_checkout(story: Story) -> None:
    """A commit that is judged must be as a fresh checkout of it."""
    everything = citations(story)
    refs = [one.ref for one in everything]
    for number, tip in enumerate([story.head(), story.some_commit(3)]):
        path = story.main.world.root / f"checkout{number}"
        if story.main.git("worktree", "add", "-q", "--detach", path, tip, accept=ANY).code == 0:
            fresh = asked(target_in(replace(story.main, path=path), TargetKind.WORKTREE, None), refs)
            there = asked(target_in(story.here, TargetKind.COMMIT, None, tip), refs)
            story.main.git("worktree", "remove", "--force", path)
            agree(refs, there, fresh, f"in a checkout of {tip[:7]}")


def check_maintained(story: Story) -> None:
    """Garbage collection takes what nothing holds, and changes nothing else."""
    refs = [one.ref for one in citations(story)]
    before = asked(target_in(story.here, TargetKind.WORKTREE, None), refs)
    named = {one.target for repo in story.worktrees for one in History(repo, repo.rev(), Answers()).messages}
    story.here.git("gc", "-q", "--prune=now")
    story.here.git("commit-graph", "write", "--reachable", accept=ANY)
    after = asked(target_in(story.here, TargetKind.WORKTREE, None), refs)
    if any(story.here.git("cat-file", "-e", oid, accept=ANY).code for oid in named):
        return  # what a rebased revert meant can be told only while the commit that it names is here
    for ref, mine, yours in zip(refs, told(before), told(after), strict=True):
        missing = any(reason in ("missing", "baseline-missing") for reason, _ in yours)
        if not missing and story.here.git("cat-file", "-e", ref.blob or "HEAD", accept=ANY).code == 0:
            demand(mine == yours, "the same is found after gc", ref, mine, yours)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stories")


@settings(
    max_examples=EXAMPLES,
    derandomize=not SEARCHING,
    deadline=None,
    database=None,
    # A smaller story takes minutes to find: only whoever searches waits for it.
    phases=tuple(Phase) if SEARCHING else (Phase.generate,),
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
@given(happens=moves())
def test_on_any_history_the_verdicts_are_what_git_says(room: Path, happens: list[Move]) -> None:
    directory = Path(tempfile.mkdtemp(dir=room))
    story = story_in(directory)
    try:
        for move in happens:
            if move.what == "ask":
                story.log.append("ask")
                ask_all(story, thorough=False)
            else:
                story.do(move)
        story.log.append("ask at the end")
        ask_all(story, thorough=True)
        check_checkout(story)
        check_maintained(story)
    except BaseException:
        note("\n".join(story.log))
        raise
    finally:
        shutil.rmtree(directory)
