"""A round told from its events alone: who was asked what, which cards came, what each wager came to and by what rule.

Pure. The same ``evolve`` that ran at the table runs here, so the story cannot know more than the events do.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Group, JustifyMethod, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from pitstream.cli.cards import cards, money, signed
from pitstream.events import Event, Recorded
from pitstream.events.prizes import (
    PrizeApproved,
    PrizePending,
    PrizePosted,
    PrizeRefused,
    PrizeReserved,
    PrizeReturned,
)
from pitstream.events.progressives import (
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
from pitstream.events.settlements import RoundSettled, SeatSettlement
from pitstream.events.wallet import ContributionPosted, HandPayPosted, HitReserved, SeatPosted, Transfer
from pitstream.games.explain import deciding_policies, explain_award, explain_line
from pitstream.games.game import FinishedRound
from pitstream.games.registry import GAMES, game_named
from pitstream.games.round import (
    Asking,
    AwaitingCommunity,
    AwaitingFunds,
    Finished,
    NoRound,
    Round,
    Voided,
    finished_round,
    replayed,
)


@dataclass(frozen=True, slots=True)
class History:
    """All events about one round: ``network`` and ``wallet`` hold those of longer streams that name it.

    ``chained``: how many events the hash chains of all those streams have; ``broken``: where a chain does not hold.
    """

    round: tuple[Recorded, ...]
    settlement: tuple[Recorded, ...] = ()
    network: tuple[Recorded, ...] = ()
    prizes: tuple[Recorded, ...] = ()
    wallet: tuple[Recorded, ...] = ()
    chained: int = 0
    broken: tuple[str, ...] = ()

    @property
    def opened(self) -> RoundOpened:
        """The round's first event. Raises ValueError when it is another one."""
        first = self.round[0].event
        if not isinstance(first, RoundOpened):
            raise ValueError(f"{self.round[0].stream} begins with {first.type_name}, not with RoundOpened")
        return first

    @property
    def settled(self) -> RoundSettled | None:
        """The round's result; None while it has none."""
        return next((r.event for r in self.settlement if isinstance(r.event, RoundSettled)), None)

    @property
    def hits(self) -> list[HitLocked]:
        """The shares that were locked, in their order."""
        return [r.event for r in self.network if isinstance(r.event, HitLocked)]

    @property
    def transfers(self) -> list[Transfer]:
        """Every transfer that the wallet made for the round, in its order."""
        return [transfer for r in self.wallet for transfer in _transfers(r.event)]


def nets(history: History) -> dict[int, int]:
    """Seat -> its net change by what the wallet posted to the player's account, minor units."""
    found: dict[int, int] = {}
    for event in (recorded.event for recorded in history.wallet):
        if isinstance(event, SeatPosted | HandPayPosted | PrizePosted):
            change = sum(t.amount if t.credit == event.account else -t.amount for t in _transfers(event))
            found[event.seat] = found.get(event.seat, 0) + change
    return found


def tell(history: History, *, at: int | None = None) -> RenderableType:
    """The whole story; with ``at`` what was known after that event of the round (from 1), and what was waited for."""
    opened = history.opened
    events = history.round if at is None else history.round[:at]
    play = Table.grid(padding=(0, 2))
    play.add_column(justify="right", style="dim")
    play.add_column()
    state: Round = NoRound()
    before = state
    for recorded, (event, state) in zip(events, replayed(r.event for r in events), strict=True):
        for row, line in enumerate(_moment(event, before, opened.currency)):
            play.add_row("" if row else str(recorded.version), line)
        before = state
    parts: list[RenderableType] = [_title(opened), play]
    if at is not None:
        parts += ["", Text(f"After event {len(events)}: {_waiting(state)}", "bold")]
        return Group(*parts)
    if (settled := history.settled) and isinstance(state, Finished | Voided):
        parts += ["", *_settlement(settled, history, finished_round(state))]
    if history.network:
        parts += ["", _heading("Meters"), *(Text("  " + line) for line in _meters(history, opened.currency))]
    if history.prizes:
        parts += ["", _heading("Prizes"), *(Text("  " + line) for line in _prizes(history, opened.currency))]
    if transfers := history.transfers:
        parts += ["", _heading("Money posted"), _postings(transfers, opened.currency)]
    return Group(*parts, "", _chain(history))


