"""The values that an entry consists of: closed sets as enums, everything frozen."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SCHEMA_VERSION: Final = 1


class Kind(StrEnum):
    """What sort of knowledge an entry holds."""

    RUN = "run"
    HANDOFF = "handoff"
    DECISION = "decision"
    CONVENTION = "convention"
    FACT = "fact"
    FAILURE = "failure"
    PATTERN = "pattern"


class ReviewState(StrEnum):
    """What a person said of an entry. Never mixed up with a verdict."""

    PROPOSED = "proposed"
    REVIEWED = "reviewed"
    SUPERSEDED = "superseded"
    STALE = "stale"


class SourceType(StrEnum):
    """What a sourceRef points at."""

    COMMIT = "commit"
    FILE = "file"
    RUN = "run"
    TRANSCRIPT = "transcript"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRef:
    """A typed link from an entry to its evidence.

    `line_start` and `line_end` are 1-based and inclusive. `commit`, `blob` and `text_hash` are the anchor that
    was recorded when the entry was written; `text_hash` is `sha256:<hex>`. What a hand-written file holds is
    kept as it stands, however wrong: judging it is the evidence floor's work.
    """

    source_type: str
    id: str
    label: str | None = None
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    commit: str | None = None
    blob: str | None = None
    text_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """An H1 section of the body that the format gives no meaning to; kept, and searched as notes."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry as read from its file.

    `schema_version` is None for a legacy file. `kind` is None only where the file names an unknown one; such an
    entry is `stale`. `future` marks a file of another schema version: an inert `stale` stub with id and title.
    `date` is ISO 8601, UTC, with seconds. Free text is str, lists are tuples.
    """

    id: str
    title: str
    date: str
    schema_version: int | None = SCHEMA_VERSION
    kind: Kind | None = Kind.FACT
    review_state: ReviewState = ReviewState.REVIEWED
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    source_refs: tuple[SourceRef, ...] = ()
    supersedes: str | None = None
    decision_key: str | None = None
    run_id: str | None = None
    provider: str | None = None
    model: str | None = None
    mode: str | None = None
    status: str | None = None
    goal: str = ""
    plan: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    files_touched: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    notes: str = ""
    other_sections: tuple[Section, ...] = ()
    future: bool = False

    @property
    def active(self) -> bool:
        """Whether a person reviewed it and nothing has replaced it: what normal recall may show."""
        return self.review_state is ReviewState.REVIEWED and not self.future
