"""On a real PostgreSQL: a table's day as its rows tell it, as its events alone tell it, and as its invariants hold it.
Method: random days, each a sequence of what people and rounds do, some of it refused; then one fault at a time."""

import random
import uuid
from importlib.resources import files
from typing import Any

import asyncpg
import pytest

from pitstream.accounting.properties import read_properties
from pitstream.cli.invariants import invariants_of, parse
from pitstream.events import Event, open_envelope
from pitstream.events.accounting import BuyInPosted, CountCorrected, Pieces, TableDayClosed, TableDayCorrected
from pitstream.events.rounds import PaytableChoice, RoundOpened
from pitstream.games.paytables import bundled
from pitstream.runtime import Principal, Role
from pitstream.services.wallet.accounting import closing, slips
from pitstream.services.wallet.accounting import store as sql
from pitstream.services.wallet.accounting.commands import Desk, place_of
from pitstream.services.wallet.accounting.day import SIGNATURES, Place, TableDay, evolve
from pitstream.services.wallet.accounting.views import day_view
from pitstream.services.wallet.app import handlers
from pitstream.services.wallet.books import Books, rebuild

pytestmark = pytest.mark.stack

PROPERTIES = read_properties(None)
PLACE = place_of(PROPERTIES, "t1", "USD", "2026-01-02")
BIG = 2**53 + 1
"""More than a float can count."""


def choice(wager: str) -> PaytableChoice:
    table = bundled().named("ultimate_texas_holdem", wager, "A")
    return PaytableChoice(wager=wager, paytable=table.id, sha256=table.sha256)


class Pit:
    """One table's day, through the commands that the API gives."""

    def __init__(self, store: Any, say: Any, seed: int) -> None:
        self.store, self.say, self.heard = store, say, say.heard()
        self.by_topic = handlers(PROPERTIES)
        self.dice = random.Random(seed)
        self.round_no = 0
        self.opened: list[int] = []
        self.refused: set[str] = set()

    def desk(self, role: str) -> Desk:
        who = Principal(f"a.{role}", frozenset({Role(role)}), frozenset({"*"}))
        return Desk(PLACE, "2026-01-05", who, str(uuid.uuid4()), self.store)

    async def act(self, role: str, decide: Any) -> bool:
        desk = self.desk(role)
        outcome = await desk.carry_out(
            "Act", {}, lambda figures: decide(desk, figures), lambda figures, _: day_view(PLACE, figures)
        )
        if outcome.status >= 400:
            self.refused.add(outcome.body["code"])
        return outcome.status < 400

    async def hear(self, *events: Event) -> None:
        recorded = self.heard(*events)
        await self.store.run(lambda tx: self.by_topic[events[0].topic](tx, recorded))

    async def slip(self, kind: Any, amount: int, shift: str, cancelled: float = 0.1) -> None:
        number = f"S-{self.dice.randrange(10**9)}"
        pieces = (Pieces(denomination=amount, pieces=1),) if amount else ()
        first, second = SIGNATURES[kind]
        if await self.act(
            first, lambda desk, f: slips.prepare_slip(PLACE, f.day, kind, number, shift, pieces, desk.signer)
        ):
            if self.dice.random() < cancelled:
                await self.act(first, lambda desk, f: slips.cancel_slip(PLACE, f.day, number, "no", desk.signer))
            await self.act(second, lambda desk, f: slips.sign_slip(PLACE, f.day, number, desk.signer))

    async def buy_in(self, player: str, amount: int, shift: str) -> None:
        outcome = await self.desk("dealer").buy_in(player, amount, shift)
        if outcome.status >= 400:
            self.refused.add(outcome.body["code"])

    async def open_round(self) -> None:
        self.round_no += 1
        self.opened.append(self.round_no)
        choices = tuple(choice(wager) for wager in ("ante", "blind", "play"))
        await self.hear(
            RoundOpened(
                table="t1", round_no=self.round_no, round_id="r", game="ultimate_texas_holdem", gaming_day="2026-01-02",
                currency="USD", paytables=choices, rules_version="1", evaluator="1",
            )
        )  # fmt: skip

    async def settle_round(self, stake: int, won: int) -> None:
        """The oldest round that is open, or one that nobody heard of being opened."""
        if self.opened:
            round_no = self.opened.pop(0)
        else:
            self.round_no = round_no = self.round_no + 1
        await self.hear(self.say.placed(1, "p1", table="t1", round_no=round_no, ante=stake))
        line = self.say.won("ante", stake, won) if won else self.say.lost("ante", stake)
        await self.hear(self.say.settled(self.say.seat(1, "p1", line), table="t1", round_no=round_no))

    async def close(self) -> bool:
        return await self.act(
            "auditor",
            lambda desk, f: closing.close_day(PLACE, f.day, f.rounds, f.wagers, f.underway, desk.signer),
        )

    async def correct(self, *counts: CountCorrected) -> None:
        if await self.act(
            "floorperson",
            lambda desk, f: closing.prepare_correction(PLACE, f.day, counts, f.settled_differs, "late", desk.signer),
        ):
            figures = await sql.figures_of(self.store.pool, PLACE)
            number = figures.day.waiting.number
            if self.dice.random() < 0.3:
                await self.act(
                    "auditor", lambda desk, f: closing.decline_correction(PLACE, f.day, number, "no", desk.signer)
                )
                return
            await self.act(
                "auditor",
                lambda desk, f: closing.approve_correction(
                    PLACE, f.day, number, desk.today, f.rounds, f.wagers, desk.signer
                ),
            )


