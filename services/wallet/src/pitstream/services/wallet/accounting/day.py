"""A table's gaming day as its events make it: slips, buy-ins, the close, corrections; and who may sign what. Pure.

A slip counts when two people of different roles have signed it, each under an own credential. The same two steps
correct a day that is closed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pitstream.events import Event, ids
from pitstream.events.accounting import (
    BuyInPosted,
    CorrectionDeclined,
    CorrectionPrepared,
    Sheet,
    ShiftCount,
    SlipCancelled,
    SlipKind,
    SlipPrepared,
    SlipSigned,
    TableDayClosed,
    TableDayCorrected,
)
from pitstream.events.refusal import Refusal

SIGNATURES: Final[Mapping[str, tuple[str, str]]] = {
    "opener": ("dealer", "floorperson"),
    "closer": ("dealer", "floorperson"),
    "fill": ("cashier", "floorperson"),
    "credit": ("cashier", "floorperson"),
    "drop": ("cashier", "auditor"),
    "correction": ("floorperson", "auditor"),
}
"""Whose two signatures each slip needs, in either order."""
_SUMMED_AS: Final = {"fill": "fills", "credit": "credits", "drop": "drop"}


@dataclass(frozen=True, slots=True)
class Signer:
    """Who signs, known from the credential."""

    name: str
    roles: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """Which day of which table."""

    table: str
    currency: str
    gaming_day: str
    owner: str
    """The property: what stands before the ``:`` of the table's id."""
    shifts: tuple[str, ...]
    """The property's, in order."""

    @property
    def account(self) -> str:
        return ids.table_account(self.table, self.currency)


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip that was made out. ``state``: prepared, signed or cancelled."""

    slip: str
    kind: SlipKind
    shift: str
    amount: int
    prepared_by: str
    role: str
    state: str = "prepared"


@dataclass(frozen=True, slots=True)
class TableDay:
    """What is known of a table's day. ``sheets``: the figures at the close and after each correction."""

    slips: Mapping[str, Slip] = field(default_factory=dict)
    buy_ins: Mapping[str, int] = field(default_factory=dict)
    """Shift -> minor units."""
    sheets: tuple[Sheet, ...] = ()
    waiting: CorrectionPrepared | None = None
    declined: int = 0

    @property
    def closed(self) -> bool:
        return bool(self.sheets)

    @property
    def sheet(self) -> Sheet:
        """The figures in force. IndexError while the day is open."""
        return self.sheets[-1]

    def signed(self, kind: SlipKind) -> list[Slip]:
        return [slip for slip in self.slips.values() if (slip.kind, slip.state) == (kind, "signed")]

    def unsigned(self) -> list[str]:
        return [slip.slip for slip in self.slips.values() if slip.state == "prepared"]


def evolve(day: TableDay, event: Event) -> TableDay:
    """The day after one of its events; TypeError for an event that is none of a table's day."""
    match event:
        case SlipPrepared():
            slip = Slip(event.slip, event.kind, event.shift, event.amount, event.prepared_by, event.role)
            return replace(day, slips={**day.slips, slip.slip: slip})
        case SlipSigned():
            return _ended(day, event.slip, "signed")
        case SlipCancelled():
            return _ended(day, event.slip, "cancelled")
        case BuyInPosted():
            sums = {**day.buy_ins, event.shift: day.buy_ins.get(event.shift, 0) + event.transfers[0].amount}
            return replace(day, buy_ins=sums)
        case TableDayClosed():
            return replace(day, sheets=(event.sheet,))
        case CorrectionPrepared():
            return replace(day, waiting=event)
        case TableDayCorrected():
            return replace(day, sheets=(*day.sheets, event.becomes), waiting=None)
        case CorrectionDeclined():
            return replace(day, waiting=None, declined=day.declined + 1)
        case _:
            raise TypeError(f"{event.type_name} is no event of a table's day")


def _ended(day: TableDay, slip: str, state: str) -> TableDay:
    return replace(day, slips={**day.slips, slip: replace(day.slips[slip], state=state)})


def counts_of(day: TableDay, shifts: Sequence[str]) -> tuple[ShiftCount, ...]:
    """What the signed slips and the buy-ins of an open day come to, shift by shift; shifts without any are left out."""
    found: dict[str, dict[str, int]] = {}
    for slip in day.slips.values():
        if slip.state == "signed":
            count = found.setdefault(slip.shift, {})
            figure = _SUMMED_AS.get(slip.kind, slip.kind)
            count[figure] = slip.amount + (count.get(figure, 0) if slip.kind in _SUMMED_AS else 0)
    for shift, amount in day.buy_ins.items():
        found.setdefault(shift, {})["buy_ins"] = amount
    # A shift that the property has renamed since comes last.
    order = [*shifts, *sorted(found.keys() - set(shifts))]
    return tuple(ShiftCount(shift=shift, **found[shift]) for shift in order if shift in found)


def role_of(kind: str, who: Signer) -> str | None:
    """As which of the two roles somebody signs a slip of this kind; None when as neither."""
    return next((role for role in SIGNATURES[kind] if role in who.roles), None)


def second_role(kind: str, prepared_by: str, first_role: str, who: Signer) -> str | Refusal:
    """As which role the second person signs: the one that the first did not sign as."""
    if who.name == prepared_by:
        allowed = "allowed: another person than the first signature's"
        return Refusal("same_person", "credential", f"was {who.name}; {allowed}")
    role = next(role for role in SIGNATURES[kind] if role != first_role)
    return role if role in who.roles else wrong_signature(kind, who, (role,))


def open_shift(place: Place, day: TableDay, shift: str) -> Refusal | None:
    if day.closed:
        return day_closed(place)
    return None if shift in place.shifts else unknown_shift(place, shift, "shift")


def unknown_shift(place: Place, shift: str, where: str) -> Refusal:
    return Refusal("unknown_shift", where, f"was {shift!r}; allowed: {', '.join(place.shifts)}")


def wrong_signature(kind: str, who: Signer, allowed: Sequence[str] = ()) -> Refusal:
    signers = " or ".join(allowed or SIGNATURES[kind])
    was = ", ".join(sorted(who.roles))
    return Refusal("wrong_signature", "credential", f"was {was}; a {kind} is signed by a {signers} here")


def day_closed(place: Place) -> Refusal:
    return Refusal("day_closed", "gaming_day", f"was {place.gaming_day}; a closed day changes by a correction only")


def slips_waiting(where: str, slips: Sequence[str]) -> Refusal:
    return Refusal("slips_waiting", where, f"slip {', '.join(slips)}; allowed: signed by a second person, or cancelled")
