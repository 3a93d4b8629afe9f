"""What a change puts at risk: the entries whose evidence it touched."""

from collections.abc import Iterator, Mapping, Sequence

from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.errors import GitMemError
from gitmem.evidence.judge import judge
from gitmem.evidence.paths import normalise
from gitmem.evidence.target import Found, Target, look
from gitmem.evidence.verdict import EntryVerdict, Judgement
from gitmem.git.checkout import FileKind
from gitmem.git.objects import TreeEntry
from gitmem.git.run import GitFailedError


class NoMergeBaseError(GitMemError):
    """Two histories have no commit in common, or none that is here."""


def base_of(target: Target, revision: str) -> str:
    """Return the merge base of the target and a revision. Raises RevisionError and NoMergeBaseError."""
    commit = target.repository.resolve_commit(revision)
    base = None if target.tip is None else target.repository.merge_base(commit, target.tip)
    if base is None:
        cut = (
            ", in this shallow clone: fetch more of it (in CI fetch-depth: 0)" if target.repository.head.shallow else ""
        )
        raise NoMergeBaseError(f"'{revision}' has no merge base with what is checked{cut or ': name another revision'}")
    return base


def judge_touched(target: Target, entries: Sequence[Entry], base: str) -> list[EntryVerdict]:
    """Judge those of the entries whose evidence was touched between the base and the target.

    A file was touched if the two have another content or nothing at its path; a commit, if it is in between
    itself, or if what became of it is: its revert, or the commit in which it landed.
    """
    touched = set(_touched_paths(target, entries, base))
    between = set() if target.tip is None else target.repository.outside(target.tip, base)
    found = judge(target, [entry for entry in entries if _may_be_touched(entry, touched)])
    return [one for one in found if any(_is_touched(judgement, touched, between) for judgement in one.judgements)]


def _may_be_touched(entry: Entry, touched: set[str]) -> bool:
    return any(ref.source_type == SourceType.COMMIT or _path_of(ref) in touched for ref in entry.source_refs)


def _is_touched(judgement: Judgement, touched: set[str], between: set[str]) -> bool:
    if _path_of(judgement.ref) in touched:
        return True
    if judgement.ref.source_type != SourceType.COMMIT:
        return False
    evidence = judgement.finding.evidence
    named = (judgement.ref.id.lower(), *(evidence.get(key) for key in ("by", "to", "peeled")))
    return any(name in between for name in named)


def _path_of(ref: SourceRef) -> str | None:
    named = ref.path if ref.path is not None else ref.id if ref.source_type == SourceType.FILE else None
    path = None if named is None else normalise(named)
    return path if isinstance(path, str) else None


def _touched_paths(target: Target, entries: Sequence[Entry], base: str) -> Iterator[str]:
    paths = {path for entry in entries for ref in entry.source_refs if (path := _path_of(ref)) is not None}
    try:
        before: Mapping[str, TreeEntry] = target.repository.tree_entries(base, paths)
    except GitFailedError as error:
        raise NoMergeBaseError(f"the tree of {base[:7]} is not here: fetch it, or check without --since") from error
    for batch in look(target, paths):
        yield from (path for path, found in batch.items() if _differs(found, before.get(path)))


def _differs(found: Found, before: TreeEntry | None) -> bool:
    if found.skipped:
        return found.committed != (before.oid if before is not None else None)
    if found.kind is FileKind.REGULAR:
        return before is None or not before.is_file or before.oid != found.blob
    return before is not None if found.kind is FileKind.MISSING else before is None or before.is_file
