"""Evidence and verdicts as a person reads them."""

from typing import Final

from gitmem.entry.model import SourceRef, SourceType
from gitmem.evidence.verdict import Verdict
from gitmem.text import visible_line

VERDICT_COLORS: Final = {Verdict.STALE: "red", Verdict.UNVERIFIED: "yellow", Verdict.CURRENT: "green"}
"""The verdicts in the order in which they are shown, the most urgent first, and their colours."""


def cited(ref: SourceRef) -> str:
    """Return what a sourceRef cites: a commit, a place in a file, or what else it names."""
    if ref.source_type == SourceType.COMMIT:
        at = "" if ref.path is None else f" and {place(ref.path, ref.line_start, ref.line_end)}"
        return f"commit {ref.id[:12]}{at}"
    if ref.path is None:
        return f"{ref.source_type or 'sourceRef'} {ref.id}"
    return place(ref.path, ref.line_start, ref.line_end)


def became(before: SourceRef, after: SourceRef) -> str:
    """Return how a sourceRef changed, on one line."""
    was, now = visible_line(cited(before)), visible_line(cited(after))
    return f"{was} -> {now}" if was != now else f"{was} anchored anew"


def place(path: str, start: int | None, end: int | None) -> str:
    """Return a path with its lines as `add --file` takes them: `PATH[:START[-END]]`."""
    if start is None:
        return path
    return f"{path}:{start}" + ("" if end in (None, start) else f"-{end}")
