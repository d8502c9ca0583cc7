"""Topic ``wallet.v1``, table accounting: what people count at a table and bring to it, and the day made of it.

Stream and key are those of the table's inventory account, a buy-in's those of the player's account. Minor units.
"""

from typing import Annotated, Literal

from pydantic import Field

from pitstream.events.model import INT64_MAX, Event, GamingDay, Minor, Part, SignedMinor, Stake, TableId, Text, Word
from pitstream.events.wallet import TOPIC, AccountId, Transfer

SlipKind = Literal["opener", "fill", "credit", "closer", "drop"]
CountName = Literal["opener", "fills", "credits", "drop", "closer"]
SlipNo = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,31}$")]
"""The number printed on a slip: a property uses it once."""
Shift = Word
Number = Annotated[int, Field(ge=1, le=INT64_MAX)]


class Pieces(Part):
    """So many chips, notes or vouchers of one value, minor units."""

    denomination: Stake
    pieces: Number


class SlipPrepared(Event, package=TOPIC):
    """A slip was made out and has its first signature. Nothing moved yet."""

    account: AccountId
    table: TableId
    gaming_day: GamingDay
    shift: Shift
    kind: SlipKind
    slip: SlipNo
    amount: Minor
    pieces: tuple[Pieces, ...]
    prepared_by: Text
    role: Word


class SlipSigned(Event, package=TOPIC):
    """A second person, of the other role, signed: the slip counts, and what it brings has moved."""

    account: AccountId
    table: TableId
    gaming_day: GamingDay
    shift: Shift
    kind: SlipKind
    slip: SlipNo
    amount: Minor
    signed_by: Text
    role: Word
    transfers: tuple[Transfer, ...]


class SlipCancelled(Event, package=TOPIC):
    """A slip with one signature is void: its number is used, nothing moves."""

    account: AccountId
    table: TableId
    gaming_day: GamingDay
    slip: SlipNo
    reason: Text
    cancelled_by: Text


class BuyInPosted(Event, package=TOPIC):
    """A player bought in at the table: cash went into the drop box, as much from its inventory to the game account."""

    account: AccountId
    table: TableId
    gaming_day: GamingDay
    shift: Shift
    taken_by: Text
    transfers: tuple[Transfer, ...]
    balance_after: SignedMinor


class ShiftCount(Part):
    """One shift's counts at a table. A count that nobody made is None."""

    shift: Shift
    opener: Minor | None = None
    fills: Minor = 0
    credits: Minor = 0
    drop: Minor = 0
    buy_ins: Minor = 0
    closer: Minor | None = None


class WagerSum(Part):
    """What one wager came to at a table in one shift. ``edge`` is an exact fraction, "" where it is not known. An award
    has no handle: ``exposure`` is what the stakes come to that it hangs on. Theoretical win: both, times the edge."""

    shift: Shift
    game: Word
    wager: Word
    paytable: Text
    bets: Minor
    handle: Minor
    taken: Minor
    paid: Minor
    edge: Text = ""
    exposure: Minor = 0


class Sheet(Part):
    """A table's gaming day in figures; every win, hold and total is made from these."""

    rounds: Minor = 0
    counts: tuple[ShiftCount, ...] = ()
    wagers: tuple[WagerSum, ...] = ()


class TableDayClosed(Event, package=TOPIC):
    """A table's gaming day was closed: these are its figures for ever, unless a correction is approved."""

    account: AccountId
    table: TableId
    gaming_day: GamingDay
    closed_by: Text
    sheet: Sheet


class CountCorrected(Part):
    """One count that is corrected."""

    shift: Shift
    figure: CountName
    amount: Minor


class CorrectionPrepared(Event, package=TOPIC):
    """Somebody says what is wrong with a closed day. Nothing changes yet."""

    account: AccountId
    table: TableId
    gaming_day: GamingDay
    number: Number
    counts: tuple[CountCorrected, ...]
    reason: Text
    prepared_by: Text
    role: Word


class TableDayCorrected(Event, package=TOPIC):
    """A second person agreed: the day's figures are these from here on, late rounds taken in. ``dated`` is the gaming
    day on which that was."""

    account: AccountId
    table: TableId
    gaming_day: GamingDay
    number: Number
    dated: GamingDay
    reason: Text
    prepared_by: Text
    approved_by: Text
    was: Sheet
    becomes: Sheet
    transfers: tuple[Transfer, ...]


class CorrectionDeclined(Event, package=TOPIC):
    """A prepared correction was not agreed to."""

    account: AccountId
    table: TableId
    gaming_day: GamingDay
    number: Number
    reason: Text
    declined_by: Text
