"""Pairs of hits at two tables in one batch, under each policy, in each order of arrival, with a crash at each moment.

Method: the service's own handler and commands on a real PostgreSQL, whose transactions are broken off on purpose; what
each hit must come to is worked out here; the wallet's ledger hears every event and pays."""

from collections.abc import Sequence
from importlib.resources import files
from itertools import count
from typing import Any

import asyncpg
import pytest

from pitstream.events import Recorded, open_envelope, seal
from pitstream.events.ids import claim_id, player_account, progressive_stream, round_stream, settlement_stream
from pitstream.events.model import Event
from pitstream.events.progressives import HandPayApproved, HitLocked, MeterOpening
from pitstream.events.rounds import BettingClosed, WagerCount
from pitstream.events.settlements import Line, RoundSettled, SeatSettlement, Share
from pitstream.runtime import Outcome, Store, Transaction
from pitstream.services.progressive.carrying_out import carry_out
from pitstream.services.progressive.commands import ApproveHit, OpenNetwork, ReleaseCards, VerifyHit
from pitstream.services.progressive.handlers import feed_meters
from pitstream.services.progressive.network import Network
from pitstream.services.progressive.network_store import folded
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import Fact, deposit, post

NETWORK, SEED, STAKE = "wide", 100_000, 100
METER = MeterOpening(meter="main", seed=SEED, amount=1_000_000, rate_numerator=1, rate_denominator=10)
MOMENTS = ("no crash", "before the lock is committed", "after it, the reply lost")

pytestmark = pytest.mark.stack


class CrashError(Exception):
    """The process is gone."""


class Tables:
    """Two tables' events as their services would write them."""

    def __init__(self) -> None:
        self._sequence = {(source, table): count(1) for source in ("table", "settlement") for table in ("a", "b")}

    def betting(self, table: str, round_no: int) -> Recorded:
        wagers = (WagerCount(wager="progressive", count=1, total=STAKE),)
        event = BettingClosed(table=table, round_no=round_no, currency="USD", network=NETWORK, wagers=wagers)
        return self._recorded("table", round_stream(table, round_no), table, event)

    def settlement(self, table: str, round_no: int, percent: int) -> Recorded:
        line = Line(
            wager="progressive",
            stake=STAKE,
            outcome="win",
            returned=0,
            won=0,
            rule="653a.11(k)",
            share=Share(meter="main", percent=percent),
            paid_from="meter",
        )
        event = RoundSettled(
            table=table,
            round_no=round_no,
            round_id=f"{table}-{round_no}",
            game="ultimate_texas_holdem",
            gaming_day="2026-03-01",
            currency="USD",
            void=False,
            seats=(SeatSettlement(seat=1, player=f"p-{table}", lines=(line,)),),
            order=(1,),
            network=NETWORK,
            rules_version="1",
            closed_by="",
        )
        return self._recorded("settlement", settlement_stream(table, round_no), table, event)

    def _recorded(self, source: str, stream: str, key: str, event: Event) -> Recorded:
        data = seal(
            event,
            stream=stream,
            version=1,
            source=source,
            key=key,
            key_sequence=next(self._sequence[source, key]),
            recorded_at_us=1_750_000_000_000_000,
            cause_id="",
            actor="test",
            traceparent="",
            previous_hash=b"",
        )
        return open_envelope(data)


def due(policy: str, meter: int, first: int, second: int) -> tuple[int, int, int]:
    """What the hit locked first and the one locked second get of a meter that shows so much, and what it then shows."""
    if policy == "sequential":
        one = meter * first // 100
        after = meter - one + (SEED if first == 100 else 0)
        two = after * second // 100
        return one, two, after - two + (SEED if second == 100 else 0)
    one, two = meter * first // 100, meter * second // 100
    if policy == "full_each":
        left = max(0, meter - one - two)
        return one, two, SEED if 100 in (first, second) else left
    if first + second <= 100:
        return one, two, meter - one - two
    # Together they get all of it, in proportion; the table that was locked first takes the units left over.
    one, two = (meter * part // (first + second) for part in (first, second))
    return meter - two if meter - one - two == 1 else one, two, SEED


@pytest.mark.parametrize("policy", ["sequential", "full_each", "share"])
@pytest.mark.parametrize("order", ["ab", "ba"])
@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param(9, id="9 pairs"),
        pytest.param(200, id="200 pairs", marks=[pytest.mark.slow, pytest.mark.timeout(3_600)]),
    ],
)
async def test_both_get_what_the_policy_says_and_are_paid_once(
    database: str, policy: str, order: str, pairs: int
) -> None:
    migrations = files("pitstream.services.progressive") / "migrations"
    async with Store.open(database, service="progressive", migrations=migrations) as store:
        await asked(store, OpenNetwork(NETWORK, "USD", (METER,), policy), "open", "operator")  # type: ignore[arg-type]
        tables, expected, shows = Tables(), {}, METER.amount
        for round_no in range(1, pairs + 1):
            percents = [(100, 100), (10, 100), (100, 10), (10, 10)][round_no % 4]
            moment = MOMENTS[round_no % 3]
            await delivered(store, [tables.betting(table, round_no) for table in order], moment)
            shows += 2 * STAKE // 10
            settled = [
                tables.settlement(table, round_no, percent) for table, percent in zip(order, percents, strict=True)
            ]
            await delivered(store, settled, moment)
            one, two, shows = due(policy, shows, *percents)
            expected[claim_id(order[0], round_no, 1, "progressive")] = one
            expected[claim_id(order[1], round_no, 1, "progressive")] = two
            for step, by in (("verify", "dealer"), ("approve", "floor"), ("release", "dealer")):
                for table in "ab":
                    await taken(store, step, claim_id(table, round_no, 1, "progressive"), by)
        async with store.transaction() as tx:
            state = (await folded(tx, NETWORK)).state
            events = [recorded.event for recorded in await tx.load(progressive_stream(NETWORK))]
    assert isinstance(state, Network)
    assert (state.meters["main"].amount, state.meters["main"].hits) == (shows, 2 * pairs)
    assert (state.hits, state.groups, state.fed) == ({}, (), {})
    paid = [(event.claim_id, event.amount) for event in events if isinstance(event, HandPayApproved)]
    assert sorted(paid) == sorted(expected.items())
    assert [event.policy for event in events if isinstance(event, HitLocked)] == [policy] * 2 * pairs
    assert ledger_of(events) == {f"p-{table}": 1 + won(expected, table, pairs) for table in "ab"}


