"""Progress on standard error: after a second, where that is a terminal, on a line that is taken away again."""

import io
import os
import pty
import sys
import threading
from subprocess import PIPE, Popen

import pytest
from program import entry, put
from world import Repo

import gitmem.cli.progress as module
from gitmem.cli.progress import Meter
from gitmem.cli.session import Session

WIPE = "\r\x1b[K"


class Screen(io.StringIO):
    """A terminal that tells when so many things were shown on it."""

    def __init__(self, wanted: int) -> None:
        super().__init__()
        self._missing = wanted
        self.full = threading.Event()

    def flush(self) -> None:
        """Count: what is shown is flushed each time."""
        self._missing -= 1
        if self._missing <= 0:
            self.full.set()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show progress without waiting for it to be worth it."""
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    monkeypatch.setattr(module, "_PAUSE", 0.001)


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (("files", 0, 3), "Checking files:   0% (0/3)"),
        (("files", 4000, 10000), "Checking files:  40% (4000/10000)"),
        (("files", 3, 3), "Checking files: 100% (3/3)"),
        (("commits", 0, 0), "Checking commits ..."),
    ],
)
def test_progress_reads_as_that_of_git(told: tuple[str, int, int], shown: str) -> None:
    meter = Meter("Checking", None)
    meter(*told)
    assert meter.line() == shown


def test_nothing_is_shown_before_a_second_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module._PATIENCE == 1.0
    monkeypatch.setattr(module, "_PATIENCE", threading.TIMEOUT_MAX)
    screen = Screen(1)
    with Meter("Checking", screen) as meter:
        meter("files", 1, 2)
    assert screen.getvalue() == ""


@pytest.mark.usefixtures("at_once")
def test_the_line_is_shown_anew_and_taken_away_in_the_end() -> None:
    screen = Screen(2)
    with Meter("Checking", screen) as meter:
        meter("files", 1, 2)
        assert screen.full.wait(60)
    shown = screen.getvalue()
    assert f"{WIPE}Checking files:  50% (1/2)" in shown
    assert shown.startswith(WIPE)
    assert shown.endswith(WIPE)
    assert "\n" not in shown


@pytest.mark.usefixtures("at_once")
def test_the_line_is_taken_away_when_the_work_fails_too() -> None:
    screen = Screen(1)

    def fail() -> None:
        with Meter("Checking", screen):
            assert screen.full.wait(60)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert screen.getvalue().endswith(WIPE)
    assert threading.active_count() == 1


@pytest.mark.usefixtures("at_once")
def test_what_is_no_terminal_is_shown_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with Session().progress("Checking") as meter:
        meter("files", 1, 2)
    assert capfd.readouterr().err == ""
    assert threading.active_count() == 1


SHOWS = (
    "import gitmem.cli.progress as p; p._PATIENCE = 0.0; p._PAUSE = 0.001\n"
    "from gitmem.cli.main import run; raise SystemExit(run(['check', '--json']))"
)


def test_on_a_terminal_progress_is_on_stderr_and_leaves_nothing_behind(repo: Repo) -> None:
    put(repo.path / ".klide/memory", entry("x"))
    master, slave = pty.openpty()
    argv = (sys.executable, "-c", SHOWS)
    with Popen(argv, cwd=repo.path, env=repo.world.env, stdin=PIPE, stdout=PIPE, stderr=slave) as process:
        os.close(slave)
        out, _ = process.communicate(timeout=60)
    shown = os.read(master, 65536).decode()
    os.close(master)
    assert out == repo.mem("check", "--json").stdout
    assert f"{WIPE}Checking " in shown
    assert shown.endswith(WIPE)
