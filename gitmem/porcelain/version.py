"""What was recorded of a store: the versions that `ID@{n}` names, and the entries as they were known at a commit."""

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.entry.model import Entry
from gitmem.errors import ExitCode, GitMemError, UsageError
from gitmem.git.exclude import Sharing
from gitmem.git.objects import TREE_MODE
from gitmem.git.run import Git
from gitmem.storage.directory import FileRefusedError, opened_directory, read_bounded
from gitmem.store.history import StoreHistory, Version, committed_at, iso_date
from gitmem.store.read import StoreContents, check_id, counting, unknown_entry
from gitmem.store.view import View, read_settled, read_view
from gitmem.text import visible_line
from gitmem.workspace import Workspace

NOTHING_RECORDED: Final = "nothing is recorded yet: the next write records the store, unless mem.history is false"

_NAME: Final = re.compile(r"(?P<ident>.*?)@\{(?P<number>.*)\}", re.DOTALL)
_NUMBER: Final = re.compile("[0-9]{1,9}")


class NoSuchVersionError(GitMemError):
    """An entry was not recorded that often. Exit code 1: the answer is no."""

    exit_code = ExitCode.NO
    label = "error"


@dataclass(frozen=True, slots=True)
class Name:
    """An entry, or the version of it that was recorded `number` contents before the newest one."""

    ident: str
    number: int | None


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version and the transaction that recorded it, as a person names them."""

    number: int
    commit: str
    date: str
    author: str
    subject: str


@dataclass(frozen=True, slots=True)
class Past:
    """The history of a store. `workspace` is where the store is now; a bare repository by itself has none.

    `state` is `<common>/mem`.
    """

    history: StoreHistory
    state: Path
    workspace: Workspace | None

    def view(self) -> View:
        """How the files of the store are to be read."""
        return read_view(self.state)

    def states(self, ident: str) -> list[Version]:
        """Return all that was recorded of an entry, newest first; nothing of a forgotten one. Raises BadIdError."""
        check_id(ident)
        return [] if self.view().is_forgotten(ident) else self.history.states(ident)

    def file_now(self, ident: str) -> bytes | None:
        """Return the bytes that the entry's file holds now, None if there is no such file, or none that can be read."""
        if self.workspace is None:
            return None
        layout, name = self.workspace.layout, f"{ident}.md"

        def read(view: View) -> bytes | None:
            with opened_directory(layout.root, layout.store_path) as directory:
                try:
                    on_disk = None if directory is None else read_bounded(directory, name, MAX_BYTES)[0]
                except FileRefusedError:
                    on_disk = None
            return None if view.is_forgotten(ident) else view.content(name, on_disk)

        return read_settled(self.state, read)

    def is_stored(self, ident: str) -> bool:
        """Whether the store has a file of this entry now, whatever it is."""
        if self.workspace is None:
            return False
        return self.file_now(ident) is not None or os.path.lexists(self.workspace.layout.store / f"{ident}.md")


def past_of(workspace: Workspace) -> Past:
    """Return the history of a workspace's store."""
    history = StoreHistory(workspace.git, workspace.layout.worktree)
    return Past(history, workspace.state, workspace)


def past_in_bare(git: Git, directory: Path, environ: Mapping[str, str]) -> Past | None:
    """Return the history in the bare repository that a directory lies in; None where there is none to be read.

    Only for reading what is recorded: such a repository has no store. Who told git to leave bare repositories alone
    that are not named (safe.bareRepository) is obeyed, and a `.git` file that points at one is not.
    """
    told = git.ask("config", "--get-all", "safe.bareRepository", cwd=directory, accept=(0, 1)).line().split("\n")
    if "explicit" in told[:-1]:  # the last one is ours
        return None
    trusting = git.configured("safe.bareRepository=all")
    ask = ("rev-parse", "--is-bare-repository", "--absolute-git-dir")
    answer = trusting.ask(*ask, cwd=directory, accept=(0, 128)).line().split("\n", 1)
    if answer[0] != "true":
        return None
    here, git_dir = Path(os.path.realpath(directory)), Path(os.path.realpath(answer[1]))
    agreed = os.path.realpath(here / environ.get("GIT_DIR", git_dir)) == os.fspath(git_dir)
    if not agreed or not here.is_relative_to(git_dir):
        return None
    return Past(StoreHistory(trusting, git_dir), git_dir / "mem", None)


