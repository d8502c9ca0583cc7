"""Snapshots: a stream's state stored beside its events, so that a start costs the same however long the stream is.

A snapshot is a cache. It is used only by the very code that made it, for events that hash to what they hashed to then;
anything else is as if there were none, and the stream is folded from its beginning.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Generic, TypeVar

from pydantic import TypeAdapter

State = TypeVar("State")


class Snapshots(Generic[State]):
    """How one kind of state is stored. Made once, beside the ``evolve`` that makes such states.

    ``code``: the modules that say what a state is and how it follows from events. ``every``: so many events are folded
    before another snapshot is stored.

    States are dataclasses or models whose JSON tells all of them.
    """

    def __init__(self, kind: type[State], code: Sequence[ModuleType], *, every: int = 1_000) -> None:
        self.every = every
        self._adapter = TypeAdapter(kind)
        schema = json.dumps(self._adapter.json_schema(), sort_keys=True).encode()
        sources = [_source(module) for module in sorted(code, key=lambda module: module.__name__)]
        self.fingerprint = hashlib.sha256(b"\0".join([schema, *sources])).digest()
        """Changes with the code and with the shape of the state."""

    def dump(self, state: State) -> bytes:
        return self._adapter.dump_json(state)

    def load(self, stored: bytes) -> State:
        return self._adapter.validate_json(stored)


def _source(module: ModuleType) -> bytes:
    if module.__file__ is None:
        raise ValueError(f"{module.__name__} has no source: its snapshots could outlive it")
    return Path(module.__file__).read_bytes()
