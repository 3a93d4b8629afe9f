"""Frontmatter values as the fields of an entry: what can be kept is kept, nothing here fails."""

import re
from typing import Final

from gitmem.entry.frontmatter import Value
from gitmem.entry.model import SourceRef, SourceType
from gitmem.text import plain

_LINE_NUMBER: Final = re.compile("[1-9][0-9]{0,8}")
_NOTHING: Final = SourceRef(source_type="", id="")


def text_of(value: Value) -> str | None:
    """Return a value's text on one line, or None where it is absent, empty or not text."""
    if not isinstance(value, str):
        return None
    # Printable ASCII, as most values are, hides nothing.
    return (value.strip() if value.isascii() and value.isprintable() else plain(value)) or None


def exact_text_of(value: Value) -> str | None:
    """Return a value's text as it is, or None where it is absent or not text: a path must name its file."""
    return value if isinstance(value, str) else None


def texts_of(value: Value) -> tuple[str, ...]:
    """Return the texts of a list; a single text is a list of one. What is not text is left out."""
    found = (text_of(item) for item in (value if isinstance(value, list) else [value]))
    return tuple(text for text in found if text is not None)


def refs_of(value: Value) -> tuple[SourceRef, ...]:
    """Return the sourceRefs of a list of mappings, or of one mapping.

    What names evidence in some way is kept, with an empty `source_type` or `id` where that is missing: dropped,
    it could not keep the entry from looking proven. A bare text is a ref with that id and without a type.
    """
    found = [_ref_of(item) for item in (value if isinstance(value, list) else [value])]
    return tuple([ref for ref in found if ref is not None])


def _ref_of(value: Value) -> SourceRef | None:
    if isinstance(value, dict):
        return _ref_of_mapping(value)
    text = text_of(value)
    return SourceRef(source_type="", id=text) if text else None


def _ref_of_mapping(value: dict[str, Value]) -> SourceRef | None:
    get = value.get
    source_type, path, commit = text_of(get("sourceType")), exact_text_of(get("path")), text_of(get("commit"))
    if source_type == SourceType.FILE:
        ident = exact_text_of(get("id"))
        ident, path = ident or path, ident if path is None else path
    else:
        ident = text_of(get("id")) or (commit if source_type == SourceType.COMMIT else None)
    start, end = _lines_of(value)
    ref = SourceRef(
        source_type=source_type or "",
        id=ident or "",
        label=text_of(get("label")),
        path=path,
        line_start=start,
        line_end=end,
        commit=commit,
        blob=text_of(get("blob")),
        text_hash=text_of(get("textHash")),
    )
    return ref if source_type or ident or ref != _NOTHING else None


def _lines_of(value: dict[str, Value]) -> tuple[int | None, int | None]:
    """Return the range; 0 stands for a number that cannot be read, so that no judge takes it for the whole file."""
    start, end = _line_of(value.get("lineStart")), _line_of(value.get("lineEnd"))
    if start is None and end is not None:
        return 0, end
    return start, start if end is None else end


def _line_of(value: Value) -> int | None:
    if value is None:
        return None
    return int(value) if isinstance(value, str) and _LINE_NUMBER.fullmatch(value) else 0