def _title(opened: RoundOpened) -> Panel:
    lines = ["paytables  " + " · ".join(f"{choice.wager} {choice.paytable}" for choice in opened.paytables)]
    policies = game_named(opened.game).policies if opened.game in GAMES else {}
    for word, told in (
        ("drawn", {name: value for name, value in opened.options.items() if name not in policies}),
        ("policies", {name: value for name, value in opened.options.items() if name in policies}),
    ):
        if told:
            lines.append(f"{word:<10} " + " · ".join(f"{name} {value}" for name, value in sorted(told.items())))
    if opened.network:
        lines.append(f"meters     {opened.network}")
    lines.append(f"judged by  rules {opened.rules_version}, evaluator {opened.evaluator}")
    return Panel(
        "\n".join(lines),
        title=f"{opened.game.replace('_', ' ')} · {opened.table}/{opened.round_no} · round {opened.round_id}",
        subtitle=f"{opened.gaming_day} · {opened.currency}",
        title_align="left",
        subtitle_align="right",
    )


def _heading(words: str) -> Text:
    return Text(words[0].upper() + words[1:], "bold cyan")


def _moment(event: Event, before: Round, currency: str) -> Iterator[Text]:
    """One event in a line or a few; ``before``: the round as it was when it happened."""
    match event:
        case RoundOpened():
            yield Text("the round opens")
        case WagersPlaced():
            stakes = " · ".join(f"{stake.wager} {money(stake.stake, currency)}" for stake in event.stakes)
            yield Text(f"seat {event.seat} {event.player} puts down {stakes}")
        case WagersStood():
            yield Text(f"seat {event.seat} the money is held", "dim")
        case WagersDeclined():
            yield Text(f"seat {event.seat} the money is not there, the wagers are off: {event.reason}", "yellow")
        case BettingClosed():
            total = sum(count.total for count in event.wagers)
            yield Text(f"no more bets: {money(total, currency)} on the table")
        case HandsDealt():
            yield _heading("the deal")
            if event.dealer:
                yield Text("dealer ") + cards(event.dealer)
            for hand in event.hands:
                yield Text(f"seat {hand.seat} ") + cards(hand.cards)
        case CommunityDealt():
            street = before.street.name if isinstance(before, AwaitingCommunity) else "board"
            yield _heading(street.replace("_", " "))
            burned = Text("   burned ", "dim") + cards(event.burned) if event.burned else Text()
            yield Text("board  ") + cards(event.cards) + burned
        case BonusDealt():
            yield _heading("bonus cards")
            yield cards(event.cards)
        case DecisionMade():
            asked = f"   asked {', '.join(before.choices)}" if isinstance(before, Asking) else ""
            yield Text(f"seat {event.seat} ").append(event.choice, "bold").append(asked, "dim")
        case SeatForfeited():
            yield Text(f"seat {event.seat} is forfeited: {event.reason} ({event.floorperson})", "yellow")
        case WagersWithdrawn():
            why = f"{event.reason} ({event.floorperson})"
            yield Text(f"seat {event.seat} went away before the deal, its wagers are off: {why}", "yellow")
        case PlayerLeft():
            why = f"{event.reason} ({event.floorperson})"
            yield Text(f"seat {event.seat} went away, its hand is not played any more: {why}", "yellow")
        case CardSetAside():
            yield (
                Text("set aside unused ", "yellow")
                + cards((event.card,))
                + Text(f": {event.reason} ({event.floorperson})", "yellow")
            )
        case RoundVoided():
            kind = f"{event.kind.replace('_', ' ')}, " if event.kind not in (None, "other") else ""
            yield Text(f"the round is void: {kind}{event.reason} ({event.floorperson})", "yellow")
        case RoundFinished():
            yield Text("the round is finished")
        case _:
            raise TypeError(f"{event.type_name} is no event of a round's stream")


