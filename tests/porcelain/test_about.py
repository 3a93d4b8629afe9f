"""Which ranges of lines concern each other, checked against sets of line numbers."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import entry, put
from world import Repo, World

from gitmem.entry.model import SourceRef
from gitmem.porcelain.about import about
from gitmem.workspace import Workspace, open_workspace

LINES = 12
RANGES = [(start, end) for start in range(1, LINES + 1) for end in range(start, LINES + 1)]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A file of twelve lines, and an entry for each range in it."""
    repo: Repo = World(tmp_path_factory.mktemp("about")).repo()
    repo.commit("Start", {"a.py": "".join(f"line {number}\n" for number in range(1, LINES + 1))})
    blob = repo.rev("HEAD:a.py")
    put(
        repo.path / ".klide/memory",
        *(
            entry(
                f"r-{start}-{end}",
                source_refs=(
                    SourceRef(source_type="file", id="a.py", path="a.py", line_start=start, line_end=end, blob=blob),
                ),
            )
            for start, end in RANGES
        ),
    )
    return open_workspace(Path(repo.path), repo.world.env)


@given(st.integers(1, LINES + 3), st.integers(0, LINES))
def test_entries_are_mentioned_whose_lines_are_among_those_asked_for(
    workspace: Workspace, start: int, more: int
) -> None:
    asked = set(range(start, start + more + 1))
    found = {(one.line_start, one.line_end) for one in about(workspace, [f"a.py:{start}-{start + more}"]).entries}
    assert found == {(first, last) for first, last in RANGES if asked & set(range(first, last + 1))}
