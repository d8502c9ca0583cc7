"""When a delivery is tried again, and when no more. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """The pause after the first failure; each further one is three times as long, up to ``pause_ms_max``.

    >>> schedule = Schedule(pause_ms=2_000, pause_ms_max=14_400_000, attempts_max=12)
    >>> [schedule.pause_after(attempts) for attempts in (1, 2, 3, 9, 11, 12)]
    [2000, 6000, 18000, 13122000, 14400000, None]
    """

    pause_ms: int
    pause_ms_max: int
    attempts_max: int

    def pause_after(self, attempts: int) -> int | None:
        """Milliseconds until the next attempt; None after the last one: the delivery is dead."""
        if attempts >= self.attempts_max:
            return None
        pause_ms: int = self.pause_ms * 3 ** (attempts - 1)
        return min(pause_ms, self.pause_ms_max)
