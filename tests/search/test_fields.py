"""What an entry offers to a search."""

from gitmem.entry.model import Entry, Section, SourceRef
from gitmem.search.fields import WEIGHTS, FieldName, cited_commits, cited_paths, cited_runs, fields

OID = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"

FULL = Entry(
    id="2026-01-01-0000-title",
    title="Title",
    date="2026-01-01T00:00:00Z",
    tags=("tag",),
    aliases=("alias",),
    source_refs=(
        SourceRef(source_type="commit", id=OID[:9].upper(), label="Fix it", commit=OID),
        SourceRef(source_type="file", id="src/a.py", path="src/a.py", commit="f" * 40, blob="e" * 40),
        SourceRef(source_type="file", id="src/b.py"),
        SourceRef(source_type="run", id="run-7"),
        SourceRef(source_type="transcript", id="talk-9"),
    ),
    decision_key="some-key",
    run_id="run-1",
    goal="Goal.",
    plan=("step",),
    decisions=("decided",),
    files_touched=("src/a.py", "docs/c.md"),
    next_steps=("next",),
    notes="Notes.",
    other_sections=(Section("Heading", "text"),),
)


def test_every_field_holds_its_values_once_heaviest_first() -> None:
    assert [(field.name, field.values) for field in fields(FULL)] == [
        (FieldName.TITLE, ("Title",)),
        (FieldName.ALIASES, ("alias",)),
        (FieldName.GOAL, ("Goal.",)),
        (FieldName.DECISIONS, ("decided", "some-key")),
        (FieldName.TAGS, ("tag",)),
        (FieldName.PATHS, ("src/a.py", "docs/c.md", "src/b.py")),
        (FieldName.SOURCE_REFS, (OID[:9].upper(), "Fix it", OID, "f" * 40, "run-7", "talk-9")),
        (FieldName.RUN_ID, ("run-1",)),
        (FieldName.NOTES, ("Notes.", "step", "next", "Heading", "text")),
    ]


def test_weights_fall_in_the_order_of_the_contract() -> None:
    names = ["title", "aliases", "goal", "decisions", "tags", "paths", "sourceRefs", "runId", "notes"]
    assert [str(name) for name in WEIGHTS] == names
    assert list(WEIGHTS.values()) == sorted(WEIGHTS.values(), reverse=True)
    assert [field.weight for field in fields(FULL)] == list(WEIGHTS.values())


def test_empty_fields_are_left_out() -> None:
    bare_entry = Entry(id="x", title="Only a title", date="2026-01-01T00:00:00Z")
    assert [field.name for field in fields(bare_entry)] == [FieldName.TITLE]


def test_a_future_entry_has_its_title_only() -> None:
    stub = Entry(id="x", title="From tomorrow", date="", notes="secret of tomorrow", future=True)
    assert [field.values for field in fields(stub)] == [("From tomorrow",)]


def test_what_is_cited_does_not_include_the_anchor_of_a_file() -> None:
    assert cited_paths(FULL) == ("src/a.py", "docs/c.md", "src/b.py")
    assert cited_commits(FULL) == (OID[:9], OID)
    assert cited_runs(FULL) == ("run-1", "run-7")
