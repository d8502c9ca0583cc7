"""`pitstream audit` on data that is sound, and on data in which one thing was changed behind the services' backs.

Method: two rounds through the real services; then one fault at a time by the owner of the database, found by its name,
and undone."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from pitstream.cli.audit import Finding, findings
from pitstream.cli.audit_events import of_store
from pitstream.cli.derive import derivations_of
from pitstream.cli.invariants import SERVICES, invariants_of
from pitstream.events import Event, ids, open_envelope, seal
from pitstream.events.settlements import RoundSettled

pytestmark = pytest.mark.stack


def rounds(mark: str) -> list[str]:
    """Two rounds at one table: a straight flush that seat 4 envies and that takes a share of the meter, and a fold."""
    terms = {
        "schema": "pitstream.round/1",
        "table": f"audit-{mark}",
        "game": "ultimate_texas_holdem",
        "gaming_day": "2025-06-14",
        "currency": "USD",
        "paytables": {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A"},
        "cards": {"dealer": ["Ah", "Kd"], "community": ["9s", "8s", "7s", "2c", "3d"]},
    }
    bets = {"ante": 1000, "blind": 1000, "progressive": 100}
    first = {"seat": 1, "player": f"p1-{mark}", "cards": ["Js", "Ts"], "wagers": bets, "decisions": ["4x"]}
    second = {"seat": 4, "player": f"p2-{mark}", "cards": ["2h", "4h"], "wagers": bets}
    folds = {**second, "decisions": ["check", "check", "fold"]}
    meters = {"main": 1_000_040}
    return [
        json.dumps({**terms, "id": f"a1-{mark}", "seats": [first, folds], "meters": meters}),
        json.dumps({**terms, "id": f"a2-{mark}", "seats": [folds]}),
    ]


@dataclass(frozen=True)
class Audited:
    """Where the rounds are; ``postgres`` is its owner's address."""

    postgres: str
    mark: str

    @property
    def table(self) -> str:
        return f"audit-{self.mark}"

    async def broken(self, *services: str) -> dict[str, set[str]]:
        """Service -> the invariants that do not hold there; "events" -> the checks that events alone do not pass."""
        report = await asyncio.to_thread(of_store, self.postgres, workers=1, paytables=None, complete=False)
        found: dict[str, set[str]] = {"events": {one.check for one in report.findings}} if report.findings else {}
        for service in services or SERVICES:
            wanted = [*invariants_of(service), *derivations_of(service)]
            assert len(wanted) == len({one.name for one in wanted})
            all_of_them: list[Finding] = await findings(self.postgres, service, wanted)
            if names := {one.name for one in all_of_them if not one.holds}:
                found[service] = names
        return found

    @asynccontextmanager
    async def changed(self, service: str, plant: str, undo: str, *values: Any) -> AsyncIterator[None]:
        """The schema after ``plant``, for the length of a block. Its owner does it: no trigger stops that."""
        owner = await asyncpg.connect(self.postgres, server_settings={"search_path": service})

        async def does(statement: str) -> None:
            async with owner.transaction():
                await owner.execute("ALTER TABLE events DISABLE TRIGGER USER")
                assert await owner.execute(statement, *values) in ("UPDATE 1", "DELETE 1", "INSERT 0 1"), statement
                await owner.execute("ALTER TABLE events ENABLE TRIGGER USER")

        await does(plant)
        try:
            yield
        finally:
            await does(undo)
            await owner.close()

    async def resealed(self, stream: str, change: Callable[[Any], Event]) -> tuple[bytes, bytes]:
        """The stream's first event, and another in its place as somebody who can write there would store it."""
        owner = await asyncpg.connect(self.postgres)
        stored = await owner.fetchval(
            'SELECT envelope FROM "settlement".events WHERE stream = $1 AND version = 1', stream
        )
        await owner.close()
        old = open_envelope(stored)
        envelope = old.envelope
        data = seal(
            change(old.event),
            stream=stream,
            version=1,
            source=envelope.source,
            key=envelope.key,
            key_sequence=envelope.key_sequence,
            recorded_at_us=envelope.recorded_at_us,
            cause_id=envelope.cause_id,
            actor=envelope.actor,
            traceparent=envelope.traceparent,
            previous_hash=envelope.previous_hash,
        )
        return stored, data


@pytest.fixture(scope="module")
def audited(platform: Any) -> Audited:
    mark = uuid.uuid4().hex[:8]
    assert platform.feed(rounds(mark), "--network-suffix", f"-{mark}")["faults"] == []
    return Audited(platform.stack.postgres, mark)


