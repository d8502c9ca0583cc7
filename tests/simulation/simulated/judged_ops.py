"""The ops room: what it heard is what was published; its sums are what rounds, meters and accounts come to; made anew
from what it heard, it is the same."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pitstream.events.corrections import ContributionCorrected
from pitstream.events.prizes import PrizeRefused
from pitstream.events.progressives import ContributionsReturned, WagersContributed
from pitstream.events.rounds import HandsDealt, RoundVoided, TableClosed, TableOpened
from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.runtime.rebuild import DiffersError, RebuildError, rebuild
from pitstream.services.ops.projections import PROJECTIONS
from simulated.faults import chance
from simulated.judged_meters import added_by
from simulated.judged_rounds import corrections_of, records_of, results_of, rounds_of

if TYPE_CHECKING:
    from simulated.oracle import Log
    from simulated.world import World

_DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
_MADE_ANEW = 0.25
"""Of the seeds: tables made anew are ten, and cost as much as a fifth of a seed."""
Rows = Counter[tuple[Any, ...]]


async def judge(world: "World", log: "Log") -> list[tuple[str, str]]:
    """Broken promises, and what was found."""
    wrong: list[tuple[str, str]] = []
    wanted = {
        "SELECT envelope FROM ops.told": Counter((one.data,) for events in log.values() for one in events),
        "SELECT gaming_day, table_id, currency, rounds, handle, win FROM ops.table_days": _days(log),
        "SELECT gaming_day, table_id, wager, sum(bets), sum(handle), sum(taken - paid) FROM ops.day_wagers"
        " GROUP BY 1, 2, 3 HAVING sum(bets) <> 0": _wagers(log),
        "SELECT table_id, is_open, last_round_no, stage FROM ops.floor": _floor(log),
        "SELECT table_id, round_no, seat, player, cards::text, staked, net FROM ops.seats": _seats(log),
        "SELECT meter, sum(rounds), sum(stakes), sum(posted) FROM ops.contributions GROUP BY 1": _contributions(log),
        "SELECT account, balance FROM ops.accounts WHERE balance <> 0": Counter(
            tuple(row)
            for row in await world.database.admin.fetch(
                "SELECT account, credits_posted - debits_posted AS balance FROM wallet.accounts"
                " WHERE credits_posted <> debits_posted"
            )
        ),
    }
    for query, rows in wanted.items():
        found = Counter(tuple(row) for row in await world.database.admin.fetch(query))
        if found != rows:
            more, lacking = sorted((found - rows).elements())[:3], sorted((rows - found).elements())[:3]
            wrong.append(("the ops room tells what is", f"{query}: says {more}, should say {lacking}"))
    if chance(world.plan.seed, "anew").random() < _MADE_ANEW:
        try:
            await rebuild(world.database.address, "ops", PROJECTIONS[0], dry_run=True)
        except (DiffersError, RebuildError) as error:
            wrong.append(("the ops room made anew is the same", str(error)))
    return wrong


def _settled(log: "Log") -> list[RoundSettled]:
    """The results in force."""
    return [results[-1] for results in results_of(log).values()]


def _table_s(log: "Log") -> dict[tuple[str, str, str, str], list[int]]:
    """Day, table, currency and wager to bets, stakes and win, as the house has them: without what is void, and without
    the players' own Pot; prizes that the table kept were never paid."""
    found: dict[tuple[str, str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    days = {}
    for one in _settled(log):
        days[one.table, one.round_no] = one.gaming_day
        lines = [line for seat in one.seats for line in seat.lines]
        pots = {line.wager for line in lines if line.outcome == "win" and line.paid_from == "pot"}
        for seat in one.seats:
            for line in seat.lines:
                if line.outcome != "void" and line.wager not in pots:
                    sums = found[one.gaming_day, one.table, one.currency, line.wager]
                    sums[0] += 1
                    sums[1] += line.stake
                    sums[2] += line.stake - line.returned - line.won
            for award in seat.awards:
                found[one.gaming_day, one.table, one.currency, award.award][2] -= award.amount
    gone = {
        prize
        for one in (stored.event for stored in log["settlement"])
        if isinstance(one, RoundResettled)
        for prize in one.prizes_gone
    }
    for one in (stored.event for stored in log["progressive"]):
        if isinstance(one, PrizeRefused) and one.prize_id not in gone:
            kept = sum(payee.amount for payee in one.payees)
            found[days[one.table, one.round_no], one.table, one.currency, one.prize][2] += kept
    return found


def _days(log: "Log") -> Rows:
    rounds = Counter((one.gaming_day, one.table, one.currency) for one in _settled(log))
    sums = {day: [0, 0] for day in rounds}
    for (*day, _), (_, handle, win) in _table_s(log).items():
        sums[tuple(day)][0] += handle
        sums[tuple(day)][1] += win
    return Counter((*day, count, *sums[day]) for day, count in rounds.items())


def _wagers(log: "Log") -> Rows:
    return Counter((day, table, wager, *sums) for (day, table, _, wager), sums in _table_s(log).items() if sums[0])


def _floor(log: "Log") -> Rows:
    is_open: dict[str, bool] = {}
    for one in (stored.event for stored in log["table"]):
        if isinstance(one, TableOpened | TableClosed):
            is_open[one.table] = isinstance(one, TableOpened)
    last = {}
    for (table, round_no), events in sorted(rounds_of(log).items()):
        last[table] = (round_no, "voided" if isinstance(events[-1], RoundVoided) else "finished")
    return Counter((table, is_open[table], *last.get(table, (0, None))) for table in is_open)


def _seats(log: "Log") -> Rows:
    dealt: dict[tuple[str, int, int], str] = {}
    corrected = corrections_of(log)
    for (table, round_no), events in rounds_of(log).items():
        for event in events:
            if isinstance(event, HandsDealt):
                for hand in event.hands:
                    dealt[table, round_no, hand.seat] = _numbers(hand.cards)
        if corrected[table, round_no]:
            for seat in records_of(log)[table, round_no][-1]["seats"]:
                dealt[table, round_no, seat["seat"]] = _numbers(seat["cards"])
    return Counter(
        (
            *(place := (one.table, one.round_no, seat.seat)),
            seat.player,
            dealt.get(place),
            sum(line.stake for line in seat.lines),
            sum(line.returned + line.won - line.stake for line in seat.lines)
            + sum(award.amount for award in seat.awards),
        )
        for one in _settled(log)
        for seat in one.seats
    )


def _numbers(cards: Iterable[str]) -> str:
    return f"{{{','.join(str(_DECK.index(card)) for card in cards)}}}"


def _contributions(log: "Log") -> Rows:
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in (stored.event for stored in log["progressive"]):
        if isinstance(one, WagersContributed | ContributionsReturned | ContributionCorrected):
            rounds = {WagersContributed: 1, ContributionsReturned: -1, ContributionCorrected: 0}[type(one)]
            for part in one.contributions:
                sums[part.meter][0] += rounds
                sums[part.meter][1] += added_by(one)
                sums[part.meter][2] += part.posted + part.overflow_posted
    return Counter((meter, *found) for meter, found in sums.items())
