"""Events of one key come in their order; of different topics and keys, in any. Method: the same rounds, one of them
corrected and one with a refused prize, are heard in many orders and batches on a real PostgreSQL, some batches rolled
back first. The read models must be the same, row by row."""

import random
import runpy
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from pitstream.accounting.properties import read_properties
from pitstream.events import Recorded, ids
from pitstream.events.disputes import Fact, PlayerFact, RoundCorrected, SeatFact, SeatPlayed
from pitstream.events.prizes import PrizePayee, PrizePending, PrizeRefused
from pitstream.events.settlements import Award, RoundResettled, RoundSettled, SeatResettled
from pitstream.runtime import Store
from pitstream.services.ops import told
from pitstream.services.ops.projector import TABLES, Projector
from pitstream.services.ops.things_read import meters_of

pytestmark = pytest.mark.stack

BENCH = runpy.run_path(str(Path(__file__).parents[1] / "benches" / "five_hundred_tables.py"))
CORRECTED, REFUSED = "uth-001", "uth-002"


def evening() -> list[Recorded]:
    """A round at each of three tables; what was said of them afterwards."""
    topics = BENCH["Topics"]()
    begin = list(BENCH["opened"](topics))
    tables = ("uth-000", CORRECTED, REFUSED)
    played = [one for table in tables for one in BENCH["played"](topics, table, 1)]
    (settled,) = (one.event for one in played if isinstance(one.event, RoundSettled) and one.event.table == CORRECTED)
    # The opening of the tables that nobody plays at would only cost time.
    return [*begin[:4], *played, *corrected(topics, settled), *refused(topics)]


def corrected(topics: Any, settled: RoundSettled) -> Iterator[Recorded]:
    """Somebody else sat at seat 1, and nobody at seat 6. A first correction, which paid an envy award and had nobody at
    seat 5 either, was wrong."""
    seats = tuple(seat.model_copy(update={"player": "p9"}) if seat.seat == 1 else seat for seat in settled.seats[:-1])
    said = {
        "table": CORRECTED, "round_no": 1, "round_id": settled.round_id, "game": settled.game, "currency": "USD",
        "gaming_day": settled.gaming_day, "network": settled.network, "rules_version": "1", "reason": "seen on camera",
        "proposed_by": "f.moreau", "confirmed_by": "a.tanaka",
    }  # fmt: skip
    facts = (
        Fact(player=PlayerFact(seat=1, was=settled.seats[0].player, becomes="p9")),
        Fact(at_seat=SeatFact(seat=6, becomes=None)),
    )
    hands = BENCH["HANDS"]
    changes = (
        SeatResettled(seat=1, was=settled.seats[0], becomes=seats[0], posted_in=0),
        SeatResettled(seat=6, was=settled.seats[-1], becomes=None, posted_in=0),
    )
    envy = Award(award="envy", amount=300, rule="653a.12", for_seat=2)
    for number, awards, there in ((1, (envy,), seats[:-1]), (2, (), seats)):
        yield topics.recorded(
            "table", f"correction/{CORRECTED}/1", CORRECTED,
            RoundCorrected(
                **said, number=number, facts=facts, paytables=BENCH["PAYTABLES"], evaluator="1",
                community=BENCH["BOARD"],
                seats=tuple(
                    SeatPlayed(
                        seat=seat.seat, player=seat.player, cards=hands[seat.seat - 1], wagers=(), decisions=("4x",)
                    )
                    for seat in there
                ),
            ),
        )  # fmt: skip
        becomes = (there[0].model_copy(update={"awards": awards}), *there[1:])
        yield topics.recorded(
            "settlement", ids.settlement_stream(CORRECTED, 1), CORRECTED,
            RoundResettled(
                **said, seats=becomes, order=tuple(seat.seat for seat in there), closed_by="", supersedes="",
                correction=number, changes=changes,
            ),
        )  # fmt: skip


