"""Lines as evidence: found again wherever they went, and never found where they are not."""

import hashlib

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from world import Repo

from gitmem.evidence.lines import (
    Comparison,
    _occurrences,
    compare_file,
    compare_lines,
    split_lines,
    text_hash,
)
from gitmem.evidence.verdict import Reason, Verdict, verdict_of

TEXT = "".join(f"line {number}\n" for number in range(1, 21)).encode()
BLOCK = b"line 5\nline 6\nline 7\n"

FEW = st.sampled_from([b"a", b"b", b"c", b"", b" a", b"a b", b"}"])
MANY_LINES = st.lists(FEW, max_size=12)
DISTINCT = st.lists(st.integers(0, 10_000), min_size=1, max_size=15, unique=True).map(
    lambda numbers: [b"%d" % number for number in numbers]
)
STRANGERS = st.lists(st.integers(0, 50).map(lambda number: b"stranger %d" % number), max_size=6)


def joined(lines: list[bytes], end: bytes = b"\n") -> bytes:
    return b"".join(line + end for line in lines)


def verdict(comparison: Comparison) -> Verdict:
    return verdict_of(comparison.reason)


def span(start: int, end: int) -> dict[str, object]:
    return {"lineStart": start, "lineEnd": end}


# Cutting and hashing


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\n\n", [b"a", b""]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"a\rb\n", [b"a\rb"]),
        (b"a\r\r\n", [b"a\r"]),
        (b"a\xe2\x80\xa8b\x0bc\x85\n", [b"a\xe2\x80\xa8b\x0bc\x85"]),
    ],
)
def test_a_content_is_cut_at_lf_and_crlf_only(data: bytes, lines: list[bytes]) -> None:
    assert split_lines(data) == lines


@pytest.mark.parametrize("data", [b"", b"a", b"a\n", b"a\n\nb", b"\n\n", b"a\r\nb\r\n", b"x\xe2\x80\xa8\x0c\n" * 3])
def test_lines_are_counted_as_git_counts_them(repo: Repo, data: bytes) -> None:
    repo.commit("Text", {"t.txt": data})
    blamed = repo.git("blame", "-p", "t.txt").stdout
    assert len(split_lines(data)) == sum(line.startswith(b"\t") for line in blamed.split(b"\n"))


@pytest.mark.parametrize("data", [b"a\nb\n", b"a\r\nb\r\n", b"a\nb"])
def test_the_hash_is_that_of_the_lines_with_lf(data: bytes) -> None:
    assert text_hash(split_lines(data)) == "sha256:" + hashlib.sha256(b"a\nb\n").hexdigest()


# Cited lines: tables


