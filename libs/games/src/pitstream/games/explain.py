"""Settlements in plain words: one sentence a line or award, ending in the paragraph that decided it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pitstream.events.settlements import Award, Line
from pitstream.games.game import FinishedRound, Game
from pitstream.games.registry import game_named

Policies = Mapping[str, str]
"""Policy -> its value, of those that decided."""
_NONE: Final[Policies] = MappingProxyType({})


def deciding_policies(played: FinishedRound, seat: int, paid: Line | Award) -> Policies:
    """The policies without which that seat's line or award would have come out otherwise, as they were in force."""
    game = game_named(played.game)
    if isinstance(paid, Line) and paid.outcome == "void":
        names: tuple[str, ...] = ("void_round",)
    elif isinstance(paid, Line) and paid.outcome == "forfeit":
        names = ("forfeited_seat",)
    else:
        (told,) = (each for each in played.seats if each.seat == seat)
        names = game.deciding(played, told, paid)
    return {name: played.options.get(name, game.policies[name]) for name in names}


def explain_line(game: str, line: Line, policies: Policies = _NONE) -> str:
    """Why a wager came to what it came to. A rule unknown here (of older rules) is cited without a reason.

    >>> push = Line(wager="ante", stake=500, outcome="push", returned=500, won=0, rule="653a.11(h)(1)")
    >>> explain_line("ultimate_texas_holdem", push)
    'Dealer has less than a pair: Ante returned, 653a.11(h)(1)'
    >>> won = Line(wager="pair_plus", stake=500, outcome="win", returned=500, won=2000, rule="669a.11(i)(1)")
    >>> explain_line("raise_it_up_stud", won, {"three_card_wheel": "true"})
    "Player's own three cards are a pair or better: Pair Plus wins, 669a.11(i)(1) (policy three_card_wheel = true)"
    """
    frame = game_named(game)
    match line.outcome:
        case "forfeit":
            reason: str | None = "A floorperson took the seat's wagers"
        case "void":
            reason = "The round is void"
        case _:
            reason = frame.reasons.get((line.rule, line.outcome))
    told = _sentence(reason, f"{frame.title_of(line.wager)} {_came_to(line)}", line.rule, policies)
    return told + _once_validated(frame, line.wager, line.awaits_validation)


def explain_award(game: str, award: Award, policies: Policies = _NONE) -> str:
    """Why a seat was paid an award.

    >>> envy = Award(award="envy", amount=2500, for_seat=4, rule="669a.11(i)(3)(i)(E)")
    >>> explain_award("raise_it_up_stud", envy)
    "Seat 4's own three cards are A-K-Q of one suit: Envy paid, 669a.11(i)(3)(i)(E)"
    """
    reason = game_named(game).reasons.get((award.rule, award.award))
    told = reason and reason.format(seat=award.for_seat)
    told = _sentence(told, f"{award.award.replace('_', ' ').capitalize()} paid", award.rule, policies)
    return told + _once_validated(game_named(game), award.award, award.awaits_validation)


def _once_validated(game: Game, what: str, waits: bool) -> str:
    """The end of a sentence about what is paid only when a floorperson has validated the hand."""
    return f"; paid once a floorperson has validated the hand, {game.validations[what].rule}" if waits else ""


def _came_to(line: Line) -> str:
    match line.outcome:
        case "win" if line.share is not None:
            return f"wins {line.share.percent} % of meter {line.share.meter}"
        case "win":
            return "wins"
        case "lose":
            return "lost"
        case "push" | "void":
            return "returned"
        case "forfeit":
            return "forfeited"


def _sentence(reason: str | None, what: str, rule: str, policies: Policies) -> str:
    told = f"{what}, {rule}" if reason is None else f"{reason}: {what}, {rule}"
    by_policy = ", ".join(f"policy {name} = {value}" for name, value in policies.items())
    return f"{told} ({by_policy})" if by_policy else told
