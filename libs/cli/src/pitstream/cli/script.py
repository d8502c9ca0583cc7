"""A round record as the commands that play it: what a dealer's terminal and the players' devices send, in order.

Pure. A script is a list of groups. The steps of a group may be sent side by side; the next group begins when all of
them were accepted and no bundle of wagers waits for its money any more.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pitstream.games.game import FinishedRound, Game
from pitstream.games.registry import game_named


@dataclass(frozen=True, slots=True)
class Step:
    """One command. ``name`` is its place in the round: with the round's own identity it makes the command's id."""

    name: str
    path: str
    """Below the round's URL: ``wagers``, ``deal``."""
    body: Mapping[str, Any] = field(default_factory=dict)
    by: str = "dealer"
    """In which role."""


@dataclass(frozen=True, slots=True)
class Script:
    """A round's commands after it was opened, in groups. ``left_out`` says what no legal play could express."""

    groups: tuple[tuple[Step, ...], ...]
    left_out: str | None = None


def script_of(played: FinishedRound) -> Script:
    """The commands that play ``played`` again.

    A void round is played as far as its cards and answers allow one after the other, then declared void. A record of a
    void round may hold more than that (an answer given although the seat before it never answered, a hand with a card
    too many): ``left_out`` then names the first thing that could not be played.
    """
    game = game_named(played.game)
    wagers = tuple(
        Step(f"wagers/{s.seat}", "wagers", {"seat": s.seat, "player": s.player, "stakes": dict(s.wagers)})
        for s in played.seats
    )
    steps: list[Step] = []
    left_out = _after_betting(game, played, steps)
    if played.void is None:
        steps.append(Step("finish", "finish"))
    else:
        steps.append(Step("void", "void", {"reason": played.void}, by="floorperson"))
    return Script((wagers, *((step,) for step in steps)), left_out)


def _after_betting(game: Game, played: FinishedRound, steps: list[Step]) -> str | None:
    """Add what follows the wagers to ``steps``: the deal, then street by street cards and answers.

    Stops where a void round stopped. Returns what the record holds beyond that point, None when nothing.
    """
    answers = {seat.seat: list(seat.decisions) for seat in played.seats}
    forfeits = {seat.seat: seat.forfeited for seat in played.seats if seat.forfeited is not None}
    community, burned = list(played.community), list(played.burned)
    burns_are_reported = len(burned) == game.burn_cards
    in_play = [seat.seat for seat in played.seats]

    def rest() -> str | None:
        out_of_turn = [f"seat {seat} answered {left[0]} out of turn" for seat, left in answers.items() if left]
        return out_of_turn[0] if out_of_turn else f"{len(community)} more community cards" if community else None

    for seat in played.seats:
        if len(seat.cards) != game.hole_cards:
            return f"seat {seat.seat} holds {len(seat.cards)} cards"
    if len(played.dealer) != game.dealer_cards:
        return f"the dealer holds {len(played.dealer)} cards"
    hands = [{"seat": seat.seat, "cards": list(seat.cards)} for seat in played.seats]
    steps.append(Step("deal", "deal", {"hands": hands, "dealer": list(played.dealer)}))

    for street in (*game.streets, game.showdown):
        if street.community:
            if len(community) < street.community:
                return rest()
            body: dict[str, Any] = {"cards": community[: street.community]}
            del community[: street.community]
            if burns_are_reported:
                body["burned"] = burned[: street.burned]
                del burned[: street.burned]
            steps.append(Step(f"community/{street.name}", "community", body))
        for no in in_play.copy() if street.choices else ():
            if answers[no]:
                choice = answers[no].pop(0)
                steps.append(Step(f"decisions/{street.name}/{no}", "decisions", {"seat": no, "choice": choice}))
                if game.ends_with(choice):
                    in_play.remove(no)
            elif no in forfeits:
                steps.append(_forfeit(no, forfeits.pop(no)))
                in_play.remove(no)
            else:
                return rest()
    if played.bonus:
        if len(played.bonus) != game.bonus_cards:
            return f"{len(played.bonus)} bonus cards"
        steps.append(Step("bonus", "bonus", {"cards": list(played.bonus)}))
    steps.extend(_forfeit(no, reason) for no, reason in forfeits.items())
    return rest()


def _forfeit(seat: int, reason: str) -> Step:
    return Step(f"forfeit/{seat}", "forfeit", {"seat": seat, "reason": reason}, by="floorperson")
