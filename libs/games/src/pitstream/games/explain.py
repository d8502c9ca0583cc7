"""Settlements in plain words: one sentence a line or award, ending in the paragraph that decided it."""

from collections.abc import Mapping
from typing import Final

from pitstream.events.settlements import Award, Line

_WAGERS: Final = {
    "ante": "Ante",
    "blind": "Blind",
    "play": "Play",
    "flop": "Flop",
    "pot": "Pot",
    "trips": "Trips",
    "bad_beat": "Bad Beat",
    "progressive": "Progressive",
    "five_card": "Five Card Hand Bonus",
    "six_card": "Six Card Bonus",
    "play_the_board": "Play the Board",
    "ultimate_pairs": "Ultimate Pairs",
    "three_card_bonus": "Three Card Bonus",
    "pair_plus": "Pair Plus",
}

Reasons = Mapping[tuple[str, str], str]
"""(rule, outcome) -> why."""

_ULTIMATE_TEXAS_HOLDEM: Final[Reasons] = {
    ("653a.11(f)(2)", "lose"): "Player folded",
    ("policy: fold forfeits the progressive payout", "lose"): "Player folded",
    ("653a.11(h)(1)", "push"): "Dealer has less than a pair",
    ("653a.11(h)(2)(i)", "lose"): "Dealer's hand is higher",
    ("653a.11(h)(2)(ii)", "win"): "Player's hand is higher",
    ("653a.11(h)(2)(ii)", "push"): "Player's hand is higher but below the paytable",
    ("653a.11(h)(2)(iii)", "push"): "Player and dealer tie",
    ("653a.11(i)(1)", "win"): "Player's best five of seven is three of a kind or better",
    ("653a.11(i)(2)", "lose"): "Player's best five of seven is below three of a kind",
    ("653a.11(j)(1)", "win"): "Player loses with three of a kind or better",
    ("653a.11(j)(2)", "win"): "Dealer loses with three of a kind or better",
    ("653a.11(j)(3)", "lose"): "Nobody loses with three of a kind or better",
    ("653a.11(k)(4)", "win"): "Player's two cards and the flop are on the paytable",
    ("653a.11(k)", "lose"): "Player's two cards and the flop are not on the paytable",
    (
        "653a.11(l)(3)",
        "win",
    ): "Player's or dealer's two cards and the flop are on the paytable, the larger prize is paid",
    ("653a.11(l)", "lose"): "Neither hand that counts is on the paytable with the flop",
    ("653a.11(m)(2)", "win"): "Player's two cards and the four bonus cards make three of a kind or better",
    ("653a.11(m)(1)", "lose"): "Player's two cards and the four bonus cards make less than three of a kind",
    ("653b.4(e)", "win"): "The five community cards alone are a pair of tens or better",
    ("653b.4(e)", "lose"): "The five community cards alone are below a pair of tens",
    ("653b.5", "win"): "Player's two cards are on the paytable",
    ("653b.5", "lose"): "Player's two cards are not on the paytable",
    ("653a.11(k)(5)", "envy"): "Seat {seat}'s two cards and the flop are a straight flush or better",
    ("653a.11(l)", "lucky"): "The position drawn holds a hand that pays on top",
    ("653a.11(l)", "magic"): "The card drawn is in the player's or the dealer's hand",
}

_FLOP_POKER: Final[Reasons] = {
    ("583.11(b)", "lose"): "Player folded",
    ("583.11(d)(1)", "win"): "Player's own three cards are a pair or better",
    ("583.11(d)(1)", "lose"): "Player's own three cards are below a pair",
    ("583.11(d)(2)", "win"): "Three own cards and two of the board's make a pair of jacks or better",
    ("583.11(d)(2)", "lose"): "Three own cards and two of the board's make less than a pair of jacks",
    ("583.11(e)", "win"): "No hand at the table is higher",
    ("583.11(e)", "lose"): "Another hand at the table is higher",
}

_RAISE_IT_UP_STUD: Final[Reasons] = {
    ("669a.11(f)", "lose"): "Player folded",
    ("669a.11(g)", "lose"): "Player folded",
    ("669a.11(i)(1)", "win"): "Player's own three cards are a pair or better",
    ("669a.11(i)(1)", "lose"): "Player's own three cards are below a pair",
    ("669a.11(i)(2)(i)", "lose"): "Player's best five of six is below a pair of tens",
    ("669a.11(i)(2)(ii)", "win"): "Player's best five of six is a pair of tens or better",
    ("669a.11(i)(2)(ii)", "push"): "Player's best five of six wins but is below the paytable",
    ("669a.11(i)(3)(i)(D)", "win"): "Player's own three cards are a straight or better",
    ("669a.11(i)(3)(i)", "lose"): "Player's own three cards are below a straight",
    ("669a.11(i)(3)(ii)", "win"): "Player's best five of six is three of a kind or better",
    ("669a.11(i)(3)(ii)", "lose"): "Player's best five of six is below three of a kind",
    ("669a.11(i)(3)(i)(E)", "envy"): "Seat {seat}'s own three cards are A-K-Q of one suit",
}

_REASONS: Final[Mapping[str, Reasons]] = {
    "ultimate_texas_holdem": _ULTIMATE_TEXAS_HOLDEM,
    "flop_poker": _FLOP_POKER,
    "raise_it_up_stud": _RAISE_IT_UP_STUD,
}


def explain_line(game: str, line: Line) -> str:
    """Why a wager came to what it came to. A rule unknown here (of older rules) is cited without a reason.

    >>> push = Line(wager="ante", stake=500, outcome="push", returned=500, won=0, rule="653a.11(h)(1)")
    >>> explain_line("ultimate_texas_holdem", push)
    'Dealer has less than a pair: Ante returned, 653a.11(h)(1)'
    """
    match line.outcome:
        case "forfeit":
            reason: str | None = "A floorperson took the seat's wagers"
        case "void":
            reason = "The round is void"
        case _:
            reason = _REASONS[game].get((line.rule, line.outcome))
    return _sentence(reason, f"{_WAGERS[line.wager]} {_came_to(line)}", line.rule)


def explain_award(game: str, award: Award) -> str:
    """Why a seat was paid an award.

    >>> envy = Award(award="envy", amount=2500, for_seat=4, rule="669a.11(i)(3)(i)(E)")
    >>> explain_award("raise_it_up_stud", envy)
    "Seat 4's own three cards are A-K-Q of one suit: Envy paid, 669a.11(i)(3)(i)(E)"
    """
    reason = _REASONS[game].get((award.rule, award.award))
    return _sentence(reason and reason.format(seat=award.for_seat), f"{award.award.capitalize()} paid", award.rule)


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


def _sentence(reason: str | None, what: str, rule: str) -> str:
    return f"{what}, {rule}" if reason is None else f"{reason}: {what}, {rule}"
