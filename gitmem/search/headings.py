"""The headings of documents: Markdown, reStructuredText, AsciiDoc, Org, HTML, TeX, and underlined ones of plain text.

One pass of a pattern over each text; what stands in code, comments and front matter is no heading.

Rules: CommonMark 0.31 (leaf blocks); docutils, "reStructuredText Markup Specification", sections; AsciiDoc's user
guide, section titles, the older form with two lines too; Org's manual, headlines.
"""

import re
from collections.abc import Iterator
from typing import Final

from gitmem.search.outline import Heading

_END: Final = r"[ \t]*+(?=\n|\Z)"

# Patterns begin with the line end before the line: such a literal is looked for the fastest. So they are for texts with
# a line end put in front, in which a line begins at the same offset as its line end has here.

_MARKDOWN: Final = re.compile(
    rf"""\n[ ]{{0,3}}+(?:
      (?P<fence>`{{3,}}+(?=[^`\n]*+(?:\n|\Z))|~{{3,}}+)(?P<info>[^\n]*+)
    | (?P<marks>\#{{1,6}}+)(?=[ \t\n]|\Z)(?P<title>[^\n]*+)
    | (?P<under>=++|-++){_END}
    | (?P<html><!--|<(?:pre|script|style|textarea)(?=[ \t>\n]|\Z))
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# YAML or TOML before the text; a rule at the top is something else.
_FRONT: Final = re.compile(
    r"\n(?:---[ \t]*\n(?:\#[^\n]*\n)*+[\w\"'-]+[ \t]*:(?s:.*?)\n(?:---|\.\.\.)"
    r"|\+\+\+[ \t]*\n(?s:.*?)\n\+\+\+)[ \t]*(?=\n|\Z)"
)
_EMPTY_FRONT: Final = re.compile(r"\n(---|\+\+\+)[ \t]*\n\1[ \t]*(?=\n|\Z)")
# What cannot be the one line of a paragraph that an underline makes a heading: an item, a quote, a table, a heading.
_NO_PARAGRAPH: Final = re.compile(
    r" {0,3}(?:(?:[-*+]|[0-9]{1,9}[.)]|#{1,6})(?=[ \t]|$)|[>|<]|`{3}|~{3}|(?:=+|-+)[ \t]*$)|    |\t"
)

_UNDERLINE: Final = re.compile(rf"\n(?P<line>(?P<char>[!-/:-@\[-`{{-~])(?P=char)*+){_END}")

_ASCIIDOC: Final = re.compile(
    rf"\n(?:(?P<marks>=={{0,5}}+|\#{{1,6}}+)[ \t]++(?P<title>[^\n]++)"
    rf"|(?P<line>(?P<char>[-.+/=~^`])(?P=char){{2,}}+){_END})"
)
_TITLE_LINES: Final = "=-~^+"  # under a title, by its level
_VERBATIM: Final = frozenset("-.+/`")  # around a block that has no headings

_ORG: Final = re.compile(r"\n(?P<marks>\*++)[ \t]++(?P<title>[^\n]++)")
_HTML: Final = re.compile(r"<[hH](?P<level>[1-6])(?:[ \t][^>\n]*+)?>(?P<title>[^\n]*+)")
_HTML_END: Final = re.compile("</[hH][1-6]>")
_TAG: Final = re.compile("<[^<>]*>")
_TEX: Final = re.compile(
    r"\n[ \t]*+\\(?P<kind>part|chapter|(?:sub){0,2}section|paragraph)\*?(?:\[[^\]\n]*+\])?\{(?P<title>[^}\n]*+)"
)
_TEX_LEVELS: Final = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")


def markdown(text: str) -> Iterator[Heading]:
    """Yield the headings of Markdown, whatever its dialect."""
    shifted = f"\n{text}"
    front = _EMPTY_FRONT.match(shifted) or _FRONT.match(shifted)
    fence, resume = "", front.end() if front else 0
    for found in _MARKDOWN.finditer(shifted, resume):
        kind = found.lastgroup
        if fence:
            fence = "" if _closes(found, fence) else fence
        elif found.start() < resume:
            continue
        elif kind == "info":
            fence = found["fence"]
        elif kind == "html":
            resume = _html_end(shifted, found)
        elif kind == "title":
            yield Heading(found.start(), len(found["marks"]), _without_marks(found["title"]))
        elif title := _over(shifted, found):
            yield Heading(title.offset, 1 if found["under"][0] == "=" else 2, title.title)


def _closes(found: re.Match[str], fence: str) -> bool:
    return (found["fence"] or "").startswith(fence) and not found["info"].strip(" \t")


def _html_end(text: str, found: re.Match[str]) -> int:
    """Return where a comment or a verbatim element ends, with the text if nothing else ends it."""
    start = found["html"]
    end = re.compile("-->" if start == "<!--" else f"</{start[1:]}>", re.IGNORECASE).search(text, found.end())
    return end.end() if end else len(text)


def _without_marks(title: str) -> str:
    """Return a heading's text without the number signs that may close it."""
    text = title.strip(" \t")
    rest = text.rstrip("#")
    return rest.rstrip() if not rest or rest[-1] in " \t" else text


def _over(text: str, under: re.Match[str]) -> Heading | None:
    """Return the line above an underline, if it is a paragraph by itself; the level is not told."""
    offset, line = _line_above(text, under.start())
    if not line.strip() or _NO_PARAGRAPH.match(line):
        return None
    # Below a paragraph of several lines people mean a rule by `---`; `===` can only be an underline.
    if under["under"][0] == "-" and (before := _line_above(text, offset)[1]).strip() and not before.startswith("#"):
        return None
    return Heading(offset, 0, line)


def _line_above(text: str, end: int) -> tuple[int, str]:
    """Return the line that ends where the text, with a line end in front, has a line end, and where it begins."""
    start = text.rfind("\n", 0, end)
    return max(start, 0), text[start + 1 : end] if start >= 0 else ""


def restructured(text: str) -> Iterator[Heading]:
    """Yield the headings of reStructuredText; a level is a style, in the order in which they come."""
    shifted = f"\n{text}"
    levels: dict[tuple[str, bool], int] = {}
    last = -1  # where the last line below a title ends
    for found in _UNDERLINE.finditer(shifted):
        offset, title = _line_above(shifted, found.start())
        start, above = _line_above(shifted, offset)
        overlined = above.rstrip() == found["line"] and start >= last
        plain = (not above.strip() or offset == last) and not title.startswith((" ", "\t"))
        if title.strip() and (overlined or plain) and _long_enough(title, found["line"]):
            level = levels.setdefault((found["char"], overlined), len(levels) + 1)
            yield Heading(start if overlined else offset, level, title)
            last = found.end()


def _long_enough(title: str, line: str) -> bool:
    """Whether a line may be an underline of the title: docutils takes a shorter one of four characters, and warns."""
    return len(line) >= min(len(title.rstrip()), 4) and not _UNDERLINE.match(f"\n{title}")


def underlined(text: str) -> Iterator[Heading]:
    """Yield the headings of plain text: lines by themselves, underlined about as long as they are."""
    shifted = f"\n{text}"
    levels: dict[str, int] = {}
    for found in _UNDERLINE.finditer(shifted):
        offset, title = _line_above(shifted, found.start())
        if _is_title(shifted, offset, title, found["line"]):
            yield Heading(offset, levels.setdefault(found["char"], len(levels) + 1), title)


def _is_title(text: str, offset: int, title: str, line: str) -> bool:
    above = _line_above(text, offset)[1]
    return (
        bool(title.strip())
        and not title.startswith((".", "[", "/", "|", " ", "\t"))
        and (not above.strip() or above.startswith("["))
        and len(line) > 1
        and abs(len(title.rstrip()) - len(line)) <= 2
        and not _UNDERLINE.match(f"\n{title}")
    )


def asciidoc(text: str) -> Iterator[Heading]:
    """Yield the headings of AsciiDoc, of one line or of two."""
    shifted = f"\n{text}"
    closing = ""
    for found in _ASCIIDOC.finditer(shifted):
        line, char = found["line"], found["char"]
        if closing:
            closing = "" if line == closing else closing
        elif line is None:
            yield Heading(found.start(), len(found["marks"]), found["title"])
        else:
            offset, title = _line_above(shifted, found.start())
            if char in _TITLE_LINES and _is_title(shifted, offset, title, line):
                yield Heading(offset, _TITLE_LINES.index(char) + 1, title)
            elif char in _VERBATIM and (len(line) > 3 or char == "`"):
                closing = line


def org(text: str) -> Iterator[Heading]:
    """Yield the headlines of Org."""
    for found in _ORG.finditer(f"\n{text}"):
        yield Heading(found.start(), len(found["marks"]), found["title"])


def html(text: str) -> Iterator[Heading]:
    """Yield the headings of HTML, where one begins and ends on a line."""
    for found in _HTML.finditer(text):
        title = _TAG.sub(" ", _HTML_END.split(found["title"], maxsplit=1)[0])
        yield Heading(text.rfind("\n", 0, found.start()) + 1, int(found["level"]), title)


def tex(text: str) -> Iterator[Heading]:
    """Yield the sectioning commands of TeX."""
    for found in _TEX.finditer(f"\n{text}"):
        yield Heading(found.start(), _TEX_LEVELS.index(found["kind"]), found["title"])
