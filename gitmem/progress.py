"""How long work tells how far it is: to whoever started it, and without knowing who that is."""

from typing import Protocol


class Progress(Protocol):
    """Is told what is being done, and how much of it is done; `total` is 0 where nobody knows."""

    def __call__(self, what: str, done: int = 0, total: int = 0) -> None:
        """Take note of it."""
        ...


def silent(what: str, done: int = 0, total: int = 0) -> None:
    """Take no note of progress."""
