"""Changes of a network that two people make: one asks, another approves, and it holds from that event on. Pure.

Terms and policy, corrections of a meter's money, transfers to another network, the end of a meter. What was contributed
before stays as it was: nothing is ever changed backwards.
"""

from dataclasses import replace
from typing import assert_never

from pitstream.events import Event
from pitstream.events.model import AMOUNT_MAX
from pitstream.events.progressives import (
    ChangeProposed,
    ChangeRejected,
    Correction,
    MeterCorrected,
    MeterRetired,
    MeterTerms,
    PolicyChanged,
    TermsChanged,
    TransferOrder,
    TransferReceived,
    TransferSent,
)
from pitstream.events.refusal import Refusal
from pitstream.services.progressive.commands import (
    ApproveChange,
    ChangeCommand,
    ProposeChange,
    ReceiveTransfer,
    RejectChange,
)
from pitstream.services.progressive.meter import NO_RATE, Meter, Rates, redenominated, standing
from pitstream.services.progressive.network import Network
from pitstream.services.progressive.terms import too_fine, unfit_terms


def decide_change(state: Network, command: ChangeCommand) -> list[Event] | Refusal:
    """What follows from a command about a change."""
    match command:
        case ProposeChange():
            return _propose(state, command)
        case ApproveChange():
            return _approve(state, command)
        case RejectChange():
            return _reject(state, command)
        case _:
            assert_never(command)


def receive(state: Network, command: ReceiveTransfer) -> list[Event] | Refusal:
    """Money from another network, on the terms of this one: its meter may overflow."""
    sent = command.sent
    meter = _meter(state, sent.to_meter, "transfer.to_meter")
    if isinstance(meter, Refusal):
        return meter
    if sent.currency != state.currency:
        return Refusal(
            "wrong_currency", "transfer.to_network", f"was {state.network}, in {state.currency}; sent: {sent.currency}"
        )
    for name, part, has in (("amount", sent.amount, meter.column), ("reserve", sent.reserve, meter.reserve)):
        if part > _room(has):
            return Refusal(
                "invalid_change",
                f"transfer.{name}",
                f"was {part}; {sent.to_meter} of {state.network} has room for {_room(has)} minor units",
            )
    after = standing(meter, sent.amount)
    return [
        TransferReceived(
            network=state.network,
            transfer_id=sent.transfer_id,
            currency=state.currency,
            meter=sent.to_meter,
            from_network=sent.network,
            from_meter=sent.meter,
            amount=sent.amount,
            reserve=sent.reserve,
            overflow_change=after.overflow_change,
            amount_after=after.amount,
            overflow_after=after.overflow,
            reserve_after=meter.reserve + sent.reserve,
        )
    ]


def _propose(state: Network, command: ProposeChange) -> list[Event] | Refusal:
    """What could not be approved now is not proposed either: it is judged as if a second person were there already."""
    named = [
        name for name in ("terms", "policy", "correction", "transfer", "retire") if getattr(command, name) is not None
    ]
    if len(named) != 1:
        was = ", ".join(named) or "none of them"
        return Refusal("invalid_change", "proposal", f"was {was}; allowed: exactly one change a proposal")
    if not command.reason.strip():
        return Refusal("missing_reason", "reason", f"was {command.reason!r}; say why")
    if command.proposal_id in state.proposals:
        return []
    proposed = command.proposed()
    would = _made(state, proposed, approved_by="")
    return would if isinstance(would, Refusal) else [proposed]


def _approve(state: Network, command: ApproveChange) -> list[Event] | Refusal:
    proposed = state.proposals.get(command.proposal_id)
    if proposed is None:
        return _unknown(state, command.proposal_id)
    if command.by == proposed.proposed_by:
        return Refusal("same_person", "by", f"was {command.by}, who proposed it; allowed: anybody else")
    made = _made(state, proposed, command.by)
    return made if isinstance(made, Refusal) else [made]


def _reject(state: Network, command: RejectChange) -> list[Event] | Refusal:
    if command.proposal_id not in state.proposals:
        return _unknown(state, command.proposal_id)
    if not command.reason.strip():
        return Refusal("missing_reason", "reason", f"was {command.reason!r}; say why")
    return [
        ChangeRejected(
            network=state.network, proposal_id=command.proposal_id, rejected_by=command.by, reason=command.reason
        )
    ]


def _unknown(state: Network, proposal_id: str) -> Refusal:
    return Refusal("unknown_proposal", "proposal_id", f"was {proposal_id!r}; none of that id waits in {state.network}")


def _made(state: Network, proposed: ChangeProposed, approved_by: str) -> Event | Refusal:
    """The change as an event, or why it cannot be made as things stand."""
    if proposed.terms is not None:
        return _terms_changed(state, proposed, proposed.terms, approved_by)
    if proposed.correction is not None:
        return _corrected(state, proposed, proposed.correction, approved_by)
    if proposed.transfer is not None:
        return _sent(state, proposed, proposed.transfer, approved_by)
    if proposed.retire is not None:
        return _retired(state, proposed, proposed.retire, approved_by)
    if proposed.policy is None:
        raise TypeError(f"proposal {proposed.proposal_id} asks for nothing")
    return PolicyChanged(
        network=state.network,
        proposal_id=proposed.proposal_id,
        proposed_by=proposed.proposed_by,
        approved_by=approved_by,
        policy=proposed.policy,
    )


