"""Every round that was closed is settled once, as the naive judge settles what the table's events say; and once more
for every correction, as the judge settles what people put right."""

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from naive_settlement import Judge

from pitstream.events import Event
from pitstream.events.disputes import Fact, RoundCorrected
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
from pitstream.events.settlements import RoundResettled, RoundSettled

if TYPE_CHECKING:
    from simulated.oracle import Log

METERS = ("main", "mega", "major", "minor")
RICH_METER = 10**15
"""What a share counts as where it is beside a fixed prize: more, also when another line has just taken the whole meter.
The shares' amounts are the meters' judge's."""
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


def corrections_of(log: "Log") -> dict[Round, list[RoundCorrected]]:
    """What was put right in each round, in order."""
    found: dict[Round, list[RoundCorrected]] = defaultdict(list)
    for one in log["table"]:
        if isinstance(one.event, RoundCorrected):
            found[one.event.table, one.event.round_no].append(one.event)
    return found


def results_of(log: "Log") -> dict[Round, list[RoundSettled]]:
    """Every result that a round had: as it was played, and after each correction; the last one is in force."""
    found: dict[Round, list[RoundSettled]] = defaultdict(list)
    for one in log["settlement"]:
        match one.event:
            case RoundSettled() as event:
                found[event.table, event.round_no].append(event)
            case RoundResettled() as event:
                found[event.table, event.round_no].append(event.in_force)
    return found


def records_of(log: "Log") -> dict[Round, list[dict[str, Any]]]:
    """The record of each closed round, and as it was after each of its corrections."""
    found = {}
    corrections = corrections_of(log)
    for round_, events in rounds_of(log).items():
        if isinstance(events[-1], RoundFinished | RoundVoided):
            found[round_] = [record_of(events)]
            for correction in corrections[round_]:
                found[round_].append(put_right(found[round_][-1], correction.facts))
    return found


def judge(log: "Log") -> Iterator[tuple[str, str]]:
    """Broken promises, and what was found."""
    results, records = results_of(log), records_of(log)
    for round_, events in rounds_of(log).items():
        name = f"{round_[0]}/{round_[1]}"
        if round_ not in records:
            yield "every round ends", f"{name}: ends with {type(events[-1]).__name__}"
        elif len(results[round_]) != len(records[round_]):
            yield "settled once", f"{name}: {len(results[round_])} settlements, should be {len(records[round_])}"
        else:
            for number, (record, settled) in enumerate(zip(records[round_], results[round_], strict=True)):
                yield from _compared(f"{name} correction {number}" if number else name, record, settled)
    for round_ in results.keys() - rounds_of(log).keys():
        yield "settled once", f"{round_}: was settled and never played"


def put_right(record: dict[str, Any], facts: tuple[Fact, ...]) -> dict[str, Any]:
    """The record with these facts, which name seats as they were recorded."""
    becomes = deepcopy(record)
    seats = {seat["seat"]: seat for seat in becomes["seats"]}
    for fact in facts:
        if (card := fact.card) is not None:
            place = becomes["cards"][card.place] if card.seat is None else seats[card.seat]["cards"]
            place[card.position - 1] = card.becomes
        elif (wager := fact.wager) is not None:
            seats[wager.seat]["wagers"][wager.wager] = wager.becomes
        elif (decision := fact.decision) is not None:
            said = seats[decision.seat]["decisions"]
            said += [""] * (decision.position - len(said))
            said[decision.position - 1] = decision.becomes
        elif (player := fact.player) is not None:
            seats[player.seat]["player"] = player.becomes
    for fact in facts:
        if fact.at_seat is not None:
            seats[fact.at_seat.seat]["seat"] = fact.at_seat.becomes
    for seat in becomes["seats"]:
        seat["wagers"] = {wager: stake for wager, stake in seat["wagers"].items() if stake}
        seat["decisions"] = [choice for choice in seat["decisions"] if choice]
    becomes["seats"] = sorted(
        (seat for seat in becomes["seats"] if seat["seat"] is not None), key=lambda seat: seat["seat"]
    )
    return becomes


def _compared(name: str, record: dict[str, Any], settled: RoundSettled) -> Iterator[tuple[str, str]]:
    wanted = Judge(record).settle()
    found_seats = {seat.seat: seat for seat in settled.seats}
    wanted_seats = {seat["seat"]: seat for seat in wanted["seats"]}
    if found_seats.keys() != wanted_seats.keys():
        yield "settled rightly", f"{name}: seats {sorted(found_seats)}, should be {sorted(wanted_seats)}"
        return
    for number, seat in wanted_seats.items():
        if (player := found_seats[number].player) != seat["player"]:
            yield "settled rightly", f"{name} seat {number}: of {player}, should be {seat['player']}"
        lines = {
            line.wager: (
                line.stake, line.outcome, line.returned, 0 if line.share else line.won, _share(line.share)
            )
            for line in found_seats[number].lines
        }  # fmt: skip
        should_be = {
            line["wager"]: (
                line["stake"], line["outcome"], line["returned"], 0 if "share" in line else line["won"],
                tuple(line["share"].values()) if "share" in line else None,
            )
            for line in seat["lines"]
        }  # fmt: skip
        if lines != should_be or len(lines) != len(found_seats[number].lines):
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
        "meters": dict.fromkeys(METERS, RICH_METER),
        "seeds": dict.fromkeys(METERS, RICH_METER),
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
