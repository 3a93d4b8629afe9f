"""Which entries a search considers at all: kinds, tags, paths, commits, runs, and whether they are active."""

from collections.abc import Iterable
from dataclasses import dataclass

from gitmem.entry.model import Entry, Kind
from gitmem.search.fields import cited_commits, cited_paths, cited_runs
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


def passes(entry: Entry, filters: Filters) -> bool:
    """Whether the options let the entry through. The entry's state is the effective one, supersession counted."""
    if not filters.include_inactive and not entry.active:
        return False
    return meets(entry, Conditions(kinds=filters.kinds, tags=filters.tags, paths=filters.paths))


def meets(entry: Entry, conditions: Conditions) -> bool:
    """Whether the entry meets what the query's prefixes ask for, verdicts left to the caller."""
    return all(
        (
            not conditions.kinds or entry.kind in conditions.kinds,
            not conditions.tags or not _folded(conditions.tags).isdisjoint(_folded(entry.tags)),
            not conditions.paths or _any_below(cited_paths(entry), conditions.paths),
            not conditions.files or _any_named(cited_paths(entry), conditions.files),
            not conditions.commits or any(commit.startswith(conditions.commits) for commit in cited_commits(entry)),
            not conditions.runs or not set(conditions.runs).isdisjoint(cited_runs(entry)),
        )
    )


def components(path: str) -> tuple[str, ...]:
    """Return the folded components of a path, without `.` and empty ones."""
    return tuple(part for part in fold(path).split("/") if part not in {"", "."})


def _any_below(paths: Iterable[str], directories: Iterable[str]) -> bool:
    """Whether a path is one of these or lies below one of them; `src/net` is not above `src/network`."""
    tops = [components(directory) for directory in directories]
    return any(components(path)[: len(top)] == top for path in paths for top in tops)


def _any_named(paths: Iterable[str], names: Iterable[str]) -> bool:
    """Whether a path ends with the components of one of the names."""
    ends = [components(name) for name in names]
    return any(end and components(path)[-len(end) :] == end for path in paths for end in ends)


def _folded(tags: Iterable[str]) -> frozenset[str]:
    return frozenset(fold(tag) for tag in tags)
