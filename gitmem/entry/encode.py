"""Entries as JSON: the camelCase form of `--json`, described by `schema/entry.schema.json`."""

from typing import Final

from gitmem.entry.model import Entry, SourceRef


def entry_to_json(entry: Entry) -> dict[str, object]:
    """Return an entry's JSON form, its keys in the order of the schema.

    Optional fields that the entry does not have are left out; only `schemaVersion` and `kind` can be null.
    """
    optional = {
        "supersedes": entry.supersedes,
        "decisionKey": entry.decision_key,
        "runId": entry.run_id,
        "provider": entry.provider,
        "model": entry.model,
        "mode": entry.mode,
        "status": entry.status,
    }
    return {
        "id": entry.id,
        "schemaVersion": entry.schema_version,
        "date": entry.date,
        "title": entry.title,
        "kind": None if entry.kind is None else entry.kind.value,
        "reviewState": entry.review_state.value,
        "tags": list(entry.tags),
        "aliases": list(entry.aliases),
        "sourceRefs": [source_ref_to_json(ref) for ref in entry.source_refs],
        **{key: value for key, value in optional.items() if value is not None},
        "goal": entry.goal,
        "plan": list(entry.plan),
        "decisions": list(entry.decisions),
        "filesTouched": list(entry.files_touched),
        "nextSteps": list(entry.next_steps),
        "notes": entry.notes,
        "otherSections": [{"heading": part.heading, "text": part.text} for part in entry.other_sections],
        "future": entry.future,
    }


SOURCE_REF_KEYS: Final = frozenset(
    {"sourceType", "id", "label", "path", "lineStart", "lineEnd", "commit", "blob", "textHash"}
)
"""The keys of a sourceRef that the schema knows."""


def source_ref_to_json(ref: SourceRef) -> dict[str, str | int]:
    """Return a sourceRef's JSON form, which is also its form in the frontmatter; what it lacks is left out."""
    form = {
        "sourceType": ref.source_type,
        "id": ref.id,
        "label": ref.label,
        "path": ref.path,
        "lineStart": ref.line_start,
        "lineEnd": ref.line_end,
        "commit": ref.commit,
        "blob": ref.blob,
        "textHash": ref.text_hash,
    }
    return {key: value for key, value in form.items() if value is not None}
