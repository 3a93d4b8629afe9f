"""Holds a command to its promise at every write point: the old state or the new one, whichever way it was stopped.

`python -m crash.points` is given a job as JSON, and prints as JSON what it found; see `Job` and `main`.
"""

import errno
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from crash.faults import Call, Ended, Faults, Mode, calls_of, command, copied, forked, load_everything

from gitmem.git.objects import ObjectFormat, blob_id
from gitmem.storage.journal import Journal
from gitmem.store.read import read_entry, read_store
from gitmem.store.view import View, read_settled

STORE: Final = PurePosixPath(".klide/memory")
REF: Final = "refs/mem/store"
LIST: Final = ("list", "--json", "--state", "all")
NEXT: Final = ("add", "Next", "--date", "2026-02-01")
CODES: Final = (errno.ENOSPC, errno.EROFS, errno.EIO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A command to be stopped.

    `template` is the repository that it runs in, `scratch` where copies go. Of `every` n points one is tried, in all
    ways with `wide`. `secret` is a text of which nothing may stay once the command has done its work; such a command
    cannot take back what it has decided, so that it may fail and have come to its end all the same.
    """

    template: str
    scratch: str
    words: tuple[str, ...]
    every: int = 1
    wide: bool = False
    secret: str = ""


class Point(NamedTuple):
    """A call by its number, from 1, and what goes wrong there."""

    number: int
    mode: Mode
    code: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """What a store can be after a command: its files, what `list` says, and both files and history one entry later."""

    files: Mapping[str, bytes]
    listed: bytes
    following: Mapping[str, bytes]
    subjects: Sequence[str]


def main() -> None:
    """Do the job that the first argument describes."""
    job = Job(**json.loads(sys.argv[1]))
    load_everything()
    trial = Trial(job)
    points = list(choose(trial.calls, wide=job.wide))[:: job.every]
    broken = [line for point in points for line in trial.broken(point)]
    found = {"points": len(points), "calls": [asdict(call) for call in trial.calls], "broken": broken}
    sys.stdout.write(json.dumps(found))


def choose(calls: Sequence[Call], *, wide: bool) -> Iterator[Point]:
    """Yield the points to try. Before the first write there is nothing that could be left half done."""
    first = next(number for number, call in enumerate(calls, 1) if not call.is_git)
    for number, call in enumerate(calls, 1):
        if wide:
            yield from _all_ways(number, call)
        elif number >= first:
            yield from _some_ways(number, call)
    yield Point(len(calls), Mode.KILL_AFTER)


def _all_ways(number: int, call: Call) -> Iterator[Point]:
    yield from (Point(number, mode) for mode in (Mode.KILL, Mode.KILL_AFTER, Mode.INTERRUPT))
    if call.is_git:
        yield from (Point(number, mode) for mode in (Mode.GIT_DIES, Mode.GIT_DIES_AFTER))
    writes = call.function in ("write", "pwrite")
    if writes:
        yield Point(number, Mode.TEAR)
    for mode in (Mode.REFUSE, Mode.REFUSE_ALL, *([Mode.REFUSE_HALF] if writes else [])):
        yield from (Point(number, mode, code) for code in CODES)


def _some_ways(number: int, call: Call) -> Iterator[Point]:
    """Yield a few, so that a run of neighbours has them all."""
    code = CODES[number % len(CODES)]
    if not call.is_question:
        yield Point(number, Mode.KILL)
    if call.function in ("write", "pwrite"):
        yield Point(number, Mode.TEAR)
        yield Point(number, (Mode.REFUSE, Mode.REFUSE_HALF)[number % 2], code)
    elif call.is_git:
        yield Point(number, (Mode.GIT_DIES, Mode.GIT_DIES_AFTER)[number % 2])
    else:
        yield Point(number, Mode.REFUSE, code)
    if number % 3 == 0 and not call.is_question:
        yield Point(number, Mode.REFUSE_ALL, CODES[number % 2])


class Trial:
    """One command in one repository: what it does undisturbed, and what it leaves when it is disturbed."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.template = Path(job.template)
        self.scratch = Path(job.scratch)
        self.old = self._state(())
        self.new = self._state(job.words)
        with copied(self.template, self.scratch) as repo:
            self.calls = calls_of(repo, job.words, self.scratch)

    def broken(self, point: Point) -> list[str]:
        """Return which promises are broken when the command is stopped at a point."""
        with copied(self.template, self.scratch) as repo:
            faults = Faults(point.number, point.mode, point.code)
            ended = forked(command(repo, self.job.words, faults), self.scratch)
            found = list(self._judged(repo, ended))
        call = self.calls[point.number - 1]
        code = errno.errorcode.get(point.code, "")
        return [f"{point.mode} {call.function} {call.detail} ({point.number} {code}): {line}" for line in found]

    def _judged(self, repo: Path, ended: Ended) -> Iterator[str]:
        """Yield what is wrong in a repository after the command has ended somehow."""
        if not _ended_well(ended):
            yield f"it ended as {ended}"
        seen = seen_files(repo)
        state = self.old if seen == self.old.files else self.new
        if seen != state.files:
            yield f"a reader sees neither the old nor the new files: {differences(seen, self.old.files)}"
        if ended.code == 0 and state is not self.new:
            yield "it reported success and left the old state"
        if ended.code == 128 and not self.job.secret:
            stands = "neither finished nor taken back" in ended.err
            if (state is self.new) != stands:
                yield f"it left the {'new' if state is self.new else 'old'} state and says: {ended.err.strip()}"
        yield from self._judged_later(repo, state, told=ended.code == 0 and "warning: " in ended.err)

    def _judged_later(self, repo: Path, state: State, *, told: bool) -> Iterator[str]:
        """Yield what is wrong when the next commands have run; `told` says that a command named what it left over."""
        listed = forked(command(repo, LIST), self.scratch)
        hint = "there is no memory in .klide/memory yet" if not self.old.files else ""
        if (listed.code, listed.out) != (0, state.listed) or not (listed.err == "" or (hint and hint in listed.err)):
            yield f"list says otherwise: {listed}"
        if files_in(repo) != state.files:
            yield f"after list the files differ: {differences(files_in(repo), state.files)}"
        following = forked(command(repo, NEXT), self.scratch)
        if following.code != 0:
            yield f"the next write failed: {following.err.strip()}"
            return
        if files_in(repo) != state.following:
            yield f"after the next write the files differ: {differences(files_in(repo), state.following)}"
        if subjects(repo) != state.subjects and not told:
            yield f"the history is {subjects(repo)} instead of {state.subjects}"
        yield from unclean(repo)
        if self.job.secret and state is self.new and not told:
            yield from (f"the text is still in {place}" for place in holding(repo, self.job.secret.encode()))

    def _state(self, words: Sequence[str]) -> State:
        with copied(self.template, self.scratch) as repo:
            if words:
                _done(forked(command(repo, words), self.scratch))
            files = files_in(repo)
            listed = _done(forked(command(repo, LIST), self.scratch)).out
            _done(forked(command(repo, NEXT), self.scratch))
            return State(files, listed, files_in(repo), subjects(repo))


def _done(ended: Ended) -> Ended:
    assert ended.code == 0, ended
    return ended


def _ended_well(ended: Ended) -> bool:
    """Whether a command ended as commands do: killed, interrupted, with success, or with one error."""
    if ended.code == 128:
        return ended.err.startswith("fatal: ") and ended.err.count("\n") == 1 and "fault in git mem" not in ended.err
    return ended.code in (0, 130) or ended.code < 0


def files_in(repo: Path) -> dict[str, bytes]:
    """Return the entry files as they are on disk."""
    store = repo / STORE
    names = sorted(path.name for path in store.iterdir()) if store.exists() else ()
    return {name: (store / name).read_bytes() for name in names if name.endswith(".md")}


def seen_files(repo: Path) -> dict[str, bytes]:
    """Return the entry files as a reader sees them that cannot write, so that nothing is carried on for it."""

    def read(view: View) -> dict[str, bytes]:
        contents = read_store(repo, STORE, view)
        assert contents.unreadable == (), contents
        return {f"{entry.id}.md": read_entry(repo, STORE, entry.id, view)[1] for entry in contents.entries}

    return read_settled(repo / ".git/mem", read)


def differences(found: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the files that differ, as they were found."""
    return {name: found.get(name) for name in sorted({*found, *wanted}) if found.get(name) != wanted.get(name)}


def unclean(repo: Path) -> Iterator[str]:
    """Yield what must not be so when all is at rest: litter, a pending record, a ref or objects that are not right."""
    litter = [str(path.relative_to(repo)) for top in (".klide", ".git/mem") for path in (repo / top).rglob(".tmp-*")]
    litter += [str(path.relative_to(repo)) for path in (repo / ".git").rglob("*.lock")]
    if litter:
        yield f"litter is left: {litter}"
    if Journal(repo / ".git/mem").pending() is not None:
        yield "the journal is not at rest"
    listed = [line.split("\t") for line in git(repo, "ls-tree", REF).splitlines()]
    recorded = {name: what for what, name in listed if name.endswith(".md")}
    blobs = {name: f"100644 blob {blob_id(data, ObjectFormat.SHA1)}" for name, data in files_in(repo).items()}
    if recorded != blobs:
        yield f"the history has {recorded}, the store {blobs}"
    checked = subprocess.run(["git", "fsck", "--strict"], cwd=repo, capture_output=True, check=False)
    if checked.returncode != 0:
        yield f"fsck: {checked.stderr.decode()}"


def holding(repo: Path, text: bytes) -> Iterator[str]:
    """Yield the files and objects that hold a text."""
    for path in repo.rglob("*"):
        if path.is_file() and text in path.read_bytes():
            yield str(path.relative_to(repo))
    objects = subprocess.run(
        ["git", "cat-file", "--batch", "--batch-all-objects", "--unordered"], cwd=repo, capture_output=True, check=True
    )
    if text in objects.stdout:
        yield "an object"


def subjects(repo: Path) -> list[str]:
    """Return the subjects of the history, newest first."""
    return git(repo, "log", "--format=%s", REF).splitlines()


def git(repo: Path, *words: str) -> str:
    """Ask git something."""
    return subprocess.run(["git", *words], cwd=repo, capture_output=True, check=True).stdout.decode("utf-8")


if __name__ == "__main__":
    main()
