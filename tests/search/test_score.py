"""The score is BM25 as anybody would compute it, and the same whatever happened to the index before."""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.model import Entry, SourceRef
from gitmem.search.analysis import Analyser
from gitmem.search.entries import EntryIndex, create, digest_of, update
from gitmem.search.keep import index_of
from gitmem.search.narrow import Filters
from gitmem.search.query import parse_query
from gitmem.search.rank import Ranking
from gitmem.search.score import NO_PARTS, Parts, Scorer
from gitmem.search.terms import Match
from gitmem.storage.db import in_memory

ANALYSER: Final = Analyser()
WEIGHTS: Final = {"t": 1.0, "n": 0.25}

STEMS: Final = {
    "retry": "retri",
    "retries": "retri",
    "retrying": "retri",
    "uploads": "upload",
    "cache": "cach",
    "cached": "cach",
}
STOPS: Final = frozenset({"the", "of"})


@dataclass(frozen=True, slots=True)
class Text:
    """A document of plain words: no identifiers, no accents, no punctuation."""

    title: str
    notes: str = ""


CORPUS: Final = (
    Text("retry upload", "the retry of upload cache"),
    Text("cache", "uploads retries retry walrus zebra walrus zebra walrus"),
    Text("walrus of the zebra", "retries uploads retries uploads"),
    Text("zebra", "cache"),
    Text("zebra"),
    Text("", "upload retry"),
    Text("the", "of"),
    Text("retrying cached", "wallrus"),
)


class Plain:
    """BM25 over a corpus of plain words, written down as the formula is."""

    def __init__(self, corpus: Sequence[Text]) -> None:
        self.titles = [telling(text.title) for text in corpus]
        self.wholes = [telling(text.title) + telling(text.notes) for text in corpus]

    def idf(self, stem: str, channel: Sequence[Sequence[str]]) -> float:
        having = sum(stem in words for words in channel)
        return math.log(1 + (len(channel) - having + 0.5) / (having + 0.5))

    def part(self, stem: str, place: int, channel: Sequence[Sequence[str]], b: float) -> float:
        return self.idf(stem, channel) * saturated(channel[place].count(stem), self.norm(place, channel, b))

    def norm(self, place: int, channel: Sequence[Sequence[str]], b: float) -> float:
        filled = [len(words) for words in channel if words]
        return 1.2 * (1 - b + b * len(channel[place]) / (sum(filled) / len(filled)))

    def first(self, place: int, query: str) -> float:
        stems = dict.fromkeys(telling(query))
        whole = sum(self.part(stem, place, self.wholes, 0.75) for stem in stems)
        return whole + sum(self.part(stem, place, self.titles, 0.3) for stem in stems)

    def pairs(self, place: int, text: Text, query: str) -> float:
        asked = dict.fromkeys(pairwise(telling(query)))
        there = Counter(pair for value in (text.title, text.notes) for pair in pairwise(telling(value)))
        norm = self.norm(place, self.wholes, 0.75)
        return sum(
            (self.idf(one, self.wholes) + self.idf(other, self.wholes)) * saturated(there[one, other], norm)
            for one, other in asked
        )

    def grams(self, place: int, text: Text, query: str) -> float:
        weights: dict[str, float] = {}
        for word in query.split():
            for gram in pieces(word) if word not in STOPS else ():
                weights[gram] = max(weights.get(gram, 0.0), self.idf(STEMS.get(word, word), self.wholes))
        there = Counter(
            gram for word in f"{text.title} {text.notes}".split() if word not in STOPS for gram in pieces(word)
        )
        norm = self.norm(place, self.wholes, 0.75)
        return sum(weight * saturated(there[gram], norm) for gram, weight in weights.items())

    def fields(self, text: Text, query: str) -> float:
        best = dict.fromkeys(telling(text.notes), WEIGHTS["n"]) | dict.fromkeys(telling(text.title), WEIGHTS["t"])
        return sum(self.idf(stem, self.wholes) * best.get(stem, 0.0) for stem in set(telling(query)))


def telling(text: str) -> list[str]:
    return [STEMS.get(word, word) for word in text.split() if word not in STOPS]


def pieces(word: str) -> list[str]:
    return [f" {word} "[start : start + 4] for start in range(len(word) - 1)]


