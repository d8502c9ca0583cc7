"""Writes golden files: the bytes of each version of each event, and what they are read as for ever (``make golden``).

A version of an event is the shape of its message, parts included. ``tests/golden/<topic>/<Event>.<n>.json`` holds two
samples of version ``n``: one with every field set, one with as little as the contract allows, both as the Protobuf
runtime writes them from that version's own description. A file is written once. Only that of a version which was never
shipped (``proto/shipped.binpb``) is written anew when its message still changes.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from pitstream.events import decode_payload, event_types
from pitstream.events.codec import message_class
from pitstream.events.upcast import upcast

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent / "tests" / "golden"
SHIPPED = ROOT / "proto" / "shipped.binpb"

# One text for each pattern that the models have; the first that fits is taken.
_TEXTS = (
    "uth-04",
    "Td",
    "USD",
    "2026-11-01",
    "player/p001/USD",
    "0188c0de-0000-5000-8000-000000000001",
    "acme",
    "A-1001",
)


def shape(message: Descriptor) -> str:
    """SHA-256, hex, over all that decides how the message's bytes are read: a version's name."""
    return hashlib.sha256("\n".join(_lines(message, "")).encode()).hexdigest()


def _lines(message: Descriptor, where: str) -> Iterator[str]:
    for field in sorted(message.fields, key=lambda field: field.number):
        kind = "repeated" if field.is_repeated else "optional" if field.has_presence else "one"
        yield f"{where}{field.number} {field.name} {field.type} {kind}"
        if field.message_type:
            yield from _lines(field.message_type, f"{where}{field.name}.")


def pool_of(file_set: Path) -> descriptor_pool.DescriptorPool:
    """The messages of a set of descriptions that ``buf build`` wrote, apart from today's."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(file_set.read_bytes()).file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def described(pool: descriptor_pool.DescriptorPool, type_name: str) -> Descriptor | None:
    """A message of ``pool``; None when that contract did not have it."""
    try:
        return pool.FindMessageTypeByName(type_name)
    except KeyError:
        return None


def files_of(type_name: str, golden: Path = GOLDEN) -> list[Path]:
    """The golden files of an event, oldest version first."""
    topic, _, name = type_name.removeprefix("pitstream.").rpartition(".")
    found = (golden / topic).glob(f"{name}.*.json")
    return sorted(found, key=lambda path: int(path.name.split(".")[1]))


def write(descriptors: dict[str, Descriptor], shipped: set[str], golden: Path = GOLDEN) -> list[Path]:
    """Write a golden file for each of the descriptors whose shape has none; what was written. ``shipped``: the shapes
    that are never written anew."""
    written = []
    for type_name, message in descriptors.items():
        known = files_of(type_name, golden)
        shapes = [json.loads(path.read_text())["shape"] for path in known]
        if shape(message) in shapes:
            continue
        number = len(known) + (0 if shapes and shapes[-1] not in shipped else 1)
        topic, _, name = type_name.removeprefix("pitstream.").rpartition(".")
        path = golden / topic / f"{name}.{number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        samples = [_sample(message, type_name, full=full) for full in (True, False)]
        content = {"type": type_name, "version": number, "shape": shape(message), "samples": samples}
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        written.append(path)
    return written


def _sample(message: Descriptor, type_name: str, *, full: bool) -> dict[str, Any]:
    schema = event_types()[type_name].model_json_schema()
    made = _message(message, schema, schema.get("$defs", {}), full=full)
    payload = made.SerializeToString(deterministic=True)
    event = upcast(decode_payload(type_name, payload))
    return {"payload": payload.hex(), "event": event.model_dump(mode="json")}


def _message(message: Descriptor, schema: dict[str, Any], parts: dict[str, Any], *, full: bool) -> Message:
    made = message_factory.GetMessageClass(message)()
    for field in message.fields:
        of_field = schema["properties"][field.name]
        choices = of_field.get("anyOf", [of_field])
        kind = next(choice for choice in choices if choice.get("type") != "null")
        if not full and ((field.has_presence and len(choices) > 1) or kind.get("type") in ("array", "object")):
            continue
        _set(made, field, kind, parts, full=full)
    return made


def _set(made: Message, field: FieldDescriptor, kind: dict[str, Any], parts: dict[str, Any], *, full: bool) -> None:
    if kind.get("type") == "object":
        getattr(made, field.name)["magic_card"] = "Td"
    elif kind.get("type") == "array":
        for _ in range(2):
            if field.message_type:
                of_item = parts[kind["items"]["$ref"].removeprefix("#/$defs/")]
                getattr(made, field.name).add().CopyFrom(_message(field.message_type, of_item, parts, full=full))
            else:
                getattr(made, field.name).append(_value(field, kind["items"], full=full))
    elif field.message_type:
        of_part = parts[kind["$ref"].removeprefix("#/$defs/")]
        getattr(made, field.name).CopyFrom(_message(field.message_type, of_part, parts, full=full))
    else:
        setattr(made, field.name, _value(field, kind, full=full))


def _value(field: FieldDescriptor, kind: dict[str, Any], *, full: bool) -> Any:
    """A value within the field's bounds: distinct from its neighbours' where ``full``, else the least there is."""
    if "enum" in kind or "const" in kind:
        allowed = kind.get("enum", [kind.get("const")])
        return allowed[-1 if full else 0]
    match kind["type"]:
        case "boolean":
            return full
        case "integer":
            least = kind["exclusiveMinimum"] + 1 if "exclusiveMinimum" in kind else kind["minimum"]
            return min(kind["maximum"], max(least, 100 * field.number + 1)) if full else least
        case "string" if kind.get("format") == "binary":
            return bytes(range(32)) if full else b""
        case "string" if "pattern" in kind:
            return next(text for text in _TEXTS if re.fullmatch(kind["pattern"], text))
        case "string":
            return f"{field.name}: é, —, 10d" if full else ""
    raise ValueError(f"{field.full_name}: no sample for {kind}")


def main() -> None:
    """Golden files for what is shipped, and for today's contract."""
    today = {name: message_class(name).DESCRIPTOR for name in event_types()}
    # What older contracts described comes first, so that versions are numbered in the order in which they were.
    shipped: set[str] = set()
    for file_set in [*map(Path, sys.argv[1:]), SHIPPED]:
        pool = pool_of(file_set)
        then = {name: message for name in today if (message := described(pool, name)) is not None}
        shipped |= {shape(message) for message in then.values()}
        for path in write(then, shipped):
            print(path.relative_to(ROOT))  # noqa: T201  # what a person who ran it wants to see
    for path in write(today, shipped):
        print(path.relative_to(ROOT))  # noqa: T201


if __name__ == "__main__":
    main()
