"""Method: the five services export to an OTLP receiver in this process, which decodes what really arrives; one round
with progressive wagers is played."""

import base64
import json
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

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


@dataclass(frozen=True)
class Received:
    """A span and the service that sent it."""

    service: str
    span: Span
    attributes: dict[str, Any]


class Receiver(ThreadingHTTPServer):
    """OTLP over HTTP: takes what exporters post to /v1/traces."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Post)
        self.received: list[Received] = []


class _Post(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        request = ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"])))
        assert (self.path, self.headers["Content-Type"]) == ("/v1/traces", "application/x-protobuf")
        for resource in request.resource_spans:
            service = values(resource.resource.attributes)["service.name"]
            for scope in resource.scope_spans:
                self.server.received += [Received(service, span, values(span.attributes)) for span in scope.spans]
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def values(attributes: Sequence[KeyValue]) -> dict[str, Any]:
    def value(of: AnyValue) -> Any:
        return getattr(of, of.WhichOneof("value") or "string_value")

    return {attribute.key: value(attribute.value) for attribute in attributes}


@contextmanager
def receiving() -> Iterator[Receiver]:
    with Receiver() as receiver:
        thread = threading.Thread(target=receiver.serve_forever)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.shutdown()
            thread.join()


def test_the_spans_of_a_round_in_all_five_services_are_one_trace(
    new_platform: Any, evening_uth: list[str], on_day: OnDay, monkeypatch: pytest.MonkeyPatch
):
    record = json.loads(on_day(evening_uth[:1], "2025-09-01")[0])
    assert any("progressive" in seat["wagers"] for seat in record["seats"])
    with receiving() as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{receiver.server_port}")
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")
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

            every_reader = {(f"process {topic}", f"pitstream-{one}") for topic, by in READ_BY.items() for one in by}
            deadline = time.monotonic() + 20
            while not every_reader <= batches_of_the_round() and time.monotonic() < deadline:
                time.sleep(0.1)
            assert batches_of_the_round() == every_reader

    spans = receiver.received
    ours = {one.span.span_id: one for one in spans if one.span.trace_id == trace_id}
    assert {one.service for one in ours.values()} == SERVICES
    assert [one.span.span_id for one in ours.values() if not one.span.parent_span_id] == [opening_span]
    assert all(one.span.parent_span_id in ours for one in ours.values() if one.span.span_id != opening_span)

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
