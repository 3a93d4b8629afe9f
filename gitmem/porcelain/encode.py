"""The one way from a result to JSON: camelCase keys, stable order, no absolute path unless a verb prints paths."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from gitmem.entry.encode import entry_to_json, source_ref_to_json
from gitmem.entry.model import SCHEMA_VERSION, Entry, SourceRef
from gitmem.evidence.verdict import EntryVerdict, Judgement, Reason
from gitmem.porcelain.show import Shown
from gitmem.text import HIDDEN


def encode(result: object) -> str:
    """Return a porcelain result as one JSON document, without a line end.

    Hidden characters are escaped, as JSON may: nothing in the document can hide text or turn it round. Names on disk
    that are not UTF-8 appear with the escapes of their undecodable bytes.
    """
    value = _plain(result)
    if not isinstance(value, dict):
        raise TypeError(f"not a result: {result!r}")
    text = json.dumps({"schemaVersion": SCHEMA_VERSION, **value}, ensure_ascii=False)
    return HIDDEN.sub(lambda found: json.dumps(found.group())[1:-1], text)


def _plain(value: object) -> object:
    for kind, form in _FORMS.items():
        if isinstance(value, kind):
            return form(value)
    if is_dataclass(value):
        return {_camel(field.name): _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value


def _entry_verdict(found: EntryVerdict) -> dict[str, object]:
    reason = {} if found.judgements else {"reason": Reason.NO_EVIDENCE}
    return {
        "id": found.entry.id,
        "title": found.entry.title,
        "reviewState": found.entry.review_state,
        "verdict": found.verdict,
        **reason,
        "refs": [_judgement(judgement) for judgement in found.judgements],
    }


def _judgement(judgement: Judgement) -> dict[str, object]:
    ref, finding = judgement.ref, judgement.finding
    place = {"label": ref.label, "path": ref.path, "lineStart": ref.line_start, "lineEnd": ref.line_end}
    return {
        "sourceType": ref.source_type,
        "id": ref.id,
        **{key: value for key, value in place.items() if value is not None},
        "verdict": finding.verdict,
        "reason": finding.reason,
        "message": finding.message,
        "evidence": _plain(finding.evidence),
    }


# The values whose JSON form is not just their fields.
_FORMS: Final[Mapping[type, Callable[[Any], object]]] = {
    Entry: entry_to_json,
    SourceRef: source_ref_to_json,
    Shown: lambda shown: {"entry": entry_to_json(shown.entry)},
    Judgement: _judgement,
    EntryVerdict: _entry_verdict,
}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