async def a_day(store: Any, say: Any, seed: int) -> Pit:
    """An open and a closed part, with everything that may happen in them."""
    pit = Pit(store, say, seed)
    dice = pit.dice
    await pit.slip("opener", dice.choice([0, 10**6, BIG]), "day", cancelled=0)
    await pit.buy_in("p1", 10**6, "day")
    for _ in range(12):
        await pit.buy_in("p1", dice.randint(10**6, 2 * 10**6), dice.choice(["day", "swing", "noon"]))
        shift = dice.choice(["day", "swing", "grave"])
        match dice.randrange(6):
            case 0:
                await pit.slip(dice.choice(["fill", "credit", "drop"]), dice.choice([1, 5_000, BIG]), shift)
            case 1:
                await pit.slip("closer", dice.randint(0, 10**6), shift)
            case 2:
                await pit.open_round()
            case 3:
                await pit.close()
            case _:
                await pit.settle_round(dice.randint(1, 1_000), dice.choice([0, 500]))
    while pit.opened:
        await pit.settle_round(100, 0)
    await pit.slip("fill", 77, "grave")
    await pit.slip("closer", dice.randint(0, 10**6), "grave")
    await pit.close()
    for _ in range(5):
        if dice.random() < 0.5:
            await pit.settle_round(dice.randint(1, 1_000), dice.choice([0, 500]))
        counts = [
            CountCorrected(shift="grave", figure=dice.choice(["fills", "drop", "closer"]), amount=dice.choice([0, BIG]))
        ]
        await pit.correct(*counts[: dice.randrange(2)])
    return pit


async def told(owner: asyncpg.Connection) -> list[Event]:
    rows = await owner.fetch("SELECT envelope FROM events ORDER BY stream, version")
    return [open_envelope(row["envelope"]).event for row in rows]


def folded(events: list[Event], place: Place) -> TableDay:
    """The day from its events alone: buy-ins are told in the players' streams, everything else in the table's."""
    day = TableDay()
    for event in events:
        of_a_day = getattr(event, "gaming_day", None) == place.gaming_day and getattr(event, "table", "") == place.table
        if of_a_day and (event.account == place.account or isinstance(event, BuyInPosted)):
            day = evolve(day, event)
    return day


@pytest.mark.parametrize("seed", range(4))
async def test_rows_events_and_report_tell_one_day(store, say, owner, seed):
    pit = await a_day(store, say, seed)
    figures = await sql.figures_of(store.pool, PLACE)
    events = await told(owner)
    assert folded(events, PLACE) == figures.day
    books: Books = rebuild(events)
    kept = await owner.fetch("SELECT account, credits_posted - debits_posted AS balance FROM accounts")
    assert {name: account.balance for name, account in books.accounts.items()} == dict(kept)
    assert figures.day.closed
    fixed = [event for event in events if isinstance(event, TableDayClosed | TableDayCorrected)]
    sheets = [one.sheet if isinstance(one, TableDayClosed) else one.becomes for one in fixed]
    assert figures.day.sheets == tuple(sheets)
    assert [one.was for one in fixed[1:]] == sheets[:-1]
    assert figures.settled_differs == bool(figures.late)
    lost = await owner.fetchval("SELECT coalesce(-sum(net), 0) FROM postings")
    assert sum(one.taken - one.paid for one in figures.wagers) == int(lost)
    assert pit.refused <= {
        "shift_counted", "unknown_shift", "slips_waiting", "rounds_in_progress", "closer_missing", "slip_ended",
        "day_closed", "nothing_to_correct", "opener_missing", "insufficient_funds",
    }  # fmt: skip
    assert [one.name for one in invariants_of("wallet") if await owner.fetch(one.sql)] == []


PLANTED = {
    "a_slip_that_counts_has_two_people_of_two_roles": (
        "UPDATE slip_ends SET by = prepared_by FROM slips WHERE slips.slip = slip_ends.slip AND state = 'signed'"
    ),
    "a_slip_s_amount_is_that_of_its_pieces": "UPDATE slips SET pieces = '[]' WHERE kind = 'fill'",
    "a_table_s_day_has_one_opener_and_a_shift_one_closer": ("UPDATE slips SET kind = 'opener' WHERE kind = 'closer'"),
    "fills_credits_and_drops_moved_what_they_say": "UPDATE transfers SET amount = amount + 1 WHERE code = 'fill'",
    "a_buy_in_is_what_its_transfer_moved": "UPDATE buy_ins SET amount = amount + 1",
    "closed_figures_are_those_of_their_rounds": "UPDATE table_wagers SET handle = handle + 1",
    "every_settled_round_belongs_to_a_gaming_day": (
        "UPDATE table_rounds SET book = NULL, shift = NULL WHERE round_no = (SELECT max(round_no) FROM table_rounds)"
    ),
    "a_corrected_wager_is_never_below_nothing": (
        "INSERT INTO corrected_wagers SELECT table_id, round_no, 1, wager, -bets - 1, 0, 0, 0, 0 FROM table_wagers"
    ),
}


@pytest.mark.parametrize("name", PLANTED)
async def test_a_planted_fault_breaks_its_invariant(store, say, owner, name):
    await a_day(store, say, 1)
    (invariant,) = [one for one in invariants_of("wallet") if one.name == name]
    assert await owner.fetch(invariant.sql) == []
    async with owner.transaction():
        for table in ("slips", "slip_ends", "transfers", "buy_ins", "table_wagers", "table_rounds"):
            await owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        await owner.execute(PLANTED[name])
        assert await owner.fetch(invariant.sql) != []


def test_every_invariant_of_table_accounting_is_planted_against():
    file = files("pitstream.services.wallet") / "invariants_accounting.sql"
    assert [one.name for one in parse(file.read_text(), "")] == list(PLANTED)
