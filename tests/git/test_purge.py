"""What is taken out of a history is gone from it, the rest is as it was, and nothing that is needed is removed."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import Standpoint, with_commit
from world import Repo, World, listing

from gitmem.git.purge import HistoryFormatError, Pruned, candidates, filter_history, prune, rewrite
from gitmem.git.refs import STORE_REF
from gitmem.git.run import Git, GitFailedError

SECRET: Final = "2026-01-01-0900-secret"
KEPT: Final = "2026-01-02-0900-kept"
OTHER: Final = "2026-01-03-0900-other"

Files = Mapping[str, bytes]


def unchanged(content: bytes) -> bytes:
    return content


def censored(content: bytes) -> bytes:
    return content.replace(b"hunter2", b"*")


def git_of(repo: Repo) -> Git:
    return Git(repo.world.env)


def common_dir_of(repo: Repo) -> Path:
    return Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir").line)


def record(repo: Repo, message: bytes | str, files: Files, *parents: str, env: Mapping[str, str] | None = None) -> str:
    """Make a commit of files; a name with a slash goes into a tree of its own."""
    index = common_dir_of(repo) / "index-for-a-test"
    env = {"GIT_INDEX_FILE": os.fspath(index), **(env or {})}
    blobs = {name: repo.git("hash-object", "-w", "--stdin", feed=content).line for name, content in files.items()}
    entries = b"".join(f"100644 {oid}\t".encode() + os.fsencode(name) + b"\0" for name, oid in blobs.items())
    repo.git("read-tree", "--empty", env=env)
    repo.git("update-index", "-z", "--index-info", env=env, feed=entries)
    tree = repo.git("write-tree", env=env).line
    index.unlink(missing_ok=True)
    words = [word for parent in parents for word in ("-p", parent)]
    feed = message if isinstance(message, bytes) else message.encode()
    return repo.git("commit-tree", *words, tree, feed=feed, env=env).line


def chain(repo: Repo, *steps: tuple[str, Files]) -> str:
    """Make a chain of commits on the store's ref, and return its tip."""
    tip: list[str] = []
    for message, files in steps:
        tip = [record(repo, message, files, *tip)]
    repo.git("update-ref", STORE_REF, tip[0])
    return tip[0]


class Node(NamedTuple):
    """A commit with all that is before it, without ids."""

    people: tuple[str, ...]
    message: bytes
    files: tuple[tuple[bytes, bytes, bytes], ...]
    parents: tuple["Node", ...]


def nodes(repo: Repo, tip: str) -> dict[str, Node]:
    """Return the history of a commit, oldest first, as git tells it."""
    found: dict[str, Node] = {}
    for oid in repo.git("rev-list", "--topo-order", "--reverse", tip).out.split():
        head, _, message = repo.git("cat-file", "commit", oid).stdout.partition(b"\n\n")
        lines = head.decode("latin-1").split("\n")
        people = tuple(line for line in lines if line.startswith(("author ", "committer ")))
        parents = tuple(found[line.removeprefix("parent ")] for line in lines if line.startswith("parent "))
        found[oid] = Node(people, message, files_of(repo, oid), parents)
    return found


def files_of(repo: Repo, commit: str) -> tuple[tuple[bytes, bytes, bytes], ...]:
    found: list[tuple[bytes, bytes, bytes]] = []
    for item in repo.git("ls-tree", "-r", "-z", "--full-tree", commit).stdout.split(b"\0")[:-1]:
        head, _, path = item.partition(b"\t")
        mode, _kind, oid = head.split(b" ")
        found.append((path, mode, repo.git("cat-file", "blob", oid.decode()).stdout))
    return tuple(found)


def objects_of(repo: Repo, *revisions: str) -> set[str]:
    return set(repo.git("rev-list", "--objects", "--no-object-names", *revisions).out.split())


def here(repo: Repo, oid: str) -> bool:
    return repo.git("cat-file", "-e", oid, accept=(0, 1, 128)).code == 0


def loose_path(repo: Repo, oid: str) -> Path:
    return common_dir_of(repo) / "objects" / oid[:2] / oid[2:]


def all_texts(repo: Repo) -> bytes:
    """Return the contents of all objects that can be read, whatever reaches them."""
    ids = repo.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").stdout
    return repo.git("cat-file", "--batch", feed=ids).stdout


