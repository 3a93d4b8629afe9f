"""`git mem edit` at the command line: what it prints, its exit codes, its terminal, in every layout."""

import json
import sys
from pathlib import Path

import pytest
from inprocess import Cli
from layouts import Standpoint, linked
from program import document, entry, faults, git_mem_on_path, is_one_error, on_terminal, put
from remembered import file_of, state
from world import Repo, World

from gitmem.entry.model import ReviewState
from gitmem.store.edits import kept_edits, new_edit

REF = "refs/mem/store"
CHANGING = "sed -i s/before/after/"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with one entry."""
    put(repo.path / ".klide/memory", entry("topic", notes="before"))
    return repo


def script(world: World, name: str, *lines: str) -> str:
    """Make an editor; return its path."""
    path = world.root / name
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_a_changed_entry_is_named(cli: Cli, shop: Repo) -> None:
    result = cli(shop, "edit", "topic", env={"GIT_EDITOR": CHANGING})
    assert (result.code, result.out, result.err) == (0, "edited topic\n", "")
    assert "\nafter\n" in file_of(shop, "topic").read_text(encoding="utf-8")


def test_an_unchanged_entry_is_said_to_be_so_on_stderr(cli: Cli, shop: Repo) -> None:
    before = state(shop.path / ".klide")
    result = cli(shop, "edit", "topic", env={"GIT_EDITOR": ":"})
    assert (result.code, result.out, result.err) == (0, "", "topic is unchanged: nothing was written\n")
    assert state(shop.path / ".klide") == before


@pytest.mark.parametrize(("editor", "changed"), [(CHANGING, True), (":", False)])
def test_in_json_it_is_told_whether_it_changed(cli: Cli, shop: Repo, editor: str, *, changed: bool) -> None:
    found = document(cli(shop, "edit", "topic", "--json", env={"GIT_EDITOR": editor}))
    assert faults("edit", found) == []
    assert found == {"schemaVersion": 1, "id": "topic", "changed": changed, "supersedes": None, "released": None}


def test_whose_place_it_took_is_told(cli: Cli, shop: Repo) -> None:
    put(shop.path / ".klide/memory", entry("old"), entry("older"))
    result = cli(shop, "edit", "topic", env={"GIT_EDITOR": "sed -i '/^kind/a supersedes: old'"})
    assert (result.code, result.out) == (0, "edited topic\nold is superseded by topic\n")
    result = cli(shop, "edit", "topic", "--json", env={"GIT_EDITOR": "sed -i 's/^supersedes:.*/&er/'"})
    assert result.err == "old stays superseded: if it holds again, make it reviewed with `git mem edit old`\n"
    found = json.loads(result.out)
    assert faults("edit", found) == []
    assert (found["supersedes"], found["released"]) == ("older", "old")


def test_what_is_refused_is_one_line_with_the_reason_and_the_path(cli: Cli, shop: Repo) -> None:
    before = state(shop.path / ".klide")
    result = cli(shop, "edit", "topic", env={"GIT_EDITOR": "sed -i s/^kind:.*/kind:\\ lore/"})
    assert result.code == 128
    assert is_one_error(result)
    (path,) = kept_edits(shop.path / ".git/mem", "topic")
    assert result.err.startswith("fatal: `kind` is 'lore': it must be one of run, ")
    assert f"your text is kept in {path}: take it from there when you edit topic again" in result.err
    assert "\nkind: lore\n" in path.read_text(encoding="utf-8")
    assert state(shop.path / ".klide") == before


def test_texts_of_other_edits_are_told_in_one_line(cli: Cli, shop: Repo) -> None:
    first = new_edit(shop.path / ".git/mem", "topic", b"one")
    result = cli(shop, "edit", "topic", env={"GIT_EDITOR": CHANGING})
    assert (result.code, result.err) == (0, f"a text of another edit of topic is kept in {first}\n")
    new_edit(shop.path / ".git/mem", "topic", b"two")
    told = cli(shop, "edit", "topic", env={"GIT_EDITOR": CHANGING}).err.splitlines()[0]
    assert told.startswith("a text of another edit of topic is kept in ")
    assert told.endswith(".md, and 1 more beside it")


def test_forgetting_an_entry_erases_what_edits_of_it_kept(cli: Cli, shop: Repo) -> None:
    cli(shop, "edit", "topic", env={"GIT_EDITOR": "sed -i -e s/^kind:.*/kind:\\ lore/ -e s/before/secret/"})
    (path,) = kept_edits(shop.path / ".git/mem", "topic")
    assert cli(shop, "forget", "topic", "--yes").code == 0
    assert not path.parent.exists()


def test_an_entry_that_was_forgotten_meanwhile_leaves_nothing_of_the_edit(shop: Repo) -> None:
    editor = script(shop.world, "forgets", "git-mem forget topic --yes >&2")
    result = shop.mem("edit", "topic", env={"GIT_EDITOR": editor, **git_mem_on_path(shop.world)})
    assert (result.code, result.stdout) == (128, b"")
    assert result.err.splitlines()[-1].startswith("fatal: the text is empty")
    assert not file_of(shop, "topic").exists()
    assert kept_edits(shop.path / ".git/mem", "topic") == []


@pytest.mark.parametrize(
    ("editor", "code", "told"),
    [
        ("false", 128, "fatal: the editor 'false' ended with exit code 1, so nothing was written: try again"),
        ("f() { kill -INT $$; }; f", 130, "fatal: the editor 'f() { kill -INT $$; }; f' was interrupted"),
        ("", 128, "fatal: git has no editor to start here: it is empty: set GIT_EDITOR or core.editor"),
        ("truncate -s 0", 128, "fatal: the text is empty, so topic stays as it was"),
    ],
)
def test_an_edit_that_comes_to_nothing_leaves_nothing(cli: Cli, shop: Repo, editor: str, code: int, told: str) -> None:
    before = state(shop.path / ".klide")
    result = cli(shop, "edit", "topic", env={"GIT_EDITOR": editor})
    assert result.code == code
    assert is_one_error(result)
    assert result.err.startswith(told)
    assert state(shop.path / ".klide") == before
    assert kept_edits(shop.path / ".git/mem", "topic") == []


def test_a_terminal_without_an_editor_is_told(shop: Repo) -> None:
    del shop.world.env["GIT_EDITOR"]
    result = shop.mem("edit", "topic", env={"TERM": "dumb"})
    assert result.code == 128
    assert is_one_error(result)
    assert "set GIT_EDITOR or core.editor" in result.err


@pytest.mark.parametrize("args", [(), ("topic", "other")])
def test_one_id_must_be_named(cli: Cli, shop: Repo, args: tuple[str, ...]) -> None:
    result = cli(shop, "edit", *args)
    assert result.code == 129
    assert is_one_error(result)


def test_standard_output_that_is_closed_is_an_error_before_anybody_types(shop: Repo) -> None:
    opened = shop.world.root / "opened"
    words = f'exec "{sys.executable}" -m gitmem edit topic >&-'
    result = shop.world.run("sh", "-c", words, cwd=shop.path, env={"GIT_EDITOR": f"touch {opened}; :"})
    assert result.code == 128
    assert not opened.exists()


def test_the_editor_has_the_terminal(shop: Repo) -> None:
    shop.git("config", "mem.reviewBoundary", "terminal")
    seen = shop.world.root / "seen"
    editor = script(
        shop.world,
        "on a terminal",
        f'for fd in 0 1 2; do test -t $fd && echo $fd >> "{seen}"; done',
        "echo on the screen",
        'exec sed -i s/before/after/ "$1"',
    )
    result = on_terminal(shop, "edit", "topic", env={"GIT_EDITOR": f'"{editor}"'})
    assert (result.code, result.out, result.err) == (0, "on the screen\nedited topic\n", "")
    assert seen.read_text(encoding="utf-8") == "0\n1\n"
    assert "\nafter\n" in file_of(shop, "topic").read_text(encoding="utf-8")


def test_without_a_terminal_the_review_boundary_holds(cli: Cli, shop: Repo) -> None:
    shop.git("config", "mem.reviewBoundary", "terminal")
    result = cli(shop, "edit", "topic", env={"GIT_EDITOR": CHANGING})
    assert result.code == 128
    assert is_one_error(result)
    assert "only a person at a terminal may edit an entry" in result.err


def test_the_editor_reads_what_the_person_pipes_in(shop: Repo) -> None:
    text = file_of(shop, "topic").read_bytes().replace(b"before", b"piped")
    result = shop.mem("edit", "topic", env={"GIT_EDITOR": "f() { cat > $1; }; f"}, feed=text)
    assert (result.code, result.out) == (0, "edited topic\n")
    assert file_of(shop, "topic").read_bytes() == text


def test_the_editor_opens_in_the_current_directory(shop: Repo) -> None:
    told = shop.world.root / "told"
    editor = f"f() {{ pwd > {told}; }}; f"
    assert shop.mem("-C", "src", "edit", "topic", env={"GIT_EDITOR": editor}).code == 0
    assert Path(told.read_text(encoding="utf-8").strip()) == shop.path / "src"


def test_from_a_linked_worktree_the_one_store_is_edited(cli: Cli, world: World) -> None:
    feature = linked(world)
    main = Repo(world, world.root / "main")
    main.mem("init", "--track")
    put(main.path / ".klide/memory", entry("topic", notes="before"))
    main.git("add", ".klide")
    main.git("commit", "-q", "-m", "Memory")
    told = world.root / "told"
    result = cli(feature, "edit", "topic", env={"GIT_EDITOR": f'f() {{ echo $1 > {told}; {CHANGING} "$1"; }}; f'})
    assert (result.code, result.out) == (0, "edited topic\n")
    assert result.err == f"written in the main checkout, so commit it there: {main.path}\n"
    assert told.read_text(encoding="utf-8").startswith(f"{main.path}/.git/mem/edit/topic-")
    assert "\nafter\n" in file_of(main, "topic").read_text(encoding="utf-8")
    assert main.git("log", "-1", "--format=%(trailers:key=Mem-Head,valueonly)", REF).line.strip() == feature.rev()


def test_an_edit_works_in_every_layout(layout: Standpoint) -> None:
    put(layout.store, entry("topic", notes="before"))
    env = {**layout.extra, "GIT_EDITOR": CHANGING}
    result = layout.repo.mem("edit", "topic", "--json", cwd=layout.directory, env=env)
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out)["changed"] is True
    assert b"\nafter\n" in (layout.store / "topic.md").read_bytes()


def test_an_entry_that_the_tool_superseded_stays_so(cli: Cli, shop: Repo) -> None:
    put(shop.path / ".klide/memory", entry("new"))
    assert cli(shop, "supersede", "topic", "--by", "new").code == 0
    result = cli(shop, "edit", "topic", env={"GIT_EDITOR": "sed -i s/superseded/reviewed/"})
    assert result.code == 128
    assert "`reviewState` cannot become 'reviewed' by editing: leave it superseded; your text" in result.err
    assert str(ReviewState.SUPERSEDED) in file_of(shop, "topic").read_text(encoding="utf-8")
