"""From entries to verdicts: all sourceRefs of all entries together, each kind in one batch."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.evidence.commits import judge_commits, name_commit
from gitmem.evidence.files import judge_files
from gitmem.evidence.verdict import EntryVerdict, Finding, Judgement, Reason, add_up, worse
from gitmem.git.repository import Repository


def judge(repository: Repository, entries: Sequence[Entry]) -> list[EntryVerdict]:
    """Return the verdict on each entry, in their order, as the worktree of `repository` sees it.

    Nothing is written, and nothing is fetched.
    """
    refs = [ref for entry in entries for ref in entry.source_refs]
    of_commits = iter(judge_commits(repository, [ref for ref in refs if _cites_commit(ref)]))
    of_files = iter(judge_files(repository, [_file_part(repository, ref) for ref in refs if _cites_file(ref)]))
    return [_entry_verdict(entry, of_commits, of_files) for entry in entries]


def _entry_verdict(entry: Entry, of_commits: Iterator[Finding], of_files: Iterator[Finding]) -> EntryVerdict:
    judgements = tuple(Judgement(ref, _finding(ref, of_commits, of_files)) for ref in entry.source_refs)
    return EntryVerdict(entry, add_up(judgements), judgements)


def _finding(ref: SourceRef, of_commits: Iterator[Finding], of_files: Iterator[Finding]) -> Finding:
    if _cites_commit(ref):
        commit = next(of_commits)
        return worse(commit, next(of_files)) if _cites_file(ref) else commit
    if _cites_file(ref):
        return next(of_files)
    if ref.source_type in (SourceType.RUN, SourceType.TRANSCRIPT):
        return Finding(Reason.EXTERNAL, f"a {ref.source_type} is outside git and cannot be checked")
    if not ref.source_type:
        return Finding(Reason.UNKNOWN_TYPE, "the sourceRef has no sourceType: correct it")
    return Finding(Reason.UNKNOWN_TYPE, "this version does not know the sourceRef's type: upgrade git mem")


def _cites_commit(ref: SourceRef) -> bool:
    return ref.source_type == SourceType.COMMIT


def _cites_file(ref: SourceRef) -> bool:
    return ref.source_type == SourceType.FILE or (_cites_commit(ref) and ref.path is not None)


def _file_part(repository: Repository, ref: SourceRef) -> SourceRef:
    """Return the file side of a ref: that of a commit ref with a path is the file since that commit."""
    if not _cites_commit(ref):
        return ref
    commit = name_commit(repository, ref.id)
    return replace(ref, commit=commit if isinstance(commit, str) else None)
