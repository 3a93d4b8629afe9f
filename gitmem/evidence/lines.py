"""Lines of a file as evidence: how they are cut, hashed, found again and compared. Pure functions on bytes.

Line ends are not part of what is cited: LF and CRLF are folded, and a last line counts the same with a line
end or without one. All other white space counts. Line numbers are 1-based and ranges inclusive.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, NamedTuple

from gitmem.evidence.verdict import Reason
from gitmem.text.content import is_binary

_CONTEXT: Final = 10  # lines around a block that are compared to tell several places apart
_DIFF_LIMIT: Final = 2000  # lines between the equal ends of two contents that are paired; beyond, a diff takes too long
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


def count_lines(data: bytes) -> int:
    """Return how many lines split_lines would give."""
    return data.count(b"\n") + (data != b"" and not data.endswith(b"\n"))


def text_hash(lines: Sequence[bytes]) -> str:
    """Return `sha256:<hex>` of lines with LF behind each, the form in which an anchor records them."""
    return "sha256:" + hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()


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
    if block is None or before is None:
        places = _hashed_places(now, start, count, wanted)
    else:
        places = _without_twins(_occurrences(now, block), start, block, before, now)
        if not places:
            return _lost(start, block, before, now)
    if not places:
        return Comparison(Reason.LINES_CHANGED)
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


def _without_twins(
    places: list[int], start: int, block: list[bytes], before: list[bytes], now: list[bytes]
) -> list[int]:
    """Leave the places out that belong to another copy of the block, which stood in the old content already.

    Without them, a cited `return False` would count as moved to the next `return False` when it is edited.
    """
    twins = set(_occurrences(before, block)) - {start}
    if not twins or not places:
        return places
    origin = _alignment(before, now)
    origins = {place: _origin(place, len(block), origin) for place in places}
    kept = [place for place in places if origins[place] == start]
    return kept or [place for place in places if origins[place] not in twins]


def _origin(place: int, count: int, origin: Mapping[int, int]) -> int | None:
    """Return where the whole block at a place comes from, None if it does not come from one place."""
    old = origin.get(place)
    whole = old is not None and all(origin.get(place + at) == old + at for at in range(count))
    return old if whole else None


def follow(start: int, end: int, old: bytes, new: bytes) -> tuple[int, int] | None:
    """Return the range of the new content that stands where a range of the old one stood, as a diff pairs the lines.

    None where nothing is left in that place.
    """
    before, now = split_lines(old), split_lines(new)
    place = {was: line for line, was in _alignment(before, now).items()}
    above = max((line for line in place if line < start), default=0)
    below = min((line for line in place if line > end), default=len(before) + 1)
    if not place and (start, end) != (1, len(before)):
        return None  # nothing says where the range was
    first = place.get(start, place.get(above, 0) + 1)
    last = place.get(end, place.get(below, len(now) + 1) - 1)
    return (first, last) if first <= last else None


class Run(NamedTuple):
    """Lines that were taken out, those that were put in for them, and the lines above and below the latter."""

    taken: list[bytes]
    put: list[bytes]
    around: tuple[bytes, bytes]


_END: Final = b"\0"  # stands for the line before the first and the one behind the last


def framed(lines: list[bytes]) -> list[bytes]:
    """Return the lines between two that stand for the ends of the file, and that no text has."""
    return [_END, *lines, _END]


def changed_runs(before: list[bytes], now: list[bytes]) -> list[Run]:
    """Return the runs of lines by which two contents differ, as a diff pairs the rest."""
    pairs = {old: new for new, old in _alignment(before, now).items()}
    anchors = [(0, 0), *sorted(pairs.items()), (len(before) + 1, len(now) + 1)]
    ends = framed(now)
    return [
        Run(before[old : next_old - 1], now[new : next_new - 1], (ends[new], ends[next_new]))
        for (old, new), (next_old, next_new) in pairwise(anchors)
        if next_old > old + 1 or next_new > new + 1
    ]


def joined(lines: Sequence[bytes]) -> bytes:
    """Return lines as one text in which others can be looked for quickly."""
    return b"\n" + b"".join(line + b"\n" for line in lines)


def stands_in(block: list[bytes], text: bytes) -> bool:
    """Tell whether lines stand in a joined text, one behind the other; no lines stand everywhere."""
    return joined(block) in text if block else True


def _alignment(before: list[bytes], now: list[bytes]) -> dict[int, int]:
    """Map lines of the new content to the lines of the old one that they come from, as a diff pairs them."""
    head = _alike(before, now)
    rest = min(len(before), len(now)) - head
    tail = min(_alike(before[::-1], now[::-1]), rest)
    pairs = {line: line for line in range(1, head + 1)}
    pairs |= {len(now) - at: len(before) - at for at in range(tail)}
    old, new = before[head : len(before) - tail], now[head : len(now) - tail]
    if max(len(old), len(new)) <= _DIFF_LIMIT:
        for match in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            pairs |= {head + match.b + at + 1: head + match.a + at + 1 for at in range(match.size)}
    return pairs


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
    above, below = _around(before, start, count)
    scores = [_alike(above, near[0]) + _alike(below, near[1]) for near in (_around(now, p, count) for p in places)]
    best = max(scores)
    if start in places and scores[places.index(start)] == best:
        return start
    return places[scores.index(best)] if best > 0 and scores.count(best) == 1 else None


def _around(lines: list[bytes], start: int, count: int) -> tuple[list[bytes], list[bytes]]:
    """Return the lines above a block, nearest first, and those below it."""
    first, behind = start - 1, start - 1 + count
    return lines[max(0, first - _CONTEXT) : first][::-1], lines[behind : behind + _CONTEXT]


def _alike(one: list[bytes], other: list[bytes]) -> int:
    """Return how many lines are equal from the first ones on."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _lost(start: int, block: list[bytes], before: list[bytes], now: list[bytes]) -> Comparison:
    """Say how a block was lost; `kept` counts those of its lines that a diff finds unchanged."""
    wanted = _bare(block)
    if wanted and len(_occurrences(_bare(now), wanted)) > len(_occurrences(_bare(before), wanted)) - 1:
        return Comparison(Reason.WHITESPACE_CHANGED)
    origins = set(_alignment(before, now).values())
    kept = len(origins.intersection(range(start, start + len(block))))
    return Comparison(Reason.LINES_CHANGED, {"kept": kept})


def _bare(lines: list[bytes]) -> list[bytes]:
    """Return the lines without any white space, blank ones left out."""
    return [bare for bare in (b"".join(line.split()) for line in lines) if bare]
