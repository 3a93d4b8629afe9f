"""A store that mem.store puts elsewhere is a new one there, and not one that vanished."""

import shutil

from program import document
from remembered import workspace
from world import Repo


def test_a_store_that_was_put_elsewhere_is_not_gone(repo: Repo) -> None:
    assert repo.mem("add", "Here").code == 0
    repo.git("config", "mem.store", "docs/memory")
    status = document(repo.mem("status", "--json"))
    assert (status["exists"], status["vanished"]) == (False, False)
    assert "yet" in repo.mem("doctor").out
    added = repo.mem("add", "Elsewhere", "--date", "2026-01-01")
    assert added.code == 0
    assert (repo.path / "docs/memory/2026-01-01-0000-elsewhere.md").is_file()
    assert [path.name for path in (repo.path / ".klide/memory").iterdir()] != []
    assert repo.git("ls-tree", "--name-only", "refs/mem/store").out.split() == ["2026-01-01-0000-elsewhere.md"]
    shutil.rmtree(repo.path / "docs")
    refused = repo.mem("add", "Now it is gone")
    assert (refused.code, "git mem restore" in refused.err) == (128, True)


def test_a_clone_that_has_the_history_only_has_lost_its_store(repo: Repo) -> None:
    assert repo.mem("add", "Here").code == 0
    shutil.rmtree(repo.path / ".klide")
    (repo.path / ".git/mem/place").unlink()
    assert workspace(repo).lost() == 1
