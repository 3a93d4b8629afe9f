"""The sections at work: real git fires them, and they find a program that writes down how it was called."""

import os
import select
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from layouts import ODD_NAME, Standpoint, submodule
from world import Repo, Result, World, listing

from gitmem.git.hooks import HOOKS, read_script
from gitmem.git.layout import locate
from gitmem.git.quote import quoted
from gitmem.git.rewritten import read_rewritten
from gitmem.git.run import Git
from gitmem.porcelain.hooks import HookState, install, status, uninstall

SHELLS = [
    name for name in ("sh", "dash", "bash", "busybox", "zsh", "ksh", "ksh93", "mksh", "yash") if shutil.which(name)
]
NOTICE = "git mem: 1 entry became stale"


@dataclass(frozen=True, slots=True)
class Hooked:
    """A repository with hooks installed, and the program that they find."""

    repo: Repo
    calls: Path

    @property
    def mem(self) -> Path:
        """Where marks are made."""
        return self.common / "mem"

    @property
    def common(self) -> Path:
        """The directory that all worktrees share."""
        return Path(self.repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").line)

    def cite(self, *paths: str, reverts: Sequence[str] = ()) -> None:
        """Write the list of what is cited, as the program does."""
        lines = [*map(quoted, paths), *(f"This reverts commit {oid}." for oid in reverts)]
        self.mem.joinpath("cited").write_bytes(b"".join(os.fsencode(line) + b"\n" for line in lines))

    def marks(self) -> list[str]:
        """Return the marks that were made since the last time."""
        found = sorted(path.name for path in (self.mem / "spool").iterdir())
        for name in found:
            (self.mem / "spool" / name).unlink()
        return found

    def ran(self) -> set[str]:
        """Return the hooks that ran since the last time."""
        found = {path.name for path in (self.mem / "ran").iterdir()}
        for name in found:
            (self.mem / "ran" / name).unlink()
        return found

    def notices(self) -> list[str]:
        """Return how the program was called in the foreground since the last time."""
        found = self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []
        self.calls.unlink(missing_ok=True)
        return found


def put_on_path(world: World) -> Path:
    """Put a program on PATH that notes its calls in the foreground, and says one line on both outputs."""
    directory = world.root / "bin"
    directory.mkdir()
    calls = world.root / "calls"
    script = directory / "git-mem"
    script.write_text(
        f'#!/bin/sh\n[ "$1" = work ] && exit\necho "$*" >>"{calls}"\necho out\necho "{NOTICE}" >&2\ncat >>"{calls}"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    world.env["PATH"] = f"{directory}:{world.env['PATH']}"
    return calls


def hook_up(repo: Repo) -> Hooked:
    calls = put_on_path(repo.world)
    git = Git(repo.world.env)
    done = install(git, locate(git, repo.path, {}))
    assert not done.advice
    return Hooked(repo, calls)


@pytest.fixture
def hooked(repo: Repo) -> Hooked:
    """An ordinary repository with hooks, and nothing cited."""
    return hook_up(repo)


def write_hook(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


# What git does, in the main checkout and in a linked worktree.


@pytest.mark.parametrize("where", ["main", "linked"])
def test_what_git_does_leaves_a_mark_for_its_worktree_and_not_a_word(hooked: Hooked, where: str) -> None:
    repo = hooked.repo if where == "main" else hooked.repo.worktree("linked")
    start = repo.rev()
    picked = hooked.repo.commit("Picked", {"picked.txt": "1\n"})
    hooked.marks()
    steps: list[tuple[Sequence[str], str, Sequence[str]]] = [
        (("commit", "-q", "--allow-empty", "-m", "One"), "post-commit", ["follow"]),
        (("commit", "-q", "--amend", "--allow-empty", "-m", "Two"), "post-commit post-rewrite", ["follow", "relink"]),
        (("checkout", "-q", "-b", f"side-{where}", start), "post-checkout", ["follow"]),
        (("cherry-pick", picked), "post-commit", ["follow"]),
        (("revert", "--no-edit", "HEAD"), "post-commit", ["follow"]),
        (("merge", "-q", "--no-ff", "-m", "Merge", where), "post-merge", ["follow"]),
        (("checkout", "-q", start, "--", "README.md"), "post-checkout", []),
        (("rm", "-q", "README.md"), "", []),
        (("stash", "-q"), "", []),
        (("stash", "pop", "-q"), "", []),
        (("reset", "-q", "--hard"), "", []),
    ]
    for args, runs, marks in steps:
        hooked.ran()
        assert repo.git(*args).err == "", args
        assert hooked.ran() == set(runs.split()), args
        assert hooked.marks() == [mark + ("" if where == "main" else "@linked") for mark in marks], args
    assert repo.git("status", "--porcelain").out == ""
    assert hooked.notices() == []


def test_a_new_worktree_is_followed_from_its_first_checkout_on(hooked: Hooked) -> None:
    done = hooked.repo.git("worktree", "add", "-q", "--detach", hooked.repo.world.root / "a 'b' \"c\"")
    assert done.err == ""
    (name,) = [path.name for path in (hooked.common / "worktrees").iterdir()]
    assert hooked.marks() == [f"follow@{name}"]


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_rebase_of_36_commits_leaves_two_marks_and_tells_of_every_one(hooked: Hooked, backend: str) -> None:
    linked = hooked.repo.worktree("linked")
    old = [linked.commit(f"Commit {number}", {f"{number}.txt": f"{number}\n"}) for number in range(36)]
    hooked.cite("3.txt")
    hooked.repo.commit("Meanwhile", {"main.txt": "1\n"})
    hooked.marks()
    linked.git("rebase", "-q", backend, "main")
    assert hooked.marks() == ["follow@linked", "relink@linked"]
    new = linked.git("rev-list", "--reverse", "main..HEAD").out.split()
    assert read_rewritten(hooked.common) == {one: [other] for one, other in zip(old, new, strict=True)}
    assert hooked.notices() == []  # its commits come and go
    git_dir = Path(linked.git("rev-parse", "--absolute-git-dir").line)
    assert not (git_dir / "index.lock").exists()
    assert linked.git("status", "--porcelain").out == ""


def test_a_fixup_names_one_new_commit_for_several_old_ones(hooked: Hooked) -> None:
    repo = hooked.repo
    base = repo.rev()
    one = repo.commit("One", {"a.txt": "1\n"})
    two = repo.commit("fixup! One", {"a.txt": "2\n"})
    repo.git("rebase", "-q", "-i", "--autosquash", base, env={"GIT_SEQUENCE_EDITOR": "true"})
    found = read_rewritten(hooked.common)
    assert (found[one][0], found[two][0]) == (repo.rev(), repo.rev())


def test_hooks_do_their_work_in_every_layout(layout: Standpoint) -> None:
    repo = layout.repo
    hooked = hook_up(repo)
    hooked.cite("touched é.txt")
    for name, calls in (("other.txt", []), ("touched é.txt", ["hooks run post-commit"])):
        path = repo.write(name, "x\n")
        repo.git("add", "--", path, cwd=layout.directory, env=layout.extra)
        done = repo.git("commit", "-q", "-m", "x", cwd=layout.directory, env=layout.extra)
        assert done.err == (f"{NOTICE}\n" if calls else "")
        assert hooked.notices() == calls
    git_dir = Path(repo.git("rev-parse", "--absolute-git-dir").line)
    at = f"@{git_dir.name}" if git_dir.parent.name == "worktrees" else ""
    assert hooked.marks() == [f"follow{at}"]


@pytest.mark.parametrize("where", ["above", "below"])
def test_a_place_given_on_the_command_line_or_in_the_environment_is_honoured(hooked: Hooked, where: str) -> None:
    repo = hooked.repo
    hooked.cite("src/code.py")
    cwd = repo.world.root if where == "above" else repo.path / "src"
    git_dir = os.path.relpath(repo.path / ".git", cwd)
    repo.write("src/code.py", "changed\n")
    repo.git(f"--git-dir={git_dir}", f"--work-tree={os.path.relpath(repo.path, cwd)}", "commit", "-qam", "x", cwd=cwd)
    assert hooked.marks() == ["follow"]
    repo.write("src/code.py", "again\n")
    env = {"GIT_DIR": git_dir, "GIT_WORK_TREE": os.fspath(repo.path)}
    repo.git("commit", "-qam", "x", cwd=cwd, env=env)
    assert hooked.marks() == ["follow"]
    assert hooked.notices() == ["hooks run post-commit"] * 2


def test_a_submodule_has_marks_of_its_own(world: World) -> None:
    inner = submodule(world)
    outer = Repo(world, world.root / "super")
    calls = put_on_path(world)
    git = Git(world.env)
    found = []
    for repo in (inner, outer):
        install(git, locate(git, repo.path, {}))
        found.append(Hooked(repo, calls))
    inner.commit("Inside", {"x.txt": "x\n"})
    assert [one.marks() for one in found] == [["follow"], []]
    outer.commit("Outside", {"y.txt": "y\n"})
    outer.git("submodule", "--quiet", "update", "--force")
    assert [one.marks() for one in found] == [["follow"], ["follow"]]
    linked = inner.worktree("linked")
    assert found[0].marks() == ["follow@linked"]
    linked.commit("Linked", {"z.txt": "z\n"})
    assert [one.marks() for one in found] == [["follow@linked"], []]


# Where there is nothing to do.


def test_without_the_program_hooks_do_nothing_and_say_nothing(hooked: Hooked) -> None:
    repo = hooked.repo
    hooked.cite("README.md")
    git = shutil.which("git")
    assert git is not None
    bare = {"PATH": f"{Path(git).parent}:/usr/bin:/bin", "VIRTUAL_ENV": ""}
    assert shutil.which("git-mem", path=bare["PATH"]) is None
    repo.write("README.md", "changed\n")
    for args in (
        ("commit", "-qam", "One"),
        ("commit", "-q", "--amend", "--allow-empty", "-m", "Two"),
        ("checkout", "-q", "-b", "side"),
        ("worktree", "add", "-q", "--detach", os.fspath(repo.world.root / "extra")),
        ("merge", "-q", "main"),
    ):
        done = repo.git(*args, env=bare)
        assert (done.out, done.err) == ("", "")
    assert (hooked.marks(), hooked.ran(), hooked.notices()) == ([], set(), [])
    assert not (hooked.mem / "rewritten").exists()


def test_where_no_memory_is_hooks_do_nothing(hooked: Hooked) -> None:
    repo = hooked.repo
    shutil.rmtree(hooked.mem)
    before = listing(hooked.common / "hooks")
    repo.commit("One", {"a.txt": "1\n"})
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "Two")
    repo.git("checkout", "-q", "-b", "side")
    assert not hooked.mem.exists()
    assert listing(hooked.common / "hooks") == before


def test_a_clone_whose_template_has_the_hooks_is_left_in_peace(hooked: Hooked) -> None:
    world = hooked.repo.world
    template = world.root / "template"
    shutil.copytree(hooked.common / "hooks", template / "hooks")
    done = world.git("-c", f"init.templateDir={template}", "clone", "-q", hooked.repo.path, "clone", cwd=world.root)
    assert done.err == ""
    clone = Repo(world, world.root / "clone")
    assert (clone.path / ".git/hooks/post-checkout").exists()
    clone.commit("x", {"x.txt": "x\n"})
    assert not (clone.path / ".git/mem").exists()


def test_what_cannot_be_written_is_passed_over_in_silence(hooked: Hooked) -> None:
    repo = hooked.repo
    for name in ("spool/follow", "spool/relink", "ran/post-commit", "ran/post-checkout", "rewritten", "worker"):
        (hooked.mem / name).mkdir()
    for args in (
        ("commit", "-q", "--allow-empty", "-m", "One"),
        ("commit", "-q", "--amend", "--allow-empty", "-m", "Two"),
        ("checkout", "-q", "-b", "side"),
    ):
        done = repo.git(*args)
        assert (done.out, done.err) == ("", "")


# The line that a person reads.


def touch(hooked: Hooked, name: str, *args: str) -> Result:
    """Change a file and commit it, as `git commit` is called with the arguments; return what came of it."""
    path = hooked.repo.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write("more\n")
    literal = {"GIT_LITERAL_PATHSPECS": "1"}
    hooked.repo.git("add", "--", name, env=literal)
    return hooked.repo.git("commit", "-q", "-m", "x", *args, env=literal)


def test_only_a_commit_that_touches_what_is_cited_starts_the_program(hooked: Hooked) -> None:
    hooked.cite("src/code.py", "src", "README")
    done = touch(hooked, "README.md")
    assert (done.err, hooked.notices()) == ("", [])
    done = touch(hooked, "src/other.py")
    assert (done.err, hooked.notices()) == ("", [])
    done = touch(hooked, "src/code.py")
    assert (done.out, done.err) == ("", f"{NOTICE}\n")
    assert hooked.notices() == ["hooks run post-commit"]  # and nothing came on its standard input
    hooked.repo.git("mv", "src/code.py", "moved.py")
    hooked.repo.git("commit", "-q", "-m", "Rename")
    assert hooked.notices() == ["hooks run post-commit"]
    hooked.cite()
    touch(hooked, "src/code.py")
    hooked.mem.joinpath("cited").unlink()
    touch(hooked, "src/code.py")
    assert hooked.notices() == []


def test_any_way_to_commit_is_seen(hooked: Hooked) -> None:
    repo = hooked.repo
    hooked.cite("src/code.py")
    repo.write("HEAD", "a file with the name of a revision\n")
    repo.git("add", "HEAD")
    touch(hooked, "src/code.py", "--", "src/code.py")  # by path: git uses an index of its own for it
    assert hooked.notices() == ["hooks run post-commit"]
    repo.write("src/code.py", "all\n")
    repo.git("commit", "-qam", "All", cwd=repo.path / "src")
    assert hooked.notices() == ["hooks run post-commit"]
    repo.git("commit", "-q", "--amend", "-m", "Amended")
    assert hooked.notices() == ["hooks run post-commit"]
    repo.git("checkout", "-q", "--orphan", "root")
    hooked.notices()
    repo.git("commit", "-q", "-m", "A root")
    assert hooked.notices() == ["hooks run post-commit"]
    linked = repo.worktree("linked")
    linked.commit("Linked", {"src/code.py": "linked\n"})
    assert hooked.notices() == ["hooks run post-commit"]


ODD = (
    "日本/é.txt",
    "sep\u2028two.txt",
    "tab\there.txt",
    "sp ace.txt",
    '"q".txt',
    "nl\nx.txt",
    "a b/ c.txt",
    "-f",
    "*.py",
)


def test_names_of_any_sort_are_compared_as_git_prints_them(hooked: Hooked) -> None:
    for name in ODD:
        hooked.cite(name)
        touch(hooked, name)
        assert hooked.notices() == ["hooks run post-commit"], name
        touch(hooked, "other.txt")
        assert hooked.notices() == [], name
    hooked.cite("ab.py", "a")
    touch(hooked, "*.py")
    assert hooked.notices() == []


HOSTILE = """
[core]
    quotePath = false
    fsmonitor = /bin/false
    pager = false
[diff]
    renames = copies
    external = /bin/false
    noprefix = true
    relative = true
    orderFile = /dev/null
[color]
    ui = always
[log]
    showSignature = true
    showRoot = false
    date = relative
[pager]
    diff-tree = false
[alias]
    diff-tree = !false
    mem = !false
"""


def test_no_configuration_changes_what_is_seen(hooked: Hooked) -> None:
    hooked.repo.world.configure(HOSTILE)
    extra = {"GIT_EXTERNAL_DIFF": "/bin/false", "LC_ALL": "tr_TR.UTF-8", "GIT_TRACE": "1", "GREP_OPTIONS": "-v"}
    hooked.repo.world.env.update({name: value for name, value in extra.items() if name != "GIT_TRACE"})
    for name in ("日本/é.txt", "plain.txt"):
        hooked.cite(name)
        assert touch(hooked, name).err == f"{NOTICE}\n"
        assert touch(hooked, "other.txt").err == ""
    assert hooked.notices() == ["hooks run post-commit"] * 2


def test_a_revert_of_a_cited_commit_is_seen(hooked: Hooked) -> None:
    repo = hooked.repo
    cited = repo.commit("To be undone", {"a.txt": "1\n"})
    other = repo.commit("Other", {"b.txt": "1\n"})
    hooked.cite(reverts=[cited])
    repo.git("revert", "--no-edit", other)
    assert hooked.notices() == []
    repo.git("revert", "--no-edit", cited)
    assert hooked.notices() == ["hooks run post-commit"]


def test_a_merge_is_seen_by_what_it_brings(hooked: Hooked) -> None:
    repo = hooked.repo
    repo.git("checkout", "-q", "-b", "side")
    cited = repo.commit("To be undone", {"a.txt": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "side")
    repo.git("checkout", "-q", "side")
    repo.git("revert", "--no-edit", cited)
    reverted = repo.rev()
    touched = repo.commit("Touch", {"src/code.py": "touched\n"})
    hooked.cite("src/code.py", reverts=[cited])
    for options, commit, calls in (
        (["--no-ff"], reverted, ["hooks run post-merge 0"]),
        (["--ff-only"], touched, ["hooks run post-merge 0"]),
        (["--squash"], touched, []),
        (["--no-ff"], "main", []),
    ):
        repo.git("checkout", "-q", "-B", "into", "main" if options != ["--no-ff"] or commit != "main" else "side")
        hooked.notices()
        done = repo.git("merge", *options, commit)
        assert hooked.notices() == calls, (options, commit)
        assert done.err == (f"{NOTICE}\n" if calls else "")
        repo.git("reset", "-q", "--hard")


def test_a_merge_that_renames_what_is_cited_is_seen(hooked: Hooked) -> None:
    repo = hooked.repo
    repo.write("HEAD", "a file with the name of a revision\n")
    repo.git("add", "HEAD")
    repo.git("checkout", "-q", "-b", "side")
    repo.git("mv", "src/code.py", "src/moved.py")
    repo.commit("Rename")
    repo.git("checkout", "-q", "main")
    hooked.cite("src/code.py")
    repo.git("merge", "-q", "side")
    assert hooked.notices() == ["hooks run post-merge 0"]


def test_a_merge_that_a_person_ends_is_seen_by_what_it_brings(hooked: Hooked) -> None:
    repo = hooked.repo
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Theirs", {"README.md": "theirs\n", "src/code.py": "theirs\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Ours", {"README.md": "ours\n", "ours.txt": "1\n"})
    for cited, calls in (("src/code.py", ["hooks run post-commit"]), ("ours.txt", [])):
        hooked.cite(cited)
        repo.git("merge", "-q", "side", accept=(1,))
        repo.commit("Merge", {"README.md": "both\n"})
        assert hooked.notices() == calls
        repo.git("reset", "-q", "--hard", "HEAD^1")


# The script behind the section.


RECORDS = """{{ echo "0:$0"; echo "n:$#"; for a in "$@"; do echo "a:$a"; done; }} >>"{log}"
{{ echo "f:$-"; echo "i:$(cat)"; }} >>"{log}"
set | grep -c "^git_mem\\|^mem=\\|^worker=" >>"{log}"
exit {code}
"""


def record(repo: Repo, log: Path) -> tuple[str, list[tuple[int, str]]]:
    """Have git fire each hook, and return what they noted and how git ended."""
    ends = []
    start = repo.rev()
    for args in (
        ("commit", "-q", "--allow-empty", "-m", "One"),
        ("commit", "-q", "--amend", "--allow-empty", "-m", "Two"),
        ("checkout", "-q", "-b", "side", start),
        ("merge", "-q", "--no-ff", "-m", "Merge", "main"),
        ("checkout", "-q", "--", "README.md"),
        ("checkout", "-q", "main"),
        ("branch", "-q", "-D", "side"),
        ("update-ref", "refs/heads/main", start),
    ):
        done = repo.git(*args, accept=(0, 1, 7))
        ends.append((done.code, done.err))
    text = log.read_text(encoding="utf-8")
    log.unlink()
    return text, ends


@pytest.mark.parametrize("code", [0, 7])
@pytest.mark.parametrize(
    "first",
    [
        "#!/bin/sh",
        "#!/bin/sh -eu",
        "#!/bin/sh -C",
        "#!/usr/bin/env bash",
        "#!/usr/bin/env -S bash -euo pipefail",
        "#!/bin/sh -f",
    ],
)
def test_a_persons_hook_runs_as_if_the_section_were_not_there(repo: Repo, first: str, code: int) -> None:
    world, log = repo.world, repo.world.root / "log"
    directory = repo.path / ".git/hooks"
    for hook in HOOKS:
        write_hook(directory / hook, f"{first}\n{RECORDS.format(log=log, code=code)}")
    clock = world.clock
    without = record(repo, log)
    before = listing(directory)
    hooked = hook_up(repo)
    hooked.cite("README.md")
    world.clock = clock
    assert record(repo, log) == without
    assert without[0].count("0:") == 7
    assert "i:\n" in without[0]
    assert (hooked.mem / "rewritten").read_text("ascii").count("\n") == 1
    assert len(hooked.marks()) == 2
    git = Git(world.env)
    uninstall(git, locate(git, repo.path, {}))
    assert listing(directory) == before


def sh(shell: str) -> list[str]:
    return ["busybox", "sh"] if shell == "busybox" else [shell]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_section_does_the_same_in_every_shell(hooked: Hooked, shell: str) -> None:
    repo = hooked.repo
    hooked.cite("README.md")
    repo.write("README.md", "changed\n")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "x")
    repo.git("update-ref", "ORIG_HEAD", "HEAD^")
    behind = b'printf "%s|" "$@" "$?" "${git_mem_stdin-unset}"; cat\nexit 5\n'
    many = b"".join(b"%040x %040x\n" % (number, number) for number in range(3000))
    for hook, arguments, feed in (
        ("post-commit", ["any"], b"in"),
        ("post-merge", ["0"], b"in"),
        ("post-checkout", ["a", "b", "1"], b"in"),
        ("post-rewrite", ["amend"], b""),
        ("post-rewrite", ["rebase"], many[:82]),
        ("post-rewrite", ["rebase"], many),
    ):
        script = repo.write(f".git/{hook}", read_script(hook) + behind)
        done = repo.world.run(*sh(shell), script, *arguments, cwd=repo.path, feed=feed)
        told = "".join(f"{word}|" for word in [*arguments, "0", "unset"]).encode()
        notice = hook in ("post-commit", "post-merge")
        assert (done.code, done.stdout, done.err) == (5, told + feed, f"{NOTICE}\n" if notice else "")
        assert hooked.marks() == ["follow", "relink"][: 2 if hook == "post-rewrite" else 1]
        assert hooked.notices() == ([" ".join(["hooks run", hook, *arguments])] if notice else [])
    assert (hooked.mem / "rewritten").read_bytes() == many[:82] + many


def test_a_script_need_not_read_its_input(hooked: Hooked) -> None:
    feed = b"x" * 40 + b" " + b"y" * 40 + b"\n"
    for behind in (b"exit 3\n", b"read -r line\nexit 3\n"):
        script = hooked.repo.write(".git/script", read_script("post-rewrite") + behind)
        assert hooked.repo.world.run("sh", script, cwd=hooked.repo.path, feed=feed * 3000).code == 3


# The worker.


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that says when it begins and lives until it is told to end, by pipes with names."""

    hooked: Hooked
    begun: Path
    end: Path

    def begins(self) -> int:
        """Wait until one begins; return its process id."""
        return int(self.begun.read_text("ascii"))

    def ends(self) -> None:
        """Let it end."""
        self.end.write_text("now\n", "ascii")


@pytest.fixture
def worker(hooked: Hooked) -> Worker:
    root = hooked.repo.world.root
    found = Worker(hooked, root / "begun", root / "end")
    os.mkfifo(found.begun)
    os.mkfifo(found.end)
    (root / "bin/git-mem").write_text(
        f'#!/bin/sh\n[ "$1" = work ] || exit\necho $$ >"{found.begun}"\nread line <"{found.end}"\n', encoding="utf-8"
    )
    return found


def commit(repo: Repo) -> None:
    repo.git("commit", "-q", "--allow-empty", "-m", "x")


def test_one_worker_is_started_and_holds_nothing_of_the_commits(worker: Worker) -> None:
    repo = worker.hooked.repo
    reader, writer = os.pipe()
    # Each reader would wait for the worker, which waits to be told to end.
    command = "exec git commit -q --allow-empty -m x 5>&0 </dev/null"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=repo.path,
        env=repo.world.env,
        stdin=writer,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    os.close(writer)
    assert select.select([reader], [], [], 60)[0] == [reader]
    assert os.read(reader, 1) == b""
    os.close(reader)
    number = worker.begins()
    assert (worker.hooked.mem / "worker").read_text("ascii") == f"{number}\n"
    commit(repo)  # a second worker would write its number over that of the first
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "y")
    assert (worker.hooked.mem / "worker").read_text("ascii") == f"{number}\n"
    worker.ends()


@pytest.mark.parametrize("left", ["", "0\n", "-1\n", "000\n", "not a number\n", "1 2\n", "99999999999\n", "\0"])
def test_what_is_no_living_process_is_no_worker(worker: Worker, left: str) -> None:
    (worker.hooked.mem / "worker").write_text(left, "ascii")
    commit(worker.hooked.repo)
    assert (worker.hooked.mem / "worker").read_text("ascii") == f"{worker.begins()}\n"
    worker.ends()


def test_a_checkout_and_a_rewrite_start_a_worker_too(worker: Worker) -> None:
    repo = worker.hooked.repo
    deeds: list[Callable[[], object]] = [
        lambda: repo.git("checkout", "-q", "-b", "side"),
        lambda: repo.git("checkout", "-q", "main"),
        lambda: repo.world.run("sh", repo.path / ".git/hooks/post-rewrite", "amend", cwd=repo.path),
        lambda: repo.world.run("sh", repo.path / ".git/hooks/post-merge", "0", cwd=repo.path),
    ]
    for deed in deeds:
        (worker.hooked.mem / "worker").unlink(missing_ok=True)
        deed()
        assert worker.begins() > 0
        worker.ends()


# Where hooks do not run, `hooks status` says so.


def test_a_relative_hooks_path_passes_linked_worktrees_by_and_status_says_so(repo: Repo) -> None:
    repo.write(".git/info/exclude", "hk/\n")
    repo.git("config", "core.hooksPath", "hk")
    hooked = hook_up(repo)
    linked = repo.worktree("linked")
    assert hooked.marks() == ["follow@linked"]  # git looks for that hook from where it was called
    linked.commit("Nobody notices", {"z.txt": "z\n"})
    assert hooked.marks() == []
    repo.commit("Somebody notices", {"z.txt": "z\n"})
    assert hooked.marks() == ["follow"]
    git = Git(repo.world.env)
    found = {hook.name: (hook.state, hook.reason) for hook in status(git, locate(git, linked.path, {})).hooks}
    told = "core.hooksPath is relative, and this linked worktree has no such directory: "
    assert found == dict.fromkeys(HOOKS, (HookState.BYPASSED, told + "make it absolute, or install here too"))
    assert {hook.state for hook in status(git, locate(git, repo.path, {})).hooks} == {HookState.INSTALLED}
    install(git, locate(git, linked.path, {}))
    linked.commit("Now here too", {"y.txt": "y\n"})
    assert hooked.marks() == ["follow@linked"]


def test_hooks_in_an_oddly_named_directory_are_found_and_fire(world: World) -> None:
    repo = world.repo()
    repo.commit("Start", {"a.txt": "1\n"})
    repo.git("config", "core.hooksPath", os.fspath(world.root / f"hooks {ODD_NAME}"))
    hooked = hook_up(repo)
    assert sorted(path.name for path in (world.root / f"hooks {ODD_NAME}").iterdir()) == sorted(HOOKS)
    commit(repo)
    linked = repo.worktree("linked")
    commit(linked)
    assert hooked.marks() == ["follow", "follow@linked"]
