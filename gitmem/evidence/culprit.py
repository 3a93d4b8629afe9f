"""Which commit broke a citation: the newest one after which it fails although it held before."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gitmem.git.objects import ObjectDamagedError, ObjectKind, ObjectMissingError
from gitmem.git.repository import Repository
from gitmem.git.run import GitFailedError
from gitmem.git.trees import Passage, PathHistory


@dataclass(frozen=True, slots=True)
class Question:
    """Asks which commit turned a citation of `path` from true to false, for good.

    `at_tip` is the blob that the tip has at the path, None if it has no file there; `since` the commit at which the
    citation was made. `holds` says of a blob (None: no file) whether the citation stands; it may raise
    ObjectMissingError where it cannot tell. `about` are the values that `holds` depends on.
    """

    path: str
    at_tip: str | None
    since: str | None
    holds: Callable[[str | None], bool]
    about: Sequence[object] = ()


def find_culprits(repository: Repository, tip: str, questions: Sequence[Question]) -> list[str | None]:
    """Answer all questions with one walk over the history of all their paths.

    The search goes back from the tip over commits in which the citation fails, along git's simplified history, so
    merges count only where they changed a file themselves. None where no single commit did it, or where history is
    not here.
    """
    known = {since for since in {question.since for question in questions} if since and _is_here(repository, since)}
    answers: list[str | None] = [None] * len(questions)
    for limited in (True, False):
        asked = [(at, q) for at, q in enumerate(questions) if (q.since in known) is limited]
        if not asked:
            continue
        try:
            excluded = repository.common_ancestors(sorted(known), tip) if limited else []
            history = repository.path_history({q.path for _, q in asked}, tip, excluded)
        except GitFailedError:
            continue
        for at, question in asked:
            answers[at] = _answer(repository, history, question)
    # What broke before a citation was made is another story.
    sinces = {question.since for question, answer in zip(questions, answers, strict=True) if answer is not None}
    after = {since: repository.outside(tip, since) for since in known & sinces}
    return [
        None if answer is not None and question.since in after and answer not in after[question.since] else answer
        for question, answer in zip(questions, answers, strict=True)
    ]


def _is_here(repository: Repository, commit: str) -> bool:
    try:
        return repository.objects.kind(commit) is ObjectKind.COMMIT
    except ObjectDamagedError:
        return False


def _answer(repository: Repository, history: PathHistory, question: Question) -> str | None:
    verdicts: dict[str | None, bool] = {}

    def holds(blob: str | None) -> bool:
        if blob not in verdicts:
            verdicts[blob] = question.holds(blob)
        return verdicts[blob]

    def never_had(commit: str) -> bool:
        return not repository.touching({question.path}, commit, [])

    try:
        return _last_break(history.walk(question.path, question.at_tip), holds, never_had)
    except (ObjectMissingError, ObjectDamagedError, GitFailedError):
        return None


def _last_break(
    steps: Iterable[Passage], holds: Callable[[str | None], bool], never_had: Callable[[str], bool]
) -> str | None:
    failing: set[str] | None = None
    for step in steps:  # a commit comes before its parents
        if failing is None:
            failing = {step.oid}
        if step.oid in failing and not holds(step.blob):
            broken = {parent for parent, blob in step.parents if not holds(blob)}
            if step.blob is not None and len(broken) < len(step.parents):
                # A merge with a side that never had such a file: what became of it is the other side's story.
                broken -= {parent for parent, blob in step.parents if blob is None and never_had(parent)}
            if step.parents and not broken:
                return step.oid
            failing |= broken
    return None
