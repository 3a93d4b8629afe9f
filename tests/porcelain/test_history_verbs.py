"""Versions, differences and blame of entries, and the store as of a commit."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from layouts import Standpoint, bare, dot_bare
from program import entry, put
from recorded import Files, record
from remembered import reasons, remember, workspace
from world import Repo, World, listing

from gitmem.entry.format import format_entry
from gitmem.entry.model import ReviewState, SourceRef
from gitmem.errors import UsageError
from gitmem.git.run import Git
from gitmem.porcelain.blame import blame, differs_now
from gitmem.porcelain.check import Aim, check
from gitmem.porcelain.diff import diff, sides
from gitmem.porcelain.log import log
from gitmem.porcelain.search import FoundAt, Request, search
from gitmem.porcelain.show import DamagedEntryError, ShownVersion, show_version
from gitmem.porcelain.version import (
    NOTHING_RECORDED,
    Name,
    NoSuchVersionError,
    Past,
    as_of,
    find_version,
    parse_name,
    past_in_bare,
    past_of,
)
from gitmem.store.read import BadIdError, UnknownEntryError
from gitmem.store.view import id_digest, write_forgotten

STORE = ".klide/memory"


def past(repo: Repo) -> Past:
    return past_of(workspace(repo))


def text(ident: str, **fields: object) -> bytes:
    return format_entry(entry(ident, **fields))


def lay(repo: Repo, files: Mapping[str, bytes | str]) -> None:
    """Make the store hold exactly these entries."""
    for path in (repo.path / STORE).glob("*.md"):
        path.unlink()
    (repo.path / STORE).mkdir(parents=True, exist_ok=True)
    for ident, data in files.items():
        repo.write(f"{STORE}/{ident}.md", data)


def settle(repo: Repo, files: Files, subject: str = "edit", *, head: str | None = None, at: int | None = None) -> str:
    """Let the store hold these entries, and record it."""
    lay(repo, files)
    return record(repo, files, subject, head=head, at=at)


# Names of versions


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a", Name("a", None)),
        ("a@{0}", Name("a", 0)),
        ("2026-01-01-0000-x@{12}", Name("2026-01-01-0000-x", 12)),
        ("a@{007}", Name("a", 7)),
    ],
)
def test_a_name_is_an_id_or_a_version_of_it(given: str, name: Name) -> None:
    assert parse_name(given) == name


@pytest.mark.parametrize("number", ["", "-1", "one", "1.5", "٣", " 1", "1}@{2", "9" * 5000, "yesterday", "\n"])
def test_a_version_that_is_no_number_is_wrong_usage_that_says_what_to_write(number: str) -> None:
    with pytest.raises(UsageError, match=r"names no version: write ID@\{0\} for the newest"):
        parse_name(f"a@{{{number}}}")


@pytest.mark.parametrize("given", ["../a@{0}", "@{0}", "a@{0", "a@0}", "a@", ""])
def test_what_is_no_id_is_refused(given: str) -> None:
    with pytest.raises(BadIdError):
        parse_name(given)


def test_a_version_is_counted_from_the_newest_content(repo: Repo) -> None:
    for data in ("one", "two", "three"):
        settle(repo, {"a": data})
    found = [find_version(past(repo), "a", number) for number in range(3)]
    assert [past(repo).history.read(version) for version in found] == [b"three", b"two", b"one"]
    with pytest.raises(NoSuchVersionError, match="the log for a has only 3 versions: `git mem log a`"):
        find_version(past(repo), "a", 3)
    with pytest.raises(UnknownEntryError):
        find_version(past(repo), "b", 0)


def test_an_entry_that_is_not_recorded_has_no_version(repo: Repo) -> None:
    lay(repo, {"a": "x", "b": "x"})
    with pytest.raises(NoSuchVersionError, match="has no version"):
        find_version(past(repo), "a", 0)
    record(repo, {"b": "x"})
    with pytest.raises(NoSuchVersionError, match="has no version"):
        find_version(past(repo), "a", 0)
    with pytest.raises(NoSuchVersionError, match="has only 1 version:"):
        find_version(past(repo), "b", 1)


# A version, shown


def shown(repo: Repo, number: int = 0, ident: str = "a") -> ShownVersion:
    return show_version(past(repo), ident, number)


def test_what_holds_now_has_no_marker_and_everything_older_has_one(repo: Repo) -> None:
    settle(repo, {"a": text("a", notes="one")}, "add a")
    newest = settle(repo, {"a": text("a", notes="two")}, "edit a")
    assert (shown(repo).marker, shown(repo).markdown) == (None, text("a", notes="two"))
    assert shown(repo, 1).markdown == text("a", notes="one")
    assert shown(repo, 1).marker == f"[historical evidence: version @{{1}} of {shown(repo, 1).version.date}]"
    line = shown(repo).document.version
    told = repo.git("log", "-1", "--format=%H %an %s", newest).line
    assert f"{line.commit} {line.author} {line.subject}" == told
    assert line.number == 0


def test_a_content_that_came_back_is_what_holds_now(repo: Repo) -> None:
    for notes in ("one", "two", "one"):
        settle(repo, {"a": text("a", notes=notes)})
    assert [shown(repo, number).marker is None for number in range(3)] == [True, False, True]


@pytest.mark.parametrize("now", [None, "edited", "removed", "a directory"])
def test_a_version_that_the_file_does_not_hold_any_more_is_history(repo: Repo, now: str | None) -> None:
    settle(repo, {"a": text("a")})
    file = repo.path / STORE / "a.md"
    if now is not None:
        file.unlink()
    if now == "edited":
        file.write_bytes(text("a", notes="by hand"))
    if now == "a directory":
        file.mkdir()
    assert (shown(repo).marker is None) == (now is None)


@pytest.mark.parametrize("state", [state for state in ReviewState if state is not ReviewState.REVIEWED])
def test_a_version_of_an_inactive_entry_says_its_state_and_needs_no_flag(repo: Repo, state: ReviewState) -> None:
    settle(repo, {"a": text("a")})
    settle(repo, {"a": text("a", review_state=state)})
    assert shown(repo).marker == f"[historical evidence: {state}]"
    assert "version @{1}" in (shown(repo, 1).marker or "")


def test_a_replaced_entry_is_superseded_in_its_newest_version_too(repo: Repo) -> None:
    settle(repo, {"a": text("a"), "b": text("b", supersedes="a")})
    assert shown(repo).marker == "[historical evidence: superseded]"
    assert shown(repo).document.entry.review_state is ReviewState.SUPERSEDED


def test_a_version_that_is_no_entry_is_shown_and_has_no_document(repo: Repo) -> None:
    settle(repo, {"a": "---\ntitle: [x\n---\n"})
    found = shown(repo)
    assert found.markdown == b"---\ntitle: [x\n---\n"
    assert "version @{0}" in (found.marker or "")
    with pytest.raises(DamagedEntryError, match="without --json"):
        _ = found.document


# Log


def test_the_log_of_an_entry_has_its_removal_and_its_numbers(repo: Repo) -> None:
    settle(repo, {"a": "1", "b": "1"}, "add 2 entries")
    settle(repo, {"b": "1"}, "edit by hand a")
    found = log(past(repo), "a").commits
    assert [(line.version, line.subject) for line in found] == [(None, "edit by hand a"), (0, "add 2 entries")]
    assert [change.id for line in found for change in line.changes] == ["a", "a"]
    assert len(log(past(repo), "a", limit=1).commits) == 1
    assert [line.version for line in log(past(repo), None).commits] == [None, None]


def test_an_entry_that_nobody_knows_has_no_log(repo: Repo) -> None:
    settle(repo, {"a": "1"})
    with pytest.raises(UnknownEntryError):
        log(past(repo), "b")
    with pytest.raises(BadIdError):
        log(past(repo), "../a")
    lay(repo, {"a": "1", "b": "1"})
    assert log(past(repo), "b").commits == ()


def test_what_was_forgotten_has_no_history(repo: Repo) -> None:
    settle(repo, {"a": text("a"), "b": text("b")}, head=repo.rev())
    first = repo.rev()
    repo.commit("Next", {"x": "x\n"})
    settle(repo, {"b": text("b", notes="more")}, head=repo.rev())
    past(repo).state.mkdir(exist_ok=True)
    write_forgotten(past(repo).state, [id_digest("a")])
    for ask in (lambda: log(past(repo), "a"), lambda: shown(repo), lambda: blame(past(repo), "a")):
        with pytest.raises(UnknownEntryError):
            ask()
    assert [one.id for one in as_of(workspace(repo), first).entries] == ["b"]


# Diff


def differences(repo: Repo, *names: str) -> dict[str, str]:
    here = workspace(repo)
    return {change.id: change.status for change in diff(here.git, sides(past_of(here), names)).changes}


def patched(repo: Repo, *names: str) -> str:
    here = workspace(repo)
    return "".join(change.patch for change in diff(here.git, sides(past_of(here), names)).changes)


def test_edits_by_hand_are_what_differs_from_the_last_recorded_state(repo: Repo) -> None:
    settle(repo, {"a": "1\n", "b": "1\n", "c": "1\n"})
    lay(repo, {"a": "2\n", "c": "1\n", "d": "1\n"})
    assert differences(repo) == {"a": "M", "b": "D", "d": "A"}
    assert sides(past_of(workspace(repo)), ()).note is None
    assert "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-1\n+2\n" in patched(repo)
    assert str(repo.world.root) not in patched(repo)
    assert (differences(repo, "a"), differences(repo, "b")) == ({"a": "M"}, {"b": "D"})
    assert (differences(repo, "c"), differences(repo, "d")) == ({"c": "A"}, {"d": "A"})


def test_without_edits_by_hand_it_is_what_the_last_transaction_changed(repo: Repo) -> None:
    settle(repo, {"a": "1\n", "b": "1\n"})
    assert differences(repo) == {"a": "A", "b": "A"}
    settle(repo, {"a": "2\n", "b": "1\n"})
    found = sides(past_of(workspace(repo)), ())
    assert found.note == "the files are as they were recorded last: this is what that changed"
    assert differences(repo) == {"a": "M"}
    assert differences(repo, "b") == {"b": "A"}
    assert "b is as it was recorded last" in (sides(past_of(workspace(repo)), ("b",)).note or "")


def test_an_entry_that_was_removed_and_recorded_so_differs_from_its_last_content(repo: Repo) -> None:
    settle(repo, {"a": "1\n", "b": "1\n"})
    settle(repo, {"b": "1\n"})
    assert differences(repo) == {"a": "D"}
    assert differences(repo, "a") == {"a": "D"}
    assert differences(repo, "a@{0}") == {"a": "D"}


def test_versions_are_compared_with_the_file_and_with_each_other(repo: Repo) -> None:
    for data in ("1\n", "2\n", "3\n"):
        settle(repo, {"a": data})
    lay(repo, {"a": "4\n"})
    for names, old, new in (
        (("a@{2}",), 1, 4),
        (("a@{2}", "a@{0}"), 1, 3),
        (("a@{0}", "a@{2}"), 3, 1),
        (("a@{1}", "a"), 2, 4),
        (("a", "a@{1}"), 4, 2),
    ):
        assert patched(repo, *names).endswith(f"\n-{old}\n+{new}\n"), names
    assert differences(repo, "a@{1}", "a@{1}") == {}
    assert differences(repo, "a", "a") == {}


def test_names_that_cannot_be_compared_are_refused(repo: Repo) -> None:
    settle(repo, {"a": "1\n", "b": "1\n"})
    for names, error in (
        (("a@{0}", "b@{0}"), UsageError),
        (("a@{1}",), NoSuchVersionError),
        (("c",), UnknownEntryError),
        (("c@{0}",), UnknownEntryError),
        (("c", "c"), UnknownEntryError),
        (("../a",), BadIdError),
        (("a@{x}",), UsageError),
    ):
        with pytest.raises(error):
            sides(past_of(workspace(repo)), names)


def test_a_file_that_cannot_be_read_cannot_be_compared(repo: Repo) -> None:
    settle(repo, {"a": "1\n", "b": "1\n"})
    (repo.path / STORE / "a.md").unlink()
    (repo.path / STORE / "a.md").mkdir()
    with pytest.raises(DamagedEntryError, match=r"a\.md cannot be read: correct the file"):
        sides(past_of(workspace(repo)), ("a",))
    lay_b = repo.path / STORE / "b.md"
    lay_b.write_bytes(b"2\n")
    assert differences(repo) == {"b": "M"}  # nobody took a out


def test_without_a_history_nothing_differs(repo: Repo) -> None:
    lay(repo, {"a": "1\n"})
    for names in ((), ("a",)):
        assert sides(past_of(workspace(repo)), names).note == NOTHING_RECORDED
        assert differences(repo, *names) == {}
    with pytest.raises(UnknownEntryError):
        sides(past_of(workspace(repo)), ("b",))


def test_a_lost_store_differs_in_all_that_it_held(repo: Repo) -> None:
    settle(repo, {"a": "1\n", "b": "1\n"})
    lay(repo, {})
    (repo.path / STORE).rmdir()
    assert differences(repo) == {"a": "D", "b": "D"}
    assert differences(repo, "a") == {"a": "D"}


def test_what_is_not_an_entry_makes_no_difference(repo: Repo) -> None:
    settle(repo, {"a": "1\n"})
    repo.write(f"{STORE}/not an id.md", "x")
    repo.write(f"{STORE}/README", "x")
    assert "the files are as they were" in (sides(past_of(workspace(repo)), ()).note or "")


# Blame


def test_blame_is_of_the_newest_content_and_says_where_the_file_differs(repo: Repo) -> None:
    first = settle(repo, {"a": "1\n2\n"})
    second = settle(repo, {"a": "1\nTWO\n"})
    found = blame(past(repo), "a")
    assert [(line.line, line.text, line.commit) for line in found.lines] == [(1, "1", first), (2, "TWO", second)]
    assert not differs_now(past(repo), found)
    lay(repo, {"a": "1\nby hand\n"})
    assert differs_now(past(repo), blame(past(repo), "a"))
    settle(repo, {})
    removed = blame(past(repo), "a")
    assert (removed, differs_now(past(repo), removed)) == (found, True)


def test_blame_of_what_is_not_recorded_is_empty(repo: Repo) -> None:
    lay(repo, {"a": "1\n"})
    assert blame(past(repo), "a").lines == ()
    with pytest.raises(UnknownEntryError):
        blame(past(repo), "b")


# As of a commit


def known(repo: Repo, commit: str) -> dict[str, str]:
    """Return the ids that were known at a commit, each with the notes that it had then."""
    return {one.id: one.notes for one in as_of(workspace(repo), repo.rev(commit)).entries}


@pytest.fixture
def story(repo: Repo) -> Repo:
    """Three commits, tagged in their order, at each of which an entry was written."""
    notes: dict[str, bytes] = {}
    for number, name in enumerate(("one", "two", "three")):
        repo.commit(name, {"x": f"{number}\n"})
        repo.git("tag", name)
        notes |= {name: text(name, notes=f"written at {name}")}
        # Long after all of the commits, so that only where HEAD stood can tell.
        settle(repo, notes, f"add {name}", head=repo.rev(), at=2_000_000_000 + number)
    return repo


def test_what_was_written_at_a_commit_or_before_it_is_known_there(story: Repo) -> None:
    assert set(known(story, "one")) == {"one"}
    assert set(known(story, "two")) == {"one", "two"}
    assert set(known(story, "three")) == {"one", "two", "three"}
    side = story.git("commit-tree", "-p", "two", "-m", "side", "two^{tree}").line
    assert set(known(story, side)) == {"one", "two"}


def test_what_was_written_in_time_is_known_wherever_it_was_written(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "other")
    elsewhere = repo.commit("elsewhere", {"x": "x\n"})
    record(repo, {"a": text("a")}, "add a", head=elsewhere, at=repo.world.clock)
    repo.git("checkout", "-q", "main")
    later = repo.commit("later", {"y": "y\n"})
    record(repo, {"a": text("a"), "b": text("b")}, "add b", head=elsewhere, at=2_000_000_000)
    assert set(known(repo, later)) == {"a"}


def test_the_newest_state_is_the_store_as_it_is_now(story: Repo) -> None:
    put(story.path / STORE, entry("three", notes="by hand"), entry("four"))
    assert known(story, "three")["three"] == "by hand"
    assert "four" in known(story, "three")
    assert "four" not in known(story, "two")


def test_heads_that_are_not_here_tell_nothing(story: Repo) -> None:
    record(story, {"x": text("x")}, "add x", head="e" * 40, at=2_000_000_010)
    record(story, {"y": text("y")}, "add y", at=2_000_000_020)
    assert set(known(story, "three")) == {"one", "two", "three"}
    with_graph = workspace(story)
    story.git("commit-graph", "write", "--reachable")
    assert with_graph.repository.graph is not None
    assert {one.id for one in as_of(with_graph, story.rev("two")).entries} == {"one", "two"}


def test_its_cost_does_not_follow_the_number_of_commits(story: Repo) -> None:
    trace = story.world.root / "trace"

    def started() -> int:
        trace.unlink(missing_ok=True)
        here = workspace(story, {"GIT_TRACE": str(trace)})
        assert {one.id for one in as_of(here, story.rev("two")).entries} == {"one", "two"}
        return trace.read_text(encoding="utf-8").count("trace: built-in: ")

    few = started()
    head = story.rev()
    for number in range(10):
        record(story, {"x": text("x", notes=str(number))}, "edit x", head=head, at=2_000_000_010 + number)
    assert started() == few


def test_states_are_those_that_counted_then(repo: Repo) -> None:
    first = repo.rev()
    settle(repo, {"old": text("old")}, head=first)
    second = repo.commit("Next", {"x": "x\n"})
    settle(repo, {"old": text("old"), "new": text("new", supersedes="old")}, head=second, at=2_000_000_000)
    third = repo.commit("Last", {"x": "xx\n"})
    settle(repo, {}, head=third, at=2_000_000_001)
    (then,) = as_of(workspace(repo), first).entries
    assert then.review_state is ReviewState.REVIEWED
    found = {one.id: one.review_state for one in as_of(workspace(repo), second).entries}
    assert found == {"new": ReviewState.REVIEWED, "old": ReviewState.SUPERSEDED}


def test_what_is_older_than_the_history_is_known_by_its_own_date(repo: Repo) -> None:
    moment = repo.git("log", "-1", "--date=format:%Y-%m-%dT%H:%M:%SZ", "--format=%cd").line
    files: dict[str, bytes | str] = {
        "before": text("before", date="2001-01-01T00:00:00Z"),
        "then": text("then", date=moment),
        "after": text("after", date="2031-01-01T00:00:00Z"),
        "legacy": "no date\n",
        "damaged": "---\ntitle: [x\n---\n",
    }
    settle(repo, files, at=2_000_000_000)
    settle(repo, {**files, "more": text("more", date="2001-01-01T00:00:00Z")}, at=2_000_000_001)
    found = as_of(workspace(repo), repo.rev())
    assert {one.id for one in found.entries} == {"before", "then", "legacy"}
    assert found.unreadable == ()


def test_without_a_history_a_private_store_is_as_it_is_now(repo: Repo) -> None:
    put(repo.path / STORE, entry("a", date="2031-01-01T00:00:00Z"))
    assert set(known(repo, "HEAD")) == {"a"}


def test_without_a_history_a_tracked_store_is_what_the_commit_has(repo: Repo) -> None:
    before = repo.rev()
    assert repo.mem("init", "--track").code == 0
    first = repo.commit("Remember", {f"{STORE}/a.md": text("a", notes="one"), f"{STORE}/README": "x"})
    repo.commit("Remember more", {f"{STORE}/a.md": text("a", notes="two"), f"{STORE}/b.md": text("b")})
    put(repo.path / STORE, entry("c"))
    assert known(repo, first) == {"a": "one"}
    assert known(repo, "HEAD") == {"a": "two", "b": ""}
    assert set(known(repo, before)) == {"a", "b", "c"}  # nothing was tracked then: what there is counts
    record(repo, {"z": text("z")}, head="e" * 40, at=2_000_000_000)
    assert known(repo, first) == {"a": "one"}


def test_check_at_a_commit_judges_what_was_known_there(repo: Repo) -> None:
    repo.commit("Code", {"a.py": "1\n2\n"})
    ref = SourceRef(source_type="file", id="a.py", path="a.py", line_start=2, line_end=2, text_hash=None)
    settle(repo, {"early": text("early", source_refs=(ref,))}, head=repo.rev())
    repo.git("tag", "good")
    repo.commit("Break", {"a.py": "1\nTWO\n"})
    settle(repo, {"late": text("late"), "early": text("early")}, head=repo.rev(), at=2_000_000_000)

    def checked(*idents: str, at: str) -> list[tuple[str, int]]:
        found = check(workspace(repo), idents, aim=Aim(at=at)).entries
        return [(one.entry.id, len(one.entry.source_refs)) for one in found]

    assert checked(at="good") == [("early", 1)]
    assert checked(at="HEAD") == [("early", 0), ("late", 0)]
    assert checked("late", "early", at="good") == [("late", 0), ("early", 1)]
    with pytest.raises(UnknownEntryError):
        checked("nobody", at="good")


def test_check_at_a_commit_names_the_files_that_could_not_be_read_then(repo: Repo) -> None:
    damaged = "---\ntitle: [x\n---\n"
    settle(repo, {"a": damaged, "b": text("b")}, head=repo.rev())
    first = repo.rev()
    repo.commit("Next", {"x": "x\n"})
    settle(repo, {"a": text("a"), "b": text("b"), "c": damaged}, head=repo.rev(), at=2_000_000_000)
    found = check(workspace(repo), [], aim=Aim(at=first))
    assert [bad.file for bad in found.invalid] == ["a.md"]
    named = check(workspace(repo), ["a", "c"], aim=Aim(at=first))
    assert ([bad.file for bad in named.invalid], named.entries) == (["a.md", "c.md"], ())


def test_an_entry_that_was_written_at_a_commit_is_judged_there(repo: Repo) -> None:
    repo.commit("Code", {"a.py": "1\n2\n"})
    ident = remember(repo, "About line two", "a.py:2")
    good = repo.rev()
    repo.commit("Break", {"a.py": "1\nTWO\n"})
    assert reasons(repo, ident, at=good) == ["unchanged"]
    assert reasons(repo, ident, at="HEAD") == ["lines-changed"]


def test_search_at_a_commit_finds_what_was_known_and_judges_it_there(repo: Repo) -> None:
    repo.commit("Code", {"a.py": "1\n2\n"})
    ident = remember(repo, "About zebra", "a.py:2")
    data = (repo.path / STORE / f"{ident}.md").read_bytes()
    record(repo, {ident: data}, head=repo.rev())
    good = repo.rev()
    repo.commit("Break", {"a.py": "1\nTWO\n"})
    settle(repo, {ident: data, "later": text("later", notes="zebra")}, head=repo.rev(), at=2_000_000_000)

    def hits(at: str | None) -> list[tuple[str, str]]:
        found = search(workspace(repo), ["zebra"], Request(at=at))
        assert isinstance(found, FoundAt) == (at is not None)
        assert getattr(found, "at", None) == (None if at is None else repo.rev(at))
        return sorted((hit.id, str(hit.verdict)) for hit in found.hits)

    assert hits(good) == [(ident, "current")]
    assert hits("HEAD") == hits(None) == [(ident, "stale"), ("later", "unverified")]


def test_as_of_a_commit_holds_in_every_layout(layout: Standpoint) -> None:
    repo = layout.repo
    first = repo.commit("First", {"x": "1\n"})
    record(repo, {"a": text("a")}, head=first, at=2_000_000_000)
    second = repo.commit("Second", {"x": "2\n"})
    record(repo, {"a": text("a"), "b": text("b")}, head=second, at=2_000_000_001)
    put(layout.store, entry("a"), entry("b"), entry("c"))
    assert set(known(repo, first)) == {"a"}
    assert set(known(repo, second)) == {"a", "b", "c"}


# Bare repositories


def in_bare(directory: Path, world: World, **env: str) -> Past | None:
    environ = {**world.env, **env}
    return past_in_bare(Git(environ), directory, environ)


def test_the_history_is_read_in_a_bare_repository_and_nothing_is_written(repo: Repo) -> None:
    settle(repo, {"a": "1\n"}, "add a")
    settle(repo, {"a": "2\n"}, "edit a")
    repo.git("clone", "-q", "--mirror", ".", repo.world.root / "copy.git")
    copy = repo.world.root / "copy.git"
    before = listing(copy)
    for directory in (copy, copy / "refs"):
        found = in_bare(directory, repo.world)
        assert found is not None
        assert [line.subject for line in log(found, "a").commits] == ["edit a", "add a"]
        assert [line.text for line in blame(found, "a").lines] == ["2"]
        assert "version @{0}" in (show_version(found, "a", 0).marker or "")
        assert not differs_now(found, blame(found, "a"))
        with pytest.raises(UnknownEntryError):
            log(found, "b")
    assert listing(copy) == before


def test_what_is_no_bare_repository_is_not_taken_for_one(repo: Repo) -> None:
    world = repo.world
    beside = dot_bare(world).path.parent
    for directory in (world.root, repo.path, repo.path / ".git", repo.path / "src", beside):
        assert in_bare(directory, world) is None


def test_who_told_git_to_leave_bare_repositories_alone_is_obeyed(world: World) -> None:
    copy = bare(world, "copy.git")
    assert in_bare(copy.path, world) is not None
    assert in_bare(copy.path, world, GIT_DIR=".") is not None
    assert in_bare(copy.path, world, GIT_DIR="../seed/.git") is None
    world.configure("[safe]\n\tbareRepository = explicit\n")
    assert in_bare(copy.path, world) is None
    world.configure("[safe]\n\tbareRepository = all\n")
    assert in_bare(copy.path, world) is not None
