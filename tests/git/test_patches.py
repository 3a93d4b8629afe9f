"""What commits changed, and their patch-ids, against git asked one by one and whatever a person configured."""

from collections.abc import Callable

import pytest
from layouts import with_commit
from world import Repo, World

from gitmem.git.patches import Change, compare, patch_ids, read_changes, touching
from gitmem.git.run import Git, GitFailedError

TEXT = "".join(f"line {number}\n" for number in range(1, 21))
ODD = ["*.x", ":(top)x", ":!x", "nl\nx", "tab\tx", "日本/é", "sp ace", '"q"', "back\\slash", "-n", "a\u2028b"]


def every_sort(repo: Repo) -> list[str]:
    """Make commits of every sort; return all ids, the newest first."""
    repo.commit("Base", {"a.py": TEXT, "b.bin": b"\0one", "run.sh": "echo\n", "from.txt": TEXT, "gone.txt": "gone\n"})
    repo.commit("Edit", {"a.py": TEXT.replace("line 6", "six")})
    repo.commit("Two files", {"a.py": TEXT, "new.txt": "1\n"})
    repo.commit("Binary", {"b.bin": b"\0two"})
    repo.commit("New binary", {"c.bin": b"\0one"})
    repo.commit("Binary gone", {"b.bin": None})
    (repo.path / "run.sh").chmod(0o755)
    repo.git("add", "run.sh")
    repo.commit("Mode")
    (repo.path / "run.sh").chmod(0o644)
    repo.commit("Mode and content", {"run.sh": "exit\n"})
    repo.git("mv", "from.txt", "to.txt")
    repo.commit("Rename")
    repo.commit("Empty file", {"empty": ""})
    repo.commit("Deletion", {"gone.txt": None})
    repo.commit("White space", {"a.py": TEXT.replace("line 6", "line  6"), "new.txt": "1"})
    (repo.path / "link").symlink_to("a.py")
    repo.git("add", "link")
    repo.commit("Link")
    (repo.path / "a.py").unlink()
    (repo.path / "a.py").symlink_to("new.txt")
    repo.git("add", "a.py")
    repo.commit("Made a link")
    for digit in "12":
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{digit * len(repo.rev())},sub")
        repo.commit("Submodule")
    repo.commit("Odd", dict.fromkeys(ODD, "odd\n"))
    repo.commit("Empty")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"s": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"m": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    return repo.git("rev-list", "--topo-order", "HEAD").out.split()


@pytest.fixture(params=["sha1", "sha256"])
def either(request: pytest.FixtureRequest, world: World) -> Repo:
    return with_commit(world.repo("main", f"--object-format={request.param}"))


def git_of(repo: Repo) -> Git:
    return Git(repo.world.env)


def as_git_tells(repo: Repo, commit: str) -> dict[str, Change]:
    """The changes of one commit, as git lists them for it alone."""
    ask = ("diff-tree", "-r", "--root", "--no-renames", "--no-commit-id", "--full-index", "--raw", "-z", commit)
    items = repo.git(*ask).out.split("\0")
    found = {}
    for head, path in zip(items[::2], items[1::2], strict=False):
        old_mode, new_mode, old, new, _ = head.removeprefix(":").split(" ")
        found[path] = Change(int(old_mode, 8), int(new_mode, 8), old, new)
    return found


def patch_of(repo: Repo, commit: str) -> str | None:
    """The patch-id of one commit, as git computes it from what it shows."""
    shown = repo.git("show", "--no-renames", "--full-index", "--format=commit %H", commit).stdout
    words = repo.git("patch-id", "--stable", feed=shown).out.split()
    return words[0] if words else None


def test_the_changes_of_all_commits_together_are_those_of_git_one_by_one(either: Repo) -> None:
    commits = every_sort(either)
    found = read_changes(git_of(either), either.path, commits)
    assert list(found) == commits
    assert {oid: dict(changes) for oid, changes in found.items()} == {oid: as_git_tells(either, oid) for oid in commits}
    odd = next(changes for changes in found.values() if ODD[0] in changes)
    assert sorted(odd) == sorted(ODD)
    assert [oid for oid in commits if not found[oid]] == [
        commits[0],
        *either.git("log", "--grep=^Empty$", "--format=%H").out.split(),
    ]
    assert read_changes(git_of(either), either.path, []) == {}


