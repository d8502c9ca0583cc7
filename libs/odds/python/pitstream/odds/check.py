"""A check of the exact odds by play: rounds drawn at random, played and settled by the games' own live code.

Every round goes through the referee's commands as at a table, the answers are those of best play, and the settlement is
the one that pays real rounds. The main game's mean must lie within ``MAIN_ERRORS`` standard errors of the exact one,
and that of each wager, up to ten of which are looked at at once, within ``ERRORS``; the errors follow from the exact
variances.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from random import Random
from typing import Final

from pitstream.evaluator import fingerprint
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import PaytableChoice, TableOpened
from pitstream.games.commands import (
    AnswerDecision,
    AnswerHold,
    DealBonus,
    DealHands,
    DealtHand,
    FinishRound,
    OpenRound,
    PlaceWagers,
    RevealCommunity,
    RoundCommand,
)
from pitstream.games.game import FinishedRound
from pitstream.games.odds import Odds
from pitstream.games.referee import decide
from pitstream.games.round import (
    Asking,
    AwaitingCommunity,
    AwaitingFunds,
    Betting,
    Finished,
    NoRound,
    Round,
    Showdown,
    evolve,
    finished_round,
)
from pitstream.games.settlement import RULES_VERSION, settle
from pitstream.odds.cells import NONE, Moments, moments
from pitstream.odds.errors import OddsError
from pitstream.odds.inputs import READINGS, Inputs
from pitstream.odds.result import ParResult
from pitstream.odds.strategy import Strategy, best, ids_of, text_of
from pitstream.odds.volatility import decimal

MAIN_ERRORS: Final = 3
"""Standard errors either way within which the main game's mean must lie: by chance one in 370 does not."""
ERRORS: Final = 4
"""The same for each wager: by chance one in 15,800 does not, so one check of ten wagers in 1,580."""
_SEAT: Final = 1
_DECK: Final = tuple(text_of(card) for card in range(52))


@dataclass(frozen=True, slots=True)
class Compared:
    """One wager's mean result, played and exact, in its stakes (main wagers: in Antes)."""

    played: Fraction
    exact: Fraction
    standard_error: Decimal
    with_main: Fraction
    """The covariance with the main game as it was played."""
    allowed: int = ERRORS
    """Standard errors within which it must lie."""

    @property
    def errors(self) -> Decimal:
        """How many standard errors lie between the two."""
        off = decimal(abs(self.played - self.exact))
        return off / self.standard_error if self.standard_error else off * 10**6

    @property
    def holds(self) -> bool:
        return self.errors <= self.allowed


@dataclass(frozen=True, slots=True)
class Checked:
    """What the rounds came to. A share of a meter counts as nothing on both sides."""

    rounds: int
    seed: int
    wagers: Mapping[str, Compared]
    """By wager; ``main`` is the main wagers together."""

    @property
    def holds(self) -> bool:
        """Whether every mean lies within its interval."""
        return all(compared.holds for compared in self.wagers.values())


def check(
    result: ParResult,
    play: Strategy,
    *,
    rounds: int,
    seed: int,
    progress: Callable[[int, int], object] | None = None,
) -> Checked:
    """Play so many rounds of one seat, drawn from ``seed``. Raises OddsError: what no table can play."""
    asked = result.inputs
    if rounds < 1:
        raise OddsError("rounds", f"was {rounds}; allowed: 1 or more")
    for game, policy in READINGS:
        if game == asked.game.name and asked.policies[policy] != asked.game.policies[policy]:
            allowed = asked.game.policies[policy]
            raise OddsError(
                f"policies.{policy}", f"was {asked.policies[policy]!r}; allowed where rounds are played: {allowed}"
            )
    table = _Table(asked, play)
    sums = dict.fromkeys(("main", *result.wagers), 0)
    products = dict.fromkeys(sums, 0)
    draw = Random(seed)  # noqa: S311  # repeatable on purpose; nothing is dealt to anyone
    for at in range(rounds):
        nets = table.round(at + 1, draw.sample(_DECK, len(_DECK)))
        main = sum(nets[wager] for wager in asked.main)
        for wager, net in {**nets, "main": main}.items():
            sums[wager] += net
            products[wager] += net * main
        if progress is not None and at % 256 == 0:
            progress(at, rounds)
    found = {}
    for wager, total in sums.items():
        exact = _exact(result, wager)
        mean, mean_of_main = Fraction(total, rounds * table.stake), Fraction(sums["main"], rounds * table.stake)
        error = decimal(exact.variance / rounds).sqrt()
        product = Fraction(products[wager], rounds * table.stake**2)
        within = MAIN_ERRORS if wager == "main" else ERRORS
        found[wager] = Compared(mean, exact.mean, error, product - mean * mean_of_main, within)
    return Checked(rounds, seed, found)


