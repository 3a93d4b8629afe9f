"""The index of files: contents are read once, and each worktree finds what it has and nothing else."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice

import pytest

from gitmem.progress import silent
from gitmem.search.analysis import Analyser
from gitmem.search.files import SCHEMA, FilePostings, Standing, counts, is_mined, listed, standing_of, uncommitted
from gitmem.search.filing import MISSING, Change, Placed, change, forget_worktrees, worktree_of
from gitmem.search.passages import FileRanking
from gitmem.search.query import parse_query
from gitmem.storage.db import Connection, in_memory

ANALYSER = Analyser()
WALRUS, NARWHAL, BOTH = "walrus one\n", "narwhal two\n", "walrus and narwhal\n"

Answer = list[tuple[str, int, str, float]]


class Project:
    """A file index in memory, and how often the content of each blob was read. A blob's id is its text."""

    def __init__(self) -> None:
        self.connection: Connection = in_memory()
        self.connection.executescript(SCHEMA)
        self.read: list[str] = []

    def load(self, oid: str) -> bytes | None:
        self.read.append(oid)
        return None if oid.startswith("lost") else oid.encode()

    def change(self, name: str, placed: Mapping[str, str], gone: tuple[str, ...] = (), *, dirty: bool = False) -> int:
        files = [
            Placed(path, oid, oid.encode() if dirty else None, committed=not dirty) for path, oid in placed.items()
        ]
        return self.apply(name, Change(placed=files, gone=gone, base="base", whole=True))

    def apply(self, name: str, what: Change) -> int:
        number = worktree_of(self.connection, name, "token")
        return change(self.connection, ANALYSER, number, what, self.load, silent)

    def postings(self, name: str) -> FilePostings:
        standing = standing_of(self.connection, name, "token")
        assert standing is not None
        return FilePostings(self.connection, ANALYSER, standing.number)

    def answer(self, name: str, *words: str) -> Answer:
        ranking = FileRanking(self.postings(name), parse_query(words))
        found = [*ranking.exact(), *ranking.all(), *ranking.partial()]
        return [(one.place.path, one.place.first, str(one.match), one.score) for one in found]

    def paths(self, name: str, *words: str) -> list[str]:
        ranking = FileRanking(self.postings(name), parse_query(words))
        return sorted({one.place.path for one in ranking.all()})


@pytest.fixture
def project() -> Iterator[Project]:
    made = Project()
    with closing(made.connection):
        yield made


def test_what_was_placed_is_found_at_its_path(project: Project) -> None:
    assert project.change("a", {"one.txt": WALRUS, "two.txt": NARWHAL}) == 2
    assert project.paths("a", "walrus") == ["one.txt"]
    assert project.paths("a", "narwhal") == ["two.txt"]


def test_a_content_is_read_once_for_all_paths_and_worktrees(project: Project) -> None:
    project.change("a", {"one.txt": WALRUS, "sub/same.txt": WALRUS})
    project.change("b", {"other.txt": WALRUS})
    assert project.read == [WALRUS]
    assert project.paths("a", "walrus") == ["one.txt", "sub/same.txt"]
    assert project.paths("b", "walrus") == ["other.txt"]


def test_a_content_that_is_cut_in_another_manner_is_read_again(project: Project) -> None:
    project.change("a", {"one.txt": "# x\n", "one.md": "# x\n"})
    assert project.read == ["# x\n", "# x\n"]


def test_nothing_that_is_not_named_is_touched(project: Project) -> None:
    project.change("a", {"one.txt": WALRUS, "two.txt": NARWHAL})
    project.change("b", {"one.txt": WALRUS})
    project.change("a", {"one.txt": NARWHAL})
    project.change("a", {}, gone=("never.txt",))
    assert project.paths("a", "narwhal") == ["one.txt", "two.txt"]
    assert project.paths("b", "walrus") == ["one.txt"]


def test_what_is_gone_from_one_path_stays_at_another(project: Project) -> None:
    project.change("a", {"one.txt": WALRUS, "two.txt": WALRUS})
    project.change("a", {}, gone=("one.txt",))
    assert project.paths("a", "walrus") == ["two.txt"]
    project.change("a", {}, gone=("two.txt",))
    assert project.paths("a", "walrus") == []


def test_scores_do_not_depend_on_other_worktrees_or_on_the_past(project: Project) -> None:
    files = {f"{number}.txt": f"walrus {'word ' * number}\n\nplain {number}\n" for number in range(20)}
    alone = Project()
    alone.change("a", files)
    project.change("b", {f"x{number}.txt": f"walrus {number} walrus narwhal\n" for number in range(60)})
    project.change("a", {path: text + "walrus walrus\n" for path, text in files.items()}, dirty=True)
    project.change("a", {"extra.txt": BOTH})
    project.change("a", files, gone=("extra.txt",))
    for words in (("walrus",), ("walrus", "plain"), ("narwhal",), ("3.txt",), ("wlarus",), ("words",)):
        assert project.answer("a", *words) == alone.answer("a", *words), words


