"""The JSON Schemas: well-formed, closed, complete, and with the code's own closed sets in them."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from program import faults

from gitmem.cli.commands import COMMANDS
from gitmem.entry.model import Kind, ReviewState, SourceType
from gitmem.evidence.target import TargetKind
from gitmem.evidence.verdict import Reason, Verdict
from gitmem.git.exclude import Sharing
from gitmem.git.layout import LayoutKind
from gitmem.git.objects import ObjectKind
from gitmem.porcelain.schemas import names, schema
from gitmem.search.fields import FieldName
from gitmem.search.terms import Match
from gitmem.storage.spool import JobState

VERBS_WITHOUT_JSON = {"init"}
OWN = sorted(set(names()) - {"entry"})


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every mapping in a schema, itself included."""
    if isinstance(value, dict):
        yield value
    children: Iterable[Any] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        yield from nodes(child)


def at(name: str, *keys: str) -> Any:
    """Return what stands in a schema behind the keys."""
    found: Any = schema(name)
    for key in keys:
        found = found[key]
    return found


def test_every_verb_with_json_has_a_schema_and_no_other_has() -> None:
    assert set(names()) == set(COMMANDS) - VERBS_WITHOUT_JSON | {"entry", "search-files"}
    assert list(names()) == sorted(names())


@pytest.mark.parametrize("name", names())
def test_a_schema_is_well_formed_and_has_its_name_in_its_id(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$id"] == f"urn:git-mem:schema:{name}:1"
    assert schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_an_unknown_schema_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        schema("no-such-verb")


@pytest.mark.parametrize("name", names())
def test_every_object_is_closed_and_every_property_is_described(name: str) -> None:
    for node in nodes(schema(name)):
        if node.get("type") == "object":
            assert node["additionalProperties"] is False, node
            assert set(node.get("required", [])) <= set(node["properties"]), node
    for key, value in schema(name).get("properties", {}).items():
        assert "description" in value or "$ref" in value, key
    assert schema(name)["description"]


@pytest.mark.parametrize("name", OWN)
def test_every_output_names_its_version_first(name: str) -> None:
    document = schema(name)
    on_request = {"search": {"at", "files"}, "show": {"version"}}.get(name, set())
    if name != "manifest":  # which is two arrays and nothing else
        assert next(iter(document["properties"])) == "schemaVersion"
        assert document["properties"]["schemaVersion"]["const"] == 1
    assert set(document["required"]) == set(document["properties"]) - on_request


@pytest.mark.parametrize("name", names())
def test_every_reference_leads_somewhere(name: str) -> None:
    for node in nodes(schema(name)):
        if "$ref" not in node:
            continue
        target, _, pointer = node["$ref"].partition("#/")
        found: Any = schema(target.split(":")[3] if target else name)
        for key in filter(None, pointer.split("/")):
            found = found[key]
        assert isinstance(found, dict)


@pytest.mark.parametrize(
    ("keys", "values"),
    [
        (("check", "$defs", "verdict"), Verdict),
        (("check", "$defs", "reason"), Reason),
        (("check", "properties", "target"), TargetKind),
        (("check", "$defs", "entryVerdict", "properties", "reviewState"), ReviewState),
        (("where", "$defs", "layout"), LayoutKind),
        (("status", "properties", "sharing"), Sharing),
        (("search", "$defs", "hit", "properties", "match"), Match),
        (("search-files", "$defs", "hit", "properties", "match"), Match),
        (("jobs", "properties", "jobs", "items", "properties", "state"), JobState),
        (("search", "$defs", "hit", "properties", "matchedFields", "items"), FieldName),
        (("entry", "properties", "reviewState"), ReviewState),
    ],
)
def test_a_closed_set_is_the_codes_own(keys: tuple[str, ...], values: type[StrEnum]) -> None:
    assert at(*keys)["enum"] == [str(value) for value in values]


@pytest.mark.parametrize("keys", [("search", "$defs", "hit", "properties", "kind"), ("entry", "properties", "kind")])
def test_a_kind_is_the_codes_own_or_null(keys: tuple[str, ...]) -> None:
    assert at(*keys)["enum"] == [*map(str, Kind), None]


def test_the_other_sets_are_the_codes_own_too() -> None:
    assert set(at("status", "properties", "states", "properties")) == {str(state) for state in ReviewState}
    assert set(at("check", "$defs", "summary", "properties")) == {str(verdict) for verdict in Verdict}
    wrong_kinds = {str(kind) for kind in ObjectKind} - {"commit"}
    assert set(at("check", "$defs", "evidence", "properties", "type", "enum")) == wrong_kinds
    told = at("check", "$defs", "judgement", "properties", "sourceType", "description")
    assert all(f"`{source_type}`" in told for source_type in SourceType)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("add", {"schemaVersion": 1, "id": "2026-01-01-0000-note", "path": "/home/me"}),
        ("add", {"schemaVersion": 2, "id": "2026-01-01-0000-note"}),
        ("add", {"id": "2026-01-01-0000-note"}),
        ("list", {"schemaVersion": 1, "entries": [{"id": "x"}]}),
        ("about", {"schemaVersion": 1, "entries": [{"id": "x", "title": "x", "verdict": "fresh"}]}),
    ],
)
def test_a_wrong_document_is_found_out(name: str, value: object) -> None:
    assert faults(name, value)


def test_a_right_document_passes() -> None:
    assert faults("add", {"schemaVersion": 1, "id": "2026-01-01-0000-note"}) == []
