"""Ultimate Texas Hold'em: 58 Pa. Code Chapter 653a, with the temporary wagers of 653b.3 to 653b.5."""

from collections.abc import Iterator

from pitstream.evaluator import Category, category
from pitstream.events.settlements import Award, Line, SeatSettlement
from pitstream.games.game import (
    CARDS,
    POLICIES_OF_EVERY_GAME,
    FinishedRound,
    Game,
    Option,
    Seat,
    Street,
    Validation,
    policy,
)
from pitstream.games.hands import TWO_CARD_ROWS, five_card_rows, five_card_value, two_card_rows
from pitstream.games.lines import Envied, Table, envy_awards, lose, pay, pay_or_lose, push, seat_lines, settled
from pitstream.games.odds import PUSH, Meters, MeterShare, Prize, winnings
from pitstream.games.paytable import Paytable


def _deciding(played: FinishedRound, seat: Seat, paid: Line | Award) -> tuple[str, ...]:
    if isinstance(paid, Award):
        return ()
    if paid.wager == "progressive" and seat.folded:
        return ("folded_progressive",)
    if paid.wager == "five_card" and seat.folded:
        return ("folded_five_card",)
    if paid.wager == "five_card" and paid.outcome == "win":
        flop = played.community[:3]
        hands = (five_card_value(seat.cards + flop), five_card_value(played.dealer + flop))
        # The lowest hand that either side is paid for.
        return ("five_card_prize",) if all(category(hand) >= Category.THREE_OF_A_KIND for hand in hands) else ()
    return ()


GAME = Game(
    name="ultimate_texas_holdem",
    title="Ultimate Texas Hold'em",
    hole_cards=2,
    dealer_cards=2,
    streets=(
        Street("pre_flop", community=0, burned=0, choices=("check", "3x", "4x"), rule="653a.11(b)", wager="play"),
        Street("flop", community=3, burned=1, choices=("check", "2x"), rule="653a.11(d)", wager="play"),
        Street("river", community=2, burned=1, choices=("1x", "fold"), rule="653a.11(f)", wager="play"),
    ),
    showdown=Street("showdown", community=0, burned=0, choices=(), rule="653a.11(g)"),
    bonus_cards=4,
    bonus_wager="six_card",
    wagers=(
        "ante",
        "blind",
        "play",
        "trips",
        "bad_beat",
        "progressive",
        "five_card",
        "six_card",
        "play_the_board",
        "ultimate_pairs",
    ),
    required=("ante", "blind"),
    equal_to_ante=("blind",),
    same_for_all=(),
    without_paytable=(),
    play_multiple={"1x": 1, "2x": 2, "3x": 3, "4x": 4},
    lost_by_fold={
        "ante": "653a.11(f)(2)",
        "blind": "653a.11(f)(2)",
        "bad_beat": "653a.11(f)(2)",
        "progressive": "policy: fold forfeits the progressive payout",
    },
    forfeit_rule="policy: forfeited seat",
    options={
        "lucky": Option(frozenset(["dealer", *(str(seat) for seat in range(1, 8))])),
        "magic_card": Option(CARDS),
        # As 669a.11(g) says for its game; who folded still receives envy.
        "folded_progressive": policy("forfeited"),
        "folded_five_card": policy("dealer_hand_only"),
        "folded_envy": policy("none"),
        # Of the player's and the dealer's prize one is paid; a share counts as what it would pay at that moment.
        "five_card_prize": policy("larger"),
        # Two shares of meters in one round: who is settled first is locked first.
        "meter_order": policy("settling_order"),
        **POLICIES_OF_EVERY_GAME,
    },
    rows={"ultimate_pairs": TWO_CARD_ROWS},
    must_reach={"ante": "any", "blind": "any", "play": "any"},
    awards={"envy": "progressive", "lucky": "five_card", "magic": "five_card"},
    validations={
        "five_card": Validation("653a.11(l)", from_times=500),
        # Of its own fixed prizes (k) says nothing; a progressive that pays as much is validated alike.
        "progressive": Validation("policy: fixed progressive prizes as in 653a.11(l)", from_times=500),
        # Once the other seat's hand is validated.
        "envy": Validation("653a.11(k)(5)"),
    },
    titles={"five_card": "Five Card Hand Bonus", "six_card": "Six Card Bonus", "play_the_board": "Play the Board"},
    reasons={
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
    },
    deciding=_deciding,
)


def settle(table: Table) -> Iterator[SeatSettlement]:
    """Every seat from the dealer's right, each completely before the next: 653a.11(h) to (m), 653b.4(d)."""
    dealer = five_card_value(table.round.dealer + table.round.community)
    envied = _envied(table)
    for seat in table.from_the_dealers_right():
        yield _settle_seat(table, seat, dealer, envied)


def _settle_seat(table: Table, seat: Seat, dealer: int, envied: Envied) -> SeatSettlement:
    hand = five_card_value(seat.cards + table.round.community)

    def settle_wager(wager: str, stake: int) -> Line:
        return _settle_wager(table, seat, wager, stake, hand, dealer)

    return settled(seat, seat_lines(GAME, seat, settle_wager), tuple(_awards(table, seat, envied)))


