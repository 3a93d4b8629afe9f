"""What was found out about the history of one commit, kept between commands and carried on when HEAD moves.

History does not change: what a commit reaches, what its messages revert and what broke a citation on the way to it
stay true for ever. So what was found out is kept under the commit's id, where worktrees that stand on different
commits never see each other's. For another commit it is carried over from a near one, by what lies between the two.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from threading import Thread
from typing import Final

from gitmem.errors import GitMemError
from gitmem.evidence.culprit import Question, find_culprits
from gitmem.evidence.rewrites import Landing, find_landings
from gitmem.git.history import Revert
from gitmem.git.repository import Repository
from gitmem.git.run import GitFailedError
from gitmem.storage.cache import FileCache

VERSION: Final = "history 1"
_NEAR: Final = 5000  # commits at most that lie between two commits of which one carries on the other's
_NEIGHBOURS: Final = 4  # kept commits that are tried


@dataclass(slots=True)
class Known:
    """What is known at a commit.

    `reached` and `apart` are cited commits that it does and does not reach; `reverts` are None while nobody has asked
    for them; `landings` are by the commit that landed, `breaks` by the key of the question.
    """

    reverts: list[Revert] | None = None
    reached: set[str] = field(default_factory=set)
    apart: set[str] = field(default_factory=set)
    landings: dict[str, Landing] = field(default_factory=dict)
    breaks: dict[str, str] = field(default_factory=dict)


class _Coming:
    """Reverts that git looks for in a thread of its own, which a program that ends does not wait for."""

    def __init__(self, look: Callable[[], list[Revert]]) -> None:
        self._look = look
        self._found: list[Revert] = []
        self._error: GitMemError | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._look()
        except GitMemError as error:
            self._error = error

    def result(self) -> list[Revert]:
        """Wait for them. Raises what looking for them raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found


