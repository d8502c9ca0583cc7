"""What each fact moves: from a settled seat, a contribution or a hit to the double-entry transfers that post it.

The debit account gives, the credit account receives; amounts are minor units above 0. The stakes of a seat are held
when its wagers are placed, so a stake that comes back moves nothing: its hold is released. Pure: the same fact always
gives the same transfers under the same ids.
"""

from pitstream.events import ids
from pitstream.events.progressives import HandPayApproved, HitLocked, MeterContribution, MeterOpening
from pitstream.events.settlements import Line, RoundSettled, SeatSettlement
from pitstream.events.wallet import Transfer


class UnpostableError(ValueError):
    """A fact that would make the ledger say something false. It is put aside with its key, never posted in part.

    ``code`` is listed in ``ERROR_CODES`` of this service's ``codes`` module.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def seat_transfers(settled: RoundSettled, seat: SeatSettlement) -> tuple[Transfer, ...]:
    """One seat's lines and awards. Received minus given by its player is the seat's net, meter shares left out.

    | line | moves |
    | --- | --- |
    | lost, forfeited | stake to the table |
    | push, void | nothing |
    | won "to 1" | winnings to the player |
    | won "for 1", Pot | stake to the table, winnings to the player: the table's inventory keeps nothing of a Pot |
    | won a share of a meter | stake to the table; the share is paid by hand once a floorperson approved it |
    """
    player = ids.player_account(seat.player, settled.currency)
    table = ids.table_account(settled.table, settled.currency)
    what = (settled.table, settled.round_no, seat.seat)
    transfers = []
    for line in seat.lines:
        taken, won = _taken_and_won(settled, seat, line)
        if taken:
            stake_id = ids.transfer_id(*what, line.wager, "stake")
            transfers.append(Transfer(transfer_id=stake_id, debit=player, credit=table, amount=taken, code=line.wager))
        if won:
            win_id = ids.transfer_id(*what, line.wager, "win")
            transfers.append(Transfer(transfer_id=win_id, debit=table, credit=player, amount=won, code=line.wager))
    for award in seat.awards:
        if award.amount:
            award_id = ids.transfer_id(*what, award.award, award.for_seat or "own", "award")
            transfers.append(
                Transfer(transfer_id=award_id, debit=table, credit=player, amount=award.amount, code=award.award)
            )
    return tuple(transfers)


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


def seed_transfer(network: str, currency: str, opening: MeterOpening) -> Transfer | None:
    """The house puts on a new meter what it opens with; None when that is nothing."""
    if opening.amount == 0:
        return None
    return Transfer(
        transfer_id=ids.transfer_id(network, opening.meter, "seed"),
        debit=ids.house_account(currency),
        credit=ids.meter_account(network, opening.meter, currency),
        amount=opening.amount,
        code="seed",
    )


def contribution_transfer(
    network: str, table: str, round_no: int, currency: str, contribution: MeterContribution
) -> Transfer | None:
    """A round's contribution from the table's inventory to a meter, or back where ``posted`` is below 0; None for 0."""
    if contribution.posted == 0:
        return None
    inventory = ids.table_account(table, currency)
    meter = ids.meter_account(network, contribution.meter, currency)
    feeds = contribution.posted > 0
    what = "contribution" if feeds else "contribution_returned"
    return Transfer(
        transfer_id=ids.transfer_id(network, contribution.meter, table, round_no, what),
        debit=inventory if feeds else meter,
        credit=meter if feeds else inventory,
        amount=abs(contribution.posted),
        code=what,
    )


def hit_transfers(hit: HitLocked) -> tuple[Transfer, ...]:
    """A locked share leaves its meter for the hand-pay payable; after a whole share the house puts the seed there."""
    meter = ids.meter_account(hit.network, hit.meter, hit.currency)
    seed = hit.meter_after - (hit.meter_before - hit.amount)
    # A meter below 0 has nothing to lock: its share was locked before a round that had fed it was declared void.
    if hit.amount > max(0, hit.meter_before) or seed < 0 or (seed > 0 and hit.percent < 100):
        raise UnpostableError(
            "hit_contradicts_itself",
            f"claim {hit.claim_id} on meter {hit.meter} of {hit.network}: was {hit.meter_before} before, "
            f"{hit.amount} ({hit.percent}%) locked, {hit.meter_after} after; allowed: after = before - locked, "
            "plus a seed at 100% only",
        )
    transfers = []
    if hit.amount:
        transfers.append(
            Transfer(
                transfer_id=reserve_id(hit.claim_id),
                debit=meter,
                credit=ids.handpay_account(hit.network, hit.currency),
                amount=hit.amount,
                code="hit",
            )
        )
    if seed:
        transfers.append(
            Transfer(
                transfer_id=ids.transfer_id(hit.claim_id, "seed"),
                debit=ids.house_account(hit.currency),
                credit=meter,
                amount=seed,
                code="seed",
            )
        )
    return tuple(transfers)


def reserve_id(claim_id: str) -> str:
    """Id of the transfer that reserved a locked share; without it nothing is paid by hand."""
    return ids.transfer_id(claim_id, "hit")


def hand_pay_transfer(approved: HandPayApproved) -> Transfer | None:
    """An approved share from the hand-pay payable to the player; None for a share that was rounded down to 0."""
    if approved.amount == 0:
        return None
    return Transfer(
        transfer_id=ids.transfer_id(approved.claim_id, "hand_pay"),
        debit=ids.handpay_account(approved.network, approved.currency),
        credit=ids.player_account(approved.player, approved.currency),
        amount=approved.amount,
        code="hand_pay",
    )
