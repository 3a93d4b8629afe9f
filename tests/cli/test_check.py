"""`git mem check`: what is checked, how it ends, and what it says."""

import json
from collections.abc import Sequence

import pytest
from inprocess import Cli
from program import document, entry, put
from world import Repo, World

from gitmem.entry.model import ReviewState, SourceRef

WARNING = "warning: broken.md cannot be read: not UTF-8: byte 1: correct the file, or move it away\n"


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Repo]:
    """Repositories by what is in their store: the verdicts of the entries, and whether a file is unreadable."""
    world = World(tmp_path_factory.mktemp("stores"))
    repo = world.repo()
    head = repo.commit("Start", {"code.py": "one\ntwo\n"})
    refs = {
        "current": (SourceRef(source_type="commit", id=head),),
        "stale": (SourceRef(source_type="file", id="code.py", path="code.py", blob="1" * 40, text_hash="sha256:00"),),
        "unverified": (),
    }
    found = {}
    for names in ("", "current", "unverified", "stale", "current unverified", "stale unverified", "current invalid"):
        clone = world.clone(repo, f"store {names}")
        store = clone.path / ".klide/memory"
        put(store, *(entry(name, source_refs=refs[name]) for name in names.split() if name != "invalid"))
        if "invalid" in names:
            (store / "broken.md").write_bytes(b"\xff")
        found[names] = clone
    return found


@pytest.mark.parametrize(
    ("names", "by_default", "on_unverified"),
    [
        ("", 0, 0),
        ("current", 0, 0),
        ("unverified", 0, 2),
        ("stale", 1, 1),
        ("current unverified", 0, 2),
        ("stale unverified", 1, 1),
        ("current invalid", 0, 2),
    ],
)
def test_exit_codes(cli: Cli, stores: dict[str, Repo], names: str, by_default: int, on_unverified: int) -> None:
    repo = stores[names]
    assert cli(repo, "check").code == by_default
    assert cli(repo, "check", "--fail-on", "stale").code == by_default
    assert cli(repo, "check", "--fail-on", "unverified").code == on_unverified
    assert cli(repo, "check", "--fail-on", "never").code == 0
    assert cli(repo, "check", "--json", "--fail-on", "unverified").code == on_unverified


@pytest.fixture(scope="module")
def states(shared: Repo) -> Repo:
    """One stale sourceRef in an entry of each state, and a file that cannot be read."""
    refs = (SourceRef(source_type="file", id="README.md", path="README.md", blob="1" * 40, text_hash="sha256:00"),)
    store = shared.path / ".klide/memory"
    put(store, *(entry(f"is-{state}", review_state=state, source_refs=refs) for state in ReviewState))
    put(store, entry("replaced", source_refs=refs), entry("replacing", supersedes="replaced"))
    (store / "broken.md").write_bytes(b"\xff")
    return shared


def checked(cli: Cli, repo: Repo, *args: str) -> set[str]:
    return {one["id"] for one in json.loads(cli(repo, "check", "--json", *args).out)["entries"]}


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], {"is-reviewed", "is-proposed", "replacing"}),
        (["--state", "proposed"], {"is-proposed"}),
        (["--state", "superseded"], {"is-superseded", "replaced"}),
        (["--state", "superseded", "--state", "stale"], {"is-superseded", "replaced", "is-stale"}),
        (["is-stale"], {"is-stale"}),
        (["replaced", "is-reviewed", "replaced"], {"replaced", "is-reviewed"}),
    ],
)
def test_what_is_checked(cli: Cli, states: Repo, args: Sequence[str], expected: set[str]) -> None:
    assert checked(cli, states, *args) == expected


def test_all_states_are_all_entries(cli: Cli, states: Repo) -> None:
    everything = {f"is-{state}" for state in ReviewState} | {"replaced", "replacing"}
    assert checked(cli, states, "--state", "all") == everything


def test_a_state_that_is_not_checked_cannot_fail_the_check(cli: Cli, states: Repo) -> None:
    assert cli(states, "check", "--state", "superseded").code == 1
    assert cli(states, "check", "replacing").code == 0


def test_named_entries_come_in_the_order_in_which_they_are_named(cli: Cli, states: Repo) -> None:
    found = document(cli(states, "check", "--json", "replacing", "is-stale", "is-reviewed", "is-stale"))
    assert [one["id"] for one in found["entries"]] == ["replacing", "is-stale", "is-reviewed"]
    assert found["summary"] == {"current": 0, "stale": 2, "unverified": 1}


def test_files_that_cannot_be_read_are_named_on_stderr_and_in_json(cli: Cli, states: Repo) -> None:
    result = cli(states, "check", "--json", "--state", "proposed")
    assert result.err == WARNING
    assert json.loads(result.out)["invalid"] == [{"file": "broken.md", "reason": "not UTF-8: byte 1"}]
    assert cli(states, "check").err == WARNING


def test_a_file_that_cannot_be_read_can_be_named_and_is_not_measured(cli: Cli, states: Repo) -> None:
    result = cli(states, "check", "broken", "--json", "--fail-on", "unverified")
    assert (result.code, result.err) == (2, WARNING)
    assert json.loads(result.out)["invalid"] == [{"file": "broken.md", "reason": "not UTF-8: byte 1"}]
    assert json.loads(result.out)["entries"] == []


def test_other_files_do_not_matter_to_a_named_entry(cli: Cli, states: Repo) -> None:
    result = cli(states, "check", "is-reviewed", "--json")
    assert result.err == ""
    assert json.loads(result.out)["invalid"] == []


def test_text_has_the_worst_first_and_ends_with_the_counts(cli: Cli, stores: dict[str, Repo]) -> None:
    lines = cli(stores["stale unverified"], "check").out.splitlines()
    assert [line for line in lines if line in ("stale", "unverified", "current")] == ["stale", "unverified"]
    assert "    code.py: the file changed [content-changed]" in lines
    assert "    no evidence: nothing in git can confirm it" in lines
    assert lines[-1] == "0 current, 1 stale, 1 unverified"


def test_text_counts_what_cannot_be_read(cli: Cli, stores: dict[str, Repo]) -> None:
    assert cli(stores["current invalid"], "check").out.endswith("\n1 current, 0 stale, 0 unverified, 1 unreadable\n")


def test_an_entry_cannot_forge_a_line_of_the_report(cli: Cli, repo: Repo) -> None:
    ref = SourceRef(source_type="run", id="x\n    code.py: the file unchanged", label="y")
    forged = f'[{{"sourceType":"run","id":"x\\n    {ref.id}\\u001b[2J"}}]'.replace("\n", "\\n")
    repo.write(".klide/memory/forged.md", f"---\nschemaVersion: 1\nreviewState: reviewed\nsourceRefs: {forged}\n---\n")
    out = cli(repo, "check").out
    assert "\x1b" not in out
    assert "    code.py: the file unchanged" not in out.splitlines()