class History:
    """Answers questions about the history of a tip: from what is known, else from the repository."""

    def __init__(self, repository: Repository, tip: str, cache: FileCache | None) -> None:
        self._repository = repository
        self._tip = tip
        # Where history is cut short, it can grow under the same commit.
        self._cache = None if repository.head.shallow or repository.partial else cache
        self._state: Known | None = None
        self._changed = False
        self._coming: _Coming | None = None

    @property
    def _known(self) -> Known:
        """What is known, read when the first question is asked."""
        if self._state is None:
            self._state = Known()  # for what is asked while it is carried over from another commit
            self._state = self._load()
        return self._state

    def look_ahead(self) -> None:
        """Let git look for reverts in the background, if it has to: nothing else that is asked takes as long."""
        if self._known.reverts is None and self._coming is None:
            self._coming = _Coming(self._look_for_reverts)

    def _look_for_reverts(self) -> list[Revert]:
        first, *rest = self._repository.halves(self._tip)
        others = [_Coming(partial(self._repository.reverts, *part)) for part in rest]
        found = self._repository.reverts(*first)
        return found + [revert for other in others for revert in other.result()]

    def reverts(self) -> list[Revert]:
        """See Repository.reverts."""
        if self._known.reverts is None:
            found = self._look_for_reverts() if self._coming is None else self._coming.result()
            self._known.reverts = self._named(found)
            self._changed = True
        return self._known.reverts

    def _named(self, reverts: Sequence[Revert]) -> list[Revert]:
        """Return the reverts with the full ids of what they revert, as it is known in this history.

        A revert that was rebased names the commit by its id before that. Where the old commit is still here, its
        change is looked for; what was reverted is the last commit with it before the revert.
        """
        digits = self._repository.object_format.digits
        full = {revert.target: _expanded(self._repository, revert.target, digits) for revert in reverts}
        reverts = [replace(revert, target=full[revert.target]) for revert in reverts]
        whole = {oid for oid in full.values() if len(oid) == digits}
        here = self._repository.commits_here(whole - self.reached(whole))
        apart = self.unreachable(here) if here else set()
        landings = self.landings(apart) if apart else {}
        return [self._now(revert, landings.get(revert.target)) for revert in reverts]

    def _now(self, revert: Revert, landing: Landing | None) -> Revert:
        for oid in reversed(landing.same if landing is not None else ()):
            if oid != revert.oid and self._repository.is_ancestor(oid, revert.oid):
                return replace(revert, target=oid, named=revert.target)
        return revert

    def reached(self, commits: Collection[str]) -> set[str]:
        """Return those of the commits that the tip is known to reach, without a look at their objects."""
        unknown = set(commits) - self._known.reached - self._known.apart
        found = self._repository.reached(unknown, self._tip) if unknown else None
        if found:
            self._known.reached |= found
            self._changed = True
        return self._known.reached & set(commits)

    def unreachable(self, commits: Collection[str]) -> set[str]:
        """Return those of the commits, all of them here, that the tip does not reach."""
        unknown = set(commits) - self._known.reached - self._known.apart
        if unknown:
            apart = self._repository.unreachable(unknown, self._tip)
            self._known.apart |= apart
            self._known.reached |= unknown - apart
            self._changed = True
        return self._known.apart & set(commits)

    def landings(self, commits: Collection[str]) -> dict[str, Landing]:
        """See rewrites.find_landings."""
        unknown = set(commits) - self._known.landings.keys()
        found = find_landings(self._repository, self._tip, unknown) if unknown else {}
        told = {oid: landing for oid, landing in found.items() if not landing.unknown}
        self._known.landings |= told
        self._changed = self._changed or bool(told)
        return {oid: found.get(oid) or self._known.landings[oid] for oid in commits}

    def culprits(self, questions: Sequence[Question]) -> list[str | None]:
        """See culprit.find_culprits."""
        keys = [_key(question) for question in questions]
        unknown = {key: q for key, q in zip(keys, questions, strict=True) if key not in self._known.breaks}
        answers = find_culprits(self._repository, self._tip, list(unknown.values())) if unknown else []
        found = {key: answer for key, answer in zip(unknown, answers, strict=True) if answer is not None}
        self._known.breaks |= found
        self._changed = self._changed or bool(found)
        return [self._known.breaks.get(key) for key in keys]

    def keep(self) -> None:
        """Keep what was found out for later commands, if anything was."""
        if self._cache is not None and self._changed:
            self._cache.write(self._tip, _dump(self._known))
            self._changed = False

    def _load(self) -> Known:
        if self._cache is None:
            return Known()
        here = _parse(self._cache.read(self._tip))
        if here is not None:
            return here
        for name in self._cache.names()[:_NEIGHBOURS]:
            there = _parse(self._cache.read(name))
            if there is not None:
                carried = self._carry(there, name)
                if carried is not None:
                    return carried
        return Known()

    def _carry(self, known: Known, tip: str) -> Known | None:
        """Return what is known at another commit as it is here, None where that commit is far away or gone."""
        try:
            between = self._repository.between(tip, self._tip, _NEAR)
            if between is None:
                return None
            reverts = None
            if known.reverts is not None:
                fresh = self._named(self._repository.reverts(self._tip, [tip])) if between.gained else []
                reverts = fresh + [revert for revert in known.reverts if revert.oid not in between.lost]
            touched = self._repository.paths_touched(tip, self._tip) if known.breaks else set()
            landings = self._carry_landings(known, between.lost, tip) if known.landings else {}
        except GitFailedError:
            return None
        self._changed = True
        asked = known.reached | known.apart
        reached = (known.reached - between.lost) | (asked & between.gained)
        breaks = {key: found for key, found in known.breaks.items() if _path(key) not in touched}
        return Known(reverts, reached, asked - reached, landings, breaks)

    def _carry_landings(self, known: Known, lost: Collection[str], tip: str) -> dict[str, Landing]:
        fresh = find_landings(self._repository, self._tip, known.landings, excluded=[tip])
        return {
            oid: Landing(
                same=tuple(other for other in old.same if other not in lost) + fresh[oid].same,
                squashes=tuple(other for other in old.squashes if other not in lost) + fresh[oid].squashes,
            )
            for oid, old in known.landings.items()
            if not fresh[oid].unknown
        }


def _expanded(repository: Repository, target: str, digits: int) -> str:
    """Return the full id of an abbreviated one, or what was given where it names no commit, or several."""
    if len(target) == digits:
        return target
    commits = repository.commits_here(repository.expand(target))
    return commits.pop() if len(commits) == 1 else target


def _key(question: Question) -> str:
    """Return what a question is kept under: its path is told apart, so that a touched path forgets its answers."""
    rest = json.dumps([question.at_tip, question.since, question.about]).encode("utf-8", "surrogatepass")
    return f"{hashlib.sha256(rest).hexdigest()}:{question.path}"


def _path(key: str) -> str:
    return key.partition(":")[2]


def _dump(known: Known) -> bytes:
    value = {
        "reverts": None if known.reverts is None else [asdict(revert) for revert in known.reverts],
        "reached": " ".join(sorted(known.reached)),
        "apart": " ".join(sorted(known.apart)),
        "landings": {oid: [landing.same, landing.squashes] for oid, landing in known.landings.items()},
        "breaks": known.breaks,
    }
    return json.dumps(value).encode("ascii")


def _parse(data: bytes | None) -> Known | None:
    """Return what was kept, None where it is not what this version keeps."""
    try:
        value = json.loads(data or b"")
        return Known(
            reverts=None if value["reverts"] is None else [Revert(**fields) for fields in value["reverts"]],
            reached=set(value["reached"].split()),
            apart=set(value["apart"].split()),
            landings={oid: Landing(tuple(same), tuple(more)) for oid, (same, more) in value["landings"].items()},
            breaks=dict(value["breaks"]),
        )
    except (ValueError, TypeError, LookupError, AttributeError):
        return None
