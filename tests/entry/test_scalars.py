import json
import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.frontmatter import load, split
from gitmem.entry.scalars import compact, date_scalar, quoted, scalar
from gitmem.text import plain

# The core schema's tags for plain scalars (YAML 1.2.2, section 10.3.2).
CORE = re.compile(
    r"null|Null|NULL|~||true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN"
)
AWKWARD = [
    "Use cache: no", "[WIP] tidy", "{x} y", "@scope/pkg pinned", "`foo` is gone", "*star", "%d", "- dash",
    "a #b", "!x y", "it's", 'say "hi"', "C:\\new", "tab\there", "trailing ", "", "---", "...", "> q", "| p",
    "null", "~", "Null", "yes", "No", "y", "N", "on", "OFF", "true", "0123456", "1234567", "12e4567",
    "1_000", "0x1f", "0o17", "0b1", "1.5", ".5", "-1", "+1", "1e3", "12:30:45", "2026-04-05",
    "2026-04-05T10:00:00Z", "2026-4-5 10:00:00", ".inf", ".NaN", "<<", "=", "key:", "a: b: c", "#x", "C#",
    "a:b", "&a", "? x", ": x", ",a", "é", "日本語", "x\u2028kind: y", "\ufeffx", "\ufffe", "a\uffffb",
    "\U0001f600", "\U0001ffff", "٣", "²", "ﬀ", "1,000", "0", "1-2", "1.2.3", "deadbeef", "12345678e1",
    "a\\", '"', "''",
]  # fmt: skip
TEXTS = st.sampled_from(AWKWARD) | st.text(max_size=20) | st.text(": #-'\"0123456789.eExX_~[]{}\\a", max_size=12)


def naive(block: str) -> dict[str, str]:
    """Read as the simplest reader does: split at the first colon, trim, take JSON for what is quoted."""
    pairs = (line.partition(":") for line in block.splitlines())
    trimmed = ((key, value.strip()) for key, _, value in pairs)
    return {key: json.loads(value) if value.startswith('"') else value for key, value in trimmed}


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_every_reader_reads_a_scalar_as_just_that_text(text: str) -> None:
    block = f"key: {scalar(text)}\n"
    expected = plain(text)
    assert load(split(f"---\n{block}---\n")).values == {"key": expected}
    assert yaml.safe_load(block) == {"key": expected}
    assert naive(block) == {"key": expected}
    assert scalar(text).startswith('"') or not CORE.fullmatch(scalar(text))


@given(st.lists(TEXTS, max_size=4))
@settings(max_examples=200, deadline=None)
def test_every_reader_reads_a_list_as_just_those_texts(texts: list[str]) -> None:
    expected = [plain(text) for text in texts]
    line = f"key: {compact(expected)}"
    assert len(line.splitlines()) == 1
    assert load(split(f"---\n{line}\n---\n")).values == {"key": expected}
    assert yaml.safe_load(line) == {"key": expected}
    assert json.loads(line.removeprefix("key: ")) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Keep command trust in the core",
        "2026-07-01-0900-trust-lives-in-the-ui",
        "C# is",
        "a:b",
        "it's",
        "日本語",
        "x [y]",
    ],
)
def test_text_that_nobody_takes_for_something_else_stays_plain(text: str) -> None:
    assert scalar(text) == text


@pytest.mark.parametrize(
    "text", ["0123456", "12e4567", "null", "", "2026-04-05", "a: b", "a #b", "- a", "key:", "no", "a---"]
)
def test_text_that_somebody_takes_for_something_else_is_quoted(text: str) -> None:
    assert scalar(text) == f'"{text}"'


def test_quotes_and_characters_outside_yaml_are_escaped() -> None:
    assert quoted('a"\\b\ufffe') == '"a\\"\\\\b\\ufffe"'


def test_only_a_date_in_the_normal_form_is_plain() -> None:
    assert date_scalar("2026-08-31T14:00:00Z") == "2026-08-31T14:00:00Z"
    assert date_scalar("2026-08-31") == '"2026-08-31"'
