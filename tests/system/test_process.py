"""What the program is to its surroundings: pipes, signals, closed descriptors, locales, options of its own."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL

import pytest
from program import document, entry, git_mem_on_path, is_one_error, put, start
from world import Repo, World, listing

TITLE = "Réglage de l'été 木 пол"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A store whose listing is far larger than any pipe's buffer."""
    repo = World(tmp_path_factory.mktemp("process")).repo()
    repo.commit("Start", {"sub/deep/a.txt": "x\n"})
    put(repo.path / ".klide/memory", *(entry(f"n-{n}", notes="x" * 90_000) for n in range(4)), entry("u", title=TITLE))
    return repo


@pytest.mark.parametrize("args", [("list", "--json"), ("show", "n-1"), ("search", "is:unverified", "--json")])
def test_a_reader_that_leaves_early_ends_the_program_silently(store: Repo, args: tuple[str, ...]) -> None:
    process = start(store, *args)
    assert process.stdout is not None
    assert process.stderr is not None
    head = process.stdout.read(10)
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(60), err) == (-signal.SIGPIPE, b"")
    process.stderr.close()
    assert len(head) == 10


@pytest.mark.parametrize("command", ["list --kind fact --json", "list", "where", "-h", "no-such-command", "search x"])
def test_in_a_pipeline_with_head_nothing_is_said_of_it(store: Repo, command: str) -> None:
    line = f'"{sys.executable}" -m gitmem {command} | head -c 10'
    done = store.world.run("sh", "-c", line, cwd=store.path)
    assert "Traceback" not in done.err
    assert "BrokenPipe" not in done.err
    assert done.err.count("\n") <= 1
    assert len(done.stdout) == (0 if command.startswith(("no-", "search")) else 10)


def test_a_full_disk_is_one_error(store: Repo) -> None:
    with Path("/dev/full").open("wb") as full:
        process = start(store, "list", stdout=full.fileno())
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (
        128,
        b"fatal: standard output cannot be written: no space left on device: redirect it elsewhere\n",
    )


@pytest.mark.parametrize("closed", ["<&-", "</dev/null", "2>&-", "<&- 2>&-"])
@pytest.mark.parametrize("command", ["list --json", "add x --json"])
def test_closed_descriptors_do_no_harm(repo: Repo, command: str, closed: str) -> None:
    done = repo.world.run("sh", "-c", f'"{sys.executable}" -m gitmem {command} {closed}', cwd=repo.path)
    assert done.code == 0
    assert "Traceback" not in done.err
    assert json.loads(done.out)["schemaVersion"] == 1


def test_a_closed_stdout_is_one_error(store: Repo) -> None:
    done = store.world.run("sh", "-c", f'"{sys.executable}" -m gitmem list >&-', cwd=store.path)
    assert (done.code, is_one_error(done)) == (128, True), done
    assert "standard output is closed" in done.err


def test_a_closed_stdin_holds_no_notes(store: Repo) -> None:
    done = store.world.run("sh", "-c", f'"{sys.executable}" -m gitmem add x --notes - <&-', cwd=store.path)
    assert (done.code, is_one_error(done)) == (129, True), done
    assert "standard input is closed" in done.err


