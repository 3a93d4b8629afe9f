"""Repositories that many tests read and none changes."""

import pytest
from rich import rich
from world import Repo, World


@pytest.fixture(scope="session")
def rich_repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Every verdict and every sort of file in one repository; see rich.py. Not to be changed."""
    return rich(World(tmp_path_factory.mktemp("rich")))
