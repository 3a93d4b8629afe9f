r"""The Markdown body of an entry: H1 sections, read and written so that each is the other's inverse.

A heading is an ATX heading of level 1 outside code fences (CommonMark 0.31, sections 4.2 and 4.5). Free text may
hold a line that would be read as such a heading, or that opens a code fence and never closes it; it is written
behind a backslash (`\# so`), which Markdown shows as the line was, and reading takes one backslash away again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from gitmem.entry.model import Entry, Section

# A line that begins an H1 heading or a code fence, or would do so with fewer backslashes.
_ESCAPABLE: Final = re.compile(
    r"(?P<indent> {0,3})(?P<slashes>\\*)(?:(?P<heading>#(?=[ \t]|$))|(?P<fence>`{3,}(?=[^`]*$)|~{3,}))"
)
_ESCAPABLE_STARTS: Final = frozenset(" \\#`~")
_CLOSING: Final = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*")
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)(?P<text>.*)")
_NEWLINES: Final = re.compile("\r\n?")
_BREAKS: Final = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")

# UTF-8 cannot hold a lone surrogate, and a file with a NUL is not read as text.
_UNWRITABLE: Final = re.compile("[\0\ud800-\udfff]")

_FIELDS: Final = {
    "goal": "goal",
    "plan": "plan",
    "decisions": "decisions",
    "files touched": "files",
    "files": "files",
    "next steps": "next",
    "notes": "notes",
}


class _Line(NamedTuple):
    """A line as it is meant, without its escape."""

    text: str
    code: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What a body says, field by field as in `Entry`."""

    goal: str
    plan: tuple[str, ...]
    decisions: tuple[str, ...]
    files_touched: tuple[str, ...]
    next_steps: tuple[str, ...]
    notes: str
    other_sections: tuple[Section, ...]


def parse_body(text: str) -> Body:
    """Read a body. Text before the first heading counts as notes; a section that comes twice is joined."""
    known: dict[str, list[list[_Line]]] = {field: [] for field in _FIELDS.values()}
    other: list[Section] = []
    for heading, lines in _sections(_NEWLINES.sub("\n", text)):
        field = _FIELDS.get(" ".join(heading.split()).casefold())
        if field is not None:
            known[field].append(lines)
        else:
            other.append(Section(heading, _free_text(lines)))
    return Body(
        goal=one_line(" ".join(line.text.strip() for lines in known["goal"] for line in lines)),
        plan=_items(known["plan"]),
        decisions=_items(known["decisions"]),
        files_touched=tuple(filter(None, map(_without_backticks, _items(known["files"])))),
        next_steps=_items(known["next"]),
        notes="\n\n".join(filter(None, map(_free_text, known["notes"]))),
        other_sections=tuple(other),
    )


def format_body(entry: Entry) -> str:
    """Write the sections of an entry, empty ones left out, without a line end after the last line."""
    goal, notes = one_line(entry.goal), trimmed(entry.notes)
    sections = [
        Section("Goal", goal),
        Section("Plan", _bullets(entry.plan)),
        Section("Decisions", _bullets(entry.decisions)),
        Section("Files touched", _bullets(map(_code_span, filter(None, map(one_line, entry.files_touched))))),
        Section("Next steps", _bullets(entry.next_steps)),
        Section("Notes", notes),
    ]
    sections = [section for section in sections if section.text]
    sections += (Section(one_line(other.heading), trimmed(other.text)) for other in entry.other_sections)
    return "\n\n".join(
        _format_section(section, last=place == len(sections)) for place, section in enumerate(sections, 1)
    )


def one_line(text: str) -> str:
    """Return the text on one line, its outer white space stripped. Other characters stay as they are."""
    return _BREAKS.sub(" ", _UNWRITABLE.sub("\ufffd", text)).strip()


def trimmed(text: str) -> str:
    """Return free text with LF line ends and without blank lines around it."""
    return _without_outer_blanks(_NEWLINES.sub("\n", _UNWRITABLE.sub("\ufffd", text)).split("\n"))


