"""A round's story as plain values: each step and the table after it, what every wager came to, where the money went.

Pure. The same ``evolve`` that ran at the table runs here, so the story cannot know more than the events do.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pitstream.events import Recorded
from pitstream.events.rounds import PaytableChoice, RoundOpened
from pitstream.events.settlements import Award, PaidFrom, RoundResettled, RoundSettled, SeatSettlement
from pitstream.events.settlements import Line as Settled
from pitstream.games.canonical import state_hash
from pitstream.games.corrections import played_of
from pitstream.games.explain import deciding_policies, explain_award, explain_line
from pitstream.games.game import FinishedRound, stakes_of
from pitstream.games.registry import GAMES, game_named
from pitstream.games.round import (
    Asking,
    AwaitingCommunity,
    AwaitingFunds,
    Finished,
    LiveSeat,
    NoRound,
    Round,
    Voided,
    evolve,
    evolve_all,
    finished_round,
)
from pitstream.story.history import History, nets, transfers_of
from pitstream.story.moments import dispute_notes, meter_notes, moment, prize_notes
from pitstream.story.rack import Rack, after_settlement, in_play
from pitstream.story.words import Line


@dataclass(frozen=True, slots=True)
class Title:
    """What round it is, and by what it is judged."""

    game: str
    """The game's own name, as it is said."""
    table: str
    round_no: int
    round_id: str
    gaming_day: str
    currency: str
    network: str | None
    rules_version: str
    evaluator: str
    paytables: tuple[PaytableChoice, ...]
    drawn: Mapping[str, str]
    """What was drawn for this round: the lucky seat, the magic card."""
    policies: Mapping[str, str]
    previous_round_hash: str
    """Hex; empty for a table's first round."""
    community_cards: int
    dealer_cards: int
    """How many the game has of them."""


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat as one sees it at the table."""

    seat: int
    player: str
    wagers: Mapping[str, int]
    """Everything that lies there, what its answers placed included, in line order; minor units."""
    stands: bool
    cards: tuple[str, ...]
    decisions: tuple[str, ...]
    asked: tuple[str, ...]
    """What the seat may answer now; empty while it is not asked."""
    folded: bool
    forfeited: str | None
    left: str | None
    racked: bool
    """Whether its cards lie in the discard rack."""


@dataclass(frozen=True, slots=True)
class View:
    """The table after an event."""

    stage: str
    waiting: str
    """What the round waits for, in words."""
    dealer: tuple[str, ...]
    community: tuple[str, ...]
    bonus: tuple[str, ...]
    set_aside: tuple[str, ...]
    seats: tuple[SeatView, ...]
    rack: Rack
    at_stake: int
    """All that lies on the table, minor units."""

    def at(self, number: int) -> SeatView | None:
        """The seat of that number; None when nobody plays there."""
        return next((seat for seat in self.seats if seat.seat == number), None)


@dataclass(frozen=True, slots=True)
class Step:
    """One event of the round, told, and the table right after it."""

    number: int
    kind: str
    """The event's name without its package: ``WagersPlaced``."""
    lines: tuple[Line, ...]
    recorded: Recorded
    view: View


@dataclass(frozen=True, slots=True)
class LineTold:
    """What a wager or an award came to. ``came_back``: everything that was paid for it, a locked share included."""

    name: str
    title: str
    stake: int | None
    """None for an award."""
    outcome: str
    came_back: int
    sentence: str
    """Why, ending in the paragraph."""
    rule: str
    paid_from: PaidFrom | None
    awaits_validation: bool


@dataclass(frozen=True, slots=True)
class SeatTold:
    """Everything one seat came to. ``net``: what the wallet posted; None before it has."""

    seat: int
    player: str
    cards: tuple[str, ...]
    net: int | None
    lines: tuple[LineTold, ...]


@dataclass(frozen=True, slots=True)
class SettlementTold:
    """A settlement of the round, its seats as they are settled: those with something open, then the others."""

    order: tuple[int, ...]
    seats: tuple[SeatTold, ...]
    recorded: Recorded
    void: bool
    correction: int
    """The correction that it came of; 0 for the first settlement."""
    in_force: bool
    changed: frozenset[int]
    """Seats that come out otherwise than in the settlement before."""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence about what an event did outside the round's own stream."""

    text: str
    recorded: Recorded


@dataclass(frozen=True, slots=True)
class Posting:
    """One transfer of the ledger."""

    amount: int
    debit: str
    credit: str
    code: str
    transfer_id: str
    recorded: Recorded


