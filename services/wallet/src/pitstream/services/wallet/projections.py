"""What can be made anew from this service's own events (``pitstream rebuild wallet …``)."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from pitstream.events import Recorded
from pitstream.events.wallet import AccountOpened, FundsHeld, HoldCaptured, HoldPlaced, HoldVoided, SeatPosted
from pitstream.runtime.rebuild import Connection, Projection
from pitstream.services.wallet.books import transfers_of


class _Balances:
    """Every account's sums. A transfer is told by one account's stream and moves another's too, so an account may be
    moved here before it is opened; its holds are opened and resolved on its own stream."""

    def __init__(self) -> None:
        self._held: dict[str, int] = {}
        """Open holds and their amounts, minor units."""

    async def __call__(self, conn: Connection, events: Sequence[Recorded]) -> None:
        moved: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        opened = []
        for recorded in events:
            event = recorded.event
            for transfer in transfers_of(event):
                moved[transfer.debit][0] += transfer.amount
                moved[transfer.credit][1] += transfer.amount
            match event:
                case AccountOpened():
                    opened.append((event.account, event.kind, event.currency, event.scale))
                case FundsHeld() | HoldPlaced():
                    self._held[event.hold_id] = event.amount
                    moved[event.account][2] += event.amount
                case SeatPosted():
                    moved[event.account][2] -= sum(self._held.pop(hold_id) for hold_id in event.resolved_holds)
                case HoldCaptured() | HoldVoided():
                    moved[event.account][2] -= self._held.pop(event.hold_id)
        if moved:
            sums = sorted((account, *amounts) for account, amounts in moved.items())
            await conn.execute(_MOVE, *map(list, zip(*sums, strict=True)))
        if opened:
            await conn.execute(_OPEN, *map(list, zip(*opened, strict=True)))


_MOVE = """
INSERT INTO accounts (account, kind, currency, scale, debits_posted, credits_posted, debits_pending)
SELECT moved.account, split_part(moved.account, '/', 1), currency, coalesce(scale, 2), debits, credits, pending
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS moved (account, debits, credits, pending)
CROSS JOIN LATERAL (SELECT substring(moved.account FROM '[^/]*$') AS currency) AS named
LEFT JOIN currencies USING (currency)
ON CONFLICT ON CONSTRAINT accounts_once DO UPDATE
SET debits_posted = accounts.debits_posted + excluded.debits_posted,
    credits_posted = accounts.credits_posted + excluded.credits_posted,
    debits_pending = accounts.debits_pending + excluded.debits_pending
"""
_OPEN = """
INSERT INTO accounts (account, kind, currency, scale)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[])
ON CONFLICT ON CONSTRAINT accounts_once DO UPDATE
SET kind = excluded.kind, currency = excluded.currency, scale = excluded.scale
"""

PROJECTIONS: Final = (Projection(name="balances", tables=("accounts",), streams="account/", project=_Balances),)
