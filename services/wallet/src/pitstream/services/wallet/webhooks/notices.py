"""From what the ledger posted to what platforms are told. Pure.

A notice is one fact for one owner: an operator, or a property of one, by the prefix of its players' ids. Its id is made
from the fact, so that the same fact is never two notices.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import BaseModel

from pitstream.events import Event, ids
from pitstream.events.corrections import ReceivableOpened, SeatCorrected
from pitstream.events.prizes import PrizePosted
from pitstream.events.settlements import RoundResettled, RoundSettled, SeatSettlement
from pitstream.events.wallet import HandPayPosted, SeatPosted, Transfer, TransferReversed
from pitstream.services.wallet.webhooks.bodies import (
    DATA,
    Body,
    Kind,
    Owed,
    RoundCorrection,
    RoundResult,
    SeatCorrection,
    SeatResult,
)


@dataclass(frozen=True, slots=True)
class Notice:
    """``order_key``: notices of one key reach a subscriber one after the other."""

    notice_id: str
    kind: Kind
    owner: str
    order_key: str
    data: BaseModel

    def body(self, at_us: int) -> str:
        """What is sent, each attempt the same bytes."""
        told = Body[BaseModel](type=self.kind, timestamp=datetime.fromtimestamp(at_us / 1e6, UTC), data=self.data)
        return told.model_dump_json(serialize_as_any=True)


def owner_of(player: str) -> str:
    """Whose player it is: the prefix of its id, ``local`` without one.

    >>> owner_of("acme.boardwalk:p001"), owner_of("p001")
    ('acme.boardwalk', 'local')
    """
    prefix, colon, _ = player.partition(":")
    return prefix if colon else ids.LOCAL


def round_notices(settled: RoundSettled, posted: Iterable[Event]) -> list[Notice]:
    """One notice for each owner of players in the round: its own players' seats, and nobody else's."""
    seats: dict[str, list[SeatResult]] = {}
    balances = {event.seat: event for event in posted if isinstance(event, SeatPosted)}
    for seat in settled.seats:
        seats.setdefault(owner_of(seat.player), []).append(_seat(seat, balances.get(seat.seat)))
    return [
        Notice(
            notice_id=ids.transfer_id("notice", settled.table, settled.round_no, owner),
            kind="round.settled",
            owner=owner,
            order_key=settled.table,
            data=RoundResult(
                table=settled.table,
                round_no=settled.round_no,
                round_id=settled.round_id,
                game=settled.game,
                gaming_day=settled.gaming_day,
                currency=settled.currency,
                void=settled.void,
                seats=theirs,
            ),
        )
        for owner, theirs in sorted(seats.items())
    ]


def _seat(seat: SeatSettlement, posted: SeatPosted | None) -> SeatResult:
    account = posted.account if posted else ""
    transfers = posted.transfers if posted else ()
    return SeatResult(
        seat=seat.seat,
        player=seat.player,
        net=_net(account, transfers),
        balance_after=posted.balance_after if posted else None,
        lines=list(seat.lines),
        awards=list(seat.awards),
    )


def _net(account: str, transfers: Iterable[Transfer]) -> int:
    return sum(t.amount * ((t.credit == account) - (t.debit == account)) for t in transfers)


def correction_notices(resettled: RoundResettled, posted: Sequence[Event]) -> list[Notice]:
    """One notice for each owner of players whose seats come out otherwise; an owner hears of its own players only."""
    by_seat = {seat.seat: seat for seat in resettled.seats}
    seats: dict[str, list[SeatCorrection]] = {}
    owed: dict[str, list[Owed]] = {}
    for event in posted:
        if isinstance(event, SeatCorrected):
            player = event.account.split("/")[1]
            seats.setdefault(owner_of(player), []).append(_corrected(by_seat.get(event.seat), player, event))
        elif isinstance(event, ReceivableOpened):
            item = Owed(player=event.player, receivable_id=event.receivable_id, amount=event.transfer.amount)
            owed.setdefault(owner_of(event.player), []).append(item)
    return [
        Notice(
            notice_id=ids.transfer_id(
                "notice", resettled.table, resettled.round_no, owner, "correction", resettled.correction
            ),
            kind="round.corrected",
            owner=owner,
            order_key=resettled.table,
            data=RoundCorrection(
                table=resettled.table,
                round_no=resettled.round_no,
                round_id=resettled.round_id,
                game=resettled.game,
                gaming_day=resettled.gaming_day,
                currency=resettled.currency,
                correction=resettled.correction,
                reason=resettled.reason,
                seats=theirs,
                owed=owed.get(owner, []),
            ),
        )
        for owner, theirs in sorted(seats.items())
    ]


def _corrected(seat: SeatSettlement | None, player: str, event: SeatCorrected) -> SeatCorrection:
    mine = seat if seat is not None and seat.player == player else None
    return SeatCorrection(
        seat=event.seat,
        player=player,
        net=_net(event.account, [*(one.transfer for one in event.undone), *event.transfers]),
        balance_after=event.balance_after,
        lines=list(mine.lines) if mine else [],
        awards=list(mine.awards) if mine else [],
    )


def event_notices(events: Sequence[Event]) -> list[Notice]:
    """What else an owner is told of, beside its rounds."""
    return [notice for event in events if (notice := _event_notice(event)) is not None]


def _event_notice(event: Event) -> Notice | None:
    match event:
        case HandPayPosted():
            return _notice(event, event.account, "hand_pay.paid", event.table, "hand_pay", event.claim_id)
        case PrizePosted():
            return _notice(event, event.account, "prize.paid", event.table, "prize", event.prize_id, event.account)
        case TransferReversed():
            return _notice(event, event.account, "transfer.reversed", event.account, "reversed", event.reversed_id)
        case _:
            return None


def _notice(event: Event, account: str, kind: Kind, order_key: str, *fact: str) -> Notice | None:
    """None where the account is no player's."""
    of, player, *_, currency = account.split("/")
    if of != "player":
        return None
    return Notice(
        notice_id=ids.transfer_id("notice", *fact),
        kind=kind,
        owner=owner_of(player),
        order_key=order_key,
        data=DATA[kind].model_validate({"player": player, "currency": currency, **dict(event)}),
    )
