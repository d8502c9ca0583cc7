"""Every span and attribute name, and how a trace travels: one trace a round, over all services.

The span that wrote an event is in the event's envelope (``traceparent``); work that the event causes, in whatever
service, is that span's child. Names follow OpenTelemetry's messaging conventions where one exists.
"""

import os

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

_tracer = trace.get_tracer("pitstream.runtime")
_ROOT = trace.set_span_in_context(trace.INVALID_SPAN, Context())


def set_up(service: str) -> TracerProvider:
    """Spans of this process, where the standard variables name an endpoint to export them to over OTLP/HTTP.

    Without one no span is recorded, since nobody would see it; events still carry the ids of their trace.
    """
    exported = any(os.environ.get(f"OTEL_EXPORTER_OTLP_{name}ENDPOINT") for name in ("", "TRACES_"))
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


def start_span(
    name: str,
    *,
    parent: str = "",
    kind: SpanKind = SpanKind.INTERNAL,
    links: list[Link] | None = None,
    attributes: dict[str, str | int] | None = None,
) -> Span:
    """A span in the trace of ``parent`` (a W3C traceparent); without one it is the root of a new trace."""
    above = span_context(parent)
    context = _ROOT if above is None else trace.set_span_in_context(NonRecordingSpan(above))
    return _tracer.start_span(name, context=context, kind=kind, links=links, attributes=attributes)


def span_context(traceparent: str) -> SpanContext | None:
    """The context that a W3C traceparent names; None where there is none, or it is not one.

    >>> hex(span_context("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").span_id)
    '0xb7ad6b7169203331'
    >>> span_context("") is span_context("00-zz-1-01") is None
    True
    """
    parts = traceparent.split("-")
    if len(parts) < 4 or (len(parts[1]), len(parts[2])) != (32, 16):
        return None
    try:
        context = SpanContext(
            int(parts[1], 16), int(parts[2], 16), is_remote=True, trace_flags=TraceFlags(int(parts[3], 16))
        )
    except ValueError:
        return None
    return context if context.is_valid else None


def traceparent(span: Span) -> str:
    """W3C traceparent of a span; empty when tracing is off."""
    context = span.get_span_context()
    if not context.is_valid:
        return ""
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


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
