"""Random round records of all three games, biased so that what is rare at a table is frequent here."""

import random
from datetime import date, timedelta
from typing import Any

from naive_settlement import PAYTABLES

RANKS, SUITS = "23456789TJQKA", "cdhs"
DECK = [rank + suit for rank in RANKS for suit in SUITS]
CARDS_EACH = {"ultimate_texas_holdem": 2, "flop_poker": 3, "raise_it_up_stud": 3}
REQUIRED = {
    "ultimate_texas_holdem": ("ante", "blind", "play"),
    "flop_poker": ("ante", "flop"),
    "raise_it_up_stud": ("ante", "blind", "play"),
}
STREETS = {
    "ultimate_texas_holdem": (("check", "3x", "4x"), ("check", "2x"), ("1x", "fold")),
    "flop_poker": (("flop", "fold"),),
    "raise_it_up_stud": (("check", "1x", "2x", "3x"), ("check", "1x", "2x"), ("1x", "fold")),
}
FIRST, LAST = date(2024, 3, 23), date(2026, 3, 22)  # days of the temporary provisions
METERS = ("main", "mega", "major", "minor")
MOST = 10**15  # the largest stake and meter that a record may name

Record = dict[str, Any]


def random_record(seed: str) -> Record:
    """One well-formed record; the same for the same seed.

    A few lack a meter that is won or list a paytable out of force, the two faults that only the rules can find.
    """
    chance = random.Random(seed)
    game = chance.choice(list(STREETS))
    paytables = {
        wager: chance.choice(sorted(tables))
        for wager, tables in PAYTABLES[game].items()
        if wager in REQUIRED[game] or chance.random() < 0.8
    }
    record: Record = {
        "schema": "pitstream.round/1",
        "id": seed,
        "table": "T1",
        "game": game,
        "gaming_day": _day(chance, game, paytables).isoformat(),
        "currency": chance.choice(["USD", "EUR", "JPY"]),
        "paytables": paytables,
        "options": _options(chance, game),
        "cards": {},
        "seats": _seats(chance, game, paytables),
    }
    if chance.random() < 0.06:
        record["void"] = chance.choice(["misdeal", "a card was exposed"])
    _deal(chance, record)
    _set_meters(chance, record)
    if not record["options"] and chance.random() < 0.5:
        del record["options"]
    return record


def _day(chance: random.Random, game: str, paytables: dict[str, str]) -> date:
    within = FIRST + timedelta(days=chance.randrange((LAST - FIRST).days + 1))
    temporary = any("to" in PAYTABLES[game][wager][name] for wager, name in paytables.items())
    edges = [FIRST, LAST]
    outside = [FIRST - timedelta(days=1), LAST + timedelta(days=1), date(2019, 1, 1), date(2031, 12, 31)]
    if temporary and chance.random() > 0.04:
        return chance.choice([within, within, *edges])
    return chance.choice([within, *edges, *outside])


def _options(chance: random.Random, game: str) -> Record:
    options: Record = {}
    if game == "ultimate_texas_holdem":
        if chance.random() < 0.6:
            options["lucky"] = chance.choice(["dealer", "dealer", *range(1, 8)])
        if chance.random() < 0.6:
            options["magic_card"] = ""  # drawn with the cards
    elif chance.random() < 0.4:
        options["three_card_wheel"] = chance.choice([False, False, True])
    if chance.random() < 0.1:
        options["play_wagers"] = "one"
    return options


def _seats(chance: random.Random, game: str, paytables: dict[str, str]) -> list[Record]:
    numbers = sorted(chance.sample(range(1, 8), chance.randint(1, 7)))
    side_bets = [wager for wager in paytables if wager not in REQUIRED[game]]
    size = chance.choice([9, 9, 99, 10_000, 10_000, MOST])
    eagerness = chance.choice([0.3, 0.8, 1.0])
    folds = chance.choice([0.1, 0.5, 1.0])

    def stake() -> int:
        return chance.choice([chance.randint(1, size), chance.randint(1, size) | 1, size])

    pot = stake()
    seats = []
    for number in numbers:
        ante = stake()
        wagers = {"ante": ante, **({"pot": pot} if game == "flop_poker" else {"blind": ante})}
        wagers |= {wager: stake() for wager in side_bets if chance.random() < eagerness}
        shuffled = list(wagers.items())
        chance.shuffle(shuffled)
        seat: Record = {"seat": number, "player": chance.choice([f"p{number}", "p-same"]), "cards": []}
        seat |= {"wagers": dict(shuffled), "decisions": _decisions(chance, game, folds)}
        if chance.random() < 0.06:
            seat["forfeited"] = "told another player a card"
            seat["decisions"] = seat["decisions"][: chance.randint(0, 3)]
        seats.append(seat)
    return seats


def _decisions(chance: random.Random, game: str, folds: float) -> list[str]:
    said: list[str] = []
    for words in STREETS[game]:
        if "fold" in words and chance.random() < folds:
            return [*said, "fold"]
        word = words[0] if len(words) > 2 and chance.random() < 0.4 else chance.choice(words)
        said.append(word)
        if word != "check":
            break
    return said