def saturated(times: int, norm: float) -> float:
    return times * 2.2 / (times + norm)


def entries_of(corpus: Sequence[Text], name: str) -> list[Entry]:
    return [
        Entry(id=f"{name}-{place}", title=text.title, date="", notes=text.notes) for place, text in enumerate(corpus)
    ]


def index(corpus: Sequence[Text]) -> EntryIndex:
    return index_of(entries_of(corpus, "id"), ANALYSER)


def parts(corpus: Sequence[Text], query: str) -> dict[int, Parts]:
    """Return the score of each document that has anything of a query."""
    postings = index(corpus).postings
    scorer = Scorer(postings, query, WEIGHTS)
    return {place: scorer.parts(place, postings.document(place), score) for place, score in scorer.first().items()}


QUERIES: Final = (
    "retry",
    "retries upload",
    "upload retries",
    "the retry of uploads",
    "walrus zebra walrus zebra",
    "zebra zebra",
    "cache",
    "quux retry cache",
)


@pytest.mark.parametrize("query", QUERIES)
def test_the_score_is_that_of_the_formula(query: str) -> None:
    plain = Plain(CORPUS)
    found = parts(CORPUS, query)
    assert set(found) == {place for place, words in enumerate(plain.wholes) if {*words} & {*telling(query)}}
    for place, score in found.items():
        text = CORPUS[place]
        assert score.first == pytest.approx(plain.first(place, query), rel=1e-9)
        assert score.pairs == pytest.approx(plain.pairs(place, text, query), rel=1e-9)
        assert score.grams == pytest.approx(plain.grams(place, text, query), rel=1e-9)
        assert score.fields == pytest.approx(plain.fields(text, query), rel=1e-9)


def test_the_parts_add_up() -> None:
    assert Parts(1.0, 2.0, 4.0, 8.0).counted == pytest.approx((1.0, 1.2, 0.8, 2.4))
    assert Parts(1.0, 2.0, 4.0, 8.0).total == pytest.approx(5.4)
    assert Parts(0.00004, 0.0, 0.0, 0.0).total == 0.0
    assert NO_PARTS.total == 0.0


def test_neighbours_and_other_forms_count() -> None:
    corpus = [Text("", "retry upload one two"), Text("", "retry one upload two"), Text("", "two upload one retry")]
    beside, apart, turned = (parts(corpus, "retry uploads")[place] for place in range(3))
    assert beside.first == apart.first == turned.first
    assert beside.pairs > 0.0
    assert apart.pairs == turned.pairs == 0.0


def test_a_misspelt_word_counts_a_little_where_something_else_is_right() -> None:
    near, far = (parts([Text("", "zebra retry"), Text("", "zebra other")], "zebra retyr")[place] for place in range(2))
    assert near.grams > far.grams
    assert near.first == far.first


@pytest.mark.parametrize(
    ("query", "stems"),
    [
        ("the retries of", ["retri"]),
        ("the of", ["the", "of"]),
        ("retry retries RETRY", ["retri"]),
        ("maxRetries", ["max", "retri", "maxretri"]),
        ("réseau", ["reseau", "réseau"]),
        ("缓存", ["缓存"]),
        ("", []),
    ],
)
def test_a_query_is_ranked_by_its_stems(query: str, stems: list[str]) -> None:
    assert list(Scorer(index(CORPUS).postings, query, WEIGHTS).sought) == stems


def test_what_stands_nowhere_scores_nothing() -> None:
    assert parts(CORPUS, "quux") == {}
    assert parts(CORPUS, "") == {}
    assert parts([], "quux") == {}
    assert parts([Text("", "")], "quux") == {}


def test_the_documents_of_a_stem_are_those_of_all_its_forms() -> None:
    scorer = Scorer(index(CORPUS).postings, "retrying maxRetry", WEIGHTS)
    assert scorer.sought["retri"].keys == ("retries", "retry", "retrying")
    assert scorer.sought["retri"].documents == 5
    assert [bool(scorer.forms("retrying", place)) for place in range(8)] == [True] * 3 + [False] * 2 + [
        True,
        False,
        True,
    ]
    assert not scorer.has_parts("maxRetry", 0)
    assert not scorer.has_parts("...", 0)


