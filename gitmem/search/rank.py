"""Which entries a query finds, in what order, and why. Offline, deterministic, the same in any order of entries.

The score of an entry is the sum over the query's terms and the entry's fields of

    weight of the field x (1 where the term stands there whole, 0.8 where only in part or in another spelling)

where the best of a field's values counts. An English stop word counts a tenth of that, so that `how does the` does not
decide among entries that match in part. An entry that the query names gets 20 on top. No score depends on any other
entry, and neither do the tiers: named, every term, some terms. Within a tier: score, newest first, id.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gitmem.entry.model import Entry
from gitmem.search.fields import Field, FieldName, cited_commits, cited_paths, fields
from gitmem.search.match import Passage, passage, quality
from gitmem.search.narrow import Filters, components, meets, passes
from gitmem.search.query import Query, is_stop_word
from gitmem.text.characters import bare, fold
from gitmem.text.tokens import Term

# Scores are counted in hundredths, in whole numbers: sums of floats depend on their order.
_HUNDREDTHS: Final = 100
_NAMED: Final = 20 * _HUNDREDTHS
_TERM: Final = 10
_STOP_WORD: Final = 1

# As an editor or a traceback writes a place in a file.
_LINES: Final = re.compile(r":[0-9]+(?:[-:][0-9]+)?$")

# `git log --oneline` shows seven digits: shorter ones name no commit here.
_NAMING_COMMIT: Final = re.compile("[0-9a-f]{7,64}")
_NAMING_LENGTH: Final = 7

_OUTER: Final = " \"'`.,;:!?()[]{}<>"


class Match(StrEnum):
    """The tier of a result, best first."""

    EXACT = "exact"
    ALL = "all"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry with what the query found in it.

    `matched_fields` is in the order of weights. The terms are as typed, in the order of the query; an entry that the
    query names misses none.
    """

    entry: Entry
    score: float
    match: Match
    matched_fields: tuple[FieldName, ...]
    matched_terms: tuple[str, ...]
    missing_terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The outcome of a search, before any cut: `hits` are named or have every term, `partial` only some.

    `searchable` is False where the query asked for nothing, being punctuation only.
    """

    hits: tuple[Ranked, ...]
    partial: tuple[Ranked, ...]
    searchable: bool


def rank(
    entries: Sequence[Entry],
    query: Query,
    filters: Filters,
) -> Ranking:
    """Rank the entries that the filters and the query's conditions let through.

    The state of each entry is the effective one, supersession counted. A query of conditions alone finds every entry
    that meets them, score 0. The condition `is:` is left to the caller.
    """
    if not query.searchable:
        return Ranking((), (), searchable=False)
    visible = (entry for entry in entries if passes(entry, filters) and meets(entry, query.conditions))
    ranked = _in_order([found for entry in visible if (found := _judge(entry, query))])
    hits = tuple(found for found in ranked if found.match is not Match.PARTIAL)
    return Ranking(hits, ranked[len(hits) :], searchable=True)


def _in_order(found: Iterable[Ranked]) -> tuple[Ranked, ...]:
    tiers = list(Match)
    by_id = sorted(found, key=lambda one: one.entry.id)
    by_date = sorted(by_id, key=lambda one: one.entry.date, reverse=True)
    return tuple(sorted(by_date, key=lambda one: (tiers.index(one.match), -one.score)))


def _judge(entry: Entry, query: Query) -> Ranked | None:
    """Return what the query finds in the entry, None if that is nothing worth showing."""
    held = [(field, [passage(value) for value in field.values]) for field in fields(entry)]
    scores = [_term_scores(term, held) for term in query.terms]
    naming = _naming_fields(entry, query)
    match = _match(scores, named=bool(naming))
    if match is None:
        return None
    total = sum(sum(score.values()) for score in scores) + (_NAMED if naming else 0)
    present = naming.union(*scores)
    typed = [(term.typed, bool(score) or match is Match.EXACT) for term, score in zip(query.terms, scores, strict=True)]
    return Ranked(
        entry=entry,
        score=total / _HUNDREDTHS,
        match=match,
        matched_fields=tuple(name for name in FieldName if name in present),
        matched_terms=tuple(term for term, matched in typed if matched),
        missing_terms=tuple(term for term, matched in typed if not matched),
    )


def _term_scores(term: Term, held: Iterable[tuple[Field, Sequence[Passage]]]) -> dict[FieldName, int]:
    """Return what the term counts in each field that has it, in hundredths."""
    factor = _STOP_WORD if is_stop_word(term) else _TERM
    found = {}
    for field, passages in held:
        best = max((one for text in passages if (one := quality(term, text))), default=None)
        if best is not None:
            found[field.name] = field.weight * best * factor
    return found


def _match(scores: Sequence[Mapping[FieldName, int]], *, named: bool) -> Match | None:
    if named:
        return Match.EXACT
    if all(scores):
        return Match.ALL
    return Match.PARTIAL if any(scores) else None


def _naming_fields(entry: Entry, query: Query) -> frozenset[FieldName]:
    """Return the fields by which the whole query names the entry (CONTRACT section 6, `exact`)."""
    if not query.terms:
        return frozenset()
    asked = _comparable(query.text)
    named = {
        FieldName.ID: fold(query.text) == fold(entry.id),
        FieldName.TITLE: asked == _comparable(entry.title),
        FieldName.ALIASES: not entry.future and asked in {_comparable(alias) for alias in entry.aliases},
        FieldName.PATHS: not entry.future and _names_path(query.text, entry),
        FieldName.SOURCE_REFS: not entry.future and _names_commit(query.text, entry),
    }
    return frozenset(name for name, is_named in named.items() if is_named)


def _comparable(text: str) -> str:
    """Return a title as it is compared: folded, no accents, single spaces, no punctuation around it."""
    return " ".join(bare(fold(text)).split()).strip(_OUTER)


def _names_path(text: str, entry: Entry) -> bool:
    asked = components(_LINES.sub("", text))
    if not asked:
        return False
    return any(asked in {path, path[-1:]} for path in map(components, cited_paths(entry)))


def _names_commit(text: str, entry: Entry) -> bool:
    """Whether the text is the id of a cited commit, or one of the two begins with the other."""
    asked = text.lower()
    if not _NAMING_COMMIT.fullmatch(asked):
        return False
    return any(
        commit.startswith(asked) or (len(commit) >= _NAMING_LENGTH and asked.startswith(commit))
        for commit in cited_commits(entry)
    )
