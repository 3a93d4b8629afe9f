"""By what a query names a whole entry."""

import pytest

from gitmem.entry.model import Entry, SourceRef
from gitmem.search.fields import FieldName
from gitmem.search.names import comparable, components, named_commit, named_path, naming_fields

OID = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"

ENTRY = Entry(
    id="2026-08-31-1400-retry-policy",
    title="Rétry policy for uploads",
    date="2026-08-31T14:00:00Z",
    aliases=("Backoff rules", "ADR-7", "http_client.py"),
    files_touched=("src/net/http_client.py",),
    source_refs=(
        SourceRef(source_type="commit", id=OID[:9].upper(), commit=OID),
        SourceRef(source_type="commit", id="abcd12"),
        SourceRef(source_type="file", id="docs/a.md", path="docs/a.md", commit="f" * 40),
        SourceRef(source_type="run", id="run-7"),
    ),
    run_id="run-1",
)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Retry policy", "retry policy"),
        ("  Retry \t\n policy  ", "retry policy"),
        ('"Retry policy?"', "retry policy"),
        ("RÉTRY re\u0301try", "retry retry"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("It’s (here).", "it's (here"),
        ("c++", "c++"),
        ("バス", "バス"),
        ("...", ""),
        ("", ""),
    ],
)
def test_titles_are_compared_without_case_accents_and_outer_punctuation(text: str, same: str) -> None:
    assert comparable(text) == same


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("src/net/http.py", ("src", "net", "http.py")),
        ("./src//net/", ("src", "net")),
        ("SRC/Été.md", ("src", "été.md")),
        ("src/e\u0301te\u0301.md", ("src", "été.md")),
        ("../x", ("..", "x")),
        (".", ()),
        ("/", ()),
        ("", ()),
    ],
)
def test_a_path_is_compared_by_its_components(path: str, parts: tuple[str, ...]) -> None:
    assert components(path) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a.py:12", ("a.py",)),
        ("a.py:12:7", ("a.py",)),
        ("a.py:12-88", ("a.py",)),
        ("a.py:x", ("a.py:x",)),
        ("a.py:", ("a.py:",)),
        ("12:30", ("12",)),
        (":12", ()),
    ],
)
def test_a_place_in_a_file_is_no_part_of_its_path(text: str, parts: tuple[str, ...]) -> None:
    assert named_path(text) == parts


@pytest.mark.parametrize(
    ("text", "commit"),
    [
        (OID, OID),
        (OID[:7].upper(), OID[:7]),
        ("f" * 64, "f" * 64),
        (OID[:6], ""),
        ("f" * 65, ""),
        ("1234567", "1234567"),
        ("g234567", ""),
        (f" {OID}", ""),
        ("", ""),
    ],
)
def test_a_commit_is_named_by_seven_digits_or_more(text: str, commit: str) -> None:
    assert named_commit(text) == commit


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("2026-08-31-1400-RETRY-policy", {FieldName.ID}),
        ("retry policy for uploads?", {FieldName.TITLE}),
        ("backoff rules", {FieldName.ALIASES}),
        ("adr-7", {FieldName.ALIASES}),
        ("http_client.py", {FieldName.ALIASES, FieldName.PATHS}),
        ("http_client.py:3", {FieldName.PATHS}),
        ("docs/a.md", {FieldName.PATHS}),
        ("a.md", {FieldName.PATHS}),
        (OID, {FieldName.SOURCE_REFS}),
        (OID[:7], {FieldName.SOURCE_REFS}),
        (OID[:9] + "fff", {FieldName.SOURCE_REFS}),
        (OID + "0" * 24, {FieldName.SOURCE_REFS}),
        (OID[:8] + "ffff", set()),
        ("abcd12", set()),
        ("abcd123", set()),
        ("f" * 40, set()),
        ("run-1", set()),
        ("net/http_client.py", set()),
        ("src/net", set()),
        ("retry policy", set()),
        ("2026-08-31-1400", set()),
        ("", set()),
    ],
)
def test_an_entry_is_named_by_the_whole_of_what_names_it(text: str, fields: set[FieldName]) -> None:
    assert naming_fields(ENTRY, text) == fields


def test_an_entry_of_tomorrow_is_named_by_its_id_and_title_only() -> None:
    stub = Entry(
        id="dawn", title="Of tomorrow", date="", aliases=("sun",), files_touched=("a.py",),
        source_refs=ENTRY.source_refs, future=True,
    )  # fmt: skip
    assert naming_fields(stub, "dawn") == {FieldName.ID}
    assert naming_fields(stub, "of tomorrow") == {FieldName.TITLE}
    assert not [text for text in ("sun", "a.py", OID) if naming_fields(stub, text)]