def _settle_wager(table: Table, seat: Seat, wager: str, stake: int, hand: int, dealer: int) -> Line:
    """``hand``, ``dealer``: the best five of seven of the player and of the dealer."""
    paytable = table.paytables[wager]
    flop = table.round.community[:3]
    match wager:
        case "ante" | "blind" | "play":
            return _settle_against_dealer(paytable, stake, hand, dealer)
        case "trips":
            return pay_or_lose(paytable, stake, five_card_rows(hand), win="653a.11(i)(1)", lost="653a.11(i)(2)")
        case "bad_beat":
            return _settle_bad_beat(paytable, stake, hand, dealer)
        case "progressive":
            rows = five_card_rows(five_card_value(seat.cards + flop))
            return pay_or_lose(paytable, stake, rows, win="653a.11(k)(4)", lost="653a.11(k)", meters=table.meters)
        case "five_card":
            return _settle_five_card(table, paytable, seat, stake)
        case "six_card":
            rows = five_card_rows(five_card_value(seat.cards + table.round.bonus))
            return pay_or_lose(paytable, stake, rows, win="653a.11(m)(2)", lost="653a.11(m)(1)")
        case "play_the_board":
            rows = five_card_rows(five_card_value(table.round.community))
            return pay_or_lose(paytable, stake, rows, win="653b.4(e)", lost="653b.4(e)")
        case "ultimate_pairs":
            rows = two_card_rows(seat.cards, table.round.dealer)
            return pay_or_lose(paytable, stake, rows, win="653b.5", lost="653b.5")
    raise ValueError(f"wager was {wager!r}; allowed: {', '.join(GAME.wagers)}")


def _settle_against_dealer(paytable: Paytable, stake: int, hand: int, dealer: int) -> Line:
    """Ante, Blind and Play."""
    wager = paytable.wager
    if wager == "ante" and category(dealer) == Category.HIGH_CARD:
        return push(wager, stake, "653a.11(h)(1)")
    if hand < dealer:
        return lose(wager, stake, "653a.11(h)(2)(i)")
    if hand == dealer:
        return push(wager, stake, "653a.11(h)(2)(iii)")
    # Every table for these three ends in a row for any hand; where a Blind's says "push", it pushes.
    return pay_or_lose(paytable, stake, five_card_rows(hand), win="653a.11(h)(2)(ii)", lost="653a.11(h)(2)(ii)")


def _settle_bad_beat(paytable: Paytable, stake: int, hand: int, dealer: int) -> Line:
    """Whoever has three of a kind or better and loses; never both clauses, never a tie."""
    if hand < dealer and category(hand) >= Category.THREE_OF_A_KIND:
        return pay_or_lose(paytable, stake, five_card_rows(hand), win="653a.11(j)(1)", lost="653a.11(j)(3)")
    if dealer < hand and category(dealer) >= Category.THREE_OF_A_KIND:
        return pay_or_lose(paytable, stake, five_card_rows(dealer), win="653a.11(j)(2)", lost="653a.11(j)(3)")
    return lose("bad_beat", stake, "653a.11(j)(3)")


def _settle_five_card(table: Table, paytable: Paytable, seat: Seat, stake: int) -> Line:
    """The player's two cards and the flop, or the dealer's and the flop: the larger prize alone (policy).

    After a fold only the dealer's hand counts (policy). Without meters a share is claimed whatever the dealer's hand
    would pay: the amounts can only be compared by whoever keeps the meter.
    """
    flop = table.round.community[:3]
    of_dealer = paytable.dealer_prize(five_card_rows(five_card_value(table.round.dealer + flop)))
    of_player = None if seat.folded else paytable.prize(five_card_rows(five_card_value(seat.cards + flop)))
    prizes = [prize for prize in (of_player, of_dealer) if prize is not None]
    if not prizes:
        return lose("five_card", stake, "653a.11(l)")
    # max() keeps the first of equals: the player's.
    larger = max(prizes, key=lambda prize: _worth(prize, stake, table.meters))
    return pay(paytable, stake, larger, "653a.11(l)(3)", meters=table.meters, paid_from="game_account")


def _worth(prize: Prize, stake: int, meters: Meters | None) -> tuple[int, int]:
    """To compare prizes by: a share of unknown amount above all, else by minor units."""
    if isinstance(prize, MeterShare):
        return (1, 0) if meters is None else (0, meters.worth(prize))
    return (0, 0 if prize == PUSH else winnings(stake, prize))


def _envied(table: Table) -> Envied:
    """Seats whose two cards and the flop earn the others an envy bonus: (seat, times the stake), seats ascending.

    A folded hand (policy) and a forfeited one trigger none.
    """
    if "progressive" not in table.paytables:
        return []
    paytable, flop = table.paytables["progressive"], table.round.community[:3]
    return [
        (seat.seat, times)
        for seat in reversed(table.from_the_dealers_right())
        if seat.forfeited is None
        and not seat.folded
        and (times := paytable.envy_times(five_card_rows(five_card_value(seat.cards + flop))))
    ]


def _awards(table: Table, seat: Seat, envied: Envied) -> Iterator[Award]:
    if seat.forfeited is not None:
        return
    if "progressive" in seat.wagers:
        yield from envy_awards(seat, envied, rule="653a.11(k)(5)")
    if "five_card" in seat.wagers:
        yield from _five_card_awards(table, seat, seat.wagers["five_card"])


def _five_card_awards(table: Table, seat: Seat, stake: int) -> Iterator[Award]:
    """Lucky and magic, from the game account: whether or not the wager wins, whichever hand it is paid on.

    After a fold the player's own cards count for neither (policy).
    """
    paytable, dealt = table.paytables["five_card"], table.round
    own = () if seat.folded else seat.cards
    drawn = dealt.options.get("lucky")
    hand = dealt.dealer if drawn == "dealer" else own if drawn == str(seat.seat) else ()
    if hand and (times := paytable.lucky_times(five_card_rows(five_card_value(hand + dealt.community[:3])))):
        yield Award(award="lucky", amount=times * stake, rule="653a.11(l)", paid_from="game_account")
    if paytable.magic and dealt.options.get("magic_card") in own + dealt.dealer:
        yield Award(award="magic", amount=paytable.magic * stake, rule="653a.11(l)", paid_from="game_account")
