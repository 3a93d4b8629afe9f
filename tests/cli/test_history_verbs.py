"""`git mem log`, `diff`, `blame`, `show ID@{n}` and `--at`: what they print, and how they end."""

import re

import pytest
from inprocess import Cli
from layouts import Standpoint, bare
from program import document, entry, faults, is_one_error, on_terminal, put, several
from recorded import record
from world import Repo, World

from gitmem.entry.format import format_entry
from gitmem.errors import ExitCode

STORE = ".klide/memory"
IDENT = "2026-01-01-0000-evolving"
NOT_RECORDED = "nothing is recorded yet: the next write records the store, unless mem.history is false\n"


def text(notes: str) -> bytes:
    return format_entry(entry(IDENT, title="Evolving", notes=notes))


@pytest.fixture
def told(repo: Repo) -> Repo:
    """A store with one entry in two versions, both recorded."""
    for notes, subject in (("v1", f"add {IDENT}"), ("v2", f"edit {IDENT}")):
        repo.write(f"{STORE}/{IDENT}.md", text(notes))
        record(repo, {IDENT: text(notes)}, subject, head=repo.rev())
    return repo


def test_a_log_has_a_line_for_each_transaction_the_newest_first(cli: Cli, told: Repo) -> None:
    format_ = "--format=%h  %cd  %s (%an)"
    git = told.git("log", "--abbrev=7", "--date=format:%Y-%m-%d %H:%M", format_, "refs/mem/store")
    result = cli(told, "log")
    assert (result.code, result.out, result.err) == (0, git.out, "")
    assert cli(told, "log", "-n", "1").out == git.out.splitlines(keepends=True)[0]
    of_entry = cli(told, "log", IDENT).out.splitlines()
    assert of_entry == [f"@{{{n}}}  {line}" for n, line in enumerate(git.out.splitlines())]


def test_the_log_of_an_entry_shows_where_it_was_removed(cli: Cli, told: Repo) -> None:
    record(told, {}, f"edit by hand {IDENT}")
    (told.path / STORE / f"{IDENT}.md").unlink()
    first, second, _ = cli(told, "log", IDENT).out.splitlines()
    assert first.startswith("gone  ")
    assert f"edit by hand {IDENT}" in first
    assert second.startswith("@{0}  ")


def test_json_is_as_its_schema_says(cli: Cli, told: Repo) -> None:
    oid = told.rev("refs/mem/store")
    logged = document(cli(told, "log", IDENT, "--json"))
    assert faults("log", logged) == []
    assert logged["commits"][0]["changes"] == [{"id": IDENT, "status": "M"}]
    assert (logged["commits"][0]["oid"], logged["commits"][0]["head"]) == (oid, told.rev())
    assert faults("log", document(cli(told, "log", "--json"))) == []
    shown = document(cli(told, "show", f"{IDENT}@{{1}}", "--json"))
    assert faults("show", shown) == []
    assert (shown["entry"]["notes"], shown["version"]["number"]) == ("v1", 1)
    assert "version" not in document(cli(told, "show", IDENT, "--json"))
    blamed = document(cli(told, "blame", IDENT, "--json"))
    assert faults("blame", blamed) == []
    assert blamed["lines"][-1] == {
        "line": len(text("v2").splitlines()),
        "commit": oid,
        "date": logged["commits"][0]["date"],
        "author": "A U Thor",
        "text": "v2",
    }
    changed = document(cli(told, "diff", f"{IDENT}@{{1}}", f"{IDENT}@{{0}}", "--json"))
    assert faults("diff", changed) == []
    assert [(one["id"], one["status"]) for one in changed["changes"]] == [(IDENT, "M")]
    searched = document(cli(told, "search", "evolving", "--at", "HEAD", "--json"))
    assert faults("search", searched) == []
    assert searched["at"] == told.rev()
    assert "at" not in document(cli(told, "search", "evolving", "--json"))


def test_a_version_is_shown_with_its_bytes(cli: Cli, told: Repo) -> None:
    assert cli(told, "show", f"{IDENT}@{{0}}").stdout == text("v2")
    older = cli(told, "show", f"{IDENT}@{{1}}")
    marker, _, rest = older.stdout.partition(b"\n")
    assert re.fullmatch(rb"\[historical evidence: version @\{1\} of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\]", marker)
    assert (older.code, rest) == (0, text("v1"))