# Rewriting, against git


def test_an_entry_is_taken_out_of_every_commit(repo: Repo) -> None:
    tip = chain(
        repo,
        (f"add {KEPT}\n", {f"{KEPT}.md": b"kept\n"}),
        (f"add {SECRET}\n", {f"{KEPT}.md": b"kept\n", f"{SECRET}.md": b"hunter2\n"}),
        (f"add {OTHER}\n", {f"{KEPT}.md": b"kept\n", f"{SECRET}.md": b"hunter2\n", f"{OTHER}.md": b"other\n"}),
        (f"edit {SECRET}\n", {f"{KEPT}.md": b"kept\n", f"{SECRET}.md": b"still\n", f"{OTHER}.md": b"other\n"}),
        (
            f"edit 2 entries\n\n{SECRET}\n{KEPT}\n",
            {f"{KEPT}.md": b"kept!\n", f"{SECRET}.md": b"x\n", f"{OTHER}.md": b"other\n"},
        ),
    )
    old = list(nodes(repo, tip).values())
    new = rewrite(git_of(repo), repo.path, tip, [SECRET], unchanged)
    assert new is not None
    found = list(nodes(repo, new).values())
    assert found[0] == old[0]
    assert [node.message for node in found] == [
        f"add {KEPT}\n".encode(),
        f"add {OTHER}\n".encode(),
        f"edit 2 entries\n\n(forgotten)\n{KEPT}\n".encode(),
    ]
    assert [node.people for node in found] == [old[0].people, old[2].people, old[4].people]
    assert [{path: text for path, _, text in node.files} for node in found] == [
        {f"{KEPT}.md".encode(): b"kept\n"},
        {f"{KEPT}.md".encode(): b"kept\n", f"{OTHER}.md".encode(): b"other\n"},
        {f"{KEPT}.md".encode(): b"kept!\n", f"{OTHER}.md".encode(): b"other\n"},
    ]
    assert repo.git("fsck", "--strict").code == 0


def test_commits_before_the_first_trace_keep_their_ids(repo: Repo) -> None:
    tip = chain(
        repo,
        (f"add {KEPT}\n", {f"{KEPT}.md": b"kept\n"}),
        (f"add {OTHER}\n", {f"{KEPT}.md": b"kept\n", f"{OTHER}.md": b"other\n"}),
        (f"add {SECRET}\n", {f"{KEPT}.md": b"kept\n", f"{OTHER}.md": b"other\n", f"{SECRET}.md": b"hunter2\n"}),
    )
    assert rewrite(git_of(repo), repo.path, tip, [SECRET], unchanged) == repo.rev(f"{STORE_REF}~")
    assert rewrite(git_of(repo), repo.path, tip, [], unchanged) == tip


def test_no_ref_is_made_or_moved_and_no_pack_is_left(repo: Repo) -> None:
    tip = chain(repo, *((f"add {n}\n", {f"{n}.md": b"", f"{SECRET}.md": b"x"}) for n in range(20)))
    refs = repo.git("for-each-ref").out
    git_dir = set((repo.path / ".git").iterdir())
    assert rewrite(git_of(repo), repo.path, tip, [SECRET], unchanged) is not None
    assert repo.git("for-each-ref").out == refs
    assert set((repo.path / ".git").iterdir()) == git_dir
    assert list((repo.path / ".git" / "objects" / "pack").iterdir()) == []


def test_contents_and_links_are_mended_and_trees_below_stay(repo: Repo) -> None:
    digest = ".forgotten/" + "0" * 64
    tip = chain(
        repo,
        ("add 2 entries\n", {f"{KEPT}.md": b"supersedes: hunter2\n", digest: b"", 'odd "é"\n.md': b"hunter2"}),
        (f"add {SECRET}\n", {f"{KEPT}.md": b"x\n", digest: b"", 'odd "é"\n.md': b"hunter2", f"{SECRET}.md": b"s"}),
    )
    new = rewrite(git_of(repo), repo.path, tip, [SECRET, 'odd "é"\n'], censored)
    assert new is not None
    assert [node.files for node in nodes(repo, new).values()] == [
        ((digest.encode(), b"100644", b""), (f"{KEPT}.md".encode(), b"100644", b"supersedes: *\n")),
        ((digest.encode(), b"100644", b""), (f"{KEPT}.md".encode(), b"100644", b"x\n")),
    ]


