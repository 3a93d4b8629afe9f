"""Entries as a whole: every ref gets its finding, everything is read and nothing is written, fetched or run."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from evidence.cited import TEXT, cite, here, told
from layouts import Standpoint
from world import Repo, listing

from gitmem.entry.model import Entry, SourceRef
from gitmem.evidence.judge import judge
from gitmem.evidence.target import worktree_of
from gitmem.evidence.verdict import EntryVerdict, Verdict
from gitmem.git.layout import locate
from gitmem.git.repository import Repository
from gitmem.git.run import Git

BROKEN = TEXT.replace("line 6", "LINE 6")


def entry(*refs: SourceRef, ident: str = "one") -> Entry:
    return Entry(id=ident, title=ident, date="2026-01-01T00:00:00Z", source_refs=refs)


def of_commit(oid: str, **more: str | int | None) -> SourceRef:
    return replace(SourceRef(source_type="commit", id=oid), **more)  # type: ignore[arg-type]  # fields by name


def verdict(repo: Repo, *refs: SourceRef) -> EntryVerdict:
    (found,) = judge(here(repo), [entry(*refs)])
    return found


def reasons(found: EntryVerdict) -> list[str]:
    return [judgement.finding.reason.value for judgement in found.judgements]


@pytest.fixture
def cited(repo: Repo) -> Repo:
    repo.commit("Base", {"a.py": TEXT, "b.py": TEXT})
    return repo


def test_an_entry_without_refs_is_not_taken_for_fresh(cited: Repo) -> None:
    found = verdict(cited)
    assert (found.verdict, found.judgements) == (Verdict.UNVERIFIED, ())


def test_what_is_outside_git_is_told_and_does_not_spoil_what_is_inside(cited: Repo) -> None:
    outside = (SourceRef(source_type="run", id="r"), SourceRef(source_type="transcript", id="t"))
    alone = verdict(cited, *outside)
    assert (alone.verdict, reasons(alone)) == (Verdict.UNVERIFIED, ["external", "external"])
    together = verdict(cited, *outside, cite(cited, "a.py"))
    assert (together.verdict, reasons(together)) == (Verdict.CURRENT, ["external", "external", "unchanged"])


@pytest.mark.parametrize("source_type", ["", "issue", "Commit", "FILE"])
def test_a_type_that_is_not_known_keeps_the_entry_from_being_current(cited: Repo, source_type: str) -> None:
    found = verdict(cited, cite(cited, "a.py"), SourceRef(source_type=source_type, id=cited.rev(), path="a.py"))
    assert (found.verdict, reasons(found)) == (Verdict.UNVERIFIED, ["unchanged", "unknown-type"])


def test_the_judgements_of_many_entries_stay_in_their_order(cited: Repo) -> None:
    refs = [
        cite(cited, "a.py:5-7"),
        of_commit(cited.rev()),
        SourceRef(source_type="run", id="r"),
        of_commit(cited.rev(), path="b.py"),
        cite(cited, "b.py"),
        of_commit("main"),
    ]
    cited.commit("Break", {"a.py": BROKEN})
    expected = ["lines-changed", "reachable", "external", "reachable", "unchanged", "sha-malformed"]
    entries = [entry(*refs[number:], *refs[:number], ident=str(number)) for number in range(len(refs))]
    found = judge(here(cited), entries)
    assert [one.entry for one in found] == entries
    for number, one in enumerate(found):
        assert reasons(one) == expected[number:] + expected[:number]
        assert [judgement.ref for judgement in one.judgements] == list(one.entry.source_refs)
    assert judge(here(cited), []) == []


# A commit and a file


def test_a_commit_with_a_path_is_the_file_since_that_commit(cited: Repo) -> None:
    base = cited.rev()
    refs = [of_commit(ident, path="a.py", line_start=5, line_end=7) for ident in (base, base[:8], base.upper())]
    assert reasons(verdict(cited, *refs)) == ["reachable"] * 3
    cited.commit("Above", {"a.py": "zero\n" + TEXT})
    assert reasons(verdict(cited, *refs)) == ["reachable"] * 3
    culprit = cited.commit("Break", {"a.py": BROKEN})
    found = verdict(cited, *refs)
    assert (found.verdict, reasons(found)) == (Verdict.STALE, ["lines-changed"] * 3)
    assert found.judgements[0].finding.evidence == {"by": culprit, "kept": 2}


def test_a_commit_with_a_path_is_orphaned_with_its_commit(cited: Repo) -> None:
    orphan = cited.commit("Amended", {"a.py": "zero\n" + TEXT})
    cited.git("reset", "-q", "--hard", "HEAD~1")
    assert reasons(verdict(cited, of_commit(orphan, path="b.py"))) == ["orphaned"]


@pytest.mark.parametrize(
    ("ident", "path", "reason"),
    [
        ("HEAD", "a.py", "sha-malformed"),
        ("ab" * 20, "a.py", "missing"),
        ("", "a.py", "sha-malformed"),
        ("{head}", "../a.py", "path-escapes"),
        ("{head}", "", "path-malformed"),
        ("{head}", "no/such.py", "no-such-path"),
        ("{head}", "README.md", "reachable"),
    ],
)
def test_a_commit_with_a_path_needs_both(cited: Repo, ident: str, path: str, reason: str) -> None:
    found = verdict(cited, of_commit(ident.format(head=cited.rev()), path=path))
    assert reasons(found) == [reason]


def test_a_tag_with_a_path_is_the_file_since_its_commit(cited: Repo) -> None:
    cited.git("tag", "-a", "-m", "v1", "v1")
    assert reasons(verdict(cited, of_commit(cited.rev("v1"), path="a.py"))) == ["reachable"]
    cited.commit("Break", {"a.py": BROKEN})
    assert reasons(verdict(cited, of_commit(cited.rev("v1"), path="a.py"))) == ["content-changed"]


# What a check leaves behind: nothing


def every_sort(repo: Repo) -> list[Entry]:
    """Entries that make a check look at everything: blobs, history, attributes, ignore rules, links."""
    refs = [cite(repo, "a.py:5-7"), cite(repo, "a.py"), cite(repo, "b.py:1"), cite(repo, "b.py")]
    refs += [of_commit(repo.rev()), of_commit(repo.rev()[:6]), of_commit("ab" * 20)]
    repo.git("checkout", "-q", "-b", "side")
    refs += [of_commit(repo.commit("Side", {"s": "1\n"}))]
    repo.git("checkout", "-q", "main")
    repo.write("new.py", TEXT)
    refs += [cite(repo, "new.py"), replace(refs[0], path="link.py"), replace(refs[0], path="gone.py")]
    (repo.path / "link.py").symlink_to("/etc/passwd")
    repo.commit("Break", {"a.py": BROKEN})
    repo.write("b.py", "zero\n" + TEXT)
    return [entry(ref, ident=str(number)) for number, ref in enumerate(refs)]


def stamped(root: Path) -> dict[str, tuple[int, int, int]]:
    """Every path with its inode, mode and time of change."""
    found = {}
    for parent, directories, files in os.walk(root):
        for name in (".", *directories, *files):
            path = Path(parent, name)
            status = path.lstat()
            found[str(path)] = (status.st_ino, status.st_mode, status.st_mtime_ns)
    return found


def test_a_check_writes_nothing(cited: Repo) -> None:
    linked = cited.worktree("linked")
    entries = every_sort(cited)
    os.utime(cited.path / "README.md", (1, 1))  # the index's stat data are out of date now: git would refresh them
    root = cited.world.root
    before, stamps = listing(root), stamped(root)
    for repo in (cited, linked):
        assert len(judge(here(repo), entries)) == len(entries)
    assert (listing(root), stamped(root)) == (before, stamps)


def test_a_check_needs_no_permission_to_write(cited: Repo) -> None:
    entries = every_sort(cited)
    expected = judge(here(cited), entries)
    locked = [path for path in (cited.path, *cited.path.rglob("*")) if path.is_dir() and not path.is_symlink()]
    for path in locked:
        path.chmod(0o555)
    try:
        assert judge(here(cited), entries) == expected
    finally:
        for path in locked:
            path.chmod(0o755)


def test_every_layout_is_judged_from_where_one_stands_and_left_as_it_is(layout: Standpoint) -> None:
    def judged() -> list[str]:
        before, stamps = listing(layout.repo.world.root), stamped(layout.repo.world.root)
        (found,) = judge(worktree_of(Repository(git, locate(git, layout.directory, layout.environ))), [entry(*refs)])
        assert (listing(layout.repo.world.root), stamped(layout.repo.world.root)) == (before, stamps)
        return reasons(found)

    git = Git(layout.environ)
    layout.repo.write("README.md", "hello\n")
    layout.repo.git("add", "README.md")
    head = layout.repo.git("rev-parse", "--verify", "-q", "HEAD", accept=(0, 1)).line
    refs = [cite(replace(layout.repo, path=layout.worktree), "README.md:1"), of_commit(head), of_commit("0" * 40)]
    expected = "reachable" if head else "sha-malformed"
    assert judged() == ["unchanged", expected, "sha-null"]
    layout.repo.write("README.md", "changed\n")
    assert judged() == ["lines-changed", expected, "sha-null"]


def test_a_check_runs_no_program_of_the_repository(cited: Repo) -> None:
    marker, script = cited.world.root / "ran", cited.world.root / "program"
    entries = every_sort(cited)
    script.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{marker}'\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    cited.write(".git/info/attributes", "* filter=own diff=own merge=own\n")
    keys = ["filter.own.clean", "filter.own.smudge", "filter.own.process", "diff.own.command", "diff.own.textconv"]
    keys += ["core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "core.editor", "gpg.program"]
    keys += ["core.alternateRefsCommand", "uploadpack.packObjectsHook", "credential.helper", "core.askPass"]
    for key in keys:
        cited.git("config", key, str(script))
    cited.git("config", "log.showSignature", "true")
    cited.git("config", "extensions.partialClone", "origin")
    cited.git("config", "remote.origin.url", f"ext::{script}")
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (cited.path / ".git/hooks").mkdir(exist_ok=True)
        (cited.path / ".git/hooks" / hook).symlink_to(script)
    found = judge(here(cited), entries)
    assert [told(one.judgements[0].finding)[1] for one in found[:2]] == ["lines-changed", "content-changed"]
    assert not marker.exists(), marker.read_text(encoding="utf-8")
    cited.git("status", accept=(0, 128))
    assert marker.exists()  # so the trap was armed


def test_no_answer_depends_on_a_persons_configuration(cited: Repo) -> None:
    entries = every_sort(cited)
    expected = judge(here(cited), entries)
    cited.world.configure(
        "[color]\n\tui = always\n[core]\n\tquotePath = true\n\tabbrev = 4\n\tpager = false\n"
        "[diff]\n\tnoprefix = true\n\trelative = true\n\trenames = copies\n"
        "[log]\n\tdate = relative\n\tshowSignature = true\n"
        "[status]\n\tshowUntrackedFiles = no\n[alias]\n\trev-list = version\n\tls-files = version\n"
        "[rev-list]\n\tx = 1\n[log]\n\tfollow = true\n\tfirstParent = true\n"
    )
    environ = {**cited.world.env, "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "GIT_TRACE": "1"}
    assert judge(here(cited, environ), entries) == expected


def test_a_check_asks_git_for_all_entries_together(cited: Repo) -> None:
    base = cited.rev()
    refs = [replace(cite(cited, "a.py:5-7"), line_start=None, line_end=None)]
    refs += [of_commit(base), cite(cited, "b.py")]
    calls = [_calls(cited, [entry(*refs, ident=str(number)) for number in range(count)]) for count in (1, 200)]
    assert calls[0] == calls[1]


def _calls(repo: Repo, entries: list[Entry]) -> int:
    trace = repo.world.root / f"trace-{len(entries)}"
    judge(here(repo, {**repo.world.env, "GIT_TRACE2_EVENT": str(trace)}), entries)
    return trace.read_text(encoding="utf-8").count('"event":"start"')
