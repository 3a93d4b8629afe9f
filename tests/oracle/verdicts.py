"""What a verdict may be, by a plain look at git: every check raises where the verdict disagrees."""

from collections.abc import Mapping
from dataclasses import dataclass

from oracle.plain import History, contained, cut, places
from oracle.story import Cited, Story

from gitmem.entry.model import SourceType
from gitmem.evidence.verdict import Finding, Reason, Verdict

HOLDS = (Reason.UNCHANGED, Reason.LINES_MOVED, Reason.LINES_AMBIGUOUS, Reason.EOL_ONLY)
ELSEWHERE = (Reason.RENAMED, Reason.CASE_RENAMED)


def demand(held: object, why: str, *facts: object) -> None:
    """Fail with the facts, unless it held."""
    assert held, f"{why}: {facts}"


# Commits


def check_commit(history: History, oid: str, finding: Finding, rewritten: Mapping[str, list[str]]) -> None:
    """Compare the finding on a commit with what git says."""
    fact = (oid[:7], finding.reason.value, dict(finding.evidence))
    if not history.exists(oid):
        demand(finding.reason is Reason.MISSING, "it is not here", fact)
    elif history.reaches(oid):
        _check_reached(history, oid, finding, fact)
    else:
        _check_outside(history, oid, finding, rewritten, fact)


def _check_reached(history: History, oid: str, finding: Finding, fact: object) -> None:
    direct = {one.oid for one in history.reverts(oid)}
    merges = {(one.oid, merge) for one, merge in history.merges(oid)}
    if not direct and not merges:
        if finding.reason is Reason.REWRITTEN and any(oid in history.meant(one) for one in history.messages):
            demand(finding.evidence["to"] in history.same(oid), "it must have been taken in again", fact)
            return  # what took the revert back has the same patch
        demand(finding.reason is Reason.REACHABLE, "the tip reaches it and nothing undid it", fact)
        return
    by = finding.evidence.get("by")
    undoers = direct | {revert for revert, _ in merges}
    again = [other for other in history.same(oid) if not history.undone(other)]
    if finding.reason is Reason.REWRITTEN:
        demand(finding.evidence["to"] in again, "it must have been taken in again", fact, again)
        later = [one for one in undoers if not history.is_ancestor(str(finding.evidence["to"]), one)]
        demand(later, "it must have been taken in after it was undone", fact)
        return
    always = [other for other in again if not any(history.is_ancestor(other, one) for one in undoers)]
    demand(not always, "it was taken in again", fact, always)
    if direct:
        demand(finding.reason is Reason.REVERTED and by in direct, "it was reverted", fact, direct, merges)
    else:
        place = (by, finding.evidence.get("merge"))
        demand(finding.reason is Reason.REVERTED_MERGE and place in merges, "its merge was reverted", fact, merges)


def _check_outside(
    history: History, oid: str, finding: Finding, rewritten: Mapping[str, list[str]], fact: object
) -> None:
    direct = {one.oid for one in history.reverts(oid)}
    same = history.same(oid)
    lasting = [other for other in same if not history.undone(other)]
    reason, to = finding.reason, finding.evidence.get("to")
    if reason is Reason.REWRITTEN and to in _heirs(rewritten, oid) and not history.same(oid):
        demand(history.reaches(str(to)), "what git told must be here", fact)
        demand(history.patch(oid) is None and history.patch(str(to)) is None, "both must be without a patch", fact)
    elif reason is Reason.REWRITTEN:
        demand(to in lasting, "its change must be there", fact, lasting)
    elif reason is Reason.SQUASHED:
        demand(not lasting, "its very patch is there", fact, lasting)
        check_squash(history, oid, str(to), fact)
    elif reason is Reason.REVERTED and to is not None:
        demand(not lasting, "its very patch is there", fact, lasting)
        demand(finding.evidence["by"] in _undoers(history, str(to)), "what it landed as must be undone", fact)
        if to not in same:
            check_squash(history, oid, str(to), fact, undone=True)
    elif reason is Reason.REVERTED:
        demand(finding.evidence["by"] in direct, "it must be reverted here", fact, direct)
        demand(
            not [other for other in lasting if not any(history.is_ancestor(other, one) for one in direct)],
            "it was taken in again",
            fact,
            lasting,
        )
    else:
        demand(not lasting, "its very patch is there", fact, lasting)
        demand(not direct, "it was reverted here", fact, direct)
        _check_stray(history, oid, finding, rewritten, fact)