def test_messages_become_utf_8_and_signatures_go(repo: Repo) -> None:
    tip = chain(repo, ("add\n", {f"{KEPT}.md": b"1", f"{SECRET}.md": b"1"}))
    head, _, _ = repo.git("cat-file", "commit", tip).stdout.partition(b"\n\n")
    signed = head + b"\nencoding ISO-8859-1\ngpgsig -----BEGIN-----\n data 3\n -----END-----\n\n\xe9t\xe9\n"
    odd = repo.git("hash-object", "-t", "commit", "-w", "--stdin", feed=signed).line
    new = rewrite(git_of(repo), repo.path, odd, [SECRET], unchanged)
    assert new is not None
    mended_head, _, message = repo.git("cat-file", "commit", new).stdout.partition(b"\n\n")
    assert message.decode("utf-8") == "été\n"
    assert mended_head.split(b"\n")[1:] == head.split(b"\n")[1:]


def test_nothing_may_be_left(repo: Repo) -> None:
    tip = chain(repo, (f"add {SECRET}\n", {f"{SECRET}.md": b"1"}), (f"edit {SECRET}\n", {f"{SECRET}.md": b"2"}))
    assert rewrite(git_of(repo), repo.path, tip, [SECRET], unchanged) is None


def test_a_file_of_that_name_further_down_stays(repo: Repo) -> None:
    tip = chain(repo, ("add\n", {f"below/{SECRET}.md": b"1", f"{SECRET}.md.md": b"2"}))
    assert rewrite(git_of(repo), repo.path, tip, [SECRET], unchanged) == tip


def test_a_history_that_is_not_wholly_here_is_an_error(world: World) -> None:
    origin = with_commit(world.repo("origin"))
    origin.git("config", "uploadpack.allowFilter", "true")
    repo = world.clone(origin, "main", "--filter=tree:0", "--no-checkout")
    with pytest.raises(GitFailedError):
        rewrite(git_of(repo), repo.path, repo.rev(), [SECRET], unchanged)
    assert rewrite(git_of(origin), origin.path, origin.rev(), [SECRET], unchanged) == origin.rev()


def test_where_only_contents_are_lost_the_rest_goes_without_them(repo: Repo) -> None:
    first = (f"add {SECRET}\n", {f"{SECRET}.md": b"secret", f"{KEPT}.md": b"lost"})
    text = (f"data 5\nM 100644 {'0' * 40} x.md\n", {f"{KEPT}.md": b"kept", f"{SECRET}.md": b"secret"})
    tip = chain(repo, first, text)
    lost = repo.rev(f"{tip}~:{KEPT}.md")
    (repo.path / f".git/objects/{lost[:2]}/{lost[2:]}").unlink()
    new = rewrite(git_of(repo), repo.path, tip, [SECRET], unchanged)
    assert new is not None
    assert repo.git("show", f"{new}:{KEPT}.md").out == "kept"
    assert repo.git("ls-tree", "-r", "--name-only", new).out == f"{KEPT}.md\n"
    assert repo.git("log", "--format=%B", "-1", new).out.startswith(text[0])
    assert "secret" not in repo.git("log", "-p", new).out


def test_a_failed_rewrite_leaves_no_report_that_could_name_entries(repo: Repo) -> None:
    tip = chain(repo, (f"add {SECRET}\n", {f"{KEPT}.md": b"", f"{SECRET}.md": b"x"}))
    text = repo.git("cat-file", "commit", tip).stdout
    dateless = re.sub(rb"(?m)^(author .*) \d+ \+0000$", rb"\1 long ago", text)
    bad = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", feed=dateless).line
    foreign = repo.write(".git/fast_import_crash_1", "commit refs/heads/main\n")
    with pytest.raises(GitFailedError):
        rewrite(git_of(repo), repo.path, bad, [SECRET], unchanged)
    assert list((repo.path / ".git").glob("fast_import_crash_*")) == [foreign]


# Rewriting, against a filter by hand


