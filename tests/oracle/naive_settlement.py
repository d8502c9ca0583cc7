"""A second settlement of round records, written from the rules alone and naive on purpose.

It shares no code with the product: cards stay two letters, every five-card subset of a hand is tried, and the paytables
are read from their file as data. It takes well-formed records only; of the faults it knows the two that need the rules,
a share of a meter that the record does not have and a paytable out of force.
"""

import tomllib
from collections import Counter
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

PAYTABLES: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[2] / "libs/games/src/pitstream/games/paytables.toml").read_text(encoding="utf-8")
)

ORDER_OF_LINES = {
    "ultimate_texas_holdem": (
        *("ante", "blind", "play", "trips", "bad_beat"),
        *("progressive", "five_card", "six_card", "play_the_board", "ultimate_pairs"),
    ),
    "flop_poker": ("three_card_bonus", "ante", "flop", "pot"),
    "raise_it_up_stud": ("pair_plus", "ante", "blind", "play", "progressive", "six_card"),
}
LOST_BY_A_FOLD = {
    "ultimate_texas_holdem": {"ante", "blind", "bad_beat", "progressive"},
    "flop_poker": {"ante"},
    "raise_it_up_stud": {"ante", "blind", "progressive"},
}

RANKS = "23456789TJQKA"
CATEGORIES = [
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
]
PAIR, TRIPS, STRAIGHT = (CATEGORIES.index(name) for name in ("pair", "three_of_a_kind", "straight"))

Rank = tuple[int, list[int]]
"""Category, then the ranks that compare within it, 2..14, most important first."""
Json = dict[str, Any]


class MissingMeter(Exception):  # noqa: N818
    """A share is won of a meter that the record does not have."""


def rank_of(five: tuple[str, ...]) -> Rank:
    ranks = sorted((RANKS.index(card[0]) + 2 for card in five), reverse=True)
    counted = sorted(Counter(ranks).items(), key=lambda item: (-item[1], -item[0]))
    shape = [count for _, count in counted]
    kickers = [rank for rank, _ in counted]
    if ranks == [14, 5, 4, 3, 2]:
        kickers = [5, 4, 3, 2, 1]
    straight = shape == [1] * 5 and kickers[0] - kickers[4] == 4
    flush = len({card[1] for card in five}) == 1
    if straight and flush:
        name = "royal_flush" if kickers[0] == 14 else "straight_flush"
    elif shape == [4, 1]:
        name = "four_of_a_kind"
    elif shape == [3, 2]:
        name = "full_house"
    elif flush:
        name = "flush"
    elif straight:
        name = "straight"
    else:
        name = {3: "three_of_a_kind", 2: "two_pair" if shape[1] == 2 else "pair", 1: "high_card"}[shape[0]]
    return CATEGORIES.index(name), kickers


@lru_cache(maxsize=256)
def _best(cards: tuple[str, ...]) -> Rank:
    return max(map(rank_of, combinations(cards, 5)))


def best(cards: list[str]) -> Rank:
    return _best(tuple(cards))  # every line of a seat asks anew: it is answered from memory


def best_of_three_own_and_two(own: list[str], board: list[str]) -> Rank:
    return max(best([*own, *two]) for two in combinations(board, 2))


def rows_met(rank: Rank) -> list[str]:
    """The rows of a paytable that a five-card hand fits, the closest first."""
    name = CATEGORIES[rank[0]]
    rows = [name]
    if name == "royal_flush":
        rows.append("straight_flush")
    if name == "pair":
        pair = rank[1][0]
        rows = ["pair_jacks_or_better"] * (pair >= 11) + ["pair_tens_or_better"] * (pair >= 10) + ["pair"]
    return [*rows, "any"]