def won(expected: dict[str, int], table: str, pairs: int) -> int:
    return sum(expected[claim_id(table, round_no, 1, "progressive")] for round_no in range(1, pairs + 1))


def ledger_of(events: Sequence[Event]) -> dict[str, int]:
    """Player -> balance after the wallet heard all of it; both had 1 to begin with, and nothing is left to be paid."""
    books = Books()
    for number, player in enumerate(("p-a", "p-b")):
        deposit(books, player, "USD", 1, f"00000000-0000-0000-0000-00000000000{number}")
    for event in events:
        if isinstance(event, Fact):
            post(books, event)
    assert sum(account.balance for account in books.accounts.values()) == 0
    waiting = {name: of.balance for name, of in books.accounts.items() if name.startswith("handpay/") and of.balance}
    assert waiting == {}
    return {player: books.accounts[player_account(player, "USD")].balance for player in ("p-a", "p-b")}


async def delivered(store: Store, batch: Sequence[Recorded], moment: str) -> None:
    """A batch as consumers deliver it: again and again until its transaction is known to be committed."""
    if moment == "before the lock is committed":
        with pytest.raises(CrashError):
            await crashing(store, batch)
    await store.run(lambda tx: feed_meters(tx, batch))
    if moment == "after it, the reply lost":
        await store.run(lambda tx: feed_meters(tx, batch))


async def crashing(store: Store, batch: Sequence[Recorded]) -> None:
    """Everything is written, nothing is committed."""
    async with store.transaction() as tx:
        await feed_meters(tx, batch)
        await tx.flush()
        raise CrashError


async def hurried(store: Store, batch: Sequence[Recorded]) -> None:
    """A process that does not wait for another's turn to end."""
    async with store.transaction() as tx:
        await tx.conn.execute("SET LOCAL lock_timeout = '200ms'")
        await feed_meters(tx, batch)


async def asked(store: Store, command: Any, command_id: str, by: str) -> Outcome:
    async def answer(_tx: Transaction, _state: Network, _version: int) -> Outcome:
        return Outcome(200, {})

    return await carry_out(store, command, command_id, by=by, inputs={}, answer=answer)


async def taken(store: Store, step: str, claim: str, by: str) -> None:
    """One step of a hit, asked for twice under the command's id and once more under another: done once."""
    command = {
        "verify": VerifyHit(NETWORK, claim, by, ("hand", "light")),
        "approve": ApproveHit(NETWORK, claim, by, "form"),
        "release": ReleaseCards(NETWORK, claim, by),
    }[step]
    done = {"verify": "hit_already_verified", "approve": "hit_already_paid", "release": "cards_already_released"}[step]
    answers = [await asked(store, command, f"{step}-{claim}{again}", by) for again in ("", "", "-again")]
    assert [answer.status for answer in answers] == [200, 200, 422], answers
    assert answers[2].body["code"] == done


async def test_two_processes_cannot_both_lock_one_claim(database: str) -> None:
    migrations = files("pitstream.services.progressive") / "migrations"
    tables = Tables()
    batch = [tables.settlement("a", 1, 100)]
    async with (
        Store.open(database, service="progressive", migrations=migrations) as one,
        Store.open(database, service="progressive", migrations=migrations) as other,
    ):
        await asked(one, OpenNetwork(NETWORK, "USD", (METER,)), "open", "operator")
        async with one.transaction() as first:
            await feed_meters(first, batch)
            with pytest.raises(asyncpg.LockNotAvailableError):
                await hurried(other, batch)
        await other.run(lambda tx: feed_meters(tx, batch))
        async with other.transaction() as tx:
            events = await tx.load(progressive_stream(NETWORK))
    assert [recorded.envelope.type.rpartition(".")[2] for recorded in events] == [
        "NetworkOpened",
        "WagersContributed",
        "HitLocked",
        "RoundClosed",
    ]
