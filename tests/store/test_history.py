"""The recorded states of a store, compared with what git says of the same commits."""

from collections.abc import Collection
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from layouts import Standpoint
from recorded import REF, blob_of, commit_of_tree, record, tree_of
from world import Repo, World

from gitmem.entry.frontmatter import MAX_BYTES
from gitmem.git.objects import ObjectMissingError
from gitmem.git.run import Git
from gitmem.store.history import EntryChange, StoreHistory, committed_at, iso_date
from gitmem.store.read import read_store

ENTRY = "---\nschemaVersion: 1\ndate: 2026-08-31T14:00:00Z\ntitle: {}\nkind: fact\nreviewState: reviewed\n---\n"
HOSTILE = """
[log]
    showRoot = false
    follow = true
    diffMerges = combined
    date = relative
    decorate = full
    showSignature = true
[diff]
    renames = copies
    noprefix = true
    relative = true
    external = /bin/false
    orderFile = /nowhere
[color]
    ui = always
[format]
    pretty = oneline
    notes = true
[trailer]
    separators = "=#"
[blame]
    ignoreRevsFile = /nowhere
    showEmail = true
    date = relative
[core]
    abbrev = 4
    quotePath = false
"""


def history_of(repo: Repo) -> StoreHistory:
    return StoreHistory(Git(repo.world.env), repo.path)


def subjects(history: StoreHistory, ident: str | None = None) -> list[str]:
    return [found.subject for found in history.commits(ident)]


def contents(history: StoreHistory, ident: str) -> list[bytes]:
    return [history.read(version) for version in history.versions(ident)]


@pytest.fixture(params=["sha1", "sha256"])
def either(request: pytest.FixtureRequest, world: World) -> Repo:
    """A repository without a commit, in both formats of objects."""
    return world.repo("main", f"--object-format={request.param}")


def test_without_the_ref_nothing_is_recorded(repo: Repo) -> None:
    history = history_of(repo)
    assert history.tip is None
    assert (history.commits(), history.commits("a"), history.states("a")) == ([], [], [])
    assert (history.oldest(), history.known_at(2**31, set)) == (None, None)


def test_a_transaction_is_told_as_git_tells_it(either: Repo) -> None:
    head = either.commit("Code", {"a.py": "1\n"})
    record(either, {"a": "1"}, "add a", head=head)
    record(either, {"a": "1", "b": "1"}, "add b")
    record(either, {"a": "2"}, "edit 2 entries by hand", head=head)
    history = history_of(either)
    told = either.git("log", "--format=%H%x00%cd%x00%an%x00%s", "--date=format:%Y-%m-%dT%H:%M:%SZ", REF).out
    assert history.tip == either.rev(REF)
    assert [(c.oid, c.date, c.author, c.subject) for c in history.commits()] == [
        tuple(line.split("\0")) for line in told.splitlines()
    ]
    assert [found.head for found in history.commits()] == [head, None, head]
    assert [found.changes for found in history.commits()] == [
        (EntryChange("a", "M"), EntryChange("b", "D")),
        (EntryChange("b", "A"),),
        (EntryChange("a", "A"),),
    ]
    assert subjects(history, "b") == ["edit 2 entries by hand", "add b"]
    assert history.commits(limit=2) == history.commits()[:2]
    assert history.commits("a", limit=1) == history.commits("a")[:1]


@pytest.mark.parametrize(
    "message",
    [
        "add a\n\nMem-Head: HEAD\n",
        "add a\n\nMem-Head: {}0\n",
        "add a\n\n mem-head: {}\n",
        "Mem-Head: {}, it says\n",
        "",
    ],
)
def test_a_head_that_is_no_full_id_is_not_said(repo: Repo, message: str) -> None:
    feed = message.format(repo.rev()).encode()
    oid = repo.git("commit-tree", tree_of(repo, {"a": "1"}), feed=feed).line
    repo.git("update-ref", REF, oid)
    assert [found.head for found in history_of(repo).commits()] == [None]