def test_a_listing_follows_a_commit_and_knows_whether_it_is_whole(project: Project) -> None:
    assert standing_of(project.connection, "a", "token") is None
    assert not is_mined(project.connection)
    project.apply("a", Change(base="abc", whole=True))
    assert standing_of(project.connection, "a", "token") == Standing(1, "abc", whole=True)
    assert is_mined(project.connection)


def test_another_worktree_of_the_same_name_begins_with_nothing(project: Project) -> None:
    project.change("a", {"one.txt": WALRUS})
    assert standing_of(project.connection, "a", "other") is None
    number = worktree_of(project.connection, "a", "other")
    assert listed(project.connection, number) == {}


def test_a_worktree_that_is_gone_is_forgotten(project: Project) -> None:
    project.change("a", {"one.txt": WALRUS})
    project.change("b", {"one.txt": WALRUS})
    forget_worktrees(project.connection, ["a"])
    assert standing_of(project.connection, "b", "token") is None
    assert project.paths("a", "walrus") == ["one.txt"]


def test_what_was_never_committed_leaves_no_trace(project: Project) -> None:
    project.change("a", {"one.txt": "topsecret word\n"}, dirty=True)
    assert uncommitted(project.connection, 1) == {"one.txt"}
    project.change("a", {"one.txt": WALRUS})
    dump = "\n".join(project.connection.iterdump())
    assert "topsecret" not in dump
    assert "walrus" in dump


def test_what_is_committed_later_is_kept(project: Project) -> None:
    project.change("a", {"one.txt": WALRUS}, dirty=True)
    project.change("a", {"one.txt": WALRUS})
    assert uncommitted(project.connection, 1) == set()
    project.change("a", {"one.txt": NARWHAL})
    project.change("a", {"one.txt": WALRUS})
    assert project.read == [NARWHAL]


def test_contents_that_no_worktree_has_do_not_pile_up(project: Project) -> None:
    project.change("a", {"one.txt": WALRUS})
    for number in range(2500):
        project.change("a", {"one.txt": f"text {number}\n"})
    (kept,) = project.connection.execute("SELECT count(*) FROM blobs").fetchone()
    (largest,) = project.connection.execute("SELECT max(document) FROM sections").fetchone()
    assert kept <= 1003
    assert largest <= 2500
    assert project.paths("a", "text", "2499") == ["one.txt"]


@pytest.mark.parametrize(
    ("oid", "reason"), [("a\0b", "binary"), ("x" * ((1 << 20) + 1), "huge"), ("lost", MISSING)], ids=["b", "h", "m"]
)
def test_what_is_left_out_is_counted_with_the_reason(project: Project, oid: str, reason: str) -> None:
    assert project.change("a", {"one.txt": oid, "two.txt": WALRUS}) == 1
    found = counts(project.connection, 1)
    assert (found.files, found.sections, dict(found.left_out)) == (1, 1, {reason: 1})
    assert project.answer("a", "one.txt") == []


def test_a_file_that_is_marked_is_not_read(project: Project) -> None:
    project.apply("a", Change(placed=[Placed("vendor/x.js", "", left_out="vendored")], whole=True))
    assert project.read == []
    assert dict(counts(project.connection, 1).left_out) == {"vendored": 1}


def test_an_empty_file_is_searched_and_has_no_section(project: Project) -> None:
    project.change("a", {"empty.txt": "", "one.txt": WALRUS})
    assert (counts(project.connection, 1).files, counts(project.connection, 1).sections) == (2, 1)


def test_names_that_are_no_text_are_paths_too(project: Project) -> None:
    odd = ["nl\nx.txt", "\udcff.txt", "日本/é.txt", '"q".txt']
    project.change("a", dict.fromkeys(odd, WALRUS))
    assert project.paths("a", "walrus") == sorted(odd)


def test_many_sections_share_blocks_and_stay_apart(project: Project) -> None:
    files = {f"d{number % 7}/{number}.txt": f"number{number} walrus\n" for number in range(5000)}
    project.change("a", files)
    some = dict(islice(files.items(), 300))
    project.change("b", some)
    assert len(project.postings("a").having("walrus")) == 5000
    assert len(project.postings("b").having("walrus")) == 300
    assert project.postings("b").documents == 300
    assert project.paths("b", "number299") == ["d5/299.txt"]
    assert project.paths("b", "number4999") == []


def test_the_postings_are_those_of_an_ordinary_database(project: Project) -> None:
    project.change("a", {"one.txt": WALRUS})
    assert isinstance(project.connection, sqlite3.Connection)
    assert project.postings("a").with_stem("walrus") == ("walrus",)
