"""Characters before words are cut: normal forms with their way back into the text, accents, character classes.

Everything here works without a table of its own for Unicode: what a character is, `unicodedata` and `str` say.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

# Characters that nobody sees: controls, joiners, bidirectional marks, soft hyphens, fillers, variation selectors, lone
# surrogates. They are taken out, so that a word copied from a page that hides some meets the word that was typed.
# White space among the controls is not here: it ends a word.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

# Scripts that are written without spaces between words, marks included, digits and punctuation not: Thai, Lao,
# Burmese, Khmer, Hangul, kana, Bopomofo, Han. Each of their characters is a word of its own here.
UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109d\u1780-\u17d3\u17d7\u17dc\u17dd"
    "\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7fb"
    "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3105-\u312f\u31a0-\u31bf"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)

# Emoji and the older pictographs, without box drawing, mathematics and ornamental brackets.
PICTOGRAPHS: Final = "\u2300-\u23ff\u25a0-\u2767\u2776-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"

SKIN_TONES: Final = "\U0001f3fb-\U0001f3ff"

_CLASSED: Final = re.compile(f"[^\x00-\x7f{UNSPACED}{PICTOGRAPHS}]")

# A base letter of the Latin, Greek or Cyrillic script and the marks on it, after decomposition. Marks of other
# scripts are letters of their words: バ is not ハ with an accent, and Thai vowels are vowels.
_ACCENTED: Final = re.compile("([a-z\u00e0-\u02af\u0370-\u052f\ua640-\ua69d])[\u0300-\u036f]+")

# Latin letters with a stroke and ligatures, which Unicode does not decompose although people type them without.
_PLAIN_LETTERS: Final = str.maketrans(
    {"đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "ŧ": "t", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)

_TONED: Final = re.compile(f"(?<=.)[{SKIN_TONES}]")

# Where a composed character may go on although it is no combining mark: Hangul vowels and finals, and the voicing
# marks of half-width kana.
_CONTINUES: Final = re.compile("[\u1160-\u11ff\ud7b0-\ud7fb\uff9e\uff9f]")


class Normal(NamedTuple):
    """A text in NFKC without unseen characters, and where each of its characters came from.

    `starts[i]` and `ends[i]` are the range in the original text that character `i` was made of; both are None where the
    text is its own normal form. Where normalisation moved characters about, each has the whole text as its range.
    """

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original text for the non-empty range `start:end` of this one."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def normalise(text: str) -> Normal:
    """Return the text in NFKC, without unseen characters, with the way back."""
    if text.isascii():
        return Normal(text) if text.isprintable() else _mapped(text)
    if unicodedata.is_normalized("NFKC", text) and not _UNSEEN.search(text):
        return Normal(text)
    return _mapped(text)


def _mapped(text: str) -> Normal:
    """Normalise cluster by cluster, and fall back to one range for all if that differs from the whole."""
    whole = unicodedata.normalize("NFKC", _UNSEEN.sub("", text))
    parts, starts, ends = [], [], []
    for start, end in _clusters(text):
        part = unicodedata.normalize("NFKC", _UNSEEN.sub("", text[start:end]))
        parts.append(part)
        starts += [start] * len(part)
        ends += [end] * len(part)
    if "".join(parts) != whole:
        return Normal(whole, [0] * len(whole), [len(text)] * len(whole))
    return Normal(whole, starts, ends)


def _clusters(text: str) -> list[tuple[int, int]]:
    borders = [place for place, character in enumerate(text) if place and not _extends(character)]
    return list(zip([0, *borders], [*borders, len(text)], strict=True)) if text else []


def _extends(character: str) -> bool:
    return (
        unicodedata.category(character).startswith("M")
        or _CONTINUES.match(character) is not None
        or _UNSEEN.match(character) is not None
    )


def fold(text: str) -> str:
    """Return the text as it is compared: NFKC, unseen characters taken out, full case folding, one apostrophe.

    Accents stay; `bare` takes them off.
    """
    return fold_normal(normalise(text).text)


def fold_normal(text: str) -> str:
    """Fold a text that is in normal form already."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text.casefold())
    return folded.replace("\u2019", "'").replace("\u02bc", "'")


def bare(folded: str) -> str:
    """Return a folded text without accents of Latin, Greek and Cyrillic letters and skin tones of emoji.

    The Cyrillic short i loses its breve too (CONTRACT section 6 makes no exception among accents); ranking puts the
    entry that has the very letter first. Hangul and kana come out as they went in.
    """
    if folded.isascii():
        return folded
    letters = _ACCENTED.sub(r"\1", unicodedata.normalize("NFD", folded))
    return _TONED.sub("", unicodedata.normalize("NFC", letters).translate(_PLAIN_LETTERS))


def shape(normal: str) -> str:
    """Return a string of the same length that shows what sort of character stands where.

    ASCII, unspaced scripts and pictographs stand for themselves. Of the rest an upper-case letter is `Z`, any other
    letter or mark `z`, a digit `9`, an apostrophe `'`, a hyphen `-`, anything else a space. So patterns about words
    need ASCII letters only.
    """
    return normal if normal.isascii() else _CLASSED.sub(_classed, normal)


def _classed(found: re.Match[str]) -> str:
    character = found.group()
    if character in "\u2019\u02bc":
        return "'"
    if character == "\u2010":
        return "-"
    if character.isupper() or character.istitle():
        return "Z"
    if character.isdecimal():
        return "9"
    is_letter = character.isalnum() or (unicodedata.category(character).startswith("M") and not _is_stray(found))
    return "z" if is_letter else " "


def _is_stray(mark: re.Match[str]) -> bool:
    """Whether a mark stands on no letter: what NFKC makes of the acute accent typed for an apostrophe.

    So does one behind punctuation, or a word would begin elsewhere in a text than in a query that is cut there.
    """
    place = mark.start() - 1
    while place >= 0 and unicodedata.category(mark.string[place]).startswith("M"):
        place -= 1
    return place < 0 or not mark.string[place].isalnum()
