"""The commit-graph against git's own answers: every kind of history, of file and of damage."""

import hashlib
import os
import random
import struct
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import Repo, World

from gitmem.git.alternates import object_directories
from gitmem.git.commit_graph import CommitGraph, open_commit_graph
from gitmem.git.objects import ObjectFormat

Shape = Sequence[Sequence[int]]
"""Of each commit the numbers of its parents, which come before it."""

NO_PARENT = 0x70000000
ROW = 36  # bytes of a commit in CDAT, where ids have 20


# Histories and their graphs


def straight(size: int) -> Shape:
    return [[number - 1] if number else [] for number in range(size)]


def tangled(size: int, *, seed: int, parents: Sequence[int]) -> Shape:
    """Make a history in which a commit has one of these numbers of parents, near ones rather than far ones."""
    dice = random.Random(seed)
    shape: list[list[int]] = []
    for number in range(size):
        near = range(max(0, number - 9), number)
        shape.append(dice.sample(near, k=min(len(near), dice.choice(parents))))
    return shape


SHAPES: dict[str, Shape] = {
    "one": straight(1),
    "straight": straight(30),
    "merges": tangled(60, seed=1, parents=[1, 1, 2]),
    "octopus": tangled(60, seed=2, parents=[1, 2, 3, 5]),
    "roots": tangled(60, seed=3, parents=[0, 1, 1, 2, 3]),
    "only-roots": [[]] * 9,
}


def grow(repo: Repo, shape: Shape, *, known: Sequence[str] = ()) -> list[str]:
    """Add commits, each with a branch of its own; numbers count from the known ones. Return the ids of all."""
    stream = ""
    for number, parents in enumerate(shape[len(known) :], start=len(known)):
        names = [known[parent] if parent < len(known) else f":{parent + 1}" for parent in parents]
        links = "".join(f"{word} {name}\n" for word, name in zip(["from", *["merge"] * 9], names, strict=False))
        # Clocks are no guide to the order: every third commit is older than all.
        who = f"C O Mitter <committer@example.com> {1_700_000_000 + number * (-1) ** (number % 3)} +0000"
        message = f"{number}\n"
        stream += f"commit refs/heads/c{number}\nmark :{number + 1}\ncommitter {who}\n"
        stream += f"data {len(message)}\n{message}{links}\n"
    marks = repo.world.root / "marks"
    repo.git("fast-import", "--quiet", f"--export-marks={marks}", feed=stream.encode())
    found = dict(line.split() for line in marks.read_text(encoding="ascii").splitlines())
    return [*known, *(found[f":{number + 1}"] for number in range(len(known), len(shape)))]


def write_graph(repo: Repo, *options: str) -> None:
    repo.git("commit-graph", "write", "--reachable", *options)


def common_dir_of(repo: Repo) -> Path:
    """Say where a repository is without a process, which these tests start by the hundred."""
    return repo.path / ".git" if (repo.path / ".git").exists() else repo.path


def file_of(repo: Repo) -> Path:
    return common_dir_of(repo) / "objects" / "info" / "commit-graph"


def chain_of(repo: Repo) -> Path:
    return common_dir_of(repo) / "objects" / "info" / "commit-graphs"


def read_graph(repo: Repo, object_format: ObjectFormat = ObjectFormat.SHA1) -> CommitGraph | None:
    return open_commit_graph(object_directories(common_dir_of(repo)), object_format)


def usable(graph: CommitGraph | None) -> CommitGraph:
    assert graph is not None
    return graph


def at(graph: CommitGraph, oid: str) -> int:
    position = graph.position(oid)
    assert position is not None
    return position


def ancestors(graph: CommitGraph, tips: Iterable[str], wanted: Iterable[str]) -> set[str]:
    found = graph.reachable([at(graph, tip) for tip in tips], [at(graph, oid) for oid in wanted])
    assert found is not None
    return {graph.oid(position) for position in found}


def listed(repo: Repo, *tips: str) -> set[str]:
    """What git lists without the help of a graph."""
    return set(
        repo.git("-c", "core.commitGraph=false", "rev-list", "--stdin", feed="\n".join(tips).encode()).out.split()
    )


