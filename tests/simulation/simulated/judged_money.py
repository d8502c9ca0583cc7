"""The ledger: every balance is the sum of its transfers, all of them are zero together, and each player has what the
cashier took, what the rounds came to as far as anybody knows by now and what was paid by hand, and nothing else."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pitstream.events import ids
from pitstream.events.corrections import ContributionCorrected
from pitstream.events.prizes import PrizeApproved
from pitstream.events.progressives import (
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitRefused,
    NetworkOpened,
    WagersContributed,
)
from simulated.judged_rounds import results_of
from simulated.rounds import CURRENCY, NETWORK

if TYPE_CHECKING:
    from simulated.oracle import Log
    from simulated.world import World


async def judge(world: "World", log: "Log") -> Iterator[tuple[str, str]]:
    """Broken promises, and what was found."""
    fetch = world.database.admin.fetch
    accounts = await fetch(
        "SELECT account, kind, currency, credits_posted - debits_posted AS balance, debits_pending FROM wallet.accounts"
    )
    transfers = await fetch("SELECT debit, credit, amount FROM wallet.transfers")
    balances = {row["account"]: row["balance"] for row in accounts}
    wrong: list[tuple[str, str]] = []
    sums: Counter[str] = Counter()
    for row in transfers:
        sums[row["debit"]] -= row["amount"]
        sums[row["credit"]] += row["amount"]
    for account, balance in balances.items():
        if balance != sums[account]:
            wrong.append(("a balance is its transfers", f"{account}: {balance}, transfers {sums[account]}"))
    if sum(balances.values()):
        wrong.append(("everything is zero together", f"{sum(balances.values())}"))
    wrong += [
        ("nothing stays held", f"{row['account']}: {row['debits_pending']}")
        for row in accounts
        if row["debits_pending"]
    ]
    wrong += _players(world, log, balances)
    wrong += _meters(log, balances)
    return iter(wrong)


def _players(world: "World", log: "Log", balances: dict[str, int]) -> Iterator[tuple[str, str]]:
    wanted: Counter[str] = Counter()
    for told in world.told:
        name = told.request.path.rpartition("/")[2]
        if told.answer.status == 201 and name in ("deposits", "withdrawals"):
            amount = (told.request.body or {})["amount"]
            player = told.request.path.split("/")[3]
            wanted[player] += amount if name == "deposits" else -amount
    for results in results_of(log).values():
        for seat in results[-1].seats:
            for line in seat.lines:
                wanted[seat.player] += line.returned - line.stake + (0 if line.awaits_validation else line.won)
            wanted[seat.player] += sum(award.amount for award in seat.awards if not award.awaits_validation)
    for one in log["progressive"]:
        match one.event:
            case HandPayApproved() as event:
                wanted[event.player] += event.amount
            case PrizeApproved() as event:
                for payee in event.payees:
                    wanted[payee.player] += payee.amount
    for player in wanted.keys() | {a.split("/")[1] for a in balances if a.startswith("player/")}:
        # What had to be taken back of a corrected round and was spent already is owed.
        found = sum(balances.get(f"{kind}/{player}/{CURRENCY}", 0) for kind in ("player", "receivable"))
        if found != wanted[player]:
            yield "a player has what is due", f"{player}: {found}, should be {wanted[player]}"


def _meters(log: "Log", balances: dict[str, int]) -> Iterator[tuple[str, str]]:
    """The meters' accounts hold what the network says that its meters show."""
    shown: dict[str, int] = {}
    for one in log["progressive"]:
        match one.event:
            case NetworkOpened() as event:
                shown.update({meter.meter: meter.amount for meter in event.meters})
            case WagersContributed() | ContributionsReturned() | ContributionCorrected() as event:
                shown.update({part.meter: part.amount_after for part in event.contributions})
            case HitLocked() as event:
                shown[event.meter] = event.meter_after
            case HitRefused() as event:
                shown[event.meter] = event.amount_after
    for meter, amount in shown.items():
        found = balances.get(ids.meter_account(NETWORK, meter, CURRENCY), 0)
        if found != amount:
            yield "a meter's money is there", f"{meter}: {found}, the network says {amount}"
