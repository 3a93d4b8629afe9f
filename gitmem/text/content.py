"""What of a file's bytes is text to search: told from binary, huge and generated contents, and decoded. Pure.

Line numbers are those of git and of editors: a line ends with LF, CRLF counts as LF, and a lone CR, U+2028, a form feed
or the like ends none. So `str.splitlines` is for none of these texts; `lines_of` is.
"""

import re
from enum import StrEnum
from typing import Final

HUGE: Final = 1 << 20
"""Bytes; what is longer is not read (CONTRACT section 8)."""

BINARY_PROBE: Final = 8000
"""Bytes; git looks for a NUL in so many (buffer_is_binary in its xdiff-interface.c)."""

# A Git LFS pointer (its specification, version 1): the file itself is elsewhere, and hardly ever text.
_POINTER: Final = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\r?\n(?:ext-[^\n]*\n)*oid sha256:[0-9a-f]{64}\r?\nsize [0-9]+\s*"
)
_POINTER_SIZE: Final = 1024  # bytes; a longer file is none

# Minified code: lines that nobody reads, of letters and punctuation without much white space between them. Prose with a
# line for each paragraph has such lines too, but consists of words.
_LONG_LINES: Final = 500  # bytes on average
_SHORT_FILE: Final = 5000  # bytes; one line of settings is no harm
_SPACES: Final = b" \t\r\n"
_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BEYOND_ASCII: Final = bytes(range(0x80, 0x100))

# A byte that is no UTF-8 reads as in Windows-1252, one of the five that this leaves free as in ISO 8859-1.
_SINGLE_BYTES: Final = {
    0xDC00 + code: bytes([code]).decode("cp1252", "ignore") or chr(code) for code in range(0x80, 0x100)
}


class LeftOut(StrEnum):
    """Why a content is not searched."""

    BINARY = "binary"
    HUGE = "huge"
    GENERATED = "generated"


def read_text(data: bytes) -> str | LeftOut:
    """Return a file's content as text with LF line ends, or the reason why it is left out. Never raises.

    Text is UTF-8, with a byte order mark, which is taken off, or without. A byte that is no UTF-8 reads as in
    Windows-1252, whatever stands around it, so that every word is found.
    """
    reason = _left_out(data)
    return _decoded(data).replace("\r\n", "\n") if reason is None else reason


def _left_out(data: bytes) -> LeftOut | None:
    if len(data) > HUGE:
        return LeftOut.HUGE
    if is_binary(data) or _is_pointer(data):
        return LeftOut.BINARY
    return LeftOut.GENERATED if _is_generated(data) else None


def is_binary(data: bytes) -> bool:
    """Whether git would call a content binary."""
    return b"\0" in data[:BINARY_PROBE]


def _is_pointer(data: bytes) -> bool:
    return len(data) < _POINTER_SIZE and _POINTER.fullmatch(data) is not None


def _is_generated(data: bytes) -> bool:
    lines = max(data.count(b"\n"), data.count(b"\r")) + 1  # files of old with CR alone are not minified
    return len(data) >= _SHORT_FILE and len(data) > _LONG_LINES * lines and not _is_prose(data)


def _is_prose(data: bytes) -> bool:
    # A script that has no spaces has its letters beyond ASCII.
    return _share(data, _SPACES + _BEYOND_ASCII) > 0.1 and _share(data, _SPACES + _BEYOND_ASCII + _LETTERS) > 0.85


def _share(data: bytes, of: bytes) -> float:
    return 1 - len(data.translate(None, of)) / len(data)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("utf-8-sig", "surrogateescape").translate(_SINGLE_BYTES)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their line ends, as git counts them; an empty text has none."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines
