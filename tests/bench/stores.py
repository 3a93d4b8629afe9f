"""Generated stores of any size, and queries over them, that search is measured on: the same ones in every run.

The words follow Zipf's law: a few hundred ordinary English ones make up half of the text, the rest is made of syllables
with English endings, with identifiers and paths among it.

    PYTHONPATH=tests python -m bench.stores DIRECTORY NUMBER
"""

import random
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple

from gitmem.entry.format import format_entry
from gitmem.entry.model import Entry, Kind, ReviewState
from gitmem.entry.rules import SUFFIX, new_id

WORDS: Final = 40_000
"""How many words there are, identifiers included."""


def _listed(words: str) -> tuple[str, ...]:
    return tuple(re.findall("[a-z]+", words))


_IDENTIFIERS, _PATHS, _TAGS = 3_000, 2_000, 120
_FIRST: Final = datetime(2024, 9, 1, tzinfo=UTC)
_MINUTES: Final = 2 * 365 * 24 * 60
_SUPERSEDED: Final = 0.03

_GLUE: Final = _listed(
    """
    the of to and a in is it that for on with as was not be by this are from at or which when we an but have has if no
    one all so its after before only than can does because into must then there their what use used will each been out
    would they now first where how while set other more file files line test tests run runs time still new same old
    read write error code path call calls change changes through between without name default value two list until
    commit branch check option server client request response cache key keys index make made fails failed need needs
    never always keep kept over instead both again also since may should could any were had did do too very own back
    up down off per via see like once even most some such those these them our your you i he she about under against
    build release version configuration database query table user token session thread lock retry timeout queue worker
    event handler parser module package import export function method class object type field string number byte bytes
    memory disk network host port socket stream buffer log logs metric trace span hook plugin command flag argument
    """
)
_ONSETS: Final = _listed("b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sc sh sp st str t th tr v w")
_CONSONANTS: Final = _listed("b c d f g l m n p r s t v")
_VOWELS: Final = _listed("a e i o u a e i o u ai ea ee oa ou")
_CODAS: Final = ("", "", "", *_listed("ck d l m n nd nt p r rt s st t x"))
_ENDINGS: Final = ("", "", "", "", *_listed("s s ed ed ing ing er ers ly ion ions ment able ness al ity ize ized"))
_SUFFIXES: Final = ("py", "py", "ts", "go", "rs", "md", "toml")
_LENGTHS: Final = (22, 20, 16, 12, 8, 6, 5, 4, 3, 2, 1, 1)
"""How often queries have one word, two words, and so on up to twelve."""


class Vocabulary(NamedTuple):
    """The words from the most frequent to the rarest, the sums of their weights, and what is drawn by other rules."""

    words: Sequence[str]
    sums: Sequence[float]
    identifiers: Sequence[str]
    paths: Sequence[str]
    tags: Sequence[str]

    def text(self, dice: random.Random, number: int) -> list[str]:
        """Return so many words as they follow one another in a text."""
        return dice.choices(self.words, cum_weights=self.sums, k=number)


def vocabulary() -> Vocabulary:
    """Return the words of all generated stores."""
    dice = random.Random(7)
    words = _made_words(dice, WORDS - len(_GLUE) - _IDENTIFIERS)
    common = words[:1000]
    identifiers: dict[str, None] = {}
    while len(identifiers) < _IDENTIFIERS:
        identifiers[_identifier(dice, common)] = None
    for identifier in identifiers:
        words.insert(dice.randrange(len(words)), identifier)
    words = [*_GLUE, *words]
    sums = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    paths = [_path(dice, common) for _ in range(_PATHS)]
    return Vocabulary(words, sums, list(identifiers), paths, dice.sample(common, _TAGS))


def write_store(directory: Path, number: int, seed: int = 0) -> None:
    """Write so many entries as `git mem add` would have written them over two years, a few of them superseded."""
    dice = random.Random(seed)
    words = vocabulary()
    replaces = _successions(dice, number)
    replaced = set(replaces.values())
    directory.mkdir(parents=True, exist_ok=True)
    ids: list[str] = []
    taken: set[str] = set()
    for place in range(number):
        entry = _entry(dice, words, _date(dice, place, number), taken)
        state = ReviewState.SUPERSEDED if place in replaced else ReviewState.REVIEWED
        old = ids[replaces[place]] if place in replaces else None
        data = format_entry(replace(entry, review_state=state, supersedes=old))
        (directory / (entry.id + SUFFIX)).write_bytes(data)
        ids.append(entry.id)
        taken.add(entry.id)


