"""What operators' routes take and give, as JSON."""

from typing import Annotated, Any

import asyncpg
from pydantic import AwareDatetime, BaseModel, Field

from pitstream.events.model import Currency
from pitstream.events.remote import Milliseconds, Mode, Resolution, UnknownRollback
from pitstream.services.wallet.platform.views import Strict
from pitstream.services.wallet.remote.operators import DEADLINE_MS_MAX, RETRIES_MAX, KeyRef, Operator


class ConnectBody(Strict):
    """An operator's terms. Its secret is named (``key_ref``), never sent."""

    mode: Mode
    currency: Annotated[Currency, Field(examples=["USD"])]
    base_url: Annotated[
        str,
        Field(
            max_length=500,
            pattern=r"^[!-~]*$",
            examples=["https://wallet.acme.example/pitstream"],
            description="when seamless",
        ),
    ] = ""
    key_ref: Annotated[KeyRef | None, Field(description="when seamless")] = None
    deadline_ms: Annotated[int, Field(ge=50, le=DEADLINE_MS_MAX)] = 2_000
    retry_ms: Annotated[
        list[Milliseconds],
        Field(min_length=1, max_length=RETRIES_MAX, description="pauses between attempts; the last one is for ever"),
    ] = [500, 1_000, 2_000, 5_000, 15_000, 60_000]  # noqa: RUF012  # pydantic copies it
    unknown_rollback: Annotated[
        UnknownRollback, Field(description="what it answers to the rollback of a transaction that it never saw")
    ] = "not_found"
    calls_at_once: Annotated[int, Field(ge=1, le=256)] = 16


class ResolveBody(Strict):
    """What a person found out, and how. ``confirm``: it stands at the operator; ``void``: it does not, and will not;
    ``retry``: ask again."""

    resolution: Resolution
    reason: Annotated[
        str,
        Field(
            min_length=3, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$", examples=["statement of 2026-03-28, line 512"]
        ),
    ]


class OperatorView(BaseModel):
    """An operator's terms. Its secret's name is told; its secret is not known here."""

    operator: str
    mode: Mode
    currency: str
    base_url: str
    key_ref: str
    deadline_ms: int
    retry_ms: list[int]
    unknown_rollback: UnknownRollback
    calls_at_once: int

    @classmethod
    def of(cls, operator: Operator) -> "OperatorView":
        return cls.model_validate(operator, from_attributes=True)


class TotalsView(BaseModel):
    """What an operator's moves come to, minor units: what stands there, and what is not certain yet."""

    debits: int
    debited: int
    credits: int
    credited: int
    declined: int
    uncertain: int
    open: int


class OperatorNow(OperatorView):
    """An operator's terms, and what its moves come to."""

    moves: TotalsView


class OperatorList(BaseModel):
    """The operators that the caller sees."""

    operators: list[OperatorView]


class MoveView(BaseModel):
    """A move. ``next_step``: what the operator is asked next; null when a person must find out, and at the end."""

    transaction_id: str
    verb: str
    next_step: str | None
    uncertain: bool
    ended: str | None
    player: str
    currency: str
    amount: int
    table: str
    round_no: int
    seat: int | None
    bundle: int | None
    game: str
    reference_transaction_id: str | None
    attempts: int
    last_doubt: str
    requested_at: AwareDatetime
    due_at: AwareDatetime | None

    @classmethod
    def of(cls, row: asyncpg.Record) -> "MoveView":
        return cls(
            transaction_id=str(row["transaction_id"]),
            verb=row["verb"],
            next_step=row["step"],
            uncertain=row["uncertain"],
            ended=row["ended"],
            player=row["player"],
            currency=row["currency"],
            amount=row["amount"],
            table=row["table_id"],
            round_no=row["round_no"],
            seat=row["seat"],
            bundle=row["bundle"],
            game=row["game"],
            reference_transaction_id=None if row["reference_id"] is None else str(row["reference_id"]),
            attempts=row["attempts"],
            last_doubt=row["last_doubt"],
            requested_at=row["requested_at"],
            due_at=row["due_at"] if row["step"] else None,
        )


class MoveNow(MoveView):
    """A move with its events."""

    events: list[dict[str, Any]]


class UncertainPage(BaseModel):
    """``next``: where the following page begins; null on the last one."""

    moves: list[MoveView]
    next: str | None


class ResolvedView(BaseModel):
    """What was said of a move, and who said it."""

    transaction_id: str
    resolution: Resolution
    by: str


class BalanceView(BaseModel):
    """What the operator's own wallet says, minor units."""

    player: str
    currency: str
    balance: int