def test_the_patch_ids_of_all_commits_together_are_those_of_git_one_by_one(either: Repo) -> None:
    commits = every_sort(either)
    found = patch_ids(git_of(either), either.path, commits)
    assert {oid: found.get(oid) for oid in commits} == {oid: patch_of(either, oid) for oid in commits}
    without = {oid for oid in commits if oid not in found}
    assert without == {commits[0], *either.git("log", "--grep=^Empty$", "--format=%H").out.split()}
    assert patch_ids(git_of(either), either.path, []) == {}


def test_a_patch_id_stays_the_same_elsewhere_and_differs_for_another_change(either: Repo) -> None:
    base = either.commit("Base", {"a.py": TEXT, "b.bin": b"\0one", "run.sh": "echo\n"})
    (either.path / "run.sh").chmod(0o755)
    either.git("add", "run.sh")
    mine = [either.commit("Mode"), either.commit("Text", {"a.py": TEXT.replace("line 6", "six")})]
    mine.append(either.commit("Binary", {"b.bin": b"\0two"}))
    either.git("checkout", "-q", "-b", "other", base)
    either.commit("Above", {"a.py": f"zero\n{TEXT}"})
    either.git("cherry-pick", *mine)
    twins = either.git("rev-list", "--reverse", "-3", "HEAD").out.split()
    others = [either.commit("Binary", {"b.bin": b"\0one"}), either.commit("Text", {"a.py": "other\n"})]
    found = patch_ids(git_of(either), either.path, [*mine, *twins, *others])
    assert [found[oid] for oid in mine] == [found[oid] for oid in twins]
    assert len(set(found.values())) == 5


def test_only_the_named_paths_are_compared_few_or_many(repo: Repo) -> None:
    names = {f"d/f{number}": f"{number}\n" for number in range(600)}
    first = repo.commit("Many", names)
    second = repo.commit("Some", {"d/f1": "x\n", "d/f2": "x\n", "other": "x\n"})
    for wanted, expected in ((["d/f1"], ["d/f1"]), (names, ["d/f1", "d/f2"]), ([], ["d/f1", "d/f2", "other"])):
        found, other = compare(git_of(repo), repo.path, [(second,), (second, first)], wanted)
        assert found == other
        assert sorted(found) == expected


def test_a_commit_is_compared_with_any_other(repo: Repo) -> None:
    commits = every_sort(repo)
    pairs = [(one, other) for one in commits[:4] for other in commits[-4:]]
    for (one, other), found in zip(pairs, compare(git_of(repo), repo.path, pairs), strict=True):
        names = repo.git("diff-tree", "-r", "-z", "--no-renames", "--name-only", other, one).out.split("\0")[:-1]
        assert sorted(found) == sorted(names)


# Who touched a path


@pytest.mark.parametrize("count", [1, 600])
def test_the_commits_that_touched_paths_are_those_of_git(repo: Repo, count: int) -> None:
    commits = every_sort(repo)
    base = commits[-2]
    paths = {"a.py", "s", "run.sh"} | {f"no{number}" for number in range(count)}
    expected = repo.git(
        "rev-list", "--no-merges", "--full-history", "HEAD", f"^{base}", "--", "a.py", "s", "run.sh"
    ).out
    found = touching(git_of(repo), repo.path, commits[0], [base], paths)
    if count == 1:
        assert sorted(found) == sorted(expected.split())
    assert set(expected.split()) <= set(found)  # with many paths more may be named, never fewer
    order = {oid: place for place, oid in enumerate(commits)}
    assert [order[oid] for oid in found] == sorted(order[oid] for oid in found)
    assert touching(git_of(repo), repo.path, commits[0], [commits[0]], paths) == []


def test_a_change_that_was_made_on_both_sides_of_a_merge_is_found_twice(repo: Repo) -> None:
    oids = []
    for name in ("one", "two"):
        repo.git("checkout", "-q", "-b", name, "main")
        repo.commit(name, {name: "1\n"})
        oids.append(repo.commit("Same", {"README.md": "same\n"}))
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "one")
    assert sorted(touching(git_of(repo), repo.path, repo.rev(), [], ["README.md"])) == sorted([*oids, repo.rev("main")])


