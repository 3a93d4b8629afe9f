"""An entry file's bytes as an Entry, under the rules of trust of CONTRACT section 3."""

from enum import StrEnum
from typing import TypeVar

from gitmem.entry.body import parse_body
from gitmem.entry.canonical import read_canonical
from gitmem.entry.dates import normalise_date
from gitmem.entry.fields import refs_of, text_of, texts_of
from gitmem.entry.frontmatter import Document, Value, decode, load, split
from gitmem.entry.model import SCHEMA_VERSION, Entry, Kind, ReviewState

_Member = TypeVar("_Member", bound=StrEnum)


def parse_entry(ident: str, data: bytes, *, fallback_date: str) -> Entry:
    """Read an entry file.

    `ident` is the file's stem and stands in for a missing title; `fallback_date`, in the form of
    `normalise_date`, stands in for a date that is missing or is none. A file without `schemaVersion` is a legacy
    entry: a reviewed handoff unless its lines say otherwise. Any version but 1, an empty one too, gives an inert stub.
    An unknown kind or reviewState makes the entry stale; so does a missing reviewState in a file of version 1,
    which every writer sets. A missing kind there is `fact`, as `add` takes it.

    Raises UnreadableEntry for what is no entry file at all.
    """
    document = split(decode(data))
    values = _values(document)
    legacy = "schemaVersion" not in values
    if not legacy and values["schemaVersion"] != str(SCHEMA_VERSION):
        return _future(ident, values, fallback_date)
    kind, state = _trust(values, legacy=legacy)
    body = parse_body(document.body)
    return Entry(
        id=ident,
        title=text_of(values.get("title")) or ident,
        date=normalise_date(text_of(values.get("date")) or "") or fallback_date,
        schema_version=None if legacy else SCHEMA_VERSION,
        kind=kind,
        review_state=state,
        tags=texts_of(values.get("tags")),
        aliases=texts_of(values.get("aliases")),
        source_refs=refs_of(values.get("sourceRefs")),
        supersedes=text_of(values.get("supersedes")),
        decision_key=text_of(values.get("decisionKey")),
        run_id=text_of(values.get("runId")),
        provider=text_of(values.get("provider")),
        model=text_of(values.get("model")),
        mode=text_of(values.get("mode")),
        status=text_of(values.get("status")),
        goal=body.goal,
        plan=body.plan,
        decisions=body.decisions,
        files_touched=body.files_touched,
        next_steps=body.next_steps,
        notes=body.notes,
        other_sections=body.other_sections,
    )


def _values(document: Document) -> dict[str, Value]:
    values = read_canonical(document.block)
    return load(document).values if values is None else values


def _future(ident: str, values: dict[str, Value], fallback_date: str) -> Entry:
    return Entry(
        id=ident,
        title=text_of(values.get("title")) or ident,
        date=fallback_date,
        schema_version=None,
        kind=None,
        review_state=ReviewState.STALE,
        future=True,
    )


def _trust(values: dict[str, Value], *, legacy: bool) -> tuple[Kind | None, ReviewState]:
    # A line without a value is there all the same, and says nothing that is known.
    kind = _member(Kind, values.get("kind", Kind.HANDOFF if legacy else Kind.FACT))
    state = _member(ReviewState, values.get("reviewState", ReviewState.REVIEWED if legacy else None))
    return kind, ReviewState.STALE if kind is None or state is None else state


def _member(known: type[_Member], value: Value) -> _Member | None:
    """Return the member that a value spells exactly, None for any other value, blanks and case included."""
    try:
        return known(value) if isinstance(value, str) else None
    except ValueError:
        return None
