"""Each event in words."""

from collections.abc import Iterable, Iterator

from pitstream.events import Event, Recorded
from pitstream.events.corrections import (
    ContributionCorrected,
    HitDeclined,
    HitProposed,
    HitQuestioned,
    HitRestored,
    PrizeQuestioned,
)
from pitstream.events.disputes import (
    DisputeDecided,
    DisputeOpened,
    Fact,
    RoundCorrected,
    RoundCorrectionDeclined,
    RoundCorrectionProposed,
    StatementAttached,
)
from pitstream.events.prizes import PrizeApproved, PrizePending, PrizeRefused
from pitstream.events.progressives import (
    CardsReleased,
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitRefused,
    HitsRedivided,
    HitVerified,
    WagersContributed,
)
from pitstream.events.rounds import (
    BettingClosed,
    BonusDealt,
    CardSetAside,
    CommunityDealt,
    DecisionMade,
    HandsDealt,
    PlayerLeft,
    RoundFinished,
    RoundOpened,
    RoundVoided,
    SeatForfeited,
    WagersDeclined,
    WagersPlaced,
    WagersStood,
    WagersWithdrawn,
)
from pitstream.games.round import Asking, AwaitingCommunity, Round
from pitstream.story.words import Line, Said, Shown, card_text, money


def heading(words: str) -> Said:
    """The title of a part of the story."""
    return Said(words[0].upper() + words[1:], "heading")


def moment(event: Event, before: Round, currency: str) -> Iterator[Line]:
    """One event of a round in a line or a few; ``before``: the round as it was when it happened."""
    match event:
        case RoundOpened():
            yield _said("the round opens")
        case WagersPlaced():
            stakes = " · ".join(f"{stake.wager} {money(stake.stake, currency)}" for stake in event.stakes)
            yield _said(f"seat {event.seat} {event.player} puts down {stakes}")
        case WagersStood():
            yield (Said(f"seat {event.seat} the money is held", "dim"),)
        case WagersDeclined():
            yield _warn(f"seat {event.seat} the money is not there, the wagers are off: {event.reason}")
        case BettingClosed():
            total = sum(count.total for count in event.wagers)
            yield _said(f"no more bets: {money(total, currency)} on the table")
        case HandsDealt():
            yield (heading("the deal"),)
            if event.dealer:
                yield (Said("dealer "), Shown(event.dealer))
            for hand in event.hands:
                yield (Said(f"seat {hand.seat} "), Shown(hand.cards))
        case CommunityDealt():
            street = before.street.name if isinstance(before, AwaitingCommunity) else "board"
            yield (heading(street.replace("_", " ")),)
            burned = (Said("   burned ", "dim"), Shown(event.burned)) if event.burned else ()
            yield (Said("board  "), Shown(event.cards), *burned)
        case BonusDealt():
            yield (heading("bonus cards"),)
            yield (Shown(event.cards),)
        case DecisionMade():
            asked = f"   asked {', '.join(before.choices)}" if isinstance(before, Asking) else ""
            yield (Said(f"seat {event.seat} "), Said(event.choice, "strong"), Said(asked, "dim"))
        case SeatForfeited():
            yield _warn(f"seat {event.seat} is forfeited: {event.reason} ({event.floorperson})")
        case WagersWithdrawn():
            why = f"{event.reason} ({event.floorperson})"
            yield _warn(f"seat {event.seat} went away before the deal, its wagers are off: {why}")
        case PlayerLeft():
            why = f"{event.reason} ({event.floorperson})"
            yield _warn(f"seat {event.seat} went away, its hand is not played any more: {why}")
        case CardSetAside():
            told = Said(f": {event.reason} ({event.floorperson})", "warn")
            yield (Said("set aside unused ", "warn"), Shown((event.card,)), told)
        case RoundVoided():
            kind = f"{event.kind.replace('_', ' ')}, " if event.kind not in (None, "other") else ""
            yield _warn(f"the round is void: {kind}{event.reason} ({event.floorperson})")
        case RoundFinished():
            yield _said("the round is finished")
        case _:
            raise TypeError(f"{event.type_name} is no event of a round's stream")


def meter_notes(events: Iterable[Recorded], currency: str) -> Iterator[tuple[str, Recorded]]:
    """What the round did to the meters of its network, each sentence with its event."""
    for recorded in events:
        for text in _meters(recorded.event, currency):
            yield text, recorded


def prize_notes(events: Iterable[Recorded], currency: str) -> Iterator[tuple[str, Recorded]]:
    """What became of the prizes that waited for a floorperson, each sentence with its event."""
    for recorded in events:
        match recorded.event:
            case PrizePending() as event:
                paid = ", ".join(f"seat {each.seat} {money(each.amount, currency)}" for each in event.payees)
                told = f"{event.prize} waits for a floorperson to validate the hand of seat {event.seat}: {paid}"
                yield told, recorded
            case PrizeApproved() as event:
                paper = f" ({event.document})" if event.document else ""
                told = f"{event.floorperson} validated the hand of seat {event.seat}{paper}: {event.prize} is paid"
                yield told, recorded
            case PrizeQuestioned() as event:
                told = f"correction {event.correction} questions {event.prize} of seat {event.seat}: {event.reason}"
                yield told, recorded
            case PrizeRefused() as event:
                told = f"{event.floorperson} refused {event.prize} for the hand of seat {event.seat}: {event.reason}"
                yield told, recorded
            case _:
                pass


