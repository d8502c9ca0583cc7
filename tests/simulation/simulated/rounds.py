"""The rounds that are played: cards and wagers drawn by the generator of the settlement's judge, which makes what is
rare at a table frequent, played under terms that a table can be opened on."""

import json
from dataclasses import dataclass
from typing import Any

from random_records import random_record

from pitstream.games.game import FinishedRound
from pitstream.games.paytables import bundled
from pitstream.games.record import read_record
from pitstream.games.record_json import RecordError
from pitstream.games.settlement import RULES_VERSION, settle
from simulated.faults import Plan, chance

CURRENCY = "USD"
NETWORK = "net-1"
_STAKE_MAX = 1_000_000
_ATTEMPTS = 60
_WAITS = 0.35
"""Of the rounds: the least share of those in which somebody wins what a floorperson must see to, as good as it is found
in so many attempts; one in fifteen would have it otherwise."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table, and what it plays."""

    table: str
    rounds: tuple[FinishedRound, ...]


def draw_tables(plan: Plan) -> list[TablePlan]:
    """One to ``tables_max`` tables; each plays one to ``rounds_max`` rounds. Most seeds are small: what goes wrong does
    so between any two steps, and more seeds meet more of it than longer ones."""
    draw = chance(plan.seed, "tables")
    tables = []
    for number in range(1, 1 + draw.choice((1, 1, 1, 1, 2, 3))):
        rounds = draw.choice((1, 1, 2))
        played = [_round(plan, f"{plan.seed}/{number}/{index}") for index in range(min(rounds, plan.rounds_max))]
        tables.append(TablePlan(f"t{number}", tuple(one for one in played if one is not None)))
    return tables[: plan.tables_max]


def _round(plan: Plan, seed: str) -> FinishedRound | None:
    wants_more = chance(seed, "waits").random() < _WAITS
    found = None
    for attempt in range(_ATTEMPTS):
        record: dict[str, Any] = random_record(f"{seed}/{attempt}")
        record.pop("void", None)
        record["currency"] = CURRENCY
        if len(record["seats"]) > plan.seats_max:
            continue
        for seat in record["seats"]:
            seat.pop("forfeited", None)
            seat["wagers"] = {wager: min(stake, _STAKE_MAX) for wager, stake in seat["wagers"].items()}
        try:
            played = read_record(json.dumps(record).encode()).round
        except RecordError:
            continue
        if not wants_more or _waits_for_a_floorperson(played):
            return played
        found = found or played
    return found


def _waits_for_a_floorperson(played: FinishedRound) -> bool:
    seats = settle(played, bundled(), rules_version=RULES_VERSION).seats
    return any(
        any(line.share is not None or line.awaits_validation for line in seat.lines)
        or any(award.awaits_validation for award in seat.awards)
        for seat in seats
    )
