import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from gitmem.entry.encode import entry_to_json, source_ref_to_json
from gitmem.entry.model import Entry, Kind, ReviewState, Section, SourceRef, SourceType
from gitmem.entry.parse import parse_entry

SCHEMA: dict[str, Any] = json.loads(
    (files("gitmem.entry") / "schema" / "entry.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)
FULL_REF = SourceRef(
    source_type="file",
    id="a",
    label="l",
    path="a",
    line_start=1,
    line_end=2,
    commit="c",
    blob="b",
    text_hash="sha256:0",
)
FULL = Entry(
    id="2026-01-01-0000-x",
    title="x",
    date="2026-01-01T00:00:00Z",
    tags=("t",),
    aliases=("a",),
    source_refs=(FULL_REF,),
    supersedes="s",
    decision_key="d",
    run_id="r",
    provider="p",
    model="m",
    mode="o",
    status="done",
    goal="g",
    plan=("1",),
    decisions=("2",),
    files_touched=("3",),
    next_steps=("4",),
    notes="n",
    other_sections=(Section("h", "t"),),
)


def read(text: str) -> Entry:
    return parse_entry("ident", text.encode(), fallback_date="2020-01-01T00:00:00Z")


def test_the_schema_is_a_valid_one_with_a_name() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == "urn:git-mem:schema:entry:1"


def test_a_full_entry_has_every_key_of_the_schema_in_its_order() -> None:
    encoded = entry_to_json(FULL)
    VALIDATOR.validate(encoded)
    assert list(encoded) == list(SCHEMA["properties"])
    assert list(source_ref_to_json(FULL_REF)) == list(SCHEMA["$defs"]["sourceRef"]["properties"])
    assert encoded["otherSections"] == [{"heading": "h", "text": "t"}]


def test_a_bare_entry_has_only_the_required_keys() -> None:
    encoded = entry_to_json(Entry(id="x", title="x", date="2026-01-01T00:00:00Z"))
    VALIDATOR.validate(encoded)
    assert list(encoded) == SCHEMA["required"]
    assert (encoded["schemaVersion"], encoded["kind"], encoded["reviewState"]) == (1, "fact", "reviewed")


@pytest.mark.parametrize(
    ("text", "version", "kind", "future"),
    [
        ("legacy", None, "handoff", False),
        ("---\nkind: lore\n---\n", None, None, False),
        ("---\nschemaVersion: 2\nkind: fact\n---\n", None, None, True),
        ("---\nschemaVersion: 1\nsourceRefs: [x, {sourceType: file, id: a, lineEnd: z}]\n---\n", 1, "fact", False),
    ],
)
def test_every_reading_fits_the_schema(text: str, version: int | None, kind: str | None, future: bool) -> None:
    encoded = entry_to_json(read(text))
    VALIDATOR.validate(encoded)
    assert (encoded["schemaVersion"], encoded["kind"], encoded["future"]) == (version, kind, future)


def test_the_schema_knows_every_value_of_the_model() -> None:
    properties = SCHEMA["properties"]
    assert properties["kind"]["enum"] == [*Kind, None]
    assert properties["reviewState"]["enum"] == list(ReviewState)
    described = SCHEMA["$defs"]["sourceRef"]["properties"]["sourceType"]["description"]
    assert all(f"`{known}`" in described for known in SourceType)


@pytest.mark.parametrize(
    "change",
    [{"extra": 1}, {"supersedes": None}, {"kind": "lore"}, {"schemaVersion": 2}, {"date": "2026-01-01"}, {"tags": "a"}],
)
def test_the_schema_refuses_other_forms(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        VALIDATOR.validate({**entry_to_json(FULL), **change})


def test_every_part_of_the_schema_is_described_for_people() -> None:
    described = [SCHEMA, *SCHEMA["properties"].values(), *SCHEMA["$defs"].values()]
    described += [part for name in SCHEMA["$defs"] for part in SCHEMA["$defs"][name]["properties"].values()]
    assert all(part["description"].endswith(".") for part in described)
