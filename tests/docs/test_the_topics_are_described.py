"""``docs/asyncapi.json`` is true. Method: AsyncAPI's own schema (``tests/data/asyncapi``, Apache-2.0), and comparison
with what the relay writes and the contract holds."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pitstream.events import Envelope, event_types
from pitstream.runtime.relay import event_headers
from pitstream.runtime.settings import DEAD_LETTERS_TOPIC, TOPIC_SOURCES

ROOT = Path(__file__).parents[2]
DOCUMENT: dict[str, Any] = json.loads((ROOT / "docs/asyncapi.json").read_text())
SPECIFICATION = json.loads((ROOT / "tests/data/asyncapi/3.0.0.json").read_text())
SCHEMAS = DOCUMENT["components"]["schemas"]
MESSAGES = DOCUMENT["components"]["messages"]


def test_the_document_is_asyncapi() -> None:
    jsonschema.Draft7Validator(SPECIFICATION).validate(DOCUMENT)


def test_every_topic_tells_each_of_its_events() -> None:
    told = {
        topic: {reference["$ref"].rpartition("/")[2] for reference in channel["messages"].values()}
        for topic, channel in DOCUMENT["channels"].items()
    }
    expected = {topic: {name for name, kind in event_types().items() if kind.topic == topic} for topic in TOPIC_SOURCES}
    assert told == {**expected, DEAD_LETTERS_TOPIC: {"DeadLetter"}}


@pytest.mark.parametrize("traceparent", ["", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"])
def test_every_header_that_the_relay_writes_is_told_and_no_other(traceparent: str) -> None:
    written = {name for name, _ in event_headers(Envelope(traceparent=traceparent))}
    headers = SCHEMAS["Headers"]
    assert written == set(headers["properties"] if traceparent else headers["required"])


@pytest.mark.parametrize("name", sorted(event_types()))
def test_the_example_of_an_event_is_of_its_schema(name: str) -> None:
    message = MESSAGES[name]
    (example,) = message["examples"]
    schema = {"$ref": message["x-event"]["$ref"], "components": {"schemas": SCHEMAS}}
    jsonschema.Draft202012Validator(schema).validate(example["payload"])


def test_every_reference_leads_somewhere() -> None:
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(DOCUMENT)):
        found: Any = DOCUMENT
        for step in reference.split("/"):
            found = found[step]