WORDS: Final = st.lists(
    st.sampled_from(["retry", "retries", "upload", "walrus", "zebra", "the", "max_retries", "失效", "réseau"])
)
TEXTS: Final = st.builds(Text, WORDS.map(" ".join), WORDS.map(" ".join))


@given(st.lists(TEXTS, min_size=1, max_size=5), WORDS.map(" ".join), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_equal_documents_have_equal_scores(corpus: list[Text], query: str, dice: random.Random) -> None:
    twice = dice.sample([*corpus, *corpus], 2 * len(corpus))
    scores: dict[Text, set[Parts | None]] = {}
    found = parts(twice, query)
    for place, text in enumerate(twice):
        scores.setdefault(text, set()).add(found.get(place))
    assert all(len(different) == 1 for different in scores.values())


def placed(found: Ranking) -> list[tuple[str, Match, Parts]]:
    return [(one.known.id, one.match, one.parts) for one in (*found.exact(), *found.all(), *found.partial())]


def after(story: Sequence[Sequence[Entry]], gone: Sequence[str]) -> EntryIndex:
    """Return an index to which some entries came after others, and from which some went at last."""
    connection = in_memory()
    create(connection)
    for chapter in story:
        update(connection, ANALYSER, ((entry, digest_of(entry, b"")) for entry in chapter), ())
    update(connection, ANALYSER, (), gone)
    return EntryIndex(connection, ANALYSER)


@given(
    st.lists(TEXTS, min_size=1, max_size=5),
    st.lists(TEXTS, max_size=4),
    WORDS.map(" ".join),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60)
def test_scores_do_not_depend_on_the_history_of_the_index(
    corpus: list[Text], others: list[Text], asked: str, dice: random.Random
) -> None:
    entries, passing = entries_of(corpus, "id"), entries_of(others, "other")
    changed = [
        replace(entry, title=entry.notes, notes="zebra quux") for entry in dice.sample(entries, len(corpus) // 2)
    ]
    mixed = dice.sample([*entries, *passing], len(entries) + len(passing))
    old = after([[*changed, *passing[:2]], mixed[:3], mixed[3:]], [entry.id for entry in passing])
    new = index_of(entries, ANALYSER)
    assert placed(Ranking(old, parse_query([asked]), Filters())) == placed(
        Ranking(new, parse_query([asked]), Filters())
    )


def in_field(name: str, word: str) -> Entry:
    """Return an entry that says the same as any other, but for one word in one field."""
    words: Mapping[str, str] = {field: f"filler{field}" for field in FIELDS} | {name: word}
    return Entry(
        id=f"in-{name}",
        title=f"A {words['title']}",
        date="",
        aliases=(f"A {words['aliases']}",),
        goal=words["goal"],
        decisions=(words["decisions"],),
        tags=(f"A {words['tags']}",),
        files_touched=(f"src/{words['paths']}.py",),
        source_refs=(SourceRef(source_type="transcript", id=words["refs"]),),
        run_id=words["run"],
        notes=words["notes"],
    )


FIELDS: Final = ("title", "aliases", "goal", "decisions", "tags", "paths", "refs", "run", "notes")


def by_field(copies: int) -> dict[str, float]:
    """Return the score of each field's entry in a store with other entries."""
    entries = [in_field(name, "gateway") for name in FIELDS]
    others = [replace(in_field("title", "other"), id=f"other-{copy}") for copy in range(copies)]
    found = Ranking(index_of([*entries, *others], ANALYSER), parse_query(["gateway"]), Filters())
    return {one.known.id.removeprefix("in-"): one.score for one in found.all()}


@pytest.mark.parametrize("copies", [0, 9, 90])
def test_of_equal_entries_the_more_telling_field_decides(copies: int) -> None:
    scores = by_field(copies)
    order = sorted(scores, key=lambda name: -scores[name])
    assert [name for name in order if name not in {"tags", "refs", "run"}] == [
        "title",
        "aliases",
        "goal",
        "decisions",
        "paths",
        "notes",
    ]
    assert scores["paths"] > scores["refs"] == scores["run"] > scores["notes"]
    # Tags are searched with the titles, too.
    assert scores["aliases"] > scores["tags"] > scores["paths"]
