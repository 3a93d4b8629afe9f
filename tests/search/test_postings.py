"""Postings that are changed by difference are those that are made anew, and nothing of what was removed stays."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.search.analysis import Analyser, Document
from gitmem.search.postings import BLOCK, FACET, SCHEMA, Channel, Posting, Postings, Writer
from gitmem.storage.db import Connection, Unpublished, in_memory, open_published

ANALYSER: Final = Analyser()
TITLES: Final = "t"


@dataclass(frozen=True)
class Text:
    """What is indexed of one document."""

    title: str
    notes: str = ""
    facets: tuple[str, ...] = ()

    @property
    def values(self) -> list[tuple[str, str]]:
        return [("t", self.title), ("n", self.notes)]


Texts = dict[str, Text]  # by a name that no document changes


@contextmanager
def database() -> Iterator[Connection]:
    connection = in_memory()
    connection.executescript(SCHEMA)
    try:
        yield connection
    finally:
        connection.close()


def add(writer: Writer, number: int, text: Text) -> None:
    writer.add(number, text.values, TITLES, text.facets)


def build(connection: Connection, texts: Mapping[int, Text]) -> Postings:
    writer = Writer(connection, ANALYSER)
    for number, text in texts.items():
        add(writer, number, text)
    writer.flush()
    return Postings(connection, ANALYSER)


def answers(postings: Postings, names: Mapping[int, str]) -> dict[str, Any]:
    """Return everything that can be asked, documents by their names: no number is part of an answer."""
    run = postings.connection.execute
    keys = sorted({key for (key,) in run("SELECT DISTINCT key FROM postings")})
    words = sorted(key for (key,) in run("SELECT key FROM words"))
    stems = sorted({*words, *ANALYSER.stems(words)})
    whole, titles = postings.lengths
    return {
        "postings": {key: named_postings(postings, key, names) for key in keys},
        "having": {key: sorted(names[number] for number in postings.having(key)) for key in keys},
        "words": words,
        "vocabulary": postings.vocabulary,
        "stems": {stem: postings.with_stem(stem) for stem in stems},
        "spellings": {key: postings.spellings(key) for key in words},
        "beginning": {start: postings.beginning(start) for start in ("", FACET, "a", "b", *keys[:5])},
        "statistics": (postings.documents, postings.whole, postings.titles),
        "lengths": {name: (whole[number], titles[number]) for number, name in sorted(names.items())},
        "documents": {name: postings.document(number) for number, name in names.items()},
        "elsewhere": (sum(whole), sum(titles)),
    }


def named_postings(postings: Postings, key: str, names: Mapping[int, str]) -> list[tuple[str, int, int]]:
    found = list(postings.postings(key))
    assert len({one.document for one in found}) == len(found)
    return sorted((names[one.document], one.times, one.titled) for one in found)


def assert_as_if_made_anew(postings: Postings, texts: Mapping[int, tuple[str, Text]]) -> None:
    """Assert that all answers are those of an index of the same texts in another order."""
    names = {number: name for number, (name, _) in texts.items()}
    ordered = sorted(texts.values(), key=lambda one: one[0], reverse=True)
    with database() as fresh:
        made = build(fresh, dict(enumerate(text for _, text in ordered)))
        assert answers(postings, names) == answers(made, dict(enumerate(name for name, _ in ordered)))


# What there is


def test_of_nothing_there_is_nothing() -> None:
    with database() as connection:
        postings = Postings(connection, ANALYSER)
        assert (postings.documents, postings.whole, postings.titles) == (0, Channel(0, 0), Channel(0, 0))
        assert postings.whole.average == 1.0
        assert (list(postings.postings("a")), postings.having("a"), postings.blocks("a")) == ([], set(), [])
        assert (postings.vocabulary, postings.with_stem("a"), postings.beginning("")) == ([], (), ())
        assert postings.spellings("a") == ()
        assert postings.document(0) == Document(())
        assert [len(one) for one in postings.lengths] == [0, 0]


def test_a_posting_says_how_often_a_key_stands_and_how_often_in_the_title() -> None:
    with database() as connection:
        postings = build(
            connection, {7: Text("retry retry", "retry Éclair", ("kind:fact",)), 9: Text("other", "retry")}
        )
        assert list(postings.postings("retry")) == [Posting(7, 3, 2), Posting(9, 1, 0)]
        assert list(postings.postings("eclair")) == list(postings.postings("éclair")) == [Posting(7, 1, 0)]
        assert list(postings.postings(FACET + "kind:fact")) == [Posting(7, 0, 0)]
        assert postings.spellings("eclair") == ("éclair",)
        assert (postings.documents, postings.titles) == (2, Channel(2, 3))


def test_counts_that_are_too_large_stay_in_their_places() -> None:
    with database() as connection:
        postings = build(connection, {0: Text("x", "deep"), BLOCK - 1: Text("deep " * 300, "deep " * 5000)})
        assert list(postings.postings("deep")) == [Posting(0, 1, 0), Posting(BLOCK - 1, 4095, 15)]
        assert list(postings.postings("x")) == [Posting(0, 1, 1)]


@pytest.mark.parametrize("order", [(0, 1, BLOCK), (1, BLOCK, 0)])
def test_postings_come_by_document_in_whatever_order_they_were_added(order: tuple[int, ...]) -> None:
    with database() as connection:
        postings = build(connection, {number: Text("same") for number in order})
        assert [one.document for one in postings.postings("same")] == [0, 1, BLOCK]


def test_words_of_one_stem_are_found_by_it_as_long_as_one_of_them_is_there() -> None:
    with database() as connection:
        texts = {0: Text("retries"), 1: Text("retrying"), 2: Text("retri")}
        build(connection, texts)
        for number, left in ((1, ("retri", "retries")), (2, ("retries",)), (0, ())):
            writer = Writer(connection, ANALYSER)
            writer.remove(number)
            writer.flush()
            assert Postings(connection, ANALYSER).with_stem("retri") == left


# Changed by difference

words = st.sampled_from(
    [
        *("retry", "retries", "retrying", "cafe", "café", "cafés", "the", "of", "naïve", "naive"),
        *("parseHTTPRequest", "max_retries", "src/a-b.py", "v1.2.3", "1.2.3", "0xff", "日本", "日本語", "本", "バス"),
        *(
            "ภาษาไทย",
            "x" * 90,
            "x" * 91,
            "d'été",
            "a´b",
            "№5",
            "ﬁne",
            "İstanbul",
            "STRASSE",
            "straße",
            "C++",
            "🙂",
            "can't",
        ),
    ]
)
sentences = st.lists(words, max_size=8).map(" ".join)
facets = st.lists(st.sampled_from(["kind:fact", "tag:a", "tag:b c", "below:"]), unique=True).map(tuple)
texts = st.builds(Text, sentences, sentences | st.text(max_size=30), facets)


class Changed:
    """Postings that are changed by difference, and what should be in them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.writer = Writer(connection, ANALYSER)
        self.there: dict[int, tuple[str, Text]] = {}
        self.touched: set[int] = set()
        self.named = 0

    def replace(self, number: int, text: Text | None) -> None:
        """Give a number another text, or none; a number comes once between two flushes."""
        if number in self.touched:
            self.flush()
        if number in self.there:
            self.writer.remove(number)
            del self.there[number]
        if text is not None:
            add(self.writer, number, text)
            self.named += 1
            self.there[number] = (f"{self.named:04}", text)
        self.touched.add(number)

    def flush(self) -> Postings:
        self.writer.flush()
        self.touched.clear()
        return Postings(self.connection, ANALYSER)


