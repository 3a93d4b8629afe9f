"""The verdict on a file sourceRef: by content, never by time stamps (CONTRACT section 5, second table)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from gitmem.entry.model import SourceRef
from gitmem.evidence.culprit import find_culprit
from gitmem.evidence.lines import Comparison, compare_file, compare_lines, split_lines
from gitmem.evidence.paths import normalise
from gitmem.evidence.target import Found, look
from gitmem.evidence.verdict import Finding, Reason, Verdict, verdict_of
from gitmem.git.checkout import FileKind
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError, file_at
from gitmem.git.repository import Repository
from gitmem.git.run import GitFailedError

_TEXT_HASH: Final = re.compile("sha256:[0-9a-f]{64}")

_NOT_A_FILE: Final = {
    FileKind.VIA_SYMLINK: Finding(Reason.VIA_SYMLINK, "the path leads through a symbolic link: cite the real path"),
    FileKind.TOO_BIG: Finding(Reason.TOO_BIG, "the file is over 5 MiB, too big to be compared"),
    FileKind.IN_REPOSITORY: Finding(Reason.IN_SUBMODULE, "the path lies in another repository: check it there"),
    FileKind.UNREADABLE: Finding(Reason.ODB_ERROR, "the file on disk cannot be read: look at its permissions"),
}


_OBJECTS_MISSING: Final = "what was cited is not in this repository: `git fetch` it, or clone without a filter"


@dataclass(frozen=True, slots=True)
class Citation:
    """A file sourceRef made ready: its plain path, its range (None for the whole file) and its baseline.

    `blob` is the id of the content that was cited, `text_hash` the hash of the cited lines, `commit` where it
    was looked at; each where it is known.
    """

    path: str
    lines: tuple[int, int] | None
    blob: str | None
    text_hash: str | None
    commit: str | None

    @property
    def anchored(self) -> bool:
        """Whether there is anything to compare with."""
        return self.blob is not None or self.text_hash is not None


def judge_files(repository: Repository, refs: Sequence[SourceRef]) -> list[Finding]:
    """Return the finding for each file sourceRef, in their order. All cited files are read in one batch."""
    paths = [normalise(ref.path if ref.path is not None else ref.id) for ref in refs]
    found = look(repository, {path for path in paths if isinstance(path, str)})
    return [
        path if isinstance(path, Finding) else _judge(repository, ref, path, found[path])
        for ref, path in zip(refs, paths, strict=True)
    ]


def _judge(repository: Repository, ref: SourceRef, path: str, found: Found) -> Finding:
    lines = _range(ref)
    if lines is not None and not 1 <= lines[0] <= lines[1]:
        return Finding(Reason.RANGE_INVALID, f"lines {lines[0]}-{lines[1]} are no range: correct the sourceRef")
    try:
        citation = _citation(repository, ref, path, lines)
        at_head = _at_head(repository, path) if found.skipped else None
        if at_head is not None:
            return _judge_hidden(repository, citation, at_head)
        return _judge_citation(repository, citation, found)
    except ObjectMissingError:
        return Finding(Reason.BASELINE_MISSING, _OBJECTS_MISSING)
    except ObjectDamagedError as error:
        return Finding(Reason.ODB_ERROR, f"object {error.oid} cannot be read: run `git fsck`")


def _range(ref: SourceRef) -> tuple[int, int] | None:
    if ref.line_start is None and ref.line_end is None:
        return None
    start = ref.line_start if ref.line_start is not None else 0
    return start, ref.line_end if ref.line_end is not None else start


def _citation(repository: Repository, ref: SourceRef, path: str, lines: tuple[int, int] | None) -> Citation:
    digits = repository.object_format.digits
    commit = ref.commit if _is_oid(ref.commit, digits) else None
    blob = ref.blob if _is_oid(ref.blob, digits) else None
    text_hash = ref.text_hash.lower() if ref.text_hash and _TEXT_HASH.fullmatch(ref.text_hash.lower()) else None
    if blob is None and text_hash is None and commit is not None:
        blob = _blob_at(repository, commit.lower(), path)
    return Citation(path, lines, blob and blob.lower(), text_hash, commit and commit.lower())


def _is_oid(text: str | None, digits: int) -> bool:
    return text is not None and len(text) == digits and set(text.lower()) <= set("0123456789abcdef")


def _judge_citation(repository: Repository, citation: Citation, found: Found) -> Finding:
    if found.submodule and not citation.anchored:
        return Finding(Reason.SUBMODULE, "the path is a submodule: cite its commit in the submodule itself")
    if found.kind in _NOT_A_FILE:
        return _NOT_A_FILE[found.kind]
    if found.kind is FileKind.MISSING and not found.submodule:
        return _judge_missing(repository, citation, found)
    if not citation.anchored:
        return _unanchored(repository, citation)
    if found.kind is not FileKind.REGULAR:
        return _type_changed(repository, citation)
    return _judge_content(repository, citation, found)


def _judge_content(repository: Repository, citation: Citation, found: Found) -> Finding:
    if found.unfiltered is not None and found.tracked and not repository.is_clean(citation.path):
        told = f"changed here, and only its clean filter '{found.unfiltered}' could tell how: commit it, then check"
        return Finding(Reason.BASELINE_MISSING, told, {"dirty": True})
    comparison = _compare(repository, citation, found.data, found.blob)
    if verdict_of(comparison.reason) is Verdict.STALE:
        return _stale(repository, citation, found, comparison)
    if verdict_of(comparison.reason) is Verdict.CURRENT and not found.tracked:
        return _untracked(found)
    return _current(repository, citation, found, comparison)


def _judge_hidden(repository: Repository, citation: Citation, at_head: str) -> Finding:
    """Judge what git does not look at on disk (sparse checkout, skip-worktree) by the blob at HEAD."""
    if not citation.anchored:
        return _unanchored(repository, citation)
    comparison = _compare_blob(repository, citation, at_head)
    culprit = None
    if verdict_of(comparison.reason) is Verdict.STALE:
        culprit = _culprit(repository, citation, at_head)
    told = f"{_told(citation, comparison)}{_in(culprit)}, as HEAD says (not checked out here)"
    return Finding(comparison.reason, told, {**comparison.evidence, **_by(culprit), "sparse": True})


def _unanchored(repository: Repository, citation: Citation) -> Finding:
    if citation.commit is not None:
        # Raises where the commit, or its trees, are missing: then there is a baseline, but not here.
        repository.objects.find(citation.commit, citation.path)
    return Finding(Reason.NO_BASELINE, "no anchor is recorded: add the entry anew with `git mem add --file`")


def _type_changed(repository: Repository, citation: Citation) -> Finding:
    dirty = {"dirty": True} if _blob_at(repository, repository.head.oid, citation.path) is not None else {}
    return Finding(Reason.TYPE_CHANGED, "this is no regular file any more", dirty)


def _judge_missing(repository: Repository, citation: Citation, found: Found) -> Finding:
    if _at_head(repository, citation.path) is not None or found.tracked:
        return Finding(Reason.DELETED_IN_WORKTREE, "the file was deleted here, not yet committed")
    if _in_submodule(repository, citation.path):
        return _NOT_A_FILE[FileKind.IN_REPOSITORY]
    culprit = find_culprit(repository, citation.path, citation.commit, lambda blob: blob is not None)
    if culprit is None and not _ever_existed(repository, citation):
        cut = ", nor in what is here of its history" if repository.head.shallow else " and never was"
        return Finding(Reason.NO_SUCH_PATH, f"there is no such file in this repository{cut}: correct the sourceRef")
    return Finding(Reason.DELETED, f"the file was deleted{_in(culprit)}", _by(culprit))


def _in_submodule(repository: Repository, path: str) -> bool:
    """Whether a path lies in a submodule of HEAD; one that is not checked out has no `.git` to be seen on disk."""
    head = repository.head.oid
    parents = [] if head is None else [str(parent) for parent in PurePosixPath(path).parents][:-1]
    found = [repository.objects.find(head, parent) for parent in parents if head is not None]
    return any(entry is not None and entry.is_submodule for entry in found)


def _ever_existed(repository: Repository, citation: Citation) -> bool:
    head = repository.head
    if citation.blob is not None and repository.objects.kind(citation.blob) is None:
        return True  # cited before it was ever committed, so no history knows it
    if citation.commit and _blob_at(repository, citation.commit, citation.path) is not None:
        return True
    try:
        if head.oid is not None and repository.path_history(citation.path, since=None, until=head.oid):
            return True
    except GitFailedError:  # trees are missing or damaged
        return citation.anchored
    return head.shallow and citation.anchored  # where history is not all here, the anchor's word counts


def _compare(repository: Repository, citation: Citation, data: bytes, blob: str) -> Comparison:
    # The range is checked before any shortcut: an unchanged file has no line 99999 either.
    if blob == citation.blob:
        beyond = citation.lines is not None and citation.lines[1] > len(split_lines(data))
        return Comparison(Reason.RANGE_INVALID if beyond else Reason.UNCHANGED)
    old = _cited_data(repository, citation)
    if citation.lines is not None:
        return compare_lines(*citation.lines, old, citation.text_hash, data)
    comparison = compare_file(old, citation.text_hash, data)
    # Without a blob id nobody knows that any byte differs.
    return (
        Comparison(Reason.UNCHANGED) if citation.blob is None and comparison.reason is Reason.EOL_ONLY else comparison
    )


def _compare_blob(repository: Repository, citation: Citation, blob: str) -> Comparison:
    if blob == citation.blob and citation.lines is None:
        return Comparison(Reason.UNCHANGED)
    data = _blob_data(repository, blob)
    return Comparison(Reason.BASELINE_MISSING) if data is None else _compare(repository, citation, data, blob)


def _stale(repository: Repository, citation: Citation, found: Found, comparison: Comparison) -> Finding:
    culprit = _culprit(repository, citation, _blob_at(repository, repository.head.oid, citation.path))
    dirty = _dirty(repository, citation, found)
    told = _told(citation, comparison)
    where = _in(culprit) or (" here, not yet committed" if dirty else "")
    return Finding(comparison.reason, told + where, {**comparison.evidence, **_by(culprit), **dirty})


def _current(repository: Repository, citation: Citation, found: Found, comparison: Comparison) -> Finding:
    told = _told(citation, comparison)
    if found.unfiltered is not None:
        told += f", as committed: the clean filter '{found.unfiltered}' is not run"
    return Finding(comparison.reason, told, {**comparison.evidence, **_dirty(repository, citation, found)})


def _untracked(found: Found) -> Finding:
    if found.ignored:
        return Finding(Reason.IGNORED, "as recorded, but git ignores the file: others do not have it")
    return Finding(Reason.UNTRACKED, "as recorded, but the file is untracked: `git add` and commit it")


def _dirty(repository: Repository, citation: Citation, found: Found) -> dict[str, object]:
    # Where disk, index and anchor agree no object is opened: that is what most of a check looks at.
    if not found.tracked or found.blob == found.index_blob == citation.blob:
        return {}
    return {"dirty": True} if found.blob != _blob_at(repository, repository.head.oid, citation.path) else {}


def _culprit(repository: Repository, citation: Citation, at_head: str | None) -> str | None:
    """Return the commit that broke the citation at HEAD; None where HEAD has no such file, or it holds there."""

    def holds(blob: str | None) -> bool:
        if blob is None:
            return False
        reason = _compare_blob(repository, citation, blob).reason
        if reason is Reason.BASELINE_MISSING:
            raise ObjectMissingError(blob)
        return verdict_of(reason) is not Verdict.STALE

    try:
        if at_head is None or holds(at_head):
            return None
    except (ObjectMissingError, ObjectDamagedError):
        return None
    return find_culprit(repository, citation.path, citation.commit, holds)


def _at_head(repository: Repository, path: str) -> str | None:
    """Return the blob that HEAD has at a path. Raises ObjectMissingError where its trees are not here."""
    head = repository.head.oid
    return None if head is None else file_at(repository.objects, head, path)


def _blob_at(repository: Repository, commit: str | None, path: str) -> str | None:
    if commit is None:
        return None
    try:
        return file_at(repository.objects, commit, path)
    except ObjectMissingError:
        return None


def _cited_data(repository: Repository, citation: Citation) -> bytes | None:
    try:
        return _blob_data(repository, citation.blob)
    except ObjectDamagedError:
        if citation.text_hash is None:
            raise
        return None  # the hash alone decides


def _blob_data(repository: Repository, blob: str | None) -> bytes | None:
    if blob is None:
        return None
    try:
        return repository.objects.blob(blob)
    except ObjectMissingError:
        return None


def _told(citation: Citation, comparison: Comparison) -> str:
    start, end = citation.lines or (0, 0)
    cited = "the file" if citation.lines is None else _lines(start, end)
    moved = comparison.evidence
    return {
        Reason.UNCHANGED: f"{cited} unchanged",
        Reason.LINES_MOVED: f"{cited} moved to {_lines(moved.get('lineStart'), moved.get('lineEnd'))}",
        Reason.LINES_AMBIGUOUS: f"{cited} unchanged, but the same text stands in several places",
        Reason.EOL_ONLY: f"{cited} changed in line ends only",
        Reason.LINES_CHANGED: f"{cited} changed",
        Reason.WHITESPACE_CHANGED: f"{cited} changed in white space",
        Reason.CONTENT_CHANGED: f"{cited} changed",
        Reason.BINARY_CHANGED: "the file is binary and changed",
        Reason.RANGE_INVALID: f"{cited} lie beyond the end of the file: correct the sourceRef",
        Reason.BASELINE_MISSING: _OBJECTS_MISSING,
    }[comparison.reason]


def _lines(start: object, end: object) -> str:
    return f"line {start}" if start == end else f"lines {start}-{end}"


def _in(culprit: str | None) -> str:
    return f" in {culprit[:7]}" if culprit else ""


def _by(culprit: str | None) -> dict[str, object]:
    return {"by": culprit} if culprit else {}