def by_hand(history: Mapping[str, Node], forgotten: str) -> Node | None:
    """Return what a history is without an entry, as the rules say it."""
    path = f"{forgotten}.md".encode()
    made: dict[Node, Node | None] = {}
    last: Node | None = None
    for node in history.values():
        parents = [made[parent] for parent in node.parents]
        before = set(node.parents[0].files) if node.parents else set()
        touched = {name for name, _, _ in before ^ set(node.files)}
        if len(parents) < 2 and touched == {path}:
            last = parents[0] if parents else None
        else:
            last = Node(
                node.people,
                re.sub(rb"\b%s\b" % forgotten.encode(), b"(forgotten)", node.message),
                tuple((name, mode, censored(text)) for name, mode, text in node.files if name != path),
                tuple(dict.fromkeys(parent for parent in parents if parent is not None)),
            )
        made[node] = last
    return last


_NAMES: Final = ("a", "b", "secret", "dir/secret")
_TREES: Final = st.dictionaries(st.sampled_from(_NAMES), st.sampled_from([b"", b"hunter2\n", b"\x00\ndone\n"]))
_MESSAGES: Final = st.sampled_from(
    ["add secret", "edit secret.\n", "", "data 3\nfrom :1\n", "two\n\nsecret\nsecrets\n"]
)


class Step(NamedTuple):
    message: str
    files: dict[str, bytes]
    parents: tuple[int, ...]


@st.composite
def histories(draw: st.DrawFn) -> list[Step]:
    steps: list[Step] = []
    for number in range(draw(st.integers(1, 7))):
        count = draw(st.sampled_from([1, 1, 1, 2, 0])) if number else 0
        older = st.integers(max(0, number - 3), max(0, number - 1))
        parents = draw(st.lists(older, min_size=min(count, number), max_size=count, unique=True))
        steps.append(Step(draw(_MESSAGES), draw(_TREES), tuple(parents)))
    return steps


@settings(max_examples=40)
@given(steps=histories())
def test_a_rewritten_history_is_what_a_filter_by_hand_gives(steps: Sequence[Step]) -> None:
    with TemporaryDirectory() as directory:
        repo = World(Path(directory)).repo()
        oids = built(repo, steps)
        tip = oids[-1]
        history = nodes(repo, tip)
        new = rewrite(git_of(repo), repo.path, tip, ["secret"], censored)
        assert (None if new is None else nodes(repo, new)[new]) == by_hand(history, "secret")


def built(repo: Repo, steps: Sequence[Step]) -> list[str]:
    """Make all commits in one process, as far as each can be told from its steps."""
    parts: list[bytes] = []
    for number, step in enumerate(steps, 1):
        parts.append(b"reset refs/heads/built\ncommit refs/heads/built\nmark :%d\n" % number)
        parts.append(b"author Ann <ann@x> %d +0100\ncommitter Bob <bob@x> %d -0300\n" % (number, number + 9))
        parts.append(b"data %d\n%s\n" % (len(step.message), step.message.encode()))
        words = (b"from", b"merge", b"merge")
        parts += [b"%s :%d\n" % (word, parent + 1) for word, parent in zip(words, step.parents, strict=False)]
        parts.append(b"deleteall\n")
        for name, content in step.files.items():
            parts.append(b"M 100644 inline %s.md\ndata %d\n%s\n" % (name.encode(), len(content), content))
        parts.append(b"\nget-mark :%d\n" % number)
    return repo.git("fast-import", "--quiet", feed=b"".join(parts)).out.split()


# The filter alone


def stream_of(*changes: bytes, message: bytes = b"add", blob: bytes = b"text") -> bytes:
    return (
        b"feature done\nblob\nmark :1\noriginal-oid 12\ndata %d\n%s\n\nreset refs/x\ncommit refs/x\nmark :2\n"
        b"original-oid 34\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\ndata %d\n%s\n%s\ndone\n"
    ) % (len(blob), blob, len(message), message, b"".join(change + b"\n" for change in changes))


