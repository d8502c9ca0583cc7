"""What a feed came to, from the services' answers: who won what, what each wager came to, where the meters stand.

Pure. All amounts are integers in the currency's minor unit.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from pitstream.events import ids
from pitstream.events.settlements import RoundSettled

AWARDED_WITH = {"envy": "progressive", "lucky": "five_card", "magic": "five_card"}
"""Award -> the wager that it counts with in totals."""


class WagerTotals(BaseModel):
    """One wager's sums over all its lines, void and forfeited ones too, and the awards that count with it."""

    model_config = ConfigDict(extra="forbid")

    stake: int = 0
    returned: int = 0
    won: int = 0
    awards: int = 0


class Results(BaseModel):
    """What `NAME.expected.json` holds: the same words."""

    model_config = ConfigDict(extra="forbid")

    players: dict[str, int]
    totals: dict[str, dict[str, WagerTotals]]
    meters: dict[str, dict[str, int]]
    rounds: int


def totals_of(settled: Iterable[RoundSettled], locked: Mapping[str, int]) -> dict[str, dict[str, WagerTotals]]:
    """Game -> wager -> sums. ``locked``: claim id -> the amount that the progressive service fixed for it.

    Raises KeyError when a claimed share has no amount yet.
    """
    totals: dict[str, dict[str, WagerTotals]] = {}
    for result in settled:
        game = totals.setdefault(result.game, {})
        for seat in result.seats:
            for line in seat.lines:
                sums = game.setdefault(line.wager, WagerTotals())
                sums.stake += line.stake
                sums.returned += line.returned
                if line.share is None:
                    sums.won += line.won
                else:
                    sums.won += locked[ids.claim_id(result.table, result.round_no, seat.seat, line.wager)]
            for award in seat.awards:
                game.setdefault(AWARDED_WITH[award.award], WagerTotals()).awards += award.amount
    return totals


def claims_of(result: RoundSettled) -> list[str]:
    """Ids of the shares that a settled round claims, in the order of its lines."""
    return [
        ids.claim_id(result.table, result.round_no, seat.seat, line.wager)
        for seat in result.seats
        for line in seat.lines
        if line.share is not None
    ]


def unposted(settled: Iterable[RoundSettled], postings: Iterable[Mapping[str, Any]]) -> list[str]:
    """What the wallet still owes: each settled seat wants one posting, each claimed share one hand-pay."""
    seats: set[tuple[str, int, int]] = set()
    hand_pays: set[str] = set()
    for posting in postings:
        if posting["kind"] == "hand_pay":
            hand_pays.add(posting["claim_id"])
        else:
            seats.add((posting["table"], posting["round_no"], posting["seat"]))
    missing: list[str] = []
    for result in settled:
        missing += [
            f"{result.table}/{result.round_no} seat {seat.seat}"
            for seat in result.seats
            if (result.table, result.round_no, seat.seat) not in seats
        ]
        missing += [f"hand-pay {claim}" for claim in claims_of(result) if claim not in hand_pays]
    return missing


def differences(found: Results, expected: Results) -> list[str]:
    """Every value in which the two differ, one sentence each; empty when they are equal.

    >>> one = Results(players={"p1": 5}, totals={}, meters={}, rounds=1)
    >>> differences(one, Results(players={"p1": 6, "p2": 0}, totals={}, meters={}, rounds=1))
    ['players.p1: was 5, expected 6', 'players.p2: was missing, expected 0']
    """
    have, want = _flat(found.model_dump()), _flat(expected.model_dump())
    return [
        f"{path}: was {have.get(path, 'missing')}, expected {want.get(path, 'missing')}"
        for path in sorted(have.keys() | want.keys())
        if have.get(path) != want.get(path)
    ]


def _flat(value: Mapping[str, Any], above: str = "") -> dict[str, int]:
    flat: dict[str, int] = {}
    for name, below in value.items():
        path = f"{above}{name}"
        if isinstance(below, Mapping):
            flat |= _flat(below, f"{path}.")
        else:
            flat[path] = below
    return flat
