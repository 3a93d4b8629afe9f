"""Which commit broke a citation: on straight and forked histories, against git and against a plain search."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from evidence.cited import TEXT, at
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import with_commit
from world import Repo, World

from gitmem.evidence.culprit import Question, find_culprits
from gitmem.git.layout import Place
from gitmem.git.objects import file_at
from gitmem.git.repository import Repository
from gitmem.git.run import Git

GOOD, BAD = TEXT, TEXT.replace("line 6", "LINE 6")


def named(repository: Repository, path: str, since: str | None, holds: Callable[[str | None], bool]) -> str | None:
    """Ask which commit broke a citation."""
    tip = repository.head.oid
    if tip is None:
        return None
    question = Question(path, file_at(repository.objects, tip, path), since, holds)
    (found,) = find_culprits(repository, tip, [question])
    return found


def culprit(repo: Repo, since: str | None = None, path: str = "a.py") -> str | None:
    """Ask which commit took `line 6` out of a file."""
    repository = at(repo)
    return named(repository, path, since, has_line(repository))


def has_line(repository: Repository) -> Callable[[str | None], bool]:
    return lambda blob: blob is not None and b"line 6\n" in repository.objects.blob(blob)


def there(blob: str | None) -> bool:
    return blob is not None


@pytest.fixture
def cited(repo: Repo) -> Repo:
    repo.commit("Base", {"a.py": GOOD})
    return repo


# Straight histories


def test_the_commit_that_changed_the_lines_is_named_as_git_names_it(cited: Repo) -> None:
    since = cited.rev()
    cited.commit("Elsewhere", {"b.py": "1\n"})
    cited.commit("Above", {"a.py": "zero\n" + GOOD})
    broke = cited.commit("Break", {"a.py": "zero\n" + BAD})
    cited.commit("Below", {"a.py": "zero\n" + BAD + "more\n"})
    cited.commit("Elsewhere", {"b.py": "2\n"})
    assert culprit(cited, since) == broke == culprit(cited)
    assert cited.git("log", "-1", "--format=%H", "-s", "-L7,7:a.py").line == broke


def test_nothing_is_named_while_the_citation_stands(cited: Repo) -> None:
    cited.commit("Above", {"a.py": "zero\n" + GOOD})
    assert culprit(cited) is None


def test_a_deletion_is_named_as_git_names_it(cited: Repo) -> None:
    since = cited.rev()
    cited.commit("Edit", {"a.py": GOOD + "more\n"})
    gone = cited.commit("Delete", {"a.py": None})
    cited.commit("Later", {"b.py": "1\n"})
    assert named(at(cited), "a.py", since, there) == gone
    assert cited.git("log", "-1", "--diff-filter=D", "--format=%H", "--", "a.py").line == gone


def test_the_last_of_several_deletions_is_named(cited: Repo) -> None:
    cited.commit("Delete", {"a.py": None})
    cited.commit("Back", {"a.py": GOOD})
    gone = cited.commit("Delete again", {"a.py": None})
    assert named(at(cited), "a.py", None, there) == gone


def test_of_lines_that_came_back_and_were_broken_again_the_last_break_is_named(cited: Repo) -> None:
    since = cited.rev()
    cited.commit("Break", {"a.py": BAD})
    cited.git("revert", "--no-edit", "HEAD")
    again = cited.commit("Break again", {"a.py": BAD + "more\n"})
    assert culprit(cited, since) == again


def test_a_path_that_became_a_link_or_a_directory_is_named(cited: Repo) -> None:
    (cited.path / "a.py").unlink()
    (cited.path / "a.py").symlink_to("README.md")
    cited.git("add", "a.py")
    cited.git("commit", "-q", "-m", "Link")
    link = cited.rev()
    assert named(at(cited), "a.py", None, there) == link
    cited.commit("Directory", {"a.py": None, "a.py/inner.py": GOOD})
    assert named(at(cited), "a.py", None, there) == link


@pytest.mark.parametrize("path", ["sp ace.py", "日本/é.py", "nl\nx.py", "[x]*?.py", ":(top)x.py", "-x.py", '"q".py'])
def test_a_path_is_taken_literally(cited: Repo, path: str) -> None:
    cited.commit("Named", {path: GOOD, "x.py": GOOD})
    broke = cited.commit("Break", {path: BAD})
    cited.commit("Break the other", {"x.py": BAD})
    assert culprit(cited, path=path) == broke


def test_a_root_commit_breaks_nothing(world: World) -> None:
    repo = world.repo()
    repo.commit("Born so", {"a.py": BAD})
    repo.commit("Later", {"a.py": BAD + "more\n"})
    assert culprit(repo) is None


def test_the_commit_after_the_root_can_be_named(world: World) -> None:
    repo = world.repo()
    root = repo.commit("Root", {"a.py": GOOD})
    broke = repo.commit("Break", {"a.py": BAD})
    assert culprit(repo, root) == broke == culprit(repo)


# Where the search begins


def test_only_commits_after_the_anchor_are_looked_at(cited: Repo) -> None:
    cited.commit("Break", {"a.py": BAD})
    anchor = cited.commit("Anchored so", {"a.py": BAD + "more\n"})
    cited.commit("Later", {"a.py": BAD + "more and more\n"})
    assert culprit(cited, anchor) is None


@pytest.mark.parametrize("since", ["ab" * 20, "HEAD:a.py", "HEAD^{tree}"])
def test_without_the_anchor_commit_the_whole_history_is_searched(cited: Repo, since: str) -> None:
    broke = cited.commit("Break", {"a.py": BAD})
    anchor = cited.rev(since) if since.startswith("HEAD") else since
    assert culprit(cited, anchor) == broke


def test_an_anchor_on_another_branch_does_not_hide_the_break_here(cited: Repo) -> None:
    cited.git("checkout", "-q", "-b", "side")
    anchor = cited.commit("Side", {"a.py": GOOD + "side\n"})
    cited.git("checkout", "-q", "main")
    broke = cited.commit("Break", {"a.py": BAD})
    assert culprit(cited, anchor) == broke


# Merges


def fork(repo: Repo, main: str | None, side: str | None) -> tuple[str, str]:
    """Change the file on `main` and on `side` (None: leave it alone); HEAD is main. Return both commits."""
    repo.git("checkout", "-q", "-b", "side")
    on_side = repo.commit("Side", {"s.py": "1\n"} if side is None else {"a.py": side})
    repo.git("checkout", "-q", "main")
    on_main = repo.commit("Main", {"m.py": "1\n"} if main is None else {"a.py": main})
    return on_main, on_side


def merge(repo: Repo, content: str | None = None) -> str:
    """Merge `side`, with this content of the file if it must be another than git would give it."""
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side", accept=(0, 1))
    if content is not None:
        repo.write("a.py", content)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Merge")
    return repo.rev()


def test_a_break_on_a_merged_side_is_named_and_not_the_merge(cited: Repo) -> None:
    since = cited.rev()
    _, on_side = fork(cited, None, BAD)
    merge(cited)
    assert culprit(cited, since) == on_side


def test_a_break_on_the_first_parent_is_named_and_not_the_merge(cited: Repo) -> None:
    since = cited.rev()
    on_main, _ = fork(cited, BAD, None)
    merge(cited)
    assert culprit(cited, since) == on_main


def test_a_break_is_named_where_both_sides_changed_the_file(cited: Repo) -> None:
    since = cited.rev()
    _, on_side = fork(cited, GOOD + "more\n", BAD)
    merge(cited, BAD + "more\n")
    assert culprit(cited, since) == on_side


def test_a_merge_that_breaks_what_both_sides_kept_is_named(cited: Repo) -> None:
    since = cited.rev()
    fork(cited, GOOD + "main\n", "side\n" + GOOD)
    evil = merge(cited, "side\n" + BAD + "main\n")
    assert culprit(cited, since) == evil


def test_a_merge_that_deletes_what_both_sides_kept_is_named(cited: Repo) -> None:
    fork(cited, GOOD + "main\n", "side\n" + GOOD)
    cited.git("merge", "-q", "--no-commit", "--no-ff", "side")
    evil = cited.commit("Merge", {"a.py": None})
    assert named(at(cited), "a.py", None, there) == evil


def test_a_break_that_was_mended_on_its_side_is_not_named(cited: Repo) -> None:
    since = cited.rev()
    cited.git("checkout", "-q", "-b", "side")
    cited.commit("Break on the side", {"a.py": BAD})
    cited.commit("Mend on the side", {"a.py": "side\n" + GOOD})
    cited.git("checkout", "-q", "main")
    broke = cited.commit("Break on main", {"a.py": BAD})
    cited.git("checkout", "-q", "side")
    cited.commit("Later on the side", {"a.py": "later\nside\n" + GOOD})
    cited.git("checkout", "-q", "main")
    merge(cited, "later\nside\n" + BAD)
    assert culprit(cited, since) == broke


# Histories that are not all here


def test_in_a_shallow_clone_only_what_is_here_can_be_named(cited: Repo) -> None:
    cited.commit("Break", {"a.py": BAD})
    cited.commit("Later", {"a.py": BAD + "more\n"})
    shallow = cited.world.clone(cited, "shallow", "--depth=2")
    assert culprit(shallow) is None
    broke = shallow.commit("Mend", {"a.py": GOOD}) and shallow.commit("Break again", {"a.py": BAD})
    assert culprit(shallow) == broke


@pytest.mark.parametrize("missing", ["HEAD~1", "HEAD~1^{tree}"])
@pytest.mark.parametrize("damage", [None, b"", zlib.compress(b"tree 7\0rubbish")])
def test_a_history_that_cannot_be_read_names_nobody(cited: Repo, missing: str, damage: bytes | None) -> None:
    cited.commit("Other", {"b.py": "1\n"})
    cited.commit("Break", {"a.py": BAD})
    oid = cited.rev(missing)
    path = cited.path / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    assert culprit(cited) is None


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_a_linked_worktree_asks_its_own_history(world: World, object_format: str) -> None:
    main = with_commit(world.repo("main", f"--object-format={object_format}"))
    main.commit("Base", {"a.py": GOOD})
    linked = main.worktree("linked")
    broke = linked.commit("Break", {"a.py": BAD})
    assert (culprit(main), culprit(linked)) == (None, broke)


# Any history


@dataclass(frozen=True, slots=True)
class Node:
    """A commit of a made history: the numbers of its parents, and the file's content (None: no file)."""

    parents: tuple[int, ...]
    content: str | None

    @property
    def holds(self) -> bool:
        return self.content is not None and "good" in self.content


