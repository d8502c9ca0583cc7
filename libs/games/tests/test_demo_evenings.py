"""The two evenings of the demo come to what the independent reference says, from the records alone.

Method: totals of a whole file, and the meters kept alongside from the first round to the last.
"""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from pitstream.games.settle_file import Settled, settle_lines
from pitstream.games.totals import WagerTotal, add_up, net_of

DEMO = Path(__file__).parents[3] / "demo"
SEED = 1_000_000
RATE = Fraction(1, 5)


def evening(name: str) -> list[Settled]:
    with (DEMO / f"{name}.jsonl").open("rb") as lines:
        found = list(settle_lines(lines))
    assert all(isinstance(one, Settled) for one in found)
    return [one for one in found if isinstance(one, Settled)]


@pytest.mark.parametrize("name", ["evening-seamless", "evening-small", "evening-uth"])
def test_players_totals_and_meters_of_an_evening(name: str):
    expected = json.loads((DEMO / f"{name}.expected.json").read_text())
    players: dict[str, int] = {}
    totals: dict[str, dict[str, WagerTotal]] = {}
    meters: dict[str, Fraction] = {}
    settled = evening(name)
    for one in settled:
        game = one.record.round.game
        add_up(game, one.result.seats, totals.setdefault(game, {}))
        for seat in one.result.seats:
            players[seat.player] = players.get(seat.player, 0) + net_of(seat)
        if "progressive" in one.record.round.paytables:
            meter = meters.get(game, Fraction(SEED))
            if one.record.round.void is None:
                stakes = sum(seat.wagers.get("progressive", 0) for seat in one.record.round.seats)
                meter += RATE * stakes
            assert one.record.meters == {"main": int(meter)}
            shares = [line for seat in one.result.seats for line in seat.lines if line.share is not None]
            for line in shares:
                meter -= line.won
                if line.share is not None and line.share.percent == 100:
                    meter += SEED
            meters[game] = meter
    assert {
        "players": dict(sorted(players.items())),
        "totals": {
            game: {
                wager: {
                    "stake": total.stake,
                    "returned": total.returned,
                    "won": total.won,
                    "awards": total.awards,
                }
                for wager, total in wagers.items()
            }
            for game, wagers in totals.items()
        },
        "meters": {game: {"main": int(meter)} for game, meter in meters.items()},
        "rounds": len(settled),
    } == expected
