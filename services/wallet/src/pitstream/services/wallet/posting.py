"""What a settled seat moves: the double-entry transfers that post its lines and awards.

The debit account gives, the credit account receives; amounts are minor units above 0. The stakes of a seat are held
when its wagers are placed, so a stake that comes back moves nothing: its hold is released. Pure: the same fact always
gives the same transfers under the same ids.
"""

from collections.abc import Iterator
from typing import Final, cast

from pitstream.events import ids
from pitstream.events.model import made
from pitstream.events.settlements import Line, RoundSettled, SeatSettlement
from pitstream.events.wallet import AccountKind, AccountOpened, Transfer
from pitstream.services.wallet.books import Books


class UnpostableError(ValueError):
    """A fact that would make the ledger say something false. It is put aside with its key, never posted in part.

    ``code`` is listed in ``ERROR_CODES`` of this service's ``codes`` module.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def reversal_id(transfer_id: str) -> str:
    """Id of the one transfer that can undo this one."""
    return ids.transfer_id(transfer_id, "reversal")


def opened(books: Books, account: str) -> Iterator[AccountOpened]:
    """The account's opening, unless it is open. Its name says its kind and its currency."""
    if account in books.accounts:
        return
    currency = account.rpartition("/")[2]
    scale = books.scale_of(currency)
    if scale is None:
        raise UnpostableError(
            "unknown_currency", f"{account}: {currency} is neither of ISO 4217 nor the property's own"
        )
    kind = cast("AccountKind", account.partition("/")[0])
    yield AccountOpened(account=account, kind=kind, currency=currency, scale=scale)


def seat_transfers(
    settled: RoundSettled, seat: SeatSettlement, pots: frozenset[str], correction: int = 0
) -> tuple[Transfer, ...]:
    """One seat's lines and awards. Received minus given by its player is the seat's net, meter shares left out.
    ``correction``: the one that the settlement came of, 0 for a round's first settlement.

    | line | moves |
    | --- | --- |
    | lost, forfeited | stake to the table |
    | push, void | nothing |
    | won "to 1" | winnings to the player |
    | won "for 1" | stake to the table, winnings to the player |
    | the Pot, won or lost | stake to the round's pot, the winner's share from there: it is the players' own money |
    | won a share of a meter | stake to the table; the share is paid by hand once a floorperson approved it |
    | won what a floorperson must validate | stake to the table; the prize is put aside as ``prizes`` says |
    """
    player = ids.player_account(seat.player, settled.currency)
    table = ids.table_account(settled.table, settled.currency)
    pot = ids.pot_account(settled.table, settled.round_no, settled.currency)
    what = f"{settled.table}/{settled.round_no}/{seat.seat}"
    if correction:
        what = f"{what}/correction/{correction}"
    transfers = []
    for line in seat.lines:
        taken, won = _taken_and_won(settled, seat, line)
        bank = pot if line.wager in pots else table
        if taken:
            stake_id = ids.transfer_id(what, line.wager, "stake")
            transfers.append(_transfer(stake_id, player, bank, taken, line.wager))
        if won and not line.awaits_validation:
            win_id = ids.transfer_id(what, line.wager, "win")
            transfers.append(_transfer(win_id, bank, player, won, line.wager))
    for award in seat.awards:
        if award.amount and not award.awaits_validation:
            award_id = ids.transfer_id(what, award.award, award.for_seat or "own", "award")
            transfers.append(_transfer(award_id, table, player, award.amount, award.award))
    return tuple(transfers)


def _transfer(transfer_id: str, debit: str, credit: str, amount: int, code: str) -> Transfer:
    """A transfer of what a settlement says, which was checked when it was read; no floor makes more of anything."""
    fields = {"transfer_id": transfer_id, "debit": debit, "credit": credit, "amount": amount, "code": code}
    return made(Transfer, fields, _TRANSFER)


_TRANSFER: Final = set(Transfer.model_fields)


def stakes_of(seat: SeatSettlement) -> int:
    """All that the seat had at risk, minor units."""
    return sum(line.stake for line in seat.lines)


def _taken_and_won(settled: RoundSettled, seat: SeatSettlement, line: Line) -> tuple[int, int]:
    """What the table takes of a line's stake, and what it pays on top of what it returns."""
    match line.outcome:
        case "lose" | "forfeit":
            consistent = line.returned == 0 and line.won == 0 and line.share is None
        case "push" | "void":
            consistent = line.returned == line.stake and line.won == 0 and line.share is None
        case "win":
            # A share's amount is fixed by the progressive service, so a line that claims one carries none.
            claims = line.share is not None
            consistent = line.returned in (0, line.stake) and (line.won > 0) != claims
            consistent = consistent and claims == (line.paid_from == "meter") and not (claims and line.returned)
    if not consistent:
        raise UnpostableError(
            "line_contradicts_itself",
            f"seats[{seat.seat}].lines[{line.wager}] of {settled.table}/{settled.round_no}: was {line.outcome} with "
            f"stake {line.stake}, returned {line.returned}, won {line.won}, share {'yes' if line.share else 'no'}, "
            f"paid from {line.paid_from}; allowed: lose and forfeit give nothing back, push and void give the stake "
            "back, win pays either an amount or a share of a meter",
        )
    return line.stake - line.returned, line.won
