"""What the tests of evidence share: a repository as the code sees it, a citation, and the finding on one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from world import Repo

from gitmem.entry.model import SourceRef, SourceType
from gitmem.evidence.anchor import anchor_files
from gitmem.evidence.commits import judge_commits, name_commits
from gitmem.evidence.files import judge_files
from gitmem.evidence.target import Target, worktree_of
from gitmem.evidence.verdict import Finding, Verdict
from gitmem.git.layout import locate
from gitmem.git.repository import Repository
from gitmem.git.run import Git

CURRENT, STALE, UNVERIFIED = Verdict.CURRENT, Verdict.STALE, Verdict.UNVERIFIED
TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def at(repo: Repo, environ: Mapping[str, str] | None = None) -> Repository:
    """The repository as a command started in this worktree now would see it."""
    environ = environ or repo.world.env
    git = Git(environ)
    return Repository(git, locate(git, repo.path, environ))


def here(repo: Repo, environ: Mapping[str, str] | None = None) -> Target:
    """The working tree as a target."""
    return worktree_of(at(repo, environ))


def cite(repo: Repo, citation: str, directory: Path | None = None) -> SourceRef:
    """Anchor one citation of a file."""
    (ref,) = anchor_files(at(repo), directory or repo.path, [citation])
    return ref


def file_finding(repo: Repo, ref: SourceRef) -> Finding:
    """What is found about one file sourceRef."""
    (finding,) = judge_files(here(repo), [ref])
    return finding


def commit_findings(repo: Repo, idents: Sequence[str]) -> list[Finding]:
    """What is found about commit sourceRefs, judged together."""
    target = here(repo)
    refs = [SourceRef(source_type=SourceType.COMMIT, id=ident) for ident in idents]
    return judge_commits(target, refs, name_commits(target, idents))


def commit_finding(repo: Repo, ident: str) -> Finding:
    """What is found about one commit sourceRef."""
    (finding,) = commit_findings(repo, [ident])
    return finding


def told(finding: Finding) -> tuple[str, str]:
    """The verdict and its reason, as a person reads them."""
    assert finding.message
    assert "\n" not in finding.message
    return finding.verdict.value, finding.reason.value


def found_of(repo: Repo, *idents: str) -> list[tuple[str, dict[str, object]]]:
    """The reason and the evidence for each commit, judged together."""
    return [(finding.reason.value, dict(finding.evidence)) for finding in commit_findings(repo, idents)]
