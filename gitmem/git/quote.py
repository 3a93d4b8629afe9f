"""Paths as git prints them on one line each, whatever is in them."""

import os
from typing import Final

# What has a letter of its own. See `quote_c_style` in git's quote.c, and core.quotePath in git-config.
_LETTERS: Final = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def quoted(path: str) -> str:
    r"""Return a path as git prints it with core.quotePath: `"caf\303\251"`, and plain names as they are."""
    data = os.fsencode(path)
    shown = "".join(map(_shown, data))
    return shown if len(shown) == len(data) else f'"{shown}"'


def _shown(byte: int) -> str:
    if byte in _LETTERS:
        return f"\\{_LETTERS[byte]}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
