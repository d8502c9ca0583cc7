"""What an audit finds: one event that is not as it must be, with what was recorded and what is right."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pitstream.archive import Fault, Stored


@dataclass(frozen=True, slots=True)
class Finding:
    """One event that is not as it must be; where one is missing, the one that is."""

    check: str
    """The promise that is broken, by its stable name."""
    topic: str
    """The event's topic."""
    stream: str
    """The event's stream."""
    version: int
    """Its number there."""
    event_id: str
    """Its id."""
    where: str
    """The place in the source, in words."""
    message: str
    """What is wrong."""
    recorded: str = ""
    """What stands there; empty where there is nothing to quote."""
    right: str = ""
    """What must stand there."""

    def __str__(self) -> str:
        named = f"{self.stream} version {self.version} ({self.event_id})"
        quoted = f"; recorded: {self.recorded}; right: {self.right}" if self.recorded or self.right else ""
        return f"{self.check}: {named} at {self.where}: {self.message}{quoted}"


Report = Callable[[Finding], None]


def found(check: str, at: Stored, message: str, recorded: object = "", right: object = "") -> Finding:
    """A finding about an event that is there."""
    return Finding(
        check, at.topic, at.stream, at.version, at.event_id, at.where, message, str(recorded)[:500], str(right)[:500]
    )


def of_fault(check: str, topic: str, fault: Fault) -> Finding:
    """A finding that the source's own check made."""
    return Finding(check, topic, fault.stream, fault.version, fault.event_id, fault.where, fault.message)


def difference(recorded: Any, right: Any, at: str = "") -> tuple[str, Any, Any]:
    """The first value in which two JSON values differ: where, what stands there, what must.

    >>> difference({"a": 1, "b": [{"c": 2}]}, {"a": 1, "b": [{"c": 3}]})
    ('b.0.c', 2, 3)
    >>> difference({"a": [1]}, {"a": [1, 2]})
    ('a.1', None, 2)
    """
    if isinstance(recorded, list | tuple) and isinstance(right, list | tuple):
        recorded, right = dict(enumerate(recorded)), dict(enumerate(right))
    if isinstance(recorded, Mapping) and isinstance(right, Mapping):
        for name in (*right, *(name for name in recorded if name not in right)):
            have, want = recorded.get(name), right.get(name)
            if have != want:
                return difference(have, want, f"{at}.{name}" if at else str(name))
    return at, recorded, right
