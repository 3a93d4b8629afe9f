"""What each rule of a report means, and what to do: the reasons why evidence does not stand, and unreadable files."""

from typing import Final, NamedTuple

from gitmem.cli.formats.problems import UNREADABLE, Level
from gitmem.evidence.verdict import Reason, Verdict, verdict_of


class Rule(NamedTuple):
    """A rule: what it says of the evidence, and what a person can do."""

    says: str
    remedy: str


_COMPARE: Final = "Read the entry and what stands there now, and decide which of the two is wrong."
_CORRECT: Final = "Correct the sourceRef in the entry's file."
_FETCH: Final = "Fetch it; in CI check out the whole history (fetch-depth: 0, GIT_DEPTH: 0)."
_COMMIT: Final = "Commit the file, or cite one that others have too."
_CITE_ANEW: Final = "Cite the commit that took its place, or correct the entry."

RULES: Final = {
    Reason.REVERTED: Rule("The cited commit was reverted", _COMPARE),
    Reason.REVERTED_MERGE: Rule("The merge that brought the cited commit was reverted", _COMPARE),
    Reason.REWRITTEN_CHANGED: Rule("The cited commit was amended into another change", _CITE_ANEW),
    Reason.ORPHANED: Rule("The cited commit is in no branch or tag any more", _CITE_ANEW),
    Reason.LINES_CHANGED: Rule("The cited lines changed", _COMPARE),
    Reason.WHITESPACE_CHANGED: Rule("The cited text changed in white space", _COMPARE),
    Reason.CONTENT_CHANGED: Rule("The cited file changed", _COMPARE),
    Reason.BINARY_CHANGED: Rule("The cited binary file changed", _COMPARE),
    Reason.DELETED: Rule("The cited file was deleted", _COMPARE),
    Reason.DELETED_IN_WORKTREE: Rule("The cited file was deleted, not yet committed", _COMPARE),
    Reason.TYPE_CHANGED: Rule("The cited path is no regular file any more", _COMPARE),
    Reason.OTHER_BRANCH: Rule("The cited commit is not in this history", "Merge its branch, or wait for the merge."),
    Reason.SHALLOW_HISTORY: Rule("The history is cut short before the cited commit", _FETCH),
    Reason.MISSING: Rule("The cited commit is not in this repository", "Fetch the branch it was on, or cite another."),
    Reason.MISSING_SHALLOW: Rule("The cited commit is not in this shallow clone", _FETCH),
    Reason.MISSING_PARTIAL: Rule("The cited commit is not in this partial clone", _FETCH),
    Reason.NO_HEAD: Rule("The branch has no commit yet", "Commit first."),
    Reason.NOT_A_COMMIT: Rule("What is cited as a commit is none", _CORRECT),
    Reason.SHA_AMBIGUOUS: Rule("Several objects have the cited abbreviated id", _CORRECT),
    Reason.SHA_NULL: Rule("The cited id is all zeros", _CORRECT),
    Reason.SHA_MALFORMED: Rule("The cited id is no object id", _CORRECT),
    Reason.ODB_ERROR: Rule("The object database cannot be read", "Run `git fsck`, and clone anew if it complains."),
    Reason.UNTRACKED: Rule("The cited file is untracked", _COMMIT),
    Reason.IGNORED: Rule("The cited file is ignored", _COMMIT),
    Reason.NO_BASELINE: Rule("No anchor is recorded", "Add the entry anew with `git mem add --file`."),
    Reason.NO_SUCH_PATH: Rule("There never was such a file", _CORRECT),
    Reason.BASELINE_MISSING: Rule("What was cited is not in this repository", _FETCH),
    Reason.RANGE_INVALID: Rule("The cited lines are no range of the file", _CORRECT),
    Reason.IN_SUBMODULE: Rule("The cited path lies in another repository", "Check it there."),
    Reason.SUBMODULE: Rule("The cited path is a submodule", "Cite its commit in the submodule itself."),
    Reason.PATH_ABSOLUTE: Rule("The cited path is absolute", _CORRECT),
    Reason.PATH_ESCAPES: Rule("The cited path leads out of the worktree", _CORRECT),
    Reason.PATH_IN_GITDIR: Rule("The cited path lies in .git", _CORRECT),
    Reason.VIA_SYMLINK: Rule("The cited path leads through a symbolic link", "Cite the real path."),
    Reason.PATH_MALFORMED: Rule("The cited path cannot name a file", _CORRECT),
    Reason.TOO_BIG: Rule("The cited file is too big to be compared", "Cite a smaller file."),
    Reason.EXTERNAL: Rule("Only runs or transcripts are cited", "Cite a commit or a file that shows the same."),
    Reason.NO_EVIDENCE: Rule("The entry cites no evidence", "Cite a commit or a file that shows what it says."),
    Reason.UNKNOWN_TYPE: Rule("The sourceRef is of an unknown type", "Correct it, or upgrade git mem."),
}
"""The reasons that are reported, in the order in which the code names them."""

FILE_RULE: Final = Rule("The entry's file cannot be read", "Correct the file, or move it away.")


def rule_of(name: str) -> Rule:
    """Return what a problem's rule means."""
    return FILE_RULE if name == UNREADABLE else RULES[Reason(name)]


def level_of(name: str) -> Level:
    """Return the level of all problems with a rule."""
    stale = name != UNREADABLE and verdict_of(Reason(name)) is Verdict.STALE
    return Level.ERROR if stale else Level.WARNING
