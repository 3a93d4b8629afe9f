"""How well a document answers a query: BM25 over stems and over titles, then neighbours and parts of words.

For a query's distinct stems t, stop words left out (unless there are only such),

    first(d) = sum of idf(t) f / (f + k (1 - b + b length(d) / average)) (k + 1),  over everything that d says, and the
               same again over its title, aliases and tags, each with idf, length and average of its own

with idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)), N documents of which n have t (Robertson and Zaragoza, "The
Probabilistic Relevance Framework: BM25 and Beyond", 2009). Of the best documents by that the score is

    first(d) + 0.6 pairs(d) + 0.2 grams(d) + 0.3 fields(d)

`pairs` is BM25 over two of the query's words that are neighbours, weighted with the sum of their idf; `grams` over
pieces of four characters of its words, borders included, each weighted with the greatest idf of a word that has it, so
that inflected and misspelt words count a little; `fields` prefers what stands in the more telling field. Neither asks
for statistics of pairs or pieces. Sums run in the order of the query, so equal documents have equal scores to the bit.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Final, NamedTuple, TypeVar

from gitmem.search.analysis import (
    GAP,
    STOP_WORDS,
    Document,
    Value,
    found_keys,
    grams_of,
    telling_keys,
    value_of,
    word_keys,
)
from gitmem.search.postings import COUNT_SHIFT, COUNTS, MOST_TITLED, PLACE_SHIFT, Numbers, Postings

Found = TypeVar("Found")

_K: Final = 1.2
_B: Final = 0.75
_B_TITLE: Final = 0.3
_PAIRS: Final = 0.6
_GRAMS: Final = 0.2
_FIELDS: Final = 0.3


@dataclass(frozen=True, slots=True)
class Parts:
    """What a score consists of."""

    first: float
    pairs: float
    grams: float
    fields: float

    @property
    def counted(self) -> tuple[float, float, float, float]:
        """The parts as they count."""
        return self.first, _PAIRS * self.pairs, _GRAMS * self.grams, _FIELDS * self.fields

    @property
    def total(self) -> float:
        """The score, rounded, so that what makes no difference decides nothing."""
        return round(sum(self.counted), 4)


NO_PARTS: Final = Parts(0.0, 0.0, 0.0, 0.0)
"""The score of what no word of a query was asked for."""


@dataclass(frozen=True, slots=True)
class Sought:
    """One stem of the query: the keys that have it, and how telling it is."""

    stem: str
    keys: tuple[str, ...]
    documents: int
    idf: float


class _Seen(NamedTuple):
    """What a word of a document means to the query: one of its stems or none, and the pieces that they share."""

    stem: str
    grams: tuple[str, ...]


_UNRELATED: Final = _Seen("", ())


class Scorer:
    """Scores the documents for one query. `weights` says by its character what a field counts, the most telling 1."""

    def __init__(self, postings: Postings, text: str, weights: Mapping[str, float]) -> None:
        self._postings = postings
        self._weights = weights
        value = value_of("", postings.analyser.fragments(text))
        keys = list(dict.fromkeys(telling_keys(value) or found_keys(value)))
        stems = dict(zip(keys, postings.analyser.stems(keys), strict=True))
        self._counts: dict[str, dict[int, int]] = {}
        self._documents: dict[str, set[int]] = {}
        self._term_stems: dict[str, list[str]] = {}
        self.sought = {stem: self._seek(stem) for stem in dict.fromkeys(stems.values())}
        self._stem_of = {key: stem for stem, sought in self.sought.items() for key in sought.keys}
        self._pairs = self._pair_weights([stems.get(word_keys(word)[0], "") for word in value.words if _tells(word)])
        self._grams = self._gram_weights(stems)
        self._any_gram = frozenset(self._grams)
        self._seen: dict[str, _Seen | None] = {GAP: None}

    def _seek(self, stem: str) -> Sought:
        keys = self._postings.with_stem(stem)
        counts = self._counts[stem] = _merged([self._postings.blocks(key) for key in keys])
        return Sought(stem, keys, len(counts), _idf(self._postings.documents, len(counts)))

    def _pair_weights(self, stems: Sequence[str]) -> dict[tuple[str, str], float]:
        return {
            (one, other): self.sought[one].idf + self.sought[other].idf
            for one, other in pairwise(stems)
            if one and other
        }

    def _gram_weights(self, stems: Mapping[str, str]) -> dict[str, float]:
        weights: dict[str, float] = {}
        for key, stem in stems.items():
            for gram in grams_of(key):
                weights[gram] = max(weights.get(gram, 0.0), self.sought[stem].idf)
        return weights

    def first(self) -> dict[int, float]:
        """Return the documents that have any of the stems, with the score of the first stage."""
        scores: dict[int, float] = {}
        whole, titles = self._postings.lengths
        base, slope = _normal(_B, self._postings.whole.average)
        title_base, title_slope = _normal(_B_TITLE, self._postings.titles.average)
        for stem, counts in self._counts.items():
            weight = self.sought[stem].idf * (_K + 1)
            in_titles = sum([1 for count in counts.values() if count & MOST_TITLED])
            title_weight = _idf(self._postings.documents, in_titles) * (_K + 1)
            for document, count in counts.items():
                times = count >> COUNT_SHIFT
                score = weight * times / (times + base + slope * whole[document])
                titled = count & MOST_TITLED
                if titled:
                    score += title_weight * titled / (titled + title_base + title_slope * titles[document])
                scores[document] = scores.get(document, 0.0) + score
        return scores

    def stems_of(self, term: str) -> list[str]:
        """Return the stems of one of the query's terms."""
        known = self._term_stems.get(term)
        if known is None:
            value = value_of("", self._postings.analyser.fragments(term))
            known = self._term_stems[term] = self._postings.analyser.stems(telling_keys(value) or found_keys(value))
        return known

    def adopt(self, term: str, keys: Sequence[str]) -> None:
        """Let other keys stand in, at half the weight, for what a term asks for and no document has."""
        for stem in self.stems_of(term):
            if stem in self.sought and not self.sought[stem].documents:
                counts = _merged([self._postings.blocks(key) for key in keys])
                self._counts[stem] = counts
                self.sought[stem] = Sought(stem, tuple(keys), len(counts), self._idf(len(counts)) / 2)
                self._stem_of.update(dict.fromkeys(keys, stem))
        self._seen = {GAP: None}

    def has_parts(self, term: str, document: int) -> bool:
        """Whether a document has every part of one of the query's terms, in some form, wherever they stand."""
        value = value_of("", self._postings.analyser.fragments(term))
        stems = self._postings.analyser.stems([word_keys(word)[0] for word in value.words if _tells(word)])
        return bool(stems) and all(document in self._counts.get(stem, ()) for stem in stems)

    def forms(self, term: str, document: int) -> tuple[str, ...]:
        """Return the words of a document that have a stem of one of the query's terms, or of a part of it."""
        stems = [stem for stem in self.stems_of(term) if document in self._counts.get(stem, ())]
        keys = [key for stem in stems for key in self.sought[stem].keys]
        return tuple(key for key in dict.fromkeys(keys) if document in self._having(key))

    def _having(self, key: str) -> set[int]:
        known = self._documents.get(key)
        if known is None:
            known = self._documents[key] = self._postings.having(key)
        return known

    def _idf(self, having: int) -> float:
        return _idf(self._postings.documents, having)

    def parts(self, number: int, document: Document, first: float) -> Parts:
        """Return the whole score of a document, part by part; `first` is its score of the first stage."""
        base, slope = _normal(_B, self._postings.whole.average)
        norm = base + slope * self._postings.lengths[0][number]
        counted = _Counted()
        for value in document.values:
            self._count(value, counted)
        best = sorted(counted.fields.items())
        return Parts(
            first,
            _saturated(self._pairs, counted.pairs, norm),
            _saturated(self._grams, counted.grams, norm),
            sum(self.sought[stem].idf * weight for stem, weight in best),
        )

    def _count(self, value: Value, counted: "_Counted") -> None:
        weight = self._weights.get(value.field, 0.0)
        before = ""
        for word in value.words:
            seen = self._seen[word] if word in self._seen else self._look(word)
            if seen is None:
                continue
            if seen.stem:
                counted.fields[seen.stem] = max(counted.fields.get(seen.stem, 0.0), weight)
                if (before, seen.stem) in self._pairs:
                    counted.pairs[before, seen.stem] += 1
            before = seen.stem
            for gram in seen.grams:
                counted.grams[gram] += 1

    def _look(self, word: str) -> _Seen | None:
        """Return what a word means, None if it tells nothing."""
        if word in STOP_WORDS:
            seen = None
        else:
            key, pieces = self._postings.analyser.pieces(word)
            stem = self._stem_of.get(key, "")
            if not pieces.isdisjoint(self._any_gram):
                seen = _Seen(stem, tuple(one for one in grams_of(key) if one in self._grams))
            else:
                seen = _Seen(stem, ()) if stem else _UNRELATED
        self._seen[word] = seen
        return seen


