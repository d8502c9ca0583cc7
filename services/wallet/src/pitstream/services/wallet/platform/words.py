"""What the routes' signatures are made of: parts of paths, callers, cursors."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Path, Query
from pydantic import AwareDatetime, Field

from pitstream.events.model import Currency, PlayerId
from pitstream.runtime import Principal, Role, Store, allowed, command_id, store_of
from pitstream.services.wallet.platform.cursors import LIMIT, LIMIT_MAX

PlayerName = Annotated[PlayerId, Path(examples=["acme:p001"])]
# Any text is looked for, but a database takes no character 0.
AccountName = Annotated[str, Path(pattern=r"^[^\x00]+$", examples=["player/acme:p001/USD"])]
CurrencyCode = Annotated[Currency, Path(examples=["USD"])]
UUID_PATTERN = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
HoldId = Annotated[str, Path(pattern=UUID_PATTERN, examples=["5ad3a75f-b1a2-5c51-a9ee-6b5a5f1a4a34"])]
CommandId = Annotated[str, Depends(command_id)]
TheStore = Annotated[Store, Depends(store_of)]

Cashier = Annotated[Principal, Depends(allowed(Role.CASHIER, Role.PLATFORM))]
Platform = Annotated[Principal, Depends(allowed(Role.PLATFORM))]
Reader = Annotated[
    Principal, Depends(allowed(Role.CASHIER, Role.PLATFORM, Role.FLOORPERSON, Role.AUDITOR, Role.OPERATIONS))
]
WholeLedger = Annotated[Principal, Depends(allowed(Role.AUDITOR, Role.OPERATIONS, everywhere=True))]
"""The ledger's sums are over everybody's accounts."""

# Beyond these a moment in another time zone leaves the calendar.
Moment = Annotated[AwareDatetime, Field(ge=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9999, 1, 1, tzinfo=UTC))]
Limit = Annotated[int, Query(ge=1, le=LIMIT_MAX, description="rows of one page")]
After = Annotated[str | None, Query(max_length=500, description="the `next` of the page before")]
PAGE = LIMIT
