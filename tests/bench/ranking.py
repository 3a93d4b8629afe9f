"""`make eval`: how well search puts the right entry first, beside other rankings, on queries whose answer is known.

A directory holds sets: `NAME.entries.jsonl` (id, title, text), `NAME.queries*.jsonl` (query, gold, exclude, cls). The
scores are the shares of queries that have a right entry among the first 1, 5, 10, and the mean of one over its place;
what `exclude` names is taken out first. Where `cls` begins with "title" the query is a title, and the entries are
searched without theirs. Of equal scores the first entry wins, but in git mem, which has an order of its own. Times are
of the first ten in process, the index made and some other queries asked before.

    PYTHONPATH=tests python -m bench.ranking DIRECTORY
"""

import json
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from gitmem.entry.model import Entry
from gitmem.search.analysis import Analyser
from gitmem.search.keep import index_of
from gitmem.search.narrow import Filters
from gitmem.search.query import parse_query
from gitmem.search.rank import Ranked, Ranking
from gitmem.search.suggest import suggestions
from gitmem.search.terms import Match

DEPTHS: Final = (1, 5, 10)
_SHOWN: Final = max(DEPTHS)
_WARMING: Final = 20  # queries that are asked before the clock runs
_DATE: Final = "2026-01-01T00:00:00Z"
_UNDERLINE: Final = re.compile(r"[=-]{3,}\s*")

Search: TypeAlias = Callable[[str], Iterator[str]]
"""Yields the ids of what a query finds, best first."""


class Record(NamedTuple):
    """What is searched: an entry of a set."""

    id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """All that the record says."""
        return f"{self.title}\n{self.text}"


class Question(NamedTuple):
    """A query, the ids that answer it, the ids that do not count, and what sort of query it is."""

    text: str
    gold: frozenset[str]
    exclude: frozenset[str]
    sort: str

    @property
    def is_title(self) -> bool:
        """Whether the query is the title of its answer."""
        return self.sort == "title"


class Outcome(NamedTuple):
    """At which place a question's answer stood, 0 for nowhere, and how long the first ten took in seconds."""

    question: Question
    place: int
    seconds: float


class Figures(NamedTuple):
    """What many outcomes come to: shares of the questions in per cent, and milliseconds a query."""

    at: tuple[float, ...]
    mrr: float
    milliseconds: float


class Collected(NamedTuple):
    """A set of records and the questions about them."""

    name: str
    records: tuple[Record, ...]
    questions: tuple[Question, ...]


def read_sets(directory: Path) -> list[Collected]:
    """Return the sets of a directory, by name."""
    return [_read_set(directory, path) for path in sorted(directory.glob("*.entries.jsonl"))]


def _read_set(directory: Path, entries: Path) -> Collected:
    name = entries.name.removesuffix(".entries.jsonl")
    records = tuple(Record(row["id"], row["title"], row["text"]) for row in _rows(entries))
    paths = sorted(directory.glob(f"{name}.queries*.jsonl"))
    return Collected(name, records, tuple(_question(row) for path in paths for row in _rows(path)))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _question(row: dict[str, Any]) -> Question:
    exclude = row.get("exclude")
    sort = "title" if row["cls"].startswith("title") else row["cls"].split(" ")[0]
    return Question(row["query"], frozenset(row["gold"]), frozenset([exclude] if exclude else ()), sort)


def untitled(record: Record) -> Record:
    """Return a record without its title: the lines of its text that repeat it, and its first heading, go too."""
    kept: list[str] = []
    headed = False
    for number, line in enumerate(record.text.split("\n")):
        if not headed and line.startswith("#"):
            headed = True
        elif line.strip("#=* ").lower() != record.title.lower() and not (
            headed and number < 5 and _UNDERLINE.fullmatch(line)
        ):
            kept.append(line)
    return Record(record.id, "", "\n".join(kept))


def git_mem(records: Sequence[Record]) -> Search:
    """Search as `git mem search` does: what is named, what has every term, then the nearest."""
    entries = [Entry(id=one.id, title=one.title, notes=one.text, date=_DATE) for one in records]
    index = index_of(entries, Analyser())
    return lambda text: (found.known.id for found in _ranked(Ranking(index, parse_query([text]), Filters())))


def _ranked(ranking: Ranking) -> Iterator[Ranked]:
    hits = chain(ranking.exact(), ranking.all())
    shown = list(islice(hits, _SHOWN))
    yield from chain(shown, hits)
    # Near spellings are looked for where no entry has every term.
    complete = any(found.match is Match.ALL for found in shown)
    near = () if complete else suggestions(ranking.index.postings, ranking.unknown_terms, ranking.admission.inactive)
    yield from ranking.partial(near)


