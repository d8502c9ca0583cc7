"""Logs: one JSON object a line on standard output, a constant sentence plus fields; no card, no name, no secret."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog
from opentelemetry import trace

log: structlog.stdlib.BoundLogger = structlog.get_logger("pitstream")


def set_up(service: str, level: str) -> None:
    """Log as ``service``, from ``level`` upwards; the libraries' own records come out in the same shape."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _trace_id,
        # Without locals: they hold cards and names, and writing them out holds up the event loop for seconds.
        structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False)),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    structlog.contextvars.clear_contextvars()

    def name_service(_logger: Any, _method: str, record: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        record.pop("color_message", None)  # uvicorn's, for terminals
        return {"service": service, **record}

    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                name_service,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    # Every rebalance step and every retry; ours say what matters.
    logging.getLogger("aiokafka").setLevel(logging.WARNING)
    logging.getLogger("pitstream.faststream").setLevel(logging.ERROR)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)


def _trace_id(_logger: Any, _method: str, record: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    context = trace.get_current_span().get_span_context()
    if context.is_valid:
        record["trace_id"] = f"{context.trace_id:032x}"
    return record