def assert_as_git_says(graph: CommitGraph, repo: Repo, commits: Sequence[str]) -> None:
    """Everything in the graph is as git tells it, and the commits are in it."""
    for line in repo.git("-c", "core.commitGraph=false", "rev-list", "--parents", *commits).out.splitlines():
        oid, *parents = line.split()
        assert graph.oid(at(graph, oid)) == oid
        assert graph.parents(at(graph, oid)) == tuple(at(graph, parent) for parent in parents)
    assert len({at(graph, oid) for oid in commits}) == len(commits)
    for tip in commits[:: -max(1, len(commits) // 4)]:
        below = listed(repo, tip)
        assert ancestors(graph, [tip], commits) == below
        for wanted in commits:
            assert ancestors(graph, [tip], [wanted]) == below & {wanted}


# What a graph says


@pytest.mark.parametrize("object_format", list(ObjectFormat))
@pytest.mark.parametrize("shape", [pytest.param(shape, id=name) for name, shape in SHAPES.items()])
def test_ids_parents_and_ancestors_are_those_that_git_lists(
    world: World, shape: Shape, object_format: ObjectFormat
) -> None:
    repo = world.repo("main", f"--object-format={object_format.value}")
    commits = grow(repo, shape)
    write_graph(repo)
    assert_as_git_says(usable(read_graph(repo, object_format)), repo, commits)


def test_a_commit_is_an_ancestor_exactly_if_git_calls_it_one(world: World) -> None:
    repo = world.repo()
    commits = grow(repo, tangled(7, seed=5, parents=[0, 1, 2, 4]))
    write_graph(repo)
    graph = usable(read_graph(repo))
    for tip in commits:
        for oid in commits:
            answer = repo.git("merge-base", "--is-ancestor", oid, tip, accept=(0, 1))
            assert ancestors(graph, [tip], [oid]) == ({oid} if answer.code == 0 else set())


def test_several_tips_reach_what_any_of_them_reaches(world: World) -> None:
    repo = world.repo()
    commits = grow(repo, SHAPES["roots"])
    write_graph(repo)
    graph = usable(read_graph(repo))
    dice = random.Random(6)
    for count in (2, 3, 5):
        tips, wanted = dice.sample(commits, count), dice.sample(commits, 20)
        assert ancestors(graph, tips, wanted) == listed(repo, *tips) & set(wanted)
        assert ancestors(graph, [*tips, *tips], [*wanted, *wanted]) == listed(repo, *tips) & set(wanted)


def test_without_tips_or_without_a_question_nothing_is_reachable(world: World) -> None:
    repo = world.repo()
    commits = grow(repo, straight(3))
    write_graph(repo)
    graph = usable(read_graph(repo))
    assert graph.reachable([], [0, 1, 2]) == set()
    assert graph.reachable([at(graph, commits[-1])], []) == set()


def test_commits_that_came_after_the_graph_are_not_in_it(world: World) -> None:
    repo = world.repo()
    shape = SHAPES["octopus"]
    older = grow(repo, shape[:40])
    write_graph(repo)
    commits = grow(repo, shape, known=older)
    graph = usable(read_graph(repo))
    assert_as_git_says(graph, repo, older)
    assert [graph.position(oid) for oid in commits[40:]] == [None] * 20


@pytest.mark.parametrize("version", [1, 2])
def test_either_version_of_generation_numbers_is_read(world: World, version: int) -> None:
    repo = world.repo()
    commits = grow(repo, SHAPES["roots"])
    repo.git("-c", f"commitGraph.generationVersion={version}", "commit-graph", "write", "--reachable")
    assert (b"GDA2" in chunks_of(file_of(repo).read_bytes())) == (version == 2)
    assert_as_git_says(usable(read_graph(repo)), repo, commits)


def test_changed_paths_are_passed_over(world: World) -> None:
    repo = world.repo()
    commits = grow(repo, SHAPES["octopus"])
    write_graph(repo, "--changed-paths")
    assert b"BDAT" in chunks_of(file_of(repo).read_bytes())
    assert_as_git_says(usable(read_graph(repo)), repo, commits)


def test_an_id_of_nothing_has_no_position(world: World) -> None:
    repo = world.repo()
    grow(repo, straight(9))
    write_graph(repo)
    graph = usable(read_graph(repo))
    assert [graph.position(oid) for oid in ("ab" * 20, "00" * 20, "ff" * 20, "ab" * 32)] == [None] * 4


def test_the_beginning_of_an_id_has_no_position(world: World) -> None:
    repo = world.repo("main", "--object-format=sha256")
    (oid,) = grow(repo, straight(1))
    write_graph(repo)
    graph = usable(read_graph(repo, ObjectFormat.SHA256))
    assert [graph.position(oid[:digits]) for digits in (8, 40, 62, 64)] == [None, None, None, 0]


def test_nothing_is_left_open_and_the_files_may_go(world: World) -> None:
    repo = world.repo()
    commits = grow(repo, SHAPES["octopus"])
    write_graph(repo)
    before = sorted(Path("/dev/fd").iterdir())
    graph = usable(read_graph(repo))
    file_of(repo).unlink()
    assert sorted(Path("/dev/fd").iterdir()) == before
    assert_as_git_says(graph, repo, commits)


# Which graph counts


def layers_of(repo: Repo) -> list[str]:
    return (chain_of(repo) / "commit-graph-chain").read_text(encoding="ascii").split()


def layered(repo: Repo, shape: Shape, *ends: int) -> list[str]:
    """Grow a history and write a layer at each of these numbers of commits."""
    commits: list[str] = []
    for end in ends:
        commits = grow(repo, shape[:end], known=commits)
        write_graph(repo, "--split=no-merge")
    assert len(layers_of(repo)) == len(ends)
    return commits


@pytest.mark.parametrize("object_format", list(ObjectFormat))
@pytest.mark.parametrize("name", ["straight", "octopus", "roots"])
def test_the_layers_of_a_chain_are_one_graph(world: World, name: str, object_format: ObjectFormat) -> None:
    repo = world.repo("main", f"--object-format={object_format.value}")
    commits = layered(repo, SHAPES[name], 5, 6, 17, 30)
    assert_as_git_says(usable(read_graph(repo, object_format)), repo, commits)


def test_a_chain_that_git_merged_and_one_with_mixed_generations_are_read(world: World) -> None:
    repo = world.repo()
    commits = layered(repo, SHAPES["octopus"], 10, 20)
    commits = grow(repo, SHAPES["octopus"][:30], known=commits)
    repo.git("-c", "commitGraph.generationVersion=1", "commit-graph", "write", "--reachable", "--split=no-merge")
    assert_as_git_says(usable(read_graph(repo)), repo, commits)
    commits = grow(repo, SHAPES["octopus"], known=commits)
    write_graph(repo, "--split", "--size-multiple=2")
    assert len(layers_of(repo)) == 1
    assert_as_git_says(usable(read_graph(repo)), repo, commits)


def test_without_a_graph_there_is_none(world: World) -> None:
    assert read_graph(world.repo()) is None
    assert open_commit_graph([], ObjectFormat.SHA1) is None
    assert open_commit_graph([world.root / "nowhere"], ObjectFormat.SHA1) is None


def share(repo: Repo, name: str) -> Repo:
    path = repo.world.root / name
    repo.git("clone", "-q", "--bare", "--shared", repo.path, path, cwd=repo.world.root)
    return Repo(repo.world, path)


def test_the_graph_of_an_alternate_is_found(world: World) -> None:
    repo = world.repo()
    commits = grow(repo, SHAPES["roots"])
    write_graph(repo)
    clone = share(share(repo, "clone"), "clone-of-clone")
    assert_as_git_says(usable(read_graph(clone)), clone, commits)


def test_the_lower_layers_may_lie_in_an_alternate(world: World) -> None:
    repo = world.repo()
    commits = layered(repo, SHAPES["octopus"], 20, 40)
    clone = share(repo, "clone")
    commits = grow(clone, SHAPES["octopus"], known=commits)
    write_graph(clone, "--split=no-merge")
    assert len(list(chain_of(clone).glob("*.graph"))) == 1
    assert layers_of(clone)[:2] == layers_of(repo)
    assert_as_git_says(usable(read_graph(clone)), clone, commits)


def test_ones_own_graph_comes_before_that_of_an_alternate(world: World) -> None:
    repo = world.repo()
    first, second = grow(repo, straight(2))
    write_graph(repo)
    clone = share(repo, "clone")
    clone.git("commit-graph", "write", "--stdin-commits", "--no-progress", feed=f"{first}\n".encode())
    graph = usable(read_graph(clone))
    assert (graph.position(first), graph.position(second)) == (0, None)


def test_a_single_file_comes_before_a_chain(world: World) -> None:
    repo = world.repo()
    older = layered(repo, SHAPES["octopus"], 5, 10)
    chain = {path: path.read_bytes() for path in chain_of(repo).iterdir()}
    commits = grow(repo, SHAPES["octopus"], known=older)
    write_graph(repo)
    for path, content in chain.items():  # git has removed it
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    assert_as_git_says(usable(read_graph(repo)), repo, commits)
    replace(file_of(repo), b"CGPH")
    assert_as_git_says(usable(read_graph(repo)), repo, older)


def test_behind_a_damaged_graph_the_next_one_counts(world: World) -> None:
    repo = world.repo()
    commits = grow(repo, straight(5))
    write_graph(repo)
    clone = share(repo, "clone")
    write_graph(clone)
    replace(file_of(clone), b"")
    assert_as_git_says(usable(read_graph(clone)), clone, commits)


# Damage


class Sample(NamedTuple):
    """A graph with octopus merges: where it stands, its bytes, its commits by position, and what each reaches."""

    directory: Path
    data: bytes
    oids: list[str]
    parents: list[tuple[int, ...]]
    below: list[set[int]]

    def graph(self) -> CommitGraph | None:
        return open_commit_graph([self.directory], ObjectFormat.SHA1)

    def put(self, data: bytes) -> CommitGraph | None:
        """Put another file in the place of the graph and open it."""
        replace(self.directory / "info" / "commit-graph", data)
        return self.graph()


def replace(path: Path, data: bytes) -> None:
    path.unlink(missing_ok=True)
    path.write_bytes(data)


def chunks_of(data: bytes) -> dict[bytes, range]:
    table = [struct.unpack_from(">4sQ", data, 8 + 12 * number) for number in range(data[6] + 1)]
    return {name: range(start, end) for (name, start), (_, end) in pairwise(table)}


def sealed(body: bytes) -> bytes:
    """Give a changed body the checksum that belongs to it."""
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def patched(data: bytes, offset: int, content: bytes) -> bytes:
    body = data[:-20]
    return sealed(body[:offset] + content + body[offset + len(content) :])


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    repo = World(tmp_path_factory.mktemp("sample")).repo()
    oids = sorted(grow(repo, tangled(14, seed=8, parents=[0, 1, 2, 3, 4])))
    write_graph(repo)
    lines = repo.git("rev-list", "--parents", *oids).out.splitlines()
    parents = {oid: tuple(map(oids.index, others)) for oid, *others in map(str.split, lines)}
    below = [set(map(oids.index, listed(repo, oid))) for oid in oids]
    data = file_of(repo).read_bytes()
    assert len(chunks_of(data)[b"EDGE"]) > 4 * 5
    return Sample(repo.path / ".git" / "objects", data, oids, [parents[oid] for oid in oids], below)


def assert_none_or_right(graph: CommitGraph | None, sample: Sample) -> None:
    if graph is None:
        return
    everything = range(len(sample.oids))
    for position in everything:
        assert graph.position(sample.oids[position]) in {None, position}
        assert graph.parents(position) in {None, sample.parents[position]}
        found = graph.reachable([position], everything)
        assert found is None or found == sample.below[position]


def assert_harmless(graph: CommitGraph | None, sample: Sample) -> None:
    """No answer is an exception, or about what was not asked; the checksum vouches for what they say."""
    everything = set(range(len(sample.oids)))
    for position in everything if graph else ():
        graph = usable(graph)
        assert graph.position(graph.oid(position)) in {None, position}
        assert set(graph.parents(position) or ()) <= everything
        assert (graph.reachable([position], everything) or set()) <= everything


def test_the_undamaged_sample_is_right(sample: Sample) -> None:
    graph = usable(sample.put(sealed(sample.data[:-20])))
    assert sample.put(sample.data) is not None
    assert [graph.parents(position) for position in range(len(sample.oids))] == sample.parents
    assert_none_or_right(graph, sample)


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_no_flipped_byte_goes_unnoticed(sample: Sample, mask: int) -> None:
    for offset, byte in enumerate(sample.data):
        damaged = sample.data[:offset] + bytes([byte ^ mask]) + sample.data[offset + 1 :]
        assert sample.put(damaged) is None, offset


def test_no_cut_goes_unnoticed(sample: Sample) -> None:
    for length in range(len(sample.data)):
        assert sample.put(sample.data[:length]) is None, length
        if length < len(sample.data) - 20:
            assert sample.put(sealed(sample.data[:length])) is None, length


@pytest.mark.parametrize("mask", [0x01, 0x40, 0x80, 0xFF])
def test_a_flipped_byte_with_the_checksum_of_it_does_no_harm(sample: Sample, mask: int) -> None:
    chunks = chunks_of(sample.data)
    # Wrong parents and levels, and chunks that only begin elsewhere, are as good as right ones if they are sealed.
    vague = {*range(8, chunks[b"OIDF"].start), *chunks[b"CDAT"], *chunks[b"EDGE"]}
    for offset, byte in enumerate(sample.data[:-20]):
        graph = sample.put(patched(sample.data, offset, bytes([byte ^ mask])))
        (assert_harmless if offset in vague else assert_none_or_right)(graph, sample)


def test_bytes_in_front_or_behind_with_a_right_checksum_do_no_harm(sample: Sample) -> None:
    body = sample.data[:-20]
    assert sample.put(sealed(b"\0" + body)) is None
    assert_none_or_right(sample.put(sealed(body + b"\0")), sample)


OUTSIDE = [14, 15, 0x100000, NO_PARENT - 1, NO_PARENT + 1, 0x7FFFFFFF, 0x80000000 + 400, 0xFFFFFFFF]


@pytest.mark.parametrize("word", OUTSIDE)
def test_a_position_outside_of_the_graph_is_damage_and_never_followed(sample: Sample, word: int) -> None:
    commits = chunks_of(sample.data)[b"CDAT"]
    for position, parents in enumerate(sample.parents):
        for column in range(2 if parents else 1):
            offset = commits[position * ROW] + 20 + 4 * column
            graph = usable(sample.put(patched(sample.data, offset, struct.pack(">I", word))))
            assert graph.parents(position) is None
            assert_none_or_right(graph, sample)


def test_a_first_parent_has_no_mark(sample: Sample) -> None:
    commits = chunks_of(sample.data)[b"CDAT"]
    for position in range(len(sample.oids)):
        graph = usable(sample.put(patched(sample.data, commits[position * ROW] + 20, b"\x80\0\0\0")))
        assert graph.parents(position) is None
        assert_none_or_right(graph, sample)


@pytest.mark.parametrize("word", OUTSIDE)
def test_a_position_outside_of_the_graph_is_damage_in_an_octopus_too(sample: Sample, word: int) -> None:
    edges = chunks_of(sample.data)[b"EDGE"]
    for offset in edges[::4]:
        graph = usable(sample.put(patched(sample.data, offset, struct.pack(">I", word))))
        assert None in [graph.parents(position) for position in range(len(sample.oids))]
        assert_none_or_right(graph, sample)


def test_a_list_of_parents_that_does_not_end_is_damage(sample: Sample) -> None:
    last = chunks_of(sample.data)[b"EDGE"][-4]
    (word,) = struct.unpack_from(">I", sample.data, last)
    graph = usable(sample.put(patched(sample.data, last, struct.pack(">I", word & 0x7FFFFFFF))))
    (octopus,) = [position for position in range(len(sample.oids)) if graph.parents(position) is None]
    assert len(sample.parents[octopus]) > 2
    assert graph.reachable([octopus], range(len(sample.oids))) is None
    assert_none_or_right(graph, sample)


def test_nothing_is_visited_when_all_are_found(sample: Sample) -> None:
    commits = chunks_of(sample.data)[b"CDAT"]
    for position in range(len(sample.oids)):
        damaged = patched(sample.data, commits[position * ROW] + 20, struct.pack(">III", 99, NO_PARENT, 0))
        graph = usable(sample.put(damaged))
        assert graph.reachable([position], [position]) == {position}
        assert graph.reachable([position], range(len(sample.oids))) is None


def test_nothing_is_visited_below_the_lowest_level_of_the_wanted(sample: Sample) -> None:
    tip = max(range(len(sample.oids)), key=lambda position: len(sample.below[position]))
    commits = chunks_of(sample.data)[b"CDAT"]
    level = sample.data[commits[tip * ROW] + 28 :][:4]
    graph = usable(sample.put(patched(sample.data, commits[tip * ROW] + 20, struct.pack(">I", 99) + bytes(4) + level)))
    other = next(position for position in range(len(sample.oids)) if position not in sample.below[tip])
    assert graph.reachable([tip], [tip, other]) is None
    raised = patched(sample.data, commits[other * ROW] + 28, b"\x10\0\0\0")
    graph = usable(sample.put(patched(raised, commits[tip * ROW] + 20, struct.pack(">I", 99) + bytes(4) + level)))
    assert graph.reachable([tip], [tip, other]) == {tip}


def test_a_circle_of_parents_ends(sample: Sample) -> None:
    commits = chunks_of(sample.data)[b"CDAT"]
    data = sample.data
    for position in range(len(sample.oids)):
        words = struct.pack(">III", (position + 1) % len(sample.oids), position, 0)
        data = patched(data, commits[position * ROW] + 20, words)
    graph = usable(sample.put(data))
    assert graph.reachable([3], range(len(sample.oids))) == set(range(len(sample.oids)))


@pytest.mark.parametrize(("level", "known"), [(0, 0), (0, 1), (0, 3), (0x3FFFFFFF, 1), (0x3FFFFFFF, 3)])
def test_without_levels_the_whole_history_is_walked(sample: Sample, level: int, known: int) -> None:
    commits = chunks_of(sample.data)[b"CDAT"]
    data = sample.data
    for position in range(len(sample.oids)):
        offset = commits[position * ROW] + 28
        (word,) = struct.unpack_from(">I", data, offset)
        # Roots that are known to be roots may stand among commits of which nothing is known, as in old layers.
        if word >> 2 > known:
            data = patched(data, offset, struct.pack(">I", level << 2 | 3))
    graph = usable(sample.put(data))
    for position, below in enumerate(sample.below):
        assert graph.reachable([position], range(len(sample.oids))) == below
        for wanted in range(len(sample.oids)):
            assert graph.reachable([position], [wanted]) == below & {wanted}


def test_ids_that_begin_alike_are_told_apart(sample: Sample) -> None:
    ids = chunks_of(sample.data)[b"OIDL"]
    data = sample.data
    for offset in ids[::20]:
        data = patched(data, offset, b"\xff" * 4)
    graph = usable(sample.put(data))
    assert [graph.position("ff" * 4 + oid[8:]) for oid in sample.oids] == list(range(len(sample.oids)))
    assert graph.position("ff" * 20) is None


def table_of(data: bytes, *, names: Sequence[bytes]) -> bytes:
    """Name the chunks of a file otherwise, where they stand."""
    for number, name in enumerate(names):
        data = patched(data, 8 + 12 * number, name)
    return data


def test_a_chunk_that_is_missing_or_there_twice_is_damage(sample: Sample) -> None:
    names = list(chunks_of(sample.data))
    assert sample.put(table_of(sample.data, names=names)) is not None
    for number, name in enumerate(names):
        for other in (b"\0\0\0\0", b"XXXX", *names):
            graph = sample.put(table_of(sample.data, names=[*names[:number], other, *names[number + 1 :]]))
            # What this program has no use for may be missing, and edges if nobody asks for them.
            if other != name and (other != b"XXXX" or name in {b"OIDF", b"OIDL", b"CDAT"}):
                assert graph is None
            else:
                assert_none_or_right(graph, sample)


def test_a_header_of_another_kind_is_no_graph(sample: Sample) -> None:
    for offset in range(8):
        for byte in range(256):
            graph = sample.put(patched(sample.data, offset, bytes([byte])))
            assert (graph is not None) == (byte == sample.data[offset])


def test_a_table_of_chunks_without_an_end_is_damage(sample: Sample) -> None:
    assert sample.put(patched(sample.data, 8 + 12 * sample.data[6], b"XXXX")) is None


def test_chunks_of_another_length_are_damage(sample: Sample) -> None:
    for number, (name, span) in enumerate(chunks_of(sample.data).items()):
        for change in (-4, -1, 1, 4) if name in {b"OIDF", b"OIDL", b"CDAT"} else (-1, 1):
            assert sample.put(patched(sample.data, 12 + 12 * number, struct.pack(">Q", span[0] + change))) is None


def test_chunks_that_stand_outside_of_the_file_are_damage(sample: Sample) -> None:
    for number in range(sample.data[6] + 1):
        for offset in (0, 7, len(sample.data) - 19, len(sample.data), 1 << 32, (1 << 64) - 1):
            assert sample.put(patched(sample.data, 12 + 12 * number, struct.pack(">Q", offset))) is None


def test_a_graph_of_no_commits_is_none(sample: Sample) -> None:
    starts = [8 + 12 * 4, *[8 + 12 * 4 + 1024] * 3]
    table = b"".join(
        struct.pack(">4sQ", name, start)
        for name, start in zip((b"OIDF", b"OIDL", b"CDAT", b"\0\0\0\0"), starts, strict=True)
    )
    assert sample.put(sealed(b"CGPH\1\1\3\0" + table + bytes(1024))) is None


def test_a_graph_of_the_other_hash_is_none(sample: Sample, world: World) -> None:
    assert sample.put(sample.data) is not None
    assert open_commit_graph([sample.directory], ObjectFormat.SHA256) is None
    repo = world.repo("other", "--object-format=sha256")
    grow(repo, straight(5))
    write_graph(repo)
    assert open_commit_graph([repo.path / ".git" / "objects"], ObjectFormat.SHA1) is None


def be_a_directory(path: Path) -> None:
    path.mkdir()


def be_a_fifo(path: Path) -> None:
    os.mkfifo(path)


def be_a_circle(path: Path) -> None:
    path.symlink_to(path)


def be_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def be_empty(path: Path) -> None:
    path.touch()


@pytest.mark.parametrize("place", ["commit-graph", "commit-graphs/commit-graph-chain", "commit-graphs"])
@pytest.mark.parametrize("become", [be_a_directory, be_a_fifo, be_a_circle, be_a_device, be_empty])
def test_what_is_no_file_is_no_graph(tmp_path: Path, become: Callable[[Path], None], place: str) -> None:
    path = tmp_path / "info" / place
    path.parent.mkdir(parents=True)
    become(path)
    before = sorted(Path("/dev/fd").iterdir())
    assert open_commit_graph([tmp_path], ObjectFormat.SHA1) is None
    assert sorted(Path("/dev/fd").iterdir()) == before


# Broken chains


@pytest.fixture
def chained(world: World) -> Repo:
    repo = world.repo()
    layered(repo, SHAPES["octopus"], 5, 15, 30)
    return repo


def test_a_chain_with_a_missing_layer_is_none(chained: Repo) -> None:
    for name in layers_of(chained):
        path = chain_of(chained) / f"graph-{name}.graph"
        content = path.read_bytes()
        path.unlink()
        assert read_graph(chained) is None
        path.write_bytes(content)
    assert read_graph(chained) is not None


def test_a_chain_with_a_damaged_layer_is_none(chained: Repo) -> None:
    for name in layers_of(chained):
        path = chain_of(chained) / f"graph-{name}.graph"
        content = path.read_bytes()
        for offset in range(0, len(content), 7):
            replace(path, content[:offset] + bytes([content[offset] ^ 1]) + content[offset + 1 :])
            assert read_graph(chained) is None
        replace(path, content)
    assert read_graph(chained) is not None


def test_a_layer_that_is_another_than_its_name_says_is_none(chained: Repo) -> None:
    top = chain_of(chained) / f"graph-{layers_of(chained)[-1]}.graph"
    content = top.read_bytes()
    date = chunks_of(content)[b"CDAT"][ROW - 1]
    replace(top, patched(content, date, bytes([content[date] ^ 1])))
    assert read_graph(chained) is None


def stack(repo: Repo, layers: Sequence[bytes], *, bases: Callable[[list[bytes]], list[bytes]] = list) -> None:
    """Make a chain of changed layers, each of which names those below as `bases` has it."""
    checksums: list[bytes] = []
    for layer in layers:
        start = chunks_of(layer).get(b"BASE", range(1))[0]
        data = patched(layer, start, b"".join(bases(checksums))) if checksums else patched(layer, 0, b"")
        checksums.append(data[-20:])
        replace(chain_of(repo) / f"graph-{data[-20:].hex()}.graph", data)
    names = "".join(f"{checksum.hex()}\n" for checksum in checksums)
    replace(chain_of(repo) / "commit-graph-chain", names.encode())


def contents_of(repo: Repo) -> list[bytes]:
    return [(chain_of(repo) / f"graph-{name}.graph").read_bytes() for name in layers_of(repo)]


@pytest.mark.parametrize(
    "bases",
    [
        lambda below: [bytes(20), *below[1:]],
        lambda below: [*below[:-1], bytes(20)],
        lambda below: below[::-1] if len(below) > 1 else below,
    ],
)
def test_a_layer_that_names_other_bases_is_none(chained: Repo, bases: Callable[[list[bytes]], list[bytes]]) -> None:
    layers = contents_of(chained)
    stack(chained, layers)
    assert read_graph(chained) is not None
    stack(chained, layers, bases=bases)
    assert read_graph(chained) is None


def orders(names: list[str]) -> list[list[str]]:
    one, two, three = names
    return [[one, three], [two, three], [two], [three], [two, one, three], [one, one], [one, two, three, three]]


def test_layers_in_another_order_are_none(chained: Repo) -> None:
    chain = chain_of(chained) / "commit-graph-chain"
    names = layers_of(chained)
    for order in orders(names):
        replace(chain, "".join(f"{name}\n" for name in order).encode())
        assert read_graph(chained) is None
    for whole in (names, names[:2], names[:1]):
        replace(chain, "".join(f"{name}\n" for name in whole).encode())
        assert read_graph(chained) is not None


def test_a_damaged_list_of_layers_is_none(chained: Repo) -> None:
    chain = chain_of(chained) / "commit-graph-chain"
    content = chain.read_bytes()
    for length in {*range(len(content))} - {41, 82}:  # whole lines are a shorter chain
        replace(chain, content[:length])
        assert read_graph(chained) is None
    for offset in range(len(content)):
        for byte in b"g\n \0\xff":
            replace(chain, content[:offset] + bytes([byte]) + content[offset + 1 :])
            assert (read_graph(chained) is None) == (byte != content[offset])


def test_the_edges_of_one_layer_are_not_those_of_another(chained: Repo) -> None:
    base, *others = contents_of(chained)
    commits, edges = chunks_of(base)[b"CDAT"], chunks_of(base)[b"EDGE"]
    octopus = next(row for row in range(5) if base[commits[row * ROW] + 24] & 0x80)
    behind = struct.pack(">I", 0x80000000 + len(edges) // 4)
    stack(chained, [patched(base, commits[octopus * ROW] + 24, behind), *others])
    graph = usable(read_graph(chained))
    assert all(b"EDGE" in chunks_of(layer) for layer in others)
    assert graph.parents(octopus) is None
    assert graph.reachable([octopus], range(30)) is None


# Any history


@st.composite
def histories(draw: st.DrawFn) -> Shape:
    size = draw(st.integers(1, 25))
    return [
        draw(st.lists(st.integers(0, number - 1), max_size=4, unique=True)) if number else [] for number in range(size)
    ]


@settings(max_examples=25)
@given(shape=histories(), data=st.data())
def test_on_any_history_in_any_layers_what_is_reachable_is_what_git_lists(
    tmp_path_factory: pytest.TempPathFactory, shape: Shape, data: st.DataObject
) -> None:
    repo = World(tmp_path_factory.mktemp("any")).repo()
    commits = grow(repo, shape)
    for end in sorted(data.draw(st.sets(st.integers(1, len(shape)), min_size=1, max_size=3))):
        feed = "".join(f"{oid}\n" for oid in commits[:end]).encode()
        repo.git("commit-graph", "write", "--stdin-commits", "--split=no-merge", feed=feed)
    graph = usable(read_graph(repo))
    known = [oid for oid in commits if graph.position(oid) is not None]
    assert set(commits[:end]) <= set(known)
    some = st.lists(st.sampled_from(known), min_size=1)
    for tips, wanted in data.draw(st.lists(st.tuples(some, some), min_size=1, max_size=3)):
        assert ancestors(graph, tips, wanted) == listed(repo, *tips) & set(wanted)
