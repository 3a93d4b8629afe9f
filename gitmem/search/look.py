"""What of a query stands in an entry that is shown: which fields have which terms."""

from dataclasses import dataclass

from gitmem.entry.model import Entry
from gitmem.search.fields import FieldName, fields
from gitmem.search.match import passage, spans
from gitmem.search.names import naming_fields
from gitmem.search.query import Query


@dataclass(frozen=True, slots=True)
class Seen:
    """The fields in which something of the query stands, most telling first, and its terms, as typed, in its order."""

    fields: tuple[FieldName, ...]
    matched: tuple[str, ...]
    missing: tuple[str, ...]


def look(entry: Entry, query: Query, *, named: bool) -> Seen:
    """Return what of the query stands letter for letter in an entry; one that the query names misses nothing."""
    held = [(field.name, passage(value)) for field in fields(entry) for value in field.values]
    where = [{name for name, text in held if spans(term, text)} for term in query.terms]
    present = naming_fields(entry, query.text).union(*where) if named else frozenset().union(*where)
    typed = [(term.typed, bool(found) or named) for term, found in zip(query.terms, where, strict=True)]
    return Seen(
        tuple(name for name in FieldName if name in present),
        tuple(term for term, is_there in typed if is_there),
        tuple(term for term, is_there in typed if not is_there),
    )
