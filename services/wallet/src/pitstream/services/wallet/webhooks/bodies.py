"""What a webhook's body says, by its kind. Amounts are minor units."""

from datetime import datetime
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from pitstream.events.settlements import Award, Line
from pitstream.events.wallet import Transfer


class SeatResult(BaseModel):
    """One seat of a round: what its player won and lost together, and every line with its paragraph."""

    seat: int
    player: str
    net: Annotated[int, Field(description="what waits for a floorperson left out: it is told when it is paid")]
    balance_after: int | None
    lines: list[Line]
    awards: list[Award]


class RoundResult(BaseModel):
    """A round was settled and posted: the seats of the subscriber's own players."""

    table: str
    round_no: int
    round_id: str
    game: str
    gaming_day: str
    currency: str
    void: bool
    seats: list[SeatResult]


class SeatCorrection(SeatResult):
    """What a seat comes to by now; no lines where it is not this player's any more."""

    net: Annotated[int, Field(description="what that adds to what the player had of the seat before")]


class Owed(BaseModel):
    """What had to be taken back and was not there: it is owed."""

    player: str
    receivable_id: str
    amount: int


class RoundCorrection(BaseModel):
    """A recorded round was put right: the seats of the subscriber's own players that come out otherwise by now."""

    table: str
    round_no: int
    round_id: str
    game: str
    gaming_day: str
    currency: str
    correction: int
    reason: str
    seats: list[SeatCorrection]
    owed: list[Owed]


class _OfPlayer(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    player: str
    currency: str
    account: str
    transfer: Transfer
    balance_after: int


class HandPay(_OfPlayer):
    """A share of a meter was validated and paid."""

    network: str
    claim_id: str
    table: str
    round_no: int
    seat: int


class Prize(_OfPlayer):
    """A prize, or envy, that waited for a floorperson was paid."""

    prize_id: str
    table: str
    round_no: int
    seat: int


class Reversal(_OfPlayer):
    """A transfer was undone."""

    reversed_id: str
    reason: str
    by: str


class Test(BaseModel):
    """Somebody asked for this notice."""

    asked_by: str


Kind = Literal["round.settled", "round.corrected", "hand_pay.paid", "prize.paid", "transfer.reversed", "webhook.test"]
DATA: dict[Kind, type[BaseModel]] = {
    "round.settled": RoundResult,
    "round.corrected": RoundCorrection,
    "hand_pay.paid": HandPay,
    "prize.paid": Prize,
    "transfer.reversed": Reversal,
    "webhook.test": Test,
}

Data = TypeVar("Data", bound=BaseModel)


class Body(BaseModel, Generic[Data]):
    """A notice: ``type`` is its kind, ``data`` what it tells."""

    type: Kind
    timestamp: datetime
    data: Data
