"""Cited content under another path, found without history: by the same blob, or by the same lines."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from gitmem.evidence.citation import Citation
from gitmem.evidence.lines import split_lines, text_hash
from gitmem.evidence.target import Target
from gitmem.git.checkout import MAX_BYTES
from gitmem.git.objects import ObjectDamagedError, ObjectMissingError
from gitmem.git.run import GitFailedError
from gitmem.text.content import is_binary

_SEARCHED: Final = 256 << 20  # bytes at most that are read to find lines again
_TELLING: Final = 3  # lines at least that may be found again in a file of any name


def find_folded(target: Target, path: str) -> list[str]:
    """Return the files that the target knows under the same path but for the case of letters."""
    try:
        return [other for other in target.by_folded_path.get(path.casefold(), []) if other != path]
    except GitFailedError:
        return []


def find_elsewhere(target: Target, gone: Mapping[int, Citation]) -> dict[int, str]:
    """Return the one other path at which each citation's content stands.

    A content that stands nowhere, or in several places that nothing decides between, is left out.
    """
    try:
        listing = {path: entry.oid for path, entry in target.listing.items() if entry.is_file}
    except GitFailedError:
        return {}
    by_blob: dict[str, list[str]] = {}
    for path, oid in listing.items():
        by_blob.setdefault(oid, []).append(path)
    found = {at: _likeliest(citation.path, by_blob.get(citation.blob or "", [])) for at, citation in gone.items()}
    rest = {at: citation for at, citation in gone.items() if found[at] is None and citation.text_hash is not None}
    lines = _find_lines(target, rest, listing) if rest else {}
    return {at: path for at, path in (found | lines).items() if path is not None}


def stands_elsewhere(target: Target, citation: Citation) -> bool:
    """Tell whether a citation that history cannot follow stands under other paths, so that it may have gone there.

    Only a shallow clone leaves that open: elsewhere history has told that the file was deleted.
    """
    if not target.repository.head.shallow:
        return False
    listing = {path: entry.oid for path, entry in target.listing.items() if entry.is_file}
    if citation.blob is not None and citation.blob in listing.values():
        return True
    return citation.text_hash is not None and bool(_places(target, {0: citation}, listing)[0])


def _likeliest(path: str, places: Collection[str]) -> str | None:
    """Return the only place, or the only one of the same file name."""
    if len(places) == 1:
        return next(iter(places))
    named = [place for place in places if PurePosixPath(place).name == PurePosixPath(path).name]
    return named[0] if len(named) == 1 else None


def _find_lines(target: Target, gone: Mapping[int, Citation], listing: Mapping[str, str]) -> dict[int, str | None]:
    """Look for cited lines by their hash, which is all that a clone without their blob has of them."""
    return {at: _telling(gone[at], paths) for at, paths in _places(target, gone, listing).items()}


def _places(target: Target, gone: Mapping[int, Citation], listing: Mapping[str, str]) -> dict[int, list[str]]:
    """Return the files in which the lines of each citation stand."""
    wanted: dict[int, dict[str, list[int]]] = {}
    for at, citation in gone.items():
        count = 0 if citation.lines is None else citation.lines[1] - citation.lines[0] + 1
        wanted.setdefault(count, {}).setdefault(citation.text_hash or "", []).append(at)
    places: dict[int, list[str]] = {at: [] for at in gone}
    for path, data in _contents(target, listing):
        lines = split_lines(data)
        for count, hashes in wanted.items():
            for text in _hashes(lines, count) & hashes.keys():
                for at in hashes[text]:
                    places[at].append(path)
    return places


def tells(citation: Citation) -> bool:
    """Tell whether what is cited is long enough to be known again in a file of any name."""
    return citation.lines is None or citation.lines[1] - citation.lines[0] + 1 >= _TELLING


def _telling(citation: Citation, places: list[str]) -> str | None:
    if tells(citation):
        return _likeliest(citation.path, places)
    # One or two lines stand in many files by chance: only a file of the same name is the same file.
    named = [place for place in places if PurePosixPath(place).name == PurePosixPath(citation.path).name]
    return named[0] if len(named) == 1 else None


def _hashes(lines: list[bytes], count: int) -> set[str]:
    """Return the hashes of all runs of so many lines; 0 stands for the whole content."""
    if count == 0:
        return {text_hash(lines)}
    return {text_hash(lines[start : start + count]) for start in range(len(lines) - count + 1)}


def _contents(target: Target, listing: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    left = _SEARCHED
    objects = target.repository.objects
    for path, oid in listing.items():
        try:
            size = objects.size(oid)
            if size > min(MAX_BYTES, left):
                continue
            data = objects.blob(oid)
        except (ObjectMissingError, ObjectDamagedError):
            continue
        left -= size
        if not is_binary(data):
            yield path, data