def test_a_message_may_hold_anything(repo: Repo) -> None:
    odd = b"add \x01a\n:100644 100644 x y M\n\nb\x01\n\nMem-Head: " + repo.rev().encode() + b"\n"
    env = {"GIT_AUTHOR_NAME": "é: \x01 木"}
    oid = repo.git("commit-tree", tree_of(repo, {"a": "1"}), feed=odd, env=env).line
    repo.git("update-ref", REF, oid)
    (found,) = history_of(repo).commits()
    assert (found.author, found.head) == ("é: \x01 木", repo.rev())
    assert found.subject == repo.git("log", "-1", "--format=%s", REF).line


def test_only_entry_files_at_the_top_count(repo: Repo) -> None:
    below = tree_of(repo, {"e" * 64: ""})
    files = {"a": "1", "not an id": "1", "-x": "1", "..": "1", ".hidden": "1"}
    trees = {".forgotten": below, "d": below}
    oid = commit_of_tree(repo, tree_of(repo, files, {"README": "a.md"}, trees), "add a")
    repo.git("update-ref", REF, oid)
    history = history_of(repo)
    assert [found.changes for found in history.commits()] == [(EntryChange("a", "A"),)]
    assert list(history.tree(oid)) == ["a.md"]


def test_versions_count_contents_and_states_count_removals_too(repo: Repo) -> None:
    for files in ({"a": "1"}, {"a": "2"}, {}, {"a": "1"}, {"a": "1", "b": "1"}, {}):
        record(repo, files)
    history = history_of(repo)
    assert contents(history, "a") == [b"1", b"2", b"1"]
    assert [version.number for version in history.versions("a")] == [0, 1, 2]
    assert [state.number for state in history.states("a")] == [None, 0, None, 1, 2]
    assert [state.recorded.changes[0].status for state in history.states("a")] == ["D", "A", "D", "M", "A"]
    assert history.states("unknown") == []


@pytest.mark.parametrize(
    "data", [b"", b"\r\n\r\n", b"\0\xff\xfe", b"no end", "é 木\n".encode(), b"x" * (MAX_BYTES + 1)]
)
def test_a_version_has_the_bytes_that_were_recorded(repo: Repo, data: bytes) -> None:
    record(repo, {"a": data})
    assert contents(history_of(repo), "a") == [data]


def test_an_id_is_a_name_and_no_pattern(repo: Repo) -> None:
    record(repo, {"a.b": "1", "a-b": "2"})
    record(repo, {"a.b": "1", "a-b": "3"})
    assert contents(history_of(repo), "a.b") == [b"1"]
    assert contents(history_of(repo), "a*b") == []


def test_a_link_is_followed_as_it_was_then(repo: Repo) -> None:
    for content, target in (("one", "real.md"), ("two", "real.md"), ("two", "gone.md"), ("two", "../real.md")):
        tree = tree_of(repo, {"real": content}, {"link.md": target})
        parents = [repo.rev(REF)] if history_of(repo).tip else []
        repo.git("update-ref", REF, commit_of_tree(repo, tree, "edit", parents=parents))
    assert contents(history_of(repo), "link") == [b"../real.md", b"gone.md", b"one"]


def test_both_sides_of_a_merge_count_and_the_newest_is_what_the_tip_has(repo: Repo) -> None:
    base = record(repo, {"a": "base", "b": "base"}, "base")
    ours = record(repo, {"a": "ours", "b": "base"}, "ours", parents=[base])
    theirs = record(repo, {"a": "theirs", "b": "theirs"}, "theirs", parents=[base])
    merged = {"ours": "ours", "theirs": "theirs", "both": "ours and theirs"}
    expected = {
        "ours": [b"ours", b"theirs", b"ours", b"base"],
        "theirs": [b"theirs", b"ours", b"base"],
        "both": [b"ours and theirs", b"theirs", b"ours", b"base"],
    }
    for name, content in merged.items():
        record(repo, {"a": content, "b": "theirs"}, "merge", parents=[ours, theirs])
        history = history_of(repo)
        assert contents(history, "a") == expected[name], name
        assert contents(history, "b") == [b"theirs", b"base"]
        changed = (EntryChange("a", "M"),) if name == "both" else ()
        assert history.commits()[0].changes == changed


