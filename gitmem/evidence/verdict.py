"""Verdicts, their reasons, and how those of an entry's sourceRefs add up (CONTRACT section 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from gitmem.entry.model import Entry, SourceRef, SourceType


class Verdict(StrEnum):
    """What the object database says now."""

    CURRENT = "current"
    STALE = "stale"
    UNVERIFIED = "unverified"


class Reason(StrEnum):
    """Why. Each reason belongs to exactly one verdict."""

    REACHABLE = "reachable"
    UNCHANGED = "unchanged"
    LINES_MOVED = "lines-moved"
    LINES_AMBIGUOUS = "lines-ambiguous"
    EOL_ONLY = "eol-only"
    REWRITTEN = "rewritten"
    SQUASHED = "squashed"
    RENAMED = "renamed"
    CASE_RENAMED = "case-renamed"

    REVERTED = "reverted"
    REVERTED_MERGE = "reverted-merge"
    REWRITTEN_CHANGED = "rewritten-changed"
    ORPHANED = "orphaned"
    LINES_CHANGED = "lines-changed"
    WHITESPACE_CHANGED = "whitespace-changed"
    CONTENT_CHANGED = "content-changed"
    BINARY_CHANGED = "binary-changed"
    DELETED = "deleted"
    DELETED_IN_WORKTREE = "deleted-in-worktree"
    TYPE_CHANGED = "type-changed"

    OTHER_BRANCH = "other-branch"
    SHALLOW_HISTORY = "shallow-history"
    MISSING = "missing"
    MISSING_SHALLOW = "missing-shallow"
    MISSING_PARTIAL = "missing-partial"
    NO_HEAD = "no-head"
    NOT_A_COMMIT = "not-a-commit"
    SHA_AMBIGUOUS = "sha-ambiguous"
    SHA_NULL = "sha-null"
    SHA_MALFORMED = "sha-malformed"
    ODB_ERROR = "odb-error"
    UNTRACKED = "untracked"
    IGNORED = "ignored"
    NO_BASELINE = "no-baseline"
    NO_SUCH_PATH = "no-such-path"
    BASELINE_MISSING = "baseline-missing"
    RANGE_INVALID = "range-invalid"
    IN_SUBMODULE = "in-submodule"
    SUBMODULE = "submodule"
    PATH_ABSOLUTE = "path-absolute"
    PATH_ESCAPES = "path-escapes"
    PATH_IN_GITDIR = "path-in-gitdir"
    VIA_SYMLINK = "via-symlink"
    PATH_MALFORMED = "path-malformed"
    TOO_BIG = "too-big"
    EXTERNAL = "external"
    NO_EVIDENCE = "no-evidence"
    UNKNOWN_TYPE = "unknown-type"


_CURRENT: Final = frozenset(
    {
        Reason.REACHABLE,
        Reason.UNCHANGED,
        Reason.LINES_MOVED,
        Reason.LINES_AMBIGUOUS,
        Reason.EOL_ONLY,
        Reason.REWRITTEN,
        Reason.SQUASHED,
        Reason.RENAMED,
        Reason.CASE_RENAMED,
    }
)
_STALE: Final = frozenset(
    {
        Reason.REVERTED,
        Reason.REVERTED_MERGE,
        Reason.REWRITTEN_CHANGED,
        Reason.ORPHANED,
        Reason.LINES_CHANGED,
        Reason.WHITESPACE_CHANGED,
        Reason.CONTENT_CHANGED,
        Reason.BINARY_CHANGED,
        Reason.DELETED,
        Reason.DELETED_IN_WORKTREE,
        Reason.TYPE_CHANGED,
    }
)
_SEVERITY: Final = {Verdict.CURRENT: 0, Verdict.UNVERIFIED: 1, Verdict.STALE: 2}


def verdict_of(reason: Reason) -> Verdict:
    """Return the verdict that a reason stands for."""
    if reason in _CURRENT:
        return Verdict.CURRENT
    return Verdict.STALE if reason in _STALE else Verdict.UNVERIFIED


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one piece of evidence: the reason, a line for people, and facts for programs."""

    reason: Reason
    message: str
    evidence: Mapping[str, object] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """The verdict that the reason stands for."""
        return verdict_of(self.reason)


def worse(one: Finding, other: Finding) -> Finding:
    """Return the finding that counts when both must hold; of two equals the first, with what both know."""
    if one.verdict is other.verdict:
        return Finding(one.reason, f"{one.message}; {other.message}", {**other.evidence, **one.evidence})
    return other if _SEVERITY[other.verdict] > _SEVERITY[one.verdict] else one


@dataclass(frozen=True, slots=True)
class Judgement:
    """A sourceRef and what was found about it; `parts` where it cites both a commit and a file."""

    ref: SourceRef
    finding: Finding
    parts: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, apart for the commit and the file where both are cited."""
        return self.parts or (self.finding,)


@dataclass(frozen=True, slots=True)
class EntryVerdict:
    """An entry, the verdict on it, and the judgements that it follows from, in the order of its sourceRefs."""

    entry: Entry
    verdict: Verdict
    judgements: tuple[Judgement, ...]


def add_up(judgements: Sequence[Judgement]) -> Verdict:
    """Return an entry's verdict: stale if any ref is, current if there is evidence in git and all of it is.

    Runs and transcripts are outside git; they count only where there is nothing else, as unverified.
    """
    verdicts = {j.finding.verdict for j in judgements if j.ref.source_type in (SourceType.COMMIT, SourceType.FILE)}
    others = [j for j in judgements if j.finding.reason is Reason.UNKNOWN_TYPE]
    if Verdict.STALE in verdicts:
        return Verdict.STALE
    return Verdict.CURRENT if verdicts == {Verdict.CURRENT} and not others else Verdict.UNVERIFIED
