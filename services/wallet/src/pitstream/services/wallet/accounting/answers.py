"""What table accounting answers, as its API describes it. Amounts are minor units, shares exact fractions ("2/3")."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitstream.events.accounting import CountCorrected, SlipKind

Fraction = str | None
"""A share, such as "7/40", or None where there is nothing to share."""


class Answer(BaseModel):
    """A JSON object with these fields and no other."""

    model_config = ConfigDict(extra="forbid")


class CountedAnswer(Answer):
    """What people counted, over one shift or several; ``win`` is None while a count is missing at either end."""

    shifts: list[str]
    opener: int | None
    fills: int
    credits: int
    drop: int
    buy_ins: int
    closer: int | None
    win: int | None
    hold: Fraction


class SettledAnswer(Answer):
    """What wagers came to. ``theoretical_win`` leaves out ``unpriced``, the handle whose edge is not known."""

    bets: int
    handle: int
    taken: int
    paid: int
    win: int
    hold_of_handle: Fraction
    theoretical_win: str
    unpriced: int


class ShiftAnswer(SettledAnswer):
    """The same of one shift."""

    shift: str


class GameAnswer(SettledAnswer):
    """The same of one game."""

    game: str


class WagerAnswer(SettledAnswer):
    """The same of one wager in one shift, or of an award: that has no handle, and ``exposure`` is what the stakes come
    to that it hangs on."""

    shift: str
    game: str
    wager: str
    paytable: str
    edge: Fraction
    exposure: int


class FixedAnswer(Answer):
    """Figures as they were fixed: book 1 at the close, one more with each approved correction."""

    book: int
    rounds: int
    counted: CountedAnswer | None
    settled: SettledAnswer
    counted_less_settled: int | None


class SlipFields(Answer):
    """A slip, and whether it counts."""

    slip: str
    kind: SlipKind
    shift: str
    amount: int
    prepared_by: str
    role: str
    state: Literal["prepared", "signed", "cancelled"]


class PlaceFields(Answer):
    """Which day of which table."""

    table: str
    currency: str
    gaming_day: str
    property: str


class SlipAnswer(PlaceFields, SlipFields):
    """A slip, and what is counted at its table with it."""

    counted: CountedAnswer | None


class BuyInAnswer(Answer):
    """The player's account after a buy-in."""

    account: str
    balance: int
    amount: int


class CorrectionAnswer(Answer):
    """A correction that waits for its second person."""

    table: str
    gaming_day: str
    number: int
    counts: list[CountCorrected]
    reason: str
    prepared_by: str
    role: str


class TableDayAnswer(PlaceFields):
    """A table's day: the figures in force, or of an open day those of this moment."""

    state: Literal["open", "closed"]
    rounds: int
    counted: CountedAnswer | None
    settled: SettledAnswer
    counted_less_settled: int | None
    counts: list[CountedAnswer]
    shifts: list[ShiftAnswer]
    games: list[GameAnswer]
    wagers: list[WagerAnswer]
    slips: list[SlipFields]
    rounds_in_progress: list[int]
    late_rounds: list[int]
    settled_differs: bool
    fixed: list[FixedAnswer]
    correction_waiting: CorrectionAnswer | None


class TablesAnswer(Answer):
    """A page of tables' days."""

    tables: list[TableDayAnswer]
    next: str | None


class CountedTotal(Answer):
    """Counts of ``tables`` added up; of ``not_counted`` others the win is not known, and not in it."""

    win: int
    drop: int
    hold: Fraction
    fills: int
    credits: int
    tables: int
    not_counted: int


class TotalAnswer(Answer):
    """What tables come to together, of a day, a game or a shift."""

    day: str | None = None
    game: str | None = None
    shift: str | None = None
    currency: str
    counted: CountedTotal
    settled: SettledAnswer


class TotalsAnswer(Answer):
    """Totals of a gaming day."""

    gaming_day: str
    totals: list[TotalAnswer]


class TableName(Answer):
    """A table whose day is closed."""

    table: str
    currency: str


class OpenTable(TableName):
    """A table whose day cannot be closed yet, and why."""

    code: str
    detail: str


class ClosedAnswer(Answer):
    """What closing a property's day came to."""

    gaming_day: str
    property: str
    closed: list[TableName]
    open: list[OpenTable]


class NowAnswer(Answer):
    """A property's gaming day at this moment."""

    property: str
    time_zone: str
    gaming_day: str
    shift: str
    begins_at_us: int
    ends_at_us: int
    hours: Fraction


class PostingAnswer(Answer):
    """What a seat of a round, or a share or prize of it, came to for its player."""

    table: str
    round_no: int
    seat: int
    player: str
    currency: str
    net: int
    kind: Literal["seat", "hand_pay", "correction"]
    claim_id: str | None = None
    correction: int | None = None


class RoundAnswer(Answer):
    """A round as the ledger has it."""

    table: str
    round_no: int
    currency: str
    settled: bool
    late: bool
    corrected: int
    postings: list[PostingAnswer]


class RoundsAnswer(Answer):
    """A page of a day's rounds."""

    rounds: list[RoundAnswer]
    next: str | None


class MovementAnswer(Answer):
    """Money that came to a game account from its operator, or went back."""

    transaction_id: str
    player: str
    currency: str
    way: Literal["in", "out"]
    amount: int
    state: Literal["booked", "uncertain", "undone"]
    gaming_day: str


class MovementsAnswer(Answer):
    """Movements; ``next`` is the cursor of the next page, of a list."""

    movements: list[MovementAnswer]
    next: str | None = Field(default=None)
