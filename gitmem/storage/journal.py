"""The redo log: a transaction is decided the moment its record is in place, and is then carried out to its end.

Readers lay a pending record over the files that it names, so that they see all of it or nothing. When it is carried
out the record makes way for an idle one with a token of its own: by that a reader knows whether files changed below
its hands.
"""

import base64
import binascii
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gitmem.errors import GitMemError
from gitmem.storage.files import replace_file

_NAME: Final = "journal"
_DIGITS: Final = 64  # of a SHA-256 in hex


class JournalDamagedError(GitMemError):
    """The record of the last transaction is not what was written, so nobody knows whether it came to its end."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a transaction does to one file of a directory.

    `before` is the digest of the content that is replaced, None for a file that is not there yet; `after` is the new
    content, None for a file that is removed whatever it holds.
    """

    name: str
    before: str | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Purge:
    """A ref whose history is replaced by one without some texts: its tip, the other one's, the objects to remove."""

    ref: str
    old: str
    new: str | None
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A transaction: its steps and, for what stands behind the files, what is to be recorded of it.

    `tip` is where the history stood, `commit` what it becomes; `message` says what happened. `forget` are names of
    which nothing may stay, each with the name that others shall know instead, if any; `purges` is what that means for
    the history, None until it is known, `strays` what else may be left of them in the object database.
    """

    steps: tuple[Step, ...] = ()
    message: str = ""
    tip: str | None = None
    commit: str | None = None
    forget: tuple[tuple[str, str | None], ...] = ()
    purges: tuple[Purge, ...] | None = None
    strays: tuple[str, ...] = ()
    token: str = field(default_factory=lambda: secrets.token_hex(8))


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal in a directory of the common dir. Whoever writes to it holds the writer's lock."""

    directory: Path

    def state(self) -> str:
        """Return what tells one state of the journal from all others; equal before and after: nothing happened."""
        return hashlib.sha256(self._read()).hexdigest()

    def pending(self) -> Record | None:
        """Return the transaction that is decided and not yet known to be carried out. Raises JournalDamagedError."""
        data = self._read()
        if not data:
            return None
        digest, content = data[:_DIGITS], data[_DIGITS:]
        if digest != _digest(content):
            raise JournalDamagedError(_damage(self._path))
        try:
            return _record(json.loads(content))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise JournalDamagedError(_damage(self._path)) from error

    def decide(self, record: Record) -> None:
        """Put a record in place, durably: from now on the transaction counts."""
        self._write({"token": record.token, "pending": _plain(record)})

    def finish(self) -> None:
        """Say that nothing is pending any more."""
        self._write({"token": secrets.token_hex(8)})

    @property
    def _path(self) -> Path:
        return self.directory / _NAME

    def _read(self) -> bytes:
        try:
            return self._path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return b""

    def _write(self, value: dict[str, Any]) -> None:
        content = json.dumps(value).encode("ascii")
        replace_file(self._path, _digest(content) + content)


def digest_of(data: bytes) -> str:
    """Return what a step calls a content by: its SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def _digest(content: bytes) -> bytes:
    return digest_of(content).encode("ascii")


def _damage(path: Path) -> str:
    return f"{path} is damaged, so the last transaction may be incomplete: run `git mem doctor --fix`"


def _plain(record: Record) -> dict[str, Any]:
    purges = record.purges
    return {
        "steps": [[step.name, step.before, _encoded(step.after)] for step in record.steps],
        "message": record.message,
        "tip": record.tip,
        "commit": record.commit,
        "forget": record.forget,
        "strays": record.strays,
        "purges": None if purges is None else [[one.ref, one.old, one.new, one.objects] for one in purges],
    }


def _record(value: dict[str, Any]) -> Record | None:
    pending = value.get("pending")
    if pending is None:
        return None
    purges = pending["purges"]
    return Record(
        steps=tuple(Step(name, before, _decoded(after)) for name, before, after in pending["steps"]),
        message=pending["message"],
        tip=pending["tip"],
        commit=pending["commit"],
        forget=tuple((name, instead) for name, instead in pending["forget"]),
        strays=tuple(pending["strays"]),
        purges=None if purges is None else tuple(Purge(ref, old, new, tuple(oids)) for ref, old, new, oids in purges),
        token=value["token"],
    )


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _decoded(text: str | None) -> bytes | None:
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(text) from error
