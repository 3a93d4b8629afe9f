"""The metadata block in the very form that `gitmem.entry.format` writes, read without YAML.

Most blocks of a store have that form, and YAML takes ten times as long for them. A block is read here only where
each of its lines can mean one thing: `key: value`, the value a plain scalar, a JSON string, or a JSON array of strings
and flat objects. Whatever could mean more to YAML leaves the whole block to it, so that there is one answer, not two.
"""

import json
import re
from collections.abc import Sequence
from typing import Final

from gitmem.entry.frontmatter import Value
from gitmem.text import HIDDEN

_CONTROL: Final = r"\x00-\x1f\x7f"

# YAML looks for the colon behind a key in 1,024 characters only.
_KEY: Final = "[A-Za-z0-9]{1,100}"
_NULL: Final = "(?:null|Null|NULL)"

# No `: ` and no ` #` inside, no `:` and no blank at the end.
_PLAIN: Final = rf"[^\W_](?:[^ :{_CONTROL}]++|:(?![ \n])|[ ]++(?![#\n]))*"

# Of the escapes only the two that mean the same, and nothing hidden, to everybody.
_STRING: Final = rf'"[^"\\{_CONTROL}]*+(?:\\["\\][^"\\{_CONTROL}]*+)*"'
_PAIR: Final = rf'"{_KEY}":(?:{_STRING}|0|[1-9][0-9]{{0,8}})'
_OBJECT: Final = rf"\{{(?:{_PAIR}(?:,{_PAIR})*)?\}}"
_ITEM: Final = rf"(?:{_STRING}|{_OBJECT})"
_ARRAY: Final = rf"\[(?:{_ITEM}(?:,{_ITEM})*)?\]"

_LINE: Final = re.compile(rf"^(?!{_NULL}:)({_KEY}): (?:(?!{_NULL}\n)({_PLAIN})|({_STRING}|{_ARRAY}))\n", re.MULTILINE)


def read_canonical(block: str) -> dict[str, Value] | None:
    """Return what a block says, just as `gitmem.entry.frontmatter.load` does, or None where only YAML can tell."""
    block = block.replace("\r\n", "\n")
    lines = _LINE.findall(block) if _is_bare(block) else []
    if len(lines) != block.count("\n") or block[-1:] not in {"\n", ""}:
        return None
    try:
        return _mapping([(key, plain or _DECODER.raw_decode(written)[0]) for key, plain, written in lines])
    except _DuplicateKeyError:
        return None


def _is_bare(block: str) -> bool:
    """Tell whether a block has nothing beyond ASCII that is taken out before YAML reads it, or that YAML refuses."""
    if block.isascii():
        return True
    return HIDDEN.search(block.replace("\n", "")) is None and "\ufffe" not in block and "\uffff" not in block


class _DuplicateKeyError(Exception):
    """A key is there twice."""


def _mapping(pairs: Sequence[tuple[str, Value]]) -> dict[str, Value]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise _DuplicateKeyError
    return mapping


# Numbers stay the text that the file holds.
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_mapping, parse_int=str)
