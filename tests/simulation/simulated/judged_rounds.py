"""Every round that was closed is settled once, and as the naive judge settles what the table's events say."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from naive_settlement import Judge

from pitstream.events import Event
from pitstream.events.rounds import (
    BonusDealt,
    CommunityDealt,
    DecisionMade,
    HandsDealt,
    RoundFinished,
    RoundOpened,
    RoundVoided,
    SeatForfeited,
    WagersDeclined,
    WagersPlaced,
    WagersStood,
    WagersWithdrawn,
)
from pitstream.events.settlements import RoundSettled

if TYPE_CHECKING:
    from simulated.oracle import Log

RICH_METER = 10**15
"""What a share counts as where it is beside a fixed prize: more. The shares' amounts are the meters' judge's."""
Round = tuple[str, int]


def rounds_of(log: "Log") -> dict[Round, list[Event]]:
    """The events of each round, in their order."""
    found: dict[Round, list[Event]] = defaultdict(list)
    for one in log["table"]:
        kind, _, name = one.envelope.stream.partition("/")
        if kind == "round":
            table, _, number = name.rpartition("/")
            found[table, int(number)].append(one.event)
    return found


def judge(log: "Log") -> Iterator[tuple[str, str]]:
    """Broken promises, and what was found."""
    settled: dict[Round, list[RoundSettled]] = defaultdict(list)
    for one in log["settlement"]:
        if isinstance(one.event, RoundSettled):
            settled[one.event.table, one.event.round_no].append(one.event)
    for round_, events in rounds_of(log).items():
        name = f"{round_[0]}/{round_[1]}"
        closed = isinstance(events[-1], RoundFinished | RoundVoided)
        if not closed:
            yield "every round ends", f"{name}: ends with {type(events[-1]).__name__}"
        elif len(settled[round_]) != 1:
            yield "settled once", f"{name}: {len(settled[round_])} settlements"
        else:
            yield from _compared(name, events, settled[round_][0])
    for round_ in settled.keys() - rounds_of(log).keys():
        yield "settled once", f"{round_}: was settled and never played"


def _compared(name: str, events: list[Event], settled: RoundSettled) -> Iterator[tuple[str, str]]:
    record = record_of(events)
    wanted = Judge(record).settle()
    found_seats = {seat.seat: seat for seat in settled.seats}
    wanted_seats = {seat["seat"]: seat for seat in wanted["seats"]}
    if found_seats.keys() != wanted_seats.keys():
        yield "settled rightly", f"{name}: seats {sorted(found_seats)}, should be {sorted(wanted_seats)}"
        return
    for number, seat in wanted_seats.items():
        if (player := found_seats[number].player) != seat["player"]:
            yield "settled rightly", f"{name} seat {number}: of {player}, should be {seat['player']}"
        lines = [
            (line.wager, line.stake, line.outcome, line.returned, 0 if line.share else line.won, _share(line.share))
            for line in found_seats[number].lines
        ]
        should_be = [
            (line["wager"], line["stake"], line["outcome"], line["returned"], 0 if "share" in line else line["won"],
             tuple(line["share"].values()) if "share" in line else None)
            for line in seat["lines"]
        ]  # fmt: skip
        if lines != should_be:
            yield "settled rightly", f"{name} seat {number}: {lines}, should be {should_be}"
        awards = [(award.award, award.amount) for award in found_seats[number].awards]
        if awards != [(award["award"], award["amount"]) for award in seat["awards"]]:
            yield "settled rightly", f"{name} seat {number}: {awards}, should be {seat['awards']}"


def _share(share: Any) -> tuple[str, int] | None:
    return None if share is None else (share.meter, share.percent)


def record_of(events: list[Event]) -> dict[str, Any]:
    """A round as a record, from its events alone."""
    opened = events[0]
    if not isinstance(opened, RoundOpened):
        raise TypeError(f"a round begins with {type(opened).__name__}")
    placed: dict[tuple[int, int], WagersPlaced] = {}
    seats: dict[int, dict[str, Any]] = {}
    cards: dict[str, list[str]] = {"community": [], "dealer": [], "bonus": []}
    record: dict[str, Any] = {
        "id": opened.round_id,
        "game": opened.game,
        "gaming_day": opened.gaming_day,
        "paytables": {choice.wager: choice.paytable for choice in opened.paytables},
        "options": {name: _option(value) for name, value in opened.options.items()},
        "cards": cards,
        "meters": dict.fromkeys(("main", "mega", "major", "minor"), RICH_METER),
    }
    for event in events[1:]:
        match event:
            case WagersPlaced():
                placed[event.seat, event.bundle] = event
            case WagersStood() if event.bundle > 1:
                del placed[event.seat, event.bundle]
            case WagersStood():
                bets = placed[event.seat, 1]
                wagers = {stake.wager: stake.stake for stake in bets.stakes}
                seats[event.seat] = {
                    "seat": event.seat, "player": bets.player, "wagers": wagers, "cards": [], "decisions": []
                }  # fmt: skip
            case WagersDeclined() if event.bundle > 1:
                seats[event.seat]["decisions"].pop()
                del placed[event.seat, event.bundle]
            case WagersWithdrawn():
                seats.pop(event.seat, None)
            case HandsDealt():
                for hand in event.hands:
                    seats[hand.seat]["cards"] = list(hand.cards)
                cards["dealer"] = list(event.dealer)
            case CommunityDealt():
                cards["community"] += event.cards
            case BonusDealt():
                cards["bonus"] += event.cards
            case DecisionMade():
                seats[event.seat]["decisions"].append(event.choice)
            case SeatForfeited():
                seats[event.seat]["forfeited"] = event.reason
            case RoundVoided():
                record["void"] = event.reason
                for seat, bundle in placed:
                    if bundle > 1:  # its money was not held yet: it never stood
                        seats[seat]["decisions"].pop()
            case _:
                pass
    record["seats"] = [seats[number] for number in sorted(seats)]
    return record


def _option(text: str) -> Any:
    return {"true": True, "false": False}.get(text, int(text) if text.isdecimal() else text)
