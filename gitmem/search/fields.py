"""An entry as search sees it: which fields it has, what each weighs, and what it cites."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.git.paths import PathFault, plain_path


class FieldName(StrEnum):
    """The names that stand in `matchedFields`, most telling first; `id` only for an entry that the query names."""

    ID = "id"
    TITLE = "title"
    ALIASES = "aliases"
    GOAL = "goal"
    DECISIONS = "decisions"
    TAGS = "tags"
    PATHS = "paths"
    SOURCE_REFS = "sourceRefs"
    RUN_ID = "runId"
    NOTES = "notes"


# In the order of CONTRACT section 6. The id is no field of words: its words are the title's.
WEIGHTS: Final = MappingProxyType(
    {
        FieldName.TITLE: 10,
        FieldName.ALIASES: 9,
        FieldName.GOAL: 8,
        FieldName.DECISIONS: 7,
        FieldName.TAGS: 6,
        FieldName.PATHS: 6,
        FieldName.SOURCE_REFS: 5,
        FieldName.RUN_ID: 5,
        FieldName.NOTES: 3,
    }
)


@dataclass(frozen=True, slots=True)
class Field:
    """One field's values. Each is a text of its own: words of two values are no neighbours."""

    name: FieldName
    values: tuple[str, ...]

    @property
    def weight(self) -> int:
        """What a term found here counts."""
        return WEIGHTS[self.name]


def fields(entry: Entry) -> tuple[Field, ...]:
    """Return the entry's fields that hold something, heaviest first. A future entry has only its title."""
    if entry.future:
        return (Field(FieldName.TITLE, (entry.title,)),)
    found = (Field(name, _distinct(values)) for name, values in _values(entry).items())
    return tuple(field for field in found if field.values)


def _values(entry: Entry) -> dict[FieldName, Iterable[str | None]]:
    """Return what stands in each field, in the order of WEIGHTS."""
    return {
        FieldName.TITLE: (entry.title,),
        FieldName.ALIASES: entry.aliases,
        FieldName.GOAL: (entry.goal,),
        FieldName.DECISIONS: (*entry.decisions, entry.decision_key),
        FieldName.TAGS: entry.tags,
        FieldName.PATHS: cited_paths(entry),
        FieldName.SOURCE_REFS: _reference_texts(entry),
        FieldName.RUN_ID: (entry.run_id,),
        FieldName.NOTES: _notes(entry),
    }


def _notes(entry: Entry) -> Iterator[str]:
    yield entry.notes
    yield from entry.plan
    yield from entry.next_steps
    for section in entry.other_sections:
        yield section.heading
        yield section.text


def _reference_texts(entry: Entry) -> Iterator[str | None]:
    told_elsewhere = {*cited_paths(entry), entry.run_id}  # each counts once, in the field that it has of its own
    for ref in entry.source_refs:
        yield ref.id if ref.id not in told_elsewhere else None
        yield ref.label
        yield ref.commit


def cited_paths(entry: Entry) -> tuple[str, ...]:
    """Return the paths that the entry touched or cites as evidence, each once, in the order of the file."""
    return _distinct((*entry.files_touched, *(_path(ref) for ref in entry.source_refs)))


def _path(ref: SourceRef) -> str | None:
    return ref.path or (ref.id if ref.source_type == SourceType.FILE else None)


def cited_commits(entry: Entry) -> tuple[str, ...]:
    """Return the ids of the commits that the entry cites, folded, each once.

    The commit in a file's anchor is where the file was looked at and not evidence itself.
    """
    commits = (ref for ref in entry.source_refs if ref.source_type == SourceType.COMMIT)
    return _distinct(commit.lower() for ref in commits for commit in (ref.id, ref.commit) if commit)


def evidence(entry: Entry) -> tuple[str, ...]:
    """Return the paths, in their plain form, and the ids of commits that an entry's verdict depends on, each once."""
    if entry.future:
        return ()
    commits = (ref.id.lower() for ref in entry.source_refs if ref.source_type == SourceType.COMMIT)
    paths = (plain_path(path) for ref in entry.source_refs if (path := _path(ref)) is not None)
    return _distinct((*commits, *(path for path in paths if not isinstance(path, PathFault))))


def cited_runs(entry: Entry) -> tuple[str, ...]:
    """Return the ids of the runs that the entry came from or cites."""
    runs = (ref.id for ref in entry.source_refs if ref.source_type == SourceType.RUN)
    return _distinct((entry.run_id, *runs))


def _distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