def test_a_merge_may_remove_what_one_side_changed(repo: Repo) -> None:
    base = record(repo, {"a": "base", "b": "1"})
    ours = record(repo, {"a": "ours", "b": "1"}, parents=[base])
    theirs = record(repo, {"b": "1"}, parents=[base])
    record(repo, {"b": "1"}, "merge", parents=[ours, theirs])
    states = history_of(repo).states("a")
    assert [state.number for state in states] == [None, 0, 1]
    assert contents(history_of(repo), "a") == [b"ours", b"base"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=10))
def test_in_any_history_every_content_has_a_version_and_the_newest_is_the_tips(
    random: Repo, steps: list[tuple[int, int, int]]
) -> None:
    made: list[str] = []
    for first, second, content in steps:
        parents = list(dict.fromkeys(made[at % len(made)] for at in (first, second))) if made else []
        files = {"other": str(len(made)), **({"a": str(content)} if content else {})}
        made.append(record(random, files, parents=parents))
    history = history_of(random)
    found = contents(history, "a")
    reachable = random.git("rev-list", REF).out.split()
    blobs = {random.git("rev-parse", "--verify", "--quiet", f"{oid}:a.md", accept=(0, 1)).line for oid in reachable}
    assert {blob_of(random, data) for data in found} == blobs - {""}
    newest = next(iter(history.states("a")), None)
    assert (newest.blob if newest else None) == (
        random.git("rev-parse", "--verify", "--quiet", f"{REF}:a.md", accept=(0, 1)).line or None
    )


