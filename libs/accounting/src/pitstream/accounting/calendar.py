"""Gaming days and shifts of a property: local wall times, so that a day has 23 or 25 hours where its clocks change.

A gaming day begins at the roll on its own date and ends at the roll of the next date. A wall time that comes twice
means its first coming; one that never comes means the moment at which the clocks skip it. Pure.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEAR_MAX = 9998


@dataclass(frozen=True, slots=True)
class Calendar:
    """When a property's gaming day and its shifts begin. The first shift begins with the day."""

    zone: ZoneInfo
    day_begins: time
    shifts: tuple[tuple[str, time], ...]

    @property
    def shift_names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.shifts)

    def bounds_us(self, day: date) -> tuple[int, int]:
        """First and last-but-not-in moment of the gaming day, microseconds since 1970.

        >>> new_york = Calendar(ZoneInfo("America/New_York"), time(6), (("day", time(6)),))
        >>> for day in (date(2026, 3, 7), date(2026, 3, 8), date(2026, 10, 31)):
        ...     begins, ends = new_york.bounds_us(day)
        ...     print(day, (ends - begins) / 3_600_000_000, "hours")
        2026-03-07 23.0 hours
        2026-03-08 24.0 hours
        2026-10-31 25.0 hours
        """
        return self._moment_us(day, self.day_begins), self._moment_us(day + timedelta(days=1), self.day_begins)

    def gaming_day(self, moment_us: int) -> date:
        """The gaming day that a moment is in.

        >>> new_york = Calendar(ZoneInfo("America/New_York"), time(6), (("day", time(6)),))
        >>> six_utc = 1_767_333_600_000_000  # 2026-01-02 06:00 UTC, 01:00 in New York
        >>> new_york.gaming_day(six_utc), new_york.gaming_day(six_utc + 5 * 3_600_000_000)
        (datetime.date(2026, 1, 1), datetime.date(2026, 1, 2))
        """
        local = _when(moment_us).astimezone(self.zone).date()
        # The next date too: where clocks skip the roll itself, its day begins before the local time says so.
        for day in (local + timedelta(days=1), local):
            if self._moment_us(day, self.day_begins) <= moment_us:
                return day
        return local - timedelta(days=1)

    def shift_at(self, day: date, moment_us: int) -> str:
        """The shift of a gaming day that a moment belongs to: the first one before the day, the last one after it. A
        table that plays on after the roll is still in its day's last shift."""
        found = self.shifts[0][0]
        if day.year > _YEAR_MAX:  # such a day ends outside of the calendar, and is still to come
            return found
        for name, begins in self.shifts[1:]:
            if self._shift_begins_us(day, begins) > moment_us:
                break
            found = name
        return found

    def _shift_begins_us(self, day: date, begins: time) -> int:
        return self._moment_us(day if begins >= self.day_begins else day + timedelta(days=1), begins)

    def _moment_us(self, day: date, wall: time) -> int:
        local = datetime.combine(day, wall, tzinfo=self.zone)
        moment = local.astimezone(UTC)
        if moment.astimezone(self.zone).replace(tzinfo=None) == local.replace(tzinfo=None):
            return _us(moment)
        return self._skip_us(_us(local.replace(fold=1).astimezone(UTC)), _us(moment))

    def _skip_us(self, before: int, after: int) -> int:
        """The moment between two at which the clocks are set forward, to the second: zones change on whole ones."""
        offset = _when(before).astimezone(self.zone).utcoffset()
        while after - before > 1_000_000:
            middle = (before + after) // 2_000_000 * 1_000_000
            if _when(middle).astimezone(self.zone).utcoffset() == offset:
                before = middle
            else:
                after = middle
        return after


def _when(moment_us: int) -> datetime:
    return _EPOCH + timedelta(microseconds=moment_us)


def _us(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