@given(content=st.binary(), message=st.binary())
def test_data_of_any_bytes_come_through(content: bytes, message: bytes) -> None:
    stream = filter_history(stream_of(b"M 100644 :1 a.md", message=message, blob=content), [], unchanged)
    assert stream is not None
    assert b"data %d\n%s\n" % (len(content), content) in stream
    assert b"committer C <c> 2 +0000\ndata %d\n%s\nM 100644 :1 a.md\n" % (len(message), message) in stream
    exported = stream.removesuffix(b"get-mark :2\nreset refs/mem/rewriting/store\ndone\n")
    assert filter_history(exported, [], unchanged) == stream


def test_a_content_that_stands_nowhere_else_is_not_written_again() -> None:
    kept, gone = b"M 100644 :1 kept.md", b"M 100644 :1 secret.md"
    alone = filter_history(stream_of(gone, b"D other.md", blob=b"hunter2"), ["secret"], unchanged)
    assert alone is not None
    assert b"hunter2" not in alone
    assert b"secret" not in alone
    both = filter_history(stream_of(gone, kept, blob=b"hunter2"), ["secret"], unchanged)
    assert both is not None
    assert b"hunter2" in both
    assert b"secret" not in both


def test_paths_in_quotes_are_understood() -> None:
    changes = (b'M 100644 :1 "sec ret.md"', b'D "s\\303\\251\\"\\n.md"', b"M 120000 :1 a.md", b"deleteall")
    stream = filter_history(stream_of(*changes), ["sec ret", 'sé"\n'], unchanged)
    assert stream is not None
    assert b"ret" not in stream
    assert b"s\\303" not in stream
    assert b"\nM 120000 :1 a.md\ndeleteall\n" in stream


@pytest.mark.parametrize(
    ("message", "cleared"),
    [
        ("add a.b", "add (forgotten)"),
        ("add a.b.", "add (forgotten)."),
        ("see a.b... and `a.b`, (a.b): a.b", "see (forgotten)... and `(forgotten)`, ((forgotten)): (forgotten)"),
        ("a.b.md changed", "(forgotten) changed"),
        ("a.b-2 a.b.c xa.b -a.b axb a.b_ a.b.md2 A.b", "a.b-2 a.b.c xa.b -a.b axb a.b_ a.b.md2 A.b"),
        ("a.b\na.b-3\néa.b", "(forgotten)\n(forgotten)\né(forgotten)"),
        ("a word two words", "a word (forgotten)"),
    ],
)
def test_ids_are_replaced_in_messages_as_whole_words(message: str, cleared: str) -> None:
    exported = stream_of(b"M 100644 :1 kept.md", message=message.encode())
    stream = filter_history(exported, ["a.b", "a.b-3"], unchanged, ["two words"])
    assert stream is not None
    assert b"\ndata %d\n%s\n" % (len(cleared.encode()), cleared.encode()) in stream


@pytest.mark.parametrize("line", [b"tag v1", b"R a.md b.md", b"N :1 :2", b"gpgsig sha1 openpgp"])
def test_what_is_not_known_is_refused(line: bytes) -> None:
    with pytest.raises(HistoryFormatError, match="nothing was changed"):
        filter_history(stream_of(b"M 100644 :1 a.md", line), [], unchanged)
    with pytest.raises(HistoryFormatError):
        filter_history(b"commit refs/x\nmark :1\ncommitter C <c> 2 +0000\n%s\ndata 0\n" % line, [], unchanged)


# What only the old history reaches


def test_candidates_are_what_only_the_old_tip_reaches(repo: Repo) -> None:
    texts = [{f"{KEPT}.md": b"1\n"}, {f"{KEPT}.md": b"2\n"}, {f"{KEPT}.md": b"3\n"}]
    common = chain(repo, *((f"edit {number}\n", files) for number, files in enumerate(texts)))
    old = record(repo, "old\n", {f"{KEPT}.md": b"1\n", f"{SECRET}.md": b"hunter2\n"}, common)
    new = record(repo, "new\n", {f"{OTHER}.md": b"2\n"}, common)
    found = candidates(git_of(repo), repo.path, old, new)
    assert set(found) == objects_of(repo, old) - objects_of(repo, new)
    assert len(found) == 3
    assert found[-1] == old
    assert repo.git("cat-file", "-t", found[0]).line == "blob"
    assert set(candidates(git_of(repo), repo.path, old, None)) == objects_of(repo, old)
    assert candidates(git_of(repo), repo.path, old, old) == []