def _undoers(history: History, oid: str) -> set[str]:
    return {one.oid for one in history.reverts(oid)} | {one.oid for one, _ in history.merges(oid)}


def _check_stray(
    history: History, oid: str, finding: Finding, rewritten: Mapping[str, list[str]], fact: object
) -> None:
    heirs = {one for one in _heirs(rewritten, oid) if history.exists(one) and history.reaches(one)}
    if heirs:
        demand(
            finding.reason is Reason.REWRITTEN_CHANGED and finding.evidence["to"] in heirs,
            "git told of it",
            fact,
            heirs,
        )
        return
    refs = history.refs(oid)
    to = finding.evidence.get("to")
    if finding.reason is Reason.OTHER_BRANCH and to is not None:
        demand(to in _heirs(rewritten, oid) and not refs, "git must have told of it", fact)
        demand(finding.evidence["refs"] == history.refs(str(to))[:5], "the refs are git's", fact)
    elif refs or history.stood_on(oid):
        demand(finding.reason is Reason.OTHER_BRANCH, "it is in a line of work", fact, refs)
        named = finding.evidence["refs"]
        demand(named == refs[:5], "the refs are git's", fact, refs)
    else:
        demand(finding.reason is Reason.ORPHANED, "nothing contains it", fact)


def _heirs(rewritten: Mapping[str, list[str]], oid: str) -> set[str]:
    found: set[str] = set()
    waiting = [oid]
    while waiting:
        for new in rewritten.get(waiting.pop(), []):
            if new not in found:
                found.add(new)
                waiting.append(new)
    return found - {oid}


def read_record(story: Story) -> dict[str, list[str]]:
    """What git told the hook, line by line."""
    found: dict[str, list[str]] = {}
    record = story.main.path / ".git" / "mem" / "rewritten"
    for line in record.read_text(encoding="ascii").splitlines() if record.exists() else []:
        old, new = line.split()[:2]
        found.setdefault(old, []).append(new)
    return found


def check_squash(history: History, oid: str, to: str, fact: object, *, undone: bool = False) -> None:
    """Check that all that a commit did, another one did too."""
    demand(history.reaches(to), "the squash must be in history", fact)
    demand(history.undone(to) is undone, "what a squash did must stand", fact)
    whole = history.changed(to)
    for path, part in history.changed(oid).items():
        ends_alike = path in whole and part[1] == whole[path][1]
        demand(
            ends_alike or (path in whole and contained(part, whole[path])),
            "all of it must be in the squash",
            fact,
            path,
            part,
            whole,
        )


def is_squash_plain(history: History, oid: str, to: str) -> bool:
    """Whether a commit's files were touched by nothing else between its place and the squash of its branch."""
    base = history.repo.git("merge-base", oid, to).line
    paths = list(history.changed(oid))
    mine = history.repo.git("rev-list", f"{base}..{to}", f"{base}..{oid}", "--", *paths).out.split()
    return bool(paths) and set(mine) == {oid, to} and len(history.parents(oid)) == 1


# Files


@dataclass(frozen=True, slots=True)
class Place:
    """A target as it is looked at plainly: its kind, its tip, and the content that it has at each path."""

    kind: str
    history: History
    files: Mapping[str, bytes]
    tracked: frozenset[str]


