"""Slips and buy-ins of a table's day: what is counted there, and what is brought to it and taken from it. Pure.

The first person makes a slip out (``prepare_slip``), a second one of the other role signs it: then it counts, and what
it brings moves in the ledger.
"""

from pitstream.events import Event, ids
from pitstream.events.accounting import Pieces, SlipCancelled, SlipKind, SlipPrepared, SlipSigned
from pitstream.events.model import AMOUNT_MAX
from pitstream.events.refusal import Refusal
from pitstream.events.wallet import Transfer
from pitstream.services.wallet.accounting.day import (
    Place,
    Signer,
    Slip,
    TableDay,
    day_closed,
    open_shift,
    role_of,
    second_role,
    slips_waiting,
    wrong_signature,
)


def prepare_slip(
    place: Place, day: TableDay, kind: SlipKind, slip: str, shift: str, pieces: tuple[Pieces, ...], who: Signer
) -> list[Event] | Refusal:
    """The first signature. The number's uniqueness in the property is the store's to keep."""
    amount = sum(one.denomination * one.pieces for one in pieces)
    role = role_of(kind, who)
    if role is None:
        return wrong_signature(kind, who)
    refusal = open_shift(place, day, shift) or _countable(place, day, kind, shift)
    if refusal is not None:
        return refusal
    least = 1 if kind in ("fill", "credit") else 0
    if not least <= amount <= AMOUNT_MAX:
        return Refusal(
            "amount_out_of_range", "pieces", f"was {amount} in all; allowed: {least} to {AMOUNT_MAX} minor units"
        )
    return [
        SlipPrepared(
            account=place.account,
            table=place.table,
            gaming_day=place.gaming_day,
            shift=shift,
            kind=kind,
            slip=slip,
            amount=amount,
            pieces=pieces,
            prepared_by=who.name,
            role=role,
        )
    ]


def _countable(place: Place, day: TableDay, kind: SlipKind, shift: str) -> Refusal | None:
    """An opener comes first and once; what comes to and from the table belongs between two counts of it."""
    # A slip that still lacks a signature counts here: two openers could otherwise both be made out.
    standing = [slip for slip in day.slips.values() if slip.state != "cancelled"]
    opened = [slip for slip in standing if slip.kind == "opener"]
    closed_until = max((_place_of(place, slip.shift) for slip in standing if slip.kind == "closer"), default=-1)
    if kind == "opener":
        return Refusal("opener_counted", "kind", f"slip {opened[0].slip} is this day's opener") if opened else None
    if not day.signed("opener"):
        return Refusal("opener_missing", "kind", f"was {kind}; the table's opener is not counted and signed yet")
    if kind == "drop":
        return None
    if _place_of(place, shift) <= closed_until:
        counted = place.shifts[closed_until]
        return Refusal("shift_counted", "shift", f"was {shift}; shift {counted} has its closer; allowed: a later shift")
    unsigned = day.unsigned()
    if kind == "closer" and unsigned:
        # Is a fill on its way part of the count or not? Its second signature says so.
        return slips_waiting("kind", unsigned)
    return None


def _place_of(place: Place, shift: str) -> int:
    """Where a shift is in the day; one that the property has renamed since is before all others."""
    return place.shifts.index(shift) if shift in place.shifts else -1


def sign_slip(place: Place, day: TableDay, slip: str, who: Signer) -> list[Event] | Refusal:
    """The second signature: the slip counts from here on."""
    found = _unsigned_slip(place, day, slip)
    if isinstance(found, Refusal):
        return found
    role = second_role(found.kind, found.prepared_by, found.role, who)
    if isinstance(role, Refusal):
        return role
    return [
        SlipSigned(
            account=place.account,
            table=place.table,
            gaming_day=place.gaming_day,
            shift=found.shift,
            kind=found.kind,
            slip=slip,
            amount=found.amount,
            signed_by=who.name,
            role=role,
            transfers=moves(place, found.kind, found.amount, "slip", slip),
        )
    ]


def cancel_slip(place: Place, day: TableDay, slip: str, reason: str, who: Signer) -> list[Event] | Refusal:
    """Either of the roles that may sign a slip may cancel it while it has one signature."""
    found = _unsigned_slip(place, day, slip)
    if isinstance(found, Refusal):
        return found
    if role_of(found.kind, who) is None:
        return wrong_signature(found.kind, who)
    return [
        SlipCancelled(
            account=place.account,
            table=place.table,
            gaming_day=place.gaming_day,
            slip=slip,
            reason=reason,
            cancelled_by=who.name,
        )
    ]


def _unsigned_slip(place: Place, day: TableDay, slip: str) -> Slip | Refusal:
    found = day.slips.get(slip)
    if found is None:
        return Refusal("unknown_slip", "slip", f"was {slip!r}; no such slip was made out for this day of the table")
    if found.state != "prepared":
        return Refusal("slip_ended", "slip", f"was {slip!r}; it is {found.state}")
    return day_closed(place) if day.closed else found


def moves(place: Place, kind: str, amount: int, *what: str) -> tuple[Transfer, ...]:
    """What a slip brings, as a transfer; an ``amount`` below 0 goes the other way. None for counts, and for 0."""
    cash = ids.cash_account(place.owner, place.currency)
    match kind:
        case "fill":
            gives, receives = cash, place.account
        case "credit":
            gives, receives = place.account, cash
        case "drop":
            gives, receives = ids.drop_account(place.table, place.currency), cash
        case _:
            return ()
    if amount < 0:
        gives, receives, amount = receives, gives, -amount
    if amount == 0:
        return ()
    transfer_id = ids.transfer_id(place.owner, *what, kind)
    return (Transfer(transfer_id=transfer_id, debit=gives, credit=receives, amount=amount, code=kind),)


def buy_in_transfers(place: Place, player: str, amount: int, command_id: str) -> tuple[Transfer, Transfer]:
    """Chips from the table's inventory become the player's game account, cash goes into the drop box."""
    account = ids.player_account(player, place.currency)
    what = (account, place.table, place.gaming_day, command_id)
    return (
        Transfer(
            transfer_id=ids.transfer_id(*what, "buy_in"),
            debit=place.account,
            credit=account,
            amount=amount,
            code="buy_in",
        ),
        Transfer(
            transfer_id=ids.transfer_id(*what, "buy_in_cash"),
            debit=ids.operator_lane(player, place.currency),
            credit=ids.drop_account(place.table, place.currency),
            amount=amount,
            code="buy_in_cash",
        ),
    )


def may_buy_in(place: Place, day: TableDay, shift: str) -> Refusal | None:
    """Why nobody may buy in now; None when they may."""
    return open_shift(place, day, shift) or _countable(place, day, "fill", shift)
