"""Which entries a search considers at all: kinds, tags, paths, commits, runs, and whether they are active."""

from collections.abc import Iterable
from dataclasses import dataclass

from gitmem.entry.model import Kind
from gitmem.search.entries import EntryIndex, below, ending, facet_key
from gitmem.search.names import components
from gitmem.search.query import Conditions
from gitmem.text.characters import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the options of a search ask for. Of one option any value will do, each option must be met.

    `paths` are relative to the worktree root.
    """

    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    include_inactive: bool = False


@dataclass(frozen=True, slots=True)
class Admission:
    """Which documents pass: all, or those of `only`, but for the inactive."""

    only: frozenset[int] | None
    inactive: frozenset[int]

    def of(self, documents: Iterable[int]) -> set[int]:
        """Return those of the documents that pass."""
        admitted = self.only.intersection(documents) if self.only is not None else set(documents)
        return set(admitted - self.inactive)


def admission(index: EntryIndex, filters: Filters, conditions: Conditions) -> Admission:
    """Return which documents the options and the query's prefixes let through, verdicts left to the caller."""
    sets = [*conditions_of(index, filters_as_conditions(filters)).values(), *conditions_of(index, conditions).values()]
    only = frozenset(sets[0].intersection(*sets[1:])) if sets else None
    return Admission(only, frozenset() if filters.include_inactive else index.inactive)


def filters_as_conditions(filters: Filters) -> Conditions:
    """Return the options as the prefixes that would ask for the same."""
    return Conditions(kinds=filters.kinds, tags=filters.tags, paths=filters.paths)


def conditions_of(index: EntryIndex, conditions: Conditions) -> dict[str, set[int]]:
    """Return the documents that meet each condition, by its prefix; conditions that ask nothing are left out."""
    keys = {
        "kind": [facet_key("kind", kind) for kind in conditions.kinds],
        "tag": [facet_key("tag", fold(tag)) for tag in conditions.tags],
        "path": [facet_key("below", below(components(path))) for path in conditions.paths],
        "file": [facet_key("file", ending(components(file))) for file in conditions.files],
        "commit": [
            key for commit in conditions.commits for key in index.postings.beginning(facet_key("commit", commit))
        ],
        "run": [facet_key("run", run) for run in conditions.runs],
    }
    asked = {
        "kind": conditions.kinds,
        "tag": conditions.tags,
        "path": conditions.paths,
        "file": conditions.files,
        "commit": conditions.commits,
        "run": conditions.runs,
    }
    return {name: _any_of(index, keys[name]) for name, values in asked.items() if values}


def _any_of(index: EntryIndex, keys: Iterable[str]) -> set[int]:
    return set().union(*(index.postings.having(key) for key in keys))
