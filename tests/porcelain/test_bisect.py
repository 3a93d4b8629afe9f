"""`git mem bisect`: the commit that made an entry stale, compared with a check at each commit."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from program import entry, put
from remembered import TEXT, judged, refs_of, remember, state, workspace
from world import Repo, World

from gitmem.entry.model import SourceRef
from gitmem.evidence.verdict import Verdict
from gitmem.git.history import RevisionError
from gitmem.porcelain.bisect import Bisected, bisect
from gitmem.store.read import UnknownEntryError


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with one commit and a store; each test has files and entries of its own in it."""
    repo = World(tmp_path_factory.mktemp("bisect")).repo()
    repo.commit("Start", {"README.md": "read me\n"})
    assert repo.mem("init").code == 0
    return repo


def edited(number: int = 4) -> str:
    return TEXT.replace(f"line {number}\n", f"line {number}, edited\n")


def rows(text: str) -> str:
    """Return the text as another one, so that no line of it could have come from a file with the first."""
    return text.replace("line", "row")


def found(repo: Repo, ident: str, revision: str = "HEAD") -> Bisected:
    return bisect(workspace(repo), ident, revision=revision)


def culprit(repo: Repo, ident: str, revision: str = "HEAD") -> str | None:
    named = found(repo, ident, revision).culprit
    return None if named is None else named.oid


def is_first(repo: Repo, ident: str, oid: str) -> bool:
    """Whether a check, commit by commit, says that this one is stale and none before it was."""
    parents = repo.git("rev-list", "--parents", "-n1", oid).line.split()[1:]
    then = [judged(repo, ident, at=commit).verdict is Verdict.STALE for commit in (oid, *parents)]
    return then == [True] + [False] * len(parents)


def test_the_commit_is_named_with_its_subject_author_and_date(shop: Repo) -> None:
    shop.commit("Before", {"named.py": TEXT})
    ident = remember(shop, "Named", "named.py:3-5")
    shop.commit("Elsewhere in it", {"named.py": edited(9)})
    broke = shop.commit("Break it: é 木", {"named.py": edited(4)})
    shop.commit("Break it more", {"named.py": edited(3)})
    shop.commit("Elsewhere", {"elsewhere.py": "x\n"})
    answer = found(shop, ident)
    assert answer.culprit is not None
    told = (answer.culprit.oid, answer.culprit.subject, answer.culprit.author, answer.culprit.date)
    assert "\0".join(told) == shop.git("log", "-1", "--format=%H%x00%s%x00%an%x00%aI", broke).line
    assert (answer.head, answer.verdict) == (shop.rev(), Verdict.STALE)
    assert [judgement.finding.evidence["by"] for judgement in answer.refs] == [broke]
    assert is_first(shop, ident, broke)


def test_what_was_mended_and_broken_again_was_broken_by_the_last_one(shop: Repo) -> None:
    shop.commit("Before", {"again.py": TEXT})
    ident = remember(shop, "Again", "again.py:3-5")
    shop.commit("Break it", {"again.py": edited(4)})
    shop.commit("Mend it", {"again.py": TEXT})
    last = shop.commit("Break it again", {"again.py": edited(5)})
    assert culprit(shop, ident) == last


def test_at_a_revision_only_its_history_counts(shop: Repo) -> None:
    shop.commit("Before", {"at.py": TEXT})
    ident = remember(shop, "At", "at.py:3-5")
    first = shop.commit("Break it", {"at.py": edited(4)})
    shop.git("tag", "broken")
    shop.commit("Mend it", {"at.py": TEXT})
    assert culprit(shop, ident, "broken") == first
    assert (found(shop, ident).verdict, culprit(shop, ident)) == (Verdict.CURRENT, None)
    assert found(shop, ident, "broken~1").verdict is Verdict.CURRENT


def test_the_break_is_named_on_the_side_branch_where_it_was_made(shop: Repo) -> None:
    shop.commit("Before", {"side.py": TEXT, "beside.py": TEXT})
    ident = remember(shop, "Side", "side.py:3-5")
    shop.git("checkout", "-q", "-b", "side")
    shop.commit("On the side", {"beside.py": edited(1)})
    broke = shop.commit("Break it on the side", {"side.py": edited(4)})
    shop.commit("More on the side", {"side.py": edited(4) + "more\n"})
    shop.git("checkout", "-q", "main")
    shop.commit("On main", {"main.py": "x\n"})
    shop.git("merge", "-q", "--no-ff", "--no-edit", "side")
    assert culprit(shop, ident) == broke
    assert is_first(shop, ident, broke)


def test_a_merge_that_changed_the_lines_itself_is_named(shop: Repo) -> None:
    shop.commit("Before", {"evil.py": TEXT})
    ident = remember(shop, "Evil", "evil.py:3-5")
    shop.git("checkout", "-q", "-b", "good")
    shop.commit("On the side", {"evil.py": edited(12)})
    shop.git("checkout", "-q", "main")
    shop.commit("On main", {"evil.py": edited(1)})
    shop.git("merge", "-q", "--no-commit", "good")
    merge = shop.commit("Merge, and change what neither had changed", {"evil.py": edited(4)})
    assert len(shop.git("rev-list", "--parents", "-n1", merge).line.split()) == 3
    assert culprit(shop, ident) == merge
    assert is_first(shop, ident, merge)


