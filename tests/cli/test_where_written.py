"""Where a change of the store is to be committed, told where that is not here."""

import pytest
from remembered import TEXT, remember
from world import Repo, World


@pytest.fixture
def linked(world: World) -> Repo:
    """A linked worktree in which cited lines have moved."""
    main = world.repo()
    main.commit("Code", {"a.py": TEXT})
    assert main.mem("init", "--track").code == 0
    remember(main, "moves", "a.py:3-5")
    made = main.worktree("linked")
    made.commit("Shift", {"a.py": f"new\n{TEXT}"})
    return made


@pytest.mark.parametrize("verb", [["relink"], ["confirm", "2026-01-01-0000-moves"]])
def test_a_tracked_store_is_written_in_the_main_checkout(linked: Repo, verb: list[str]) -> None:
    done = linked.mem(*verb)
    told = f"written in the main checkout, so commit it there: {linked.world.root / 'main'}\n"
    assert (done.code, done.err) == (0, told)
    assert linked.mem(*verb).err.count("main checkout") == 0  # nothing is left to write


def test_in_the_main_checkout_and_for_a_private_store_nothing_is_said(world: World) -> None:
    main = world.repo()
    main.commit("Code", {"a.py": TEXT})
    remember(main, "moves", "a.py:3-5")
    main.commit("Shift", {"a.py": f"new\n{TEXT}"})
    assert main.worktree("linked").mem("relink").err == ""