async def test_everything_holds_after_an_evening_and_the_command_says_so(platform: Any, audited: Audited) -> None:
    assert await audited.broken() == {}
    done = platform.pitstream("audit", environ={"PITSTREAM_POSTGRES": audited.postgres})
    assert (done.returncode, "none broken" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("service", "plant", "undo", "named", "of_events"),
    [
        pytest.param(
            "table",
            "UPDATE tables SET last_round_no = last_round_no + 1 WHERE table_id = $1",
            "UPDATE tables SET last_round_no = last_round_no - 1 WHERE table_id = $1",
            {"a_table_s_rounds_are_numbered_without_a_gap"},
            set(),
            id="a round that was never dealt",
        ),
        pytest.param(
            "table",
            "UPDATE network_stakes SET round_no = 99 WHERE round_no = 1 AND table_id = $1",
            "UPDATE network_stakes SET round_no = 1 WHERE round_no = 99 AND table_id = $1",
            {"progressive_wagers_are_counted_of_rounds_that_were_dealt"},
            set(),
            id="progressive wagers of no round",
        ),
        pytest.param(
            "table",
            "UPDATE key_heads SET last_sequence = last_sequence + 1 WHERE key = $1",
            "UPDATE key_heads SET last_sequence = last_sequence - 1 WHERE key = $1",
            {"a_key_s_events_are_numbered_without_a_gap"},
            set(),
            id="an event that nobody can find",
        ),
        pytest.param(
            "table",
            "UPDATE events SET hash = sha256('x') WHERE version = 3 AND stream = 'round/' || $1::text || '/1'",
            "UPDATE events SET hash = sha256(envelope) WHERE version = 3 AND stream = 'round/' || $1::text || '/1'",
            set(),
            {"event"},
            id="a hash that is not that of the bytes",
        ),
        pytest.param(
            "settlement",
            "UPDATE events SET stream = 'gone/2' WHERE version = 1 AND stream = 'settlement/' || $1::text || '/2'",
            "UPDATE events SET stream = 'settlement/' || $1::text || '/2' WHERE version = 1 AND stream = 'gone/2'",
            {"sums_are_those_of_settled_rounds"},
            {"event"},
            id="a settlement that is somewhere else",
        ),
        pytest.param(
            "progressive",
            "UPDATE prizes SET status = 'pending' WHERE table_id = $1",
            "UPDATE prizes SET status = 'approved' WHERE table_id = $1",
            {"a_prize_waits_or_was_decided_once"},
            set(),
            id="a prize that was paid and waits again",
        ),
        pytest.param(
            "progressive",
            "UPDATE meters SET amount = amount + 1 WHERE network = 'ultimate-texas-holdem-' || substr($1::text, 7)",
            "UPDATE meters SET amount = amount - 1 WHERE network = 'ultimate-texas-holdem-' || substr($1::text, 7)",
            {
                "every_meter_is_what_its_events_make_of_it",
                "a_meter_is_what_moved_it",
                "every_fraction_of_a_wager_is_somewhere",
            },
            set(),
            id="a meter that was turned up",
        ),
    ],
)
async def test_a_planted_fault_is_found_by_its_name(
    audited: Audited, service: str, plant: str, undo: str, named: set[str], of_events: set[str]
) -> None:
    async with audited.changed(service, plant, undo, audited.table):
        found = await audited.broken(service)
    assert found == {where: names for where, names in {service: named, "events": of_events}.items() if names}


async def test_a_settlement_that_was_rewritten_with_a_hash_that_fits_is_found(audited: Audited) -> None:
    """Nothing but the rules can say that the amount is another one."""
    stream = ids.settlement_stream(audited.table, 2)

    def one_cent_more(settled: RoundSettled) -> RoundSettled:
        seat = settled.seats[0]
        line = seat.lines[0].model_copy(update={"returned": 1})
        seat = seat.model_copy(update={"lines": (line, *seat.lines[1:])})
        return settled.model_copy(update={"seats": (seat,)})

    stored, rewritten = await audited.resealed(stream, one_cent_more)
    statement = "UPDATE events SET envelope = {0}, hash = sha256({0}) WHERE stream = $3 AND $1::bytea <> $2::bytea"
    plant, undo = statement.format("$2"), statement.format("$1")
    async with audited.changed("settlement", plant, undo, stored, rewritten, stream):
        report = await asyncio.to_thread(of_store, audited.postgres, workers=1, paytables=None, complete=False)
    (again,) = (one for one in report.findings if one.check == "settlement")
    assert (again.stream, again.version) == (stream, 1)
    assert "event.seats.0.lines.0.returned is not what follows from" in again.message
    assert (again.recorded, again.right) == ("1", "0")
    assert await audited.broken() == {}
