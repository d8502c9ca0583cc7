"""Commands on a table's day: under the table's lock, decided on what is there, written in one transaction."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from pitstream.accounting.properties import Properties
from pitstream.events import Event, ids
from pitstream.events.accounting import BuyInPosted, SlipPrepared, TableDayClosed
from pitstream.events.model import INT64_MAX
from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.events.wallet import Transfer
from pitstream.runtime import Cause, Outcome, Principal, Store, Transaction, run_command
from pitstream.runtime.principal import owner_of
from pitstream.services.wallet import store as ledger_store
from pitstream.services.wallet.accounting import store as sql
from pitstream.services.wallet.accounting.day import Place, Signer
from pitstream.services.wallet.accounting.slips import buy_in_transfers, may_buy_in
from pitstream.services.wallet.accounting.store import Figures
from pitstream.services.wallet.accounting.views import Json
from pitstream.services.wallet.books import Books, transfers_of
from pitstream.services.wallet.corrections import sweep
from pitstream.services.wallet.posting import opened
from pitstream.services.wallet.remote.desk import kept_elsewhere

OF_ROUNDS = (ROUNDS, SETTLEMENTS, PROGRESSIVES)
"""What tells what a day's rounds came to, prizes that were refused since included."""
NOT_FOUND = ("unknown_slip", "unknown_correction", "unknown_account")
Decide = Callable[[Figures], list[Event] | Refusal]
View = Callable[[Figures, list[Event]], Json]


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a command goes, by whom, under which id."""

    place: Place
    today: str
    """The property's gaming day at this moment."""
    who: Principal
    command_id: str
    store: Store
    heard: frozenset[str] = frozenset()
    """Topics that were read since the command came."""

    @property
    def signer(self) -> Signer:
        return Signer(self.who.name, frozenset(str(role) for role in self.who.roles))

    async def carry_out(
        self, name: str, inputs: Json, decide: Decide, view: View, status: int = 200, *, rests_on_rounds: bool = False
    ) -> Outcome:
        """Carry a command out once; the answer is what ``view`` makes of the day after it. ``rests_on_rounds``: it says
        what the day's rounds came to, and is decided on all that was played and settled when it came."""

        async def act(tx: Transaction) -> Outcome:
            books = await ledger_store.load_for_command(tx, {self.place.account})
            figures = await sql.figures_of(tx.conn, self.place)
            decided = decide(figures)
            if rests_on_rounds and decided != []:
                what = f"{self.place.table} on {self.place.gaming_day}"
                await tx.must_have_heard(*OF_ROUNDS, about=what, key=self.place.table)
            if isinstance(decided, Refusal):
                return refused(decided)
            refusal = await self._write(tx, books, decided)
            if refusal is not None:
                return refused(refusal)
            if decided:
                figures = await sql.figures_of(tx.conn, self.place)
            return Outcome(status, view(figures, decided))

        return await self._run(name, inputs, act)

    async def buy_in(self, player: str, amount: int, shift: str) -> Outcome:
        """A player buys in at the table; the answer is the player's account."""
        account = ids.player_account(player, self.place.currency)

        async def act(tx: Transaction) -> Outcome:
            books = await ledger_store.load_for_command(tx, {self.place.account})
            figures = await sql.figures_of(tx.conn, self.place)
            refusal = may_buy_in(self.place, figures.day, shift) or await kept_elsewhere(tx, [account])
            if refusal is not None:
                return refused(refusal)
            transfers = buy_in_transfers(self.place, player, amount, self.command_id)
            await _lock_more(tx, books, {account})
            known = books.accounts.get(account)
            posted = BuyInPosted(
                account=account,
                table=self.place.table,
                gaming_day=self.place.gaming_day,
                shift=shift,
                taken_by=self.who.name,
                transfers=transfers,
                balance_after=(known.balance if known else 0) + amount,
            )
            refusal = await self._write(tx, books, [posted])
            if refusal is not None:
                return refused(refusal)
            return Outcome(201, {"account": account, "balance": books.accounts[account].balance, "amount": amount})

        return await self._run("BuyIn", {"player": player, "amount": amount, "shift": shift}, act)

    async def _run(self, name: str, inputs: Json, act: Callable[[Transaction], Awaitable[Outcome]]) -> Outcome:
        place = self.place
        return await run_command(
            self.store,
            scope=ids.account_stream(place.account),
            command_id=self.command_id,
            inputs={"command": name, "gaming_day": place.gaming_day, **inputs},
            act=act,
            actor=self.who.name,
            heard=self.heard,
        )

    async def _write(self, tx: Transaction, books: Books, decided: list[Event]) -> Refusal | None:
        """Append the events, with the accounts that they open, and write their rows."""
        for event in decided:
            if isinstance(event, SlipPrepared) and await sql.slip_taken(tx.conn, self.place.owner, event.slip):
                return Refusal("slip_used", "slip", f"was {event.slip!r}; allowed: a number not used in the property")
        moved = [transfer for event in decided for transfer in transfers_of(event)]
        touched = {side for transfer in moved for side in (transfer.debit, transfer.credit)}
        house = ids.house_sub_account(self.place.table, self.place.currency)
        closes = any(isinstance(event, TableDayClosed) for event in decided)
        swept = {house, ids.house_account(self.place.currency)} if closes else set()
        await _lock_more(tx, books, (touched | swept) - {self.place.account})
        if books.scale_of(self.place.currency) is None:
            return Refusal("unknown_currency", "currency", f"was {self.place.currency!r}; allowed: ISO 4217, or added")
        for transfer in moved:
            refusal = _no_room(books, transfer)
            if refusal is not None:
                return refusal
        events = list(_applied(books, [*sorted(touched | {self.place.account}), *decided]))
        if closes and house in books.accounts:
            events += sweep(books, [house], f"{self.place.table} closed {self.place.gaming_day}")
        if decided:
            cause = Cause.of_command(self.command_id, actor=self.who.name)
            await ledger_store.write(tx, books, [ledger_store.Answer(cause, events)])
            await sql.write_rows(tx, self.place, decided, self.today)
        return None


