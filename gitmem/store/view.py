"""What counts beside the files of a store: a decided transaction that is not yet in place, and what was forgotten."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from gitmem.storage.files import replace_file
from gitmem.storage.journal import Journal, JournalDamagedError, Step, digest_of
from gitmem.storage.lock import no_writer

_FORGOTTEN: Final = "forgotten"
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_ATTEMPTS: Final = 8  # readings of a store into which others write all the time
_PATIENCE: Final = 10.0  # seconds

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class View:
    """How the files of a store are to be read.

    `pending` are the steps of a decided transaction by file name; `forgotten` the digests of ids of which nothing may
    come back.
    """

    pending: Mapping[str, Step] = field(default_factory=dict)
    forgotten: frozenset[str] = frozenset()

    def is_forgotten(self, ident: str) -> bool:
        """Whether an entry of this id was forgotten."""
        return bool(self.forgotten) and id_digest(ident) in self.forgotten

    def removes(self, name: str) -> bool:
        """Whether the pending transaction removes a file."""
        step = self.pending.get(name)
        return step is not None and step.after is None

    def content(self, name: str, on_disk: bytes | None) -> bytes | None:
        """Return what a file holds, once the pending transaction is in place; None: there is no such file.

        A file that is neither as the transaction found it nor gone was changed by hand meanwhile: that counts.
        """
        step = self.pending.get(name)
        if step is None or step.after is None:
            return None if self.removes(name) else on_disk
        found = None if on_disk is None else digest_of(on_disk)
        return step.after if found == step.before else on_disk


PLAIN: Final = View()
"""The files as they are."""


def id_digest(ident: str) -> str:
    """Return what is kept of a forgotten id: its SHA-256 in hex."""
    return hashlib.sha256(ident.encode("utf-8", "surrogateescape")).hexdigest()


def read_view(state: Path) -> View:
    """Return the view that the files in `<common>/mem` describe. A damaged journal decides nothing."""
    try:
        record = Journal(state).pending()
    except JournalDamagedError:
        record = None
    steps = () if record is None else record.steps
    forgotten = read_forgotten(state)
    if record is not None and record.forget:
        forgotten |= {id_digest(ident) for ident, _ in record.forget}
    return View({step.name: step for step in steps}, forgotten)


def read_settled(state: Path, read: Callable[[View], Read]) -> Read:
    """Return what `read` makes of a view during which no transaction began or ended, as far as that can be had."""
    journal = Journal(state)
    for _ in range(_ATTEMPTS):
        before = journal.state()
        found = read(read_view(state))
        if journal.state() == before:
            return found
    with no_writer(state / "lock", _PATIENCE):  # somebody writes all the time: let them wait for once
        return read(read_view(state))


def read_forgotten(state: Path) -> frozenset[str]:
    """Return the digests of the ids that were forgotten."""
    try:
        lines = (state / _FORGOTTEN).read_text(encoding="ascii", errors="replace").split("\n")
    except (FileNotFoundError, NotADirectoryError):
        return frozenset()
    return frozenset(line for line in lines if _DIGEST.fullmatch(line))


def write_forgotten(state: Path, digests: Iterable[str]) -> None:
    """Add digests to those of the ids that were forgotten, durably. The caller holds the writer's lock."""
    before = read_forgotten(state)
    after = before | set(digests)
    if after != before:
        replace_file(state / _FORGOTTEN, "".join(f"{line}\n" for line in sorted(after)).encode("ascii"))
