"""The page of an answer: verdicts for what is shown, filters by verdict, no short pages."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from program import entry, put
from world import Repo, World

from gitmem.entry.model import Entry, SourceRef
from gitmem.evidence.judge import judge
from gitmem.evidence.target import Target
from gitmem.evidence.verdict import EntryVerdict, Verdict
from gitmem.porcelain.search import Found, Request, search, without_nearest
from gitmem.workspace import Workspace, open_workspace

COUNT = 120
CURRENT = 3  # the last ones in order, behind more than one batch of others


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Many entries of the same words, of which only the oldest are current."""
    repo = World(tmp_path_factory.mktemp("search")).repo()
    head = (SourceRef(source_type="commit", id=repo.commit("Start")),)
    put(
        repo.path / ".klide/memory",
        *(
            entry(f"e-{n:03}", title="Common words", source_refs=head if n >= COUNT - CURRENT else ())
            for n in range(COUNT)
        ),
        entry("partly", title="Common"),
    )
    return repo


@pytest.fixture
def workspace(repo: Repo) -> Workspace:
    return open_workspace(repo.path, repo.world.env)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the entries that a verdict was asked for, in order."""
    asked: list[str] = []

    def recording(target: Target, entries: Sequence[Entry]) -> list[EntryVerdict]:
        asked.extend(one.id for one in entries)
        return judge(target, entries)

    monkeypatch.setattr("gitmem.porcelain.search.judge", recording)
    return asked


def ids(found: Found) -> list[str]:
    return [hit.id for hit in found.hits]


def test_only_what_is_shown_is_judged(workspace: Workspace, judged: list[str]) -> None:
    found = search(workspace, ["common", "words"], Request(limit=4))
    assert judged == ids(found) == [f"e-{number:03}" for number in range(4)]


def test_a_verdict_that_is_asked_for_is_found_however_far_back(workspace: Workspace, judged: list[str]) -> None:
    found = search(workspace, ["common", "words"], Request(limit=2, only=frozenset({Verdict.CURRENT})))
    assert ids(found) == ["e-117", "e-118"]
    assert len(judged) == COUNT


def test_the_search_for_a_verdict_stops_when_the_page_is_full(workspace: Workspace, judged: list[str]) -> None:
    found = search(workspace, ["common", "words"], Request(limit=3, only=frozenset({Verdict.UNVERIFIED})))
    assert ids(found) == ["e-000", "e-001", "e-002"]
    assert len(judged) == 50


def test_the_option_and_the_prefix_must_both_hold(workspace: Workspace, judged: list[str]) -> None:
    request = Request(only=frozenset({Verdict.CURRENT, Verdict.STALE}))
    assert ids(search(workspace, ["common", "words", "is:current"], request)) == ["e-117", "e-118", "e-119"]
    assert ids(search(workspace, ["common", "words", "is:unverified"], request)) == []


@pytest.mark.parametrize(("limit", "shown"), [(-5, 1), (0, 1), (1, 1), (20, 20), (21, 20), (10**9, 20)])
def test_the_limit_is_clamped(workspace: Workspace, limit: int, shown: int) -> None:
    assert len(search(workspace, ["common", "words"], Request(limit=limit)).hits) == shown


def test_hits_and_nearest_share_one_page(workspace: Workspace) -> None:
    found = search(workspace, ["e-119", "common"], Request(limit=3))
    assert len(found.hits) + len(found.nearest) == 3
    strict, dropped = without_nearest(found)
    assert (strict.hits, strict.nearest, dropped) == (found.hits, (), len(found.nearest))


def test_the_order_on_disk_does_not_matter(repo: Repo, tmp_path: Path) -> None:
    turned = World(tmp_path).repo()
    turned.commit("Start")
    for path in sorted((repo.path / ".klide/memory").iterdir(), reverse=True):
        turned.write(f".klide/memory/{path.name}", path.read_bytes())
    answers = [search(open_workspace(one.path, one.world.env), ["common"], Request(limit=20)) for one in (repo, turned)]
    assert ids(answers[0]) == ids(answers[1])
