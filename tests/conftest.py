"""Fixtures that all tests share: a throw-away world, a repository in it, and every layout."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings
from layouts import LAYOUTS, Standpoint, with_commit
from world import Repo, World

# Properties start git; how long an example takes says nothing about the code.
settings.register_profile("git", deadline=None)
settings.load_profile("git")

# The suite makes thousands of repositories and syncs every write: in memory, where there is plenty, in half the time.
MEMORY: Final = Path("/dev/shm")
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 6 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", os.fspath(MEMORY))


@pytest.fixture(scope="session", autouse=True)
def _clean_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the machine's git settings from libraries that look at this process's own environment."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("GIT_", "XDG_")):
                patch.delenv(name)
        patch.setenv("HOME", os.fspath(tmp_path_factory.mktemp("nobody")))
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty world."""
    return World(tmp_path)


@pytest.fixture(scope="session")
def _ordinary(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with one commit, to be copied: that takes a fifth of the time that git takes to make one."""
    return with_commit(World(tmp_path_factory.mktemp("ordinary")).repo())


@pytest.fixture
def repo(world: World, _ordinary: Repo) -> Repo:
    """An ordinary repository with one commit."""
    made = Repo(world, world.root / _ordinary.path.name)
    shutil.copytree(_ordinary.path, made.path, symlinks=True)
    world.clock = _ordinary.world.clock
    return made


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest, world: World) -> Standpoint:
    """Each layout in turn; only the one at hand is built."""
    return LAYOUTS[str(request.param)](world)
