"""Rules about text that several floors share: what is taken out, what is shown, how a title becomes a slug.

Pure functions; nothing here does I/O.
"""

import re
import unicodedata
from typing import Final

# Everything that could start a line for some reader: YAML 1.1 breaks at U+0085, U+2028 and U+2029 too,
# str.splitlines() at \v, \f and \x1c to \x1e.
_LINE_BREAKS: Final = re.compile("\r\n|[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")

# C0 and C1 controls, bidirectional controls, zero-width and other invisible format characters (Unicode's
# Default_Ignorable_Code_Point among category Cf), and lone surrogates, which UTF-8 cannot hold.
HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

# What a terminal could obey or be fooled by: the same, less the tab and the line feed that text is made of.
_NOT_SHOWN: Final = re.compile(f"(?![\t\n]){HIDDEN.pattern}")

SLUG_LIMIT: Final = 60


def plain(value: str) -> str:
    """Return the value on one line, without control, bidirectional and zero-width characters.

    Line breaks and tabs become one space so that words stay apart; everything else of that kind is taken out
    (CONTRACT section 3, "Rules of trust"). Surrounding white space goes too.
    """
    return HIDDEN.sub("", _LINE_BREAKS.sub(" ", value)).strip()


def visible(text: str) -> str:
    r"""Return the text as a terminal may show it: hidden and control characters as `\x1b` or `\u202e`.

    Tabs and line feeds stay.
    """
    return _NOT_SHOWN.sub(lambda found: _escape(found.group()), text)


def visible_line(text: str) -> str:
    r"""Return the text as one line of a report: as visible does, and tabs and line ends as `\t` and `\n`."""
    return visible(text).replace("\t", "\\t").replace("\n", "\\n")


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def slug(title: str) -> str:
    """Return the slug of a title: `a-z0-9` runs joined by `-`, at most 60 characters, `note` if nothing is left.

    Accents are stripped from Latin letters only, as the contract says (section 3); other scripts have no ASCII form
    here and become dashes.
    """
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", title).casefold())
    bare = re.sub("([a-z])[\u0300-\u036f]+", r"\1", decomposed)
    dashed = re.sub("[^a-z0-9]+", "-", bare).strip("-")
    return dashed[:SLUG_LIMIT].strip("-") or "note"


def estimate_tokens(text: str | bytes) -> int:
    """Return about how many tokens of a language model a text takes: a third of its bytes in UTF-8, rounded up."""
    size = len(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    return -(-size // 3)


def counted(number: int, one: str = "entry", several: str = "entries") -> str:
    """Return a number of things as people say it."""
    return f"{number} {one if number == 1 else several}"
