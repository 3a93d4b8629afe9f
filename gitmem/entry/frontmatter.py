"""Where an entry's metadata block begins and ends, and what it says.

The only module that knows YAML. python-frontmatter splits the text, at our own fence; libyaml parses; the values
are built here from its events, so that every scalar stays the text that the file holds and nothing is guessed,
merged, expanded or overwritten.
"""

import re
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import yaml
from frontmatter.default_handlers import YAMLHandler

from gitmem.errors import GitMemError
from gitmem.text import plain

MAX_BYTES: Final = 1 << 20
MAX_DEPTH: Final = 20

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"
Mark: TypeAlias = tuple[int, int]
"""A place in the block: line and column, both from 0, columns in characters."""

_OWN_FENCE: Final = "---\n"
_FENCE: Final = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_BLANK_LINES: Final = re.compile(r"(?:[ \t]*\r?\n)*")
_BOM: Final = "\ufeff"
_HANDLER: Final = YAMLHandler(fm_boundary=_FENCE)

# Anything but these needs a closer look; most blocks are plain ASCII and are spared it.
_UNUSUAL: Final = re.compile(r"[^\t\n -~]")

# Below the top level, a file is named by these: cleaned, they would name another one. Only escapes in double quotes
# can bring hidden characters here, since raw ones are taken out of the block before it is read.
_EXACT: Final = frozenset({"path", "id"})

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_LOADER: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class UnreadableEntry(GitMemError):  # noqa: N818 - named for the file's state, which status and doctor list
    """A file that cannot be read as an entry. `reason` says why, in a few words, and names no path."""

    def __init__(self, reason: str) -> None:
        self.reason = " ".join(reason.split())
        super().__init__(f"the entry cannot be read: {self.reason}")


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text in four parts that joined are the text again, character for character.

    `head` is a byte order mark, blank lines and the opening fence line; `block` the lines between the fences;
    `fence` the closing fence line; `body` the rest. Without frontmatter `block` and `fence` are empty and `head`
    holds at most the byte order mark.
    """

    head: str
    block: str
    fence: str
    body: str

    @property
    def text(self) -> str:
        """The whole text."""
        return f"{self.head}{self.block}{self.fence}{self.body}"


@dataclass(frozen=True, slots=True)
class Span:
    """Where a top-level key ends and where its value stands in the block with LF line ends; `end` is exclusive."""

    key_end: Mark
    start: Mark
    end: Mark


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a block says: text, lists and mappings of text. A YAML null is None and counts as absent.

    `spans` has the place of each top-level key; `column` is how far the top-level keys are indented, and `flow`
    tells whether the whole block is one `{...}`.
    """

    values: dict[str, Value]
    spans: dict[str, Span]
    column: int = 0
    flow: bool = False


def decode(data: bytes) -> str:
    """Return the text of an entry file.

    Raises UnreadableEntry for a file over MAX_BYTES, an empty one, and what is not strict UTF-8 text.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableEntry("over 1 MiB")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableEntry("not UTF-8 but UTF-16")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableEntry(f"not UTF-8: byte {error.start + 1}") from None
    if "\0" in text:
        raise UnreadableEntry("not UTF-8 text: it holds NUL characters")
    if not text.strip(f"{_BOM} \t\r\n"):
        raise UnreadableEntry("empty file")
    return text


def split(text: str) -> Document:
    """Split a text at its fences: lines of `---`, the first of them at the very start.

    A byte order mark and blank lines may stand before it, blanks behind it. A text without an opening fence is
    all body. Raises UnreadableEntry where the fence is opened and not closed, and where hidden characters or odd
    line ends make it a fence for some readers and not for others.
    """
    return _split_canonical(text) or _split_any(text)


def _split_canonical(text: str) -> Document | None:
    """Split a text whose fences are as our own writer leaves them: the first line that begins like one is one."""
    if not text.startswith(_OWN_FENCE):
        return None
    end = text.find("\n---", len(_OWN_FENCE) - 1) + 1
    if not end or not text.startswith(_OWN_FENCE, end):
        return None
    block, body = text[len(_OWN_FENCE) : end], text[end + len(_OWN_FENCE) :]
    return Document(_OWN_FENCE, block, _OWN_FENCE, body)


def _split_any(text: str) -> Document:
    bare = text.lstrip(_BOM)
    rest = _BLANK_LINES.sub("", bare, count=1)
    if not _HANDLER.detect(rest):
        _refuse_hidden_fence(rest)
        return Document(text[: len(text) - len(bare)], "", "", bare)
    try:
        block, body = _HANDLER.split(rest)
    except ValueError:
        raise UnreadableEntry("frontmatter is not closed") from None
    closing = len(text) - len(body)
    opening = len(text) - len(rest) + rest.index("\n") + 1
    return Document(text[:opening], block, text[opening + len(block) : closing], body)


def _refuse_hidden_fence(rest: str) -> None:
    first = rest.split("\n", 1)[0]
    for line in (first, *first.splitlines()[:1]):
        if plain(line) == "---" and line[0] not in " \t":
            raise UnreadableEntry("frontmatter fence with hidden characters or odd line ends")


def load(document: Document) -> Metadata:
    """Return what the frontmatter of a document says.

    Raises UnreadableEntry for broken YAML and for what two readers could understand differently: duplicate and
    merge keys, anchors, aliases, tags, more than one document, more than MAX_DEPTH levels, keys that are not
    text, and a top level that is not a mapping.
    """
    return read_block(document.block, first_line=document.head.count("\n") + 1)


def bare(text: str) -> str:
    r"""Return the text without what `gitmem.text.plain` takes out, but with its blanks, tabs and `\n` line ends."""
    if not _UNUSUAL.search(text):
        return text
    return "\n".join("\t".join(_bare_cell(cell) for cell in line.split("\t")) for line in text.split("\n"))


def _bare_cell(cell: str) -> str:
    # The bars keep the outer blanks from being stripped.
    return plain(f"|{cell}|")[1:-1]


def read_block(block: str, *, first_line: int, loader: type = _LOADER) -> Metadata:
    """Read a block with a PyYAML loader; see `load`. Only the loader's events are used, never its values."""
    reader = _Reader(first_line)
    try:
        for event in yaml.parse(bare(block.replace("\r\n", "\n")), Loader=loader):
            reader.feed(event)
    except yaml.MarkedYAMLError as error:
        line = first_line + _mark(error.problem_mark or error.context_mark)[0]
        raise UnreadableEntry(f"broken YAML: line {line}: {plain(error.problem or 'not understood')[:200]}") from None
    except yaml.YAMLError:
        raise UnreadableEntry("broken YAML: a character that YAML does not allow") from None
    except (ValueError, OverflowError):
        # The loader in plain Python converts numeric escapes without a check of its own.
        raise UnreadableEntry("broken YAML: an escape that names no character") from None
    return reader.metadata()