def _deal(chance: random.Random, record: Record) -> None:
    """Every card of the round: some planted, the others mostly from a few that lie close together."""
    holdem = record["game"] == "ultimate_texas_holdem"
    cards, hands = record["cards"], [seat["cards"] for seat in record["seats"]]
    cards["community"] = []
    if holdem:
        cards["dealer"] = []
        hands.append(cards["dealer"])
    chance.shuffle(hands)
    if chance.random() < 0.4:
        board, planted = _planted(chance, record["game"])
        cards["community"] += board
        for hand, own in zip(hands, planted, strict=False):
            hand += own

    favoured = _favoured(chance)
    liking = chance.choice([0.5, 0.8, 1.0])
    left = [card for card in DECK if card not in cards["community"] and all(card not in hand for hand in hands)]

    def draw(count: int) -> list[str]:
        drawn = []
        for _ in range(count):
            liked = [card for card in left if card in favoured] if chance.random() < liking else []
            drawn.append(chance.choice(liked or left))
            left.remove(drawn[-1])
        return drawn

    cards["community"] += draw((5 if holdem else 3) - len(cards["community"]))
    for hand in hands:
        hand += draw(CARDS_EACH[record["game"]] - len(hand))
    if holdem and (chance.random() < 0.3 or any("six_card" in seat["wagers"] for seat in record["seats"])):
        cards["bonus"] = draw(4)
    if record["game"] != "raise_it_up_stud" and chance.random() < 0.5:
        cards["burned"] = draw(2 if holdem else 1)
    if "magic_card" in record["options"]:
        seen = [card for hand in hands for card in hand]
        record["options"]["magic_card"] = chance.choice([*seen, chance.choice(DECK)])
    if "void" in record:
        dealt = [*hands, *cards.values()]
        for hand in chance.choices(dealt, k=chance.randint(0, 3)):
            del hand[chance.randint(0, len(hand)) :]
        if chance.random() < 0.3:
            chance.choice(dealt).extend(draw(1))


def _planted(chance: random.Random, game: str) -> tuple[list[str], list[list[str]]]:
    """The first community cards and some hands: what no shuffle gives often enough."""
    suits = chance.sample(SUITS, 4)
    suit = chance.choice([suits[0], "s"])
    low = chance.choice([chance.randrange(8), 7])
    run = [rank + suit for rank in ("A" + RANKS)[low : low + 7]]  # up to the ace, from the ace, or between
    x, y, z = chance.sample(RANKS, 3)
    match game, chance.randrange(4):
        case "ultimate_texas_holdem", 0:  # a royal flush on the board
            return [rank + suit for rank in "TJQKA"], []
        case "ultimate_texas_holdem", 1:  # four of a kind and full houses, with the flop already
            return [x + suits[0], x + suits[1], y + suits[0]], [
                [x + suits[2], x + suits[3]],
                [y + suits[1], y + suits[2]],
            ]
        case "ultimate_texas_holdem", 2 if chance.random() < 0.3:  # both pairs of aces
            return [], [["A" + suits[0], "A" + suits[1]], ["A" + suits[2], "A" + suits[3]]]
        case "ultimate_texas_holdem", _:  # two straight flushes over one flop
            return run[2:5], chance.sample([run[:2], run[5:]], chance.randint(1, 2))
        case _, 0:  # the same three ranks in several suits
            equal = [[x + suits[n], y + suits[n - 1], z + suits[n - 2]] for n in range(chance.randint(2, 4))]
            return [], equal
        case _, 1:  # ace, king and queen of one suit
            return [], [[rank + one for rank in "AQK"] for one in chance.sample(SUITS, chance.randint(1, 3))]
        case _, 2:  # ace, two and three
            return [], [["A" + one, "3" + chance.choice([one, two]), "2" + one] for one, two in (suits[:2], suits[2:])]
    return run[:2], [run[2:5]]  # a straight flush of three own cards and two of the board


def _favoured(chance: random.Random) -> list[str]:
    low = chance.randrange(9)
    style = chance.randrange(5)
    if style == 0:  # one suit: flushes, straight flushes
        width, suits = chance.randint(5, 13), [chance.choice(SUITS)]
    elif style == 1:  # a short run: straights, straight flushes, ties
        width, suits = chance.randint(5, 7), chance.sample(SUITS, 2)
    elif style == 2:  # few ranks: full houses, fours of a kind
        width, suits = chance.randint(2, 5), list(SUITS)
    elif style == 3:  # royal flushes, in spades too
        low, width, suits = 8, 5, chance.sample(SUITS, chance.randint(1, 2))
    else:
        low, width, suits = 0, 13, list(SUITS)
    ranks = (RANKS[-1] + RANKS)[low : low + width] if chance.random() < 0.4 else RANKS[low : low + width]
    return [rank + suit for rank in ranks for suit in suits]


def _set_meters(chance: random.Random, record: Record) -> None:
    meters = {meter: chance.choice([0, 1, 9, 99, 1_000_005, 30_646_297, MOST]) for meter in METERS}
    if chance.random() < 0.08:
        del meters[chance.choice(METERS)]
    record["meters"] = meters
    if chance.random() < 0.7:
        record["seeds"] = {
            meter: chance.choice([0, 1, 250_001, 1_234_567]) for meter in METERS if chance.random() < 0.8
        }
