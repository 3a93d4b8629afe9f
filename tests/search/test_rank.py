"""What a query finds, in what order, and why."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ranked import Results, ranked, ranked_by

from gitmem.entry.model import Entry, Kind, ReviewState, Section, SourceRef
from gitmem.search.analysis import Analyser
from gitmem.search.fields import FieldName
from gitmem.search.keep import index_of
from gitmem.search.narrow import Filters
from gitmem.search.query import Conditions, parse_query
from gitmem.search.rank import Ranking
from gitmem.search.suggest import suggestions
from gitmem.search.terms import Match

OID = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"


def entry(title: str, notes: str = "", **more: object) -> Entry:
    base = Entry(id=f"2026-01-01-0000-{title}", title=title, date="2026-01-01T00:00:00Z", notes=notes)
    return replace(base, **more)  # type: ignore[arg-type]  # each test names fields of the model


def hits(entries: Sequence[Entry], *words: str) -> list[str]:
    return ranked(entries, *words).titles


def test_every_term_must_match_the_same_entry() -> None:
    entries = [
        entry("Permission architecture", "trust boundary"),
        entry("Permission prompts"),
        entry("Other", "architecture of the cache"),
    ]
    assert hits(entries, "permission", "architecture") == ["Permission architecture"]
    (found,) = ranked(entries, "permission boundary").hits
    assert found.match is Match.ALL
    assert found.matched_fields == (FieldName.TITLE, FieldName.NOTES)
    assert (found.matched_terms, found.missing_terms) == (("permission", "boundary"), ())


def test_part_of_the_terms_makes_a_ranked_partial_match() -> None:
    entries = [
        entry("Upload timeouts", "retry twice"),
        entry("Retry policy for uploads"),
        entry("Unrelated"),
    ]
    found = ranked(entries, "retry policy quux")
    assert found.hits == ()
    assert [one.entry.title for one in found.partial] == ["Retry policy for uploads", "Upload timeouts"]
    assert {one.match for one in found.partial} == {Match.PARTIAL}
    assert found.partial[1].matched_terms == ("retry",)
    assert found.partial[1].missing_terms == ("policy", "quux")


def test_stop_words_must_match_in_a_hit_and_bring_nothing_near() -> None:
    entries = [entry("Permission architecture"), entry("How does the cache do", "the the the")]
    found = ranked(entries, "how does the permission architecture work")
    assert found.hits == ()
    (near,) = found.partial
    assert near.matched_terms == ("permission", "architecture")
    assert near.missing_terms == ("how", "does", "the", "work")


def test_stop_words_alone_are_words_like_any_other() -> None:
    entries = [entry("To be or not to be"), entry("Not here")]
    found = ranked(entries, "or not")
    assert [one.entry.title for one in found.hits] == ["To be or not to be"]
    assert [one.entry.title for one in found.partial] == ["Not here"]


def test_fields_count_in_the_order_of_their_weights() -> None:
    entries = [
        entry("in notes", "gateway"),
        entry("in plan", plan=("gateway",)),
        entry("in an own section", other_sections=(Section("x", "gateway"),)),
        entry("in run", run_id="gateway"),
        entry("in refs", source_refs=(SourceRef(source_type="transcript", id="gateway"),)),
        entry("in tags", tags=("gateway x",)),
        entry("in decisions", decisions=("gateway",)),
        entry("in goal", goal="gateway"),
        entry("in aliases", aliases=("the gateway",)),
        entry("in title: gateway"),
    ]
    entries = [replace(one, title="untitled gateway" if "title" in one.title else "untitled thing") for one in entries]
    found = ranked(entries, "gateway").hits
    order = [str(one.matched_fields[0]) for one in found]
    # Title, aliases and tags make a channel of their own besides.
    assert order[0] == "title"
    assert {*order[1:3]} == {"aliases", "tags"}
    assert order[3:] == ["goal", "decisions", "sourceRefs", "runId", "notes", "notes", "notes"]


def test_more_results_than_are_put_in_order_together_come_all_and_once() -> None:
    entries = [entry(f"number {count}", "retry " * (count % 7 + 1), id=f"id-{count:03}") for count in range(120)]
    found = ranked(entries, "retry")
    assert {one.entry.id for one in found.hits} == {one.id for one in entries}
    assert len(found.hits) == 120
    assert found.partial == ()
    for lot in (found.hits[:50], found.hits[50:100], found.hits[100:]):
        assert [one.score for one in lot] == sorted((one.score for one in lot), reverse=True)


def test_conditions_alone_list_many_entries_once_newest_first() -> None:
    dates = [f"2026-01-{day:02}T00:00:{second:02}Z" for day in range(1, 31) for second in (0, 1, 1, 2)]
    entries = [entry("same", id=f"id-{count:03}", date=date, kind=Kind.PATTERN) for count, date in enumerate(dates)]
    expected = sorted(sorted(entries, key=lambda one: one.id), key=lambda one: one.date, reverse=True)
    assert [one.entry for one in ranked(entries, "kind:pattern").hits] == expected


def test_unknown_terms_are_those_that_no_entry_has() -> None:
    def unknown(query: str) -> list[str]:
        index = index_of([entry("The max_retries of it")], Analyser())
        return [term.typed for term in Ranking(index, parse_query([query]), Filters()).unknown_terms]

    assert unknown("max quux retry retriesMax") == ["quux", "retry"]
    assert unknown("how quux") == ["quux"]
    assert unknown("how why of") == ["how", "why"]
    assert unknown("kind:failure") == []


def test_another_form_of_a_term_is_related_to_it() -> None:
    index = index_of([entry("They decided"), entry("Walrus"), entry("Else")], Analyser())
    found = Ranking(index, parse_query(["decides walrsu zebra"]), Filters())
    near = suggestions(index.postings, found.unknown_terms, frozenset())
    places = {known.id.rpartition("-")[2]: number for number, known in index.known(range(3)).items()}
    assert [one.known.id.rpartition("-")[2] for one in found.partial(near)] == ["They decided", "Walrus"]
    assert found.forms("decides", places["They decided"]) == ("decided",)
    assert found.forms("walrsu", places["Walrus"]) == ("walrus",)
    assert found.forms("decides", places["Walrus"]) == ()
    assert found.forms("zebra", places["Else"]) == ()


@pytest.mark.parametrize(
    ("text", "query", "near"),
    [
        ("a client of the server", "server.py", True),
        ("client.py", "server.py", False),
        ("the request came", "X-Request-ID", True),
        ("an id of 8", "58ab8", False),
        ("one. Two", "one.two", True),
        ("v1.2", "v1.2.3", True),
        ("0.10", "0.1", False),
    ],
)
def test_a_part_of_a_term_brings_an_entry_near_only_if_it_tells_something(text: str, query: str, *, near: bool) -> None:
    assert bool(ranked([entry(text)], query).partial) is near


def test_a_slip_ranks_as_the_word_that_was_meant() -> None:
    entries = [
        entry("Use PostgreSQL", "the data base of payments; databases differ"),
        entry("Database connections leak", "the database"),
        entry("Nothing", "else"),
    ]
    found = ranked(entries, "databse leaks")
    assert [one.entry.title for one in found.partial] == ["Database connections leak"]


def test_inactive_entries_with_every_term_are_counted() -> None:
    entries = [
        entry("Sessions last an hour"),
        entry("Sessions last 30 minutes", review_state=ReviewState.SUPERSEDED),
        entry("30 sessions in some minutes", review_state=ReviewState.STALE, kind=Kind.FAILURE),
    ]
    index = index_of(entries, Analyser())
    counted = Ranking(index, parse_query(["sessions 30 minutes"]), Filters()).inactive_with_all
    assert counted == 2
    assert Ranking(index, parse_query(["sessions 30 minutes kind:failure"]), Filters()).inactive_with_all == 1
    assert Ranking(index, parse_query(["sessions"]), Filters(include_inactive=True)).inactive_with_all == 0


def test_a_whole_identifier_ranks_above_its_parts() -> None:
    entries = [
        entry("parts of it", "parse HTML response"),
        entry("spelled otherwise", "parse_html_response"),
        entry("the thing", "parseHTMLResponse"),
    ]
    assert hits(entries, "parseHTMLResponse")[0] == "the thing"
    assert len(hits(entries, "parseHTMLResponse")) == 3


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [("réseau", "le réseau", "le reseau"), ("reseau", "le reseau", "le réseau"), ("йод", "про йод", "про иод")],
)
def test_the_very_letters_rank_above_others(query: str, first: str, second: str) -> None:
    assert hits([entry(second), entry(first)], query) == [first, second]


def test_japanese_voicing_is_never_ignored() -> None:
    entries = [entry("バス停の設計"), entry("パス解決の設計"), entry("ハスの花")]
    assert hits(entries, "バス") == ["バス停の設計"]
    assert hits(entries, "パス") == ["パス解決の設計"]


def test_ties_go_to_the_newest_then_to_the_id() -> None:
    old = entry("Equal words", id="a", date="2026-01-01T00:00:00Z")
    new = entry("Equal words", id="b", date="2026-02-01T00:00:00Z")
    new_too = entry("Equal words", id="c", date="2026-02-01T00:00:00Z")
    found = ranked([new_too, old, new], "equal").hits
    assert [one.entry.id for one in found] == ["b", "c", "a"]


NAMED = entry(
    "Retry policy for uploads",
    id="2026-08-31-1400-retry-policy",
    aliases=("Backoff rules", "ADR-7"),
    files_touched=("src/net/http_client.py",),
    source_refs=(SourceRef(source_type="commit", id=OID, commit=OID),),
)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("2026-08-31-1400-retry-policy", FieldName.ID),
        (OID, FieldName.SOURCE_REFS),
        (OID[:7].upper(), FieldName.SOURCE_REFS),
        (OID + "0" * 24, FieldName.SOURCE_REFS),
        ("src/net/http_client.py", FieldName.PATHS),
        ("./src/net/HTTP_client.py", FieldName.PATHS),
        ("http_client.py", FieldName.PATHS),
        ("http_client.py:40-88", FieldName.PATHS),
        ("backoff  rules", FieldName.ALIASES),
        ("adr-7", FieldName.ALIASES),
        ('"Retry policy for uploads"', FieldName.TITLE),
        ("RETRY POLICY FOR UPLOADS?", FieldName.TITLE),
    ],
)
def test_what_names_an_entry_puts_it_first(query: str, field: FieldName) -> None:
    other = entry("Talks", " ".join([query, NAMED.title, *NAMED.aliases, OID] * 9), goal=query, decisions=(query,))
    found = ranked([other, NAMED], query).hits
    assert found[0].entry is NAMED
    assert found[0].match is Match.EXACT
    assert field in found[0].matched_fields
    assert found[0].score > 0
    assert found[0].missing_terms == ()
    assert all(one.match is Match.ALL for one in found[1:])


@pytest.mark.parametrize(
    "query",
    [
        OID[:6],
        "retry policy",
        "src/net",
        "client.py",
        f"{OID} http_client.py",
        "backoff",
        "2026-08-31-1400",
        "f" * 7,
        ":12",
    ],
)
def test_less_than_the_name_is_no_exact_match(query: str) -> None:
    assert all(one.match is not Match.EXACT for one in ranked([NAMED], query).hits)


def test_the_anchor_of_a_file_does_not_name_the_entry_but_finds_it() -> None:
    anchored = entry("Anchored", source_refs=(SourceRef(source_type="file", id="a.py", path="a.py", commit=OID),))
    assert [one.match for one in ranked([anchored], OID[:9]).hits] == [Match.ALL]


def test_a_query_without_a_word_finds_nothing_and_says_so() -> None:
    found = ranked([entry("Anything ...")], "...", "!?")
    assert found == Results((), ())


def test_conditions_alone_list_what_meets_them_newest_first() -> None:
    old = entry("old", kind=Kind.FAILURE)
    new = entry("new", kind=Kind.FAILURE, date="2026-05-01T00:00:00Z")
    found = ranked([old, entry("other"), new], "kind:failure")
    assert [(one.entry.title, one.match, one.score) for one in found.hits] == [
        ("new", Match.ALL, 0.0),
        ("old", Match.ALL, 0.0),
    ]


def test_filters_and_conditions_must_both_be_met() -> None:
    net = entry("Filter me", kind=Kind.DECISION, tags=("net",))
    http = entry("Filter me too", kind=Kind.FAILURE, files_touched=("src/net/http.py",))
    entries = [net, http]
    assert hits(entries, "filter", "kind:failure") == ["Filter me too"]
    assert hits(entries, "filter", "path:src/net") == ["Filter me too"]
    assert hits(entries, "http.py") == ["Filter me too"]
    assert [one.entry for one in ranked(entries, "filter", filters=Filters(tags=("net",))).hits] == [net]
    assert ranked(entries, "filter tag:net", filters=Filters(kinds=(Kind.FAILURE,))).hits == ()


def test_inactive_entries_are_left_out_unless_asked_for() -> None:
    states = {"one": ReviewState.SUPERSEDED, "two": ReviewState.REVIEWED, "three": ReviewState.STALE}
    entries = [entry(f"common {name}", review_state=state) for name, state in states.items()]
    assert ranked(entries, "common").titles == ["common two"]
    assert len(ranked(entries, "common", filters=Filters(include_inactive=True)).hits) == 3


@pytest.mark.parametrize(
    "query",
    ["AND", "OR NOT", "(x", "a:b", "NEAR(a b)", "%", "*", "[a-", "^x", "x' OR 1=1 --", "c++", "what's the plan?", "🎉"],
)
def test_nothing_in_a_query_is_an_operator(query: str) -> None:
    literal = entry(f"It says {query} here")
    decoy = entry("Nothing of the kind")
    assert hits([decoy, literal], query) in ([literal.title], [])
    assert bool(hits([literal], query)) is parse_query([query]).searchable


WRITTEN = f"""
    max_retries maxRetries max-retries retries v2.10.3 20.04 E1042 HCA060T parseHTTPRequest net/http_client.py:42
    foo.bar.Baz std::vector C++17, c# #1466 0xff $HOME/.config d'été l’œuvre réglage re\u0301glage what's don't
    pre-edit `code` **bold** (parens) [link](https://example.org/a_b?c=d&e=1.5) the … — « » --match 007 12345678
    缓存失效 使用JWT令牌 バス ｶﾞ 데이터베이스 ล้วน हिन्दी йод Straße İzmir {OID} {OID[:9]} 🎉 ❤️ 👨\u200d👩\u200d👧
    1.2.3-rc1+build.5 __init__ a_ -x x' co\u00adop a\u200bb
"""
WORDS = st.sampled_from(WRITTEN.split())
ANY_WORD = st.one_of(WORDS, WORDS, st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8))
LINES = st.lists(ANY_WORD, min_size=1, max_size=8).map(" ".join)


@given(LINES, LINES, LINES, st.sampled_from(["title", "goal", "decisions", "notes", "tags", "plan"]))
@settings(max_examples=60)
def test_any_words_taken_from_an_entry_find_it(before: str, line: str, after: str, name: str) -> None:
    query = parse_query([line])
    assume(query.terms)
    assume(query.conditions == Conditions())
    text = f"{before}\n{line}\n{after}"
    value = text if name in {"title", "goal", "notes"} else (text,)
    holder = replace(entry("untitled"), **{name: value})  # type: ignore[arg-type]  # as in `entry`
    assert hits([holder], line) == [holder.title]
    for word in line.split():
        if parse_query([word]).terms:
            assert hits([holder], word) == [holder.title], word


@given(st.lists(st.tuples(LINES, LINES), min_size=1, max_size=6), LINES, st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_the_order_of_the_entries_changes_no_result(
    contents: list[tuple[str, str]], line: str, dice: random.Random
) -> None:
    entries = [entry(title, notes, id=f"id-{number}") for number, (title, notes) in enumerate(contents)]
    query = parse_query([line.replace(":", " ")])
    straight = ranked_by(entries, query, Filters())
    shuffled = dice.sample(entries, len(entries))
    assert ranked_by(shuffled, query, Filters()) == straight