def _without_outer_blanks(lines: Sequence[str]) -> str:
    filled = [place for place, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def _sections(text: str) -> Iterator[tuple[str, list[_Line]]]:
    """Yield each section's heading and lines; what stands before the first heading comes as Notes."""
    heading, fence = "Notes", ""
    lines: list[_Line] = []
    for line in text.split("\n"):
        found = _ESCAPABLE.match(line) if line[:1] in _ESCAPABLE_STARTS and not fence else None
        if found is None:
            lines.append(_Line(line, code=bool(fence)))
            fence = "" if fence and _closes(line, fence) else fence
        elif found["slashes"]:
            lines.append(_Line(found["indent"] + line[found.end("indent") + 1 :], code=False))
        elif found["fence"]:
            lines.append(_Line(line, code=True))
            fence = found["fence"]
        else:
            yield heading, lines
            heading, lines = one_line(_heading_text(line[found.end() :])), []
    yield heading, lines


def _closes(line: str, fence: str) -> bool:
    found = _CLOSING.fullmatch(line)
    return found is not None and found["fence"].startswith(fence)


def _heading_text(raw: str) -> str:
    """Return a heading's text without its closing sequence: a last run of `#` that stands alone."""
    text = raw.strip(" \t")
    opened = text.rstrip("#")
    return opened.rstrip(" \t") if not opened or opened[-1] in " \t" else text


def _free_text(lines: Iterable[_Line]) -> str:
    return _without_outer_blanks([line.text for line in lines])


def _items(sections: Iterable[list[_Line]]) -> tuple[str, ...]:
    found = (one_line(" ".join(parts)) for lines in sections for parts in _item_parts(lines))
    return tuple(filter(None, found))


def _item_parts(lines: Iterable[_Line]) -> list[list[str]]:
    """Group the lines of a list by item: a bullet begins one, and so does text after a blank line."""
    items: list[list[str]] = []
    after_blank = True
    for line in lines:
        text = line.text.strip()
        if not text:
            after_blank = True
            continue
        bullet = None if line.code else _BULLET.match(line.text)
        if bullet:
            items.append([bullet["text"]])
        elif items and (not after_blank or line.code or line.text.startswith(("  ", "\t"))):
            items[-1].append(text)
        else:
            items.append([text])
        after_blank = False
    return items


def _without_backticks(item: str) -> str:
    """Return the path that an item names: the text of its code span, or the item less its backticks."""
    fence = item[: len(item) - len(item.lstrip("`"))]
    inner = item[len(fence) : len(item) - len(fence)]
    if fence and item.endswith(fence) and not inner.endswith("`") and fence not in re.findall("`+", inner):
        spaced = inner.startswith(" ") and inner.endswith(" ") and inner.strip(" ")
        return inner[1:-1] if spaced else inner
    return item.replace("`", "").strip()


def _code_span(path: str) -> str:
    fence = "`" * (1 + max(map(len, re.findall("`+", path)), default=0))
    pad = " " if path.startswith("`") or path.endswith("`") else ""
    return f"{fence}{pad}{path}{pad}{fence}"


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in map(one_line, items) if text)


def _format_section(section: Section, *, last: bool) -> str:
    # Text that is its own closing sequence needs another one behind it.
    closing = "" if _heading_text(section.heading) == section.heading else " #"
    heading = f"# {section.heading}{closing}".rstrip()
    return f"{heading}\n\n{_escaped(section.text, last=last)}" if section.text else heading


def _escaped(text: str, *, last: bool) -> str:
    """Return free text so that reading it gives it back and the next section is seen as one.

    A code fence that is not closed may run on to the end of the file, so the `last` section keeps it as it is.
    """
    lines = text.split("\n")
    closed = _closing_lines(lines)
    written: list[str] = []
    while len(written) < len(lines):
        at = len(written)
        if _opened(lines[at]) and (at in closed or last):
            written += lines[at : closed.get(at, len(lines)) + 1]
        else:
            written.append(_escaped_line(lines[at]))
    return "\n".join(written)


def _escaped_line(line: str) -> str:
    found = _ESCAPABLE.match(line)
    return line if found is None else f"{found['indent']}\\{line[found.end('indent') :]}"


def _closing_lines(lines: Sequence[str]) -> dict[int, int]:
    """Return the line that closes each code fence, by the line that opens it; fences left open are not there."""
    closed: dict[int, int] = {}
    # Where nothing closes a fence, nothing closes a later one of its length or more: the search stays linear.
    hopeless: dict[str, int] = {}
    at = 0
    while at < len(lines):
        fence = _opened(lines[at])
        if fence and len(fence) < hopeless.get(fence[0], len(fence) + 1):
            end = next((place for place in range(at + 1, len(lines)) if _closes(lines[place], fence)), None)
            if end is None:
                hopeless[fence[0]] = len(fence)
            else:
                closed[at] = end
                at = end
        at += 1
    return closed


def _opened(line: str) -> str:
    """Return the fence that a line opens, or nothing."""
    found = _ESCAPABLE.match(line)
    return (found["fence"] or "") if found and not found["slashes"] else ""