def test_of_several_source_refs_the_first_that_broke_counts(shop: Repo) -> None:
    shop.commit("Before", {"one.py": TEXT, "two.py": rows(TEXT)})
    ident = remember(shop, "Several", "one.py:3-5", "two.py:3-5")
    first = shop.commit("Break the second", {"two.py": rows(edited(4))})
    second = shop.commit("Break the first", {"one.py": edited(4)})
    answer = found(shop, ident)
    assert answer.culprit is not None
    assert answer.culprit.oid == first
    assert [judgement.finding.evidence["by"] for judgement in answer.refs] == [second, first]
    assert is_first(shop, ident, first)


def test_a_reference_that_was_mended_does_not_count(shop: Repo) -> None:
    shop.commit("Before", {"mended.py": TEXT, "broken.py": rows(TEXT)})
    ident = remember(shop, "Mended", "mended.py:3-5", "broken.py:3-5")
    shop.commit("Break the first", {"mended.py": edited(4)})
    shop.commit("Mend it", {"mended.py": TEXT})
    last = shop.commit("Break the second", {"broken.py": rows(edited(4))})
    assert culprit(shop, ident) == last
    assert is_first(shop, ident, last)


def test_an_entry_that_stayed_stale_for_other_reasons_was_broken_by_the_first_of_them(shop: Repo) -> None:
    shop.commit("Before", {"relay.py": TEXT, "race.py": rows(TEXT)})
    ident = remember(shop, "Relay", "relay.py:3-5", "race.py:3-5")
    first = shop.commit("Break the one", {"relay.py": edited(4)})
    shop.commit("Mend it, and break the other", {"relay.py": TEXT, "race.py": rows(edited(4))})
    assert culprit(shop, ident) == first
    assert is_first(shop, ident, first)


def test_of_a_reverted_commit_the_revert_is_named(shop: Repo) -> None:
    shop.commit("To be undone", {"undone.py": "x\n"})
    ident = remember(shop, "Undone", commits=["HEAD"])
    shop.commit("In between", {"between.py": "x\n"})
    shop.git("revert", "--no-edit", "HEAD~1")
    revert = shop.rev()
    shop.commit("After", {"after.py": "x\n"})
    assert culprit(shop, ident) == revert
    assert is_first(shop, ident, revert)


def test_a_file_is_followed_through_its_renames_to_the_edit(shop: Repo) -> None:
    shop.commit("Before", {"a/first.py": "renames\n" + TEXT})
    ident = remember(shop, "Renamed", "a/first.py:4-6")
    shop.git("mv", "a/first.py", "a/second.py")
    shop.commit("Rename")
    shop.git("mv", "a/second.py", "a/third.py")
    shop.commit("Rename again")
    edit = shop.commit("Edit", {"a/third.py": "renames\n" + edited(4)})
    shop.commit("Edit elsewhere", {"a/third.py": "renames\n" + edited(4) + "more\n"})
    assert culprit(shop, ident) == edit
    assert is_first(shop, ident, edit)


def test_of_a_deleted_file_the_deletion_is_named(shop: Repo) -> None:
    shop.commit("Before", {"gone.py": "soon to be gone\n"})
    ident = remember(shop, "Gone", "gone.py")
    deletion = shop.commit("Delete it", {"gone.py": None})
    shop.commit("After", {"after gone.py": "nothing like it\n"})
    assert culprit(shop, ident) == deletion
    assert is_first(shop, ident, deletion)


def test_what_is_true_or_unknown_has_no_culprit(shop: Repo) -> None:
    shop.commit("Before", {"true.py": TEXT})
    ident = remember(shop, "True", "true.py:3-5")
    shop.write("true.py", edited(4))
    assert (found(shop, ident).verdict, culprit(shop, ident)) == (Verdict.CURRENT, None)
    shop.git("checkout", "-q", "true.py")
    put(shop.path / ".klide/memory", entry("unknown", source_refs=(SourceRef(source_type="commit", id="d" * 40),)))
    assert (found(shop, "unknown").verdict, culprit(shop, "unknown")) == (Verdict.UNVERIFIED, None)


def test_in_a_shallow_clone_nobody_is_blamed_for_what_lies_behind_its_end(shop: Repo, tmp_path: Path) -> None:
    shop.commit("Before", {"cut.py": TEXT})
    ident = remember(shop, "Cut", "cut.py:3-5")
    refs = refs_of(shop, ident)
    shop.commit("Break it", {"cut.py": edited(4)})
    shop.commit("After", {"after cut.py": "x\n"})
    shallow = World(tmp_path).clone(shop, "shallow", "--depth=1")
    put(shallow.path / ".klide/memory", entry("cut", source_refs=refs))
    assert (found(shallow, "cut").verdict, culprit(shallow, "cut")) == (Verdict.STALE, None)


