"""The round's aggregate as the `eventsourcing` library would have it written: the same events, the same state.

It is kinder to that library than a real port: what an event means is written out here for the streets of the three
games only, and nothing is checked that `pitstream.games.fold` checks. A benchmark compares the state with ours.
"""
# ruff: noqa: ARG002 -- an event's fields are its method's parameters, whether the state needs them or not

from collections.abc import Sequence
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from pitstream.games.game import Game
from pitstream.games.registry import game_named

Opened = dict[str, object]
Stakes = Sequence[Sequence[object]]


class Round(Aggregate):
    """One round of a table."""

    @event("Opened")
    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.stage = "betting"
        self.seats: dict[int, dict[str, object]] = {}
        self.dealer: list[str] = []
        self.community: list[str] = []
        self.burned: list[str] = []
        self.bonus: list[str] = []
        self.stop = 0
        self.seat = 0

    @property
    def game(self) -> Game:
        return game_named(str(self.opened["game"]))

    @event("WagersPlaced")
    def wagers_placed(
        self,
        table: str,
        round_no: int,
        seat: int,
        player: str,
        bundle: int,
        currency: str,
        stakes: Sequence[Sequence[object]],
    ) -> None:
        if bundle == 1:
            self.seats[seat] = {
                "player": player, "wagers": dict(stakes), "stands": False, "bundles": 1, "cards": [], "decisions": [],
                "ended": False,
            }  # fmt: skip

    @event("WagersStood")
    def wagers_stood(self, seat: int, bundle: int) -> None:
        if bundle == 1:
            self.seats[seat]["stands"] = True
        else:
            self.seats[seat]["bundles"] = bundle
            self._ask(after=seat)

    @event("BettingClosed")
    def betting_closed(
        self, table: str, round_no: int, currency: str, network: str | None, wagers: Sequence[Sequence[object]]
    ) -> None:
        self.stage = "dealing"

    @event("HandsDealt")
    def hands_dealt(self, hands: Sequence[tuple[int, list[str]]], dealer: list[str]) -> None:
        for seat, cards in hands:
            self.seats[seat]["cards"] = cards
        self.dealer = dealer
        self.seats = dict(sorted(self.seats.items()))
        self._arrive(0)

    @event("DecisionMade")
    def decision_made(self, seat: int, choice: str) -> None:
        asked = self.seats[seat]
        asked["decisions"].append(choice)  # type: ignore[attr-defined]
        game = self.game
        if choice in game.last_words:
            asked["ended"] = True
        if choice in game.play_multiple:
            self.stage = "awaiting_funds"
        else:
            self._ask(after=seat)

    @event("CommunityDealt")
    def community_dealt(self, cards: list[str], burned: list[str]) -> None:
        self.community = [*self.community, *cards]
        self.burned = [*self.burned, *burned]
        self._ask(after=0)

    @event("BonusDealt")
    def bonus_dealt(self, cards: list[str]) -> None:
        self.bonus = cards

    @event("RoundFinished")
    def round_finished(self, table: str, round_no: int) -> None:
        self.stage = "finished"

    def _arrive(self, stop: int) -> None:
        self.stop = stop
        if self.game.stops[stop].community:
            self.stage = "awaiting_community"
        else:
            self._ask(after=0)

    def _ask(self, after: int) -> None:
        game = self.game
        if game.stops[self.stop].choices:
            for number, seat in self.seats.items():
                if number > after and not seat["ended"]:
                    self.stage, self.seat = "asking", number
                    return
        if self.stop + 1 < len(game.stops):
            self._arrive(self.stop + 1)
        else:
            self.stage = "showdown"


class Rounds(Application[UUID]):
    """All rounds."""
