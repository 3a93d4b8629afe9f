"""Whether and where a text holds a query's term."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from gitmem.text.tokens import Slot, Term, Token, agree, tokenise

# Position behind a match -> the range of characters that the match covers.
_Ends: TypeAlias = dict[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and its tokens by key."""

    text: str
    postings: Mapping[str, Sequence[Token]]


@lru_cache(maxsize=512)
def passage(text: str) -> Passage:
    """Return the text ready to be asked for terms. What is shown of an entry is asked several times."""
    postings: dict[str, list[Token]] = {}
    for token in tokenise(text):
        postings.setdefault(token.key, []).append(token)
    return Passage(text, postings)


def spans(term: Term, held: Passage) -> list[tuple[int, int]]:
    """Return the ranges of characters that match the term, in order: its slots side by side."""
    return sorted(set(_chain(term.slots, held.postings, None).values()))


def is_there(term: Term, postings: Mapping[str, Sequence[Token]]) -> bool:
    """Whether a text, of which these are the tokens by key, has the term's slots side by side somewhere."""
    return bool(_chain(term.slots, postings, None))


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
