from typing import Final, final

from typing_extensions import Buffer

from pitstream.evaluator import Cards

__all__ = [
    "DECK",
    "Card",
    "CardCountError",
    "CardError",
    "RepeatedCardError",
    "batch_path",
    "best_five",
    "best_three_plus_two",
    "category",
    "deciding_ranks",
    "fingerprint",
    "rank",
    "rank_many",
    "rank_many_scalar",
    "rank_three",
    "rank_three_plus_two",
    "three_category",
]

DECK: Final[tuple[Card, ...]]
"""The 52 cards in the order of their ids."""

class CardError(ValueError):
    """A card that is not in the deck, or cards that cannot be a hand."""

class RepeatedCardError(CardError):
    """One card twice in a hand."""

class CardCountError(CardError):
    """Too few or too many cards."""

@final
class Card:
    """A card of the deck: ``Card("Td")``, or ``Card.from_id(33)``; equal, ordered and hashed by its id.

    CardError for text that is no card (letter case counts), TypeError for anything that is no text.
    """

    def __new__(cls, text: str, /) -> Card: ...
    @staticmethod
    def from_id(id: int, /) -> Card:  # noqa: A002
        """The card with this id. CardError outside 0..51, TypeError for what is no int."""
    @property
    def id(self) -> int:
        """4 * rank + suit, 0..51."""
    @property
    def rank(self) -> int:
        """0 for a two, 12 for an ace."""
    @property
    def suit(self) -> int:
        """0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    def __hash__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __lt__(self, value: Card, /) -> bool: ...
    def __le__(self, value: Card, /) -> bool: ...
    def __gt__(self, value: Card, /) -> bool: ...
    def __ge__(self, value: Card, /) -> bool: ...
    def __getnewargs__(self) -> tuple[str]: ...

def rank(cards: Cards, /) -> int:
    """The value of the best five of five, six or seven cards: higher is better, equal exactly when the hands tie.

    Suits never break a tie; the ace is high, or low in A-2-3-4-5 only (58 Pa. Code 653a.6, 669a.6).

    CardCountError unless there are 5, 6 or 7 cards; RepeatedCardError for a card twice; CardError for text, an id or a
    bit that is no card; TypeError for anything that is no hand.
    """

def best_five(cards: Cards, /) -> tuple[Card, ...]:
    """The five of five, six or seven cards that make the value, the most important first.

    A full house's trips come before its pair, a straight runs down from its highest card (5-4-3-2-A). Of cards that
    would serve alike, spades go before hearts, diamonds and clubs. Errors as `rank`.
    """

def rank_three(cards: Cards, /, *, wheel: bool = True) -> int:
    """The value of three cards alone, in the order of 58 Pa. Code 669a.6(c): the straight beats the flush.

    `wheel` says whether A-2-3 counts as a straight, the lowest. Never equal to a value of `rank`. Errors as `rank`, for
    3 cards.
    """

def rank_three_plus_two(own: Cards, board: Cards, /) -> int:
    """The value of the best hand of all three own cards and exactly two of the board's three; compares with `rank`'s.

    58 Pa. Code 583.11(d)(2), Flop Poker. Errors as `rank`, for 3 cards each and six different ones together.
    """

def best_three_plus_two(own: Cards, board: Cards, /) -> tuple[Card, ...]:
    """The five cards of `rank_three_plus_two`'s hand, ordered as by `best_five`. Errors as `rank_three_plus_two`."""

def category(value: int, /) -> int: ...
def three_category(value: int, /) -> int: ...
def deciding_ranks(value: int, /) -> tuple[int, ...]:
    """The ranks (0..12) that decide a value of any call here, the most important first.

    A full house's trips and pair; a pair's rank and three kickers; all five of a flush; only the highest of a straight
    (3, the five, for A-2-3-4-5). ValueError for an int that is no hand's value.
    """

def rank_many(hands: Buffer, cards_per_hand: int = 7, out: Buffer | None = None) -> memoryview:
    """The values of many hands, as a memoryview of unsigned 16-bit items (``numpy.asarray`` takes it as it is).

    `hands` holds card ids: bytes of n * `cards_per_hand`, or any buffer of uint8 of that length or of shape
    (n, `cards_per_hand`). `out`, if given, is a writable, contiguous buffer of n uint16 that receives the values; it
    stays as it was when the call fails. Other threads can run meanwhile; call it in one where an event loop must not
    wait. bytes are read where they lie, any other buffer is copied first, so that no other thread can change it.

    CardError ``hands[3][1]: was 52; allowed: 0..51``, RepeatedCardError ``hands[3]: card 2h twice``, CardCountError for
    a length or shape that does not fit, TypeError for what is no buffer of uint8, ValueError for an `out` that does not
    fit.
    """

def rank_many_scalar(hands: Buffer, cards_per_hand: int = 7, out: Buffer | None = None) -> memoryview: ...
def batch_path() -> str:
    """Which path `rank_many` takes on this processor: ``"avx2"`` or ``"scalar"``. The values are the same."""

def fingerprint() -> str:
    """Names this version and its tables: equal where equal hands get equal values."""
