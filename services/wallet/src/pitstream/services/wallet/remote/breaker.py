"""A circuit breaker for one operator: who does not answer is left alone for a while, and nobody waits for it. Pure."""

from dataclasses import dataclass

FAILURES_MAX = 8
REST_MS = 2_000


@dataclass(frozen=True, slots=True)
class Breaker:
    """Closed while fewer than ``FAILURES_MAX`` calls in a row told nothing. Then it rests; after that one call at a
    time tries whether the operator is back. Times are milliseconds of any clock that only goes forward."""

    failures: int = 0
    rests_until_ms: int = 0

    @property
    def is_closed(self) -> bool:
        """Whether the operator answers, as far as is known."""
        return self.failures < FAILURES_MAX

    def lets_through(self, now_ms: int) -> bool:
        """Whether a call may be made."""
        return self.is_closed or now_ms >= self.rests_until_ms

    def trying(self, now_ms: int) -> "Breaker":
        """After a call began. While it is under way the others keep resting, should the breaker be open."""
        return self if self.is_closed else Breaker(self.failures, now_ms + REST_MS)

    def heard(self) -> "Breaker":
        """After an answer that can be believed, be it yes or no."""
        return Breaker()

    def doubted(self, now_ms: int) -> "Breaker":
        """After a call that told nothing."""
        return Breaker(self.failures + 1, now_ms + REST_MS)