def queries(number: int, seed: int = 0) -> list[str]:
    """Return so many queries of one to twelve words, common and rare ones, with identifiers and paths among them."""
    dice = random.Random(1_000_003 + seed)
    words = vocabulary()
    lengths = dice.choices(range(1, len(_LENGTHS) + 1), weights=_LENGTHS, k=number)
    return [" ".join(_asked(dice, words) for _ in range(length)) for length in lengths]


def _asked(dice: random.Random, words: Vocabulary) -> str:
    chance = dice.random()
    if chance < 0.35:
        return words.text(dice, 1)[0]
    if chance < 0.75:
        return words.words[len(_GLUE) + int(4000 * dice.random() ** 3)]  # what a project talks about
    if chance < 0.90:
        return dice.choice(words.words)
    return dice.choice(words.identifiers if chance < 0.97 else words.paths)


def _made_words(dice: random.Random, number: int) -> list[str]:
    """Return so many words, short ones mostly first, as in any language."""
    made: dict[str, None] = {}
    while len(made) < number:
        stem = _syllable(dice, _ONSETS)
        for _ in range(dice.choice((0, 1, 1, 1, 2))):
            stem += _syllable(dice, _CONSONANTS)
        word = stem + dice.choice(_ENDINGS)
        if len(word) > 3 and word not in _GLUE:
            made[word] = None
    return sorted(made, key=lambda word: len(word) + 6 * dice.random())


def _syllable(dice: random.Random, onsets: Sequence[str]) -> str:
    return dice.choice(onsets) + dice.choice(_VOWELS) + dice.choice(_CODAS)


def _identifier(dice: random.Random, common: Sequence[str]) -> str:
    parts = [dice.choice(_GLUE[100:] if dice.random() < 0.5 else common) for _ in range(dice.choice((2, 2, 3)))]
    style = dice.randrange(4)
    if style < 2:
        return "_".join(parts)
    pascal = "".join(part.capitalize() for part in parts)
    return pascal if style == 2 else parts[0] + pascal[len(parts[0]) :]


def _path(dice: random.Random, common: Sequence[str]) -> str:
    folders = [dice.choice(common[:40]) for _ in range(dice.randrange(1, 4))]
    name = "_".join(dice.sample(common, dice.choice((1, 1, 2))))
    return "/".join(["src", *folders, f"{name}.{dice.choice(_SUFFIXES)}"])


def _successions(dice: random.Random, number: int) -> dict[int, int]:
    """Return which entry replaces which, by their places: always an earlier one, and none twice."""
    old_ones = dice.sample(range(max(number - 1, 0)), int(number * _SUPERSEDED))
    return {dice.randrange(old + 1, number): old for old in old_ones}


def _date(dice: random.Random, place: int, number: int) -> datetime:
    step = _MINUTES * 60 / number
    return _FIRST + timedelta(seconds=int((place + 0.9 * dice.random()) * step))


def _entry(dice: random.Random, words: Vocabulary, moment: datetime, taken: set[str]) -> Entry:
    date = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    size = dice.randint(60, 150)
    title = " ".join(words.text(dice, dice.randint(4, 9)))
    title = title[0].upper() + title[1:]
    goal = dice.randint(6, 14) if dice.random() < 0.6 else 0
    decisions = [dice.randint(6, 16) for _ in range(dice.choice((0, 1, 1, 2)))]
    notes = max(size - title.count(" ") - 1 - goal - sum(decisions), 12)
    files = dice.sample(words.paths, dice.choice((0, 0, 1, 1, 2, 3)))
    return Entry(
        id=new_id(date, title, taken),
        title=title,
        date=date,
        kind=dice.choice(list(Kind)),
        tags=tuple(dice.sample(words.tags, dice.randrange(5))),
        goal=_sentence(words.text(dice, goal)),
        decisions=tuple(_sentence(words.text(dice, length)) for length in decisions),
        files_touched=tuple(files),
        notes=_prose(dice, words, notes),
    )


def _sentence(words: Sequence[str]) -> str:
    text = " ".join(words)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _prose(dice: random.Random, words: Vocabulary, number: int) -> str:
    """Return so many words as sentences in paragraphs, now and then with a path in a code span."""
    drawn = words.text(dice, number)
    if dice.random() < 0.3:
        drawn[dice.randrange(number)] = f"`{dice.choice(words.paths)}`"
    text, start = "", 0
    while start < number:
        end = min(start + dice.randint(7, 18), number)
        between = "" if not text else "\n\n" if dice.random() < 0.2 else " "
        text += between + _sentence(drawn[start:end])
        start = end
    return text


if __name__ == "__main__":
    write_store(Path(sys.argv[1]), int(sys.argv[2]))