def test_nothing_is_written_and_nothing_checked_out(shop: Repo) -> None:
    shop.commit("Before", {"quiet.py": TEXT})
    ident = remember(shop, "Quiet", "quiet.py:3-5")
    shop.commit("Break it", {"quiet.py": edited(4)})
    before = state(shop.path)
    assert culprit(shop, ident) == shop.rev()
    assert state(shop.path) == before


def test_an_unknown_revision_or_entry_is_refused(shop: Repo) -> None:
    with pytest.raises(UnknownEntryError, match="git mem list --state all"):
        found(shop, "no-such-entry")
    ident = remember(shop, "Known", "README.md")
    with pytest.raises(RevisionError, match="no commit is named 'nowhere': look with `git log`, or fetch it"):
        found(shop, ident, "nowhere")


# Random histories. A commit edits, mends or shifts lines of either file, or merges two commits before it.

Plan = Sequence[tuple[int, int, int]]
PLANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 7)), min_size=2, max_size=9)


def contents(variant: int) -> tuple[str, str]:
    """Return the two files in one of eight states: each of them as cited, shifted, edited, or edited elsewhere."""
    states = (TEXT, "new\n" + TEXT, edited(4), edited(11))
    return states[variant % 4], rows(states[(variant // 2 + variant) % 4])


def history(repo: Repo, plan: Plan) -> list[str]:
    """Import a history, and return its commits, oldest first; the first one has both files as they are cited."""
    lines: list[str] = []
    for number, (one, other, variant) in enumerate([(0, 0, 0), *plan]):
        parents = sorted({one % number, other % number}) if number else []
        lines += [
            f"commit refs/heads/random\nmark :{number + 1}\ncommitter C <c@example.com> {1700000000 + number} +0000"
        ]
        lines += ["data 1\nx"]
        lines += [f"{'merge' if at else 'from'} :{parent + 1}" for at, parent in enumerate(parents)]
        lines += ["deleteall"]
        for path, text in zip(("one.py", "two.py"), contents(variant), strict=True):
            lines += [f"M 100644 inline {path}\ndata {len(text)}\n{text}"]
    lines += [f"reset refs/heads/random\nfrom :{len(plan) + 1}", ""]
    marks = repo.path / ".git" / "marks"
    repo.git("fast-import", "--quiet", "--force", f"--export-marks={marks}", feed="\n".join(lines).encode())
    by_mark = dict(line.split() for line in marks.read_text(encoding="ascii").splitlines())
    return [by_mark[f":{number + 1}"] for number in range(len(plan) + 1)]


@pytest.fixture(scope="module")
def random(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository for histories that come and go."""
    repo = World(tmp_path_factory.mktemp("random")).repo()
    repo.commit("Start", {"README.md": "read me\n"})
    (repo.path / ".klide/memory").mkdir(parents=True)
    return repo


@pytest.mark.parametrize("paths", [("one.py",), ("one.py", "two.py")], ids=["one ref", "two refs"])
@given(plan=PLANS)
@example(plan=[(0, 0, 2), (0, 0, 1), (1, 2, 2)])
@example(plan=[(0, 0, 2), (0, 0, 0), (1, 0, 7)])
@settings(
    max_examples=8,
    phases=(Phase.explicit, Phase.generate),  # a check at each commit costs too much to look for a smaller example
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_commit_that_is_named_is_stale_and_its_parents_are_not(
    random: Repo, paths: Sequence[str], plan: Plan
) -> None:
    commits = history(random, plan)
    blobs = random.git("rev-parse", *(f"{commits[0]}:{path}" for path in paths)).line.split()
    refs = [
        SourceRef(source_type="file", id=path, path=path, line_start=3, line_end=5, commit=commits[0], blob=blob)
        for path, blob in zip(paths, blobs, strict=True)
    ]
    put(random.path / ".klide/memory", entry("cited", source_refs=tuple(refs)))
    stale = {oid: judged(random, "cited", at=oid).verdict is Verdict.STALE for oid in reachable(random, commits[-1])}
    answer = found(random, "cited", commits[-1])
    assert (answer.verdict is Verdict.STALE) == stale[commits[-1]]
    if answer.culprit is not None:
        parents = random.git("rev-list", "--parents", "-n1", answer.culprit.oid).line.split()[1:]
        assert stale[answer.culprit.oid]
        assert not any(stale[parent] for parent in parents)
    elif stale[commits[-1]]:
        # On a line there is always one; a merge with what was stale already can hide who did it.
        assert any(len(parents) > 1 for parents in reachable(random, commits[-1]).values())


def reachable(repo: Repo, tip: str) -> dict[str, list[str]]:
    lines = (line.split() for line in repo.git("rev-list", "--parents", tip).out.splitlines())
    return {oid: parents for oid, *parents in lines}
