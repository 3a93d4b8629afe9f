"""Questions about commits against git's own slower answers, over a random history."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from layouts import Standpoint
from world import Repo, World

from gitmem.git.history import (
    Head,
    RevisionError,
    expand,
    in_no_ref,
    read_head,
    refs_that_contain,
    resolve_commit,
    unreachable,
)
from gitmem.git.run import Git, GitFailedError

ABSENT = "ab" * 20


def git_of(repo: Repo) -> Git:
    return Git(repo.world.env)


# Reachability, over a random history


def random_history(world: World, *, seed: int, size: int) -> tuple[Repo, list[str]]:
    """Make a repository with `size` commits on four branches that were moved about, so that some are in no ref.

    Returns it and the ids of all commits.
    """
    dice = random.Random(seed)
    repo = world.repo(f"seed-{seed}")
    stream = ""
    for mark in range(1, size + 1):
        parents = dice.sample(range(1, mark), k=min(mark - 1, dice.choice([0, 1, 1, 1, 2])))
        words = ["from", "merge"]
        links = "".join(f"{word} :{parent}\n" for word, parent in zip(words, parents, strict=False))
        who = f"C O Mitter <committer@example.com> {1_700_000_000 + mark} +0000"
        branch = f"refs/heads/branch-{dice.randrange(4)}"
        # Without `from` fast-import goes on from the branch's tip; a reset makes a new root.
        stream += f"reset {branch}\n\ncommit {branch}\nmark :{mark}\ncommitter {who}\ndata 1\nx\n{links}\n"
    marks = world.root / f"marks-{seed}"
    repo.git("fast-import", "--quiet", "--force", f"--export-marks={marks}", feed=stream.encode())
    commits = [line.split()[1] for line in marks.read_text(encoding="ascii").splitlines()]
    for number in range(3):
        repo.git("update-ref", f"refs/tags/tag-{number}", dice.choice(commits))
    repo.git("update-ref", "refs/remotes/origin/main", dice.choice(commits))
    repo.git("update-ref", "refs/stash", dice.choice(commits))
    repo.git("update-ref", "refs/mem/deep/store", dice.choice(commits))
    repo.git("update-ref", "--no-deref", "HEAD", dice.choice(commits))
    return repo, commits


@pytest.fixture(scope="module", params=[1, 2, 3])
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, list[str]]:
    world = World(tmp_path_factory.mktemp("history"))
    return random_history(world, seed=int(request.param), size=40)


def test_what_is_unreachable_is_what_git_says_is_no_ancestor(history: tuple[Repo, list[str]]) -> None:
    repo, commits = history
    for tip in (commits[-1], commits[20], repo.rev("branch-0")):
        expected = {
            oid for oid in commits if repo.git("merge-base", "--is-ancestor", oid, tip, accept=(0, 1)).code == 1
        }
        assert unreachable(git_of(repo), repo.path, commits, tip) == expected
        assert tip not in expected


def containing(repo: Repo, oid: str) -> list[str]:
    names = repo.git("for-each-ref", f"--contains={oid}", "--format=%(refname)").out.splitlines()
    return [name for name in names if not name.startswith(("refs/stash", "refs/mem/"))]


def test_what_is_in_no_ref_is_what_git_finds_in_none(history: tuple[Repo, list[str]]) -> None:
    repo, commits = history
    below_head = set(repo.git("rev-list", "HEAD").out.split())
    expected = {oid for oid in commits if not containing(repo, oid)} - below_head
    assert in_no_ref(git_of(repo), repo.path, commits) == expected
    assert expected


def naming(repo: Repo, oid: str, limit: int = 5) -> list[str]:
    tip = repo.git("commit-tree", "-m", "Apart", f"{repo.rev()}^{{tree}}").line
    return refs_that_contain(git_of(repo), repo.path, [oid], tip, limit).get(oid, [])


def test_refs_that_contain_a_commit_are_those_that_git_lists(history: tuple[Repo, list[str]]) -> None:
    repo, commits = history
    for oid in commits:
        assert naming(repo, oid, limit=99) == containing(repo, oid)
        assert naming(repo, oid, limit=2) == containing(repo, oid)[:2]


def test_a_commit_graph_changes_no_answer(tmp_path: Path) -> None:
    repo, commits = random_history(World(tmp_path), seed=4, size=60)
    tip = repo.rev("branch-1")
    before = unreachable(git_of(repo), repo.path, commits, tip), in_no_ref(git_of(repo), repo.path, commits)
    repo.git("commit-graph", "write", "--reachable")
    after = unreachable(git_of(repo), repo.path, commits, tip), in_no_ref(git_of(repo), repo.path, commits)
    assert after == before


def test_no_commits_are_no_question(repo: Repo) -> None:
    assert unreachable(git_of(repo), repo.path, [], repo.rev()) == set()
    assert in_no_ref(git_of(repo), repo.path, []) == set()


def test_a_replaced_commit_counts_as_it_was_written(repo: Repo) -> None:
    first = repo.rev()
    second = repo.commit("Second", {"x": "x\n"})
    rootless = repo.git("commit-tree", "-m", "No parents", "HEAD^{tree}").line
    repo.git("replace", second, rootless)
    (repo.path / ".git" / "info" / "grafts").write_text(f"{second}\n", encoding="ascii")
    assert unreachable(git_of(repo), repo.path, [first], second) == set()
    assert in_no_ref(git_of(repo), repo.path, [first, rootless]) == {rootless}


# What keeps a commit alive


def lone_commit(repo: Repo) -> str:
    return repo.git("commit-tree", "-m", "Alone", "-p", "HEAD", "HEAD^{tree}").line


def detach_here(repo: Repo, oid: str) -> None:
    repo.git("checkout", "-q", "--detach", oid)


def detach_another_worktree(repo: Repo, oid: str) -> None:
    repo.worktree("another", "--detach").git("checkout", "-q", "--detach", oid)


def annotate(repo: Repo, oid: str) -> None:
    repo.git("tag", "-a", "-m", "tag", "v1", oid)


def stash_twice(repo: Repo, oid: str) -> None:
    repo.git("stash", "store", "-m", "one", oid)
    repo.git("stash", "store", "-m", "two", repo.rev())


def only_the_reflog(repo: Repo, oid: str) -> None:
    repo.git("checkout", "-q", "-b", "gone", oid)
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-q", "-D", "gone")


def ref(name: str) -> Callable[[Repo, str], None]:
    def hold(repo: Repo, oid: str) -> None:
        repo.git("update-ref", name, oid)

    return hold


HOLDERS: tuple[tuple[str, Callable[[Repo, str], None], bool], ...] = (
    ("branch", ref("refs/heads/other"), True),
    ("tag", ref("refs/tags/v1"), True),
    ("annotated-tag", annotate, True),
    ("remote-branch", ref("refs/remotes/origin/other"), True),
    ("pull-request", ref("refs/pull/1/head"), True),
    ("branch-named-mem", ref("refs/heads/refs/mem/x"), True),
    ("head", detach_here, True),
    ("head-of-another-worktree", detach_another_worktree, True),
    ("stash", ref("refs/stash"), False),
    ("older-stash", stash_twice, False),
    ("notes", ref("refs/notes/commits"), False),
    ("mem-store", ref("refs/mem/store"), False),
    ("mem-deep", ref("refs/mem/remotes/origin/store"), False),
    ("replacement", ref(f"refs/replace/{ABSENT}"), False),
    ("reflog", only_the_reflog, False),
    ("nothing", lambda _repo, _oid: None, False),
)


@pytest.mark.parametrize(("hold", "alive"), [pytest.param(hold, alive, id=name) for name, hold, alive in HOLDERS])
def test_only_what_somebody_works_on_keeps_a_commit_alive(
    repo: Repo, hold: Callable[[Repo, str], None], *, alive: bool
) -> None:
    oid = lone_commit(repo)
    hold(repo, oid)
    assert in_no_ref(git_of(repo), repo.path, [oid, repo.rev("main")]) == (set() if alive else {oid})


def test_the_same_is_said_from_every_worktree(repo: Repo) -> None:
    oid = lone_commit(repo)
    detach_here(repo, oid)
    linked = repo.worktree("feature", at="main")
    assert in_no_ref(git_of(repo), linked.path, [oid]) == set()


def test_derived_refs_are_not_named_as_containing_a_commit(repo: Repo) -> None:
    oid = lone_commit(repo)
    for name in ("refs/stash", "refs/mem/store", "refs/notes/commits", "refs/replace/" + ABSENT):
        repo.git("update-ref", name, oid)
    assert naming(repo, oid) == []
    for number in range(7):
        repo.git("branch", f"b{number}", oid)
    assert naming(repo, oid) == [f"refs/heads/b{number}" for number in range(5)]


# HEAD


def test_head_is_what_git_says_in_every_layout(layout: Standpoint) -> None:
    answer = layout.repo.git("rev-parse", "--verify", "--quiet", "HEAD", accept=(0, 1))
    shallow = layout.repo.git("rev-parse", "--is-shallow-repository").line == "true"
    assert read_head(Git(layout.environ), layout.worktree) == Head(answer.line or None, shallow)


def test_an_unborn_branch_has_no_commit(world: World) -> None:
    repo = world.repo()
    assert read_head(git_of(repo), repo.path) == Head(None, shallow=False)


def test_linked_worktrees_of_a_shallow_clone_are_shallow(repo: Repo) -> None:
    repo.commit("Second", {"x": "x\n"})
    clone = repo.world.clone(repo, "clone", "--depth=1")
    linked = clone.worktree("feature")
    assert read_head(git_of(repo), clone.path) == read_head(git_of(repo), linked.path) == Head(repo.rev(), shallow=True)


def test_a_shallow_history_ends_where_it_is_cut(repo: Repo) -> None:
    first = repo.rev()
    repo.commit("Second", {"x": "x\n"})
    tip = repo.commit("Third", {"x": "y\n"})
    clone = repo.world.clone(repo, "clone", "--depth=2")
    clone.git("fetch", "-q", repo.path.as_uri(), f"{first}:refs/heads/first", "--depth=1")
    assert unreachable(git_of(repo), clone.path, [first], tip) == {first}


def test_a_head_whose_commit_is_lost_is_not_unborn(repo: Repo) -> None:
    head = repo.rev()
    (repo.path / ".git" / "objects" / head[:2] / head[2:]).unlink()
    assert read_head(git_of(repo), repo.path).oid == head
    with pytest.raises(GitFailedError, match=r"git rev-list failed: bad object"):
        unreachable(git_of(repo), repo.path, [], head)


# Names


@pytest.mark.parametrize(
    "name",
    ["HEAD", "@", "main", "refs/heads/main", "v1", "v2", "HEAD~1", "main^", "HEAD^{/Start}", "fe+é", "-x", "@{0}"],
)
def test_a_revision_is_resolved_as_git_does(repo: Repo, name: str) -> None:
    repo.commit("Second", {"x": "x\n"})
    repo.git("tag", "v1")
    repo.git("tag", "-a", "-m", "two", "v2", "HEAD~1")
    repo.git("branch", "fe+é")
    repo.git("update-ref", "refs/heads/-x", "HEAD~1")
    expected = repo.git("rev-parse", "--end-of-options", f"{name}^{{commit}}").out.split()[-1]
    assert resolve_commit(git_of(repo), repo.path, name) == expected


def test_a_commit_is_named_by_words_of_its_message(repo: Repo) -> None:
    wanted = repo.commit("The words that name it")
    repo.commit("Later")
    assert resolve_commit(git_of(repo), repo.path, ":/words that") == wanted
    with pytest.raises(RevisionError):
        resolve_commit(git_of(repo), repo.path, ":/no such words")


@pytest.mark.parametrize("digits", [4, 7, 40])
def test_an_abbreviated_id_is_resolved(repo: Repo, digits: int) -> None:
    assert resolve_commit(git_of(repo), repo.path, repo.rev()[:digits]) == repo.rev()


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "nothing", "-x", "--all", "--output=pwned", "--git-dir", "^HEAD", "HEAD..main", "HEAD...main"),
        *("HEAD:README.md", "HEAD^{tree}", "HEAD:src", "HEAD main", "HEAD\n", "@{upstream}", "HEAD~9", "a-blob", "^"),
        *(ABSENT, "0" * 40, ABSENT[:7]),
    ],
)
def test_what_names_no_commit_is_refused_and_does_nothing(repo: Repo, name: str) -> None:
    repo.git("tag", "a-blob", "HEAD:README.md")
    repo.git("update-ref", "refs/heads/{commit}", "HEAD")
    before = sorted(path.name for path in repo.path.iterdir())
    with pytest.raises(RevisionError, match=r"^no commit is named '.*': look with `git log`, or fetch it$"):
        resolve_commit(git_of(repo), repo.path, name)
    assert sorted(path.name for path in repo.path.iterdir()) == before


def test_a_prefix_is_an_object_name_and_never_a_branch(repo: Repo) -> None:
    head = repo.rev()
    other = repo.commit("Second", {"x": "x\n"})
    repo.git("update-ref", f"refs/heads/{head[:7]}", other)
    assert expand(git_of(repo), repo.path, head[:7]) == [head]
    assert expand(git_of(repo), repo.path, head) == [head]


def test_a_prefix_finds_all_objects_that_begin_with_it(repo: Repo) -> None:
    blobs = "".join(f"blob\ndata <<E\n{number}\nE\n" for number in range(700))
    repo.git("fast-import", "--quiet", feed=blobs.encode())
    known = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").out.split()
    prefixes = [oid[:4] for oid in known]
    shared = max(prefixes, key=prefixes.count)
    expected = sorted(oid for oid in known if oid.startswith(shared))
    assert len(expected) > 1
    assert expand(git_of(repo), repo.path, shared) == expected


def test_a_prefix_of_nothing_finds_nothing(repo: Repo) -> None:
    assert expand(git_of(repo), repo.path, ABSENT[:8]) == []