def check_file(place: Place, cited: Cited, finding: Finding) -> None:
    """Compare the finding on a file with the contents that git has."""
    path, data = str(cited.ref.path), cited.data or b""
    fact = (finding.reason.value, dict(finding.evidence), path, cited.ref.line_start, cited.ref.line_end)
    start, end = cited.ref.line_start or 1, cited.ref.line_end or len(cut(data))
    block = cut(data)[start - 1 : end]
    whole = cited.ref.line_start is None
    if finding.reason in ELSEWHERE or "to" in finding.evidence:
        _check_elsewhere(place, path, block, data, finding, whole=whole, fact=fact)
    elif path not in place.files:
        _check_gone(place, path, cited, finding, fact)
    elif whole:
        _check_whole(place, path, data, finding, fact)
    else:
        _check_block(place, cited, block, finding, fact)
    if finding.reason in (Reason.LINES_CHANGED, Reason.CONTENT_CHANGED, Reason.WHITESPACE_CHANGED):
        _check_culprit(place, cited, block, finding, whole=whole, fact=fact)


def _stands(block: list[bytes], data: bytes, content: bytes | None, *, whole: bool) -> bool:
    if content is None:
        return False
    return cut(content) == cut(data) if whole else bool(places(block, content))


def _check_elsewhere(
    place: Place, path: str, block: list[bytes], data: bytes, finding: Finding, *, whole: bool, fact: object
) -> None:
    to = str(finding.evidence["to"])
    demand(to in place.files and to != path, "the new path must be there", fact, sorted(place.files))
    intact = finding.reason in ELSEWHERE
    stands = _stands(block, data, place.files[to], whole=whole)
    twins = not whole and len(places(block, data)) > 1
    demand(stands == intact or (twins and stands), "what was cited must stand there, or else be stale", fact)
    demand(path not in place.files or intact, "nothing was renamed", fact)
    if path in place.files:
        demand(twins or not _stands(block, data, place.files[path], whole=whole), "it stands where it was", fact)
    by = finding.evidence.get("by")
    if by is not None:
        demand(place.history.reaches(str(by)), "the commit must be in history", fact)
        there = place.history.content(str(by), to)
        demand(there is not None, "the commit must have put it there", fact)


def _check_gone(place: Place, path: str, cited: Cited, finding: Finding, fact: object) -> None:
    history = place.history
    at_tip = history.content(history.tip, path)
    allowed = [Reason.DELETED, Reason.NO_SUCH_PATH]
    if at_tip is not None or path in place.tracked:
        allowed = [Reason.DELETED_IN_WORKTREE if place.kind == "worktree" else Reason.DELETED]
    if any(other.startswith(f"{path}/") for other in place.files):
        allowed.append(Reason.TYPE_CHANGED)
    demand(finding.reason in allowed, "the path is not there", fact)
    by = finding.evidence.get("by")
    if finding.reason is Reason.NO_SUCH_PATH:
        demand(not history.repo.git("rev-list", "-1", history.tip, "--", path).out, "the path was there", fact)
    if by is None:
        if finding.reason is Reason.DELETED and at_tip is None:
            since = cited.ref.commit or cited.ref.id
            ask = ("log", "--full-history", "--diff-filter=D", "--format=%H", history.tip, "--", path)
            later = [oid for oid in history.repo.git(*ask).out.split() if not history.is_ancestor(oid, since)]
            straight = not history.repo.git("rev-list", "--merges", history.tip).out
            demand(not (straight and later), "somebody deleted it", fact, later)
        return
    demand(history.reaches(str(by)), "the commit must be in history", fact)
    demand(history.content(str(by), path) is None, "the commit must have no file", fact)
    had = [parent for parent in history.parents(str(by)) if history.content(parent, path) is not None]
    ended = history.repo.git("diff-tree", "-m", "--diff-filter=D", "--name-only", str(by)).out
    demand(had or ended, "a parent must have the file, under the name of then", fact)
    for parent in had[:1]:
        to = history.renamed(str(by), parent).get(path)
        demand(to is None or to not in place.files or to not in place.tracked, "git says that it was renamed", fact, to)