def test_a_version_needs_no_store(cli: Cli, told: Repo) -> None:
    (told.path / STORE / f"{IDENT}.md").unlink()
    (told.path / STORE).rmdir()
    result = cli(told, "show", f"{IDENT}@{{0}}")
    assert (result.code, result.err) == (0, "")
    assert result.stdout.endswith(text("v2"))
    assert len(cli(told, "log", IDENT).out.splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("show", f"{IDENT}@{{2}}"), ExitCode.NO, f"error: the log for {IDENT} has only 2 versions: "),
        (("show", f"{IDENT}@{{new}}"), ExitCode.USAGE, "write ID@{0} for the newest"),
        (("show", "nobody@{0}"), ExitCode.FATAL, "no entry has the id 'nobody'"),
        (("log", "nobody"), ExitCode.FATAL, "no entry has the id 'nobody'"),
        (("log", "../x"), ExitCode.FATAL, "is not the id of an entry"),
        (("log", "-n", "0"), ExitCode.USAGE, "-n"),
        (("log", "a", "b"), ExitCode.USAGE, "unexpected extra argument"),
        (("blame", "nobody"), ExitCode.FATAL, "no entry has the id 'nobody'"),
        (("blame",), ExitCode.USAGE, "missing argument"),
        (("diff", "nobody"), ExitCode.FATAL, "no entry has the id 'nobody'"),
        (("diff", IDENT, "other"), ExitCode.USAGE, "are two entries: name two versions of one"),
        (("diff", IDENT, IDENT, IDENT), ExitCode.USAGE, "3 names are too many"),
        (("diff", f"{IDENT}@{{9}}"), ExitCode.NO, "has only 2 versions"),
        (("search", "x", "--at", "nowhere"), ExitCode.FATAL, "no commit is named 'nowhere'"),
    ],
)
def test_what_cannot_be_answered_is_one_line(
    cli: Cli, told: Repo, words: tuple[str, ...], code: ExitCode, says: str
) -> None:
    result = cli(told, *words)
    assert result.code == code, result
    assert is_one_error(result), result
    assert says in result.err


def test_where_nothing_is_recorded_that_is_said(cli: Cli, repo: Repo) -> None:
    put(repo.path / STORE, entry("a"))
    for words in (("log",), ("log", "a"), ("blame", "a"), ("diff",), ("diff", "a")):
        result = cli(repo, *words)
        assert (result.code, result.out, result.err) == (0, "", NOT_RECORDED), words
        assert faults(words[0], document_of(cli, repo, *words)) == []
    record(repo, {"b": "x"})
    for words in (("log", "a"), ("blame", "a")):
        assert cli(repo, *words).err == "a is not recorded yet: the next write records it\n"
    assert cli(repo, "show", "a@{0}").code == ExitCode.NO


def document_of(cli: Cli, repo: Repo, *words: str) -> object:
    """Return the document of a command that has something to say on stderr too."""
    result = cli(repo, *words, "--json")
    assert result.err == NOT_RECORDED
    return document(type(result)(result.code, result.stdout, ""))


def test_a_diff_is_gits_and_names_no_path_of_the_machine(cli: Cli, told: Repo) -> None:
    told.write(f"{STORE}/{IDENT}.md", text("v3"))
    result = cli(told, "diff")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == f"diff --git a/{IDENT}.md b/{IDENT}.md"
    assert lines[2:4] == [f"--- a/{IDENT}.md", f"+++ b/{IDENT}.md"]
    assert lines[-2:] == ["-v2", "+v3"]
    assert cli(told, "diff", IDENT).out == result.out
    assert cli(told, "diff", f"{IDENT}@{{0}}").out == result.out
    assert "\x1b[32m+" in cli(told, "diff", "--color=always").out


def test_a_diff_without_edits_by_hand_says_what_it_shows(cli: Cli, told: Repo) -> None:
    result = cli(told, "diff")
    assert (result.code, result.out.splitlines()[-2:]) == (0, ["-v1", "+v2"])
    assert result.err == "the files are as they were recorded last: this is what that changed\n"


def test_blame_reads_like_gits(cli: Cli, told: Repo) -> None:
    git = told.git(
        "blame", "--root", "--abbrev=6", "--date=format:%Y-%m-%d %H:%M", "refs/mem/store", "--", f"{IDENT}.md"
    )
    result = cli(told, "blame", IDENT)
    assert (result.code, result.out, result.err) == (0, git.out, "")
    told.write(f"{STORE}/{IDENT}.md", text("v3"))
    assert cli(told, "blame", IDENT).err == (
        f"the file of {IDENT} is another one now: `git mem diff {IDENT}` shows how\n"
    )