def _waiting(state: Round) -> str:
    match state:
        case Asking():
            return f"seat {state.seat} is asked: {', '.join(state.choices)}"
        case AwaitingFunds():
            return f"the Play Wager of seat {state.seat} waits for the wallet"
        case AwaitingCommunity():
            return f"{state.street.community} cards of the {state.street.name.replace('_', ' ')} are to be revealed"
        case _:
            return f"the round is at stage {state.stage}"


def _settlement(settled: RoundSettled, history: History, played: FinishedRound) -> Iterator[RenderableType]:
    """Each seat's lines as the round was settled: those with something open in that order, then the others."""
    posted = nets(history)
    order = ", ".join(str(seat) for seat in settled.order) or "nobody"
    yield _heading("settlement").append(f"  in this order: seat {order}", "dim")
    rank = {seat: at for at, seat in enumerate(settled.order)}
    for seat in sorted(settled.seats, key=lambda seat: (rank.get(seat.seat, len(rank)), seat.seat)):
        head = Text(f"seat {seat.seat} {seat.player}  ", "bold")
        if seat.seat in posted:
            head += signed(posted[seat.seat], settled.currency)
        yield head
        yield _lines(seat, settled, history.hits, played)


def _lines(seat: SeatSettlement, settled: RoundSettled, hits: Iterable[HitLocked], played: FinishedRound) -> Table:
    locked = {hit.wager: hit.amount for hit in hits if hit.seat == seat.seat}
    lines = Table.grid(padding=(0, 2))
    justified: tuple[JustifyMethod, ...] = ("left", "right", "left", "right", "left")
    for justify in justified:
        lines.add_column(justify=justify)
    for line in seat.lines:
        style = "green" if line.outcome == "win" else "red" if line.outcome in ("lose", "forfeit") else ""
        comes_back = line.returned + line.won + (locked.get(line.wager, 0) if line.share else 0)
        lines.add_row(
            f"  {line.wager}",
            money(line.stake, settled.currency),
            Text(line.outcome, style),
            money(comes_back, settled.currency),
            Text(explain_line(settled.game, line, deciding_policies(played, seat.seat, line)), "dim"),
        )
    for award in seat.awards:
        why = Text(explain_award(settled.game, award, deciding_policies(played, seat.seat, award)), "dim")
        lines.add_row(f"  {award.award}", "", Text("award", "green"), money(award.amount, settled.currency), why)
    return lines


def _meters(history: History, currency: str) -> Iterator[str]:
    for event in (recorded.event for recorded in history.network):
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


def _prizes(history: History, currency: str) -> Iterator[str]:
    for event in (recorded.event for recorded in history.prizes):
        match event:
            case PrizePending():
                paid = ", ".join(f"seat {each.seat} {money(each.amount, currency)}" for each in event.payees)
                yield f"{event.prize} waits for a floorperson to validate the hand of seat {event.seat}: {paid}"
            case PrizeApproved():
                paper = f" ({event.document})" if event.document else ""
                yield f"{event.floorperson} validated the hand of seat {event.seat}{paper}: {event.prize} is paid"
            case PrizeRefused():
                yield f"{event.floorperson} refused {event.prize} for the hand of seat {event.seat}: {event.reason}"


def _transfers(event: Event) -> tuple[Transfer, ...]:
    match event:
        case SeatPosted() | HitReserved() | PrizeReserved() | PrizeReturned():
            return event.transfers
        case ContributionPosted() | HandPayPosted() | PrizePosted():
            return (event.transfer,)
        case _:
            return ()


def _postings(transfers: Iterable[Transfer], currency: str) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    table.add_column()
    table.add_column(style="dim")
    for transfer in transfers:
        accounts = f"{transfer.debit} → {transfer.credit}"
        table.add_row(f"  {money(transfer.amount, currency)}", accounts, transfer.code)
    return table


def _chain(history: History) -> Text:
    if history.broken:
        return Text("\n".join(f"CHAIN BROKEN  {where}" for where in history.broken), "bold red")
    return Text(f"{history.chained} events, every hash chain holds", "dim")
