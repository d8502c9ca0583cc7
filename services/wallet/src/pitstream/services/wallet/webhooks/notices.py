"""From what the ledger posted to what platforms are told. Pure.

A notice is one fact for one owner: an operator, or a property of one, by the prefix of its players' ids. Its id is made
from the fact, so that the same fact is never two notices.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import BaseModel

from pitstream.events import Event, ids
from pitstream.events.prizes import PrizePosted
from pitstream.events.settlements import RoundSettled, SeatSettlement
from pitstream.events.wallet import HandPayPosted, SeatPosted, TransferReversed
from pitstream.services.wallet.webhooks.bodies import DATA, Body, Kind, RoundResult, SeatResult


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
        net=sum(t.amount * ((t.credit == account) - (t.debit == account)) for t in transfers),
        balance_after=posted.balance_after if posted else None,
        lines=list(seat.lines),
        awards=list(seat.awards),
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
