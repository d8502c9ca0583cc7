"""A hit's life after its lock: verified at the table, validated and paid or refused, its cards released. Pure.

Two people stand behind every payment: who verified the hand and the light does not also validate the hit, whatever
roles that person has.
"""

from typing import assert_never

from pitstream.events import Event
from pitstream.events.progressives import (
    CardsReleased,
    HandPayApproved,
    HitRefused,
    HitsRedivided,
    HitVerified,
    RedividedShare,
)
from pitstream.events.refusal import Refusal
from pitstream.services.progressive.commands import ApproveHit, HitCommand, RefuseHit, ReleaseCards, VerifyHit
from pitstream.services.progressive.meter import standing
from pitstream.services.progressive.network import Group, Hit, Network, wins_all
from pitstream.services.progressive.shares import divided

CHECKS = ("hand", "light")
"""What is verified before a hit is validated: the winning hand, and the light of its wager (it was down in time)."""


def decide_hit(state: Network, command: HitCommand) -> list[Event] | Refusal:
    """What follows from a command about one hit."""
    hit = state.hits.get(command.claim_id)
    if hit is None:
        return Refusal("unknown_hit", "claim_id", f"was {command.claim_id!r}; {state.network} locked no such claim")
    match command:
        case VerifyHit():
            return _verify(state, hit, command)
        case ApproveHit():
            return _approve(state, hit, command)
        case RefuseHit():
            return _refuse(state, hit, command)
        case ReleaseCards():
            return _release(state, hit, command)
        case _:
            assert_never(command)


def over(hit: Hit) -> Refusal:
    """A hit that was paid or refused is not decided again."""
    was = f"was {hit.locked.claim_id!r}; {hit.decided_by} did it"
    if hit.status == "paid":
        return Refusal("hit_already_paid", "claim_id", was)
    return Refusal("hit_already_refused", "claim_id", was)


def _verify(state: Network, hit: Hit, command: VerifyHit) -> list[Event] | Refusal:
    if not hit.is_open:
        return over(hit)
    if hit.status == "verified":
        return Refusal("hit_already_verified", "claim_id", f"was {command.claim_id!r}; {hit.verified_by} verified it")
    if missing := [check for check in CHECKS if check not in command.checks]:
        return Refusal(
            "check_missing", "checks", f"{' and '.join(missing)} not confirmed; what is not right is refused instead"
        )
    return [
        HitVerified(network=state.network, claim_id=command.claim_id, verified_by=command.by, checks=command.checks)
    ]


def _approve(state: Network, hit: Hit, command: ApproveHit) -> list[Event] | Refusal:
    """Paid once, after both checks, by another person than made them; what is shared, once all who share are known."""
    locked = hit.locked
    if not hit.is_open:
        return over(hit)
    if hit.status != "verified":
        return Refusal(
            "hit_not_verified", "claim_id", f"was {command.claim_id!r}; its {' and '.join(CHECKS)} come first"
        )
    if command.by == hit.verified_by:
        return Refusal("same_person", "by", f"was {command.by}, who verified the hit; allowed: anybody else")
    if hit.questioned:
        told = f"was {command.claim_id!r}; correction {hit.questioned} of its round took the win away: refuse it"
        return Refusal("hit_questioned", "claim_id", told)
    if not command.document.strip():
        return Refusal("missing_document", "document", f"was {command.document!r}; name the hand-pay document")
    group = state.group_of(command.claim_id)
    if group is not None and group.policy == "share":
        waits = [f"claim {one.locked.claim_id}" for one in state.members(group) if one.status == "locked"]
        waits += [f"round {name}" for name in state.older_rounds(group)]
        if waits:
            return Refusal(
                "hit_still_shared",
                "claim_id",
                f"was {command.claim_id!r}; {waits[0]} may change it ({len(waits)} such)",
            )
    return [
        HandPayApproved(
            network=state.network,
            claim_id=command.claim_id,
            floorperson=command.by,
            player=locked.player,
            table=locked.table,
            round_no=locked.round_no,
            seat=locked.seat,
            meter=locked.meter,
            amount=hit.amount,
            currency=locked.currency,
            document=command.document,
        )
    ]


def _refuse(state: Network, hit: Hit, command: RefuseHit) -> list[Event] | Refusal:
    """What the lock moved goes back. Where others shared the amount, theirs is divided anew first."""
    if not hit.is_open:
        return over(hit)
    if not command.reason.strip():
        return Refusal("missing_reason", "reason", f"was {command.reason!r}; say why")
    group = state.group_of(command.claim_id)
    if group is not None and group.policy == "share":
        return _leave_shared(state, hit, command, group)
    account = hit.locked.account
    to_house = 0 if account is None else account.from_house
    return [_refused(state, hit, command, to_house, to_others=0)]