def test_candidates_can_be_asked_for_again_when_half_of_them_are_gone(repo: Repo) -> None:
    old = chain(
        repo,
        (f"add {KEPT}\n", {f"{KEPT}.md": b"kept\n"}),
        (f"add {SECRET}\n", {f"{KEPT}.md": b"kept\n", f"{SECRET}.md": b"hunter2\n", "below/a.md": b"below\n"}),
        (f"edit {SECRET}\n", {f"{KEPT}.md": b"kept\n", f"{SECRET}.md": b"hunter3\n", "below/a.md": b"2\n"}),
    )
    new = rewrite(git_of(repo), repo.path, old, [SECRET], unchanged)
    found = candidates(git_of(repo), repo.path, old, new)
    commits = [oid for oid in found if repo.git("cat-file", "-t", oid).line == "commit"]
    assert found[-len(commits) :] == commits
    for number, oid in enumerate(found[: -len(commits)], 1):
        loose_path(repo, oid).unlink()
        again = candidates(git_of(repo), repo.path, old, new)
        assert set(found[number:]) <= set(again) <= set(found)


# Removing


def forget(repo: Repo, ident: str, tip: str) -> tuple[Pruned, list[str]]:
    """Take an entry out of the store's history as a forgetting does, and return what became of which objects."""
    new = rewrite(git_of(repo), repo.path, tip, [ident], unchanged)
    oids = candidates(git_of(repo), repo.path, tip, new)
    repo.git(*(("update-ref", "-d", STORE_REF) if new is None else ("update-ref", STORE_REF, new)))
    return prune(git_of(repo), repo.path, common_dir_of(repo), oids), oids


def store_with_a_secret(repo: Repo) -> str:
    return chain(
        repo,
        (f"add {KEPT}\n", {f"{KEPT}.md": b"kept\n"}),
        (f"add {SECRET}\n", {f"{KEPT}.md": b"kept\n", f"{SECRET}.md": b"hunter2\n"}),
        (f"add {OTHER}\n", {f"{KEPT}.md": b"kept\n", f"{SECRET}.md": b"hunter2\n", f"{OTHER}.md": b"other\n"}),
    )


def test_what_was_forgotten_is_gone_in_every_layout(layout: Standpoint) -> None:
    repo, git = layout.repo, Git(layout.environ)
    before = objects_of(repo, "--all") if layout.repo.git("for-each-ref").out else set()
    tip = store_with_a_secret(repo)
    new = rewrite(git, repo.path, tip, [SECRET], unchanged)
    assert new is not None
    oids = candidates(git, repo.path, tip, new)
    repo.git("update-ref", STORE_REF, new)
    pruned = prune(git, repo.path, common_dir_of(repo), oids)
    assert pruned == Pruned(removed=len(oids), packed=(), reachable=())
    assert len(oids) == 5
    assert not any(here(repo, oid) for oid in oids)
    assert all(here(repo, oid) for oid in before)
    assert b"hunter2" not in all_texts(repo)
    assert SECRET.encode() not in all_texts(repo)
    assert repo.git("fsck", "--strict", "--connectivity-only").code == 0
    assert prune(git, repo.path, common_dir_of(repo), oids) == Pruned(removed=0, packed=(), reachable=())


def test_the_last_entry_leaves_nothing(repo: Repo) -> None:
    tip = chain(repo, (f"add {SECRET}\n", {f"{SECRET}.md": b"hunter2\n"}))
    pruned, oids = forget(repo, SECRET, tip)
    assert pruned == Pruned(removed=3, packed=(), reachable=())
    assert not any(here(repo, oid) for oid in oids)
    assert repo.git("fsck", "--strict").code == 0


def _on_a_branch(repo: Repo) -> None:
    repo.commit("Track it", {f"{SECRET}.md": "hunter2\n"})


def _in_a_stash(repo: Repo) -> None:
    repo.write(f"{SECRET}.md", "hunter2\n")
    repo.git("stash", "push", "-q", "--all")


def _in_the_index(repo: Repo) -> None:
    repo.write(f"{SECRET}.md", "hunter2\n")
    repo.git("add", f"{SECRET}.md")


