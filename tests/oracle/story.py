"""A history made by real git commands that numbers choose, so that hypothesis can draw it and make it smaller.

What a number names depends on what there is: the branches, the commits, the files. A command that git refuses, or a
conflict that nobody wants to solve, is taken back, and the story goes on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from world import Repo, Result, World

from gitmem.entry.model import SourceRef, SourceType
from gitmem.errors import GitMemError
from gitmem.evidence.anchor import anchor_files
from gitmem.git.layout import locate
from gitmem.git.repository import Repository
from gitmem.git.run import Git

ANY: Final = tuple(range(256))
PLACES: Final = ("a.py", "b.py", "d/a.py", "A.py", "d/c.py", "new.py")
COMMON: Final = ("}", "", "    return", "pass")


class Move(NamedTuple):
    """What happens next, and the numbers that choose its details."""

    what: str
    a: int
    b: int
    c: int


@dataclass(frozen=True, slots=True)
class Cited:
    """A sourceRef, and the content on disk when a file was cited (None for a commit without a path)."""

    ref: SourceRef
    data: bytes | None


@dataclass(slots=True)
class Story:
    """A repository with what happened in it. `log` are the commands, for whoever has to repeat them."""

    main: Repo
    here: Repo
    worktrees: list[Repo]
    commits: list[str] = field(default_factory=list)
    cited: list[Cited] = field(default_factory=list)
    squashed: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    count: int = 0

    # What git is told

    def git(self, *args: str, hook: bool = False, env: Mapping[str, str] | None = None) -> Result:
        """Run git in the worktree of the moment, however it ends."""
        self.log.append(f"{self.here.path.name}$ git {' '.join(args)}" + (" # with post-rewrite" if hook else ""))
        hooks = self.main.world.root / ("hooks" if hook else "no-hooks")
        found = self.here.git("-c", f"core.hooksPath={hooks}", *args, accept=ANY, env=env)
        if found.code:
            self.log.append(f"  -> {found.code} {found.err.strip()[:200]}")
        return found

    def write(self, path: str, data: bytes) -> None:
        """Write a file of the worktree of the moment."""
        self.log.append(f"{self.here.path.name}$ write {path} {data!r}")
        try:
            self.here.write(path, data)
        except OSError:
            self.log.append("  -> refused")

    def files(self) -> list[str]:
        """The regular files here, tracked or not."""
        listed = self.here.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").out.split("\0")
        found = {name for name in listed if name and (self.here.path / name).is_file()}
        return sorted(found)

    def read(self, path: str) -> bytes:
        """The content on disk."""
        return (self.here.path / path).read_bytes()

    def head(self) -> str:
        """The commit of the moment."""
        return self.here.rev()

    def note(self) -> str:
        """Remember the commit of the moment, so that it can be cited and chosen later."""
        head = self.head()
        if head not in self.commits:
            self.commits.append(head)
            self.log.append(f"  # HEAD is {head[:7]}")
        return head

    def settle(self) -> None:
        """Take back what git left half done."""
        for verb in ("merge", "rebase", "cherry-pick", "revert"):
            self.here.git(verb, "--abort", accept=ANY)

    def commit(self) -> None:
        """Commit all that is on disk."""
        self.count += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"c{self.count}")
        self.note()

    def branches(self) -> list[str]:
        return self.here.git("for-each-ref", "--format=%(refname:short)", "refs/heads").out.split() or ["HEAD"]

    def some_commit(self, number: int) -> str:
        """One of the commits so far that are still here, low numbers for new ones."""
        here = [oid for oid in self.commits if self.here.git("cat-file", "-e", oid, accept=ANY).code == 0]
        return here[-1 - number % len(here)]

    # What happens

    def do(self, move: Move) -> None:
        """Let one thing happen."""
        _MOVES[move.what](self, move)


def begin(world: World) -> Story:
    """Begin with three files and a hook that keeps what git says of rewritten commits."""
    main = world.repo()
    hook = world.root / "hooks" / "post-rewrite"
    hook.parent.mkdir()
    hook.write_text(
        '#!/bin/sh\nmkdir -p "$(git rev-parse --git-common-dir)/mem" && '
        'cat >>"$(git rev-parse --git-common-dir)/mem/rewritten"\n',
        encoding="ascii",
    )
    hook.chmod(0o755)
    main.git("commit", "-q", "--allow-empty", "-m", "root")
    story = Story(main, main, [main])
    for name in ("a", "b", "d/a"):
        story.write(f"{name}.py", "".join(f"{name} {number}\n" for number in range(1, 9)).encode())
    story.commit()
    return story


def edited(data: bytes, how: int, where: int, mark: int) -> bytes:
    """Return a content with one change; `mark` makes new lines unlike all others."""
    lines = data.split(b"\n")
    at = where % max(1, len(lines))
    fresh = (COMMON[mark % len(COMMON)] if how % 5 == 4 else f"new {mark}").encode()
    change = _EDITS[how % len(_EDITS)]
    return b"\n".join(change(lines, at, fresh))


def _swap_ends(lines: list[bytes], at: int, _fresh: bytes) -> list[bytes]:
    return [*lines[at:-1], *lines[:at], lines[-1]]


_EDITS: Final[tuple[Callable[[list[bytes], int, bytes], list[bytes]], ...]] = (
    lambda lines, at, fresh: [*lines[:at], fresh, *lines[at:]],
    lambda lines, at, fresh: [*lines[:at], fresh, *lines[at + 1 :]],
    lambda lines, at, _fresh: [*lines[:at], *lines[at + 1 :]],
    lambda lines, at, fresh: [*lines[:at], fresh, fresh, *lines[at:]],
    lambda lines, at, fresh: [*lines[:at], fresh, *lines[at:]],
    lambda lines, at, _fresh: [*lines[:at], b"  " + lines[at], *lines[at + 1 :]],
    lambda lines, _at, _fresh: [line.removesuffix(b"\r") + (b"" if b"\r" in lines[0] else b"\r") for line in lines],
    _swap_ends,
    lambda lines, at, _fresh: [*lines[:at], *lines[max(0, at - 2) : at], *lines[at:]],
    lambda lines, at, _fresh: [*lines[:at], lines[at] + b"\r", *lines[at + 1 :]],
    lambda lines, _at, _fresh: lines[:-1] if not lines[-1] and len(lines) > 2 else [*lines, b""],
    lambda lines, at, fresh: [fresh + b" %d" % number if number != at else lines[at] for number in range(len(lines))],
)


def _edit(story: Story, move: Move) -> None:
    files = story.files()
    if files:
        path = files[move.a % len(files)]
        story.count += 1
        story.write(path, edited(story.read(path), move.b, move.c, story.count))


def _change(story: Story, move: Move) -> None:
    _edit(story, move)
    story.commit()


def _stage(story: Story, move: Move) -> None:
    _edit(story, move)
    story.git("add", "-A")


def _branch(story: Story, move: Move) -> None:
    story.count += 1
    start = "HEAD" if move.a % 2 else story.some_commit(move.b)
    story.git("checkout", "-q", "-b", f"b{story.count}", start)


def _checkout(story: Story, move: Move) -> None:
    branches = story.branches()
    name = branches[move.a % len(branches)]
    if move.b % 4 == 0:
        story.git("checkout", "-q", "-f", "--detach", name)
    else:
        story.git("checkout", "-q", *(("-f",) if move.b % 2 else ()), name)


def _merge(story: Story, move: Move) -> None:
    branches = story.branches()
    other = branches[move.a % len(branches)]
    how = (
        ("--no-ff",),
        ("--no-ff", "-Xours"),
        ("--no-ff", "-Xtheirs"),
        ("--no-ff", "-sours"),
        ("--no-commit", "--no-ff"),
        (),
    )
    chosen = how[move.b % len(how)]
    story.count += 1
    result = story.git("merge", "-q", "-m", f"merge {story.count}", *chosen, other)
    unfinished = story.here.git("rev-parse", "-q", "--verify", "MERGE_HEAD", accept=ANY).code == 0
    if unfinished and result.code:
        story.git("checkout", ("--ours", "--theirs")[move.c % 2], "--", ".")
    if unfinished and move.b % len(how) == 4:  # an evil merge
        _edit(story, Move("edit", move.c, move.b + move.c, move.c))
    if unfinished:
        story.commit()
    story.settle()
    story.note()


def _squash(story: Story, move: Move) -> None:
    branches = story.branches()
    other = branches[move.a % len(branches)]
    clean = not story.here.git("status", "--porcelain").out
    before, side = story.head(), story.here.rev(other)
    if story.git("merge", "-q", "--squash", other).code:
        story.git("reset", "-q", "--hard")
        return
    if clean:
        story.commit()
        for oid in story.here.git("rev-list", "--no-merges", f"{before}..{side}").out.split():
            story.squashed.setdefault(oid, story.head())


def _revert(story: Story, move: Move) -> None:
    oid = story.some_commit(move.a)
    merge = story.here.git("rev-parse", "-q", "--verify", f"{oid}^2", accept=ANY).code == 0
    main = ("-m", str(1 + move.c % 2)) if merge else ()
    strategy = ((), ("-Xtheirs",), ("-Xours",))[move.b % 3]
    story.git("revert", "--no-edit", *main, *strategy, oid)
    story.settle()
    story.note()


def _pick(story: Story, move: Move) -> None:
    oid = story.some_commit(move.a)
    strategy = ((), ("-Xtheirs",), ("-x",))[move.b % 3]
    story.git("cherry-pick", "--allow-empty", *strategy, oid)
    story.settle()
    story.note()


def _rebase(story: Story, move: Move) -> None:
    branches = story.branches()
    onto = branches[move.a % len(branches)]
    how = (("--quiet",), ("--quiet", "--force-rebase"), ("--quiet", "--rebase-merges"), ("--quiet", "-Xtheirs"))
    before = story.head()
    story.git("rebase", *how[move.b % 4], onto, hook=bool(move.c % 2))
    story.settle()
    for oid in story.here.git("rev-list", "--reverse", f"{before}..HEAD").out.split():
        if oid not in story.commits:
            story.commits.append(oid)
    story.note()


def _amend(story: Story, move: Move) -> None:
    story.count += 1
    if move.b % 3:
        _edit(story, Move("edit", move.a, move.b, move.c))
        story.git("add", "-A")
    message = ("--no-edit",) if move.b % 2 else ("-m", f"amended {story.count}")
    story.git("commit", "-q", "--amend", "--allow-empty", *message, hook=bool(move.c % 2))
    story.note()


def _rename(story: Story, move: Move) -> None:
    files = story.files()
    free = [place for place in PLACES if place not in files]
    if not files or not free:
        return
    old, new = files[move.a % len(files)], free[move.b % len(free)]
    (story.here.path / new).parent.mkdir(exist_ok=True)
    story.git("mv", old, new)
    if move.c % 3 == 0 and (story.here.path / new).is_file():
        story.count += 1
        story.write(new, edited(story.read(new), move.c, move.b, story.count))
    if move.c % 4 != 1:
        story.commit()


def _delete(story: Story, move: Move) -> None:
    files = story.files()
    if files:
        path = files[move.a % len(files)]
        if move.b % 3 == 0:
            story.log.append(f"rm {path}")
            (story.here.path / path).unlink()
        else:
            story.git("rm", "-q", "-f", *(("--cached",) if move.b % 3 == 1 and move.c % 4 == 0 else ()), "--", path)
        if move.c % 4:
            story.commit()


def _restore(story: Story, move: Move) -> None:
    oid = story.some_commit(move.a)
    path = PLACES[move.b % len(PLACES)]
    story.git("checkout", oid, "--", path)
    if move.c % 4:
        story.commit()


def _move_lines(story: Story, move: Move) -> None:
    """Move the end of one file to the end of another, or of a new one."""
    files = story.files()
    if files:
        source, target = files[move.a % len(files)], PLACES[move.b % len(PLACES)]
        lines = story.read(source).split(b"\n")
        at = move.c % max(1, len(lines))
        there = story.read(target) if target in files else b""
        if source != target and not (story.here.path / target).is_dir():
            story.write(target, there + b"\n".join(lines[at:]))
            story.write(source, b"\n".join(lines[:at]) + b"\n")
            story.commit()


def _drop(story: Story, move: Move) -> None:
    branches = story.branches()
    story.git("branch", "-q", "-D", branches[move.a % len(branches)])


def _tag(story: Story, move: Move) -> None:
    story.count += 1
    story.git("tag", *(("-a", "-m", "tag") if move.b % 2 else ()), f"t{story.count}", story.some_commit(move.a))


def _stash(story: Story, move: Move) -> None:
    story.git("stash", *(("pop", "-q") if move.a % 2 else ("push", "-q", "--include-untracked")))
    if story.here.git("ls-files", "--unmerged").out:
        story.git("reset", "-q", "--hard")


def _reset(story: Story, move: Move) -> None:
    story.git("reset", "-q", ("--hard", "--mixed", "--soft", "--hard")[move.b % 4], story.some_commit(move.a))


def _maintain(story: Story, move: Move) -> None:
    ways = (
        ("commit-graph", "write", "--reachable"),
        ("commit-graph", "write", "--reachable", "--split=no-merge"),
        ("commit-graph", "write", "--reachable", "--changed-paths"),
        ("repack", "-adq"),
        ("gc", "-q", "--prune=now"),
        ("pack-refs", "--all"),
    )
    if move.b % 4 == 0:
        story.git("reflog", "expire", "--expire=now", "--all")
    story.git(*ways[move.a % len(ways)])


def _linked(story: Story, move: Move) -> None:
    if len(story.worktrees) < 3 and move.a % 3 == 0:
        story.count += 1
        path = story.main.world.root / f"linked{story.count}"
        kind = ("--detach",) if move.b % 3 == 0 else ("-b", f"w{story.count}")
        if not story.git("worktree", "add", "-q", *kind, str(path), story.some_commit(move.c)).code:
            story.worktrees.append(replace(story.main, path=path))
    story.here = story.worktrees[move.b % len(story.worktrees)]


def _back(story: Story, move: Move) -> None:
    """Set the clock back, as on a machine that was wrong."""
    story.main.world.clock -= 60 * 20 * (1 + move.a)
    story.log.append("# clock back")


def _cite(story: Story, move: Move) -> None:
    files = story.files()
    if not files:
        return
    path = files[move.a % len(files)]
    lines = story.read(path).count(b"\n")
    start = 1 + move.b % max(1, lines)
    end = min(lines, start + (0, 1, 2, 3, 5)[move.c % 5])
    text = path if move.c % 6 == 5 or not lines else f"{path}:{start}-{end}"
    try:
        (ref,) = anchor_files(see(story.here), story.here.path, [text])
    except GitMemError:
        return
    story.log.append(f"{story.here.path.name}$ cite {text}")
    story.cited.append(Cited(ref, story.read(path)))


def _cite_commit(story: Story, move: Move) -> None:
    oid = story.some_commit(move.a)
    path = PLACES[move.b % 3] if move.c % 3 == 0 else None
    data = None
    if path is not None:
        shown = story.here.git("show", f"{oid}:{path}", accept=ANY)
        path, data = (None, None) if shown.code else (path, shown.stdout)
    ref = SourceRef(source_type=SourceType.COMMIT, id=oid, path=path)
    if all(ref != other.ref for other in story.cited):
        story.log.append(f"cite commit {oid[:7]} {path or ''}")
        story.cited.append(Cited(ref, data))


_MOVES: Final[Mapping[str, Callable[[Story, Move], None]]] = {
    "edit": _edit,
    "change": _change,
    "stage": _stage,
    "branch": _branch,
    "checkout": _checkout,
    "merge": _merge,
    "squash": _squash,
    "revert": _revert,
    "pick": _pick,
    "rebase": _rebase,
    "amend": _amend,
    "rename": _rename,
    "delete": _delete,
    "restore": _restore,
    "move lines": _move_lines,
    "drop": _drop,
    "tag": _tag,
    "stash": _stash,
    "reset": _reset,
    "maintain": _maintain,
    "linked": _linked,
    "back": _back,
    "cite": _cite,
    "cite commit": _cite_commit,
}

OFTEN: Final = (
    "change",
    "change",
    "change",
    "cite",
    "cite",
    "cite commit",
    "cite commit",
    "revert",
    "pick",
    "merge",
    "branch",
    "checkout",
)
"""What happens more often than the rest."""

WHAT: Final = (*OFTEN, *_MOVES)


def see(repo: Repo) -> Repository:
    """The repository as a command started in this worktree now would see it."""
    git = Git(repo.world.env)
    return Repository(git, locate(git, repo.path, repo.world.env))


def story_in(directory: Path) -> Story:
    """Begin a story in an empty directory."""
    return begin(World(directory))