class _HasPlace(Protocol):
    """A mark of libyaml's or of PyYAML's own; they share no class."""

    line: int
    column: int


@dataclass(slots=True)
class _Open:
    """A collection that is being filled; `key` is the key that waits for its value."""

    value: list[Value] | dict[str, Value]
    key: str | None = None


class _Reader:
    """Builds the values from YAML events, without recursion, and refuses what is ambiguous."""

    def __init__(self, first_line: int) -> None:
        self._first_line = first_line
        self._line = first_line
        self._root: dict[str, Value] = {}
        self._stack: list[_Open] = []
        self._spans: dict[str, Span] = {}
        self._top_key = ""
        self._key_end: Mark = (0, 0)
        self._leaf_end: Mark = (0, 0)
        self._column = 0
        self._flow = False
        self._documents = 0

    def feed(self, event: yaml.Event) -> None:
        """Take the next event."""
        self._line = self._first_line + _mark(event.start_mark)[0]
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            raise self._refusal("anchors and aliases are not allowed, quote the value")
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._document(event)

    def metadata(self) -> Metadata:
        """Return what was read."""
        return Metadata(self._root, self._spans, self._column, self._flow)

    def _refusal(self, problem: str) -> UnreadableEntry:
        return UnreadableEntry(f"broken YAML: line {self._line}: {problem}")

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        # The opening fence was the document's start already.
        self._documents += 1
        if self._documents > 1 or event.explicit:
            raise self._refusal("more than one document")

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        if event.tag is not None:
            raise self._refusal("YAML tags are not allowed, quote the value")
        self._leaf_end = _mark(event.end_mark)
        null = event.implicit[0] and event.value in _NULLS
        exact = len(self._stack) > 1 and self._stack[-1].key in _EXACT and event.style == '"'
        text = event.value if exact else bare(event.value.replace("\n", " "))
        self._place(None if null else text, event)

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        if event.tag is not None:
            raise self._refusal("YAML tags are not allowed, quote the value")
        if len(self._stack) >= MAX_DEPTH:
            raise self._refusal(f"nested deeper than {MAX_DEPTH} levels")
        if not self._stack:
            self._column, self._flow = _mark(event.start_mark)[1], bool(event.flow_style)
        value: list[Value] | dict[str, Value] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._place(value, event)
        self._stack.append(_Open(value))

    def _close(self, event: yaml.CollectionEndEvent) -> None:
        # A block collection ends where the next thing begins; what it holds ends with its last leaf.
        if _mark(event.start_mark) != _mark(event.end_mark):
            self._leaf_end = _mark(event.end_mark)
        self._stack.pop()
        if len(self._stack) == 1:
            begun = self._spans[self._top_key]
            self._spans[self._top_key] = Span(begun.key_end, begun.start, self._leaf_end)

    def _place(self, value: Value, event: yaml.Event) -> None:
        if not self._stack:
            self._root = self._top_level(value)
            return
        top = self._stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            top.key = self._new_key(value, top.value)
            self._key_end = _mark(event.end_mark)
        else:
            top.value[top.key] = value
            if len(self._stack) == 1:
                self._top_key = top.key
                self._spans[top.key] = Span(self._key_end, _mark(event.start_mark), _mark(event.end_mark))
            top.key = None

    def _top_level(self, value: Value) -> dict[str, Value]:
        if value is not None and not isinstance(value, dict):
            raise UnreadableEntry("frontmatter is not a mapping of keys to values")
        return {} if value is None else value

    def _new_key(self, key: Value, mapping: dict[str, Value]) -> str:
        if not isinstance(key, str):
            raise self._refusal("a key that is not text")
        if key == "<<":
            raise self._refusal("merge keys are not allowed")
        if key in mapping:
            raise UnreadableEntry(f"duplicate key: {key[:100]}")
        return key


def _mark(mark: _HasPlace | None) -> Mark:
    return (mark.line, mark.column) if mark else (0, 0)