def _in_another_index(repo: Repo) -> None:
    _in_the_index(repo.worktree("feature"))


def _in_a_reflog(repo: Repo) -> None:
    _on_a_branch(repo)
    repo.git("reset", "-q", "--hard", "HEAD~")


def _in_another_reflog(repo: Repo) -> None:
    other = repo.worktree("feature", "--detach")
    _in_a_reflog(other)


def _on_another_head(repo: Repo) -> None:
    other = repo.worktree("feature", "--detach")
    _on_a_branch(other)
    other.git("reflog", "expire", "--expire=all", "--all")


def _in_a_tag(repo: Repo) -> None:
    oid = repo.git("hash-object", "-w", "--stdin", feed=b"hunter2\n").line
    repo.git("tag", "-a", "-m", "A blob", "blob", oid)


@pytest.mark.parametrize(
    "hold",
    [
        _on_a_branch,
        _in_a_stash,
        _in_the_index,
        _in_another_index,
        _in_a_reflog,
        _in_another_reflog,
        _on_another_head,
        _in_a_tag,
    ],
)
def test_what_something_else_holds_stays_and_is_told(repo: Repo, hold: Callable[[Repo], None]) -> None:
    blob = repo.git("hash-object", "--stdin", feed=b"hunter2\n").line
    hold(repo)
    pruned, oids = forget(repo, SECRET, store_with_a_secret(repo))
    assert pruned == Pruned(removed=len(oids) - 1, packed=(), reachable=(blob,))
    assert here(repo, blob)
    assert repo.git("fsck", "--strict").code == 0


def test_what_is_packed_is_told_and_goes_with_the_next_gc(repo: Repo) -> None:
    tip = store_with_a_secret(repo)
    repo.git("gc", "-q")
    pruned, oids = forget(repo, SECRET, tip)
    assert pruned == Pruned(removed=0, packed=tuple(oids), reachable=())
    assert b"hunter2" in all_texts(repo)
    repo.git("gc", "-q", "--prune=now")
    assert b"hunter2" not in all_texts(repo)
    assert prune(git_of(repo), repo.path, common_dir_of(repo), oids) == Pruned(removed=0, packed=(), reachable=())


def test_what_is_packed_and_loose_counts_as_packed(repo: Repo) -> None:
    tip = store_with_a_secret(repo)
    repo.git("repack", "-q", "-a")
    pruned, oids = forget(repo, SECRET, tip)
    assert pruned == Pruned(removed=0, packed=tuple(oids), reachable=())
    assert not any(loose_path(repo, oid).exists() for oid in oids)


def test_objects_of_another_repository_are_left_to_it(world: World) -> None:
    lender = with_commit(world.repo("lender"))
    tip = store_with_a_secret(lender)
    repo = world.clone(lender, "main", "--reference", os.fspath(lender.path))
    repo.git("update-ref", STORE_REF, tip)
    before = listing(lender.path)
    pruned, oids = forget(repo, SECRET, tip)
    assert pruned == Pruned(removed=0, packed=tuple(oids), reachable=())
    assert listing(lender.path) == before


def test_a_rewritten_history_can_be_purged_again(repo: Repo) -> None:
    first, _ = forget(repo, SECRET, store_with_a_secret(repo))
    second, oids = forget(repo, OTHER, repo.rev(STORE_REF))
    assert (first.packed, second.packed) == ((), ())
    assert second.removed == len(oids) == 3
    assert b"other" not in all_texts(repo)
    assert repo.git("fsck", "--strict").code == 0


@pytest.mark.parametrize("options", [(), ("--split",), ("--split", "--changed-paths")])
def test_no_commit_graph_names_what_was_removed(world: World, options: tuple[str, ...]) -> None:
    repo = with_commit(world.repo("main", "--object-format=sha256"))
    tip = store_with_a_secret(repo)
    repo.git("commit-graph", "write", "--reachable", *options)
    repo.commit("Next")
    repo.git("commit-graph", "write", "--reachable", *options)
    pruned, oids = forget(repo, SECRET, tip)
    assert pruned == Pruned(removed=len(oids), packed=(), reachable=())
    assert repo.git("commit-graph", "verify").code == 0
    assert repo.git("fsck", "--strict").code == 0


