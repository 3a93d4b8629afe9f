"""`git mem show`: the bytes on disk, and nothing that is not asked for."""

import pytest
from inprocess import Cli
from program import document, entry, faults, put
from world import Repo

from gitmem.entry.model import ReviewState

FILES = {
    "as-written": b"---\nschemaVersion: 1\ntitle: T\nreviewState: reviewed\n---\n\n# Notes\n\nx\n",
    "by-hand": b"---\n# why: the retro\ntitle:   'Keep  quotes'  # so\nx-team: core\ntags: [b, a]\n---\nbody  \n\n\n",
    "crlf": b"---\r\ntitle: Windows\r\n---\r\n\r\nzebra\r\n",
    "no-final-line-end": b"---\ntitle: T\n---\n\ntail",
    "byte-order-mark": b"\xef\xbb\xbf---\ntitle: T\n---\n\nx\n",
    "controls": b"# Notes\n\n\x1b[31mred\x1b[0m \x07 \xe2\x80\xae\n",
    "legacy": "# Notes\n\nRéglage 木\n".encode(),
}


@pytest.fixture(scope="module")
def store(shared: Repo) -> Repo:
    for name, data in FILES.items():
        shared.write(f".klide/memory/{name}.md", data)
    inactive = [state for state in ReviewState if state is not ReviewState.REVIEWED]
    put(shared.path / ".klide/memory", *(entry(f"is-{state}", review_state=state) for state in inactive))
    put(shared.path / ".klide/memory", entry("old"), entry("new", supersedes="old"))
    shared.write(".klide/memory/future.md", "---\nschemaVersion: 2\ntitle: From the future\n---\n\nzebra\n")
    return shared


def on_disk(store: Repo, ident: str) -> bytes:
    return (store.path / ".klide/memory" / f"{ident}.md").read_bytes()


@pytest.mark.parametrize("ident", FILES)
def test_the_bytes_are_those_on_disk(cli: Cli, store: Repo, ident: str) -> None:
    result = cli(store, "show", ident)
    assert (result.code, result.stdout, result.err) == (0, FILES[ident], "")


@pytest.mark.parametrize("state", ["proposed", "superseded", "stale"])
def test_an_inactive_entry_comes_behind_a_line_that_says_so(cli: Cli, store: Repo, state: str) -> None:
    result = cli(store, "show", "--include-inactive", f"is-{state}")
    marker = f"[historical evidence: {state}]\n".encode()
    assert (result.code, result.stdout) == (0, marker + on_disk(store, f"is-{state}"))
    assert cli(store, "show", f"is-{state}").code == 1


def test_a_replaced_entry_is_superseded_whatever_its_file_says(cli: Cli, store: Repo) -> None:
    assert b"reviewState: reviewed" in on_disk(store, "old")
    refusal = cli(store, "show", "old")
    assert refusal.code == 1
    assert "superseded by new" in refusal.err
    assert cli(store, "show", "old", "--include-inactive").out.startswith("[historical evidence: superseded]\n")


def test_an_active_entry_has_no_marker_with_the_flag_either(cli: Cli, store: Repo) -> None:
    assert cli(store, "show", "legacy", "--include-inactive").stdout == FILES["legacy"]


def test_an_entry_of_the_future_is_stale_evidence(cli: Cli, store: Repo) -> None:
    assert "newer schema version" in cli(store, "show", "future").err
    shown = cli(store, "show", "future", "--include-inactive")
    assert shown.stdout == b"[historical evidence: stale]\n" + on_disk(store, "future")


def test_json_needs_the_flag_as_much_as_text_does(cli: Cli, store: Repo) -> None:
    assert cli(store, "show", "old", "--json").code == 1
    shown = document(cli(store, "show", "old", "--json", "--include-inactive"))
    assert faults("show", shown) == []
    assert shown["entry"]["reviewState"] == "superseded"


def test_values_are_without_controls_in_json_and_the_body_is_not_touched(cli: Cli, store: Repo) -> None:
    assert "\x1b[31mred" in document(cli(store, "show", "controls", "--json"))["entry"]["notes"]
