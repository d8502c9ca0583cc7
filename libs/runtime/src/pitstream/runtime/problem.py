"""Errors over HTTP: one shape for all of them, ``application/problem+json`` (RFC 9457).

::

    {"type": "urn:pitstream:error:insufficient_funds", "title": "Insufficient funds", "status": 422,
     "detail": "was 5000; allowed: 1 to 1200", "code": "insufficient_funds", "field": "amount",
     "instance": "urn:pitstream:request:0af7651916cd43dd8448eb211c80319c"}

``code`` never changes its meaning (``docs/errors.md``), ``field`` is what the fault was found at, ``faults`` lists all
of a body's. ``instance`` names this one answer; it is the trace id of the request, so logs and traces are found by it.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Annotated, Any

from fastapi.responses import JSONResponse
from opentelemetry import trace
from pydantic import BaseModel, Field
from structlog.contextvars import bind_contextvars

from pitstream.events.refusal import Refusal
from pitstream.runtime.telemetry import span_context

MEDIA_TYPE = "application/problem+json"

_request_id: ContextVar[str] = ContextVar("pitstream_request_id", default="")


class Fault(BaseModel):
    """One fault of the input."""

    field: str
    message: str


class Problem(BaseModel):
    """Why a request was not carried out; ``docs/errors.md`` lists the codes."""

    type: Annotated[str, Field(examples=["urn:pitstream:error:insufficient_funds"])]
    title: Annotated[str, Field(examples=["Insufficient funds"])]
    status: Annotated[int, Field(examples=[422])]
    detail: Annotated[str, Field(description="what was found, and what is allowed")]
    code: Annotated[str, Field(description="never changes its meaning", examples=["insufficient_funds"])]
    field: Annotated[str, Field(description="what the fault was found at", examples=["amount"])]
    instance: Annotated[str, Field(description="names this one answer: the request's trace id is in it")]
    faults: Annotated[list[Fault] | None, Field(description="every fault of the input")] = None


def problem(refusal: Refusal, status: int) -> dict[str, Any]:
    """A refusal as a problem, without ``instance``: this is what is kept as a command's answer.

    >>> problem(Refusal("not_asked", "seat", "was 2; seat 1 is being asked"), 422)["title"]
    'Not asked'
    """
    return {
        "type": f"urn:pitstream:error:{refusal.code}",
        "title": refusal.code.replace("_", " ").capitalize(),
        "status": status,
        "detail": refusal.message,
        "code": refusal.code,
        "field": refusal.field,
    }


def problem_response(
    body: Mapping[str, Any], status: int, headers: Mapping[str, str] | None = None, faults: Sequence[Fault] = ()
) -> JSONResponse:
    """A problem as this request's answer."""
    told = [fault.model_dump() for fault in faults]
    whole = {**body, "instance": f"urn:pitstream:request:{_request_id.get()}"} | ({"faults": told} if told else {})
    return JSONResponse(whole, status, headers=headers, media_type=MEDIA_TYPE)


def begin_request(traceparent: str) -> None:
    """Give the request that begins here its id: that of its trace, where there is one, else a new one. Logs have it."""
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        context = span_context(traceparent) or context
    chosen = f"{context.trace_id:032x}" if context.is_valid else secrets.token_hex(16)
    _request_id.set(chosen)
    bind_contextvars(trace_id=chosen)
