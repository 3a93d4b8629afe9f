"""Which command mends an entry, after a check."""

from collections.abc import Iterator
from typing import Final

from gitmem.cli.commands import COMMANDS
from gitmem.entry.model import ReviewState
from gitmem.evidence.reanchor import can_be_anchored, can_be_confirmed, can_be_relinked
from gitmem.evidence.verdict import EntryVerdict, Verdict

# What to do with an entry that is not true any more, in the order of preference.
_REPLACEMENTS: Final = (
    ("supersede", "git mem supersede {id} --by NEW"),
    ("forget", "git mem forget {id}"),
)


def how_to_mend(found: EntryVerdict) -> Iterator[str]:
    """Yield the lines that say what to do about an entry: nothing where it stands as it was cited."""
    ident = found.entry.id
    findings = [finding for judgement in found.judgements for finding in judgement.findings]
    if found.entry.review_state is ReviewState.SUPERSEDED or found.entry.future:
        return
    if found.verdict is Verdict.STALE:
        if can_be_confirmed(findings):
            yield f"if it still holds: git mem confirm {ident}"
        known = [command.format(id=ident) for verb, command in _REPLACEMENTS if verb in COMMANDS]
        yield f"if not: {', or '.join(known) or 'set its reviewState to stale in its file, and add what holds now'}"
        return
    if found.verdict is Verdict.UNVERIFIED and can_be_anchored(findings):
        yield f"to anchor it: git mem confirm {ident}"
    if can_be_relinked(findings):
        yield f"to follow it: git mem relink {ident}"
