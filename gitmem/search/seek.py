"""Which documents hold a query's terms letter for letter, and which the query names, as the postings tell."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gitmem.search.analysis import Document, runs, tokens_of, word_keys
from gitmem.search.entries import EntryIndex, facet_key
from gitmem.search.match import is_there
from gitmem.search.names import NAMING_LENGTH, comparable, named_commit, named_path
from gitmem.search.postings import Postings
from gitmem.search.query import Query
from gitmem.text.characters import fold
from gitmem.text.tokens import ID_KEY_LENGTH, Slot, Term, Token


@dataclass(frozen=True, slots=True)
class Held:
    """The documents that can hold a term. Unless `certain`, each must be looked into: words may not be neighbours."""

    term: Term
    documents: frozenset[int] | set[int]
    certain: bool


def held(postings: Postings, term: Term) -> Held:
    """Return the documents that can hold a term."""
    slot = term.slots[0]
    key = word_keys(slot.text)[0]
    certain = len(term.slots) == 1 and not slot.parts and not _may_go_on(slot)
    return Held(term, postings.having(key) if certain else _having_all(postings, term.slots), certain)


def _may_go_on(slot: Slot) -> bool:
    """Whether another text than the very word can have its key: object ids and long numbers go by their beginning."""
    return len(slot.text) > len(slot.key) or (len(slot.key) >= ID_KEY_LENGTH and any(map(str.isdigit, slot.key)))


def holds(document: Document, term: Term) -> bool:
    """Whether a document holds a term, its words side by side in one value."""
    asked = set(_keys(term.slots))
    return any(is_there(term, _tokens(tokens_of(value), asked)) for value in document.values)


def named(index: EntryIndex, query: Query) -> set[int]:
    """Return the documents that a query names as a whole."""
    if not query.terms:
        return set()
    postings = index.postings
    keys = [facet_key("id", fold(query.text)), facet_key("named", comparable(query.text))]
    path = "/".join(named_path(query.text))
    if path:
        keys += [facet_key("path", path), *([] if "/" in path else [facet_key("file", path)])]
    commit = named_commit(query.text)
    if commit:
        keys += postings.beginning(facet_key("commit", commit))
        keys += [facet_key("commit", commit[:length]) for length in range(NAMING_LENGTH, len(commit))]
    return set().union(*(postings.having(key) for key in keys))


def _having_all(postings: Postings, slots: Sequence[Slot]) -> set[int]:
    """Return the documents that have every one of the slots, each under its own key or in all its parts."""
    found: set[int] | None = None
    for slot in {slot.text: slot for slot in slots}.values():  # a word can stand in a query a thousand times
        having = _having(postings, slot)
        found = having if found is None else found & having
    for run in dict.fromkeys(runs([slot.key if len(slot.text) == 1 else "" for slot in slots])):
        found = postings.having(run) & (found or set())
    return found or set()


def _having(postings: Postings, slot: Slot) -> set[int]:
    found = postings.having(word_keys(slot.text)[0])
    return found | _having_all(postings, slot.parts) if slot.parts else found


def _keys(slots: Iterable[Slot]) -> Iterable[str]:
    for slot in slots:
        yield slot.key
        yield from _keys(slot.parts)


def _tokens(tokens: Iterable[Token], asked: set[str]) -> Mapping[str, list[Token]]:
    found: dict[str, list[Token]] = {}
    for token in tokens:
        if token.key in asked:
            found.setdefault(token.key, []).append(token)
    return found
