"""Where a store is, and what stands beside it: everything that a transaction has to know."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from gitmem.git.objects import ObjectFormat
from gitmem.git.run import Git
from gitmem.storage.cache import FileCache
from gitmem.storage.journal import Journal

_VERSION = "snapshot 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlace:
    """A store at `root/path`, and the repository that it belongs to.

    `worktree` is the one that writes, `state` the directory `<common>/mem`. `recorded` says whether every transaction
    becomes a commit; `patience` is in seconds.
    """

    git: Git
    worktree: Path
    common_dir: Path
    object_format: ObjectFormat
    root: Path
    path: PurePosixPath
    recorded: bool = True
    patience: float = 10.0

    @property
    def state(self) -> Path:
        """The directory of the lock, the journal and what is derived."""
        return self.common_dir / "mem"

    @property
    def journal(self) -> Journal:
        """The journal of the store's transactions."""
        return Journal(self.state)

    @property
    def snapshots(self) -> FileCache:
        """What is kept about the files of the store: derived, and never needed."""
        return FileCache(self.state / "snapshot", _VERSION, 1)
