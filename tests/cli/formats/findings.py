"""Verdicts made by hand, and text that tries to be more than text."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from program import entry

from gitmem.entry.model import SourceRef
from gitmem.evidence.target import TargetKind
from gitmem.evidence.verdict import EntryVerdict, Finding, Judgement, Reason, add_up
from gitmem.porcelain.check import Checked, summarise
from gitmem.store.read import Unreadable

STORE: Final = PurePosixPath(".klide/memory")
BROKEN: Final = Unreadable("broken.md", "not UTF-8: byte 1")

HOSTILE: Final = (
    "plain",
    "one\n::error file=x::two",
    "one\r\n::warning::two\r::stop-commands::x",
    "100%0A::error::x %25 %3A",
    "::add-mask::x, file=y,line=1::z",
    "##[error]x \x1b[2J\x1b]0;title\x07",
    "turned \u202eround\u202c \u2066and\u2069 \u200bhidden\ufeff \U000e0041",
    "nul \x00 del \x7f next line \x85 separators \u2028 \u2029",
    "not a character \ufffe \uffff, half a pair \ud800 \udcff",
    "]]> <script>alert(1)</script> &amp; \"quoted\" 'so'",
    "[a link](http://example.com) ![and](http://example.com/image) [1](1)",
    "GET /users/{id} {0} {{1}}",
    "tab\tand  blanks ",
)


def file_ref(path: str = "src/a.py", start: int | None = 2, end: int | None = 3, **fields: Any) -> SourceRef:
    """Return a file sourceRef with lines and a hash of their text."""
    return SourceRef(
        **{"source_type": "file", "id": path, "path": path, "line_start": start, "line_end": end, **fields}
    )


def commit_ref(ident: str = "1" * 40, **fields: Any) -> SourceRef:
    """Return a commit sourceRef."""
    return SourceRef(**{"source_type": "commit", "id": ident, **fields})


RUN: Final = SourceRef(source_type="run", id="run-7")


def judged(
    ref: SourceRef, reason: Reason, message: str = "something happened", evidence: Mapping[str, object] | None = None
) -> Judgement:
    """Return what was found about a sourceRef."""
    return Judgement(ref, Finding(reason, message, evidence or {}))


def found(ident: str, *judgements: Judgement, **fields: Any) -> EntryVerdict:
    """Return an entry with these judgements, and the verdict that follows from them."""
    refs = tuple(judgement.ref for judgement in judgements)
    return EntryVerdict(entry(ident, source_refs=refs, **fields), add_up(judgements), judgements)


def checked(*entries: EntryVerdict, invalid: tuple[Unreadable, ...] = (), head: str | None = "a" * 40) -> Checked:
    """Return the result of a check."""
    return Checked(
        target=TargetKind.WORKTREE,
        head=head,
        since=None,
        shallow=False,
        summary=summarise(entries),
        entries=entries,
        invalid=invalid,
    )


def one_of_each() -> Checked:
    """Return a check in which everything occurs: current, stale, unverified for several reasons, and unreadable."""
    return checked(
        found("e-stale", judged(file_ref(), Reason.LINES_CHANGED), judged(commit_ref(), Reason.ORPHANED), RUN_FOUND),
        found("e-current", judged(file_ref(), Reason.LINES_MOVED, evidence={"lineStart": 8, "lineEnd": 9}), RUN_FOUND),
        found("e-unverified", judged(commit_ref(), Reason.MISSING), judged(file_ref("new.py"), Reason.UNTRACKED)),
        found("e-run", RUN_FOUND),
        found("e-bare"),
        invalid=(BROKEN,),
    )


RUN_FOUND: Final = judged(RUN, Reason.EXTERNAL, "a run is outside git and cannot be checked")
