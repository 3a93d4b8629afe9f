"""What is installed: the package with its data, and the script that git finds."""

import json
import os
import sys
import zipfile
from pathlib import Path

import pytest
from world import World

from gitmem.cli.commands import COMMANDS

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of this tree, built without a network."""
    world = World(tmp_path_factory.mktemp("wheel"))
    build = "import os, sys, hatchling.build as b; os.chdir(sys.argv[1]); print(b.build_wheel(sys.argv[2]))"
    done = world.run(sys.executable, "-c", build, PROJECT, world.root, cwd=world.root)
    assert done.code == 0, done
    return zipfile.ZipFile(world.root / done.line.splitlines()[-1])


def test_everything_of_the_package_is_in_the_wheel_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    on_disk = {
        os.fspath(path.relative_to(PROJECT))
        for path in (PROJECT / "gitmem").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    on_disk |= {f"gitmem/hooks/{path.name}" for path in (PROJECT / "hooks").iterdir()}
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == on_disk
    assert "gitmem/py.typed" in packed


def test_the_schemas_are_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    packed = [name for name in wheel.namelist() if name.endswith(".schema.json")]
    identities = {json.loads(wheel.read(name))["$id"] for name in packed}
    verbs = {"entry", "search-files", *COMMANDS} - {"init"}
    assert identities == {f"urn:git-mem:schema:{verb}:1" for verb in verbs}


def test_the_script_is_named_as_git_looks_for_it(wheel: zipfile.ZipFile) -> None:
    entry_points = next(name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt"))
    assert "git-mem = gitmem.__main__:main" in wheel.read(entry_points).decode("utf-8").splitlines()


def test_the_program_runs_from_the_wheel_alone(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path / "site")
    world = World(tmp_path)
    asks = "import gitmem.porcelain.schemas as s, gitmem.cli.main as m; print(m.__file__, *s.names())"
    done = world.run(sys.executable, "-P", "-c", asks, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "site")})
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{tmp_path}/site/gitmem/cli/main.py about add bisect blame check confirm diff ")
