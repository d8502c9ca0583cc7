"""What every service's shell shares: event store, inbox, outbox relay, consumers, settings, telemetry."""

from pitstream.runtime.access import Principal, Role, allowed, unknown
from pitstream.runtime.commands import (
    AnsweredError,
    Outcome,
    command_id,
    has_heard,
    once_published,
    run_command,
    store_of,
)
from pitstream.runtime.history import RecordedView, history
from pitstream.runtime.inbox_store import Handler
from pitstream.runtime.openapi import MAY_BE_UNCERTAIN
from pitstream.runtime.service import Service
from pitstream.runtime.settings import ServiceSettings
from pitstream.runtime.store import Cause, Folded, Store, StreamConflictError, Transaction

__all__ = [
    "MAY_BE_UNCERTAIN",
    "AnsweredError",
    "Cause",
    "Folded",
    "Handler",
    "Outcome",
    "Principal",
    "RecordedView",
    "Role",
    "Service",
    "ServiceSettings",
    "Store",
    "StreamConflictError",
    "Transaction",
    "allowed",
    "command_id",
    "has_heard",
    "history",
    "once_published",
    "run_command",
    "store_of",
    "unknown",
]