def refused(topics: Any) -> Iterator[Recorded]:
    """A prize of the other table's first round waits, and is refused."""
    said = {"prize_id": "z1", "table": REFUSED, "round_no": 1, "seat": 2, "prize": "trips", "currency": "USD",
            "payees": (PrizePayee(seat=2, player="p2", amount=25_000),)}  # fmt: skip
    stream = ids.prize_stream(REFUSED, 1)
    yield topics.recorded("progressive", stream, REFUSED, PrizePending(**said, rule="653a.12"))
    yield topics.recorded(
        "progressive", stream, REFUSED, PrizeRefused(**said, floorperson="f.moreau", reason="no light", document="")
    )


def shuffled(events: Sequence[Recorded], seed: int) -> list[Recorded]:
    """In another order that keeps each key's; 0 is a topic after the other, 1 the same from the last topic on."""
    topics = sorted({one.event.topic for one in events}, reverse=seed == 1)
    if seed < 2:
        return [one for topic in topics for one in events if one.event.topic == topic]
    keys: dict[tuple[str, str], list[Recorded]] = {}
    for one in events:
        keys.setdefault((one.event.topic, one.envelope.key), []).append(one)
    chance = random.Random(seed)
    found = []
    while keys:
        key = chance.choice(sorted(keys))
        many = chance.randint(1, 40)
        found += keys[key][:many]
        del keys[key][:many]
        if not keys[key]:
            del keys[key]
    return found


class Interrupted(Exception):  # noqa: N818
    """A batch that is not committed."""


async def heard(store: Store, events: Sequence[Recorded], seed: int) -> dict[str, list[str]]:
    """Every row of the read models, once the events were heard in batches of any size."""
    chance = random.Random(seed)
    projector = Projector(read_properties(None))
    for table in (*TABLES, "told", "heard", "touched"):
        await store.pool.execute(f"DELETE FROM {table}")
    at = 0
    while at < len(events):
        upto = at + chance.choice((1, 9, 40, 200))
        batch = [one for one in events[at:upto] if one.event.topic == events[at].event.topic]
        batch = batch if batch == list(events[at : at + len(batch)]) else [events[at]]
        for fails in (True, False) if chance.random() < 0.2 else (False,):
            try:
                async with store.transaction() as tx:
                    await told.keep(tx, batch)
                    await projector(tx.conn, batch)
                    if fails:
                        raise Interrupted
            except Interrupted:
                continue
        at += len(batch)
    return {
        table: sorted(str(dict(row)) for row in await store.pool.fetch(f"SELECT * FROM {table}")) for table in TABLES
    }


async def test_whatever_is_heard_first_the_read_models_are_the_same(database: str):
    events = evening()
    async with Store.open(database, service="ops", migrations=files("pitstream.services.ops") / "migrations") as store:
        expected = await heard(store, events, 0)
        assert {table: len(rows) for table, rows in expected.items() if table != "flow"} == {
            "floor": 3,
            "rounds": 3,
            "posted": 3,
            "seats": 3 * 6 - 1,
            "day_wagers": 3 * 4,
            "table_days": 3,
            "things": 1 + 1 + 2 + 1,
            "contributions": 1,
            "accounts": 3 * 6 + 3 + 1,
        }
        for seed in range(1, 6):
            found = await heard(store, shuffled(events, seed), seed)
            for table in TABLES:
                assert found[table] == expected[table], (table, seed)

        # The corrected round's sixth seat is not counted, and the refused prize was not paid.
        days = {row["table_id"]: row for row in await store.pool.fetch("SELECT * FROM table_days")}
        staked = 1000 + 1000 + 4000 + 500
        assert {table: (row["rounds"], row["handle"], row["win"]) for table, row in days.items()} == {
            "uth-000": (1, 6 * staked, 6 * staked),
            CORRECTED: (1, 5 * staked, 5 * staked),
            REFUSED: (1, 6 * staked, 6 * staked + 25_000),
        }
        rows = await store.pool.fetch("SELECT seat, player FROM seats WHERE table_id = $1 AND round_no = 1", CORRECTED)
        assert dict(rows)[1] == "p9"
        assert sorted(dict(rows)) == [1, 2, 3, 4, 5]
        (meter,) = await meters_of(store.pool, ["wide/main"])
        assert (meter.amount, meter.in_ledger) == (1_000_100, 300)