def _check_whole(place: Place, path: str, data: bytes, finding: Finding, fact: object) -> None:
    now = place.files[path]
    allowed: tuple[Reason, ...]
    if now == data:
        allowed = (Reason.UNCHANGED, Reason.UNTRACKED)
    elif cut(now) == cut(data):
        allowed = (Reason.EOL_ONLY, Reason.UNTRACKED)
    else:
        bare = b"".join(now.split()) == b"".join(data.split())
        allowed = (Reason.WHITESPACE_CHANGED, Reason.CONTENT_CHANGED) if bare else (Reason.CONTENT_CHANGED,)
    demand(finding.reason in allowed, "the contents say otherwise", fact, data, now)
    _check_dirty(place, path, finding, fact)


def _check_block(place: Place, cited: Cited, block: list[bytes], finding: Finding, fact: object) -> None:
    path, data, start = str(cited.ref.path), cited.data or b"", cited.ref.line_start
    now = place.files[path]
    there, before = places(block, now), places(block, data)
    facts = (fact, block, data, now)
    if not there:
        demand(finding.reason in (Reason.LINES_CHANGED, Reason.WHITESPACE_CHANGED), "it does not stand", *facts)
    elif len(before) == 1:
        demand(finding.reason in (*HOLDS, Reason.UNTRACKED), "it stands", *facts)
    elif len(there) >= len(before) and start in there:
        demand(finding.verdict is not Verdict.STALE or now != data, "it stands with its twins", *facts)
    if finding.reason in HOLDS and now != data:
        spans = finding.evidence.get("ranges", [finding.evidence])
        assert isinstance(spans, list)
        for span in spans:
            demand(span["lineStart"] in there, "it must stand there", *facts)
            demand(span["lineEnd"] - span["lineStart"] + 1 == len(block), "it must be as long", *facts)
            demand(finding.reason is not Reason.UNCHANGED or span["lineStart"] == start, "it moved", *facts)
    _check_dirty(place, path, finding, fact)


def _check_dirty(place: Place, path: str, finding: Finding, fact: object) -> None:
    if finding.reason is not Reason.UNTRACKED and path in place.tracked:
        differs = place.history.content(place.history.tip, path) != place.files[path]
        demand(bool(finding.evidence.get("dirty")) is differs, "dirty is what the tip has otherwise", fact)


def _check_culprit(
    place: Place, cited: Cited, block: list[bytes], finding: Finding, *, whole: bool, fact: object
) -> None:
    history, by, to = place.history, finding.evidence.get("by"), finding.evidence.get("to")
    path, data = str(cited.ref.path), cited.data or b""
    since = cited.ref.id if cited.ref.source_type == SourceType.COMMIT else cited.ref.commit
    if not whole and len(places(block, data)) > 1:
        return

    def there(oid: str) -> bytes | None:
        moved = None if to is None else history.content(oid, str(to))
        return history.content(oid, path) if moved is None else moved

    fails = [oid for oid in history.listed if not _stands(block, data, there(oid), whole=whole)]
    if by is not None:
        demand(by in fails, "it fails after the commit", fact)
        parents = [one for one in history.parents(str(by)) if there(one) is not None]
        demand(
            parents and not set(parents) & set(fails),
            "it holds before the commit" + (", moved" if to else ""),
            fact,
            parents,
        )
    elif to is None and history.tip in fails and there(history.tip) is not None:
        straight = all(len(history.parents(oid)) < 2 for oid in history.listed)
        broke = next(
            (one for one in fails if history.parents(one) and not set(history.parents(one)) & set(fails)), None
        )
        # What was broken before it was cited is another story.
        later = broke is not None and not (since and history.is_ancestor(broke, since))
        demand(not straight or not later, "one commit broke it", fact, broke)
