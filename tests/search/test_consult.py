"""Questions to an index while others write: every answer is of one moment, and no index outlives what it tells."""

import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final

import pytest
from program import entry, put
from world import listing

from gitmem.entry.format import format_entry
from gitmem.entry.model import Entry, ReviewState
from gitmem.search.consult import Load, StoreIndex
from gitmem.search.entries import EntryIndex
from gitmem.search.keep import IndexState
from gitmem.search.narrow import Filters
from gitmem.search.query import parse_query
from gitmem.search.rank import Ranking
from gitmem.storage.directory import DirectoryRefusedError
from gitmem.storage.journal import Journal, Record, Step
from gitmem.storage.lock import writer_lock
from gitmem.store.place import INDEX
from gitmem.store.view import id_digest, write_forgotten

STORE: Final = PurePosixPath(".klide/memory")


@pytest.fixture
def store(tmp_path: Path) -> StoreIndex:
    """A store of two entries that is not indexed yet, with a lock as every store has that was written to."""
    made = StoreIndex(tmp_path / "mem", tmp_path, STORE)
    put(tmp_path / STORE, entry("one", title="Retry"), entry("two", title="Retry policy", supersedes="one"))
    made.state.mkdir()
    with writer_lock(made.state / "lock", 0):
        return made


def again(store: StoreIndex) -> StoreIndex:
    """Return the same store as another process sees it."""
    return StoreIndex(store.state, store.root, store.path)


def all_of(index: EntryIndex, load: Load) -> list[Entry]:
    return [load(index.known([number])[number]) for number in index.newest_first()]


def ids(index: EntryIndex, load: Load) -> list[str]:
    return [one.id for one in all_of(index, load)]


def retry(index: EntryIndex, load: Load) -> list[str]:
    ranking = Ranking(index, parse_query(["retry"]), Filters(include_inactive=True))
    return [load(found.known).title for found in (*ranking.exact(), *ranking.all())]


def file_of(store: StoreIndex, ident: str) -> Path:
    return store.root / STORE / f"{ident}.md"


def test_entries_are_loaded_in_the_state_that_counts(store: StoreIndex) -> None:
    states = {one.id: one.review_state for one in store.ask(all_of)}
    assert states == {"one": ReviewState.SUPERSEDED, "two": ReviewState.REVIEWED}


def test_where_there_is_no_store_nothing_is_found_and_nothing_is_made(tmp_path: Path) -> None:
    store = StoreIndex(tmp_path / "mem", tmp_path, STORE)
    assert store.ask(ids) == []
    assert store.look() is IndexState.MISSING
    assert store.renew().postings.documents == 0
    assert listing(tmp_path) == {}


def test_a_store_that_vanishes_and_comes_back_is_asked_as_it_is(store: StoreIndex) -> None:
    assert store.ask(ids) == ["one", "two"]
    away = (store.root / STORE).rename(store.root / "away")
    assert store.ask(ids) == []
    shutil.copytree(away, store.root / STORE)
    assert store.ask(ids) == ["one", "two"]


def test_a_link_in_the_place_of_the_store_is_refused(store: StoreIndex) -> None:
    (store.root / STORE).rename(store.root / "away")
    (store.root / STORE).symlink_to(store.root / "away")
    for ask in (lambda: store.ask(ids), store.look, store.renew):
        with pytest.raises(DirectoryRefusedError):
            ask()


def change(store: StoreIndex) -> None:
    put(store.root / STORE, entry("one", title="Retry never"))


def forget(store: StoreIndex) -> None:
    write_forgotten(store.state, [id_digest("one")])
    Journal(store.state).finish()


CHANGES: Final[dict[str, tuple[Callable[[StoreIndex], object], list[str]]]] = {
    "changed": (change, ["Retry never", "Retry policy"]),
    "removed": (lambda store: file_of(store, "one").unlink(missing_ok=True), ["Retry policy"]),
    "unreadable": (lambda store: file_of(store, "one").write_bytes(b"a\0b"), ["Retry policy"]),
    "forgotten": (forget, ["Retry policy"]),
    "nothing left": (lambda store: shutil.rmtree(store.root / STORE, ignore_errors=True), []),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changes_between_the_index_and_the_entry_is_asked_again(store: StoreIndex, what: str) -> None:
    changing, expected = CHANGES[what]
    asked = 0

    def question(index: EntryIndex, load: Load) -> list[str]:
        nonlocal asked
        asked += 1
        if asked == 1:
            changing(store)
        return sorted(retry(index, load))

    assert store.ask(question) == expected
    assert asked == 2


def test_an_entry_that_changes_all_the_time_is_shown_as_it_is_at_last(store: StoreIndex) -> None:
    asked = 0

    def question(index: EntryIndex, load: Load) -> list[str]:
        nonlocal asked
        asked += 1
        put(store.root / STORE, entry("one", title=f"Retry {asked}"))
        return retry(index, load)

    found = store.ask(question)
    assert set(found) == {f"Retry {asked}", "Retry policy"}
    assert store.ask(retry) == again(store).ask(retry)


def test_a_pending_transaction_is_seen_whole_and_once_it_is_gone_not_at_all(store: StoreIndex) -> None:
    steps = (Step("one.md", None, None), Step("three.md", None, format_entry(entry("three", title="Retry three"))))
    Journal(store.state).decide(Record(steps))
    for asked in (store, again(store)):
        assert sorted(asked.ask(retry)) == ["Retry policy", "Retry three"]
    Journal(store.state).finish()
    for asked in (store, again(store)):
        assert sorted(asked.ask(retry)) == ["Retry", "Retry policy"]


def test_a_transaction_that_ends_while_a_question_is_put_makes_it_be_put_again(store: StoreIndex) -> None:
    asked = 0

    def question(index: EntryIndex, load: Load) -> list[str]:
        nonlocal asked
        asked += 1
        found = sorted(retry(index, load))
        if asked == 1:
            change(store)
            Journal(store.state).finish()
        return found

    assert store.ask(question) == ["Retry never", "Retry policy"]
    assert asked == 2


# What may not be kept


def test_while_somebody_writes_no_index_is_put_in_place_and_the_answer_is_right(store: StoreIndex) -> None:
    with writer_lock(store.state / "lock", 0):
        assert store.ask(ids) == ["one", "two"]
        assert not (store.state / INDEX).exists()
        assert store.look() is IndexState.MISSING
    assert again(store).ask(ids) == ["one", "two"]
    assert store.look() is IndexState.CURRENT


def test_an_index_that_is_older_than_a_transaction_is_not_put_in_place(store: StoreIndex) -> None:
    seen: list[bool] = []

    def meanwhile(what: str, done: int = 0, total: int = 0) -> None:
        if not seen:
            forget(store)

    def question(index: EntryIndex, load: Load) -> list[str]:
        seen.append((store.state / INDEX).exists())
        return retry(index, load)

    store.keeper.progress = meanwhile
    assert store.ask(question) == ["Retry policy"]
    assert seen[0] is False
    assert file_of(store, "one").exists()
    assert again(store).ask(retry) == ["Retry policy"]


def test_to_ask_and_to_look_leaves_the_store_as_it_is(store: StoreIndex) -> None:
    before = listing(store.root / ".klide")
    store.look()
    store.ask(ids)
    store.renew()
    assert listing(store.root / ".klide") == before
    assert set(listing(store.state)) == {"lock", INDEX}


def test_what_is_made_anew_answers_as_before(store: StoreIndex) -> None:
    before = store.ask(retry)
    assert store.renew().postings.documents == 2
    assert store.ask(retry) == before == again(store).ask(retry)
