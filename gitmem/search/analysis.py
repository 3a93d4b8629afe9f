"""What search keeps of a text: where each word stands, and the keys under which the text is found.

A key is a token of `gitmem.text.tokens` without accents, as it must be equal for a match; beside it stand the spelling
with accents, where there are some, and of scripts without spaces every two neighbouring characters. Entries, sections
of files and queries are analysed by the same rules.

Stems are not in the postings: which keys have a stem is looked up when a query asks, so that what stands in a text
letter for letter is never mixed up with what has the same stem.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

import Stemmer

from gitmem.text.characters import UNSPACED
from gitmem.text.tokens import Token, cut_chunk, key_of

FORM: Final = f"2 {unicodedata.unidata_version} {Stemmer.version()}"
"""What the keys of a text depend on beside the text."""

# Words that tell nothing of what an English question is about. They must match like any other; they do not rank.
STOP_WORDS: Final = frozenset(
    re.findall(
        "[a-z]+",
        """
        a an and any are as at be been but by can could did do does for from had has have how i if in into is it its
        me my no not of on or our should so than that the their them then there these they this to us was we were
        what when where which who why will with would you your
        """,
    )
)

GAP: Final = ""
"""Stands in a value where words must not join."""

_GRAM: Final = 4
_REMEMBERED: Final = 1 << 17  # fragments
_KEY_LIMIT: Final = 64  # characters; longer words are looked up by their beginning and a digest

# Of these the tokeniser makes one word, and a gap behind it where there is punctuation.
_SIMPLE: Final = re.compile(f"([A-Za-z][a-z]{{,{_KEY_LIMIT - 1}}})[.,;:!?)]*")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_LETTERS: Final = re.compile("[\u0e00-\u109f\u1780-\u17ff]")

# How a value is written down: none of these is in a word, for words are cut at white space and at controls.
_PARTS: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a field: the word at each position, and what covers several of them or none.

    `joined` are identifiers, versions, and words that no query need ask for: text, first position, number of positions.
    """

    field: str
    words: tuple[str, ...]
    joined: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A text as search keeps it."""

    values: tuple[Value, ...]


VALUES: Final = "\x1e"
"""What stands between two values as they are written down."""


def parse_document(text: str) -> Document:
    """Return what texts of `written_value`, with VALUES between them, say."""
    return Document(tuple(_value(written) for written in text.split(VALUES)) if text else ())


def _value(written: str) -> Value:
    field, words, *joined = written.split(_PARTS)
    return Value(field, tuple(words.split(" ")), tuple(_joined(one) for one in joined))


def _joined(written: str) -> tuple[str, int, int]:
    position, length, text = written.split(" ", 2)
    return text, int(position), int(length)


def tokens_of(value: Value) -> Iterable[Token]:
    """Return a value's tokens again, without their places in the text."""
    for position, word in enumerate(value.words):
        if word:
            yield Token(word, key_of(word), position, 1, 0, 0)
    for text, position, length in value.joined:
        yield Token(text, key_of(text), position, length, 0, 0)


class Fragment(NamedTuple):
    """What a piece of text without white space comes to, wherever it stands.

    `words` and `joined` are as in a value, `written` the words as they are written down. `keys` are all under which
    it is found, `telling` how many of them it is ranked by.
    """

    words: tuple[str, ...]
    written: str
    joined: tuple[tuple[str, int, int], ...]
    keys: tuple[str, ...]
    telling: int


class Analyser:
    """Cuts texts into words and finds their keys, and remembers what it found for each piece of text."""

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._fragments: dict[str, Fragment] = {}
        self._pieces: dict[str, tuple[str, frozenset[str]]] = {}

    def pieces(self, word: str) -> tuple[str, frozenset[str]]:
        """Return a word's key and the pieces that this consists of."""
        known = self._pieces.get(word)
        if known is None:
            if len(self._pieces) >= _REMEMBERED:
                self._pieces.clear()
            key = word_keys(word)[0]
            known = self._pieces[word] = (key, frozenset(grams_of(key)))
        return known

    def fragments(self, text: str) -> list[Fragment]:
        """Return the fragments of a text, one for each piece between white space."""
        known = self._fragments
        return [known.get(chunk) or self._remember(chunk) for chunk in text.split()]

    def stems(self, keys: Sequence[str]) -> list[str]:
        """Return the English stem of each key of Latin letters, any other key as it is."""
        stemmed: list[str] = self._stemmer.stemWords(keys)
        return [stem if key.isascii() and key.isalpha() else key for key, stem in zip(keys, stemmed, strict=True)]

    def _remember(self, chunk: str) -> Fragment:
        if len(self._fragments) >= _REMEMBERED:
            self._fragments.clear()
        fragment = self._fragments[chunk] = _fragment(chunk)
        return fragment


