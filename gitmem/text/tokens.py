"""The one tokeniser: entries and queries are cut into words by the same rules, so that what is written can be found.

Text is cut at white space into chunks and each chunk by itself, whatever stands around it. A chunk becomes a tree: an
identifier (`max_retries`), its words, their parts at camelCase and letter-digit borders. An entry's text is asked for
every node of the tree (`tokenise`), a query for the way through it (`read_term`). Parts take positions, so that
neighbours can be told from words that merely occur; a node covers the positions of its parts. A character of a script
without spaces is a part, so a run of them matches as a substring.

A token's `text` is folded and keeps its accents and zeros; its `key` is what must be equal for a match.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from gitmem.text.characters import PICTOGRAPHS, SKIN_TONES, UNSPACED, Normal, bare, fold_normal, normalise, shape

# White space separates chunks; a bare English word with at most a full stop or the like behind it, which is most of any
# text, needs no closer look.
_CHUNK: Final = re.compile(r"([A-Za-z][a-z]*)[.,;:!?)]*(?!\S)|\S+")

# What separates words without white space: no term goes across, neither in an entry nor in a query. Full stops,
# slashes, hyphens and double colons hold identifiers together and are no separators, unless a chunk ends with them.
_SEPARATOR: Final = re.compile(r"""[,;()\[\]{}<>=^|~*&%$`\\"!?、。，；：！？「」『』（）【】《》…]|://|(?<!:):(?!:)""")
_CHUNK_END: Final = re.compile(r"[.:…]+$")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")

# What a chunk consists of, matched on its shape. The order matters: a version before a number, an id before a word. A
# version has at most 16 numbers, because its tree is as deep as they are many.
_ITEM: Final = re.compile(
    rf"""
    (?P<version> (?:(?<![0-9A-Za-z])[vV])? [0-9]+ (?:\.[0-9]+){{1,15}} )
  | (?P<literal> (?<![0-9A-Za-z]) (?:
        0[xX][0-9a-fA-F]+ (?![0-9A-Za-z])
      | (?=[a-fA-F]*[0-9]) [0-9a-fA-F]{{7,64}} (?![0-9A-Za-z]) ) )
  | (?P<sign> (?<![0-9A-Za-z_]) [A-Za-z] (?: \+\+ (?![A-Za-z+]) | \# (?![0-9A-Za-z#]) ) )
  | (?P<word> [A-Za-z]+ (?=[0-9]+\.[0-9]) | [0-9A-Za-z]+ )
  | (?P<symbol> [\U0001f1e6-\U0001f1ff]{{2}} | [{PICTOGRAPHS}][{SKIN_TONES}]? | [{UNSPACED}] )
    """,
    re.VERBOSE,
)

# Parts of a word, on its shape: an acronym's plural, an acronym before a capitalised word, a word, an acronym, digits.
_PART: Final = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

# What holds the words of one identifier together: max_retries, MAX-RETRIES, what's.
_CONNECTOR: Final = re.compile("_+|-|'")

_DIGITS: Final = re.compile("[0-9]+")
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_OBJECT_ID: Final = re.compile("(?=[a-f]*[0-9])[0-9a-f]{7,64}")
ID_KEY_LENGTH: Final = 7
"""How many digits of an object id are its key: as many as `git log --oneline` shows."""

# French words that lose their vowel before another: of d'été a reader looks for été.
_ELIDED: Final = frozenset(
    ["c", "d", "j", "jusqu", "l", "lorsqu", "m", "n", "presqu", "puisqu", "qu", "quelqu", "quoiqu", "s", "t"]
)


class Token(NamedTuple):
    """One way to name a place in a text.

    It covers `length` positions from `position` on (none for what a query need not ask for: an elided article, the `v`
    of a version) and the characters `start:end` of the text.
    """

    text: str
    key: str
    position: int
    length: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Slot:
    """One word that a query term asks for: found under its own key, or as all its parts side by side."""

    text: str
    key: str
    parts: tuple["Slot", ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """What one word of a query asks for: all its slots side by side in one text.

    `typed` is the word without the punctuation around it, `text` the same folded and without an elided article: a text
    that has it letter for letter holds the whole term.
    """

    typed: str
    text: str
    slots: tuple[Slot, ...]


class _Piece(NamedTuple):
    """A node of a chunk's tree. `start:end` is its range in the chunk's normal form.

    A `silent` one takes no position and no query asks for it. Of a `literal` one a query wants the whole, though its
    parts are in the text: 20.04 is not 20 and 04.
    """

    text: str
    start: int
    end: int
    parts: tuple["_Piece", ...] = ()
    silent: bool = False
    literal: bool = False


def tokenise(text: str) -> list[Token]:
    """Return every token of a text in the order of positions, whole identifiers behind their parts.

    Positions count from 0; offsets count characters of `text` as given.
    """
    tokens: list[Token] = []
    position = 0
    for found in _CHUNK.finditer(text):
        start, end = found.span(1)
        if start >= 0:
            word = text[start:end].lower()
            tokens.append(Token(word, word, position, 1, start, end))
            position += 1 if end == found.end() else 2
        else:
            position = _place_chunk(found.group(), found.start(), position, tokens)
    return tokens


def cut_chunk(chunk: str) -> tuple[list[Token], int]:
    """Return the tokens of a text without white space, from position 0 on, and how many positions it takes."""
    tokens: list[Token] = []
    return tokens, _place_chunk(chunk, 0, 0, tokens)


def _place_chunk(chunk: str, offset: int, position: int, tokens: list[Token]) -> int:
    """Append the tokens of a chunk; return the position behind it. Where words must not join, a position is free."""
    normal = normalise(chunk)
    before = 0
    for piece in _pieces(normal.text):
        apart = _SEPARATOR.search(normal.text[before : piece.start])
        # In scripts without spaces white space is a border, elsewhere `max retries` may join.
        if apart or (before == 0 and _UNSPACED.match(normal.text, piece.start)):
            position += 1
        position = _place(piece, normal, offset, position, tokens)
        before = piece.end
    rest = normal.text[before:]
    joins = not (_SEPARATOR.search(rest) or _CHUNK_END.search(rest) or _UNSPACED.search(normal.text[-1:]))
    return position if joins else position + 1


def words_of(chunk: str) -> list[str]:
    """Cut a chunk of a query at what separates words without white space; each part is a term of its own.

    What separates is found in the normal form, as in the text of an entry: the full-width ampersand is one too.
    """
    normal = normalise(chunk)
    borders = [0, *(place for found in _SEPARATOR.finditer(normal.text) for place in found.span()), len(normal.text)]
    ranges = [(start, end) for start, end in zip(borders[::2], borders[1::2], strict=True) if start < end]
    sources = [normal.source(start, end) for start, end in ranges]
    if any(one[1] > other[0] for one, other in pairwise(sources)):  # one character became several words
        return [normal.text[start:end] for start, end in ranges]
    return [chunk[start:end] for start, end in sources]


def _place(piece: _Piece, normal: Normal, offset: int, position: int, tokens: list[Token]) -> int:
    """Append the piece's tokens, parts first; return the position behind it."""
    after = position
    for part in piece.parts:
        after = _place(part, normal, offset, after, tokens)
    if not piece.parts and not piece.silent:
        after += 1
    start, end = normal.source(piece.start, piece.end)
    token = Token(piece.text, key_of(piece.text), position, after - position, offset + start, offset + end)
    tokens.append(token)
    return after


def read_term(chunk: str) -> Term | None:
    """Return what a chunk of a query asks for, None if it is punctuation.

    `chunk` is what stands between white space.
    """
    normal = normalise(chunk)
    pieces = _pieces(normal.text)
    spoken = [piece for piece in pieces if not piece.silent]
    if not spoken:
        return None
    start, end = normal.source(pieces[0].start, pieces[-1].end)
    text = fold_normal(normal.text[spoken[0].start : spoken[-1].end])
    return Term(chunk[start:end], text, tuple(_slot(piece) for piece in spoken))


def _slot(piece: _Piece) -> Slot:
    parts = () if piece.literal else tuple(_slot(part) for part in piece.parts)
    return Slot(piece.text, key_of(piece.text), parts)


def key_of(text: str) -> str:
    """Return what a token is found under: no accents, no leading zeros, of an object id the first seven digits."""
    if text.isascii():
        if text.isalpha():
            return text
        number = _without_zeros(text) if _NUMBER.fullmatch(text) else text
        return number[:ID_KEY_LENGTH] if _OBJECT_ID.fullmatch(number) else number
    # No letter that could carry an accent stands alone this far up; saves the work for every Han and Hangul character.
    return text if len(text) == 1 and text > "\u2e00" else bare(text)


def agree(asked: str, written: str) -> bool:
    """Whether two texts under the same key mean the same: of object ids one must go on as the other does.

    Long numbers look like ids but are equal or not.
    """
    if len(asked) <= ID_KEY_LENGTH and len(written) <= ID_KEY_LENGTH:
        return True
    if asked.isdigit() and written.isdigit():
        return _without_zeros(asked) == _without_zeros(written)
    if not (_OBJECT_ID.fullmatch(asked) or _OBJECT_ID.fullmatch(written)):
        return True
    return asked.startswith(written) or written.startswith(asked)


def _without_zeros(number: str) -> str:
    return ".".join(digits.lstrip("0") or "0" for digits in number.split("."))


def _pieces(normal: str) -> list[_Piece]:
    """Return the trees of one chunk in normal form, in order: identifiers, versions, ids, symbols."""
    outline = shape(normal)
    pieces: list[_Piece] = []
    words: list[_Piece] = []
    for found in _ITEM.finditer(outline):
        connected = bool(words) and _CONNECTOR.fullmatch(outline, words[-1].end, found.start()) is not None
        if connected and _is_elided(words, outline):
            words = [words[0]._replace(silent=True)]
            connected = False
        if not (connected and found.lastgroup == "word"):
            pieces += _identifier(words)
            words = []
        if found.lastgroup == "word":
            words.append(_word(normal, outline, *found.span()))
        else:
            pieces.append(_special(found, normal, outline))
    return pieces + _identifier(words)


def _is_elided(words: list[_Piece], outline: str) -> bool:
    """Whether these words are one alone that French elides; what follows is known to be connected."""
    return len(words) == 1 and words[0].text in _ELIDED and outline[words[0].end] == "'"


def _identifier(words: list[_Piece]) -> list[_Piece]:
    """Return the words as one piece if there are several."""
    return [_joined(words)] if len(words) > 1 else words


def _joined(parts: list[_Piece]) -> _Piece:
    return _Piece("".join(part.text for part in parts), parts[0].start, parts[-1].end, tuple(parts))


def _word(normal: str, outline: str, start: int, end: int) -> _Piece:
    parts = [_leaf(normal, *found.span()) for found in _PART.finditer(outline, start, end)]
    return parts[0] if len(parts) == 1 else _joined(parts)


def _leaf(normal: str, start: int, end: int, *, silent: bool = False) -> _Piece:
    return _Piece(fold_normal(normal[start:end]), start, end, silent=silent)


def _special(found: re.Match[str], normal: str, outline: str) -> _Piece:
    start, end = found.span()
    if found.lastgroup == "version":
        return _version(normal, outline, start, end)
    leaf = _leaf(normal, start, end)
    if found.lastgroup == "sign":
        return leaf._replace(parts=(_leaf(normal, start, start + 1),), literal=True)
    return leaf


def _version(normal: str, outline: str, start: int, end: int) -> _Piece:
    """Return `v2.10.3` as ((v 2.10) 3): so the text has 2.10.3, 2.10 and each number, all under their place."""
    digits = iter(_leaf(normal, *found.span()) for found in _DIGITS.finditer(outline, start, end))
    piece = next(digits)
    prefix = (_leaf(normal, start, piece.start, silent=True),) if piece.start > start else ()
    for number in digits:
        text = f"{piece.text}.{number.text}"
        piece = _Piece(text, start, number.end, (*prefix, piece, number), literal=True)
        prefix = ()
    return piece