def _exact(result: ParResult, wager: str) -> Moments:
    if wager == "main":
        return result.main
    found = result.wagers[wager]
    return moments(found.results(dict.fromkeys(found.mean.shares, NONE)))


class _Table:
    """One seat with a stake on every wager."""

    def __init__(self, asked: Inputs, play: Strategy) -> None:
        self.asked = asked
        self.game = asked.game
        self.play = play
        prizes = [
            prize
            for table in asked.paytables.values()
            for prize in (*table.pays.values(), *table.dealer_pays.values())
            if isinstance(prize, Odds)
        ]
        # So no prize is rounded: the exact odds know no minor units.
        self.stake = lcm(*(prize.per for prize in prizes))
        offered = {*asked.paytables, *self.game.without_paytable}
        self.stakes = {wager: self.stake for wager in self.game.placed_before_deal if wager in offered}
        self.opened = TableOpened(
            table="check",
            game=self.game.name,
            gaming_day=_day(asked),
            currency="USD",
            paytables=tuple(
                PaytableChoice(wager=wager, paytable=table.id, sha256=table.sha256)
                for wager, table in asked.paytables.items()
            ),
            policies={name: asked.policies[name] for name in self.game.policies},
            network="check",
        )

    def round(self, number: int, deck: list[str]) -> dict[str, int]:
        """Minor units won by each wager of a round dealt from this deck."""
        state: Round = NoRound()
        cards = iter(deck)
        while not isinstance(state, Finished):
            events = decide(state, self._next(state, number, cards))
            if isinstance(events, Refusal):
                raise RuntimeError(f"a round of {self.game.title} was refused: {events}")
            for event in events:
                state = evolve(state, event)
        return self._settled(finished_round(state))

    def _next(self, state: Round, number: int, cards: Iterator[str]) -> RoundCommand:
        def some(count: int) -> tuple[str, ...]:
            return tuple(next(cards) for _ in range(count))

        match state:
            case NoRound():
                return OpenRound(
                    table=self.opened,
                    round_no=number,
                    round_id=f"check-{number}",
                    rules_version=RULES_VERSION,
                    evaluator=fingerprint(),
                )
            case Betting(play) if play.seat(_SEAT) is None:
                return PlaceWagers(seat=_SEAT, player="check", stakes=self.stakes)
            case Betting(play) if not play.seats[0].stands:
                return AnswerHold(seat=_SEAT, bundle=play.seats[0].bundles, held=True)
            case Betting():
                hand = DealtHand(seat=_SEAT, cards=some(self.game.hole_cards))
                return DealHands(hands=(hand,), dealer=some(self.game.dealer_cards))
            case AwaitingCommunity():
                return RevealCommunity(cards=some(state.street.community))
            case Asking(play):
                seat = play.seats[0]
                own, board = ids_of(" ".join(seat.cards)), ids_of(" ".join(play.community))
                return AnswerDecision(seat=_SEAT, choice=best(self.play.values(own, board, seat.decisions)))
            case AwaitingFunds():
                return AnswerHold(seat=_SEAT, bundle=state.bundle, held=True)
            case Showdown(play) if play.bonus_is_due:
                return DealBonus(cards=some(self.game.bonus_cards))
            case _:
                return FinishRound()

    def _settled(self, played: FinishedRound) -> dict[str, int]:
        (seat,) = settle(played, self.asked.known).seats
        nets = dict.fromkeys(self.asked.paytables, 0)
        for line in seat.lines:
            if line.wager in nets:
                nets[line.wager] = line.returned + line.won - line.stake
        return nets


def _day(asked: Inputs) -> str:
    """A gaming day on which every paytable is in force. Raises OddsError when there is none."""
    tables = asked.paytables.values()
    day = max((table.valid_from for table in tables if table.valid_from is not None), default="2025-01-01")
    for table in tables:
        if not table.in_force(day):
            raise OddsError(f"paytables.{table.wager}", f"was {table.id}, in force {table.days}; another begins {day}")
    return day
