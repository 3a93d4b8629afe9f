"""What is ignored: git's own rules against git, and `.gitmemignore` against the same lines in a `.gitignore`."""

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pytest
from layouts import submodule
from world import Repo, World

from gitmem.git.ignore import RULES as NAME
from gitmem.git.ignore import ignored, left_out, mem_ignored
from gitmem.git.run import Git


def git_of(repo: Repo) -> Git:
    return Git(repo.world.env)


# Git's own rules

RULES = {
    ".gitignore": "*.log\n!keep.log\nbuild/\n/top.txt\n\\#hash\n\\!bang\ntrail\\ \n!\n**/\u00fc/\n",
    "src/.gitignore": "*.tmp\n!*.log\nfoo/**/\n",
    "crlf/.gitignore": "*.win\r\n",
}
PATHS = (
    *("a.log", "keep.log", "src/a.log", "src/deep/a.log", "build/x", "src/build/keep.log", "build", "top.txt"),
    *("src/top.txt", "#hash", "!bang", "trail ", "trail", "src/a.tmp", "a.tmp", "src/foo/f.txt", "src/foo/sub/g.txt"),
    *("ü/x", "x/ü/y", "crlf/a.win", "excluded", "global.bak", "README.md", "tracked.log", "nowhere/x.log"),
    *(":x.log", ":(icase)A.LOG", ":!a.log", "*.log", "nl\nx.log", "-n.log", '"q".log', "sep\u2028.log", "é.log"),
    *(os.fsdecode(b"caf\xe9.log"), "plain", ":plain", "link", "link/x.log", "src/../a.log"),
)


@pytest.fixture
def ruled(repo: Repo) -> Repo:
    repo.world.configure(f"[core]\n\texcludesFile = {repo.world.root}/excludes\n")
    (repo.world.root / "excludes").write_text("*.bak\n", encoding="utf-8")
    (repo.path / ".git" / "info" / "exclude").write_text("excluded\n", encoding="utf-8")
    repo.commit("Rules", {**RULES, "tracked.log": "x\n"})
    (repo.path / "link").symlink_to("src")
    return repo


def ignored_alone(repo: Repo, path: str) -> bool:
    # One path on the command line, with `./` in front so that no name is taken for a pathspec's magic.
    answer = repo.git("check-ignore", "--no-index", "-q", "--", f"./{path}", accept=(0, 1, 128))
    return answer.code == 0


def test_what_is_ignored_is_what_git_says_of_each_path_alone(ruled: Repo) -> None:
    expected = {path for path in PATHS if ignored_alone(ruled, path)}
    assert ignored(git_of(ruled), ruled.path, PATHS) == expected
    assert expected >= {"a.log", "src/build/keep.log", "tracked.log", "excluded", "global.bak", "src/a.tmp", ":x.log"}
    assert not expected & {"keep.log", "src/a.log", "plain", ":plain", "README.md", "link/x.log", "src/foo/f.txt"}


def test_nothing_is_ignored_where_nothing_is_asked(ruled: Repo) -> None:
    assert ignored(git_of(ruled), ruled.path, []) == set()


def test_rules_hold_in_linked_worktrees_too(ruled: Repo) -> None:
    linked = ruled.worktree("feature")
    assert ignored(git_of(ruled), linked.path, ["a.log", "excluded", "x.bak", "x"]) == {"a.log", "excluded", "x.bak"}


def test_a_path_inside_a_submodule_does_not_spoil_the_answer_for_others(world: World) -> None:
    submodule(world)
    top = Repo(world, world.root / "super")
    top.write(".gitignore", "*.log\n")
    paths = ["a.log", "vendor/library/a.log", "vendor/library", "b"]
    assert ignored(git_of(top), top.path, paths) >= {"a.log"}
    assert "b" not in ignored(git_of(top), top.path, paths)


# .gitmemignore


def write_rules(repo: Repo, rules: Mapping[str, str | bytes]) -> None:
    """Give git and us the same rules: file contents by their directories."""
    for directory, lines in rules.items():
        for name in (".gitignore", NAME):
            repo.write(f"./{directory}/{name}", lines)


def gits_answer(repo: Repo, paths: Collection[str], *config: str) -> set[str]:
    feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    answer = repo.git(*config, "check-ignore", "--no-index", "--stdin", "-z", feed=feed, accept=(0, 1))
    return {os.fsdecode(path) for path in answer.stdout.split(b"\0")[:-1]}


