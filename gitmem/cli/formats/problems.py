"""What a check has to say to a CI system: one problem for each sourceRef that does not stand, and where it is.

A stale sourceRef is an error, an unverified one a warning. One that its entry's verdict does not rest on is left out:
a sourceRef of a current entry, an unverified one beside a stale one, and a run or a transcript beside evidence in git.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Final

from gitmem.cli.cite import cited
from gitmem.cli.mend import how_to_mend
from gitmem.entry.model import Entry, SourceRef, SourceType
from gitmem.evidence.paths import normalise
from gitmem.evidence.verdict import EntryVerdict, Finding, Judgement, Reason, Verdict
from gitmem.porcelain.check import Checked
from gitmem.store.read import Unreadable
from gitmem.text import visible_line

UNREADABLE: Final = "unreadable"
"""The rule of an entry file that cannot be read; all other rules are reasons."""

_LAST_LINE: Final = 2**31 - 1  # CI systems keep a line in 32 bits, and some refuse the whole report for one that is not
_NO_EVIDENCE: Final = Finding(Reason.NO_EVIDENCE, "no evidence: nothing in git can confirm it")


class Level(StrEnum):
    """How much a problem weighs: evidence that disagrees, or that could not be measured."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Place:
    """A file, relative to the top of the checkout, and the lines in it, 1-based and inclusive; None for all of it."""

    path: str
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to report. `title`, `told` and `name` are one line each and hold no hidden character.

    `rule` is the reason, or UNREADABLE. `told` says what is cited and what became of it; `name` is the entry's id, or
    the name of its file; `file` is the entry's own file, where `place` may point too. `entry` is None where its file
    cannot be read. `advice` is what to do about it, where a command does it.

    `fingerprint` is the same in every run for the same problem: a hash of the entry's id, the verdict, and what the
    sourceRef cites (type, id, path, and the hash of the cited text, or the lines as the entry has them where none is
    recorded). Where the lines are now, HEAD, the message, the reason and the order of entries do not count. SourceRefs
    of an entry that are equal in all of that are numbered, so no two problems share a fingerprint. A sourceRef that
    turns from unverified to stale is another problem, one that is stale for another reason is not.
    """

    level: Level
    rule: str
    title: str
    told: str
    name: str
    place: Place
    file: str
    fingerprint: str
    entry: Entry | None
    advice: str = ""

    @property
    def text(self) -> str:
        """The whole problem for people, on one line."""
        advice = f"; {self.advice}" if self.advice else ""
        return f"{self.title}: {self.told} ({self.name}){advice}"


def problems(checked: Checked, store: PurePosixPath) -> Iterator[Problem]:
    """Yield what there is to report: of the entries in their order, then the files that cannot be read."""
    for found in checked.entries:
        yield from entry_problems(found, store)
    for bad in checked.invalid:
        yield unreadable_problem(bad, store)


def entry_problems(found: EntryVerdict, store: PurePosixPath) -> list[Problem]:
    """Return what makes an entry stale or unverified, in the order of its sourceRefs; nothing of a current one."""
    if found.verdict is Verdict.CURRENT:
        return []
    if not found.judgements:
        return [_problem(found.entry, None, _NO_EVIDENCE, store, _digest(found.entry.id, found.verdict))]
    advice = "; ".join(how_to_mend(found))
    return [
        replace(_problem(found.entry, judgement.ref, judgement.finding, store, fingerprint), advice=advice)
        for judgement, fingerprint in _decisive(found)
    ]


def unreadable_problem(bad: Unreadable, store: PurePosixPath) -> Problem:
    """Return the problem of an entry file that cannot be read."""
    name = visible_line(bad.file)
    told = f"{visible_line(bad.reason)}: correct the file, or move it away [{UNREADABLE}]"
    path = str(store / bad.file)
    mark = _digest(UNREADABLE, bad.file)
    return Problem(Level.WARNING, UNREADABLE, "Unreadable entry", told, name, Place(path), path, mark, None)


def entry_file(ident: str, store: PurePosixPath) -> str:
    """Return the path of an entry's own file."""
    return str(store / f"{ident}.md")


def _problem(entry: Entry, ref: SourceRef | None, finding: Finding, store: PurePosixPath, fingerprint: str) -> Problem:
    level = Level.ERROR if finding.verdict is Verdict.STALE else Level.WARNING
    title, file = visible_line(entry.title), entry_file(entry.id, store)
    place = _place(ref, finding) or Place(file)
    return Problem(level, finding.reason, title, _told(ref, finding), entry.id, place, file, fingerprint, entry)


def _decisive(found: EntryVerdict) -> list[tuple[Judgement, str]]:
    """Return the judgements that the entry's verdict rests on, each with its fingerprint."""
    pairs = zip(found.judgements, _fingerprints(found), strict=True)
    same = [pair for pair in pairs if pair[0].finding.verdict is found.verdict]
    # What lies outside git counts only where there is nothing else, as in add_up.
    return [pair for pair in same if pair[0].finding.reason is not Reason.EXTERNAL] or same


def _told(ref: SourceRef | None, finding: Finding) -> str:
    what = "" if ref is None else f"{cited(ref)}: "
    return visible_line(f"{what}{finding.message} [{finding.reason}]")


def _place(ref: SourceRef | None, finding: Finding) -> Place | None:
    path = None if ref is None else _cited_path(ref, finding)
    return None if ref is None or path is None else Place(path, _lines(ref, finding))


def _cited_path(ref: SourceRef, finding: Finding) -> str | None:
    path: object = None
    if ref.source_type == SourceType.FILE:
        path = finding.evidence.get("to", ref.id if ref.path is None else ref.path)  # a file that was renamed is `to`
    elif ref.source_type == SourceType.COMMIT:
        path = ref.path
    plain = normalise(path) if isinstance(path, str) else None
    return plain if isinstance(plain, str) else None


def _lines(ref: SourceRef, finding: Finding) -> tuple[int, int] | None:
    if finding.reason is Reason.RANGE_INVALID:
        return None  # there are no such lines
    start, end = finding.evidence.get("lineStart"), finding.evidence.get("lineEnd")
    if not isinstance(start, int):
        start, end = ref.line_start, ref.line_end
    if start is None or not 1 <= start <= _LAST_LINE:
        return None
    return start, end if isinstance(end, int) and start <= end <= _LAST_LINE else start


def _fingerprints(found: EntryVerdict) -> Iterator[str]:
    seen: Counter[tuple[object, ...]] = Counter()
    for judgement in found.judgements:
        ref = judgement.ref
        text = (ref.text_hash,) if ref.text_hash else (ref.line_start, ref.line_end)
        what = (ref.source_type, ref.id, ref.path, *text)
        yield _digest(found.entry.id, judgement.finding.verdict, *what, seen[what])
        seen[what] += 1


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()