def rows_met_by_three(cards: list[str], *, wheel: bool) -> list[str]:
    """The rows that a three-card hand fits, the closest first."""
    ranks = sorted(RANKS.index(card[0]) for card in cards)
    flush = len({card[1] for card in cards}) == 1
    straight = ranks in ([n, n + 1, n + 2] for n in range(11)) or (wheel and ranks == [0, 1, 12])
    if flush and ranks == [10, 11, 12]:
        return ["three_card_royal_spades"] * (cards[0][1] == "s") + ["three_card_royal", "straight_flush"]
    if flush and straight:
        return ["straight_flush"]
    if straight:
        return ["straight"]
    if flush:
        return ["flush"]
    return {1: ["three_of_a_kind"], 2: ["pair"], 3: []}[len(set(ranks))]


def row(pays: Json, rows: list[str]) -> Any:
    """What the first row that the table has says, or None."""
    return next((pays[name] for name in rows if name in pays), None)


def times(stake: int, odds: Any) -> int:
    """The odds' part of a stake, a fraction of a minor unit rounded up."""
    x, to = odds if isinstance(odds, list) else (odds, 1)
    return -(-stake * x // to)


class Judge:
    """One round, settled once."""

    def __init__(self, record: Json) -> None:
        self.record = record
        self.game: str = record["game"]
        self.tables = {wager: PAYTABLES[self.game][wager][name] for wager, name in record["paytables"].items()}
        self.wheel = record.get("options", {}).get("three_card_wheel", True)
        self.community = record["cards"].get("community", [])
        self.dealer = record["cards"].get("dealer", [])
        self.meters = dict(record.get("meters", {}))
        self.live = [seat for seat in record["seats"] if "forfeited" not in seat]

    # Words ------------------------------------------------------------------------------------------------------------

    @staticmethod
    def folded(seat: Json) -> bool:
        return "fold" in seat["decisions"]

    def stakes(self, seat: Json) -> dict[str, int]:
        """All that the seat had at risk, in the order of the lines."""
        placed = dict(seat["wagers"])
        for word in seat["decisions"]:
            if word == "flop":
                placed["flop"] = placed["ante"]
            elif word.endswith("x"):
                placed["play"] = int(word[0]) * placed["ante"]
        return {wager: placed[wager] for wager in ORDER_OF_LINES[self.game] if wager in placed}

    def take(self, share: Json) -> Json:
        """A share of a meter, taken from it now."""
        amount = self.worth(share)
        meter = share["meter"]
        left = self.record.get("seeds", {}).get(meter, 0) if share["percent"] == 100 else self.meters[meter] - amount
        self.meters[meter] = left
        return {"outcome": "win", "returned": 0, "won": amount, "share": dict(share), "paid_from": "meter"}

    def worth(self, share: Json) -> int:
        if share["meter"] not in self.meters:
            raise MissingMeter(share["meter"])
        return self.meters[share["meter"]] * share["percent"] // 100

    def by_table(self, wager: str, stake: int, rows: list[str]) -> Json:
        table = self.tables[wager]
        odds = row(table["pays"], rows)
        if odds is None:
            return lost()
        if odds == "push":
            return pushed(stake)
        if isinstance(odds, dict):
            return self.take(odds)
        return {
            "outcome": "win",
            "returned": stake if table["basis"] == "to 1" else 0,
            "won": times(stake, odds),
        }

    # The round --------------------------------------------------------------------------------------------------------

    def settle(self) -> Json:
        if "void" in self.record:
            return self.answer(
                {
                    seat["seat"]: {wager: void(stake) for wager, stake in self.stakes(seat).items()}
                    for seat in self.record["seats"]
                },
                {},
                sorted((seat["seat"] for seat in self.record["seats"]), reverse=True),
            )
        lines: dict[int, dict[str, Json]] = {
            seat["seat"]: {wager: forfeited() for wager in self.stakes(seat)} for seat in self.record["seats"]
        }
        order = []
        for seat in sorted(self.live, key=lambda seat: -seat["seat"]):
            mine = lines[seat["seat"]]
            for wager, stake in self.stakes(seat).items():
                if self.folded(seat) and wager in LOST_BY_A_FOLD[self.game]:
                    mine[wager] = lost()
                    continue
                if seat["seat"] not in order:
                    order.append(seat["seat"])
                mine[wager] = getattr(self, f"{self.game}_line")(seat, wager, stake)
        awards = {seat["seat"]: self.awards(seat) for seat in self.live}
        return self.answer(lines, awards, order)

    def answer(self, lines: dict[int, dict[str, Json]], awards: dict[int, list[Json]], order: list[int]) -> Json:
        seats = []
        for seat in self.record["seats"]:
            number = seat["seat"]
            stakes = self.stakes(seat)
            mine = [{"wager": wager, "stake": stakes[wager], **lines[number][wager]} for wager in stakes]
            paid = sum(line["returned"] + line["won"] for line in mine)
            given = awards.get(number, [])
            net = paid + sum(award["amount"] for award in given) - sum(stakes.values())
            seats.append({"seat": number, "player": seat["player"], "lines": mine, "awards": given, "net": net})
        return {"id": self.record["id"], "game": self.game, "seats": seats, "order": order}

    def awards(self, seat: Json) -> list[Json]:
        given = []
        progressive = seat["wagers"].get("progressive")
        if progressive is not None:
            envy = self.tables["progressive"]["envy"]
            for other in self.live:
                amount = row(envy, self.envied(other)) if other is not seat else None
                if amount is not None:
                    given.append({"award": "envy", "amount": times(progressive, amount), "for_seat": other["seat"]})
        stake = seat["wagers"].get("five_card")
        if stake is not None:
            given += self.lucky_and_magic(seat, stake)
        return given

    def envied(self, seat: Json) -> list[str]:
        """The rows of the envy table that a hand meets; none when it triggers no envy."""
        if self.game == "ultimate_texas_holdem":
            return [] if self.folded(seat) else rows_met(best(seat["cards"] + self.community[:3]))
        left_on_the_table = "progressive" in seat["wagers"] or "six_card" in seat["wagers"]
        if self.folded(seat) and not left_on_the_table:
            return []
        return rows_met_by_three(seat["cards"], wheel=self.wheel)

    def lucky_and_magic(self, seat: Json, stake: int) -> list[Json]:
        given = []
        options, table = self.record.get("options", {}), self.tables["five_card"]
        own = [] if self.folded(seat) else seat["cards"]
        drawn = self.dealer if options.get("lucky") == "dealer" else own if options.get("lucky") == seat["seat"] else []
        if drawn:
            odds = row(table["lucky"], rows_met(best(drawn + self.community[:3])))
            if odds is not None:
                given.append({"award": "lucky", "amount": times(stake, odds), "paid_from": "game_account"})
        if options.get("magic_card") in own + self.dealer:
            given.append({"award": "magic", "amount": times(stake, table["magic"]), "paid_from": "game_account"})
        return given

    # The games --------------------------------------------------------------------------------------------------------

    def ultimate_texas_holdem_line(self, seat: Json, wager: str, stake: int) -> Json:
        own, dealer, flop = seat["cards"], self.dealer, self.community[:3]
        mine, theirs = best(own + self.community), best(dealer + self.community)
        if wager in ("ante", "blind", "play"):
            if wager == "ante" and theirs[0] < PAIR:
                return pushed(stake)
            if mine == theirs:
                return pushed(stake)
            return self.by_table(wager, stake, rows_met(mine)) if mine > theirs else lost()
        if wager == "bad_beat":
            if mine[0] >= TRIPS and mine < theirs:
                return self.by_table(wager, stake, rows_met(mine))
            if theirs[0] >= TRIPS and theirs < mine:
                return self.by_table(wager, stake, rows_met(theirs))
            return lost()
        if wager == "five_card":
            return self.five_card(stake, None if self.folded(seat) else best(own + flop), best(dealer + flop))
        if wager == "ultimate_pairs":
            return self.by_table(wager, stake, pairs_rows(own, dealer))
        judged = {
            "trips": own + self.community,
            "progressive": own + flop,
            "six_card": own + self.record["cards"].get("bonus", []),
            "play_the_board": self.community,
        }
        return self.by_table(wager, stake, rows_met(best(judged[wager])))

    def five_card(self, stake: int, mine: Rank | None, dealers: Rank) -> Json:
        table = self.tables["five_card"]
        prizes = []
        for pays, rank in (("pays", mine), ("dealer_pays", dealers)):
            odds = None if rank is None else row(table[pays], rows_met(rank))
            if odds is not None:
                prizes.append((self.worth(odds) if isinstance(odds, dict) else times(stake, odds), odds))
        if not prizes:
            return lost()
        amount, odds = max(prizes, key=lambda prize: prize[0])  # of equals the first: the player's
        if isinstance(odds, dict):
            return self.take(odds)
        return {"outcome": "win", "returned": 0, "won": amount, "paid_from": "game_account"}

    def flop_poker_line(self, seat: Json, wager: str, stake: int) -> Json:
        hands = {one["seat"]: best_of_three_own_and_two(one["cards"], self.community) for one in self.live}
        mine = hands[seat["seat"]]
        if wager == "pot":
            winners = [number for number in sorted(hands) if hands[number] == max(hands.values())]
            if seat["seat"] not in winners:
                return lost()
            even, odd = divmod(sum(one["wagers"]["pot"] for one in self.record["seats"]), len(winners))
            won = even + (winners.index(seat["seat"]) < odd)
            return {"outcome": "win", "returned": 0, "won": won, "paid_from": "pot"}
        if wager == "three_card_bonus":
            return self.by_table(wager, stake, rows_met_by_three(seat["cards"], wheel=self.wheel))
        if mine < (PAIR, [11]):
            return lost()
        return self.by_table(wager, stake, rows_met(mine))

    def raise_it_up_stud_line(self, seat: Json, wager: str, stake: int) -> Json:
        if wager in ("pair_plus", "progressive"):
            return self.by_table(wager, stake, rows_met_by_three(seat["cards"], wheel=self.wheel))
        mine = best(seat["cards"] + self.community)
        if wager != "six_card" and mine < (PAIR, [10]):
            return lost()
        return self.by_table(wager, stake, rows_met(mine))


def pairs_rows(own: list[str], dealer: list[str]) -> list[str]:
    """The rows of Ultimate Pairs that two cards meet, the best first."""
    one, other = own[0][0], own[1][0]
    rows = []
    if one == other:
        if one == "A":
            rows += ["pair_of_aces_player_and_dealer"] * (dealer[0][0] == dealer[1][0] == "A") + ["pair_of_aces"]
        rows += ["pair_jacks_or_better"] * (one in "JQKA") + ["pair"]
    elif {one, other} == {"A", "K"}:
        rows += ["ace_king_suited"] * (own[0][1] == own[1][1]) + ["ace_king"]
    return rows


def lost() -> Json:
    return {"outcome": "lose", "returned": 0, "won": 0}


def forfeited() -> Json:
    return {"outcome": "forfeit", "returned": 0, "won": 0}


def pushed(stake: int) -> Json:
    return {"outcome": "push", "returned": stake, "won": 0}


def void(stake: int) -> Json:
    return {"outcome": "void", "returned": stake, "won": 0}


def in_force(record: Json) -> bool:
    day = record["gaming_day"]
    listed = (PAYTABLES[record["game"]][wager][name] for wager, name in record["paytables"].items())
    return all(str(table.get("from", day)) <= day <= str(table.get("to", day)) for table in listed)


def judge(record: Json) -> Json:
    """The settlement of a well-formed record without its `rule` texts, or its id and `error` code."""
    if not in_force(record):
        return {"id": record["id"], "error": "paytable_not_in_effect"}
    try:
        return Judge(record).settle()
    except MissingMeter:
        return {"id": record["id"], "error": "missing_meter"}


def comparable(answer: Json) -> Json:
    """A settlement or error as the product writes it, without what is free: wording, and the table inventory named."""
    if "error" in answer:
        return {"id": answer["id"], "error": answer["error"]["code"]}
    for seat in answer["seats"]:
        for paid in (*seat["lines"], *seat["awards"]):
            if not paid.pop("rule"):
                raise ValueError(f"seat {seat['seat']}: a line without the paragraph that decided it: {paid}")
            if paid.get("paid_from") == "table_inventory":
                del paid["paid_from"]
    return answer
