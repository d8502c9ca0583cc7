"""Mississippi Stud, 58 Pa. Code Chapter 655a: a game that pitstream does not bring. Two own cards, three community."""

from collections.abc import Iterator

from pitstream.events.settlements import Line, SeatSettlement
from pitstream.games import hands
from pitstream.games.game import POLICIES_OF_EVERY_GAME, Game, Street, policy
from pitstream.games.lines import Table, pay_or_lose, seat_lines, settled

BETS = ("third_street", "fourth_street", "fifth_street")
SIXES = 4
ROWS = (*hands.FIVE_CARD_ROWS[:-2], "pair_sixes_or_better")
GAME = Game(
    name="mississippi_stud",
    title="Mississippi Stud",
    hole_cards=2,
    dealer_cards=0,
    streets=tuple(
        Street(bet, community=revealed, burned=0, choices=("1x", "2x", "3x", "fold"), rule="655a.11", wager=bet)
        for bet, revealed in zip(BETS, (0, 1, 1), strict=True)
    ),
    showdown=Street("showdown", community=1, burned=0, choices=(), rule="655a.11"),
    bonus_cards=0,
    bonus_wager=None,
    wagers=("ante", *BETS, "three_card_bonus"),
    required=("ante",),
    equal_to_ante=(),
    same_for_all=(),
    without_paytable=(),
    play_multiple={"1x": 1, "2x": 2, "3x": 3},
    lost_by_fold=dict.fromkeys(("ante", *BETS), "655a.11"),
    forfeit_rule="policy: forfeited seat",
    options={"three_card_wheel": policy("true", "false"), **POLICIES_OF_EVERY_GAME},
    rows={**dict.fromkeys(("ante", *BETS), ROWS), "three_card_bonus": hands.THREE_CARD_ROWS},
    must_reach=dict.fromkeys(("ante", *BETS), "pair_sixes_or_better"),
    reasons={("655a.11", "push"): "Player's hand is a pair of sixes to tens"},
)


def settle(table: Table) -> Iterator[SeatSettlement]:
    """Ante and Bets on the best hand with the community cards; the bonus on those alone, after a fold too."""
    board = hands.three_card_rows(table.round.community, wheel=table.policy("three_card_wheel") == "true")
    for seat in table.from_the_dealers_right():
        value = hands.five_card_value(seat.cards + table.round.community)
        own = (
            *hands.five_card_rows(value),
            *(("pair_sixes_or_better",) if hands.is_pair_or_better(value, SIXES) else ()),
        )

        def settle_wager(wager: str, stake: int, own: tuple[str, ...] = own) -> Line:
            rows = board if wager == "three_card_bonus" else own
            return pay_or_lose(table.paytables[wager], stake, rows, win="655a.11", lost="655a.11")

        yield settled(seat, seat_lines(GAME, seat, settle_wager))
