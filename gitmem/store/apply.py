"""Carries the steps of a transaction out on the files of a store: again and again with the same result."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.entry.rules import SUFFIX
from gitmem.errors import GitMemError
from gitmem.storage.directory import FileRefusedError, exists, read_bounded
from gitmem.storage.files import mode_of, place_new, place_over, remove_file, write_temporary
from gitmem.storage.journal import Step, digest_of


@contextmanager
def under_construction(directory: int, steps: Iterable[Step]) -> Iterator[Mapping[str, str]]:
    """Write the new contents beside their places and yield their names, {file name: temporary name}.

    What is not put in its place by the end of the `with` is removed. Raises OSError, with the name of the file that
    was to be written, before anything has changed.
    """
    temporaries: dict[str, str] = {}
    try:
        for step in steps:
            if step.after is not None:
                temporaries[step.name] = _written(directory, step)
        yield temporaries
    finally:
        for temporary in temporaries.values():
            with suppress(OSError):
                remove_file(directory, temporary)


class OvertakenError(GitMemError):
    """A person changed a file between the moment a step was planned and the moment it was to be carried out."""

    def __init__(self, name: str) -> None:
        self.ident = name.removesuffix(SUFFIX)
        super().__init__(f"{self.ident} changed meanwhile, so nothing was written: run it again")


def carry_out(
    directory: int,
    steps: Sequence[Step],
    temporaries: Mapping[str, str],
    *,
    placed: dict[str, str],
    taken: Callable[[str], bool],
) -> None:
    """Carry steps out for the first time; `placed` gets the name under which each file stands now.

    A new file whose name a person has taken since gets the next free one that `taken` says no to. Raises
    OvertakenError for a file that a person changed since, and OSError; then `undo` takes back what was done.
    """
    for step in steps:
        found = _digest(directory, step.name)
        name = step.name
        if step.after is None:
            remove_file(directory, name)
        elif step.before is None:
            name = _placed(directory, temporaries[name], name, taken)
        elif found == step.before:
            place_over(directory, temporaries[name], name)
        else:
            raise OvertakenError(name)
        placed[step.name] = name
    os.fsync(directory)


def carry_on(directory: int, steps: Sequence[Step], temporaries: Mapping[str, str]) -> None:
    """Carry out what is left of steps that count already, however far an earlier attempt had come.

    A file that is neither as a step found it nor as it was to be was changed by a person since: it stays as it is.
    """
    for step in steps:
        found = _digest(directory, step.name)
        if step.after is None:
            remove_file(directory, step.name)
        elif found == step.before and found is None:
            place_new(directory, temporaries[step.name], step.name)
        elif found == step.before:
            place_over(directory, temporaries[step.name], step.name)
    os.fsync(directory)


def undo(directory: int, steps: Sequence[Step], old: Mapping[str, bytes], placed: Mapping[str, str]) -> None:
    """Take steps back, as far as they were carried out; `old` are the contents that were replaced, by digest."""
    for step in reversed(steps):
        name = placed.get(step.name, step.name)
        if step.after is None or _digest(directory, name) != digest_of(step.after):
            continue
        if step.before is None:
            remove_file(directory, name)
        else:
            place_over(directory, write_temporary(directory, old[step.before], mode_of(directory, name)), name)
    os.fsync(directory)


def _written(directory: int, step: Step) -> str:
    try:
        mode = None if step.before is None else mode_of(directory, step.name)
    except FileNotFoundError:
        mode = None  # removed by hand since the step was decided: it is not put back
    try:
        return write_temporary(directory, step.after or b"", mode)
    except OSError as error:
        # The file under construction is nothing that a person knows of; the entry is.
        raise OSError(error.errno, error.strerror, step.name) from error


def _digest(directory: int, name: str) -> str | None:
    """Return the digest of a file, None where there is none; what cannot be read is like no content that we know."""
    try:
        return digest_of(read_bounded(directory, name, MAX_BYTES)[0])
    except FileRefusedError:
        return "" if exists(directory, name) else None


def _placed(directory: int, temporary: str, name: str, taken: Callable[[str], bool]) -> str:
    stem = name.removesuffix(SUFFIX)
    for number in count(1):
        candidate = stem if number == 1 else f"{stem}-{number}"
        if (number == 1 or not taken(candidate)) and place_new(directory, temporary, candidate + SUFFIX):
            return candidate + SUFFIX
    raise AssertionError  # count never ends
