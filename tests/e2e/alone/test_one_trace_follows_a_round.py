"""Method: the five services export to an OTLP receiver in this process, which decodes what really arrives; one round
with progressive wagers is played."""

import base64
import json
import time
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from pitstream.cli.receiver import receiving
from pitstream.envelope.v1.envelope_pb2 import Envelope

pytestmark = pytest.mark.stack

OnDay = Callable[[Sequence[str], str], list[str]]
SERVICES = {"pitstream-table", "pitstream-settlement", "pitstream-progressive", "pitstream-wallet", "pitstream-ops"}
READ_BY = {
    "rounds.v1": {"settlement", "progressive", "wallet", "ops"},
    "settlements.v1": {"progressive", "wallet", "ops"},
    "progressives.v1": {"table", "wallet", "ops"},
    "wallet.v1": {"table", "ops"},
}

WRITTEN_BY = {
    "rounds.v1": "table",
    "settlements.v1": "settlement",
    "progressives.v1": "progressive",
    "wallet.v1": "wallet",
}


def test_the_spans_of_a_round_in_all_five_services_are_one_trace(
    new_platform: Any, evening_uth: list[str], on_day: OnDay, monkeypatch: pytest.MonkeyPatch
):
    record = json.loads(on_day(evening_uth[:1], "2025-09-01")[0])
    assert any("progressive" in seat["wagers"] for seat in record["seats"])
    with receiving() as receiver:
        for name, value in receiver.environ.items():
            monkeypatch.setenv(name, value)
        with new_platform() as platform:
            platform.feed([json.dumps(record)])
            story = json.loads(platform.asked("replay", record["id"], "--json"))
            where = f"{story['table']}/{story['round_no']}"
            opened = first_envelope(platform, story)
            trace_id, opening_span = (bytes.fromhex(part) for part in opened.traceparent.split("-")[1:3])

            def batches_of_the_round() -> set[tuple[str, str]]:
                return {
                    (one.span.name, one.service)
                    for one in receiver.received
                    if any(link.trace_id == trace_id for link in one.span.links) and one.span.trace_id != trace_id
                }

            everyone = {(f"process {topic}", f"pitstream-{one}") for topic, by in READ_BY.items() for one in by}
            everyone |= {(f"send {topic}", f"pitstream-{one}") for topic, one in WRITTEN_BY.items()}
            deadline = time.monotonic() + 120
            while not everyone <= batches_of_the_round() and time.monotonic() < deadline:
                time.sleep(0.1)
            assert batches_of_the_round() == everyone

    spans = receiver.received
    assert receiver.unknown == [], "metrics are asked for, and not sent"
    ours = {one.span.span_id: one for one in spans if one.span.trace_id == trace_id}
    assert {one.service for one in ours.values()} == SERVICES
    [root] = [one for one in ours.values() if not one.span.parent_span_id]
    assert (root.service, root.span.name) == ("pitstream-table", "POST /v1/tables/{table}/rounds")
    assert ours[opening_span].span.parent_span_id == root.span.span_id
    assert all(one.span.parent_span_id in ours for one in ours.values() if one is not root)

    requests = [one for one in ours.values() if one.span.kind == Span.SPAN_KIND_SERVER]
    assert {one.service for one in requests} == {"pitstream-table"}
    names = {one.span.name.rpartition("/")[2] for one in requests}
    assert {"rounds", "wagers", "deal", "decisions", "community", "finish"} <= names
    for one in requests:
        assert one.attributes.keys() == {
            "http.request.method", "http.route", "http.response.status_code", "url.scheme", "url.path",
        }  # fmt: skip
        assert one.span.name == f"POST {one.attributes['http.route']}"
        below = [other for other in ours.values() if other.span.parent_span_id == one.span.span_id]
        sql = [other.span.name for other in below if other.attributes.get("db.system.name") == "postgresql"]
        assert {"INSERT commands", "COPY events", "COPY outbox", "UPDATE commands", "COMMIT"} <= set(sql), one.span.name
        assert [other.span.name for other in below if "db.system.name" not in other.attributes] == ["append round"]

    batches = {one.span.span_id: one for one in spans if one.span.name in {f"process {topic}" for topic in READ_BY}}
    for one in batches.values():
        topic = one.span.name.removeprefix("process ")
        assert (one.span.parent_span_id, one.span.kind) == (b"", Span.SPAN_KIND_CONSUMER)
        assert one.attributes == {
            "messaging.system": "kafka",
            "messaging.operation.type": "process",
            "messaging.operation.name": "process",
            "messaging.destination.name": topic,
            "messaging.consumer.group.name": f"{one.service.replace('-', '.')}.{topic}",
            "messaging.batch.message_count": len(one.span.links),
        }
        assert all(link.span_id in ours for link in one.span.links if link.trace_id == trace_id)
    # Where the round was posted: the wallet's SQL is below the batch, which each event's work is linked to.
    posting = {
        other.span.name
        for other in spans
        if other.attributes.get("db.system.name") and other.span.parent_span_id in batches
        if (batches[other.span.parent_span_id].service, batches[other.span.parent_span_id].span.name)
        == ("pitstream-wallet", "process settlements.v1")
    }
    assert {"WITH checkpoints", "COPY events", "COMMIT"} <= posting
    for one in spans:
        if one.attributes.get("db.system.name"):
            assert one.attributes.keys() == {"db.system.name", "db.operation.name", "db.query.text"}
            assert record["seats"][0]["player"] not in one.attributes["db.query.text"]

    caused = [one for one in ours.values() if one.span.kind == Span.SPAN_KIND_CONSUMER]
    assert {one.service for one in caused} == SERVICES
    for one in caused:
        [batch] = one.span.links
        topic = one.attributes["messaging.destination.name"]
        assert batches[batch.span_id].span.name == f"process {topic}"
        assert one.span.name == f"process {one.attributes['pitstream.event.type'].rpartition('.')[2]}"
        assert one.attributes.keys() - {"pitstream.round.id"} == {
            "messaging.system",
            "messaging.operation.type",
            "messaging.operation.name",
            "messaging.destination.name",
            "messaging.destination.partition.id",
            "messaging.consumer.group.name",
            "messaging.kafka.offset",
            "messaging.message.id",
            "pitstream.event.type",
            "pitstream.stream",
        }
        if topic in ("rounds.v1", "settlements.v1"):
            assert one.attributes["pitstream.round.id"] == where


def first_envelope(platform: Any, story: dict[str, Any]) -> Envelope:
    """The envelope of the round's first event, as the table service keeps it."""
    url = f"{platform.addresses.table}/v1/tables/{story['table']}/rounds/{story['round_no']}/events"
    with urllib.request.urlopen(urllib.request.Request(url, headers=platform.credential)) as answer:
        return Envelope.FromString(base64.b64decode(json.load(answer)[0]["envelope"]))
