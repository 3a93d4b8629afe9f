"""Whether and where a text holds a query's term."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias

from gitmem.text.characters import UNSPACED, fold
from gitmem.text.tokens import Slot, Term, Token, agree, tokenise

_UNSPACED: Final = re.compile(f"[{UNSPACED}]")

# Position behind a match -> the range of characters that the match covers.
_Ends: TypeAlias = dict[int, tuple[int, int]]


class Quality(IntEnum):
    """How well a term matches a text, in tenths of a field's weight."""

    PART = 8
    WHOLE = 10


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and its tokens by key."""

    text: str
    postings: Mapping[str, Sequence[Token]]


def passage(text: str) -> Passage:
    """Return the text ready to be asked for terms."""
    postings: dict[str, list[Token]] = {}
    for token in tokenise(text):
        postings.setdefault(token.key, []).append(token)
    return Passage(text, postings)


def spans(term: Term, held: Passage) -> list[tuple[int, int]]:
    """Return the ranges of characters that match the term, in order: its slots side by side."""
    return sorted(set(_chain(term.slots, held.postings, None).values()))


def quality(term: Term, held: Passage) -> Quality | None:
    """Return how well the text holds the term, None if it does not.

    `WHOLE` where it stands there letter for letter, case aside, and is not part of a longer word; `PART` where accents,
    zeros or the way an identifier is written differ, or where it is part of one.
    """
    found = spans(term, held)
    if not found:
        return None
    return Quality.WHOLE if any(_is_whole(term, held.text, *span) for span in found) else Quality.PART


def _chain(slots: Sequence[Slot], postings: Mapping[str, Sequence[Token]], before: _Ends | None) -> _Ends:
    """Return where the slots end that stand side by side, from the places `before` on, anywhere if that is None."""
    ends = before
    for slot in slots:
        ends = _step(slot, postings, ends)
        if not ends:
            break
    return ends or {}


def _step(slot: Slot, postings: Mapping[str, Sequence[Token]], before: _Ends | None) -> _Ends:
    ends = _chain(slot.parts, postings, before) if slot.parts else {}
    for token in postings.get(slot.key, ()):
        if not agree(slot.text, token.text):
            continue
        after = token.position + token.length
        if before is None:
            ends[after] = (token.start, token.end)
        elif token.position in before:
            ends[after] = (before[token.position][0], token.end)
    return ends


def _is_whole(term: Term, text: str, start: int, end: int) -> bool:
    if fold(text[start:end]) != term.text:
        return False
    return not (_runs_on(text, start, start - 1) or _runs_on(text, end - 1, end))


def _runs_on(text: str, edge: int, outside: int) -> bool:
    """Whether the word that has its edge here goes on outside. Words of scripts without spaces have no such edge."""
    if not 0 <= outside < len(text) or not (text[outside].isalnum() or text[outside] == "_"):
        return False
    return not (_UNSPACED.match(text[outside]) or _UNSPACED.match(text[edge]))