CONTENTS = st.sampled_from(["good 1", "good 2", "bad 1", "bad 2", None])


@st.composite
def histories(draw: st.DrawFn, *, merges: bool) -> list[Node]:
    nodes = [Node((), draw(CONTENTS))]
    for number in range(1, draw(st.integers(1, 8))):
        parents = {number - 1}
        if merges:
            parents = draw(st.sets(st.integers(0, number - 1), min_size=1, max_size=2))
        nodes.append(Node(tuple(sorted(parents)), draw(CONTENTS)))
    return nodes


def build(repo: Repo, nodes: Sequence[Node]) -> list[str]:
    """Make the history with the last node as HEAD; return the ids in the order of the nodes."""
    lines = []
    for number, node in enumerate(nodes):
        lines += ["reset refs/heads/main", "commit refs/heads/main", f"mark :{number + 1}"]
        lines += [f"committer C <c@example.com> {1_700_000_000 + number} +0000", "data 0"]
        lines += [f"{'merge' if at else 'from'} :{parent + 1}" for at, parent in enumerate(node.parents)]
        lines += [
            "deleteall",
            *([] if node.content is None else [f"M 100644 inline a.py\ndata <<.\n{node.content}\n."]),
            "",
        ]
    marks = repo.world.root / "marks"
    repo.git("fast-import", "--quiet", "--force", f"--export-marks={marks}", feed="\n".join(lines).encode() + b"\n")
    found = dict(line.split() for line in marks.read_text(encoding="utf-8").splitlines())
    return [found[f":{number + 1}"] for number in range(len(nodes))]


