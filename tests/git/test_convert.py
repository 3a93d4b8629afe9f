"""What git would store for a file, against what `git add` stores: attributes, encodings, the index; no program run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import Repo, World

from gitmem.git.checkout import index_entries
from gitmem.git.convert import Attributes, lfs_pointer, read_attributes, to_blob
from gitmem.git.run import Git

TEXT_ATTRIBUTES = (
    *("", "text", "-text", "!text", "text=auto", "text=input", "text=strange", "eol=lf", "eol=crlf", "eol=strange"),
    *("text eol=lf", "text eol=crlf", "-text eol=crlf", "text=auto eol=lf", "text=auto eol=crlf", "text=strange crlf"),
    *(
        "text=",
        "eol= text",
        "filter= text",
        "working-tree-encoding= text",
        "crlf",
        "-crlf",
        "crlf=input",
        "crlf=auto",
        "text -crlf",
        "-text crlf",
        "text=auto crlf",
        "binary",
    ),
)
IDENT_ATTRIBUTES = ("", "ident", "-ident", "ident=strange")
ENCODINGS = (
    "UTF-16",
    "utf-16",
    "UTF16",
    "UTF-16LE-BOM",
    "UTF-16LE",
    "UTF-16BE",
    "UTF-32",
    "ISO-8859-1",
    "UTF-8",
    "utf8",
)
# Without `=` it is git's short form of true; None leaves the key out.
AUTOCRLF = (None, "", "= false", "= true", "= input", "= yes", "= on", "= 1", "= 0", "= TRUE", "= Input", "=")


@dataclass(frozen=True, slots=True)
class Case:
    """A file: its attributes, its bytes, and the blob that the index holds for it already."""

    attributes: str
    content: bytes
    stored: bytes | None = None


def name(number: int) -> str:
    return f"dir/file-{number:03}"


def prepare(repo: Repo, autocrlf: str | None, cases: Sequence[Case]) -> None:
    """Write the files, their attributes and the index, with nothing left of what was there before."""
    for old in (repo.path / "dir").glob("*"):
        old.unlink()
    with (repo.path / ".git" / "config").open("w", encoding="ascii") as config:
        config.write("[core]\n\trepositoryFormatVersion = 0\n")
        config.write("" if autocrlf is None else f"\tautocrlf {autocrlf}\n")
    lines = [f"{name(number)} {case.attributes}\n" for number, case in enumerate(cases)]
    repo.write(".gitattributes", "".join(lines))
    repo.git("read-tree", "--empty")
    index = ""
    for number, case in enumerate(cases):
        if case.stored is not None:
            repo.write(name(number), case.stored)
    known = [number for number, case in enumerate(cases) if case.stored is not None]
    paths = "".join(f"{name(number)}\n" for number in known)
    blobs = repo.git("hash-object", "-w", "--no-filters", "--stdin-paths", feed=paths.encode()).out.split()
    index = "".join(f"100644 {blob}\t{name(number)}\n" for number, blob in zip(known, blobs, strict=True))
    repo.git("update-index", "--index-info", feed=index.encode())
    for number, case in enumerate(cases):
        repo.write(name(number), case.content)


def blobs_in_index(repo: Repo, paths: Sequence[str]) -> dict[str, bytes]:
    entries = index_entries(Git(repo.world.env), repo.path, paths)
    return {path: repo.git("cat-file", "blob", entry.oid).stdout for path, entry in entries.items()}


def ids_in_index(repo: Repo, paths: Sequence[str]) -> dict[str, str]:
    entries = index_entries(Git(repo.world.env), repo.path, paths)
    return {path: entry.oid for path, entry in entries.items()}


def raw_ids(repo: Repo, contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return the ids of contents as they are; git computes them from files of a directory without attributes."""
    feed = ""
    for path, content in contents.items():
        target = repo.world.root / "raw" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        feed += f"{target}\n"
    ids = repo.git("hash-object", "--no-filters", "--stdin-paths", feed=feed.encode()).out.split()
    return dict(zip(contents, ids, strict=True))


def computed(repo: Repo, cases: Sequence[Case]) -> dict[str, bytes]:
    paths = [name(number) for number in range(len(cases))]
    attributes = read_attributes(Git(repo.world.env), repo.path, paths)
    found = {}
    for path, case in zip(paths, cases, strict=True):
        blob = to_blob(case.content, attributes[path], stored=case.stored)
        assert blob is not None
        found[path] = blob
    return found