def parse_name(text: str) -> Name:
    """Return what `ID` or `ID@{n}` names. Raises UsageError for an n that is no number, BadIdError."""
    found = _NAME.fullmatch(text)
    if found is None:
        check_id(text)
        return Name(text, None)
    if not _NUMBER.fullmatch(found["number"]):
        told = visible_line(text)
        raise UsageError(f"'{told}' names no version: write ID@{{0}} for the newest, ID@{{1}} for the one before it")
    check_id(found["ident"])
    return Name(found["ident"], int(found["number"]))


def find_version(past: Past, ident: str, number: int) -> Version:
    """Return a recorded version. Raises BadIdError, UnknownEntryError, and NoSuchVersionError."""
    versions = [state for state in past.states(ident) if state.number is not None]
    if number < len(versions):
        return versions[number]
    if not versions and not past.is_stored(ident):
        raise unknown_entry(ident)
    count = {0: "no version", 1: "only 1 version"}.get(len(versions), f"only {len(versions)} versions")
    raise NoSuchVersionError(f"the log for {ident} has {count}: `git mem log {ident}` shows what there is")


def line_of(version: Version) -> VersionLine:
    """Return what a person wants to know of a version."""
    recorded = version.recorded
    return VersionLine(version.number or 0, recorded.oid, recorded.date, recorded.author, recorded.subject)


def as_of(workspace: Workspace, commit: str) -> StoreContents:
    """Return the entries that were known at a commit of the project, each in the state in which it counted then.

    Known is what was recorded by the time of the commit, or where HEAD was the commit or one before it. If that is
    the newest recorded state, the store as it is now counts, with all edits by hand. What is older than the history
    is taken from the commit itself, where it tracks the store, else by the dates of the oldest entries.
    """
    past = past_of(workspace)
    history, repository = past.history, workspace.repository
    seconds = committed_at(workspace.git, workspace.layout.worktree, commit)

    def reached(heads: Collection[str]) -> Collection[str]:
        here = repository.commits_here(heads)
        return here - repository.unreachable(here, commit) if here else here

    known = history.known_at(seconds, reached)
    if known is not None:
        return workspace.contents if known == history.tip else _counted(past, history.contents_at(known))
    if tracked := _tracked_at(workspace, commit):
        return _counted(past, history.contents_at(tracked))
    oldest = history.oldest()
    return workspace.contents if oldest is None else _counted(past, _dated(history.contents_at(oldest), seconds))


def _counted(past: Past, contents: StoreContents) -> StoreContents:
    """Return the contents as a workspace has them: states that count, newest first, and nothing that was forgotten."""
    view = past.view()
    entries = [entry for entry in contents.entries if not view.is_forgotten(entry.id)]
    return counting(replace(contents, entries=tuple(entries)))


def _tracked_at(workspace: Workspace, commit: str) -> str | None:
    """Return the tree of the store's directory in a commit, None where the store is not tracked there."""
    if workspace.sharing() is not Sharing.TRACKED:
        return None
    path = str(workspace.layout.store_path)
    entry = workspace.repository.tree_entries(commit, [path]).get(path)
    return entry.oid if entry is not None and entry.mode == TREE_MODE else None


def _dated(contents: StoreContents, seconds: int) -> StoreContents:
    """Keep to the entries whose own date is not after a moment; of a file that cannot be read nobody knows it."""
    latest = iso_date(seconds)
    return StoreContents(exists=True, entries=tuple(entry for entry in contents.entries if entry.date <= latest))


def with_present(contents: StoreContents, now: StoreContents, idents: Collection[str]) -> StoreContents:
    """Return the contents with those of the named entries, as they are now, that are not among them."""
    there = {entry.id for entry in contents.entries} | {bad.file.removesuffix(".md") for bad in contents.unreadable}
    missing = set(idents) - there
    entries: list[Entry] = [entry for entry in now.entries if entry.id in missing]
    unreadable = [bad for bad in now.unreadable if bad.file.removesuffix(".md") in missing]
    return replace(contents, entries=(*contents.entries, *entries), unreadable=(*contents.unreadable, *unreadable))
