"""Strategy cards: compact rules that people can follow, found from the exact values, each with its exact cost.

A card's rules are of a fixed form (what is made, how many high cards, how many outs); which of them hold is decided by
the values of a game's own paytables, and what the card then earns is counted over every deal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pitstream.odds import card_flop_poker, card_stud, card_uth
from pitstream.odds.inputs import Inputs
from pitstream.odds.rule import Rule


@dataclass(frozen=True, slots=True)
class Card:
    """Rules in the order of the streets; the first that fits is followed."""

    rules: tuple[Rule, ...]
    value: Fraction
    """The player's mean result per Ante when the card is followed."""
    best: Fraction
    """The same under best play."""

    @property
    def cost(self) -> Fraction:
        """What following the card costs against best play, of an Ante."""
        return self.best - self.value

    def content(self) -> dict[str, Any]:
        """For machines."""
        return {
            "rules": [{"street": rule.street, "choice": rule.choice, "when": list(rule.when)} for rule in self.rules],
            "value": str(self.value),
            "best": str(self.best),
            "cost": str(self.cost),
        }


def card_of(asked: Inputs, progress: Callable[[int, int], object] | None = None) -> Card | None:
    """The game's card with these paytables; None for Raise It Up Stud where a seat is asked again on each street."""
    match asked.game.name:
        case "ultimate_texas_holdem":
            return Card(*card_uth.found(asked, progress))
        case "raise_it_up_stud":
            return None if asked.policies["play_wagers"] == "each" else Card(*card_stud.found(asked, progress))
        case _:
            return Card(*card_flop_poker.found(asked, progress))
