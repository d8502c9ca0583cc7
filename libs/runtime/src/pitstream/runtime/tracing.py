"""Spans of requests and of their SQL. Only where spans are exported: else nothing of this runs.

A round is one trace, and which round a command belongs to is known only once its stream was read. So a request's span
is begun when the request first appends, in that round's trace and dated back to the request's beginning; the caller's
own trace, where there is one, is linked. A request that appends nothing is in its caller's trace, as usual.
"""

import re
import time
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, NamedTuple

from opentelemetry import trace
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, StatusCode

from pitstream.runtime import telemetry

_request: ContextVar["Request | None"] = ContextVar("pitstream_request", default=None)


class _Query(NamedTuple):
    sql: str
    start_ns: int
    end_ns: int
    error: BaseException | None


class Request:
    """The request that is being answered."""

    def __init__(self, method: str, caller: str) -> None:
        """``caller``: the traceparent that came with it."""
        self._method = method
        self._start_ns = time.time_ns()
        self._caller = telemetry.span_context(caller)
        self._span: Span | None = None
        self._queries: list[_Query] = []
        self._ended = False
        _request.set(self)

    def within(self, traceparent: str) -> SpanContext:
        """The request's span, in the trace that its first append belongs to; "" begins one."""
        if self._span is None:
            links = [Link(self._caller)] if self._caller else []
            self._span = telemetry.start_span(
                self._method, parent=traceparent, kind=SpanKind.SERVER, links=links, start_ns=self._start_ns
            )
        return self._span.get_span_context()

    def queried(self, query: _Query) -> None:
        if self._ended and self._span is not None:
            _told(query, self._span.get_span_context())
        else:
            self._queries.append(query)

    def end(self, name: str, attributes: dict[str, str | int], *, failed: bool) -> None:
        """It was answered."""
        if self._span is None:
            self._span = telemetry.start_span(
                name, parent=self._caller or "", kind=SpanKind.SERVER, start_ns=self._start_ns
            )
        self._span.update_name(name)
        self._span.set_attributes(attributes)
        if failed:
            self._span.set_status(StatusCode.ERROR)
        for query in self._queries:
            _told(query, self._span.get_span_context())
        self._ended = True
        self._span.end()


def append_span(name: str, traceparent: str) -> Span:
    """Of events that are appended because of something in this trace, below the request that it came with."""
    request = _request.get()
    return telemetry.start_span(name, parent=request.within(traceparent) if request else traceparent)


def note_query(record: Any) -> None:
    """asyncpg's query logger: a statement is over."""
    end_ns = time.time_ns()
    _note(_Query(record.query, end_ns - int(record.elapsed * 1e9), end_ns, record.exception))


def note_copy(table: str, start_ns: int) -> None:
    """Rows were written by COPY, which asyncpg logs to nobody."""
    if telemetry.spans_are_exported():
        _note(_Query(f"COPY {table} FROM STDIN", start_ns, time.time_ns(), None))


def _note(query: _Query) -> None:
    request = _request.get()
    if request is not None:
        request.queried(query)
    elif (current := trace.get_current_span()).is_recording():
        _told(query, current.get_span_context())


def _told(query: _Query, parent: SpanContext) -> None:
    operation, name = _summary(query.sql)
    span = telemetry.start_span(
        name,
        parent=parent,
        kind=SpanKind.CLIENT,
        attributes={
            telemetry.DB_SYSTEM: "postgresql",
            telemetry.DB_OPERATION: operation,
            # The statement as it is written in the code: what it was asked about is in its parameters.
            telemetry.DB_QUERY: query.sql.strip(),
        },
        start_ns=query.start_ns,
    )
    if query.error is not None:
        span.set_status(StatusCode.ERROR, type(query.error).__name__)
    span.end(query.end_ns)


_TABLE = re.compile(r"\b(?:INTO\s+|(?:FROM|UPDATE|COPY)\s+(?![a-z_]+\())([a-z_][a-z0-9_]*)")


@lru_cache(maxsize=1024)
def _summary(sql: str) -> tuple[str, str]:
    """A statement's operation, and its name: with the first table that it names.

    >>> _summary("INSERT INTO inbox (topic) SELECT * FROM unnest($1)"), _summary("COMMIT;")
    (('INSERT', 'INSERT inbox'), ('COMMIT', 'COMMIT'))
    >>> _summary("SELECT a FROM unnest($1::text[]) JOIN b ON true")[1]
    'SELECT'
    """
    operation = sql.split(None, 1)[0].rstrip(";").upper()
    found = _TABLE.search(sql)
    return operation, f"{operation} {found[1]}" if found else operation
