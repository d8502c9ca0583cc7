"""What a feed came to, from the services' answers: who won what, what each wager came to, where the meters stand.

Pure. All amounts are integers in the currency's minor unit.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from pitstream.events import ids
from pitstream.events.prizes import PrizePending
from pitstream.events.settlements import RoundSettled
from pitstream.games.totals import WagerTotal, add_up


class Results(BaseModel):
    """What `NAME.expected.json` holds: the same words."""

    model_config = ConfigDict(extra="forbid")

    players: dict[str, int]
    totals: dict[str, dict[str, WagerTotal]]
    meters: dict[str, dict[str, int]]
    rounds: int


def totals_of(settled: Iterable[RoundSettled], locked: Mapping[str, int]) -> dict[str, dict[str, WagerTotal]]:
    """Game -> wager -> sums. ``locked``: claim id -> the amount that the progressive service fixed for it.

    Raises KeyError when a claimed share has no amount yet.
    """
    totals: dict[str, dict[str, WagerTotal]] = {}
    for result in settled:
        game = totals.setdefault(result.game, {})
        add_up(result.game, result.seats, game)
        for claim, wager in claims_of(result):
            game[wager].won += locked[claim]
    return totals


def claims_of(result: RoundSettled) -> list[tuple[str, str]]:
    """Claim id and wager of each line of a settled round that won a share of a meter."""
    return [
        (ids.claim_id(result.table, result.round_no, seat.seat, line.wager), line.wager)
        for seat in result.seats
        for line in seat.lines
        if line.share is not None
    ]


def unposted(
    settled: Iterable[RoundSettled],
    postings: Iterable[Mapping[str, Any]],
    locked: Mapping[str, int],
    prizes: Iterable[PrizePending] = (),
) -> list[str]:
    """What the wallet still owes: one posting for each settled seat, one hand-pay for each share that came to anything,
    and one for each payee of each prize that a floorperson has validated.

    ``locked``: claim id -> the share's amount.
    """
    seats: set[tuple[str, int, int]] = set()
    hand_pays: set[tuple[str, int]] = set()
    for posting in postings:
        if posting["kind"] == "hand_pay":
            hand_pays.add((posting["claim_id"], posting["seat"]))
        else:
            seats.add((posting["table"], posting["round_no"], posting["seat"]))
    paid = {claim for claim, _ in hand_pays}
    missing = [
        f"prize {prize.prize_id} of seat {payee.seat}"
        for prize in prizes
        for payee in prize.payees
        if (prize.prize_id, payee.seat) not in hand_pays
    ]
    for result in settled:
        missing += [
            f"{result.table}/{result.round_no} seat {seat.seat}"
            for seat in result.seats
            if (result.table, result.round_no, seat.seat) not in seats
        ]
        missing += [f"hand-pay {claim}" for claim, _ in claims_of(result) if locked[claim] and claim not in paid]
    return missing


def worth_telling(postings: Iterable[Mapping[str, Any]]) -> tuple[str, int] | None:
    """The round of the largest hand-pay, else of the largest win of one seat; None when nothing was posted."""
    best = max(postings, key=lambda posting: (posting["kind"] == "hand_pay", posting["net"]), default=None)
    return None if best is None else (best["table"], best["round_no"])


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
