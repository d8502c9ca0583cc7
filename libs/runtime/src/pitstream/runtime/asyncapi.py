"""The description of the topics, for who reads them: AsyncAPI 3, made from the contract and the settings.

The bytes of a record are Protobuf (``proto/``); what is described here as JSON is the event inside, as the pages, the
archives and ``--json`` show it.
"""

import inspect
from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import BytesSchema

from pitstream.events import Event, event_types
from pitstream.runtime.settings import DEAD_LETTERS_TOPIC, TOPIC_SOURCES, ServiceSettings

KEYS = {
    "rounds.v1": "the table's id",
    "settlements.v1": "the table's id",
    "progressives.v1": "the network's id",
    "wallet.v1": "the account's id",
}
ENVELOPE = "pitstream.envelope.v1.Envelope"


def document(version: str, envelope_proto: str, examples: Mapping[str, Any]) -> dict[str, Any]:
    """The AsyncAPI document.

    ``version``: of the suite. ``envelope_proto``: text of the proto file that defines the envelope. ``examples``: event
    name to one event as JSON, of every event.
    """
    topics: dict[str, list[type[Event]]] = {topic: [] for topic in TOPIC_SOURCES}
    for event in sorted(event_types().values(), key=lambda event: event.type_name):
        topics[event.topic].append(event)
    events = [event for topic in topics.values() for event in topic]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "pitstream",
            "version": version,
            "description": (
                "Immutable events of poker table games. Every record's value is an Envelope (Protobuf); its `payload`"
                " is the event that its `type` names. Events of one key keep their order; `key_sequence` counts them"
                " from 1 without gaps; a record may be delivered more than once. Fields and types are only ever added."
            ),
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/protobuf",
        "channels": {
            **{topic: _channel(topic, [event.type_name for event in found]) for topic, found in topics.items()},
            DEAD_LETTERS_TOPIC: _dead_letters(),
        },
        "operations": {
            f"read_{topic.removesuffix('.v1').replace('-', '_')}": {
                "action": "receive",
                "channel": {"$ref": f"#/channels/{topic}"},
                "summary": f"Events that the {source} service writes.",
            }
            for topic, source in TOPIC_SOURCES.items()
        },
        "components": {
            "messages": {
                **{event.type_name: _message(event, examples[event.type_name]) for event in events},
                "DeadLetter": _dead_letter(),
            },
            "schemas": {
                "Envelope": {
                    "schemaFormat": "application/vnd.google.protobuf;version=3",
                    "schema": envelope_proto,
                },
                "Headers": _headers(),
                **_event_schemas(events),
            },
        },
    }


def _channel(topic: str, names: list[str]) -> dict[str, Any]:
    return {
        "address": topic,
        "title": topic,
        "description": f"Written by the {TOPIC_SOURCES[topic]} service alone. Key: {KEYS[topic]}.",
        "messages": {name.rpartition(".")[2]: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {"kafka": _kafka()},
    }


def _kafka() -> dict[str, Any]:
    return {
        "partitions": ServiceSettings.model_fields["partitions"].default,
        "topicConfiguration": {"cleanup.policy": ["delete"], "retention.ms": -1, "retention.bytes": -1},
        "bindingVersion": "0.5.0",
    }


def _message(event: type[Event], example: Any) -> dict[str, Any]:
    kind = event.__name__
    return {
        "name": event.type_name,
        "title": kind,
        "summary": " ".join(inspect.cleandoc(event.__doc__ or "").split()),
        "contentType": "application/protobuf",
        "headers": {"$ref": "#/components/schemas/Headers"},
        "payload": {"$ref": "#/components/schemas/Envelope"},
        "bindings": {"kafka": {"key": {"type": "string", "description": KEYS[event.topic]}, "bindingVersion": "0.5.0"}},
        "x-event": {"$ref": f"#/components/schemas/{event.topic}.{kind}"},
        "examples": [{"name": kind, "summary": "The event, as JSON.", "payload": example}],
    }


def _event_schemas(events: list[type[Event]]) -> dict[str, Any]:
    """JSON schemas of the events and of what they are made of. Two topics may each have a part of the same name."""
    found: dict[str, Any] = {}
    for event in events:
        topic = event.topic
        schema = event.model_json_schema(
            ref_template=f"#/components/schemas/{topic}.{{model}}", schema_generator=_HexSchema
        )
        for name, part in schema.pop("$defs", {}).items():
            found[f"{topic}.{name}"] = part
        found[f"{topic}.{event.__name__}"] = schema
    return dict(sorted(found.items()))


class _HexSchema(GenerateJsonSchema):
    """Bytes stand in JSON as hexadecimal digits; a length of bytes is twice as many of those."""

    def bytes_schema(self, schema: BytesSchema) -> JsonSchemaValue:
        told: JsonSchemaValue = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
        for name, length in (("minLength", schema.get("min_length")), ("maxLength", schema.get("max_length"))):
            if length is not None:
                told[name] = 2 * length
        return told


def _headers() -> dict[str, Any]:
    """CloudEvents' Kafka binding in binary mode, as ``relay.event_headers`` writes it."""
    told = {
        "ce_specversion": "Version of CloudEvents.",
        "ce_id": "The event's id: UUIDv5 of its stream and version, the same at every delivery.",
        "ce_source": "The service that wrote it.",
        "ce_type": "The event's name.",
        "ce_time": "When it was stored, UTC.",
        "ce_sequence": "Its version: the place in its stream, from 1.",
        "content-type": "Of the value.",
        "traceparent": "W3C trace context of the work that wrote it; only where traces are on.",
    }
    return {
        "type": "object",
        "required": [name for name in told if name != "traceparent"],
        "properties": {name: {"type": "string", "description": meaning} for name, meaning in told.items()},
    }


def _dead_letters() -> dict[str, Any]:
    return {
        "address": DEAD_LETTERS_TOPIC,
        "title": DEAD_LETTERS_TOPIC,
        "description": "Records that a service could not take, as they came, with the reason in headers.",
        "messages": {"DeadLetter": {"$ref": "#/components/messages/DeadLetter"}},
        "bindings": {"kafka": _kafka()},
    }


def _dead_letter() -> dict[str, Any]:
    told = {
        "pitstream-dead-letter-topic": "The topic that it was read from.",
        "pitstream-dead-letter-partition": "The partition that it was read from.",
        "pitstream-dead-letter-offset": "Where it stands there.",
        "pitstream-dead-letter-reason": "Why it was not taken, as a code.",
        "pitstream-dead-letter-error": "Why it was not taken, in words.",
        "pitstream-dead-letter-id": "Its number, by which it is looked at and retried.",
    }
    return {
        "name": "DeadLetter",
        "title": "DeadLetter",
        "summary": "A record that could not be taken: key, value and headers as they came, and these.",
        "contentType": "application/octet-stream",
        "headers": {
            "type": "object",
            "required": list(told),
            "properties": {name: {"type": "string", "description": meaning} for name, meaning in told.items()},
        },
    }
