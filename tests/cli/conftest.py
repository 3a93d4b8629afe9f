"""The command line run in the test's own process, where what is tested does not depend on a fresh one."""

import pytest
from inprocess import Cli
from layouts import with_commit
from world import Repo, World


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Cli:
    """The command line."""
    return Cli(monkeypatch, capfdbinary)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """An ordinary repository with one commit, one for all tests of a module: not to be changed by them."""
    return with_commit(World(tmp_path_factory.mktemp("shared")).repo())
