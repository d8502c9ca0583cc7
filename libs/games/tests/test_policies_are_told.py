"""What the regulation leaves open is a named policy with a default, and an explanation says where one decided.

Method: whole lists of policies; then rounds told in a line or two, each line asked which policy it hangs on.
"""

import pytest
from told_rounds import flop_poker, holdem, seat, stud

from pitstream.events.refusal import Refusal
from pitstream.events.settlements import Award, Line
from pitstream.games.commands import OpenTable
from pitstream.games.explain import deciding_policies, explain_line
from pitstream.games.game import FinishedRound
from pitstream.games.registry import GAMES
from pitstream.games.settlement import settle
from pitstream.games.table import Closed, decide

EVERYWHERE = {"forfeited_seat": "loses_all", "void_round": "returns_all"}


@pytest.mark.parametrize(
    ("game", "policies"),
    [
        (
            "ultimate_texas_holdem",
            {
                "folded_progressive": "forfeited",
                "folded_five_card": "dealer_hand_only",
                "folded_envy": "none",
                "five_card_prize": "larger",
                "meter_order": "settling_order",
            },
        ),
        ("flop_poker", {"three_card_wheel": "true", "odd_pot_units": "from_dealers_left"}),
        (
            "raise_it_up_stud",
            {
                "three_card_wheel": "true",
                "play_wagers": "one",
                "folded_pair_plus": "stays",
                "folded_envy": "when_cards_stay",
                "meter_order": "settling_order",
            },
        ),
    ],
)
def test_a_game_s_policies_and_their_defaults_are(game: str, policies: dict[str, str]):
    assert GAMES[game].policies == {**policies, **EVERYWHERE}


def paid(played: FinishedRound, number: int, name: str) -> Line | Award:
    """The line or the award of that name at that seat."""
    (settled,) = (each for each in settle(played).seats if each.seat == number)
    (found,) = [
        *(line for line in settled.lines if line.wager == name),
        *(award for award in settled.awards if award.award == name),
    ]
    return found


WHEEL_AND_FOLD = stud(
    "9h 9d 4c",
    seat(1, "2h 3d Ac", "fold", ante=100, blind=100, pair_plus=50, progressive=10),
    seat(2, "Ah Kh Qh", "check check fold", ante=100, blind=100, progressive=10),
    seat(3, "Jc Js 5d", "1x", ante=100, blind=100, pair_plus=50, progressive=10),
)
FOLDED_FIVE = holdem(
    "9h 9d 9c 4s 2d",
    "Kh 3d",
    seat(1, "Ac Qd", "check check fold", ante=100, blind=100, progressive=10, five_card=10),
    seat(2, "As Qs", "4x", ante=100, blind=100, five_card=10),
)
ODD_POT = flop_poker(
    "2c 3d 4h",
    seat(1, "As Kd Qh", "fold", ante=100, pot=1, three_card_bonus=10),
    seat(2, "Ac Kh Qd", "fold", ante=100, pot=1),
    seat(3, "Js 8d 7h", "fold", ante=100, pot=1),
)


@pytest.mark.parametrize(
    ("played", "number", "name", "policies"),
    [
        pytest.param(
            WHEEL_AND_FOLD,
            1,
            "pair_plus",
            {"folded_pair_plus": "stays", "three_card_wheel": "true"},
            id="A-2-3 pays Pair Plus, after a fold",
        ),
        pytest.param(WHEEL_AND_FOLD, 1, "ante", {}, id="a fold loses the Ante by regulation"),
        pytest.param(WHEEL_AND_FOLD, 1, "progressive", {}, id="a fold loses the Progressive by 669a.11(g)"),
        pytest.param(WHEEL_AND_FOLD, 3, "envy", {"folded_envy": "when_cards_stay"}, id="envy for a folded hand"),
        pytest.param(WHEEL_AND_FOLD, 3, "pair_plus", {}, id="a pair hangs on no policy"),
        pytest.param(FOLDED_FIVE, 1, "progressive", {"folded_progressive": "forfeited"}, id="a folded Progressive"),
        pytest.param(FOLDED_FIVE, 1, "five_card", {"folded_five_card": "dealer_hand_only"}, id="a folded Five Card"),
        pytest.param(FOLDED_FIVE, 2, "five_card", {"five_card_prize": "larger"}, id="both hands are paid"),
        pytest.param(FOLDED_FIVE, 2, "play", {}, id="the showdown hangs on no policy"),
        pytest.param(ODD_POT, 1, "pot", {"odd_pot_units": "from_dealers_left"}, id="a Pot of 3 for two"),
        pytest.param(ODD_POT, 3, "pot", {}, id="a lower hand wins no Pot"),
        pytest.param(ODD_POT, 1, "three_card_bonus", {}, id="A-K-Q is a straight anyhow"),
        pytest.param(
            holdem("", "", seat(1, "", "", ante=1, blind=1), void="jam"),
            1,
            "ante",
            {"void_round": "returns_all"},
            id="a void round",
        ),
        pytest.param(
            stud("9h 9d 4c", seat(1, "2h 3d Ac", "", ante=1, blind=1, forfeited="talks")),
            1,
            "ante",
            {"forfeited_seat": "loses_all"},
            id="a forfeited seat",
        ),
    ],
)
def test_a_line_says_on_which_policies_it_hangs(
    played: FinishedRound, number: int, name: str, policies: dict[str, str]
):
    assert deciding_policies(played, number, paid(played, number, name)) == policies


def test_the_policy_that_decided_is_told_with_the_value_in_force():
    strict = stud("9h 9d 4c", *WHEEL_AND_FOLD.seats, options={"three_card_wheel": "false"})
    line = paid(strict, 1, "pair_plus")
    assert isinstance(line, Line)
    assert explain_line("raise_it_up_stud", line, deciding_policies(strict, 1, line)) == (
        "Player's own three cards are below a pair: Pair Plus lost, 669a.11(i)(1) "
        "(policy folded_pair_plus = stays, policy three_card_wheel = false)"
    )


@pytest.mark.parametrize(
    ("policies", "field", "told"),
    [
        ({"three_card_wheel": "perhaps"}, "policies.three_card_wheel", "was 'perhaps'; allowed: false, true"),
        ({"folded_envy": "none"}, "policies", "was 'folded_envy'; allowed for Flop Poker: "),
    ],
)
def test_a_table_does_not_open_with_a_policy_or_a_value_that_its_game_does_not_have(policies, field, told):
    asked = OpenTable(
        table="fp-01",
        game="flop_poker",
        gaming_day="2025-06-14",
        currency="USD",
        paytables={"ante": "A", "flop": "NJ"},
        policies=policies,
    )
    refusal = decide(Closed(), asked)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.field, refusal.message.startswith(told)) == ("invalid_option", field, True)


def test_what_is_drawn_for_a_round_is_no_policy_of_a_table():
    asked = OpenTable(
        table="uth-01",
        game="ultimate_texas_holdem",
        gaming_day="2025-06-14",
        currency="USD",
        paytables={"ante": "A", "blind": "A", "play": "A"},
        policies={"lucky": "dealer"},
    )
    refusal = decide(Closed(), asked)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.field) == ("invalid_option", "policies")
