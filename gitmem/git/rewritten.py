"""Which commits were rewritten into which, as git told the post-rewrite hook: amended, fixed up, rebased.

Git tells it once and keeps it nowhere (githooks, post-rewrite). The record is a file in the common dir, one
`<old> <new>` a line in the order of events, for all worktrees: just what the hook reads, added at the end.
"""

import re
from pathlib import Path
from typing import Final

_RECORD: Final = Path("mem", "rewritten")
_LINE: Final = re.compile(rb"(?P<old>[0-9a-f]{40}|[0-9a-f]{64}) (?P<new>[0-9a-f]{40}|[0-9a-f]{64})\b")


def read_rewritten(common_dir: Path) -> dict[str, list[str]]:
    """Return what became of each rewritten commit, {old id: new ids}, the latest first; lines of no use are skipped."""
    try:
        lines = (common_dir / _RECORD).read_bytes().split(b"\n")
    except OSError:
        return {}
    found: dict[str, list[str]] = {}
    for match in filter(None, map(_LINE.match, reversed(lines))):
        found.setdefault(match["old"].decode("ascii"), []).append(match["new"].decode("ascii"))
    return found
