"""`git mem edit`: what a person may write, what is refused, and that nothing they wrote is lost."""

import re
import resource
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from program import entry, git_mem_on_path, put
from remembered import file_of, state, workspace
from world import Repo, World, listing

from gitmem.entry.format import format_entry
from gitmem.entry.frontmatter import MAX_BYTES, UnreadableEntry
from gitmem.entry.model import Entry, ReviewState
from gitmem.entry.parse import parse_entry
from gitmem.errors import ExitCode, GitMemError
from gitmem.git.editor import EditorFailedError, EditorMissingError
from gitmem.porcelain.add import ReviewBoundaryError
from gitmem.porcelain.edit import Edited, EditInterruptedError, EditRefusedError, edit
from gitmem.porcelain.supersede import supersede
from gitmem.storage.lock import LockedError, writer_lock
from gitmem.store.edits import kept_edits, new_edit
from gitmem.store.read import BadIdError, UnknownEntryError
from gitmem.workspace import EndangeredStoreError

IDENT = "2026-01-01-0000-topic"
HEAD = "---\nschemaVersion: 1\ndate: 2026-01-01T00:00:00Z\ntitle: Topic\nkind: fact\nreviewState: reviewed\n"
TEXT = f"{HEAD}tags: []  # none yet\nmyKey: {{x: 1}}\n---\n\n# Notes\n\nbefore\n"
REF = "refs/mem/store"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with one commit and a store; each test lays its own entries into it."""
    repo = World(tmp_path_factory.mktemp("edit")).repo()
    repo.commit("Start", {"README.md": "read me\n"})
    assert repo.mem("init").code == 0
    return repo


@pytest.fixture(autouse=True)
def _empty(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "shop" in request.fixturenames:
        repo: Repo = request.getfixturevalue("shop")
        for path in (repo.path / ".klide/memory").iterdir():
            path.unlink()
        repo.git("update-ref", "-d", REF)
        shutil.rmtree(repo.path / ".git/mem/edit", ignore_errors=True)


def lay(repo: Repo, text: bytes | str = TEXT, ident: str = IDENT) -> bytes:
    return repo.write(f".klide/memory/{ident}.md", text).read_bytes()


def said(repo: Repo, editor: str, ident: str = IDENT, kept: list[Path] | None = None) -> Edited:
    """Edit an entry with an editor, a line of sh."""
    tell = (kept if kept is not None else []).extend
    return edit(workspace(repo, {"GIT_EDITOR": editor}), ident, at_terminal=False, tell_kept=tell)


def typing(repo: Repo, text: bytes | str) -> str:
    """Return an editor in which a person makes the text this one."""
    typed = repo.write("../typed", text)
    return f"cp {shlex.quote(str(typed))}"


def typed(repo: Repo, text: bytes | str, ident: str = IDENT) -> Edited:
    return said(repo, typing(repo, text), ident)


def kept_by(repo: Repo, error: GitMemError, ident: str = IDENT) -> bytes:
    """Return the text that an error says is kept: the only one."""
    (path,) = kept_edits(repo.path / ".git/mem", ident)
    assert error.message.endswith(f"your text is kept in {path}: take it from there when you edit {ident} again")
    return path.read_bytes()


def refused(repo: Repo, text: bytes | str, ident: str = IDENT) -> str:
    """Type a text that is refused; return the reason. Nothing is written, and the text is kept."""
    before = state(repo.path / ".klide")
    with pytest.raises(EditRefusedError) as caught:
        typed(repo, text, ident)
    assert state(repo.path / ".klide") == before
    assert kept_by(repo, caught.value, ident) == (text.encode() if isinstance(text, str) else text)
    assert caught.value.exit_code == ExitCode.FATAL
    return caught.value.message.partition("; your text is kept")[0]


def edits_left(repo: Repo) -> dict[str, bytes]:
    return listing(repo.path / ".git/mem/edit")


def test_what_was_typed_takes_the_place_of_the_entry_and_is_recorded(shop: Repo) -> None:
    lay(shop)
    other = lay(shop, ident="2026-01-01-0000-other")
    assert said(shop, "sed -i s/before/after/") == Edited(IDENT, changed=True)
    assert file_of(shop, IDENT).read_text(encoding="utf-8") == TEXT.replace("before", "after")
    assert file_of(shop, "2026-01-01-0000-other").read_bytes() == other
    assert shop.git("log", "-1", "--format=%s", REF).line == f"edit {IDENT}"
    assert shop.git("show", f"{REF}:{IDENT}.md").stdout == file_of(shop, IDENT).read_bytes()
    assert edits_left(shop) == {}


@pytest.mark.parametrize("editor", [":", "true", "touch", "sed -i s/before/before/"])
def test_what_is_unchanged_is_not_written(shop: Repo, editor: str) -> None:
    lay(shop)
    before = state(shop.path / ".klide")
    assert said(shop, editor) == Edited(IDENT, changed=False)
    assert state(shop.path / ".klide") == before
    assert shop.git("rev-parse", "--verify", "--quiet", REF, accept=(1,)).out == ""
    assert edits_left(shop) == {}


NEW = {
    "another title": TEXT.replace("title: Topic", "title: 'Another'"),
    "another kind": TEXT.replace("kind: fact", "kind: pattern"),
    "no kind": TEXT.replace("kind: fact\n", ""),
    "another date": TEXT.replace("2026-01-01T00:00:00Z", "2026-02-03 04:05+01:00"),
    "a day": TEXT.replace("2026-01-01T00:00:00Z", "2026-02-03"),
    "stale": TEXT.replace("reviewed", "stale"),
    "a decision key": TEXT.replace("---\n\n", "decisionKey: storage\n---\n\n"),
    "a key that nobody knows": TEXT.replace("---\n\n", "# mine\nyours: [a, {b: c}]\n---\n\n"),
    "no final line end": TEXT.removesuffix("\n"),
    "CRLF": TEXT.replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + TEXT,
    "hidden characters in the body": TEXT + "\u202e\x1b[31m\x85\u2028\n",
    "no body": TEXT.partition("\n\n")[0] + "\n",
    "another section": TEXT + "\n# Alternatives\n\nNone.\n",
    "all of a mebibyte": TEXT + "x" * (MAX_BYTES - len(TEXT)),
}


@pytest.mark.parametrize("name", NEW)
def test_what_is_right_is_taken_byte_for_byte(shop: Repo, name: str) -> None:
    lay(shop)
    assert typed(shop, NEW[name]) == Edited(IDENT, changed=True)
    assert file_of(shop, IDENT).read_bytes() == NEW[name].encode()
    assert edits_left(shop) == {}


@pytest.mark.parametrize("head", ["", "\ufeff"])
def test_line_ends_that_nobody_touched_stay(shop: Repo, head: str) -> None:
    before = (head + TEXT.removesuffix("\n")).replace("\n", "\r\n").encode() + b"\nmixed\r\n\n\rend"
    lay(shop, before)
    said(shop, "sed -i s/before/after/")
    assert file_of(shop, IDENT).read_bytes() == before.replace(b"before", b"after")


WRONG: Final[Mapping[str, tuple[bytes | str, str]]] = {
    "broken YAML": (TEXT.replace("tags: []", "tags: [open"), "the text is no entry: broken YAML: line 8: "),
    "a duplicate key": (TEXT.replace("kind:", "title: Twice\nkind:"), "the text is no entry: duplicate key: title"),
    "a fence that is not closed": (TEXT.replace("---\n\n", "\n\n"), "frontmatter is not closed"),
    "not UTF-8": (TEXT.encode() + b"\xff", "not UTF-8"),
    "UTF-16": (TEXT.encode("utf-16"), "not UTF-8 but UTF-16"),
    "a NUL": (TEXT + "\0", "NUL characters"),
    "too large": (TEXT + "x" * MAX_BYTES, "larger than 1024 KiB"),
    "no frontmatter": ("# Notes\n\nafter\n", "`schemaVersion` is missing: put its line back"),
    "no version": (TEXT.replace("schemaVersion: 1\n", ""), "`schemaVersion` is missing: put its line back"),
    "another version": (TEXT.replace("schemaVersion: 1", "schemaVersion: 2"), "`schemaVersion` is '2', not 1"),
    "an empty version": (TEXT.replace("schemaVersion: 1", "schemaVersion:"), "`schemaVersion` is empty, not 1"),
    "a list of versions": (TEXT.replace("schemaVersion: 1", "schemaVersion: [1]"), "`schemaVersion` is a list, not 1"),
    "no title": (TEXT.replace("title: Topic\n", ""), "`title` is missing: put its line back"),
    "an empty title": (TEXT.replace("title: Topic", "title: ''"), "`title` is empty: give the entry one"),
    "an invisible title": (TEXT.replace("Topic", '"\\u200b\\u202e "'), "`title` is empty: give the entry one"),
    "a list for a title": (TEXT.replace("Topic", "[a, b]"), "`title` is not one text: write it on one line"),
    "no date": (TEXT.replace("date: 2026-01-01T00:00:00Z\n", ""), "`date` is missing: put its line back"),
    "a wrong date": (TEXT.replace("2026-01-01T00:00:00Z", "yesterday"), "`date` is 'yesterday', which is no date"),
    "an impossible date": (TEXT.replace("2026-01-01T", "2026-02-30T"), "which is no date: write it like 2026-"),
    "an empty date": (TEXT.replace("2026-01-01T00:00:00Z", ""), "`date` is empty, which is no date"),
    "an unknown kind": (TEXT.replace("kind: fact", "kind: lore"), "`kind` is 'lore': it must be one of run, handoff"),
    "a kind in capitals": (TEXT.replace("kind: fact", "kind: Fact"), "`kind` is 'Fact': it must be one of"),
    "an empty kind": (TEXT.replace("kind: fact", "kind:"), "`kind` is empty: it must be one of"),
    "no state": (TEXT.replace("reviewState: reviewed\n", ""), "`reviewState` is missing: leave it reviewed"),
    "a state in capitals": (TEXT.replace("reviewed", "REVIEWED"), "`reviewState` cannot become 'REVIEWED' by editing"),
    "an unknown state": (TEXT.replace("reviewed", "approved"), "`reviewState` cannot become 'approved' by editing"),
    "many supersedes": (TEXT.replace("tags:", "supersedes: [a]\ntags:"), "`supersedes` is not one text"),
    "a mapping for a key": (TEXT.replace("tags:", "decisionKey: {a: b}\ntags:"), "`decisionKey` is not one text"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_with_what_to_do_and_kept(shop: Repo, name: str) -> None:
    text, told = WRONG[name]
    lay(shop)
    assert told in refused(shop, text)


def test_all_that_is_wrong_is_told_at_once(shop: Repo) -> None:
    lay(shop)
    told = refused(shop, TEXT.replace("kind: fact", "kind: lore").replace("title: Topic", "title:"))
    assert told.startswith("`title` is empty: give the entry one; `kind` is 'lore': it must be one of ")


@pytest.mark.parametrize("editor", ["rm", "truncate -s 0", "cp /dev/null"])
def test_a_text_that_is_gone_or_empty_is_refused(shop: Repo, editor: str) -> None:
    before = lay(shop)
    with pytest.raises(EditRefusedError, match=r"the text is empty, so .* stays as it was: `git mem forget` rem"):
        said(shop, editor)
    assert file_of(shop, IDENT).read_bytes() == before
    assert edits_left(shop) == {}


def test_an_editor_that_puts_a_new_file_in_the_place_of_the_text_is_right(shop: Repo) -> None:
    lay(shop)
    assert said(shop, 'f() { sed s/before/after/ "$1" > "$1.new" && mv "$1" "$1~" && mv "$1.new" "$1"; }; f').changed
    assert file_of(shop, IDENT).read_text(encoding="utf-8") == TEXT.replace("before", "after")
    assert edits_left(shop) == {}


@pytest.mark.parametrize("editor", ["ln -sf /etc/hostname", 'f() { rm "$1"; mkdir "$1"; }; f'])
def test_an_editor_that_leaves_no_file_is_refused(shop: Repo, editor: str) -> None:
    before = lay(shop)
    with pytest.raises(EditRefusedError, match=r"^the text cannot be read: "):
        said(shop, editor)
    assert file_of(shop, IDENT).read_bytes() == before


# The second one only because nothing supersedes the entry.
ALLOWED = {(ReviewState.REVIEWED, ReviewState.STALE), (ReviewState.SUPERSEDED, ReviewState.REVIEWED)}


@pytest.mark.parametrize("now", ReviewState)
@pytest.mark.parametrize("then", ReviewState)
def test_of_the_review_state_only_reviewed_becomes_stale(shop: Repo, then: ReviewState, now: ReviewState) -> None:
    before = lay(shop, TEXT.replace("State: reviewed", f"State: {then}"))
    text = TEXT.replace("State: reviewed", f"State: {now}").replace("before", "after")
    if then is now or (then, now) in ALLOWED:
        assert typed(shop, text).changed
        return
    told = refused(shop, text)
    assert file_of(shop, IDENT).read_bytes() == before
    assert told.startswith(f"`reviewState` cannot become '{now}' by editing: leave it {then}")
    assert (f"`git mem supersede {IDENT} --by NEW`" in told) == (now is ReviewState.SUPERSEDED)
    confirmable = now is ReviewState.REVIEWED and then is not ReviewState.SUPERSEDED
    assert (f"`git mem confirm {IDENT}`" in told) == confirmable


def test_an_unknown_state_that_nobody_touched_does_not_stand_in_the_way(shop: Repo) -> None:
    lay(shop, TEXT.replace("State: reviewed", "State: approved"))
    assert typed(shop, TEXT.replace("State: reviewed", "State: approved").replace("before", "after")).changed
    assert typed(shop, TEXT.replace("State: reviewed", "State: stale")).changed
    lay(shop, TEXT.replace("State: reviewed", "State: approved"))
    assert "cannot become 'reviewed' by editing: leave it as it was, and say that it holds with" in refused(shop, TEXT)


def test_an_unknown_kind_can_be_mended(shop: Repo) -> None:
    lay(shop, TEXT.replace("kind: fact", "kind: lore"))
    assert workspace(shop).entry(IDENT)[0].review_state is ReviewState.STALE
    assert typed(shop, TEXT).changed
    assert workspace(shop).entry(IDENT)[0].active


LEGACY = "---\ndate: 2026-01-01T00:00:00Z\ntitle: Old\nrunId: ses_1\n---\n\n# Goal\n\nbefore\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LEGACY, LEGACY.replace("before", "after")),
        (LEGACY, LEGACY.replace("runId", "reviewState: stale\nrunId")),
        (LEGACY, LEGACY.replace("runId", "reviewState: reviewed\nrunId")),
        (LEGACY, LEGACY.replace("date:", "schemaVersion: 1\nkind: handoff\nreviewState: reviewed\ndate:")),
        (LEGACY.replace("runId", "reviewState: reviewed\nrunId"), LEGACY),
        ("# Notes\n\nbare\n", "# Notes\n\nmore\n"),
        ("# Notes\n\nbare\n", TEXT),
    ],
)
def test_a_legacy_file_stays_one_or_becomes_version_one(shop: Repo, before: str, after: str) -> None:
    lay(shop, before)
    assert typed(shop, after).changed
    assert file_of(shop, IDENT).read_text(encoding="utf-8") == after


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (LEGACY, LEGACY.replace("date:", "schemaVersion: 1\ndate:"), "`reviewState` is missing: leave it reviewed"),
        (LEGACY, LEGACY.replace("date:", "schemaVersion: 2\ndate:"), "`schemaVersion` is '2', not 1"),
        (LEGACY, LEGACY.replace("title: Old\n", ""), "`title` is missing"),
        (LEGACY.replace("runId", "reviewState: stale\nrunId"), LEGACY, "`reviewState` is missing: leave it stale"),
        (LEGACY, LEGACY.replace("runId", "reviewState: proposed\nrunId"), "leave it reviewed"),
    ],
)
def test_a_legacy_file_is_not_changed_into_something_else(shop: Repo, before: str, after: str, told: str) -> None:
    lay(shop, before)
    assert told in refused(shop, after)


BROKEN = {
    "broken YAML": TEXT.replace("tags: []", "tags: [open"),
    "a duplicate key": TEXT.replace("kind:", "reviewState: stale\nkind:"),
    "a fence that is not closed": TEXT.replace("---\n\n", "\n"),
    "a NUL": TEXT + "\0",
    "broken, with a comment": TEXT.replace("Version: 1", "Version: 1 # one").replace("tags: []", "tags: [open"),
    "broken, of another version in its body": TEXT.replace("tags: []", "tags: [") + "\nschemaVersion: 2\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_read_as_an_entry_can_be_mended(shop: Repo, name: str) -> None:
    lay(shop, BROKEN[name])
    with pytest.raises(UnreadableEntry):
        workspace(shop).entry(IDENT)
    assert typed(shop, TEXT).changed
    assert workspace(shop).entry(IDENT)[0].active
    assert shop.git("show", f"{REF}~:{IDENT}.md").out == BROKEN[name]
    assert shop.git("show", f"{REF}:{IDENT}.md").out == TEXT


@pytest.mark.parametrize("now", [*ReviewState, None])
def test_a_mended_entry_has_the_state_that_the_person_gives_it(shop: Repo, now: ReviewState | None) -> None:
    lay(shop, BROKEN["a duplicate key"])
    text = TEXT.replace("reviewState: reviewed\n", "" if now is None else f"reviewState: {now}\n")
    assert typed(shop, text).changed
    assert workspace(shop).entry(IDENT)[0].review_state == (now or ReviewState.STALE)


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (TEXT.replace("schemaVersion: 1\n", ""), "`schemaVersion` is missing: put its line back"),
        (TEXT.replace("reviewed", "approved"), "`reviewState` is 'approved': it must be one of proposed, reviewed, "),
        (TEXT.replace("kind:", "kind: pattern\nkind:"), "the text is no entry: duplicate key: kind"),
    ],
)
def test_mending_is_validated_too(shop: Repo, after: str, told: str) -> None:
    lay(shop, BROKEN["a duplicate key"])
    assert told in refused(shop, after)


def test_an_empty_file_can_be_filled(shop: Repo) -> None:
    lay(shop, "")
    assert said(shop, "true") == Edited(IDENT, changed=False)
    assert typed(shop, TEXT).changed


UNEDITABLE = {
    "not UTF-8": b"---\ntitle: x\n---\n\xff\n",
    "not UTF-8 but UTF-16": "title".encode("utf-16"),
    "larger than": b"x" * (MAX_BYTES + 1),
    "written by another version": TEXT.replace("schemaVersion: 1", "schemaVersion: 2").encode(),
    "written by another version of git mem": TEXT.replace("Version: 1", "Version: 2").replace("[]", "*x").encode(),
}


@pytest.mark.parametrize("told", UNEDITABLE)
def test_what_no_editor_should_see_is_refused_before_one_opens(shop: Repo, told: str) -> None:
    before = lay(shop, UNEDITABLE[told])
    with pytest.raises(EditRefusedError, match=told.removesuffix(" but UTF-16")):
        said(shop, "f() { touch ../opened; }; f")
    assert not (shop.path / "../opened").exists()
    assert file_of(shop, IDENT).read_bytes() == before
    assert not (shop.path / ".git/mem/edit").exists() or edits_left(shop) == {}


def test_a_link_out_of_the_store_is_not_followed_and_one_inside_is(shop: Repo) -> None:
    outside = shop.write("outside.md", TEXT)
    file_of(shop, IDENT).symlink_to(outside)
    with pytest.raises(EditRefusedError, match="a symbolic link that leaves the store: correct the file, or move it"):
        said(shop, "sed -i s/before/after/")
    assert outside.read_text(encoding="utf-8") == TEXT
    outside.unlink()
    file_of(shop, IDENT).unlink()
    lay(shop, ident="2026-01-01-0000-real")
    file_of(shop, IDENT).symlink_to("2026-01-01-0000-real.md")
    assert said(shop, "sed -i s/before/after/").changed
    assert file_of(shop, IDENT).is_symlink()
    assert "after" in file_of(shop, "2026-01-01-0000-real").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("ident", "error"), [("no-such-entry", UnknownEntryError), ("../x", BadIdError), ("", BadIdError)]
)
def test_an_id_that_names_nothing_is_refused_and_nothing_made(repo: Repo, ident: str, error: type[GitMemError]) -> None:
    before = listing(repo.path)
    with pytest.raises(error) as caught:
        said(repo, "f() { touch ../opened; }; f", ident)
    assert caught.value.exit_code == ExitCode.FATAL
    assert listing(repo.path) == before
    assert not (repo.path / "../opened").exists()


def test_only_a_person_at_a_terminal_edits_where_the_settings_say_so(repo: Repo) -> None:
    lay(repo)
    repo.git("config", "mem.reviewBoundary", "terminal")
    with pytest.raises(ReviewBoundaryError, match="may edit an entry"):
        said(repo, "f() { touch ../opened; }; f")
    assert not (repo.path / "../opened").exists()
    env = {"GIT_EDITOR": "sed -i s/before/after/"}
    assert edit(workspace(repo, env), IDENT, at_terminal=True, tell_kept=lambda _: None).changed


def test_without_an_editor_nothing_is_laid_out(repo: Repo) -> None:
    lay(repo)
    before = listing(repo.path)
    with pytest.raises(EditorMissingError):
        said(repo, "")
    assert listing(repo.path) == before


def test_what_could_not_be_written_is_refused_before_the_editor_opens(repo: Repo) -> None:
    repo.mem("init")
    lay(repo)
    repo.git("add", "-f", ".klide")
    repo.git("commit", "-q", "-m", "Tracked all the same")
    with pytest.raises(EndangeredStoreError):
        said(repo, "f() { touch ../opened; }; f")
    assert not (repo.path / "../opened").exists()


def test_a_store_that_became_endangered_while_somebody_typed_is_not_written_to(repo: Repo) -> None:
    repo.mem("init")
    before = lay(repo)
    tracks = "git add -f .klide && git commit -q -m tracked"
    with pytest.raises(EditRefusedError, match=r"HEAD tracks \.klide") as caught:
        said(repo, f'f() {{ {tracks} && sed -i s/before/after/ "$1"; }}; f')
    assert file_of(repo, IDENT).read_bytes() == before
    assert kept_by(repo, caught.value) == before.replace(b"before", b"after")


@pytest.mark.parametrize("state_", [ReviewState.SUPERSEDED, ReviewState.STALE, ReviewState.PROPOSED])
def test_an_inactive_entry_can_be_edited(shop: Repo, state_: ReviewState) -> None:
    lay(shop, TEXT.replace("State: reviewed", f"State: {state_}"))
    assert said(shop, "sed -i s/before/after/").changed
    assert workspace(shop).entry(IDENT)[0].review_state is state_


@pytest.mark.parametrize(("editor", "code"), [("false", 1), ("f() { sed -i s/before/after/ $1; exit 3; }; f", 3)])
def test_an_editor_that_fails_changes_nothing_and_its_text_is_kept(shop: Repo, editor: str, code: int) -> None:
    before = lay(shop)
    with pytest.raises((EditorFailedError, EditRefusedError), match=f"ended with exit code {code}") as caught:
        said(shop, editor)
    assert file_of(shop, IDENT).read_bytes() == before
    if code == 1:
        assert edits_left(shop) == {}
    else:
        assert kept_by(shop, caught.value) == before.replace(b"before", b"after")


def test_what_an_editor_saves_as_it_is_killed_is_kept(shop: Repo) -> None:
    lay(shop)
    with pytest.raises(EditRefusedError, match=r"was ended by signal 15, .* your text is kept in ") as caught:
        said(shop, 'f() { echo typed > "$(dirname "$1")/.swap"; kill -TERM $$; }; f')
    (path,) = kept_edits(shop.path / ".git/mem", IDENT)
    assert str(path.parent) in caught.value.message
    assert (path.parent / ".swap").read_text(encoding="utf-8") == "typed\n"


def test_an_interruption_is_told_as_one_with_the_text_kept(shop: Repo) -> None:
    before = lay(shop)
    with pytest.raises(EditInterruptedError) as caught:
        said(shop, 'f() { sed -i s/before/after/ "$1"; kill -INT $$; }; f')
    assert caught.value.exit_code == ExitCode.INTERRUPTED
    assert kept_by(shop, caught.value) == before.replace(b"before", b"after")


def test_a_person_who_breaks_off_after_typing_is_told_where_the_text_is(shop: Repo) -> None:
    before = lay(shop)
    left = new_edit(shop.path / ".git/mem", IDENT, b"so that somebody is told")

    def type_and_break_off(_: Sequence[Path]) -> None:
        (path,) = set(kept_edits(shop.path / ".git/mem", IDENT)) - {left}
        path.write_bytes(before + b"more\n")
        shutil.rmtree(left.parent)
        raise KeyboardInterrupt

    with pytest.raises(EditInterruptedError, match=r"^interrupted; your text is kept") as caught:
        edit(workspace(shop), IDENT, at_terminal=False, tell_kept=type_and_break_off)
    assert kept_by(shop, caught.value) == before + b"more\n"
    assert file_of(shop, IDENT).read_bytes() == before


def test_the_text_is_markdown_in_the_git_directory_and_nobody_elses(shop: Repo) -> None:
    lay(shop)
    told = shop.world.root / "told"
    said(shop, f'f() {{ echo "$1" > {told}; stat -c %a "$1" "$(dirname "$1")" >> {told}; }}; f')
    path, *modes = told.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(re.escape(f"{shop.path}/.git/mem/edit/{IDENT}-") + f"[0-9a-f]{{16}}/{IDENT}\\.md", path)
    assert modes == ["600", "700"]


def test_nobody_reads_a_text_that_is_being_edited_as_an_entry(shop: Repo) -> None:
    lay(shop)
    new_edit(shop.path / ".git/mem", "2026-01-01-0000-draft", TEXT.encode())
    assert [one.id for one in workspace(shop).contents.entries] == [IDENT]


def test_texts_of_other_edits_are_told_before_the_editor_opens_and_not_taken(shop: Repo) -> None:
    lay(shop)
    refused(shop, TEXT.replace("Topic", ""))
    (first,) = kept_edits(shop.path / ".git/mem", IDENT)
    new_edit(shop.path / ".git/mem", IDENT, TEXT.encode())  # in which nobody has typed anything yet
    kept: list[Path] = []
    assert said(shop, "sed -i s/before/after/", kept=kept).changed
    assert kept == [first]
    assert file_of(shop, IDENT).read_text(encoding="utf-8") == TEXT.replace("before", "after")
    assert first.read_text(encoding="utf-8") == TEXT.replace("Topic", "")


# While somebody types.


@pytest.fixture
def busy(repo: Repo) -> Repo:
    """A repository in which editors can run git mem."""
    lay(repo)
    repo.world.env.update(git_mem_on_path(repo.world))
    return repo


def test_others_write_while_the_editor_is_open(busy: Repo) -> None:
    busy.git("config", "mem.lockTimeout", "0")
    assert said(busy, 'f() { git-mem add Another && sed -i s/before/after/ "$1"; }; f').changed
    subjects = busy.git("log", "--format=%s", REF).out.splitlines()
    assert subjects[0] == f"edit {IDENT}"
    assert subjects[1].startswith("add ")


def test_of_two_edits_at_once_one_wins_and_the_other_text_is_kept(busy: Repo) -> None:
    editor = f'f() {{ GIT_EDITOR="sed -i s/before/first/" git-mem edit {IDENT} && sed -i s/before/second/ "$1"; }}; f'
    with pytest.raises(EditRefusedError, match=f"^{IDENT} changed meanwhile, so nothing was written; your") as caught:
        said(busy, editor)
    assert file_of(busy, IDENT).read_text(encoding="utf-8") == TEXT.replace("before", "first")
    assert kept_by(busy, caught.value) == TEXT.replace("before", "second").encode()
    assert busy.git("log", "-1", "--format=%s", REF).line == f"edit {IDENT}"


def test_an_entry_that_was_superseded_meanwhile_is_not_written(busy: Repo) -> None:
    with pytest.raises(EditRefusedError, match=f"^{IDENT} was superseded by .*-new-way meanwhile") as caught:
        said(busy, f'f() {{ git-mem add "New way" --supersedes {IDENT} && sed -i s/before/after/ "$1"; }}; f')
    assert workspace(busy).entry(IDENT)[0].review_state is ReviewState.SUPERSEDED
    assert b"\nafter\n" in kept_by(busy, caught.value)


def test_an_entry_that_was_removed_meanwhile_does_not_come_back(busy: Repo) -> None:
    with pytest.raises(EditRefusedError, match=f"^{IDENT} was removed meanwhile, so nothing was written") as caught:
        said(busy, f'f() {{ rm .klide/memory/{IDENT}.md && sed -i s/before/after/ "$1"; }}; f')
    assert not file_of(busy, IDENT).exists()
    assert b"\nafter\n" in kept_by(busy, caught.value)


def test_of_an_entry_that_was_forgotten_meanwhile_no_text_is_kept(busy: Repo) -> None:
    script = f'f() {{ git-mem forget --yes {IDENT} && mkdir -p "${{1%/*}}" && echo after > "$1"; }}; f'
    with pytest.raises(EditRefusedError):
        said(busy, script)
    assert kept_edits(busy.path / ".git/mem", IDENT) == []


def test_what_changed_meanwhile_does_not_matter_to_who_changes_nothing(busy: Repo) -> None:
    assert said(busy, f"f() {{ echo by hand >> .klide/memory/{IDENT}.md; }}; f") == Edited(IDENT, changed=False)
    assert file_of(busy, IDENT).read_text(encoding="utf-8") == TEXT + "by hand\n"


def test_a_lock_that_nobody_releases_keeps_the_text(busy: Repo) -> None:
    busy.git("config", "mem.lockTimeout", "0")
    left = new_edit(busy.path / ".git/mem", IDENT, b"so that somebody is told")
    before = file_of(busy, IDENT).read_bytes()
    with ExitStack() as stack:

        def lock(_: Sequence[Path]) -> None:
            stack.enter_context(writer_lock(busy.path / ".git/mem/lock", 0))

        with pytest.raises(EditRefusedError, match="another writer holds") as caught:
            edit(workspace(busy, {"GIT_EDITOR": "sed -i s/before/after/"}), IDENT, at_terminal=False, tell_kept=lock)
        with pytest.raises(LockedError):  # before the editor opens
            said(busy, "f() { touch ../opened; }; f")
    assert not (busy.path / "../opened").exists()
    assert file_of(busy, IDENT).read_bytes() == before
    shutil.rmtree(left.parent)
    assert kept_by(busy, caught.value) == before.replace(b"before", b"after")


@contextmanager
def small_disk() -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_disk_that_refuses_keeps_the_text(shop: Repo) -> None:
    before = lay(shop)
    text = TEXT + "x" * 100_000
    editor = f"ulimit -S -f unlimited; {typing(shop, text)}"
    with small_disk(), pytest.raises(EditRefusedError, match=f"^file too large: {IDENT}.md; your text is k") as caught:
        said(shop, editor)
    assert file_of(shop, IDENT).read_bytes() == before
    assert kept_by(shop, caught.value) == text.encode()


def test_a_disk_that_is_full_from_the_start_leaves_nothing(shop: Repo) -> None:
    lay(shop, TEXT + "x" * 100_000)
    with small_disk(), pytest.raises(OSError, match="File too large"):
        said(shop, "true")
    assert edits_left(shop) == {}


# Who takes whose place.


def family(repo: Repo, *entries: Entry) -> None:
    put(repo.path / ".klide/memory", *entries)


def text_of(**fields: object) -> bytes:
    return format_entry(entry("new", **fields))


def test_a_new_target_is_demoted_in_the_same_transaction(shop: Repo) -> None:
    family(shop, entry("old", decision_key="k"), entry("new"))
    assert typed(shop, text_of(supersedes="old", decision_key="k"), "new") == Edited("new", True, "old")
    assert workspace(shop).entry("old")[0].review_state is ReviewState.SUPERSEDED
    changed = shop.git("diff", "--name-only", f"{REF}~", REF).out.split()
    assert changed == ["new.md", "old.md"]
    assert workspace(shop).entry("new")[0].active


def test_another_target_is_demoted_and_the_first_stays_as_it_is(shop: Repo) -> None:
    family(shop, entry("first"), entry("second"), entry("new"))
    supersede(workspace(shop), "first", by="new", decision_key=None, at_terminal=False)
    assert typed(shop, text_of(supersedes="second"), "new").supersedes == "second"
    states = {one.id: str(one.review_state) for one in workspace(shop).contents.entries}
    assert states == {"first": "superseded", "second": "superseded", "new": "reviewed"}


def test_a_target_can_be_left_out(shop: Repo) -> None:
    family(shop, entry("old"), entry("new"))
    supersede(workspace(shop), "old", by="new", decision_key=None, at_terminal=False)
    assert typed(shop, text_of(), "new") == Edited("new", changed=True, released="old")
    assert workspace(shop).entry("old")[0].review_state is ReviewState.SUPERSEDED


def test_a_target_that_was_there_already_is_not_judged_again(shop: Repo) -> None:
    family(shop, entry("new", supersedes="gone"))
    assert typed(shop, text_of(supersedes="gone", notes="more"), "new") == Edited("new", changed=True)
    family(shop, entry("old", review_state=ReviewState.SUPERSEDED), entry("new", supersedes="old"))
    assert typed(shop, text_of(supersedes="old", notes="more"), "new") == Edited("new", changed=True)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"supersedes": "nobody"}, "no entry has the id 'nobody'"),
        ({"supersedes": "../x"}, "'../x' is not the id of an entry"),
        ({"supersedes": "new"}, "new cannot supersede itself"),
        ({"supersedes": "child"}, "new was superseded itself on the way to that entry: a circle"),
        ({"supersedes": "grandchild"}, "a circle"),
        ({"supersedes": "taken"}, "taken is superseded already: taker holds now"),
        ({"supersedes": "quiet"}, "quiet is stale, not reviewed"),
        ({"supersedes": "waiting"}, "waiting is proposed, not reviewed"),
        ({"supersedes": "keyed"}, "`decisionKey` is none, but keyed, which it supersedes, has 'k': write the same"),
        ({"supersedes": "keyed", "decision_key": "x"}, "`decisionKey` is 'x', but keyed, which it supersedes, has 'k'"),
        ({"supersedes": "free", "decision_key": "x"}, "`decisionKey` is 'x', but free, which it supersedes, has none"),
        ({"supersedes": "free", "review_state": ReviewState.STALE}, "new is stale, and only an entry that is reviewed"),
        ({"supersedes": "broken"}, "broken.md cannot be read"),
    ],
)
def test_the_rules_of_succession_hold(shop: Repo, fields: dict[str, object], told: str) -> None:
    superseded = ReviewState.SUPERSEDED
    lonely = "circle" not in told
    family(
        shop,
        entry("new"),
        *([] if lonely else [entry("child", supersedes="new"), entry("grandchild", supersedes="child")]),
        *(entry("taken", review_state=superseded), entry("taker", supersedes="taken")),
        *(entry("quiet", review_state=ReviewState.STALE), entry("waiting", review_state=ReviewState.PROPOSED)),
        *(entry("keyed", decision_key="k"), entry("free")),
    )
    lay(shop, BROKEN["broken YAML"], "broken")
    assert told in refused(shop, text_of(**fields), "new")


def test_an_entry_that_does_not_hold_takes_no_place(shop: Repo) -> None:
    family(shop, entry("new", review_state=ReviewState.SUPERSEDED), entry("newer", supersedes="new"), entry("free"))
    text = text_of(review_state=ReviewState.SUPERSEDED, supersedes="free")
    assert "new is superseded, and only an entry that is reviewed takes another's place" in refused(shop, text, "new")


@pytest.mark.parametrize(("key", "fine"), [("k", True), ("x", False), (None, False)])
def test_the_key_of_a_decision_is_that_of_the_one_before(shop: Repo, key: str | None, *, fine: bool) -> None:
    family(shop, entry("old", decision_key="k", review_state=ReviewState.SUPERSEDED), entry("new", supersedes="old"))
    if key is None:
        family(shop, entry("new", supersedes="old", decision_key="k"))
    text = text_of(supersedes="old", decision_key=key)
    if fine:
        assert typed(shop, text, "new").changed
    else:
        assert "but old, which it supersedes, has 'k': write the same" in refused(shop, text, "new")


@pytest.mark.parametrize("key", ["k", None])
def test_a_key_is_free_where_the_one_before_has_none(shop: Repo, key: str | None) -> None:
    old = entry("old", review_state=ReviewState.SUPERSEDED)
    family(shop, old, entry("new", supersedes="old", decision_key=None if key else "k"))
    assert typed(shop, text_of(supersedes="old", decision_key=key), "new").changed


def test_a_key_that_departed_by_hand_does_not_stand_in_the_way(shop: Repo) -> None:
    family(shop, entry("old", decision_key="k", review_state=ReviewState.SUPERSEDED))
    family(shop, entry("new", supersedes="old", decision_key="x"))
    assert typed(shop, text_of(supersedes="old", decision_key="x", notes="more"), "new").changed


def test_a_broken_entry_keeps_the_place_that_it_had(shop: Repo) -> None:
    family(shop, entry("old", decision_key="k", review_state=ReviewState.SUPERSEDED))
    lay(shop, BROKEN["broken YAML"], "new")
    assert typed(shop, text_of(supersedes="old", decision_key="k"), "new") == Edited("new", changed=True)
    lay(shop, BROKEN["broken YAML"], "new")
    family(shop, entry("newer", supersedes="old", decision_key="k"))
    assert "old is superseded already: newer holds now" in refused(
        shop, text_of(supersedes="old", decision_key="k", notes="more"), "new"
    )


def test_a_mended_entry_can_take_a_place_as_well(shop: Repo) -> None:
    family(shop, entry("old"))
    lay(shop, BROKEN["broken YAML"], "new")
    assert typed(shop, text_of(supersedes="old"), "new") == Edited("new", True, "old")
    assert workspace(shop).entry("old")[0].review_state is ReviewState.SUPERSEDED


# Whatever a person types.

LINES = TEXT.splitlines(keepends=True)
ODD_LINES = [
    "---\n",
    "\n",
    "kind: lore\n",
    "title:\n",
    "schemaVersion: 2\n",
    "date: x\n",
    "tags: [\n",
    "a: &b c\n",
    "\x85\n",
]


PIECES = st.sampled_from(["", *LINES, *(f"{line}\n" for line in ODD_LINES)])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, len(LINES)), st.integers(0, 2), PIECES), max_size=3))
def test_whatever_is_typed_is_taken_whole_or_kept(shop: Repo, changes: list[tuple[int, int, str]]) -> None:
    lines = list(LINES)
    for at, gone, new in changes:
        lines[at : at + gone] = [new]
    text = "".join(lines).encode()
    before = lay(shop)
    try:
        done = typed(shop, text)
    except EditRefusedError as error:
        assert file_of(shop, IDENT).read_bytes() == before
        path = Path(error.message.partition(" is kept in ")[2].partition(": take it")[0])
        assert path.read_bytes() == text
    else:
        assert done.changed == (text != before)
        assert file_of(shop, IDENT).read_bytes() == text
        found = parse_entry(IDENT, text, fallback_date="")
        assert (found.schema_version, found.kind is not None, bool(found.date)) == (1, True, True)
        assert found.review_state is ReviewState.REVIEWED
