"""A file sourceRef made ready to be compared: its path, its lines and its baseline."""

import re
from dataclasses import dataclass
from typing import Final

from gitmem.entry.model import SourceRef
from gitmem.evidence.lines import Comparison, compare_file, compare_lines, count_lines
from gitmem.evidence.verdict import Reason, Verdict, verdict_of
from gitmem.git.alternates import object_directories
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError, file_at
from gitmem.git.repository import Repository

_TEXT_HASH: Final = re.compile("sha256:[0-9a-f]{64}")
_HEX: Final = re.compile("[0-9a-fA-F]+")

_OBJECTS_MISSING: Final = "what was cited is not in this repository: `git fetch` it, or clone without a filter"
LENDER_GONE: Final = "objects are borrowed from a repository that is gone: see objects/info/alternates in .git"


def lenders_are_gone(repository: Repository) -> bool:
    """Tell whether a repository that objects are borrowed from is not there any more."""
    return not all(directory.is_dir() for directory in object_directories(repository.place.common_dir))


def objects_missing(repository: Repository) -> str:
    """Return why what was cited cannot be compared, and what helps."""
    return LENDER_GONE if lenders_are_gone(repository) else _OBJECTS_MISSING


@dataclass(frozen=True, slots=True)
class Citation:
    """What was cited: a plain path, its range (None for the whole file) and its baseline.

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


def citation_of(repository: Repository, ref: SourceRef, path: str, lines: tuple[int, int] | None) -> Citation:
    """Return the citation of a sourceRef. Raises ObjectDamagedError."""
    digits = repository.object_format.digits
    commit = ref.commit if _is_oid(ref.commit, digits) else None
    blob = ref.blob if _is_oid(ref.blob, digits) else None
    text_hash = ref.text_hash.lower() if ref.text_hash and _TEXT_HASH.fullmatch(ref.text_hash.lower()) else None
    if blob is None and text_hash is None and commit is not None:
        blob = blob_at(repository, commit.lower(), path)
    return Citation(path, lines, blob and blob.lower(), text_hash, commit and commit.lower())


def range_of(ref: SourceRef) -> tuple[int, int] | None:
    """Return the lines that a sourceRef cites, as they are written; None for the whole file."""
    if ref.line_start is None and ref.line_end is None:
        return None
    start = ref.line_start if ref.line_start is not None else 0
    return start, ref.line_end if ref.line_end is not None else start


def _is_oid(text: str | None, digits: int) -> bool:
    return text is not None and len(text) == digits and _HEX.fullmatch(text) is not None


def blob_at(repository: Repository, commit: str | None, path: str) -> str | None:
    """Return the blob of the file that a commit has at a path, None where it has none or is not here."""
    if commit is None:
        return None
    try:
        return file_at(repository.objects, commit, path)
    except ObjectMissingError:
        return None


class Comparisons:
    """Compares citations with contents; what two blobs were found to be to each other is remembered."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: dict[tuple[Citation, str], Comparison] = {}

    def with_content(self, citation: Citation, data: bytes, blob: str) -> Comparison:
        """Compare with a content whose blob id is known. Raises ObjectDamagedError for a damaged baseline."""
        # The range is checked before any shortcut: an unchanged file has no line 99999 either.
        if blob == citation.blob:
            beyond = citation.lines is not None and citation.lines[1] > count_lines(data)
            return Comparison(Reason.RANGE_INVALID if beyond else Reason.UNCHANGED)
        key = (citation, blob)
        if key not in self._known:
            self._known[key] = self._compare(citation, data)
        return self._known[key]

    def with_blob(self, citation: Citation, blob: str) -> Comparison:
        """Compare with a blob of the object database. Raises ObjectDamagedError."""
        if blob == citation.blob and citation.lines is None:
            return Comparison(Reason.UNCHANGED)
        if (citation, blob) in self._known:
            return self._known[citation, blob]
        data = self._content(blob)
        return Comparison(Reason.BASELINE_MISSING) if data is None else self.with_content(citation, data, blob)

    def holds(self, citation: Citation, blob: str | None) -> bool:
        """Tell whether a citation stands in a blob; None stands for no file.

        Raises ObjectMissingError where nobody can tell, and ObjectDamagedError.
        """
        if blob is None:
            return False
        reason = self.with_blob(citation, blob).reason
        if reason is Reason.BASELINE_MISSING:
            raise ObjectMissingError(blob)
        return verdict_of(reason) is not Verdict.STALE

    def _compare(self, citation: Citation, data: bytes) -> Comparison:
        old = self._cited_data(citation)
        if citation.lines is not None:
            return compare_lines(*citation.lines, old, citation.text_hash, data)
        comparison = compare_file(old, citation.text_hash, data)
        # Without a blob id nobody knows that any byte differs.
        eol_only = citation.blob is None and comparison.reason is Reason.EOL_ONLY
        return Comparison(Reason.UNCHANGED) if eol_only else comparison

    def _cited_data(self, citation: Citation) -> bytes | None:
        try:
            return self._content(citation.blob)
        except ObjectDamagedError:
            if citation.text_hash is None:
                raise
            return None  # the hash alone decides

    def _content(self, blob: str | None) -> bytes | None:
        if blob is None:
            return None
        try:
            return self._repository.objects.blob(blob)
        except ObjectMissingError:
            return None


def told(citation: Citation, comparison: Comparison) -> str:
    """Return what a comparison says, as a person would put it."""
    start, end = citation.lines or (0, 0)
    cited = "the file" if citation.lines is None else _lines(start, end)
    if comparison.reason is Reason.LINES_MOVED:
        evidence = comparison.evidence
        return f"{cited} moved to {_lines(evidence.get('lineStart'), evidence.get('lineEnd'))}"
    if comparison.reason is Reason.UNCHANGED and citation.lines is None:
        return "the file is unchanged"
    return _TOLD[comparison.reason].format(cited)


_TOLD: Final = {
    Reason.UNCHANGED: "{} unchanged",
    Reason.LINES_AMBIGUOUS: "{} unchanged, but the same text stands in several places",
    Reason.EOL_ONLY: "{} changed in line ends only",
    Reason.LINES_CHANGED: "{} changed",
    Reason.WHITESPACE_CHANGED: "{} changed in white space",
    Reason.CONTENT_CHANGED: "{} changed",
    Reason.BINARY_CHANGED: "the file is binary and changed",
    Reason.RANGE_INVALID: "{} lie beyond the end of the file: correct the sourceRef",
    Reason.BASELINE_MISSING: _OBJECTS_MISSING,
}


def _lines(start: object, end: object) -> str:
    return f"line {start}" if start == end else f"lines {start}-{end}"
