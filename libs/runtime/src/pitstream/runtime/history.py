"""A stream's events as JSON: what every service answers on ``…/events``."""

import base64
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, Field

from pitstream.events import Recorded


class RecordedView(BaseModel):
    """An event as it was stored."""

    version: Annotated[int, Field(description="its place in its stream, from 1")]
    event_id: str
    type: Annotated[str, Field(examples=["pitstream.rounds.v1.RoundOpened"])]
    recorded_at_us: Annotated[int, Field(description="microseconds since 1970, UTC")]
    cause_id: Annotated[str, Field(description="the command, or the event, that it came of")]
    actor: Annotated[str, Field(description="who caused it", examples=["f.moreau"])]
    hash: Annotated[str, Field(description="SHA-256 of the envelope, hex")]
    event: Annotated[dict[str, Any], Field(description="its own fields, which docs/events.md lists")]
    envelope: Annotated[str, Field(description="the exact bytes stored, base64")]


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
