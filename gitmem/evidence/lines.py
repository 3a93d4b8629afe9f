"""Lines of a file as evidence: how they are cut, hashed, found again and compared. Pure functions on bytes.

Line ends are not part of what is cited: LF and CRLF are folded, and a last line counts the same with a line
end or without one. All other white space counts. Line numbers are 1-based and ranges inclusive.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gitmem.evidence.verdict import Reason

_BINARY_PROBE: Final = 8000  # git looks for a NUL in the first 8000 bytes (buffer_is_binary)
_CONTEXT: Final = 10  # lines around a block that are compared to tell several places apart
_PLACES: Final = 20  # places named at most when the block stands in many


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of a cited text: the reason, and where it stands now."""

    reason: Reason
    evidence: Mapping[str, object] = field(default_factory=dict)


def split_lines(data: bytes) -> list[bytes]:
    """Return the lines of a content without their line ends, LF or CRLF."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


def text_hash(lines: Sequence[bytes]) -> str:
    """Return `sha256:<hex>` of lines with LF behind each, the form in which an anchor records them."""
    return "sha256:" + hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()


def is_binary(data: bytes) -> bool:
    """Whether git would call a content binary."""
    return b"\0" in data[:_BINARY_PROBE]


def compare_file(old: bytes | None, recorded_hash: str | None, new: bytes) -> Comparison:
    """Compare a whole file with its baseline, of which the content or only its hash may be known.

    The caller has found that the blobs differ, so the content differs in some byte.
    """
    if is_binary(new) or (old is not None and is_binary(old)):
        return Comparison(Reason.CONTENT_CHANGED)
    wanted = text_hash(split_lines(old)) if old is not None else recorded_hash
    if wanted == text_hash(split_lines(new)):
        return Comparison(Reason.EOL_ONLY)
    if old is not None and _bare(split_lines(old)) == _bare(split_lines(new)):
        return Comparison(Reason.WHITESPACE_CHANGED)
    return Comparison(Reason.CONTENT_CHANGED)


def compare_lines(start: int, end: int, old: bytes | None, recorded_hash: str | None, new: bytes) -> Comparison:
    """Look for the cited lines of a baseline in a new content of the same file.

    `old` is the baseline's content where it is known; without it the recorded hash of the lines decides, and
    white space and surroundings cannot be compared. Of several places the one whose surroundings are most like
    the old ones counts, the old place where it is as good as any.
    """
    if is_binary(new) or (old is not None and is_binary(old)):
        return Comparison(Reason.BINARY_CHANGED)
    before = None if old is None else split_lines(old)
    if before is not None and end > len(before):
        return Comparison(Reason.RANGE_INVALID)
    block = None if before is None else before[start - 1 : end]
    wanted = text_hash(block) if block is not None else recorded_hash
    if wanted is None:
        return Comparison(Reason.BASELINE_MISSING)
    now = split_lines(new)
    count = end - start + 1
    places = _occurrences(now, block) if block is not None else _hashed_places(now, start, count, wanted)
    if not places:
        return Comparison(_lost(block, now))
    found = places[0] if len(places) == 1 else _by_surroundings(places, count, before, start, now)
    if found is None:
        return Comparison(Reason.LINES_AMBIGUOUS, {"ranges": [_span(place, count) for place in places[:_PLACES]]})
    return Comparison(_in_place(start, end, old, new) if found == start else Reason.LINES_MOVED, _span(found, count))


def _span(start: int, count: int) -> dict[str, object]:
    return {"lineStart": start, "lineEnd": start + count - 1}


def _in_place(start: int, end: int, old: bytes | None, new: bytes) -> Reason:
    if old is None:
        return Reason.UNCHANGED
    same_bytes = old.split(b"\n")[start - 1 : end] == new.split(b"\n")[start - 1 : end]
    return Reason.UNCHANGED if same_bytes else Reason.EOL_ONLY


def _occurrences(lines: list[bytes], block: list[bytes]) -> list[int]:
    """Return the first lines of all places where a block stands, overlapping ones too, in linear time.

    Knuth, Morris and Pratt: a file of a million equal lines must not stop a check.
    """
    borders = [0] * len(block)  # how long a proper prefix of the block ends at each of its lines
    places: list[int] = []
    length = 0
    for at in range(1, len(block)):
        length = _extend(block, borders, length, block[at])
        borders[at] = length
    length = 0
    for at, line in enumerate(lines):
        length = _extend(block, borders, borders[length - 1] if length == len(block) else length, line)
        if length == len(block):
            places.append(at - length + 2)
    return places


def _extend(block: list[bytes], borders: list[int], length: int, line: bytes) -> int:
    while length and block[length] != line:
        length = borders[length - 1]
    return length + 1 if block[length] == line else 0


def _hashed_places(now: list[bytes], start: int, count: int, wanted: str) -> list[int]:
    places = range(1, len(now) - count + 2)
    if start in places and text_hash(now[start - 1 : start - 1 + count]) == wanted:
        return [start]
    return [place for place in places if text_hash(now[place - 1 : place - 1 + count]) == wanted]


def _by_surroundings(
    places: list[int], count: int, before: list[bytes] | None, start: int, now: list[bytes]
) -> int | None:
    if before is None:
        return None
    old_above, old_below = before[: start - 1][::-1], before[start - 1 + count :]
    scores = [
        _alike(old_above, now[: place - 1][::-1]) + _alike(old_below, now[place - 1 + count :]) for place in places
    ]
    best = max(scores)
    if start in places and scores[places.index(start)] == best:
        return start
    return places[scores.index(best)] if best > 0 and scores.count(best) == 1 else None


def _alike(one: list[bytes], other: list[bytes]) -> int:
    count = 0
    for left, right in zip(one[:_CONTEXT], other[:_CONTEXT], strict=False):
        if left != right:
            break
        count += 1
    return count


def _lost(block: list[bytes] | None, now: list[bytes]) -> Reason:
    if block is None:
        return Reason.LINES_CHANGED
    wanted, have = _bare(block), _bare(now)
    return Reason.WHITESPACE_CHANGED if wanted and _occurrences(have, wanted) else Reason.LINES_CHANGED


def _bare(lines: list[bytes]) -> list[bytes]:
    """Return the lines without any white space, blank ones left out."""
    return [bare for bare in (b"".join(line.split()) for line in lines) if bare]
