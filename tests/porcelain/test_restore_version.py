"""An older text of an entry comes back in the place of the present one, by the rules of an edit."""

from pathlib import Path

import pytest
from program import entry as made
from program import is_one_error, put
from remembered import file_of, workspace
from world import Repo

from gitmem.errors import UsageError
from gitmem.porcelain.edit import EditRefusedError
from gitmem.porcelain.restore import Restored, restore_version
from gitmem.porcelain.version import NoSuchVersionError

IDENT = "2026-01-01-0000-rule"


@pytest.fixture
def store(repo: Repo) -> Repo:
    """An entry that was edited twice."""
    assert repo.mem("add", "Rule", "--date", "2026-01-01", "--notes", "one").line == IDENT
    for before, after in (("one", "two"), ("two", "three")):
        assert repo.mem("edit", IDENT, env={"GIT_EDITOR": f"sed -i s/{before}/{after}/"}).code == 0
    return repo


def back(repo: Repo, name: str, *, dry_run: bool = False) -> Restored:
    return restore_version(workspace(repo), name, dry_run=dry_run, at_terminal=False)


def subjects(repo: Repo) -> list[str]:
    return repo.git("log", "--format=%s", "refs/mem/store").out.splitlines()


def test_an_older_text_comes_back_and_is_the_newest_version_then(store: Repo) -> None:
    done = store.mem("restore", f"{IDENT}@{{2}}")
    assert (done.code, done.out, done.err) == (0, f"restored {IDENT}\n", "")
    assert b"\none\n" in file_of(store, IDENT).read_bytes()
    assert subjects(store)[0] == f"restore {IDENT}"
    assert b"\nthree\n" in store.mem("show", f"{IDENT}@{{1}}").stdout


def test_the_newest_version_undoes_an_edit_by_hand_which_is_recorded_first(store: Repo) -> None:
    recorded = file_of(store, IDENT).read_bytes()
    file_of(store, IDENT).write_bytes(recorded.replace(b"three", b"by hand"))
    assert [one.id for one in back(store, f"{IDENT}@{{0}}").entries] == [IDENT]
    assert file_of(store, IDENT).read_bytes() == recorded
    assert subjects(store)[:2] == [f"restore {IDENT}", f"edit by hand {IDENT}"]


def test_a_file_that_is_gone_comes_back_as_the_version_that_is_named(store: Repo) -> None:
    file_of(store, IDENT).unlink()
    assert [one.id for one in back(store, f"{IDENT}@{{1}}").entries] == [IDENT]
    assert b"\ntwo\n" in file_of(store, IDENT).read_bytes()
    assert (
        store.git("rev-parse", f"refs/mem/store:{IDENT}.md").line
        == store.git("hash-object", "--no-filters", file_of(store, IDENT)).line
    )


def test_what_is_as_the_version_says_and_a_dry_run_write_nothing(store: Repo) -> None:
    before = store.rev("refs/mem/store"), file_of(store, IDENT).read_bytes()
    assert back(store, f"{IDENT}@{{0}}").present == (IDENT,)
    assert [one.id for one in back(store, f"{IDENT}@{{2}}", dry_run=True).entries] == [IDENT]
    assert (store.rev("refs/mem/store"), file_of(store, IDENT).read_bytes()) == before


def test_a_superseded_entry_does_not_come_back_to_life_by_its_older_text(store: Repo) -> None:
    assert store.mem("add", "Better rule", "--supersedes", IDENT).code == 0
    with pytest.raises(EditRefusedError, match="`reviewState` cannot become 'reviewed' by editing"):
        back(store, f"{IDENT}@{{1}}")


@pytest.mark.parametrize(
    ("name", "error"), [(f"{IDENT}@{{3}}", NoSuchVersionError), (f"{IDENT}@{{x}}", UsageError)], ids=["3", "x"]
)
def test_what_names_no_version_is_refused(store: Repo, name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        back(store, name)


@pytest.mark.parametrize("words", [[f"{IDENT}@{{1}}", IDENT], [f"{IDENT}@{{1}}", "--all"]])
def test_a_version_comes_back_alone(store: Repo, words: list[str]) -> None:
    refused = store.mem("restore", *words)
    assert (refused.code, is_one_error(refused)) == (129, True)


def test_a_write_warns_of_what_was_removed_by_hand_and_the_way_back_works(store: Repo) -> None:
    put(Path(store.path / ".klide/memory"), made("two"), made("three"))
    assert store.mem("add", "Next", "--date", "2026-02-01").err == ""
    for name in (IDENT, "two", "three"):
        file_of(store, name).unlink()
    warned = store.mem("add", "Another", "--date", "2026-02-02")
    told = "3 entries had been removed by hand, and that is recorded now: `git mem restore --all` brings them back"
    assert (warned.code, warned.err) == (0, f"warning: {told}\n")
    assert store.mem("restore", "--all").code == 0
    assert all(file_of(store, name).exists() for name in (IDENT, "two", "three"))


def test_of_a_store_that_is_gone_check_does_not_say_that_nothing_is_stale(store: Repo) -> None:
    (store.path / ".klide").rename(store.path / "away")
    refused = store.mem("check")
    assert (refused.code, "git mem restore" in refused.err, refused.out) == (128, True, "")
