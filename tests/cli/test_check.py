"""`git mem check`: what is checked, how it ends, and what it says."""

import json
from collections.abc import Sequence

import pytest
from inprocess import Cli
from program import document, entry, is_one_error, put
from remembered import TEXT, refs_of, remember, workspace
from world import Repo, World

from gitmem.cli.formats import github, gitlab, junit, sarif
from gitmem.entry.model import ReviewState, SourceRef
from gitmem.porcelain.check import Aim, check

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


# What is looked at, and in which form it is told

ROWS = TEXT.replace("line", "row")
EDITED = TEXT.replace("line 4\n", "line four\n")


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Entries that can be mended in each way, or cannot; `code.py` is stale since HEAD, `clean.py` only on disk."""
    repo = World(tmp_path_factory.mktemp("mended")).repo()
    repo.commit("Start", {"code.py": TEXT, "shifted.py": ROWS, "gone.py": "soon gone\n", "clean.py": "clean\n"})
    start = repo.rev()
    amended = repo.commit("To be amended", {"amended.py": "first\n" * 5})
    repo.write("amended.py", "second\n" * 5)
    repo.git("commit", "-q", "-a", "--amend", "--no-edit")
    (repo.path / ".git/mem").mkdir()
    (repo.path / ".git/mem/rewritten").write_text(f"{amended} {repo.rev()}\n", encoding="ascii")
    paths = {"stale": "code.py:3-5", "moved": "shifted.py:3-5", "gone": "gone.py", "clean": "clean.py"}
    refs = {name: refs_of(repo, remember(repo, f"x {name}", path)) for name, path in paths.items()}
    for path in (repo.path / ".klide/memory").glob("*-x-*.md"):
        path.unlink()
    put(
        repo.path / ".klide/memory",
        *(entry(name, source_refs=ref) for name, ref in refs.items()),
        entry("both", source_refs=(*refs["stale"], *refs["moved"])),
        entry("hopeless", source_refs=(*refs["stale"], *refs["gone"])),
        entry("followable", source_refs=(since(start, "shifted.py"),)),
        entry("amended-and-gone", source_refs=(since(amended, "amended.py"),)),
        entry("superseded", review_state=ReviewState.SUPERSEDED, source_refs=refs["stale"]),
        entry("old", source_refs=refs["moved"]),
        entry("new", supersedes="old"),
    )
    repo.commit("Change", {"code.py": EDITED, "shifted.py": "new\n" + ROWS, "gone.py": None, "amended.py": None})
    repo.write("clean.py", "dirty\n")
    return repo


def if_not(ident: str) -> str:
    return f"if not: git mem supersede {ident} --by NEW, or git mem forget {ident}"


def since(commit: str, path: str) -> SourceRef:
    return SourceRef(source_type="commit", id=commit, path=path, line_start=3, line_end=5)


@pytest.mark.parametrize(
    ("ident", "lines"),
    [
        ("followable", ["to follow it: git mem relink followable"]),
        ("amended-and-gone", [if_not("amended-and-gone")]),
        ("stale", ["if it still holds: git mem confirm stale", if_not("stale")]),
        ("both", ["if it still holds: git mem confirm both", if_not("both")]),
        ("moved", ["to follow it: git mem relink moved"]),
        ("gone", [if_not("gone")]),
        ("hopeless", [if_not("hopeless")]),
        ("superseded", []),
        ("old", []),
        ("new", []),
    ],
)
def test_text_says_which_command_mends_an_entry(cli: Cli, mended: Repo, ident: str, lines: Sequence[str]) -> None:
    told = cli(mended, "check", ident).out.splitlines()
    assert [line.strip() for line in told if "git mem" in line] == lines


def test_the_commands_that_are_named_work(cli: Cli, mended: Repo) -> None:
    clone = mended.world.clone(mended, "clone")
    put(clone.path / ".klide/memory", *workspace(mended).contents.entries)
    for ident in ("stale", "moved", "both"):
        told = cli(clone, "check", ident).out
        command, *_ = [line.partition("git mem ")[2].split() for line in told.splitlines() if "git mem" in line]
        assert cli(clone, *command).code == 0
        after = cli(clone, "check", ident)
        assert (after.code, "git mem" in after.out) == (0, False)


@pytest.mark.parametrize(
    ("args", "verdict"),
    [
        ((), {"clean": "stale", "stale": "stale"}),
        (("--cached",), {"clean": "current", "stale": "stale"}),
        (("--at", "HEAD"), {"clean": "current", "stale": "stale"}),
        (("--at", "HEAD~1"), {"clean": "current", "stale": "current"}),
    ],
)
def test_evidence_is_judged_where_the_options_say(
    cli: Cli, mended: Repo, args: Sequence[str], verdict: dict[str, str]
) -> None:
    result = cli(mended, "check", "clean", "stale", "--json", *args)
    assert {one["id"]: one["verdict"] for one in json.loads(result.out)["entries"]} == verdict
    assert result.code == int("stale" in verdict.values())


def test_what_was_looked_at_is_told(cli: Cli, mended: Repo) -> None:
    keys = ("target", "head", "since")
    for args, expected in {
        (): ("worktree", "HEAD", None),
        ("--cached",): ("index", "HEAD", None),
        ("--at", "main~1"): ("commit", "HEAD~1", None),
        ("--since", "HEAD~1"): ("worktree", "HEAD", "HEAD~1"),
    }.items():
        found = document(cli(mended, "check", "--json", *args))
        target, head, since = expected
        assert [found[key] for key in keys] == [target, mended.rev(head), since and mended.rev(since)]


def test_since_and_ids_keep_to_what_is_both_named_and_touched(cli: Cli, mended: Repo) -> None:
    at_risk = {"stale", "moved", "gone", "both", "hopeless", "clean", "followable", "amended-and-gone"}
    assert checked(cli, mended, "--since", "HEAD~1") == at_risk
    assert checked(cli, mended, "--since", "HEAD") == {"clean"}
    assert checked(cli, mended, "--since", "HEAD~1", "--at", "HEAD", "stale", "new") == {"stale"}


@pytest.mark.parametrize(
    ("name", "render"),
    [("github", github.render), ("gitlab", gitlab.render), ("sarif", sarif.render), ("junit", junit.render)],
)
def test_a_format_is_written_as_it_is_rendered(cli: Cli, mended: Repo, name: str, render: object) -> None:
    result = cli(mended, "check", "--format", name, "--at", "HEAD")
    here = workspace(mended)
    assert callable(render)
    assert result.out == render(check(here, [], aim=Aim(at="HEAD")), here.layout.store_path)
    assert (result.code, result.err) == (1, "")
    assert cli(mended, "check", "--format", name, "--at", "HEAD", "--fail-on", "never").code == 0


def test_json_and_text_can_be_asked_for_as_formats(cli: Cli, mended: Repo) -> None:
    assert cli(mended, "check", "--format", "json").out == cli(mended, "check", "--json").out
    assert cli(mended, "check", "--format", "json", "--json").out == cli(mended, "check", "--json").out
    assert cli(mended, "check", "--format", "text").out == cli(mended, "check").out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--json", "--format", "sarif"), "--json and --format sarif ask for two forms: choose one"),
        (("--json", "--format", "text"), "--json and --format text ask for two forms: choose one"),
        (("--cached", "--at", "HEAD"), "--cached looks at the index, --at at a commit: choose one"),
        (("--format", "xml"), "invalid value for '--format': 'xml'"),
        (("--fail-on", "current"), "invalid value for '--fail-on'"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_usage(
    cli: Cli, mended: Repo, args: Sequence[str], told: str
) -> None:
    result = cli(mended, "check", *args)
    assert result.code == 129
    assert is_one_error(result)
    assert result.err.startswith(f"error: {told}")


@pytest.mark.parametrize("option", ["--at", "--since"])
@pytest.mark.parametrize("name", ["nowhere", "-x", "", "HEAD^{tree}", "^main"])
def test_a_revision_that_names_no_commit_is_refused(cli: Cli, mended: Repo, option: str, name: str) -> None:
    result = cli(mended, "check", f"{option}={name}", "--fail-on", "never")
    assert result.code == 128
    assert is_one_error(result)


def test_since_without_a_merge_base_is_refused(cli: Cli, mended: Repo) -> None:
    lonely = mended.git("commit-tree", "-m", "Alone", "HEAD^{tree}").line
    result = cli(mended, "check", "--since", lonely, "--fail-on", "never", "--format", "github")
    assert result.code == 128
    assert is_one_error(result)
    shallow = mended.world.clone(mended, "shallow", "--depth=1")
    shallow.git("fetch", "-q", "--depth=1", "origin", lonely)
    put(shallow.path / ".klide/memory", entry("x"))
    result = cli(shallow, "check", "--since", "FETCH_HEAD")
    assert result.code == 128
    assert is_one_error(result)
    assert "fetch-depth: 0" in result.err
