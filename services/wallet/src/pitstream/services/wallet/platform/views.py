"""What the platform API takes and gives. Amounts are minor units: see ``pitstream.events.money``."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pitstream.events.model import PlayerId, RoundNo, SeatNo, TableId
from pitstream.events.money import Amount
from pitstream.services.wallet.books import Account, HoldState

ROUNDS_A_QUERY = 10_000
HOLD_S_MAX = 30 * 24 * 3600

Purpose = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$", examples=["tournament 7"])]
"""Why, in the platform's words; it stays in the events for good."""


class Strict(BaseModel):
    """A body: exact types, no unknown field."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AmountBody(Strict):
    """Money that moves, in minor units."""

    amount: Amount


class TransferBody(Strict):
    """Money for another player of the same operator."""

    to: Annotated[PlayerId, Field(examples=["acme:p002"])]
    amount: Amount


class HoldBody(Strict):
    """Money to set aside, and for how long: until it is resolved, unless ``expires_in_s`` says otherwise."""

    amount: Amount
    purpose: Purpose
    expires_in_s: Annotated[int, Field(ge=1, le=HOLD_S_MAX, examples=[3600])] | None = None


class CaptureBody(Strict):
    """How much of a hold to take: all of it unless ``amount`` says less."""

    amount: Amount | None = None


class RoundName(Strict):
    """One round of one table."""

    table: TableId
    round_no: RoundNo


class RoundsBody(Strict):
    """The rounds that are asked about."""

    rounds: Annotated[list[RoundName], Field(max_length=ROUNDS_A_QUERY)]


class AccountView(BaseModel):
    """An account as it stands: ``available`` is what of the balance is not held."""

    account: Annotated[str, Field(examples=["player/acme:p001/USD"])]
    kind: Annotated[str, Field(examples=["player"])]
    currency: Annotated[str, Field(examples=["USD"])]
    scale: Annotated[int, Field(description="decimal places of the currency", examples=[2])]
    balance: int
    held: int
    available: int

    @classmethod
    def of(cls, account: Account) -> "AccountView":
        return cls(
            account=account.account,
            kind=account.kind,
            currency=account.currency,
            scale=account.scale,
            balance=account.balance,
            held=account.held,
            available=account.available,
        )


class MovedView(AccountView):
    """The account after money moved; ``transfer_id`` names what moved it, ``version`` is its last event."""

    version: int
    transfer_id: str


class AccountsView(BaseModel):
    """A page of accounts in the order of their names; ``next`` is the cursor of the page after it."""

    accounts: list[AccountView]
    next: str | None


class HoldView(BaseModel):
    """Money that a platform set aside. ``captured`` of it was taken in the end."""

    hold_id: str
    account: str
    amount: int
    purpose: str
    state: HoldState
    captured: int
    placed_at: Annotated[datetime | None, Field(description="told where holds are read, not where one is placed")] = (
        None
    )
    expires_at: datetime | None


class HoldsView(BaseModel):
    """A page of holds in the order in which they were placed; ``next`` is the cursor of the page after it."""

    holds: list[HoldView]
    next: str | None


class StatementLine(BaseModel):
    """One transfer, from the account's side: ``amount`` is above 0 where it received, below 0 where it gave."""

    transfer_id: str
    at: datetime
    code: Annotated[str, Field(description="what it was for: a wager, `deposit`, `transfer`, `reversal`, …")]
    counter_account: str
    amount: int
    balance: Annotated[int, Field(description="after this line")]


class StatementView(BaseModel):
    """A page of a statement. ``opening_balance`` and ``closing_balance`` are the whole period's, the same on every
    page: opening + the amounts of all pages = closing."""

    account: str
    currency: str
    scale: int
    since: Annotated[datetime | None, Field(description="None: from the account's first transfer")]
    until: Annotated[datetime, Field(description="what came later is not in this statement, on none of its pages")]
    opening_balance: int
    closing_balance: int
    lines: list[StatementLine]
    next: str | None


class PostingView(BaseModel):
    """What a round came to for a seat (``seat``), what was paid by hand afterwards (``hand_pay``, with claim), or by
    how much a correction of the round changed it (``correction``, with its number)."""

    table: str
    round_no: int
    seat: SeatNo
    player: str
    currency: str
    net: int
    kind: Literal["seat", "hand_pay", "correction"]
    claim_id: str | None = None
    correction: int | None = None


class PostingsView(BaseModel):
    """What was posted, in order of table, round and seat."""

    postings: list[PostingView]


class PostingsPage(BaseModel):
    """A page of an account's results in the order in which they were posted."""

    postings: list[PostingView]
    next: str | None


class CurrencySum(BaseModel):
    """All accounts of a currency together: 0."""

    currency: str
    sum: int


class LedgerCheck(BaseModel):
    """The proof of the ledger."""

    ok: bool
    currencies: list[CurrencySum]
    differing_accounts: list[str]
    open_holds: int
    transfers: int
