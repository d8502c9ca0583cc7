"""The rounds that are played: cards and wagers drawn by the generator of the settlement's judge, which makes what is
rare at a table frequent, played under terms that a table can be opened on."""

import json
from dataclasses import dataclass
from typing import Any

from random_records import random_record

from pitstream.games.game import FinishedRound
from pitstream.games.record import read_record
from pitstream.games.record_json import RecordError
from simulated.faults import Plan, chance

CURRENCY = "USD"
NETWORK = "net-1"
_STAKE_MAX = 1_000_000
_ATTEMPTS = 60


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table, and what it plays."""

    table: str
    rounds: tuple[FinishedRound, ...]


def draw_tables(plan: Plan) -> list[TablePlan]:
    """One to ``tables_max`` tables; each plays one to ``rounds_max`` rounds."""
    draw = chance(plan.seed, "tables")
    tables = []
    for number in range(1, 1 + draw.randint(1, 3)):
        rounds = draw.randint(1, 2)
        played = [_round(plan, f"{plan.seed}/{number}/{index}") for index in range(min(rounds, plan.rounds_max))]
        tables.append(TablePlan(f"t{number}", tuple(one for one in played if one is not None)))
    return tables[: plan.tables_max]


def _round(plan: Plan, seed: str) -> FinishedRound | None:
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
            return read_record(json.dumps(record).encode()).round
        except RecordError:
            continue
    return None