@pytest.mark.parametrize("name", ODD)
def test_a_path_is_taken_as_it_stands(repo: Repo, name: str) -> None:
    repo.commit("Bait", {"a.x": "1\n", "x": "1\n"})
    oid = repo.commit("Odd", {name: "1\n"})
    repo.commit("Bait again", {"a.x": "2\n", "x": "2\n"})
    assert touching(git_of(repo), repo.path, repo.rev(), [], [name]) == [oid]
    (found,) = compare(git_of(repo), repo.path, [(oid,)], [name])
    assert list(found) == [name]


# Whatever a person configured

HOSTILE = """
[diff]
\tnoprefix = true
\tmnemonicPrefix = true
\texternal = {0}/program
\trenames = copies
\talgorithm = patience
\torderFile = {0}/order
\tcontext = 0
\tinterHunkContext = 9
\trelative = true
\tsuppressBlankEmpty = true
\tsubmodule = log
\tignoreSubmodules = all
\tindentHeuristic = false
\tcolorMoved = zebra
\tcolorMovedWS = allow-indentation-change
\twsErrorHighlight = all
\tdirstat = 0
\tstatGraphWidth = 3
\tsrcPrefix = x/
\tdstPrefix = y/
[diff "own"]
\ttextconv = {0}/program
\tcommand = {0}/program
\txfuncname = "^line"
[color]
\tui = always
\tdiff = always
[core]
\tquotePath = true
\tabbrev = 4
\tattributesFile = {0}/attributes
\twhitespace = -trailing-space
\tpager = false
[log]
\tshowSignature = true
\tshowRoot = false
\tdiffMerges = on
\tfollow = true
[patchid]
\tstable = false
\tverbatim = true
[alias]
\tdiff-tree = !false
\trev-list = !false
"""


def hostile(world: World) -> None:
    program = world.home / "program"
    program.write_text(f"#!/bin/sh\ntouch '{world.home}/ran'\necho x\n", encoding="utf-8")
    program.chmod(0o755)
    (world.home / "order").write_text("*.txt\n*.py\n", encoding="utf-8")
    (world.home / "attributes").write_text("*.py diff=own\n*.txt diff=own\n", encoding="utf-8")
    world.configure(HOSTILE.format(world.home))


def test_no_answer_depends_on_a_persons_configuration(repo: Repo) -> None:
    commits = every_sort(repo)
    asks: list[Callable[[], object]] = [
        lambda: read_changes(git_of(repo), repo.path, commits),
        lambda: compare(git_of(repo), repo.path, [(commits[0], commits[-2])], ["a.py", "sub", "to.txt"]),
        lambda: touching(git_of(repo), repo.path, commits[0], [], ["a.py", "to.txt"]),
        lambda: patch_ids(git_of(repo), repo.path, commits),
    ]
    plain = [ask() for ask in asks]
    hostile(repo.world)
    assert [ask() for ask in asks] == plain
    assert not (repo.world.home / "ran").exists()


# What is not here


def test_missing_trees_are_told_and_not_taken_for_no_change(repo: Repo) -> None:
    oid = repo.commit("Work", {"src/a.py": "1\n"})
    tree = repo.rev("HEAD:src")
    (repo.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    for ask in (
        lambda: read_changes(git_of(repo), repo.path, [oid]),
        lambda: patch_ids(git_of(repo), repo.path, [oid]),
    ):
        with pytest.raises(GitFailedError):
            ask()


def test_missing_contents_hide_no_change_but_the_patch_id(repo: Repo) -> None:
    oid = repo.commit("Work", {"a.py": "missing\n"})
    blob = repo.rev("HEAD:a.py")
    repo.commit("Later", {"a.py": None})  # git would take the content from the working tree
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert read_changes(git_of(repo), repo.path, [oid]) == {oid: {"a.py": Change(0, 0o100644, "0" * 40, blob)}}
    with pytest.raises(GitFailedError):
        patch_ids(git_of(repo), repo.path, [oid])
