"""What a corrected round means for its network: its contributions, its hits, and hits that it should have had. Pure.

Contributions become at once what they should have been, at the rates at which the round fed the meters: two people
stand behind the correction already. A hit is the network's people's own: one that should not have been is questioned,
one that should have been is proposed, and they refuse or accept it. A hit that was refused is not locked again,
whatever a later correction says.
"""

from collections.abc import Iterator
from dataclasses import replace

from pitstream.events import Event
from pitstream.events.corrections import (
    ContributionCorrected,
    FedRate,
    HitDeclined,
    HitProposed,
    HitQuestioned,
    HitRestored,
)
from pitstream.events.refusal import Refusal
from pitstream.services.progressive.commands import (
    AcceptHit,
    Claim,
    CloseRound,
    CorrectRound,
    DeclineHit,
    ProposedHitCommand,
)
from pitstream.services.progressive.locking import lock
from pitstream.services.progressive.meter import NO_RATE, Meter, Rates, contribution, redenominated
from pitstream.services.progressive.network import Hit, Network


def correct_round(state: Network, command: CorrectRound) -> list[Event] | Refusal:
    """What follows from the correction of a closed round."""
    if command.currency != state.currency:
        return Refusal(
            "wrong_currency", "currency", f"was {command.currency}; {state.network} counts in {state.currency}"
        )
    return [*_contributions(state, command), *_claims(state, command)]


def _contributions(state: Network, command: CorrectRound) -> Iterator[Event]:
    change = command.stakes_after - command.stakes_before
    # A round that had no stakes would have fed the meters at the rates of its time, which are taken to be today's; one
    # that was kept out of them by a person's word stays out.
    every = command.rates or (state.rates if command.stakes_before == 0 else ())
    fed = [rates for rates in every if not state.meters[rates.meter].retired]
    if change and fed:
        yield ContributionCorrected(
            network=state.network,
            table=command.table,
            round_no=command.round_no,
            correction=command.correction,
            currency=state.currency,
            stakes_before=command.stakes_before,
            stakes_after=command.stakes_after,
            contributions=tuple(contribution(_fitting(state, rates), rates, change) for rates in fed),
            proposed_by=command.proposed_by,
            confirmed_by=command.confirmed_by,
            rates=tuple(_told(rates) for rates in fed),
        )


def _fitting(state: Network, rates: Rates) -> Meter:
    """The meter with its rests counted in parts that these rates fit, too: its terms may be others by now."""
    meter = state.meters[rates.meter]
    carry, denominator = redenominated(meter.carry, meter.carry_denominator, meter.terms.rate, rates.rate)
    reserve_carry, reserve_denominator = redenominated(
        meter.reserve_carry, meter.reserve_carry_denominator, meter.terms.reserve_rate or NO_RATE, rates.reserve
    )
    return replace(
        meter,
        carry=carry,
        carry_denominator=denominator,
        reserve_carry=reserve_carry,
        reserve_carry_denominator=reserve_denominator,
    )


def _told(rates: Rates) -> FedRate:
    reserve = None if rates.reserve == NO_RATE else rates.reserve
    return FedRate(meter=rates.meter, rate=rates.rate, reserve_rate=reserve)


def _claims(state: Network, command: CorrectRound) -> Iterator[Event]:
    """Hit by hit: what is won as before stays, what is not is questioned, what is won anew is proposed."""
    hits = {hit.locked.claim_id: hit for hit in command.hits}
    proposed = {
        claim: one
        for claim, one in state.proposed_hits.items()
        if (one.table, one.round_no) == (command.table, command.round_no)
    }
    won = {claim.claim_id for claim in command.claims}
    for claim_id, hit in hits.items():
        if claim_id in won and hit.questioned:
            yield _restored(state, command, claim_id)
        elif claim_id not in won and not hit.questioned and hit.status != "refused":
            yield _questioned(state, command, hit)
    for claim_id in proposed:
        if claim_id not in won:
            reason = f"correction {command.correction} of the round took its win away"
            yield HitDeclined(network=state.network, claim_id=claim_id, declined_by=command.confirmed_by, reason=reason)
    for claim in command.claims:
        if claim.claim_id not in hits and claim.claim_id not in proposed:
            yield _proposed(state, command, claim)


def _restored(state: Network, command: CorrectRound, claim_id: str) -> HitRestored:
    return HitRestored(
        network=state.network,
        claim_id=claim_id,
        table=command.table,
        round_no=command.round_no,
        correction=command.correction,
    )


def _questioned(state: Network, command: CorrectRound, hit: Hit) -> HitQuestioned:
    if hit.status == "refused":
        raise ValueError(f"claim {hit.locked.claim_id}: was refused; there is nothing to question")
    return HitQuestioned(
        network=state.network,
        claim_id=hit.locked.claim_id,
        table=command.table,
        round_no=command.round_no,
        correction=command.correction,
        status=hit.status,
        reason=command.reason,
    )


def _proposed(state: Network, command: CorrectRound, claim: Claim) -> HitProposed:
    return HitProposed(
        network=state.network,
        claim_id=claim.claim_id,
        table=command.table,
        round_no=command.round_no,
        seat=claim.seat,
        player=claim.player,
        wager=claim.wager,
        meter=claim.meter,
        percent=claim.percent,
        currency=state.currency,
        rule=claim.rule,
        correction=command.correction,
        reason=command.reason,
    )


def decide_proposed(state: Network, command: ProposedHitCommand) -> list[Event] | Refusal:
    """A proposed hit is accepted, and locks its share of what the meter shows now; or it is declined."""
    proposed = state.proposed_hits.get(command.claim_id)
    if proposed is None:
        told = f"was {command.claim_id!r}; {state.network} has no proposed hit of that claim"
        return Refusal("unknown_hit", "claim_id", told)
    match command:
        case DeclineHit():
            if not command.reason.strip():
                return Refusal("missing_reason", "reason", f"was {command.reason!r}; say why")
            return [
                HitDeclined(
                    network=state.network, claim_id=command.claim_id, declined_by=command.by, reason=command.reason
                )
            ]
        case AcceptHit():
            return _accepted(state, proposed)


def _accepted(state: Network, proposed: HitProposed) -> list[Event] | Refusal:
    meter = state.meters.get(proposed.meter)
    if meter is None:
        known = ", ".join(sorted(state.meters))
        return Refusal("unknown_meter", "claim_id", f"was of meter {proposed.meter!r}; {known} are open")
    if meter.retired:
        told = f"was of meter {proposed.meter!r}; it takes no wagers and no money any more: decline it"
        return Refusal("meter_retired", "claim_id", told)
    claim = Claim(
        claim_id=proposed.claim_id,
        seat=proposed.seat,
        player=proposed.player,
        wager=proposed.wager,
        meter=proposed.meter,
        percent=proposed.percent,
        rule=proposed.rule,
    )
    closed = CloseRound(
        network=state.network,
        table=proposed.table,
        round_no=proposed.round_no,
        currency=proposed.currency,
        stakes=0,
        void=False,
        claims=(claim,),
    )
    return lock(state, closed, claim)
