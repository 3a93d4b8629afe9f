"""What git has of files where no history of ours tells of it: leftovers, and copies in branches and stashes."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import blob_of, commit_of_tree, tree_of
from world import Repo, World

from gitmem.git import strays
from gitmem.git.objects import ObjectFormat
from gitmem.git.run import Git
from gitmem.git.strays import Loose, empty_objects, find_copies, names_of

NAMES = ["secret.md"]


def git_of(repo: Repo) -> Git:
    return Git(repo.world.env)


def loose(repo: Repo) -> Loose:
    return Loose.of(git_of(repo), repo.path, repo.path / ".git")


def copies(repo: Repo, *paths: str) -> set[str]:
    return set(find_copies(git_of(repo), repo.path, paths))


# Loose objects


@pytest.fixture(params=["sha1", "sha256"])
def either(request: pytest.FixtureRequest, world: World) -> Repo:
    """A repository of each object format."""
    return world.repo("main", f"--object-format={request.param}")


def test_a_tree_that_names_a_file_its_content_and_its_commits_are_found_in_this_order(either: Repo) -> None:
    text = blob_of(either, "text")
    first = tree_of(either, {"secret": "text"})
    second = tree_of(either, {"other": "else", "secret": "text too", "third": "more"})
    start = commit_of_tree(either, first, "add")
    follows = commit_of_tree(either, second, "edit", parents=[start])
    commit_of_tree(either, tree_of(either, {"other": "else"}), "remove", parents=[follows])
    found = loose(either).named(NAMES)
    assert set(found) == {text, blob_of(either, "text too"), first, second, start, follows}
    kinds = [either.git("cat-file", "-t", oid).line for oid in found]
    assert kinds == ["blob", "blob", "tree", "tree", "commit", "commit"]


@pytest.mark.parametrize("name", ["secret", "secret.md.md", "asecret.md", "secret.mdx", "Secret.md", "x secret.md"])
def test_a_name_that_is_only_like_it_is_another(repo: Repo, name: str) -> None:
    blob = blob_of(repo, "text")
    repo.git("mktree", "-z", feed=f"100644 blob {blob}\t{name}\0".encode())
    assert loose(repo).named(NAMES) == []


def test_object_ids_with_odd_bytes_in_them_do_not_confuse(repo: Repo) -> None:
    # In a tree ids stand as bytes: among many there are NULs, blanks and digits.
    wanted = tree_of(repo, {**{f"n{number}": f"{number}" for number in range(200)}, "secret": "text", "zz": "last"})
    assert loose(repo).named(NAMES) == [blob_of(repo, "text"), wanted]


def test_a_link_or_a_directory_of_that_name_is_found_too(repo: Repo) -> None:
    target = blob_of(repo, "other.md")
    link = tree_of(repo, {}, links={"secret.md": "other.md"})
    below = tree_of(repo, {"x": "y"})
    directory = tree_of(repo, {}, trees={"secret.md": below})
    assert set(loose(repo).named(NAMES)) == {target, link, below, directory}


def test_what_lies_in_a_pack_is_not_loose(repo: Repo) -> None:
    tree = tree_of(repo, {"secret": "text"})
    repo.git("update-ref", "refs/mem/store", commit_of_tree(repo, tree, "add"))
    repo.git("gc", "-q")
    assert loose(repo).named(NAMES) == []
    assert loose(repo).alike(lambda _: True, 1000) == []


def test_a_repository_without_objects_has_none(world: World) -> None:
    found = loose(world.repo())
    assert (found.named(NAMES), found.alike(lambda _: True, 10), found.telling(lambda _: True, lambda _: True)) == (
        [],
        [],
        [],
    )


def test_files_that_are_no_objects_and_a_damaged_object_are_passed_over(repo: Repo) -> None:
    tree = tree_of(repo, {"secret": "text"})
    repo.write(".git/objects/info/alternates", "")
    repo.write(f".git/objects/{tree[:2]}/tmp_obj_x", "half an object")
    damaged = blob_of(repo, "to be damaged")
    path = repo.path / ".git/objects" / damaged[:2] / damaged[2:]
    path.chmod(0o644)
    path.write_bytes(b"rubbish")
    assert loose(repo).named(NAMES) == [blob_of(repo, "text"), tree]


def test_contents_are_chosen_by_what_is_said_of_them_and_by_their_size(repo: Repo) -> None:
    short, long_ = blob_of(repo, "wanted"), blob_of(repo, "wanted " * 10)
    blob_of(repo, "another")
    assert set(loose(repo).alike(lambda data: data.startswith(b"wanted"), 1000)) == {short, long_}
    assert loose(repo).alike(lambda data: data.startswith(b"wanted"), 6) == [short]


def test_contents_are_read_in_portions(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {blob_of(repo, f"wanted {number}\n") for number in range(9)}
    monkeypatch.setattr(strays, "_BATCH", 20)
    assert set(loose(repo).alike(lambda data: data.startswith(b"wanted"), 1000)) == wanted


def test_a_commit_that_tells_of_it_is_found_if_its_tree_is_one_of_ours(repo: Repo) -> None:
    ours = commit_of_tree(repo, tree_of(repo, {"other": "x"}), "edit by hand secret")
    empty = commit_of_tree(repo, tree_of(repo, {}), "remove secret")
    commit_of_tree(repo, tree_of(repo, {"other": "x"}), "edit other")
    below = tree_of(repo, {"deep": "x"})
    commit_of_tree(repo, tree_of(repo, {"other": "x"}, trees={"src": below}), "Tell of secret in a person's commit")
    found = loose(repo).telling(lambda data: b"secret" in data, lambda name: name.endswith(".md"))
    assert set(found) == {ours, empty}


def test_the_ids_of_what_holds_nothing_are_those_of_git(either: Repo) -> None:
    object_format = ObjectFormat(either.git("rev-parse", "--show-object-format").line)
    hashed = {kind: either.git("hash-object", "-t", kind, "/dev/null").line for kind in ("blob", "tree")}
    assert empty_objects(object_format) == set(hashed.values())
    assert either.git("cat-file", "-t", hashed["tree"]).line == "tree"


@settings(max_examples=15)
@given(st.lists(st.dictionaries(st.sampled_from(["a", "secret", "z"]), st.sampled_from("xyz")), min_size=1, max_size=4))
def test_what_is_found_is_what_git_says(tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, str]]) -> None:
    repo = World(tmp_path_factory.mktemp("strays")).repo()
    trees = [tree_of(repo, dict(files)) for files in states]
    expected = set()
    for tree in trees:
        commit = commit_of_tree(repo, tree, "x")
        for line in repo.git("ls-tree", tree).out.splitlines():
            if line.endswith("\tsecret.md"):
                expected |= {line.split()[2], tree, commit}
    assert set(loose(repo).named(NAMES)) == expected


# Copies in other histories

PATH = ".klide/memory/secret.md"


def test_a_committed_file_is_found_in_all_its_versions(repo: Repo) -> None:
    first = blob_of(repo, "first")
    repo.commit("Add", {PATH: "first"})
    repo.commit("Edit", {PATH: "second", ".klide/memory/other.md": "other"})
    repo.commit("Remove", {PATH: None})
    assert copies(repo, PATH) == {first, blob_of(repo, "second")}
    assert copies(repo, PATH, ".klide/memory/other.md") == {first, blob_of(repo, "second"), blob_of(repo, "other")}
    assert copies(repo, "elsewhere.md") == set()


def test_a_stash_a_reflog_an_index_and_the_head_of_a_worktree_count(repo: Repo) -> None:
    repo.write(PATH, "stashed")
    repo.git("stash", "-a")
    repo.commit("To be amended", {PATH: "amended"})
    repo.git("commit", "-q", "--amend", "-m", "Amended", "--allow-empty")
    linked = repo.worktree("linked", "--detach")
    linked.commit("On no branch", {PATH: "detached"})
    linked.write(PATH, "staged")
    linked.git("add", "-f", PATH)
    repo.git("reset", "-q", "--hard", "HEAD~1")
    expected = {blob_of(repo, text) for text in ("stashed", "amended", "detached", "staged")}
    assert copies(repo, PATH) == copies(linked, PATH) == expected


def test_a_side_that_a_merge_dropped_is_found(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Add", {PATH: "on the side"})
    repo.git("checkout", "-q", "main")
    repo.commit("Go on", {"x": "y"})
    repo.git("merge", "-q", "-s", "ours", "--no-edit", "side")
    repo.git("branch", "-q", "-D", "side")
    repo.git("reflog", "expire", "--expire=all", "--all")
    assert copies(repo, PATH) == {blob_of(repo, "on the side")}


@pytest.mark.parametrize("path", [":(top)x.md", "*.md", "a b.md", ".klide/é.md"])
def test_a_path_is_taken_as_it_stands(repo: Repo, path: str) -> None:
    repo.commit("Add", {path: "text", "x.md": "another"})
    assert copies(repo, path) == {blob_of(repo, "text")}


def test_a_branch_without_a_commit_has_only_an_index(world: World) -> None:
    repo = world.repo()
    assert copies(repo, PATH) == set()
    repo.write(PATH, "staged")
    repo.git("add", PATH)
    assert copies(repo, PATH) == {blob_of(repo, "staged")}


def test_in_a_partial_clone_what_is_not_here_is_no_copy_and_is_not_fetched(world: World) -> None:
    origin = world.repo("origin")
    origin.commit("Add", {PATH: "text"})
    origin.git("config", "uploadpack.allowFilter", "true")
    partial = world.clone(origin, "main", "--filter=blob:none", "--no-checkout")
    assert copies(partial, PATH) == set()
    partial.git("checkout", "-q", "main")
    assert copies(partial, PATH) == {blob_of(origin, "text")}


def test_the_names_of_contents_in_a_history_are_told(repo: Repo) -> None:
    before = commit_of_tree(repo, tree_of(repo, {"former": "text", "x": "other"}), "add")
    tip = commit_of_tree(repo, tree_of(repo, {"x": "other"}), "edit", parents=[before])
    assert names_of(git_of(repo), repo.path, tip, {blob_of(repo, "text")}) == {"former.md"}
    assert names_of(git_of(repo), repo.path, tip, {blob_of(repo, "nowhere")}) == set()


def test_the_objects_of_a_linked_worktree_are_the_repositorys(repo: Repo) -> None:
    tree = tree_of(repo, {"secret": "text"})
    linked = repo.worktree("linked")
    common_dir = Path(linked.git("rev-parse", "--path-format=absolute", "--git-common-dir").line)
    assert tree in Loose.of(git_of(linked), linked.path, common_dir).named(NAMES)
