"""Every name of spans, attributes and metrics that all services share, and how a trace travels: one trace a round.

The span that wrote an event is in the event's envelope (``traceparent``); work that the event causes, in whatever
service, is that span's child. Names follow OpenTelemetry's conventions for HTTP, messaging and databases where one
exists. What a service counts beyond this is in its own ``telemetry`` module.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import Link, NonRecordingSpan, Span, SpanContext, SpanKind, TraceFlags

from pitstream.events import Envelope

MESSAGING_SYSTEM = "messaging.system"
MESSAGING_DESTINATION = "messaging.destination.name"
MESSAGING_PARTITION = "messaging.destination.partition.id"
MESSAGING_OFFSET = "messaging.kafka.offset"
MESSAGING_OPERATION = "messaging.operation.type"
MESSAGING_OPERATION_NAME = "messaging.operation.name"
MESSAGING_GROUP = "messaging.consumer.group.name"
MESSAGING_BATCH_COUNT = "messaging.batch.message_count"
MESSAGING_MESSAGE_ID = "messaging.message.id"
EVENT_TYPE = "pitstream.event.type"
STREAM = "pitstream.stream"
ROUND_ID = "pitstream.round.id"
CAUSE_ID = "pitstream.cause.id"
ERROR_TYPE = "error.type"
HTTP_METHOD = "http.request.method"
HTTP_ROUTE = "http.route"
HTTP_STATUS = "http.response.status_code"
URL_PATH = "url.path"
URL_SCHEME = "url.scheme"
DB_SYSTEM = "db.system.name"
DB_NAMESPACE = "db.namespace"
DB_OPERATION = "db.operation.name"
DB_QUERY = "db.query.text"
DB_STATE = "db.client.connection.state"
REASON = "pitstream.reason"

BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Metric:
    """What is measured: its name, its unit, and the attributes that it is told by. Their values are of closed sets: no
    player, no table, no round is one, or every evening would leave thousands of series behind."""

    name: str
    kind: Literal["counter", "histogram", "gauge"]
    unit: str
    what: str
    attributes: tuple[str, ...] = ()


def seconds(name: str, what: str, *attributes: str) -> Metric:
    """A histogram of durations."""
    return Metric(name, "histogram", "s", what, attributes)


HTTP_DURATION = seconds(
    "http.server.request.duration",
    "from a request's first byte to the end of its answer; without a route, it was refused before one",
    HTTP_METHOD, HTTP_ROUTE, HTTP_STATUS, URL_SCHEME,
)  # fmt: skip
DB_DURATION = seconds(
    "db.client.operation.duration",
    "of a whole transaction, from its beginning to its commit or its end without one",
    DB_SYSTEM, DB_OPERATION, ERROR_TYPE,
)  # fmt: skip
DB_WAIT = seconds("db.client.connection.wait_time", "until the pool had a connection for a transaction")
DB_CONNECTIONS = Metric("db.client.connection.count", "gauge", "{connection}", "in the pool, by state", (DB_STATE,))
DB_CONNECTIONS_MAX = Metric("db.client.connection.max", "gauge", "{connection}", "that the pool may open")
PROCESS_DURATION = seconds(
    "messaging.process.duration",
    "of a polled batch, with its transaction; a batch that is tried again counts each time",
    MESSAGING_SYSTEM, MESSAGING_OPERATION_NAME, MESSAGING_DESTINATION, MESSAGING_GROUP, ERROR_TYPE,
)  # fmt: skip
CONSUMED = Metric(
    "messaging.client.consumed.messages", "counter", "{message}", "of batches that were committed",
    (MESSAGING_SYSTEM, MESSAGING_OPERATION_NAME, MESSAGING_DESTINATION, MESSAGING_GROUP),
)  # fmt: skip
SENT = Metric(
    "messaging.client.sent.messages", "counter", "{message}", "that Kafka has acknowledged",
    (MESSAGING_SYSTEM, MESSAGING_OPERATION_NAME, MESSAGING_DESTINATION),
)  # fmt: skip
SEND_DURATION = seconds(
    "messaging.client.operation.duration",
    "until Kafka had acknowledged a batch of the outbox",
    MESSAGING_SYSTEM, MESSAGING_OPERATION_NAME,
)  # fmt: skip
LAG = Metric(
    "pitstream.consumer.lag", "gauge", "{message}", "records that no instance has applied yet",
    (MESSAGING_DESTINATION, MESSAGING_GROUP),
)  # fmt: skip
OUTBOX = Metric("pitstream.outbox.messages", "gauge", "{message}", "written and not acknowledged by Kafka yet")
OUTBOX_AGE = Metric("pitstream.outbox.age", "gauge", "s", "of the oldest that is not acknowledged yet; 0 without one")
RELAY_OWNER = Metric("pitstream.relay.owner", "gauge", "{owner}", "1 where this process publishes the service's outbox")
DEAD_LETTERS = Metric(
    "pitstream.dead_letters.waiting", "gauge", "{message}", "that nobody has retried with success yet",
    (MESSAGING_DESTINATION, REASON),
)  # fmt: skip
PARKED_KEYS = Metric(
    "pitstream.parked.keys", "gauge", "{key}", "that stand still: for a dead letter, or for a gap to be filled",
    (MESSAGING_DESTINATION,),
)  # fmt: skip
PARKED = Metric(
    "pitstream.parked.messages", "gauge", "{message}", "that wait behind those keys", (MESSAGING_DESTINATION,)
)
MEMORY = Metric("process.memory.usage", "gauge", "By", "resident memory of the process")
CPU = Metric("process.cpu.time", "counter", "s", "that the process has used")
LOOP_LATE = Metric("pitstream.event_loop.delay", "gauge", "s", "the latest turn of the last seconds, beyond its time")
METRICS = (
    HTTP_DURATION, PROCESS_DURATION, CONSUMED, SENT, SEND_DURATION, DB_DURATION, DB_WAIT, DB_CONNECTIONS,
    DB_CONNECTIONS_MAX, LAG, OUTBOX, OUTBOX_AGE, RELAY_OWNER, DEAD_LETTERS, PARKED_KEYS, PARKED, MEMORY, CPU, LOOP_LATE,
)  # fmt: skip
"""Of every service."""

_tracer = trace.get_tracer("pitstream.runtime")
_ROOT = trace.set_span_in_context(trace.INVALID_SPAN, Context())


def set_up(service: str) -> TracerProvider:
    """Spans of this process, where the standard variables name an endpoint to export them to over OTLP/HTTP.

    Without one no span is recorded, since nobody would see it; events still carry the ids of their trace.
    """
    exported = spans_are_exported()
    provider = TracerProvider(
        resource=Resource.create({SERVICE_NAME: f"pitstream-{service}"}),
        sampler=None if exported else ALWAYS_OFF,
        # A batch links to each event in it; the default keeps 128 of them.
        span_limits=SpanLimits(max_links=10_000),
    )
    if exported:
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider


def spans_are_exported() -> bool:
    """Whether anybody sees the spans of this process."""
    return any(os.environ.get(f"OTEL_EXPORTER_OTLP_{name}ENDPOINT") for name in ("", "TRACES_"))


def start_span(
    name: str,
    *,
    parent: str | SpanContext = "",
    kind: SpanKind = SpanKind.INTERNAL,
    links: Sequence[Link] = (),
    attributes: dict[str, str | int] | None = None,
    start_ns: int | None = None,
) -> Span:
    """A span in the trace of ``parent`` (a W3C traceparent); without one it is the root of a new trace. ``start_ns``:
    when it began, should that be over."""
    above = span_context(parent) if isinstance(parent, str) else parent
    context = _ROOT if above is None else trace.set_span_in_context(NonRecordingSpan(above))
    return _tracer.start_span(name, context=context, kind=kind, links=links, attributes=attributes, start_time=start_ns)


def span_context(traceparent: str) -> SpanContext | None:
    """The context that a W3C traceparent names; None where there is none, or it is not one.

    >>> hex(span_context("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").span_id)
    '0xb7ad6b7169203331'
    >>> long_flags = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01ff"
    >>> [span_context(one) for one in ("", "00-zz-1-01", long_flags)]
    [None, None, None]
    """
    found = _TRACEPARENT.fullmatch(traceparent)
    if found is None:
        return None
    trace_id, span_id, flags = (int(part, 16) for part in found.groups())
    context = SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags))
    return context if context.is_valid else None


# A later version may have more behind its flags. Anything longer in their place could not be exported.
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?", re.DOTALL)


def traceparent(span: Span) -> str:
    """W3C traceparent of a span; empty when tracing is off."""
    context = span.get_span_context()
    if not context.is_valid:
        return ""
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def sent_attributes(topic: str, count: int) -> dict[str, str | int]:
    """Of the span of records that were sent to one topic together."""
    return {
        MESSAGING_SYSTEM: "kafka",
        MESSAGING_OPERATION: "send",
        MESSAGING_OPERATION_NAME: "send",
        MESSAGING_DESTINATION: topic,
        MESSAGING_BATCH_COUNT: count,
    }


def batch_attributes(topic: str, group: str, count: int) -> dict[str, str | int]:
    """Of the span of one polled batch."""
    return {
        MESSAGING_SYSTEM: "kafka",
        MESSAGING_OPERATION: "process",
        MESSAGING_OPERATION_NAME: "process",
        MESSAGING_DESTINATION: topic,
        MESSAGING_GROUP: group,
        MESSAGING_BATCH_COUNT: count,
    }


def event_attributes(topic: str, group: str, partition: int, offset: int, envelope: Envelope) -> dict[str, str | int]:
    """Of the span of the work that one event causes."""
    attributes: dict[str, str | int] = {
        MESSAGING_SYSTEM: "kafka",
        MESSAGING_OPERATION: "process",
        MESSAGING_OPERATION_NAME: "process",
        MESSAGING_DESTINATION: topic,
        MESSAGING_GROUP: group,
        MESSAGING_PARTITION: str(partition),
        MESSAGING_OFFSET: offset,
        MESSAGING_MESSAGE_ID: envelope.event_id,
        EVENT_TYPE: envelope.type,
        STREAM: envelope.stream,
    }
    round_of_it = round_id(envelope.stream)
    return attributes if round_of_it is None else {**attributes, ROUND_ID: round_of_it}


def link(traceparent: str) -> list[Link]:
    """A link to the work that wrote something, or none."""
    context = span_context(traceparent)
    return [Link(context)] if context else []


def round_id(stream: str) -> str | None:
    """``<table>/<round_no>`` of the streams that belong to one round.

    >>> round_id("round/uth-01/7"), round_id("settlement/uth-01/7"), round_id("table/uth-01")
    ('uth-01/7', 'uth-01/7', None)
    """
    kind, _, rest = stream.partition("/")
    return rest if kind in ("round", "settlement") else None
