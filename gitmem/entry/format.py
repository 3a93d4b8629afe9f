"""An Entry as the bytes of its file, in the one form that the tool writes (CONTRACT section 3)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gitmem.entry.body import format_body
from gitmem.entry.encode import source_ref_to_json
from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.entry.scalars import compact, date_scalar, scalar
from gitmem.errors import GitMemError
from gitmem.text import plain


class UnwritableEntry(GitMemError):  # noqa: N818 - the counterpart of UnreadableEntry
    """An entry that must not be written, or could not be read again."""


def format_entry(entry: Entry) -> bytes:
    """Return the file of an entry: `parse_entry` reads it back as the same entry.

    That holds for entries as `parse_entry` gives them; frontmatter values of others lose what
    `gitmem.text.plain` takes out, the goal and the items of lists become one line each.

    Raises UnwritableEntry for a future entry or one of unknown kind, of which only a part is known, and for one
    that would be over 1 MiB.
    """
    if entry.future or entry.kind is None:
        raise UnwritableEntry(f"{entry.id} was written by another version and is not rewritten: edit its file")
    body = format_body(entry)
    text = "\n".join(["---", *_lines(entry), "---", *(["", body] if body else []), ""])
    data = text.encode("utf-8")
    if len(data) > MAX_BYTES:
        raise UnwritableEntry(f"the entry has {len(data)} bytes, at most {MAX_BYTES} are read: shorten it")
    return data


def format_source_ref(ref: SourceRef) -> dict[str, str | int]:
    """Return a sourceRef as the JSON object that stands for it in the frontmatter."""
    return source_ref_to_json(_plain_ref(ref))


def _lines(entry: Entry) -> Iterator[str]:
    if entry.schema_version is not None:
        yield f"schemaVersion: {entry.schema_version}"
    yield f"date: {date_scalar(entry.date)}"
    yield f"title: {scalar(entry.title)}"
    yield f"kind: {entry.kind}"
    yield f"reviewState: {entry.review_state}"
    yield f"tags: {_list(entry.tags)}"
    if entry.aliases:
        yield f"aliases: {_list(entry.aliases)}"
    yield f"sourceRefs: {compact([format_source_ref(ref) for ref in entry.source_refs])}"
    for key, value in _optional(entry):
        if value and plain(value):
            yield f"{key}: {scalar(value)}"


def _optional(entry: Entry) -> tuple[tuple[str, str | None], ...]:
    return (
        ("supersedes", entry.supersedes),
        ("decisionKey", entry.decision_key),
        ("runId", entry.run_id),
        ("provider", entry.provider),
        ("model", entry.model),
        ("mode", entry.mode),
        ("status", entry.status),
    )


def _list(values: Sequence[str]) -> str:
    return compact([text for text in map(plain, values) if text])


def _plain_ref(ref: SourceRef) -> SourceRef:
    return replace(
        ref,
        source_type=plain(ref.source_type),
        id=ref.id if ref.source_type == SourceType.FILE else plain(ref.id),
        label=_plain_or_none(ref.label),
        commit=_plain_or_none(ref.commit),
        blob=_plain_or_none(ref.blob),
        text_hash=_plain_or_none(ref.text_hash),
    )


def _plain_or_none(value: str | None) -> str | None:
    return (plain(value) or None) if value is not None else None