@dataclass(frozen=True, slots=True)
class Telling:
    """A whole story; one that stops early has nothing after ``steps``."""

    title: Title
    steps: tuple[Step, ...]
    settlements: tuple[SettlementTold, ...]
    """In their order: the last one is in force."""
    meters: tuple[Note, ...]
    prizes: tuple[Note, ...]
    disputes: tuple[Note, ...]
    """What was said about the round, and what was put right."""
    postings: tuple[Posting, ...]
    rack: Rack
    events: tuple[Recorded, ...]
    """Every event that the story is told from, stream by stream."""
    chained: int
    broken: tuple[str, ...]
    state_hash: str
    """SHA-256 of the round's state after the last step, hex: see ``pitstream.games.canonical``."""
    whole: bool
    """False when it was told up to an event only."""

    @property
    def currency(self) -> str:
        return self.title.currency

    @property
    def cards(self) -> frozenset[str]:
        """Every card that the story shows."""
        views = [step.view for step in self.steps]
        lists = [each for view in views for each in (view.dealer, view.community, view.bonus, view.set_aside)]
        lists += [seat.cards for view in views for seat in view.seats]
        lists += [entry.cards for entry in self.rack.racked]
        return frozenset(code for some in lists for code in some)


def tell(history: History, *, at: int | None = None) -> Telling:
    """The whole story; with ``at`` what was known after that event of the round (from 1), and nothing later.

    Raises ImpossibleEventError for events that contradict one another, ValueError for a stream that does not begin
    with RoundOpened.
    """
    opened = history.opened
    events = history.round[:at]
    steps = tuple(_steps(events, opened.currency))
    state = evolve_all(recorded.event for recorded in events)
    whole = at is None
    rack = steps[-1].view.rack
    settlements: tuple[SettlementTold, ...] = ()
    if whole and isinstance(state, Finished | Voided):
        settlements = tuple(_settlements(history, finished_round(state)))
        if settled := history.settled:
            later = (each.event for each in _in_time(history.network, history.prizes))
            rack = after_settlement(rack, state.play, settled, later)
    currency = opened.currency
    return Telling(
        title=_title(opened),
        steps=steps,
        settlements=settlements,
        meters=_notes(meter_notes(history.network, currency)) if whole else (),
        prizes=_notes(prize_notes(history.prizes, currency)) if whole else (),
        disputes=_notes(dispute_notes(_in_time(history.disputes, history.corrections), currency)) if whole else (),
        postings=tuple(_postings(history)) if whole else (),
        rack=rack,
        events=history.everything if whole else events,
        chained=history.chained,
        broken=history.broken,
        state_hash=state_hash(state).hex(),
        whole=whole,
    )


def _in_time(*streams: tuple[Recorded, ...]) -> list[Recorded]:
    return sorted((each for stream in streams for each in stream), key=lambda each: each.envelope.recorded_at_us)


def _notes(told: Iterable[tuple[str, Recorded]]) -> tuple[Note, ...]:
    return tuple(Note(*each) for each in told)


def waiting(state: Round) -> str:
    """What a round waits for, in words."""
    match state:
        case Asking():
            return f"seat {state.seat} is asked: {', '.join(state.choices)}"
        case AwaitingFunds():
            return f"the Play Wager of seat {state.seat} waits for the wallet"
        case AwaitingCommunity():
            return f"{state.street.community} cards of the {state.street.name.replace('_', ' ')} are to be revealed"
        case _:
            return f"the round is at stage {state.stage}"


def _title(opened: RoundOpened) -> Title:
    game = game_named(opened.game) if opened.game in GAMES else None
    policies = game.policies if game else {}
    return Title(
        game=game.title if game else opened.game.replace("_", " "),
        table=opened.table,
        round_no=opened.round_no,
        round_id=opened.round_id,
        gaming_day=opened.gaming_day,
        currency=opened.currency,
        network=opened.network,
        rules_version=opened.rules_version,
        evaluator=opened.evaluator,
        paytables=opened.paytables,
        drawn={name: value for name, value in sorted(opened.options.items()) if name not in policies},
        policies={name: value for name, value in sorted(opened.options.items()) if name in policies},
        previous_round_hash=opened.previous_round_hash.hex(),
        community_cards=game.community_cards if game else 0,
        dealer_cards=game.dealer_cards if game else 0,
    )


def _steps(events: tuple[Recorded, ...], currency: str) -> Iterator[Step]:
    before: Round = NoRound()
    rack = Rack()
    for recorded in events:
        event = recorded.event
        state = evolve(before, event)
        if not isinstance(state, NoRound):
            rack = in_play(rack, event, state.play)
        yield Step(
            number=recorded.version,
            kind=event.type_name.rpartition(".")[2],
            lines=tuple(moment(event, before, currency)),
            recorded=recorded,
            view=_view(state, rack),
        )
        before = state