def _fragment(chunk: str) -> Fragment:
    simple = _SIMPLE.fullmatch(chunk)
    if simple:  # which most pieces of any text are
        word = simple[1].lower()
        ends = len(word) < len(chunk)
        return Fragment(
            (word, GAP) if ends else (word,), f"{word} " if ends else word, (), (word,), word not in STOP_WORDS
        )
    tokens, length = cut_chunk(chunk)
    words: list[str] = []
    joined: list[tuple[str, int, int]] = []
    for token in tokens:
        if token.length == 1 and token.position >= len(words):
            words += [GAP] * (token.position - len(words))
            words.append(token.text)
        else:
            joined.append((token.text, token.position, token.length))
    words += [GAP] * (length - len(words))
    value = Value("", tuple(words), tuple(joined))
    return Fragment(value.words, " ".join(words), value.joined, tuple(found_keys(value)), len(telling_keys(value)))


def value_of(field: str, fragments: Sequence[Fragment]) -> Value:
    """Return a text's fragments as one value. `field` is one character that names where it stands."""
    words = tuple(word for fragment in fragments for word in fragment.words)
    return Value(field, words, tuple(_joined_of(fragments)))


def _joined_of(fragments: Sequence[Fragment]) -> Iterator[tuple[str, int, int]]:
    position = 0
    for fragment in fragments:
        for text, start, length in fragment.joined:
            yield text, position + start, length
        position += len(fragment.words)


def written_value(field: str, fragments: Sequence[Fragment]) -> str:
    """Return what `parse_document` reads as the value that `value_of` returns."""
    parts = [field, " ".join([fragment.written for fragment in fragments if fragment.words])]
    parts += [f"{start} {length} {text}" for text, start, length in _joined_of(fragments)]
    return _PARTS.join(parts)


def grams_of(key: str) -> list[str]:
    """Return the pieces of four characters of a word with its borders; of a short one the whole."""
    bordered = f" {key} "
    return [bordered[start : start + _GRAM] for start in range(max(len(bordered) - _GRAM + 1, 1))]


def word_keys(word: str) -> tuple[str, ...]:
    """Return what a word is found under: its key, and its spelling where accents or zeros make that another."""
    key = key_of(word)
    return (_bounded(key),) if key == word else (_bounded(key), _bounded(word))


def found_keys(value: Value) -> list[str]:
    """Return every key under which the value is found, as often as it stands there."""
    keys = [key for word in value.words if word for key in word_keys(word)]
    keys += [key for text, _, _ in value.joined for key in word_keys(text)]
    pairs = runs(value.words)
    return keys + pairs + [run for run in telling_runs(value.words) if len(run) > 2]


def telling_keys(value: Value) -> list[str]:
    """Return the keys that a value is ranked by: no stop words, and of a run of characters its neighbours."""
    keys = [key for word in _apart(value.words) if word not in STOP_WORDS for key in word_keys(word)]
    keys += [key for text, _, length in value.joined if length for key in word_keys(text)]
    return keys + telling_runs(value.words)


def runs(words: Sequence[str]) -> list[str]:
    """Return every two neighbours in runs of a script without spaces."""
    return [run[start : start + 2] for run in _whole_runs(words) for start in range(len(run) - 1)]


def telling_runs(words: Sequence[str]) -> list[str]:
    """Return by what runs are ranked: every two neighbours, every three where letters tell less than ideographs do."""
    found = []
    for run in _whole_runs(words):
        size = min(_run_size(run), len(run))
        found += [run[start : start + size] for start in range(len(run) - size + 1)]
    return found


def _whole_runs(words: Sequence[str]) -> list[str]:
    """Return the runs of two characters and more, each whole."""
    groups = groupby(words, key=lambda word: _UNSPACED.match(word) is not None)
    return [run for unspaced, group in groups if unspaced and len(run := "".join(group)) > 1]


def _run_size(run: str) -> int:
    """Return how many characters make a key: of Thai, Lao, Khmer and Burmese one says as little as a Latin letter."""
    return 3 if _LETTERS.match(run) else 2


def _apart(words: Sequence[str]) -> Iterable[str]:
    """Yield the words but for the characters of longer runs."""
    last = len(words) - 1
    for place, word in enumerate(words):
        if not word or (
            _UNSPACED.match(word)
            and ((place and _UNSPACED.match(words[place - 1])) or (place < last and _UNSPACED.match(words[place + 1])))
        ):
            continue
        yield word


def _bounded(key: str) -> str:
    if len(key) <= _KEY_LIMIT:
        return key
    return f"{key[: _KEY_LIMIT // 2]}\x1f{hashlib.sha256(key.encode()).hexdigest()[:16]}"