def breaks(nodes: Sequence[Node]) -> set[int]:
    """The nodes that broke the file, on all ways back from the last one on which it is broken throughout.

    A parent in whose history, as git simplifies it, there never was such a file does not count.
    """
    had: list[bool] = []
    for node in nodes:
        same = [parent for parent in node.parents if nodes[parent].content == node.content]
        had.append(node.content is not None or any(had[parent] for parent in same[:1] or node.parents))
    found, waiting = set(), {len(nodes) - 1}
    while waiting:
        number = waiting.pop()
        if not nodes[number].holds:
            parents = {parent for parent in nodes[number].parents if had[parent]}
            waiting |= parents
            if parents and all(nodes[parent].holds for parent in parents):
                found.add(number)
    return found


def asked(repo: Repo, place: Place, nodes: Sequence[Node]) -> int | None:
    ids = build(repo, nodes)
    repository = Repository(Git(repo.world.env), place)
    found = named(repository, "a.py", None, lambda blob: blob is not None and b"good" in repository.objects.blob(blob))
    return None if found is None else ids.index(found)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, Place]:
    """One repository for all examples, whose history each of them replaces."""
    repo = World(Path(tmp_path_factory.mktemp("histories"))).repo()
    return repo, at(repo).place


@settings(max_examples=30)
@given(nodes=histories(merges=False))
def test_on_any_straight_history_the_last_break_is_named(scratch: tuple[Repo, Place], nodes: list[Node]) -> None:
    expected = breaks(nodes)
    assert asked(*scratch, nodes) == (expected.pop() if expected else None)


@settings(max_examples=50)
@given(nodes=histories(merges=True))
def test_on_any_history_no_innocent_commit_is_named(scratch: tuple[Repo, Place], nodes: list[Node]) -> None:
    found = asked(*scratch, nodes)
    assert found is None or found in breaks(nodes)
