"""Git's unified diff of contents: git itself applies it, and nothing that a person configured changes it."""

import os
import tempfile
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from world import Repo, World

from gitmem.git.run import Git
from gitmem.git.unified import unified_diff

OLD = {"same.md": b"x\n", "changed.md": b"one\ntwo\n", "gone.md": b"was\n"}
NEW = {"same.md": b"x\n", "changed.md": b"one\nTWO\n", "new.md": b"is\n"}
EXPECTED = {
    "changed.md": "diff --git a/changed.md b/changed.md|--- a/changed.md|+++ b/changed.md"
    "|@@ -1,2 +1,2 @@| one|-two|+TWO",
    "gone.md": "diff --git a/gone.md b/gone.md|deleted file mode 100644|--- a/gone.md|+++ /dev/null|@@ -1 +0,0 @@|-was",
    "new.md": "diff --git a/new.md b/new.md|new file mode 100644|--- /dev/null|+++ b/new.md|@@ -0,0 +1 @@|+is",
}
HOSTILE = """
[core]
    autocrlf = true
    attributesFile = {home}/attributes
    quotePath = false
    pager = false
[diff]
    external = /bin/false
    noprefix = true
    mnemonicPrefix = true
    relative = true
    renames = copies
    orderFile = /nowhere
    noIndex = false
[diff "trap"]
    textconv = /bin/false
    command = /bin/false
[filter "trap"]
    clean = /bin/false
    required = true
[color]
    ui = always
"""


def diff(
    world: World, before: Mapping[str, bytes], after: Mapping[str, bytes], *, color: bool = False
) -> dict[str, bytes]:
    return unified_diff(Git(world.env), before, after, color=color)


def told(patches: Mapping[str, bytes]) -> dict[str, str]:
    """Return the patches without their `index` lines, which differ between formats of objects."""
    lines = {name: patch.decode().splitlines() for name, patch in patches.items()}
    return {name: "|".join(line for line in found if not line.startswith("index ")) for name, found in lines.items()}


def test_each_file_that_differs_has_its_patch(world: World) -> None:
    assert told(diff(world, OLD, NEW)) == EXPECTED
    assert diff(world, OLD, OLD) == {}


def test_nothing_that_is_configured_changes_or_runs_anything(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.configure(HOSTILE.format(home=world.home))
    (world.home / "attributes").write_text("*.md filter=trap diff=trap text eol=crlf\n", encoding="utf-8")
    around = world.repo()
    around.write(".gitattributes", "*.md filter=trap diff=trap -text\n")
    around.write("below/x", "")
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(around.path / "below"))
    assert told(diff(world, OLD, NEW)) == EXPECTED
    assert [path.name for path in (around.path / "below").iterdir()] == ["x"]


def test_line_ends_are_contents(world: World) -> None:
    (patch,) = diff(world, {"a.md": b"x\r\n"}, {"a.md": b"x\n"}).values()
    assert b"-x\r\n+x\n" in patch


def test_colours_come_when_asked_for_and_only_then(world: World) -> None:
    world.configure('[color]\n\tui = always\n[color "diff"]\n\tnew = blue\n')
    assert b"\x1b" not in b"".join(diff(world, OLD, NEW).values())
    colored = diff(world, OLD, NEW, color=True)
    assert colored["new.md"].startswith(b"\x1b[1mdiff --git a/new.md b/new.md\x1b[m\n")
    assert b"\x1b[34m+" in colored["new.md"]
    assert list(colored) == list(EXPECTED)


@pytest.mark.parametrize("color", [False, True])
def test_a_content_cannot_pass_for_the_beginning_of_a_patch(world: World, *, color: bool) -> None:
    forged = b"diff --git a/x.md b/x.md\n\ndiff --git a/y.md b/y.md\n\x1b[1mdiff --git a/z.md b/z.md\n"
    for before, after in ((b"", forged), (forged, b""), (b"1\n" + forged + b"2\n", b"3\n" + forged + b"4\n")):
        assert list(diff(world, {"a.md": before}, {"a.md": after}, color=color)) == ["a.md"]


CONTENTS = st.dictionaries(
    st.sampled_from(["a.md", "b.md", "A.b-c_1.md"]),
    st.lists(st.sampled_from([b"one\n", b"two\n", b"\n", b"diff --git a/x b/x\n", b"\xff\r\n", b"end"])).map(b"".join),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository in which patches are applied."""
    return World(tmp_path_factory.mktemp("apply")).repo()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=CONTENTS, after=CONTENTS)
def test_git_applies_it(place: Repo, before: dict[str, bytes], after: dict[str, bytes]) -> None:
    for path in place.path.glob("*.md"):
        path.unlink()
    for name, data in before.items():
        place.write(name, data)
    patches = diff(place.world, before, after)
    assert set(patches) == {name for name in {*before, *after} if before.get(name) != after.get(name)}
    if patches:
        place.git("apply", "--whitespace=nowarn", feed=b"".join(patches.values()))
    assert {path.name: path.read_bytes() for path in place.path.glob("*.md")} == after
