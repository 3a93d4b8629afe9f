"""From a result to JSON: keys, order, what is left out, and names that are not UTF-8."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import entry, faults

from gitmem.entry.model import Kind, ReviewState, SourceRef
from gitmem.evidence.target import TargetKind
from gitmem.evidence.verdict import EntryVerdict, Finding, Judgement, Reason, Verdict
from gitmem.porcelain.check import Checked, Summary
from gitmem.porcelain.encode import encode
from gitmem.porcelain.list import Listed
from gitmem.porcelain.show import Shown
from gitmem.store.read import Unreadable


@dataclass(frozen=True, slots=True)
class Sample:
    """A result with a value of each sort."""

    long_snake_name: int
    text: str
    nothing: None
    mapping: dict[str, object]
    items: tuple[object, ...]


def decoded(result: object) -> Any:
    return json.loads(encode(result))


def judged(**evidence: object) -> Judgement:
    ref = SourceRef(source_type="file", id="a.py", path="a.py", line_start=1, line_end=2, commit="c", blob="b")
    return Judgement(ref, Finding(Reason.LINES_CHANGED, "lines 1-2 changed", evidence))


def checked(*judgements: Judgement, title: str = "T") -> Checked:
    verdict = Verdict.STALE if judgements else Verdict.UNVERIFIED
    found = EntryVerdict(entry("x", title=title), verdict, judgements)
    return Checked(
        TargetKind.WORKTREE, None, None, False, Summary(0, 1, 0), (found,), (Unreadable("y.md", "empty file"),)
    )


def test_keys_are_in_camel_case_in_the_order_of_the_fields_behind_the_version() -> None:
    text = encode(Sample(1, "é", None, {"aB": (1, 2), "c_d": True}, (1.5, "x", None)))
    assert text == (
        '{"schemaVersion": 1, "longSnakeName": 1, "text": "é", "nothing": null, '
        '"mapping": {"aB": [1, 2], "c_d": true}, "items": [1.5, "x", null]}'
    )


def test_what_is_no_result_is_a_fault() -> None:
    for value in ([1], "text", None, 5):
        with pytest.raises(TypeError):
            encode(value)


def test_a_shown_entry_is_the_entry_alone() -> None:
    found = decoded(Shown(entry("x"), b"---\n---\n", "[historical evidence: stale]"))
    assert set(found) == {"schemaVersion", "entry"}
    assert faults("show", found) == []


def test_only_version_and_kind_of_an_entry_can_be_null() -> None:
    unknown = entry("x", schema_version=None, kind=None, review_state=ReviewState.STALE)
    found = decoded(Listed((unknown, entry("y", kind=Kind.RUN, supersedes="x"))))
    assert faults("list", found) == []
    assert [key for key, value in found["entries"][0].items() if value is None] == ["schemaVersion", "kind"]
    assert "supersedes" not in found["entries"][0]
    assert found["entries"][1]["supersedes"] == "x"


def test_a_judgement_has_what_is_cited_and_not_its_anchor() -> None:
    ref = decoded(checked(judged(by="a" * 40, dirty=True)))["entries"][0]["refs"][0]
    assert list(ref.items()) == [
        ("sourceType", "file"),
        ("id", "a.py"),
        ("path", "a.py"),
        ("lineStart", 1),
        ("lineEnd", 2),
        ("verdict", "stale"),
        ("reason", "lines-changed"),
        ("message", "lines 1-2 changed"),
        ("evidence", {"by": "a" * 40, "dirty": True}),
    ]


def test_an_entry_has_a_reason_of_its_own_only_without_evidence() -> None:
    assert decoded(checked())["entries"][0]["reason"] == "no-evidence"
    assert "reason" not in decoded(checked(judged()))["entries"][0]


@pytest.mark.parametrize("judgements", [(), (judged(),), (judged(ranges=[{"lineStart": 1, "lineEnd": 1}] * 2),)])
def test_a_check_is_as_its_schema_says(judgements: tuple[Judgement, ...]) -> None:
    assert faults("check", decoded(checked(*judgements))) == []


# What a name on disk can turn into: text, and single bytes that are none.
NAMES = st.text(st.characters(codec="utf-8") | st.sampled_from([chr(0xDC00 + byte) for byte in range(0x80, 0x100)]))


@given(NAMES)
def test_any_text_comes_back_from_one_line_of_utf8(text: str) -> None:
    written = encode(checked(title=text))
    assert "\n" not in written
    assert json.loads(written.encode("utf-8"))["entries"][0]["title"] == text


def test_a_name_that_is_not_utf8_keeps_its_bytes_as_escapes() -> None:
    written = encode(Sample(1, b"b\xff.md".decode("utf-8", "surrogateescape"), None, {}, ()))
    assert r'"b\udcff.md"' in written
    written.encode("utf-8")
