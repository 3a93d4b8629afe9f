"""Derived files that may vanish at any time: read whole or not at all, written without waiting for the disk.

A file begins with the digest of its content. What is damaged, foreign or of another version is not there.
"""

import hashlib
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_DIGITS: Final = 64  # of a SHA-256 in hex


@dataclass(frozen=True, slots=True)
class FileCache:
    """A directory of derived files, of which the `keep` newest stay. Nothing here raises: a cache is never needed.

    `version` names the form of the contents; a file of another one is not there.
    """

    directory: Path
    version: str
    keep: int

    def read(self, name: str) -> bytes | None:
        """Return the content that was written under a name, None if there is none that can be believed."""
        try:
            data = (self.directory / name).read_bytes()
        except OSError:
            return None
        digest, content = data[:_DIGITS], data[_DIGITS:]
        return content if digest == self._digest(content) else None

    def names(self) -> list[str]:
        """Return the names of what is there, the newest first."""
        try:
            with os.scandir(self.directory) as found:
                files = [(file.stat(follow_symlinks=False).st_mtime_ns, file.name) for file in found]
        except OSError:
            return []
        return [name for _, name in sorted(files, reverse=True)]

    def write(self, name: str, content: bytes) -> None:
        """Write a content under a name, so that readers see the old or the new one; what cannot be written is not."""
        temporary = self.directory / f".tmp-{secrets.token_hex(8)}"
        with suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(self._digest(content) + content)
                temporary.replace(self.directory / name)
            finally:
                temporary.unlink(missing_ok=True)
            for old in self.names()[self.keep :]:
                (self.directory / old).unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove everything, so that nothing of it can be found any more."""
        with suppress(OSError):
            for file in self.directory.iterdir():
                file.unlink()

    def _digest(self, content: bytes) -> bytes:
        return hashlib.sha256(self.version.encode() + b"\0" + content).hexdigest().encode("ascii")
