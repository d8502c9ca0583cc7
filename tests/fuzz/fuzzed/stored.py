"""A bus on which a record made wrong stands behind each real one: for the services, their consumers and PostgreSQL."""

import random
from collections.abc import Callable
from uuid import UUID

from simulated.bus import Bus, Headers
from simulated.faults import Faults
from simulated.poison import Poison

from fuzzed.evening import Real
from fuzzed.records import made_wrong
from pitstream.events import Envelope, envelope_hash
from pitstream.runtime.inbox import Raw, Unbelieved, look
from pitstream.runtime.settings import TOPIC_SOURCES


class Fuzzed(Bus):
    """Behind each record that is published stands one that was made of those before it.

    None of them is what the topic's own service could have written next: whoever can write that is believed.
    """

    def __init__(self, faults: Faults, clock_us: Callable[[], int], seed: str, made: list[Poison]) -> None:
        super().__init__(faults, clock_us)
        self.made = made
        self._chance = random.Random(seed)
        self._real: dict[str, dict[UUID, Real]] = {topic: {} for topic in TOPIC_SOURCES}

    def append(self, topic: str, key: bytes | None, value: bytes | None, headers: Headers) -> None:
        super().append(topic, key, value, headers)
        if topic not in TOPIC_SOURCES or value is None:
            return
        envelope = Envelope.FromString(value)
        raw = Raw(topic, 0, 0, 1_750_000_000_000, key, value, ())
        self._real[topic][UUID(envelope.event_id)] = Real(raw, envelope, envelope_hash(value), None, {})
        self._put_in(topic)

    def _put_in(self, topic: str) -> None:
        real = list(self._real[topic].values())
        others = [one for ones in self._real.values() for one in ones.values()]
        for _ in range(20):
            key, value, odd = made_wrong(self._chance.choice(real[-5:]), self._chance.choice(others), self._chance)
            if self._is_a_stray(Raw(topic, 0, 0, 1_750_000_000_000, key, value, ())):
                named = [(name.decode(errors="surrogateescape"), content) for name, content in odd]
                headers = [(f"poison-{len(self.made)}", b"yes"), *named]
                self.made.append(Poison(topic, key, value, headers, ""))
                super().append(topic, key, value, headers)
                return

    def _is_a_stray(self, raw: Raw) -> bool:
        seen = look(raw, TOPIC_SOURCES[raw.topic])
        if isinstance(seen, Unbelieved):
            return True
        known = self._real[raw.topic].get(seen.event_id)
        if known is not None:
            return known.envelope.key == seen.envelope.key  # it stands behind the real one, on its own partition
        if seen.previous_id is None:
            return seen.envelope.previous_hash != b""
        before = self._real[raw.topic].get(seen.previous_id)
        return before is None or before.hash != seen.envelope.previous_hash