class _Counted:
    """What of the query stands in a document."""

    def __init__(self) -> None:
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.grams: Counter[str] = Counter()
        self.fields: dict[str, float] = {}


def _tells(word: str) -> bool:
    return bool(word) and word not in STOP_WORDS


def _idf(documents: int, having: int) -> float:
    return log(1 + (documents - having + 0.5) / (having + 0.5))


def _normal(b: float, average: float) -> tuple[float, float]:
    """Return the two numbers of the line that makes a length the denominator's part of BM25."""
    return _K * (1 - b), _K * b / average


def _saturated(weights: Mapping[Found, float], counts: Mapping[Found, int], norm: float) -> float:
    # In the order of the query, whatever the order in the document.
    found = ((weight, counts[one]) for one, weight in weights.items() if one in counts)
    return sum(weight * times * (_K + 1) / (times + norm) for weight, times in found)


def _merged(lists: Sequence[list[tuple[int, Numbers]]]) -> dict[int, int]:
    """Return how often any of some keys stands in each document, packed as in a posting without its place."""
    merged: dict[int, int] = {}
    for blocks in lists:
        found: dict[int, int] = {}
        for first, packed in blocks:
            found.update([(first + (one >> PLACE_SHIFT), one & COUNTS) for one in packed])
        if merged:
            for document, count in found.items():
                merged[document] = merged.get(document, 0) + count
        else:
            merged = found
    return merged