def test_a_commit_graph_that_names_nothing_removed_is_left(repo: Repo) -> None:
    repo.git("commit-graph", "write", "--reachable")
    graph = repo.path / ".git" / "objects" / "info" / "commit-graph"
    before = graph.stat()
    forget(repo, SECRET, store_with_a_secret(repo))
    assert graph.stat().st_ino == before.st_ino


@pytest.mark.parametrize("damage", ["commit", "tree", "head", "ref", "index"])
def test_in_a_damaged_repository_nothing_is_removed(repo: Repo, damage: str) -> None:
    _on_a_branch(repo)
    tip = store_with_a_secret(repo)
    other = repo.worktree("feature")
    new = rewrite(git_of(repo), repo.path, tip, [SECRET], unchanged)
    assert new is not None
    oids = candidates(git_of(repo), repo.path, tip, new)
    repo.git("update-ref", STORE_REF, new)
    broken = {
        "commit": loose_path(repo, repo.rev("HEAD~")),
        "tree": loose_path(repo, repo.rev("HEAD^{tree}")),
        "head": repo.path / ".git" / "refs" / "heads" / "main",
        "ref": repo.path / ".git" / "refs" / "heads" / "feature",
        "index": Path(other.git("rev-parse", "--absolute-git-dir").line) / "index",
    }[damage]
    broken.chmod(0o644)
    broken.write_bytes(b"1234567890" * 4)
    pruned = prune(git_of(repo), repo.path, common_dir_of(repo), oids)
    assert pruned.failed
    assert pruned == Pruned(removed=0, packed=tuple(oids), reachable=(), failed=pruned.failed)
    assert all(here(repo, oid) for oid in oids)


def test_nothing_is_fetched_in_a_partial_clone(world: World) -> None:
    origin = with_commit(world.repo("origin"))
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.commit("Second", {"README.md": "hello again\n"})
    repo = world.clone(origin, "main", "--filter=blob:none")
    promised = origin.rev("HEAD~:README.md")
    pruned, oids = forget(repo, SECRET, store_with_a_secret(repo))
    assert pruned == Pruned(removed=len(oids), packed=(), reachable=())
    assert prune(git_of(repo), repo.path, common_dir_of(repo), [promised]) == Pruned(0, (), ())
    missing = ("rev-list", "--objects", "--all", "--missing=print")
    assert f"?{promised}" in repo.git(*missing).out.split("\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can remove everything")
def test_what_cannot_be_removed_is_told(repo: Repo) -> None:
    tip = store_with_a_secret(repo)
    new = rewrite(git_of(repo), repo.path, tip, [SECRET], unchanged)
    oids = candidates(git_of(repo), repo.path, tip, new)
    repo.git("update-ref", STORE_REF, new or "")
    held = [oid for oid in oids if oid[:2] == oids[0][:2]]
    loose_path(repo, oids[0]).parent.chmod(0o555)
    pruned = prune(git_of(repo), repo.path, common_dir_of(repo), oids)
    loose_path(repo, oids[0]).parent.chmod(0o755)
    assert pruned.failed is not None
    assert pruned.failed.startswith(f"cannot remove {loose_path(repo, held[-1])}: ")
    assert pruned == Pruned(len(oids) - len(held), tuple(held), (), pruned.failed)


def test_a_repository_without_anything_has_nothing_to_remove(world: World) -> None:
    repo = world.repo()
    oid = repo.git("hash-object", "-w", "--stdin", feed=b"hunter2\n").line
    assert prune(git_of(repo), repo.path, common_dir_of(repo), []) == Pruned(0, (), ())
    assert prune(git_of(repo), repo.path, common_dir_of(repo), [oid, "12" * 20]) == Pruned(1, (), ())
    assert not here(repo, oid)


def test_a_large_history_is_rewritten(repo: Repo) -> None:
    texts = {f"{number}.md": sha256(b"%d" % number).digest() * 40 for number in range(120)}
    tip = chain(repo, ("add many\n", texts), (f"add {SECRET}\n", {**texts, f"{SECRET}.md": b"hunter2\n"}))
    pruned, _ = forget(repo, SECRET, tip)
    assert pruned == Pruned(removed=3, packed=(), reachable=())