def _applied(books: Books, accounts_and_events: Sequence[str | Event]) -> Iterator[Event]:
    """The openings of accounts that are not there yet, and the events, each applied to the books."""
    for one in accounts_and_events:
        for event in opened(books, one) if isinstance(one, str) else (one,):
            books.apply(event)
            yield event


def _no_room(books: Books, transfer: Transfer) -> Refusal | None:
    """Sums have 64 bits: what would leave them is refused before the database would."""
    gives, receives = books.accounts.get(transfer.debit), books.accounts.get(transfer.credit)
    room = INT64_MAX - max(gives.debits_posted if gives else 0, receives.credits_posted if receives else 0)
    if transfer.amount <= room:
        return None
    return Refusal("amount_out_of_range", "amount", f"was {transfer.amount}; allowed: 1 to {room} minor units")


async def _lock_more(tx: Transaction, books: Books, accounts: set[str]) -> None:
    """After the table's own account, in the order in which everybody locks."""
    missing = accounts - books.accounts.keys()
    if missing:
        more = await ledger_store.load_for_command(tx, missing)
        books.accounts.update(more.accounts)
        books.own_currencies = {**books.own_currencies, **more.own_currencies}


def refused(refusal: Refusal) -> Outcome:
    return Outcome.refused(refusal, 404 if refusal.code in NOT_FOUND else 422)


def place_of(properties: Properties, table: str, currency: str, gaming_day: str) -> Place:
    """A table's day, with the shifts of its property."""
    owner = owner_of(table)
    return Place(table, currency, gaming_day, owner, properties.calendar_of(owner).shift_names)


def shift_now(properties: Properties, place: Place, now_us: int) -> str:
    """The shift of the day that this moment belongs to."""
    return properties.calendar_of(place.owner).shift_at(date.fromisoformat(place.gaming_day), now_us)


def today(properties: Properties, owner: str, now_us: int) -> str:
    """The property's gaming day at this moment."""
    return properties.calendar_of(owner).gaming_day(now_us).isoformat()