@pytest.fixture(scope="module")
def random(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One repository for all examples: the ref is moved each time."""
    return World(tmp_path_factory.mktemp("random")).repo()


def test_the_persons_configuration_changes_no_answer(repo: Repo) -> None:
    base = record(repo, {"a": "1\n2\n", "b": "1\n2\n"}, "base", head=repo.rev())
    ours = record(repo, {"a": "1\nx\n", "b": "1\n2\n"}, "ours", parents=[base])
    theirs = record(repo, {"c": "1\n2\n"}, "theirs", parents=[base])
    record(repo, {"a": "1\nx\n", "c": "1\n2\ny\n"}, "merge", parents=[ours, theirs])

    def everything() -> object:
        history = history_of(repo)
        lives = [history.states(ident) for ident in "abc"]
        lines = [line.commit for line in history.blame(ours, "a")]
        return history.commits(), lives, lines, history.known_at(0, lambda heads: heads), history.oldest()

    before = everything()
    repo.world.configure(HOSTILE)
    assert everything() == before


def test_it_reads_alike_from_everywhere(layout: Standpoint) -> None:
    record(layout.repo, {"a": "1\n"}, "add a")
    record(layout.repo, {"a": "2\n"}, "edit a")
    history = StoreHistory(Git(layout.environ), layout.worktree)
    assert contents(history, "a") == [b"2\n", b"1\n"]
    assert subjects(history) == ["edit a", "add a"]
    assert [line.commit for line in history.blame(history.tip or "", "a")] == [history.tip]
    assert [entry.id for entry in history.contents_at(history.tip or "").entries] == ["a"]


def test_a_content_that_is_not_here_is_an_error(repo: Repo) -> None:
    record(repo, {"a": "lost"})
    lost = repo.rev(f"{REF}:a.md")
    (repo.path / ".git/objects" / lost[:2] / lost[2:]).unlink()
    history = history_of(repo)
    (version,) = history.versions("a")
    with pytest.raises(ObjectMissingError, match=lost):
        history.read(version)
    found = history.contents_at(version.recorded.oid)
    assert [(bad.file, bad.reason) for bad in found.unreadable] == [("a.md", "its content is not in this repository")]


def test_entries_of_a_commit_are_those_that_a_directory_of_its_files_has(repo: Repo, tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {
        "b": ENTRY.format("B"),
        "a": ENTRY.format("A") + "# Notes\n\nx\n",
        "2026-01-02-0304-legacy": "no frontmatter\n",
        "superseding": ENTRY.format("S").replace("---\n", "---\nsupersedes: a\n", 1),
        "broken": "---\ntitle: [x\n---\n",
        "latin": b"---\ntitle: caf\xe9\n---\n",
        "big": b"x" * (MAX_BYTES + 1),
        "not an id": "x",
        ".hidden": "x",
    }
    links = {"link.md": "a.md", "away.md": "../a.md", "dangling.md": "gone.md", "chain.md": "link.md"}
    trees = {"directory.md": tree_of(repo, {"x": "x"}), ".forgotten": tree_of(repo, {})}
    commit = commit_of_tree(repo, tree_of(repo, files, links, trees), "add")
    store = tmp_path / "elsewhere" / "store"
    (store / "directory.md").mkdir(parents=True)
    for ident, data in files.items():
        (store / f"{ident}.md").write_bytes(data.encode() if isinstance(data, str) else data)
    for name, target in links.items():
        (store / name).symlink_to(target)
    expected = read_store(store.parent, PurePosixPath("store"))
    found = history_of(repo).contents_at(commit)
    assert found.entries == expected.entries
    assert [bad.file for bad in found.unreadable] == [bad.file for bad in expected.unreadable]
    assert found.exists


def test_known_is_what_was_recorded_in_time_or_at_an_earlier_commit(repo: Repo) -> None:
    early, late, other = ("a" * 40, "b" * 40, "c" * 40)
    first = record(repo, {"a": "1"}, head=early, at=1000)
    second = record(repo, {"a": "2"}, head=late, at=2000)
    third = record(repo, {"a": "3"}, head=other, at=3000)
    fourth = record(repo, {"a": "4"}, at=4000)
    asked: list[set[str]] = []

    def reached(heads: Collection[str], known: Collection[str]) -> set[str]:
        asked.append(set(heads))
        return set(heads) & set(known)

    def at(seconds: int, *known: str) -> str | None:
        asked.clear()
        return history_of(repo).known_at(seconds, lambda heads: reached(heads, known))

    assert at(999) is None
    assert asked == [{early, late, other}]
    assert at(1000) == first
    assert asked == [{late, other}]
    assert at(0, early) == first
    assert at(0, early, late) == second
    assert at(2500, other) == third
    assert at(2500, early) == second
    assert at(4000, early) == fourth
    assert asked == []


def test_blame_says_what_git_says(either: Repo) -> None:
    record(either, {"a": "one\ntwo\nthree"}, "add a")
    record(either, {"a": "one\nTWO\nthree"}, "edit a")
    last = record(either, {"a": "zero\none\nTWO\nthree"}, "edit a")
    removed = record(either, {}, "edit by hand a")
    history = history_of(either)
    told = either.git("blame", "-s", "-l", "--root", last, "--", "a.md").out.splitlines()
    found = history.blame(last, "a")
    assert [f"{line.commit} {line.line}) {line.text}" for line in found] == told
    assert {line.author for line in found} == {"A U Thor"}
    dates = {commit.oid: commit.date for commit in history.commits()}
    assert [line.date for line in found] == [dates[line.commit] for line in found]
    assert history.before(removed) == last
    assert history.before(history.oldest() or "") is None


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\nx", b"\ttab\n\tauthor me\n", b"\xff\n\xc3\xa9\n"])
def test_blame_keeps_odd_lines(repo: Repo, data: bytes) -> None:
    oid = record(repo, {"a": data})
    lines = [line.text.encode("utf-8", "surrogateescape") for line in history_of(repo).blame(oid, "a")]
    assert lines == data.removesuffix(b"\n").split(b"\n")[: len(lines)]
    assert len(lines) == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def test_dates_are_told_as_entries_hold_them(repo: Repo) -> None:
    oid = commit_of_tree(repo, tree_of(repo, {}), "x", at=1_700_000_000)
    assert committed_at(Git(repo.world.env), repo.path, oid) == 1_700_000_000
    assert iso_date(1_700_000_000) == "2023-11-14T22:13:20Z"
    assert (iso_date(-1), iso_date(2**60)) == ("1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
