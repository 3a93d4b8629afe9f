"""The changed set of a project: which files are new or different, and which are gone."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gitmem.errors import GitMemError
from gitmem.git.paths import PathFault, plain_path
from gitmem.text import visible_line

_KEYS: Final = ("changed", "deleted")
_FORM: Final = '{"changed": [...], "deleted": [...]}'

_FAULTS: Final = {
    PathFault.MALFORMED: "is empty or cannot name a file",
    PathFault.ABSOLUTE: "is absolute, and must be relative to the worktree's top",
    PathFault.ESCAPES: "holds '..', and must lie below the worktree's top",
    PathFault.IN_GITDIR: "lies in .git, which is no part of the project",
}


class ManifestError(GitMemError):
    """A manifest is refused, and with it all that it names: nothing of it is applied."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the manifest is refused: {reason}: correct it, or make one with `git mem manifest`")


def at_path(path: str, reason: str) -> ManifestError:
    """Return the refusal for the sake of one path."""
    shown = visible_line(path)
    return ManifestError(f"'{shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '...'}' {reason}")


_SHOWN: Final = 200  # characters of a path in a message


@dataclass(frozen=True, slots=True)
class Manifest:
    """Paths relative to the worktree's top, in the order of their bytes; bytes that are not UTF-8 are surrogates.

    `changed` are files that are new or different, `deleted` those that are gone; no path is in both.
    """

    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


def make_manifest(changed: Iterable[str], deleted: Iterable[str]) -> Manifest:
    """Return the manifest of paths in any order."""
    return Manifest(_in_order(changed), _in_order(deleted))


def _in_order(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(paths), key=os.fsencode))


def parse_manifest(data: bytes) -> Manifest:
    """Read a manifest: JSON in UTF-8, exactly two arrays of paths, each in any order and as often as it likes.

    `./x` and `a//b` are read as what they mean. Bytes of a path that are not UTF-8 are escaped as the lone surrogates
    U+DC80 to U+DCFF. Raises ManifestError.
    """
    document = _decode(data)
    made = make_manifest(*(_paths(document, key) for key in _KEYS))
    both = set(made.changed).intersection(made.deleted)
    if both:
        raise at_path(min(both), "is said to be changed and to be deleted")
    return made


def _decode(data: bytes) -> dict[str, object]:
    try:
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except UnicodeDecodeError:
        raise ManifestError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ManifestError(f"it is not JSON: {error.msg.lower()} at line {error.lineno}") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, arrays in arrays in arrays
        raise ManifestError(f"it is not {_FORM}") from None
    if not isinstance(document, dict) or document.keys() != set(_KEYS):
        raise ManifestError(f"it is not {_FORM}")
    return document


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ManifestError("a key stands in it twice")
    return found


def _paths(document: dict[str, object], key: str) -> list[str]:
    given = document[key]
    if not isinstance(given, list) or not all(isinstance(path, str) for path in given):
        raise ManifestError(f'"{key}" is not an array of strings')
    return [_checked(path) for path in given]


def _checked(path: str) -> str:
    found = plain_path(path)
    if isinstance(found, PathFault):
        raise at_path(path, _FAULTS[found])
    return found
