"""A thousand tables on one network: every fraction is somewhere, and the events alone make the same meters. Method: the
service's own handler on a real PostgreSQL, beside exact sums; its SQL invariants on what it left there."""

import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from pitstream.cli.audit import findings
from pitstream.cli.invariants import invariants_of
from pitstream.services.progressive.network import Network

BENCH = Path(__file__).parents[1] / "benches" / "thousand_tables.py"

pytestmark = pytest.mark.stack


@pytest.mark.parametrize(
    ("tables", "wagers"),
    [
        pytest.param(1_000, 4_000, id="1,000 tables, 4,000 wagers"),
        pytest.param(
            1_000, 100_000, id="1,000 tables, 100,000 wagers", marks=[pytest.mark.slow, pytest.mark.timeout(3_600)]
        ),
    ],
)
async def test_every_identity_holds_exactly_and_the_events_alone_make_the_same_meters(
    database: str, tables: int, wagers: int
) -> None:
    bench = runpy.run_path(str(BENCH))
    figures = await bench["run"](database, tables, wagers)
    print(figures)  # noqa: T201
    async with bench["opened"](database) as store, store.transaction() as tx:
        lived = (await bench["folded"](tx, bench["NETWORK"])).state
    replayed = await bench["replayed"](database)
    assert isinstance(lived, Network)
    assert lived == replayed
    assert lived.closed == {f"t{table:04}": wagers // tables for table in range(tables)}
    assert lived.fed == {}
    locks = await moves(database, "locked")
    assert sum(len(of) for of in locks.values()) == sum(n % 997 == 0 and n % 101 != 100 for n in range(wagers))
    fed = bench["expected"](wagers)
    for opening in bench["METERS"]:
        meter = lived.meters[opening.meter]
        assert meter.value == opening.amount + fed[opening.meter] + sum(locks.get(opening.meter, []))
    mega = lived.meters["mega"]
    reserve_used = await moved_of(database, "mega")
    assert mega.reserve_value == fed["mega"] * Fraction(400, 17) / 90 + reserve_used
    found = await findings(database, "progressive", invariants_of("progressive"))
    assert [one for one in found if not one.holds] == []
    assert len(found) >= 11


async def moves(database: str, kind: str) -> dict[str, list[int]]:
    """Meter -> what moved it, of one kind."""
    connection = await asyncpg.connect(database)
    rows = await connection.fetch("SELECT meter, moved FROM progressive.meter_moves WHERE kind = $1", kind)
    await connection.close()
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row["meter"], []).append(row["moved"])
    return found


async def moved_of(database: str, meter: str) -> Any:
    """What the reserve gave to seeds, below 0."""
    connection = await asyncpg.connect(database)
    total = await connection.fetchval(
        "SELECT coalesce(sum(reserve_moved), 0)::bigint FROM progressive.meter_moves"
        " WHERE meter = $1 AND kind = 'locked'",
        meter,
    )
    await connection.close()
    return total
