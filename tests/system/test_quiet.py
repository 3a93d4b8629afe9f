"""Reading writes nothing and runs nothing that the repository configures, whatever is asked."""

import pytest
from program import several
from remembered import TEXT, State, file_of, reasons, remember, state
from world import Repo, World

EDITED = TEXT.replace("line 4\n", "line four\n")
READS = (
    ["check"],
    ["check", "--cached"],
    ["check", "--at", "HEAD"],
    ["check", "--since", "HEAD~1"],
    ["check", "--format", "sarif"],
    ["about", "code.py:4", "gone.py"],
    ["relink", "--dry-run"],
    ["bisect", "2026-01-01-0000-code"],
    ["bisect", "2026-01-01-0000-undone"],
    ["status"],
    ["doctor"],
    ["restore"],
    ["restore", "-n", "2026-01-01-0000-code"],
    ["log"],
    ["log", "2026-01-01-0000-code"],
    ["show", "2026-01-01-0000-code@{0}"],
    ["diff"],
    ["diff", "2026-01-01-0000-code"],
    ["blame", "2026-01-01-0000-code"],
    ["search", "code", "--at", "HEAD~1"],
    ["search", "line", "--in", "files"],
    ["manifest"],
    ["manifest", "--cached"],
    ["manifest", "--since", "HEAD~1"],
    ["manifest", "--all"],
    ["hooks", "status"],
    ["jobs"],
    ["work"],
)


@pytest.fixture(scope="module")
def armed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with evidence of every sort, in which each program that git may start leaves a mark."""
    repo = World(tmp_path_factory.mktemp("armed")).repo()
    repo.commit("Start", {"code.py": TEXT, "dirty.py": TEXT, "shifted.py": TEXT, "gone.py": "named " + TEXT})
    assert repo.mem("init").code == 0
    for name in ("code", "dirty", "shifted", "gone"):
        remember(repo, name, f"{name}.py:3-5")
    repo.commit("To be undone", {"undone.txt": "x\n"})
    remember(repo, "undone", commits=["HEAD"])
    repo.git("checkout", "-q", "--detach")
    rebased = repo.commit("Rebased", {"rebased.txt": "x\n"})
    remember(repo, "rebased", commits=["HEAD"])
    repo.git("checkout", "-q", "main")
    repo.git("revert", "--no-edit", "HEAD")
    repo.git("cherry-pick", rebased)
    repo.git("mv", "gone.py", "new.py")
    repo.commit("Change", {"code.py": EDITED, "shifted.py": "new\n" + TEXT, "new.py": "top\nnamed " + TEXT})
    _arm(repo)
    repo.write("dirty.py", EDITED)
    return repo


def _arm(repo: Repo) -> None:
    trap = repo.world.root / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0" "$@" >> "{repo.world.root}/sprung"\ncat\n', encoding="utf-8")
    trap.chmod(0o755)
    repo.write(".git/info/attributes", "*.py filter=trap diff=trap merge=trap\n")
    keys = (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "core.editor", "gpg.program"),
        *("filter.trap.clean", "filter.trap.smudge", "diff.trap.command", "diff.trap.textconv", "merge.trap.driver"),
    )
    for key in keys:
        repo.git("config", key, str(trap))
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "post-rewrite", "pre-auto-gc"):
        repo.write(f".git/hooks/{hook}", trap.read_text(encoding="utf-8")).chmod(0o755)
    repo.git("config", "log.showSignature", "true")


def sprung(repo: Repo) -> str:
    marks = repo.world.root / "sprung"
    found = marks.read_text(encoding="utf-8") if marks.exists() else ""
    marks.unlink(missing_ok=True)
    return found


def test_reading_writes_nothing_and_runs_nothing(armed: Repo) -> None:
    sprung(armed)
    before = state(armed.path)
    done = several(armed, *READS)
    assert "fault" not in done.err
    assert state(armed.path) == before
    assert sprung(armed) == ""


def test_the_traps_work(armed: Repo) -> None:
    sprung(armed)
    armed.git("diff", "--ext-diff", "--", "dirty.py")
    armed.git("status", "--short")
    told = sprung(armed)
    assert told.count("trap") >= 2


def beside_the_store(repo: Repo) -> dict[str, State]:
    kept = (".klide", ".git/mem", ".git/objects", ".git/refs/mem")  # the history of entries touches nothing else
    found = state(repo.path).items()
    return {name: one for name, one in found if not name.startswith(kept) and name not in (".git", ".git/refs")}


def test_writing_runs_nothing_either(armed: Repo) -> None:
    sprung(armed)
    before = beside_the_store(armed)
    done = several(armed, ["relink"], ["confirm", "2026-01-01-0000-code"])
    assert "fatal" not in done.err, done
    assert beside_the_store(armed) == before
    assert sprung(armed) == ""
    assert reasons(armed, "2026-01-01-0000-code") == ["unchanged"]
    assert not list(file_of(armed, "x").parent.glob(".tmp-*"))


def test_an_edit_runs_the_editor_and_nothing_else(armed: Repo) -> None:
    sprung(armed)
    before = beside_the_store(armed)
    ident = "2026-01-01-0000-code"
    done = several(armed, ["edit", ident], env={"GIT_EDITOR": "sed -i '$ a more'"})
    assert (done.out, done.err) == (f"edited {ident}\n", "")
    assert beside_the_store(armed) == before
    assert sprung(armed) == ""


def test_superseding_and_forgetting_run_nothing_either(armed: Repo) -> None:
    sprung(armed)
    before = beside_the_store(armed)
    old, new = "2026-01-01-0000-dirty", "2026-01-01-0000-shifted"
    done = several(armed, ["supersede", old, "--by", new], ["forget", old, "--yes"])
    assert (done.out, done.err) == (f"{old} is superseded by {new}\nforgot {old}\n", "")
    assert beside_the_store(armed) == before
    assert sprung(armed) == ""