def test_on_a_terminal_what_could_fool_it_is_escaped_and_ids_are_coloured(told: Repo) -> None:
    sly = text("\x1b[31mred\x07")
    told.write(f"{STORE}/{IDENT}.md", sly)
    record(told, {IDENT: sly}, "edit \x1b[2Jx")
    oid = told.rev("refs/mem/store")[:7]
    tall = (200, 80)
    logged = on_terminal(told, "log", size=tall).out
    assert f"\x1b[33m{oid}\x1b[0m" in logged
    assert r"edit \x1b[2Jx" in logged
    for words in (("diff",), ("blame", IDENT), ("show", f"{IDENT}@{{0}}")):
        shown = on_terminal(told, *words, size=tall).out
        assert r"\x1b[31mred\x07" in shown, words
        assert "\x1b[31mred" not in shown, words
    assert "\x1b[32m+" in on_terminal(told, "diff", size=tall).out
    assert "\x1b" not in on_terminal(told, "diff", size=tall, env={"NO_COLOR": "1"}).out


def test_a_long_log_goes_through_the_pager(told: Repo) -> None:
    paged = {"GIT_PAGER": "sed 's/^/paged: /'"}
    assert "paged: " in on_terminal(told, "diff", size=(4, 80), env=paged).out
    assert "paged: " in on_terminal(told, "log", size=(2, 80), env=paged).out


def test_history_is_read_in_a_bare_clone_and_nothing_else_works_there(cli: Cli, told: Repo) -> None:
    told.git("clone", "-q", "--mirror", ".", told.world.root / "copy.git")
    copy = Repo(told.world, told.world.root / "copy.git")
    for words in (("log",), ("log", IDENT), ("blame", IDENT)):
        assert cli(copy, *words).out == cli(told, *words).out
    shown = cli(copy, "show", f"{IDENT}@{{1}}")
    assert shown.out == cli(told, "show", f"{IDENT}@{{1}}").out
    for words in (("show", IDENT), ("list",), ("check",), ("search", "x"), ("status",), ("where",)):
        refused = cli(copy, *words)
        assert refused.code == ExitCode.FATAL
        assert "go to one of its worktrees" in refused.err
    assert cli(told, "log", cwd=told.path / ".git").code == ExitCode.FATAL


def test_a_plain_clone_has_only_what_was_fetched(cli: Cli, world: World) -> None:
    copy = bare(world, "copy.git")
    assert cli(copy, "log").err == NOT_RECORDED
    record(Repo(world, world.root / "seed"), {"a": "1\n"}, "add a")
    copy.git("fetch", "-q", world.root / "seed", "refs/mem/*:refs/mem/*")
    assert "add a" in cli(copy, "log").out


def test_a_check_as_of_a_commit_tells_what_was_known_there(cli: Cli, told: Repo) -> None:
    before = told.rev()
    told.commit("Later", {"x": "x\n"})
    record(
        told, {IDENT: text("v2"), "late": format_entry(entry("late"))}, "add late", head=told.rev(), at=2_000_000_000
    )
    told.write(f"{STORE}/late.md", format_entry(entry("late")))
    assert "late" not in cli(told, "check", "--at", before).out
    assert "late" in cli(told, "check", "--at", "HEAD").out
    assert "late" in cli(told, "check", "late", "--at", before).out
    assert cli(told, "search", "late", "--at", before).code == ExitCode.NO
    assert cli(told, "search", "late", "--at", "HEAD").code == ExitCode.DONE


def test_the_history_is_one_wherever_one_stands(layout: Standpoint) -> None:
    for notes in ("v1", "v2"):
        layout.store.mkdir(parents=True, exist_ok=True)
        (layout.store / f"{IDENT}.md").write_bytes(text(notes))
        record(layout.repo, {IDENT: text(notes)}, f"edit {IDENT}")
    (layout.store / f"{IDENT}.md").write_bytes(text("v3"))
    words = (["log", IDENT], ["blame", IDENT], ["diff"], ["show", f"{IDENT}@{{1}}"])
    done = several(layout.repo, *words, cwd=layout.directory, env=layout.extra)
    assert done.err == f"the file of {IDENT} is another one now: `git mem diff {IDENT}` shows how\n"
    assert [line[:4] for line in done.out.splitlines()[:2]] == ["@{0}", "@{1}"]
    assert "\n-v2\n+v3\n[historical evidence: version @{1} of " in done.out
    assert done.stdout.endswith(text("v1"))
    assert str(layout.repo.world.root) not in done.out
