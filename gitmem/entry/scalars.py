"""Single frontmatter values as YAML that every reader understands alike.

Written for YAML 1.1 and 1.2 parsers, for JSON parsers where a value is quoted or a list, and for readers that split
a line at its first colon and trim.
"""

import json
import re
from typing import Final

from gitmem.text import HIDDEN, plain

# What some YAML reader takes for something other than text: truth values and nulls of 1.1 and 1.2 ...
_WORD: Final = re.compile("y|n|yes|no|on|off|true|false|null", re.IGNORECASE)
# ... numbers in every base, exponents, sexagesimals, and whatever looks like one ...
_NUMBER: Final = re.compile("[0-9][0-9a-fox_.,:+-]*", re.IGNORECASE)
# ... and timestamps.
_TIMESTAMP: Final = re.compile("[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?")

# A value that the writer makes itself and that is plain in the format's own example.
_DATE: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")

# Two characters that JSON allows and YAML does not; and hidden ones, which only the exact text of a path can hold:
# raw, they would be taken out again. Those beyond U+FFFF have no escape that JSON and YAML share.
_ESCAPED: Final = re.compile(f"[\ufffe\uffff]|(?![\U00010000-\U0010ffff]){HIDDEN.pattern}")


def scalar(value: str) -> str:
    """Return a text as a YAML scalar on one line: plain where every reader takes it as it stands, else quoted."""
    text = plain(value)
    return text if _is_plain(text) else quoted(text)


def date_scalar(value: str) -> str:
    """Return a date as a YAML scalar: plain in its normal form, as the format's own example has it."""
    return value if _DATE.fullmatch(value) else scalar(value)


def quoted(value: str) -> str:
    """Return a text in double quotes, valid as JSON and as YAML."""
    return compact(plain(value))


def compact(value: object) -> str:
    """Return a value as JSON on one line without blanks, which is YAML in flow style too."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", written)


def _is_plain(text: str) -> bool:
    if not text[:1].isalnum() or not text.isprintable():
        return False
    # `---` at a line's end is a fence to readers that look for no more than that.
    if ": " in text or " #" in text or text.endswith((":", "---")):
        return False
    return not any(shape.fullmatch(text) for shape in (_WORD, _NUMBER, _TIMESTAMP))