@pytest.mark.parametrize(
    ("new", "reason", "evidence"),
    [
        (TEXT + b"line 21\n", Reason.UNCHANGED, span(5, 7)),
        (TEXT.replace(b"line 15\n", b"other\n"), Reason.UNCHANGED, span(5, 7)),
        (TEXT.replace(b"line 4\n", b"other\n").replace(b"line 8\n", b"other\n"), Reason.UNCHANGED, span(5, 7)),
        (TEXT.removesuffix(b"\n"), Reason.UNCHANGED, span(5, 7)),
        (b"line 1\nline 2\nline 3\nline 4\n" + BLOCK, Reason.UNCHANGED, span(5, 7)),
        (b"zero\n" + TEXT, Reason.LINES_MOVED, span(6, 8)),
        (TEXT.replace(b"line 2\n", b""), Reason.LINES_MOVED, span(4, 6)),
        (TEXT.replace(BLOCK, b"") + BLOCK, Reason.LINES_MOVED, span(18, 20)),
        (BLOCK.removesuffix(b"\n"), Reason.LINES_MOVED, span(1, 3)),
        ((b"zero\n" + TEXT).replace(b"\n", b"\r\n"), Reason.LINES_MOVED, span(6, 8)),
        (TEXT.replace(b"\n", b"\r\n"), Reason.EOL_ONLY, span(5, 7)),
        (TEXT.replace(b"line 6\n", b"line 6\r\n"), Reason.EOL_ONLY, span(5, 7)),
        (TEXT.replace(b"line 9\n", b"line 9\r\n"), Reason.UNCHANGED, span(5, 7)),
        (TEXT.replace(b"line 6\n", b"line six\n"), Reason.LINES_CHANGED, {"kept": 2}),
        (TEXT.replace(b"line 6\n", b""), Reason.LINES_CHANGED, {"kept": 2}),
        (TEXT.replace(b"line 6\n", b"line 6\nline 6b\n"), Reason.LINES_CHANGED, {"kept": 3}),
        (TEXT.replace(BLOCK, b""), Reason.LINES_CHANGED, {"kept": 0}),
        (b"", Reason.LINES_CHANGED, {"kept": 0}),
        (b"line 5\nline 6\n", Reason.LINES_CHANGED, {"kept": 2}),
        (TEXT.replace(b"line 6\n", b"line 6 \n"), Reason.WHITESPACE_CHANGED, {}),
        (TEXT.replace(b"line 6\n", b"\tline  6\n"), Reason.WHITESPACE_CHANGED, {}),
        (TEXT.replace(b"line 6\n", b"line 6\n\n"), Reason.WHITESPACE_CHANGED, {}),
        (b"zero\n" + TEXT.replace(b"line", b"  line"), Reason.WHITESPACE_CHANGED, {}),
        (TEXT.replace(b"line 6\n", b"line 6\r\r\n"), Reason.WHITESPACE_CHANGED, {}),
        (TEXT.replace(b"line 6", b"line\xc2\xa06"), Reason.LINES_CHANGED, {"kept": 2}),
        (TEXT + b"\0", Reason.BINARY_CHANGED, {}),
    ],
)
def test_what_became_of_three_cited_lines(new: bytes, reason: Reason, evidence: dict[str, object]) -> None:
    assert compare_lines(5, 7, TEXT, None, new) == Comparison(reason, evidence)


def test_a_binary_baseline_is_not_searched_for_lines() -> None:
    assert compare_lines(1, 1, b"a\n\0\n", None, b"a\nb\n").reason is Reason.BINARY_CHANGED


@pytest.mark.parametrize(("start", "end"), [(20, 21), (21, 21), (99_999, 99_999)])
def test_a_range_beyond_the_end_of_the_baseline_is_none(start: int, end: int) -> None:
    assert compare_lines(start, end, TEXT, None, b"zero\n" + TEXT).reason is Reason.RANGE_INVALID


def test_a_range_in_an_empty_baseline_is_none() -> None:
    assert compare_lines(1, 1, b"", None, b"a\n").reason is Reason.RANGE_INVALID


def test_without_content_and_hash_nothing_can_be_said() -> None:
    assert compare_lines(5, 7, None, None, TEXT).reason is Reason.BASELINE_MISSING


FUNCTIONS = b"def one():\n    return 1\n\n\ndef two():\n    return 1\n\n\ndef three():\n    return 1\n"


@pytest.mark.parametrize(("line", "name"), [(2, b"one"), (6, b"two"), (10, b"three")])
def test_surroundings_tell_equal_lines_apart_even_where_another_one_took_the_place(line: int, name: bytes) -> None:
    new = b"import os\nimport re\n\n\n" + FUNCTIONS
    moved = compare_lines(line, line, FUNCTIONS, None, new)
    assert moved == Comparison(Reason.LINES_MOVED, span(line + 4, line + 4))
    assert split_lines(new)[line + 2] == b"def " + name + b"():"


def test_equal_lines_whose_surroundings_do_not_decide_are_ambiguous() -> None:
    found = compare_lines(2, 2, b"a\nx\nb\n", None, b"c\nd\nx\ne\nx\nf\n")
    assert found == Comparison(Reason.LINES_AMBIGUOUS, {"ranges": [span(3, 3), span(5, 5)]})