def assert_stored_as_git_does(repo: Repo, autocrlf: str | None, cases: Sequence[Case]) -> None:
    prepare(repo, autocrlf, cases)
    found = computed(repo, cases)
    repo.git("-c", "core.safecrlf=false", "add", "dir")
    stored, ours = ids_in_index(repo, list(found)), raw_ids(repo, found)
    wrong = {path: (cases[int(path[-3:])], found[path]) for path in found if stored[path] != ours[path]}
    assert not wrong, autocrlf


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """One repository for all cases of this module; each prepares it anew."""
    return World(tmp_path_factory.mktemp("convert")).repo()


CONTENTS = (
    *(b"", b"a", b"a\n", b"a\r\n", b"a\r\nb\n", b"a\r\nb\rc\r\n", b"a\0\r\n", b"\x1a", b"a\r\n\x1a", b"\x07\r\n"),
    *(b"a" * 128 + b"\x07\r\n", b"a" * 127 + b"\x07\r\n", b"\r\n" * 200 + b"\x07", b"\x1b\x08\x0c\t\r\n", b"\x7f\r\n"),
    *(b"a" * 128 + b"\x07\x1a\r\n", b"a" * 128 + b"\x07\r\n\x1a", b"\xff\xfe\r\n", b"\r", b"\r\r\n", b"\r\n\r"),
)
STORED = (None, b"", b"a\n", b"a\r\n", b"a\r\nb\n", b"a\r\n\0", b"a\r\nb\rc", b"\x07\r\n")


@pytest.mark.parametrize("autocrlf", AUTOCRLF)
def test_every_spelling_of_autocrlf_counts_as_git_reads_it(shared: Repo, autocrlf: str | None) -> None:
    contents = (b"a\r\n", b"a\r\n\0", b"a\rb\r\n")
    cases = [Case(attributes, content) for attributes in ("", "text=auto", "text", "-text") for content in contents]
    assert_stored_as_git_does(shared, autocrlf, cases)


@pytest.mark.parametrize("autocrlf", ["= false", "= true", "= input"])
def test_line_ends_are_converted_as_git_does(shared: Repo, autocrlf: str) -> None:
    cases = [Case(attributes, content) for attributes in TEXT_ATTRIBUTES for content in CONTENTS]
    assert_stored_as_git_does(shared, autocrlf, cases)


@pytest.mark.parametrize("autocrlf", ["= false", "= true", "= input"])
def test_what_the_index_holds_keeps_line_ends_as_git_does(shared: Repo, autocrlf: str | None) -> None:
    contents = (b"a\r\nb\r\n", b"a\r\nb\n", b"x\r\n\0", b"new\n")
    attributes = ("", "text", "text=auto", "text=auto eol=crlf", "eol=lf", "-text", "crlf=auto")
    cases = [Case(given, content, stored) for given in attributes for content in contents for stored in STORED]
    assert_stored_as_git_does(shared, autocrlf, cases)


@pytest.mark.parametrize("attributes", ["ident", "ident text", "ident text=auto", "-ident", "ident=x", "ident -text"])
def test_idents_are_taken_out_as_git_does(shared: Repo, attributes: str) -> None:
    contents = (
        *(b"$Id$", b"$Id: 1234 $", b"$Id:$", b"x $Id: a b c $ y $Id: d $\r\n", b"$Id: \n$", b"$Id: a$Id: b$", b"$Id"),
        *(b"$Id: \r\n$Id: x$", b"$id: x$", b"$$Id: x$$", b"$Id x$", b"$Id: \0$", b"$Id:", b"$Id: \xff$", b"$Id: a\r$"),
    )
    assert_stored_as_git_does(shared, None, [Case(attributes, content) for content in contents])


