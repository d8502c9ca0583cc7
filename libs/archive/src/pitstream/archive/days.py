"""Which gaming day an event belongs to. Pure.

- An event of a table (topics ``rounds.v1``, ``settlements.v1``): the day that its table was last opened for, or that
  the settled round was dealt on.
- An event of a network or an account: no day is written in it; it belongs to the floor's day when it was recorded,
  which is the latest day that any table had been opened for by then. So what a round of the evening moved stands in the
  evening's day, whatever the clock says, and a deposit at noon in the day before until the first table opens.
- The days of one key never go back: an event that names an earlier day than the one before it belongs to the later one.

So every key's events fall into days as consecutive slices of its gapless sequence: nothing can be between two days.
"""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Final

from google.protobuf.message import DecodeError

from pitstream.archive.stored import Stored
from pitstream.events import Envelope
from pitstream.events.codec import message_class

OPENINGS: Final = frozenset({"pitstream.rounds.v1.TableOpened"})
_NAME_A_DAY: Final = OPENINGS | {"pitstream.rounds.v1.RoundOpened", "pitstream.settlements.v1.RoundSettled"}
_OF_TABLES: Final = frozenset({"rounds.v1", "settlements.v1"})
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Days:
    """The floor's days, from the envelopes of every table's openings in any order."""

    def __init__(self, openings: Iterable[bytes]) -> None:
        self._moments: list[int] = []
        self._days: list[str] = []
        for moment, day in sorted(_opening(data) for data in openings):
            if day and (not self._days or day > self._days[-1]):
                self._moments.append(moment)
                self._days.append(day)

    def floor(self, moment_us: int) -> str:
        """The latest day that a table had been opened for at a moment. Before any was: the first day; where no table
        ever was, the moment's own date in UTC."""
        if not self._days:
            return (_EPOCH + timedelta(microseconds=moment_us)).date().isoformat()
        return self._days[max(0, bisect_right(self._moments, moment_us) - 1)]

    def of(self, stored: Stored, before: str) -> str:
        """The day of an event, where the one before it of its key belongs to ``before`` ("" for the first one)."""
        day = ""
        if stored.topic not in _OF_TABLES:
            day = self.floor(stored.recorded_at_us)
        elif stored.type in _NAME_A_DAY:
            day = _opening(stored.data)[1]
        return max(day, before) or self.floor(stored.recorded_at_us)


def _opening(data: bytes) -> tuple[int, str]:
    """When it was recorded, and the gaming day in it; "" where there is none, or no such day."""
    try:
        envelope = Envelope.FromString(data)
        if envelope.type not in _NAME_A_DAY:
            return 0, ""
        payload = message_class(envelope.type).FromString(envelope.payload)
        return envelope.recorded_at_us, date.fromisoformat(getattr(payload, "gaming_day", "")).isoformat()
    except (DecodeError, ValueError):
        return 0, ""
