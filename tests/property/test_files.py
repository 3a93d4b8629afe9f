"""The file index under edits, commits, checkouts, rules and changed sets, in any order: it equals one made anew.

GITMEM_PROPERTY_EXAMPLES is the number of stories that are told; a few hundred take some minutes.
"""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from world import Repo, World

from gitmem.porcelain.mine import mine
from gitmem.porcelain.search_files import current
from gitmem.porcelain.update import update
from gitmem.search.passages import FileRanking
from gitmem.search.project import ProjectFiles
from gitmem.search.query import parse_query
from gitmem.workspace import Workspace, open_workspace

EXAMPLES: Final = int(os.environ.get("GITMEM_PROPERTY_EXAMPLES", "10"))
STEPS: Final = 14
QUERIES: Final = ("walrus", "narwhal", "walrus narwhal", "a.py", "sub", "wlarus", "seven")

PATHS: Final = ("a.py", "sub/b.md", "sub/c.log", "d/é.txt", "vendor/x.js")
RULES: Final = (".gitignore", ".gitmemignore", "sub/.gitignore", "sub/.gitmemignore")
TEXTS: Final = ("walrus one\n", "narwhal\n", "walrus narwhal seven\n", "a\0b", "def walrus():\n    return 1\n")
PATTERNS: Final = ("", "*.log\n", "sub/\n!sub/b.md\n", "a.py\nd/*\n", "!c.log\n")

paths = st.sampled_from(PATHS)
texts = st.sampled_from(TEXTS)
places = st.sampled_from(["main", "linked"])

Answers = dict[str, list[tuple[str, int, int, float]]]


@dataclass
class Known:
    """What a worktree's listing must be: the text at each path, as it was read last."""

    listed: dict[str, str | None]
    answers: Answers


class FilesMachine(RuleBasedStateMachine):
    """Two worktrees of one repository, each on a branch of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.world = World(Path(self.scratch.name))
        main = self.world.repo("main", "--template=")
        main.commit("Start", {"a.py": TEXTS[0], "sub/b.md": TEXTS[1], "sub/c.log": TEXTS[2]})
        self.repos = {"main": main, "linked": main.worktree("linked")}
        self.fresh = 0
        self.mined = False

    def teardown(self) -> None:
        self.scratch.cleanup()

    def open(self, place: str) -> Workspace:
        return open_workspace(self.repos[place].path, self.world.env)

    def known(self, workspace: Workspace) -> Known:
        """Return what the index says, without bringing it up to date."""
        with workspace.files.reading() as view:
            if view is None:
                return Known({}, {})
            answers: Answers = {}
            for text in QUERIES:
                ranking = FileRanking(view.postings, parse_query([text]))
                found = [*ranking.exact(), *ranking.all(), *ranking.partial()]
                answers[text] = [(one.place.path, one.place.first, one.place.last, one.score) for one in found]
            return Known(dict(view.listed), answers)

    def made_anew(self, place: str) -> Known:
        """Return what an index says that knows nothing of the past."""
        self.fresh += 1
        workspace = self.open(place)
        files = workspace.files
        state = self.world.root / f"state-{self.fresh}"
        workspace.__dict__["files"] = ProjectFiles(state, files.git_dir, files.common_dir, 10.0, files.load)
        mine(workspace)
        return self.known(workspace)

    @initialize(mined=st.booleans())
    def begin(self, mined: bool) -> None:
        if mined:
            self.mine("main")

    @rule(place=places, path=paths, text=texts)
    def write(self, place: str, path: str, text: str) -> None:
        self.repos[place].write(path, text)

    @rule(place=places, path=st.sampled_from(RULES), text=st.sampled_from(PATTERNS))
    def write_rules(self, place: str, path: str, text: str) -> None:
        self.repos[place].write(path, text)

    @rule(place=places, path=st.sampled_from(PATHS + RULES))
    def remove(self, place: str, path: str) -> None:
        (self.repos[place].path / path).unlink(missing_ok=True)

    @rule(place=places, edits=st.dictionaries(paths, st.none() | texts, max_size=3))
    def commit(self, place: str, edits: dict[str, str | None]) -> None:
        repo: Repo = self.repos[place]
        for path, text in edits.items():
            if text is None:
                (repo.path / path).unlink(missing_ok=True)
            else:
                repo.write(path, text)
        repo.git("add", "--all")
        repo.git("commit", "-q", "--allow-empty", "-m", "More")
        if self.mined:
            self.search(place)

    @rule(place=places)
    def reset(self, place: str) -> None:
        self.repos[place].git("reset", "-q", "--hard")

    @rule(place=places)
    def stand_elsewhere(self, place: str) -> None:
        other = {"main": "linked", "linked": "main"}[place]
        self.repos[place].git("checkout", "-q", "--force", "--detach", self.repos[other].rev())
        if self.mined:
            self.search(place)

    @rule(place=places)
    def mine(self, place: str) -> None:
        mine(self.open(place))
        self.mined = True
        assert self.known(self.open(place)) == self.made_anew(place)

    @precondition(lambda self: self.mined)
    @rule(place=places)
    def bring_up_to_date(self, place: str) -> None:
        update(self.open(place))
        assert self.known(self.open(place)) == self.made_anew(place)

    @rule(place=places, chosen=st.sets(paths, max_size=3))
    def apply(self, place: str, chosen: set[str]) -> None:
        """Apply a changed set: what it names is as on disk, ignored files are gone, nothing else is touched."""
        repo = self.repos[place]
        here = {path for path in chosen if (repo.path / path).is_file()}
        before = self.known(self.open(place)).listed
        manifest = json.dumps({"changed": sorted(here), "deleted": sorted(chosen - here)}).encode()
        done = update(self.open(place), manifest=manifest)
        after = self.known(self.open(place)).listed
        assert {path: oid for path, oid in after.items() if path not in chosen} == {
            path: oid for path, oid in before.items() if path not in chosen
        }
        assert set(after) & chosen == here - set(done.ignored)
        for path in set(after) & chosen:
            assert after[path] in {None, repo.git("hash-object", "--", path).line}

    @precondition(lambda self: self.mined)
    @rule(place=places)
    def search(self, place: str) -> None:
        """What is committed is found, whether or not anybody said that HEAD moved."""
        workspace = self.open(place)
        with current(workspace) as view:
            assert view is not None
            listed, dirty = dict(view.listed), view.uncommitted
            assert view.standing is not None
            assert view.standing.base == self.repos[place].rev()
        repo = self.repos[place]
        tree = repo.git("ls-tree", "-r", "-z", "HEAD").out.split("\0")
        committed = {line.partition("\t")[2]: line.partition("\t")[0].split(" ")[2] for line in tree if line}
        for path, oid in listed.items():
            assert oid is None or path in dirty or committed[path] == oid

    @invariant()
    def nothing_is_left_behind(self) -> None:
        for repo in self.repos.values():
            assert not (repo.path / ".klide").exists()


def test_the_index_equals_one_made_anew() -> None:
    run_state_machine_as_test(
        FilesMachine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=EXAMPLES < 100,
        ),
    )