def _terms_changed(state: Network, proposed: ChangeProposed, terms: MeterTerms, approved_by: str) -> Event | Refusal:
    """Rests are counted in new parts that the new rates fit, and those of every round that could still be void."""
    meter = _meter(state, terms.meter, "terms.meter")
    if isinstance(meter, Refusal):
        return meter
    if unfit := unfit_terms(terms):
        return unfit
    in_use = [rates for fed in state.fed.values() for rates in fed.rates if rates.meter == terms.meter]
    carry, denominator = redenominated(
        meter.carry, meter.carry_denominator, terms.rate, *{rates.rate for rates in in_use}
    )
    reserve_carry, reserve_denominator = redenominated(
        meter.reserve_carry,
        meter.reserve_carry_denominator,
        terms.reserve_rate or NO_RATE,
        *{rates.reserve for rates in in_use},
    )
    if unfit := too_fine(max(denominator, reserve_denominator)):
        return unfit
    after = standing(replace(meter, terms=terms), 0)
    return TermsChanged(
        network=state.network,
        proposal_id=proposed.proposal_id,
        proposed_by=proposed.proposed_by,
        approved_by=approved_by,
        currency=state.currency,
        terms=terms,
        overflow_change=after.overflow_change,
        amount_after=after.amount,
        overflow_after=after.overflow,
        carry_numerator=carry,
        carry_denominator=denominator,
        reserve_carry_numerator=reserve_carry,
        reserve_carry_denominator=reserve_denominator,
    )


def _corrected(state: Network, proposed: ChangeProposed, correction: Correction, approved_by: str) -> Event | Refusal:
    meter = _meter(state, correction.meter, "correction.meter")
    if isinstance(meter, Refusal):
        return meter
    has = meter.column if correction.part == "meter" else meter.reserve
    least, most = -max(0, has), min(AMOUNT_MAX, _room(has))
    if correction.change == 0 or not least <= correction.change <= most:
        return Refusal(
            "invalid_change",
            "correction.change",
            f"was {correction.change}; allowed: {least} to {most} minor units, not 0",
        )
    of_reserve = correction.part == "reserve"
    after = standing(meter, 0 if of_reserve else correction.change)
    return MeterCorrected(
        network=state.network,
        proposal_id=proposed.proposal_id,
        proposed_by=proposed.proposed_by,
        approved_by=approved_by,
        currency=state.currency,
        meter=correction.meter,
        part=correction.part,
        change=correction.change,
        overflow_change=after.overflow_change,
        amount_after=after.amount,
        overflow_after=after.overflow,
        reserve_after=meter.reserve + (correction.change if of_reserve else 0),
        reason=proposed.reason,
    )


def _sent(state: Network, proposed: ChangeProposed, order: TransferOrder, approved_by: str) -> Event | Refusal:
    meter = _meter(state, order.meter, "transfer.meter")
    if isinstance(meter, Refusal):
        return meter
    if order.to_network == state.network:
        return Refusal("invalid_change", "transfer.to_network", f"was {order.to_network!r}; allowed: another network")
    for name, part, has in (("amount", order.amount, meter.column), ("reserve", order.reserve, meter.reserve)):
        if part > max(0, has):
            return Refusal("invalid_change", f"transfer.{name}", f"was {part}; allowed: 0 to {max(0, has)} minor units")
    if order.amount + order.reserve == 0:
        return Refusal("invalid_change", "transfer.amount", "was 0 and nothing of the reserve; allowed: 1 or more")
    after = standing(meter, -order.amount)
    return TransferSent(
        network=state.network,
        transfer_id=proposed.proposal_id,
        proposed_by=proposed.proposed_by,
        approved_by=approved_by,
        currency=state.currency,
        meter=order.meter,
        to_network=order.to_network,
        to_meter=order.to_meter,
        amount=order.amount,
        reserve=order.reserve,
        overflow_change=after.overflow_change,
        amount_after=after.amount,
        overflow_after=after.overflow,
        reserve_after=meter.reserve - order.reserve,
    )


def _retired(state: Network, proposed: ChangeProposed, name: str, approved_by: str) -> Event | Refusal:
    """A meter ends empty, with no hit undecided and no round that would take back what it gave: on a network that never
    rests its rates are set to 0 before."""
    meter = _meter(state, name, "retire")
    if isinstance(meter, Refusal):
        return meter
    if (meter.amount, meter.overflow, meter.reserve) != (0, 0, 0):
        return Refusal(
            "meter_not_empty",
            "retire",
            f"was {name!r}; it has {meter.amount}, {meter.overflow} overflowed and {meter.reserve} in its reserve",
        )
    under_way = [f"round {one}" for one, fed in state.fed.items() if any(_feeds(rates, name) for rates in fed.rates)]
    under_way += [
        f"hit {hit.locked.claim_id}" for hit in state.hits.values() if hit.is_open and hit.locked.meter == name
    ]
    if under_way:
        return Refusal("meter_in_use", "retire", f"was {name!r}; {under_way[0]} is under way ({len(under_way)} such)")
    return MeterRetired(
        network=state.network,
        proposal_id=proposed.proposal_id,
        proposed_by=proposed.proposed_by,
        approved_by=approved_by,
        meter=name,
    )


def _room(has: int) -> int:
    """What a person may still bring to a meter or a reserve that has so much: it may be filled as far as one may open,
    so that slips of the keys leave wagers all the room that 64 bits have."""
    return max(0, AMOUNT_MAX - has)


def _feeds(rates: Rates, meter: str) -> bool:
    """Whether a round at these rates gave the meter anything that it would take back if it were void."""
    return rates.meter == meter and rates.rate.numerator + rates.reserve.numerator > 0


def _meter(state: Network, name: str, field: str) -> Meter | Refusal:
    """A meter that is in use."""
    meter = state.meters.get(name)
    if meter is None:
        return Refusal("unknown_meter", field, f"was {name!r}; allowed: {', '.join(sorted(state.meters))}")
    if meter.retired:
        return Refusal("meter_retired", field, f"was {name!r}; it takes no wagers and no money any more")
    return meter
