"""Which files of a project are not its own: copied in from elsewhere, or made by a tool.

What the project says of them counts, by the attributes that forges know: `linguist-vendored` and `linguist-generated`
(github-linguist, docs/overrides.md). Where it says nothing, the places and names that package managers and bundlers
use do, case as written. Git reads the attributes; no file is opened here.
"""

import re
from collections.abc import Collection
from fnmatch import translate
from pathlib import Path
from typing import Final

from gitmem.git.convert import attribute_values
from gitmem.git.run import Git

_ATTRIBUTES: Final = ("linguist-vendored", "linguist-generated")
_SAYS_NOTHING: Final = "unspecified"
_SAYS_NO: Final = frozenset({"unset", "false"})  # `-linguist-vendored` and `linguist-vendored=false`

# Directories, wherever they are, whose files another project wrote; globs are git's `*`, within one name.
DIRECTORIES: Final = (
    *("node_modules", "bower_components", "jspm_packages"),
    *("vendor", "third_party", "third-party", "3rdparty"),
    *(".venv", "site-packages", "*.dist-info", "*.egg-info"),
    *("Godeps", "Pods", "Carthage"),
)

# Files, wherever they are, that a bundler or a package manager writes.
FILES: Final = (
    *("*.min.js", "*.min.mjs", "*.min.css", "*.map", ".pnp.cjs"),
    *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock"),
    *("poetry.lock", "uv.lock", "pdm.lock", "pylock.toml", "Pipfile.lock"),
    *("Cargo.lock", "go.sum", "go.work.sum", "Gemfile.lock", "composer.lock", "mix.lock", "pubspec.lock"),
    *("Package.resolved", "Podfile.lock", "packages.lock.json", "gradle.lockfile", "flake.lock"),
)


def _any_of(globs: Collection[str]) -> str:
    # fnmatch goes across slashes, and is asked about single names only.
    return "|".join(translate(glob) for glob in globs)


_DIRECTORY: Final = re.compile(_any_of(DIRECTORIES))
_FILE: Final = re.compile(_any_of(FILES))


def vendored(git: Git, worktree: Path, paths: Collection[str]) -> set[str]:
    """Return which of these paths, relative to the worktree, are vendored or generated.

    One process for all paths. An attribute that says so decides, then one that denies it, then the place.
    Raises GitFailedError and its kin where git cannot tell.
    """
    said = _said(git, worktree, paths)
    return {path for path in paths if said.get(path, False) or (path not in said and in_known_place(path))}


def in_known_place(path: str) -> bool:
    """Whether the name of a file, or a directory that it is in, is one that tools use for what they bring."""
    *directories, name = path.split("/")
    return _FILE.match(name) is not None or any(_DIRECTORY.match(directory) for directory in directories)


def _said(git: Git, worktree: Path, paths: Collection[str]) -> dict[str, bool]:
    """Return of each path of which the attributes say something whether it is vendored."""
    said: dict[str, bool] = {}
    for path, _, value in attribute_values(git, worktree, _ATTRIBUTES, paths):
        if value != _SAYS_NOTHING:
            said[path] = said.get(path, False) or value not in _SAYS_NO
    return said
