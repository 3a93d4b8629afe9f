"""Which files are not the project's own: what its attributes say, as git reads them, and else their places."""

import pytest
from world import Repo

from gitmem.git.run import Git, GitFailedError
from gitmem.git.vendored import DIRECTORIES, FILES, in_known_place, vendored

OWN = (
    *("src/vendor.py", "my_vendor/x", "vendor", "a/node_modules", "vendored/a.go", "Vendor/a", "a/NODE_MODULES/b"),
    *(
        "min.js",
        "admin.js",
        "a.min.js.txt",
        "map",
        "a.maps",
        "xpackage-lock.json",
        "go.summary",
        "Cargo.toml",
        "venv/a.py",
    ),
    *("", "a", ".", "dist/a.js", "x.dist-info"),
)
FOREIGN = (
    *("vendor/a", "a/b/vendor/c/d.go", "node_modules/.bin/x", "third_party/a", "x-1.0.dist-info/METADATA", "a/.venv/b"),
    *(
        "a.min.js",
        "b/c.d.min.css",
        "app.js.map",
        "package-lock.json",
        "a/Cargo.lock",
        "uv.lock",
        "go.sum",
        "日本/yarn.lock",
    ),
)


@pytest.fixture
def git(repo: Repo) -> Git:
    return Git(repo.world.env)


def test_without_attributes_the_place_decides(repo: Repo, git: Git) -> None:
    assert vendored(git, repo.path, [path for path in OWN if path] + list(FOREIGN)) == set(FOREIGN)
    assert vendored(git, repo.path, []) == set()
    assert [path for path in OWN if in_known_place(path)] == []


@pytest.mark.parametrize("glob", DIRECTORIES)
def test_every_directory_counts_at_any_depth(glob: str) -> None:
    name = glob.replace("*", "some")
    assert in_known_place(f"{name}/a")
    assert in_known_place(f"a/{name}/b/c")
    assert not in_known_place(f"a/x{name}y/b")


@pytest.mark.parametrize("glob", FILES)
def test_every_file_counts_at_any_depth(glob: str) -> None:
    name = glob.replace("*", "some")
    assert in_known_place(name)
    assert in_known_place(f"a/{name}")
    assert not in_known_place(f"a/{name}x")


def test_attributes_decide_before_the_place(repo: Repo, git: Git) -> None:
    repo.write(
        ".gitattributes",
        "*.pb.go linguist-generated\n"
        "copied/** linguist-vendored\n"
        "copied/own.c -linguist-vendored\n"
        "copied/back.c !linguist-vendored\n"
        "vendor/ours/** -linguist-vendored\n"
        "vendor/mine/* linguist-vendored=false\n"
        "yarn.lock -linguist-generated\n"
        "said/* linguist-vendored=true\n"
        "odd/* linguist-generated=yes\n"
        "both.c -linguist-vendored linguist-generated\n"
        "too.c linguist-vendored -linguist-generated\n",
    )
    repo.write("vendor/.gitattributes", "deep.go linguist-vendored=false\n")
    (repo.path / ".git/info/attributes").write_text("local.c linguist-vendored\n", "utf-8")
    foreign = {
        "a/b.pb.go",
        "copied/a/b.c",
        "vendor/x.go",
        "said/a",
        "odd/a",
        "both.c",
        "too.c",
        "local.c",
        "vendor/x/deep/y",
    }
    own = {"copied/own.c", "copied/back.c", "vendor/ours/a/b", "vendor/mine/a", "yarn.lock", "vendor/x/deep.go", "a.go"}
    assert vendored(git, repo.path, foreign | own) == foreign


def test_any_name_can_be_asked_about(repo: Repo, git: Git) -> None:
    names = [
        "日本/é.txt",
        "sep\u2028two.txt",
        "tab\there.txt",
        "sp ace.txt",
        '"q".txt',
        "nl\nx.txt",
        "a b/ c.txt",
        "-x",
        "*",
        ":(top)a",
    ]
    names += ["b\udcff.txt", "\x1c\x0b\x85", "!a", "#b", "\\"]
    repo.write(".gitattributes", "*.txt linguist-vendored\n")
    assert vendored(git, repo.path, names) == {name for name in names if name.endswith(".txt")}


def test_many_paths_are_one_question(repo: Repo, git: Git) -> None:
    repo.write(".gitattributes", "*.c linguist-generated\n")
    names = [f"directory-{number % 100}/file-{number}.{'ch'[number % 2]}" for number in range(20_000)]
    trace = repo.world.root / "trace"
    traced = Git({**repo.world.env, "GIT_TRACE": str(trace)})
    assert vendored(traced, repo.path, names) == {name for name in names if name.endswith(".c")}
    assert trace.read_text("utf-8").count("built-in: git") == 1


def test_where_git_cannot_tell_nothing_is_guessed(repo: Repo, git: Git) -> None:
    with pytest.raises(GitFailedError):
        vendored(git, repo.path, ["../outside"])
