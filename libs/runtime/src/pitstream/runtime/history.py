"""A stream's events as JSON: what every service answers on ``…/events``."""

import base64
from collections.abc import Iterable
from typing import Any

from pitstream.events import Recorded


def history(stream: Iterable[Recorded]) -> list[dict[str, Any]]:
    """One object an event, in order; ``envelope`` (base64) is the exact bytes that ``hash`` (hex, SHA-256) is over."""
    return [
        {
            "version": recorded.version,
            "event_id": recorded.envelope.event_id,
            "type": recorded.envelope.type,
            "recorded_at_us": recorded.envelope.recorded_at_us,
            "cause_id": recorded.envelope.cause_id,
            "actor": recorded.envelope.actor,
            "hash": recorded.hash.hex(),
            "event": recorded.event.model_dump(mode="json"),
            "envelope": base64.b64encode(recorded.data).decode("ascii"),
        }
        for recorded in stream
    ]