def _leave_shared(state: Network, hit: Hit, command: RefuseHit, group: Group) -> list[Event]:
    """While those who stay still win the whole meter, all of it is theirs; else each has its own percent of it, and
    the rest goes back, as the seed does. What was paid before stays as it was paid, and nobody who still waits gets
    what would have been its."""
    others = state.members(group, leave_out=command.claim_id)
    waiting = [other for other in others if other.is_open]
    parts, waiting_parts = (sum(one.locked.percent for one in some) for some in (others, waiting))
    whole = wins_all(one.locked.percent for one in others)
    if whole:
        pool = hit.amount + sum(other.amount for other in others)
        have = sum(other.amount for other in waiting)
        theirs = min(have + hit.amount, max(have, pool * waiting_parts // parts))
        amounts = divided(theirs, [other.locked.percent for other in waiting])
    else:
        amounts, left = [], hit.amount
        for other in waiting:
            more = min(left, max(0, group.base * other.locked.percent // 100 - other.amount))
            amounts.append(other.amount + more)
            left -= more
    to_others = sum(amounts) - sum(other.amount for other in waiting)
    refused = _refused(state, hit, command, to_house=0, to_others=to_others)
    if not waiting:
        return [refused]
    return [
        refused,
        HitsRedivided(
            network=state.network,
            meter=group.meter,
            claim_id=command.claim_id,
            pool=sum(amounts),
            shares=tuple(
                RedividedShare(claim_id=other.locked.claim_id, amount_before=other.amount, amount_after=amount)
                for other, amount in zip(waiting, amounts, strict=True)
            ),
            currency=state.currency,
        ),
    ]


def _refused(state: Network, hit: Hit, command: RefuseHit, to_house: int, to_others: int) -> HitRefused:
    """The seed goes back as far as the meter still has it, and earlier ones as far as this hit had won them: the
    reserve is made whole first."""
    locked = hit.locked
    meter = state.meters[locked.meter]
    to_meter = hit.amount - to_house - to_others
    seed, owed, has = state.seed_due(hit), state.owed_by(hit), max(0, meter.column + to_meter)
    back = min(seed.reserve + seed.house, has)
    back += min(owed.reserve + owed.house, to_meter, has - back)
    seed_to_reserve = min(seed.reserve + owed.reserve, back)
    after = standing(meter, to_meter - back)
    return HitRefused(
        network=state.network,
        claim_id=command.claim_id,
        refused_by=command.by,
        reason=command.reason,
        document=command.document,
        table=locked.table,
        round_no=locked.round_no,
        seat=locked.seat,
        player=locked.player,
        meter=locked.meter,
        amount=hit.amount,
        currency=locked.currency,
        to_meter=to_meter,
        to_house=to_house,
        to_others=to_others,
        seed_to_reserve=seed_to_reserve,
        seed_to_house=back - seed_to_reserve,
        overflow_change=after.overflow_change,
        amount_after=after.amount,
        overflow_after=after.overflow,
        reserve_after=meter.reserve + seed_to_reserve,
        account=_told(to_meter, to_house, to_others, back, after.overflow_change),
    )


def _told(to_meter: int, to_house: int, to_others: int, seed: int, overflowed: int) -> str:
    parts = [f"{to_meter} back to the meter"]
    parts += [f"{to_house} back to the house"] if to_house else []
    parts += [f"{to_others} to the hits that shared it"] if to_others else []
    parts += [f"the seed of {seed} taken off the meter again"] if seed else []
    parts += [f"{overflowed} of it beyond the limit"] if overflowed > 0 else []
    parts += [f"{-overflowed} made up from the overflow"] if overflowed < 0 else []
    return ", ".join(parts)


def _release(state: Network, hit: Hit, command: ReleaseCards) -> list[Event] | Refusal:
    """The cards stay at the table until the hit is paid or refused."""
    if hit.is_open:
        return Refusal("hit_open", "claim_id", f"was {command.claim_id!r}; it is {hit.status}, its cards stay")
    if hit.released_by is not None:
        return Refusal("cards_already_released", "claim_id", f"was {command.claim_id!r}; {hit.released_by} did it")
    return [CardsReleased(network=state.network, claim_id=command.claim_id, released_by=command.by)]
