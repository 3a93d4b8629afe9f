"""Progress of work that takes over a second, on standard error where that is a terminal."""

import threading
from types import TracebackType
from typing import Final, Self, TextIO

_PATIENCE: Final = 1.0  # seconds before anything is shown
_PAUSE: Final = 0.2  # seconds between two looks at how far it is


class Meter:
    """Shows what it was told last, on one line that it takes away again in the end.

    A thread of its own shows it, because the work may wait for git, which tells nothing.
    """

    def __init__(self, title: str, stream: TextIO | None) -> None:
        self._title = title
        self._stream = stream
        self._state = ("", 0, 0)
        self._ended = threading.Event()
        self._shower = threading.Thread(target=self._show, daemon=True)

    def __call__(self, what: str, done: int = 0, total: int = 0) -> None:
        """Take note of what is being done: a Progress."""
        self._state = (what, done, total)

    def __enter__(self) -> Self:
        if self._stream is not None:
            self._shower.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._stream is not None:
            self._shower.join()

    def _show(self) -> None:
        if self._stream is None or self._ended.wait(_PATIENCE):
            return
        while True:
            self._stream.write(f"\r\x1b[K{self.line()}")
            self._stream.flush()
            if self._ended.wait(_PAUSE):
                break
        self._stream.write("\r\x1b[K")
        self._stream.flush()

    def line(self) -> str:
        """Return what is shown, in git's way: `Checking files:  40% (4000/10000)`."""
        what, done, total = self._state
        counted = f":{100 * done // total:4d}% ({done}/{total})" if total else " ..."
        return f"{self._title} {what}{counted}"