def test_a_copy_elsewhere_does_not_move_lines_that_stayed() -> None:
    assert compare_lines(2, 2, b"a\nx\nb\n", None, b"a\nx\nb\nx\n") == Comparison(Reason.UNCHANGED, span(2, 2))
    assert compare_lines(2, 2, b"a\nx\nb\n", None, b"c\nx\nd\nx\n") == Comparison(Reason.UNCHANGED, span(2, 2))


def test_not_more_than_twenty_places_are_named() -> None:
    found = compare_lines(1, 1, b"x\n", None, b"y\n" + b"x\ny\n" * 500)
    assert found.reason is Reason.LINES_AMBIGUOUS
    assert found.evidence["ranges"] == [span(place, place) for place in range(2, 41, 2)]


class Counted(bytes):
    """A line that counts how often lines are compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return bytes.__eq__(self, other)

    __hash__ = bytes.__hash__


@pytest.mark.parametrize("end", [b"", b"x"])
def test_the_work_grows_with_the_lines_and_not_with_their_square(end: bytes) -> None:
    lines, block = [Counted()] * 3000, [Counted()] * 1000 + [Counted(end)]
    Counted.compared = 0
    assert len(_occurrences(list[bytes](lines), list[bytes](block))) == (2000 if end == b"" else 0)
    assert Counted.compared < 5 * len(lines)


# Cited lines: properties


@settings(max_examples=150)
@given(lines=DISTINCT, above=STRANGERS, below=STRANGERS, data=st.data())
def test_lines_that_are_pushed_about_are_current_and_found(
    lines: list[bytes], above: list[bytes], below: list[bytes], data: st.DataObject
) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    at_above = data.draw(st.integers(0, start - 1))
    at_below = data.draw(st.integers(end, len(lines)))
    new = lines[:at_above] + above + lines[at_above:at_below] + below + lines[at_below:]
    found = compare_lines(start, end, joined(lines), None, joined(new))
    assert found.reason is (Reason.LINES_MOVED if above else Reason.UNCHANGED)
    assert found.evidence == span(start + len(above), end + len(above))


@settings(max_examples=150)
@given(lines=DISTINCT, other=STRANGERS, data=st.data())
def test_an_edit_of_any_cited_line_is_stale(lines: list[bytes], other: list[bytes], data: st.DataObject) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    at = data.draw(st.integers(start, end))
    new = lines[: at - 1] + other + lines[at:]
    found = compare_lines(start, end, joined(lines), None, joined(new))
    assert found == Comparison(Reason.LINES_CHANGED, {"kept": end - start})


@settings(max_examples=100)
@given(lines=DISTINCT, strangers=STRANGERS, data=st.data())
def test_a_line_inserted_between_cited_lines_is_stale(
    lines: list[bytes], strangers: list[bytes], data: st.DataObject
) -> None:
    assume(len(lines) > 1 and strangers)
    at = data.draw(st.integers(1, len(lines) - 1))
    new = joined(lines[:at] + strangers + lines[at:])
    assert compare_lines(at, at + 1, joined(lines), None, new) == Comparison(Reason.LINES_CHANGED, {"kept": 2})


def places_of(lines: list[bytes], block: list[bytes]) -> list[int]:
    """All places of a block, looked for as simply as can be."""
    return [at + 1 for at in range(len(lines) - len(block) + 1) if lines[at : at + len(block)] == block]


def bare(lines: list[bytes]) -> list[bytes]:
    """The lines without white space, blank ones left out."""
    return [line for line in (b"".join(line.split()) for line in lines) if line]


@settings(max_examples=400)
@given(old=MANY_LINES, new=MANY_LINES, data=st.data())
def test_every_answer_follows_from_a_plain_search(old: list[bytes], new: list[bytes], data: st.DataObject) -> None:
    assume(old)
    start = data.draw(st.integers(1, len(old)))
    end = data.draw(st.integers(start, len(old)))
    block = old[start - 1 : end]
    places = [span(place, place + len(block) - 1) for place in places_of(new, block)]
    found = compare_lines(start, end, joined(old), None, joined(new))
    has_twin = len(places_of(old, block)) > 1  # then a place may be the other copy's, and is none for the cited lines
    assert (verdict(found) is Verdict.CURRENT) <= bool(places)
    assert has_twin or (verdict(found) is Verdict.CURRENT) == bool(places)
    if found.reason is Reason.UNCHANGED:
        assert found.evidence == span(start, end) in places
    elif found.reason is Reason.LINES_MOVED:
        assert found.evidence in places
        assert found.evidence != span(start, end)
    elif found.reason is Reason.LINES_AMBIGUOUS:
        ranges = found.evidence["ranges"]
        assert isinstance(ranges, list)
        assert len(ranges) > 1
        assert ranges == places or (has_twin and all(place in places for place in ranges))
    else:
        copies, left = (len(places_of(bare(lines), bare(block))) for lines in (old, new))
        spaced = any(bare(block)) and left >= copies  # fewer than there were: one of them was the cited lines
        assert found.reason is (Reason.WHITESPACE_CHANGED if spaced else Reason.LINES_CHANGED)
    if found.reason is Reason.LINES_CHANGED:
        kept = found.evidence["kept"]
        assert isinstance(kept, int)
        assert 0 <= kept <= sum(line in new for line in block)


@settings(max_examples=200)
@given(old=MANY_LINES, new=MANY_LINES, data=st.data())
def test_the_recorded_hash_alone_gives_the_same_verdict(
    old: list[bytes], new: list[bytes], data: st.DataObject
) -> None:
    assume(old)
    start = data.draw(st.integers(1, len(old)))
    end = data.draw(st.integers(start, len(old)))
    assume(len(places_of(old, old[start - 1 : end])) == 1)  # a hash alone cannot tell copies apart
    with_content = compare_lines(start, end, joined(old), None, joined(new))
    by_hash = compare_lines(start, end, None, text_hash(old[start - 1 : end]), joined(new))
    assert verdict(by_hash) is verdict(with_content)
    if len(places_of(new, old[start - 1 : end])) == 1:
        assert by_hash == with_content
    elif verdict(by_hash) is Verdict.CURRENT:  # several places: surroundings are not known
        stays = start in places_of(new, old[start - 1 : end])
        assert by_hash.reason is (Reason.UNCHANGED if stays else Reason.LINES_AMBIGUOUS)


@settings(max_examples=150)
@given(old=MANY_LINES, new=MANY_LINES, ends=st.sampled_from([b"\n", b"\r\n"]), last=st.booleans(), data=st.data())
def test_line_ends_never_make_lines_stale(
    old: list[bytes], new: list[bytes], ends: bytes, last: bool, data: st.DataObject
) -> None:
    assume(old)
    start = data.draw(st.integers(1, len(old)))
    end = data.draw(st.integers(start, len(old)))
    other = joined(new, ends)
    if not last and new and new[-1]:
        other = other.removesuffix(ends)
    plain = compare_lines(start, end, joined(old), None, joined(new))
    folded = compare_lines(start, end, joined(old), None, other)
    assert (verdict(folded), folded.evidence) == (verdict(plain), plain.evidence)


# Whole files


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"a\nb\n", b"a\r\nb\r\n", Reason.EOL_ONLY),
        (b"a\r\nb\r\n", b"a\nb\n", Reason.EOL_ONLY),
        (b"a\nb\n", b"a\nb", Reason.EOL_ONLY),
        (b"a\nb\n", b"a\r\nb\n", Reason.EOL_ONLY),
        (b"a\nb\n", b"a\n b\n", Reason.WHITESPACE_CHANGED),
        (b"a\nb\n", b"a\n\nb\n", Reason.WHITESPACE_CHANGED),
        (b"a\nb\n", b"a \r\nb\r\n", Reason.WHITESPACE_CHANGED),
        (b"a\nb\n", b"ab\n", Reason.CONTENT_CHANGED),
        (b"a\nb\n", b"b\na\n", Reason.CONTENT_CHANGED),
        (b"a\nb\n", b"", Reason.CONTENT_CHANGED),
        (b"", b"a\n", Reason.CONTENT_CHANGED),
        (b"", b"\n", Reason.WHITESPACE_CHANGED),
        (b"a\n", b"a\nb\n", Reason.CONTENT_CHANGED),
        (b"\0\n", b"\0\r\n", Reason.CONTENT_CHANGED),
        (b"a\n", b"a\r\n\0", Reason.CONTENT_CHANGED),
        (b"\0a", b"a\n", Reason.CONTENT_CHANGED),
    ],
)
def test_what_became_of_a_whole_file(old: bytes, new: bytes, reason: Reason) -> None:
    assert compare_file(old, None, new) == Comparison(reason)


@settings(max_examples=100)
@given(old=MANY_LINES, new=MANY_LINES)
def test_a_whole_file_by_its_hash_has_the_same_verdict(old: list[bytes], new: list[bytes]) -> None:
    by_hash = compare_file(None, text_hash(old), joined(new))
    assert verdict(by_hash) is verdict(compare_file(joined(old), None, joined(new)))
    assert by_hash.reason in (Reason.EOL_ONLY, Reason.CONTENT_CHANGED)


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"a b\n", b"a  b\n"), (b"a\n", b"a\n\n"), (b"a\n", b"\ta\n"), (b"a b\n", b"ab\n"), (b"a\n", b"b\n")],
)
def test_white_space_is_what_git_takes_for_it(repo: Repo, old: bytes, new: bytes) -> None:
    (one, other) = (repo.write(name, data) for name, data in (("one", old), ("other", new)))
    same = repo.git("diff", "--no-index", "--quiet", "-w", "--ignore-blank-lines", one, other, accept=(0, 1)).code == 0
    assert (compare_file(old, None, new).reason is Reason.WHITESPACE_CHANGED) == same


CODE = (
    "def pay(c):\n    if not c.ok:\n        return False\n    c.charge()\n\n\n"
    "def refund(c):\n    if not c.open:\n        return False\n    c.back()\n"
)
FLAGS = "".join(f"svc{number}:\n  tls: on\n" for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("old", "line", "new", "reason"),
    [
        (CODE, 3, CODE.split("\n\n\n")[1], Reason.LINES_CHANGED),
        (CODE, 3, CODE.replace("False", "True", 1), Reason.LINES_CHANGED),
        (CODE, 9, CODE.replace("False", "True", 1), Reason.UNCHANGED),
        (CODE, 3, "# first\n" + CODE, Reason.LINES_MOVED),
        (CODE, 9, "# first\n" + CODE, Reason.LINES_MOVED),
        (FLAGS, 4, FLAGS.replace("svc2:\n  tls: on", "svc2:\n  tls: off"), Reason.LINES_CHANGED),
        (FLAGS, 4, FLAGS.replace("svc1:\n  tls: on\n", ""), Reason.LINES_MOVED),
        (FLAGS, 4, FLAGS.replace("svc2:\n  tls: on\n", ""), Reason.LINES_CHANGED),
    ],
)
def test_another_copy_that_was_there_before_does_not_stand_in(old: str, line: int, new: str, reason: Reason) -> None:
    assert compare_lines(line, line, old.encode(), None, new.encode()).reason is reason


def test_large_contents_full_of_copies_are_compared_in_time() -> None:
    old = b"x\ny\n" * 50_000
    found = compare_lines(3, 3, old, None, b"z\n" + old[2:-2] + b"z\n")
    assert verdict(found) is Verdict.CURRENT