@pytest.fixture
def locked(repo: Repo) -> Iterator[Repo]:
    """A repository whose writer's lock the test itself holds."""
    assert repo.mem("init").code == 0
    directory = repo.path / ".git/mem"
    directory.mkdir(exist_ok=True)
    with (directory / "lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield repo


def waits_for_lock(process: subprocess.Popen[bytes], lock: Path) -> bool:
    """Tell, within a minute, whether a process has the lock file open."""
    deadline = time.monotonic() + 60
    descriptors = Path(f"/proc/{process.pid}/fd")
    while time.monotonic() < deadline and process.poll() is None:
        for descriptor in descriptors.iterdir():
            try:
                if descriptor.samefile(lock):
                    return True
            except OSError:  # closed meanwhile
                continue
    return False


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to know when the program waits")
def test_an_interrupt_while_waiting_ends_with_130_and_nothing_written(locked: Repo) -> None:
    before = listing(locked.path)
    process = start(locked, "add", "x", stdin=DEVNULL)
    assert waits_for_lock(process, locked.path / ".git/mem/lock")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert listing(locked.path) == before


def test_an_interrupt_before_anything_began_ends_with_130_too(repo: Repo) -> None:
    asks = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "gitmem.cli.main":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from gitmem.__main__ import main
main()
"""
    done = repo.world.run(sys.executable, "-c", asks, cwd=repo.path)
    assert (done.code, done.stdout, done.err) == (130, b"", "")


def test_a_writer_that_waited_too_long_says_so_and_writes_nothing(locked: Repo) -> None:
    locked.git("config", "mem.lockTimeout", "0.1")
    before = listing(locked.path)
    result = locked.mem("add", "x")
    assert result.code == 128
    assert is_one_error(result)
    assert "mem.lockTimeout" in result.err
    assert listing(locked.path) == before


def test_readers_do_not_wait_for_a_writer(locked: Repo) -> None:
    for verb in ("list", "check", "status"):
        assert locked.mem(verb).code == 0


def test_adds_from_two_worktrees_at_once_all_land(repo: Repo) -> None:
    linked = repo.worktree("linked")
    processes = [
        start(place, "add", "Same title", "--date", "2026-01-01", stdin=DEVNULL) for place in (repo, linked) * 4
    ]
    answers = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, answers
    idents = {out.decode().strip() for out, _ in answers}
    stem = "2026-01-01-0000-same-title"
    assert idents == {stem, *(f"{stem}-{number}" for number in range(2, 9))}
    assert {path.name for path in (repo.path / ".klide/memory").iterdir()} == {f"{ident}.md" for ident in idents}
    exclude = (repo.path / ".git/info/exclude").read_text(encoding="utf-8")
    assert exclude.count("/.klide/\n") == 1


def test_notes_come_from_stdin_as_they_are(repo: Repo) -> None:
    notes = "Réglage 木\n\n# Not a section\r\n\ttab\n"
    ident = repo.mem("add", "Notes", "--notes", "-", feed=notes.encode()).line
    assert document(repo.mem("show", ident, "--json"))["entry"]["notes"] == notes.replace("\r", "").strip()


def test_notes_that_are_not_utf8_are_refused(repo: Repo) -> None:
    before = listing(repo.path)
    result = repo.mem("add", "Notes", "--notes", "-", feed="Kraków".encode("cp1252"))
    assert result.code == 129
    assert is_one_error(result)
    assert "UTF-8" in result.err
    assert listing(repo.path) == before


LOCALES = {
    "C": {"LC_ALL": "C"},
    "POSIX, not coerced": {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "a locale that is not there": {"LC_ALL": "xx_XX.ISO-8859-1"},
    "a code page": {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "cp1252"},
}


@pytest.mark.parametrize("name", LOCALES)
def test_titles_and_file_names_survive_any_locale(repo: Repo, name: str) -> None:
    repo.write("été/木.txt", "x\n")
    added = repo.mem("add", TITLE, "--file", "été/木.txt", "--notes", "ü", env=LOCALES[name])
    assert (added.code, added.err) == (0, "")
    assert added.line.endswith("reglage-de-l-ete")
    shown = repo.mem("show", added.line, "--json", env=LOCALES[name])
    found = document(shown)["entry"]
    assert (found["title"], found["notes"], found["filesTouched"]) == (TITLE, "ü", ["été/木.txt"])
    assert TITLE.encode() in repo.mem("list", env=LOCALES[name]).stdout


@pytest.mark.parametrize("name", ["C", "POSIX, not coerced"])
def test_errors_are_utf8_in_any_locale(repo: Repo, name: str) -> None:
    missing = repo.mem("add", "x", "--file", "é.txt", env=LOCALES[name])
    assert missing.err == "fatal: é.txt cannot be cited: there is no such file\n"


@pytest.mark.parametrize(
    ("before", "directory"),
    [
        (["-C", "main"], ""),
        (["-C", "main", "-C", "sub"], ""),
        (["-C", "main/sub", "-C", "deep"], ""),
        (["-C", "main/sub/deep", "-C", ".."], ""),
        (["-C", "", "-C", "main"], ""),
        (["-C", ".."], "main/sub/deep"),
    ],
)
def test_each_dash_c_changes_the_directory_one_step_further(store: Repo, before: list[str], directory: str) -> None:
    place = store.world.root / directory
    result = store.mem(*before, "where", "--json", cwd=place)
    assert document(result)["worktree"] == str(store.path)


def test_paths_are_relative_to_the_directory_of_dash_c(repo: Repo) -> None:
    ident = repo.mem("-C", "src", "add", "x", "--file", "code.py", "--json")
    shown = repo.mem("-C", "src", "show", document(ident)["id"], "--json")
    assert document(shown)["entry"]["filesTouched"] == ["src/code.py"]


def test_two_dashes_end_the_options(repo: Repo) -> None:
    assert repo.mem("add", "--", "--notes").line.endswith("-notes")
    assert repo.mem("search", "--", "--notes").code == 0
    repo.write("-dash", "x\n")
    assert repo.mem("about", "--", "-dash").code == 1


def test_it_is_a_subcommand_of_git(repo: Repo) -> None:
    path = git_mem_on_path(repo.world)
    ident = repo.git("mem", "add", "Through git", env=path).line
    found = document(repo.git("mem", "search", "through", "--json", env=path))
    assert [hit["id"] for hit in found["hits"]] == [ident]
    assert repo.git("mem", "search", "absent", env=path, accept=(1,)).out == ""
    assert is_one_error(repo.git("mem", "no-such-command", env=path, accept=(129,)))


def test_a_directory_that_is_gone_is_one_error(store: Repo) -> None:
    line = f'mkdir gone && cd gone && rmdir ../gone && "{sys.executable}" -m gitmem list'
    done = store.world.run("sh", "-c", line, cwd=store.world.root)
    assert done.code == 128
    assert is_one_error(done)


def test_without_git_there_is_one_error(store: Repo, tmp_path: Path) -> None:
    result = store.mem("list", env={"PATH": str(tmp_path)})
    assert result.code == 128
    assert is_one_error(result)
    assert "install git" in result.err


@pytest.mark.parametrize(
    ("args", "code"),
    [(("add",), 129), (("search", "absent"), 1), (("show", "absent"), 1), (("show", "../x"), 128), (("list",), 0)],
)
def test_a_process_ends_with_the_code_of_the_command(store: Repo, args: tuple[str, ...], code: int) -> None:
    assert store.mem(*args).code == code


def test_a_read_only_store_is_read(tmp_path: Path) -> None:
    repo = World(tmp_path).repo()
    repo.commit("Start", {"a.txt": "x\n"})
    put(repo.path / ".klide/memory", entry("known", title="Known words"))
    script = (
        'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77; cd "$1" || exit 78;'
        '"$2" -m gitmem search known && "$2" -m gitmem check && "$2" -m gitmem status && "$2" -m gitmem add x'
    )
    if os.geteuid() == 0:
        argv = ["unshare", "--mount", "sh", "-c", script, "sh", str(repo.path), sys.executable]
        done = subprocess.run(argv, env=repo.world.env, capture_output=True, check=False, timeout=60)
        code, out, err = done.returncode, done.stdout.decode(), done.stderr.decode()
        if code == 77 or "unshare" in err:
            pytest.skip("no read-only mount can be made here")
    else:
        for directory in (repo.path, *(path for path in repo.path.rglob("*") if path.is_dir())):
            directory.chmod(0o555)
        asked = [repo.mem(*args) for args in (("search", "known"), ("check",), ("status",), ("add", "x"))]
        code, out, err = asked[-1].code, "".join(one.out for one in asked), asked[-1].err
    assert "Known words" in out
    assert code == 128
    assert err.startswith("fatal: ")
    assert err.count("\n") == 1
    assert [path.name for path in (repo.path / ".klide/memory").iterdir()] == ["known.md"]