def encoded(text: str, encoding: str) -> bytes:
    """Return the text as git accepts it in an encoding: with a byte order mark where the name leaves it open."""
    stem = encoding.upper().replace("UTF-", "UTF")
    if stem == "UTF16LE-BOM":
        return b"\xff\xfe" + text.encode("utf-16-le")
    return text.encode(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("more", ["", "text", "text=auto", "eol=crlf", "-text", "text ident"])
def test_encodings_are_converted_as_git_does(shared: Repo, encoding: str, more: str) -> None:
    texts = ("", "a\r\nb\n", "é\r\n$Id: ÿ $\r\n", "\u00a0\x07\r\n", "a\r\n" * 50)
    attributes = f"working-tree-encoding={encoding} {more}"
    assert_stored_as_git_does(shared, None, [Case(attributes, encoded(text, encoding)) for text in texts])


def test_both_byte_orders_are_read(shared: Repo) -> None:
    text = "木\r\n"
    big = Case("working-tree-encoding=UTF-16 text", b"\xfe\xff" + text.encode("utf-16-be"))
    odd = Case("working-tree-encoding=UTF-16LE-BOM text", b"\xfe\xff" + text.encode("utf-16-be"))
    bare = Case("working-tree-encoding=UTF-16LE-BOM text", text.encode("utf-16"))
    assert_stored_as_git_does(shared, None, [big, odd, bare])


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        ("UTF-16", "no mark".encode("utf-16-le")),
        ("utf32", "no mark".encode("utf-32-be")),
        ("UTF-16LE", b"\xff\xfea\0"),
        ("UTF-16BE", b"\xfe\xff\0a"),
        ("UTF-16", b"\xff\xfe\0\xd8"),
        ("UTF-16LE", b"odd"),
        ("no-such-encoding", b"text\n"),
    ],
)
def test_what_git_refuses_to_convert_stays_as_it_is(shared: Repo, encoding: str, content: bytes) -> None:
    case = Case(f"working-tree-encoding={encoding}", content)
    prepare(shared, None, [case])
    assert computed(shared, [case]) == {name(0): content}
    refused = shared.git("add", "dir", accept=(128,))
    assert "encod" in refused.err


PIECES = st.lists(
    st.sampled_from(
        [
            *(b"\r\n", b"\n", b"\r", b"\0", b"\x1a", b"\x07", b"\x7f", b"\x1b", b"\xff", b"a", b"$", b"Id", b":"),
            *(b"$Id$", b"$Id: x $", b"word " * 30),
        ]
    ),
    max_size=12,
).map(b"".join)
TEXTS = st.lists(st.sampled_from(["\r\n", "\n", "\r", "a", "é", "$Id: x $", "\x07"]), max_size=8).map("".join)
PLAIN = st.builds(
    lambda text, ident, content, stored: Case(f"{text} {ident}", content, stored),
    st.sampled_from(TEXT_ATTRIBUTES),
    st.sampled_from(IDENT_ATTRIBUTES),
    PIECES,
    st.none() | PIECES,
)
ENCODED = st.builds(
    lambda encoding, more, text: Case(f"working-tree-encoding={encoding} {more}", encoded(text, encoding)),
    st.sampled_from(ENCODINGS),
    st.sampled_from(TEXT_ATTRIBUTES),
    TEXTS,
)


@settings(max_examples=25)
@given(autocrlf=st.sampled_from(AUTOCRLF), cases=st.lists(PLAIN | ENCODED, min_size=1, max_size=40))
def test_any_file_is_stored_as_git_stores_it(shared: Repo, autocrlf: str | None, cases: list[Case]) -> None:
    assert_stored_as_git_does(shared, autocrlf, cases)


def test_a_checkout_under_any_attribute_converts_back_to_its_blob(repo: Repo) -> None:
    attributes = {
        "crlf.txt": "text eol=crlf",
        "auto.txt": "text=auto",
        "ident.txt": "ident",
        "utf16.txt": "text working-tree-encoding=UTF-16LE-BOM eol=crlf",
    }
    repo.commit("Files", dict.fromkeys(attributes, "one\n$Id$\ntwo\n"))
    repo.git("config", "core.autocrlf", "true")
    lines = "".join(f"{path} {given}\n" for path, given in attributes.items())
    (repo.path / ".git" / "info" / "attributes").write_text(lines, encoding="ascii")
    for path in attributes:
        (repo.path / path).unlink()
    repo.git("checkout", "-q", "--", *attributes)
    assert b"\r\n" in (repo.path / "crlf.txt").read_bytes()
    found = read_attributes(Git(repo.world.env), repo.path, list(attributes))
    for path, how in found.items():
        assert to_blob((repo.path / path).read_bytes(), how) == b"one\n$Id$\ntwo\n"


# Filters


