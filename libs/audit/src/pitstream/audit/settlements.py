"""Topic ``settlements.v1``: what each settlement owes to the ledger, to the meters and to those who await a prize."""

from typing import Any

from pitstream.archive import Stored
from pitstream.audit.findings import found
from pitstream.audit.part import SETTLEMENT, Part
from pitstream.audit.scope import Scope
from pitstream.events import Recorded, ids
from pitstream.events.prizes import pending_prizes, prizes_of
from pitstream.events.settlements import RoundResettled, RoundSettled, pot_wagers
from pitstream.events.wallet import Transfer
from pitstream.services.wallet.posting import UnpostableError, seat_transfers


class Settlements:
    """``see`` every event of the topic; nothing is kept."""

    def __init__(self, part: Part, scope: Scope) -> None:
        self._part = part
        self._scope = scope

    async def see(self, stored: Stored, recorded: Recorded) -> None:
        """The next event of its key."""
        match recorded.event:
            case RoundSettled() as settled if self._scope.has(settled.table, settled.gaming_day):
                self._settled(stored, recorded, settled)
            case RoundResettled() as settled if self._scope.has(settled.table, settled.gaming_day):
                self._resettled(stored, recorded, settled)

    def _settled(self, stored: Stored, recorded: Recorded, settled: RoundSettled) -> None:
        part, name, actor = self._part, f"{settled.table}/{settled.round_no}", recorded.envelope.actor
        content = {
            "event": settled.model_dump(mode="json"), "cause": recorded.envelope.cause_id, "actor": actor,
        }  # fmt: skip
        part.tell(SETTLEMENT, name, settled.table, stored, content)
        pots = pot_wagers(settled.seats)
        for seat in settled.seats:
            try:
                transfers = seat_transfers(settled, seat, pots)
            except UnpostableError as error:
                part.report(found("seat", stored, f"cannot be posted: {error}"), stored.recorded_at_us)
                continue
            account = ids.player_account(seat.player, settled.currency)
            posted = seat_content(account, transfers, stored.event_id, actor)
            part.owe("seat", f"{name}/{seat.seat}", settled.table, stored, posted)
            for line in seat.lines:
                if line.share is not None:
                    claim = ids.claim_id(settled.table, settled.round_no, seat.seat, line.wager)
                    content = hit_content(seat.player, line.share.meter, line.share.percent, line.wager)
                    part.owe("hit", claim, settled.table, stored, content)
        for prize in pending_prizes(settled):
            part.owe("prize", prize.prize_id, settled.table, stored, prize.model_dump(mode="json"))
        if settled.network is not None:
            of_network = f"{settled.network}/{name}"
            part.owe("round closed", of_network, settled.table, stored, {"cause": stored.event_id})
            # Nothing was fed where nobody wagered, or where a person kept it out.
            part.owe("stakes kept", of_network, settled.table, stored, {"kept": not settled.void}, may=True)

    def _resettled(self, stored: Stored, recorded: Recorded, settled: RoundResettled) -> None:
        """What follows is decided by people where money was paid already: it may be told, and nothing else may."""
        part, name = self._part, f"{settled.table}/{settled.round_no}"
        content = {"event": settled.model_dump(mode="json"), "cause": recorded.envelope.cause_id}
        part.tell("correction", f"{name}/{settled.correction}", settled.table, stored, content)
        lines = {(seat.seat, line.wager): (seat, line) for seat in settled.seats for line in seat.lines}
        for claim in settled.claims:
            seat, line = lines[claim.seat, claim.wager]
            if line.share is not None:
                content = hit_content(seat.player, line.share.meter, line.share.percent, line.wager)
                part.owe("hit", claim.claim_id, settled.table, stored, content, may=True)
        for prize in prizes_of(settled):
            part.owe("prize", prize.prize_id, settled.table, stored, prize.model_dump(mode="json"), may=True)


def seat_content(account: str, transfers: tuple[Transfer, ...], cause: str, actor: str) -> dict[str, Any]:
    """What a settled seat's posting must say."""
    moved = [transfer.model_dump(mode="json") for transfer in transfers]
    return {"account": account, "transfers": moved, "cause": cause, "actor": actor}


def hit_content(player: str, meter: str, percent: int, wager: str) -> dict[str, Any]:
    """What a locked hit must say of the line that won it."""
    return {"player": player, "meter": meter, "percent": percent, "wager": wager}
