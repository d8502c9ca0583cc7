"""A finished round as it was really played: facts that were recorded wrong, and the round with them put right. Pure.

A fact names what was recorded and what it should have been. All facts of one correction speak of the round as it is in
force before it, so two cards may change places in one. What comes out is held to everything that a round record is.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pitstream.events.disputes import (
    CardFact,
    DecisionFact,
    Fact,
    PlayerFact,
    RoundCorrected,
    SeatFact,
    SeatPlayed,
    WagerFact,
)
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import RoundOpened, Stake
from pitstream.games.game import FinishedRound, Seat
from pitstream.games.paytables import Paytables
from pitstream.games.record import read_record, record_of
from pitstream.games.record_json import RecordError
from pitstream.games.refusals import words
from pitstream.games.registry import game_named
from pitstream.games.settlement import settle

FACTS_MAX = 64
_KINDS = ("card", "wager", "decision", "at_seat", "player")

AnyFact = CardFact | WagerFact | DecisionFact | SeatFact | PlayerFact


@dataclass(slots=True)
class _Draft:
    """The round while its facts are put right, each list by the seat number that was recorded."""

    dealer: list[str]
    community: list[str]
    burned: list[str]
    bonus: list[str]
    cards: dict[int, list[str]]
    wagers: dict[int, dict[str, int]]
    decisions: dict[int, dict[int, str]]
    players: dict[int, str]
    numbers: dict[int, int | None]


def corrected(
    played: FinishedRound, facts: Sequence[Fact], *, set_aside: Iterable[str], paytables: Paytables, rules_version: str
) -> FinishedRound | Refusal:
    """``played`` with these facts in the place of what was recorded, or the first fault, which names its field:
    ``facts[1].card`` for a fact, a round record's own (``seats[0].cards[1]``) for what the round would be with them.

    ``set_aside``: cards that lay face up in the deck and cannot have been dealt.
    """
    if not facts:
        return Refusal("nothing_to_correct", "facts", "was []; at least one fact is needed")
    if len(facts) > FACTS_MAX:
        return Refusal("too_many_facts", "facts", f"was {len(facts)} facts; allowed: 1 to {FACTS_MAX}")
    draft = _draft(played)
    seen: set[tuple[object, ...]] = set()
    for at, fact in enumerate(facts):
        kinds = [kind for kind in _KINDS if getattr(fact, kind) is not None]
        if len(kinds) != 1:
            what = words(kinds) or "none of them"
            return Refusal("invalid_fact", f"facts[{at}]", f"was {what}; allowed: exactly one of {words(_KINDS)}")
        where = f"facts[{at}].{kinds[0]}"
        one: AnyFact = getattr(fact, kinds[0])
        about = _about(one)
        if about in seen:
            return Refusal("fact_twice", where, "another fact of this correction speaks of the same; allowed: one")
        seen.add(about)
        if fault := _put_right(draft, one, where):
            return fault
    becomes = _made(played, draft)
    if isinstance(becomes, Refusal):
        return becomes
    return _fault_of(becomes, set_aside, paytables, rules_version) or becomes


def _about(fact: AnyFact) -> tuple[object, ...]:
    match fact:
        case CardFact():
            return ("card", fact.place, fact.seat, fact.position)
        case WagerFact():
            return ("wager", fact.seat, fact.wager)
        case DecisionFact():
            return ("decision", fact.seat, fact.position)
        case SeatFact():
            return ("at_seat", fact.seat)
        case PlayerFact():
            return ("player", fact.seat)


def _draft(played: FinishedRound) -> _Draft:
    return _Draft(
        list(played.dealer),
        list(played.community),
        list(played.burned),
        list(played.bonus),
        {seat.seat: list(seat.cards) for seat in played.seats},
        {seat.seat: dict(seat.wagers) for seat in played.seats},
        {seat.seat: dict(enumerate(seat.decisions, start=1)) for seat in played.seats},
        {seat.seat: seat.player for seat in played.seats},
        {seat.seat: seat.seat for seat in played.seats},
    )


def _put_right(draft: _Draft, fact: AnyFact, where: str) -> Refusal | None:
    """Change the draft by one fact; a fault where what it says was recorded is not what was."""
    if isinstance(fact, CardFact) and (fact.place == "seat") != (fact.seat is not None):
        told = "place 'seat' needs its number" if fact.seat is None else "only place 'seat' has a number"
        return Refusal("invalid_fact", f"{where}.seat", f"was {fact.seat}; {told}")
    seat = fact.seat
    if seat is not None and seat not in draft.players:
        return Refusal("unknown_seat", f"{where}.seat", f"was {seat}; seats of the round: {words(draft.players)}")
    match fact:
        case CardFact():
            cards: list[str] = draft.cards[seat] if seat is not None else getattr(draft, fact.place)
            if fact.position > len(cards):
                return Refusal(
                    "unknown_position", f"{where}.position", f"was {fact.position}; {len(cards)} cards were recorded"
                )
            if fault := _differs(where, cards[fact.position - 1], fact.was, fact.becomes):
                return fault
            cards[fact.position - 1] = fact.becomes
        case WagerFact():
            wagers = draft.wagers[fact.seat]
            if fault := _differs(where, wagers.get(fact.wager, 0), fact.was, fact.becomes):
                return fault
            if fact.becomes:
                wagers[fact.wager] = fact.becomes
            else:
                del wagers[fact.wager]
        case DecisionFact():
            said = draft.decisions[fact.seat]
            if fault := _differs(where, said.get(fact.position, ""), fact.was, fact.becomes):
                return fault
            if fact.becomes:
                said[fact.position] = fact.becomes
            else:
                del said[fact.position]
        case SeatFact():
            if fact.becomes == fact.seat:
                return Refusal("nothing_to_correct", f"{where}.becomes", f"was {fact.becomes}; it is recorded so")
            draft.numbers[fact.seat] = fact.becomes
        case PlayerFact():
            if fault := _differs(where, draft.players[fact.seat], fact.was, fact.becomes):
                return fault
            draft.players[fact.seat] = fact.becomes
    return None


def _differs(where: str, recorded: str | int, was: str | int, becomes: str | int) -> Refusal | None:
    if was != recorded:
        told = repr(recorded) if recorded not in ("", 0) else "nothing"
        return Refusal("fact_differs", f"{where}.was", f"was {was!r}; recorded: {told}")
    if becomes == recorded:
        return Refusal("nothing_to_correct", f"{where}.becomes", f"was {becomes!r}; it is recorded so")
    return None


def _made(played: FinishedRound, draft: _Draft) -> FinishedRound | Refusal:
    """The round that the draft is; seats that exchange their numbers do so at once."""
    recorded = {seat.seat: seat for seat in played.seats}
    order = game_named(played.game).wagers
    seats: dict[int, Seat] = {}
    for at, (number, becomes) in enumerate(draft.numbers.items()):
        if becomes is None:
            continue
        if becomes in seats:
            told = f"was {becomes}; two seats of the round would have this number"
            return Refusal("seat_taken", f"seats[{at}].seat", told)
        said = draft.decisions[number]
        if sorted(said) != list(range(1, len(said) + 1)):
            told = f"was given at {words(sorted(said))}; an answer between them is missing"
            return Refusal("illegal_decision", f"seats[{at}].decisions", told)
        wagers = draft.wagers[number]
        known = [wager for wager in order if wager in wagers]
        seats[becomes] = replace(
            recorded[number],
            seat=becomes,
            player=draft.players[number],
            cards=tuple(draft.cards[number]),
            # A wager that the game does not have stays where it is, for the record's reader to name.
            wagers={wager: wagers[wager] for wager in (*known, *(one for one in wagers if one not in order))},
            decisions=tuple(said[at] for at in sorted(said)),
        )
    return replace(
        played,
        dealer=tuple(draft.dealer),
        community=tuple(draft.community),
        burned=tuple(draft.burned),
        bonus=tuple(draft.bonus),
        seats=tuple(seats[number] for number in sorted(seats)),
    )


def _fault_of(
    becomes: FinishedRound, set_aside: Iterable[str], paytables: Paytables, rules_version: str
) -> Refusal | None:
    """What a round record of it would be refused for, and whether it can be settled at all."""
    try:
        read_record(json.dumps(record_of(becomes, id_="corrected", table="corrected")).encode(), paytables)
    except RecordError as error:
        return Refusal(error.code, error.path, error.message)
    dealt = {card: seat.seat for seat in becomes.seats for card in seat.cards}
    for place in ("dealer", "community", "burned", "bonus"):
        dealt |= dict.fromkeys(getattr(becomes, place), 0)
    for card in set_aside:
        if card in dealt:
            where = f"seats[{dealt[card]}].cards" if dealt[card] else "cards"
            return Refusal("duplicate_card", where, f"was {card}, which was set aside and cannot have been dealt")
    # Nothing that the settlement could stumble over is confirmed: a table's later rounds would wait behind it.
    settle(becomes, paytables, rules_version=rules_version)
    return None


def played_of(event: RoundCorrected) -> FinishedRound:
    """The round as a correction tells it."""
    return FinishedRound(
        game=event.game,
        gaming_day=event.gaming_day,
        currency=event.currency,
        paytables={choice.wager: choice.paytable for choice in event.paytables},
        options=event.options,
        dealer=event.dealer,
        community=event.community,
        burned=event.burned,
        bonus=event.bonus,
        seats=tuple(
            Seat(
                seat=seat.seat,
                player=seat.player,
                cards=seat.cards,
                wagers={stake.wager: stake.stake for stake in seat.wagers},
                decisions=seat.decisions,
                forfeited=seat.forfeited,
            )
            for seat in event.seats
        ),
    )


def correction_of(
    opened: RoundOpened,
    becomes: FinishedRound,
    *,
    number: int,
    facts: tuple[Fact, ...],
    reason: str,
    proposed_by: str,
    confirmed_by: str,
    dispute: int | None,
) -> RoundCorrected:
    """The event that tells the round as it was played, whole: ``played_of`` the other way round."""
    return RoundCorrected(
        table=opened.table,
        round_no=opened.round_no,
        number=number,
        facts=facts,
        reason=reason,
        proposed_by=proposed_by,
        confirmed_by=confirmed_by,
        dispute=dispute,
        round_id=opened.round_id,
        game=opened.game,
        gaming_day=opened.gaming_day,
        currency=opened.currency,
        paytables=opened.paytables,
        options=opened.options,
        network=opened.network,
        rules_version=opened.rules_version,
        evaluator=opened.evaluator,
        dealer=becomes.dealer,
        community=becomes.community,
        burned=becomes.burned,
        bonus=becomes.bonus,
        seats=tuple(
            SeatPlayed(
                seat=seat.seat,
                player=seat.player,
                cards=seat.cards,
                wagers=tuple(Stake(wager=wager, stake=stake) for wager, stake in seat.wagers.items()),
                decisions=seat.decisions,
                forfeited=seat.forfeited,
            )
            for seat in becomes.seats
        ),
    )
