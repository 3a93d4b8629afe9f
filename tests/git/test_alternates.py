"""Where objects are borrowed from: the same directories as git uses, in its order."""

from pathlib import Path

import pytest
from world import World

from gitmem.git.alternates import object_directories


def lend(world: World, name: str, *lenders: str) -> Path:
    """Make a bare repository whose alternates file has these lines."""
    world.git("init", "-q", "--bare", name, cwd=world.root)
    path = world.root / name
    if lenders:
        (path / "objects" / "info" / "alternates").write_text(
            "".join(f"{line}\n" for line in lenders), encoding="utf-8"
        )
    return path


def as_git_says(world: World, path: Path) -> list[str]:
    answer = world.git("-C", path, "count-objects", "-v", cwd=world.root).out.splitlines()
    return [line.removeprefix("alternate: ") for line in answer if line.startswith("alternate: ")]


@pytest.mark.parametrize("line", ["{}", "../../c/objects", '"{}"', '"../../\\143/objects"', "# comment\n{}"])
def test_each_way_to_name_a_lender_is_understood_as_git_does(world: World, line: str) -> None:
    lender = lend(world, "c") / "objects"
    borrower = lend(world, "b", line.format(lender))
    assert [str(path) for path in object_directories(borrower)] == [
        str(borrower / "objects"),
        *as_git_says(world, borrower),
    ]
    assert object_directories(borrower)[1:] == [lender]


def test_lenders_that_borrow_are_followed_at_once(world: World) -> None:
    lend(world, "d")
    lend(world, "b", "../../d/objects")
    lend(world, "c")
    borrower = lend(world, "a", "../../b/objects", "../../c/objects")
    found = [str(path) for path in object_directories(borrower)[1:]]
    assert found == as_git_says(world, borrower)
    assert [Path(path).parent.name for path in found] == ["b", "d", "c"]
