"""Words for the tests of a round: given events, when a command, then whole events or a refusal.

Also how a record's round is told as commands, so that a finished record can be played as a table would have played it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pitstream.events.model import Event
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import PaytableChoice, RoundOpened, TableOpened
from pitstream.games.commands import (
    AnswerDecision,
    AnswerHold,
    DealBonus,
    DealHands,
    DealtHand,
    FinishRound,
    ForfeitSeat,
    OpenRound,
    PlaceWagers,
    RevealCommunity,
    RoundCommand,
    VoidRound,
)
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
    Voided,
    evolve,
    evolve_all,
)

FLOORPERSON = "f-17"

OFFERED: Mapping[str, Mapping[str, str]] = {
    "ultimate_texas_holdem": {
        "ante": "A",
        "blind": "A",
        "play": "A",
        "trips": "A",
        "progressive": "sister-A",
        "five_card": "house-1",
        "six_card": "published-1",
    },
    "flop_poker": {"ante": "A", "flop": "NJ", "three_card_bonus": "NJ"},
    "raise_it_up_stud": {
        "ante": "house-1",
        "blind": "house-1",
        "play": "house-1",
        "pair_plus": "published-1",
        "progressive": "house-1",
        "six_card": "published-1",
    },
}


def table_opened(game: str = "ultimate_texas_holdem", **changed: Any) -> TableOpened:
    fields: dict[str, Any] = {
        "table": "t1",
        "game": game,
        "gaming_day": "2025-05-03",
        "currency": "USD",
        "paytables": tuple(
            PaytableChoice(wager=wager, paytable=paytable, sha256="") for wager, paytable in OFFERED[game].items()
        ),
        "network": "n1",
    }
    return TableOpened(**(fields | changed))


def open_round(game: str = "ultimate_texas_holdem", **changed: Any) -> OpenRound:
    fields: dict[str, Any] = {
        "table": table_opened(game),
        "round_no": 1,
        "round_id": "r1",
        "rules_version": "1",
        "evaluator": "e1",
    }
    return OpenRound(**(fields | changed))


def round_opened(game: str = "ultimate_texas_holdem", **changed: Any) -> RoundOpened:
    events = decide(NoRound(), open_round(game, **changed))
    assert not isinstance(events, Refusal)
    (opened,) = events
    assert isinstance(opened, RoundOpened)
    return opened


def cards(text: str) -> tuple[str, ...]:
    """The cards in a text that a dealer can read.

    >>> cards("As Td")
    ('As', 'Td')
    """
    return tuple(text.split())


@dataclass
class Table:
    """A round in play; every command's events are applied and kept."""

    events: list[Event] = field(default_factory=list)
    state: Round = field(default_factory=NoRound)

    def do(self, *commands: RoundCommand) -> list[Event]:
        """The events of the last command; every one of them must be accepted."""
        events: list[Event] | Refusal = []
        for command in commands:
            events = decide(self.state, command)
            assert not isinstance(events, Refusal), f"{command!r}: {events}"
            for event in events:
                self.state = evolve(self.state, event)
            self.events += events
        assert not isinstance(events, Refusal)
        return events

    def refused(self, command: RoundCommand) -> tuple[str, str]:
        """Code and field of the refusal; the round stays as it was."""
        answer = decide(self.state, command)
        assert isinstance(answer, Refusal), answer
        assert answer.message
        return answer.code, answer.field

    def bet(self, seat: int, *, player: str | None = None, held: bool = True, **stakes: int) -> list[Event]:
        """A seat's wagers and the wallet's answer to them."""
        return self.do(
            PlaceWagers(seat=seat, player=player or f"p{seat}", stakes=stakes),
            AnswerHold(seat=seat, bundle=1, held=held, reason="" if held else "insufficient_funds"),
        )

    def answer(self, seat: int, choice: str) -> list[Event]:
        """A seat's answer, and the wallet's where it placed a Play Wager: all events of both."""
        events = self.do(AnswerDecision(seat=seat, choice=choice))
        if isinstance(self.state, AwaitingFunds):
            events += self.do(AnswerHold(seat=seat, bundle=2, held=True))
        return events


