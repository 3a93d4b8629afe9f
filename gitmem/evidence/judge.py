"""From entries to verdicts: all sourceRefs of all entries together, each kind in one batch."""

from collections.abc import Iterator, Sequence

from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.evidence.commits import judge_commits, name_commits
from gitmem.evidence.files import file_part, judge_files
from gitmem.evidence.target import Target
from gitmem.evidence.verdict import EntryVerdict, Finding, Judgement, Reason, add_up, worse


def judge(target: Target, entries: Sequence[Entry]) -> list[EntryVerdict]:
    """Return the verdict on each entry, in their order, as the target has it.

    Nothing is fetched, and nothing is written but what the target's cache keeps.
    """
    refs = [ref for entry in entries for ref in entry.source_refs]
    commit_refs = [ref for ref in refs if ref.source_type == SourceType.COMMIT]
    if commit_refs and target.history is not None:
        target.history.look_ahead()
    names = name_commits(target, {ref.id for ref in commit_refs})
    of_commits = iter(judge_commits(target, commit_refs, names))
    file_parts = [part for ref in refs if (part := file_part(ref, names)) is not None]
    of_files = iter(judge_files(target, file_parts))
    if target.history is not None:
        target.history.keep()
    return [_entry_verdict(entry, of_commits, of_files) for entry in entries]


def _entry_verdict(entry: Entry, of_commits: Iterator[Finding], of_files: Iterator[Finding]) -> EntryVerdict:
    judgements = tuple(_judgement(ref, of_commits, of_files) for ref in entry.source_refs)
    return EntryVerdict(entry, add_up(judgements), judgements)


def _judgement(ref: SourceRef, of_commits: Iterator[Finding], of_files: Iterator[Finding]) -> Judgement:
    if ref.source_type == SourceType.COMMIT and ref.path is not None:
        commit, file = next(of_commits), next(of_files)
        return Judgement(ref, worse(commit, _beside_commit(file)), (commit, file))
    if ref.source_type == SourceType.COMMIT:
        return Judgement(ref, next(of_commits))
    return Judgement(ref, next(of_files) if ref.source_type == SourceType.FILE else _outside_git(ref))


def _beside_commit(file: Finding) -> Finding:
    """Return what was found about a file as it is told beside a commit: `to` is where the commit is now."""
    evidence = {("toPath" if key == "to" else key): value for key, value in file.evidence.items()}
    return Finding(file.reason, file.message, evidence)


def _outside_git(ref: SourceRef) -> Finding:
    if ref.source_type in (SourceType.RUN, SourceType.TRANSCRIPT):
        return Finding(Reason.EXTERNAL, f"a {ref.source_type} is outside git and cannot be checked")
    if not ref.source_type:
        return Finding(Reason.UNKNOWN_TYPE, "the sourceRef has no sourceType: correct it")
    return Finding(Reason.UNKNOWN_TYPE, "this version does not know the sourceRef's type: upgrade git mem")