def dispute_notes(events: Iterable[Recorded], currency: str) -> Iterator[tuple[str, Recorded]]:
    """What was said about the round afterwards, and what was put right, each sentence with its event."""
    for recorded in events:
        for text in _said_of(recorded.event, currency):
            yield text, recorded


def fact_told(fact: Fact, currency: str) -> str:
    """What was recorded wrong, and what is right."""
    if (card := fact.card) is not None:
        whose = f"seat {card.seat}" if card.place == "seat" else card.place
        return f"card {card.position} of {whose} was {card_text(card.was)}, is {card_text(card.becomes)}"
    if (wager := fact.wager) is not None:
        was, now = (money(each, currency) if each else "not placed" for each in (wager.was, wager.becomes))
        return f"{wager.wager.replace('_', ' ')} of seat {wager.seat} was {was}, is {now}"
    if (answer := fact.decision) is not None:
        was, now = answer.was or "not given", answer.becomes or "not given"
        return f"answer {answer.position} of seat {answer.seat} was {was}, is {now}"
    if (at_seat := fact.at_seat) is not None:
        now = "nobody's" if at_seat.becomes is None else f"seat {at_seat.becomes}'s"
        return f"what was recorded for seat {at_seat.seat} is {now}"
    if (player := fact.player) is not None:
        return f"player at seat {player.seat} was {player.was}, is {player.becomes}"
    raise ValueError("a fact says one thing; this one says nothing")


def _said_of(event: Event, currency: str) -> Iterator[str]:
    match event:
        case DisputeOpened():
            about = "" if event.seat is None else f" about seat {event.seat}"
            yield f"dispute {event.number}{about}, opened by {event.opened_by}: {event.text}"
        case StatementAttached():
            yield f"dispute {event.number}: {event.said_by} said, taken down by {event.taken_by}: {event.text}"
        case DisputeDecided():
            yield f"dispute {event.number} was {event.decision} by {event.decided_by}: {event.reason}"
        case RoundCorrectionProposed():
            facts = "; ".join(fact_told(fact, currency) for fact in event.facts)
            yield f"correction {event.number}, proposed by {event.proposed_by}: {facts} ({event.reason})"
        case RoundCorrected():
            facts = "; ".join(fact_told(fact, currency) for fact in event.facts)
            yield f"correction {event.number}, confirmed by {event.confirmed_by}: {facts}; the round is settled anew"
        case RoundCorrectionDeclined():
            yield f"correction {event.number}, declined by {event.declined_by}: {event.reason}"
        case _:
            pass


def _meters(event: Event, currency: str) -> Iterator[str]:
    match event:
        case WagersContributed() | ContributionsReturned():
            verb = "fed" if isinstance(event, WagersContributed) else "were returned, and changed"
            for fed in event.contributions:
                change = ("+" if fed.posted >= 0 else "") + money(fed.posted, currency)
                now = money(fed.amount_after, currency)
                yield f"{money(event.stakes, currency)} progressive stakes {verb} {fed.meter}: {change}, now {now}"
        case HitLocked():
            before, after = money(event.meter_before, currency), money(event.meter_after, currency)
            yield (
                f"seat {event.seat} {event.player} takes {event.percent} % of {event.meter}: "
                f"{money(event.amount, currency)}; it stood at {before} and goes on at {after} ({event.rule})"
            )
            if event.account is not None and event.policy != "sequential":
                yield f"  {event.policy}: {event.account.reason}"
        case HitsRedivided():
            for share in event.shares:
                was, now = money(share.amount_before, currency), money(share.amount_after, currency)
                yield f"  claim {share.claim_id} now stands at {now} instead of {was}"
        case HitVerified():
            yield f"{event.verified_by} verified {' and '.join(event.checks)}"
        case HitRefused():
            yield f"{event.refused_by} refused it: {event.reason}; {event.account}"
        case HandPayApproved():
            amount = money(event.amount, currency)
            yield f"{event.floorperson} validated the hand-pay of {amount} to seat {event.seat} {event.player}"
        case ContributionCorrected():
            before, after = money(event.stakes_before, currency), money(event.stakes_after, currency)
            yield f"correction {event.correction}: progressive stakes are {after} instead of {before}"
        case HitProposed():
            yield (
                f"correction {event.correction}: seat {event.seat} {event.player} would take {event.percent} % of "
                f"{event.meter}; one of the network's people has to accept it ({event.rule})"
            )
        case HitQuestioned():
            yield f"correction {event.correction} took the win of a {event.status} hit away: {event.reason}"
        case HitRestored():
            yield f"correction {event.correction} gave a questioned hit its win back"
        case HitDeclined():
            yield f"{event.declined_by} declined a proposed hit: {event.reason}"
        case CardsReleased():
            yield f"{event.released_by} released the cards to the discard rack"


def _said(text: str) -> Line:
    return (Said(text),)


def _warn(text: str) -> Line:
    return (Said(text, "warn"),)
