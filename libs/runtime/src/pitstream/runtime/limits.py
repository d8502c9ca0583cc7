"""Token buckets: how much of something one caller may have, in one process."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at_s: float


class Buckets:
    """A bucket for each name, full at first; the names used longest ago are forgotten, which fills their buckets."""

    def __init__(self, *, per_s: float, burst: int, clock: Callable[[], float], names_max: int = 10_000) -> None:
        self.per_s = per_s
        self.burst = burst
        self._clock = clock
        self._names_max = names_max
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, name: str) -> float:
        """Take one token of the name's bucket: 0, or the seconds to wait when there is none."""
        bucket = self._filled(name)
        if bucket.tokens < 1:
            return (1 - bucket.tokens) / self.per_s
        bucket.tokens -= 1
        return 0

    def wait_s(self, name: str) -> float:
        """What ``take`` would say, and nothing taken."""
        return max(0.0, (1 - self._filled(name).tokens) / self.per_s)

    def left(self, name: str) -> int:
        """Whole tokens in the name's bucket."""
        return int(self._filled(name).tokens)

    def _filled(self, name: str) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = _Bucket(float(self.burst), now)
            if len(self._buckets) > self._names_max:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(name)
        bucket.tokens = min(float(self.burst), bucket.tokens + (now - bucket.at_s) * self.per_s)
        bucket.at_s = now
        return bucket
