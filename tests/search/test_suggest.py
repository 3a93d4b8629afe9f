"""Near spellings of what no entry has."""

import subprocess
import sys
from collections.abc import Sequence

import pytest

from gitmem.entry.model import Entry, ReviewState
from gitmem.search.analysis import Analyser
from gitmem.search.keep import index_of
from gitmem.search.narrow import Filters
from gitmem.search.query import parse_query
from gitmem.search.rank import Ranking
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


def suggested(query: str, entries: Sequence[Entry]) -> list[tuple[str, tuple[str, ...]]]:
    ranking = Ranking(index_of(entries, Analyser()), parse_query([query]), Filters())
    found = suggestions(ranking.index.postings, ranking.unknown_terms, ranking.admission.inactive)
    return [(one.term, one.candidates) for one in found]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("permision", [("permision", ("permission", "permissions"))]),
        ("permission", []),
        ("permision architecure", [("permision", ("permission", "permissions")),
                                   ("architecure", ("architecture",))]),
        ("reglagge", [("reglagge", ("réglage",))]),
        ("maxRetires", [("maxRetires", ("maxretries", "retries"))]),
        ("parseHTTPReqest", [("parseHTTPReqest", ("parsehttprequest", "request"))]),
        ("forn", [("forn", ("fork", "form"))]),
        ("src/permision.py", [("src/permision.py", ("permission", "permissions"))]),
        ("completelydifferent", []),
        ("2.11", []),
        ("xy", []),
        ("缓冲", []),
        ("...", []),
    ],
)  # fmt: skip
def test_unknown_words_get_near_spellings(query: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert suggested(query, ENTRIES) == expected
    assert suggested(query, ENTRIES[::-1]) == expected


def test_no_entries_suggest_nothing() -> None:
    assert suggested("anything", []) == []


def test_what_stands_in_inactive_entries_alone_is_not_suggested() -> None:
    old = Entry(id="c", title="Walrus", date="", review_state=ReviewState.SUPERSEDED)
    assert suggested("walrsu", [*ENTRIES, old]) == []


def test_how_a_word_is_spelled_in_inactive_entries_alone_is_not_suggested() -> None:
    shown = Entry(id="a", title="Reglage", date="")
    old = Entry(id="b", title="Réglage", date="", review_state=ReviewState.SUPERSEDED)
    assert suggested("reglagge", [shown, old]) == [("reglagge", ("reglage",))]


def test_other_forms_in_inactive_entries_alone_do_not_hide_near_spellings() -> None:
    shown = Entry(id="a", title="Derided", date="")
    old = Entry(id="b", title="They decides", date="", review_state=ReviewState.SUPERSEDED)
    assert suggested("decided", [shown, old]) == [("decided", ("derided",))]


def test_only_the_first_unknown_terms_are_looked_at() -> None:
    unknown = [f"permision{letter}" for letter in "abcdefghijkl"]
    assert [term for term, _ in suggested(" ".join(unknown), ENTRIES)] == unknown[:10]


def test_a_near_spelling_of_a_short_word_may_be_another_word() -> None:
    assert Suggestion("x", (), ("form", "forms", "from")).likely == ("forms",)


def test_words_with_the_same_stem_go_before_near_spellings() -> None:
    entries = [Entry(id="a", title="We decide, they decides", date=""), Entry(id="b", title="Derided", date="")]
    assert suggested("decided", entries) == [("decided", ("decide", "decides"))]


def test_stop_words_are_not_corrected_unless_there_is_nothing_else() -> None:
    entries = [Entry(id="a", title="Shows whom", date="")]
    assert suggested("how writers", entries) == []
    assert suggested("whon", entries) == [("whon", ("whom",))]


def test_a_search_that_knows_its_words_does_not_load_the_library() -> None:
    program = "import sys, gitmem.search.suggest, gitmem.search.rank; sys.exit('rapidfuzz' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
