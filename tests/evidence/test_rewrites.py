"""Commits under another id: rebased, picked, squashed, amended; and never taken for one that they are not."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from evidence.cited import at, commit_finding, found_of, told
from layouts import with_commit
from world import Repo, World

from gitmem.entry.model import SourceRef, SourceType
from gitmem.evidence.commits import judge_commits, name_commits
from gitmem.evidence.target import Target, TargetKind
from gitmem.git.rewritten import read_rewritten

LINES = "".join(f"line {number}\n" for number in range(1, 61))
ORPHANED: tuple[str, dict[str, object]] = ("orphaned", {})
REACHABLE: tuple[str, dict[str, object]] = ("reachable", {})

HOOK = '#!/bin/sh\ncat >> "$(git rev-parse --git-common-dir)/mem/rewritten"\n'


Files = Mapping[str, bytes | str | None]


def lines(**changed: str) -> str:
    """The sixty lines, with others in the place of some: `l6="six"`."""
    return "".join(f"{changed.get(f'l{number}', f'line {number}')}\n" for number in range(1, 61))


def started(world: World, *options: str) -> Repo:
    """A repository with the sixty lines and some other files, on main."""
    repo = with_commit(world.repo("main", *options))
    files: Files = {
        "a.py": LINES,
        "b.bin": b"\0one",
        "run.sh": "echo\n",
        "gone.txt": "gone\n",
        "from.txt": "away\nwe\ngo\n",
    }
    repo.commit("Base", files)
    return repo


@pytest.fixture
def base(world: World) -> Repo:
    return started(world)


@pytest.fixture(params=["sha1", "sha256"])
def either(request: pytest.FixtureRequest, world: World) -> Repo:
    return started(world, f"--object-format={request.param}")


def topic(repo: Repo, *commits: Files) -> list[str]:
    """Make the commits on a new branch `topic`, go back to main, and return their ids."""
    repo.git("checkout", "-q", "-b", "topic")
    oids = [repo.commit(f"Topic {number}", files) for number, files in enumerate(commits)]
    repo.git("checkout", "-q", "main")
    return oids


def squash(repo: Repo) -> str:
    """Merge `topic` as one commit, and delete it; return the commit."""
    repo.git("merge", "-q", "--squash", "topic")
    repo.git("branch", "-q", "-D", "topic")
    return repo.commit("Squash")


def found_at(repo: Repo, tip: str, *idents: str) -> list[tuple[str, dict[str, object]]]:
    """The reason and the evidence for each commit, judged against another one."""
    target = Target(at(repo), TargetKind.COMMIT, repo.rev(tip))
    refs = [SourceRef(source_type=SourceType.COMMIT, id=ident) for ident in idents]
    found = judge_commits(target, refs, name_commits(target, idents))
    return [(finding.reason.value, dict(finding.evidence)) for finding in found]


# The same change


def test_rebased_commits_are_current_under_their_new_ids(either: Repo) -> None:
    old = topic(either, {"a.py": lines(l6="six")}, {"n": "1\n"}, {"a.py": lines(l6="six", l40="forty")})
    either.commit("Main", {"a.py": lines(l20="twenty")})
    either.git("rebase", "-q", "main", "topic")
    new = either.git("rev-list", "--reverse", "main..topic").out.split()
    assert len(new) == len(old)
    assert found_of(either, *old) == [("rewritten", {"to": oid}) for oid in new]
    found = commit_finding(either, old[0])
    assert told(found) == ("current", "rewritten")
    assert new[0][:7] in found.message


def test_a_picked_commit_is_current_although_its_branch_is_still_there(either: Repo) -> None:
    first, second = topic(either, {"a.py": lines(l6="six")}, {"n": "1\n"})
    either.git("cherry-pick", "-x", second)
    assert found_of(either, first, second) == [
        ("other-branch", {"refs": ["refs/heads/topic"]}),
        ("rewritten", {"to": either.rev()}),
    ]


def test_a_branch_of_one_commit_that_is_squashed_is_the_same_change(either: Repo) -> None:
    (old,) = topic(either, {"a.py": lines(l6="six")})
    either.commit("Main", {"a.py": lines(l40="forty")})
    new = squash(either)
    either.commit("Later", {"a.py": "other\n"})
    assert found_of(either, old) == [("rewritten", {"to": new})]


def test_a_commit_whose_author_and_date_were_changed_is_the_same_change(base: Repo) -> None:
    old = base.commit("Work", {"a.py": lines(l6="six")})
    base.git("commit", "-q", "--amend", "--no-edit", "--author=B <b@example.com>", "--date=2001-01-01T00:00:00Z")
    assert found_of(base, old) == [("rewritten", {"to": base.rev()})]


def test_a_reworded_root_is_the_same_change(world: World) -> None:
    repo = with_commit(world.repo())
    old = repo.rev()
    repo.git("commit", "-q", "--amend", "-m", "Begin")
    assert found_of(repo, old) == [("rewritten", {"to": repo.rev()})]


def test_a_history_that_was_rewritten_from_its_root_is_known_again(base: Repo) -> None:
    old = base.git("rev-list", "HEAD").out.split()
    base.git("checkout", "-q", "--orphan", "other")
    base.git("rm", "-q", "-r", "-f", ".")
    base.commit("New root", {"LICENSE": "free\n"})
    base.git("cherry-pick", *reversed(old))
    new = base.git("rev-list", "--max-count=2", "HEAD").out.split()
    assert found_of(base, *old) == [("rewritten", {"to": oid}) for oid in new]


def test_git_cherry_and_the_verdicts_agree(base: Repo) -> None:
    wanted = topic(base, *({f"f{number}": f"{number}\n" * 5, "a.py": lines(l6=f"{number}")} for number in range(6)))
    base.git("cherry-pick", *wanted[:2])
    base.commit("Like the third, but not it", {"f2": "2\n" * 6, "a.py": lines(l6="2")})
    base.git("checkout", "-q", "-b", "aside", "topic~5")
    base.git("cherry-pick", "topic~5..topic")
    marks = {line[2:]: line[0] for line in base.git("cherry", "main", "topic").out.splitlines()}
    found = dict(zip(wanted, found_at(base, "main", *wanted), strict=True))
    assert {oid: found[oid][0] == "rewritten" for oid in wanted} == {oid: marks[oid] == "-" for oid in wanted}
    assert sorted(marks.values()) == ["+"] * 4 + ["-"] * 2


def test_the_oldest_of_several_twins_is_named(base: Repo) -> None:
    (old,) = topic(base, {"a.py": lines(l6="six")})
    base.git("cherry-pick", old)
    first = base.rev()
    base.commit("Take it out, without a word", {"a.py": LINES})
    base.git("cherry-pick", old)
    assert found_of(base, old) == [("rewritten", {"to": first})]


def test_a_twin_that_was_reverted_makes_stale_until_it_comes_again(either: Repo) -> None:
    (old,) = topic(either, {"a.py": lines(l6="six")})
    either.git("cherry-pick", old)
    twin = either.rev()
    either.git("revert", "--no-edit", twin)
    undoing = either.rev()
    assert found_of(either, old) == [("reverted", {"by": undoing, "to": twin})]
    either.git("cherry-pick", old)
    assert found_of(either, old, twin) == [("rewritten", {"to": either.rev()})] * 2


def test_a_twin_is_found_on_a_merged_side_although_the_mainline_had_the_change_too(base: Repo) -> None:
    old, other = topic(base, {"a.py": lines(l6="six")}, {"n": "1\n"})
    base.git("checkout", "-q", "-b", "side", "main")
    base.commit("Side", {"s": "1\n"})
    base.git("cherry-pick", old, other)
    first, second = base.rev("HEAD~1"), base.rev()
    base.git("checkout", "-q", "main")
    base.commit("The same and more", {"a.py": lines(l6="six", l40="forty")})
    base.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert found_of(base, old, other) == [("rewritten", {"to": first}), ("rewritten", {"to": second})]


def test_a_twin_in_a_merge_that_was_reverted_makes_stale(base: Repo) -> None:
    (old,) = topic(base, {"a.py": lines(l6="six")})
    base.git("checkout", "-q", "-b", "side", "main")
    base.commit("Side", {"s": "1\n"})
    base.git("cherry-pick", old)
    base.git("checkout", "-q", "main")
    base.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    base.git("revert", "--no-edit", "--mainline=1", "HEAD")
    found = commit_finding(base, old)
    assert (found.verdict.value, found.evidence["by"]) == ("stale", base.rev())


# Squashes


def test_all_commits_of_a_squash_are_in_it(either: Repo) -> None:
    old = topic(
        either,
        {"a.py": lines(l6="six")},
        {"n": "1\n2\n"},
        {"a.py": lines(l6="six", l40="forty"), "gone.txt": None},
        {"a.py": lines(l6="six", l30="thirty\nmore", l40="forty")},
    )
    either.commit("Main", {"a.py": lines(l20="twenty")})
    new = squash(either)
    either.commit("Later", {"a.py": "all new\n", "n": None})
    assert found_of(either, *old) == [("squashed", {"to": new})] * 4
    assert told(commit_finding(either, old[0])) == ("current", "squashed")


def test_a_fixup_in_a_rebase_is_a_squash(base: Repo) -> None:
    old = topic(base, {"a.py": lines(l6="six")}, {"a.py": lines(l6="six", l40="forty")}, {"n": "1\n"})
    base.commit("Main", {"m": "1\n"})
    base.git("checkout", "-q", "topic")
    base.git("rebase", "-q", "-i", "main", env={"GIT_SEQUENCE_EDITOR": "sed -i -e '2s/^pick/fixup/'"})
    new = base.rev("HEAD~1")
    assert found_of(base, *old) == [("squashed", {"to": new})] * 2 + [("rewritten", {"to": base.rev()})]


def test_a_commit_that_a_later_one_of_the_squash_overwrote_is_not_in_it(base: Repo) -> None:
    first, _second, third = topic(
        base, {"a.py": lines(l6="six")}, {"a.py": lines(l6="SIX")}, {"a.py": lines(l6="SIX", l40="forty")}
    )
    new = squash(base)
    assert found_of(base, first, third) == [ORPHANED, ("squashed", {"to": new})]


def test_a_commit_that_was_taken_back_before_the_squash_is_not_in_it(base: Repo) -> None:
    first, undoing, third = topic(base, {"a.py": lines(l6="six")}, {"a.py": LINES}, {"n": "1\n"})
    new = squash(base)
    assert found_of(base, first, undoing, third) == [ORPHANED, ORPHANED, ("rewritten", {"to": new})]


def test_a_squash_that_was_reverted_makes_all_its_commits_stale(either: Repo) -> None:
    old = topic(either, {"a.py": lines(l6="six")}, {"n": "1\n"})
    new = squash(either)
    either.git("revert", "--no-edit", new)
    assert found_of(either, *old) == [("reverted", {"by": either.rev(), "to": new})] * 2


def test_a_squash_that_was_reverted_and_taken_in_again_is_current(base: Repo) -> None:
    old = topic(base, {"a.py": lines(l6="six")}, {"n": "1\n"})
    new = squash(base)
    base.git("revert", "--no-edit", new)
    base.git("cherry-pick", new)
    assert found_of(base, *old) == [("squashed", {"to": base.rev()})] * 2


def test_a_squash_of_very_many_files_is_found(base: Repo) -> None:
    many: Files = {f"many/{number}": f"{number}\n" for number in range(520)}
    first, second = topic(base, many, {"many/7": "7\nseven\n", "a.py": lines(l6="six")})
    base.commit("Main", {"a.py": lines(l40="forty")})
    new = squash(base)
    assert found_of(base, first, second) == [("squashed", {"to": new})] * 2


def test_a_commit_that_was_amended_with_more_is_in_the_new_one(base: Repo) -> None:
    old = base.commit("Work", {"a.py": lines(l6="six")})
    base.write("a.py", lines(l6="six", l40="forty"))
    base.write("n", "1\n")
    base.git("add", "n")
    base.git("commit", "-q", "-a", "--amend", "--no-edit")
    assert found_of(base, old) == [("squashed", {"to": base.rev()})]


# Every sort of change: picked and squashed


def link(repo: Repo, name: str, target: str) -> None:
    (repo.path / name).unlink(missing_ok=True)
    (repo.path / name).symlink_to(target)


def bump(repo: Repo, digit: str) -> None:
    """Let the index name another commit of a submodule that is not here."""
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{digit * 40},sub")


def mode_and_content(repo: Repo) -> None:
    repo.write("run.sh", "echo\nexit\n").chmod(0o755)


def rename_and_edit(repo: Repo) -> None:
    repo.write("to.txt", "away\nwe\nwent\n")
    (repo.path / "from.txt").unlink()


CHANGES: dict[str, Callable[[Repo], object]] = {
    "edited": lambda repo: repo.write("a.py", lines(l6="six")),
    "put in": lambda repo: repo.write("a.py", lines(l6="line 6\nnew")),
    "taken out": lambda repo: repo.write("a.py", LINES.replace("line 6\n", "")),
    "binary": lambda repo: repo.write("b.bin", b"\0two"),
    "new binary": lambda repo: repo.write("c.bin", b"\0new"),
    "mode": lambda repo: (repo.path / "run.sh").chmod(0o755),
    "mode and content": mode_and_content,
    "deleted": lambda repo: (repo.path / "gone.txt").unlink(),
    "deleted binary": lambda repo: (repo.path / "b.bin").unlink(),
    "renamed": lambda repo: (repo.path / "from.txt").rename(repo.path / "to.txt"),
    "renamed and edited": rename_and_edit,
    "new": lambda repo: repo.write("dir/new.txt", "new\n"),
    "new and empty": lambda repo: repo.write("new.txt", ""),
    "emptied": lambda repo: repo.write("gone.txt", ""),
    "line ends": lambda repo: repo.write("from.txt", "away\r\nwe\r\ngo\r\n"),
    "no last line end": lambda repo: repo.write("from.txt", "away\nwe\ngo"),
    "new link": lambda repo: link(repo, "link", "a.py"),
    "made a link": lambda repo: link(repo, "gone.txt", "a.py"),
    "submodule": lambda repo: bump(repo, "1"),
    "odd names": lambda repo: [
        repo.write(name, "odd\n") for name in ("*.x", ":(top)x", "nl\nx", "日本", "sp ace", '"q"', ":!x", "\\")
    ],
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_sort_of_change_is_known_again_picked_or_squashed(base: Repo, change: str) -> None:
    base.git("checkout", "-q", "-b", "topic")
    CHANGES[change](base)
    base.git("add", "--all", ":!sub")
    old = base.commit("Change")
    first = (base.path / "a.py").read_text(encoding="utf-8")
    base.write("a.py", first.replace("line 40\n", "forty\n"))
    base.write("extra", "1\n")
    base.git("add", "a.py", "extra")
    base.commit("Extra")
    base.git("checkout", "-q", "-f", "-b", "picked", "main")
    base.commit("Main", {"a.py": lines(l20="twenty"), "m": "1\n"})
    base.git("branch", "-f", "main")
    base.git("cherry-pick", old)
    picked = base.rev()
    base.commit("Later", {"m": "2\n"})
    base.git("checkout", "-q", "-f", "main")
    new = squash(base)
    base.commit("Later", {"a.py": "other\n"})
    assert found_at(base, "picked", old) == [("rewritten", {"to": picked})]
    assert found_of(base, old) == [("squashed", {"to": new})]
    assert found_at(base, f"{new}~1", old) == [ORPHANED]


# What is not the same


def check_in(*numbers: int) -> str:
    """The sixty lines, with the same new line behind some of them."""
    return lines(**{f"l{number}": f"line {number}\n    check()" for number in numbers})


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        ({"a.py": lines(l6="six")}, {"a.py": lines(l6="SIX")}),
        ({"a.py": lines(l6="six")}, {"a.py": lines(l40="forty")}),
        ({"a.py": lines(l6="six")}, {"a.py": None}),
        ({"a.py": lines(l6="six", l40="forty")}, {"a.py": lines(l6="six"), "n": "1\n"}),
        ({"a.py": lines(l6="six"), "n": "1\n"}, {"a.py": lines(l6="six"), "n": "2\n"}),
        ({"a.py": lines(l6="six"), "n": "1\n"}, {"a.py": lines(l6="six")}),
        ({"a.py": lines(l6="line 6\n\n}")}, {"a.py": lines(l6="line 6\n\n}", l40="forty")}),
        ({"a.py": lines(l6="line 6\n")}, {"a.py": lines(l6="line 6\n", l30="thirty\n\n{")}),
        ({"b.bin": b"\0two"}, {"b.bin": b"\0three"}),
        ({"c.bin": b"\0two"}, {"c.bin": b"\0three"}),
        ({"b.bin": b"\0two"}, {"b.bin": None}),
        ({"gone.txt": None}, {"gone.txt": "edited\n"}),
        ({"gone.txt": None}, {"gone.txt": ""}),
        ({"new.txt": ""}, {"new.txt": "1\n"}),
        ({"new.txt": "1\n"}, {"newer.txt": "1\n"}),
        ({"from.txt": None, "to.txt": "away\nwe\ngo\n"}, {"to.txt": "away\nwe\ngo\n"}),
        ({"a.py": lines(l6="line 40", l40="line 6")}, {"a.py": lines(l6="line 40"), "n": "1\n"}),
        ({"a.py": check_in(6)}, {"a.py": check_in(40)}),
        ({"a.py": check_in(6, 40)}, {"a.py": check_in(6), "n": "1\n"}),
        ({"a.py": lines(l6="six")}, {"a.py": "all\nsix\nnew\n"}),
        ({"a.py": LINES.replace("line 6\n", "")}, {"a.py": None}),
        ({"a.py": LINES.replace("line 6\n", "")}, {"a.py": "all new\n"}),
    ],
)
def test_an_unrelated_commit_in_the_same_files_does_not_stand_for_another(
    base: Repo, mine: Files, other: Files
) -> None:
    (old,) = topic(base, mine)
    base.commit("Other", other)
    base.git("branch", "-q", "-D", "topic")
    assert found_of(base, old) == [ORPHANED]


def test_another_content_with_the_same_change_of_mode_is_another_change(base: Repo) -> None:
    oids = []
    for branch, content in (("topic", "mine\n"), ("other", "other\n")):
        base.git("checkout", "-q", "-b", branch, "main")
        (base.path / "run.sh").chmod(0o755)
        oids.append(base.commit(branch, {"run.sh": content}))
    assert found_of(base, oids[0]) == [("other-branch", {"refs": ["refs/heads/topic"]})]


def test_other_modes_links_and_submodules_are_other_changes(base: Repo) -> None:
    bump(base, "1")
    base.commit("Submodule")
    base.git("checkout", "-q", "-b", "topic")
    bump(base, "2")
    bumped = base.commit("Bump")
    (base.path / "run.sh").chmod(0o755)
    base.git("add", "run.sh")
    executable = base.commit("Mode")
    link(base, "gone.txt", "a.py")
    base.git("add", "gone.txt")
    linked = base.commit("Link")
    base.git("checkout", "-q", "-f", "main")
    bump(base, "3")
    base.commit("Other bump")
    base.commit("Other content", {"run.sh": "exit\n"})
    link(base, "gone.txt", "b.bin")
    base.git("add", "gone.txt")
    base.commit("Other link")
    assert [reason for reason, _ in found_of(base, bumped, executable, linked)] == ["other-branch"] * 3


def test_blank_lines_and_brackets_are_no_sign_of_a_squash(base: Repo) -> None:
    base.commit("Code", {"x.c": "a\nb\nc\nd\n"})
    (old,) = topic(base, {"x.c": "a\n}\n\nb\nc\nd\n"})
    base.commit("Unrelated", {"x.c": "a\n}\n\nb\nc\nint d;\n", "y": "1\n"})
    base.git("branch", "-q", "-D", "topic")
    assert found_of(base, old) == [ORPHANED]


def test_commits_without_changes_and_merges_are_in_no_other_commit(base: Repo) -> None:
    (side,) = topic(base, {"n": "1\n"})
    base.git("checkout", "-q", "topic")
    empty = base.commit("Empty")
    base.git("merge", "-q", "--no-ff", "-m", "Merge", base.commit("More", {"k": "1\n"}))
    base.git("checkout", "-q", "-b", "old", "main")
    base.git("merge", "-q", "--no-ff", "-m", "Merge", "topic")
    merge = base.rev()
    base.git("checkout", "-q", "main")
    base.commit("Other empty")
    base.commit("Main", {"m": "1\n"})
    base.git("merge", "-q", "--no-ff", "-m", "Merge", "topic")
    base.git("branch", "-q", "-D", "old")
    assert found_of(base, side, empty, merge) == [REACHABLE, REACHABLE, ORPHANED]
    alone = base.git("commit-tree", "-m", "Empty", "-p", "main", "main^{tree}").line
    assert found_of(base, alone) == [ORPHANED]


def test_a_commit_of_another_content_is_orphaned_when_nobody_recorded_the_amend(base: Repo) -> None:
    old = base.commit("Work", {"a.py": lines(l6="six")})
    base.git("commit", "-q", "--amend", "-m", "Work", "--allow-empty")
    base.write("a.py", lines(l6="SIX"))
    base.git("commit", "-q", "-a", "--amend", "--no-edit")
    assert found_of(base, old) == [ORPHANED]


# What git told the hook


def with_hook(repo: Repo) -> Repo:
    """Record what git rewrites, as the hook does."""
    common_dir = Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").line)
    (common_dir / "mem").mkdir()
    (common_dir / "hooks").mkdir(exist_ok=True)
    (common_dir / "hooks" / "post-rewrite").write_text(HOOK, encoding="utf-8")
    (common_dir / "hooks" / "post-rewrite").chmod(0o755)
    return repo


def amend(repo: Repo, files: dict[str, str]) -> str:
    for name, content in files.items():
        repo.write(name, content)
    repo.git("add", "--all")
    repo.git("commit", "-q", "--amend", "--no-edit")
    return repo.rev()


@pytest.mark.parametrize("linked", [False, True])
def test_an_amended_commit_is_stale_and_names_the_last_one_that_it_became(either: Repo, linked: bool) -> None:
    with_hook(either)
    repo = either.worktree("linked") if linked else either
    first = repo.commit("Work", {"a.py": lines(l6="six")})
    second = amend(repo, {"a.py": lines(l6="SIX")})
    assert found_of(repo, first) == [("rewritten-changed", {"to": second})]
    third = amend(repo, {"a.py": lines(l6="VI")})
    found = commit_finding(repo, first)
    assert (told(found), found.evidence) == (("stale", "rewritten-changed"), {"to": third})
    assert found_of(repo, first[:9], second) == [("rewritten-changed", {"to": third})] * 2
    repo.commit("Later", {"l": "1\n"})
    assert found_of(repo, first) == [("rewritten-changed", {"to": third})]
    if linked:
        assert found_of(either, first) == [("other-branch", {"refs": ["refs/heads/linked"], "to": third})]


def test_the_change_itself_counts_more_than_what_the_hook_was_told(base: Repo) -> None:
    with_hook(base)
    old = base.commit("Work", {"a.py": lines(l6="six")})
    more = amend(base, {"a.py": lines(l6="six", l40="forty")})
    assert found_of(base, old) == [("squashed", {"to": more})]
    base.git("commit", "-q", "--amend", "-m", "Other words")
    assert found_of(base, old, more) == [("squashed", {"to": base.rev()}), ("rewritten", {"to": base.rev()})]


def test_a_commit_that_was_edited_or_fixed_up_in_a_rebase_is_stale(base: Repo) -> None:
    with_hook(base)
    base.git("checkout", "-q", "-b", "topic")
    edited = base.commit("Edited", {"a.py": lines(l6="six")})
    fixed = base.commit("Fixed", {"n": "1\n2\n"})
    fixup = base.commit("Fixup", {"n": "1\n3\n"})
    todo = "sed -i -e '1s/^pick/edit/' -e '3s/^pick/fixup/'"
    base.git("rebase", "-q", "-i", "main", env={"GIT_SEQUENCE_EDITOR": todo})
    amend(base, {"a.py": lines(l6="SIX")})
    base.git("rebase", "--continue")
    assert base.git("rev-list", "--count", "main..topic").line == "2"
    assert found_of(base, edited, fixed) == [
        ("rewritten-changed", {"to": base.rev("HEAD~1")}),
        ("rewritten-changed", {"to": base.rev()}),
    ]
    assert found_of(base, fixup) == [("squashed", {"to": base.rev()})]  # it had the last word on its file


def test_what_was_recorded_and_is_not_in_this_history_is_on_its_branch(base: Repo) -> None:
    with_hook(base)
    base.git("checkout", "-q", "-b", "topic")
    old = base.commit("Work", {"a.py": lines(l6="six")})
    new = amend(base, {"a.py": lines(l6="SIX")})
    base.git("checkout", "-q", "main")
    assert found_of(base, old) == [("other-branch", {"refs": ["refs/heads/topic"], "to": new})]
    assert found_at(base, "topic", old) == [("rewritten-changed", {"to": new})]


def test_a_record_with_rubbish_in_it_is_read_as_far_as_it_goes(base: Repo) -> None:
    old = base.commit("Work", {"a.py": lines(l6="six")})
    base.git("reset", "-q", "--hard", "HEAD~1")
    new, absent = base.commit("Work", {"a.py": lines(l6="SIX")}), "ab" * 20
    record = base.path / ".git/mem/rewritten"
    record.parent.mkdir()
    pairs = [f"{old} {old}", f"{absent} {old}", f"{old} {absent}", f"{old} {new} amend", f"{new} {old}"]
    rubbish = ["rubbish", "", f"{old} {new[:9]}", f"{old} {new}x", f"{new}", old[:20]]
    record.write_bytes(b"\xff\0\n" + "\n".join(pairs + rubbish).encode())
    assert found_of(base, old) == [("rewritten-changed", {"to": new})]
    assert read_rewritten(base.path / ".git")[old] == [new, absent, old]
    record.unlink()
    record.mkdir()
    assert found_of(base, old) == [ORPHANED]


# Clones that lack something


def test_in_a_shallow_clone_a_change_is_known_again_and_never_orphaned(either: Repo) -> None:
    either.commit("Second", {"a.py": lines(l50="fifty")})
    clone = either.world.clone(either, "clone", "--depth=1")
    reworded = clone.commit("Work", {"a.py": lines(l6="six", l50="fifty")})
    clone.git("commit", "-q", "--amend", "-m", "Other words")
    new = clone.rev()
    lost = clone.commit("Lost", {"n": "1\n"})
    clone.git("reset", "-q", "--hard", "HEAD~1")
    assert found_of(clone, reworded, lost) == [("rewritten", {"to": new}), ("shallow-history", {})]


def test_a_commit_whose_parents_are_cut_off_has_no_known_change(base: Repo) -> None:
    base.commit("Second", {"a.py": lines(l50="fifty")})
    clone = base.world.clone(base, "clone", "--depth=1")
    clone.git("checkout", "-q", "--orphan", "other")
    root = clone.commit("All of it as a root", {"a.py": lines(l50="fifty")})
    clone.git("rm", "-q", "-r", "--cached", ".")
    part = clone.commit("Part of it as a root", {"a.py": lines(l50="fifty")})
    parents = clone.git("rev-list", "--parents", "-1", part).out.split()
    assert parents == [part, root]
    lone = clone.git("commit-tree", "-m", "Lone", f"{part}^{{tree}}").line
    clone.git("checkout", "-q", "-f", "main")
    assert [reason for reason, _ in found_of(clone, root, lone)] == ["other-branch", "shallow-history"]


def test_a_fetched_commit_that_is_cut_off_itself_is_not_compared(base: Repo) -> None:
    (old,) = topic(base, {"a.py": lines(l6="six")})
    base.git("cherry-pick", old)
    clone = base.world.clone(base, "clone", "--depth=2")
    clone.git("fetch", "-q", "--depth=1", base.path.as_uri(), f"{old}:refs/heads/topic")
    assert found_of(clone, old) == [("other-branch", {"refs": ["refs/heads/topic"]})]
    clone.git("update-ref", "-d", "refs/heads/topic")
    assert found_of(clone, old) == [("shallow-history", {})]


def test_a_commit_that_is_cut_off_did_not_bring_all_that_it_has(world: World) -> None:
    source = with_commit(world.repo())
    topic(source, {"README.md": "other\n"}, {"README.md": "hello\n"})  # and now it has what the root brought
    source.commit("Main", {"m": "1\n"})
    clone = world.clone(source, "clone", "--single-branch")
    clone.git("fetch", "-q", "--depth=1", source.path.as_uri(), "topic:refs/heads/topic")
    assert clone.git("diff", "--name-only", "topic", "main~1").out == ""
    assert found_of(clone, clone.rev("topic")) == [("other-branch", {"refs": ["refs/heads/topic"]})]


def missing(repo: Repo) -> int:
    return repo.git("rev-list", "--objects", "--all", "--reflog", "--missing=print").out.count("?")


@pytest.mark.parametrize("wanted", ["blob:none", "tree:0"])
def test_a_partial_clone_compares_what_it_has_and_fetches_nothing(base: Repo, wanted: str) -> None:
    base.git("config", "uploadpack.allowFilter", "true")
    same, moved = topic(base, {"run.sh": "echo\nexit\n"}, {"a.py": lines(l6="six")})
    base.commit("Main", {"a.py": lines(l40="forty")})
    base.git("cherry-pick", same, moved)
    new = base.rev("HEAD~1")
    clone = base.world.clone(base, "clone", f"--filter={wanted}", "--no-checkout")
    before = missing(clone)
    refs = {"refs": ["refs/remotes/origin/topic"]}
    by_blobs = ("rewritten", {"to": new}) if wanted == "blob:none" else None
    for online in (True, False):
        if not online:
            base.path.rename(base.world.root / "away")
        assert found_of(clone, same, moved) == [by_blobs or ("other-branch", refs), ("other-branch", refs)]
    clone.git("update-ref", "-d", "refs/remotes/origin/topic")
    assert found_of(clone, same, moved) == [by_blobs or ("missing-partial", {}), ("missing-partial", {})]
    assert told(commit_finding(clone, moved)) == ("unverified", "missing-partial")
    shutil.move(base.world.root / "away", base.path)
    assert found_of(clone, moved) == [("missing-partial", {})]
    clone.git("update-ref", "refs/heads/topic", moved)
    assert missing(clone) == before > 0


# Other branches


def test_the_refs_that_contain_many_commits_are_those_of_git(base: Repo) -> None:
    oids = []
    for number in range(7):
        base.git("checkout", "-q", "-b", f"b{number}", "main" if number % 3 == 0 else f"b{number - 1}")
        oids += [base.commit(f"Work {number}", {f"f{number}": f"{half}\n"}) for half in (1, 2)]
        if number % 2:
            base.git("merge", "-q", "--no-ff", "-m", "Merge", f"b{number // 2}", accept=(0,))
    base.git("tag", "light", oids[3])
    base.git("tag", "-a", "-m", "heavy", "heavy", oids[5])
    base.git("update-ref", "refs/remotes/origin/x", oids[7])
    base.git("checkout", "-q", "main")
    found = found_of(base, *oids)
    for oid, finding in zip(oids, found, strict=True):
        names = base.git("for-each-ref", f"--contains={oid}", "--format=%(refname)").out.split()
        assert finding == ("other-branch", {"refs": names[:5]})
    assert max(len(evidence["refs"]) for _, evidence in found if isinstance(evidence["refs"], list)) == 5


def test_all_is_found_after_garbage_collection_and_with_a_commit_graph(either: Repo) -> None:
    with_hook(either)
    amended = either.commit("Work", {"w": "1\n2\n"})
    newest = amend(either, {"w": "1\n3\n"})
    picked, one, two = topic(either, {"a.py": lines(l6="six")}, {"n": "1\n"}, {"a.py": lines(l6="six", l40="forty")})
    either.git("branch", "rest", "topic")
    either.git("cherry-pick", picked)
    twin = either.rev()
    squashed = squash(either)
    expected = [
        ("rewritten-changed", {"to": newest}),
        ("rewritten", {"to": twin}),
        ("squashed", {"to": squashed}),
        ("squashed", {"to": squashed}),
    ]
    assert found_of(either, amended, picked, one, two) == expected
    either.git("-c", "gc.reflogExpireUnreachable=never", "-c", "gc.reflogExpire=never", "gc", "-q", "--prune=now")
    either.git("commit-graph", "write", "--reachable", "--changed-paths")
    assert found_of(either, amended, picked, one, two) == expected
    either.git("branch", "-q", "-D", "rest")
    either.git("reflog", "expire", "--expire=now", "--all")
    either.git("gc", "-q", "--prune=now")
    assert {reason for reason, _ in found_of(either, amended, picked, one, two)} == {"missing"}


def test_a_change_of_a_file_that_git_shows_no_diff_of_is_known_by_its_lines(base: Repo) -> None:
    base.commit("Attributes", {"a.lock": LINES, ".gitattributes": "*.lock -diff\n"})
    base.git("checkout", "-q", "-b", "topic")
    old = base.commit("Work", {"a.lock": LINES.replace("line 6\n", "six\n")})
    base.git("checkout", "-q", "main")
    moved_on = LINES.replace("line 40\n", "forty\n")
    base.commit("Main", {"a.lock": moved_on})
    new = base.commit("Picked by hand", {"a.lock": moved_on.replace("line 6\n", "six\n")})
    base.git("branch", "-q", "-D", "topic")
    assert found_of(base, old) == [("squashed", {"to": new})]
