"""Cases in which entries were once anchored anew where they must not be, each told from outside."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from program import start
from remembered import TEXT, file_of, judged, reasons, remember, state, workspace
from world import Repo, World, listing

from gitmem.errors import ExitCode
from gitmem.evidence.anchor import CitationError
from gitmem.porcelain.confirm import NotConfirmableError, confirm

BROKEN = TEXT.replace("line 4\n", "line four\n")


@pytest.fixture
def shop(world: World) -> Repo:
    """A repository with a store and the file `a.py` of twelve lines."""
    repo = world.repo()
    repo.commit("Start", {"a.py": TEXT})
    assert repo.mem("init").code == 0
    return repo


def refused(repo: Repo, *idents: str) -> str:
    """Confirm in vain, and return what was said; nothing may have been written."""
    before = state(repo.path)
    with pytest.raises((NotConfirmableError, CitationError)) as caught:
        confirm(workspace(repo), idents, at_terminal=False)
    assert state(repo.path) == before
    assert caught.value.exit_code == ExitCode.FATAL
    return caught.value.message


@pytest.mark.parametrize("spec", ["a.py:3-5", "a.py"])
def test_a_file_with_conflicts_is_neither_confirmed_nor_cited(shop: Repo, spec: str) -> None:
    ident = remember(shop, "Before the merge", spec)
    shop.git("checkout", "-q", "-b", "side")
    shop.commit("Theirs", {"a.py": TEXT.replace("line 4\n", "theirs\n")})
    shop.git("checkout", "-q", "main")
    shop.commit("Ours", {"a.py": TEXT.replace("line 4\n", "ours\n")})
    shop.git("merge", "-q", "side", accept=(1,))
    assert b"<<<<<<<" in (shop.path / "a.py").read_bytes()
    refused(shop, ident)
    before = state(shop.path)
    with pytest.raises(CitationError, match="conflict"):
        remember(shop, "In the middle of it", spec)
    assert state(shop.path) == before


@pytest.mark.parametrize("committed", [True, False])
def test_one_line_of_a_file_whose_whole_content_was_replaced_is_not_confirmed(shop: Repo, *, committed: bool) -> None:
    ident = remember(shop, "One line", "a.py:4")
    new = "nothing\nof\nwhat\nwas\nhere\nis\nleft\n"
    shop.write("a.py", new)
    if committed:
        shop.commit("Replace", {"a.py": new})
    assert judged(shop, ident).verdict == "stale"
    refused(shop, ident)


def together(repo: Repo, *idents: str) -> None:
    """Confirm entries in processes that run at once; all must end well."""
    running = [start(repo, "confirm", ident) for ident in idents]
    ended = [(process.communicate(timeout=120), process.returncode) for process in running]
    assert [code for _, code in ended] == [0] * len(idents), ended


def test_two_processes_confirm_two_entries_at_once(shop: Repo) -> None:
    idents = [remember(shop, title, "a.py:3-5") for title in ("One", "Two", "Three", "Four")]
    shop.commit("Edit", {"a.py": BROKEN})
    assert [reasons(shop, ident) for ident in idents] == [["lines-changed"]] * 4
    together(shop, *idents)
    assert [reasons(shop, ident) for ident in idents] == [["unchanged"]] * 4


def test_two_processes_confirm_the_same_entry_at_once(shop: Repo) -> None:
    ident = remember(shop, "One", "a.py:3-5")
    shop.commit("Edit", {"a.py": BROKEN})
    together(shop, ident, ident, ident)
    assert reasons(shop, ident) == ["unchanged"]
    assert not list(file_of(shop, ident).parent.glob(".tmp-*"))


@contextmanager
def disk_that_is_full_at(size: int) -> Iterator[None]:
    """Let no file grow beyond a size."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("big", [0, 1, 2])
def test_a_full_disk_while_several_entries_are_confirmed_changes_none(shop: Repo, big: int) -> None:
    idents = [remember(shop, title, "a.py:3-5") for title in ("One", "Two", "Three")]
    with file_of(shop, idents[big]).open("a", encoding="utf-8") as file:
        file.write("word " * 20_000)
    shop.commit("Edit", {"a.py": BROKEN})
    before = listing(shop.path / ".klide")
    here = workspace(shop)
    with disk_that_is_full_at(50_000), pytest.raises(OSError, match="File too large"):
        confirm(here, idents, at_terminal=False)
    assert listing(shop.path / ".klide") == before
    assert [reasons(shop, ident) for ident in idents] == [["lines-changed"]] * 3
    confirm(workspace(shop), idents, at_terminal=False)
    assert [reasons(shop, ident) for ident in idents] == [["unchanged"]] * 3
