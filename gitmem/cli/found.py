"""How what a search found is shown: entries, words in bold, what is missing, and what helps."""

from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from gitmem.cli.cite import VERDICT_COLORS
from gitmem.cli.session import Session
from gitmem.porcelain.search import Found, Hit, Related, Request, Suggested, search
from gitmem.search.analysis import STOP_WORDS
from gitmem.search.query import KNOWN_VALUES, Query, parse_query
from gitmem.search.snippet import highlight_spans
from gitmem.search.terms import Match
from gitmem.text import counted, visible_line
from gitmem.workspace import Workspace

if TYPE_CHECKING:
    from gitmem.porcelain.search_files import FileHit, FilesFound

_ROOM: Final = 240  # characters, for what is said of a hit's terms


def find_entries(session: Session, workspace: Workspace, words: Sequence[str], request: Request) -> Found:
    """Search the entries, and show how far that is."""
    with session.progress("Searching") as workspace.repository.progress:
        workspace.index.keeper.progress = workspace.repository.progress
        return search(workspace, words, request)


def entry_lines(session: Session, found: Found) -> Iterator[str]:
    """Yield the lines that show entries."""
    query = parse_query([found.query])
    for hit in found.hits:
        yield from _entry(session, query, hit)
    if found.nearest:
        yield session.styled("Nearest, with only some of the words:", bold=True)
        for hit in found.nearest:
            yield from _entry(session, query, hit)


def _entry(session: Session, query: Query, hit: Hit) -> Iterator[str]:
    state = "" if hit.entry.active else f" ({hit.entry.review_state})"
    verdict = session.styled(hit.verdict, fg=VERDICT_COLORS[hit.verdict])
    yield f"{session.styled(hit.id, fg='yellow')}  {hit.kind or 'unknown'}{state}  {verdict}"
    yield f"    {highlighted(session, query, hit.title, hit.related_terms)}"
    if hit.excerpt and hit.excerpt != hit.title:
        yield f"    {highlighted(session, query, hit.excerpt, hit.related_terms)}"
    yield from partial_lines(hit)


def advise(session: Session, found: Found) -> None:
    """Say what helps where no entry was found."""
    say_why_nothing(session, found, "entry")
    if found.inactive:
        verb = "has" if found.inactive == 1 else "have"
        what = counted(found.inactive, "entry that does not hold any more", "entries that do not hold any more")
        session.hint(f"{what} {verb} every word: --include-inactive shows them")
    for word in found.query.split():
        prefix, _, value = word.partition(":")
        if prefix in KNOWN_VALUES and value and value not in KNOWN_VALUES[prefix]:
            session.hint(f"{word} is searched for as words: {prefix}: takes {', '.join(sorted(KNOWN_VALUES[prefix]))}")
    suggest(session, found.suggestions)


def say_what_was_dropped(session: Session, nearest: int) -> None:
    """Say how many nearest are not shown, because only strict hits were asked for."""
    if nearest:
        session.hint(f"{nearest} nearest not shown: they match only some of the words")


def say_why_nothing(session: Session, found: "Found | FilesFound", what: str) -> None:
    """Say why there is no hit among things of a sort."""
    if not found.searchable:
        session.hint("the query has no word to search for")
    else:
        session.hint(f"no {what} has every word" if found.nearest else "nothing matches")


def suggest(session: Session, suggestions: Sequence[Suggested]) -> None:
    """Say what was perhaps meant."""
    for suggestion in suggestions:
        session.hint(f"did you mean {' or '.join(suggestion.candidates)} instead of {suggestion.term}?")


def partial_lines(hit: "Hit | FileHit") -> Iterator[str]:
    """Yield a line that says what a result lacks that has only some of the words."""
    told = what_is_different(hit.missing_terms, hit.related_terms) if hit.match is Match.PARTIAL else ()
    line = "; ".join(told)
    if line:
        yield f"    {visible_line(line)}"


def what_is_different(missing: Sequence[str], related: Sequence[Related]) -> Iterator[str]:
    """Say what an entry lacks, stop words not counted, and what it has instead of what was typed."""
    instead = {one.term: one.forms for one in related}
    lacking = [term for term in missing if term not in instead and term.lower() not in STOP_WORDS]
    if lacking:
        yield f"lacks: {shorten(' '.join(lacking), _ROOM, placeholder='…')}"
    for term, forms in instead.items():
        yield f"has {shorten(', '.join(forms), _ROOM, placeholder='…')} for {shorten(term, _ROOM, placeholder='…')}"


def highlighted(session: Session, query: Query, text: str, related: Sequence[Related]) -> str:
    """Return a text as a terminal may show it, with what matches the query in bold."""
    shown = visible_line(text)
    pieces, at = [], 0
    for start, end in highlight_spans(shown, query, {one.term: one.forms for one in related}):
        pieces += [shown[at:start], session.styled(shown[start:end], bold=True)]
        at = end
    return "".join([*pieces, shown[at:]])
