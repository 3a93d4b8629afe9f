"""Near spellings of what no entry has."""

import subprocess
import sys

import pytest

from gitmem.entry.model import Entry
from gitmem.search.query import parse_query
from gitmem.search.suggest import Suggestion, suggestions

ENTRIES = [
    Entry(
        id="a",
        title="Permission architecture",
        date="",
        notes="Réglage of max_retries, permissions and parseHTTPRequest",
    ),
    Entry(id="b", title="Form and from", date="", notes="缓存失效 in v2.10.3 for the fork"),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("permision", [Suggestion("permision", ("permission", "permissions"))]),
        ("permission", []),
        ("permision architecure", [Suggestion("permision", ("permission", "permissions")),
                                   Suggestion("architecure", ("architecture",))]),
        ("reglagge", [Suggestion("reglagge", ("réglage",))]),
        ("maxRetires", [Suggestion("maxRetires", ("max_retries",))]),
        ("parseHTTPReqest", [Suggestion("parseHTTPReqest", ("parsehttprequest",))]),
        ("forn", [Suggestion("forn", ("for", "fork", "form"))]),
        ("src/permision.py", [Suggestion("src/permision.py", ("permission", "permissions"))]),
        ("completelydifferent", []),
        ("2.11", []),
        ("xy", []),
        ("缓冲", []),
        ("...", []),
    ],
)  # fmt: skip
def test_unknown_words_get_near_spellings(query: str, expected: list[Suggestion]) -> None:
    assert list(suggestions(parse_query([query]), ENTRIES)) == expected
    assert list(suggestions(parse_query([query]), ENTRIES[::-1])) == expected


def test_no_entries_suggest_nothing() -> None:
    assert suggestions(parse_query(["anything"]), []) == ()


def test_a_search_that_knows_its_words_does_not_load_the_library() -> None:
    program = "import sys, gitmem.search.suggest, gitmem.search.rank; sys.exit('rapidfuzz' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
