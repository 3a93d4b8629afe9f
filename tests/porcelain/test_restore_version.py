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


def test_what_was_set_superseded_by_hand_and_by_nobody_comes_back(store: Repo) -> None:
    path = file_of(store, IDENT)
    recorded = path.read_bytes()
    path.write_bytes(recorded.replace(b"reviewState: reviewed", b"reviewState: superseded"))
    back(store, f"{IDENT}@{{0}}")
    assert path.read_bytes() == recorded


def test_who_gives_up_a_place_is_told_how_its_old_holder_comes_back(store: Repo) -> None:
    new = store.mem("add", "Better rule", "--supersedes", IDENT).line
    edited = store.mem("edit", new, env={"GIT_EDITOR": "sed -i /^supersedes/d"})
    told = f"{IDENT} stays superseded: if it holds again, make it reviewed with `git mem edit {IDENT}`\n"
    assert (edited.code, edited.err) == (0, told)
    again = store.mem("edit", IDENT, env={"GIT_EDITOR": "sed -i s/superseded/reviewed/"})
    assert (again.code, again.err) == (0, "")
    assert {one.id for one in workspace(store).contents.entries if one.active} == {IDENT, new}


def removed(repo: Repo, *idents: str) -> None:
    """Remove files by hand, and let that be recorded."""
    for ident in idents:
        file_of(repo, ident).unlink()
    assert repo.mem("add", "Fill").code == 0


@pytest.mark.parametrize("words", [["{}"], ["{}@{{0}}"]], ids=["id", "version"])
def test_a_place_that_another_took_meanwhile_is_not_taken_twice(store: Repo, words: list[str]) -> None:
    first = store.mem("add", "First heir", "--supersedes", IDENT).line
    removed(store, first, IDENT)
    assert store.mem("restore", f"{IDENT}@{{1}}").code == 0
    second = store.mem("add", "Second heir", "--supersedes", IDENT).line
    refused = store.mem("restore", *(word.format(first) for word in words))
    assert (refused.code, is_one_error(refused)) == (128, True)
    assert f"{first} superseded {IDENT}, whose place {second} has now" in refused.err
    left_out = store.mem("restore", "--all")
    assert (left_out.code, f"whose place {second} has now" in left_out.err) == (1, True)
    assert not file_of(store, first).exists()


def test_nothing_that_comes_back_makes_a_circle(store: Repo) -> None:
    heir = store.mem("add", "Heir", "--supersedes", IDENT).line
    assert store.mem("edit", heir, env={"GIT_EDITOR": "sed -i /^supersedes/d"}).code == 0
    assert store.mem("edit", IDENT, env={"GIT_EDITOR": "sed -i s/superseded/reviewed/"}).code == 0
    assert store.mem("supersede", heir, "--by", IDENT).code == 0
    removed(store, heir)
    refused = store.mem("restore", f"{heir}@{{2}}")
    assert (refused.code, is_one_error(refused), "circle" in refused.err) == (128, True, True)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"---\nschemaVersion: 2\ntitle: x\n---\n"], ids=["bytes", "future"])
def test_what_stands_in_the_way_of_a_version_is_to_be_moved_away(store: Repo, data: bytes) -> None:
    file_of(store, IDENT).write_bytes(data)
    refused = store.mem("restore", f"{IDENT}@{{0}}")
    assert (refused.code, f"or move {IDENT}.md away, then restore it" in refused.err) == (128, True)
    file_of(store, IDENT).unlink()
    assert store.mem("restore", f"{IDENT}@{{0}}").code == 0


def test_a_text_that_is_recorded_nowhere_is_not_replaced(store: Repo) -> None:
    store.git("config", "mem.history", "false")
    path = file_of(store, IDENT)
    path.write_bytes(path.read_bytes() + b"by hand\n")
    refused = store.mem("restore", f"{IDENT}@{{1}}")
    assert (refused.code, "recorded nowhere" in refused.err, path.read_bytes()[-8:]) == (128, True, b"by hand\n")


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
    assert (refused.code, is_one_error(refused), "git mem restore" in refused.err) == (128, True, True)
