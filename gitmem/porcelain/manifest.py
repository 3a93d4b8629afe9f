"""`git mem manifest`: which files of the project are new or different, and which are gone."""

import json
import os

from gitmem.errors import UsageError
from gitmem.manifest.make import between, everything, of_index, of_worktree
from gitmem.manifest.model import Manifest
from gitmem.text import HIDDEN
from gitmem.workspace import Workspace


def manifest(workspace: Workspace, *, since: str | None = None, cached: bool = False, whole: bool = False) -> Manifest:
    """Return what differs from HEAD to the working tree, or to the index (`cached`), or from `since` to HEAD.

    `whole` takes every file, as if nothing had been known. Raises RevisionError, and UsageError for two questions.
    """
    repository = workspace.repository
    if since is not None:
        if cached or whole:
            other = "--cached" if cached else "--all"
            raise UsageError(f"--since compares HEAD with a commit, and {other} does not: choose one")
        return between(repository, since)
    if whole:
        return everything(repository, cached=cached)
    return of_index(repository) if cached else of_worktree(repository)


def manifest_json(made: Manifest) -> str:
    """Return a manifest as JSON on one line, as `git mem update` takes it: the two arrays and nothing else.

    Hidden characters and bytes that are not UTF-8 are escaped, as in every JSON output.
    """
    text = json.dumps({"changed": made.changed, "deleted": made.deleted}, ensure_ascii=False)
    return HIDDEN.sub(lambda found: json.dumps(found.group())[1:-1], text)


def name_status(made: Manifest) -> bytes:
    """Return a manifest in the form of `git diff --name-status -z`: M or D, NUL, the path, NUL."""
    rows = [(os.fsencode(path), b"M") for path in made.changed] + [(os.fsencode(path), b"D") for path in made.deleted]
    return b"".join(b"%b\0%b\0" % (status, path) for path, status in sorted(rows))
