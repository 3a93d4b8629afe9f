"""Which command mends an entry, after a check."""

from collections.abc import Iterator

from gitmem.entry.model import ReviewState
from gitmem.evidence.reanchor import can_be_anchored, can_be_confirmed, can_be_relinked
from gitmem.evidence.verdict import EntryVerdict, Verdict


def how_to_mend(found: EntryVerdict) -> Iterator[str]:
    """Yield the lines that say what to do about an entry: nothing where it stands as it was cited."""
    ident = found.entry.id
    findings = [finding for judgement in found.judgements for finding in judgement.findings]
    if found.entry.review_state is ReviewState.SUPERSEDED or found.entry.future:
        return
    if found.verdict is Verdict.STALE:
        if can_be_confirmed(findings):
            yield f"if it still holds: git mem confirm {ident}"
        yield f"if not: git mem supersede {ident} --by NEW, or git mem forget {ident}"
        return
    if found.verdict is Verdict.UNVERIFIED and can_be_anchored(findings):
        yield f"to anchor it: git mem confirm {ident}"
    if can_be_relinked(findings):
        yield f"to follow it: git mem relink {ident}"
