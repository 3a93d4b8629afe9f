"""The JSON Schemas of every `--json` output, and of the entry that they refer to."""

import json
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final

_FOLDERS: Final = ("gitmem.entry", "gitmem.porcelain")
_SUFFIX: Final = ".schema.json"


def names() -> tuple[str, ...]:
    """Return the names of all schemas in the package, in alphabetical order: the verbs', and `entry`."""
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in _files()))


def schema(name: str) -> dict[str, Any]:
    """Return a schema (JSON Schema, Draft 2020-12). Its `$id` is `urn:git-mem:schema:<name>:1`.

    Schemas refer to each other by these ids; nothing has to be fetched. Raises KeyError for a name that `names`
    does not give.
    """
    found = {file.name: file for file in _files()}
    document: dict[str, Any] = json.loads(found[f"{name}{_SUFFIX}"].read_text(encoding="utf-8"))
    return document


def _files() -> Iterator[Traversable]:
    for package in _FOLDERS:
        folder = resources.files(package) / "schema"
        yield from (file for file in folder.iterdir() if file.name.endswith(_SUFFIX))
