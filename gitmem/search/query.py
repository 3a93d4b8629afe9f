"""From the words of a query to its terms and conditions. Nothing else in a query is syntax."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gitmem.entry.model import Kind
from gitmem.errors import UsageError
from gitmem.search.analysis import STOP_WORDS
from gitmem.text.tokens import Term, read_term, words_of

QUERY_LIMIT: Final = 10_000

# Git takes no shorter abbreviation of an object id.
COMMIT_PREFIX_MINIMUM: Final = 4

_HEX: Final = frozenset("0123456789abcdef")


class VerdictName(StrEnum):
    """What `is:` may ask for."""

    CURRENT = "current"
    STALE = "stale"
    UNVERIFIED = "unverified"


KNOWN_VALUES: Final = {"kind": frozenset(map(str, Kind)), "is": frozenset(map(str, VerdictName))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What the prefixes of a query ask for. Of one prefix any value will do, each prefix must be met.

    `verdicts` is for the caller to apply: it takes the object database to know.
    """

    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    verdicts: tuple[VerdictName, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: its terms, each once, the text they came from, and the conditions of its prefixes."""

    text: str
    terms: tuple[Term, ...]
    conditions: Conditions

    @property
    def searchable(self) -> bool:
        """Whether the query asks for anything: False for one of white space and punctuation only."""
        return bool(self.terms) or self.conditions != Conditions()


def parse_query(words: Sequence[str]) -> Query:
    """Return the query that these words make, each cut at white space.

    A term that begins with `kind:`, `tag:`, `path:`, `file:`, `commit:`, `run:` or `is:` and goes on is a condition
    (CONTRACT section 6). An unknown kind or verdict, `commit:` with anything but four or more hex digits, and every
    other `x:y` make terms like any words.

    Raises UsageError for a text of more than 10,000 characters.
    """
    if sum(map(len, words)) > QUERY_LIMIT:
        raise UsageError(f"the query is longer than {QUERY_LIMIT:,} characters; search for a few of its words")
    conditions: dict[str, list[str]] = {}
    asked: list[str] = []
    for chunk in " ".join(words).split():
        prefix, value = _condition(chunk)
        if prefix:
            conditions.setdefault(prefix, []).append(value)
        else:
            asked.append(chunk)
    return Query(" ".join(asked), _terms(asked), _conditions(conditions))


def _condition(chunk: str) -> tuple[str, str]:
    """Return the prefix and its value, two empty strings for a chunk that is a term."""
    prefix, _, value = chunk.partition(":")
    value = value.strip('"')
    if not value or prefix not in {"kind", "tag", "path", "file", "commit", "run", "is"}:
        return "", ""
    known = KNOWN_VALUES.get(prefix)
    if (known is not None and value not in known) or (prefix == "commit" and not is_commit_prefix(value)):
        return "", ""
    return prefix, value


def is_commit_prefix(text: str) -> bool:
    """Whether the text is 4 to 64 hex digits."""
    return COMMIT_PREFIX_MINIMUM <= len(text) <= 64 and _HEX.issuperset(text.lower())


def is_stop_word(term: Term) -> bool:
    """Whether the term is an English word that says little by itself."""
    return term.text in STOP_WORDS


def _terms(chunks: Iterable[str]) -> tuple[Term, ...]:
    terms: dict[str, Term] = {}
    for chunk in chunks:
        for word in words_of(chunk):
            if term := read_term(word):
                terms.setdefault(term.text, term)
    return tuple(terms.values())


def _conditions(found: dict[str, list[str]]) -> Conditions:
    return Conditions(
        kinds=tuple(Kind(value) for value in found.get("kind", ())),
        tags=tuple(found.get("tag", ())),
        paths=tuple(found.get("path", ())),
        files=tuple(found.get("file", ())),
        commits=tuple(commit.lower() for commit in found.get("commit", ())),
        runs=tuple(found.get("run", ())),
        verdicts=tuple(VerdictName(value) for value in found.get("is", ())),
    )
