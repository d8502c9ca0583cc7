"""The contract has two descriptions, pydantic models and proto files. Method: introspection of both, and a property
test that sends every event through the wire and back."""

import json
import runpy
import types
import typing
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from pitstream.events import Event, decode_payload, encode_payload, event_types
from pitstream.events.codec import message_class

EVENTS = event_types()

# Which proto scalars may carry which Python type.
SCALARS = {
    str: {FieldDescriptor.TYPE_STRING},
    bytes: {FieldDescriptor.TYPE_BYTES},
    bool: {FieldDescriptor.TYPE_BOOL},
    int: {FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_UINT32},
}


@pytest.mark.parametrize("type_name", EVENTS)
def test_model_and_message_have_the_same_fields_of_the_same_types(type_name: str) -> None:
    _same_shape(EVENTS[type_name], message_class(type_name).DESCRIPTOR, type_name)


def test_every_message_of_the_topics_is_an_event_or_part_of_one() -> None:
    files = {message_class(name).DESCRIPTOR.file for name in EVENTS}
    described = {message.full_name for file in files for message in file.message_types_by_name.values()}
    used = set(EVENTS) | {part for name in EVENTS for part in _parts(message_class(name).DESCRIPTOR)}
    assert described == used


@pytest.mark.parametrize("type_name", EVENTS)
def test_every_event_survives_the_wire_unchanged(type_name: str) -> None:
    @settings(max_examples=15, deadline=None)
    @given(events(EVENTS[type_name]))
    def there_and_back(event: Event) -> None:
        payload = encode_payload(event)
        assert decode_payload(type_name, payload) == event
        assert encode_payload(decode_payload(type_name, payload)) == payload

    there_and_back()


def test_generated_modules_are_those_of_the_contract(tmp_path: Path) -> None:
    generate = runpy.run_path(str(Path(__file__).parents[1] / "generate.py"))["generate"]
    assert generate(tmp_path) == 0
    fresh = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*_pb2.py*")}
    source = Path(__file__).parents[1] / "src"
    committed = {path.relative_to(source): path.read_text() for path in source.rglob("*_pb2.py*")}
    assert fresh == committed, "run `make proto`"


def events(model: type[Event]) -> st.SearchStrategy[Event]:
    """Any event of a type, within the bounds of its model: read from the model's own JSON schema."""
    schema = model.model_json_schema()
    return _values(schema, schema.get("$defs", {})).map(lambda fields: model.model_validate_json(json.dumps(fields)))


def _values(schema: dict[str, Any], parts: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _values(parts[schema["$ref"].removeprefix("#/$defs/")], parts)
    if "anyOf" in schema:
        return st.one_of(*(_values(choice, parts) for choice in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            above = schema.get("exclusiveMinimum")
            return st.integers(above + 1 if above is not None else schema["minimum"], schema["maximum"])
        case "string" if "pattern" in schema:
            if "-\\d{2}-\\d{2}$" in schema["pattern"]:
                return st.dates().map(str)
            return st.from_regex(schema["pattern"].removesuffix("$") + r"\Z", alphabet=st.characters(codec="ascii"))
        case "string" if schema.get("format") == "binary":
            return st.binary(max_size=schema["maxLength"]).map(bytes.hex)
        case "string":
            # Surrogates are no text: neither JSON nor Protobuf can carry them.
            return st.text(st.characters(exclude_categories=["Cs"]), max_size=min(32, schema.get("maxLength", 32)))
        case "array":
            return st.lists(_values(schema["items"], parts), max_size=4)
        case "object" if "properties" in schema:
            return st.fixed_dictionaries({name: _values(part, parts) for name, part in schema["properties"].items()})
        case "object":
            return st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.just("true"))
    raise AssertionError(f"no strategy for {schema}")


def _same_shape(model: type[BaseModel], message: Descriptor, where: str) -> None:
    fields = {field.name: field for field in message.fields}
    assert list(model.model_fields) == [field.name for field in sorted(message.fields, key=lambda f: f.number)], where
    for name, info in model.model_fields.items():
        _same_type(info.annotation, fields[name], f"{where}.{name}")


def _same_type(annotation: object, field: FieldDescriptor, where: str) -> None:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        _same_type(arguments[0], field, where)
    elif origin in (types.UnionType, typing.Union):
        inner = [argument for argument in arguments if argument is not type(None)]
        assert len(inner) == 1, where
        assert field.has_presence, f"{where}: None needs `optional` in the proto"
        _same_type(inner[0], field, where)
    elif origin is tuple:
        assert field.is_repeated, where
        _same_item(arguments[0], field, where)
    elif origin is dict:
        assert field.message_type.GetOptions().map_entry, where
        assert arguments == (str, str), where
    elif origin is typing.Literal:
        assert field.type == FieldDescriptor.TYPE_STRING, where
    else:
        assert not field.is_repeated, where
        _same_item(annotation, field, where)


def _same_item(annotation: object, field: FieldDescriptor, where: str) -> None:
    while typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        assert field.message_type.name == annotation.__name__, where
        _same_shape(annotation, field.message_type, where)
    else:
        assert field.type in SCALARS[typing.cast("type", annotation)], where


def _parts(message: Descriptor) -> set[str]:
    parts = set()
    for field in message.fields:
        if field.message_type:
            # A map's entry is nested in its message and stands for no part of its own.
            if not field.message_type.GetOptions().map_entry:
                parts.add(field.message_type.full_name)
            parts |= _parts(field.message_type)
    return parts
