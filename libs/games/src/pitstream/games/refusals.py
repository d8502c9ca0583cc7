"""What a referee refuses for whatever command: the words for cards and for stages."""

from collections.abc import Iterable, Sequence, Set

from pitstream.events.refusal import Refusal
from pitstream.games.game import CARDS
from pitstream.games.round import Round


def cards_fault(field: str, cards: Sequence[str], counts: Set[int], seen: Set[str]) -> Refusal | None:
    """The first fault of a list of cards: what is no card, too few or too many, then what was dealt before."""
    for position, card in enumerate(cards):
        if card not in CARDS:
            return unknown_card(f"{field}[{position}]", card)
    if len(cards) not in counts:
        allowed = " or ".join(str(count) for count in sorted(counts))
        return Refusal("wrong_card_count", field, f"was {len(cards)} cards; allowed: {allowed}")
    for position, card in enumerate(cards):
        if card in seen or card in cards[:position]:
            return Refusal("duplicate_card", f"{field}[{position}]", f"was {card!r}; it was seen in this round before")
    return None


def unknown_card(field: str, card: str) -> Refusal:
    return Refusal(
        "unknown_card", field, f'was {card!r}; allowed: a rank 23456789TJQKA and a suit cdhs ("Td"), in these letters'
    )


def wrong_stage(state: Round, field: str, allowed: str) -> Refusal:
    return Refusal("wrong_stage", field, f"the round is at stage {state.stage!r}; {allowed}")


def words(items: Iterable[object]) -> str:
    return ", ".join(str(item) for item in items)
