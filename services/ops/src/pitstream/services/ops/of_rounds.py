"""What the events of rounds and settlements mean for the tables that rounds are looked up and counted in. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pitstream.accounting.edges import terms_of
from pitstream.accounting.properties import Properties
from pitstream.accounting.wagers import wagers_of
from pitstream.events import Recorded
from pitstream.events.disputes import RoundCorrected
from pitstream.events.rounds import CommunityDealt, HandsDealt, RoundFinished, RoundOpened, RoundVoided
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.games.round import NoRound, Round
from pitstream.services.ops.cards import numbers

Place = tuple[str, int]
"""Table and round number."""
SUMS = ("bets", "handle", "taken", "paid", "squares", "with_ante", "beside", "squares_beside")


@dataclass(slots=True)
class RoundParts:
    """What a batch tells of one round; None where it says nothing."""

    table_id: str
    round_no: int
    game: str
    gaming_day: str
    currency: str
    round_id: str | None = None
    network: str | None = None
    terms: dict[str, str] | None = None
    opened_us: int | None = None
    ended_us: int | None = None
    void: str | None = None
    board: list[int] | None = None
    corrected: int = 0


@dataclass(slots=True)
class SeatParts:
    """What a batch tells of one seat of a round."""

    table_id: str
    round_no: int
    seat: int
    player: str
    gaming_day: str
    currency: str
    cards: list[int] | None = None
    staked: int | None = None
    net: int | None = None


@dataclass(slots=True)
class Played:
    """What a batch of ``rounds.v1`` means. ``corrected``: of corrected rounds, the seats that they have."""

    rounds: dict[Place, RoundParts] = field(default_factory=dict)
    seats: dict[tuple[str, int, int], SeatParts] = field(default_factory=dict)
    corrected: dict[Place, list[int]] = field(default_factory=dict)


def played(batch: Iterable[tuple[Recorded, Round | None]]) -> Played:
    """``batch``: each event with the state of its round right after it, where ``LiveRounds`` gives one: it does after
    every event that is matched below."""
    found = Played()
    for recorded, state in batch:
        event, at_us = recorded.event, recorded.envelope.recorded_at_us
        if isinstance(event, RoundCorrected):
            _correct(found, event)
        elif state is not None and not isinstance(state, NoRound):
            _play(found, event, state, at_us)
    return found


def _play(found: Played, event: Any, state: Any, at_us: int) -> None:
    opened: RoundOpened = state.play.opened
    place = opened.table, opened.round_no
    parts = found.rounds.get(place)
    match event:
        case RoundOpened():
            parts = found.rounds[place] = _parts_of(opened)
            parts.round_id, parts.network, parts.opened_us = opened.round_id, opened.network, at_us
            parts.terms = terms_of(opened)
        case RoundFinished() | RoundVoided():
            parts = parts or found.rounds.setdefault(place, _parts_of(opened))
            parts.ended_us = at_us
            parts.void = event.reason if isinstance(event, RoundVoided) else None
        case CommunityDealt():
            parts = parts or found.rounds.setdefault(place, _parts_of(opened))
            parts.board = numbers(state.play.community)
        case HandsDealt():
            for seat in state.play.seats:
                found.seats[*place, seat.seat] = SeatParts(
                    *place, seat.seat, seat.player, opened.gaming_day, opened.currency, numbers(seat.cards)
                )
        case _:
            pass


def _parts_of(opened: Any) -> RoundParts:
    return RoundParts(opened.table, opened.round_no, opened.game, opened.gaming_day, opened.currency)


def _correct(found: Played, event: RoundCorrected) -> None:
    place = event.table, event.round_no
    parts = found.rounds.setdefault(place, _parts_of(event))
    parts.board, parts.corrected = numbers(event.community), event.number
    found.corrected[place] = [seat.seat for seat in event.seats]
    for key in [key for key in found.seats if key[:2] == place]:
        del found.seats[key]
    for seat in event.seats:
        found.seats[*place, seat.seat] = SeatParts(
            *place, seat.seat, seat.player, event.gaming_day, event.currency, numbers(seat.cards)
        )


@dataclass(slots=True)
class SettledParts:
    """What a round came to: the settlement in force."""

    table_id: str
    round_no: int
    game: str
    gaming_day: str
    currency: str
    settled_us: int
    shift: str
    handle: int
    win: int
    wagers: dict[str, list[int]]
    """Wager -> its sums, as ``SUMS`` names them."""
    seats: list[SeatParts]
    gone: tuple[str, ...] = ()
    """Prizes that the settlement before had and this one has not."""
    is_first: bool = True


def settled(recorded: Recorded, properties: Properties, owner: str) -> SettledParts | None:
    """What a settlement means; None for another event. ``owner``: the property that the table belongs to."""
    event, at_us = recorded.event, recorded.envelope.recorded_at_us
    gone: tuple[str, ...] = ()
    if isinstance(event, RoundSettled):
        result = event
    elif isinstance(event, RoundResettled):
        result, gone = event.in_force, event.prizes_gone
    else:
        return None
    wagers = {one.wager: [getattr(one, name) for name in SUMS] for one in wagers_of(result)}
    return SettledParts(
        table_id=event.table,
        round_no=event.round_no,
        game=event.game,
        gaming_day=event.gaming_day,
        currency=event.currency,
        settled_us=at_us,
        shift=properties.calendar_of(owner).shift_at(date.fromisoformat(event.gaming_day), at_us),
        handle=sum(sums[1] for sums in wagers.values()),
        win=sum(sums[2] - sums[3] for sums in wagers.values()),
        wagers=wagers,
        seats=[
            SeatParts(
                event.table,
                event.round_no,
                seat.seat,
                seat.player,
                event.gaming_day,
                event.currency,
                staked=sum(line.stake for line in seat.lines),
                net=sum(line.returned + line.won - line.stake for line in seat.lines)
                + sum(award.amount for award in seat.awards),
            )
            for seat in result.seats
        ],
        gone=gone,
        is_first=isinstance(event, RoundSettled),
    )


def effective(
    wagers: Mapping[str, list[int]], kept: Mapping[str, tuple[str, int]], gone: Iterable[str]
) -> dict[str, list[int]]:
    """What a round's wagers came to once prizes were refused: those were not paid after all. ``kept``: prize -> its
    wager and amount.

    >>> effective({"five_card": [1, 500, 500, 25_000, 250_000, 0, 0, 0]}, {"p1": ("five_card", 25_000)}, [])
    {'five_card': [1, 500, 500, 0, 250000, 0, 0, 0]}
    """
    found = {wager: list(sums) for wager, sums in wagers.items()}
    without = set(gone)
    for prize, (wager, amount) in kept.items():
        if prize not in without:
            found.setdefault(wager, [0] * len(SUMS))[SUMS.index("paid")] -= amount
    return found


def change(before: Mapping[str, list[int]], now: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """What has to be added to sums that have ``before`` in them, so that they have ``now``; unchanged wagers are left
    out.

    >>> before = {"ante": [1, 5, 5, 0, 25, 0, 0, 0]}
    >>> change(before, {"ante": [1, 5, 0, 5, 25, 0, 0, 0], "trips": [1, 2, 2, 0, 4, 10, 0, 0]})
    {'ante': [0, 0, -5, 5, 0, 0, 0, 0], 'trips': [1, 2, 2, 0, 4, 10, 0, 0]}
    """
    nothing = [0] * len(SUMS)
    found = {}
    for wager in dict.fromkeys((*before, *now)):
        was, becomes = before.get(wager, nothing), now.get(wager, nothing)
        if was != becomes:
            found[wager] = [b - a for a, b in zip(was, becomes, strict=True)]
    return found
