"""What the signs over the tables show, and when they are told of it. Pure: the clock's reading is given.

A sign shows what each meter stands at, and "pending" with the amounts that are locked and neither paid nor refused. A
growing meter is told of once a second at most; a lock, a payment, a refusal, at once.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from pitstream.services.progressive.network import Network

PACE_MS = 1_000
"""Between two updates of one meter that is only growing."""


@dataclass(frozen=True, slots=True)
class Win:
    """A locked amount that is neither paid nor refused."""

    claim_id: str
    table: str
    seat: int
    percent: int
    amount: int


@dataclass(frozen=True, slots=True)
class Sign:
    """What one meter's sign shows. The reserve and the overflow are nobody's business there."""

    meter: str
    amount: int
    pending: tuple[Win, ...]

    def view(self, state: Network) -> dict[str, Any]:
        return {
            "network": state.network,
            "meter": self.meter,
            "currency": state.currency,
            "version": state.version,
            "amount": self.amount,
            "status": "pending" if self.pending else "open",
            "pending": [
                {
                    "claim_id": win.claim_id,
                    "table": win.table,
                    "seat": win.seat,
                    "percent": win.percent,
                    "amount": win.amount,
                }
                for win in self.pending
            ],
        }


def signs_of(state: Network) -> list[Sign]:
    """The sign of every meter in use."""
    waiting = [hit for hit in state.hits.values() if hit.is_open]
    return [
        Sign(
            name,
            meter.amount,
            tuple(
                Win(hit.locked.claim_id, hit.locked.table, hit.locked.seat, hit.locked.percent, hit.amount)
                for hit in waiting
                if hit.locked.meter == name
            ),
        )
        for name, meter in state.meters.items()
        if not meter.retired
    ]


@dataclass(slots=True)
class Pace:
    """What one listener was told, and when."""

    told: dict[str, tuple[Sign, int]] = field(default_factory=dict)

    def due(self, signs: list[Sign], now_ms: int) -> list[Sign]:
        """The signs to tell of now; they are noted as told."""
        found = [sign for sign in signs if self._wait_ms(sign, now_ms) == 0]
        self.told |= {sign.meter: (sign, now_ms) for sign in found}
        return found

    def wait_ms(self, signs: list[Sign], now_ms: int) -> int | None:
        """How long until something of ``signs`` is due; None when all of it was told."""
        waits = [wait for sign in signs if (wait := self._wait_ms(sign, now_ms)) is not None]
        return min(waits, default=None)

    def _wait_ms(self, sign: Sign, now_ms: int) -> int | None:
        before = self.told.get(sign.meter)
        if before is None:
            return 0
        shown, at_ms = before
        if shown == sign:
            return None
        return 0 if shown.pending != sign.pending else max(0, at_ms + PACE_MS - now_ms)


def message(sign: Sign, state: Network) -> str:
    """One server-sent event; its id is the number of the network's event that it tells of."""
    return f"id: {state.version}\nevent: meter\ndata: {json.dumps(sign.view(state), separators=(',', ':'))}\n\n"
