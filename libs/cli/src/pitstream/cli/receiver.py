"""An OTLP receiver in this process: takes the spans that services send, as they really arrive."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

_PATH, _TYPE = "/v1/traces", "application/x-protobuf"


@dataclass(frozen=True)
class Received:
    """A span and the service that sent it."""

    service: str
    span: Span
    attributes: dict[str, Any]


class Receiver(ThreadingHTTPServer):
    """OTLP over HTTP. ``unknown``: what was posted that are no spans."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Post)
        self.received: list[Received] = []
        self.unknown: list[tuple[str, str]] = []

    @property
    def environ(self) -> dict[str, str]:
        """The variables by which a service sends its spans here, soon."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.server_port}",
            "OTEL_BSP_SCHEDULE_DELAY": "200",
        }


class _Post(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if (self.path, self.headers["Content-Type"]) != (_PATH, _TYPE):
            self.server.unknown.append((self.path, self.headers["Content-Type"]))
            self.send_error(404)
            return
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = values(resource.resource.attributes)["service.name"]
            for scope in resource.scope_spans:
                self.server.received += [Received(service, span, values(span.attributes)) for span in scope.spans]
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", _TYPE)
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
    """A receiver that runs until the block ends."""
    with Receiver() as receiver:
        thread = threading.Thread(target=receiver.serve_forever)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.shutdown()
            thread.join()