CASES: Mapping[str, tuple[str | bytes, Collection[str], Collection[str]]] = {
    # name: (lines, paths that are left out, paths that are not)
    "nothing below an excluded directory comes back": (
        "build\n!keep.log\nd/\n!d/sub/*\nx/*\n!x/y\n",
        ["build/keep.log", "d/sub/f.txt", "d/sub", "x/z", "x/z/y"],
        ["a.txt", "x/y", "x/y/z", "d"],
    ),
    "odd lines break nothing": (
        "build/\n!\nfoo/**/\n#c\n\n/\n//\n!/\n[\n[]\nq[\n\\\n**/\\\n[[:nope:]]\n*.log\n",
        ["build/a", "foo/sub/g.txt", "a.log", "[.log"],
        ["foo/f.txt", "a", "[", "[]", "\\", "q[", "#c", "!", "n"],
    ),
    "a mark at the start, line ends, blanks and escapes": (
        "\ufeffbin/\r\n*.log\r\nnode/ \nx.txt  \nfoo\\ \n\\#n\n\\!k\n lead.txt\ntab\t\ncr\r\r\n",
        ["bin/a", "y.log", "node/a", "x.txt", "foo ", "#n", "!k", " lead.txt", "tab\t", "cr\r"],
        ["lead.txt", "foo", "tab", "cr", "\ufeffbin/a", "node"],
    ),
    "a mark anywhere else is a character": ("a\n\ufeffb\n", ["a", "\ufeffb"], ["b"]),
    "a mark and a remark": ("\ufeff#a\nb", ["b"], ["#a", "a"]),
    "a line ends where a NUL stands": (b"a\0b\n*.x\0", ["a", "y.x"], ["b", "a\x01b"]),
    "one byte is one character": (b"?x\n[\xc3]y\n??z\n", ["ax", "éz", os.fsdecode(b"\xc3y")], ["éx", "éy", "az"]),
    "two stars": (
        "a**/b\n/c**\nd/**/e\n**/f/g\nh/**\ni**j\nk/l**m/n\no**/p/\n",
        ["ab", "a/b", "a/x/y/b", "axb/b", "c", "cx", "d/e", "d/x/y/e", "f/g", "x/f/g", "h/x", "ij", "ixj", "k/lxm/n"],
        ["d/xe", "d/x/ye", "h", "i/j", "k/l/m/n", "k/lx/ym/n", "op", "o/p", "x/a/b"],
    ),
    "three stars are two": ("a/***/b\n***c\n", ["a/b", "a/x/b", "c", "x/c"], ["b"]),
    "slashes in escapes and classes": ("a\\/b\nc[/]d\ne[!x]f\n", ["a/b", "exf/eyf"], ["c/d", "e/f", "exf"]),
    "a directory that a file's rule does not name": ("*/\n!b/\n", ["a/x", "b/c/x"], ["x", "b/x", "a"]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_rule_means_what_git_takes_it_for(repo: Repo, case: str) -> None:
    lines, outside, inside = CASES[case]
    for base in ("deep/er/", ""):
        write_rules(repo, {base: lines})
        paths = [f"{base}{path}" for path in (*outside, *inside)]
        assert gits_answer(repo, paths) == {f"{base}{path}" for path in outside}
        assert mem_ignored(repo.path, paths) == {f"{base}{path}" for path in outside}


def test_the_rules_of_a_deeper_file_come_after_those_of_the_upper(repo: Repo) -> None:
    write_rules(
        repo,
        {
            "": "*.log\n!/a/b/x.log\nsecret/\n/a/only.txt\n",
            "a": "!y.log\n/z.txt\nb/*.md\n",
            "a/b": "*.log\n!x.md\n",
            "secret": "!*\n",
        },
    )
    outside = {"x.log", "a/b/x.log", "a/b/y.log", "a/z.txt", "a/b/z.md", "secret/s", "secret/deep/s", "a/only.txt"}
    inside = {"a/y.log", "a/c/y.log", "a/b/x.md", "a/b/z.txt", "z.txt", "only.txt", "a/c/b/z.md"}
    assert gits_answer(repo, outside | inside) == outside
    assert mem_ignored(repo.path, outside | inside) == outside


NAMED = ["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit"]


@pytest.mark.parametrize("ignore_case", [False, True])
def test_every_byte_is_in_the_classes_in_which_git_has_it(repo: Repo, *, ignore_case: bool) -> None:
    classes = [f"[[:{name}:]]" for name in NAMED] + [f"[![:{name}:]]" for name in NAMED]
    classes += [
        "[A-Z]",
        "[^a-z]",
        "[@-`]",
        "[!-/]",
        "[[:alpha:]-z]",
        "[a-]",
        "[]-a]",
        "[\\]-\\^]",
        "[[:]",
        "[z-a]",
        "?",
    ]
    write_rules(repo, {str(number): f"/x{given}\n" for number, given in enumerate(classes)})
    names = [os.fsdecode(bytes([code])) for code in range(1, 256) if code != ord("/")]
    paths = [f"{number}/x{name}" for number in range(len(classes)) for name in names]
    expected = gits_answer(repo, paths, "-c", f"core.ignoreCase={ignore_case}")
    assert mem_ignored(repo.path, paths, ignore_case=ignore_case) == expected


def test_case_is_ignored_where_git_ignores_it_and_only_in_ascii(repo: Repo) -> None:
    write_rules(repo, {"": "Build/\n*.LOG\n\\Kept\n[A]b\nÉ\n/Top.txt\n"})
    paths = ["build/x", "BUILD/x", "a.log", "A.LOG", "kept", "Kept", "ab", "Ab", "é", "É", "top.TXT", "sub/top.txt"]
    for config in ("true", "false"):
        expected = gits_answer(repo, paths, "-c", f"core.ignoreCase={config}")
        assert mem_ignored(repo.path, paths, ignore_case=config == "true") == expected
        repo.git("config", "core.ignoreCase", config)
        (repo.path / ".gitignore").rename(repo.path / "aside")
        assert left_out(git_of(repo), repo.path, paths) == expected
        (repo.path / "aside").rename(repo.path / ".gitignore")


def test_no_pattern_takes_for_ever(repo: Repo) -> None:
    long = "a" * 250
    deep = "/".join(["a"] * 60)
    stars = "*a" * 40 + "b"
    lines = [stars, f"/{stars}/x", "**/a/" * 30 + "b", "**/*a*/" * 20 + "c", "a**/" + "*/" * 20 + "**/b", "[[:" * 200]
    repo.write(NAME, "\n".join(lines))
    assert mem_ignored(repo.path, [long, f"{long}/x", deep, f"{deep}/c"]) == {f"{deep}/c"}


def link_to_rules(repo: Repo) -> None:
    repo.write("rules", "*\n")
    (repo.path / "sub").mkdir()
    for name in (".gitignore", NAME):
        (repo.path / "sub" / name).symlink_to("../rules")


def rules_beyond_a_link(repo: Repo) -> None:
    write_rules(repo, {"real": "*\n"})
    (repo.path / "sub").symlink_to("real")


def directory_instead_of_rules(repo: Repo) -> None:
    for name in (".gitignore", NAME):
        (repo.path / "sub" / name).mkdir(parents=True)


def pipe_instead_of_rules(repo: Repo) -> None:
    (repo.path / "sub").mkdir()
    os.mkfifo(repo.path / "sub" / NAME)


@pytest.mark.parametrize(
    "make", [link_to_rules, rules_beyond_a_link, directory_instead_of_rules, pipe_instead_of_rules]
)
def test_what_is_no_file_of_the_worktree_holds_no_rules(repo: Repo, make: Callable[[Repo], None]) -> None:
    make(repo)
    repo.write(NAME, "*.log\n")
    assert mem_ignored(repo.path, ["sub/x", "sub/x.log"]) == {"sub/x.log"}
    if not (repo.path / "sub").is_symlink():  # beyond a link git is not asked
        assert gits_answer(repo, ["sub/x"]) == set()


def test_the_paths_asked_are_files_whatever_stands_there(repo: Repo) -> None:
    repo.write("deep/dir/x", "x\n")
    repo.write(NAME, "dir/\nother/\n")
    assert mem_ignored(repo.path, ["deep/dir", "dir/x", "deep/dir/x", "other", "no/other/x"]) == {
        *("dir/x", "deep/dir/x", "no/other/x"),
    }


def test_without_paths_or_rules_nothing_is_left_out(repo: Repo) -> None:
    assert mem_ignored(repo.path, []) == set()
    assert mem_ignored(repo.path, ["a", "b/c"]) == set()
    assert left_out(git_of(repo), repo.path, []) == set()
    repo.write(NAME, "")
    assert mem_ignored(repo.path, ["a", "b/c"]) == set()


def test_memory_leaves_out_what_git_does_and_more_and_never_less(ruled: Repo) -> None:
    ruled.write(NAME, "!*.log\nplain\ndocs/\n*.log.txt\n")
    ruled.write(f"src/{NAME}", "*.py\n!docs/\n")
    ruled.write("docs/a.md", "x\n")
    ruled.git("add", "--force", "docs/a.md")
    paths = {*PATHS, "docs/a.md", "src/docs/b.md", "src/x.py", "a.log.txt"}
    mine = mem_ignored(ruled.path, paths)
    assert mine == {"plain", "docs/a.md", "src/x.py", "a.log.txt"}
    assert left_out(git_of(ruled), ruled.path, paths) == mine | ignored(git_of(ruled), ruled.path, paths)


def test_each_worktree_has_its_own_rules(repo: Repo) -> None:
    repo.commit("Rules", {NAME: "*.gen\n"})
    linked = repo.worktree("feature")
    linked.write(NAME, "*.tmp\n")
    assert left_out(git_of(repo), linked.path, ["a.gen", "a.tmp"]) == {"a.tmp"}
    assert left_out(git_of(repo), repo.path, ["a.gen", "a.tmp"]) == {"a.gen"}


def test_a_worktree_that_is_gone_is_an_error_and_no_answer(repo: Repo) -> None:
    with pytest.raises(FileNotFoundError):
        mem_ignored(Path(repo.path, "nowhere"), ["a"])