def _view(state: Round, rack: Rack) -> View:
    if isinstance(state, NoRound):
        raise TypeError("a round that has begun is never at stage 'no_round' again")
    play = state.play
    asked = {state.seat: state.choices} if isinstance(state, Asking) else {}
    seats = tuple(_seat_view(seat, play.opened.game, asked.get(seat.seat, ()), rack) for seat in play.seats)
    return View(
        stage=state.stage,
        waiting=waiting(state),
        dealer=play.dealer,
        community=play.community,
        bonus=play.bonus,
        set_aside=play.set_aside,
        seats=seats,
        rack=rack,
        at_stake=sum(sum(seat.wagers.values()) for seat in seats),
    )


def _seat_view(seat: LiveSeat, game: str, asked: tuple[str, ...], rack: Rack) -> SeatView:
    as_dealt = seat.as_dealt
    return SeatView(
        seat=seat.seat,
        player=seat.player,
        wagers=stakes_of(game_named(game), as_dealt),
        stands=seat.stands,
        cards=seat.cards,
        decisions=seat.decisions,
        asked=asked,
        folded=as_dealt.folded,
        forfeited=seat.forfeited,
        left=seat.left,
        racked=f"seat {seat.seat}" in rack.whose,
    )


def _settlements(history: History, dealt: FinishedRound) -> Iterator[SettlementTold]:
    played = {corrected.number: played_of(corrected) for corrected in history.corrected}
    last = len(history.settlement) - 1
    posted = nets(history)
    for place, recorded in enumerate(history.settlement):
        match recorded.event:
            case RoundSettled() as settled:
                yield _settlement(settled, history, dealt, recorded, posted if place == last else {}, place == last)
            case RoundResettled() as again:
                changed = frozenset(each.seat for each in again.changes)
                told = _settlement(
                    again.in_force, history, played[again.correction], recorded,
                    posted if place == last else {}, place == last,
                )  # fmt: skip
                yield replace(told, correction=again.correction, changed=changed)
            case _:
                pass


def _settlement(
    settled: RoundSettled,
    history: History,
    played: FinishedRound,
    recorded: Recorded,
    posted: Mapping[int, int],
    in_force: bool,
) -> SettlementTold:
    rank = {seat: at for at, seat in enumerate(settled.order)}
    seats = sorted(settled.seats, key=lambda seat: (rank.get(seat.seat, len(rank)), seat.seat))
    return SettlementTold(
        order=settled.order,
        seats=tuple(_seat_told(seat, settled, history, played, posted) for seat in seats),
        recorded=recorded,
        void=settled.void,
        correction=0,
        in_force=in_force,
        changed=frozenset(),
    )


def _seat_told(
    seat: SeatSettlement, settled: RoundSettled, history: History, played: FinishedRound, posted: Mapping[int, int]
) -> SeatTold:
    locked = {hit.wager: hit.amount for hit in history.hits if hit.seat == seat.seat}
    lines = [_line_told(line, seat.seat, settled.game, locked.get(line.wager, 0), played) for line in seat.lines]
    awards = [_award_told(award, seat.seat, settled.game, played) for award in seat.awards]
    cards = next((dealt.cards for dealt in played.seats if dealt.seat == seat.seat), ())
    return SeatTold(seat.seat, seat.player, cards, posted.get(seat.seat), (*lines, *awards))


def _line_told(line: Settled, seat: int, game: str, locked: int, played: FinishedRound) -> LineTold:
    return LineTold(
        name=line.wager,
        title=game_named(game).title_of(line.wager),
        stake=line.stake,
        outcome=line.outcome,
        came_back=line.returned + line.won + (locked if line.share else 0),
        sentence=explain_line(game, line, deciding_policies(played, seat, line)),
        rule=line.rule,
        paid_from=line.paid_from,
        awaits_validation=line.awaits_validation,
    )


def _award_told(award: Award, seat: int, game: str, played: FinishedRound) -> LineTold:
    return LineTold(
        name=award.award,
        title=award.award.replace("_", " ").capitalize(),
        stake=None,
        outcome="award",
        came_back=award.amount,
        sentence=explain_award(game, award, deciding_policies(played, seat, award)),
        rule=award.rule,
        paid_from=award.paid_from,
        awaits_validation=award.awaits_validation,
    )


def _postings(history: History) -> Iterator[Posting]:
    for recorded in history.wallet:
        for each in transfers_of(recorded.event):
            yield Posting(each.amount, each.debit, each.credit, each.code, each.transfer_id, recorded)
