"""The worktree as the target of a check: the content of cited paths as git would store it, in one batch."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from gitmem.git.checkout import FileKind, IndexEntry
from gitmem.git.convert import Attributes, to_blob
from gitmem.git.objects import ObjectMissingError, blob_id
from gitmem.git.repository import Repository


@dataclass(frozen=True, slots=True)
class Found:
    """What the worktree has at a path.

    `data` is the content of a regular file in the form that git would store, `blob` its id in that form.
    `unfiltered` names the clean filter that would have to run to know the stored form of a changed file; the
    index's blob stands in for it. `index_blob` is what the index has at the path, None if it does not know it,
    `skipped` that git does not look at it on disk (sparse checkout), `ignored` that an ignore rule names an
    untracked one.
    """

    kind: FileKind
    data: bytes = b""
    blob: str = ""
    index_blob: str | None = None
    ignored: bool = False
    skipped: bool = False
    submodule: bool = False
    unfiltered: str | None = None

    @property
    def tracked(self) -> bool:
        """Whether the index knows the path."""
        return self.index_blob is not None


def look(repository: Repository, paths: Collection[str]) -> dict[str, Found]:
    """Return what stands at each of the paths. Reads the cited files whole, whatever their time stamps say."""
    states = {path: repository.read_file(path) for path in sorted(paths)}
    index = repository.index_entries(states) if states else {}
    regular = {path: state for path, state in states.items() if state.kind is FileKind.REGULAR}
    raw = {path: blob_id(state.data, repository.object_format) for path, state in regular.items()}
    differing = [path for path in regular if path not in index or index[path].oid != raw[path]]
    attributes = repository.attributes(differing)
    untracked = [path for path in regular if path not in index]
    ignored = repository.ignored(untracked)
    return {
        path: _as_stored(
            repository,
            Found(
                state.kind,
                state.data,
                raw.get(path, ""),
                index_blob=index[path].oid if path in index else None,
                ignored=path in ignored,
                skipped=path in index and index[path].skip_worktree,
                submodule=path in index and index[path].is_submodule,
            ),
            index.get(path),
            attributes.get(path),
        )
        for path, state in states.items()
    }


def _as_stored(repository: Repository, found: Found, entry: IndexEntry | None, attributes: Attributes | None) -> Found:
    """Turn the bytes on disk into the content that git would store for them."""
    if attributes is None:
        return found
    stored = _stored(repository, entry)
    converted = to_blob(found.data, attributes, stored=stored)
    if converted is not None:
        return replace(found, data=converted, blob=blob_id(converted, repository.object_format))
    if stored is None or entry is None:
        return replace(found, unfiltered=attributes.filter)
    return replace(found, data=stored, blob=entry.oid, unfiltered=attributes.filter)


def _stored(repository: Repository, entry: IndexEntry | None) -> bytes | None:
    if entry is None or entry.is_submodule:
        return None
    try:
        return repository.objects.blob(entry.oid)
    except ObjectMissingError:
        return None
