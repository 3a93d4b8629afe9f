"""One field of an entry file changed, and no other byte."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from gitmem.entry.encode import SOURCE_REF_KEYS
from gitmem.entry.format import format_source_ref
from gitmem.entry.frontmatter import Document, Metadata, Span, UnreadableEntry, Value, bare, decode, load, split
from gitmem.entry.model import SourceRef
from gitmem.entry.scalars import compact, quoted, scalar
from gitmem.text import plain


def set_field(data: bytes, key: str, value: str) -> bytes:
    """Return an entry file with one top-level frontmatter value set to a text.

    The rest stays byte for byte: comments, unknown keys, blanks, the style of quotes, line ends, byte order mark
    and body. A missing line becomes the last of the frontmatter; a file without frontmatter gets one of this
    line. A value of several lines becomes one line.

    Raises UnreadableEntry where the file cannot be read, or cannot be changed so that exactly this field differs.
    """
    text = plain(value)
    return _set(data, key, text, lambda old: _in_style_of(old, text))


def set_source_refs(data: bytes, refs: Sequence[SourceRef]) -> bytes:
    """Return an entry file with its sourceRefs replaced, written as JSON on their line; else as `set_field`.

    `refs` are as many as the file has, in its order: keys of theirs that this version does not know stay.
    """
    known = [format_source_ref(ref) for ref in refs]
    unknown = _unknown_keys(data, len(known))
    written = compact([{**ref, **more} for ref, more in zip(known, unknown, strict=True)])
    return _set(data, "sourceRefs", _as_read(json.loads(written)), lambda _: written)


def remove_field(data: bytes, key: str) -> bytes:
    """Return an entry file without one top-level frontmatter key; the rest stays byte for byte, as with `set_field`.

    Raises UnreadableEntry as `set_field` does.
    """
    document = split(decode(data))
    before = load(document)
    span = before.spans.get(key)
    if span is None:
        return data
    if before.flow:
        raise UnreadableEntry("its frontmatter is one {...}: write one key a line")
    lines = document.block.split("\n")
    del lines[span.key_end[0] : _last_line(lines, span) + 1]
    changed = replace(document, block="\n".join(lines))
    written = changed.text.encode("utf-8")
    _verify(written, changed, {name: value for name, value in before.values.items() if name != key})
    return written


def _unknown_keys(data: bytes, count: int) -> list[dict[str, object]]:
    """Return what each sourceRef of a file says that this version does not know; nothing where there is no telling."""
    document = split(decode(data))
    before = load(document)
    found = _written_as_json(document, before.spans.get("sourceRefs")) or before.values.get("sourceRefs")
    refs = found if isinstance(found, list) else [found]
    if len(refs) != count:
        return [{} for _ in range(count)]
    mappings: list[dict[str, object]] = [dict(ref) if isinstance(ref, dict) else {} for ref in refs]
    return [{key: ref[key] for key in ref if key not in SOURCE_REF_KEYS} for ref in mappings]


def _written_as_json(document: Document, span: Span | None) -> object:
    """Return a value as JSON reads it, which tells numbers from texts; None where it is not JSON on one line."""
    if span is None or span.start[0] != span.end[0]:
        return None
    try:
        return json.loads(document.block.split("\n")[span.start[0]][span.start[1] : span.end[1]])
    except ValueError:
        return None


def _as_read(value: object) -> Value:
    """Return a JSON value as the frontmatter reads it: every scalar is a text."""
    if isinstance(value, list):
        return [_as_read(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_read(item) for key, item in value.items()}
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _in_style_of(old: str, value: str) -> str:
    """Return a value in the quotes, if any, that the old one begins with."""
    if old.startswith('"'):
        return quoted(value)
    return "'" + value.replace("'", "''") + "'" if old.startswith("'") else scalar(value)


def _set(data: bytes, key: str, expected: Value, write: Callable[[str], str]) -> bytes:
    document = split(decode(data))
    before = load(document)
    span = before.spans.get(key)
    if not document.fence:
        changed = _with_frontmatter(document, f"{key}: {write('')}")
    elif span is None:
        changed = _with_line(document, before, f"{key}: {write('')}")
    else:
        changed = _with_value(document, span, write)
    written = changed.text.encode("utf-8")
    _verify(written, changed, {**before.values, key: expected})
    return written


def _verify(written: bytes, changed: Document, expected: dict[str, Value]) -> None:
    text = decode(written)
    try:
        reread = split(text)
        good = reread == changed and load(reread).values == expected
    except UnreadableEntry:
        good = False
    if not good:
        raise UnreadableEntry("its frontmatter has a form that cannot be changed line by line: edit the file")


def _with_frontmatter(document: Document, line: str) -> Document:
    end = "\r\n" if document.body.partition("\n")[0].endswith("\r") else "\n"
    return Document(f"{document.head}---{end}", f"{line}{end}", f"---{end}", document.body)


def _with_line(document: Document, before: Metadata, line: str) -> Document:
    if before.flow:
        raise UnreadableEntry("its frontmatter is one {...}: write one key a line")
    end = "\r\n" if document.head.endswith("\r\n") else "\n"
    return replace(document, block=f"{document.block}{' ' * before.column}{line}{end}")


def _with_value(document: Document, span: Span, write: Callable[[str], str]) -> Document:
    lines = document.block.split("\n")
    for place in {span.key_end[0], span.start[0], min(span.end[0], len(lines) - 1)}:
        _refuse_hidden(lines[place])
    if span.start[0] == span.end[0]:
        lines[span.start[0]] = _on_one_line(lines[span.start[0]], span, write)
    else:
        _on_many_lines(lines, span, write)
    return replace(document, block="\n".join(lines))


def _refuse_hidden(line: str) -> None:
    # Columns are counted in the line as it is read; with hidden characters in it they would point elsewhere.
    line = line.rstrip("\r")
    if bare(line) != line:
        raise UnreadableEntry("hidden characters in the line to change: take them out of the file")


def _on_one_line(line: str, span: Span, write: Callable[[str], str]) -> str:
    before, old, after = line[: span.start[1]], line[span.start[1] : span.end[1]], line[span.end[1] :]
    gap = " " if not old and before.endswith(":") else ""
    return f"{before}{gap}{write(old)}{after}"


def _on_many_lines(lines: list[str], span: Span, write: Callable[[str], str]) -> None:
    """Replace a value of several lines, in place, by one on the line of its key."""
    first, last = span.key_end[0], _last_line(lines, span)
    end = "\r" if lines[last].endswith("\r") else ""
    after = lines[last][span.end[1] :] if span.end[1] else end
    lines[first : last + 1] = [f"{lines[first][: span.key_end[1]]}: {write('')}{after}"]


def _last_line(lines: list[str], span: Span) -> int:
    """Return the last line of a value. A block scalar ends at the start of the next thing, less the blank lines."""
    last = span.end[0]
    if span.end[1]:
        return last
    last -= 1
    while last > span.key_end[0] and not lines[last].strip():
        last -= 1
    return last
