import string
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.model import Entry, Kind, ReviewState
from gitmem.entry.rules import effective_states, holder, is_id, new_id, newest_first, successor

REVIEWED, SUPERSEDED, STALE, PROPOSED = (
    ReviewState.REVIEWED,
    ReviewState.SUPERSEDED,
    ReviewState.STALE,
    ReviewState.PROPOSED,
)


def entry(ident: str, supersedes: str | None = None, state: ReviewState = REVIEWED, day: int = 1) -> Entry:
    return Entry(id=ident, title=ident, date=f"2026-01-{day:02}T00:00:00Z", supersedes=supersedes, review_state=state)


ENTRIES = st.lists(
    st.builds(
        entry,
        st.sampled_from("abcdefgh"),
        st.none() | st.sampled_from("abcdefghi"),
        st.sampled_from(list(ReviewState)),
        st.integers(1, 5),
    ),
    unique_by=lambda made: made.id,
)


@pytest.mark.parametrize("text", ["a", "2026-08-31-1400-note", "A.b_c-1", "0", "x" * 128, "note.md"])
def test_plain_components_are_ids(text: str) -> None:
    assert is_id(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "../x",
        "a..b",
        "a/b",
        "a\\b",
        "-rf",
        "_a",
        ".a",
        "~",
        "a b",
        "a\n",
        "C:x",
        "a%2fb",
        "é",
        "x" * 129,
        "a\0",
    ],
)
def test_everything_else_is_none(text: str) -> None:
    assert not is_id(text)


def test_a_new_id_is_the_minute_in_utc_and_the_slug() -> None:
    assert new_id("2026-08-31T14:00:59Z", "Keep  Café trust!", set()) == "2026-08-31-1400-keep-cafe-trust"
    assert new_id("2026-08-31T01:30:00+02:00", "記憶", set()) == "2026-08-30-2330-note"


def test_a_taken_id_gets_the_next_number() -> None:
    taken = {"2026-08-31-1400-note", "2026-08-31-1400-note-2"}
    assert new_id("2026-08-31T14:00Z", "note", taken) == "2026-08-31-1400-note-3"
    assert new_id("2026-08-31T14:00Z", "note", taken.__contains__) == "2026-08-31-1400-note-3"


def test_a_new_id_needs_a_date() -> None:
    with pytest.raises(ValueError, match="not an ISO 8601 date: soon"):
        new_id("soon", "x", ())


@given(st.text())
@settings(deadline=None)
def test_a_new_id_is_an_id_whatever_the_title(title: str) -> None:
    assert is_id(new_id("2026-08-31T14:00:00Z", title, ()))


def test_entries_are_ordered_newest_first_then_by_id() -> None:
    ordered = newest_first([entry("b", day=1), entry("c", day=2), entry("a", day=1)])
    assert [made.id for made in ordered] == ["c", "a", "b"]


def test_a_pointer_supersedes_its_target_whatever_the_target_says() -> None:
    entries = [entry("old"), entry("new", "old")]
    assert effective_states(entries) == {"old": SUPERSEDED, "new": REVIEWED}
    assert successor(entries) == {"old": "new"}


@pytest.mark.parametrize("state", [REVIEWED, SUPERSEDED, STALE])
def test_the_pointer_of_an_entry_that_was_reviewed_once_counts(state: ReviewState) -> None:
    assert effective_states([entry("old"), entry("new", "old", state)])["old"] is SUPERSEDED


@pytest.mark.parametrize(
    "new",
    [
        entry("new", "old", PROPOSED),
        replace(entry("new", "old", STALE), future=True),
        replace(entry("new", "old", STALE), kind=None),
        entry("new", "gone"),
        entry("new", "../old"),
        entry("new", "new"),
        entry("new", ""),
        entry("new"),
    ],
)
def test_the_pointer_of_a_draft_or_to_nothing_counts_for_nothing(new: Entry) -> None:
    assert effective_states([entry("old"), new])["old"] is REVIEWED
    assert successor([entry("old"), new]) == {}


@pytest.mark.parametrize("state", [PROPOSED, STALE, SUPERSEDED])
def test_only_a_reviewed_target_changes_its_state(state: ReviewState) -> None:
    assert effective_states([entry("old", state=state), entry("new", "old")])["old"] is state


def test_a_chain_is_followed_to_the_entry_that_holds_now() -> None:
    entries = [entry("a"), entry("b", "a"), entry("c", "b")]
    assert successor(entries) == {"a": "b", "b": "c"}
    assert holder("a", successor(entries)) == "c"
    assert holder("c", successor(entries)) == "c"


def test_of_two_successors_the_newest_is_named() -> None:
    entries = [entry("old"), entry("x", "old", day=2), entry("y", "old", day=3)]
    assert successor(entries) == {"old": "y"}


@pytest.mark.parametrize(("days", "stays"), [((1, 2, 3), "c"), ((3, 2, 1), "a"), ((1, 1, 1), "a")])
def test_in_a_circle_the_newest_member_stays(days: tuple[int, int, int], stays: str) -> None:
    circle = [entry(ident, to, day=day) for ident, to, day in zip("abc", "bca", days, strict=True)]
    states = effective_states([*circle, entry("d", "a")] if stays != "a" else circle)
    assert {ident for ident, state in states.items() if state is REVIEWED} - {"d"} == {stays}


def test_an_entry_outside_a_circle_supersedes_the_one_that_stays() -> None:
    entries = [entry("a", "b", day=1), entry("b", "a", day=2), entry("x", "b", day=3)]
    assert effective_states(entries) == {"a": SUPERSEDED, "b": SUPERSEDED, "x": REVIEWED}


@given(ENTRIES, st.randoms())
@settings(deadline=None)
def test_supersession_is_acyclic_and_does_not_depend_on_the_order(entries: list[Entry], random: object) -> None:
    replaced = successor(entries)
    ids = {made.id for made in entries}
    assert set(replaced) | set(replaced.values()) <= ids
    assert all(holder(ident, replaced) not in replaced for ident in ids)
    assert successor(sorted(entries, key=lambda made: made.title, reverse=True)) == replaced


@given(ENTRIES)
@settings(deadline=None)
def test_what_nothing_replaced_keeps_its_own_state(entries: list[Entry]) -> None:
    states, replaced = effective_states(entries), successor(entries)
    for made in entries:
        expected = SUPERSEDED if made.id in replaced and made.review_state is REVIEWED else made.review_state
        assert states[made.id] is expected
    assert set(states) <= set(string.ascii_lowercase)


def test_kinds_do_not_matter_to_supersession() -> None:
    for kind in Kind:
        assert successor([entry("old"), replace(entry("new", "old"), kind=kind)]) == {"old": "new"}