def fts5(records: Sequence[Record]) -> Search:
    """Search with SQLite's FTS5: any of the words will do, `bm25()` orders."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE records USING fts5(content, tokenize = 'unicode61')")
    rows = ((number, one.whole) for number, one in enumerate(records))
    connection.executemany("INSERT INTO records (rowid, content) VALUES (?, ?)", rows)

    def search(text: str) -> Iterator[str]:
        words = dict.fromkeys(re.findall(r"\w+", text.lower()))
        asked = " OR ".join(f'"{word}"' for word in words)
        found = connection.execute(
            "SELECT rowid FROM records WHERE records MATCH ? ORDER BY round(bm25(records), 9), rowid", (asked,)
        )
        return (records[number].id for (number,) in found)

    return search


def bm25s(records: Sequence[Record]) -> Search:
    """Search with the package bm25s as it comes, with English stems and without English stop words."""
    import bm25s as library
    from Stemmer import Stemmer

    def words(texts: list[str]) -> list[list[str]]:
        cut: list[list[str]] = library.tokenize(
            texts, stopwords="en", stemmer=Stemmer("english"), return_ids=False, show_progress=False
        )
        return cut

    index = library.BM25()
    index.index(words([one.whole for one in records]), show_progress=False)

    def search(text: str) -> Iterator[str]:
        (asked,) = words([text])
        if not asked:
            return iter(())
        scores = index.get_scores(asked)
        return (records[number].id for number in (-scores).argsort(kind="stable") if scores[number] > 0)

    return search


RANKINGS: Final = MappingProxyType({"git mem": git_mem, "FTS5, OR": fts5, "bm25s, stems": bm25s})


def ask(collected: Collected, make: Callable[[Sequence[Record]], Search]) -> list[Outcome]:
    """Put all questions of a set to a ranking."""
    titles = [question for question in collected.questions if question.is_title]
    others = [question for question in collected.questions if not question.is_title]
    outcomes = _ask(make(collected.records), others) if others else []
    return outcomes + (_ask(make([untitled(one) for one in collected.records]), titles) if titles else [])


def _ask(search: Search, questions: Sequence[Question]) -> list[Outcome]:
    for question in questions[:_WARMING]:
        list(search(" ".join(reversed(question.text.split()))))
    return [outcome(search, question) for question in questions]


def outcome(search: Search, question: Question) -> Outcome:
    """Put one question to a ranking."""
    began = time.perf_counter()
    found = search(question.text)
    first = list(islice(found, _SHOWN + len(question.exclude)))
    seconds = time.perf_counter() - began
    counted = (ident for ident in chain(first, found) if ident not in question.exclude)
    place = next((number for number, ident in enumerate(counted, 1) if ident in question.gold), 0)
    return Outcome(question, place, seconds)


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """Return what the outcomes come to; there must be some."""
    return Figures(
        tuple(100 * fmean(0 < one.place <= depth for one in outcomes) for depth in DEPTHS),
        100 * fmean(1 / one.place if one.place else 0.0 for one in outcomes),
        1000 * fmean(one.seconds for one in outcomes),
    )


def groups(questions: Iterable[Question]) -> dict[str, frozenset[str]]:
    """Return how questions are told apart: all but titles, titles, and each sort by itself unless that is the same."""
    sorts = frozenset(question.sort for question in questions)
    references = sorts - {"title"}
    single = {sort: frozenset([sort]) for sort in sorted(references)} if len(references) > 1 else {}
    together = {"all but titles": references, "title": sorts & {"title"}}
    return {name: group for name, group in (together | single).items() if group}


def table(sets: Iterable[Collected]) -> str:
    """Return what all rankings come to on all sets as a Markdown table."""
    lines = ["| set | queries | ranking | R@1 | R@5 | R@10 | MRR | ms |", "|---|---|---|---|---|---|---|---|"]
    for collected in sets:
        outcomes = {name: ask(collected, make) for name, make in RANKINGS.items()}
        for group, sorts in groups(collected.questions).items():
            for name, answered in outcomes.items():
                counted = [one for one in answered if one.question.sort in sorts]
                lines.append(f"| {collected.name} | {group} ({len(counted)}) | {name} | {_cells(figures(counted))} |")
    return "\n".join(lines)


def _cells(reached: Figures) -> str:
    shares = [f"{share:.1f}" for share in (*reached.at, reached.mrr)]
    return " | ".join([*shares, f"{reached.milliseconds:.2f}"])


def main() -> None:
    """Score the sets of a directory, and print the table."""
    sets = read_sets(Path(sys.argv[1]))
    if not sets:
        sys.exit(f"no *.entries.jsonl in {sys.argv[1]}")
    sys.stdout.write(table(sets) + "\n")


if __name__ == "__main__":
    main()