def test_a_filter_is_never_run_and_leaves_the_answer_open(repo: Repo) -> None:
    ran = repo.world.root / "ran"
    repo.git("config", "filter.spy.clean", f"touch {ran}; cat")
    repo.git("config", "filter.spy.process", f"touch {ran}; exit 1")
    repo.write(".gitattributes", "* filter=spy\n")
    found = read_attributes(Git(repo.world.env), repo.path, ["README.md"])
    assert found["README.md"].filter == "spy"
    assert to_blob(b"hello\n", found["README.md"]) is None
    assert not ran.exists()


@pytest.mark.parametrize(
    "settings_given", [{}, {"filter.other.clean": "cat"}, {"filter.spy.smudge": "cat"}, {"filter.spy.clean": ""}]
)
def test_a_filter_that_no_program_stands_behind_changes_nothing(repo: Repo, settings_given: dict[str, str]) -> None:
    for key, value in settings_given.items():
        repo.git("config", key, value)
    repo.write(".gitattributes", "x filter=spy text\ny filter\nz -filter\n")
    for path in ("x", "y", "z"):
        repo.write(path, "a\r\n")
    found = read_attributes(Git(repo.world.env), repo.path, ["x", "y", "z"])
    repo.git("add", "x", "y", "z")
    stored = blobs_in_index(repo, ["x", "y", "z"])
    assert {path: to_blob(b"a\r\n", given) for path, given in found.items()} == stored
    assert stored["x"] == b"a\n"


@pytest.mark.parametrize("more", ["", "text", "text=auto", "-text", "ident"])
@pytest.mark.parametrize("content", [b"", b"hello\n", b"a\r\nb\r\n", b"\0binary", b"$Id: x $\n"])
def test_lfs_pointers_are_what_the_filter_would_store(repo: Repo, more: str, content: bytes) -> None:
    # A stand-in for `git lfs clean`, which writes the pointer of its input, and nothing for nothing.
    script = repo.write("clean.sh", LFS_CLEAN)
    repo.git("config", "filter.lfs.clean", f"sh '{script}'")
    repo.write(".gitattributes", f"big.bin filter=lfs {more}\n")
    repo.write("big.bin", content)
    found = read_attributes(Git(repo.world.env), repo.path, ["big.bin"])
    repo.git("add", "big.bin")
    assert blobs_in_index(repo, ["big.bin"]) == {"big.bin": to_blob(content, found["big.bin"])}


LFS_CLEAN = """\
cat >"$0.input"
size=$(wc -c <"$0.input")
[ "$size" -eq 0 ] && exit 0
hash=$(sha256sum <"$0.input")
printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %d\\n' "${hash%% *}" "$size"
"""


def test_a_pointer_that_stands_in_the_checkout_is_its_own_blob() -> None:
    pointer = lfs_pointer(b"content")
    assert pointer.startswith(b"version https://git-lfs.github.com/spec/v1\noid sha256:")
    assert to_blob(pointer, Attributes({"filter": "lfs"})) == pointer


# Attributes


def test_attributes_of_every_path_are_those_that_git_names(repo: Repo) -> None:
    paths = ["a.txt", "deep/a.txt", "nl\nx.txt", '"q".txt', ":(top)x", "é.bin", "other"]
    repo.write(".gitattributes", "*.txt text\n*.bin binary\n")
    repo.write("deep/.gitattributes", "a.txt -text eol=crlf ident filter=x\n")
    found = read_attributes(Git(repo.world.env), repo.path, paths)
    assert {path: given.line_ends for path, given in found.items()} == {
        **dict.fromkeys(["a.txt", "nl\nx.txt", '"q".txt'], "text"),
        **dict.fromkeys(["deep/a.txt", "é.bin", ":(top)x", "other"], "binary"),
    }
    assert found["deep/a.txt"].values["ident"] == "set"
    assert read_attributes(Git(repo.world.env), repo.path, []) == {}


def test_a_users_own_attributes_count(repo: Repo) -> None:
    (repo.world.root / "attributes").write_text("*.md text\n", encoding="ascii")
    repo.world.configure(f"[core]\n\tattributesFile = {repo.world.root}/attributes\n\tautocrlf = input\n")
    found = read_attributes(Git(repo.world.env), repo.path, ["README.md", "x"])
    assert {path: given.line_ends for path, given in found.items()} == {"README.md": "text", "x": "auto"}