numbers = st.sampled_from([0, 1, 2, 3, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
changes = st.lists(st.tuples(numbers, st.none() | texts, st.booleans()), max_size=14)


@settings(max_examples=60)
@given(changes)
def test_changed_by_difference_is_made_anew(story: Sequence[tuple[int, Text | None, bool]]) -> None:
    with database() as connection:
        changed = Changed(connection)
        for number, text, flush in story:
            changed.replace(number, text)
            if flush:
                assert_as_if_made_anew(changed.flush(), changed.there)
        assert_as_if_made_anew(changed.flush(), changed.there)


@settings(max_examples=60)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_of_a_text_whatever_it_is_nothing_stays(contents: list[str]) -> None:
    with database() as connection:
        changed = Changed(connection)
        for number, content in enumerate(contents):
            changed.replace(number, Text(content, content[::-1], (" ".join(content.split("\n")),)))
        changed.flush()
        for number in range(len(contents)):
            changed.replace(number, None)
        assert_as_if_made_anew(changed.flush(), {})
        for table in ("postings", "words", "texts"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608  our own names


def some_texts(dice: random.Random) -> Iterator[Text]:
    """Yield texts of words that are the more common the shorter they are."""
    vocabulary = [f"w{number}" for number in range(60)]
    while True:
        chosen = [vocabulary[min(int(dice.expovariate(0.1)), 59)] for _ in range(4)]
        yield Text(chosen[0], " ".join(chosen[1:]), (f"tag:{chosen[0]}",))


def test_more_than_a_block_of_documents_is_changed_as_if_made_anew() -> None:
    dice = random.Random(3)
    made = some_texts(dice)
    with database() as connection:
        changed = Changed(connection)
        for number in range(BLOCK + 300):
            changed.replace(number, next(made))
        changed.flush()
        chosen = dice.sample(range(BLOCK + 300), 250)
        for number, text in zip(chosen, islice(made, 150), strict=False):
            changed.replace(number, text)
        for number in chosen[150:]:
            changed.replace(number, None)
        for number in range(BLOCK + 300, BLOCK + 330):
            changed.replace(number, next(made))
        assert_as_if_made_anew(changed.flush(), changed.there)


# What was removed


def unique(number: int) -> str:
    return f"q{random.Random(number).getrandbits(60):015x}z"


def text_of(number: int) -> Text:
    """Return a text with a word of its own in every place, of any length: short ones stand together on a page."""
    word = unique(number)
    filled = " ".join(f"common{place % 97}" for place in range(number * number % 1201))
    return Text(f"{word} title", f"{filled} {word}", (f"tag:{word}",))


def published(place: Path, gone: Iterable[int], new: Iterable[int]) -> bytes:
    """Bring a published index up to date, and return the bytes of its file."""
    old = open_published(place, 1)
    made = Unpublished(place, 1, old)
    if old is None:
        made.connection.executescript(SCHEMA)
    writer = Writer(made.connection, ANALYSER)
    for number in gone:
        writer.remove(number)
    for number in new:
        add(writer, number, text_of(number))
    writer.flush()
    made.compact()
    assert made.publish(lambda: nullcontext(enter_result=True))
    made.connection.close()
    return place.read_bytes()


@pytest.mark.parametrize("seed", [4, 6])
def test_of_what_was_removed_no_byte_stays_in_the_file(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    there: set[int] = set()
    for turn in range(6):
        gone = set(dice.sample(sorted(there), len(there) * turn // 7))
        new = range(turn * 60, (turn + 1) * 60)
        data = published(tmp_path / "index.sqlite", gone, dice.sample(new, len(new)))
        there = (there - gone) | set(new)
        assert {number for number in range((turn + 1) * 60) if unique(number).encode() in data} == there