def given(*events: Event) -> Table:
    return Table(list(events), evolve_all(events))


def betting(game: str = "ultimate_texas_holdem", **changed: Any) -> Table:
    return given(round_opened(game, **changed))


def deal(hands: Mapping[int, str], dealer: str = "") -> DealHands:
    return DealHands(
        hands=tuple(DealtHand(seat=seat, cards=cards(hand)) for seat, hand in hands.items()), dealer=cards(dealer)
    )


def text_options(options: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}


def play_record(record: Mapping[str, Any]) -> Table:
    """The record's round, played command by command as far as commands can tell it."""
    table = Table()
    opened = table_opened(
        record["game"],
        table=record["table"],
        gaming_day=record["gaming_day"],
        currency=record["currency"],
        paytables=tuple(
            PaytableChoice(wager=wager, paytable=paytable, sha256="") for wager, paytable in record["paytables"].items()
        ),
    )
    table.do(open_round(table=opened, round_id=record["id"], options=text_options(record.get("options", {}))))
    for seat in record["seats"]:
        table.bet(seat["seat"], player=seat["player"], **seat["wagers"])
    for command in _told(table, record):
        table.do(command)
        if isinstance(table.state, AwaitingFunds):
            table.do(AnswerHold(seat=table.state.seat, bundle=2, held=True))
    return table


def _told(table: Table, record: Mapping[str, Any]) -> Iterator[RoundCommand]:
    """The rest of the record after the betting; a void record is told as far as it goes."""
    given_cards = record["cards"]
    board, burns = list(given_cards.get("community", ())), list(given_cards.get("burned", ()))
    decisions = {seat["seat"]: list(seat["decisions"]) for seat in record["seats"]}
    forfeits = {seat["seat"]: seat["forfeited"] for seat in record["seats"] if seat.get("forfeited") is not None}
    dealt = False
    while not isinstance(table.state, Finished | Voided):
        state = table.state
        match state:
            case Betting() if not dealt:
                dealt = True
                command: RoundCommand = DealHands(
                    hands=tuple(DealtHand(seat=seat["seat"], cards=tuple(seat["cards"])) for seat in record["seats"]),
                    dealer=tuple(given_cards.get("dealer", ())),
                )
            case Asking(_, _, seat) if decisions[seat]:
                command = AnswerDecision(seat=seat, choice=decisions[seat].pop(0))
            case Asking(_, _, seat) if seat in forfeits:
                command = ForfeitSeat(seat=seat, reason=forfeits.pop(seat), floorperson=FLOORPERSON)
            case AwaitingCommunity():
                shown, burned = _taken(board, state.street.community), _taken(burns, state.street.burned)
                command = RevealCommunity(cards=shown, burned=burned)
            case Showdown() if forfeits:
                seat = min(forfeits)
                command = ForfeitSeat(seat=seat, reason=forfeits.pop(seat), floorperson=FLOORPERSON)
            case Showdown(play) if given_cards.get("bonus") and not play.bonus:
                command = DealBonus(cards=tuple(given_cards["bonus"]))
            case _:
                command = FinishRound()
        if record.get("void") is not None and (
            isinstance(command, FinishRound) or isinstance(decide(state, command), Refusal)
        ):
            yield from (
                ForfeitSeat(seat=seat, reason=why, floorperson=FLOORPERSON) for seat, why in sorted(forfeits.items())
            )
            yield VoidRound(reason=record["void"], floorperson=FLOORPERSON)
        else:
            yield command


def _taken(pile: list[str], count: int) -> tuple[str, ...]:
    taken = tuple(pile[:count])
    del pile[:count]
    return taken
