"""Configuration, read by git itself: the repository's own keys, and `mem.*` from all scopes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitmem.git.objects import ObjectFormat
from gitmem.git.run import Git

_OWN_KEYS: Final = (
    r"^(core\.(bare|worktree|commitgraph)|mem\.(root|store)|extensions\.(partialclone|objectformat)"
    r"|remote\..*\.promisor)$"
)
_PLACE_KEYS: Final = r"^core\.(bare|worktree)$"
_TRUE: Final = frozenset({"true", "yes", "on", "1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnConfig:
    """What the repository's own config file says of its place; other scopes do not count.

    `root` is `mem.root`, relative to the common dir; `store` is `mem.store`; `worktree` is `core.worktree`.
    `partial` says whether objects may be promised by a remote instead of being here, `commit_graph` whether a
    commit-graph may be used.
    """

    bare: bool = False
    worktree: str | None = None
    root: str | None = None
    store: str | None = None
    partial: bool = False
    commit_graph: bool = True
    object_format: ObjectFormat = ObjectFormat.SHA1


def read_own_config(git: Git, worktree: Path, common_dir: Path) -> OwnConfig:
    """Read the keys that decide where a repository's store is.

    With `extensions.worktreeConfig` git keeps `core.bare` and `core.worktree` of the main checkout in
    `config.worktree` beside the common config, which linked worktrees do not see: it is read too.
    """
    values = _pairs(git, "--local", _OWN_KEYS, cwd=worktree)
    main_config = common_dir / "config.worktree"
    if main_config.is_file():
        values |= _pairs(git, f"--file={main_config}", _PLACE_KEYS, cwd=worktree)
    promisors = [value.lower() in _TRUE for key, value in values.items() if key.endswith(".promisor")]
    return OwnConfig(
        bare=values.get("core.bare", "false").lower() in _TRUE,
        worktree=values.get("core.worktree"),
        root=values.get("mem.root"),
        store=values.get("mem.store"),
        partial="extensions.partialclone" in values or any(promisors),
        commit_graph=values.get("core.commitgraph", "true").lower() in _TRUE,
        object_format=ObjectFormat(values.get("extensions.objectformat", ObjectFormat.SHA1).lower()),
    )


def read_mem_config(git: Git, worktree: Path) -> dict[str, str]:
    """Return all `mem.*` values as git sees them here, keys in lower case without `mem.`; the last one wins."""
    found = _pairs(git, None, r"^mem\.", cwd=worktree)
    return {key.removeprefix("mem."): value for key, value in found.items()}


def read_remotes(git: Git, worktree: Path) -> tuple[str, ...]:
    """Return the names of the remotes."""
    return tuple(git.ask("remote", cwd=worktree).line().split())


def write_root(git: Git, worktree: Path, root: str) -> None:
    """Record `mem.root` in the common config, under git's own lock."""
    git.ask("config", "--local", "mem.root", root, cwd=worktree)


def _pairs(git: Git, scope: str | None, pattern: str, *, cwd: Path) -> dict[str, str]:
    scopes = [] if scope is None else [scope]
    answer = git.ask("config", *scopes, "--null", "--get-regexp", pattern, cwd=cwd, accept=(0, 1))
    # A key without `=` is git's short form of true, and has no line feed behind it here.
    found = (item.partition("\n") for item in answer.items())
    return {key: value if separator else "true" for key, separator, value in found}
